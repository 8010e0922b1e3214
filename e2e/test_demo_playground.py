"""The demo's playground: every example is run and its result compared with NumPy's."""

import re

import numpy as np
import pytest
from demo_driver import Demo
from playwright.sync_api import Page

import py_tensor as pt

FIVE_DIGITS = 6e-5  # a table's cells are rounded to five digits


@pytest.fixture
def demo(page: Page, site_url: str) -> Demo:
    return Demo(page, site_url)


def uniform(seed: int, shape: tuple[int, ...]) -> np.ndarray:
    """The numbers that a program in the page draws with this seed."""
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
    assert demo.caption() == "shape (2, 3) · float32 · webgl"


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


def mandelbrot(height: int, width: int, steps: int) -> np.ndarray:
    """How many steps each point stays within the circle of radius 2, in float32."""
    re = np.linspace(-2.2, 0.8, width, dtype=np.float32)[None, :]
    im = np.linspace(-1.125, 1.125, height, dtype=np.float32)[:, None]
    x = y = np.zeros((height, width), np.float32)
    count = np.zeros((height, width), int)
    for _ in range(steps):
        inside = x * x + y * y < 4
        count += inside
        x, y = np.where(inside, x * x - y * y + re, x), np.where(inside, 2 * x * y + im, y)
    return count


def test_mandelbrot(demo: Demo) -> None:
    demo.run("mandelbrot")
    count = mandelbrot(360, 480, 96)
    wrong = demo.values() != count[20::40, 20::60]
    # Points on the set's edge turn on the last bit, which a GPU may round otherwise.
    assert wrong.mean() <= 0.05
    picture = demo.picture("Mandelbrot")
    assert picture.shape == (360, 480, 3)
    within = picture.max(axis=2) == 0
    assert (within != (count == 96)).mean() < 0.01


def life(board: np.ndarray) -> np.ndarray:
    neighbours = sum(
        np.roll(board, (down, right), (0, 1)) for down in (-1, 0, 1) for right in (-1, 0, 1)
    )
    return ((neighbours == 3) | ((neighbours == 4) & (board == 1))).astype(np.uint8)


def test_game_of_life(demo: Demo) -> None:
    demo.run("life")
    board = (uniform(4, (120, 180)) < 0.25).astype(np.uint8)
    for _ in range(300):
        board = life(board)
    assert demo.printed() == [f"alive after 300 generations: {board.sum()}"]
    # A living cell's red is full, a dead one's has faded to 0.93 at least.
    np.testing.assert_array_equal(demo.picture("Game of Life")[..., 0] > 250, board == 1)


def test_animation_runs_live_and_stops(demo: Demo) -> None:
    demo.choose("life")
    demo.start()
    demo.page.wait_for_selector("#output canvas")
    first = demo.picture("Game of Life")
    demo.page.wait_for_timeout(300)
    assert demo.page.inner_text("#run-status") == "running…"
    assert (demo.picture("Game of Life") != first).any()
    # The worker answers the photo lab while the program runs.
    demo.page.locator("[data-filter=sepia] input[type=checkbox]").check()
    demo.page.click("#stop")
    assert demo.finish().startswith("stopped after")
    assert demo.text().count("alive after") == 0


def test_stop_ends_a_program_that_never_pauses(demo: Demo) -> None:
    demo.write("print('on and on')\nwhile True:\n    pass")
    demo.start()
    demo.page.wait_for_timeout(200)
    demo.page.click("#stop")
    # The page may let the next program start just before it says so.
    demo.page.wait_for_selector("#run-status:text-is('stopped; Python is new')")
    demo.finish()
    assert "Python was ended and starts again" in demo.text()
    demo.run("arithmetic")
    assert demo.values().shape == (2, 3)
    demo.page.wait_for_function("document.querySelector('#stage canvas')?.width === 640")


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
    assert "texelFetch" in text


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


def test_text_streams_while_a_program_computes(demo: Demo) -> None:
    demo.write("import time\nfor i in range(4):\n    print('part', i)\n    time.sleep(0.5)")
    demo.start()
    demo.page.wait_for_function("document.getElementById('output').innerText.includes('part 1')")
    assert "part 3" not in demo.text()
    demo.finish()
    assert demo.printed() == [f"part {i}" for i in range(4)]
