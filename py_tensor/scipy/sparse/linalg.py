"""Iterative solutions of linear equations under the names of `jax.scipy.sparse.linalg`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...functions.complex_numbers import real
from ...functions.elementwise import greater, logical_and, maximum
from ...functions.linear_algebra import matmul, vecdot
from ...ir.node import own_tapes
from ...ir.tracer import is_traced
from ...runtime.executor import backend
from ...runtime.scopes import state
from ...tensor import Tensor, as_tensor
from ...transforms.autodiff import custom_gradient, stop_gradient
from ...transforms.control_flow import while_loop
from ...transforms.trees import ravel_pytree

__all__ = ["cg"]

_Map = Callable[[Tensor], Tensor]


def cg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    tol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
) -> tuple[Any, None]:
    """Solve A x = b for a positive definite matrix A by conjugate gradients.

    Gradients with respect to b, and to what A depends on, solve another system.

    Args:
        A: Matrix, or a function that returns its product with a vector or tree.
        b: Right side, a vector or tree.
        x0: First guess; None (default) for zeros.
        tol: The residual's norm ends below `tol` times that of b, or below `atol`.
        atol: See `tol`.
        maxiter: Most iterations; None (default) for 10 times the length of b. In traced functions
            as many run, at most the length of b by default.
        M: Function or matrix that approximates the inverse of A; None (default) for none.

    Returns:
        (x, None).

    >>> import py_tensor as pt
    >>> a = pt.asarray([[4.0, 1.0], [1.0, 3.0]])
    >>> x, _ = pt.scipy.sparse.linalg.cg(a, pt.asarray([5.0, 4.0]))
    >>> [round(value, 4) for value in x.tolist()]
    [1.0, 1.0]
    """
    right, unravel = ravel_pytree(b)

    def as_map(operator: Any) -> _Map:
        if operator is None:
            return lambda v: v
        if callable(operator):
            return lambda v: ravel_pytree(operator(unravel(v)))[0]
        matrix = as_tensor("cg", operator)
        return lambda v: matmul(matrix, v)

    product, inverse = as_map(A), as_map(M)

    def solved(side: Tensor, start: Tensor | None = None) -> Tensor:
        # The iteration has no gradient. The correction below adds it.
        fixed = _without_gradient(product)
        return _iterated(fixed, side, start, tol, atol, maxiter, _without_gradient(inverse))

    first = None if x0 is None else stop_gradient(ravel_pytree(x0)[0])
    x = solved(stop_gradient(right), first)
    if own_tapes():

        @custom_gradient
        def correction(residual: Tensor) -> Any:
            return residual * 0.0, lambda g: solved(g)

        x = stop_gradient(x) + correction(right - product(stop_gradient(x)))
    return unravel(x), None


def _without_gradient(product: _Map) -> _Map:
    return lambda v: stop_gradient(product(v))


def _iterated(
    product: _Map,
    right: Tensor,
    start: Tensor | None,
    tol: float,
    atol: float,
    maxiter: int | None,
    inverse: _Map,
) -> Tensor:
    x = right * 0.0 if start is None else start
    residual = right if start is None else right - product(x)
    moved = inverse(residual)
    limit = maximum(_dot(right, right) * tol**2, atol**2)
    compiled = state.trace is not None and is_traced((residual + product(residual))._node)
    bounded = compiled and not backend().whole_programs
    most = maxiter or (right.size if bounded else 10 * right.size)

    def goes(carried: Any) -> Tensor:
        _, r, _, _, steps = carried
        return logical_and(greater(_dot(r, r), limit), steps < most)

    def iteration(carried: Any) -> Any:
        x, r, p, gamma, steps = carried
        image = product(p)
        alpha = gamma / _dot(p, image)
        r = r - alpha * image
        z = inverse(r)
        new = _dot(r, z)
        return x + alpha * p, r, z + new / gamma * p, new, steps + 1

    begin = (x, residual, moved, _dot(residual, moved), as_tensor("cg", 0))
    result: Tensor = while_loop(goes, iteration, begin, max_steps=most if bounded else None)[0]
    return result


def _dot(a: Tensor, b: Tensor) -> Tensor:
    return real(vecdot(a, b)).astype(a.dtype) if a.dtype.kind == "c" else vecdot(a, b)
