"""Attention layers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .... import functions as F
from ....functions.data_types import lowest_stored
from ....tensor import Tensor
from .shared import Config, LayerRow, Results, Weight


def _hidden(shown: Tensor, scores: Tensor) -> Tensor:
    """Replace hidden scores by a number so low that they have no weight, unless all are hidden."""
    return F.where(shown, scores, max(-1e9, lowest_stored(scores.dtype)))


def _weighted(
    scores: Tensor,
    value: Tensor,
    visible: Tensor | None,
    query_mask: Tensor | None,
    causal: bool,
    return_scores: bool,
) -> Results:
    """Return the values weighted by the softmax of scores; `visible` is the mask of the values."""
    shown = None if visible is None else visible[..., None, :].astype("bool")
    if causal:
        shown = _both(shown, _causal(scores.shape[-2], scores.shape[-1]))
    if shown is not None:
        scores = _hidden(shown, scores)
    weights = F.softmax(scores, axis=-1)
    result = weights @ value
    if query_mask is not None:
        result = F.where(query_mask[..., None].astype("bool"), result, 0.0)
    return (result, weights) if return_scores else result


def _causal(rows: int, columns: int) -> Tensor:
    return F.arange(columns) <= F.arange(rows)[:, None]


def _both(first: Tensor | None, second: Tensor) -> Tensor:
    return second if first is None else first & second


def attention(
    query: Tensor,
    value: Tensor,
    key: Tensor | None,
    scale: Tensor | None,
    score_weight: Tensor | None,
    query_mask: Tensor | None,
    value_mask: Tensor | None,
    *,
    use_scale: bool = False,
    score_mode: str = "dot",
    dropout: float = 0.0,
    use_causal_mask: bool = False,
    causal: bool = False,
    return_attention_scores: bool = False,
    seed: object = None,
) -> Results:
    key = value if key is None else key
    if score_mode == "concat":
        pairs = query[..., :, None, :] + key[..., None, :, :]
        pairs = pairs if scale is None else scale * pairs
        scores = F.sum(F.tanh(pairs), axis=-1)
        scores = scores if score_weight is None else score_weight * scores
    else:
        scores = query @ key.mT
        scores = scores if scale is None else scores * scale
    causal = causal or use_causal_mask
    return _weighted(scores, value, value_mask, query_mask, causal, return_attention_scores)


def _attention_weights(config: Config) -> list[Weight | None]:
    return [
        Weight(("scale",), ()) if config.get("use_scale") else None,
        Weight(("concat_score_weight",), ()) if config.get("score_mode") == "concat" else None,
    ]


def additive_attention(
    query: Tensor,
    value: Tensor,
    key: Tensor | None,
    scale: Tensor | None,
    query_mask: Tensor | None,
    value_mask: Tensor | None,
    *,
    use_scale: bool = True,
    dropout: float = 0.0,
    use_causal_mask: bool = False,
    causal: bool = False,
    return_attention_scores: bool = False,
    seed: object = None,
) -> Results:
    key = value if key is None else key
    pairs = F.tanh(query[..., :, None, :] + key[..., None, :, :])
    scores = F.sum(pairs if scale is None else scale * pairs, axis=-1)
    causal = causal or use_causal_mask
    return _weighted(scores, value, value_mask, query_mask, causal, return_attention_scores)


def _additive_weights(config: Config) -> list[Weight | None]:
    return [Weight(("scale",)) if config.get("use_scale", True) else None]


def _projected(x: Tensor, kernel: Tensor, bias: Tensor | None) -> Tensor:
    """Multiply the last axis with a kernel of shape (features, heads, size)."""
    features, *rest = kernel.shape
    product = (x @ kernel.reshape((features, math.prod(rest)))).reshape((*x.shape[:-1], *rest))
    return product if bias is None else product + bias


def _heads_first(x: Tensor, axes: Sequence[int]) -> Tensor:
    """Return shape (other axes, heads, positions of the attention axes, size)."""
    others = [at for at in range(x.ndim - 2) if at not in axes]
    moved = F.permute_dims(x, (*others, x.ndim - 2, *axes, x.ndim - 1))
    positions = math.prod(x.shape[at] for at in axes)
    return moved.reshape((*(x.shape[at] for at in others), x.shape[-2], positions, x.shape[-1]))


def multi_head_attention(
    query: Tensor,
    value: Tensor,
    key: Tensor | None,
    attention_mask: Tensor | None,
    query_kernel: Tensor,
    query_bias: Tensor | None,
    key_kernel: Tensor,
    key_bias: Tensor | None,
    value_kernel: Tensor,
    value_bias: Tensor | None,
    output_kernel: Tensor,
    output_bias: Tensor | None,
    query_mask: Tensor | None,
    value_mask: Tensor | None,
    key_mask: Tensor | None,
    *,
    num_heads: int,
    key_dim: int,
    value_dim: int | None = None,
    output_shape: object = None,
    attention_axes: int | Sequence[int] | None = None,
    dropout: float = 0.0,
    use_causal_mask: bool = False,
    return_attention_scores: bool = False,
    softmax_robust_masking: bool = False,
    flash_attention: object = None,
    use_gate: bool = False,
    seed: object = None,
    query_shape: object = None,
    key_shape: object = None,
    value_shape: object = None,
) -> Results:
    if use_gate:
        raise ValueError("use_gate; it must be False")
    if attention_axes is None:
        axes = tuple(range(1, query.ndim - 1))
    else:
        given = [attention_axes] if isinstance(attention_axes, int) else attention_axes
        axes = tuple(axis % query.ndim for axis in given)
    q = _projected(query, query_kernel, query_bias)
    k = _projected(value if key is None else key, key_kernel, key_bias)
    v = _projected(value, value_kernel, value_bias)
    shape = q.shape
    q, k, v = (_heads_first(part, axes) for part in (q, k, v))
    shown = None
    for mask, axis in ((query_mask, -1), (value_mask, -2), (key_mask, -2)):
        if mask is not None and not (mask is key_mask and key is None):
            shown = _both(shown, F.expand_dims(mask.astype("bool"), axis=axis))
    if use_causal_mask:
        shown = _both(shown, _causal(query.shape[1], value.shape[1]))
    if attention_mask is not None:
        shown = _both(shown, attention_mask.astype("bool"))
    scores = (q * (1 / math.sqrt(key_dim))) @ k.mT
    if shown is not None:
        if shown.ndim > 2:
            # One mask for all heads.
            shown = F.expand_dims(shown, axis=1)
        scores = _hidden(shown, scores)
    weights = F.softmax(scores, axis=-1)
    others = [at for at in range(len(shape) - 2) if at not in axes]
    split = (weights @ v).reshape(
        (*(shape[at] for at in others), shape[-2], *(shape[at] for at in axes), v.shape[-1])
    )
    order = [*others, len(shape) - 2, *axes]
    back = [order.index(at) for at in range(len(shape) - 1)]
    split = F.permute_dims(split, (*back, len(shape) - 1))
    flat = split.reshape((*split.shape[:-2], split.shape[-2] * split.shape[-1]))
    rest = output_kernel.shape[2:]
    result = (flat @ output_kernel.reshape((flat.shape[-1], math.prod(rest)))).reshape(
        (*flat.shape[:-1], *rest)
    )
    result = result if output_bias is None else result + output_bias
    return (result, weights) if return_attention_scores else result


def _multi_head_weights(config: Config) -> list[Weight | None]:
    heads, size = config["num_heads"], config["key_dim"]
    sizes = {"query": size, "key": size, "value": config.get("value_dim") or size}
    found: list[Weight | None] = []
    for inner, width in sizes.items():
        found.append(Weight(("kernel",), (None, heads, width), inner, f"{inner}_dense"))
        found.append(Weight(("bias",), (heads, width), inner, f"{inner}_dense"))
    output = ("attention_output", "output_dense")
    found += [Weight(("kernel",), None, *output), Weight(("bias",), None, *output)]
    if config.get("use_bias", True):
        return found
    return [weight if weight and weight.names == ("kernel",) else None for weight in found]


LAYERS = {
    "AdditiveAttention": LayerRow(
        additive_attention, _additive_weights, inputs=3, masks=2, mask="same"
    ),
    "Attention": LayerRow(attention, _attention_weights, inputs=3, masks=2, mask="same"),
    "MultiHeadAttention": LayerRow(
        multi_head_attention,
        _multi_head_weights,
        inputs=4,
        arguments={"query": 0, "value": 1, "key": 2, "attention_mask": 3},
        masks=3,
        mask="same",
    ),
}
