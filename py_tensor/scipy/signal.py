"""Convolutions of signals under the names of `jax.scipy.signal`."""

from __future__ import annotations

from ..errors import ArgumentError, ShapeError
from ..functions.elementwise import conj
from ..functions.manipulation import flip, reshape
from ..lax import conv_general_dilated
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike

__all__ = ["convolve", "convolve2d", "correlate", "correlate2d", "fftconvolve"]


def convolve(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: str = "full",
    method: str = "auto",
    precision: object = None,
) -> Tensor:
    """Convolve two signals or images of up to three axes.

    Args:
        in1: Tensor.
        in2: Tensor with as many axes.
        mode: "full" (default) for all positions, "same" for the shape of in1, "valid" for positions
            where they overlap completely.
        method: For compatibility; ignored.
        precision: For compatibility; ignored.

    Raises:
        ArgumentError: If the mode does not exist.
        ShapeError: If the axes do not fit.

    >>> import py_tensor as pt
    >>> pt.scipy.signal.convolve(pt.asarray([1.0, 2.0]), pt.asarray([1.0, 1.0])).tolist()
    [1.0, 3.0, 2.0]
    """
    x, w = as_tensor("convolve", in1), as_tensor("convolve", in2)
    if x.ndim != w.ndim or not 1 <= x.ndim <= 3:
        raise ShapeError(
            f"convolve: axes do not fit; got shapes {x.shape} and {w.shape}; give one to three "
            "axes in both"
        )
    if mode not in ("full", "same", "valid"):
        raise ArgumentError(f"convolve: mode does not exist; got {mode!r}; use full, same or valid")
    if mode == "valid" and any(n < k for n, k in zip(x.shape, w.shape, strict=True)):
        x, w = w, x
    pads = {
        "full": [(k - 1, k - 1) for k in w.shape],
        "same": [(k // 2, k - 1 - k // 2) for k in w.shape],
        "valid": [(0, 0)] * x.ndim,
    }[mode]
    steps = (1,) * x.ndim
    image, kernel = reshape(x, (1, 1, *x.shape)), reshape(flip(w), (1, 1, *w.shape))
    result = conv_general_dilated(image, kernel, steps, pads)
    return reshape(result, result.shape[2:])


fftconvolve = convolve


def _check_boundary(operation: str, boundary: str, fillvalue: float) -> None:
    """Raise ArgumentError unless images are 0 beyond their borders."""
    if boundary != "fill" or fillvalue != 0:
        raise ArgumentError(
            f"{operation}: boundary is not supported; got {boundary!r} with {fillvalue}; pad in1 "
            "with pt.pad before"
        )


def convolve2d(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: float = 0,
    precision: object = None,
) -> Tensor:
    """Convolve two images, see `convolve`; beyond the borders they are 0.

    >>> import py_tensor as pt
    >>> pt.scipy.signal.convolve2d(pt.ones((3, 3)), pt.ones((3, 3)), "valid").tolist()
    [[9.0]]
    """
    _check_boundary("convolve2d", boundary, fillvalue)
    return convolve(in1, in2, mode)


def correlate(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: str = "full",
    method: str = "auto",
    precision: object = None,
) -> Tensor:
    """Correlate two signals or images: `convolve` with in2 reversed and conjugated.

    >>> import py_tensor as pt
    >>> pt.scipy.signal.correlate(pt.asarray([1.0, 2.0]), pt.asarray([0.0, 1.0])).tolist()
    [1.0, 2.0, 0.0]
    """
    x, w = as_tensor("correlate", in1), as_tensor("correlate", in2)
    if mode == "valid" and any(n < k for n, k in zip(x.shape, w.shape, strict=True)):
        return flip(convolve(conj(w), flip(x), mode))
    return convolve(x, flip(conj(w)), mode)


def correlate2d(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: float = 0,
    precision: object = None,
) -> Tensor:
    """Correlate two images, see `correlate` and `convolve2d`.

    >>> import py_tensor as pt
    >>> pt.scipy.signal.correlate2d(pt.ones((3, 3)), pt.ones((3, 3)), "valid").tolist()
    [[9.0]]
    """
    _check_boundary("correlate2d", boundary, fillvalue)
    if mode == "same":
        return flip(convolve(flip(as_tensor("correlate2d", in1)), conj(in2), mode))
    return correlate(in1, in2, mode)
