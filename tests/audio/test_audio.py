"""Spectrograms and coefficients against librosa, resampling against SciPy.

tests/vision/data/make_vision_fixtures.py records librosa's results.
"""

from __future__ import annotations

import base64
import json
import math
from pathlib import Path

import numpy as np
import pytest
from helpers import assert_values
from plans import leaf, plan_of
from scipy import signal

import py_tensor as pt
from py_tensor import errors

SOUNDS = np.load(Path(__file__).parent / "data" / "sounds.npz")
REFERENCE = Path(__file__).parent.parent / "reference_data"
RATE = 22050
FRAMES = {"n_fft": 512, "hop_length": 200}


def assert_close(got, expected, part):
    """Assert values up to a part of the largest one."""
    assert_values(got, expected, atol=part * float(np.max(np.abs(expected))))


def test_spectrogram():
    got = pt.jit(lambda x: pt.audio.spectrogram(x, **FRAMES))(pt.asarray(SOUNDS["sound"]))
    assert_close(got, SOUNDS["spectrogram"], 2e-6)
    magnitude = pt.audio.spectrogram(SOUNDS["sound"], power=1.0, **FRAMES)
    assert_close(magnitude, np.sqrt(SOUNDS["spectrogram"]), 2e-6)


def test_mel_spectrogram_and_decibels():
    mel = pt.audio.mel_spectrogram(SOUNDS["sound"], RATE, n_mels=24, **FRAMES)
    assert_close(mel, SOUNDS["mel"], 2e-6)
    assert_values(pt.audio.power_to_db(mel), SOUNDS["db"], atol=1e-2)
    assert_values(
        pt.audio.power_to_db([100.0, 1.0, 2.0**-20], reference=10.0, span=None),
        np.float32([10.0, -10.0, -200.0 * math.log10(2.0) - 10.0]),
        atol=1e-4,
    )


def slaney_filters(bands: int, rate: int, n_fft: int) -> np.ndarray:
    """Return triangles on Slaney's mel scale with an area of 1, (bands, frequencies)."""
    steps = np.linspace(0, 15 + 27 * np.log(rate / 2 / 1000) / np.log(6.4), bands + 2)
    corners = np.where(steps < 15, steps * 200 / 3, 1000 * 6.4 ** ((steps - 15) / 27))
    lines = np.arange(n_fft // 2 + 1) * rate / n_fft
    low, middle, high = (corners[at : bands + at, None] for at in range(3))
    rows = np.minimum((lines - low) / (middle - low), (high - lines) / (high - middle))
    return np.maximum(rows, 0) * 2 / (high - low)


def whisper_features(x: np.ndarray) -> np.ndarray:
    """Return the features that OpenAI's Whisper computes of samples at 16 kHz, (frames, 80)."""
    padded = np.pad(x.astype("float64"), 200, mode="reflect")
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(400) / 400)
    # The last frame is left out.
    frames = np.stack([padded[at : at + 400] for at in range(0, len(padded) - 400 - 159, 160)])
    powers = np.abs(np.fft.rfft(frames * window)) ** 2
    levels = np.log10(np.maximum(powers @ slaney_filters(80, 16000, 400).T, 1e-10))
    return (np.maximum(levels, levels.max() - 8) + 4) / 4


def test_features_are_those_of_whisper(rng):
    time = np.arange(16000) / 16000
    sound = np.sin(2 * np.pi * (300 + 900 * time) * time) * np.exp(-3 * time)
    sound = (sound + 0.01 * rng.standard_normal(16000)).astype("float32")
    features = pt.audio.whisper_features(sound, seconds=None)
    assert features.shape == (100, 80)
    np.testing.assert_allclose(features.numpy(), whisper_features(sound), atol=1e-4)


def test_features_of_padded_and_cut_sounds_are_those_of_transformers():
    data = json.loads((REFERENCE / "encoder_outputs.json").read_text())["features"]
    want = np.frombuffer(base64.b64decode(data["every tenth frame"]), "float32").reshape(20, 80)
    time = np.arange(16000) / 16000
    sound = (np.sin(2 * np.pi * (300 + 900 * time) * time) * np.exp(-3 * time)).astype("float32")
    features = pt.audio.whisper_features(sound, seconds=2)
    assert features.shape == (200, 80)
    np.testing.assert_allclose(features[::10].numpy(), want, atol=1e-4)
    longer = np.stack([np.pad(sound, (0, 20000)), np.pad(0.1 * sound, (0, 20000))])
    both = pt.audio.whisper_features(longer, seconds=2.0)
    np.testing.assert_allclose(both[0, ::10].numpy(), want, atol=1e-4)
    assert both.shape == (2, 200, 80)
    # Each sound has a highest value of its own: 20 decibels less.
    np.testing.assert_allclose((both[0].max() - both[1].max()).item(), 0.5, atol=1e-4)
    assert pt.audio.whisper_features(sound, n_mels=128).shape == (3000, 128)
    for seconds in (0, -1.0, 0.01):
        with pytest.raises(errors.ArgumentError, match="whisper_features: samples of the sound"):
            pt.audio.whisper_features(sound, seconds=seconds)


