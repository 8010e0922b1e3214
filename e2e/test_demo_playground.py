"""Test the demo's playground: run every example and compare the results with NumPy."""

import io
import re
import runpy
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from accessibility import faults
from demo_driver import Demo
from gallery_programs import EXAMPLES
from playwright.sync_api import Page, Route
from waiting import eventually

import py_tensor as pt
from py_tensor.display.places import Place, html_of, use

pytest_plugins = ["demo_fixtures"]

PROGRAMS = Path(__file__).parent.parent / "examples"
LIFE = EXAMPLES / "life.py"
FIVE_DIGITS = 6e-5  # a table's cells are rounded to five digits


@pytest.fixture
def fresh_demo(page: Page, site_url: str) -> Demo:
    """Demo page of one test, which uses other sections."""
    return Demo(page, site_url)


def uniform(seed: int, shape: tuple[int, ...]) -> np.ndarray:
    """Return the random numbers that a program in the page draws with this seed."""
    pt.set_backend("numpy")
    pt.random.seed(seed)
    return np.asarray(pt.random.uniform(shape).numpy())


def test_arithmetic(demo: Demo) -> None:
    demo.run("arithmetic")
    a = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32)
    b = np.array([10, 20, 30], dtype=np.float32)
    c = np.sqrt(a * b + 1) - a.mean()
    np.testing.assert_allclose(demo.values(), c, rtol=FIVE_DIGITS)
    total, shape = demo.printed()
    assert float(total.split()[1]) == pytest.approx(c.sum(), rel=1e-6)
    assert shape == "shape (2, 3) dtype float32"
    assert demo.caption() == "shape (2, 3) · float32 · wasm · 24 B"


def test_matmul_shows_the_ends_of_a_large_table(demo: Demo) -> None:
    demo.run("matmul")
    n = 256
    a = np.arange(n * n).reshape(n, n) % 7 - 3
    b = np.arange(n * n).reshape(n, n) % 5 - 2
    product = a @ b
    shown = demo.table()
    ends = [*range(6), *range(n - 6, n)]
    columns = [*range(4), *range(n - 4, n)]
    assert shown.pop(6) == ["⋮"] * 9
    assert {row.pop(4) for row in shown} == {"…"}
    # Whole numbers below 2**24 are exact in float32.
    np.testing.assert_array_equal(np.array(shown, float), product[np.ix_(ends, columns)])
    totals = [int(line.rpartition(" ")[2]) for line in demo.printed()]
    assert totals == [product.sum()] * 4


def test_animation_runs_live_and_stops(fresh_demo: Demo) -> None:
    fresh_demo.write(LIFE.read_text().replace("512", "128"))
    fresh_demo.start()
    fresh_demo.page.wait_for_selector("#output canvas")
    first = fresh_demo.picture("Game of Life")

    def goes_on() -> None:
        assert (fresh_demo.picture("Game of Life") != first).any()

    eventually(fresh_demo.page, goes_on)
    assert fresh_demo.page.inner_text("#run-status") == "running…"
    # The worker answers the photo lab while the program runs.
    fresh_demo.page.locator("[data-filter=sepia] input[type=checkbox]").check()
    fresh_demo.page.click("#stop")
    assert fresh_demo.finish().startswith("stopped after")
    # What it drew last is kept.
    assert (fresh_demo.picture("Game of Life") != first).any()


def test_stop_ends_a_program_that_never_pauses(demo: Demo) -> None:
    demo.write("print('on and on')\nwhile True:\n    pass")
    demo.start()
    demo.page.wait_for_selector("#output pre:text('on and on')")
    demo.page.click("#stop")
    demo.page.wait_for_selector("#run-status:text-is('stopped; Python was restarted')")
    demo.finish()
    assert "Python was terminated and is being restarted" in demo.text()
    assert demo.printed() == ["on and on"]
    demo.run("arithmetic")
    assert demo.values().shape == (2, 3)


