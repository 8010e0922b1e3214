"""Attention layers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from .... import functions as F
from ....functions.data_types import lowest_stored
from ....tensor import Tensor
from .shared import Config, LayerRow, MaskRule, Results, Weight


def _hidden(shown: Tensor, scores: Tensor) -> Tensor:
    """Replace hidden scores by a number so low that they have no weight, unless all are hidden."""
    return F.where(shown, scores, max(-1e9, lowest_stored(scores.dtype)))


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
    score_mode: str = "dot",
    use_causal_mask: bool = False,
    causal: bool = False,
    return_attention_scores: bool = False,
) -> Results:
    key = value if key is None else key
    if score_mode in ("concat", "additive"):
        pairs = query[..., :, None, :] + key[..., None, :, :]
        pairs = F.tanh(pairs if scale is None else scale * pairs)
        if score_mode == "additive" and score_weight is not None:
            # A weight for each feature.
            pairs, score_weight = score_weight * pairs, None
        scores = F.sum(pairs, axis=-1)
        scores = scores if score_weight is None else score_weight * scores
    else:
        scores = query @ key.mT
        scores = scores if scale is None else scores * scale
    shown = None if value_mask is None else value_mask[..., None, :].astype("bool")
    if causal or use_causal_mask:
        shown = _both(shown, _causal(scores.shape[-2], scores.shape[-1]))
    if shown is not None:
        scores = _hidden(shown, scores)
    weights = F.softmax(scores, axis=-1)
    result = weights @ value
    if query_mask is not None:
        result = F.where(query_mask[..., None].astype("bool"), result, 0.0)
    return (result, weights) if return_attention_scores else result


def _attention_weights(config: Config) -> list[Weight | None]:
    return [
        Weight(("scale",), ()) if config.get("use_scale") else None,
        Weight(("concat_score_weight",), ()) if config.get("score_mode") == "concat" else None,
    ]


def _additive_weights(config: Config) -> list[Weight | None]:
    return [None, Weight(("scale",)) if config.get("use_scale", True) else None]


def _projected(x: Tensor, kernel: Tensor, bias: Tensor | None) -> Tensor:
    """Multiply the last axis with a kernel of shape (features, heads, size)."""
    features, *rest = kernel.shape
    product = (x @ kernel.reshape((features, math.prod(rest)))).reshape((*x.shape[:-1], *rest))
    return product if bias is None else product + bias


class _Heads:
    """Order of the axes of tensors of shape (batch and other axes, heads, size)."""

    def __init__(self, ndim: int, attended: int | Sequence[int] | None) -> None:
        rank = ndim + 1
        if attended is None:
            axes: Sequence[int] = range(1, ndim - 1)
        else:
            axes = [attended] if isinstance(attended, int) else attended
        self.axes = [axis % ndim for axis in axes]
        self.rest = [axis for axis in range(rank - 2) if axis not in self.axes]
        self.order = [*self.rest, rank - 2, *self.axes, rank - 1]

    def split(self, x: Tensor) -> Tensor:
        """Return shape (other axes, heads, positions of the attention axes, size)."""
        lead = len(self.rest) + 1
        moved = F.permute_dims(x, self.order)
        return moved.reshape((*moved.shape[:lead], math.prod(moved.shape[lead:-1]), x.shape[-1]))

    def joined(self, x: Tensor, shape: tuple[int, ...]) -> Tensor:
        """Return the axes of queries of this shape, and the values of all heads along the last."""
        moved = x.reshape((*(shape[axis] for axis in self.order[:-1]), x.shape[-1]))
        back = F.permute_dims(moved, [self.order.index(axis) for axis in range(len(self.order))])
        return back.reshape((*back.shape[:-2], math.prod(back.shape[-2:])))


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
    *masks: Tensor | None,
    key_dim: int,
    attention_axes: int | Sequence[int] | None = None,
    use_causal_mask: bool = False,
    return_attention_scores: bool = False,
    use_gate: bool = False,
) -> Results:
    if use_gate:
        raise ValueError("use_gate; it must be False")
    heads = _Heads(query.ndim, attention_axes)
    projected = _projected(query, query_kernel, query_bias)
    q = heads.split(projected)
    k = heads.split(_projected(value if key is None else key, key_kernel, key_bias))
    v = heads.split(_projected(value, value_kernel, value_bias))
    query_mask, value_mask, key_mask = masks
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
        # One mask for all heads.
        scores = _hidden(F.expand_dims(shown, axis=1) if shown.ndim > 2 else shown, scores)
    weights = F.softmax(scores, axis=-1)
    joined = heads.joined(weights @ v, projected.shape)
    merged = output_kernel.reshape((joined.shape[-1], *output_kernel.shape[2:]))
    result = _projected(joined, merged, output_bias)
    return (result, weights) if return_attention_scores else result


def _multi_head_weights(config: Config) -> list[Weight | None]:
    heads, size = config["num_heads"], config["key_dim"]
    sizes = {"query": size, "key": size, "value": config.get("value_dim") or size}
    weights: list[Weight | None] = []
    for inner, width in sizes.items():
        weights.append(Weight(("kernel",), (None, heads, width), inner, f"{inner}_dense"))
        weights.append(Weight(("bias",), (heads, width), inner, f"{inner}_dense"))
    output = ("attention_output", "output_dense")
    weights += [Weight(("kernel",), None, *output), Weight(("bias",), None, *output)]
    if config.get("use_bias", True):
        return weights
    return [weight if weight and weight.names == ("kernel",) else None for weight in weights]


_IGNORED = "use_scale dropout seed"
LAYERS = {
    "AdditiveAttention": LayerRow(
        partial(attention, score_mode="additive"),
        _additive_weights,
        inputs=3,
        masks=2,
        ignored=_IGNORED,
        mask=MaskRule.SAME,
    ),
    "Attention": LayerRow(
        attention, _attention_weights, inputs=3, masks=2, ignored=_IGNORED, mask=MaskRule.SAME
    ),
    "MultiHeadAttention": LayerRow(
        multi_head_attention,
        _multi_head_weights,
        inputs=4,
        arguments={"query": 0, "value": 1, "key": 2, "attention_mask": 3},
        masks=3,
        ignored="""
            num_heads value_dim output_shape dropout softmax_robust_masking flash_attention seed
            query_shape key_shape value_shape""",
        mask=MaskRule.SAME,
    ),
}
