"""Attention and transformers."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

from ... import functions as V, nn
from ..methods import full, zeros
from ..tensor import Parameter, call
from . import functional as F, init
from .layers import Dropout, LayerNorm, Linear
from .module import Module, ModuleList


def _projected(x: Any, weight: Any, bias: Any, heads: int) -> Any:
    """Return (batch, heads, length, features of a head) of (batch, length, features)."""
    y = V.matmul(x, weight.T)
    y = y if bias is None else y + bias
    return V.permute_dims(y.reshape((*y.shape[:2], heads, -1)), (0, 2, 1, 3))


def _attention(
    query: Any, key: Any, value: Any, weights: Any, bias: Any, out: Any, out_bias: Any,
    mask: Any, padded: Any, heads: int, rate: float, needs_weights: bool,
) -> tuple[Any, Any]:  # fmt: skip
    size = query.shape[-1]
    if not isinstance(weights, list):
        weights = [weights[at * size : (at + 1) * size] for at in range(3)]
    biases = [None if bias is None else bias[at * size : (at + 1) * size] for at in range(3)]
    q, k, v = (
        _projected(x, w, b, heads)
        for x, w, b in zip((query, key, value), weights, biases, strict=True)
    )
    if mask is not None:
        # True hides a position here, and shows one in other functions.
        mask = V.where(mask, -math.inf, 0.0) if mask.dtype.kind == "b" else mask
        mask = mask.reshape((-1, heads, *mask.shape[1:])) if mask.ndim == 3 else mask
    if padded is not None:
        padded = V.where(padded, -math.inf, 0.0) if padded.dtype.kind == "b" else padded
        padded = padded[:, None, None, :]
        mask = padded if mask is None else mask + padded
    if rate or needs_weights:
        result, shares = F.attended(q, k, v, mask, rate, False, None)
        shares = V.mean(shares, axis=1)
    else:
        result, shares = nn.scaled_dot_product_attention(q, k, v, mask=mask), None
    joined = V.permute_dims(result, (0, 2, 1, 3)).reshape(query.shape)
    joined = V.matmul(joined, out.T)
    return (joined if out_bias is None else joined + out_bias), shares


class MultiheadAttention(Module):
    """Attend with several heads; sequences have shape (length, batch, features)."""

    in_proj_weight: Any
    in_proj_bias: Any

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True,
        add_bias_kv: bool = False, add_zero_attn: bool = False, kdim: int | None = None,
        vdim: int | None = None, batch_first: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.batch_first = batch_first
        self.same = kdim in (None, embed_dim) and vdim in (None, embed_dim)
        sizes = (embed_dim, kdim or embed_dim, vdim or embed_dim)
        for name, size in zip("qkv", sizes, strict=True):
            own = None if self.same else Parameter(zeros(embed_dim, size))
            self.register_parameter(f"{name}_proj_weight", own)
        joint = Parameter(zeros(3 * embed_dim, embed_dim)) if self.same else None
        self.register_parameter("in_proj_weight", joint)
        self.register_parameter("in_proj_bias", Parameter(zeros(3 * embed_dim)) if bias else None)
        self.out_proj = Linear(embed_dim, embed_dim, bias)
        for weight in self.parameters(recurse=False):
            if weight.dim() > 1:
                init.xavier_uniform_(weight)
        if bias:
            init.zeros_(self.out_proj.bias)

    def forward(
        self, query: Any, key: Any, value: Any, key_padding_mask: Any = None,
        need_weights: bool = True, attn_mask: Any = None, average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Any, Any]:  # fmt: skip
        if not self.batch_first:
            query, key, value = (x.transpose(0, 1) for x in (query, key, value))
        weights = self.in_proj_weight
        if not self.same:
            weights = [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        rate = self.dropout if self.training else 0.0
        result, shares = call(
            _attention, query, key, value, weights, self.in_proj_bias, self.out_proj.weight,
            self.out_proj.bias, attn_mask, key_padding_mask, self.num_heads, rate, need_weights,
        )  # fmt: skip
        return (result if self.batch_first else result.transpose(0, 1)), shares


class _Layer(Module):
    """Branches of a layer, each of which is added to its input and normalized."""

    cross = False

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: str | Callable[..., Any] = "relu", layer_norm_eps: float = 1e-5,
        batch_first: bool = False, norm_first: bool = False, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        own: dict[str, Any] = {"dropout": dropout, "bias": bias, "batch_first": batch_first}
        self.self_attn = MultiheadAttention(d_model, nhead, **own)
        if self.cross:
            self.multihead_attn = MultiheadAttention(d_model, nhead, **own)
        self.linear1 = Linear(d_model, dim_feedforward, bias)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias)
        self.norm_first = norm_first
        for at in range(1, 4 if self.cross else 3):
            setattr(self, f"norm{at}", LayerNorm(d_model, layer_norm_eps, bias=bias))
            setattr(self, f"dropout{at}", Dropout(dropout))
        self.activation = getattr(F, activation) if isinstance(activation, str) else activation

    def _added(self, at: int, x: Any, function: Callable[[Any], Any]) -> Any:
        """Add a normalized branch."""
        norm, drop = getattr(self, f"norm{at}"), getattr(self, f"dropout{at}")
        if self.norm_first:
            return x + drop(function(norm(x)))
        return norm(x + drop(function(x)))

    def _feed(self, x: Any) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feedforward network."""

    def forward(
        self,
        src: Any,
        src_mask: Any = None,
        src_key_padding_mask: Any = None,
        is_causal: bool = False,
    ) -> Any:
        def attend(x: Any) -> Any:
            return self.self_attn(x, x, x, src_key_padding_mask, False, src_mask)[0]

        return self._added(2, self._added(1, src, attend), self._feed)


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to the encoder's result, and a feedforward network."""

    cross = True

    def forward(
        self, tgt: Any, memory: Any = None, tgt_mask: Any = None, memory_mask: Any = None,
        tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None, **kwargs: Any,
    ) -> Any:  # fmt: skip
        def attend(x: Any) -> Any:
            return self.self_attn(x, x, x, tgt_key_padding_mask, False, tgt_mask)[0]

        def look(x: Any) -> Any:
            padded = memory_key_padding_mask
            return self.multihead_attn(x, memory, memory, padded, False, memory_mask)[0]

        x = self._added(1, tgt, attend)
        return self._added(3, self._added(2, x, look), self._feed)


