"""Rotary embeddings against the formulas of transformers' `modeling_rope_utils` in float64."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers import HALF, assert_raises, assert_values, sample

import py_tensor as pt
from py_tensor import errors

nn = pt.nn


def turned(x, positions, frequencies, amplitude=1.0):
    """Apply `apply_rotary_pos_emb` with `rotate_half`."""
    angles = np.multiply.outer(positions, np.concatenate([frequencies, frequencies]))
    half = x.shape[-1] // 2
    other = np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
    return (x * np.cos(angles) + other * np.sin(angles)) * amplitude


def plain(features, base=10000.0):
    return 1.0 / base ** (np.arange(0, features, 2) / features)


def llama3(features, factor, low, high, length, base):
    own = plain(features, base)
    waves = 2 * math.pi / own
    scaled = np.where(waves > length / low, own / factor, own)
    smooth = (length / waves - low) / (high - low)
    smoothed = (1 - smooth) * scaled / factor + smooth * scaled
    medium = ~(waves < length / high) & ~(waves > length / low)
    return np.where(medium, smoothed, scaled)


def yarn(features, factor, fast, slow, length, base):
    def dimension(rotations):
        return features * math.log(length / (rotations * 2 * math.pi)) / (2 * math.log(base))

    low = max(math.floor(dimension(fast)), 0)
    high = min(math.ceil(dimension(slow)), features - 1)
    ramp = np.clip((np.arange(features // 2) - low) / max(high - low, 0.001), 0, 1)
    own = plain(features, base)
    return own / factor * ramp + own * (1 - ramp)


def scaling(kind, **options):
    return nn.RotaryScaling(kind, **options)


DIVISORS = tuple(1.0 + 0.5 * at for at in range(8))
SCALINGS = {
    "linear": (scaling("linear", factor=4.0), plain(16, 500.0) / 4, 1.0),
    "llama3": (
        scaling("llama3", factor=8.0, original_length=1024),
        llama3(16, 8.0, 1.0, 4.0, 1024, 500.0),
        1.0,
    ),
    "yarn": (
        scaling("yarn", factor=4.0, original_length=1024),
        yarn(16, 4.0, 32.0, 1.0, 1024, 500.0),
        0.1 * math.log(4.0) + 1,
    ),
    "longrope": (
        scaling("longrope", factor=32.0, original_length=4096, divisors=DIVISORS),
        plain(16, 500.0) / DIVISORS,
        math.sqrt(1 + math.log(32) / math.log(4096)),
    ),
    "own factor": (
        scaling("yarn", factor=4.0, original_length=1024, attention_factor=1.5),
        yarn(16, 4.0, 32.0, 1.0, 1024, 500.0),
        1.5,
    ),
}


@pytest.mark.parametrize("name", SCALINGS)
def test_scalings(name, rng):
    scaling, frequencies, amplitude = SCALINGS[name]
    layer = nn.RotaryEmbedding(16, base=500.0, scaling=scaling)
    np.testing.assert_allclose(layer.frequencies, frequencies, rtol=1e-12)
    x = sample(rng, (2, 3, 5, 16), "float32")
    want = turned(x, np.arange(100, 105), frequencies, amplitude).astype("float32")
    # Angles up to 104 are rounded to multiples of 2**-18.
    assert_values(layer(pt.asarray(x), pt.asarray(100)), want, rtol=3e-5, atol=3e-5)


def test_yarn_without_truncation_moves_the_limits():
    options = {"factor": 4.0, "original_length": 1024}
    rounded, exact = (
        nn.rotary_frequencies(64, scaling=scaling("yarn", truncate=truncate, **options))
        for truncate in (True, False)
    )
    assert rounded != exact
    assert (rounded[0], rounded[-1]) == pytest.approx((exact[0], exact[-1]))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_interleaved_pairs_are_complex_numbers(dtype, rng):
    x = sample(rng, (4, 6), dtype)
    frequencies = plain(6)
    numbers = x[:, ::2].astype("float64") + 1j * x[:, 1::2]
    numbers = numbers * np.exp(1j * np.multiply.outer(np.arange(4), frequencies))
    want = np.stack([numbers.real, numbers.imag], axis=-1).reshape(4, 6).astype(dtype)
    got = nn.RotaryEmbedding(6, interleaved=True)(pt.asarray(x))
    tolerance = 1e-5 if dtype == "float32" else HALF
    assert_values(got, want, rtol=tolerance, atol=tolerance)


def test_features_after_the_rotated_ones_are_unchanged(rng):
    x = sample(rng, (2, 5, 10), "float32")
    got = nn.RotaryEmbedding(4)(pt.asarray(x))
    want = np.concatenate([turned(x[..., :4], np.arange(5), plain(4)), x[..., 4:]], axis=-1)
    assert_values(got, want.astype("float32"), rtol=1e-5, atol=1e-5)
    assert_values(got[..., 4:], x[..., 4:])


def test_positions_of_each_sequence(rng):
    x, positions = sample(rng, (2, 3, 4), "float32"), np.asarray([[0, 1, 2], [5, 6, 9]])
    got = nn.rotary_embedding(pt.asarray(x), pt.asarray(positions), nn.rotary_frequencies(4))
    want = np.stack([turned(x[at], positions[at], plain(4)) for at in range(2)])
    assert_values(got, want.astype("float32"), rtol=1e-5, atol=1e-5)


def test_wrong_arguments():
    for text, call in (
        ("rotary_frequencies: features must be even; got 3; rotate one less", (3,)),
        (
            "RotaryScaling: longrope needs a divisor for each frequency; got 0 for 2; pass half as "
            "many as features",
            (4,),
        ),
    ):
        own = scaling("longrope") if len(text) > 80 else None
        assert_raises(
            errors.ArgumentError, text, lambda c=call, o=own: nn.rotary_frequencies(*c, scaling=o)
        )
    assert_raises(
        errors.ArgumentError,
        'RotaryScaling: kind is unknown; got \'ntk\'; use "linear", "yarn", "llama3" or "longrope"',
        lambda: scaling("ntk"),
    )
    assert_raises(
        errors.ShapeError,
        "rotary_embedding: too few features for 2 frequencies; got shape (5, 3); pass half as many "
        "frequencies as features",
        lambda: nn.rotary_embedding(pt.ones((5, 3)), pt.arange(5), (1.0, 0.1)),
    )
