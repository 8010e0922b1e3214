"""Attention over heads, and over keys and values of earlier calls."""

from __future__ import annotations

import math

from .... import functions as F
from ....nn.rotary import turned
from ....tensor import Tensor
from ...execution import GraphFunction
from ...layouts import as_tensor
from .shared import Operator, unsupported

LOWEST = -1e30
"""Score of a key that a query may not attend to; infinity is not certain in a shader."""


def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    past_key: Tensor | None = None,
    past_value: Tensor | None = None,
    seen: Tensor | None = None,
    *,
    is_causal: int = 0,
    kv_num_heads: int = 0,
    left_window_size: int = -1,
    q_num_heads: int = 0,
    qk_matmul_output_mode: int = 0,
    right_window_size: int = -1,
    scale: float | None = None,
    softcap: float = 0.0,
    softmax_precision: int | None = None,
) -> tuple[Tensor, ...]:
    flat = q.ndim == 3
    if flat:
        q, k, v = heads(q, q_num_heads), heads(k, kv_num_heads), heads(v, kv_num_heads)
    before = 0 if past_key is None else past_key.shape[2]
    if past_key is not None and past_value is not None:
        k, v = F.concat([past_key, k], axis=2), F.concat([past_value, v], axis=2)
    present = (k, v)
    shared = q.shape[1] // k.shape[1]
    if shared > 1:
        k, v = F.repeat(k, shared, axis=1), F.repeat(v, shared, axis=1)
    queries, keys = q.shape[2], k.shape[2]
    # Position of the first query among the keys.
    first = before if seen is None else seen.reshape((-1, 1, 1, 1)) - queries
    far = F.arange(queries).reshape((-1, 1)) + first - F.arange(keys)
    visible = []
    if is_causal:
        visible.append(far >= 0)
    if left_window_size >= 0:
        visible.append(far <= left_window_size)
    if right_window_size >= 0:
        visible.append(far >= -right_window_size)
    if seen is not None:
        visible.append(F.arange(keys) < seen.reshape((-1, 1, 1, 1)))
    if mask is not None:
        missing = keys - mask.shape[-1]
        if missing:
            widths = [(0, 0)] * (mask.ndim - 1) + [(0, missing)]
            mask = F.pad(mask, widths, constant_values=-math.inf if mask.dtype.kind == "f" else 0)
        visible.append(mask if mask.dtype.kind == "b" else mask > LOWEST)
    scores = (q @ k.mT) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if softcap:
        scores = F.tanh(scores / softcap) * softcap
    biased = scores if mask is None or mask.dtype.kind == "b" else scores + mask
    shares = _shares(biased.astype("float32"), visible).astype(q.dtype)
    if qk_matmul_output_mode == 2:
        scores = F.where(_all(visible), biased, -math.inf) if visible else biased
    y = merged(shares @ v) if flat else shares @ v
    return (y, *present, shares if qk_matmul_output_mode == 3 else scores)


def _all(conditions: list[Tensor]) -> Tensor:
    result = conditions[0]
    for condition in conditions[1:]:
        result = result & condition
    return result


def _shares(scores: Tensor, visible: list[Tensor]) -> Tensor:
    """Return the softmax over visible keys; 0 if there are none."""
    if not visible:
        return F.softmax(scores, axis=-1)
    seen = _all(visible)
    scores = F.where(seen, scores, LOWEST)
    powers = F.where(seen, F.exp(scores - F.max(scores, axis=-1, keepdims=True)), 0.0)
    # The largest power is 1 if any key is visible.
    return powers / F.maximum(F.sum(powers, axis=-1, keepdims=True), 1.0)


def heads(x: Tensor, count: int) -> Tensor:
    """Reshape (batch, time, heads * features) to (batch, heads, time, features)."""
    return F.moveaxis(x.reshape((*x.shape[:2], count, -1)), 2, 1)


def merged(x: Tensor) -> Tensor:
    """Reshape (batch, heads, time, features) to (batch, time, heads * features)."""
    y = F.moveaxis(x, 1, 2)
    return y.reshape((*y.shape[:2], -1))


