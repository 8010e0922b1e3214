"""Slices added at indexed positions: found by linear search, or by sorting first."""

import numpy as np
import pytest
from helpers import assert_values
from numpy.testing import assert_allclose
from plans import kernels, leaf

import py_tensor as pt
from py_tensor.ops.gathers import SCATTER_ADD
from py_tensor.tensor import apply

# Shape of the slices, shape of the indices, axis, its length; all but a few are sorted.
CASES = {
    "a few": ((5, 3), (5,), 0, 4),
    "many": ((300, 8), (300,), 0, 2000),
    "features that fill no texel": ((300, 7), (300,), 0, 2000),
    "single numbers": ((900,), (900,), 0, 4000),
    "a middle axis": ((3, 300, 5), (300,), 1, 700),
    "indices of two axes": ((20, 15, 8), (20, 15), 0, 2000),
    "more than are ranked": ((2500, 4), (2500,), 0, 1500),
    "one place": ((400, 16), (400,), 0, 1000),
}


def expected(slices, places, axis, length):
    kept = (places >= 0) & (places < length)
    rows = slices.reshape(*slices.shape[:axis], places.size, *slices.shape[axis + places.ndim :])
    total = np.zeros((*rows.shape[:axis], length, *rows.shape[axis + 1 :]), np.float64)
    at = (slice(None),) * axis + (places[kept],)
    np.add.at(total, at, np.compress(kept.reshape(-1), rows, axis=axis))
    return total


def scattered(slices, places, axis, length):
    return apply(SCATTER_ADD, (pt.asarray(slices), pt.asarray(places)), (axis, length))


@pytest.mark.parametrize("name", CASES)
def test_values(name, rng):
    shape, indices, axis, length = CASES[name]
    slices = rng.standard_normal(shape).astype("float32")
    # Some indices are out of range; their slices are ignored.
    places = rng.integers(-2, 1 if name == "one place" else length + 2, indices).astype("int32")
    found = np.asarray(scattered(slices, places, axis, length))
    assert_allclose(found, expected(slices, places, axis, length), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32"])
def test_integers_wrap(dtype, rng):
    info = np.iinfo(dtype)
    slices = rng.integers(info.min, info.max, (300, 8), dtype=dtype)
    places = rng.integers(0, 2000, 300).astype("int32")
    total = np.zeros((2000, 8), dtype)
    np.add.at(total, places, slices)
    assert_values(scattered(slices, places, 0, 2000), total)


def test_float16_is_rounded_once():
    slices = np.full((2000, 4), 0.0625, "float16")
    slices[0] = 2048
    total = scattered(slices, np.zeros(2000, "int32"), 0, 3000)
    # Next to 2048, a float16 has steps of 2.
    assert total[0].tolist() == [2048 + 124.0] * 4
    assert pt.count_nonzero(total[1:]).item() == 0


def test_special_values_do_not_spread(rng):
    slices = np.ones((300, 8), "float32")
    slices[7], slices[8], slices[9] = np.nan, np.inf, -np.inf
    places = np.arange(300, dtype="int32") * 3
    places[9] = places[8] + 1
    total = np.asarray(scattered(slices, places, 0, 2000))
    assert np.isnan(total[21]).all()
    assert (total[24] == np.inf).all()
    assert (total[25] == -np.inf).all()
    assert np.isfinite(np.delete(total, [21, 24, 25], axis=0)).all()
    assert total.sum(where=np.isfinite(total)) == 297 * 8


def test_complex_numbers(rng):
    slices = (rng.standard_normal((300, 4)) + 1j * rng.standard_normal((300, 4))).astype(
        "complex64"
    )
    places = rng.integers(0, 2000, 300).astype("int32")
    total = np.zeros((2000, 4), "complex64")
    np.add.at(total, places, slices)
    assert_allclose(np.asarray(scattered(slices, places, 0, 2000)), total, rtol=1e-5, atol=1e-6)


def test_an_embedding_learns(rng):
    words = pt.asarray(rng.integers(-3000, 3000, (16, 32)).astype("int32"))
    table = pt.asarray(rng.standard_normal((3000, 12)).astype("float32"))
    weights = rng.standard_normal((16, 32, 12)).astype("float32")

    def loss(table):
        return pt.sum(pt.nn.embedding(words, table) * pt.asarray(weights))

    total = np.zeros((3000, 12))
    np.add.at(total, np.asarray(words) % 3000, weights)
    assert_allclose(np.asarray(pt.grad(loss)(table)), total, rtol=1e-5, atol=1e-5)


def test_many_positions_are_not_searched_linearly():
    slices, places = leaf(512, 8), leaf(512, dtype="int32")
    few = apply(SCATTER_ADD, (slices, places), (0, 4))
    assert [name.split()[0] for name in kernels(few)] == ["reduce"]
    many = apply(SCATTER_ADD, (slices, places), (0, 4096))
    names = kernels(many)
    # Sort, doubling nine times; the last entry of each position is looked up once.
    assert [name for name in names if name.startswith("reduce")] == ["reduce sum"] * 2
    assert names[-11:] == ["map add"] * 9 + ["map maximum", "map where"]
