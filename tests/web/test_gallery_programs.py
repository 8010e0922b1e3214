"""The gallery's programs are short, have a picture, and do what they say; they run on NumPy."""

from __future__ import annotations

import re

import numpy as np
import pytest
from gallery_programs import EXAMPLES, NAMES, PLAYGROUND, numpy_picture, small
from PIL import Image


@pytest.mark.parametrize("name", NAMES)
def test_program_is_short_and_has_a_picture(name: str) -> None:
    source = (EXAMPLES / f"{name}.py").read_text()
    assert len(source.splitlines()) < (70 if name == "material_points" else 40)
    assert "@pt.kernel" in source and "frame.x" in source
    with Image.open(PLAYGROUND / "thumbnails" / f"{name}.webp") as image:
        assert image.size == (160, 160)
        assert max(high - low for low, high in image.convert("RGB").getextrema()) > 100


def test_the_gallery_has_all_programs() -> None:
    text = (PLAYGROUND / "examples.js").read_text()
    listed = re.search(r"GALLERY = examples\(\{(.*?)\}\)", text, re.DOTALL)
    assert listed is not None
    assert sorted(re.findall(r"(\w+):", listed[1])) == NAMES
    assert {path.stem for path in (PLAYGROUND / "thumbnails").iterdir()} == {*NAMES}


def test_mandelbrot_set() -> None:
    side = 64
    picture = numpy_picture(small("mandelbrot", side, 1))
    at = (np.arange(side) / side - 0.5) * 2.6
    c = (at - 0.6) + 1j * at[:, None]
    z = np.zeros_like(c)
    for _ in range(300):
        z = np.where(abs(z) < 8, z * z + c, z)
    different = (picture.max(axis=2) == 0) != (abs(z) < 8)
    assert 0.1 < (abs(z) < 8).mean() < 0.4
    assert different.mean() < 0.01


def test_game_of_life() -> None:
    source = small("life", 32, 9)
    picture = numpy_picture(source)
    start: dict[str, np.ndarray] = {}
    before = source.partition("async for")[0].replace("from playground import frames\n", "")
    before = before.partition("@pt.kernel")[0] + "pt.random" + before.partition("pt.random")[2]
    exec(before, start)
    board = start["cells"].numpy()
    for _ in range(9):
        neighbours = sum(
            np.roll(board, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j
        )
        board = ((neighbours == 3) | ((board == 1) & (neighbours == 2))).astype(int)
    # A living cell's red is full, a dead one's has faded to 0.93 at least.
    np.testing.assert_array_equal(picture[..., 0] > 250, board == 1)


def test_gray_scott() -> None:
    source = small("gray_scott", 48, 3)
    picture = numpy_picture(source)
    start: dict[str, np.ndarray] = {}
    text = source.partition("pt.random")[2].partition("# Draw")[0]
    exec("import py_tensor as pt\nSIZE = 48\npt.random" + text, start)
    u, v = start["u"].numpy(), start["v"].numpy()
    for _ in range(3 * 8):
        r = u * v * v
        lap_u, lap_v = (
            sum(np.roll(x, shift, axis) for axis in (0, 1) for shift in (1, -1)) - 4 * x
            for x in (u, v)
        )
        u, v = u + 0.16 * lap_u - r + 0.035 * (1 - u), v + 0.08 * lap_v + r - 0.1 * v
    np.testing.assert_allclose(picture[..., 0] / 255, np.clip(1 - u, 0, 1), atol=0.01)
