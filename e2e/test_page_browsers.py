"""Test browsers without JSPI, without renderable float32 textures, or without WebGL2."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from page_python import PagePython
from playwright.sync_api import Browser, Page
from watched_page import watched_page

pytest_plugins = ["page_fixtures"]


async def both_ways() -> list[Any]:
    from pyodide.ffi import can_run_sync

    import py_tensor as pt

    x = pt.arange(70_000, dtype="float32") * 2.0
    waited = await x.data()
    return [can_run_sync(), x[-1].item(), waited == memoryview(x)]


def test_blocking_without_promise_integration(page: Page, pages_url: str) -> None:
    python = PagePython(page, pages_url, "page", "no_promises")
    assert python.call(both_ways) == [False, 139_998, True]


def with_half_floats() -> dict[str, Any]:
    import warnings

    import py_tensor as pt

    pt.env.host_elements = 0  # nothing is stored as float16 on the host
    x = pt.asarray([[1.5, -2.25], [0.1, 60_000.0]])
    w = pt.asarray([[2.0, 0.0], [0.0, 0.5]])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        large = (pt.asarray([1e6, 1e-9, 1.0]) * 1.0).tolist()
    whole = pt.arange(12, dtype="int32").reshape((3, 4)) * 100_000
    return {
        "float32": pt.env.float32_rendering,
        "stored as float16": pt.env.float16_storage,
        "dtype": (x @ w).dtype.name,
        "product": (x @ w).tolist(),
        "softmax": pt.softmax(pt.asarray([0.0, 0.0, 0.0, 0.0])).tolist(),
        "sum": pt.sum(pt.ones(1000)).item(),
        "large": large,
        "warned": [str(warning.message) for warning in caught],
        "integers": whole.tolist()[2],
        "view": [memoryview(x + 0.0).format, (x + 0.0).nbytes],
        "many": (pt.arange(9000, dtype="float32") / 10.0).tolist()[-1],
        "uploaded": (pt.asarray([0.1] * 100_000) * 1.0).tolist()[-1],
    }


def test_float32_stored_as_float16(page: Page, pages_url: str) -> None:
    seen = PagePython(page, pages_url, "page", "half_floats", backend="webgl").call(
        with_half_floats
    )
    assert (seen["float32"], seen["stored as float16"]) == (False, True)
    assert seen["dtype"] == "float32"
    assert seen["product"][0] == [3, -1.125]
    assert seen["product"][1] == pytest.approx([0.2, 30_000], rel=1e-3)
    assert seen["softmax"] == [0.25] * 4
    assert seen["sum"] == 1000
    assert seen["large"] == [math.inf, 0, 1]
    assert seen["warned"] == [
        "upload: float32 is stored as float16 here, so numbers beyond 65504 become infinite and "
        "numbers below 3e-8 become zero; scale them"
    ]
    assert seen["integers"] == [800_000, 900_000, 1_000_000, 1_100_000]
    assert seen["view"] == ["f", 16]
    assert seen["many"] == pytest.approx(899.9, rel=1e-3)
    assert seen["uploaded"] == 0.0999755859375


def with_numpy_installed() -> dict[str, Any]:
    import importlib
    import site
    import sys
    import warnings
    from pathlib import Path

    # Stands in for NumPy, whose wheel for Pyodide is on no registry. Only its presence counts here.
    Path(site.getsitepackages()[0], "numpy.py").write_text("__version__ = '0'\n")
    importlib.invalidate_caches()

    import py_tensor as pt

    def missing() -> None:
        raise pt.errors.BackendError("wasm: not here")

    pt.register_backend("wasm", missing)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loaded = "numpy" in sys.modules
        seen = {"before": loaded, "backend": pt.get_backend(), "choice": pt.env.backend_choice}
        pt.zeros(3)
        pt.set_backend("webgl")
        seen["sum"] = pt.sum(pt.arange(100)).item()
        seen["forced"] = [pt.get_backend(), pt.env.backend_choice]
        pt.set_backend("numpy")
        from js import document

        canvas = document.createElement("canvas")
        canvas.width = canvas.height = 2
        canvas.getContext("2d").fillRect(0, 0, 1, 1)
        pixels = pt.from_pixels(canvas, 4)
        pt.draw(pixels, canvas)
        seen["pixels"] = [pixels.device, bytes(pixels)[3::4].hex()]
        del pixels, canvas
    seen["warned"] = [str(warning.message) for warning in caught]
    return seen


def test_numpy_is_preferred_to_swiftshader(page: Page, pages_url: str) -> None:
    seen = PagePython(page, pages_url, "page").call(with_numpy_installed)
    (warned,) = seen.pop("warned")
    choice = seen.pop("choice")
    assert warned.startswith("set_backend: NumPy computes all tensors, because WebGL2 draws on the")
    assert "SwiftShader" in warned
    assert choice.startswith("numpy is the fastest backend here (webgpu: it computes on the proc")
    assert seen == {
        "before": False,
        "backend": "numpy",
        "sum": 4950,
        "forced": ["webgl", "set by pt.set_backend"],
        "pixels": ["numpy", "ff000000"],
    }


async def in_plain_python() -> dict[str, Any]:
    import sys
    import warnings

    import py_tensor as pt

    def missing() -> None:
        raise pt.errors.BackendError("wasm: not here")

    pt.register_backend("wasm", missing)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        before = pt.memory()
        x = pt.asarray([[4.0, 1.0], [1.0, 3.0]])
        squared = pt.jit(lambda x: (x @ x).sum())
        model = pt.nn.Dense(2, 1)
        rates = pt.optim.sgd(0.02)
        state = rates.init(model)
        losses = []
        for _ in range(20):
            loss, slope = pt.value_and_grad(lambda m: pt.mean((m(x) - 1.0) ** 2))(state.params)
            losses.append(loss.item())
            state = rates.update(state, slope)
        seen = {
            "numpy": "numpy" in sys.modules,
            "backend": pt.get_backend(),
            "waited": (await (x + 0.5).data()).tolist(),
            "jit": squared(x).item(),
            "gradient": pt.grad(squared)(x).tolist(),
            "solution": pt.linalg.solve(x, pt.asarray([1.0, 2.0])).tolist(),
            "complex": pt.abs(pt.fft.fft(x)).tolist(),
            "order": pt.argsort(x.reshape((-1,)), stable=True).tolist(),
            "random": pt.random.uniform((2,), key=pt.random.key(1)).tolist(),
            "learned": losses[-1] < losses[0],
            "shown": repr(x[0]),
        }
        kept = x + 1.0
        pt.realize(kept)
        del model, state, slope, loss
        memory = pt.memory()
        seen["memory"] = [memory.num_tensors - before.num_tensors, memory.num_bytes_in_gpu]
        try:
            pt.set_backend("webgl")
        except pt.errors.BackendError as error:
            seen["error"] = str(error)
    seen["warned"] = [str(warning.message) for warning in caught]
    return seen


NO_WEBGL = ("--disable-gpu", "--disable-software-rasterizer")
"""Flags that leave no renderer; `--disable-webgl2` leaves WebGL2 to canvases in no document."""


@pytest.mark.parametrize("thread", ["page", "worker"])
def test_plain_python_without_webgl2(
    launch_chromium: Callable[..., Browser], pages_url: str, thread: str
) -> None:
    browser = launch_chromium(*NO_WEBGL)
    try:
        with watched_page(browser) as page:
            seen = PagePython(page, pages_url, thread).call(in_plain_python)
    finally:
        browser.close()
    no_device = (
        "webgpu: backend not available: this page gets no WebGPU adapter; the browser lacks "
        "WebGPU, has it turned off or blocks this GPU, or the page is not served by https or "
        "localhost"
    )
    no_context = (
        "webgl: backend not available: this page gets no WebGL2 context; the browser lacks it, "
        "has it turned off, or has too many contexts open"
    )
    assert seen.pop("warned") == [
        f"set_backend: plain Python computes all tensors, which is slow; got: {no_device} | "
        f"{no_context} | wasm: "
        'not here | set_backend: numpy is not installed; got "numpy"; install NumPy; use a browser '
        "with WebGL2 and turn its hardware acceleration on (https://get.webgl.org/webgl2 shows "
        "whether it works), or install NumPy"
    ]
    assert seen.pop("random") == pytest.approx([0.43863249, 0.53375292], abs=1e-6)
    assert seen.pop("solution") == pytest.approx([1 / 11, 7 / 11], rel=1e-5)
    assert seen == {
        "numpy": False,
        "backend": "python",
        "waited": [[4.5, 1.5], [1.5, 3.5]],
        "jit": 41.0,
        "gradient": [[10.0, 9.0], [9.0, 8.0]],
        "complex": [[5.0, 3.0], [4.0, 2.0]],
        "order": [1, 2, 3, 0],
        "learned": True,
        "shown": "tensor([4., 1.], shape=(2,), dtype=float32, backend=python)",
        "memory": [2, 0],
        "error": no_context,
    }