def test_reflected_frames_at_the_ends(rng):
    x = rng.standard_normal(40).astype("float32")
    got = pt.audio.spectrogram(x, n_fft=16, hop_length=8, pad_mode="reflect")
    expected = pt.audio.spectrogram(
        np.pad(x, 8, mode="reflect"), n_fft=16, hop_length=8, center=False
    )
    assert_values(got, expected.numpy(), atol=1e-5)
    assert pt.audio.mfcc(x, 8000, n_mfcc=4, n_mels=6, n_fft=16, pad_mode="reflect").shape == (11, 4)
    with pytest.raises(errors.ArgumentError, match="pad_mode is unknown; got 'wrap'"):
        pt.audio.spectrogram(x, pad_mode="wrap")


def test_other_bands():
    got = pt.audio.mel_filters(20, 16000, 400, low=50, high=7000, scale="htk", norm=False)
    assert_values(got, SOUNDS["htk"], atol=1e-6)


def test_mfcc():
    got = pt.audio.mfcc(SOUNDS["sound"], RATE, n_mfcc=13, n_mels=40, **FRAMES)
    # Sums of 40 decibels.
    assert_values(got, SOUNDS["mfcc"], atol=2e-2)


def test_cqt():
    got = pt.audio.cqt(SOUNDS["sound"], RATE, low=110.0, bins=36)
    # librosa computes low notes at lower sample rates.
    assert_close(abs(got), SOUNDS["cqt"], 0.02)


def test_cqt_by_its_formula(rng):
    x = rng.standard_normal(700).astype("float32")
    got = pt.audio.cqt(x, 1000.0, hop_length=100, low=50.0, bins=5, bins_per_octave=3).numpy()
    square = 2 ** (2 / 3)
    periods = (square + 1) / (square - 1)
    padded = np.pad(x.astype("float64"), 200)
    for at in range(5):
        note = 50 * 2 ** (at / 3)
        length = periods * 1000 / note
        offset = np.arange(-100, 100)
        window = np.where(np.abs(offset) <= length / 2, 1 + np.cos(2 * np.pi * offset / length), 0)
        wave = window * np.exp(-2j * np.pi * note * offset / 1000) / math.sqrt(length)
        for frame in range(8):
            expected = padded[100 + frame * 100 : 300 + frame * 100] @ wave
            np.testing.assert_allclose(got[frame, at], expected, atol=2e-5)


def test_batches(rng):
    x = rng.standard_normal((2, 3, 900)).astype("float32")
    for function in (
        lambda x: pt.audio.mfcc(x, 8000, n_mfcc=5, n_mels=10, n_fft=256),
        lambda x: pt.audio.resample(x, 3, 2),
        lambda x: abs(pt.audio.cqt(x, 8000, low=500.0, bins=4)),
    ):
        results = function(x)
        assert results.shape[:2] == (2, 3)
        np.testing.assert_allclose(results[1, 2].numpy(), function(x[1, 2]).numpy(), atol=2e-3)


@pytest.mark.parametrize("rates", [(44100, 16000), (16000, 44100), (8000, 16000), (48000, 16000)])
def test_resampling_as_scipy(rates, rng):
    x = rng.standard_normal((2, 701)).astype("float32")
    down, up = (rate // math.gcd(*rates) for rate in rates)
    expected = signal.resample_poly(x.astype("float64"), up, down, axis=-1).astype("float32")
    got = pt.jit(lambda x: pt.audio.resample(x, *rates))(pt.asarray(x))
    assert_values(got, expected, atol=3e-6)


def test_resampling_is_one_draw():
    assert len(plan_of(pt.audio.resample(leaf(2, 1000), 44100, 16000)).draws) == 1
    assert pt.audio.resample(np.ones(4, "float32"), 8000, 8000).tolist() == [1.0] * 4


def test_positions_in_long_sounds_are_exact():
    """Products of positions and rates would exceed int32."""
    x = pt.zeros(6_000_000).at[5_999_000].set(1.0)
    got = pt.audio.resample(x, 44100, 16000)
    assert got.argmax().item() == round(5_999_000 * 160 / 441)


@pytest.mark.parametrize(("call", "text"), [
    (lambda: pt.audio.spectrogram(np.zeros(0)), "spectrogram: signal has no samples; got shape "
     "(0,); use shape (..., samples)"),
    (lambda: pt.audio.mel_filters(4, 8000, 64, low=5000), "mel_filters: frequencies are out of "
     "order; got low 5000.0 and high 4000.0; use 0 <= low < high"),
    (lambda: pt.audio.cqt(np.zeros(9), 7000), "cqt: highest note is out of range; got 3951.1 Hz "
     "at a rate of 7000.0; use fewer bins"),
    (lambda: pt.audio.resample(np.zeros(9), 100003, 99991), "resample: ratio needs too long a "
     "filter; got 99991 / 100003; use rates with a larger common divisor"),
    (lambda: pt.audio.power_to_db([1.0], reference=0.0), "power_to_db: powers must be positive; "
     "got reference 0.0 and least 1e-10; use numbers above 0"),
])  # fmt: skip
def test_errors(call, text):
    with pytest.raises(errors.TensorError) as caught:
        call()
    assert str(caught.value) == text
