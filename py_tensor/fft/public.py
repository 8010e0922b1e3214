"""The public transforms and their inverses, for complex and for real numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from .. import functions as F
from ..dtypes import float32
from ..errors import DTypeError, ShapeError
from ..functions.arguments import MOST_ELEMENTS, choice, integer, items, one_axis
from ..functions.decorators import named, remembered
from ..ops.complex_algebra import ComplexParts
from ..tensor import Tensor, as_tensor, node_behind
from ..typing import ArrayLike
from .reals import from_real, to_real
from .transforms import transform

NORMS = {"backward": (0.0, 1.0), "ortho": (0.5, 0.5), "forward": (1.0, 0.0)}
"""Powers of 1 / n that transforms and inverse transforms are multiplied by."""
_FORWARD, _INVERSE = -1, 1
_OF_COMPLEX = {"rfft": "fft", "ihfft": "ifft"}


@remembered
def fft(x: ArrayLike, /, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """Discrete Fourier transform along an axis: sum over j of x[j] exp(-2 pi i j k / n).

    Args:
        x: Tensor or array-like of any dtype.
        n: Length to cut x or pad it with zeros to; None (default) for that of the axis.
        axis: Axis to transform; -1 by default.
        norm: Transform that is divided by n: "backward" (default) for the inverse one, "forward"
            for this one; "ortho" divides both by the square root of n.

    Returns:
        Tensor of the shape of x with length n along the axis; complex64.

    Raises:
        ShapeError: If the axis does not exist or n is below 1.
        ArgumentError: If `norm` is unknown.

    >>> import py_tensor as pt
    >>> pt.fft.fft(pt.asarray([1.0, 0.0, 0.0, 0.0])).tolist()
    [(1+0j), (1+0j), (1+0j), (1+0j)]
    """
    return _complex("fft", as_tensor("fft", x), n, axis, norm, _FORWARD)


@remembered
def ifft(x: ArrayLike, /, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """Inverse of `fft`: sum over k of x[k] exp(2 pi i j k / n), over n.

    Args:
        x: Tensor or array-like of any dtype.
        n: Length to cut x or pad it with zeros to; None (default) for that of the axis.
        axis: Axis to transform; -1 by default.
        norm: "backward" (default), "ortho" or "forward", as in `fft`.

    Returns:
        Tensor of the shape of x with length n along the axis; complex64.

    Raises:
        ShapeError: If the axis does not exist or n is below 1.
        ArgumentError: If `norm` is unknown.

    >>> import py_tensor as pt
    >>> pt.fft.ifft(pt.asarray([4.0, 0.0, 0.0, 0.0])).tolist()
    [(1+0j), (1+0j), (1+0j), (1+0j)]
    """
    return _complex("ifft", as_tensor("ifft", x), n, axis, norm, _INVERSE)


@remembered
def rfft(x: ArrayLike, /, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """First n // 2 + 1 elements of the `fft` of a real x; the others are their conjugates.

    Args:
        x: Tensor or array-like of a real dtype.
        n: Length to cut x or pad it with zeros to; None (default) for that of the axis.
        axis: Axis to transform; -1 by default.
        norm: "backward" (default), "ortho" or "forward", as in `fft`.

    Returns:
        Tensor with length n // 2 + 1 along the axis; complex64.

    Raises:
        DTypeError: If x is complex.
        ShapeError: If the axis does not exist or n is below 1.
        ArgumentError: If `norm` is unknown.

    >>> import py_tensor as pt
    >>> pt.fft.rfft(pt.asarray([1.0, 0.0, 0.0, 0.0])).tolist()
    [(1+0j), (1+0j), (1+0j)]
    """
    return _from_real("rfft", as_tensor("rfft", x), n, axis, norm, _FORWARD)


@remembered
def irfft(x: ArrayLike, /, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """Inverse of `rfft`: n real numbers.

    The imaginary part of the first element, and of the last one for even n, is ignored.

    Args:
        x: Tensor or array-like of any dtype, with m elements along the axis.
        n: Length of the result; None (default) for 2 * (m - 1).
        axis: Axis to transform; -1 by default.
        norm: "backward" (default), "ortho" or "forward", as in `fft`.

    Returns:
        Tensor with length n along the axis; float32.

    Raises:
        ShapeError: If the axis does not exist or n is below 1.
        ArgumentError: If `norm` is unknown.

    >>> import py_tensor as pt
    >>> pt.fft.irfft(pt.asarray([1.0, 1.0, 1.0])).tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    return _to_real("irfft", as_tensor("irfft", x), n, axis, norm, _INVERSE)


