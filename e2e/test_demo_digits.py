"""Test the demo's digits section: train, pause, test and classify drawn digits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from demo_driver import Demo, pixels
from handwriting import STROKES, write
from playwright.sync_api import Browser, Page
from waiting import eventually
from watched_page import PageErrors, SharedPage
from work_limit import HANG_SECONDS

HELD_OUT = 360


@pytest.fixture(scope="module")
def trained_page(chromium: Browser, site_url: str) -> Iterator[SharedPage[Demo]]:
    """Demo page after a training run with the default settings of 20 epochs."""

    def train(page: Page) -> Demo:
        demo = Demo(page, site_url)
        page.wait_for_selector("#digits-train:enabled")
        write(page, 7)
        page.wait_for_selector("#pad-bars .best")
        assert confidence(demo) < 50, "an untrained network is sure"
        page.click("#digits-train")
        page.wait_for_function(
            "parseFloat(document.querySelector('#digits-metrics [data-metric=accuracy]')"
            ".textContent) >= 97"
        )
        demo.wait_for_state("digits", "done")
        return demo

    with SharedPage(chromium, train) as page:
        yield page


@pytest.fixture
def trained(trained_page: SharedPage[Demo]) -> Demo:
    return trained_page.get()


def accuracy(demo: Demo) -> float:
    return float(demo.metric("digits", "accuracy").removesuffix(" %"))


def confidence(demo: Demo) -> float:
    """Return the predicted class's probability for the drawn digit, in percent."""
    return float(demo.page.inner_text("#pad-bars .best .share").removesuffix(" %"))


def confusion(demo: Demo) -> np.ndarray:
    cells = demo.page.locator("#confusion button").all_text_contents()
    return np.array([int(cell or 0) for cell in cells]).reshape(10, 10)


