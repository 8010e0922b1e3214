"""Create complex numbers, and return their parts and angles."""

from __future__ import annotations

from math import pi

from ..errors import DTypeError
from ..ir.node import OpNode, node_of
from ..ops import OP_DEFS
from ..ops.complex_parts import COMPLEX, IMAG, REAL
from ..tensor import Tensor, apply, as_tensor, node_behind
from ..typing import ArrayLike
from .arguments import flag
from .creation import zeros
from .decorators import named
from .elementwise import equal, multiply, not_equal


def complex(real: ArrayLike, imag: ArrayLike, /) -> Tensor:
    """Create complex numbers from real and imaginary parts.

    Args:
        real: Tensor or number of a real dtype.
        imag: Tensor or number of a real dtype; the shapes broadcast.

    Returns:
        Tensor of the broadcast shape; complex64.

    Raises:
        DTypeError: If a part is complex.
        ShapeError: If the shapes do not broadcast.

    >>> import py_tensor as pt
    >>> pt.complex(pt.asarray([1.0, 2.0]), -1.0).tolist()
    [(1-1j), (2-1j)]
    """
    nodes = [_real(as_tensor("complex", part)) for part in (real, imag)]
    return Tensor(node_of(COMPLEX, tuple(nodes)))


def _real(x: Tensor) -> OpNode:
    node = node_behind("complex", x)
    if node.spec.dtype.kind == "c":
        raise DTypeError(
            f"complex: parts must be real; got {node.spec}; use pt.real(x) or pt.imag(x)"
        )
    return node


def real(x: ArrayLike, /) -> Tensor:
    """Return the real parts; a real tensor is returned unchanged.

    Args:
        x: Tensor or array-like of any shape and dtype.

    Returns:
        Tensor of the shape of x; float32 for complex x, else the dtype of x.

    >>> import py_tensor as pt
    >>> pt.real(pt.asarray([1 + 2j, 3j])).tolist()
    [1.0, 0.0]
    """
    x = as_tensor("real", x)
    node = node_behind("real", x)
    return Tensor(node_of(REAL, (node,))) if node.spec.dtype.kind == "c" else x


def imag(x: ArrayLike, /) -> Tensor:
    """Return the imaginary parts; zeros for a real tensor.

    Args:
        x: Tensor or array-like of any shape and dtype.

    Returns:
        Tensor of the shape of x; float32 for complex x, else the dtype of x.

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
def angle(x: ArrayLike, /, deg: bool = False) -> Tensor:
    """Return the angles of complex numbers in radians, from -pi to pi; 0 or pi for real numbers.

    Args:
        x: Tensor or array-like of a floating or complex dtype.
        deg: Return degrees; False by default.

    Returns:
        Tensor of the shape of x; float32 for complex x, else the dtype of x.

    Raises:
        DTypeError: If x is an integer tensor or bool.

    >>> import py_tensor as pt
    >>> pt.angle(pt.asarray([1 + 0j, 2j])).tolist()
    [0.0, 1.5707963705062866]
    """
    x = as_tensor("angle", x)
    radians = apply(OP_DEFS["atan2"], (imag(x), real(x)))
    return multiply(radians, 180.0 / pi) if flag("angle", "deg", deg) else radians


def isreal(x: ArrayLike, /) -> Tensor:
    """Test if the imaginary part is zero.

    Args:
        x: Tensor or array-like of any shape and dtype.

    Returns:
        Tensor of the shape of x; bool.

    >>> import py_tensor as pt
    >>> pt.isreal(pt.asarray([1 + 0j, 2j])).tolist()
    [True, False]
    """
    return equal(imag(as_tensor("isreal", x)), 0)


def iscomplex(x: ArrayLike, /) -> Tensor:
    """Test if the imaginary part is not zero.

    Args:
        x: Tensor or array-like of any shape and dtype.

    Returns:
        Tensor of the shape of x; bool.

    >>> import py_tensor as pt
    >>> pt.iscomplex(pt.asarray([1 + 0j, 2j])).tolist()
    [False, True]
    """
    return not_equal(imag(as_tensor("iscomplex", x)), 0)
