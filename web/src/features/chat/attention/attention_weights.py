"""Weights of attention, computed from the queries and keys of a layer."""

from collections.abc import Sequence
from typing import Any

import py_tensor as pt
from py_tensor.nn.layers.attention import split_heads
from py_tensor.nn.module import watchers

STEP = 32
"""Tokens are padded to a multiple of it, so that few lengths need plans of their own."""
HIDDEN = -1e30


def attention_weights(model: Any, tokens: Sequence[int], layer: int, head: int) -> Any:
    """Return the weights (tokens, tokens) of a head: row i has those of token i.

    The decoder runs once more, and watchers keep the queries and keys of the layer. The rest is the
    formula of `pt.nn.scaled_dot_product_attention`.
    """
    attention = model.blocks[layer].attention
    q, k = _queries_and_keys(model, attention, tokens)
    if attention.rotary is not None:
        q, k = (attention.rotary.turned(part, 0, {}) for part in (q, k))
    q, k = q[0, head], k[0, head * attention.key_heads // attention.heads]
    scale = attention.head_features**-0.5 if attention.scale is None else attention.scale
    scores = q @ k.mT * scale
    if attention.softcap is not None:
        scores = pt.tanh(scores / attention.softcap) * attention.softcap
    keys = pt.arange(scores.shape[-1])
    distance = pt.expand_dims(keys, axis=1) - keys
    visible = distance >= 0
    if attention.window is not None:
        visible = pt.logical_and(visible, distance < attention.window)
    weights = pt.softmax(pt.where(visible, scores, HIDDEN))
    return weights[: len(tokens), : len(tokens)]


def _queries_and_keys(model: Any, attention: Any, tokens: Sequence[int]) -> tuple[Any, Any]:
    """Return queries and keys of shape (1, heads, tokens, features), before their rotation."""
    has_norm = attention.query_norm is not None
    parts = attention.query, attention.key
    if has_norm:
        parts = attention.query_norm, attention.key_norm
    results: dict[int, Any] = {}

    def watch(module: Any, result: Any) -> None:
        if module in parts:
            results[id(module)] = result

    padded = [*tokens, *[0] * (-len(tokens) % STEP)]
    token = watchers.set((*watchers.get(), watch))
    try:
        model(pt.asarray([padded], dtype="int32"))
    finally:
        watchers.reset(token)
    q, k = (results[id(part)] for part in parts)
    if has_norm:
        return q, k
    return split_heads(q, attention.heads), split_heads(k, attention.key_heads)
