"""The transforms and their inverses: of complex numbers, and of real ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any

from ..dtypes import float32
from ..errors import ArgumentError, DTypeError, ShapeError
from ..functions import PUBLIC as PT
from ..functions.axes import one_axis
from ..functions.naming import named
from ..functions.remembering import remembered
from ..tensor import Tensor, as_tensor, node_behind
from .reals import from_real, to_real
from .transforms import Pair, Parts, transform

NORMS = {"backward": (0.0, 1.0), "ortho": (0.5, 0.5), "forward": (1.0, 0.0)}
"""The powers of 1 / n by which transforms and inverse transforms are multiplied."""
_FORWARD, _INVERSE = -1, 1
_OF_COMPLEX = {"rfft": "fft", "ihfft": "ifft"}


@remembered
def fft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The discrete Fourier transform along an axis: sums of x[j] exp(-2 pi i j k / n); complex64.

    x is real or complex. It is cut or padded with zeros to n elements along the axis. `norm` says
    what is divided by n: "backward" the inverse transform, "forward" this one, "ortho" both by the
    root of n. Raises ShapeError for axes that do not exist and lengths below 1, ArgumentError for
    other norms.

    >>> import py_tensor as pt
    >>> pt.fft.fft(pt.asarray([1.0, 0.0, 0.0, 0.0])).tolist()
    [(1+0j), (1+0j), (1+0j), (1+0j)]
    """
    return _complex("fft", as_tensor("fft", x), n, axis, norm, _FORWARD)


@remembered
def ifft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The inverse of `fft`: sums of x[k] exp(2 pi i j k / n) over n; complex64.

    Arguments and errors are those of `fft`.

    >>> import py_tensor as pt
    >>> pt.fft.ifft(pt.asarray([4.0, 0.0, 0.0, 0.0])).tolist()
    [(1+0j), (1+0j), (1+0j), (1+0j)]
    """
    return _complex("ifft", as_tensor("ifft", x), n, axis, norm, _INVERSE)


@remembered
def rfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The first n // 2 + 1 results of `fft` of a real x: the others are their conjugates.

    complex64. Raises DTypeError for complex x; other arguments and errors are those of `fft`.

    >>> import py_tensor as pt
    >>> pt.fft.rfft(pt.asarray([1.0, 0.0, 0.0, 0.0])).tolist()
    [(1+0j), (1+0j), (1+0j)]
    """
    return _from_real("rfft", as_tensor("rfft", x), n, axis, norm, _FORWARD)


@remembered
def irfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The inverse of `rfft`: n real numbers, 2 (m - 1) for m elements where n is None; float32.

    Imaginary parts of the first element, and for even n of the last, are taken for zero. Arguments
    and errors are those of `fft`.

    >>> import py_tensor as pt
    >>> pt.fft.irfft(pt.asarray([1.0, 1.0, 1.0])).tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    return _to_real("irfft", as_tensor("irfft", x), n, axis, norm, _INVERSE)


@remembered
def hfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """`fft` of a signal of which x is the first half, the rest its conjugates; n real results.

    float32; 2 (m - 1) results for m elements where n is None. Arguments and errors are those of
    `fft`.

    >>> import py_tensor as pt
    >>> pt.fft.hfft(pt.asarray([1.0, 1.0, 1.0])).tolist()
    [4.0, 0.0, 0.0, 0.0]
    """
    return _to_real("hfft", as_tensor("hfft", x), n, axis, norm, _FORWARD)


@remembered
def ihfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The inverse of `hfft`: the first n // 2 + 1 results of `ifft` of a real x.

    complex64. Arguments and errors are those of `rfft`.

    >>> import py_tensor as pt
    >>> pt.fft.ihfft(pt.asarray([4.0, 0.0, 0.0, 0.0])).tolist()
    [(1+0j), (1+0j), (1+0j)]
    """
    return _from_real("ihfft", as_tensor("ihfft", x), n, axis, norm, _INVERSE)


@named
def fftn(
    x: Any,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Tensor:
    """`fft` along several axes: all, the last `len(s)`, or `axes`; `s` has the lengths.

    complex64. Raises ShapeError for axes that do not exist, repeat or do not pair with `s`; else as
    `fft`.

    >>> import py_tensor as pt
    >>> pt.fft.fftn(pt.ones((2, 2))).tolist()
    [[(4+0j), 0j], [0j, 0j]]
    """
    return _along("fftn", fft, as_tensor("fftn", x), s, axes, norm)


@named
def ifftn(
    x: Any,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Tensor:
    """The inverse of `fftn`; complex64.

    Arguments and errors are those of `fftn`.

    >>> import py_tensor as pt
    >>> pt.real(pt.fft.ifftn(pt.ones((2, 2)))).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    return _along("ifftn", ifft, as_tensor("ifftn", x), s, axes, norm)


