"""ONNX Runtime's operators of attention over heads, of the domain com.microsoft."""

from __future__ import annotations

from typing import NamedTuple

from .... import functions as F, nn
from ....functions.data_types import lowest_stored
from ....tensor import Tensor
from .attention import attention as attend, heads, merged, rotary_embedding, tensor_scatter
from .quantization import dequantize
from .shared import Ints, Operator, unsupported

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
    past_length: Tensor | None = None,
    indirection: Tensor | None = None,
    *,
    num_heads: int,
    mask_filter_value: float = -10000.0,
    scale: float = 0.0,
    unidirectional: int = 0,
) -> tuple[Tensor, ...]:
    if indirection is not None:
        raise unsupported("attention with a cache of several beams")
    q, k, v = _split(q, k, v)
    if b is not None:
        first, second = q.shape[-1], 2 * q.shape[-1]
        q = q + b[:first]
        if k.ndim == 3:
            k, v = k + b[first:second], v + b[second:]
    q, k, v = (x if x.ndim == 4 else heads(x, num_heads) for x in (q, k, v))
    seen = None
    if past_length is not None and past_key is not None and past_value is not None:
        # The past is a buffer of the largest length.
        start, new = past_length.reshape((1,)), k.shape[2]
        k, v = tensor_scatter(past_key, k, start), tensor_scatter(past_value, v, start)
        past_key = past_value = None
        seen = start + new
    hidden = _mask_bias(mask, q.shape[0], _keys(k, past_key), mask_filter_value)
    past = past_key, past_value
    return _attended((q, k, v), past, hidden, bias, unidirectional, scale, seen)


