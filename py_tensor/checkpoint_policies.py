"""Policies of `pt.checkpoint`, under the names of `jax.checkpoint_policies`.

A policy is a function of a node and of its name, if any. It returns True if the node's value is
kept for the backward pass.

>>> import py_tensor as pt
>>> f = pt.checkpoint(pt.sin, policy=pt.checkpoint_policies.dots_saveable)
>>> pt.grad(f)(0.0).item()
1.0
"""

from __future__ import annotations

from collections.abc import Callable

from .ir.node import OpNode
from .ops.op_def import Contraction

__all__ = [
    "checkpoint_dots",
    "checkpoint_dots_with_no_batch_dims",
    "dots_saveable",
    "dots_with_no_batch_dims_saveable",
    "everything_saveable",
    "nothing_saveable",
    "save_any_names_but_these",
    "save_anything_except_these_names",
    "save_from_both_policies",
    "save_only_these_names",
]

Policy = Callable[[OpNode, str | None], bool]


def everything_saveable(node: OpNode, name: str | None) -> bool:
    """Keep all values, as without `checkpoint`."""
    return True


def nothing_saveable(node: OpNode, name: str | None) -> bool:
    """Keep only arguments, as without a policy."""
    return False


def dots_saveable(node: OpNode, name: str | None) -> bool:
    """Keep the results of matrix products and convolutions."""
    return node.call is not None and isinstance(node.call.op, Contraction)


def dots_with_no_batch_dims_saveable(node: OpNode, name: str | None) -> bool:
    """Keep the results of products of two matrices, and not those of batches of matrices."""
    if not dots_saveable(node, name) or node.call is None:
        return False
    # A product of matrices without a batch has operands whose other axes have length 1.
    return all(spec.size == _matrix(spec.shape) for spec in node.call.specs)


def _matrix(shape: tuple[int, ...]) -> int:
    rows, columns = (1, 1, *shape)[-2:]
    return rows * columns


checkpoint_dots = dots_saveable
checkpoint_dots_with_no_batch_dims = dots_with_no_batch_dims_saveable


def save_only_these_names(*names_which_can_be_saved: str) -> Policy:
    """Return a policy that keeps the values with one of these names, see `pt.checkpoint_name`."""
    return lambda node, name: name in names_which_can_be_saved


def save_any_names_but_these(*names_not_to_save: str) -> Policy:
    """Return a policy that keeps the values with a name that is none of these."""
    return lambda node, name: name is not None and name not in names_not_to_save


def save_anything_except_these_names(*names_not_to_save: str) -> Policy:
    """Return a policy that keeps all values but those with one of these names."""
    return lambda node, name: name not in names_not_to_save


def save_from_both_policies(policy_1: Policy, policy_2: Policy) -> Policy:
    """Return a policy that keeps what one of two policies keeps."""
    return lambda node, name: policy_1(node, name) or policy_2(node, name)