def test_program_is_stopped_right_after_its_start(demo: Demo) -> None:
    demo.write("import playground\nwhile True:\n    await playground.next_frame()")
    # Both requests are in the worker's queue before it handles the first.
    demo.page.evaluate("for (const id of ['run', 'stop']) document.getElementById(id).click()")
    assert demo.finish().startswith("stopped after")
    assert demo.text() == ""


RUN_WHEN_ENABLED = """() => {
  const button = document.getElementById("run");
  const status = document.getElementById("run-status");
  globalThis.statuses = [];
  const run = (_, observer) => {
    if (button.disabled) return;
    observer.disconnect();
    new MutationObserver(() => statuses.push(status.textContent)).observe(status, {
      childList: true,
    });
    button.click();
  };
  new MutationObserver(run).observe(button, { attributes: true });
}"""


def test_program_started_at_the_end_of_a_restart_keeps_its_status(demo: Demo) -> None:
    demo.write("while True:\n    pass")
    demo.start()
    demo.write("print('the next program')")
    demo.page.evaluate(RUN_WHEN_ENABLED)
    demo.page.click("#stop")
    demo.page.wait_for_selector("#output:has-text('the next program')")
    assert demo.finish().startswith("ran in")
    # The code that restarted Python goes on after the program has started, which must not show.
    demo.run("arithmetic")
    statuses = demo.page.evaluate("statuses")
    assert statuses[0] == "running…"
    expected = ("running", "loading", "waiting", "ran in")
    assert all(status.startswith(expected) for status in statuses), statuses
    assert statuses[-1].startswith("ran in")


def test_every_program_for_numpy_and_jax_is_listed(demo: Demo) -> None:
    rows = demo.page.locator("#programs [data-program]")
    listed = {row.get_attribute("data-program"): row.text_content() for row in rows.all()}
    assert sorted(map(str, listed)) == sorted(path.stem for path in PROGRAMS.glob("*.py"))
    assert listed["heat_equation"] == (
        "Heat equation Solve the heat equation on a square plate by explicit finite differences."
    )
    assert all(str(text).endswith(".") for text in listed.values())
    demo.run("arithmetic")
    assert demo.page.inner_text("#shown-program") == ""
    assert demo.page.locator("#examples [aria-pressed=true]").count() == 1
    demo.choose_program("heat_equation")
    demo.page.wait_for_selector("#shown-program:text-is('Heat equation')")
    assert demo.page.locator("#examples [aria-pressed=true]").count() == 0