def decoder_attention(
    q: Tensor,
    k: Tensor | None = None,
    v: Tensor | None = None,
    mask: Tensor | None = None,
    bias: Tensor | None = None,
    past_key: Tensor | None = None,
    past_value: Tensor | None = None,
    past_length: Tensor | None = None,
    beams: Tensor | None = None,
    indirection: Tensor | None = None,
    b: Tensor | None = None,
    *,
    num_heads: int,
    mask_filter_value: float = -10000.0,
    output_qk: int = 0,
    past_present_share_buffer: int = 0,
    scale: float = 0.0,
) -> tuple[Tensor, ...]:
    """Attend with one query; `past_length` is that of a past in a buffer of the largest length."""
    if k is None:
        q, k, v = (
            q[..., at * size : (at + 1) * size] for size in [q.shape[-1] // 3] for at in range(3)
        )
    return multi_head_attention(
        *(q, k, v, b, mask, bias, past_key, past_value),
        past_length if past_present_share_buffer else None,
        indirection,
        num_heads=num_heads,
        mask_filter_value=mask_filter_value,
        scale=scale,
    )


class HeadGroups(NamedTuple):
    """Attributes of attention whose heads share keys."""

    num_heads: int
    kv_num_heads: int
    causal: int = 1
    do_rotary: int = 0
    k_norm_epsilon: float = 0.0
    k_quant_type: str = "NONE"
    kv_cache_bit_width: int = 0
    local_window_size: int = -1
    q_norm_epsilon: float = 0.0
    qk_norm_epsilon: float = 1e-6
    qk_output: int = 0
    rotary_interleaved: int = 0
    scale: float = 0.0
    sliding_window_cache: int = 0
    smooth_softmax: int = 0
    softcap: float = 0.0
    v_quant_type: str = "NONE"


def grouped_query_attention(
    q: Tensor,
    k: Tensor | None,
    v: Tensor | None,
    past_key: Tensor | None,
    past_value: Tensor | None,
    last: Tensor,
    total: int | list[int],
    cosines: Tensor | None = None,
    sines: Tensor | None = None,
    positions: Tensor | None = None,
    bias: Tensor | None = None,
    sinks: Tensor | None = None,
    k_scale: Tensor | None = None,
    v_scale: Tensor | None = None,
    q_norm: Tensor | None = None,
    k_norm: Tensor | None = None,
    lengths: Tensor | None = None,
    *,
    options: HeadGroups,
) -> Heads:
    """Compute attention with shared keys, which are first written after the keys of earlier calls.

    `last` is the position of the last key of each sequence, and `lengths` the number of queries
    that are not padding at the end. The buffers have at least `total` positions.
    """
    q, k, v = _grouped(q, k, v, options)
    if q_norm is not None and k_norm is not None:
        small = options.qk_norm_epsilon
        q = nn.rms_norm(q, scale=q_norm, epsilon=options.q_norm_epsilon or small)
        k = nn.rms_norm(k, scale=k_norm, epsilon=options.k_norm_epsilon or small)
    queries = q.shape[2]
    count = last.reshape((-1, 1)) + 1
    # A first call may have padding at the end.
    first = F.maximum(count - (queries if lengths is None else lengths.reshape((-1, 1))), 0)
    own = first + F.arange(queries)
    if options.do_rotary and cosines is not None and sines is not None:
        q, k = (
            rotary_embedding(
                *(x, cosines, sines, own if positions is None else positions),
                interleaved=options.rotary_interleaved,
                rotary_embedding_dim=2 * cosines.shape[-1],
            )
            for x in (q, k)
        )
    # Some exporters write a row of one number.
    size = total[0] if isinstance(total, list) else total
    k, v = (_written(new, past, first, size) for new, past in ((k, past_key), (v, past_value)))
    present = k, v
    mask = _visible(own[:, None, :, None], count[:, None, None], k.shape[2], options)
    if bias is not None:
        missing = [(0, 0)] * 3 + [(0, k.shape[2] - bias.shape[-1])]
        mask = F.where(mask, F.pad(bias, missing), _hidden(q))
    if options.smooth_softmax and sinks is None:
        sinks = F.zeros((options.num_heads,), dtype=q.dtype)
    if sinks is not None:
        mask = _with_sinks(mask, sinks, q)
        k, v = (F.pad(x, [(0, 0), (0, 0), (0, 1), (0, 0)]) for x in (k, v))
    y = nn.scaled_dot_product_attention(
        *(q, k, v), mask=mask, scale=options.scale or None, softcap=options.softcap or None
    )
    return merged(y), *present


def _grouped(q: Tensor, k: Tensor | None, v: Tensor | None, options: HeadGroups) -> Heads:
    """Return the heads of queries, keys and values, which may be packed."""
    own, shared = options.num_heads, options.kv_num_heads
    if k is None or v is None:
        size = q.shape[-1] // (own + 2 * shared)
        first, second = own * size, (own + shared) * size
        q, k, v = q[..., :first], q[..., first:second], q[..., second:]
    return heads(q, own), heads(k, shared), heads(v, shared)


def _with_sinks(mask: Tensor, sinks: Tensor, like: Tensor) -> Tensor:
    """Add the scores of a key of zeros with a value of zeros, one for each head, to a mask."""
    rows = like.shape[:3]
    if mask.dtype.kind == "b":
        mask = F.where(mask, 0.0, _hidden(like)).astype(like.dtype)
    mask = F.broadcast_to(mask, (*rows, mask.shape[-1]))
    return F.concat([mask, F.broadcast_to(sinks.reshape((1, -1, 1, 1)), (*rows, 1))], axis=-1)


def _visible(rows: Tensor, count: Tensor, keys: int, options: HeadGroups) -> Tensor:
    """Return the keys that queries at positions `rows` see, of `count` keys in buffers."""
    places = F.arange(keys)
    visible = places < count
    if options.causal:
        visible = visible & (places <= rows)
    if options.local_window_size > 0:
        visible = visible & (places > rows - options.local_window_size)
    return visible


def _hidden(like: Tensor) -> float:
    """Return the score of a hidden key, to which others may be added."""
    return 0.5 * lowest_stored(like.dtype)


def _written(new: Tensor, past: Tensor | None, starts: Tensor, total: int) -> Tensor:
    """Return a past of at least `total` positions with new ones at `starts`."""
    length = 0 if past is None else past.shape[2]
    if not length and total == new.shape[2]:
        return new
    size = max(length, total)
    if past is None or not length:
        past = F.zeros((*new.shape[:2], size, new.shape[3]), dtype=new.dtype)
    elif size > length:
        past = F.pad(past, [(0, 0), (0, 0), (0, size - length), (0, 0)])
    return tensor_scatter(past, new, starts, axis=2)


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
    seen: Tensor | None = None,
) -> Heads:
    """Return the result of attention over heads, and all keys and values."""
    both = [part for part in (hidden, bias) if part is not None]
    added = both[0] + both[1] if len(both) == 2 else both[0] if both else None
    y, k, v, _ = attend(
        *(*operands, added, *past, seen), is_causal=unidirectional, scale=scale or None
    )
    y = F.moveaxis(y, 1, 2)
    return _flat(y), k, v


GROUPED = {
    "k_quant_type": ("NONE",),
    "kv_cache_bit_width": (0,),
    "qk_output": (0,),
    "sliding_window_cache": (0,),
    "v_quant_type": ("NONE",),
}
"""Supported values of attributes of attention with groups of heads."""

OPERATORS = {
    f"com.microsoft.{name}": operator
    for name, operator in {
        "Attention": Operator(self_attention, accepts=ATTENTION),
        "DecoderMaskedMultiHeadAttention": Operator(decoder_attention, accepts={"output_qk": (0,)}),
        "GroupQueryAttention": Operator(
            grouped_query_attention,
            host=("total",),
            accepts=GROUPED,
            omits=True,
            options=HeadGroups,
        ),
        "MultiHeadAttention": Operator(multi_head_attention),
        "QAttention": Operator(quantized_attention, accepts=ATTENTION),
    }.items()
}
