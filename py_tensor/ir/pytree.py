"""Trees of containers, flattened into leaves and a structure, and rebuilt from them.

Containers are lists, tuples, named tuples, dicts, dataclass instances and registered classes; None
is an empty container. Everything else is a leaf. Input: a tree. Output: its leaves from left to
right, and a `Structure` that can be compared and hashed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from operator import itemgetter
from types import NoneType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ..dtypes import wrong_type
from ..errors import ArgumentError

__all__ = ["tree_flatten", "tree_leaves", "tree_map", "tree_unflatten"]

LEAF = None
"""Marker of a leaf among the parts of a structure."""

_DICTS = (dict, OrderedDict)


KeyPart = tuple[type, Any, int]
"""A container as (class, static data, number of children).

The static data are the keys of a dict, the static fields of a dataclass, those that the functions
of a registered class return, and None for others.
"""


class Registration(NamedTuple):
    """Functions for the instances of a registered class."""

    flatten: Callable[[Any], tuple[Iterable[Any], Any]]
    unflatten: Callable[[Any, Iterable[Any]], Any]
    keys: Callable[[Any], Iterable[Any]] | None
    """Keys of the children; None if they are numbered."""


changes: list[Callable[[], None]] = []
"""Functions that modules call when a field is assigned: what is known about trees may be wrong."""
registered: dict[type, Registration] = {}
"""Functions by class, see `register_pytree_node`."""


class _Unhashable(NamedTuple):
    """Static data of a registered class that cannot be hashed, such as a dict."""

    data: Any

    def __hash__(self) -> int:
        return hash(type(self.data))


IsLeaf = Callable[[Any], bool]
"""Function that returns True for a container to treat as a leaf."""


@dataclass(frozen=True)
class Structure:
    """Tree without the values of its leaves; structures can be compared and hashed.

    `parts` are the containers and leaf markers, each container before its children.

    >>> import py_tensor as pt
    >>> structure = pt.tree_flatten([1, (2, 3)])[1]
    >>> structure.count
    3
    >>> structure == pt.tree_flatten([4, (5, 6)])[1]
    True
    """

    parts: tuple[KeyPart | None, ...]

    def __repr__(self) -> str:
        return f"Structure({tree_unflatten(self, [_Star()] * self.count)})"

    @property
    def count(self) -> int:
        """Number of leaves of a tree with this structure."""
        return self.parts.count(LEAF)

    @property
    def has_fields(self) -> bool:
        """True if a container is a dataclass instance."""
        return any(part is not LEAF and _fields_of(part[0]) is not None for part in self.parts)

    num_leaves = count

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """Return the tree with these leaves, see `tree_unflatten`."""
        return tree_unflatten(self, leaves)

    def builder(self) -> Callable[[list[Any]], Any]:
        """Return a function that builds the tree from a list of leaves.

        It pays for trees that are built often: the parts are read once.
        """
        return _builder(iter(self.parts), 0)[0]


class _Star:
    """Placeholder of a leaf in the repr of a structure."""

    def __repr__(self) -> str:
        return "*"


class _Fields(NamedTuple):
    """Names of a dataclass's fields: those that are children, and the static ones.

    `buffers` are the children that training does not update by gradients.
    """

    children: tuple[str, ...]
    static: tuple[str, ...]
    buffers: frozenset[str]


_fields: WeakKeyDictionary[type, _Fields] = WeakKeyDictionary()


def _fields_of(kind: type) -> _Fields | None:
    """Return the fields of a dataclass, None for other classes; cached, since this is slow."""
    if not hasattr(kind, "__dataclass_fields__"):
        return None
    names = _fields.get(kind)
    if names is None:
        static = [field.name for field in fields(kind) if field.metadata.get("static")]
        children = [field.name for field in fields(kind) if field.name not in static]
        buffers = [field.name for field in fields(kind) if field.metadata.get("buffer")]
        names = _fields[kind] = _Fields(tuple(children), tuple(static), frozenset(buffers))
    return names


class _Fixed:
    """A dataclass instance that has no hash, as a static value that compares by its fields."""

    def __init__(self, value: Any) -> None:
        self.value = value
        own = {field.name: getattr(value, field.name) for field in fields(value)}
        self.key = value.__class__, tuple([(name, typed(part)) for name, part in own.items()])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Fixed) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def typed(value: Any) -> tuple[type, Any]:
    """Return a static value with its class, so that 1, 1.0 and True compare as different."""
    kind = value.__class__
    if kind.__hash__ is None and hasattr(kind, "__dataclass_fields__"):
        return _Fixed, _Fixed(value)
    return kind, value


def open_node(tree: Any) -> tuple[KeyPart, Iterable[Any]] | None:
    """Return a container's part and its children; None for a leaf."""
    kind = tree.__class__
    if kind is list or kind is tuple:
        return (kind, None, len(tree)), tree
    if kind in _DICTS:
        return (kind, tuple(tree), len(tree)), tree.values()
    if tree is None:
        return (NoneType, None, 0), ()
    if kind in registered:
        parts, fixed = registered[kind].flatten(tree)
        parts = tuple(parts)
        try:
            hash(fixed)
        except TypeError:
            fixed = _Unhashable(fixed)
        return (kind, fixed, len(parts)), parts
    if isinstance(tree, tuple) and hasattr(kind, "_fields"):
        return (kind, None, len(tree)), tree
    names = _fields_of(kind)
    if names is None:
        return None
    fixed = tuple([typed(getattr(tree, name)) for name in names.static])
    children = [getattr(tree, name) for name in names.children]
    return (kind, fixed, len(children)), children


