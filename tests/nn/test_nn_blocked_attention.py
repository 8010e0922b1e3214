"""Attention with shared heads, windows and bounds of scores, from all scores and in blocks."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from helpers import HALF, assert_raises, assert_values, sample

import py_tensor as pt
from py_tensor import errors
from py_tensor.nn import attention as module

attention = pt.nn.scaled_dot_product_attention
TOLERANCE = 1e-5
"""Weights are accurate to exp's 2e-6 and a sum; values, up to 4, may cancel."""


@pytest.fixture
def in_blocks(monkeypatch):
    """Store at most 2**8 scores, in blocks of 8 keys or more."""
    monkeypatch.setattr(module, "MOST_SCORES", 1 << 8)
    monkeypatch.setattr(module, "LEAST_KEYS", 8)


def attended(q, k, v, mask=None, causal=False, window=None, softcap=None):
    """Compute attention in float64, with heads of keys repeated for the query's."""
    q, k, v = (x.astype("float64") for x in (q, k, v))
    if q.ndim > 2 and k.ndim > 2:
        k, v = (np.repeat(x, q.shape[-3] // x.shape[-3], axis=-3) for x in (k, v))
    scores = q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1])
    if softcap is not None:
        scores = softcap * np.tanh(scores / softcap)
    seen = np.ones(scores.shape, bool)
    if mask is not None:
        seen, scores = (seen & mask, scores) if mask.dtype == bool else (seen, scores + mask)
    distance = np.arange(q.shape[-2])[:, None] - np.arange(k.shape[-2])
    if causal:
        seen &= distance >= 0
    if window is not None:
        seen &= np.abs(distance) < window
    scores = np.where(seen, scores, -np.inf)
    scores = np.where(seen.any(-1, keepdims=True), scores, 0.0)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


OPTIONS = {
    "plain": {},
    "causal": {"causal": True},
    "window": {"window": 4},
    "causal window": {"causal": True, "window": 5},
    "softcap": {"softcap": 1.5, "causal": True},
}
SHAPES = [
    ((19, 8), (21, 8), (21, 3)),
    ((2, 6, 19, 8), (2, 2, 21, 8), (2, 2, 21, 3)),
    ((2, 6, 19, 8), (2, 1, 21, 8), (2, 1, 21, 3)),
    ((2, 3, 40, 4), (2, 3, 10, 4), (2, 3, 10, 4)),
]


def operands(rng, shapes, dtype="float32"):
    return [sample(rng, shape, dtype) for shape in shapes]


def check(values, dtype="float32", mask=None, **options):
    # Scores up to 8 are rounded to multiples of 2**-8, and values differ by up to 6.
    tolerance = TOLERANCE if dtype == "float32" else 8 * HALF
    own = None if mask is None else pt.asarray(mask)
    got = attention(*map(pt.asarray, values), mask=own, **options)
    want = attended(*values, mask=mask, **options).astype(dtype)
    assert_values(got, want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("shapes", SHAPES[:3], ids=str)
@pytest.mark.parametrize("options", OPTIONS)
def test_all_scores(shapes, options, rng):
    check(operands(rng, shapes), **OPTIONS[options])


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("options", OPTIONS)
def test_blocks(shapes, options, rng, in_blocks):
    check(operands(rng, shapes), **OPTIONS[options])


def test_blocks_in_half_precision(rng, in_blocks):
    check(operands(rng, SHAPES[1], "float16"), "float16", causal=True)


def test_padding_of_blocks_does_not_hide_low_scores(rng, in_blocks):
    """All scores are below -200, and padding has the score 0."""
    q, k, v = operands(rng, SHAPES[0])
    q, k = np.abs(q) + 10, -np.abs(k) - 10
    # Scores of 300 are rounded to multiples of 2**-15.
    got = attention(*map(pt.asarray, (q, k, v)))
    assert_values(got, attended(q, k, v).astype("float32"), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("shape", [(2, 6, 19, 21), (6, 1, 21), (19, 21), (21,), (19, 1)], ids=str)
@pytest.mark.parametrize("causal", [False, True])
def test_blocks_with_masks(shape, causal, rng, in_blocks):
    """Queries that see no key, of which the first kind of mask has some, get the mean."""
    values = operands(rng, SHAPES[1])
    for mask in (rng.random(shape) < 0.5, sample(rng, shape, "float32")):
        check(values, mask=mask, causal=causal)


def test_heads_of_a_mask_with_shared_keys(rng):
    values = operands(rng, SHAPES[1])
    for shape in ((2, 6, 19, 21), (6, 1, 1), (2, 1, 19, 1), (19, 21)):
        check(values, mask=rng.random(shape) < 0.5)


def loss(q, k, v, mask):
    return (attention(q, k, v, mask=mask, causal=True, softcap=2.0) ** 2).sum()


def test_gradients_of_blocks_are_those_of_all_scores(rng, monkeypatch):
    shapes = (*SHAPES[1], (6, 19, 21))
    values = [pt.asarray(x) for x in operands(rng, shapes)]
    gradient = pt.grad(loss, argnums=(0, 1, 2, 3))
    want = [x.numpy() for x in gradient(*values)]
    monkeypatch.setattr(module, "MOST_SCORES", 1 << 8)
    monkeypatch.setattr(module, "LEAST_KEYS", 8)
    for got, whole in zip(gradient(*values), want, strict=True):
        # Gradients are sums of up to 57 products.
        assert_values(got, whole, rtol=1e-4, atol=2e-5)


def largest(text):
    """Return the number of elements of the largest floating value that `pt.explain` shows."""
    shapes = re.findall(r"float32\[([\d, ]+)\]", text)
    return max(math.prod(map(int, shape.split(","))) for shape in shapes)


def test_blocks_store_no_matrix_of_scores(monkeypatch):
    """Largest value of a computation with 2 * 128 * 256 scores, and of its gradient."""
    q, k = pt.zeros((2, 128, 4)), pt.zeros((2, 256, 4))
    gradient = pt.grad(lambda q, k: attention(q, k, k).sum(), argnums=1)
    assert largest(pt.explain(attention(q, k, k))) == 2 * 128 * 256
    monkeypatch.setattr(module, "MOST_SCORES", 1 << 13)
    monkeypatch.setattr(module, "LEAST_KEYS", 32)
    assert largest(pt.explain(attention(q, k, k))) <= 1 << 13
    # The sums of values after each of the 8 blocks are kept: 8 * 2 * 128 * 4.
    assert largest(pt.explain(gradient(q, k))) <= 1 << 13


def test_blocks_under_jit_and_vmap(rng, in_blocks):
    values = operands(rng, SHAPES[1])
    want = attended(*values, causal=True).astype("float32")
    tensors = [pt.asarray(x) for x in values]
    mapped = pt.vmap(lambda q, k, v: attention(q, k, v, causal=True))
    for call in (pt.jit(lambda *x: attention(*x, causal=True)), mapped):
        assert_values(call(*tensors), want, rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"window": 0}, "window is too small; got 0; use 1 or more"),
        ({"softcap": 0.0}, "softcap must be positive; got 0.0; pass None for none"),
    ],
)
def test_wrong_options(options, text):
    x = pt.zeros((2, 3))
    text = f"scaled_dot_product_attention: {text}"
    assert_raises(errors.ArgumentError, text, lambda: attention(x, x, x, **options))
