"""Checks of derivatives under the names of `jax.test_util`.

>>> import py_tensor as pt
>>> pt.test_util.check_grads(pt.sin, (1.0,), order=2)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import random
from .functions import linear_algebra, statistical
from .functions.elementwise import abs, conj
from .functions.manipulation import reshape
from .ir.pytree import tree_leaves, tree_map
from .tensor import Tensor, as_tensor
from .transforms.autodiff import jvp, vjp

__all__ = ["check_grads", "check_jvp", "check_vjp"]

_Function = Callable[..., Any]


def check_grads(
    f: _Function,
    args: Sequence[Any],
    order: int,
    modes: Sequence[str] = ("fwd", "rev"),
    atol: float = 1e-2,
    rtol: float = 1e-2,
    eps: float = 2.0**-8,
) -> None:
    """Compare the derivatives of a function with differences of its values.

    Args:
        f: Function of tensors, numbers or trees of these, all floating.
        args: Arguments at which the derivatives are compared.
        order: Highest derivative.
        modes: "fwd" for `jvp`, "rev" for `vjp`; both by default.
        atol: Absolute tolerance; 0.01 by default.
        rtol: Relative tolerance; 0.01 by default.
        eps: Step of the differences; 1 / 256 by default.

    Raises:
        AssertionError: If they differ.

    >>> import py_tensor as pt
    >>> pt.test_util.check_grads(lambda x, y: x * pt.exp(y), (2.0, 0.5), order=2)
    """
    primals: tuple[Any, ...] = tree_map(lambda leaf: as_tensor("check_grads", leaf), tuple(args))
    options: Any = {"modes": modes, "atol": atol, "rtol": rtol, "eps": eps}
    if "fwd" in modes:
        check_jvp(f, lambda *pair: jvp(f, *pair), primals, atol, rtol, eps)
        if order > 1:
            check_grads(lambda *pair: jvp(f, *pair), (primals, primals), order - 1, **options)
    if "rev" in modes:
        check_vjp(f, lambda *values: vjp(f, *values), primals, atol, rtol, eps)

        def pulled(*values: Any) -> Any:
            result, pull = vjp(f, *values)
            return pull(result)

        if order > 1:
            check_grads(pulled, primals, order - 1, **options)


def check_jvp(
    f: _Function,
    f_jvp: _Function,
    args: Sequence[Any],
    atol: float = 1e-2,
    rtol: float = 1e-2,
    eps: float = 2.0**-8,
) -> None:
    """Compare `f_jvp(args, tangents)` with a difference of values of `f`, see `check_grads`.

    >>> import py_tensor as pt
    >>> pt.test_util.check_jvp(pt.sin, lambda x, t: pt.jvp(pt.sin, x, t), (1.0,))
    """
    primals = tree_map(lambda leaf: as_tensor("check_jvp", leaf), tuple(args))
    tangents = _directions(primals)
    result, tangent = f_jvp(primals, tangents)
    _close("value", result, f(*primals), atol, rtol)
    _close("tangent", tangent, _difference(f, primals, tangents, eps), atol, rtol)


def check_vjp(
    f: _Function,
    f_vjp: _Function,
    args: Sequence[Any],
    atol: float = 1e-2,
    rtol: float = 1e-2,
    eps: float = 2.0**-8,
) -> None:
    """Compare `f_vjp(*args)` with a difference of values of `f`, see `check_grads`.

    >>> import py_tensor as pt
    >>> pt.test_util.check_vjp(pt.sin, lambda x: pt.vjp(pt.sin, x), (1.0,))
    """
    primals = tree_map(lambda leaf: as_tensor("check_vjp", leaf), tuple(args))
    tangents = _directions(primals)
    result, pull = f_vjp(*primals)
    _close("value", result, f(*primals), atol, rtol)
    cotangents = _directions(result)
    expected = _product(_difference(f, primals, tangents, eps), cotangents)
    _close("cotangent", _product(tangents, pull(cotangents)), expected, atol, rtol)


def _directions(tree: Any) -> Any:
    """Return random tensors like those of a tree, always the same."""
    number = iter(range(1 << 20))

    def direction(x: Tensor) -> Tensor:
        drawn = random.normal(shape=x.shape, key=random.key(next(number)))
        return drawn.astype(x.dtype)

    return tree_map(direction, tree)


def _difference(f: _Function, primals: Any, tangents: Any, eps: float) -> Any:
    above = f(*tree_map(lambda x, t: x + t * eps, primals, tangents))
    below = f(*tree_map(lambda x, t: x - t * eps, primals, tangents))
    return tree_map(lambda a, b: (a - b) / (2.0 * eps), above, below)


def _product(a: Any, b: Any) -> Tensor:
    """Return the sum of the products of the leaves' elements, real parts and imaginary ones."""
    pairs = zip(tree_leaves(a), tree_leaves(b), strict=True)
    flat = [(reshape(conj(x), (-1,)), reshape(as_tensor("", y), (-1,))) for x, y in pairs]
    products = [linear_algebra.vecdot(x, y) for x, y in flat]
    return as_tensor("check_vjp", products).sum()


def _close(what: str, got: Any, expected: Any, atol: float, rtol: float) -> None:
    for one, other in zip(tree_leaves(got), tree_leaves(expected), strict=True):
        far = abs(one - other) > atol + rtol * abs(as_tensor("", other))
        if bool(statistical.any(far)):
            raise AssertionError(
                f"check_grads: {what} differs; got {one} instead of {other}; check the rule of the "
                "function, or raise atol and rtol"
            )
