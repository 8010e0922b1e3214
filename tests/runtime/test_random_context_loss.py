"""A context lost at a random point of a program gives right values or one clear error."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from playwright_bridge import PlaywrightBridge
from programs import RandomProgram, build
from programs.program import compare, read_async, repeatable

import py_tensor as pt
from py_tensor import errors
from py_tensor.runtime import executor
from py_tensor.runtime.backends.bridged import BridgedBackend

ALLOWED = (
    "webgl: WebGL context lost; got no answer from the GPU;",
    "realize: the tensor was lost with the WebGL context; got a tensor that existed only on the",
    "webgpu: WebGPU device lost; got no answer from the GPU;",
    "realize: the tensor was lost with the WebGPU device; got a tensor that existed only on the",
)
"""Beginnings of the errors of a lost context or device."""
MODEL = Path(__file__).parents[1] / "models" / "data" / "tflite" / "convolutions-float"
Work = Callable[[], None]


class LossyBridge:
    """A bridge that loses its context before a given call, and restores it some calls later."""

    # Python sends the first three when it collects garbage, where no error can be raised.
    uncounted = frozenset({"free", "drop_plan", "drop_program", "destroy", "error", "flush"})

    def __init__(self, bridge: PlaywrightBridge) -> None:
        self.bridge = bridge
        self.arm(float("inf"), float("inf"))

    def arm(self, at: float, pause: float) -> None:
        """Lose the context at call `at` from now, and restore it `pause` calls later."""
        self.at, self.pause, self.calls = at, pause, 0

    def __getattr__(self, name: str) -> Any:
        verb = getattr(self.bridge, name)
        if name in self.uncounted:
            return verb

        def call(*values: Any) -> Any:
            self.calls += 1
            if self.calls == self.at:
                self.bridge.lose_context()
            elif self.calls == self.at + self.pause:
                self.bridge.restore_context()
            return verb(*values)

        return call


@pytest.fixture(scope="module")
def lossy(engine: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A backend whose context is lost on purpose; on the host, which has none, the usual one."""
    if not isinstance(engine, BridgedBackend):
        yield engine
        return
    bridge: Any = LossyBridge(type(engine.bridge)(request.getfixturevalue("page")))
    yield type(engine)(bridge)
    bridge.destroy()


@pytest.fixture
def own(engine: Any, lossy: Any) -> Iterator[LossyBridge | None]:
    """Compute on the lossy backend during a test; return its bridge."""
    executor.use(lossy)
    yield getattr(lossy, "bridge", None)
    executor.use(engine)


def random_program(draw: Any) -> Work:
    """Return a function that computes a random program from the host's values and compares it."""
    drawn: list[Any] = []

    def noted(strategy: Any) -> Any:
        drawn.append(draw(strategy))
        return drawn[-1]

    build(noted, RandomProgram())
    asynchronous = draw(st.booleans())

    def work() -> None:
        again = iter(drawn)
        program = build(lambda strategy: next(again), RandomProgram())
        real = [pair for pair in program.values if pair[1].dtype.kind != "c"]
        if asynchronous:
            compare(real, read_async)
        else:
            compare(program.values)

    return work


def training(draw: Any) -> Work:
    """Return a function that trains a small network and compares its losses with NumPy's."""
    rng = np.random.default_rng(draw(st.integers(0, 9)))
    x = rng.normal(size=(24, 3)).astype("float32")
    y = (x @ np.float32([[1], [-2], [0.5]])).astype("float32")
    w = 0.1 * rng.normal(size=(3, 1)).astype("float32")
    lr, momentum, epochs = 0.05, 0.5, 3

    def expected() -> list[float]:
        weight, velocity, losses = w.astype("float64"), 0.0, []
        for _ in range(epochs):
            error = x @ weight - y
            losses.append(float(np.mean(error**2)))
            velocity = momentum * velocity + 2 * x.T @ error / len(x)
            weight = weight - lr * velocity
        return losses

    def work() -> None:
        model = lambda weight, value: value @ weight  # noqa: E731
        fitted = pt.train.fit(
            (model, pt.asarray(w)),
            (x, y),
            loss="mse",
            optimizer=pt.optim.momentum(lr, momentum),
            batch_size=len(x),
            epochs=epochs,
        )
        np.testing.assert_allclose(asyncio.run(fitted)["loss"], expected(), rtol=1e-4)

    return work


def model_run(draw: Any) -> Work:
    """Return a function that runs a model, loaded once, and compares its results."""
    with np.load(MODEL.with_suffix(".npz")) as file:
        values = dict(file)
    model = pt.models.loads(MODEL.with_suffix(".tflite").read_bytes())

    def work() -> None:
        found = model(*(pt.asarray(values[f"x{at}"]) for at in range(len(model.inputs))))
        for at, y in enumerate(found if isinstance(found, tuple) else (found,)):
            np.testing.assert_allclose(y.numpy(), values[f"y{at}"], rtol=1e-3, atol=1e-4)

    return work


@contextmanager
def losing() -> Iterator[None]:
    """Allow the errors of a lost context."""
    try:
        yield
    except errors.BackendError as error:
        assert str(error).startswith(ALLOWED), str(error)


def check(draw: Any, work: Work, bridge: LossyBridge | None) -> bool:
    """Run `work` with a loss, and after it; return True if the context was lost."""
    if bridge is None or draw(st.booleans()):
        work()  # the next run finds all plans
        at = 0
    else:
        at = draw(st.integers(1, 40))
    if bridge is None:
        return False
    if not at:
        bridge.arm(float("inf"), 0)
        work()
        at = 1 + draw(st.integers(0, 999)) * bridge.calls // 1000
    bridge.arm(at, draw(st.sampled_from([1, 2, 5, float("inf")])))
    with losing():
        work()
    lost = bridge.calls >= at
    bridge.arm(float("inf"), 0)
    with losing():
        bridge.flush()
    if bridge.is_lost():
        bridge.restore_context()
    bridge.arm(float("inf"), 0)
    work()
    return lost


@pytest.mark.parametrize("kind", [random_program, training, model_run], ids=lambda f: f.__name__)
def test_losses_at_random_points(
    own: LossyBridge | None, kind: Callable[[Any], Work], request: pytest.FixtureRequest
) -> None:
    budget = request.config.getoption("losses") // 3
    losses: list[bool] = []

    @repeatable(budget)
    @given(st.data())
    def run(data: Any) -> None:
        losses.append(check(data.draw, kind(data.draw), own))

    run()
    print(f"{sum(losses)} losses")
    assert own is None or sum(losses) > budget // 2
