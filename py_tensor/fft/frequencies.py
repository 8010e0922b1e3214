"""Sample frequencies of Fourier transforms, and shifts of the zero frequency."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dtypes import as_dtype, float32
from ..errors import ArgumentError, DTypeError
from ..functions.arguments import MOST_ELEMENTS, integer, number, some_axes
from ..functions.creation import arange
from ..functions.elementwise import astype, where
from ..functions.joining import roll
from ..runtime.executor import check_device
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, DTypeLike


def fftfreq(
    n: int, /, *, d: float = 1.0, dtype: DTypeLike | None = None, device: str | None = None
) -> Tensor:
    """Return the sample frequencies of a transform: 0, 1, ..., then the negative ones, over n * d.

    Args:
        n: Number of samples.
        d: Distance between samples; 1 by default. Frequencies are in cycles per unit of d.
        dtype: Floating dtype of the result; None (default) for float32.
        device: The backend in use, or None (default).

    Returns:
        Vector of n elements.

    Raises:
        ArgumentError: If n is below 1.
        DTypeError: If the dtype is not floating.

    >>> import py_tensor as pt
    >>> pt.fft.fftfreq(4).tolist()
    [0.0, 0.25, -0.5, -0.25]
    """
    multiples = arange(_length("fftfreq", n))
    multiples = where(multiples < (n + 1) // 2, multiples, multiples - n)
    return _spaced("fftfreq", multiples, n, d, dtype, device)


def rfftfreq(
    n: int, /, *, d: float = 1.0, dtype: DTypeLike | None = None, device: str | None = None
) -> Tensor:
    """Return the sample frequencies of `rfft`: those of `fftfreq` that are not negative.

    Args:
        n: Number of samples.
        d: Distance between samples; 1 by default. Frequencies are in cycles per unit of d.
        dtype: Floating dtype of the result; None (default) for float32.
        device: The backend in use, or None (default).

    Returns:
        Vector of n // 2 + 1 elements.

    Raises:
        ArgumentError: If n is below 1.
        DTypeError: If the dtype is not floating.

    >>> import py_tensor as pt
    >>> pt.fft.rfftfreq(4).tolist()
    [0.0, 0.25, 0.5]
    """
    multiples = arange(_length("rfftfreq", n) // 2 + 1)
    return _spaced("rfftfreq", multiples, n, d, dtype, device)


def _length(operation: str, n: int) -> int:
    n = integer(operation, "n", n, most=MOST_ELEMENTS)
    if n < 1:
        raise ArgumentError(
            f"{operation}: number of samples must be positive; got n {n}; use 1 or more"
        )
    return n


def _spaced(
    operation: str, multiples: Tensor, n: int, d: float, dtype: DTypeLike | None, device: str | None
) -> Tensor:
    check_device(operation, device)
    target = float32 if dtype is None else as_dtype(dtype, operation)
    if target.kind != "f":
        raise DTypeError(f'{operation}: dtype {target} is not floating; use dtype="float32"')
    # By division, which rounds once; the product with 1 / (n d) would round twice.
    frequencies = astype(multiples, float32) / (n * number(operation, "d", d))
    return frequencies.astype(target, copy=False)


def fftshift(x: ArrayLike, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """Move the zero frequency to the middle of axes.

    Args:
        x: Tensor or array-like of any dtype.
        axes: Axis or sequence of axes; None (default) for all.

    Returns:
        Tensor of the shape and dtype of x.

    Raises:
        ShapeError: If an axis does not exist.

    >>> import py_tensor as pt
    >>> pt.fft.fftshift(pt.fft.fftfreq(4)).tolist()
    [-0.5, -0.25, 0.0, 0.25]
    """
    return _shifted("fftshift", as_tensor("fftshift", x), axes, 0)


def ifftshift(x: ArrayLike, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """Move the zero frequency from the middle of axes to the front: the inverse of `fftshift`.

    Args:
        x: Tensor or array-like of any dtype.
        axes: Axis or sequence of axes; None (default) for all.

    Returns:
        Tensor of the shape and dtype of x.

    Raises:
        ShapeError: If an axis does not exist.

    >>> import py_tensor as pt
    >>> pt.fft.ifftshift(pt.asarray([-2, -1, 0, 1])).tolist()
    [0, 1, -2, -1]
    """
    return _shifted("ifftshift", as_tensor("ifftshift", x), axes, 1)


def _shifted(operation: str, x: Tensor, axes: Any, more: int) -> Tensor:
    shifted = some_axes(operation, axes, x.ndim)
    if not shifted:
        return x
    return roll(x, tuple((x.shape[axis] + more) // 2 for axis in shifted), axis=shifted)
