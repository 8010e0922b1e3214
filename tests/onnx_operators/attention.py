"""Attention over heads, and over keys and values of earlier calls."""

from __future__ import annotations

import py_tensor as pt

from .kinds import Unsupported


def attention(
    q, k, v, mask=None, past_key=None, past_value=None, seen=None, *, is_causal=0, kv_num_heads=0,
    left_window_size=-1, q_num_heads=0, qk_matmul_output_mode=None, right_window_size=-1,
    scale=None, softcap=0.0, softmax_precision=None,
):  # fmt: skip
    if softcap or seen is not None or (left_window_size, right_window_size) != (-1, -1):
        raise Unsupported("a cap on the scores, lengths of keys, or windows")
    before = 0 if past_key is None else past_key.shape[2]
    flat = q.ndim == 3
    if flat:
        q, k, v = _heads(q, q_num_heads), _heads(k, kv_num_heads), _heads(v, kv_num_heads)
    if past_key is not None:
        k, v = pt.concat([past_key, k], axis=2), pt.concat([past_value, v], axis=2)
    present = (k, v)
    shared = q.shape[1] // k.shape[1]
    if shared > 1:
        k, v = pt.repeat(k, shared, axis=1), pt.repeat(v, shared, axis=1)
    if mask is not None and mask.shape[-1] != k.shape[-2]:
        raise Unsupported("a mask for fewer keys than there are")
    if is_causal and before:
        mask, is_causal = _causal(q.shape[2], k.shape[2], before, mask), 0
    y = pt.nn.scaled_dot_product_attention(q, k, v, mask=mask, causal=bool(is_causal), scale=scale)
    if flat:
        y = pt.moveaxis(y, 1, 2)
        y = y.reshape((*y.shape[:2], -1))
    return (y, *present)


def _heads(x, count):
    """(batch, time, heads * features) as (batch, heads, time, features)."""
    return pt.moveaxis(x.reshape((*x.shape[:2], count, -1)), 2, 1)


def _causal(queries, keys, before, mask):
    """A mask under which query i sees keys up to before + i, where the given one lets it."""
    seen = pt.arange(queries).reshape((-1, 1)) + before >= pt.arange(keys)
    if mask is None:
        return seen
    return seen & mask if mask.dtype.kind == "b" else pt.where(seen, mask, -pt.inf)


OPERATORS = {"Attention": attention}
