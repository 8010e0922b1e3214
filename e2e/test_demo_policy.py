"""Test the demo page under a strict Content-Security-Policy."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conftest import SITE
from demo_driver import WEBGL, Demo
from playwright.sync_api import Page
from server import serve

POLICY = "; ".join(
    [
        "default-src 'self'",
        # WebAssembly counts as evaluated code; JavaScript may not be evaluated.
        "script-src 'self' 'wasm-unsafe-eval'",
        "img-src 'self' data: blob:",
        # The editor and the charts set styles of single elements.
        "style-src 'self' 'unsafe-inline'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
)


@pytest.fixture(scope="module")
def strict_url(site_url: str) -> Iterator[str]:
    """URL of the site, with the policy in the header of every file, also of the workers'."""
    with serve(SITE, {"Content-Security-Policy": POLICY}) as url:
        yield url


@pytest.mark.parametrize(("backend", "query"), [("wasm", ""), ("webgl", WEBGL)])
def test_the_site_needs_no_evaluated_script(
    page: Page, strict_url: str, backend: str, query: str
) -> None:
    demo = Demo(page, strict_url, query=query)
    demo.run("arithmetic")
    demo.write(
        "import js, py_tensor as pt\n"
        "print(pt.get_backend())\n"
        "try:\n    js.eval('1')\nexcept Exception as error:\n    print(error.name)\n"
        "print((pt.ones((20, 20)) * 3.0).sum().item())"
    )
    demo.start()
    demo.finish()
    lines = page.inner_text("#output").split()
    assert lines == [backend, "EvalError", "1200.0"]
    page.click("[data-photo=flower]")
    page.wait_for_selector("[data-photo=flower][aria-pressed=true]")
