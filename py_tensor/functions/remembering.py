"""Functions of several operations, whose nodes are made at once when they are called again.

Reading axes, paddings and the like takes longer than making nodes. So the operations that a call
led to are remembered by the specs of its tensors and its other arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ..dtypes import DType
from ..lifetime import state
from ..nodes import AGE, Call, Node
from ..tensor import Tensor
from .naming import named

LIMIT = 1024
"""Calls that a function remembers; it starts again when there are more."""
_PLAIN = (int, bool, str, DType, type(None))

Recipe = tuple[list[Node], list[tuple[Call, tuple[int, ...]]]]
"""Scalars, and operations with the places of their operands: the call's tensors, then the scalars,
then the operations before."""


def remembered[Function: Callable[..., Any]](function: Function) -> Function:
    """The function, remembering what calls with tensors, integers, names and shapes led to."""
    recipes: dict[tuple[Any, ...], Recipe] = {}
    own = named(function)

    @wraps(function)
    def recalled(*args: Any, **kwargs: Any) -> Any:
        key: list[Any] = []
        nodes: list[Any] = []
        for value in (*args, *kwargs, *kwargs.values()) if kwargs else args:
            kind = value.__class__
            if kind is Tensor:
                node = value._node
                # A tensor given again is another call than two that are alike.
                key.append(nodes.index(node) if node in nodes else node.spec)
                nodes.append(node)
            else:
                key.append(_types(value) if kind is tuple else kind)
                key.append(value)
        try:
            recipe = recipes.get(tuple(key))
        except TypeError:  # a list, say, is no key
            return own(*args, **kwargs)
        if recipe is None or state.observed:
            result = own(*args, **kwargs)
            if not state.observed and all(map(_is_plain, (*args, *kwargs.values()))):
                recipe = _recipe(result, nodes)
                if recipe is not None:
                    if len(recipes) >= LIMIT:
                        recipes.clear()
                    recipes[tuple(key)] = recipe
            return result
        scalars, operations = recipe
        nodes += scalars
        state.pending += len(operations) - 1
        for call, places in operations:
            nodes.append(Node(call, tuple([nodes[place] for place in places]), call.spec))
        return Tensor(nodes[-1])

    return recalled  # type: ignore[return-value]


def _types(value: tuple[Any, ...]) -> tuple[Any, ...]:
    """The types in nested tuples: (1, 1) equals (1.0, True), which may be an error."""
    return tuple([_types(v) if v.__class__ is tuple else v.__class__ for v in value])


def _is_plain(value: Any) -> bool:
    """A tensor, or something that equal keys are enough to tell from others."""
    if isinstance(value, Tensor):
        node = value._node
        # A traced number follows its own rules of promotion.
        return node.spec is not None and (node.call is not None or node.buffer is not None)
    if isinstance(value, tuple):
        return all(_is_plain(item) and not isinstance(item, Tensor) for item in value)
    return isinstance(value, _PLAIN)


def _recipe(result: Any, given: list[Node]) -> Recipe | None:
    """How the result's node is made of the given ones; None where something else went into it."""
    if not isinstance(result, Tensor) or result._node in given:
        return None
    scalars: list[Node] = []
    order: list[Node] = []
    seen = set(map(id, given))
    stack = [result._node]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        stack += node.srcs
        if node.call is not None:
            order.append(node)
        elif node.buffer is None:
            scalars.append(node)
        else:
            return None
    # As they were made the first time, or the same call would not give the same graph again.
    order.sort(key=AGE)
    place: dict[int, int] = {}
    for position, node in enumerate((*given, *scalars, *order)):
        place.setdefault(id(node), position)
    operations = [(node.call, tuple(place[id(src)] for src in node.srcs)) for node in order]
    return scalars, operations  # type: ignore[return-value]