def rotary_embedding(
    x: Tensor,
    cosines: Tensor,
    sines: Tensor,
    positions: Tensor | None = None,
    *,
    interleaved: int = 0,
    num_heads: int = 0,
    rotary_embedding_dim: int = 0,
) -> Tensor:
    flat = x.ndim == 3
    if flat:
        x = heads(x, num_heads)
    if positions is not None:
        cosines, sines = F.take(cosines, positions, axis=0), F.take(sines, positions, axis=0)
    half = (rotary_embedding_dim or x.shape[-1]) // 2
    cosines, sines = (F.expand_dims(part[..., :half], axis=1) for part in (cosines, sines))
    y = turned(x, (cosines, sines), bool(interleaved))
    return merged(y) if flat else y


def flex_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    prob_mod: GraphFunction | None = None,
    scale: float | None = None,
    score_mod: GraphFunction | None = None,
    softmax_precision: int | None = None,
) -> Tensor:
    shared = q.shape[1] // k.shape[1]
    k, v = F.repeat(k, shared, axis=1), F.repeat(v, shared, axis=1)
    scores = (q @ k.mT) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    scores = _modified(scores.astype("float32"), score_mod)
    shares = _modified(_shares(scores, [scores > LOWEST]), prob_mod)
    return shares.astype(q.dtype) @ v


def _modified(x: Tensor, change: GraphFunction | None) -> Tensor:
    if change is None:
        return x
    [y] = change(x)
    assert y is not None
    return as_tensor(y)


def linear_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    past: Tensor | None = None,
    decay: Tensor | None = None,
    beta: Tensor | None = None,
    *,
    kv_num_heads: int,
    q_num_heads: int,
    chunk_size: int = 0,
    scale: float = 0.0,
    update_rule: str = "gated_delta",
) -> tuple[Tensor, Tensor]:
    """Update a state per time step with keys and values, and read it with queries."""
    dtype = q.dtype
    q, k, v = (
        heads(x, count).astype("float32")
        for x, count in ((q, q_num_heads), (k, kv_num_heads), (v, kv_num_heads))
    )
    batch, _, steps, features = k.shape
    if past is None:
        state = F.zeros((batch, kv_num_heads, features, v.shape[-1]))
    else:
        state = past.astype("float32")
    factors = None if decay is None else F.exp(heads(decay, kv_num_heads).astype("float32"))
    rates = None if beta is None else heads(beta, beta.shape[-1]).astype("float32")
    rows = []
    for step in range(steps):
        at = slice(step, step + 1)
        key, value = k[:, :, at].mT, v[:, :, at]
        if factors is not None and "gated" in update_rule:
            state = state * factors[:, :, at].mT
        if rates is not None and "delta" in update_rule:
            value = rates[:, :, at] * (value - key.mT @ state)
        state = state + key * value
        read = F.repeat(state, q_num_heads // kv_num_heads, axis=1)
        rows.append(q[:, :, at] @ read)
    y = merged(F.concat(rows, axis=2)) * (scale or 1 / math.sqrt(features))
    return y.astype(dtype), state.astype(dtype if past is None else past.dtype)


def tensor_scatter(
    past: Tensor,
    update: Tensor,
    starts: Tensor | None = None,
    *,
    axis: int = -2,
    mode: str = "linear",
) -> Tensor:
    """Write an update along an axis, starting at one position for each batch."""
    axis = axis % past.ndim
    length, new = past.shape[axis], update.shape[axis]
    column = (-1, *(1,) * (past.ndim - 1))
    places = F.arange(length).reshape((-1, *(1,) * (past.ndim - axis - 1)))
    if starts is not None:
        places = places - starts.reshape(column)
    if mode == "circular":
        places = places % length
    elif mode != "linear":
        raise unsupported(f"TensorScatter in mode {mode}")
    inside = (places >= 0) & (places < new)
    if new == 1:
        return F.where(inside, update, past)
    chosen = F.broadcast_to(F.clip(places, 0, new - 1), past.shape)
    return F.where(inside, F.take_along_axis(update, chosen, axis=axis), past)


OPERATORS = {
    "Attention": Operator(attention),
    "ai.onnx.preview.FlexAttention": Operator(flex_attention),
    "LinearAttention": Operator(linear_attention),
    "RotaryEmbedding": Operator(rotary_embedding),
    "TensorScatter": Operator(tensor_scatter),
}
