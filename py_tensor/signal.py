"""Frames, windows and short-time Fourier transforms of signals.

Input: vectors, or tensors with the samples along the last axis. Output: tensors with one row for
each frame.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from . import functions as F
from .errors import ShapeError
from .fft import rfft
from .functions.arguments import converted, integer
from .functions.decorators import named
from .tensor import Tensor, as_tensor
from .typing import ArrayLike

__all__ = ["cosine_window", "frame", "hamming_window", "hann_window", "stft"]


@named
def frame(
    x: ArrayLike,
    frame_length: int,
    frame_step: int,
    /,
    *,
    pad_end: bool = False,
    pad_value: float = 0,
) -> Tensor:
    """Divide signals into frames of equal length, which may overlap.

    Args:
        x: Tensor of shape (..., samples) and any dtype.
        frame_length: Number of samples in a frame, at least 1.
        frame_step: Number of samples from the start of a frame to the next, at least 1.
        pad_end: Also return the frames that begin in the signal and end after it; False by default.
        pad_value: Value of samples after the end; 0 by default.

    Returns:
        Tensor of shape (..., frames, frame_length) and the dtype of x.

    Raises:
        ArgumentError: If a length is below 1.
        ShapeError: If x has no axes.

    >>> import py_tensor as pt
    >>> pt.signal.frame(pt.arange(5), 3, 2).tolist()
    [[0, 1, 2], [2, 3, 4]]
    """
    signal = as_tensor("frame", x)
    length = integer("frame", "frame_length", frame_length, 1)
    step = integer("frame", "frame_step", frame_step, 1)
    if not signal.ndim:
        raise ShapeError("frame: signal has no axes; got shape (); reshape it to (1,)")
    samples = signal.shape[-1]
    count = -(-samples // step) if pad_end else max(0, (samples - length) // step + 1)
    missing = max(0, (count - 1) * step + length - samples) if count else length
    if missing:
        around = ((0, 0),) * (signal.ndim - 1) + ((0, missing),)
        signal = F.pad(signal, around, constant_values=pad_value)
    places = (F.arange(count) * step).reshape((count, 1)) + F.arange(length)
    return F.take(signal, places, axis=-1)


def cosine_window(length: int, a: float, b: float) -> Tensor:
    """Return the window a - b cos(2 pi i / n), where n is the length, or length - 1 if it is odd.

    Args:
        length: Number of samples, at least 1.
        a: Mean of the window.
        b: Amplitude of the cosine.

    Returns:
        Vector; float32.

    Raises:
        ArgumentError: If the length is below 1.

    >>> import py_tensor as pt
    >>> [round(value, 2) for value in pt.signal.cosine_window(4, 0.5, 0.25).tolist()]
    [0.25, 0.5, 0.75, 0.5]
    """
    length = integer("cosine_window", "length", length, 1)
    angle = F.astype(F.arange(length), "float32") * (2.0 * math.pi / max(length - length % 2, 1))
    return a - F.cos(angle) * b


def hann_window(length: int) -> Tensor:
    """Return the Hann window, periodic for even lengths; see `cosine_window`.

    Args:
        length: Number of samples, at least 1.

    Returns:
        Vector; float32.

    Raises:
        ArgumentError: If the length is below 1.

    >>> import py_tensor as pt
    >>> [round(value, 2) for value in pt.signal.hann_window(4).tolist()]
    [0.0, 0.5, 1.0, 0.5]
    """
    return cosine_window(length, 0.5, 0.5)


def hamming_window(length: int) -> Tensor:
    """Return the Hamming window, periodic for even lengths; see `cosine_window`.

    Args:
        length: Number of samples, at least 1.

    Returns:
        Vector; float32.

    Raises:
        ArgumentError: If the length is below 1.

    >>> import py_tensor as pt
    >>> [round(value, 2) for value in pt.signal.hamming_window(4).tolist()]
    [0.08, 0.54, 1.0, 0.54]
    """
    return cosine_window(length, 0.54, 0.46)


@named
def stft(
    x: ArrayLike,
    frame_length: int,
    frame_step: int,
    /,
    *,
    fft_length: int | None = None,
    window: Callable[[int], Tensor] | None = hann_window,
) -> Tensor:
    """Return the Fourier transforms of the frames of signals.

    Args:
        x: Tensor of shape (..., samples) and a real dtype.
        frame_length: Number of samples in a frame, at least 1.
        frame_step: Number of samples from the start of a frame to the next, at least 1.
        fft_length: Length that frames are cut or padded to; None (default) for the next power of 2.
        window: Function of the frame length that returns the factors of a frame's samples;
            `hann_window` by default, None for no window.

    Returns:
        Tensor of shape (..., frames, fft_length // 2 + 1); complex64.

    Raises:
        ArgumentError: If a length is below 1.
        DTypeError: If x is complex.
        ShapeError: If x has no axes.

    >>> import py_tensor as pt
    >>> pt.signal.stft(pt.ones(8), 4, 2).shape
    (3, 3)
    """
    frames = frame(converted("stft", x), frame_length, frame_step)
    length = frames.shape[-1]
    if window is not None:
        frames = frames * window(length)
    return rfft(frames, 1 << (length - 1).bit_length() if fft_length is None else fft_length)
