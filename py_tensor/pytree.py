"""Trees of containers: taken apart into leaves and a structure, and put together again.

Containers are lists, tuples, named tuples, dicts and dataclass instances; None is one that holds
nothing. All else is a leaf. Comes in: a tree; goes out: its leaves from left to right, and a
`Structure` that can be compared and hashed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from operator import itemgetter
from types import NoneType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from .errors import ArgumentError

LEAF = None
"""What stands for a leaf among the parts of a structure."""

_DICTS = (dict, OrderedDict)


Part = tuple[type, Any, int]
"""A container: its class, what it has beside its children, and how many of those follow it.

Beside them, dicts have their keys and dataclasses their static fields.
"""


@dataclass(frozen=True)
class Structure:
    """A tree without its leaves: containers and leaves in the order of reading."""

    parts: tuple[Part | None, ...]

    def __repr__(self) -> str:
        return f"Structure({tree_unflatten(self, [_Star()] * self.count)})"

    @property
    def count(self) -> int:
        """How many leaves a tree of this structure has."""
        return self.parts.count(LEAF)

    def builder(self) -> Callable[[list[Any]], Any]:
        """A function that makes the tree out of a list of its leaves, quicker than unflattening."""
        first, *rest = self.parts
        if first is LEAF:
            return itemgetter(0)
        if first[0] in (list, tuple) and not any(rest):
            return first[0]
        return lambda leaves: _build(iter(self.parts), iter(leaves))


class _Star:
    """A leaf when a structure is shown."""

    def __repr__(self) -> str:
        return "*"


class _Fields(NamedTuple):
    """The names of a dataclass's fields: those that are children, and the static ones.

    Of the children, `buffers` are state that training does not change by gradients.
    """

    children: tuple[str, ...]
    static: tuple[str, ...]
    buffers: frozenset[str]


_fields: WeakKeyDictionary[type, _Fields] = WeakKeyDictionary()


def _fields_of(kind: type) -> _Fields | None:
    """The fields of a dataclass, None for other classes; remembered, since asking is slow."""
    if not hasattr(kind, "__dataclass_fields__"):
        return None
    found = _fields.get(kind)
    if found is None:
        static = [field.name for field in fields(kind) if field.metadata.get("static")]
        others = [field.name for field in fields(kind) if field.name not in static]
        buffers = [field.name for field in fields(kind) if field.metadata.get("buffer")]
        found = _fields[kind] = _Fields(tuple(others), tuple(static), frozenset(buffers))
    return found


def typed(value: Any) -> tuple[type, Any]:
    """A static value for comparison: 1, 1.0 and True are three."""
    return value.__class__, value


def _opened(tree: Any) -> tuple[Part, Iterable[Any]] | None:
    """A container as a part and its children; None for a leaf."""
    kind = tree.__class__
    if kind is list or kind is tuple:
        return (kind, None, len(tree)), tree
    if kind in _DICTS:
        return (kind, tuple(tree), len(tree)), tree.values()
    if tree is None:
        return (NoneType, None, 0), ()
    if isinstance(tree, tuple) and hasattr(kind, "_fields"):
        return (kind, None, len(tree)), tree
    names = _fields_of(kind)
    if names is None:
        return None
    fixed = tuple([typed(getattr(tree, name)) for name in names.static])
    children = [getattr(tree, name) for name in names.children]
    return (kind, fixed, len(children)), children


def walk(tree: Any, leaves: list[Any], parts: list[Part | None]) -> None:
    """Appends a tree's leaves and the parts of its structure to two lists."""
    opened = _opened(tree)
    if opened is None:
        leaves.append(tree)
        parts.append(LEAF)
        return
    part, children = opened
    parts.append(part)
    for child in children:
        walk(child, leaves, parts)


def tree_flatten(tree: Any) -> tuple[list[Any], Structure]:
    """The leaves of a tree, and its structure.

    Lists, tuples, named tuples, dicts and dataclasses are containers, and None holds nothing; all
    else is a leaf. Dataclass fields declared with `field(metadata={"static": True})` belong to the
    structure, and must be hashable where it is compared.

    >>> import py_tensor as pt
    >>> pt.tree_flatten({"a": 1, "b": (2, None)})
    ([1, 2], Structure({'a': *, 'b': (*, None)}))
    """
    leaves: list[Any] = []
    parts: list[Part | None] = []
    walk(tree, leaves, parts)
    return leaves, Structure(tuple(parts))


def tree_leaves(tree: Any) -> list[Any]:
    """The leaves of a tree, from left to right.

    >>> import py_tensor as pt
    >>> pt.tree_leaves([1, {"a": 2}, None, (3,)])
    [1, 2, 3]
    """
    return tree_flatten(tree)[0]


def leaf_names(tree: Any) -> list[str]:
    """For each leaf, the keys, indices and fields that lead to it, joined by dots.

    >>> leaf_names({"layers": [{"weight": 1, "bias": 2}], "step": 3})
    ['layers.0.weight', 'layers.0.bias', 'step']
    """
    found: list[str] = []
    _name(tree, (), found)
    return found