def walk(
    tree: Any, leaves: list[Any], parts: list[KeyPart | None], is_leaf: IsLeaf | None = None
) -> None:
    """Append a tree's leaves and the parts of its structure to two lists."""
    opened = None if is_leaf is not None and is_leaf(tree) else open_node(tree)
    if opened is None:
        leaves.append(tree)
        parts.append(LEAF)
        return
    part, children = opened
    parts.append(part)
    for child in children:
        walk(child, leaves, parts, is_leaf)


def tree_flatten(tree: Any, is_leaf: IsLeaf | None = None) -> tuple[list[Any], Structure]:
    """Return the leaves of a tree and its structure.

    Args:
        tree: Nested lists, tuples, named tuples, dicts and dataclass instances; None is an empty
            container. Everything else is a leaf.
        is_leaf: Function that returns True for containers to treat as leaves; None (default) for
            none.

    Returns:
        The list of leaves from left to right, and the `Structure`. Dataclass fields declared with
        `field(metadata={"static": True})` belong to the structure. They must be hashable if
        structures are compared.

    >>> import py_tensor as pt
    >>> pt.tree_flatten({"a": 1, "b": (2, None)})
    ([1, 2], Structure({'a': *, 'b': (*, None)}))
    >>> pt.tree_flatten({"a": [1, 2]}, is_leaf=lambda value: isinstance(value, list))
    ([[1, 2]], Structure({'a': *}))
    """
    if is_leaf is not None:
        _check_function("tree_flatten", "is_leaf", is_leaf)
    leaves: list[Any] = []
    parts: list[KeyPart | None] = []
    walk(tree, leaves, parts, is_leaf)
    return leaves, Structure(tuple(parts))


def tree_leaves(tree: Any, is_leaf: IsLeaf | None = None) -> list[Any]:
    """Return the leaves of a tree, from left to right.

    Args:
        tree: Nested lists, tuples, named tuples, dicts and dataclass instances; None is an empty
            container.
        is_leaf: Function that returns True for containers to treat as leaves; None (default) for
            none.

    Returns:
        List of everything in the tree that is not a container.

    >>> import py_tensor as pt
    >>> pt.tree_leaves([1, {"a": 2}, None, (3,)])
    [1, 2, 3]
    """
    if is_leaf is not None:
        _check_function("tree_leaves", "is_leaf", is_leaf)
    return tree_flatten(tree, is_leaf)[0]


def _check_function(operation: str, name: str, value: Any) -> None:
    if not callable(value):
        raise wrong_type(operation, name, "a function", value)


class PathStep(NamedTuple):
    """Step from a container to a child: a field's name, a key or an index."""

    key: Any
    is_field: bool = False
    is_buffer: bool = False

    @property
    def idx(self) -> Any:
        """Key under JAX's name for an index of a sequence."""
        return self.key

    @property
    def name(self) -> Any:
        """Key under JAX's name for a field."""
        return self.key

    def __str__(self) -> str:
        return f".{self.key}" if self.is_field else f"[{self.key!r}]"


