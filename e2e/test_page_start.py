"""Test that loading the wheel is enough to use the library in a page."""

from __future__ import annotations

import contextlib
import tomllib
from pathlib import Path
from typing import Any

import pytest
from page_python import PagePython
from playwright.sync_api import Browser, Error, Page, Route
from watched_page import SharedPage

pytest_plugins = ["page_fixtures"]

ROOT = Path(__file__).parent.parent
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
WHEEL = f"py_tensor-{VERSION}-py3-none-any.whl"
NO_EVAL = "script-src 'self' 'wasm-unsafe-eval'"


def first_steps() -> dict[str, Any]:
    import sys

    import py_tensor as pt

    x = pt.asarray([[1.0, 2.0], [3.0, 4.0]])
    return {
        "values": (x @ x + 1).tolist(),
        "backend": pt.get_backend(),
        "version": pt.__version__,
        "numpy": "numpy" in sys.modules,
        "shown": repr(x),
    }


def test_import_sets_itself_up(python: PagePython, backend: str) -> None:
    seen = python.call(first_steps)
    assert seen["values"] == [[8.0, 11.0], [16.0, 23.0]]
    assert seen["backend"] == backend
    assert seen["version"] == VERSION
    assert seen["numpy"] is False
    assert seen["shown"] == (
        f"tensor([[1., 2.],\n        [3., 4.]], shape=(2, 2), dtype=float32, backend={backend})"
    )


def modules() -> list[Any]:
    """Return modules of the package after its import, and after WebAssembly is chosen."""
    import sys

    import py_tensor as pt

    def loaded() -> list[str]:
        return [name for name in sys.modules if name.startswith("py_tensor.")]

    first = loaded()
    pt.set_backend("wasm")
    seen = pt.sum(pt.arange(100) * 2).item()
    return [first, seen, [name for name in loaded() if name not in first]]


def test_import_loads_no_compiler(page: Page, pages_url: str) -> None:
    first, seen, later = PagePython(page, pages_url, "page").call(modules)
    assert len(first) <= 40
    assert not [name for name in first if ".compiler" in name or "wasm" in name]
    assert seen == 9900
    assert "py_tensor.runtime.backends.wasm" in later
    assert not [name for name in later if ".textures" in name or "webgl" in name]


def test_released_wheel_by_its_address(page: Page, pages_url: str) -> None:
    page.goto(f"{pages_url}/pages/released.html")
    page.wait_for_function("globalThis.load !== undefined")
    seen = page.evaluate("wheel => load(wheel)", f"{pages_url}/dist/{WHEEL}")
    assert seen == f"[2.0, 4.0] wasm {VERSION}"


def forbidden() -> list[Any]:
    """Return the outcomes of evaluating a script and of a computation, and the backend's choice."""
    from pyodide.code import run_js
    from pyodide.ffi import JsException

    import py_tensor as pt

    try:
        run_js("1 + 1")
        evaluated = "evaluated"
    except JsException as error:
        evaluated = error.name
    values = (pt.sum(pt.arange(100) * 2)).tolist()
    return [evaluated, values, pt.get_backend(), pt.env.backend_choice]


def strict(page: Page, url: str, thread: str, bridge: str) -> PagePython:
    """Start Python in a page whose policy forbids evaluating scripts."""

    def with_policy(route: Route) -> None:
        response = route.fetch()
        headers = response.headers | {"content-security-policy": NO_EVAL}
        route.fulfill(response=response, headers=headers)

    # A worker uses the policy of its own script, not the page's.
    page.route("**/worker.js*", with_policy)
    html = "strict" if thread == "page" else "worker"
    return PagePython(page, url, thread, html, bridge, "webgl" if bridge else "")


@pytest.mark.parametrize("thread", ["page", "worker"])
def test_strict_policy_with_registered_module(page: Page, pages_url: str, thread: str) -> None:
    bridge = f"{pages_url}/webgl_js_bridge/index.js"
    python = strict(page, pages_url, thread, bridge)
    chosen = "the page's address names webgl"
    assert python.call(forbidden) == ["EvalError", 9900, "webgl", chosen]


@pytest.mark.parametrize("thread", ["page", "worker"])
def test_strict_policy_without_it_says_what_to_do(page: Page, pages_url: str, thread: str) -> None:
    *seen, choice = strict(page, pages_url, thread, "").call(forbidden)
    assert seen == ["EvalError", 9900, "wasm"]
    assert "webgl: backend not available: this page does not allow evaluating" in choice
    assert 'pyodide.registerJsModule("webgl_js_bridge", module)' in choice


def test_a_shared_page_that_crashed_is_replaced(chromium: Browser, site_url: str) -> None:
    def title(page: Page) -> tuple[Page, str]:
        page.goto(f"{site_url}/docs/latest/index.html")
        return page, page.title()

    with SharedPage(chromium, title) as shared:
        page, first = shared.get()
        assert shared.get()[0] is page
        with contextlib.suppress(Error):
            page.goto("chrome://crash")
        other, second = shared.get()
        assert other is not page
        assert second == first
