"""Arithmetic of bool tensors gives what NumPy gives."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import py_tensor as pt

M = np.array([[True, False, True], [False, False, True]])
N = np.array([True, True, False])
OPERATORS = {
    **{"+": operator.add, "*": operator.mul, "&": operator.and_, "|": operator.or_},
    **{"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge},
    **{"^": operator.xor, "==": operator.eq, "@": operator.matmul},
}


def assert_same(got, expected):
    got = np.asarray(got)
    np.testing.assert_array_equal(got, expected)
    assert got.dtype.kind == np.asarray(expected).dtype.kind


@pytest.mark.parametrize("symbol", OPERATORS)
def test_operators_of_masks(symbol):
    apply = OPERATORS[symbol]
    for _ in range(2):  # the second call is recalled
        assert_same(apply(pt.asarray(M), pt.asarray(N)), apply(M, N))
    if symbol != "@":
        assert_same(apply(pt.asarray(M), True), apply(M, True))
        assert_same(apply(False, pt.asarray(M)), apply(False, M))


def test_masks_and_numbers():
    m = pt.asarray(M)
    assert_same(m * 2, M * 2)
    assert_same(m + 1.5, M + 1.5)
    assert_same(m * pt.asarray(N.astype("float32")), M * N.astype("float32"))


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum"])
def test_functions_of_masks(name):
    assert_same(getattr(pt, name)(pt.asarray(M), pt.asarray(N)), getattr(np, name)(M, N))
    expected = getattr(np, name)(M, [True, False, False])
    assert_same(getattr(pt, name)(pt.asarray(M), [True, False, False]), expected)
    assert_same(getattr(pt, name).outer(N, N), getattr(np, name).outer(N, N))


def test_masks_are_changed_in_place():
    m, expected = pt.asarray(M), M.copy()
    m *= pt.asarray(N)
    expected *= N
    m[0] += N
    expected[0] += N
    assert_same(m, expected)


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin", "sum", "prod", "any", "all"])
def test_reductions_of_masks(name, axis):
    assert_same(getattr(pt, name)(pt.asarray(M), axis=axis), getattr(np, name)(M, axis=axis))


def test_initial_and_where_of_reductions_of_masks():
    assert_same(pt.max(pt.asarray(M), axis=1, initial=True), M.max(axis=1, initial=True))
    expected = M.min(axis=1, initial=True, where=N)
    assert_same(pt.min(pt.asarray(M), axis=1, initial=True, where=N), expected)
    with pytest.raises(pt.errors.ShapeError, match="max: no elements along axis"):
        pt.max(pt.zeros((0, 2), dtype="bool"), axis=0)


def test_reachability_by_products_of_masks():
    edges = np.zeros((4, 4), "bool")
    edges[[0, 1, 2], [1, 2, 3]] = True
    reached = pt.asarray(edges)
    for _ in range(3):
        reached = reached + reached @ reached
    assert_same(reached, np.triu(np.ones((4, 4), "bool"), 1))
    assert_same(pt.dot(pt.asarray(N), pt.asarray(N)), np.dot(N, N))
    assert_same(pt.outer(N, N), np.outer(N, N))


@pytest.mark.host
def test_masks_cannot_be_subtracted():
    with pytest.raises(pt.errors.DTypeError, match="subtract: dtype bool is not numeric"):
        pt.asarray(M) - pt.asarray(N)
