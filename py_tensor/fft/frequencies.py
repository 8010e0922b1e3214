"""Frequencies of a transform's results, and orders of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dtypes import as_dtype, float32
from ..errors import ArgumentError, DTypeError
from ..functions import PUBLIC as PT
from ..functions.axes import some_axes
from ..runtime import check_device
from ..tensor import Tensor, as_tensor


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
    """The frequencies of the results of a transform of n samples `d` apart, in cycles a unit of d.

    0, 1, ..., then the negative ones, over n d; float32. Raises ArgumentError for n below 1,
    DTypeError for dtypes that are not floating.

    >>> import py_tensor as pt
    >>> pt.fft.fftfreq(4).tolist()
    [0.0, 0.25, -0.5, -0.25]
    """
    places = PT["arange"](_length("fftfreq", n))
    places = PT["where"](places < (n + 1) // 2, places, places - n)
    return _spaced("fftfreq", places, n, d, dtype, device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
    """The frequencies of the results of `rfft`: as `fftfreq`, none of them negative.

    n // 2 + 1 of them; arguments and errors are those of `fftfreq`.

    >>> import py_tensor as pt
    >>> pt.fft.rfftfreq(4).tolist()
    [0.0, 0.25, 0.5]
    """
    places = PT["arange"](_length("rfftfreq", n) // 2 + 1)
    return _spaced("rfftfreq", places, n, d, dtype, device)


def _length(operation: str, n: int) -> int:
    if n < 1:
        raise ArgumentError(f"{operation}: no samples; got n {n}; use 1 or more")
    return n


def _spaced(operation: str, places: Tensor, n: int, d: float, dtype: Any, device: Any) -> Tensor:
    check_device(operation, device)
    target = float32 if dtype is None else as_dtype(dtype, operation)
    if target.kind != "f":
        raise DTypeError(f'{operation}: dtype {target} is not floating; use dtype="float32"')
    # By division, which rounds once; the product with 1 / (n d) would round twice.
    found: Tensor = PT["astype"](places, float32) / (n * d)
    return found if target is float32 else found.astype(target)


def fftshift(x: Any, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """x with the zero frequency moved to the middle of the given axes, all where None.

    Shape and dtype are those of x. Raises ShapeError for axes that do not exist.

    >>> import py_tensor as pt
    >>> pt.fft.fftshift(pt.fft.fftfreq(4)).tolist()
    [-0.5, -0.25, 0.0, 0.25]
    """
    return _shifted("fftshift", as_tensor("fftshift", x), axes, 0)


def ifftshift(x: Any, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """What `fftshift` moved, moved back.

    Shape and dtype are those of x. Raises ShapeError for axes that do not exist.

    >>> import py_tensor as pt
    >>> pt.fft.ifftshift(pt.asarray([-2, -1, 0, 1])).tolist()
    [0, 1, -2, -1]
    """
    return _shifted("ifftshift", as_tensor("ifftshift", x), axes, 1)


def _shifted(operation: str, x: Tensor, axes: Any, more: int) -> Tensor:
    places = some_axes(operation, axes, x.ndim)
    if not places:
        return x
    steps = tuple((x.shape[axis] + more) // 2 for axis in places)
    shifted: Tensor = PT["roll"](x, steps, axis=places)
    return shifted
