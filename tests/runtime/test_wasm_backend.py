"""The WebAssembly backend runs plans of hand-written kernels."""

from __future__ import annotations

import asyncio
import gc
import struct
from array import array

import pytest
from wasm_plans import SCALAR, draw, kernel, plan_of, shader
from wasmtime_engine import WasmtimeEngine

from py_tensor.compiler.buffers.target import BufferSlot
from py_tensor.dtypes import float32
from py_tensor.errors import (
    BackendError,
    OutOfMemoryError,
    ShaderError,
    SizeError,
)
from py_tensor.runtime.backends.base import Buffer
from py_tensor.runtime.backends.wasm import WasmBackend

pytestmark = pytest.mark.host

DOUBLE = kernel("double", "f32x4.const:2.0 f32x4.mul")
SCALE = kernel("scale", f"{SCALAR} f32x4.mul")
NUMBERS = [float(n) for n in range(16)]


@pytest.fixture
def backend():
    return WasmBackend(WasmtimeEngine())


def vector(numbers=NUMBERS):
    return Buffer(float32, len(numbers), struct.pack(f"{len(numbers)}f", *numbers))


def numbers_in(backend, buffer):
    return backend.read(buffer).cast("f").tolist()


def results(backend, plan, leaves, scalars=(), donated=()):
    return [buffer for _, buffer in backend.run(plan, leaves, scalars, donated)]


def test_draws_run_in_order_through_a_temporary(backend):
    draws = [draw(DOUBLE, (0,), (2,)), draw(SCALE, (2,), (1,), ((0,), (), ()))]
    plan = backend.load(plan_of(draws, temporaries=1, scalars=1))
    for factor in (3.0, 5):
        [result] = results(backend, plan, [vector()], [factor])
        assert numbers_in(backend, result) == [2 * factor * n for n in NUMBERS]
    assert backend.statistics()["draws"] == 4


def test_scalars_beyond_float32_are_infinite(backend):
    plan = backend.load(plan_of([draw(SCALE, (0,), (1,), ((0,), (), ()))], scalars=1))
    [result] = results(backend, plan, [vector()], [1e300])
    assert numbers_in(backend, result)[1:] == [float("inf")] * 15


def test_implicit_uniforms_follow_the_scalars(backend):
    scaled = draw(SCALE, (0,), (1,), ((1,), (), ()))
    plan = backend.load(plan_of([scaled], scalars=1, implicit=(0.25, 7)))
    [result] = results(backend, plan, [vector()], [9.0])
    assert numbers_in(backend, result) == [n / 4 for n in NUMBERS]


def test_scratch_memory_is_apart_from_temporaries(backend):
    through = "S A i32.load:8 i32.add i32.load f32x4.const:8.0 v128.store "
    through += "S A i32.load:8 i32.add i32.load v128.load f32x4.add"
    draws = [
        draw(DOUBLE, (0,), (2,)),
        draw(kernel("scratch", through)._replace(scratch=16), (0,), (3,)),
        draw(DOUBLE, (2,), (1,)),
    ]
    plan = backend.load(plan_of(draws, temporaries=2))
    [result] = results(backend, plan, [vector()])
    assert numbers_in(backend, result) == [4 * n for n in NUMBERS]


def test_plans_share_one_workspace(backend):
    plans = [
        backend.load(
            plan_of([draw(DOUBLE, (0,), (2,)), draw(DOUBLE, (2,), (1,))], temporaries=count)
        )
        for count in (1, 40, 1)
    ]
    for plan in (*plans, *plans):
        [result] = results(backend, plan, [vector()])
        assert numbers_in(backend, result) == [4 * n for n in NUMBERS]
    assert plans[0].workspace is plans[1].workspace
    del result
    assert backend.statistics()["bytesInUse"] == 0
    assert backend.statistics()["bytesFree"] >= 40 * 64
    backend.trim()
    assert backend.statistics()["bytesFree"] == 0
    backend.configure("pool_limit", 0)
    results(backend, plans[1], [vector()])
    assert backend.workspace is None


def test_memory_grows_between_and_during_runs(backend):
    plan = backend.load(plan_of([draw(DOUBLE, (0,), (1,))]))
    [first] = results(backend, plan, [vector()])
    large = [backend.blank(float32, 1 << 20) for _ in range(8)]
    [second] = results(backend, plan, [first])
    assert numbers_in(backend, first) == [2 * n for n in NUMBERS]
    assert numbers_in(backend, second) == [4 * n for n in NUMBERS]
    assert backend.statistics()["bytesInUse"] >= len(large) << 22


