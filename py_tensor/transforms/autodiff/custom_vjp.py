"""Override gradients: `custom_gradient` with a rule of the user, `stop_gradient` with none."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from ...errors import ArgumentError, GradientError
from ...functions.arguments import function_of
from ...ir.node import OpNode, node_of, own_tapes
from ...ir.pytree import leaves_at, tree_flatten, tree_leaves, tree_map, tree_unflatten
from ...ops.views import RESHAPE, STOP_GRADIENT
from ...tensor import Tensor, as_tensor, node_behind
from .backward import CustomVJP


def stop_gradient[Tree](tree: Tree, /) -> Tree:
    """Return the same values, treated as constants by differentiation.

    Args:
        tree: Tensor or tree of tensors of any shapes and dtypes; other leaves are left unchanged.

    Returns:
        Tree of the same structure, shapes and dtypes.

    Raises:
        DisposedError: If a tensor has been disposed.

    >>> import py_tensor as pt
    >>> pt.grad(lambda x: x * pt.stop_gradient(x))(3.0).item()
    3.0
    """

    def stopped(leaf: object) -> object:
        if not isinstance(leaf, Tensor):
            return leaf
        node = node_behind("stop_gradient", leaf)
        return Tensor(node_of(STOP_GRADIENT, (node,), node.spec.shape))

    return cast("Tree", tree_map(stopped, tree))


def custom_gradient[**Args, Result](
    function: Callable[Args, tuple[Result, Callable[[Any], Any]]],
) -> Callable[Args, Result]:
    """Decorate a function that returns its result together with its own gradient rule.

    Args:
        function: Function that returns (result, rule). `rule` takes the cotangents of the result,
            in the result's structure, None for leaves that are not floating. It returns a tuple
            with one cotangent for each positional argument, in the argument's structure, None for
            zero; for a single argument it may return the cotangent itself.

    Returns:
        Function that returns the result alone and is differentiated by `rule`. The rule's own
        operations can be differentiated again. Keyword arguments and captured tensors get no
        gradient.

    Raises:
        GradientError: When called, if the function does not return such a pair; in the backward
            pass, if the rule's cotangents do not match the arguments.

    >>> import py_tensor as pt
    >>> @pt.custom_gradient
    ... def clipped(x):
    ...     return x, lambda g: pt.clip(g, -1.0, 1.0)
    >>> pt.grad(lambda x: clipped(x) * 5.0)(2.0).item()
    1.0
    """
    function_of("custom_gradient", "function", function)
    name = getattr(function, "__name__", repr(function))

    @wraps(function)
    def wrapper(*args: Args.args, **kwargs: Args.kwargs) -> Any:
        tensors = filter(_is_floating, tree_leaves(args))
        inputs = tuple(tensor._node for tensor in tensors)
        pair = function(*args, **kwargs)
        if not (isinstance(pair, tuple) and len(pair) == 2 and callable(pair[1])):
            raise GradientError(
                f"custom_gradient: {name} must return a pair of a result and a rule; got "
                f"{pair!r:.60}; return (result, rule)"
            )
        result, rule = pair
        if not own_tapes():
            return result
        leaves, structure = tree_flatten(result)
        nodes = [_new_node(leaf) for leaf in leaves]
        results = tuple(node for node in nodes if node is not None and node.spec.dtype.kind in "cf")

        def pull(cotangents: list[Tensor]) -> list[Tensor | None]:
            remaining = iter(cotangents)
            in_place = [next(remaining) if node in results else None for node in nodes]
            parts = rule(tree_unflatten(structure, in_place))
            if not isinstance(parts, tuple) and len(args) == 1:
                parts = (parts,)
            return _cotangents(name, args, parts)

        CustomVJP(results, inputs, pull).record()
        wrapped = (
            leaf if node is None else Tensor(node) for leaf, node in zip(leaves, nodes, strict=True)
        )
        return tree_unflatten(structure, wrapped)

    return wrapper


def _new_node(leaf: object) -> OpNode | None:
    """Make a new node for a result, because the function may have returned an argument."""
    if not isinstance(leaf, Tensor):
        return None
    return node_of(RESHAPE, (leaf._node,), leaf.shape)


def _is_floating(leaf: object) -> bool:
    return isinstance(leaf, Tensor) and leaf.dtype.kind in "cf"


def _cotangents(name: str, args: tuple[object, ...], parts: object) -> list[Tensor | None]:
    """Return the rule's cotangent for each floating tensor among the arguments."""
    if not isinstance(parts, tuple) or len(parts) != len(args):
        raise GradientError(
            f"custom_gradient: wrong number of cotangents; got {parts!r:.60} for {len(args)} "
            f"arguments of {name}; return a tuple with one per argument, None for zero"
        )
    cotangents: list[Tensor | None] = []
    for arg, part in zip(args, parts, strict=True):
        leaves, structure = tree_flatten(arg)
        try:
            values = (
                [None] * len(leaves)
                if part is None
                else leaves_at("custom_gradient", structure, part)
            )
        except ArgumentError:
            raise GradientError(
                f"custom_gradient: cotangent has the wrong structure; got {tree_flatten(part)[1]} "
                f"for an argument {structure} of {name}; use the argument's structure, or None for "
                "zero"
            ) from None
        for leaf, value in zip(leaves, values, strict=True):
            if not _is_floating(leaf):
                continue
            if value is not None:
                value = as_tensor("custom_gradient", value)
                if value.shape != leaf.shape:
                    raise GradientError(
                        f"custom_gradient: cotangent has the wrong shape; got {value.shape} for an "
                        f"argument of shape {leaf.shape} of {name}; use the argument's shape"
                    )
            cotangents.append(value)
    return cotangents
