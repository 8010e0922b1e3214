"""The demo's digits: a network is trained by clicks, tested, paused, asked about drawn ones."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest
from demo_driver import Demo, pixels
from handwriting import STROKES, write
from playwright.sync_api import Browser, Page
from watched_page import watched_page

HELD_OUT = 360
LIMIT_SECONDS = 60


@pytest.fixture(scope="module")
def trained(chromium: Browser, site_url: str) -> Iterator[Demo]:
    """The page after the training it proposes, of 20 epochs."""
    with watched_page(chromium, []) as page:
        demo = Demo(page, site_url)
        page.wait_for_selector("#digits-train:enabled")
        write(page, 7)
        page.wait_for_selector("#pad-bars .best")
        assert sure(demo) < 50, "an untrained network is sure"
        start = time.monotonic()
        page.click("#digits-train")
        page.wait_for_function(
            "parseFloat(document.querySelector('#digits-figures [data-figure=accuracy]')"
            ".textContent) >= 97"
        )
        assert time.monotonic() - start < LIMIT_SECONDS
        demo.wait_for_state("digits", "done")
        yield demo


def accuracy(demo: Demo) -> float:
    return float(demo.figure("digits", "accuracy").removesuffix(" %"))


def sure(demo: Demo) -> float:
    """How sure the network is of what is on the pad, in percent."""
    return float(demo.page.inner_text("#pad-bars .best .share").removesuffix(" %"))


def confusion(demo: Demo) -> np.ndarray:
    cells = demo.page.locator("#confusion button").all_text_contents()
    return np.array([int(cell or 0) for cell in cells]).reshape(10, 10)


def lit(demo: Demo, chart: str) -> int:
    """How many kinds of colours a chart's canvas has; an empty one has one."""
    canvas = demo.page.locator(f"#{chart} canvas")
    return int(
        canvas.evaluate(
            """canvas => new Set(new Uint32Array(
            canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer
            )).size"""
        )
    )


