"""Elements as nested tuples and dicts of leaves; all else, lists of numbers included, is a leaf."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ArgumentError


def map_leaves(operation: str, function: Callable[..., Any], tree: Any, /, *others: Any) -> Any:
    """The containers of `tree`, with what `function` gives for the leaves in the same place.

    Raises ArgumentError where the trees differ in their containers.

    >>> map_leaves("batch", lambda *leaves: sum(leaves), (1, {"a": 2}), (10, {"a": 20}))
    (11, {'a': 22})
    """
    if isinstance(tree, dict):
        _check(operation, tree, others, lambda other: other.keys() == tree.keys())
        return {
            key: map_leaves(operation, function, child, *[other[key] for other in others])
            for key, child in tree.items()
        }
    if isinstance(tree, tuple):
        _check(operation, tree, others, lambda other: len(other) == len(tree))
        children = [
            map_leaves(operation, function, *group) for group in zip(tree, *others, strict=True)
        ]
        return tree._make(children) if hasattr(tree, "_make") else tuple(children)
    return function(tree, *others)


def _check(operation: str, tree: Any, others: Any, same: Callable[[Any], bool]) -> None:
    for other in others:
        if not isinstance(other, type(tree)) or not same(other):
            raise ArgumentError(
                f"{operation}: elements differ in their containers; got {_shown(tree)} and "
                f"{_shown(other)}; make all elements alike"
            )


def _shown(tree: Any) -> str:
    if isinstance(tree, dict):
        return f"a dict with keys {list(tree)}"
    return f"a tuple of {len(tree)}" if isinstance(tree, tuple) else f"a {type(tree).__name__}"
