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
from .layers import CLASSES, Layer, LayerNorm, Linear
from .module import Module, ModuleList


def _added(*masks: Any) -> Any:
    """Return the sum of masks, in which True hides a position; None if there are none."""
    floats = [
        V.where(mask, -math.inf, 0.0) if mask.dtype.kind == "b" else mask
        for mask in masks
        if mask is not None
    ]
    return sum(floats[1:], floats[0]) if floats else None


def _attention(
    query: Any, key: Any, value: Any, weights: Any, bias: Any, out: Any, out_bias: Any,
    mask: Any, padded: Any, heads: int, rate: float, needs_weights: bool,
) -> tuple[Any, Any]:  # fmt: skip
    size = query.shape[-1]

    def projected(at: int, x: Any) -> Any:
        """Return (batch, heads, length, features of a head) of (batch, length, features)."""
        rows = slice(at * size, (at + 1) * size)
        y = F.affine(x, weights[rows], None if bias is None else bias[rows])
        return V.permute_dims(y.reshape((*y.shape[:2], heads, -1)), (0, 2, 1, 3))

    q, k, v = (projected(*pair) for pair in enumerate((query, key, value)))
    if mask is not None and mask.ndim == 3:
        mask = mask.reshape((-1, heads, *mask.shape[1:]))
    padded = None if padded is None else padded[:, None, None, :]
    own: dict[str, Any] = {"mask": _added(mask, padded), "dropout": rate}
    shares = None
    if needs_weights:
        shares = nn.scaled_dot_product_attention(q, k, V.eye(k.shape[-2], dtype=k.dtype), **own)
        result = V.matmul(shares, v)
        shares = V.mean(shares, axis=1)
    else:
        result = nn.scaled_dot_product_attention(q, k, v, **own)
    joined = V.permute_dims(result, (0, 2, 1, 3)).reshape(query.shape)
    return F.affine(joined, out, out_bias), shares


class MultiheadAttention(Layer):
    """Attend with several heads; sequences have shape (length, batch, features)."""

    in_proj_bias: Any

    def build(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True,
        add_bias_kv: bool = False, add_zero_attn: bool = False, kdim: int | None = None,
        vdim: int | None = None, batch_first: bool = False,
    ) -> None:  # fmt: skip
        """Draw the parameters."""
        if kdim not in (None, embed_dim) or vdim not in (None, embed_dim) or add_bias_kv:
            raise ValueError(
                "MultiheadAttention: keys and values must have embed_dim features and no bias of "
                f"their own; got kdim={kdim}, vdim={vdim}, add_bias_kv={add_bias_kv}; project them "
                "first, with torch.nn.Linear"
            )
        self.in_proj_weight = Parameter(zeros(3 * embed_dim, embed_dim))
        init.xavier_uniform_(self.in_proj_weight)
        self.register_parameter("in_proj_bias", Parameter(zeros(3 * embed_dim)) if bias else None)
        self.out_proj = Linear(embed_dim, embed_dim, bias)
        if bias:
            init.zeros_(self.out_proj.bias)

    def forward(
        self, query: Any, key: Any, value: Any, key_padding_mask: Any = None,
        need_weights: bool = True, attn_mask: Any = None, average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Any, Any]:  # fmt: skip
        if not self.batch_first:
            query, key, value = (x.transpose(0, 1) for x in (query, key, value))
        result, shares = call(
            _attention, query, key, value, self.in_proj_weight, self.in_proj_bias,
            self.out_proj.weight, self.out_proj.bias, attn_mask, key_padding_mask, self.num_heads,
            self.dropout if self.training else 0.0, need_weights,
        )  # fmt: skip
        return (result if self.batch_first else result.transpose(0, 1)), shares


