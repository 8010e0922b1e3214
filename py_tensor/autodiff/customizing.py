"""Gradients other than the operations' own: given by the user, or none."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ..errors import ArgumentError, GradientError
from ..nodes import Node, node_of, tapes
from ..ops.views import RESHAPE, STOP_GRADIENT
from ..pytree import leaves_at, tree_flatten, tree_leaves, tree_map, tree_unflatten
from ..tensor import Tensor, as_tensor, node_behind
from .reverse import Custom


def stop_gradient(tree: Any, /) -> Any:
    """The same values, which differentiation takes for constants; for all tensors of a tree.

    Any shape and dtype; what is no tensor stays as it is.

    >>> import py_tensor as pt
    >>> pt.grad(lambda x: x * pt.stop_gradient(x))(3.0).item()
    3.0
    """

    def stopped(leaf: Any) -> Any:
        if not isinstance(leaf, Tensor):
            return leaf
        node = node_behind("stop_gradient", leaf)
        return Tensor(node_of(STOP_GRADIENT, (node,), node.spec.shape))

    return tree_map(stopped, tree)


def custom_gradient(function: Callable[..., Any]) -> Callable[..., Any]:
    """The first result of the function, differentiated by its second.

    The function returns (result, rule). `rule` is called with the cotangents of the result, in the
    result's structure, None for leaves that are not floating. It returns a tuple of a cotangent for
    each positional argument, in that argument's structure, None for zero; for a single argument the
    cotangent alone will do. What it computes can be differentiated again. Other tensors that the
    function uses, keyword arguments too, get no gradient. Raises GradientError where these do not
    fit.

    >>> import py_tensor as pt
    >>> @pt.custom_gradient
    ... def clipped(x):
    ...     return x, lambda g: pt.clip(g, -1.0, 1.0)
    >>> pt.grad(lambda x: clipped(x) * 5.0)(2.0).item()
    1.0
    """
    name = getattr(function, "__name__", repr(function))

    @wraps(function)
    def customized(*args: Any, **kwargs: Any) -> Any:
        tensors = filter(_is_floating, tree_leaves(args))
        inputs = tuple(tensor._node for tensor in tensors)
        given = function(*args, **kwargs)
        if not (isinstance(given, tuple) and len(given) == 2 and callable(given[1])):
            raise GradientError(
                f"custom_gradient: {name} returned no pair of a result and a rule; "
                f"got {given!r:.60}; return (result, rule)"
            )
        result, rule = given
        if not tapes:
            return result
        leaves, structure = tree_flatten(result)
        nodes = [_apart(leaf) for leaf in leaves]
        results = tuple(node for node in nodes if node is not None and node.spec.dtype.kind in "cf")

        def pull(cotangents: list[Tensor]) -> list[Tensor | None]:
            remaining = iter(cotangents)
            in_place = [next(remaining) if node in results else None for node in nodes]
            parts = rule(tree_unflatten(structure, in_place))
            if not isinstance(parts, tuple) and len(args) == 1:
                parts = (parts,)
            return _cotangents(name, args, parts)

        custom = Custom(results, inputs, pull)
        for tape in tapes:
            tape.custom |= dict.fromkeys(map(id, results), custom)
        wrapped = (
            leaf if node is None else Tensor(node) for leaf, node in zip(leaves, nodes, strict=True)
        )
        return tree_unflatten(structure, wrapped)

    return customized


def _apart(leaf: Any) -> Node | None:
    """A node of its own for a result, since the function may have returned an argument."""
    if not isinstance(leaf, Tensor):
        return None
    return node_of(RESHAPE, (leaf._node,), leaf.shape)


def _is_floating(leaf: Any) -> bool:
    return isinstance(leaf, Tensor) and leaf.dtype.kind in "cf"


def _cotangents(name: str, args: tuple[Any, ...], parts: Any) -> list[Tensor | None]:
    """What a rule gave, for each floating tensor among the arguments."""
    if not isinstance(parts, tuple) or len(parts) != len(args):
        raise GradientError(
            f"custom_gradient: number of cotangents does not fit; got {parts!r:.60} for "
            f"{len(args)} arguments of {name}; return a tuple of one for each, None for zero"
        )
    found: list[Tensor | None] = []
    for arg, part in zip(args, parts, strict=True):
        leaves, structure = tree_flatten(arg)
        try:
            given = (
                [None] * len(leaves)
                if part is None
                else leaves_at("custom_gradient", structure, part)
            )
        except ArgumentError:
            raise GradientError(
                f"custom_gradient: cotangent has another structure; got {tree_flatten(part)[1]} "
                f"for an argument {structure} of {name}; give the argument's, None for zero"
            ) from None
        for leaf, value in zip(leaves, given, strict=True):
            if not _is_floating(leaf):
                continue
            if value is not None:
                value = as_tensor("custom_gradient", value)
                if value.shape != leaf.shape:
                    raise GradientError(
                        f"custom_gradient: cotangent has another shape; got {value.shape} for an "
                        f"argument of shape {leaf.shape} of {name}; give the argument's shape"
                    )
            found.append(value)
    return found
