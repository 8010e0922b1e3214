"""The demo's surface: points are told apart, painted live, beside all else the page does."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator

import numpy as np
import pytest
from demo_driver import READ_CANVAS, Demo
from PIL import Image
from playwright.sync_api import Browser, Page
from watched_page import watched_page


@pytest.fixture(scope="module")
def demo(chromium: Browser, site_url: str) -> Iterator[Demo]:
    """A page on which the surface was looked at."""
    with watched_page(chromium, []) as page:
        demo = Demo(page, site_url)
        page.locator("#surface").scroll_into_view_if_needed()
        page.wait_for_function(
            "document.querySelector('#surface-stage canvas')?.width === 80 &&"
            " document.querySelectorAll('#surface-stage g > *').length === 200"
        )
        yield demo


def surface(demo: Demo) -> np.ndarray:
    """How red and how opaque the surface is: (height, width, 2), 0 to 1."""
    address = demo.page.locator("#surface-stage canvas").evaluate(READ_CANVAS)
    rgba = np.asarray(Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2]))))
    red = rgba[..., 0].astype(int) > rgba[..., 2]
    return np.stack([red, rgba[..., 3] / 255], axis=-1)


def points(demo: Demo) -> list[tuple[float, float, int]]:
    """Where the points are, y upwards, and their classes."""
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
    """For how many points the surface has their colour."""
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


def test_points_are_told_apart(demo: Demo) -> None:
    page = demo.page
    before = surface(demo)
    page.click("#surface-settings .chip:text-is('Rings')")
    page.click("#surface-play")
    page.wait_for_function(
        "parseFloat(document.querySelector('#surface-figures [data-figure=accuracy]').textContent)"
        " >= 99"
    )
    page.click("#surface-play:text-is('Pause')")
    demo.wait_for_state("surface", "paused")
    page.wait_for_timeout(200)
    assert agreement(demo) >= 0.97
    after = surface(demo)
    assert np.abs(after - before).mean() > 0.05
    # Red outside, blue inside.
    middle = len(after) // 2
    assert after[2, 2, 0] == 1 and after[middle, middle, 0] == 0
    step = demo.figure("surface", "step")
    held = demo.figure("surface", "tensors"), demo.number("gpuBytes")
    for _ in range(3):
        page.click("#surface-step")
    demo.wait_for_step("surface", int(step.replace(",", "")) + 3)
    page.wait_for_timeout(300)
    assert (demo.figure("surface", "tensors"), demo.number("gpuBytes")) == held


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


def held_after_all_at_once(demo: Demo) -> tuple[int, int]:
    """Tensors, and bytes on the GPU, after training both networks beside all else, and resets."""
    page = demo.page
    page.click("#surface-play:text-is('Play')")
    page.click("#digits-train:text-is('Start')")
    page.click("#animate:enabled")
    demo.wait_for_step("digits", 4)
    demo.run("arithmetic")
    assert demo.values().shape == (2, 3)
    # Both go on after it.
    for section in ("surface", "digits"):
        demo.wait_for_step(section, int(demo.figure(section, "step").replace(",", "")) + 8)
    page.click("#animate")
    page.click("#surface-play:text-is('Pause')")
    demo.wait_for_state("surface", "paused")
    for section in ("surface", "digits"):
        page.click(f"#{section}-reset")
        page.wait_for_selector(f"#{section}-figures [data-figure=step]:text-is('0')")
    # The numbers are counted anew at a program's end, when nothing else runs any more.
    demo.run("arithmetic")
    page.wait_for_timeout(300)
    return demo.number("tensors"), demo.number("gpuBytes")


def test_everything_runs_at_once(demo: Demo) -> None:
    page = demo.page
    first = held_after_all_at_once(demo)
    assert held_after_all_at_once(demo) == first

    page.click("#digits-train")
    demo.wait_for_state("digits", "training")
    # Python is ended by a program that never pauses; the sections say so and begin anew.
    demo.write("while True:\n    pass")
    demo.start()
    page.click("#stop")
    page.wait_for_selector("#run-status:text-is('stopped; Python is new')")
    assert page.inner_text("#digits-status") == "Python was restarted; the network is gone"
    page.fill("#digits-epochs", "1")
    page.click("#digits-train:text-is('Start')")
    demo.wait_for_state("digits", "done")
    page.click("#surface-step")
    demo.wait_for_step("surface", 1)


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
