"""Leaves of the arguments of a jitted function, and their parts of the cache key.

Input: an argument. Output: its leaves and its part of the key, appended to lists. Those of a module
are kept as long as no module changes: a language model has hundreds of tensors, and flattening it
takes longer than computing a token.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ...errors import ArgumentError
from ...ir.pytree import changes, open_node
from ...tensor import Tensor, as_tensor
from ..subgraph import first_places

KINDS: tuple[Any, ...] = (bool, int, float, complex)
"""Classes of numbers; a bool is an int, too, and comes first."""
_NUMBERS = frozenset(KINDS)
_FIXED = frozenset((Tensor, *KINDS))
"""Classes of leaves that stay the same objects. The values of tensors may change."""
Refuse = Callable[[object, int | str], ArgumentError]
"""Function that returns the error about a leaf, given the position or name of its argument."""


def add_argument(
    arg: Any, parameter: int | str, key: list[object], leaves: list[object], refuse: Refuse
) -> None:
    """Append the leaves of an argument, and its part of the cache key."""
    is_module = _announces_changes(arg.__class__)
    known = _known(arg) if is_module else None
    if known is not None:
        key.append(known.key)
        leaves.extend(known.leaves)
        return
    own: list[object] = []
    parts: list[object] = []
    if _add_tree(arg, parameter, parts, own, refuse):
        _merge_shared(own, parts)
    leaves.extend(own)
    if not is_module:
        key.extend(parts)
        return
    joined = _KeyParts(tuple(parts))
    key.append(joined)
    _keep(arg, own, joined)


def _add_tree(
    tree: Any, parameter: int | str, key: list[object], leaves: list[object], refuse: Refuse
) -> bool:
    """Add the leaves of a tree; return True if it has a dataclass instance, as a model is."""
    kind = tree.__class__
    if kind is Tensor:
        leaves.append(tree)
        key.append(tree._node.spec)
        return False
    if kind in _NUMBERS:
        leaves.append(tree)
        key.append(kind)
        return False
    opened = open_node(tree)
    if opened is None:
        _add_other(tree, parameter, key, leaves, refuse)
        return False
    part, children = opened
    has_fields = hasattr(kind, "__dataclass_fields__")
    key.append(part)
    for child in children:
        # Most children are tensors; handling them here saves a call for each.
        if child.__class__ is Tensor:
            leaves.append(child)
            key.append(child._node.spec)
        elif _add_tree(child, parameter, key, leaves, refuse):
            has_fields = True
    return has_fields


def _add_other(
    leaf: object, parameter: int | str, key: list[object], leaves: list[object], refuse: Refuse
) -> None:
    """Add a number of a subclass or an array; raise ArgumentError for anything else."""
    kind: Any = next((number for number in KINDS if isinstance(leaf, number)), None)
    if kind is None and hasattr(leaf, "__array__"):
        tensor = as_tensor("jit", leaf)
        leaves.append(tensor)
        key.append(tensor._spec)
        return
    if kind is None:
        raise refuse(leaf, parameter)
    leaves.append(kind(leaf))
    key.append(kind)


def _merge_shared(leaves: list[object], key: list[object]) -> None:
    """Keep one leaf of each tensor that a model has several times; add the places to the key."""
    if len(set(map(id, leaves))) == len(leaves):
        return
    firsts = first_places(leaves, True)
    different = [leaf for at, leaf in enumerate(leaves) if firsts[at] == at]
    if len(different) < len(leaves):
        leaves[:] = different
        key.append(tuple(firsts))


# --- modules of earlier calls ---------------------------------------------------------------------


class _KeyParts:
    """Part of a cache key, which computes its hash once."""

    __slots__ = ("_hash", "parts")

    def __init__(self, parts: tuple[object, ...]) -> None:
        self.parts = parts
        self._hash: int | None = None

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.parts)
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, _KeyParts) and self.parts == other.parts)


class _KeptTree(NamedTuple):
    """Leaves of a module, their kinds when it was flattened, and its part of the key."""

    leaves: list[Any]
    kinds: list[Any]
    key: _KeyParts


_kept: WeakKeyDictionary[Any, _KeptTree | None] = WeakKeyDictionary()
"""Modules of earlier calls; None after one call, since a module in training has only that one."""


def _forget() -> None:
    """Forget all modules. Constructors, which assign most, mostly find none."""
    if _kept:
        _kept.clear()


changes.append(_forget)


def _known(tree: Any) -> _KeptTree | None:
    """Return what is known about a module, None if nothing is or a tensor got another shape."""
    known = _kept.get(tree)
    return known if known is not None and _kinds_of(known.leaves) == known.kinds else None


def _keep(tree: Any, leaves: list[Any], key: _KeyParts) -> None:
    """Keep the leaves and the key of a module from its second call on, if they cannot change."""
    if tree not in _kept:
        _kept[tree] = None
    elif _is_fixed(tree):
        _kept[tree] = _KeptTree(leaves, _kinds_of(leaves), key)


def _kinds_of(leaves: list[Any]) -> list[Any]:
    """Return the specs of tensors, and the classes of numbers."""
    return [leaf._node.spec if leaf.__class__ is Tensor else leaf.__class__ for leaf in leaves]


def _is_fixed(tree: Any) -> bool:
    """Return True if parts of a tree can be replaced only by assigning to fields of modules."""
    kind = tree.__class__
    if kind in _FIXED:
        return True
    opened = open_node(tree)
    if opened is None:
        return False
    is_fixed = tree is None or isinstance(tree, tuple) or _announces_changes(kind)
    if not is_fixed:
        parameters = getattr(kind, "__dataclass_params__", None)
        is_fixed = parameters is not None and parameters.frozen
    return is_fixed and all(map(_is_fixed, opened[1]))


def _announces_changes(kind: Any) -> bool:
    """Return True for classes of modules, whose assignments clear what is kept.

    Modules that compare by value cannot be keys.
    """
    return getattr(kind, "announces_changes", False) and kind.__hash__ is object.__hash__
