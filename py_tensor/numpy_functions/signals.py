"""Convolution, differences and windows of sampled signals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from .. import functions as F
from ..dtypes import int32
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import choice, integer, items, number, one_axis, some_axes
from ..functions.decorators import named
from ..functions.host_memory import computed_here, of_array
from ..functions.indexing import get
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, Axis
from .arithmetic import as_floating


def _vectors(operation: str, a: ArrayLike, v: ArrayLike) -> tuple[Tensor, Tensor]:
    first, second = as_tensor(operation, a), as_tensor(operation, v)
    for x in (first, second):
        if x.ndim > 1 or not x.size:
            raise ShapeError(f"{operation}: needs vectors with elements; got shape {x.shape}")
    dtype = F.result_type(first, second)
    dtype = int32 if dtype.kind == "b" else dtype
    first, second = (F.astype(F.reshape(x, (-1,)), dtype, copy=False) for x in (first, second))
    return first, second


def _slid(operation: str, a: Tensor, kernel: Tensor, before: int, count: int) -> Tensor:
    """Return sums of products of `kernel` with windows of a, the first one `before` it."""
    after = count + kernel.size - 1 - before - a.size
    padded = F.pad(a, ((max(before, 0), max(after, 0)),))[max(-before, 0) :]
    if a.dtype.kind == "f":
        image = F.reshape(padded, (1, 1, padded.size, 1))
        sums = F.conv2d(image, F.reshape(kernel, (1, kernel.size, 1, 1)))
        return F.reshape(sums, (-1,))[:count]
    places = F.reshape(F.arange(count), (-1, 1)) + F.arange(kernel.size)
    total = F.sum(F.take(padded, places, axis=0) * kernel, axis=1)
    return F.astype(total, a.dtype, copy=False)


def _extent(operation: str, mode: str, long: int, short: int) -> tuple[int, int]:
    """Return the padding in front, and the length of the result."""
    choice(operation, "mode", mode, ("full", "valid", "same"))
    if mode == "full":
        return short - 1, long + short - 1
    if mode == "valid":
        return 0, long - short + 1
    return short // 2, long


def _by_numpy(operation: str, first: Tensor, second: Tensor, mode: str) -> Tensor | None:
    """Return the result of NumPy's function; None if NumPy does not compute here."""
    result: Tensor | None = computed_here(
        lambda np, a, v: of_array(operation, getattr(np, operation)(a, v, mode), first.dtype),
        first,
        second,
    )
    return result


@named
def convolve(a: ArrayLike, v: ArrayLike, mode: str = "full") -> Tensor:
    """Convolve two vectors.

    Args:
        a: Vector.
        v: Vector.
        mode: "full" (default) for all sums, "same" for as many as the longer vector has elements,
            "valid" for those without padding.

    Returns:
        Vector in the promoted dtype.

    Raises:
        ShapeError: If an operand is not a vector, or is empty.
        ArgumentError: If the mode is unknown.

    >>> import py_tensor as pt
    >>> pt.convolve([1, 2, 3], [0, 1, 5]).tolist()
    [0, 1, 7, 13, 15]
    """
    first, second = _vectors("convolve", a, v)
    if second.size > first.size:
        first, second = second, first
    before, count = _extent("convolve", mode, first.size, second.size)
    here = _by_numpy("convolve", first, second, mode)
    if here is not None:
        return here
    if mode == "same":
        before = second.size - 1 - (second.size - 1) // 2
    return _slid("convolve", first, F.flip(second), before, count)


@named
def correlate(a: ArrayLike, v: ArrayLike, mode: str = "valid") -> Tensor:
    """Correlate two vectors: sums over n of a[n + k] * conj(v[n]).

    Args:
        a: Vector.
        v: Vector.
        mode: "valid" (default), "same" or "full", as in `convolve`.

    Returns:
        Vector in the promoted dtype.

    Raises:
        ShapeError: If an operand is not a vector, or is empty.
        ArgumentError: If the mode is unknown.

    >>> import py_tensor as pt
    >>> pt.correlate([1, 2, 3], [0, 1, 5], "full").tolist()
    [5, 11, 17, 3, 0]
    """
    first, second = _vectors("correlate", a, v)
    before, count = _extent("correlate", mode, first.size, second.size)
    here = _by_numpy("correlate", first, second, mode)
    if here is not None:
        return here
    second = F.conj(second) if second.dtype.kind == "c" else second
    if first.size >= second.size:
        return _slid("correlate", first, second, before, count)
    # Each shift of the longer second operand is a shift of the first one, in the opposite order.
    before, count = _extent("correlate", mode, second.size, first.size)
    return F.flip(_slid("correlate", second, first, before, count))


