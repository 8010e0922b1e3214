"""Short programs in the style of NumPy exercises give NumPy's values after changing the import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import py_tensor.numpy as ours

Program = Callable[[Any], Any]
PROGRAMS: dict[str, Program] = {}


def program(function: Program) -> Program:
    PROGRAMS[function.__name__] = function
    return function


@program
def border_of_ones(np):
    x = np.ones((6, 5))
    x[1:-1, 1:-1] = 0
    return x, np.pad(x, ((1,), (2,)), constant_values=7)


@program
def checkerboard(np):
    board = np.zeros((6, 8), dtype=int)
    board[1::2, ::2] = 1
    board[::2, 1::2] = 1
    return board, np.tile([[0, 1], [1, 0]], (3, 4)) == board


@program
def position_of_an_element(np):
    return np.unravel_index(100, (6, 7, 8)), np.nonzero([1, 2, 0, 0, 4, 0])


@program
def swapped_columns_and_rows(np):
    x = np.arange(12).reshape(3, 4)
    x[:, [0, 2]] = x[:, [2, 0]]
    x[(0, 1), :] = x[(1, 0), :]
    return x


@program
def negated_between_limits(np):
    x = np.arange(11)
    x[(x > 3) & (x < 8)] *= -1
    return x


@program
def whole_numbers_in_several_ways(np):
    x = np.linspace(0.3, 9.7, 12)
    return x - x % 1, x // 1, np.floor(x), x.astype(int), np.trunc(x)


@program
def polar_coordinates(np):
    points = np.array([[1.0, 2.0], [-3.0, 0.5], [0.0, -1.0]])
    x, y = points[:, 0], points[:, 1]
    return np.hypot(x, y), np.arctan2(y, x)


@program
def grid_of_fields(np):
    grid = np.zeros((3, 3), [("x", float), ("y", float)])
    grid["x"], grid["y"] = np.meshgrid(np.linspace(0, 1, 3), np.linspace(0, 2, 3))
    return grid["x"], grid["y"], grid[1, 2].tolist()


@program
def cauchy_matrix(np):
    x = np.arange(5.0)
    return np.linalg.det(1.0 / np.subtract.outer(x, x + 0.5))


@program
def closest_value(np):
    x = np.array([0.3, 4.5, 2.25, 9.0])
    return x[np.abs(x - 2.5).argmin()]


@program
def sum_by_an_iterator(np):
    it = np.nditer([np.arange(3).reshape(3, 1), np.arange(4).reshape(1, 4), None])
    for a, b, total in it:
        total[...] = a + b
    return it.operands[2]


@program
def gaussian_on_a_grid(np):
    x, y = np.meshgrid(np.linspace(-1, 1, 7), np.linspace(-1, 1, 7))
    return np.exp(-((np.hypot(x, y) - 0.1) ** 2) / 2)


@program
def rows_without_their_mean(np):
    x = np.arange(12.0).reshape(3, 4) ** 2
    return x - x.mean(axis=1, keepdims=True)


@program
def rows_in_the_order_of_a_column(np):
    x = np.array([[3, 1, 2], [9, 0, 4], [5, 7, 6]])
    return x[x[:, 1].argsort()]


@program
def additions_at_repeated_positions(np):
    z = np.ones(6)
    where = np.array([0, 2, 2, 5, 2])
    np.add.at(z, where, 1)
    return z, np.bincount(where, minlength=len(z)), np.bincount(where, weights=z[where])


@program
def diagonal_of_a_product(np):
    a, b = np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(3, 2)
    return np.diag(a @ b), np.sum(a * b.T, axis=1), np.einsum("ij,ji->i", a, b)


@program
def zeros_between_numbers(np):
    x = np.array([1, 2, 3, 4])
    result = np.zeros(len(x) + (len(x) - 1) * 3, dtype=int)
    result[::4] = x
    return result


@program
def edges_of_triangles(np):
    faces = np.array([[0, 1, 2], [2, 1, 3], [3, 0, 2]])
    edges = np.roll(faces.repeat(2, axis=1), -1, axis=1).reshape(-1, 2)
    return np.unique(np.sort(edges, axis=1), axis=0)


@program
def numbers_of_a_histogram(np):
    counts = np.bincount([1, 1, 2, 3, 4, 4, 6])
    return np.repeat(np.arange(len(counts)), counts)


@program
def moving_average(np):
    sums = np.cumsum(np.arange(20.0))
    sums[3:] = sums[3:] - sums[:-3]
    windows = np.lib.stride_tricks.sliding_window_view(np.arange(20.0), window_shape=3)
    return sums[2:] / 3, windows.mean(axis=-1)


@program
def rank_of_a_matrix(np):
    s = np.linalg.svd(np.array([[1.0, 2.0], [2.0, 4.0], [0.0, 0.0]]), compute_uv=False)
    return int(np.sum(s > 1e-5))


@program
def most_frequent_value(np):
    return np.bincount([1, 5, 5, 2, 5, 2]).argmax()


@program
def blocks_of_a_matrix(np):
    x = np.arange(64).reshape(8, 8)
    return np.add.reduceat(
        np.add.reduceat(x, np.arange(0, 8, 4), axis=0), np.arange(0, 8, 4), axis=1
    )


@program
def largest_values(np):
    z = np.array([5.0, 1.0, 9.0, 7.0, 3.0])
    return z[np.argsort(z)[-2:]], np.sort(z[np.argpartition(-z, 2)[:2]])


@program
def cartesian_product(np):
    arrays = [np.asarray(a) for a in ([1, 2, 3], [4, 5], [6, 7])]
    places = np.indices(len(a) for a in arrays).reshape(len(arrays), -1).T
    for at in range(len(arrays)):
        places[:, at] = arrays[at][places[:, at]]
    return places


@program
def rows_with_elements_of_another(np):
    a = np.arange(24).reshape(8, 3) % 5
    b = np.array([[0, 1], [2, 2]])
    found = a[..., np.newaxis, np.newaxis] == b
    return np.where(found.any((3, 1)).all(1))[0]


@program
def bits_of_integers(np):
    numbers = np.array([0, 1, 2, 3, 15, 16, 128], dtype=np.uint8)
    return np.unpackbits(numbers[:, np.newaxis], axis=1), (
        (numbers.reshape(-1, 1) & (2 ** np.arange(8))) != 0
    ).astype(int)[:, ::-1]


@program
def unique_rows(np):
    return np.unique(np.array([[0, 1], [1, 1], [0, 1], [1, 0]]), axis=0)


@program
def products_by_einsum(np):
    a, b = np.arange(4), np.arange(4) + 2
    return [np.einsum(f, *p) for f, p in (("i->", [a]), ("i,i->i", [a, b]), ("i,j->ij", [a, b]))]


@program
def points_on_a_spiral(np):
    phi = np.arange(0, 10 * np.pi, 0.5)
    # Lengths up to 48, because floats near 300 are 3e-5 apart, and so would be the coordinates.
    x, y = 0.1 * phi * np.cos(phi), 0.1 * phi * np.sin(phi)
    steps = (np.diff(x) ** 2 + np.diff(y) ** 2) ** 0.5
    length = np.zeros_like(x)
    length[1:] = np.cumsum(steps)
    even = np.linspace(0, length.max(), 20)
    return np.interp(even, length, x), np.interp(even, length, y)


@program
def rows_of_whole_numbers(np):
    x = np.array([[1.0, 0.0, 3.0, 8.0], [2.0, 0.0, 1.0, 1.0], [1.5, 2.5, 1.0, 0.0]])
    kept = np.logical_and.reduce(np.mod(x, 1) == 0, axis=-1)
    return x[kept & (x.sum(axis=-1) == 4)]


@program
def intervals_of_resampled_means(np):
    x = np.arange(50.0) ** 1.5
    rows = (np.arange(200)[:, None] * 7 + np.arange(50) ** 2) % 50
    return np.percentile(x[rows].mean(axis=1), [2.5, 97.5], method="median_unbiased")


def compare(got: Any, expected: Any) -> None:
    """Compare trees of results by value."""
    if isinstance(expected, tuple | list) and not hasattr(expected, "dtype"):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            compare(one, other)
        return
    got = numpy.asarray(got)
    assert got.shape == numpy.shape(expected)
    assert got.dtype.kind == numpy.asarray(expected).dtype.kind
    numpy.testing.assert_allclose(got, expected, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("name", PROGRAMS)
def test_exercises(name):
    compare(PROGRAMS[name](ours), PROGRAMS[name](numpy))
