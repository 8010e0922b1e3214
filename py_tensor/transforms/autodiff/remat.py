"""Define `pt.checkpoint`: save memory in training by recomputing parts of the forward pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import partial, wraps
from typing import Any

from ...functions.arguments import function_of
from ...ir.node import OpNode, lock, node_of, own_tapes, pending_handles
from ...ir.pytree import tree_leaves, tree_map
from ...ops.views import RESHAPE
from ...tensor import Tensor, node_behind
from .remat_clones import RematRegion, mark

Policy = Callable[[OpNode, str | None], bool]
"""Function of a node and its name, if any, that returns True for values to keep."""
_names: ContextVar[dict[int, str] | None] = ContextVar("py_tensor_checkpoint_names", default=None)
"""Names of nodes in the running call of a checkpointed function."""


def checkpoint(
    function: Callable[..., Any] | None = None,
    *,
    prevent_cse: bool = True,
    policy: Policy | None = None,
    static_argnums: int | Sequence[int] = (),
) -> Any:
    """Recompute a function's intermediate values in the backward pass instead of keeping them.

    This saves memory and costs time (rematerialization). Results and gradients are unchanged, also
    if the function draws random numbers.

    Args:
        function: Function of tensors, numbers or trees of these. If None (default), a decorator is
            returned.
        prevent_cse: For compatibility; ignored.
        policy: One of `pt.checkpoint_policies`, which says what is kept; None (default) for
            nothing.
        static_argnums: For compatibility; ignored, since arguments are passed unchanged.

    Returns:
        Function with the same arguments, results and errors.

    >>> import py_tensor as pt
    >>> block = pt.checkpoint(lambda x: pt.exp(pt.sin(x)))
    >>> round(pt.grad(block)(0.0).item(), 6)
    1.0
    """
    if function is None:
        return partial(checkpoint, policy=policy)
    own: Callable[..., Any] = function_of("checkpoint", "function", function)
    if policy is not None:
        function_of("checkpoint", "policy", policy)

    @wraps(own)
    def checkpointed(*args: object, **kwargs: object) -> Any:
        if not own_tapes():
            return own(*args, **kwargs)
        with lock:
            before = {id(node): node for node in pending_handles()}
        names: dict[int, str] = {}
        around = _names.set(names)
        try:
            result = own(*args, **kwargs)
        finally:
            _names.reset(around)
        leaves = [leaf._node for leaf in tree_leaves(result) if isinstance(leaf, Tensor)]
        nodes = _between(before, leaves)
        kept = [at for at, node in nodes.items() if policy and policy(node, names.get(at))]
        mark(own_tapes(), RematRegion(nodes, frozenset(kept)))
        return result

    return checkpointed


remat = checkpoint


def checkpoint_name[Tree](x: Tree, name: str) -> Tree:
    """Return the same values, which policies of `checkpoint` can choose by a name.

    Args:
        x: Tensor or tree of tensors.
        name: Name, see `pt.checkpoint_policies.save_only_these_names`.

    >>> import py_tensor as pt
    >>> pt.checkpoint_name(pt.ones(2), "first").tolist()
    [1.0, 1.0]
    """
    names = _names.get()

    def named(leaf: object) -> object:
        if names is None or not isinstance(leaf, Tensor):
            return leaf
        node = node_behind("checkpoint_name", leaf)
        if node.call is not None:
            # The value that is kept and the one that is named are the same.
            names[id(node)] = name
        new = node_of(RESHAPE, (node,), node.spec.shape)
        names[id(new)] = name
        return Tensor(new)

    tree: Tree = tree_map(named, x)
    return tree


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
