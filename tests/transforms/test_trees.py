"""Trees as vectors, reductions of trees, and functions of paths."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
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
    names = {f"tree_{name}" for name in pt.tree.__all__}
    assert names == {name for name in pt.tree_util.__all__ if name.startswith("tree_")}
    for name in pt.tree.__all__:
        function = getattr(pt.tree_util, f"tree_{name}")
        assert getattr(pt.tree, name) is function is getattr(pt, f"tree_{name}", function)


class Special:
    def __init__(self, x, y, name="s"):
        self.x, self.y, self.name = x, y, name


pt.tree_util.register_pytree_node(
    Special, lambda v: ((v.x, v.y), v.name), lambda name, children: Special(*children, name)
)


def test_registered_classes_are_containers():
    tree = [Special(1, [2, 3], "a"), 4]
    assert pt.tree.leaves(tree) == [1, 2, 3, 4]
    doubled = pt.tree.map(lambda leaf: 2 * leaf, tree)
    assert (doubled[0].x, doubled[0].y, doubled[0].name) == (2, [4, 6], "a")
    assert pt.tree.structure(tree) != pt.tree.structure([Special(1, [2, 3], "b"), 4])
    paths = [pt.tree_util.keystr(path) for path, _ in pt.tree.leaves_with_path(tree)]
    assert paths == ["[0][0]", "[0][1][0]", "[0][1][1]", "[1]"]


def test_registered_classes_work_in_transformations():
    value = Special(pt.asarray(2.0), pt.asarray([1.0, 3.0]))
    gradient = pt.jit(pt.grad(lambda v: pt.sum(v.x * v.y)))(value)
    assert type(gradient) is Special
    assert (gradient.x.item(), gradient.y.tolist()) == (4.0, [2.0, 2.0])
    mapped = pt.vmap(lambda v: v.x + v.y)(Special(pt.asarray([1.0, 2.0]), pt.asarray([3.0, 4.0])))
    assert mapped.tolist() == [4.0, 6.0]


def test_registered_dataclass_has_chosen_fields():
    @partial(pt.tree_util.register_dataclass, data_fields=["w"], meta_fields=["name"])
    @dataclass
    class Layer:
        w: Any
        name: str

    layer = Layer(pt.asarray(3.0), "dense")
    scaled = pt.jit(lambda layer: pt.tree.map(lambda w: w * 2.0, layer))(layer)
    assert (scaled.w.item(), scaled.name) == (6.0, "dense")
    (path, _), *rest = pt.tree.leaves_with_path(layer)
    assert (pt.tree_util.keystr(path), rest) == (".w", [])


def test_transposed_trees():
    rows = [{"x": 1, "y": (2, 3)}, {"x": 4, "y": (5, 6)}]
    outer, inner = pt.tree.structure([0, 0]), pt.tree.structure(rows[0])
    expected = {"x": [1, 4], "y": ([2, 5], [3, 6])}
    assert pt.tree.transpose(outer, inner, rows) == expected
    assert pt.tree.transpose(outer, None, rows) == expected
    with pytest.raises(errors.ArgumentError, match="structures differ"):
        pt.tree.transpose(outer, inner, [{"x": 1}, {"x": 2}])


def test_partial_is_a_container():
    add = pt.tree_util.Partial(pt.add, pt.asarray(2.0))
    assert pt.jit(lambda f, x: f(x))(add, 3.0).item() == 5.0


def test_static_data_need_not_be_hashable():
    class Scaled:
        def __init__(self, x, options):
            self.x, self.options = x, options

    pt.tree_util.register_pytree_node(
        Scaled, lambda v: ((v.x,), v.options), lambda options, children: Scaled(*children, options)
    )
    twice = pt.jit(lambda v: v.x * v.options["factor"])
    assert twice(Scaled(3.0, {"factor": 2})) == 6.0
    assert twice(Scaled(3.0, {"factor": 5})) == 15.0
