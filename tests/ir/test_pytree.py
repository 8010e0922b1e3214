"""Trees of containers are flattened and rebuilt."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import InitVar, dataclass, field
from typing import Any

import pytest
from helpers import assert_raises

import py_tensor as pt
from py_tensor import errors
from py_tensor.ir import pytree

Point = namedtuple("Point", "x y")


@dataclass
class Layer:
    w: Any
    b: Any = None
    name: str = field(default="layer", metadata={"static": True})
    scale: InitVar[float] = 1.0

    def __post_init__(self, scale):
        self.w = self.w * scale


@dataclass(frozen=True, slots=True)
class Frozen:
    values: tuple


TREES = {
    "leaf": (5, [5]),
    "none": (None, []),
    "list": ([1, [2, 3], []], [1, 2, 3]),
    "tuple": ((1, (2,), ()), [1, 2]),
    "named tuple": (Point(1, Point(2, 3)), [1, 2, 3]),
    "dict": ({"b": 1, "a": {"c": 2}}, [1, 2]),
    "ordered dict": (OrderedDict(b=1, a=2), [1, 2]),
    "dataclass": (Layer([1, 2], 3, "first", scale=1), [1, 2, 3]),
    "frozen dataclass": (Frozen((1, Point(2, None))), [1, 2]),
    "text": (["ab", {3}], ["ab", {3}]),
    "class": (Layer, [Layer]),
    "other dict": (defaultdict(list), [defaultdict(list)]),
}


@pytest.mark.parametrize("name", TREES)
def test_round_trip(name):
    tree, leaves = TREES[name]
    got, structure = pt.tree_flatten(tree)
    assert got == leaves == pt.tree_leaves(tree)
    again = pt.tree_unflatten(structure, got)
    assert again == tree and type(again) is type(tree)
    assert pt.tree_flatten(again)[1] == structure
    assert hash(structure) == hash(pt.tree_flatten(again)[1])
    assert structure.builder()(got) == tree
    assert list(again) == list(tree) if isinstance(tree, dict) else True


def test_structures_differ():
    trees = [
        1, None, [1], (1,), [1, 2], [[1]], Point(1, 2), (1, 2), {"a": 1}, {"b": 1},
        OrderedDict(a=1), Layer(1), Layer(1, name="other"), Layer(1, 2), Frozen((1,)),
    ]  # fmt: skip
    structures = [pt.tree_flatten(tree)[1] for tree in trees]
    assert len(set(structures)) == len(trees)


def test_static_fields_of_other_types_differ():
    one, real, true = (pt.tree_flatten(Layer(0, name=name))[1] for name in (1, 1.0, True))
    assert one != real != true != one


def test_repr_of_structures():
    structure = pt.tree_flatten([1, {"a": (2, None)}, Layer(3)])[1]
    assert repr(structure) == "Structure([*, {'a': (*, None)}, Layer(w=*, b=None, name='layer')])"


def test_tensors_are_leaves():
    tree = {"w": pt.ones(2), "b": [pt.zeros(3)]}
    leaves = pt.tree_leaves(tree)
    assert leaves[0] is tree["w"] and leaves[1] is tree["b"][0]
    doubled = pt.tree_map(lambda x: x * 2, tree)
    assert doubled["w"].tolist() == [2, 2]


def test_containers_can_be_leaves():
    def is_list(value):
        return isinstance(value, list)

    tree = {"a": [1, 2], "b": ([], None)}
    assert pt.tree_flatten(tree, is_list)[0] == pt.tree_leaves(tree, is_list) == [[1, 2], []]
    assert pt.tree_map(len, tree, is_leaf=is_list) == {"a": 2, "b": (0, None)}
    got = pt.tree_map(lambda *values: values, tree, {"a": 3, "b": (4, None)}, is_leaf=is_list)
    assert got == {"a": ([1, 2], 3), "b": (([], 4), None)}


def test_paths():
    tree = [{"a": Layer(7, Point(1, 2))}, {4: 5}]
    paths = ["".join(map(str, path)) for path, _ in pytree.leaves_with_paths(tree)]
    assert paths == ["[0]['a'].w", "[0]['a'].b.x", "[0]['a'].b.y", "[1][4]"]
    assert pytree.leaf_names(tree) == ["0.a.w", "0.a.b.x", "0.a.b.y", "1.4"]
    [(path, leaf)] = pytree.leaves_with_paths({"a": tree}, lambda value: value is tree)
    assert leaf is tree and str(path[0]) == "['a']"


def test_map_over_several():
    params = {"w": 1, "b": [2, Point(3, None)]}
    got = pt.tree_map(lambda *values: values, params, {"b": [20, Point(30, None)], "w": [10]})
    assert got == {"w": (1, [10]), "b": [(2, 20), Point((3, 30), None)]}
    assert pt.tree_map(lambda a, b, c: a + b + c, (1, 2), (10, 20), (100, 200)) == (111, 222)


@pytest.mark.parametrize(
    ("tree", "other", "text"),
    [
        ([1, 2], [1], "a list of 1 instead of a list of 2"),
        ([1, 2], (1, 2), "a tuple of 2 instead of a list of 2"),
        ({"a": 1}, {"b": 1}, "a dict with keys ['b'] instead of a dict with keys ['a']"),
        ([1, [2]], [1, 2], "int instead of a list of 1"),
        ((1, None), (1, 2), "int instead of None"),
        (Layer(1), Layer(1, name="x"), "a Layer of 2 instead of a Layer of 2"),
    ],
)
def test_maps_over_different_structures_are_refused(tree, other, text):
    assert_raises(
        errors.ArgumentError,
        f"tree_map: structures differ; got {text}; use the containers of the first tree",
        lambda: pt.tree_map(max, tree, other),
    )


def test_wrong_numbers_of_leaves_are_refused():
    structure = pt.tree_flatten([1, (2,)])[1]
    for leaves in ([1], [1, 2, 3]):
        assert_raises(
            errors.ArgumentError,
            f"tree_unflatten: wrong number of leaves; got {len(leaves)} for Structure([*, (*,)]); "
            "pass 2",
            lambda leaves=leaves: pt.tree_unflatten(structure, leaves),
        )


@dataclass
class Counted:
    inner: Any
    seen: Any = field(default=None, metadata={"buffer": True})


def test_buffers_are_distinguished_from_parameters():
    tree = [1, Counted({"w": 2, "deep": Counted(3, 4)}, seen=(5, [6])), {"b": 7}]
    assert pytree.buffer_leaves(tree) == [False, False, False, True, True, True, False]
    assert len(pytree.buffer_leaves(tree)) == len(pt.tree_leaves(tree))
