"""Tile layouts: writers and readers agree on positions, and block sizes suit the device."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from helpers import assert_values, products
from plans import DEVICE, leaf, plan_of

import py_tensor as pt
from py_tensor.compiler.textures.plan import viewport
from py_tensor.compiler.textures.tile_heuristics import tilings_of
from py_tensor.compiler.textures.tiles import Tiling
from py_tensor.runtime.executor import backend, runtime

SIDE = 4096


def named(number, name):
    return number


def written(tiling):
    """(x, y, layer) of each texel, by the position of its first element."""
    places = {}
    width, height = tiling.texture
    for y, x in product(range(height), range(width)):
        first, line, start = tiling.fragment(x, y, named)
        for row, i in product(range(tiling.height), range(tiling.texels)):
            m, n = start + tiling.row(row), 4 * (first + i * tiling.step)
            if line < tiling.lines and m < tiling.rows and n < tiling.columns:
                position = (line * tiling.rows + m) * tiling.columns + n
                assert position not in places, "two fragments write one texel"
                places[position] = (x, y, row * tiling.texels + i)
    return places


TILINGS = {
    "one matrix": Tiling(1, 19, 24, 8, 4, 4, SIDE),
    "texels in turn": Tiling(1, 19, 24, 4, 8, 2, SIDE),
    "stacked": Tiling(3, 7, 8, 4, 8, 1, SIDE),
    "lines of pixels": Tiling(10, 7, 12, 8, 4, 2, SIDE),
    "rows apart": Tiling(2, 40, 16, 4, 8, 2, SIDE, apart=8),
    "rows apart in steps": Tiling(1, 50, 16, 4, 4, 2, SIDE, apart=16),
    "rows in turn": Tiling(2, 19, 16, 4, 8, 2, SIDE, apart=1),
    "rows in turn by twos": Tiling(1, 37, 8, 8, 4, 2, SIDE, apart=2),
    "lines apart": Tiling(9, 11, 16, 8, 4, 2, SIDE, lines_apart=2),
    "chunks": Tiling(1, 5, 96, 1, 32, 4, SIDE, alternates=False),
    "folded, as it is high": Tiling(64, 9, 8, 4, 4, 4, 16),
    "folded, as it is wide": Tiling(2, 3, 400, 1, 4, 2, 16),
    "lines apart, folded": Tiling(40, 9, 8, 4, 4, 2, 16, lines_apart=4),
}


@pytest.mark.parametrize("tiling", TILINGS.values(), ids=TILINGS)
def test_readers_and_writers_agree_on_positions(tiling):
    places = written(tiling)
    elements = tiling.lines * tiling.rows * tiling.columns
    assert sorted(places) == list(range(0, elements, 4))
    assert {p: tiling.texel(p // 4, named) for p in places} == places


def chosen(tensor):
    (tiling,) = tilings_of(plan_of(tensor).lowered, 8, 8192).values()
    return tiling


def test_rows_are_strided_if_a_texture_stacks_them():
    assert chosen(leaf(512, 512) @ leaf(512, 512)).apart == 16
    assert chosen(leaf(512, 500) @ leaf(500, 512)).apart == 0


def test_lines_of_pixels_are_strided_likewise():
    filters = leaf(3, 3, 64, 64)
    assert chosen(pt.conv2d(leaf(1, 64, 64, 64), filters)).lines_apart == 2
    assert chosen(pt.conv2d(leaf(1, 56, 56, 64), filters)).lines_apart == 0


def test_a_small_result_has_small_blocks():
    tiling = chosen(leaf(5, 64) @ leaf(64, 8))
    assert tiling.height * tiling.width <= 8


def test_a_processor_has_large_blocks_even_for_small_results():
    processor = DEVICE._replace(on_processor=True)
    plan = plan_of(leaf(36, 96) @ leaf(96, 16), device=processor)
    assert chosen(leaf(36, 96) @ leaf(96, 16)).height == 1
    assert [viewport(draw) for draw in plan.draws] == [(2, 10), (16, 9)]


@pytest.fixture(params=[False, True], ids=["gpu", "processor"])
def either(request, monkeypatch):
    """Let devices run the kernels of a GPU and those of a processor, whatever computes them."""
    engine = backend()
    monkeypatch.setattr(runtime, "plans", {})
    if engine.name in ("webgl", "webgpu"):
        device = engine.device._replace(on_processor=request.param)
        monkeypatch.setattr(engine, "device", device)


PRODUCTS = [
    (64, 64, 64),
    (4, 1024, 8),
    (40, 8, 1024),
    (128, 16, 128),
    (17, 256, 512),
    (36, 96, 16),
    (33, 20, 40),
]


SHARED = [(24, 96), (96, 8), (8, 144)]
"""The texture of the first is 24 texels wide and holds six rows of 16 numbers side by side."""


@pytest.mark.parametrize("batch", [(), (3,)], ids=str)
@pytest.mark.parametrize("lengths", PRODUCTS, ids=str)
@pytest.mark.usefixtures("either")
def test_products_find_rows_in_textures_of_any_width(lengths, batch, rng):
    a, b, _, results = products(rng, *lengths, batch)
    results.append((pt.asarray(a) * 1.0) @ pt.asarray(b))
    pt.realize(*results)
    for result in results:
        assert_values(result, a @ b)


@pytest.mark.usefixtures("either")
def test_a_product_reads_a_texture_made_for_another(rng):
    x, w, v = (rng.integers(-4, 5, shape).astype("float32") for shape in SHARED)
    stored = pt.asarray(x) * 1.0
    results = stored @ pt.asarray(w), pt.asarray(v) @ stored.reshape((144, 16))
    # The layout of an internal value may suit its reader.
    del stored
    pt.realize(*results)
    assert_values(results[0], x @ w)
    assert_values(results[1], v @ x.reshape((144, 16)))


@pytest.mark.parametrize("shape", [(1, 16, 16, 8), (2, 12, 8, 16), (1, 9, 11, 4)], ids=str)
@pytest.mark.usefixtures("either")
def test_convolutions_in_blocks_of_either(shape, rng):
    x = rng.integers(-4, 5, shape).astype("float32")
    w = rng.integers(-4, 5, (3, 3, shape[3], 8)).astype("float32")
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2))
    wanted = np.einsum("bhwcij,ijco->bhwo", windows, w)
    assert_values(pt.conv2d(pt.asarray(x), pt.asarray(w)), wanted)


STRIDED = [(5, 2, 1), (4, 2, 1), (7, 3, 1), (4, 4, 2), (5, 2, 3), (20, 2, 1)]
"""Length of a kernel, stride and dilation."""


@pytest.mark.parametrize("window", STRIDED, ids=str)
@pytest.mark.parametrize("channels", [8, 1])
@pytest.mark.usefixtures("either")
def test_strided_convolutions_in_blocks_of_either(window, channels, rng):
    size, stride, dilation = window
    x = rng.integers(-4, 5, (2, 27, 29, channels)).astype("float32")
    w = rng.integers(-4, 5, (size, size, channels, 12)).astype("float32")
    reach = dilation * (size - 1) + 1
    windows = np.lib.stride_tricks.sliding_window_view(
        np.pad(x, ((0, 0), (2, 2), (2, 2), (0, 0))), (reach, reach), axis=(1, 2)
    )[:, ::stride, ::stride, :, ::dilation, ::dilation]
    wanted = np.einsum("bhwcij,ijco->bhwo", windows, w)
    got = pt.conv2d(pt.asarray(x), pt.asarray(w), stride=stride, dilation=dilation, padding=2)
    assert_values(got, wanted)


def test_taps_that_share_columns_are_read_once():
    draw, _ = plan_of(pt.conv2d(leaf(1, 256, 256, 4), leaf(5, 5, 4, 24), stride=2)).draws
    rows = draw.shader.source.split("for (int k", 1)[1]
    # 8 results in a row read 19 columns; one tap after the other would read 8 columns 5 times.
    found = re.findall(r"vec4 v\d+ = .*pt_texel0\(x\d+(?: \+ (\d+)| \+ I\[(\d+)\])?\)", rows)
    sizes = draw.shader.sizes[1]
    columns = [sizes[int(place)] if place else int(text or 0) for text, place in found]
    assert rows.count("for (int k") == 1, "over channels, not over taps"
    # Taps at even distances have 10 columns in common, which are read before the others.
    assert columns == [*range(0, 19, 2), *range(1, 18, 2)]
    last = f" + I[{sizes.index(18)}])"
    assert rows.index(last) < rows.index("= pt_texel1(") < rows.index(" + 1)")


def test_kernels_of_many_taps_are_loops():
    draw, _ = plan_of(pt.conv2d(leaf(1, 1, 4096, 4), leaf(1, 256, 4, 36), stride=64)).draws
    found = re.search(r"for \(int (k\d+) = 0; \1 < I\[(\d+)\]; \1\+\+\)", draw.shader.source)
    assert draw.shader.sizes[1][int(found[2])] == 256
    assert len(draw.shader.source.splitlines()) < 100


def test_row_between_two_products_is_contiguous():
    x, w = leaf(49, 96), leaf(96, 96)
    plan = plan_of(pt.relu(x @ w) @ w)
    assert [viewport(draw) for draw in plan.draws[1::2]] == [(24, 49), (64, 19)]
    assert [tiling.apart for tiling in tilings_of(plan.lowered, 8, 8192).values()] == [0, 1]


def test_operands_higher_than_any_texture_keep_their_layout():
    x, w = leaf(9000, 8), leaf(8, 8)
    plan = plan_of(pt.relu(x @ w) @ w)
    assert [viewport(draw)[0] for draw in plan.draws[1::2]] == [2048, 2048]


@pytest.mark.parametrize("shape", [(64, 256, 48), (33, 1024, 20), (300, 64, 12)], ids=str)
def test_products_with_strided_rows(shape, rng):
    rows, inner, columns = shape
    x = rng.random((rows, inner), dtype=np.float32)
    w = rng.random((inner, columns), dtype=np.float32)
    got = pt.asarray(x) @ pt.asarray(w)
    # Each of n additions of positive numbers rounds to 2**-24 of at most the result.
    assert_values(got, x @ w, rtol=inner * 2**-24)
