"""Caches of keys and values: plans of a generation, rings of a window, padding, full caches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers import assert_raises, assert_values, sample

import py_tensor as pt
from py_tensor import errors

nn = pt.nn


def test_two_plans_serve_a_prompt_and_two_hundred_tokens(rng):
    """The plan of the prompt's chunks and that of a token are made once."""
    layers = [nn.TransformerEncoderLayer(8, 2, hidden=16) for _ in range(2)]
    readout = nn.Dense(8, 8)

    def step(model, x, caches):
        layers, readout = model
        after = []
        for layer, cache in zip(layers, caches, strict=True):
            x, cache = layer(x, causal=True, cache=cache)
            after.append(cache)
        return readout(x[:, -1:]).tanh(), after

    step_on = pt.jit(step, donate_argnums=2)
    x = pt.asarray(sample(rng, (1, 32, 8), "float32"))
    caches = [layer.attention.empty_cache(1, 240) for layer in layers]
    tokens, before = [], None
    model = layers, readout
    for start in (0, 16):
        token, caches = step_on(model, x[:, start : start + 16], caches)
        token.tolist()
    for number in range(200):
        tokens.append(token)
        token, caches = step_on(model, token, caches)
        if number % 50 == 1:
            token.tolist()
            info = pt.cache_info()
            before = before or (info.plan_misses, info.programs)
            assert (info.plan_misses, info.programs) == before
    whole = x
    for at in (0, 60, 199):
        whole = pt.concat([x, *tokens[: at + 1]], axis=1)
        for layer in layers:
            whole = layer(whole, causal=True)
        want = token if at == 199 else tokens[at + 1]
        assert_values(readout(whole[:, -1:]).tanh(), want.numpy(), rtol=1e-4, atol=1e-4)
    assert [cache.position.item() for cache in caches] == [232, 232]


@pytest.mark.parametrize("parts", [[1] * 9, [2, 3, 4], [9], [4, 1, 1, 3]])
def test_ring_attends_to_the_last_positions(parts, rng):
    """A cache of three positions gives the result of a mask of the last three keys."""
    attention = nn.MultiHeadAttention(8, 2)
    x = pt.asarray(sample(rng, (2, 9, 8), "float32"))
    distance = np.arange(9)[:, None] - np.arange(9)
    want = attention(x, mask=pt.asarray((distance >= 0) & (distance < 3)))
    cache, results, start = nn.KeyValueCache.empty(2, 2, 9, 4, window=3), [], 0
    for count in parts:
        result, cache = attention(x[:, start : start + count], causal=True, cache=cache)
        results.append(result)
        start += count
    assert cache.keys.shape == (2, 2, 3, 4)
    assert sorted(cache.positions().tolist()) == [6, 7, 8]
    assert_values(pt.concat(results, axis=1), want.numpy(), rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("window", [None, 3])
def test_padding_is_not_kept(window, rng):
    keys = sample(rng, (1, 1, 4, 2), "float32")
    cache = nn.KeyValueCache.empty(1, 1, 8, 2, window=window)
    for count in (2, pt.asarray(1)):
        cache = cache.extended(pt.asarray(keys), pt.asarray(-keys), count=count)
    stored = cache.keys.numpy()[0, 0, :3]
    assert_values(pt.asarray(stored), keys[0, 0, [0, 1, 0]])
    assert_values(cache.values, -cache.keys.numpy())
    assert cache.position.item() == 3


def test_an_earlier_position_is_written_again(rng):
    attention = nn.MultiHeadAttention(8, 2)
    x = pt.asarray(sample(rng, (1, 5, 8), "float32"))
    _, cache = attention(x[:, [0, 1, 4, 4]], causal=True, cache=attention.empty_cache(1, 5))
    cache = replace(cache, position=pt.asarray(2))
    result, _ = attention(x[:, 2:], causal=True, cache=cache)
    assert_values(result, attention(x, causal=True).numpy()[:, 2:], rtol=2e-5, atol=2e-5)


def test_cache_keeps_its_dtype_and_needs_equal_shapes():
    cache = nn.KeyValueCache.empty(1, 2, 4, 3, dtype="float16")
    part = pt.ones((1, 2, 1, 3))
    after = cache.extended(part, part)
    assert after.keys.dtype == after.values.dtype == pt.float16
    assert cache.extended(part[:, :, :0], part[:, :, :0]) is cache
    assert_raises(
        errors.ShapeError,
        "KeyValueCache: new positions must have the shape of the cache; got shape (1, 1, 1, 3) for "
        "(1, 2, 4, 3); only the length of axis 2 may differ",
        lambda: cache.extended(part[:, :1], part),
    )


def test_full_cache_raises_where_the_position_is_known():
    attention = nn.MultiHeadAttention(4, 2)
    x = pt.ones((1, 3, 4))
    text = "got 3 positions after {} for a length of {}; make a longer cache"
    assert_raises(
        errors.ShapeError,
        "MultiHeadAttention(4, 2 heads): KeyValueCache: cache is full; " + text.format(0, 2),
        lambda: pt.jit(lambda x, cache: attention(x, cache=cache))(x, attention.empty_cache(1, 2)),
    )
    cache = replace(attention.empty_cache(1, 5), position=pt.asarray(3))
    assert_raises(
        errors.ShapeError,
        "MultiHeadAttention(4, 2 heads): KeyValueCache: cache is full; " + text.format(3, 5),
        lambda: attention(x, cache=cache),
    )
    ring = nn.KeyValueCache.empty(1, 2, 4, 2, window=2)
    assert_raises(
        errors.ArgumentError,
        "MultiHeadAttention(4, 2 heads): attention: a cache with a window has no masks; got a mask;"
        " use a cache without a window, whose keys are in the order of their positions",
        lambda: attention(x, mask=[True, False, True], cache=ring),
    )
