"""Test pt.jit and pt.warmup in a page."""

from __future__ import annotations

from typing import Any

from page_python import WEBGL, PagePython

pytest_plugins = ["page_fixtures"]


def replayed() -> dict[str, Any]:
    """Return values and costs of a training step with and without jit."""
    import py_tensor as pt
    from py_tensor.runtime.executor import backend

    def counts() -> list[int]:
        info, stats = pt.cache_info(), backend().bridge.stats()
        return [stats["compiled"], stats["plans"], info.plan_misses, info.plan_hits]

    def step(params: dict[str, Any], x: Any, rate: float) -> Any:
        h = pt.tanh(x @ params["w"] + params["b"])
        loss = pt.mean(h * h)
        params["w"] -= rate * loss * params["w"]
        return loss

    def run(function: Any) -> tuple[list[float], list[list[int]]]:
        params = {"w": pt.eye(8) * 0.5, "b": pt.zeros(8)}
        x = pt.asarray([[(i * j) % 5 - 2.0 for j in range(8)] for i in range(6)])
        losses, seen = [], []
        for at in range(4):
            before = counts()
            losses.append(function(params, x, 0.5 / (at + 1)).item())
            seen.append([now - then for now, then in zip(counts(), before, strict=True)])
        return losses, seen

    plans = backend().bridge.stats()["plans"]
    jitted = pt.jit(step)
    losses, seen = run(jitted)
    without, _ = run(step)
    while_alive = backend().bridge.stats()["plans"] - plans
    del jitted
    return {"losses": losses, "without": without, "seen": seen, "alive": while_alive > 0}


@WEBGL
def test_a_step_is_replayed(python: PagePython) -> None:
    seen = python.call(replayed)
    assert seen["losses"] == seen["without"]
    first, *others = seen["seen"]
    assert first[0] >= 1
    # The first call also creates its arguments.
    assert others == [[0, 0, 0, 1]] * 3
    assert seen["alive"]


def dropped() -> list[int]:
    """Return the bridge's plan counts before, during and after the life of a jitted function."""
    import py_tensor as pt
    from py_tensor.runtime.executor import backend

    def plans() -> int:
        count: int = backend().bridge.stats()["plans"]
        return count

    before = plans()
    f = pt.jit(lambda x: x * 1.5 + 0.25)
    f(pt.asarray([1.0]))
    during = plans()
    del f
    return [during - before, plans() - before]


@WEBGL
def test_plans_die_with_the_function(python: PagePython) -> None:
    assert python.call(dropped) == [1, 0]


def peaks() -> list[int]:
    """Return texture bytes used by updates of 8 parameters without and with donation."""
    import py_tensor as pt
    from py_tensor.runtime.executor import backend

    def update(params: list[Any], rate: float) -> list[Any]:
        return [p * rate for p in params]

    def peak(**options: Any) -> int:
        step = pt.jit(update, **options)
        params = [pt.full((64, 64), float(n)) + 1.0 for n in range(8)]
        pt.realize(*params)
        backend().bridge.trim()
        for _ in range(3):
            params = step(params, 0.5)
        memory = pt.memory()
        assert params[7][63, 63].item() == 1.0
        return memory.num_bytes_in_gpu + memory.num_bytes_in_gpu_free

    return [peak(), peak(donate_argnums=0)]


@WEBGL
def test_donated_textures_are_used_again(python: PagePython) -> None:
    without, donated = python.call(peaks)
    assert without - donated == 7 * 64 * 64 * 4


def refused() -> list[str]:
    import js

    import py_tensor as pt

    def drawn(x: Any) -> None:
        pt.draw(x, js.OffscreenCanvas.new(2, 2))

    def picture(x: Any) -> Any:
        return x + pt.from_pixels(js.ImageData.new(2, 2))[:, :, 0]

    def read(x: Any) -> float:
        return float(x.sum())

    messages = []
    x = pt.ones((2, 2))
    for function in (drawn, picture, read):
        try:
            pt.jit(function)(x)
        except pt.errors.TraceError as error:
            messages.append(str(error))
    return messages


def test_refused_inside_a_trace(python: PagePython) -> None:
    advice = "use pt.where, or make the argument static with static_argnums"
    unknown = f"jit: the value of a traced tensor is unknown; got {{}}; {advice}"
    assert python.call(refused) == [
        unknown.format("draw of uint8[2, 2, 4]"),
        "from_pixels: images cannot be read inside jit, because all calls of picture would see "
        "the first image; got an image; pass its tensor as an argument",
        unknown.format("float of float32[]"),
    ]


async def warmed() -> dict[str, Any]:
    """Return warmup progress, event loop iterations meanwhile, and costs of the first call."""
    import asyncio

    import py_tensor as pt
    from py_tensor.runtime.executor import backend

    def network(params: list[Any], x: Any, rate: float) -> Any:
        for at, w in enumerate(params):
            x = pt.softmax(pt.tanh(x @ w) * (rate + 0.125 * at) + pt.sin(x * (at + 1)), axis=1)
        return x

    yields = 0

    async def tick() -> None:
        nonlocal yields
        while True:
            await asyncio.sleep(0)
            yields += 1

    ticking = asyncio.ensure_future(tick())
    progress: list[tuple[int, int]] = []
    spec = pt.ShapeDtype((16, 16))
    step = await pt.warmup(
        network, [spec] * 4, spec, 0.5, progress=lambda *counts: progress.append(counts)
    )
    ticking.cancel()
    before = backend().bridge.stats()
    x = pt.eye(16) * 1.0
    pt.realize(x)
    made = backend().bridge.stats()
    misses = pt.cache_info().plan_misses
    total = pt.sum(step([x] * 4, x, 0.25)).item()
    return {
        "progress": progress,
        "yields": yields,
        "misses": pt.cache_info().plan_misses - misses,
        "ran before": made["draws"] - before["draws"],
        "total": total,
    }


@WEBGL
def test_warmup_keeps_the_page_responsive(python: PagePython) -> None:
    seen = python.call(warmed)
    done, totals = zip(*seen["progress"], strict=True)
    assert len(set(totals)) == 1 and done[-1] == totals[0] >= 5
    assert list(done) == sorted(set(done))
    assert seen["yields"] >= len(done) - 1
    assert seen["misses"] == 1  # the plan of pt.sum
    assert abs(seen["total"] - 16) < 1e-3


def overhead() -> list[int]:
    """Return the Python calls made by a chain of 12 operations with and without jit."""
    import sys

    import py_tensor as pt

    def chain(x: Any, y: Any) -> Any:
        for _ in range(6):
            x = x * y + 1.0
        return x

    def eager(x: Any, y: Any) -> None:
        pt.realize(chain(x, y))

    def calls(function: Any) -> int:
        counted = 0

        def count(_frame: Any, event: str, _function: Any) -> None:
            nonlocal counted
            counted += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            function(x, y)
        finally:
            sys.setprofile(None)
        return counted

    x, y = pt.asarray([1.0] * 64), pt.asarray([2.0] * 64)
    jitted = pt.jit(chain)
    for function in (jitted, eager):
        # Trace, compile and cache first, so that only the cost of later calls is measured.
        function(x, y)
        function(x, y)
    return [calls(jitted), calls(eager)]


def test_a_call_skips_what_tracing_did(python: PagePython) -> None:
    jitted, eager = python.call(overhead)
    # 46 and 331 calls on WebAssembly, where Python chooses the memory of the results.
    assert jitted * 6 < eager, (jitted, eager)
