"""Define `jacfwd`, `jacrev`, `hessian`, `linearize`, `custom_jvp` and `eval_shape`.

Input: functions of trees of tensors. Output: their Jacobians, linear maps, rules or result shapes.
Jacobians are `vjp` or `jvp` mapped over a basis by `vmap`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import update_wrapper, wraps
from itertools import accumulate, pairwise
from typing import Any, cast

from ..dtypes import OF_PYTHON
from ..errors import ArgumentError, DTypeError, GradientError
from ..functions.arguments import function_of, integer, items
from ..functions.creation import eye, zeros
from ..functions.manipulation import reshape
from ..ir.node import tensor_spec
from ..ir.pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten
from ..ir.tracer import kind_of
from ..tensor import Tensor, as_tensor
from .autodiff import custom_gradient, jvp, vjp
from .autodiff.api import _or_zeros, argnums_of, linearized, positions_of
from .autodiff.backward import pull_back
from .autodiff.tape import Tape, recording
from .jit.precompile import ShapeDtype
from .subgraph import tracer, tracing
from .vmap import vmap

__all__ = ["custom_jvp", "eval_shape", "hessian", "jacfwd", "jacrev", "linearize"]

_Function = Callable[..., Any]


def jacrev(fun: _Function, argnums: int | Sequence[int] = 0, *, has_aux: bool = False) -> _Function:
    """Make a function that returns the Jacobian of `fun`, computed row by row in one backward pass.

    Use it for functions with fewer results than arguments.

    Args:
        fun: Function of tensors, numbers or trees of these, whose results are real and floating.
        argnums: Position of the argument to differentiate with respect to, 0 by default, or a
            sequence of positions.
        has_aux: If True, `fun` returns a pair (result, aux); False by default.

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
        leaves, structure = _real_leaves("jacrev", result)
        rows = vmap(lambda *parts: pull(tree_unflatten(structure, parts)))(*_basis(leaves))
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


