"""Test the demo's surface section: it separates points, also while other sections run."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator

import numpy as np
import pytest
from demo_driver import READ_CANVAS, Demo
from PIL import Image
from playwright.sync_api import Browser, Page
from waiting import eventually
from watched_page import SharedPage


@pytest.fixture(scope="module")
def demo_page(chromium: Browser, site_url: str) -> Iterator[SharedPage[Demo]]:
    """Demo page with the surface section scrolled into view."""

    def scroll(page: Page) -> Demo:
        demo = Demo(page, site_url)
        page.locator("#surface").scroll_into_view_if_needed()
        page.wait_for_function(
            "document.querySelector('#surface-stage canvas')?.width === 80 &&"
            " document.querySelectorAll('#surface-stage g > *').length === 200"
        )
        return demo

    with SharedPage(chromium, scroll) as page:
        yield page


@pytest.fixture
def demo(demo_page: SharedPage[Demo]) -> Demo:
    return demo_page.get()


def surface(demo: Demo) -> np.ndarray:
    """Return red and alpha of the surface: (height, width, 2), 0 to 1."""
    address = demo.page.locator("#surface-stage canvas").evaluate(READ_CANVAS)
    rgba = np.asarray(Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2]))))
    red = rgba[..., 0].astype(int) > rgba[..., 2]
    return np.stack([red, rgba[..., 3] / 255], axis=-1)


def points(demo: Demo) -> list[tuple[float, float, int]]:
    """Return the points as (x, y, class), with y upwards."""
    return [
        (x, y, kind)
        for x, y, kind in demo.page.evaluate(
            """[...document.querySelectorAll("#surface-stage g > *")].map((mark) => {
              const { x, y, width } = mark.getBBox();
              return [x + width / 2, -(y + width / 2), Number(mark.matches(".one"))];
            })"""
        )
    ]


def agreement(demo: Demo) -> float:
    """Return the share of points whose class colour matches the surface."""
    picture = surface(demo)
    side = len(picture)
    right = [
        picture[
            min(max(int((1 - y) / 2 * side), 0), side - 1),
            min(max(int((1 + x) / 2 * side), 0), side - 1),
            0,
        ]
        == kind
        for x, y, kind in points(demo)
    ]
    return float(np.mean(right))


def test_points_are_separated(demo: Demo) -> None:
    page = demo.page
    before = surface(demo)
    page.click("#surface-settings .chip:text-is('Rings')")
    page.click("#surface-play")
    page.wait_for_function(
        "parseFloat(document.querySelector('#surface-metrics [data-metric=accuracy]').textContent)"
        " >= 99"
    )
    page.click("#surface-play:text-is('Pause')")
    demo.wait_for_state("surface", "paused")

    def is_painted() -> None:
        assert agreement(demo) >= 0.97

    eventually(page, is_painted)
    after = surface(demo)
    assert np.abs(after - before).mean() > 0.05
    # Red outside, blue inside.
    middle = len(after) // 2
    assert after[2, 2, 0] == 1 and after[middle, middle, 0] == 0
    step = demo.metric("surface", "step")
    held = demo.settled_memory()
    for _ in range(3):
        page.click("#surface-step")
    demo.wait_for_step("surface", int(step.replace(",", "")) + 3)
    assert demo.settled_memory() == held


def test_points_are_added_by_click_and_by_key(demo: Demo) -> None:
    page = demo.page
    box = page.locator("#surface-stage").bounding_box()
    assert box is not None
    page.click("#surface-stage svg", position={"x": box["width"] / 4, "y": box["height"] / 4})
    page.wait_for_function("document.querySelectorAll('#surface-stage g > *').length === 201")
    x, y, kind = points(demo)[-1]
    assert abs(x + 0.5) < 0.02 and abs(y - 0.5) < 0.02 and kind == 0
    page.click("#surface-settings .chip:text-is('Red')")
    page.focus("#surface-stage svg")
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    page.wait_for_function("document.querySelectorAll('#surface-stage g > *').length === 202")
    x, y, kind = points(demo)[-1]
    assert abs(x + 0.4) < 0.02 and abs(y - 0.45) < 0.02 and kind == 1


def test_points_are_removed_by_click_and_by_key(demo: Demo) -> None:
    page = demo.page
    before = points(demo)
    x, y, _ = before[7]
    box = page.locator("#surface-stage").bounding_box()
    assert box is not None
    page.click("#surface-settings .chip:text-is('Remove')")
    place = {"x": (x + 1) / 2 * box["width"], "y": (1 - y) / 2 * box["height"]}
    page.click("#surface-stage svg", position=place)
    eventually(page, lambda: assert_count(demo, len(before) - 1))
    (gone,) = {*before} - {*points(demo)}
    assert abs(gone[0] - x) < 0.1 and abs(gone[1] - y) < 0.1
    page.keyboard.press("Delete")
    eventually(page, lambda: assert_count(demo, len(before) - 2))
    page.click("#surface-settings .chip:text-is('Blue')")


def assert_count(demo: Demo, count: int) -> None:
    assert len(points(demo)) == count


def held_after_all_at_once(demo: Demo) -> list[int]:
    """Return tensors and GPU bytes after training both networks with all else, then resets."""
    page = demo.page
    page.click("#surface-play:text-is('Play')")
    # Training must last longer than all else, and than Python takes to start again.
    page.evaluate("document.getElementById('digits-epochs').max = 1e6")
    page.fill("#digits-epochs", "1000000")
    page.click("#digits-train:text-is('Start')")
    page.click("#animate:enabled")
    demo.wait_for_step("digits", 4)
    demo.run("arithmetic")
    assert demo.values().shape == (2, 3)
    # Both training runs continue afterwards.
    for section in ("surface", "digits"):
        demo.wait_for_step(section, int(demo.metric(section, "step").replace(",", "")) + 8)
    page.click("#animate")
    page.click("#surface-play:text-is('Pause')")
    demo.wait_for_state("surface", "paused")
    for section in ("surface", "digits"):
        page.click(f"#{section}-reset")
        page.wait_for_selector(f"#{section}-metrics [data-metric=step]:text-is('0')")
    # The network that was trained last keeps its memory until its training has ended.
    return demo.settled_memory()


def test_everything_runs_at_once(demo: Demo) -> None:
    page = demo.page
    first = held_after_all_at_once(demo)
    assert held_after_all_at_once(demo) == first

    page.click("#digits-train")
    demo.wait_for_state("digits", "training")
    # Stopping a program that never yields restarts its Python, while the other sections go on.
    demo.write("while True:\n    pass")
    demo.start()
    step = int(demo.metric("digits", "step").replace(",", ""))
    demo.wait_for_step("digits", step + 8)
    page.click("#stop")
    page.wait_for_selector("#run-status:text-is('stopped; Python was restarted')")
    step = int(demo.metric("digits", "step").replace(",", ""))
    demo.wait_for_step("digits", step + 8)
    assert page.inner_text("#digits-status") == "Training"
    page.click("#digits-reset")
    demo.wait_for_state("digits", "new")


def test_phone_has_no_sideways_scroll(page: Page, site_url: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    demo = Demo(page, site_url)
    page.fill("#digits-epochs", "1")
    page.click("#digits-train:enabled")
    demo.wait_for_state("digits", "done")
    page.click("#digits-code summary")
    page.click("#surface-step")
    demo.wait_for_step("surface", 1)
    page.click("#surface-code summary")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert page.evaluate("document.documentElement.scrollWidth") == 360
