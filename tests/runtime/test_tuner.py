"""Measured choices of the blocks of contractions, on a bridge without a device."""

from __future__ import annotations

import json

import numpy as np
import pytest

import py_tensor as pt
from py_tensor import errors
from py_tensor.compiler.workgroups import contract_kernel
from py_tensor.compiler.workgroups.contract_kernel import BlockedSize, Blocking
from py_tensor.compiler.workgroups.target import WorkgroupTarget
from py_tensor.errors import BackendError
from py_tensor.ir.node import linearize
from py_tensor.runtime import executor
from py_tensor.runtime.backends import tuner
from py_tensor.runtime.backends.tuner import CANDIDATES, MOST_CANDIDATES, NAME, Tuner, candidates
from py_tensor.runtime.backends.webgpu import WebGPUBackend
from py_tensor.settings import settings
from py_tensor.transforms.jit import precompile

FAST = Blocking(16, 16, 8, 8, 8)
"""Blocking whose kernels the device of `TimedBridge` runs fastest: 8 by 8 results."""
LIMITS = {
    "vendor": "maker",
    "architecture": "first",
    "description": "",
    "renderer": "test",
    "isFallbackAdapter": False,
    "maxBufferSize": 1 << 30,
    "maxStorageBufferBindingSize": 1 << 30,
    "maxStorageBuffersPerShaderStage": 10,
    "maxTextureDimension2D": 8192,
    "languageFeatures": [],
}


class TimedBridge:
    """A bridge that computes nothing, and takes time by the kernels of plans."""

    def __init__(self, **limits):
        self.known = {**LIMITS, **limits}
        self.now = 0.0
        self.sources = {}
        self.plans = {}
        self.held = set()
        self.is_slow = {}
        """True for programs that take longer."""
        self.measured = []
        """Sources of plans that ran, once each."""
        self.fails = False

    def limits(self):
        return self.known

    def generation(self):
        return 1

    def can_wait(self):
        return True

    def program(self, number, name, source):
        self.sources[number] = source

    def drop_program(self, number):
        del self.sources[number]

    def plan(self, number, words):
        _, outputs, temporaries, draws = words[:4]
        program = words[4 + outputs + temporaries] if draws else 0
        self.plans[number] = draws, self.sources.get(program, "")

    def drop_plan(self, number):
        del self.plans[number]

    def prepare(self, plan):
        pass

    def ready(self, plan):
        return 1

    def alloc(self, handle, nbytes):
        self.held.add(handle)

    def upload(self, handle, nbytes, data):
        self.held.add(handle)

    def free(self, handle):
        self.held.discard(handle)

    def run(self, number, words):
        draws, source = self.plans[number]
        if self.fails:
            raise BackendError("webgpu: failed")
        if source not in self.measured:
            self.measured.append(source)
        self.now += draws * (1e-4 if "var s7_1" in source else 2e-4)
        return 1

    def finish(self):
        self.now += 1e-3

    def read(self, handle, target):
        self.now += 1e-3

    async def read_async(self, handle, target):
        self.read(handle, target)

    def stats(self):
        return {"bytesInUse": 0, "bytesFree": 0, "programs": 0, "draws": 0}


class Storage:
    """The browser's storage."""

    def __init__(self, text=None):
        self.text = text

    def getItem(self, name):
        assert name == NAME
        return self.text

    def setItem(self, name, text):
        self.text = text


@pytest.fixture(autouse=True)
def restored(monkeypatch):
    monkeypatch.setattr(precompile, "POLL_SECONDS", 0)
    before = settings.autotune
    yield
    pt.env.autotune = before


def opened(storage=None, **limits):
    """Backend on a new device."""
    bridge = TimedBridge(**limits)
    engine = WebGPUBackend(bridge)
    engine.tuner = Tuner(engine, storage, lambda: bridge.now)
    return engine


def product(n=2048):
    """Graph of a matrix product."""
    x, y = (pt.asarray(np.zeros(shape, "float32")) for shape in ((n, 256), (256, n)))
    return linearize([(x @ y)._node]).graph()


def finished(coroutine):
    with pytest.raises(StopIteration) as end:
        coroutine.send(None)
    return end.value.value


def blocking_of(plan):
    (draw,) = plan.plan.draws
    return draw.shader.contraction.blocking


def test_fastest_blocks_are_chosen_for_later_plans():
    engine, graph = opened(), product()
    plan = engine.compile(graph)
    assert blocking_of(plan) != FAST
    assert finished(engine.tune(plan))
    assert blocking_of(engine.compile(graph)) == FAST
    assert blocking_of(engine.compile_parts(graph, (), ()).plan) == FAST
    assert not finished(engine.tune(engine.compile(graph)))