@named
def gradient(f: ArrayLike, *varargs: ArrayLike, axis: Axis = None, edge_order: int = 1) -> Any:
    """Return differences of neighbours over their distance, central ones inside.

    Args:
        f: Tensor or array-like.
        varargs: Distance of samples along all axes, or a distance or vector of coordinates for
            each axis; 1 if left out.
        axis: Axis or tuple of axes; None (default) for all.
        edge_order: 1 (default) or 2: order of the differences at the ends.

    Returns:
        Tensor of the shape of f, or a tuple of one for each of several axes.

    Raises:
        ShapeError: If an axis is shorter than `edge_order + 1`.
        ArgumentError: If the number of distances or the edge order does not fit.

    >>> import py_tensor as pt
    >>> pt.gradient([1.0, 2.0, 4.0, 7.0]).tolist()
    [1.0, 1.5, 2.5, 3.0]
    """
    f = as_floating("gradient", f)
    if axis is None or not isinstance(axis, Sequence):
        axes = some_axes("gradient", axis, f.ndim)
    else:
        axes = tuple(one_axis("gradient", one, f.ndim) for one in items("gradient", "axis", axis))
    if integer("gradient", "edge_order", edge_order) not in (1, 2):
        raise ArgumentError(f"gradient: edge_order is neither 1 nor 2; got {edge_order}")
    steps = varargs * len(axes) if len(varargs) == 1 else varargs or (1.0,) * len(axes)
    if len(steps) != len(axes):
        raise ArgumentError(
            f"gradient: number of distances does not fit; got {len(steps)}; give 1 or {len(axes)}"
        )
    parts = [_slope(f, at, h, edge_order) for at, h in zip(axes, steps, strict=True)]
    return parts[0] if len(parts) == 1 else tuple(parts)


def _slope(f: Tensor, axis: int, distance: ArrayLike, edge_order: int) -> Tensor:
    length = f.shape[axis]
    if length < edge_order + 1:
        raise ShapeError(
            f"gradient: axis too short; got length {length} of axis {axis}; use {edge_order + 1}"
        )
    f = F.moveaxis(f, axis, -1)
    spaced = as_floating("gradient", distance)
    if not spaced.ndim:
        spaced = F.broadcast_to(spaced, (length - 1,))
    elif spaced.shape == (length,):
        spaced = F.diff(spaced)
    else:
        raise ShapeError(
            f"gradient: coordinates do not fit; got {spaced.shape} for axis {axis} of "
            f"length {length}"
        )
    steps = F.diff(f, axis=-1) / spaced
    before, after = spaced[:-1], spaced[1:]
    inner = (steps[..., :-1] * after + steps[..., 1:] * before) / (before + after)
    first, last = steps[..., :1], steps[..., -1:]
    if edge_order == 2:
        h0, h1 = spaced[0], spaced[1]
        first = first + (first - steps[..., 1:2]) * (h0 / (h0 + h1))
        h0, h1 = spaced[-1], spaced[-2]
        last = last + (last - steps[..., -2:-1]) * (h0 / (h0 + h1))
    return F.moveaxis(F.concat([first, inner, last], axis=-1), -1, axis)


@named
def ediff1d(
    ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None
) -> Tensor:
    """Return the differences of adjacent elements of the flattened array.

    Args:
        ary: Tensor or array-like.
        to_end: Elements to append; None (default) for none.
        to_begin: Elements to prepend; None (default) for none.

    Returns:
        Vector of the dtype of `ary`.

    >>> import py_tensor as pt
    >>> pt.ediff1d([1, 2, 4, 7], to_begin=0).tolist()
    [0, 1, 2, 3]
    """
    flat = F.flatten(as_tensor("ediff1d", ary))
    parts = [flat[1:] - flat[:-1]]
    if to_begin is not None:
        parts.insert(0, F.flatten(as_tensor("ediff1d", to_begin, flat.dtype)))
    if to_end is not None:
        parts.append(F.flatten(as_tensor("ediff1d", to_end, flat.dtype)))
    return F.concat(parts) if len(parts) > 1 else parts[0]


@named
def unwrap(
    p: ArrayLike, discont: float | None = None, axis: int = -1, *, period: float = 2 * math.pi
) -> Tensor:
    """Add multiples of a period to angles so that neighbours differ by at most half of it.

    Args:
        p: Tensor or array-like of angles.
        discont: Largest difference that is kept; None (default) for half the period.
        axis: Axis to go along; -1 by default.
        period: Period; 2 pi by default.

    Returns:
        Tensor of the shape of p; floating.

    >>> import py_tensor as pt
    >>> pt.unwrap([0.0, 3.0, 5.5], period=4.0).tolist()
    [0.0, -1.0, -2.5]
    """
    angles = F.moveaxis(as_floating("unwrap", p), axis, -1)
    period = number("unwrap", "period", period)
    half = period / 2
    steps = F.diff(angles, axis=-1)
    wrapped = (steps + half) % period - half
    wrapped = F.where((wrapped == -half) & (steps > 0), half, wrapped)
    limit = half if discont is None else max(number("unwrap", "discont", discont), half)
    moved = F.where(F.abs(steps) < limit, 0.0, wrapped - steps)
    rest = angles[..., 1:] + F.cumulative_sum(moved, axis=-1)
    return F.moveaxis(F.concat([angles[..., :1], rest], axis=-1), -1, axis)


