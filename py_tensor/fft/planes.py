"""NumPy's two-dimensional transforms: those of several axes, over two axes."""

from __future__ import annotations

from collections.abc import Sequence

from ..functions.decorators import named
from ..tensor import Tensor
from ..typing import ArrayLike
from .public import fftn, ifftn, irfftn, rfftn

_LAST = (-2, -1)


@named
def fft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = _LAST,
    norm: str = "backward",
) -> Tensor:
    """Discrete Fourier transform over two axes.

    Args:
        a: Tensor or array-like of any dtype.
        s: Lengths to which a is cut or padded with zeros; None (default) keeps its lengths.
        axes: The two axes; the last ones by default.
        norm: "backward" (default), "ortho" or "forward", as in `fft`.

    Returns:
        Tensor; complex64.

    >>> import py_tensor as pt
    >>> pt.fft.fft2([[1.0, 0.0], [0.0, 0.0]]).tolist()
    [[(1+0j), (1+0j)], [(1+0j), (1+0j)]]
    """
    return fftn(a, s=s, axes=axes, norm=norm)


@named
def ifft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = _LAST,
    norm: str = "backward",
) -> Tensor:
    """Inverse of `fft2`.

    Args:
        a: Tensor or array-like of any dtype.
        s: Lengths to which a is cut or padded with zeros; None (default) keeps its lengths.
        axes: The two axes; the last ones by default.
        norm: "backward" (default), "ortho" or "forward", as in `fft`.

    Returns:
        Tensor; complex64.

    >>> import py_tensor as pt
    >>> pt.fft.ifft2([[4.0, 0.0], [0.0, 0.0]]).tolist()
    [[(1+0j), (1+0j)], [(1+0j), (1+0j)]]
    """
    return ifftn(a, s=s, axes=axes, norm=norm)


@named
def rfft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = _LAST,
    norm: str = "backward",
) -> Tensor:
    """`fft2` of a real a, without the redundant half along the last of the axes.

    Args:
        a: Tensor or array-like of a real dtype.
        s: Lengths to which a is cut or padded with zeros; None (default) keeps its lengths.
        axes: The two axes; the last ones by default.
        norm: "backward" (default), "ortho" or "forward", as in `fft`.

    Returns:
        Tensor; complex64.

    >>> import py_tensor as pt
    >>> pt.fft.rfft2(pt.ones((2, 4))).shape
    (2, 3)
    """
    return rfftn(a, s=s, axes=axes, norm=norm)


@named
def irfft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = _LAST,
    norm: str = "backward",
) -> Tensor:
    """Inverse of `rfft2`.

    Args:
        a: Tensor or array-like of any dtype.
        s: Lengths of the result; None (default) for an even last one.
        axes: The two axes; the last ones by default.
        norm: "backward" (default), "ortho" or "forward", as in `fft`.

    Returns:
        Tensor; float32.

    >>> import py_tensor as pt
    >>> pt.fft.irfft2(pt.ones((2, 3))).shape
    (2, 4)
    """
    return irfftn(a, s=s, axes=axes, norm=norm)