def test_at_most_six_candidates_are_measured_once():
    engine, graph = opened(), product()
    finished(engine.tune(engine.compile(graph)))
    assert len(engine.bridge.measured) == MOST_CANDIDATES == 6
    engine.bridge.measured.clear()
    finished(engine.tune(engine.compile(graph)))
    assert engine.bridge.measured == []


def test_measuring_leaves_nothing_on_the_device():
    engine = opened()
    plan = engine.compile(product())
    finished(engine.tune(plan))
    assert engine.bridge.held == set()
    assert list(engine.bridge.plans) == [plan.number]
    assert set(engine.programs.users) == {plan.plan.draws[0].shader.source}


def test_a_failing_kernel_keeps_the_blocks_of_the_rule():
    engine = opened()
    plan = engine.compile(product())
    engine.bridge.fails = True
    assert not finished(engine.tune(plan))
    assert engine.tuner.choices == {}
    assert engine.bridge.held == set()


def test_small_products_are_not_measured():
    engine = opened()
    assert not finished(engine.tune(engine.compile(product(512))))
    assert engine.bridge.measured == []


def test_products_are_not_measured_on_software_renderers():
    engine = opened(renderer="swiftshader")
    assert not finished(engine.tune(engine.compile(product())))
    assert engine.bridge.measured == []


def test_kernels_that_take_long_are_run_in_one_blocking(monkeypatch):
    engine, graph = opened(), product()
    monkeypatch.setattr(tuner, "LONGEST_SECONDS", 1e-4)
    assert not finished(engine.tune(engine.compile(graph)))
    assert len(engine.bridge.measured) == 1
    assert list(engine.tuner.choices.values()) == [blocking_of(engine.compile(graph))]


def test_measuring_ends_after_some_time(monkeypatch):
    engine = opened()
    monkeypatch.setattr(tuner, "ALL_SECONDS", 0.01)
    x, y, z = (pt.asarray(np.zeros((n, 2048), "float32")) for n in (2048, 512, 256))
    graph = linearize([(x @ y.T)._node, (x @ z.T)._node]).graph()
    finished(engine.tune(engine.compile(graph)))
    assert [size.columns for size in engine.tuner.choices] == [512]
    finished(engine.tune(engine.compile(graph)))
    assert [size.columns for size in engine.tuner.choices] == [512, 256]


def test_choices_are_stored_for_the_device():
    storage, graph = Storage(), product()
    engine = opened(storage)
    finished(engine.tune(engine.compile(graph)))
    ((size, blocking),) = json.loads(storage.text)["maker first "]
    assert size == ["dot kn", "float32 float32 float32", 1, 2048, 2048, 256]
    assert Blocking(*blocking) == FAST
    assert blocking_of(opened(storage).compile(graph)) == FAST
    assert blocking_of(opened(storage, vendor="other").compile(graph)) != FAST


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"maker first ": 3}',
        '{"maker first ": [3]}',
        '{"maker first ": [[[1], [2]]]}',
        '{"maker first ": [[["dot kn", "float32", 1, 2, 3, 4], [1, 2, 3, 4, 5]]]}',
    ],
)
def test_other_texts_in_the_storage_are_ignored(text):
    storage = Storage(text)
    engine = opened(storage)
    assert finished(engine.tune(engine.compile(product())))
    assert len(json.loads(storage.text)["maker first "]) == 1


def test_a_full_storage_is_ignored(monkeypatch):
    def refuse(name, text):
        raise ValueError("full")

    storage = Storage()
    monkeypatch.setattr(storage, "setItem", refuse)
    engine = opened(storage)
    assert finished(engine.tune(engine.compile(product())))


def test_nothing_is_measured_or_chosen_if_it_is_off(monkeypatch):
    storage, graph = Storage(), product()
    engine = opened(storage)
    finished(engine.tune(engine.compile(graph)))
    assert blocking_of(engine.compile(graph)) == FAST
    monkeypatch.setitem(executor.runtime.backends, "webgpu", engine)
    pt.env.autotune = False
    assert blocking_of(engine.compile(graph)) != FAST
    other = opened(storage)
    other.bridge.measured.clear()
    assert not finished(other.tune(other.compile(graph)))
    assert blocking_of(other.compile(graph)) != FAST
    assert other.bridge.measured == []
    pt.env.autotune = "warmup"
    assert blocking_of(engine.compile(graph)) == FAST


def test_first_plan_measures_only_if_asked_to():
    engine, graph = opened(), product()
    assert blocking_of(engine.compile(graph)) != FAST
    pt.env.autotune = "always"
    assert blocking_of(engine.compile(graph)) == FAST