@named
def rfftn(
    x: Any,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Tensor:
    """`rfft` along the last of the axes, then `fft` along the others; complex64.

    Arguments are those of `fftn`, errors those of it and of `rfft`.

    >>> import py_tensor as pt
    >>> pt.fft.rfftn(pt.ones((4, 4))).shape
    (4, 3)
    """
    x = as_tensor("rfftn", x)
    places, lengths = _axes("rfftn", x, s, axes)
    first = rfft(x, n=lengths[-1], axis=places[-1], norm=norm)
    return _along("rfftn", fft, first, lengths[:-1], places[:-1], norm)


@named
def irfftn(
    x: Any,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Tensor:
    """The inverse of `rfftn`: real numbers, along the last axis 2 (m - 1) where `s` is None.

    float32. Arguments and errors are those of `fftn`.

    >>> import py_tensor as pt
    >>> pt.fft.irfftn(pt.ones((4, 3))).shape
    (4, 4)
    """
    x = as_tensor("irfftn", x)
    places, lengths = _axes("irfftn", x, s, axes)
    last = lengths[-1] if s is not None else None
    first = _along("irfftn", ifft, x, lengths[:-1], places[:-1], norm)
    return irfft(first, n=last, axis=places[-1], norm=norm)


# --- steps ----------------------------------------------------------------------------------------


def _axes(operation: str, x: Tensor, s: Any, axes: Any) -> tuple[list[int], list[int]]:
    """Axes in the order given, none twice, and their lengths."""
    if axes is None:
        count = x.ndim if s is None else len(s)
        axes = range(-count, 0)
    places = [one_axis(operation, axis, x.ndim) for axis in axes]
    if len(set(places)) < len(places) or not places:
        raise ShapeError(
            f"{operation}: axes do not fit; got {tuple(axes)} for shape {x.shape}; "
            "name at least one, each once"
        )
    lengths = [x.shape[place] for place in places] if s is None else [index(n) for n in s]
    if len(lengths) != len(places):
        raise ShapeError(
            f"{operation}: lengths do not fit the axes; got s {tuple(lengths)} for {len(places)} "
            "axes; give one length an axis"
        )
    return places, lengths


def _along(operation: str, function: Any, x: Tensor, s: Any, axes: Any, norm: str) -> Tensor:
    if axes == [] and s == []:
        return x
    for place, length in zip(*_axes(operation, x, s, axes), strict=True):
        x = function(x, n=length, axis=place, norm=norm)
    return x


def _complex(operation: str, x: Tensor, n: Any, axis: int, norm: str, sign: int) -> Tensor:
    place, length = _place(operation, x, n, axis)
    scale = _scale(operation, length, norm, sign)
    given, rest = _rows(x, place, length)
    return _back(_joined(transform(given, sign), scale), rest, place)


def _from_real(operation: str, x: Tensor, n: Any, axis: int, norm: str, sign: int) -> Tensor:
    node_behind(operation, x)
    if x.dtype.kind == "c":
        raise _not_real(operation, x)
    place, length = _place(operation, x, n, axis)
    scale = _scale(operation, length, norm, sign)
    given, rest = _rows(x, place, length)
    return _back(_joined(from_real(given.re, sign), scale), rest, place)


def _to_real(operation: str, x: Tensor, n: Any, axis: int, norm: str, sign: int) -> Tensor:
    place, given_length = _place(operation, x, None, axis)
    length = 2 * (given_length - 1) if n is None else index(n)
    if length < 1:
        raise _empty(operation, length, x)
    scale = _scale(operation, length, norm, sign)
    half, rest = _rows(x, place, length // 2 + 1)
    result = to_real(half, length, sign)
    return _back(result if scale == 1.0 else result * scale, rest, place)


def _place(operation: str, x: Tensor, n: Any, axis: int) -> tuple[int, int]:
    """The axis, not negative, and the length to transform along it."""
    place = one_axis(operation, axis, x.ndim)
    length = x.shape[place] if n is None else index(n)
    if length < 1:
        raise _empty(operation, length, x)
    return place, length


def _empty(operation: str, length: int, x: Tensor) -> ShapeError:
    return ShapeError(
        f"{operation}: nothing to transform; got length {length} for shape {x.shape}; "
        "transform at least one element"
    )


def _not_real(operation: str, x: Tensor) -> DTypeError:
    return DTypeError(
        f"{operation}: input is complex; got {x.dtype}; use pt.fft.{_OF_COMPLEX[operation]} "
        "or pt.real(x)"
    )


def _scale(operation: str, n: int, norm: str, sign: int) -> float:
    if norm not in NORMS:
        raise ArgumentError(
            f"{operation}: no norm of that name; got {norm!r}; use one of {', '.join(NORMS)}"
        )
    return float(n ** -NORMS[norm][sign == _INVERSE])


def _rows(x: Tensor, place: int, length: int) -> tuple[Parts, tuple[int, ...]]:
    """x as rows of `length` elements along the axis, cut or padded, and its other lengths."""
    x = PT["moveaxis"](x, place, -1)
    rest, given = x.shape[:-1], x.shape[-1]
    if given > length:
        x = x[..., :length]
    elif given < length:
        x = PT["pad"](x, ((0, 0),) * len(rest) + ((0, length - given),))
    x = PT["reshape"](x, (math.prod(rest), length))
    if x.dtype.kind == "c":
        return Parts(PT["real"](x), PT["imag"](x)), rest
    return Parts(PT["astype"](x, float32, copy=False), None), rest


def _joined(pair: Pair, scale: float) -> Tensor:
    if scale != 1.0:
        pair = Pair(pair.re * scale, pair.im * scale)
    result: Tensor = PT["complex"](pair.re, pair.im)
    return result


def _back(rows: Tensor, rest: tuple[int, ...], place: int) -> Tensor:
    """Rows as the axis they are in the result."""
    result: Tensor = PT["moveaxis"](PT["reshape"](rows, (*rest, rows.shape[-1])), -1, place)
    return result