class _Stack(Module):
    """Layers one after another, and a normalization or None."""

    def __init__(
        self, layer: Module, num_layers: int, norm: Module | None = None, **kwargs: Any
    ) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm


class TransformerEncoder(_Stack):
    """Layers one after another."""

    def forward(
        self, src: Any, mask: Any = None, src_key_padding_mask: Any = None, is_causal: Any = None
    ) -> Any:
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(_Stack):
    """Layers one after another, each with the encoder's result."""

    def forward(self, tgt: Any, *args: Any, **kwargs: Any) -> Any:
        for layer in self.layers:
            tgt = layer(tgt, *args, **kwargs)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """Encoder and decoder."""

    def __init__(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6,
        num_decoder_layers: int = 6, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Any = "relu", layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        own = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps)
        more = (batch_first, norm_first, bias)
        norms = [LayerNorm(d_model, layer_norm_eps, bias=bias) for _ in range(2)]
        encoder = TransformerEncoderLayer(*own, *more)
        self.encoder = TransformerEncoder(encoder, num_encoder_layers, norms[0])
        decoder = TransformerDecoderLayer(*own, *more)
        self.decoder = TransformerDecoder(decoder, num_decoder_layers, norms[1])
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)

    def forward(
        self, src: Any, tgt: Any, src_mask: Any = None, tgt_mask: Any = None,
        memory_mask: Any = None,
        src_key_padding_mask: Any = None, tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None, **kwargs: Any,
    ) -> Any:  # fmt: skip
        memory = self.encoder(src, src_mask, src_key_padding_mask)
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        return self.decoder(tgt, memory, *masks)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, **kwargs: Any) -> Any:
        """Return a mask that hides later positions."""
        return full((sz, sz), -math.inf).triu(1)