def test_warmup_measures(monkeypatch):
    engine = opened()
    monkeypatch.setattr(executor.runtime, "backend", engine)
    step = pt.jit(lambda x, y: pt.relu(x @ y))
    finished(pt.warmup(step, pt.ShapeDtype((2048, 256)), pt.ShapeDtype((256, 2048))))
    assert list(engine.tuner.choices.values()) == [FAST]
    (plan,) = [plan for plan in engine.bridge.plans.values() if plan[0]]
    assert "var s7_1" in plan[1]


@pytest.mark.parametrize("value", ["sometimes", True, 1, None])
def test_other_settings_are_errors(value):
    with pytest.raises(errors.ArgumentError, match=r"^env: unknown value of autotune; got "):
        pt.env.autotune = value


def test_setting_in_an_address():
    for text, value in (("false", False), ("0", False), ("always", "always")):
        pt.env.set_from_query(f"?py_tensor.autotune={text}")
        assert pt.env.autotune == value


def test_candidates_share_little_memory():
    for blocking in CANDIDATES:
        panels = (blocking.height + blocking.width) * blocking.pitch
        assert 16 * panels <= 16384, blocking
        assert blocking.invocations <= 256


@pytest.mark.parametrize("blocking", CANDIDATES)
@pytest.mark.parametrize("turned", [False, True])
def test_results_of_all_candidates_are_equal(blocking, turned, engine, monkeypatch, rng):
    if engine.name != "webgpu":
        pytest.skip("the kernels run on WebGPU")
    x, y = (rng.normal(size=shape).astype("float32") for shape in ((130, 20), (20, 72)))

    def computed():
        left, right = pt.asarray(x.T.copy() if turned else x), pt.asarray(y)
        return pt.relu((left.T if turned else left) @ right + 1.0)

    device = engine.device._replace(on_processor=False)
    plan = engine.compile(linearize([computed()._node]).graph()).plan
    graph = plan.lowered.graph
    monkeypatch.setattr(engine, "device", device)
    (draw,) = engine.compile(graph).plan.draws
    chosen = (BlockedSize(draw.shader.contraction.size, blocking),)
    monkeypatch.setattr(engine, "device", device._replace(blockings=chosen))
    assert engine.compile(graph).plan.draws[0].shader.contraction.blocking == blocking
    executor.runtime.plans.clear()
    got = computed().numpy()
    executor.runtime.plans.clear()
    np.testing.assert_allclose(got, np.maximum(x @ y + 1, 0), rtol=2e-5, atol=2e-5)


def test_candidates_begin_with_the_present_blocking():
    device = WorkgroupTarget()
    engine = opened()
    (draw,) = engine.compile(product()).plan.draws
    blocked = draw.shader.contraction
    assert device.blocking(blocked.size) is None
    assert candidates(blocked)[0] == blocked.blocking
    assert len(set(candidates(blocked))) == len(candidates(blocked))


def test_kernels_are_measured_on_a_device(engine, monkeypatch, rng):
    if engine.name != "webgpu":
        pytest.skip("the kernels run on WebGPU")
    monkeypatch.setattr(contract_kernel, "LONG_PRODUCTS", 1000)
    monkeypatch.setattr(engine, "device", engine.device._replace(on_processor=False))
    monkeypatch.setattr(engine, "tuner", Tuner(engine))
    monkeypatch.setattr(tuner, "SECONDS", 0)
    monkeypatch.setattr(tuner, "MOST_DRAWS", 2)
    monkeypatch.setattr(tuner, "MOST_CANDIDATES", 2)
    monkeypatch.setattr(tuner, "LONGEST_SECONDS", 60)
    monkeypatch.setattr(tuner, "ALL_SECONDS", 600)
    x, w, image = (
        pt.asarray(rng.normal(size=shape).astype("float32"))
        for shape in ((36, 24), (24, 20), (1, 8, 8, 16))
    )
    kernel = pt.asarray(rng.normal(size=(3, 3, 16, 36)).astype("float32"))

    def computed(x, w, image, kernel, scale):
        return pt.relu(x @ w * scale), pt.conv2d(image, kernel)

    step = pt.jit(computed)
    wanted = [y.numpy() for y in step(x, w, image, kernel, 0.5)]
    plans = engine.bridge.stats()["plans"]
    got = pt.jit(computed)
    finished(pt.warmup(got, x, w, image, kernel, 0.5))
    assert sorted(size.kind for size in engine.tuner.choices) == ["convolve kn", "dot kn"]
    assert engine.bridge.stats()["plans"] == plans + 1
    for y, other in zip(got(x, w, image, kernel, 0.5), wanted, strict=True):
        np.testing.assert_allclose(y.numpy(), other, rtol=2e-5, atol=2e-5)