def test_programs_are_found_by_words_and_opened_by_keyboard(demo: Demo) -> None:
    page = demo.page
    demo.write("# a wave of mine")
    page.focus("#open-programs")
    page.keyboard.press("Enter")
    for size in ((390, 844), (1280, 800)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        assert page.evaluate("document.documentElement.scrollWidth") == size[0]
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert faults(page, "#programs") == []
    page.keyboard.type("wave MEMBRANE")
    assert page.inner_text("#program-count") == "1 program"
    for _ in range(4):
        page.keyboard.press("Backspace")
    assert page.inner_text("#program-count") == "1 program"
    page.fill("#program-filter", "wave")
    shown = page.locator("#programs section:visible")
    assert shown.first.inner_text().split("\n") == ["Your programs", "a wave of mine"]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "open-programs"
    page.keyboard.press("Enter")
    page.keyboard.type("wave equation")
    page.keyboard.press("Enter")
    page.wait_for_selector("#shown-program:text-is('Wave equation')")
    page.wait_for_function("document.activeElement.id === 'run'")
    assert page.is_hidden("#programs")


def test_program_is_run_only_after_it_is_loaded(demo: Demo) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    # The page keeps programs that it has loaded, so no other test chooses this one.
    demo.page.route("**/prime_numbers*", hold)
    with demo.page.expect_request("**/prime_numbers*"):
        demo.choose_program("prime_numbers")
    assert demo.page.is_disabled("#run")
    held[0].continue_()
    demo.start()
    assert demo.finish().startswith("ran in"), demo.text()
    assert demo.printed()[0].startswith("168 primes up to 1000")
    demo.page.unroute("**/prime_numbers*")


class Shown(Place):
    """Keeps the texts in the plots that a program shows."""

    def show(self, item: Any, key: str | None = None) -> None:
        self.texts = re.findall("<text[^>]*>(.*?)</text>", html_of(item))


@pytest.mark.parametrize(
    "name", ["game_of_life", "heat_equation", "dct_compression", "jax_pendulum_control"]
)
def test_program_prints_what_it_prints_with_numpy_or_jax(demo: Demo, name: str) -> None:
    demo.choose_program(name)
    demo.start()
    assert demo.finish().startswith("ran in"), demo.text()
    printed, shown = io.StringIO(), Shown()
    plots = demo.page.locator("#output svg")
    shown.width = int(plots.get_attribute("width") or 0)
    with redirect_stdout(printed), use(shown):
        runpy.run_path(str(PROGRAMS / f"{name}.py"), run_name="__main__")
    assert demo.printed() == printed.getvalue().splitlines()
    # Its title, and the numbers of the axes.
    assert plots.locator("text").all_text_contents() == shown.texts
    assert plots.count() == 1


def test_noise_and_clouds(demo: Demo) -> None:
    demo.run("noise")
    noise = uniform(11, (1, 240, 320, 1))[0, ..., 0].astype(float)
    grey = demo.picture("noise")
    assert np.abs(grey - np.rint(noise * 255)[..., None]).max() <= 1

    clouds = np.zeros_like(noise)
    for size, weight in ((3, 0.15), (9, 0.3), (25, 0.55)):
        smooth = noise
        for axis in (0, 1):
            smooth = np.apply_along_axis(np.convolve, axis, smooth, np.ones(size) / size, "same")
        clouds += (smooth - smooth.mean()) / smooth.std() * weight
    cover = 1 / (1 + np.exp(-3 * clouds[..., None]))
    expected = np.array([0.23, 0.48, 0.82]) * (1 - cover) + cover
    assert np.abs(demo.picture("clouds") - expected * 255).max() <= 1


def test_memory_goes_back(demo: Demo) -> None:
    demo.run("memory")
    lines = demo.printed()
    tensors = {
        line[:28].strip(): int(line[28:].split()[0]) for line in lines if "tensors" in line[28:]
    }
    start = tensors["at the start"]
    assert tensors == {
        "at the start": start,
        "with one of 512 x 512": start + 1,
        "after a tidy function": start + 1,
        "inside a tidy block": start + 11,
        "after it": start + 1,
        "after `del x`": start,
    }
    assert "spread: 0.0" in lines


def test_explain(demo: Demo) -> None:
    demo.run("explain")
    x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4) * 3 + 1
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    softmax = powers / powers.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(demo.values(), softmax, rtol=FIVE_DIGITS)
    text = "\n".join(demo.printed())
    assert "exp" in text
    assert "v128.load" in text


def test_mistake_points_at_the_line(demo: Demo) -> None:
    demo.choose("mistake")
    demo.start()
    assert demo.finish().startswith("failed after")
    assert demo.printed() == ["this line runs"]
    assert demo.page.inner_text(".failure-message") == (
        "py_tensor.errors.ShapeError: "
        "add: shapes (3, 4) and (5,) do not broadcast; axis -1 is 4 and 5"
    )
    frames = demo.page.locator(".failure > .frame").all_inner_texts()
    assert [re.sub(r"\s+", " ", frame) for frame in frames] == [
        "your program, line 12 layer(weights)",
        "your program, line 8, in layer return pt.relu(x + bias)",
    ]
    assert demo.page.inner_text(".failed-line") == "    return pt.relu(x + bias)"
    folded = demo.page.locator(".failure details")
    assert folded.count() == 1
    assert folded.get_attribute("open") is None
    assert "py_tensor/" in (folded.text_content() or "")


