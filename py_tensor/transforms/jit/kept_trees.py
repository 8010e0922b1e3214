"""What `jit` knows about modules that it was called with before.

Input: a module. Output: its leaves and its part of the cache key, as long as no module changes. A
language model has hundreds of tensors, and flattening it takes longer than computing a token.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ...ir.pytree import changes, open_node
from ...tensor import Tensor

_FIXED = frozenset((Tensor, bool, int, float, complex))
"""Classes of leaves that stay the same objects. The values of tensors may change."""


class KeyParts:
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
        return self is other or (isinstance(other, KeyParts) and self.parts == other.parts)


class KeptTree(NamedTuple):
    """Leaves of a module, their kinds when it was flattened, and its part of the key."""

    leaves: list[Any]
    kinds: list[Any]
    key: KeyParts


_kept: WeakKeyDictionary[Any, KeptTree | None] = WeakKeyDictionary()
"""Modules of earlier calls; None after one call, since a module in training has only that one."""
changes.append(_kept.clear)


def kept(tree: Any) -> KeptTree | None:
    """Return what is known about a module, None if nothing is or a tensor got another shape."""
    known = _kept.get(tree)
    return known if known is not None and kinds_of(known.leaves) == known.kinds else None


def keep(tree: Any, leaves: list[Any], key: KeyParts) -> None:
    """Keep the leaves and the key of a module from its second call on, if they cannot change."""
    if tree not in _kept:
        _kept[tree] = None
    elif _is_fixed(tree):
        _kept[tree] = KeptTree(leaves, kinds_of(leaves), key)


def kinds_of(leaves: list[Any]) -> list[Any]:
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
    is_fixed = tree is None or isinstance(tree, tuple) or announces_changes(kind)
    if not is_fixed:
        parameters = getattr(kind, "__dataclass_params__", None)
        is_fixed = parameters is not None and parameters.frozen
    return is_fixed and all(map(_is_fixed, opened[1]))


def announces_changes(kind: Any) -> bool:
    """Return True for classes of modules, whose assignments clear what is kept.

    Modules that compare by value cannot be keys.
    """
    return getattr(kind, "announces_changes", False) and kind.__hash__ is object.__hash__
