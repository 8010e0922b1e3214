"""`pt.checkpoint`: less memory in training, for computing a part of the forward pass twice."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ..lifetime import state
from ..nodes import Node, tapes
from ..pytree import tree_leaves
from ..tensor import Tensor
from .regions import Region, mark


def checkpoint[Function: Callable[..., Any]](function: Function) -> Function:
    """The function, whose inner values are computed again when gradients need them.

    They need not be kept from the forward pass until then, which takes less memory and more time.
    Results and gradients are those of the function itself, random numbers included. Raises what the
    function raises.

    >>> import py_tensor as pt
    >>> block = pt.checkpoint(lambda x: pt.exp(pt.sin(x)))
    >>> round(pt.grad(block)(0.0).item(), 6)
    1.0
    """

    @wraps(function)
    def checkpointed(*args: Any, **kwargs: Any) -> Any:
        if not tapes:
            return function(*args, **kwargs)
        before = {id(node): node for node in state.live.values()}
        result = function(*args, **kwargs)
        leaves = [leaf._node for leaf in tree_leaves(result) if isinstance(leaf, Tensor)]
        mark(tapes, Region(_between(before, leaves)))
        return result

    return checkpointed  # type: ignore[return-value]


def _between(before: dict[int, Node], results: list[Node]) -> dict[int, Node]:
    """The pending nodes behind the results, up to those that were there before."""
    found: dict[int, Node] = {}
    stack = [*results]
    while stack:
        node = stack.pop()
        if node.call is not None and id(node) not in found and id(node) not in before:
            found[id(node)] = node
            stack += node.srcs
    return found