class _TransformerLayer(Layer):
    """Branches, which are added to their input and normalized."""

    branches = 2

    def build(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: str | Callable[..., Any] = "relu", layer_norm_eps: float = 1e-5,
        batch_first: bool = False, norm_first: bool = False, bias: bool = True,
    ) -> None:  # fmt: skip
        """Create the layers."""
        own: dict[str, Any] = {"dropout": dropout, "bias": bias, "batch_first": batch_first}
        self.self_attn = MultiheadAttention(d_model, nhead, **own)
        if self.branches > 2:
            self.multihead_attn = MultiheadAttention(d_model, nhead, **own)
        self.linear1 = Linear(d_model, dim_feedforward, bias)
        self.linear2 = Linear(dim_feedforward, d_model, bias)
        vars(self).pop("dropout")
        self.dropout = CLASSES["Dropout"](dropout)
        for at in range(1, self.branches + 1):
            setattr(self, f"norm{at}", LayerNorm(d_model, layer_norm_eps, bias=bias))
            setattr(self, f"dropout{at}", CLASSES["Dropout"](dropout))
        self.activation = getattr(F, activation) if isinstance(activation, str) else activation

    def _added(self, at: int, x: Any, function: Callable[[Any], Any]) -> Any:
        """Add a normalized branch."""
        norm, drop = getattr(self, f"norm{at}"), getattr(self, f"dropout{at}")
        if self.norm_first:
            return x + drop(function(norm(x)))
        return norm(x + drop(function(x)))

    def _attended(self, x: Any, padded: Any, mask: Any) -> Any:
        return self._added(1, x, lambda y: self.self_attn(y, y, y, padded, False, mask)[0])

    def _fed(self, x: Any) -> Any:
        def feed(y: Any) -> Any:
            return self.linear2(self.dropout(self.activation(self.linear1(y))))

        return self._added(self.branches, x, feed)


class TransformerEncoderLayer(_TransformerLayer):
    """Self-attention and a feedforward network."""

    def forward(
        self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None, **kwargs: Any
    ) -> Any:
        return self._fed(self._attended(src, src_key_padding_mask, src_mask))


class TransformerDecoderLayer(_TransformerLayer):
    """Self-attention, attention to the encoder's result, and a feedforward network."""

    branches = 3

    def forward(
        self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None,
        tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None, **kwargs: Any,
    ) -> Any:  # fmt: skip
        def look(y: Any) -> Any:
            padded = memory_key_padding_mask
            return self.multihead_attn(y, memory, memory, padded, False, memory_mask)[0]

        x = self._attended(tgt, tgt_key_padding_mask, tgt_mask)
        return self._fed(self._added(2, x, look))


class _Stack(Layer):
    """Layers one after another, and a normalization or None."""

    def build(
        self, layer: Module, num_layers: int, norm: Module | None = None,
        enable_nested_tensor: bool = True,
    ) -> None:  # fmt: skip
        """Copy the layer."""
        del self._modules["layer"]
        self.layers = ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])

    def _applied(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        for layer in self.layers:
            x = layer(x, *args, **kwargs)
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(_Stack):
    """Layers one after another, and a normalization or None."""

    def forward(
        self, src: Any, mask: Any = None, src_key_padding_mask: Any = None, **kwargs: Any
    ) -> Any:
        return self._applied(src, mask, src_key_padding_mask)


class TransformerDecoder(_Stack):
    """Layers one after another, each with the encoder's result, and a normalization or None."""

    forward = _Stack._applied


class Transformer(Layer):
    """Encoder and decoder."""

    def build(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6,
        num_decoder_layers: int = 6, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Any = "relu", layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True,
    ) -> None:  # fmt: skip
        """Create the layers."""
        own: Any = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps)
        own += (batch_first, norm_first, bias)
        norms = [LayerNorm(d_model, layer_norm_eps, bias=bias) for _ in range(2)]
        encoder, decoder = TransformerEncoderLayer(*own), TransformerDecoderLayer(*own)
        self.encoder = TransformerEncoder(encoder, num_encoder_layers, norms[0])
        self.decoder = TransformerDecoder(decoder, num_decoder_layers, norms[1])
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
