"""Transformer layers against their formulas in float64; caches against whole sequences."""

from __future__ import annotations

import half_storage
import numpy as np
import pytest
from helpers import assert_raises, assert_values, sample
from scipy import special
from test_nn_gradients import check_gradient

import py_tensor as pt
from py_tensor import errors

nn = pt.nn
RTOL = 2e-5
"""Three products of up to 16 terms, and a softmax."""


def dense(layer, x):
    return x @ layer.weight.numpy().astype("float64") + layer.bias.numpy()


def normed(layer, x):
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5) * layer.scale.numpy() + layer.offset.numpy()


def attended(layer, x, memory, visible):
    heads, size = layer.heads, layer.features // layer.heads

    def split(x):
        return x.reshape(*x.shape[:2], heads, size).transpose(0, 2, 1, 3)

    q, k, v = (
        split(dense(layer.query, x)),
        *(split(dense(each, memory)) for each in (layer.key, layer.value)),
    )
    scores = np.where(visible, q @ k.transpose(0, 1, 3, 2) / np.sqrt(size), -np.inf)
    joined = (special.softmax(scores, axis=-1) @ v).transpose(0, 2, 1, 3).reshape(x.shape)
    return dense(layer.output, joined)


def transformed(layer, x, visible, memory=None):
    """Compute an encoder's or decoder's result."""
    parts = [lambda x: attended(layer.attention, x, x, visible)]
    if memory is not None:
        parts.append(lambda x: attended(layer.cross_attention, x, memory, True))
    parts.append(lambda x: dense(layer.second, np.maximum(dense(layer.first, x), 0)))
    for norm, part in zip(layer.norms, parts, strict=True):
        x = x + part(normed(norm, x)) if layer.norm_first else normed(norm, x + part(x))
    return x


def randomized(layer):
    """Replace zeros and ones by random values, so that each parameter counts."""
    for _, tensor in layer.named_parameters():
        tensor[...] = tensor + 0.1 * pt.random.normal(tensor.shape)
    return layer


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_encoder(norm_first, causal, rng):
    layer = randomized(nn.TransformerEncoderLayer(8, 2, hidden=16, norm_first=norm_first))
    x = sample(rng, (2, 5, 8), "float32")
    visible = np.tril(np.ones((5, 5), bool)) if causal else True
    want = transformed(layer, x.astype("float64"), visible)
    got = layer(pt.asarray(x), causal=causal)
    assert_values(got, want.astype("float32"), rtol=RTOL, atol=RTOL)


@pytest.mark.parametrize("norm_first", [False, True])
def test_decoder(norm_first, rng):
    layer = randomized(nn.TransformerDecoderLayer(8, 2, hidden=16, norm_first=norm_first))
    x, memory = sample(rng, (2, 4, 8), "float32"), sample(rng, (2, 6, 8), "float32")
    visible = np.tril(np.ones((4, 4), bool))
    want = transformed(layer, x.astype("float64"), visible, memory.astype("float64"))
    got = layer(pt.asarray(x), pt.asarray(memory))
    tolerance = half_storage.derivative(RTOL)
    assert_values(got, want.astype("float32"), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("parts", [[1, 1, 1, 1, 1], [3, 2], [2, 1, 2]])
def test_caches_continue_a_sequence(parts, rng):
    encoder = randomized(nn.TransformerEncoderLayer(8, 2, hidden=16))
    decoder = randomized(nn.TransformerDecoderLayer(8, 2, hidden=16))
    x = pt.asarray(sample(rng, (2, 5, 8), "float32"))
    memory = pt.asarray(sample(rng, (2, 3, 8), "float32"))
    for layer, more in ((encoder, ()), (decoder, (memory,))):
        whole = layer(x, *more, causal=True)
        cache, results, start = layer.attention.empty_cache(2, 7), [], 0
        for count in parts:
            part = x[:, start : start + count]
            result, cache = layer(part, *more, causal=True, cache=cache)
            results.append(result)
            start += count
        assert (cache.keys.shape, cache.position.item()) == ((2, 2, 7, 4), 5)
        assert_values(pt.concat(results, axis=1), whole.numpy(), rtol=RTOL, atol=RTOL)


def test_caches_with_masks(rng):
    attention = randomized(nn.MultiHeadAttention(8, 2))
    x = pt.asarray(sample(rng, (1, 4, 8), "float32"))
    mask = pt.asarray([True, False, True, True])
    whole = attention(x, causal=True, mask=mask)
    _, cache = attention(x[:, :2], causal=True, mask=mask, cache=attention.empty_cache(1, 4))
    numbers = pt.asarray([0.0, -1e9, 0.0, 0.0])
    for given in (mask, numbers):
        rest, _ = attention(x[:, 2:], causal=True, mask=given, cache=cache)
        assert_values(rest, whole[:, 2:].numpy(), rtol=RTOL, atol=RTOL)


def test_dropout_in_training():
    layer = nn.TransformerEncoderLayer(8, 2, hidden=16, dropout=1.0, norm_first=True)
    x = pt.random.normal((2, 5, 8))
    assert_values(layer(x, training=True), x.numpy())
    assert abs(layer(x).numpy() - x.numpy()).max() > 0.01
    assert_raises(
        errors.ArgumentError,
        "TransformerEncoderLayer: rate must be a probability; got 2.0; use a number from 0 to 1",
        lambda: nn.TransformerEncoderLayer(8, 2, dropout=2),
    )


def test_in_models_and_under_jit(rng):
    x = pt.asarray(sample(rng, (2, 5, 8), "float32"))
    model = nn.Sequential(nn.TransformerEncoderLayer(8, 2, hidden=16), nn.Dense(8, 2))
    jitted = pt.jit(lambda model, x: model(x))(model, x)
    assert_values(jitted, model(x).numpy(), rtol=RTOL, atol=RTOL)
    assert repr(model).splitlines()[1].startswith("  [0] TransformerEncoderLayer(8, 2 heads)")


def test_gradients(rng):
    encoder = randomized(nn.TransformerEncoderLayer(8, 2, hidden=16, activation=pt.nn.relu))
    decoder = randomized(nn.TransformerDecoderLayer(8, 2, hidden=16, norm_first=True))
    x, memory = sample(rng, (1, 3, 8), "float32"), sample(rng, (1, 2, 8), "float32")
    visible = np.tril(np.ones((3, 3), bool))

    def encoded(x):
        return transformed(encoder, x, visible)

    def decoded(x, memory):
        return transformed(decoder, x, visible, memory)

    check_gradient(rng, lambda x: encoder(x, causal=True), encoded, x, tolerance=1e-4)
    check_gradient(rng, decoder, decoded, x, memory, tolerance=1e-4)
