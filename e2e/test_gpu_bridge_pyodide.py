"""Test the WebGPU bridge and backend in Pyodide: buffers, waiting and errors."""

from __future__ import annotations

from page_python import WEBGPU, PagePython

pytest_plugins = ["page_fixtures"]
pytestmark = WEBGPU


def round_trips() -> list[str]:
    import random
    from array import array

    from py_tensor.runtime.backends.pyodide_webgpu import load_bridge

    bridge = load_bridge()
    wrong = []
    # Small and large buffers use different code paths.
    for size in (0, 1, 5, 4096, 8192, 1 << 18, (1 << 18) + 3, 1 << 20):
        data = random.randbytes(size)
        kinds = {
            "bytes": data,
            "bytearray": bytearray(data),
            "array": array("B", data),
            "view": memoryview(data),
            "slice": memoryview(b"?" + data)[1:],
            "rows": memoryview(data).cast("B", (2, size // 2)) if size and size % 2 == 0 else data,
        }
        for kind, source in kinds.items():
            bridge.upload(1, size, source)
            target = bytearray(size)
            bridge.read(1, memoryview(target))
            bridge.free(1)
            if target != data:
                wrong.append(f"{kind} {size}")
    wrong += [bridge.error()] if bridge.error() else []
    bridge.destroy()
    return wrong


def test_all_kinds_of_buffers_round_trip(python: PagePython) -> None:
    assert python.call(round_trips) == []


def waits_are_refused() -> list[str]:
    import py_tensor as pt
    from py_tensor.runtime.backends.pyodide_webgpu import load_bridge

    seen = []
    for action in (load_bridge, lambda: pt.ones(5000).tolist()):
        try:
            action()
        except pt.errors.BackendError as error:
            seen.append(str(error))
    return seen


def test_errors_say_how_to_await_if_python_cannot_wait(python: PagePython) -> None:
    python.call(computed)
    opening, reading = python.call_blocking(waits_are_refused)
    assert opening.startswith("webgpu: backend not available: opening a device and reading wait")
    assert opening.endswith('use `await pt.ready("webgpu")` and `await t.data()`')
    assert reading.startswith("webgpu: reading blocks, and Python cannot wait here")
    assert reading.endswith("use `await t.data()`")


async def computed() -> list[object]:
    import py_tensor as pt

    name = await pt.ready()
    x = pt.reshape(pt.arange(6.0), (2, 3))
    y = pt.exp(x) + 1.0
    data = await y.data()
    return [name, pt.env.backend_choice, [float(v) for v in memoryview(data).cast("B").cast("f")]]


def test_the_device_named_in_the_address_computes(python: PagePython) -> None:
    from math import exp

    import pytest

    name, choice, values = python.call(computed)
    assert (name, choice) == ("webgpu", "the page's address names webgpu")
    assert values == pytest.approx([exp(n) + 1 for n in range(6)], rel=1e-5)


def results_of_a_blocking_read() -> list[float]:
    import py_tensor as pt

    return (pt.arange(5000.0) * 2.0)[:5].tolist()


def test_blocking_reads_wait(python: PagePython) -> None:
    assert python.call(results_of_a_blocking_read) == [0, 2, 4, 6, 8]


async def choices() -> list[str]:
    import py_tensor as pt
    from py_tensor.runtime.executor import runtime

    seen = []
    runtime.preferred = None
    for name in (None, "gpu", "webgl", "webgpu"):
        seen.append(await pt.ready(name))
    pt.set_backend("webgpu")
    runtime.preferred = "webgpu"
    return seen


def test_a_software_adapter_is_chosen_only_by_name(python: PagePython) -> None:
    first, gpu, *named = python.call(choices)
    assert first == "wasm"
    assert gpu == "webgpu"
    assert named == ["webgl", "webgpu"]


async def awaited() -> list[object]:
    import asyncio
    from array import array

    from py_tensor.runtime.backends.pyodide_webgpu import open_bridge

    bridge = await open_bridge(blocking=False)
    bridge.upload(1, 12, array("f", [1, 2, 3]))
    bridge.upload(2, 12, array("f", [4, 5, 6]))
    first, second = array("f", bytes(12)), array("f", bytes(12))
    await asyncio.gather(bridge.read_async(1, first), bridge.read_async(2, second))
    result = [first.tolist(), second.tolist(), bridge.stats()["reads"]]
    bridge.destroy()
    return result


def test_two_reads_are_awaited_together(python: PagePython) -> None:
    assert python.call(awaited) == [[1, 2, 3], [4, 5, 6], 2]


def errors() -> list[list[str]]:
    from array import array

    from py_tensor.runtime.backends.pyodide_webgpu import load_bridge

    bridge = load_bridge()
    source = """@group(0) @binding(0) var<storage, read_write> y0: array<f32>;
@compute @workgroup_size(1) fn main() { y0[0] = x; }"""
    bridge.program(1, "wrong", source)
    bridge.plan(1, array("i", [0, 1, 0, 1, 16, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0]))
    seen = []

    def note(action: object, *values: object) -> None:
        try:
            action(*values)
        except Exception as error:
            seen.append([type(error).__name__, str(error).split("\n")[0]])

    note(bridge.prepare, 1)
    note(bridge.run, 1, array("i", [bridge.generation(), 5]).tobytes())
    note(bridge.read, 9, bytearray(4))
    bridge.destroy()
    return seen


def test_errors_are_the_packages_own(python: PagePython) -> None:
    wrong = ["ShaderError", "shader wrong: ERROR: 0:2: unresolved value 'x'"]
    assert python.call(errors) == [wrong, wrong, ["BackendError", "no buffer 9"]]


def pixels() -> list[object]:
    import js

    import py_tensor as pt

    canvas = js.OffscreenCanvas.new(3, 2)
    flat = canvas.getContext("2d")
    flat.fillStyle = "rgb(10, 20, 30)"
    flat.fillRect(0, 0, 2, 2)
    image = pt.from_pixels(canvas, 4)
    return [image.shape, image.device, image.tolist()[1]]


def test_pictures_become_buffers(python: PagePython) -> None:
    python.call(computed)
    row = [[10, 20, 30, 255], [10, 20, 30, 255], [0, 0, 0, 0]]
    assert python.call(pixels) == [[2, 3, 4], "webgpu", row]


async def lost_and_found() -> list[object]:
    import asyncio

    import py_tensor as pt
    from py_tensor.runtime.executor import backend

    await pt.ready()
    x = pt.asarray([float(n) for n in range(40)])
    y = x * 2.0
    pt.realize(y)
    bridge = backend().bridge
    before = bridge.generation()
    bridge.lose_context()
    seen = [bridge.is_lost()]
    try:
        await y.data()
    except pt.errors.BackendError as error:
        seen.append(str(error))
    bridge.restore_context()
    while bridge.is_lost():
        await asyncio.sleep(0.01)
    seen.append(bridge.generation() - before)
    z = x * 3.0
    seen.append((await z.data())[1])
    return seen


def test_a_lost_device_is_replaced(python: PagePython) -> None:
    lost, text, restored, value = python.call(lost_and_found)
    assert (lost, restored, value) == (True, 1, 3.0)
    assert text.startswith("webgpu: WebGPU device lost; got no answer from the GPU")


async def measured() -> list[object]:
    import js

    import py_tensor as pt
    from py_tensor.compiler.workgroups import contract_kernel
    from py_tensor.runtime.backends import tuner
    from py_tensor.runtime.executor import backend

    await pt.ready()
    engine = backend()
    present, seconds, candidates = engine.device, tuner.SECONDS, tuner.MOST_CANDIDATES
    engine.device = present._replace(on_processor=False)
    contract_kernel.LONG_PRODUCTS = 1000
    tuner.SECONDS, tuner.MOST_CANDIDATES = 0, 2
    try:
        x = pt.asarray([[float(m + n) for n in range(24)] for m in range(20)])
        step = await pt.warmup(pt.jit(lambda x, y: x @ y), x, x.T)
        value = step(x, x.T)[1, 2].item()
        choices = tuner.Tuner(engine).choices
        storage = getattr(js, "localStorage", None)
        is_stored = storage is not None and storage.getItem(tuner.NAME) is not None
        return [value, len(engine.tuner.choices), choices == engine.tuner.choices, is_stored]
    finally:
        engine.device = present
        contract_kernel.LONG_PRODUCTS = 200_000_000
        tuner.SECONDS, tuner.MOST_CANDIDATES = seconds, candidates


def test_measured_choices_are_stored_in_the_page(python: PagePython, thread: str) -> None:
    value, choices, is_same, is_stored = python.call(measured)
    assert value == sum((1 + n) * (2 + n) for n in range(24))
    assert choices == 1
    assert is_same == is_stored == (thread == "page")
