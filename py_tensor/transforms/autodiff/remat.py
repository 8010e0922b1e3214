"""Define `pt.checkpoint`: save memory in training by recomputing parts of the forward pass."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from ...functions.arguments import function_of
from ...ir.node import OpNode, lock, own_tapes, pending_handles
from ...ir.pytree import tree_leaves
from ...tensor import Tensor
from .remat_clones import RematRegion, mark


def checkpoint[Function: Callable[..., Any]](function: Function) -> Function:
    """Recompute a function's intermediate values in the backward pass instead of keeping them.

    This saves memory and costs time (rematerialization). Results and gradients are unchanged, also
    if the function draws random numbers.

    Args:
        function: Function of tensors, numbers or trees of these.

    Returns:
        Function with the same arguments, results and errors.

    >>> import py_tensor as pt
    >>> block = pt.checkpoint(lambda x: pt.exp(pt.sin(x)))
    >>> round(pt.grad(block)(0.0).item(), 6)
    1.0
    """

    function_of("checkpoint", "function", function)

    @wraps(function)
    def checkpointed(*args: object, **kwargs: object) -> Any:
        if not own_tapes():
            return function(*args, **kwargs)
        with lock:
            before = {id(node): node for node in pending_handles()}
        result = function(*args, **kwargs)
        leaves = [leaf._node for leaf in tree_leaves(result) if isinstance(leaf, Tensor)]
        mark(own_tapes(), RematRegion(_between(before, leaves)))
        return result

    return cast("Function", checkpointed)


def _between(before: dict[int, OpNode], results: list[OpNode]) -> dict[int, OpNode]:
    """Return the pending nodes on which the results depend and which did not exist before."""
    between: dict[int, OpNode] = {}
    stack = [*results]
    while stack:
        node = stack.pop()
        if node.call is not None and id(node) not in between and id(node) not in before:
            between[id(node)] = node
            stack += node.srcs
    return between
