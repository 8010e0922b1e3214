"""Complex numbers: their parts, their angles, and making them of these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import DTypeError
from ..nodes import Node, node_of
from ..ops import ROWS
from ..ops.parts import COMPLEX, IMAG, REAL
from ..tensor import Tensor, apply, as_tensor, node_behind
from .creation import zeros
from .elementwise import PUBLIC as ELEMENTWISE
from .naming import named


def complex(real: Any, imag: Any, /) -> Tensor:
    """Complex numbers of real and imaginary parts, broadcast together; complex64.

    Raises DTypeError for parts that are complex.

    >>> import py_tensor as pt
    >>> pt.complex(pt.asarray([1.0, 2.0]), -1.0).tolist()
    [(1-1j), (2-1j)]
    """
    nodes = [_real(as_tensor("complex", part)) for part in (real, imag)]
    return Tensor(node_of(COMPLEX, tuple(nodes)))


def _real(x: Tensor) -> Node:
    node = node_behind("complex", x)
    if node.spec.dtype.kind == "c":
        raise DTypeError(f"complex: part is complex; got {node.spec}; use pt.real(x) or pt.imag(x)")
    return node


def real(x: Any, /) -> Tensor:
    """Real parts, float32; a real tensor as it is.

    Any shape and dtype.

    >>> import py_tensor as pt
    >>> pt.real(pt.asarray([1 + 2j, 3j])).tolist()
    [1.0, 0.0]
    """
    x = as_tensor("real", x)
    node = node_behind("real", x)
    return Tensor(node_of(REAL, (node,))) if node.spec.dtype.kind == "c" else x


def imag(x: Any, /) -> Tensor:
    """Imaginary parts, float32; zeros of its dtype for a real tensor.

    Any shape and dtype.

    >>> import py_tensor as pt
    >>> pt.imag(pt.asarray([1 + 2j, 3j])).tolist()
    [2.0, 3.0]
    """
    x = as_tensor("imag", x)
    node = node_behind("imag", x)
    if node.spec.dtype.kind == "c":
        return Tensor(node_of(IMAG, (node,)))
    return zeros(node.spec.shape, dtype=node.spec.dtype)


@named
def angle(x: Any, /) -> Tensor:
    """Angles of complex numbers in radians, from -pi to pi; of real ones, 0 or pi.

    Raises DTypeError for integers and bool.

    >>> import py_tensor as pt
    >>> pt.angle(pt.asarray([1 + 0j, 2j])).tolist()
    [0.0, 1.5707963705062866]
    """
    x = as_tensor("angle", x)
    return apply(ROWS["atan2"], (imag(x), real(x)))


def isreal(x: Any, /) -> Tensor:
    """Whether the imaginary part is zero.

    Any shape and dtype; bool.

    >>> import py_tensor as pt
    >>> pt.isreal(pt.asarray([1 + 0j, 2j])).tolist()
    [True, False]
    """
    return ELEMENTWISE["equal"](imag(as_tensor("isreal", x)), 0)


def iscomplex(x: Any, /) -> Tensor:
    """Whether the imaginary part is not zero.

    Any shape and dtype; bool.

    >>> import py_tensor as pt
    >>> pt.iscomplex(pt.asarray([1 + 0j, 2j])).tolist()
    [False, True]
    """
    return ELEMENTWISE["not_equal"](imag(as_tensor("iscomplex", x)), 0)


PUBLIC: dict[str, Callable[..., Tensor]] = {
    function.__name__: function for function in (angle, complex, imag, iscomplex, isreal, real)
}
