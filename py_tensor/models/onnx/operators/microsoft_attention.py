"""ONNX Runtime's operators of attention over heads, of the domain com.microsoft."""

from __future__ import annotations

from .... import functions as F
from ....tensor import Tensor
from .attention import attention as attend, heads
from .quantization import dequantize
from .shared import Ints, unsupported

ATTENTION = {"do_rotary": (0,), "past_present_share_buffer": (0,)}
"""Supported values of attributes of self-attention."""

type Heads = tuple[Tensor, Tensor, Tensor]
"""Queries, keys and values, (batch, heads, time, features)."""


def self_attention(
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    mask: Tensor | None = None,
    past: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    num_heads: int,
    results: int = 1,
    do_rotary: int = 0,
    mask_filter_value: float = -10000.0,
    past_present_share_buffer: int = 0,
    qkv_hidden_sizes: Ints | None = None,
    scale: float = 0.0,
    unidirectional: int = 0,
) -> tuple[Tensor, ...]:
    both = x @ w if b is None else x @ w + b
    sizes = qkv_hidden_sizes or [w.shape[-1] // 3] * 3
    first, second = sizes[0], sizes[0] + sizes[1]
    parts = both[..., :first], both[..., first:second], both[..., second:]
    q, k, v = (heads(part, num_heads) for part in parts)
    past_key, past_value = (None, None) if past is None else (past[0], past[1])
    hidden = _mask_bias(mask, x.shape[0], _keys(k, past_key), mask_filter_value)
    y, k, v = _attended((q, k, v), (past_key, past_value), hidden, bias, unidirectional, scale)
    if results == 1:
        return (y,)
    if k.shape != v.shape:
        raise unsupported("Attention with keys and values of different sizes as a result")
    return y, F.stack([k, v])


def quantized_attention(
    x: Tensor,
    w: Tensor,
    b: Tensor,
    x_scale: Tensor,
    w_scale: Tensor,
    mask: Tensor | None = None,
    x_zero: Tensor | None = None,
    w_zero: Tensor | None = None,
    past: Tensor | None = None,
    *,
    num_heads: int,
    results: int = 1,
    do_rotary: int = 0,
    mask_filter_value: float = -10000.0,
    past_present_share_buffer: int = 0,
    scale: float = 0.0,
    unidirectional: int = 0,
) -> tuple[Tensor, ...]:
    return self_attention(
        dequantize(x, x_scale, x_zero),
        dequantize(w, w_scale, w_zero),
        b,
        mask,
        past,
        num_heads=num_heads,
        results=results,
        mask_filter_value=mask_filter_value,
        scale=scale,
        unidirectional=unidirectional,
    )


def multi_head_attention(
    q: Tensor,
    k: Tensor | None = None,
    v: Tensor | None = None,
    b: Tensor | None = None,
    mask: Tensor | None = None,
    bias: Tensor | None = None,
    past_key: Tensor | None = None,
    past_value: Tensor | None = None,
    *,
    num_heads: int,
    mask_filter_value: float = -10000.0,
    scale: float = 0.0,
    unidirectional: int = 0,
) -> tuple[Tensor, ...]:
    q, k, v = _split(q, k, v)
    if b is not None:
        first, second = q.shape[-1], 2 * q.shape[-1]
        q = q + b[:first]
        if k.ndim == 3:
            k, v = k + b[first:second], v + b[second:]
    q, k, v = (x if x.ndim == 4 else heads(x, num_heads) for x in (q, k, v))
    hidden = _mask_bias(mask, q.shape[0], _keys(k, past_key), mask_filter_value)
    return _attended((q, k, v), (past_key, past_value), hidden, bias, unidirectional, scale)


def _split(q: Tensor, k: Tensor | None, v: Tensor | None) -> Heads:
    """Return queries, keys and values, which may be packed: (batch, time, heads, 3, features)."""
    if k is None:
        q, k, v = (_flat(q[..., at, :]) for at in range(3))
    elif v is None:
        k, v = (_flat(k[..., at, :]) for at in range(2))
    assert k is not None
    assert v is not None
    return q, k, v


def _flat(x: Tensor) -> Tensor:
    return x.reshape((*x.shape[:2], -1))


def _keys(k: Tensor, past: Tensor | None) -> int:
    return k.shape[2] + (0 if past is None else past.shape[2])


def _mask_bias(mask: Tensor | None, batch: int, keys: int, hidden: float) -> Tensor | None:
    """Return what is added to the scores of keys, (batch, 1, 1 or queries, keys).

    A mask has one axis for the numbers of keys, which the first visible key may follow, and more
    axes for whether each key is visible.
    """
    if mask is None:
        return None
    if mask.ndim == 1:
        places, column = F.arange(keys), (-1, 1, 1, 1)
        visible = places < mask[:batch].reshape(column)
        if mask.shape[0] == 2 * batch:
            visible = visible & (places >= mask[batch:].reshape(column))
    elif mask.ndim == 2:
        visible = mask[:, None, None, :] > 0
    elif mask.ndim == 3:
        visible = mask[:, None, :, :] > 0
    else:
        raise unsupported(f"a mask with {mask.ndim} axes")
    return F.where(visible, 0.0, hidden)


def _attended(
    operands: Heads,
    past: tuple[Tensor | None, Tensor | None],
    hidden: Tensor | None,
    bias: Tensor | None,
    unidirectional: int,
    scale: float,
) -> Heads:
    """Return the result of attention over heads, and all keys and values."""
    both = [part for part in (hidden, bias) if part is not None]
    added = both[0] + both[1] if len(both) == 2 else both[0] if both else None
    y, k, v, _ = attend(*operands, added, *past, is_causal=unidirectional, scale=scale or None)
    y = F.moveaxis(y, 1, 2)
    return _flat(y), k, v