def leaves_with_paths(
    tree: Any, is_leaf: IsLeaf | None = None, path: tuple[PathStep, ...] = ()
) -> Iterator[tuple[tuple[PathStep, ...], Any]]:
    """Iterate over the leaves of a tree from left to right, each with the path that leads to it.

    >>> [("".join(map(str, path)), leaf) for path, leaf in leaves_with_paths({"a": [1, 2]})]
    [("['a'][0]", 1), ("['a'][1]", 2)]
    """
    opened = None if is_leaf is not None and is_leaf(tree) else open_node(tree)
    if opened is None:
        yield path, tree
        return
    (kind, fixed, count), children = opened
    names = _fields_of(kind)
    own = names.children if names else getattr(kind, "_fields", None)
    keys: Iterable[Any] = fixed if kind in _DICTS else own or range(count)
    if kind in registered and (keys_of := registered[kind].keys) is not None:
        keys = keys_of(tree)
    buffers = names.buffers.union(_frozen_of(tree)) if names else ()
    for key, child in zip(keys, children, strict=True):
        step = (
            key
            if isinstance(key, PathStep)
            else PathStep(key, bool(own), bool(own) and key in buffers)
        )
        yield from leaves_with_paths(child, is_leaf, (*path, step))


def _frozen_of(tree: Any) -> tuple[str, ...]:
    """Return the names of fields that a module excludes from training."""
    frozen = getattr(tree, "frozen", ())
    return frozen if type(frozen) is tuple else ()


def leaf_names(tree: Any) -> list[str]:
    """Return the path of each leaf: the keys, indices and fields that lead to it, joined by dots.

    >>> leaf_names({"layers": [{"weight": 1, "bias": 2}], "step": 3})
    ['layers.0.weight', 'layers.0.bias', 'step']
    """
    return [".".join(str(step.key) for step in path) for path, _ in leaves_with_paths(tree)]


def buffer_leaves(tree: Any) -> list[bool]:
    """Return for each leaf True if it is in a field that training leaves as it is.

    That is a field declared `field(metadata={"buffer": True})`, or named by `frozen` of its module.
    """
    return [any(step.is_buffer for step in path) for path, _ in leaves_with_paths(tree)]


def tree_unflatten(structure: Structure, leaves: Iterable[Any]) -> Any:
    """Rebuild a tree from its structure and leaves; the inverse of `tree_flatten`.

    Args:
        structure: Structure that `tree_flatten` returned.
        leaves: Leaves from left to right, `structure.count` of them.

    Returns:
        Tree with these leaves. Dataclass instances are made without calling `__init__`.

    Raises:
        ArgumentError: If the number of leaves differs from `structure.count`.

    >>> import py_tensor as pt
    >>> leaves, structure = pt.tree_flatten([1, (2, 3)])
    >>> pt.tree_unflatten(structure, [leaf * 10 for leaf in leaves])
    [10, (20, 30)]
    """
    if not isinstance(structure, Structure):
        raise wrong_type(
            "tree_unflatten", "structure", "a Structure", structure, "tree_flatten(...)[1]"
        )
    try:
        iterator = iter(leaves)
    except TypeError:
        raise wrong_type("tree_unflatten", "leaves", "an iterable", leaves, "a list") from None
    values = list(iterator)
    if len(values) != structure.count:
        raise ArgumentError(
            f"tree_unflatten: wrong number of leaves; got {len(values)} for {structure}; pass "
            f"{structure.count}"
        )
    return _build(iter(structure.parts), iter(values))


def _build(parts: Iterator[KeyPart | None], leaves: Iterator[Any]) -> Any:
    part = next(parts)
    if part is LEAF:
        return next(leaves)
    kind, fixed, count = part
    return _container(kind, fixed, [_build(parts, leaves) for _ in range(count)])


def _builder(parts: Iterator[KeyPart | None], start: int) -> tuple[Callable[[list[Any]], Any], int]:
    """Return a function that builds the next subtree from all leaves, and the end of its leaves.

    The subtree's leaves begin at `start`.
    """
    part = next(parts)
    if part is LEAF:
        return itemgetter(start), start + 1
    kind, fixed, count = part
    builders, end = [], start
    for _ in range(count):
        builder, end = _builder(parts, end)
        builders.append(builder)
    if all(type(builder) is itemgetter for builder in builders):
        return lambda leaves: _container(kind, fixed, leaves[start:end]), end
    return lambda leaves: _container(kind, fixed, [build(leaves) for build in builders]), end


