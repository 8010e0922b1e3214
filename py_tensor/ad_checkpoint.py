"""Rematerialization under the names of `jax.ad_checkpoint`.

>>> import py_tensor as pt
>>> pt.ad_checkpoint.print_saved_residuals(pt.checkpoint(lambda x: pt.sin(pt.sin(x))), 1.0)
float32[] from the argument
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .ir.node import AGE, OpNode
from .ir.pytree import tree_flatten
from .ops.op_def import ViewOp
from .tensor import Tensor, as_tensor
from .transforms.autodiff.backward import pull_back
from .transforms.autodiff.remat import checkpoint, checkpoint_name, remat
from .transforms.autodiff.tape import Tape, recording
from .transforms.subgraph import tracer, tracing

__all__ = ["checkpoint", "checkpoint_name", "print_saved_residuals", "remat"]


def print_saved_residuals(f: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Print the values of the forward pass that the backward pass of a function reads.

    Args:
        f: Function of tensors, numbers or trees of these.
        args: Arguments, of which only shapes and dtypes matter.
        kwargs: Keyword arguments, likewise.

    >>> import py_tensor as pt
    >>> pt.ad_checkpoint.print_saved_residuals(lambda x: pt.sin(pt.exp(x)), 1.0)
    float32[] output of exp
    """
    leaves, structure = tree_flatten((args, kwargs))
    with tracing("print_saved_residuals"):
        inputs = [tracer(as_tensor("print_saved_residuals", leaf)._spec) for leaf in leaves]
        nodes = [part._node for part in inputs]
        tape = Tape(nodes)
        with recording(tape):
            args, kwargs = structure.unflatten(inputs)
            results = [leaf for leaf in tree_flatten(f(*args, **kwargs))[0] if _is_floating(leaf)]
            seeds = [tracer(leaf._spec) for leaf in results]
            pulled = pull_back(tape, [leaf._node for leaf in results], list(seeds), nodes)
        first = min((seed._node.age for seed in seeds), default=0)
        for node in _read([g._node for g in pulled if g is not None], first):
            origin = "from the argument" if node.call is None else f"output of {node.call.op.name}"
            print(f"{node.spec} {origin}")


def _is_floating(leaf: object) -> bool:
    return isinstance(leaf, Tensor) and leaf.dtype.kind in "cf"


def _read(results: list[OpNode], first: int) -> list[OpNode]:
    """Return the tensors older than `first` that newer nodes read, oldest first."""
    seen: dict[int, OpNode] = {}
    stack, read = [*results], []
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen[id(node)] = node
        if node.age >= first:
            stack += node.srcs
        elif node.call is not None and isinstance(node.call.op, ViewOp):
            # A view stores nothing of its own.
            stack += node.srcs
        elif node.call is not None or node.buffer is not None:
            read.append(node)
    return sorted(read, key=AGE)