def jacfwd(fun: _Function, argnums: int | Sequence[int] = 0, *, has_aux: bool = False) -> _Function:
    """Make a function that returns the Jacobian of `fun`, computed column by column.

    Use it for functions with fewer arguments than results.

    Args:
        fun: Function of tensors, numbers or trees of these, whose results are real and floating.
        argnums: Position of the argument to differentiate with respect to, 0 by default, or a
            sequence of positions.
        has_aux: If True, `fun` returns a pair (result, aux); False by default.

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
        leaves, structure = _real_leaves("jacfwd", chosen)
        chosen = tree_unflatten(structure, leaves)

        def column(*parts: Tensor) -> Any:
            tangents = tree_unflatten(structure, parts)
            result, tangent, *aux = cast(_Function, jvp)(call, chosen, tangents, has_aux=has_aux)
            _real_leaves("jacfwd", result)
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
    fun: _Function, argnums: int | Sequence[int] = 0, *, has_aux: bool = False
) -> _Function:
    """Make a function that returns the matrix of second derivatives of `fun`.

    Args:
        fun: Function of tensors, numbers or trees of these, whose results are real and floating.
        argnums: Position of the argument to differentiate with respect to, 0 by default, or a
            sequence of positions.
        has_aux: If True, `fun` returns a pair (result, aux); False by default.

    Returns:
        Function that returns the Hessian, or (Hessian, aux) with `has_aux`: `jacfwd(jacrev(fun))`.
        A leaf has the result's shape followed twice by the argument's.

    Raises:
        DTypeError, GradientError, ArgumentError: When called; see `jacrev`.

    >>> import py_tensor as pt
    >>> pt.hessian(lambda x: x[0] ** 2 * x[1])(pt.asarray([3.0, 5.0])).tolist()
    [[10.0, 6.0], [6.0, 0.0]]
    """
    return jacfwd(jacrev(fun, argnums, has_aux=has_aux), argnums, has_aux=has_aux)


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


def _real_leaves(operation: str, tree: object) -> tuple[list[Tensor], Any]:
    """Return the leaves of a tree as tensors and its structure; raise DTypeError if one differs."""
    leaves, structure = tree_flatten(tree)
    tensors = [as_tensor(operation, leaf) for leaf in leaves]
    for tensor in tensors:
        if tensor.dtype.kind != "f":
            raise DTypeError(
                f"{operation}: arguments and results must be real and floating; got "
                f'{tensor._spec}; use x.astype("float32"), or has_aux for other results'
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


class CustomJVP:
    """A function with its own rule for derivatives; made by `custom_jvp`."""

    def __init__(self, fun: _Function, nondiff_argnums: Sequence[int]) -> None:
        update_wrapper(self, function_of("custom_jvp", "fun", fun))
        self._function = fun
        self._fixed = frozenset(
            integer("custom_jvp", "nondiff_argnums", at)
            for at in items("custom_jvp", "nondiff_argnums", nondiff_argnums)
        )
        self._rule: _Function | None = None

    def defjvp(self, jvp: _Function) -> _Function:
        """Set the rule and return it, so that it can be used as a decorator.

        Args:
            jvp: Function of a tuple of arguments and a tuple of their tangents, in the arguments'
                structure, that returns (result, tangent of the result). The arguments that
                `nondiff_argnums` names come first. The tangent must be linear in the tangents.

        Returns:
            The same function.

        >>> import py_tensor as pt
        >>> @pt.custom_jvp
        ... def half(x):
        ...     return x / 2.0
        >>> @half.defjvp
        ... def rule(primals, tangents):
        ...     return half(*primals), tangents[0] * 7.0
        >>> pt.grad(half)(1.0).item()
        7.0
        """
        self._rule = jvp
        return jvp

    def defjvps(self, *jvps: _Function | None) -> None:
        """Set one rule for each argument, or None for an argument without derivative.

        Args:
            jvps: Functions of the argument's tangent, the result and all arguments, that return
                the part of the result's tangent that comes from the argument.

        >>> import py_tensor as pt
        >>> product = pt.custom_jvp(lambda x, y: x * y)
        >>> product.defjvps(lambda t, ans, x, y: t * y, lambda t, ans, x, y: 10.0 * x * t)
        >>> pt.grad(product, argnums=1)(2.0, 3.0).item()
        20.0
        """

        def rule(primals: tuple[object, ...], tangents: tuple[object, ...]) -> Any:
            result = self(*primals)
            parts = [
                part(tangent, result, *primals)
                for part, tangent in zip(jvps, tangents, strict=True)
                if part is not None
            ]
            total = tree_map(lambda leaf: zeros(leaf.shape, dtype=leaf.dtype), result)
            for part in parts:
                total = tree_map(lambda a, b: a + b, total, part)
            return result, total

        self._rule = rule

    def __call__(self, *args: object, **kwargs: object) -> Any:
        if self._rule is None:
            raise ArgumentError(
                f"custom_jvp: there is no rule; got a call of {self.__name__}; "  # type: ignore[attr-defined]
                "give the rule with defjvp"
            )
        fixed = {at % len(args): args[at % len(args)] for at in self._fixed} if args else {}

        @custom_gradient
        def evaluated(*primals: object) -> Any:
            remaining = iter(primals)
            values = [fixed[at] if at in fixed else next(remaining) for at in range(len(args))]
            result = self._function(*values, **kwargs)
            return result, lambda cotangent: self._pull([*fixed.values()], primals, cotangent)

        return evaluated(*(arg for at, arg in enumerate(args) if at not in fixed))

    def _pull(
        self, fixed: list[object], primals: tuple[object, ...], cotangent: object
    ) -> tuple[Any, ...]:
        """Return the transpose of the rule, which is linear in the tangents."""
        assert self._rule is not None
        leaves, structure = tree_flatten(primals)
        blank = [_blank(leaf) for leaf in leaves]
        inputs = [zero._node for zero in blank if zero is not None]
        tape = Tape(inputs)
        with recording(tape):
            tangents = tree_unflatten(structure, blank)
            pair = self._rule(*fixed, primals, tangents)
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise GradientError(
                    f"custom_jvp: rule returned no pair; got {pair!r:.60}; return (result, tangent)"
                )
            pushed = [leaf for leaf in tree_leaves(pair[1]) if isinstance(leaf, Tensor)]
        wanted = [g for g in tree_leaves(cotangent) if g is not None]
        if [leaf.shape for leaf in pushed] != [g.shape for g in wanted]:
            raise GradientError(
                f"custom_jvp: tangent does not have the result's shapes; got "
                f"{[leaf.shape for leaf in pushed]} for {[g.shape for g in wanted]}; "
                "return one tangent for each floating result"
            )
        parts = iter(pull_back(tape, [leaf._node for leaf in pushed], wanted, inputs))
        pulled = [None if zero is None else _or_zeros(next(parts), zero._node) for zero in blank]
        cotangents: tuple[object, ...] = tree_unflatten(structure, pulled)
        return cotangents


def _blank(leaf: object) -> Tensor | None:
    """Return the zero tangent of a tensor or number; None if it is not floating."""
    if isinstance(leaf, Tensor):
        return zeros(leaf.shape, dtype=leaf.dtype) if leaf.dtype.kind in "cf" else None
    return zeros(()) if kind_of(leaf) is float else None


def custom_jvp(fun: _Function | None = None, /, *, nondiff_argnums: Sequence[int] = ()) -> Any:
    """Decorate a function to give it its own rule for derivatives.

    The rule says how tangents are pushed forward; for gradients it is transposed. To say how
    cotangents are pulled back, use `custom_gradient`.

    Args:
        fun: Function of tensors, numbers or trees of these. If None (default), a decorator is
            returned.
        nondiff_argnums: Positions of arguments that have no tangents, for example functions.

    Returns:
        Function with the methods `defjvp` and `defjvps`, of which one sets the rule. Keyword
        arguments get no derivative.

    Raises:
        ArgumentError: When called, if there is no rule.
        GradientError: In the backward pass, if the rule's tangent does not match the result.

    >>> import py_tensor as pt
    >>> @pt.custom_jvp
    ... def log1pexp(x):
    ...     return pt.log(1.0 + pt.exp(x))
    >>> @log1pexp.defjvp
    ... def rule(primals, tangents):
    ...     (x,), (t,) = primals, tangents
    ...     return log1pexp(x), (1.0 - 1.0 / (1.0 + pt.exp(x))) * t
    >>> pt.grad(log1pexp)(100.0).item()
    1.0
    """
    if fun is None:
        return lambda function: CustomJVP(function, nondiff_argnums)
    return CustomJVP(fun, nondiff_argnums)


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