def _container(kind: type, fixed: Any, children: list[Any]) -> Any:
    """Return a container with these children; it may be the list of the children itself."""
    if kind is list:
        return children
    if kind is tuple:
        return tuple(children)
    if kind is NoneType:
        return None
    if kind in _DICTS:
        return kind(zip(fixed, children, strict=True))
    if kind in registered:
        data = fixed.data if type(fixed) is _Unhashable else fixed
        return registered[kind].unflatten(data, tuple(children))
    names = _fields_of(kind)
    if names is None:
        return kind(*children)
    result: Any = object.__new__(kind)
    for name, child in zip(names.children, children, strict=True):
        object.__setattr__(result, name, child)
    for name, (own, value) in zip(names.static, fixed, strict=True):
        object.__setattr__(result, name, value.value if own is _Fixed else value)
    return result


def tree_map(
    function: Callable[..., Any], tree: Any, /, *others: Any, is_leaf: IsLeaf | None = None
) -> Any:
    """Apply a function to every leaf of a tree.

    Args:
        function: Called with each leaf of `tree`, and with the value of each of `others` at the
            same place. If `tree` has dataclass instances, for example modules, it is called once
            for leaves that are the same objects, so that shared parameters stay shared. So they do
            inside `jit`, `vmap` and loops, where they are one traced tensor.
        tree: Tree that gives the structure of the result.
        others: More trees with the containers of `tree`. At the place of a leaf they may have a
            leaf or a tree.
        is_leaf: Function that returns True for containers of `tree` to treat as leaves; None
            (default) for none.

    Returns:
        Tree of the same structure as `tree`, with the results of `function` as leaves.

    Raises:
        ArgumentError: If one of `others` lacks a place that `tree` has.

    >>> import py_tensor as pt
    >>> params, grads = {"w": 1.0, "b": [2.0]}, {"w": 0.5, "b": [1.0]}
    >>> pt.tree_map(lambda p, g: p - g, params, grads)
    {'w': 0.5, 'b': [1.0]}
    """
    return map_trees("tree_map", function, is_leaf, tree, *others)


def map_trees(
    operation: str, function: Callable[..., Any], is_leaf: IsLeaf | None, tree: Any, *trees: Any
) -> Any:
    """Apply a function to the corresponding leaves of trees; `operation` is the caller's name."""
    _check_function(operation, "function", function)
    if is_leaf is not None:
        _check_function(operation, "is_leaf", is_leaf)
    leaves, structure = tree_flatten(tree, is_leaf)
    columns = [leaves_at(operation, structure, other) for other in trees]
    if not structure.has_fields:
        return tree_unflatten(structure, map(function, leaves, *columns))
    # A model may have a parameter in several places, which has to stay one parameter.
    rows = list(zip(leaves, *columns, strict=True))
    results: dict[tuple[int, ...], Any] = {}
    for row in rows:
        key = tuple(map(id, row))
        if key not in results:
            results[key] = function(*row)
    return tree_unflatten(structure, [results[tuple(map(id, row))] for row in rows])


def leaves_at(operation: str, structure: Structure, tree: Any) -> list[Any]:
    """Return the values of a tree at the places of a structure's leaves; they may be trees or None.

    Raise ArgumentError if the tree lacks one of these places.
    """
    values: list[Any] = []
    _match(operation, iter(structure.parts), tree, values)
    return values


def _match(operation: str, parts: Iterator[KeyPart | None], tree: Any, values: list[Any]) -> None:
    """Append the values of a tree at the places of the structure's leaves to `found`."""
    part = next(parts)
    if part is LEAF:
        values.append(tree)
        return
    opened = open_node(tree)
    kind, fixed, _ = part
    same_keys = kind in _DICTS and isinstance(tree, dict) and tree.keys() == set(fixed)
    if opened is None or not (same_keys or opened[0] == part):
        raise ArgumentError(
            f"{operation}: structures differ; got {_shown(tree)} instead of {_described(part)}; "
            "use the containers of the first tree"
        )
    children: Sequence[Any] = [tree[key] for key in fixed] if same_keys else list(opened[1])
    for child in children:
        _match(operation, parts, child, values)


def _shown(tree: Any) -> str:
    opened = open_node(tree)
    return type(tree).__name__ if opened is None else _described(opened[0])


def _described(part: KeyPart) -> str:
    kind, fixed, count = part
    if kind in _DICTS:
        return f"a {kind.__name__} with keys {list(fixed)}"
    return "None" if kind is NoneType else f"a {kind.__name__} of {count}"
