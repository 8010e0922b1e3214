"""Test that a page shows tensors, pictures, plots and progress in its elements."""

from __future__ import annotations

from typing import Any

import pytest
from page_python import PagePython
from playwright.sync_api import Page

pytest_plugins = ["page_fixtures"]


def shown() -> dict[str, Any]:
    """Show output of each kind; return what the page contains."""
    import js

    import py_tensor as pt

    box = js.document.createElement("div")
    js.document.body.append(box)
    picture = pt.asarray([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    reads = pt.cache_info().draws
    pt.show(picture * 0, "picture", target=box)
    canvas = box.querySelector("canvas")
    pt.show(picture, "picture", target=box)
    is_same = bool(canvas == box.querySelector("canvas"))
    pixels = js.document.createElement("canvas")
    pixels.width, pixels.height = 2, 1
    context = pixels.getContext("2d")
    context.drawImage(canvas, 0, 0)
    red_green = list(context.getImageData(0, 0, 2, 1).data)
    pt.show(pt.asarray([[1.0, 2.0]]), kind="table", target=box)
    pt.show(pt.plot.line([1, 3, 2], title="<p>"), target=box)
    pt.show("<b>", target=box)
    pt.show("at the end")
    counts = {name: len(box.querySelectorAll(name)) for name in ("canvas", "td", "svg", "path")}
    return {
        **counts,
        "is same": is_same,
        "pixels": red_green,
        "width": canvas.style.width,
        "caption": box.querySelector("figcaption").textContent,
        "title": box.querySelector("svg text:last-of-type").textContent,
        "text": box.lastElementChild.textContent,
        "end": js.document.body.lastElementChild.textContent,
        "draws": pt.cache_info().draws > reads,
    }


def test_output_in_an_element(python: PagePython) -> None:
    if python.thread == "worker":
        assert python.call(printed) == "picture(p · shape (4, 5), float32)\n"
        return
    found = python.call(shown)
    assert found == {
        **{"canvas": 1, "td": 2, "svg": 1, "path": 3},
        "is same": True,
        "pixels": [255, 0, 0, 255, 0, 255, 0, 255],
        "width": "420px",
        "caption": "picture · shape (1, 2, 3), float32",
        "title": "<p>",
        "text": "<b>",
        "end": "at the end",
        "draws": True,
    }


def printed() -> str:
    """Show a picture in a worker, which has no page."""
    import contextlib
    import io

    import py_tensor as pt

    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        pt.show(pt.ones((4, 5)), "p")
    return text.getvalue()


async def counted() -> list[Any]:
    """Show a progress bar in a loop that lets the page draw."""
    import asyncio

    import js

    import py_tensor as pt

    values = []
    async for _ in pt.progress(range(20), "steps"):
        await asyncio.sleep(0.05)
        values.append(js.document.body.querySelector("progress").value)
    label = js.document.body.querySelector("label")
    found = [sorted(set(values)), len(js.document.querySelectorAll("progress")), label.textContent]
    label.parentElement.remove()
    return found


def test_progress_in_the_page(python: PagePython) -> None:
    if python.thread == "worker":
        return
    values, bars, text = python.call(counted)
    assert 4 <= len(values) <= 20
    assert values[0] == 0 and values[-1] < 1
    assert bars == 1
    assert text.startswith("steps  20/20 in ")


def values_of() -> list[str]:
    """Return the HTML of tensors, with and without waiting for promises."""
    import py_tensor as pt

    x = pt.exp(pt.zeros((300, 300)))
    return [x._repr_html_(), (x * 2)._repr_html_(), pt.jit(lambda x: x + 1)(x)._repr_html_()]


@pytest.mark.parametrize("verb", ["call", "call_blocking"])
def test_tensors_as_html(python: PagePython, backend: str, verb: str) -> None:
    for html, value in zip(getattr(python, verb)(values_of), ("1.0", "2.0", "2.0"), strict=True):
        assert f"shape (300, 300) · float32 · {backend} · 351.6 KiB" in html
        assert html.count(f"<td>{value}</td>") == 12 * 8


def test_strict_policy_allows_tables_plots_and_pictures(page: Page, pages_url: str) -> None:
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    bridge = f"{pages_url}/webgl_js_bridge/index.js"
    python = PagePython(page, pages_url, "page", "strict", bridge)
    assert python.call(shown)["pixels"] == [255, 0, 0, 255, 0, 255, 0, 255]
    assert [text for text in refused if "Content Security Policy" in text] == []
