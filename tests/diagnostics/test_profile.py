"""`time` and `profile` measure what a function causes, and profiles export Chrome traces."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import assert_values

import py_tensor as pt
from py_tensor import errors
from py_tensor.diagnostics import recorder
from py_tensor.runtime import executor
from py_tensor.runtime.backends.numpy import NumpyBackend
from py_tensor.runtime.executor import runtime

X = np.arange(64, dtype="float32").reshape(8, 8) / 64


def line_of(function, offset):
    return f"test_profile.py:{function.__code__.co_firstlineno + offset}"


@pytest.fixture(autouse=True)
def nothing_installed(engine):
    bridge = getattr(engine, "bridge", None)
    yield
    assert recorder._open == []
    assert runtime.observer is None
    assert getattr(engine, "bridge", None) is bridge


# --- time -----------------------------------------------------------------------------------------


class KernelTimers:
    """Timers of a backend whose kernels take 2 ms each."""

    def __init__(self):
        self.calls = []
        self.taken = []
        self.transfers = None

    def source(self, awaits):
        return "host"

    def measure(self, on, wait):
        self.calls.append((on, wait))

    def times(self):
        taken, self.taken = self.taken, []
        return taken

    async def times_async(self):
        return self.times()

    def finish(self):
        pass

    def peak(self):
        return 1234

    def watch(self, transfers):
        self.transfers = transfers


class TimedBackend(NumpyBackend):
    name = "timed"

    def __init__(self):
        super().__init__()
        self.timers = KernelTimers()

    def compile(self, graph):
        plan = SimpleNamespace(draws=["first", "second"])
        return SimpleNamespace(plan=plan, steps=super().compile(graph))

    def run(self, plan, *rest):
        if self.timers.transfers is not None:
            with self.timers.transfers("upload", 256):
                self.timers.taken += [("first", 2.0), ("second", 2.0)]
        return super().run(plan.steps, *rest)


@pytest.mark.parametrize("awaits", [False, True])
def test_kernels_of_a_backend_with_timers(engine, awaits):
    backend = TimedBackend()
    executor.use(backend)
    x = pt.asarray(X)

    async def later():
        return x * 2.0

    try:
        timing = asyncio.run(pt.time(later)) if awaits else pt.time(lambda: x * 2.0)
        assert_values(timing.result, X * 2)
    finally:
        executor.use(engine)
    assert timing.kernel_ms == 4.0 and timing.upload_ms > 0
    assert backend.timers.transfers is None
    assert backend.timers.calls == [(True, False), (False, False)]


def test_time(engine):
    x = pt.asarray(X)
    timing = pt.time(lambda: pt.sum(x * 2.0).item())
    assert timing.result == (X * 2).sum()
    assert 0 < timing.upload_ms + timing.download_ms < timing.wall_ms or engine.timers is None
    assert timing.kernel_ms is None or 0 < timing.kernel_ms < timing.wall_ms
    # Without a timer, `time` does not wait for each draw.
    timed = engine.timers is None or engine.timers.source(False) != "wait"
    assert (timing.kernel_ms is not None) == timed


def test_pending_work_is_computed_within_the_time():
    x = pt.asarray(X)
    timing = pt.time(lambda: x + 1.0)
    assert "nothing pending" in pt.explain(timing.result)
    assert_values(timing.result, X + 1)


def test_time_of_an_asynchronous_function():
    x = pt.asarray(X)

    async def double():
        return (await (x * 2.0).data()).tolist()

    async def main():
        return await pt.time(double), await pt.time(lambda: double())

    for timing in asyncio.run(main()):
        assert timing.result == (X * 2).tolist()
        assert timing.wall_ms > 0


@pytest.mark.parametrize("measure", [pt.time, pt.profile])
def test_errors_of_the_function_are_raised(measure):
    async def fail_later():
        raise ValueError("later")

    async def main():
        await measure(fail_later)

    with pytest.raises(ZeroDivisionError):
        measure(lambda: 1 // 0)
    with pytest.raises(ValueError, match="later"):
        asyncio.run(main())
    with pytest.raises(errors.ArgumentError, match="function"):
        measure(3)


def test_timing_prints_as_a_table():
    timing = pt.time(lambda: pt.ones(3))
    assert [line.split("  ")[0] for line in str(timing).splitlines()] == [
        *("measured", "wall time", "kernels", "uploads", "downloads"),
    ]
    assert timing._repr_html_().startswith("<table><tr><th>measured</th>")


# --- profile --------------------------------------------------------------------------------------


def work(x):
    y = pt.relu(x * 2.0 - 1.0)
    weights = pt.softmax(y, axis=-1)
    return pt.sum(weights @ x, axis=0)


def test_kernels_have_lines_operations_and_shapes(engine):
    x = pt.asarray(X)
    profile = pt.profile(lambda: work(x))
    assert_values(profile.result, work(x).numpy(), rtol=1e-6)
    assert len(profile.plans) == 1
    last = profile.kernels[-1]
    assert last.line == line_of(work, 3)
    assert (last.output_shape[-1:], last.dtype, last.nbytes) == ((8,), "float32", 32)
    operations = [name for kernel in profile.kernels for name in kernel.operations]
    assert {"multiply", "subtract", "relu", "exp", "sum"} <= set(operations)
    assert all(kernel.ms is not None and kernel.ms >= 0 for kernel in profile.kernels)
    assert profile.kernel_ms == pytest.approx(sum(k.ms for k in profile.kernels))
    starts = [kernel.start_ms for kernel in profile.kernels]
    assert starts == sorted(starts) and starts[0] >= 0
    if engine.timers is None:
        assert len(profile.kernels) == 1 and profile.timer == "host"
        return
    assert profile.timer == engine.timers.source(False)
    before = engine.statistics()["draws"]
    again = pt.profile(lambda: work(x))
    assert len(again.kernels) == engine.statistics()["draws"] - before > 2
    lines = {kernel.line for kernel in profile.kernels}
    assert lines == {line_of(work, 2), line_of(work, 3)}
    product = next(k for k in profile.kernels if "dot" in k.operations)
    assert (8, 8) in product.input_shapes and product.nbytes_read >= 2 * 256
    maximum = next(k for k in profile.kernels if "max" in k.operations)
    # The line of softmax, whose largest element is the kernel's result.
    assert maximum.line == line_of(work, 2)


def test_memory_of_a_profile(engine):
    x = pt.asarray(X)
    pt.realize(x + 1.0)
    profile = pt.profile(lambda: [x * 2.0, (x + 1.0).sum()])
    assert (profile.new_tensors, profile.new_bytes) == (2, 260)
    now = pt.memory()
    least = now.num_bytes if engine.timers is None else now.num_bytes_in_gpu
    assert profile.peak_bytes >= least
    # Temporaries count: the product is stored while the sum is computed.
    large = pt.asarray(np.ones((128, 128), "float32"))
    larger = pt.profile(lambda: pt.sum(large @ large).item())
    assert larger.peak_bytes >= 128 * 128 * 4 * (1 if engine.timers is None else 2)
    assert larger.new_tensors == 0


def test_transfers(engine):
    x = pt.asarray(X)
    profile = pt.profile(lambda: (x + 1.0).tolist())
    moved = [(kind, nbytes) for _, _, kind, nbytes, _ in profile.transfers]
    assert moved == ([] if engine.timers is None else [("upload", 256), ("download", 256)])
    line = line_of(test_transfers, 2)
    assert all(each[4] == line for each in profile.transfers)


def test_work_from_before_is_marked_or_done():
    pending = pt.asarray(X) * 3.0
    profile = pt.profile(lambda: pending + 1.0)
    assert [kernel.operations for kernel in profile.kernels] == [("add",)]


def test_jitted_functions_have_the_line_of_the_call():
    step = pt.jit(lambda x: pt.exp(x) * 2.0)
    x = pt.asarray(X)
    pt.realize(step(x))
    profile = pt.profile(lambda: step(x))
    (kernel,) = profile.kernels
    assert kernel.line == line_of(test_jitted_functions_have_the_line_of_the_call, 4)
    assert kernel.operations == ("exp", "multiply")


def test_loops_have_a_kernel_for_each_iteration(engine):
    x = pt.asarray(X)

    def loop():
        return pt.lax.fori_loop(0, 5, lambda i, c: pt.sin(c) @ x, x)

    profile = pt.profile(loop)
    assert_values(profile.result, loop().numpy(), rtol=1e-5)
    if engine.timers is None:
        return
    products = [kernel for kernel in profile.kernels if "dot" in kernel.operations]
    assert len(products) == 5
    assert len({kernel._replace(start_ms=0, ms=0, name="") for kernel in products}) == 1


def test_profile_of_an_asynchronous_function(engine):
    x = pt.asarray(X)

    async def double():
        y = x * 2.0
        await asyncio.sleep(0)
        return (await y.data()).tolist()

    async def main():
        return await pt.profile(double)

    profile = asyncio.run(main())
    assert profile.result == (X * 2).tolist()
    assert [k.operations for k in profile.kernels] == [("multiply",)]
    assert profile.kernels[0].ms is not None


def test_kernels_have_their_shaders(engine):
    x = pt.asarray(X)
    profile = pt.profile(lambda: x * 2.0)
    shader = profile.kernels[0].shader
    assert ("void main" in shader) == (pt.get_backend() == "webgl")
    assert bool(shader) == (pt.get_backend() in ("webgl", "webgpu", "wasm"))
    assert "shader" not in profile.trace()["traceEvents"][-1]["args"]


def test_profiles_nest_and_overlap(engine):
    x = pt.asarray(X)

    def outer():
        y = x + 1.0
        inner = pt.profile(lambda: y * 2.0)
        return inner, pt.exp(y)

    profile = pt.profile(outer)
    inner = profile.result[0]
    assert [k.operations for k in inner.kernels] == [("multiply",)]
    assert [k.operations for k in profile.kernels] == [("add",), ("multiply",), ("exp",)]
    assert all(k.ms is not None for k in (*inner.kernels, *profile.kernels))
    assert profile.peak_bytes >= inner.peak_bytes

    async def first(event):
        y = x * 3.0
        pt.realize(y)
        event.set()
        await asyncio.sleep(0)
        return await y.data()

    async def both():
        event = asyncio.Event()
        task = asyncio.ensure_future(pt.profile(lambda: first(event)))
        await event.wait()
        second = await pt.profile(lambda: first(asyncio.Event()))
        return await task, second

    one, two = asyncio.run(both())
    assert ("multiply",) in [k.operations for k in one.kernels]
    assert [k.operations for k in two.kernels] == [("multiply",)]


def test_debug_mode_within_a_profile():
    x = pt.asarray(X)

    def debugged():
        with pt.enable_debug_mode():
            return pt.exp(x) * 2.0

    profile = pt.profile(debugged)
    assert [k.operations for k in profile.kernels] == [("exp",), ("multiply",)]
    assert all(k.ms is not None for k in profile.kernels)


def test_profile_prints_kernels_by_line(engine):
    x = pt.asarray(X)
    profile = pt.profile(lambda: [pt.exp(x + float(i)) for i in range(3)])
    text = str(profile)
    line = line_of(test_profile_prints_kernels_by_line, 2)
    assert line in text and "8x8 -> 8x8" in text and "exp" in text
    assert f"<td>{line}</td>" in profile._repr_html_()
    row = next(each for each in text.splitlines() if line in each)
    assert row.split("ms")[1].split()[0] == ("1" if engine.timers is None else "3")
    assert row.endswith("768 B" if engine.timers is None else "256 B")


def test_a_long_profile_is_abbreviated(engine):
    xs = [pt.ones((2, n)) for n in range(1, 41)]

    def each():
        for x in xs:
            pt.realize(x + 1.0)

    text = str(pt.profile(each))
    assert "and 10 more kernels" in text
    assert text.count("2x") < 80


# --- Chrome traces --------------------------------------------------------------------------------


def check_trace(trace):
    """Check the Trace Event Format: JSON object form, metadata and complete events, nesting."""
    trace = json.loads(json.dumps(trace))
    assert set(trace) == {"traceEvents", "displayTimeUnit"}
    assert trace["displayTimeUnit"] in ("ms", "ns")
    tracks = {}
    for event in trace["traceEvents"]:
        assert {"ph", "pid", "tid", "ts", "name", "args"} <= set(event)
        assert isinstance(event["pid"], int) and isinstance(event["tid"], int)
        assert isinstance(event["name"], str) and event["name"]
        assert isinstance(event["args"], dict)
        if event["ph"] == "M":
            assert event["name"] in ("process_name", "thread_name")
            assert isinstance(event["args"]["name"], str)
            continue
        assert event["ph"] == "X"
        assert event["ts"] >= 0 and event["dur"] >= 0
        tracks.setdefault(event["tid"], []).append(event)
    names = {e["tid"] for e in trace["traceEvents"] if e["name"] == "thread_name"}
    assert tracks.keys() <= names
    for events in tracks.values():
        # Events of a track are nested or separate; times are rounded to nanoseconds.
        ends = []
        for event in sorted(events, key=lambda e: (e["ts"], -e["dur"])):
            while ends and ends[-1] <= event["ts"] + 0.002:
                ends.pop()
            assert all(event["ts"] + event["dur"] <= end + 0.002 for end in ends)
            ends.append(event["ts"] + event["dur"])
    return tracks


def test_trace_is_a_valid_chrome_trace(engine, tmp_path):
    x = pt.asarray(X)
    profile = pt.profile(lambda: [work(x).tolist(), pt.exp(x).tolist()])
    tracks = check_trace(profile.trace())
    assert len(tracks[0]) == 1
    assert len(tracks.get(1, [])) == (0 if engine.timers is None else 3)
    assert len(tracks[2]) == 2
    assert [e["name"] for e in tracks[3]] == [kernel.name for kernel in profile.kernels]
    assert tracks[3][-1]["args"]["operations"] == ["exp"]
    # The format counts microseconds.
    assert tracks[0][0]["dur"] == pytest.approx(1e3 * profile.wall_ms, abs=1e-3)
    for event, kernel in zip(tracks[3], profile.kernels, strict=True):
        assert event["ts"] == pytest.approx(1e3 * kernel.start_ms, abs=1e-3)
        assert event["dur"] == pytest.approx(1e3 * kernel.ms, abs=1e-3)
    path = tmp_path / "trace.json"
    profile.save_trace(path)
    assert json.loads(path.read_text()) == json.loads(json.dumps(profile.trace()))
    with pytest.raises(TypeError, match="path"):
        profile.save_trace(3)


@pytest.mark.parametrize(
    "change",
    [{"ph": "Y"}, {"ts": -1.0}, {"dur": None}, {"name": ""}, {"tid": "kernels"}],
    ids=str,
)
def test_wrong_traces_are_found(change):
    x = pt.asarray(X)
    trace = pt.profile(lambda: [(x + 1.0).tolist(), (x * 2.0).tolist()]).trace()
    check_trace(trace)
    kernels = [e for e in trace["traceEvents"] if e["ph"] == "X" and e["tid"] == 3]
    first, second = kernels
    if "dur" in change:
        # The first kernel ends in the middle of the second one; a browser's clock may be too coarse
        # to tell their own times apart.
        second.update(ts=first["ts"] + 1000.0, dur=1000.0)
        change = {"dur": 1500.0}
    first.update(change)
    with pytest.raises(AssertionError):
        check_trace(trace)