@remembered
def hfft(x: ArrayLike, /, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """`fft` of a Hermitian signal, given its first half; the result is real.

    Args:
        x: Tensor or array-like of any dtype, with m elements along the axis.
        n: Length of the result; None (default) for 2 * (m - 1).
        axis: Axis to transform; -1 by default.
        norm: "backward" (default), "ortho" or "forward", as in `fft`.

    Returns:
        Tensor with length n along the axis; float32.

    Raises:
        ShapeError: If the axis does not exist or n is below 1.
        ArgumentError: If `norm` is unknown.

    >>> import py_tensor as pt
    >>> pt.fft.hfft(pt.asarray([1.0, 1.0, 1.0])).tolist()
    [4.0, 0.0, 0.0, 0.0]
    """
    return _to_real("hfft", as_tensor("hfft", x), n, axis, norm, _FORWARD)


@remembered
def ihfft(x: ArrayLike, /, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """Inverse of `hfft`: the first n // 2 + 1 elements of the `ifft` of a real x.

    Args:
        x: Tensor or array-like of a real dtype.
        n: Length to cut x or pad it with zeros to; None (default) for that of the axis.
        axis: Axis to transform; -1 by default.
        norm: "backward" (default), "ortho" or "forward", as in `fft`.

    Returns:
        Tensor with length n // 2 + 1 along the axis; complex64.

    Raises:
        DTypeError: If x is complex.
        ShapeError: If the axis does not exist or n is below 1.
        ArgumentError: If `norm` is unknown.

    >>> import py_tensor as pt
    >>> pt.fft.ihfft(pt.asarray([4.0, 0.0, 0.0, 0.0])).tolist()
    [(1+0j), (1+0j), (1+0j)]
    """
    return _from_real("ihfft", as_tensor("ihfft", x), n, axis, norm, _INVERSE)


@named
def fftn(
    x: ArrayLike,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Tensor:
    """`fft` along several axes.

    Args:
        x: Tensor or array-like of any dtype.
        s: Length along each axis, to cut x or pad it with zeros to; None (default) for those of x.
        axes: Axes to transform; None (default) for the last `len(s)`, or all if `s` is None.
        norm: "backward" (default), "ortho" or "forward", as in `fft`.

    Returns:
        Tensor of the shape of x with the lengths `s` along the axes; complex64.

    Raises:
        ShapeError: If an axis does not exist or repeats, or the number of lengths differs.
        ArgumentError: If `norm` is unknown.

    >>> import py_tensor as pt
    >>> pt.fft.fftn(pt.ones((2, 2))).tolist()
    [[(4+0j), 0j], [0j, 0j]]
    """
    return _along("fftn", fft, as_tensor("fftn", x), s, axes, norm)


@named
def ifftn(
    x: ArrayLike,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Tensor:
    """Inverse of `fftn`.

    Args:
        x: Tensor or array-like of any dtype.
        s: Length along each axis, to cut x or pad it with zeros to; None (default) for those of x.
        axes: Axes to transform; None (default) for the last `len(s)`, or all if `s` is None.
        norm: "backward" (default), "ortho" or "forward", as in `fft`.

    Returns:
        Tensor of the shape of x with the lengths `s` along the axes; complex64.

    Raises:
        ShapeError: If an axis does not exist or repeats, or the number of lengths differs.
        ArgumentError: If `norm` is unknown.

    >>> import py_tensor as pt
    >>> pt.real(pt.fft.ifftn(pt.ones((2, 2)))).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    return _along("ifftn", ifft, as_tensor("ifftn", x), s, axes, norm)


@named
def rfftn(
    x: ArrayLike,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Tensor:
    """`rfft` along the last of the axes, then `fft` along the others.

    Args:
        x: Tensor or array-like of a real dtype.
        s: Length along each axis, to cut x or pad it with zeros to; None (default) for those of x.
        axes: Axes to transform; None (default) for the last `len(s)`, or all if `s` is None.
        norm: "backward" (default), "ortho" or "forward", as in `fft`.

    Returns:
        Tensor with half the length plus 1 along the last of the axes; complex64.

    Raises:
        DTypeError: If x is complex.
        ShapeError: If an axis does not exist or repeats, or the number of lengths differs.
        ArgumentError: If `norm` is unknown.

    >>> import py_tensor as pt
    >>> pt.fft.rfftn(pt.ones((4, 4))).shape
    (4, 3)
    """
    x = as_tensor("rfftn", x)
    numbers, lengths = _axes("rfftn", x, s, axes)
    first = rfft(x, n=lengths[-1], axis=numbers[-1], norm=norm)
    return _along("rfftn", fft, first, lengths[:-1], numbers[:-1], norm)


@named
def irfftn(
    x: ArrayLike,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Tensor:
    """Inverse of `rfftn`: real numbers.

    Args:
        x: Tensor or array-like of any dtype.
        s: Length of the result along each axis; None (default) for those of x, except 2 * (m - 1)
            for m elements along the last of the axes.
        axes: Axes to transform; None (default) for the last `len(s)`, or all if `s` is None.
        norm: "backward" (default), "ortho" or "forward", as in `fft`.

    Returns:
        Tensor of the shape of x with the lengths `s` along the axes; float32.

    Raises:
        ShapeError: If an axis does not exist or repeats, or the number of lengths differs.
        ArgumentError: If `norm` is unknown.

    >>> import py_tensor as pt
    >>> pt.fft.irfftn(pt.ones((4, 3))).shape
    (4, 4)
    """
    x = as_tensor("irfftn", x)
    numbers, lengths = _axes("irfftn", x, s, axes)
    last = lengths[-1] if s is not None else None
    first = _along("irfftn", ifft, x, lengths[:-1], numbers[:-1], norm)
    return irfft(first, n=last, axis=numbers[-1], norm=norm)


# --- steps ----------------------------------------------------------------------------------------


def _axes(operation: str, x: Tensor, s: Any, axes: Any) -> tuple[list[int], list[int]]:
    """Return distinct axes in the given order, and their lengths."""
    s = None if s is None else items(operation, "s", s)
    axes = None if axes is None else items(operation, "axes", axes)
    if axes is None:
        count = x.ndim if s is None else len(s)
        axes = range(-count, 0)
    numbers = [one_axis(operation, axis, x.ndim) for axis in axes]
    if len(set(numbers)) < len(numbers) or not numbers:
        raise ShapeError(
            f"{operation}: axes are invalid; got {tuple(axes)} for shape {x.shape}; name at least "
            "one axis, each only once"
        )
    lengths = (
        [x.shape[axis] for axis in numbers]
        if s is None
        else [integer(operation, "length", n, most=MOST_ELEMENTS) for n in s]
    )
    if len(lengths) != len(numbers):
        raise ShapeError(
            f"{operation}: number of lengths must equal number of axes; got s {tuple(lengths)} for "
            f"{len(numbers)} axes; pass one length per axis"
        )
    return numbers, lengths


def _along(
    operation: str, function: Callable[..., Tensor], x: Tensor, s: Any, axes: Any, norm: str
) -> Tensor:
    if isinstance(axes, list) and isinstance(s, list) and not axes and not s:
        return x
    for axis, length in zip(*_axes(operation, x, s, axes), strict=True):
        x = function(x, n=length, axis=axis, norm=norm)
    return x


def _complex(operation: str, x: Tensor, n: int | None, axis: int, norm: str, sign: int) -> Tensor:
    axis, length = _axis_and_length(operation, x, n, axis)
    scale = _scale(operation, length, norm, sign)
    rows, rest = _rows(x, axis, length)
    return _back(_joined(transform(rows, sign), scale), rest, axis)


def _from_real(operation: str, x: Tensor, n: int | None, axis: int, norm: str, sign: int) -> Tensor:
    node_behind(operation, x)
    if x.dtype.kind == "c":
        raise _not_real(operation, x)
    axis, length = _axis_and_length(operation, x, n, axis)
    scale = _scale(operation, length, norm, sign)
    rows, rest = _rows(x, axis, length)
    return _back(_joined(from_real(rows.re, sign), scale), rest, axis)


def _to_real(operation: str, x: Tensor, n: int | None, axis: int, norm: str, sign: int) -> Tensor:
    axis, half_length = _axis_and_length(operation, x, None, axis)
    length = 2 * (half_length - 1) if n is None else integer(operation, "n", n, most=MOST_ELEMENTS)
    if length < 1:
        raise _empty(operation, length, x)
    scale = _scale(operation, length, norm, sign)
    half, rest = _rows(x, axis, length // 2 + 1)
    result = to_real(half, length, sign)
    return _back(result if scale == 1.0 else result * scale, rest, axis)


def _axis_and_length(operation: str, x: Tensor, n: int | None, axis: int) -> tuple[int, int]:
    """Return the non-negative axis, and the length to transform along it."""
    axis = one_axis(operation, axis, x.ndim)
    length = x.shape[axis] if n is None else integer(operation, "n", n, most=MOST_ELEMENTS)
    if length < 1:
        raise _empty(operation, length, x)
    return axis, length


def _empty(operation: str, length: int, x: Tensor) -> ShapeError:
    return ShapeError(
        f"{operation}: length of the transform must be positive; got length {length} for shape "
        f"{x.shape}; use at least one element"
    )


def _not_real(operation: str, x: Tensor) -> DTypeError:
    return DTypeError(
        f"{operation}: input must be real; got {x.dtype}; use pt.fft.{_OF_COMPLEX[operation]} or "
        "pt.real(x)"
    )


def _scale(operation: str, n: int, norm: str, sign: int) -> float:
    return float(n ** -NORMS[choice(operation, "norm", norm, NORMS)][sign == _INVERSE])


def _rows(x: Tensor, axis: int, length: int) -> tuple[ComplexParts, tuple[int, ...]]:
    """Return x as rows of `length` elements, cut or padded, and its other lengths."""
    x = F.moveaxis(x, axis, -1)
    *rest, available = x.shape
    if available > length:
        x = x[..., :length]
    elif available < length:
        x = F.pad(x, ((0, 0),) * len(rest) + ((0, length - available),))
    x = F.reshape(x, (math.prod(rest), length))
    if x.dtype.kind == "c":
        return ComplexParts(F.real(x), F.imag(x)), tuple(rest)
    return ComplexParts(F.astype(x, float32, copy=False), None), tuple(rest)


def _joined(pair: ComplexParts, scale: float) -> Tensor:
    if scale != 1.0:
        pair *= scale
    return F.complex(pair.re, pair.im)


def _back(rows: Tensor, rest: tuple[int, ...], axis: int) -> Tensor:
    """Restore the axes of the result from its rows."""
    return F.moveaxis(F.reshape(rows, (*rest, rows.shape[-1])), -1, axis)