def test_exhausted_memory_loses_nothing(backend):
    plan = backend.load(plan_of([draw(DOUBLE, (0,), (1,))]))
    [first] = results(backend, plan, [vector()])
    before = backend.in_use()
    backend.engine.memory.largest = 1 << 20
    with pytest.raises(OutOfMemoryError):
        backend.blank(float32, 1 << 20)
    assert backend.in_use() == before
    [second] = results(backend, plan, [first])
    assert numbers_in(backend, second) == [4 * n for n in NUMBERS]
    many = plan_of([draw(DOUBLE, (0,), (n,)) for n in (1, 2, 3)], outputs=3)._replace(
        outputs=tuple(map(BufferSlot, (64, 64, 1 << 20)))
    )
    loaded, in_use = backend.load(many), backend.statistics()["bytesInUse"]
    with pytest.raises(OutOfMemoryError):
        backend.run(loaded, [first], [], [0])
    assert backend.statistics()["bytesInUse"] == in_use
    assert numbers_in(backend, first) == [2 * n for n in NUMBERS]


def test_a_donated_leaf_becomes_an_output_after_its_last_read(backend):
    draws = [draw(DOUBLE, (0,), (2,)), draw(DOUBLE, (2,), (1,))]
    plan = backend.load(plan_of(draws, temporaries=1))
    [first] = results(backend, plan, [vector()])
    address = first.handle.address
    [second] = results(backend, plan, [first], donated=[0])
    assert second.handle.address == address
    assert numbers_in(backend, second) == [16 * n for n in NUMBERS]
    with pytest.raises(BackendError, match="donated"):
        backend.read(first)
    del first, second
    assert backend.statistics()["bytesInUse"] == 0


def test_a_donated_leaf_that_is_read_later_or_returned_is_kept(backend):
    direct = backend.load(plan_of([draw(DOUBLE, (0,), (1,))]))
    kept = backend.load(
        plan_of(
            [draw(DOUBLE, (0,), (2,)), draw(DOUBLE, (2,), (1,))], temporaries=1, kept_leaves=(0,)
        )
    )
    [first] = results(backend, direct, [vector()])
    [second] = results(backend, direct, [first], donated=[0])
    [third, same] = results(backend, kept, [first], donated=[0])
    assert same is first
    assert numbers_in(backend, first) == [2 * n for n in NUMBERS]
    assert numbers_in(backend, second) == [4 * n for n in NUMBERS]
    assert numbers_in(backend, third) == [8 * n for n in NUMBERS]


def test_values_of_the_user_are_not_changed(backend):
    own = array("f", NUMBERS)
    draws = [draw(DOUBLE, (0,), (2,)), draw(DOUBLE, (2,), (1,))]
    plan = backend.load(plan_of(draws, temporaries=1))
    leaf = Buffer(float32, 16, memoryview(own))
    results(backend, plan, [leaf], donated=[0])
    assert own.tolist() == NUMBERS


def test_equal_kernels_are_compiled_once_and_numbers_are_used_again(backend):
    compiled = backend.engine.compiled
    before = len(compiled)
    backend.configure("program_limit", 0)
    first, second = (backend.load(plan_of([draw(DOUBLE, (0,), (1,))])) for _ in range(2))
    for plan in (first, second):
        results(backend, plan, [vector()])
    assert compiled[before:] == ["double"]
    assert backend.statistics()["programs"] == 1
    numbers = first.numbers
    del first, second, plan
    gc.collect()
    assert backend.statistics()["programs"] == 0
    third = backend.load(plan_of([draw(SCALE, (0,), (1,), ((0,), (), ()))], scalars=1))
    assert third.numbers == numbers
    [result] = results(backend, third, [vector()], [3.0])
    assert numbers_in(backend, result) == [3 * n for n in NUMBERS]


def test_the_table_grows(backend):
    kernels = [kernel(f"k{n}", f"f32x4.const:{n}.0 f32x4.add") for n in range(600)]
    draws = [draw(added, (n > 0,), (1,)) for n, added in enumerate(kernels)]
    plan = backend.load(plan_of(draws))
    [result] = results(backend, plan, [vector()])
    assert numbers_in(backend, result)[0] == sum(range(600))