def test_network_learns(trained: Demo) -> None:
    assert accuracy(trained) >= 97
    counts = confusion(trained)
    assert counts.sum() == HELD_OUT
    assert round(100 * np.trace(counts) / HELD_OUT, 1) == accuracy(trained)
    assert trained.figure("digits", "epoch") == "20"
    assert trained.figure("digits", "step") == str(20 * (1437 // 64))
    assert float(trained.figure("digits", "images").replace(",", "")) > 64
    assert trained.page.inner_text("#digits-status") == f"Done: {accuracy(trained):.1f} % are right"
    loss = trained.page.locator("#digits-loss figcaption b").all_text_contents()
    assert 0 < float(loss[0]) < 0.3 and 0 < float(loss[1]) < 0.3
    assert lit(trained, "digits-loss") > 10 and lit(trained, "digits-accuracy") > 10
    # It was drawn before training began.
    assert trained.page.inner_text("#pad-says") == "Looks like a 7" and sure(trained) > 80


def test_cells_of_the_matrix_show_their_images(trained: Demo) -> None:
    page = trained.page
    counts = confusion(trained)
    wrong = counts - np.diag(np.diag(counts))
    shown, said = (int(place) for place in np.unravel_index(np.argmax(wrong), wrong.shape))
    many = int(wrong.max())
    page.click(f'#confusion [aria-label="{shown} taken for {said}: {many}"]')
    title = page.inner_text("#digits-cards-title")
    assert title == f"{shown} taken for {said}: {many} image{'s' if many > 1 else ''}"
    cards = page.locator("#digits-cards li")
    assert cards.count() == many
    assert cards.first.get_attribute("class") == "wrong"
    assert (cards.first.text_content() or "").startswith(f"✗wrong: {said} ")
    image = pixels(cards.first.locator("canvas"))
    assert image.shape == (8, 8, 3) and image.min() == 0 and image.max() == 255
    # The arrow keys go to its neighbours, and back to a sample of all.
    page.keyboard.press("ArrowLeft" if said else "ArrowRight")
    page.keyboard.press("Enter")
    assert page.inner_text("#digits-cards-title").startswith(
        f"{shown} taken for {said - 1 if said else 1}: "
    )
    page.click("#digits-cards-all")
    assert cards.count() == 20


def test_drawn_digits_are_recognised(trained: Demo) -> None:
    page = trained.page
    right = 0
    for digit in range(10):
        page.click("#pad-clear")
        page.wait_for_selector("#pad-says:text-is('Nothing is drawn yet')")
        write(page, digit)
        # The answer to the last point has come once the worker is asked no more.
        try:
            page.wait_for_selector(f"#pad-says:text-is('Looks like a {digit}')", timeout=3000)
        except TimeoutError:
            continue
        right += 1
    assert right >= 9
    seen = 255 - pixels(page.locator("#pad-seen"))[..., 0].astype(int)
    # What the network gets fills the height and leaves the sides free, as the data set does.
    assert seen[0].sum() and seen[7].sum() and not seen[:, 0].any() and not seen[:, 7].any()
    page.focus("#pad")
    page.keyboard.press("Delete")
    page.wait_for_selector("#pad-says:text-is('Nothing is drawn yet')")
    page.wait_for_function("!document.querySelector('#pad-bars .best')")


def test_finger_draws(trained: Demo) -> None:
    page = trained.page
    page.locator("#pad").scroll_into_view_if_needed()
    page.evaluate(
        """places => {
          const pad = document.getElementById("pad");
          const { left, top, width, height } = pad.getBoundingClientRect();
          pad.setPointerCapture = () => {};
          const send = (type, [x, y], pointerId) => pad.dispatchEvent(new PointerEvent(type, {
            pointerId, pointerType: "touch", isPrimary: pointerId === 7, bubbles: true,
            clientX: left + x * width, clientY: top + y * height }));
          send("pointerdown", places[0], 7);
          send("pointerdown", [0.9, 0.9], 8); // the ball of the thumb
          for (const place of places) { send("pointermove", place, 7); }
          send("pointermove", [0.1, 0.9], 8);
          send("pointerup", [0.1, 0.9], 8);
          send("pointerup", places.at(-1), 7);
          delete pad.setPointerCapture;
        }""",
        STROKES[3][0],
    )
    page.wait_for_selector("#pad-says:text-is('Looks like a 3')")


def test_training_pauses_goes_on_and_keeps_its_memory(trained: Demo) -> None:
    page = trained.page
    page.click("#digits-reset")
    trained.wait_for_state("digits", "new")
    page.wait_for_function(
        "document.querySelector('#digits-figures [data-figure=step]').textContent === '0'"
    )
    assert accuracy(trained) < 50
    assert confusion(trained).sum() == HELD_OUT
    page.select_option("[name=model]", "cnn")
    page.fill("#digits-epochs", "100")
    page.click("#digits-train")
    held = []
    for step in (8, 20, 32):
        trained.wait_for_step("digits", step)
        page.click("#digits-train:text-is('Pause')")
        trained.wait_for_state("digits", "paused")
        held.append(settled(trained))
        page.click("#digits-train:text-is('Resume')")
    steps, tensors, sizes = zip(*held, strict=True)
    assert steps[0] < steps[1] < steps[2]
    assert len(set(tensors)) == len(set(sizes)) == 1
    page.click("#digits-reset")
    trained.wait_for_state("digits", "new")


def settled(demo: Demo) -> tuple[int, int, int]:
    """The state of training that has paused: the same for half a second."""
    last = state(demo)
    for _ in range(10):
        demo.page.wait_for_timeout(500)
        if (now := state(demo)) == last:
            return now
        last = now
    pytest.fail("training goes on during the pause")


def state(demo: Demo) -> tuple[int, int, int]:
    """The step, and how many tensors and bytes on the GPU the library holds."""
    step = int(demo.figure("digits", "step").replace(",", ""))
    return step, demo.number("tensors"), demo.number("gpuBytes")


def test_too_high_a_learning_rate_is_said(trained: Demo) -> None:
    page = trained.page
    page.select_option("[name=model]", "mlp")
    page.select_option("[name=optimizer]", "sgd")
    assert page.input_value("#digits-rate") == "0.3"
    page.evaluate("document.querySelector('#digits-rate').add(new Option('1e30'))")
    page.select_option("#digits-rate", "1e30")
    page.click("#digits-train")
    trained.wait_for_state("digits", "done")
    assert "loss is not finite" in page.inner_text("#digits-status")
    page.click("#digits-reset")
    trained.wait_for_state("digits", "new")


def test_code_is_shown(trained: Demo) -> None:
    page = trained.page
    page.click("#digits-code summary")
    code = page.locator("#digits-code pre").first
    assert "pt.train.fit(" in code.inner_text()
    assert code.locator(".tok-keyword").first.inner_text() == "import"


def test_missing_images_are_said(page: Page, site_url: str, page_errors: list[str]) -> None:
    requests: list[str] = []
    page.context.on("request", lambda request: requests.append(request.url))
    page.route("**/digits.bin", lambda route: route.fulfill(status=404))
    demo = Demo(page, site_url)
    # A visitor who does not look at the digits does not load them.
    assert not [url for url in requests if "digits.bin" in url or "uPlot" in url]
    page.click("#digits-train:enabled")
    page.wait_for_selector("#digits-status:text('the images did not load; got 404')")
    assert page.is_enabled("#digits-train")
    page.unroute("**/digits.bin")
    page.fill("#digits-epochs", "1")
    page.click("#digits-train")
    demo.wait_for_state("digits", "done")
    page_errors.clear()
