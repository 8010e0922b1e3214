"""Calls of the bridge by the WebGL and WebGPU backends, recorded without a context or device."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import py_tensor as pt
from py_tensor import errors
from py_tensor.compiler.textures import target as texture_target
from py_tensor.compiler.textures.write import write
from py_tensor.runtime import executor
from py_tensor.runtime.backends.webgl import WebGLBackend
from py_tensor.runtime.backends.webgpu import WebGPUBackend
from py_tensor.transforms.jit import precompile


class RecordingBridge:
    """A bridge that draws nothing and notes what it is asked for."""

    def __init__(self, **limits):
        self.known = {
            "maxTextureSize": 8192,
            "maxTextureUnits": 16,
            "maxDrawBuffers": 8,
            "float32Renderable": True,
            "float16Renderable": True,
            "maxBufferSize": 1 << 28,
            "maxStorageBufferBindingSize": 1 << 27,
            "maxStorageBuffersPerShaderStage": 10,
            "isFallbackAdapter": False,
            "languageFeatures": [],
            "machineMemory": None,
            "renderer": "test",
            **limits,
        }
        self.current = 1
        self.uploads = []
        """(format or size, bytes) of each upload."""
        self.freed = []
        self.programs = []
        self.dropped_programs = []
        self.compiled = 0
        """Programs that are ready; each question finds one more."""
        self.plans = {}
        """(leaves, outputs) of each plan."""
        self.dropped = []
        self.read_sizes = []
        self.runs = []
        """(leaf handles, bytes of scalars) of each plan that ran."""

    def limits(self):
        return self.known

    def generation(self):
        return self.current

    def upload(self, handle, *slot_and_data):
        *slot, data = slot_and_data
        self.uploads.append((slot[0], bytes(data)))

    def free(self, handle):
        self.freed.append(handle)

    def program(self, number, name, source):
        self.programs.append(number)

    def drop_program(self, number):
        self.dropped_programs.append(number)

    def ready(self, plan):
        self.compiled += 1
        return self.compiled - 1

    def alloc(self, handle, *slot):
        pass

    def prepare(self, plan):
        pass

    def give_turn(self):
        pass

    def read(self, handle, target):
        self.read_sizes.append(len(target))

    async def read_async(self, handle, target):
        self.read(handle, target)

    def plan(self, number, words):
        self.plans[number] = tuple(words[:2])

    def drop_plan(self, number):
        self.dropped.append(number)

    def run(self, number, words):
        leaves, outputs = self.plans[number]
        count = 1 + leaves + outputs
        generation, *handles = struct.unpack(f"={count}i", words[: 4 * count])
        if generation == self.current:
            self.runs.append((handles[:leaves], words[4 * count :]))
        return self.current

    def stats(self):
        return {"bytesInUse": 0, "bytesFree": 0, "programs": 0, "draws": 0}


def user_of(make_backend, monkeypatch):
    """Return a function that makes a backend on a recording bridge the one in use."""

    def chosen(**limits):
        bridge = RecordingBridge(**limits)
        monkeypatch.setattr(executor.runtime, "backend", make_backend(bridge))
        return bridge

    return chosen


@pytest.fixture(params=[WebGLBackend, WebGPUBackend], ids=["webgl", "webgpu"])
def use(request, monkeypatch):
    return user_of(request.param, monkeypatch)


@pytest.fixture
def use_webgl(monkeypatch):
    return user_of(WebGLBackend, monkeypatch)


def computed():
    x = pt.asarray(np.ones((4, 4), "float32")) * 1.5
    pt.realize(x)
    return x


@pytest.mark.parametrize(
    ("function", "other", "freed"),
    [
        (lambda x: x + 1.0, lambda x: None, True),
        (lambda x: x + 1.0, pt.copy, False),
        (lambda x: x + 1.0, lambda x: x.reshape((16,)), False),
        (lambda x: x + 1.0, lambda x: x * 3.0, False),
        (lambda x: (x + 1.0, x.reshape((16,))), lambda x: None, False),
        (lambda x: (x + 1.0, pt.copy(x)), lambda x: None, False),
    ],
    ids=[
        "no other handle",
        "a copy",
        "a reshaped copy",
        "pending work",
        "returned in another shape",
        "returned",
    ],
)
def test_donated_buffers_are_given_away_if_nothing_else_needs_them(use, function, other, freed):
    bridge = use()
    for donated in ((), (0,)):
        step = pt.jit(function, donate_argnums=donated)
        x = computed()
        kept = other(x)
        if isinstance(kept, pt.Tensor) and kept.shape != x.shape:
            pt.realize(kept)
        step(x)
        ((handle,), _) = bridge.runs[-1]
        assert (handle < 0) == (freed and donated == (0,))
        del x, kept


def test_an_argument_returned_in_another_shape_shares_its_buffer(use):
    use()
    x, y = computed(), computed()
    step = pt.jit(lambda x, y: (x + y, x.reshape((16,)), y.reshape((2, 8))))
    _, first, second = step(x, y)
    assert first._node.buffer is x._node.buffer
    assert second._node.buffer is y._node.buffer


def test_a_restored_context_runs_the_plan_again(use):
    bridge = use()
    x = pt.asarray(np.ones(8, "float32"))
    pt.realize(x * 2.0)
    bridge.current = 2
    pt.realize(x * 3.0)
    assert len(bridge.runs) == 2
    assert [data for _, data in bridge.uploads] == [np.ones(8, "float32").tobytes()] * 2


def test_float32_is_stored_as_float16_where_it_cannot_be_rendered(use_webgl):
    for renderable, forced, format in ((True, False, 0), (True, True, 8), (False, False, 8)):
        bridge = use_webgl(float32Renderable=renderable)
        executor.runtime.backend.store_as_half(forced)
        x = pt.asarray(np.float32([1, 2, 3, 4]))
        pt.realize(x + 1.0)
        assert bridge.uploads == [(format, np.float32([1, 2, 3, 4]).tobytes())]
        n = pt.asarray(np.int32([1, 2, 3, 4]))
        pt.realize(n + 1)
        assert bridge.uploads[1:] == [(2, np.int32([1, 2, 3, 4]).tobytes())]
        del x, n


def test_a_gpu_that_draws_no_floats_is_not_used(use_webgl):
    with pytest.raises(errors.BackendError, match="no textures of floats; got test"):
        use_webgl(float32Renderable=False, float16Renderable=False)


def test_scalars_beyond_float32_become_infinite(use):
    bridge = use()
    x = pt.asarray(np.ones(8, "float32"))
    pt.realize(x * 1e300)
    pt.realize(x * -(10**300))
    # Sizes may follow the scalars.
    assert [scalars[:4] for _, scalars in bridge.runs] == [
        struct.pack("=f", sign * float("inf")) for sign in (1, -1)
    ]


def test_plans_are_dropped_with_their_last_use(use):
    bridge = use()
    step = pt.jit(lambda x: x + 1.0)
    step(computed())
    (made,) = bridge.plans.keys() - {1}
    assert bridge.dropped == []
    del step
    assert bridge.dropped == [made]


@pytest.mark.parametrize(("dtype", "nbytes"), [("float32", 20), ("int8", 5), ("complex64", 40)])
def test_reads_are_as_long_as_the_elements(use, dtype, nbytes):
    bridge = use()
    (pt.asarray(np.ones(5, dtype)) + pt.asarray(np.ones(5, dtype))).tolist()
    assert bridge.read_sizes == [nbytes]


def test_only_values_on_the_host_are_evaluated_there(use, monkeypatch):
    bridge = use()
    monkeypatch.setattr(pt.env, "host_elements", 16)
    assert (pt.asarray([1.0, 2.0]) + 1.0).tolist() == [2.0, 3.0]
    assert bridge.runs == []
    uploaded = pt.asarray([1.0, 2.0])
    drawn = uploaded * 2.0
    pt.realize(drawn)
    for count, x in enumerate((uploaded, drawn), 2):
        (x + 1.0).tolist()
        assert len(bridge.runs) == len(bridge.read_sizes) + 1 == count


def test_plans_share_programs_and_unused_ones_are_dropped(use, monkeypatch):
    bridge = use()
    engine = executor.runtime.backend
    monkeypatch.setattr(engine.programs, "limit", 1)
    x = computed()
    first, second, third = (pt.jit(lambda x, f=f: f(x)) for f in (pt.exp, pt.exp, pt.sin))
    known = len(bridge.programs)
    first(x), second(x), third(x)
    shared, other = bridge.programs[known:]
    del first
    assert engine.programs.unused == {}
    del second
    assert (len(engine.programs.unused), bridge.dropped_programs) == (1, [])
    del third
    assert bridge.dropped_programs == [shared]
    pt.realize(pt.sin(x))
    assert bridge.programs[known:] == [shared, other]


def test_the_driver_compiles_while_shaders_are_written_and_weights_uploaded(use_webgl, monkeypatch):
    bridge = use_webgl()
    x = computed()
    # Rows of 3 numbers are padded in a preparation.
    w, before = pt.asarray(np.ones((4, 3), "float32")), len(bridge.programs)
    counts = []

    def counted(*args):
        counts.append(len(bridge.programs) - before)
        return write(*args)

    monkeypatch.setattr(texture_target, "write", counted)
    monkeypatch.setattr(
        bridge,
        "upload",
        lambda *args: counts.append((len(bridge.programs) - before, len(bridge.runs))) or 0,
    )
    runs = len(bridge.runs)
    pt.realize(*pt.jit(lambda x: (x @ w, pt.softmax(x)))(x))
    *written, uploaded = counts
    assert written == list(range(len(written)))
    assert uploaded == (len(written), runs)
    first, second = list(bridge.plans)[-2:]
    assert [len(leaves) for leaves, _ in bridge.runs[runs:]] == [1, 2]
    assert (bridge.plans[first], bridge.plans[second]) == ((1, 1), (2, 2))


def test_warmup_reports_compiled_programs(use, monkeypatch):
    bridge = use()
    monkeypatch.setattr(precompile, "POLL_SECONDS", 0)
    seen = []
    step = pt.warmup(
        lambda x: pt.softmax(x @ x),
        pt.ShapeDtype((64, 64)),
        progress=lambda done, total: seen.append((done, total)),
    )
    with pytest.raises(StopIteration):
        while True:
            step.send(None)
    total = len(bridge.programs)
    assert seen == [(done, total) for done in range(1, total + 1)]
    assert total > 1
    # The plan ran once, and one of its results was awaited.
    assert len(bridge.runs) == len(bridge.read_sizes) == 1