def test_kernels_are_compiled_in_the_background(backend):
    plan = backend.load(plan_of([draw(DOUBLE, (0,), (1,))]))
    pending = []
    compile_now = backend.engine.compile_async
    backend.engine.compile_async = lambda *arguments: pending.append(arguments)
    assert backend.ready(plan) == (0, 1)
    assert backend.ready(plan) == (0, 1)
    assert len(pending) == 1
    compile_now(*pending[0])
    assert backend.ready(plan) == (1, 1)
    [result] = results(backend, plan, [vector()])
    assert backend.engine.compiled[-1] == "kernel"
    assert numbers_in(backend, result) == [2 * n for n in NUMBERS]


def test_a_first_run_does_not_wait_for_the_background(backend):
    plan = backend.load(plan_of([draw(DOUBLE, (0,), (1,))]))
    pending = []
    compile_now = backend.engine.compile_async
    backend.engine.compile_async = lambda *arguments: pending.append(arguments)
    backend.ready(plan)
    results(backend, plan, [vector()])
    assert backend.ready(plan) == (1, 1)
    compile_now(*pending[0])
    [result] = results(backend, plan, [vector()])
    assert numbers_in(backend, result) == [2 * n for n in NUMBERS]


def test_a_kernel_that_is_not_valid_raises(backend):
    wrong = shader("wrong", ".func:kernel A:i32 S:i32 ->\nA f32.load")
    plan = backend.load(plan_of([draw(wrong, (0,), (1,))]))
    with pytest.raises(ShaderError, match="in wrong"):
        results(backend, plan, [vector()])
    with pytest.raises(ShaderError, match="in wrong"):
        for _ in range(2):
            backend.ready(plan)


def test_a_kernel_that_fails_raises_and_frees_its_results(backend):
    wrong = shader("wrong", ".func:kernel A:i32 S:i32 ->\nunreachable")
    plan = backend.load(plan_of([draw(wrong, (), (0,))], leaves=0))
    with pytest.raises(BackendError, match=r"(?s)realize: a kernel failed; got .*unreachable"):
        results(backend, plan, [])
    assert backend.in_use() == 0


def test_each_draw_is_timed(backend):
    draws = [draw(DOUBLE, (0,), (2,)), draw(SCALE, (2,), (1,), ((0,), (), ()))]
    plan = backend.load(plan_of(draws, temporaries=1, scalars=1))
    backend.timers.measure(True, False)
    [result] = results(backend, plan, [vector()], [3.0])
    assert [name for name, _ in backend.timers.times()] == ["double", "scale"]
    assert backend.timers.times() == []
    assert backend.timers.peak() >= 128
    assert numbers_in(backend, result) == [6 * n for n in NUMBERS]


def test_reads_without_blocking(backend):
    plan = backend.load(plan_of([draw(DOUBLE, (0,), (1,))]))
    [result] = results(backend, plan, [vector()])
    assert asyncio.run(backend.read_async(result)).cast("f").tolist() == [2 * n for n in NUMBERS]
    assert backend.read(backend.blank(float32, 0)).nbytes == 0


def test_memory_above_the_limit_is_warned_of(backend):
    backend.configure("memory_limit", 1 << 20)
    assert backend.fact("memory_limit") == 1 << 20
    assert backend.fact("webgl_version") is None
    with pytest.warns(UserWarning, match="memory: more memory is in use than a quarter of pt.env"):
        buffer = backend.blank(float32, 1 << 17)
    assert buffer.size == 1 << 17
    with pytest.raises(OutOfMemoryError, match=r"memory: more memory is needed than pt\.env\."):
        backend.blank(float32, 1 << 18)
    backend.configure("memory_limit", 1 << 30)


def test_too_large_tensors_are_refused(backend):
    backend.check_size("ones", (1 << 28,), float32)
    with pytest.raises(SizeError, match="ones: tensor is too large for WebAssembly"):
        backend.check_size("ones", (1 << 29,), float32)


def test_gaps_of_memory_are_joined(backend):
    memory = backend.engine.memory
    blocks = [memory.allocate(nbytes) for nbytes in (100, 200, 300, 64, 80)]
    for at in (0, 2, 1):
        memory.free(blocks[at])
    joined = memory.allocate(624)
    assert joined.address == blocks[0].address
    for block in (joined, blocks[4], blocks[3]):
        memory.free(block)
    assert memory.allocate(5000).address == joined.address