def _name(tree: Any, way: tuple[str, ...], found: list[str]) -> None:
    opened = _opened(tree)
    if opened is None:
        found.append(".".join(way))
        return
    (kind, fixed, count), children = opened
    names = _fields_of(kind)
    steps: Iterable[Any] = range(count)
    if kind in _DICTS:
        steps = fixed
    elif names:
        steps = names.children
    elif hasattr(kind, "_fields"):
        steps = kind._fields
    for step, child in zip(steps, children, strict=True):
        _name(child, (*way, str(step)), found)


def buffer_leaves(tree: Any) -> list[bool]:
    """For each leaf, whether it lies under a field declared `field(metadata={"buffer": True})`."""
    found: list[bool] = []
    _mark(tree, False, found)
    return found


def _mark(tree: Any, buffer: bool, found: list[bool]) -> None:
    opened = _opened(tree)
    if opened is None:
        found.append(buffer)
        return
    (kind, _, count), children = opened
    names = _fields_of(kind)
    marks = [name in names.buffers for name in names.children] if names else [False] * count
    for child, mark in zip(children, marks, strict=True):
        _mark(child, buffer or mark, found)


def tree_unflatten(structure: Structure, leaves: Iterable[Any]) -> Any:
    """The tree of a structure and its leaves, as `tree_flatten` gives them.

    Dataclasses are made without calling `__init__`. Raises ArgumentError for another number of
    leaves.

    >>> import py_tensor as pt
    >>> leaves, structure = pt.tree_flatten([1, (2, 3)])
    >>> pt.tree_unflatten(structure, [leaf * 10 for leaf in leaves])
    [10, (20, 30)]
    """
    given = list(leaves)
    if len(given) != structure.count:
        raise ArgumentError(
            f"tree_unflatten: number of leaves does not fit; got {len(given)} for {structure}; "
            f"give {structure.count}"
        )
    return _build(iter(structure.parts), iter(given))


def _build(parts: Iterator[Part | None], leaves: Iterator[Any]) -> Any:
    part = next(parts)
    if part is LEAF:
        return next(leaves)
    kind, fixed, count = part
    children = [_build(parts, leaves) for _ in range(count)]
    if kind is list:
        return children
    if kind is tuple:
        return tuple(children)
    if kind is NoneType:
        return None
    if kind in _DICTS:
        return kind(zip(fixed, children, strict=True))
    names = _fields_of(kind)
    if names is None:
        return kind(*children)
    result: Any = object.__new__(kind)
    for name, child in zip(names.children, children, strict=True):
        object.__setattr__(result, name, child)
    for name, (_, value) in zip(names.static, fixed, strict=True):
        object.__setattr__(result, name, value)
    return result


def tree_map(function: Callable[..., Any], tree: Any, /, *others: Any) -> Any:
    """A tree of the same structure, of what `function` gives for the leaves of `tree`.

    With more trees, `function` gets of each what lies in the same place, which may be a tree
    itself. Raises ArgumentError where one of them lacks that place.

    >>> import py_tensor as pt
    >>> params, grads = {"w": 1.0, "b": [2.0]}, {"w": 0.5, "b": [1.0]}
    >>> pt.tree_map(lambda p, g: p - g, params, grads)
    {'w': 0.5, 'b': [1.0]}
    """
    leaves, structure = tree_flatten(tree)
    columns = [leaves_at("tree_map", structure, other) for other in others]
    return tree_unflatten(structure, map(function, leaves, *columns))


def leaves_at(operation: str, structure: Structure, tree: Any) -> list[Any]:
    """What a tree has in the places of a structure's leaves, which may be trees or None.

    Raises ArgumentError where it lacks one of them.
    """
    found: list[Any] = []
    _match(operation, iter(structure.parts), tree, found)
    return found


def _match(operation: str, parts: Iterator[Part | None], tree: Any, found: list[Any]) -> None:
    """Appends what a tree has where the structure has leaves."""
    part = next(parts)
    if part is LEAF:
        found.append(tree)
        return
    opened = _opened(tree)
    kind, fixed, _ = part
    same_keys = kind in _DICTS and isinstance(tree, dict) and tree.keys() == set(fixed)
    if opened is None or not (same_keys or opened[0] == part):
        raise ArgumentError(
            f"{operation}: structures differ; got {_shown(tree)} in the place of "
            f"{_described(part)}; give trees that have the first one's containers"
        )
    children: Sequence[Any] = [tree[key] for key in fixed] if same_keys else list(opened[1])
    for child in children:
        _match(operation, parts, child, found)


def _shown(tree: Any) -> str:
    opened = _opened(tree)
    return f"a {type(tree).__name__}" if opened is None else _described(opened[0])


def _described(part: Part) -> str:
    kind, fixed, count = part
    if kind in _DICTS:
        return f"a {kind.__name__} with keys {list(fixed)}"
    return "None" if kind is NoneType else f"a {kind.__name__} of {count}"
