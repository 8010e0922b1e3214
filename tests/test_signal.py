"""Frames, windows and short-time Fourier transforms against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises, assert_values, sample

import py_tensor as pt
from py_tensor import errors


def frames(x, length, step, pad_end=False, value=0):
    rows = []
    for start in range(0, x.shape[-1], step):
        part = x[..., start : start + length]
        missing = length - part.shape[-1]
        if missing and not pad_end:
            break
        widths = [(0, 0)] * (x.ndim - 1) + [(0, missing)]
        rows.append(np.pad(part, widths, constant_values=value))
    empty = np.zeros((*x.shape[:-1], 0, length), x.dtype)
    return np.stack(rows, axis=-2) if rows else empty


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "uint8"])
@pytest.mark.parametrize("shape", [(11,), (2, 3, 8)])
@pytest.mark.parametrize(("length", "step"), [(3, 2), (1, 1), (4, 4), (2, 5), (8, 3)])
@pytest.mark.parametrize("pad_end", [False, True])
def test_frame(dtype, shape, length, step, pad_end, rng):
    x = sample(rng, shape, dtype, 0, 9)
    got = pt.signal.frame(pt.asarray(x), length, step, pad_end=pad_end, pad_value=7)
    assert_values(got, frames(x, length, step, pad_end, 7))


def test_signals_shorter_than_a_frame(rng):
    x = pt.asarray(sample(rng, (2, 3), "float32"))
    assert pt.signal.frame(x, 5, 2).shape == (2, 0, 5)
    assert pt.signal.frame(pt.zeros(0), 2, 1, pad_end=True).shape == (0, 2)


@pytest.mark.parametrize("length", [1, 2, 5, 8, 101])
def test_windows(length):
    even = length - length % 2
    angle = 2 * np.pi * np.arange(length) / max(even, 1)
    for got, a in ((pt.signal.hann_window(length), 0.5), (pt.signal.hamming_window(length), 0.54)):
        expected = (a - (1 - a) * np.cos(angle)).astype("float32")
        assert_values(got, expected, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_stft(dtype, rng):
    x = sample(rng, (2, 50), dtype)
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(12) / 12)
    wide = frames(x, 12, 5).astype("float64")
    expected = np.fft.rfft(wide * hann, 16).astype("complex64")
    got = pt.signal.stft(pt.asarray(x), 12, 5)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-5, atol=2e-5)
    plain = pt.signal.stft(pt.asarray(x), 12, 5, fft_length=20, window=None)
    np.testing.assert_allclose(plain.numpy(), np.fft.rfft(wide, 20), rtol=1e-5, atol=2e-5)


def test_gradient_of_frames_counts_them():
    gradient = pt.grad(lambda x: pt.sum(pt.signal.frame(x, 3, 2)))(pt.ones(7))
    assert gradient.tolist() == [1.0, 1.0, 2.0, 1.0, 2.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("error", "text", "call"),
    [
        (
            errors.ArgumentError,
            "frame: frame_length is too small; got 0; use 1 or more",
            lambda: pt.signal.frame(pt.ones(3), 0, 1),
        ),
        (
            errors.ArgumentTypeError,
            "stft: frame_step must be an integer; got 1.5; pass an int",
            lambda: pt.signal.stft(pt.ones(3), 2, 1.5),
        ),
        (
            errors.ShapeError,
            "frame: signal has no axes; got shape (); reshape it to (1,)",
            lambda: pt.signal.frame(1.0, 1, 1),
        ),
        (
            errors.DTypeError,
            'stft: dtype complex64 is not floating; use x.astype("float32")',
            lambda: pt.signal.stft([1j, 2j], 2, 1),
        ),
        (
            errors.ArgumentError,
            "cosine_window: length is too small; got 0; use 1 or more",
            lambda: pt.signal.hann_window(0),
        ),
    ],
)
def test_wrong_arguments(error, text, call):
    assert_raises(error, text, call)
