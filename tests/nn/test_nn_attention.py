"""Attention: masks, causality, scales, dtypes, against sums over keys in float64."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers import HALF, assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors

attention = pt.nn.scaled_dot_product_attention


def attended(q, k, v, mask=None, causal=False, scale=None):
    """Compute the weighted mean of values for one query after the other."""
    q, k, v = (x.astype("float64") for x in (q, k, v))
    batch = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    q, k, v = (np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (q, k, v))
    scores = np.einsum("...qf,...kf->...qk", q, k)
    scores = scores * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    seen = np.ones(scores.shape, bool)
    if mask is not None:
        if mask.dtype == bool:
            seen = seen & mask
        else:
            scores = scores + mask
    if causal:
        seen = seen & np.tril(np.ones(scores.shape[-2:], bool))
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True)) * seen
    weights = np.where(seen.any(axis=-1, keepdims=True), weights, 1.0)
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return np.einsum("...qk,...kv->...qv", weights, v)


SHAPES = [
    ((5, 8), (5, 8), (5, 8)),
    ((3, 4), (7, 4), (7, 5)),
    ((2, 6, 8), (2, 4, 8), (2, 4, 3)),
    ((2, 3, 5, 4), (2, 3, 6, 4), (2, 3, 6, 4)),
    ((2, 3, 5, 4), (2, 1, 6, 4), (6, 4)),
]


def operands(rng, shapes, dtype="float32"):
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def check(got, want, dtype="float32"):
    # Weights are accurate to exp's 2e-6 and a sum; values, up to 4, may cancel.
    tolerance = 1e-5 if dtype == "float32" else 4 * HALF
    assert_values(got, want.astype(dtype), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("causal", [False, True])
def test_shapes(shapes, dtype, causal, rng):
    values = operands(rng, shapes, dtype)
    got = attention(*map(pt.asarray, values), causal=causal)
    check(got, attended(*values, causal=causal), dtype)


@pytest.mark.parametrize("shape", [(6, 4), (2, 1, 4), (2, 6, 1), (4,)], ids=str)
@pytest.mark.parametrize("causal", [False, True])
def test_masks(shape, causal, rng):
    values = operands(rng, [(2, 6, 8), (2, 4, 8), (2, 4, 3)])
    where = rng.random(shape) < 0.6
    added = rng.standard_normal(shape).astype("float32")
    for mask in (where, added):
        got = attention(*map(pt.asarray, values), mask=pt.asarray(mask), causal=causal)
        check(got, attended(*values, mask=mask, causal=causal))


def test_scale(rng):
    values = operands(rng, SHAPES[0])
    check(attention(*map(pt.asarray, values), scale=2.0), attended(*values, scale=2.0))
    check(attention(*map(pt.asarray, values), scale=0.0), attended(*values, scale=0.0))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_masked_keys_have_no_influence(dtype, rng):
    q, k, v = operands(rng, SHAPES[0], dtype)
    k[3:], v[3:] = 100.0, 1000.0
    mask = np.arange(5) < 3
    got = attention(*map(pt.asarray, (q, k, v)), mask=pt.asarray(mask))
    check(got, attended(q, k[:3], v[:3]), dtype)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_fully_masked_query_gets_the_mean(dtype, rng):
    values = operands(rng, SHAPES[0], dtype)
    got = attention(*map(pt.asarray, values), mask=pt.zeros((5, 5), dtype="bool"), causal=True)
    want = np.broadcast_to(values[2].astype("float64").mean(axis=0), (5, 8))
    check(got, want, dtype)


def test_large_scores_do_not_overflow():
    q = np.full((2, 4), 1e4, "float32")
    check(attention(*map(pt.asarray, (q, q, q))), q)


CASES = {
    "features that differ": (
        errors.ShapeError,
        lambda: attention(pt.zeros((3, 4)), pt.zeros((3, 5)), pt.zeros((3, 4))),
        "scaled_dot_product_attention: shapes are incompatible; got (3, 4), (3, 5) and (3, 4); "
        "query must have shape (..., queries, features), key (..., keys, features), value (..., "
        "keys, values)",
    ),
    "fewer values than keys": (
        errors.ShapeError,
        lambda: attention(pt.zeros((3, 4)), pt.zeros((3, 4)), pt.zeros((2, 4))),
        "scaled_dot_product_attention: shapes are incompatible; got (3, 4), (3, 4) and (2, 4); "
        "query must have shape (..., queries, features), key (..., keys, features), value (..., "
        "keys, values)",
    ),
    "integers": (
        errors.DTypeError,
        lambda: attention(pt.asarray([[1]]), pt.zeros((1, 1)), pt.zeros((1, 1))),
        'scaled_dot_product_attention: dtype int32 is not floating; use x.astype("float32")',
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_wrong_arguments(name):
    error, call, text = CASES[name]
    assert_raises(error, text, call)


def test_dropped_weights_of_attention_keep_the_mean():
    """With equal scores, the mean of dropped and scaled weights is still 1 for many keys."""
    query, keys = pt.ones((1, 1, 4)), pt.ones((1, 20_000, 4))
    pt.random.seed(0)
    dropped = [
        pt.nn.scaled_dot_product_attention(query, keys, keys, dropout=0.5).tolist()
        for _ in range(2)
    ]
    assert dropped[0] != dropped[1]
    assert dropped[0][0][0] == pytest.approx([1.0] * 4, abs=0.05)


def test_layer_drops_attention_in_training_only():
    layer, x = pt.nn.MultiHeadAttention(4, 2, dropout=1.0), pt.ones((1, 3, 4))
    assert layer(x).tolist() == layer(x).tolist()
    assert layer(x, training=True).tolist() == [[layer.output.bias.tolist()] * 3]