def colour_count(demo: Demo, chart: str) -> int:
    """Return the number of distinct colours on a chart's canvas; 1 if it is empty."""
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
    assert trained.metric("digits", "epoch") == "20"
    assert trained.metric("digits", "step") == str(20 * (1437 // 64))
    assert float(trained.metric("digits", "images").replace(",", "")) > 64
    assert (
        trained.page.inner_text("#digits-status")
        == f"Done: {accuracy(trained):.1f} % test accuracy"
    )
    loss = trained.page.locator("#digits-loss figcaption b").all_text_contents()
    assert 0 < float(loss[0]) < 0.3 and 0 < float(loss[1]) < 0.3
    assert (
        colour_count(trained, "digits-loss") > 10 and colour_count(trained, "digits-accuracy") > 10
    )
    # The digit was drawn before training began.
    assert trained.page.inner_text("#pad-says") == "Looks like a 7" and confidence(trained) > 80


def test_cells_of_the_matrix_show_their_images(trained: Demo) -> None:
    page = trained.page
    counts = confusion(trained)
    wrong = counts - np.diag(np.diag(counts))
    shown, said = (int(place) for place in np.unravel_index(np.argmax(wrong), wrong.shape))
    many = int(wrong.max())
    page.click(f'#confusion [aria-label="{shown} predicted as {said}: {many}"]')
    title = page.inner_text("#digits-cards-title")
    assert title == f"{shown} predicted as {said}: {many} image{'s' if many > 1 else ''}"
    cards = page.locator("#digits-cards li")
    assert cards.count() == many
    assert cards.first.get_attribute("class") == "wrong"
    assert (cards.first.text_content() or "").startswith(f"✗wrong: {said} ")
    image = pixels(cards.first.locator("canvas"))
    assert image.shape == (8, 8, 3) and image.min() == 0 and image.max() == 255
    # The arrow keys select neighbouring cells, then return to a sample of all images.
    page.keyboard.press("ArrowLeft" if said else "ArrowRight")
    page.keyboard.press("Enter")
    assert page.inner_text("#digits-cards-title").startswith(
        f"{shown} predicted as {said - 1 if said else 1}: "
    )
    page.click("#digits-cards-all")
    assert cards.count() == 20


def test_drawn_digits_are_recognised(trained: Demo) -> None:
    page = trained.page
    for digit in range(10):
        page.click("#pad-clear")
        page.wait_for_selector("#pad-says:text-is('Nothing is drawn yet')")
        write(page, digit)
        page.wait_for_selector(f"#pad-says:text-is('Looks like a {digit}')")

    def fills_the_height() -> None:
        # The network's input leaves the sides empty, as in the data set.
        seen = 255 - pixels(page.locator("#pad-seen"))[..., 0].astype(int)
        assert seen[0].sum() and seen[7].sum() and not seen[:, 0].any() and not seen[:, 7].any()

    # The last of the predictions made while the digit is drawn may still be missing.
    eventually(page, fills_the_height)
    page.focus("#pad")
    page.keyboard.press("Delete")
    page.wait_for_selector("#pad-says:text-is('Nothing is drawn yet')")
    page.wait_for_function("!document.querySelector('#pad-bars .best')")


def test_finger_draws(trained: Demo) -> None:
    page = trained.page
    page.click("#pad-clear")
    page.wait_for_selector("#pad-says:text-is('Nothing is drawn yet')")
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
        "document.querySelector('#digits-metrics [data-metric=step]').textContent === '0'"
    )
    assert accuracy(trained) < 50
    assert confusion(trained).sum() == HELD_OUT
    page.select_option("[name=model]", "cnn")
    page.fill("#digits-epochs", "500")
    page.click("#digits-train")
    held = []
    for step in (8, 20, 32):
        trained.wait_for_step("digits", step)
        page.click("#digits-train:text-is('Pause')")
        trained.wait_for_state("digits", "paused")
        held.append(paused_state(trained))
        page.click("#digits-train:text-is('Resume')")
    steps, tensors, sizes = zip(*held, strict=True)
    assert steps[0] < steps[1] < steps[2]
    assert len(set(tensors)) == 1
    # The next batch's labels, 128 of 4 bytes, may already be uploaded.
    assert max(sizes) - min(sizes) in (0, 512)
    page.click("#digits-reset")
    trained.wait_for_state("digits", "new")


def paused_state(demo: Demo) -> tuple[int, int, int]:
    """Return the state of paused training after it was constant for a second."""
    seen = [state(demo)]
    while len(seen) < 2 * HANG_SECONDS:
        demo.page.wait_for_timeout(500)
        seen.append(state(demo))
        if len({*seen[-3:]}) == 1 and len(seen) >= 3:
            return seen[-1]
    pytest.fail(f"training goes on during the pause: {seen}")


def state(demo: Demo) -> tuple[int, int, int]:
    """Return the step and the library's counts of tensors and GPU bytes."""
    step = int(demo.metric("digits", "step").replace(",", ""))
    return step, *demo.memory()


def test_too_high_a_learning_rate_is_reported(trained: Demo) -> None:
    page = trained.page
    if page.is_enabled("#digits-reset"):
        page.click("#digits-reset")
        trained.wait_for_state("digits", "new")
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


def test_missing_images_are_reported(page: Page, site_url: str, page_errors: PageErrors) -> None:
    requests: list[str] = []
    page.context.on("request", lambda request: requests.append(request.url))
    page.route("**/digits.bin", lambda route: route.fulfill(status=404))
    demo = Demo(page, site_url)
    # The images load only when the digits section becomes visible.
    assert not [url for url in requests if "digits.bin" in url or "uPlot" in url]
    page.click("#digits-train:enabled")
    page.wait_for_selector("#digits-status:text('the images did not load; got 404')")
    assert page.is_enabled("#digits-train")
    page.unroute("**/digits.bin")
    page.fill("#digits-epochs", "1")
    page.click("#digits-train")
    demo.wait_for_state("digits", "done")
    page_errors.ignore()
