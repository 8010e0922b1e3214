"""Run plans of hand-written kernels on the WebAssembly backend in Pyodide, and measure runs.

`wasm_in_node.mjs` loads this module in Pyodide under Node.
"""

from __future__ import annotations

import asyncio
import json
import struct
import sys
from timeit import repeat

from wasm_plans import draw, kernel, plan_of, shader

from py_tensor.dtypes import float32
from py_tensor.errors import BackendError, ShaderError
from py_tensor.runtime.backends.base import Buffer
from py_tensor.runtime.backends.wasm import LoadedPlan, WasmBackend, create

NUMBERS = [float(n) for n in range(16)]
ADD = kernel("add", "f32x4.const:1.0 f32x4.add")
RUNS = 5000


def vector() -> Buffer:
    return Buffer(float32, 16, struct.pack("16f", *NUMBERS))


def chain(count: int) -> list[object]:
    """Return draws that add 1 so many times, through two temporaries."""
    slots = [0, *[2 + n % 2 for n in range(count - 1)], 1]
    return [draw(ADD, (slots[n],), (slots[n + 1],)) for n in range(count)]


def result(backend: WasmBackend, plan: LoadedPlan, leaf: Buffer) -> list[float]:
    [(_, buffer)] = backend.run(plan, [leaf], [])
    values: list[float] = backend.read(buffer).cast("f").tolist()
    return values


def check_memory(backend: WasmBackend, plan: LoadedPlan) -> None:
    """Values stay the same while memory grows, and while reads of them are kept."""
    leaf = vector()
    [(_, first)] = backend.run(plan, [leaf], [])
    read = backend.read(first)
    assert leaf.handle.data is leaf.host, "the bytes of the host were copied"
    address = first.handle.address
    large = [backend.blank(float32, 1 << 22) for _ in range(8)]
    del first
    [(_, second)] = backend.run(plan, [leaf], [])
    assert second.handle.address != address
    expected = [n + 1 for n in NUMBERS]
    assert read.cast("f").tolist() == backend.read(second).cast("f").tolist() == expected
    del large, read, second
    assert backend.statistics()["bytesInUse"] == 0


async def check_background(backend: WasmBackend) -> None:
    """Kernels are compiled in the background, and errors of the compiler are raised."""
    kernels = [kernel(f"add{n}", f"f32x4.const:{n}.5 f32x4.add") for n in range(20)]
    plan = backend.load(plan_of([draw(added, (0,), (1,)) for added in kernels]))
    assert backend.ready(plan) == (0, 20)
    while backend.ready(plan) != (20, 20):
        await asyncio.sleep(0.001)
    assert result(backend, plan, vector())[0] == 19.5
    wrong = shader("wrong", ".func:kernel A:i32 S:i32 ->\nA f32.load")
    plan = backend.load(plan_of([draw(wrong, (0,), (1,))]))
    try:
        for _ in range(1000):
            backend.ready(plan)
            await asyncio.sleep(0.001)
    except ShaderError as error:
        assert "in wrong" in str(error)
    else:
        raise AssertionError("a kernel that is not valid was compiled")
    failing = shader("failing", ".func:kernel A:i32 S:i32 ->\nunreachable")
    plan = backend.load(plan_of([draw(failing, (), (0,))], leaves=0))
    try:
        backend.run(plan, [], [])
    except BackendError as error:
        assert "unreachable" in str(error)
    else:
        raise AssertionError("a kernel that fails raised no error")


def microseconds(backend: WasmBackend, plan: LoadedPlan, leaf: Buffer) -> float:
    return 1e6 * min(repeat(lambda: backend.run(plan, [leaf], []), number=RUNS, repeat=5)) / RUNS


async def main() -> None:
    backend = create()
    one, hundred = (
        backend.load(plan_of(chain(count), temporaries=2))  # type: ignore[arg-type]
        for count in (1, 100)
    )
    leaf = vector()
    assert result(backend, one, leaf) == [n + 1 for n in NUMBERS]
    assert result(backend, hundred, leaf) == [n + 100 for n in NUMBERS]
    check_memory(backend, one)
    await check_background(backend)
    times = {
        "1 kernel": microseconds(backend, one, leaf),
        "100 kernels": microseconds(backend, hundred, leaf),
    }
    print(json.dumps({"microseconds": times, "has_fma": backend.engine.has_fma}))
    sys.stdout.flush()