def test_syntax_error_points_at_the_line(demo: Demo) -> None:
    demo.write("x = 1\ny = (2 +\n")
    demo.start()
    assert demo.finish().startswith("failed after")
    assert demo.page.inner_text(".failure-message").endswith("SyntaxError: '(' was never closed")
    assert demo.page.inner_text(".failed-line") == "y = (2 +"


def test_error_of_asyncio_run_is_written_once(demo: Demo) -> None:
    demo.write(
        "import asyncio\n\n\nasync def double(x):\n    return 2 * x[0]\n\n\n"
        "print(asyncio.run(double([3])))\nasyncio.run(double([]))"
    )
    demo.start()
    assert demo.finish().startswith("failed after")
    assert demo.printed() == ["6"]
    assert demo.page.inner_text(".failure-message") == "IndexError: list index out of range"
    assert demo.page.inner_text(".failed-line") == "    return 2 * x[0]"


STREAMING = """import time
from pyodide.http import open_url
print('part 0')
time.sleep(0.1)
print('part 1')
open_url('gate')
print('part 2')"""


def test_text_streams_while_a_program_computes(demo: Demo) -> None:
    held: list[Route] = []

    def is_held() -> None:
        assert held

    demo.page.route("**/gate", lambda route: held.append(route))
    demo.write(STREAMING)
    demo.start()
    # The request blocks the worker until it is answered.
    demo.page.wait_for_function("document.getElementById('output').innerText.includes('part 1')")
    assert "part 2" not in demo.text()
    eventually(demo.page, is_held)
    held[0].fulfill(body="open")
    demo.finish()
    assert demo.printed() == [f"part {i}" for i in range(3)]
    demo.page.unroute("**/gate")


PRODUCTS = """import py_tensor as pt
x = pt.ones((512, 512))
for _ in range(6):
    x = x @ x / 512
pt.realize(x)
print("submitted")
"""
RECORD_STATUSES = """() => {
  const [run, stop, status] = ["run", "stop", "run-status"].map(
    (id) => document.getElementById(id),
  );
  globalThis.statuses = [];
  const note = () => {
    const seen = [status.textContent, !run.disabled, !stop.disabled];
    if (String(statuses.at(-1)) !== String(seen)) statuses.push(seen);
  };
  new MutationObserver(note).observe(status, { childList: true });
}"""


def test_run_ends_when_the_gpu_has_finished(demo: Demo) -> None:
    demo.write(PRODUCTS)
    demo.page.evaluate(RECORD_STATUSES)
    demo.start()
    assert demo.finish().startswith("ran in")
    assert demo.printed() == ["submitted"]
    # Python only submits the products. Until they are computed, the program can be stopped.
    statuses = demo.page.evaluate("statuses")
    assert ["waiting for the GPU…", False, True] in statuses[:-1]
    assert statuses[-1][0].startswith("ran in")


def test_a_loop_of_products_is_stopped_while_the_gpu_computes(demo: Demo) -> None:
    demo.write(
        "import py_tensor as pt\nx = pt.ones((768, 768))\nfor i in range(10**9):\n"
        "    x = x @ x / 768\n    pt.realize(x)\n    if i == 5: print('running')"
    )
    demo.start()
    demo.page.wait_for_selector("#output pre")
    demo.page.click("#stop")
    demo.page.wait_for_selector("#run-status:text-is('stopped; Python was restarted')")
    # Drawing a frame needs the GPU process, which still computes what was submitted.
    demo.run("arithmetic")
    demo.page.screenshot()


