"""Define `ravel_pytree`, `tree_reduce` and `tree_map_with_path`.

Input: trees of containers. Output: one vector, one value, or a tree with the same containers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import accumulate, pairwise
from typing import Any

from ..errors import ArgumentTypeError, ShapeError
from ..functions.arguments import function_of
from ..functions.creation import zeros
from ..functions.elementwise import astype
from ..functions.joining import concat
from ..functions.manipulation import reshape
from ..ir.pytree import IsLeaf, leaves_at, leaves_with_paths, tree_flatten, tree_unflatten
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike

_NONE: Any = object()


def ravel_pytree(pytree: object) -> tuple[Tensor, Callable[[Any], Any]]:
    """Join all leaves of a tree into one vector.

    Args:
        pytree: Tree of tensors and numbers.

    Returns:
        (flat, unravel): the vector, of the leaves' promoted dtype, and a function that makes such a
        tree of such a vector.

    Raises:
        DTypeError: If the leaves' dtypes have no common one.
        ShapeError: When `unravel` is called, if the vector has another shape.

    >>> import py_tensor as pt
    >>> flat, unravel = pt.ravel_pytree({"w": pt.ones((2, 2)), "b": 3.0})
    >>> flat.tolist()
    [1.0, 1.0, 1.0, 1.0, 3.0]
    >>> unravel(flat * 2.0)["b"].item()
    6.0
    """
    leaves, structure = tree_flatten(pytree)
    tensors = [as_tensor("ravel_pytree", leaf) for leaf in leaves]
    specs = [(tensor.shape, tensor.dtype) for tensor in tensors]
    ends = list(accumulate((tensor.size for tensor in tensors), initial=0))
    flat = concat([reshape(tensor, (-1,)) for tensor in tensors]) if tensors else zeros(0)

    def unravel(vector: ArrayLike) -> Any:
        vector = as_tensor("ravel_pytree", vector)
        if vector.shape != (ends[-1],):
            raise ShapeError(
                f"ravel_pytree: vector does not fit; got shape {vector.shape}; "
                f"give shape ({ends[-1]},)"
            )
        parts = [
            astype(reshape(vector[start:end], shape), dtype, copy=False)
            for (shape, dtype), (start, end) in zip(specs, pairwise(ends), strict=True)
        ]
        return tree_unflatten(structure, parts)

    return flat, unravel


def tree_reduce(
    function: Callable[[Any, Any], Any],
    tree: object,
    initializer: Any = _NONE,
    is_leaf: IsLeaf | None = None,
) -> Any:
    """Combine the leaves of a tree from left to right.

    Args:
        function: Function of the value so far and the next leaf.
        tree: Tree of containers.
        initializer: First value; without it the first leaf is.
        is_leaf: Function that returns True for containers to treat as leaves; None (default) for
            none.

    Returns:
        Last value.

    Raises:
        TypeError: If there is no leaf and no `initializer`.

    >>> import py_tensor as pt
    >>> pt.tree_reduce(lambda total, leaf: total + leaf, {"a": 1, "b": [2, 3]})
    6
    """
    function_of("tree_reduce", "function", function)
    if is_leaf is not None:
        function_of("tree_reduce", "is_leaf", is_leaf)
    leaves = tree_flatten(tree, is_leaf)[0]
    if not leaves and initializer is _NONE:
        raise ArgumentTypeError(
            "tree_reduce: there is no first value; got a tree without leaves; pass initializer="
        )
    return (
        reduce(function, leaves) if initializer is _NONE else reduce(function, leaves, initializer)
    )


def tree_map_with_path(
    f: Callable[..., Any], tree: object, *rest: object, is_leaf: IsLeaf | None = None
) -> Any:
    """Apply a function to every leaf of a tree and the path that leads to it.

    Args:
        f: Called with the path of each leaf, the leaf, and the values of `rest` at the same place.
            A path is a tuple of steps; `step.key` is a key, an index or the name of a field, and
            `str(step)` is the step in Python's notation.
        tree: Tree that gives the structure of the result.
        rest: More trees with the containers of `tree`.
        is_leaf: Function that returns True for containers to treat as leaves; None (default) for
            none.

    Returns:
        Tree of the same structure as `tree`, with the results of `f` as leaves.

    Raises:
        ArgumentError: If one of `rest` lacks a place that `tree` has.

    >>> import py_tensor as pt
    >>> pt.tree_map_with_path(lambda path, x: "".join(map(str, path)), {"a": [1, 2]})
    {'a': ["['a'][0]", "['a'][1]"]}
    """
    function_of("tree_map_with_path", "f", f)
    if is_leaf is not None:
        function_of("tree_map_with_path", "is_leaf", is_leaf)
    structure = tree_flatten(tree, is_leaf)[1]
    columns = [leaves_at("tree_map_with_path", structure, other) for other in rest]
    pairs = leaves_with_paths(tree, is_leaf)
    leaves = [f(path, leaf, *more) for (path, leaf), *more in zip(pairs, *columns, strict=True)]
    return tree_unflatten(structure, leaves)
