"""Define `jacfwd`, `jacrev`, `hessian`, `linearize` and `eval_shape`.

Input: functions of trees of tensors. Output: their Jacobians, linear maps or result shapes.
Jacobians are `vjp` or `jvp` mapped over a basis by `vmap`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from itertools import accumulate, pairwise
from typing import Any, cast

from ..dtypes import OF_PYTHON
from ..errors import DTypeError
from ..functions.arguments import function_of
from ..functions.creation import eye
from ..functions.elementwise import conj
from ..functions.manipulation import reshape
from ..ir.node import tensor_spec
from ..ir.pytree import tree_flatten, tree_map, tree_unflatten
from ..ir.tracer import kind_of
from ..tensor import Tensor, as_tensor
from .autodiff import jvp, vjp
from .autodiff.api import argnums_of, linearized, positions_of
from .jit.precompile import ShapeDtype
from .subgraph import tracer, tracing
from .vmap import vmap

__all__ = ["eval_shape", "hessian", "jacfwd", "jacobian", "jacrev", "linearize"]

_Function = Callable[..., Any]


def jacrev(
    fun: _Function,
    argnums: int | Sequence[int] = 0,
    *,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> _Function:
    """Make a function that returns the Jacobian of `fun`, computed row by row in one backward pass.

    Use it for functions with fewer results than arguments.

    Args:
        fun: Function of tensors, numbers or trees of these, whose results are real and floating.
        argnums: Position of the argument to differentiate with respect to, 0 by default, or a
            sequence of positions.
        has_aux: If True, `fun` returns a pair (result, aux); False by default.
        holomorphic: If True, arguments and results are complex, and the Jacobian is that of
            complex derivatives; False by default.

    Returns:
        Function that returns the Jacobian, or (Jacobian, aux) with `has_aux`: a tree with the
        result's structure whose leaves are trees with the argument's structure. A leaf has the
        result's shape followed by the argument's; it is a tuple if `argnums` is a sequence.

    Raises:
        DTypeError: When called, if an argument or result is not real and floating.
        GradientError: When called, if an operation has no gradient.
        ArgumentError: When called, if `argnums` names a missing argument or one argument twice.

    >>> import py_tensor as pt
    >>> x = pt.asarray([1.0, 2.0, 3.0])
    >>> pt.jacrev(lambda x: x[:2] * x[2])(x).tolist()
    [[3.0, 0.0, 1.0], [0.0, 3.0, 2.0]]
    """

    @wraps(fun)
    def jacobian(*args: object, **kwargs: object) -> Any:
        chosen, call, single = _selected("jacrev", fun, argnums, args, kwargs)
        result, pull, *aux = cast(_Function, vjp)(call, *chosen, has_aux=has_aux)
        leaves, structure = _checked_leaves("jacrev", result, holomorphic)
        rows = vmap(lambda *parts: pull(tree_unflatten(structure, parts)))(*_basis(leaves))
        if holomorphic:
            _checked_leaves("jacrev", chosen, holomorphic)
            rows = tree_map(conj, rows)
        columns, arguments = tree_flatten(rows)
        ends = list(accumulate((leaf.size for leaf in leaves), initial=0))
        trees = []
        for leaf, (start, end) in zip(leaves, pairwise(ends), strict=True):
            parts = [reshape(row[start:end], (*leaf.shape, *row.shape[1:])) for row in columns]
            tree = tree_unflatten(arguments, parts)
            trees.append(tree[0] if single else tree)
        jacobians = tree_unflatten(structure, trees)
        return (jacobians, *aux) if has_aux else jacobians

    return jacobian


jacobian = jacrev


def jacfwd(
    fun: _Function,
    argnums: int | Sequence[int] = 0,
    *,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> _Function:
    """Make a function that returns the Jacobian of `fun`, computed column by column.

    Use it for functions with fewer arguments than results.

    Args:
        fun: Function of tensors, numbers or trees of these, whose results are real and floating.
        argnums: Position of the argument to differentiate with respect to, 0 by default, or a
            sequence of positions.
        has_aux: If True, `fun` returns a pair (result, aux); False by default.
        holomorphic: If True, arguments and results are complex; see `jacrev`.

    Returns:
        Function that returns the Jacobian, or (Jacobian, aux) with `has_aux`; see `jacrev`.

    Raises:
        DTypeError, GradientError, ArgumentError: When called; see `jacrev`.

    >>> import py_tensor as pt
    >>> pt.jacfwd(lambda x: pt.stack([x**2, x**3]))(pt.asarray(2.0)).tolist()
    [4.0, 12.0]
    """

    @wraps(fun)
    def jacobian(*args: object, **kwargs: object) -> Any:
        chosen, call, single = _selected("jacfwd", fun, argnums, args, kwargs)
        leaves, structure = _checked_leaves("jacfwd", chosen, holomorphic)
        chosen = tree_unflatten(structure, leaves)

        def column(*parts: Tensor) -> Any:
            tangents = tree_unflatten(structure, parts)
            result, tangent, *aux = cast(_Function, jvp)(call, chosen, tangents, has_aux=has_aux)
            _checked_leaves("jacfwd", result, holomorphic)
            return tangent, *aux

        columns, *kept = vmap(column, out_axes=(-1, None) if has_aux else (-1,))(*_basis(leaves))
        ends = list(accumulate((leaf.size for leaf in leaves), initial=0))

        def split(columns: Tensor) -> Any:
            parts = [
                reshape(columns[..., start:end], (*columns.shape[:-1], *leaf.shape))
                for leaf, (start, end) in zip(leaves, pairwise(ends), strict=True)
            ]
            tree = tree_unflatten(structure, parts)
            return tree[0] if single else tree

        jacobians = tree_map(split, columns)
        return (jacobians, *kept) if has_aux else jacobians

    return jacobian


def hessian(
    fun: _Function,
    argnums: int | Sequence[int] = 0,
    *,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> _Function:
    """Make a function that returns the matrix of second derivatives of `fun`.

    Args:
        fun: Function of tensors, numbers or trees of these, whose results are real and floating.
        argnums: Position of the argument to differentiate with respect to, 0 by default, or a
            sequence of positions.
        has_aux: If True, `fun` returns a pair (result, aux); False by default.
        holomorphic: If True, arguments and results are complex; see `jacrev`.

    Returns:
        Function that returns the Hessian, or (Hessian, aux) with `has_aux`: `jacfwd(jacrev(fun))`.
        A leaf has the result's shape followed twice by the argument's.

    Raises:
        DTypeError, GradientError, ArgumentError: When called; see `jacrev`.

    >>> import py_tensor as pt
    >>> pt.hessian(lambda x: x[0] ** 2 * x[1])(pt.asarray([3.0, 5.0])).tolist()
    [[10.0, 6.0], [6.0, 0.0]]
    """
    options: Any = {"has_aux": has_aux, "holomorphic": holomorphic}
    return jacfwd(jacrev(fun, argnums, **options), argnums, **options)


def _selected(
    operation: str,
    fun: _Function,
    argnums: int | Sequence[int],
    args: tuple[object, ...],
    kwargs: dict[str, object],
) -> tuple[tuple[Any, ...], _Function, bool]:
    """Return the chosen arguments, the function of these alone, and True for a single one."""
    wanted, single = argnums_of(operation, argnums)
    positions = positions_of(operation, wanted, len(args))

    def call(*chosen: object) -> Any:
        replaced = dict(zip(positions, chosen, strict=True))
        return fun(*[replaced.get(at, arg) for at, arg in enumerate(args)], **kwargs)

    return tuple(args[position] for position in positions), call, single


def _checked_leaves(operation: str, tree: object, holomorphic: bool) -> tuple[list[Tensor], Any]:
    """Return the leaves of a tree as tensors and its structure; raise DTypeError if one differs."""
    leaves, structure = tree_flatten(tree)
    tensors = [as_tensor(operation, leaf) for leaf in leaves]
    for tensor in tensors:
        if holomorphic and tensor.dtype.kind != "c":
            raise DTypeError(
                f"{operation}: arguments and results of a holomorphic function must be complex; "
                f'got {tensor._spec}; use x.astype("complex64")'
            )
        if not holomorphic and tensor.dtype.kind != "f":
            raise DTypeError(
                f"{operation}: arguments and results must be real and floating; got "
                f'{tensor._spec}; use x.astype("float32"), has_aux for other results, or '
                "holomorphic=True for complex numbers"
            )
    return tensors, structure


def _basis(leaves: Sequence[Tensor]) -> list[Tensor]:
    """Return, for each leaf, its part of all unit vectors of the leaves' joint space."""
    count = sum(leaf.size for leaf in leaves)
    basis, start = [], 0
    for leaf in leaves:
        unit = eye(count, leaf.size, k=-start, dtype=leaf.dtype)
        basis.append(reshape(unit, (count, *leaf.shape)))
        start += leaf.size
    return basis


