"""Trees as vectors, reductions of trees, and functions of paths."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from helpers import assert_raises, assert_spec, assert_values

import py_tensor as pt
from py_tensor import errors


class Pair(NamedTuple):
    left: object
    right: object


TREE = {"a": [np.float32([[1, 2], [3, 4]]), None], "b": Pair(np.float32(5), (np.float32([6]),))}


def tensors():
    return pt.tree_map(pt.asarray, TREE)


def test_ravel_pytree():
    flat, unravel = pt.ravel_pytree(tensors())
    assert_values(flat, np.arange(1, 7, dtype="float32"))
    back = unravel(flat * 2.0)
    assert_values(back["a"][0], TREE["a"][0] * 2)
    assert_values(back["b"].right[0], np.float32([12]))
    assert back["a"][1] is None
    assert_raises(
        errors.ShapeError,
        "ravel_pytree: vector does not fit; got shape (5,); give shape (6,)",
        lambda: unravel(pt.ones(5)),
    )
    assert pt.ravel_pytree({})[0].shape == (0,)


def test_dtypes_come_back():
    flat, unravel = pt.ravel_pytree([pt.asarray([1, 2]), pt.asarray([0.5])])
    assert_spec(flat, (3,), "float32")
    assert_values(unravel(flat)[0], np.int32([1, 2]))


def test_ravel_pytree_under_transformations():
    def loss(flat, unravel):
        return pt.sum(unravel(flat)["a"][0] ** 2)

    flat, unravel = pt.ravel_pytree(tensors())
    got = pt.jit(pt.grad(lambda flat: loss(flat, unravel)))(flat)
    assert_values(got, np.float32([2, 4, 6, 8, 0, 0]))


def test_tree_reduce():
    assert pt.tree_reduce(lambda a, b: a - b, [10, (1, 2)]) == 7
    assert pt.tree_reduce(lambda a, b: a + b, [], 5) == 5
    joined = pt.tree_reduce(lambda a, b: a + b, [[1], [2, 3]], is_leaf=lambda x: x != [[1], [2, 3]])
    assert joined == [1, 2, 3]


def test_tree_map_with_path():
    def named(path, leaf, other):
        return "".join(map(str, path)), [step.key for step in path], other

    others = {"a": ["x", "y"], "b": Pair(5, 6)}
    got = pt.tree_map_with_path(named, {"a": [1, 2], "b": Pair(3, 4)}, others)
    assert got["a"][1] == ("['a'][1]", ["a", 1], "y")
    assert got["b"].right == ("['b'].right", ["b", "right"], 6)


def test_namespaces_have_the_functions_under_names_of_jax():
    assert {f"tree_{name}" for name in pt.tree.__all__} == set(pt.tree_util.__all__)
    for name in pt.tree.__all__:
        function = getattr(pt, f"tree_{name}")
        assert getattr(pt.tree, name) is getattr(pt.tree_util, f"tree_{name}") is function