@named
def trim_zeros(filt: ArrayLike, trim: str = "fb", axis: Axis = None) -> Tensor:
    """Cut off zeros at the ends; the positions of other elements are read back.

    Args:
        filt: Tensor or array-like.
        trim: "f" to cut at the front, "b" at the back, "fb" (default) for both.
        axis: Axis or axes to cut; None (default) for all.

    Returns:
        Tensor of the dtype of `filt`.

    Raises:
        ArgumentError: If `trim` has other letters.

    >>> import py_tensor as pt
    >>> pt.trim_zeros([0, 0, 1, 0, 2, 0]).tolist()
    [1, 0, 2]
    """
    x = as_tensor("trim_zeros", filt)
    if not isinstance(trim, str) or not set(trim.lower()) <= {"f", "b"}:
        raise ArgumentError(f'trim_zeros: letters are neither "f" nor "b"; got {trim!r:.60}')
    key = []
    for along in range(x.ndim):
        cut = slice(None)
        if along in some_axes("trim_zeros", axis, x.ndim):
            rest = tuple(other for other in range(x.ndim) if other != along)
            used = F.any(x != 0, axis=rest).tolist()
            used_positions = [at for at, kept in enumerate(used) if kept] or [len(used), -1]
            cut = slice(
                used_positions[0] if "f" in trim.lower() else 0,
                used_positions[-1] + 1 if "b" in trim.lower() else len(used),
            )
        key.append(cut)
    return get(x, tuple(key))


def _window(operation: str, length: int, function: Callable[[Tensor], Tensor]) -> Tensor:
    """Return a function of angles from -pi to pi; ones for windows of at most one sample."""
    length = integer(operation, "M", length)
    if length <= 1:
        return F.ones(max(length, 0))
    steps = F.astype(F.arange(1 - length, length, 2), "float32")
    return function(steps * (math.pi / (length - 1)))


@named
def bartlett(M: int) -> Tensor:
    """Return the triangular window of M samples, which is zero at both ends.

    Args:
        M: Number of samples.

    Returns:
        Vector; float32.

    >>> import py_tensor as pt
    >>> pt.bartlett(5).tolist()
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    M = integer("bartlett", "M", M)
    if M <= 1:
        return F.ones(max(M, 0))
    return 1.0 - F.abs(F.astype(F.arange(1 - M, M, 2), "float32")) / float(M - 1)


@named
def blackman(M: int) -> Tensor:
    """Return the Blackman window of M samples.

    Args:
        M: Number of samples.

    Returns:
        Vector; float32.

    >>> import py_tensor as pt
    >>> [round(value, 2) for value in pt.blackman(5).tolist()]
    [-0.0, 0.34, 1.0, 0.34, -0.0]
    """
    return _window(
        "blackman", M, lambda angle: 0.42 + 0.5 * F.cos(angle) + 0.08 * F.cos(2.0 * angle)
    )


@named
def hamming(M: int) -> Tensor:
    """Return the Hamming window of M samples.

    Args:
        M: Number of samples.

    Returns:
        Vector; float32.

    >>> import py_tensor as pt
    >>> [round(value, 2) for value in pt.hamming(5).tolist()]
    [0.08, 0.54, 1.0, 0.54, 0.08]
    """
    return _window("hamming", M, lambda angle: 0.54 + 0.46 * F.cos(angle))


@named
def hanning(M: int) -> Tensor:
    """Return the Hann window of M samples.

    Args:
        M: Number of samples.

    Returns:
        Vector; float32.

    >>> import py_tensor as pt
    >>> [round(value, 2) for value in pt.hanning(5).tolist()]
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    return _window("hanning", M, lambda angle: 0.5 + 0.5 * F.cos(angle))


@named
def kaiser(M: int, beta: float) -> Tensor:
    """Return the Kaiser window of M samples.

    Args:
        M: Number of samples.
        beta: Shape: 0 for a rectangle; larger numbers make the window narrower.

    Returns:
        Vector; float32.

    >>> import py_tensor as pt
    >>> [round(value, 2) for value in pt.kaiser(3, 2.0).tolist()]
    [0.44, 1.0, 0.44]
    """
    M, beta = integer("kaiser", "M", M), number("kaiser", "beta", beta)
    if M == 1:
        return F.ones(1)
    part = F.astype(F.arange(1 - M, M, 2), "float32") / float(max(M - 1, 1))
    return F.i0(F.sqrt(1.0 - F.square(part)) * beta) / F.i0(beta)