def test_lines_before_a_long_computation_are_shown(demo: Demo) -> None:
    demo.write("print('first')\nprint('second')\nwhile True:\n    pass")
    demo.start()

    def both_are_shown() -> None:
        assert demo.printed() == ["first", "second"]

    eventually(demo.page, both_are_shown)
    demo.page.click("#stop")
    demo.page.wait_for_selector("#run-status:text-is('stopped; Python was restarted')")
    assert demo.printed() == ["first", "second"]


def test_too_much_text_is_cut(demo: Demo) -> None:
    demo.write("for i in range(60_000):\n    print(i)")
    demo.start()
    assert demo.finish().startswith("ran in")
    assert demo.page.inner_text("#output .note") == "Further text is not shown."
    printed = demo.printed()
    assert printed == [str(i) for i in range(len(printed))]
    assert len(printed) > 30_000


def test_output_shows_its_beginning_or_the_error(demo: Demo) -> None:
    demo.write("print('the first line')\nfor i in range(200): print(i)\n[i * i for i in range(9)]")
    demo.start()
    demo.finish()
    assert demo.page.evaluate("document.getElementById('output').scrollTop") == 0
    demo.write("for i in range(200): print(i)\n1 / 0")
    demo.start()
    demo.finish()
    # Both in one step, since the page may be scrolling.
    pane, failure = demo.page.evaluate(
        "['#output', '.failure'].map((one) => document.querySelector(one).getBoundingClientRect())"
        ".map(({ top, bottom }) => [top, bottom])"
    )
    assert pane[0] <= failure[0] < pane[1]


def test_training_shows_its_progress_and_plots(demo: Demo) -> None:
    demo.run("training")
    page = demo.page
    label = page.inner_text("#output label")
    assert label.startswith("epoch 40 of 40") and "val_loss" in label
    assert page.locator("#output progress").count() == 1
    titles = page.locator("#output svg text").all_text_contents()
    assert {"loss", "val_loss", "What it learned", "data", "network"} <= set(titles)
    assert demo.printed() == []


def test_fine_tuning_changes_the_text(demo: Demo) -> None:
    demo.run("fine_tuning")
    first, before, second, after = demo.printed()
    for losses in (first, second):
        start, end = map(float, re.findall(r"[\d.]+", losses))
        assert end < 0.2 < 1 < start, losses
    assert (before, after) == ("the cat sat on the mat.", "the cat ate a rat today")
    titles = demo.page.locator("#output svg text").all_text_contents()
    assert {"Loss", "training", "fine-tuning with LoRA"} <= set(titles)


ACTING_HTML = """
class Shown:
    def _repr_html_(self):
        return (
            '<b id="x" onclick="alert(1)">bold</b><img src=x onerror="document.title=1">'
            '<script>document.title=1</script><a href="javascript:alert(1)">a</a>'
            '<svg><rect fill="url(https://example.org/)"/></svg><iframe srcdoc="x"></iframe>'
            '<img src="data:image/png;base64,AAAA">'
        )

Shown()
"""


def test_html_of_programs_cannot_run_scripts(demo: Demo) -> None:
    demo.write(ACTING_HTML)
    demo.start()
    demo.finish()
    assert demo.page.locator("#output .html").inner_html() == (
        '<b>bold</b><img><svg><rect></rect></svg><img src="data:image/png;base64,AAAA">'
    )
    assert demo.page.title() != "1"


REPLACING = """
import py_tensor as pt

for n in range(3):
    pt.show(pt.arange(n + 1), "row")
    pt.show(pt.ones((2, 2)), "square")
pt.show(pt.zeros((2, 3)))
pt.show(pt.ones((2, 3)))
for _ in pt.progress(range(3), "steps"):
    pass
"""


def test_output_with_the_same_title_is_replaced(demo: Demo) -> None:
    demo.write(REPLACING)
    demo.start()
    demo.finish()
    assert demo.page.locator("#output td").all_text_contents() == ["0", "1", "2"]
    assert demo.page.locator("#output canvas").count() == 3
    assert demo.page.inner_text("#output label").startswith("steps")