def linearize(fun: _Function, *primals: object, has_aux: bool = False) -> Any:
    """Evaluate a function and return its result with its derivative, a linear function.

    `fun` runs once, while `jvp` runs it at each call.

    Args:
        fun: Function of tensors, numbers or trees of these.
        primals: Arguments at which `fun` is evaluated.
        has_aux: If True, `fun` returns a pair (result, aux); False by default.

    Returns:
        (result, fun_jvp), or (result, fun_jvp, aux) with `has_aux`. `fun_jvp` takes a tangent for
        each argument, and returns the result's tangent; see `jvp`.

    Raises:
        GradientError: If a tangent has another structure or shape than its argument, or if an
            operation has no gradient.
        DTypeError: If no argument is floating.

    >>> import py_tensor as pt
    >>> y, derivative = pt.linearize(pt.sin, pt.asarray(0.0))
    >>> y.item(), derivative(pt.asarray(2.0)).item()
    (0.0, 2.0)
    """
    function_of("linearize", "fun", fun)
    result, push, aux = linearized("linearize", fun, primals, has_aux)

    def fun_jvp(*tangents: object) -> Any:
        return push(tangents)

    return (result, fun_jvp, aux) if has_aux else (result, fun_jvp)


def eval_shape(fun: _Function, *args: object, **kwargs: object) -> Any:
    """Return the shapes and dtypes of a function's results, without computing anything.

    Args:
        fun: Function of tensors, numbers or trees of these.
        args: Positional arguments; `pt.ShapeDtype` can be given instead of tensors.
        kwargs: Keyword arguments, like `args`.

    Returns:
        Tree with the result's structure, with `pt.ShapeDtype` instead of tensors and numbers.

    Raises:
        TraceError: If `fun` reads the value of an argument.

    >>> import py_tensor as pt
    >>> pt.eval_shape(pt.matmul, pt.ShapeDtype((2, 1000)), pt.ones((1000, 3)))
    ShapeDtype((2, 3), float32)
    """
    function_of("eval_shape", "fun", fun)
    with tracing("eval_shape"):

        def traced(leaf: object) -> Any:
            if isinstance(leaf, (Tensor, ShapeDtype)):
                return tracer(tensor_spec(leaf.shape, leaf.dtype))
            return leaf

        args, kwargs = tree_map(traced, (args, kwargs))
        return tree_map(_described, fun(*args, **kwargs))


def _described(leaf: object) -> ShapeDtype:
    if isinstance(leaf, Tensor):
        return ShapeDtype(leaf.shape, leaf.dtype)
    if kind_of(leaf) in OF_PYTHON:
        return ShapeDtype((), OF_PYTHON[kind_of(leaf)])
    return _described(as_tensor("eval_shape", leaf))
