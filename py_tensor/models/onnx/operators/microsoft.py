"""Operators that ONNX Runtime adds to exported models, of the domain com.microsoft.

Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .... import functions as F, linalg, nn
from ....tensor import Tensor
from ... import layouts
from .attention import attention as attend, rotary_embedding
from .elementwise import gelu
from .images import (
    Windows,
    average_pool,
    conv,
    convolution,
    global_average_pool,
    of_images,
)
from .linear_algebra import gemm, weight_order
from .movement import triangle
from .quantization import (
    dequantize,
    dynamic_quantize,
    matmul_integer,
    quantize,
    quantized,
)
from .shared import ACTIVATIONS, Ints, Operator, unsupported


def bias_gelu(x: Tensor, bias: Tensor) -> Tensor:
    return gelu(x + bias)


def fast_gelu(x: Tensor, bias: Tensor | None = None) -> Tensor:
    return nn.gelu(x if bias is None else x + bias, approximate=True)


def quick_gelu(x: Tensor, *, alpha: float = 1.702) -> Tensor:
    return x * F.sigmoid(alpha * x)


_FUSED = {
    "HardSigmoid": ("alpha", "beta"),
    "HardSwish": (),
    "LeakyRelu": ("alpha",),
    "Relu": (),
    "Sigmoid": (),
    "Tanh": (),
}
"""Activations that other operators contain, with the names of their parameters."""


def activated(y: Tensor, activation: str, numbers: list[float]) -> Tensor:
    """Apply the activation that an operator is fused with."""
    if not activation:
        return y
    if activation == "Clip":
        return F.clip(y, numbers[0], numbers[1])
    if activation not in _FUSED:
        raise unsupported(f"activation {activation}")
    return ACTIVATIONS[activation](y, **dict(zip(_FUSED[activation], numbers, strict=False)))


def fused_conv(
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    z: Tensor | None = None,
    *,
    activation: str = "",
    activation_params: list[float] | None = None,
    **options: Any,
) -> Tensor:
    y = conv(x, w, b, **options)
    y = y if z is None else y + F.moveaxis(z, 1, -1)
    return activated(y, activation, activation_params or [])


def fused_gemm(
    a: Tensor,
    b: Tensor,
    c: Tensor | None = None,
    *,
    activation: str = "",
    activation_alpha: float = 0.01,
    activation_beta: float = 0.0,
    **options: Any,
) -> Tensor:
    numbers = [activation_alpha, activation_beta]
    return activated(gemm(a, b, c, **options), activation, numbers)


def fused_matmul(
    a: Tensor,
    b: Tensor,
    *,
    alpha: float = 1.0,
    transA: int = 0,
    transB: int = 0,
    transBatchA: int = 0,
    transBatchB: int = 0,
) -> Tensor:
    a = F.moveaxis(a, 0, -2) if transBatchA else a
    b = F.moveaxis(b, 0, -2) if transBatchB else b
    y = (a.mT if transA else a) @ (b.mT if transB else b)
    return y if alpha == 1 else y * alpha


def skip_layer_normalization(
    x: Tensor,
    skip: Tensor,
    scale: Tensor,
    offset: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    epsilon: float = 1e-12,
) -> tuple[Tensor, ...]:
    total = x + skip if bias is None else x + skip + bias
    y = nn.layer_norm(total, scale=scale, offset=offset, axis=-1, epsilon=epsilon)
    mean, variance = nn.moments(total, axis=-1, keepdims=True)
    return y, mean, F.rsqrt(variance + epsilon), total


def simplified_layer_normalization(
    x: Tensor, scale: Tensor, *, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> tuple[Tensor, Tensor]:
    axes = tuple(range(axis % x.ndim, x.ndim))
    squares = F.mean(F.square(x), axis=axes, keepdims=True)
    return nn.rms_norm(x, scale=scale, axis=axes, epsilon=epsilon), F.rsqrt(squares + epsilon)


def skip_simplified_layer_normalization(
    x: Tensor, skip: Tensor, scale: Tensor, bias: Tensor | None = None, *, epsilon: float = 1e-12
) -> tuple[Tensor, ...]:
    total = x + skip if bias is None else x + skip + bias
    y, factor = simplified_layer_normalization(total, scale, epsilon=epsilon)
    return y, F.zeros_like(factor), factor, total


def embed_layer_normalization(
    words: Tensor,
    segments: Tensor | None,
    word_table: Tensor,
    position_table: Tensor,
    segment_table: Tensor | None = None,
    scale: Tensor | None = None,
    offset: Tensor | None = None,
    mask: Tensor | None = None,
    positions: Tensor | None = None,
    *,
    epsilon: float = 1e-12,
    mask_index_type: int = 0,
) -> tuple[Tensor, ...]:
    total = F.take(word_table, words, axis=0)
    if positions is None:
        total = total + position_table[: words.shape[1]]
    else:
        total = total + F.take(position_table, positions, axis=0)
    if segments is not None and segment_table is not None:
        total = total + F.take(segment_table, segments, axis=0)
    y = nn.layer_norm(total, scale=scale, offset=offset, axis=-1, epsilon=epsilon)
    if mask is None:
        return y, F.zeros((words.shape[0],), dtype="int32"), total
    return y, F.sum(mask, axis=1), total


def _key_mask(mask: Tensor | None, keys: int) -> Tensor | None:
    """Return which keys may be seen, (batch, 1, 1 or queries, keys), from a mask of numbers."""
    if mask is None:
        return None
    if mask.ndim == 1:
        return F.arange(keys) < mask.reshape((-1, 1, 1, 1))
    if mask.ndim == 2:
        return mask[:, None, None, :] > 0
    if mask.ndim == 3:
        return mask[:, None, :, :] > 0
    raise unsupported(f"a mask with {mask.ndim} axes")


def _joined(visible: Tensor | None, bias: Tensor | None) -> Tensor | None:
    if visible is None or bias is None:
        return bias if visible is None else visible
    return F.where(visible, bias, -math.inf)


def self_attention(
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    mask: Tensor | None = None,
    past: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    num_heads: int,
    mask_filter_value: float = -10000.0,
    qkv_hidden_sizes: Ints | None = None,
    scale: float = 0.0,
    unidirectional: int = 0,
) -> tuple[Tensor, ...]:
    both = x @ w if b is None else x @ w + b
    sizes = qkv_hidden_sizes or [w.shape[-1] // 3] * 3
    first, second = sizes[0], sizes[0] + sizes[1]
    q, k, v = both[..., :first], both[..., first:second], both[..., second:]
    past_key, past_value = (None, None) if past is None else (past[0], past[1])
    y, k, v = _attended(
        (q, k, v), (mask, bias), (past_key, past_value), num_heads, unidirectional, scale
    )
    return y, F.stack([k, v])


def multi_head_attention(
    q: Tensor,
    k: Tensor | None = None,
    v: Tensor | None = None,
    b: Tensor | None = None,
    key_mask: Tensor | None = None,
    bias: Tensor | None = None,
    past_key: Tensor | None = None,
    past_value: Tensor | None = None,
    *,
    num_heads: int,
    mask_filter_value: float = -10000.0,
    scale: float = 0.0,
    unidirectional: int = 0,
) -> tuple[Tensor, ...]:
    if k is None or v is None or k.ndim != 3 or v.ndim != 3:
        raise unsupported("MultiHeadAttention with packed keys and values")
    if b is not None:
        first, second = q.shape[-1], q.shape[-1] + k.shape[-1]
        q, k, v = q + b[:first], k + b[first:second], v + b[second:]
    return _attended(
        (q, k, v), (key_mask, bias), (past_key, past_value), num_heads, unidirectional, scale
    )


def _attended(
    operands: tuple[Tensor, Tensor, Tensor],
    masks: tuple[Tensor | None, Tensor | None],
    past: tuple[Tensor | None, Tensor | None],
    num_heads: int,
    unidirectional: int,
    scale: float,
) -> tuple[Tensor, ...]:
    """Return the result of attention over heads, and all keys and values.

    `masks` are the mask of the keys and a bias of the scores.
    """
    keys = operands[1].shape[1] + (0 if past[0] is None else past[0].shape[2])
    y, k, v, _ = attend(
        *operands,
        _joined(_key_mask(masks[0], keys), masks[1]),
        *past,
        is_causal=unidirectional,
        q_num_heads=num_heads,
        kv_num_heads=num_heads,
        scale=scale or None,
    )
    return y, k, v


def rotary(
    x: Tensor,
    positions: Tensor,
    cosines: Tensor,
    sines: Tensor,
    *,
    interleaved: int = 0,
    is_packed_batching: int = 0,
    num_heads: int = 0,
    rotary_embedding_dim: int = 0,
    scale: float = 1.0,
) -> Tensor:
    if positions.size == 1 and positions.ndim == 1:
        positions = positions + F.arange(x.shape[-2]).reshape((1, -1))
    count = num_heads or x.shape[-1] // (rotary_embedding_dim or 2 * cosines.shape[-1])
    return rotary_embedding(
        x,
        cosines,
        sines,
        F.broadcast_to(positions, (x.shape[0], positions.shape[1])),
        interleaved=interleaved,
        num_heads=count,
        rotary_embedding_dim=rotary_embedding_dim,
    )


def binary(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return an operator of two quantized inputs."""

    def run(
        a: Tensor,
        a_scale: Tensor,
        a_zero: Tensor | None,
        b: Tensor,
        b_scale: Tensor,
        b_zero: Tensor | None,
        y_scale: Tensor,
        y_zero: Tensor | None = None,
    ) -> Tensor:
        y = function(dequantize(a, a_scale, a_zero), dequantize(b, b_scale, b_zero))
        return _quantized(y, y_scale, y_zero, a)

    return run


def unary(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return an operator of one quantized input."""

    def run(
        x: Tensor,
        x_scale: Tensor,
        x_zero: Tensor | None,
        y_scale: Tensor,
        y_zero: Tensor | None = None,
        **options: Any,
    ) -> Tensor:
        return _quantized(function(dequantize(x, x_scale, x_zero), **options), y_scale, y_zero, x)

    return run


def _quantized(y: Tensor, scale: Tensor, zero: Tensor | None, like: Tensor) -> Tensor:
    return quantize(y, scale, F.zeros((), dtype=like.dtype) if zero is None else zero)


def _channels_first(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return a pooling operator with the option `channels_last`."""

    def run(x: Tensor, *, channels_last: int = 0, **options: Any) -> Tensor:
        if channels_last:
            raise unsupported("pooling with the channels last")
        return function(x, **options)

    return run


def _softmax(x: Tensor, *, axis: int = -1, opset: int = 13) -> Tensor:
    return F.softmax(x, axis=axis)


def concat(scale: Tensor, zero: Tensor, *xs: Tensor, axis: int) -> Tensor:
    values = [dequantize(*xs[at : at + 3]) for at in range(0, len(xs), 3)]
    return quantize(F.concat(values, axis=axis), scale, zero)


def dynamic_quantize_matmul(
    a: Tensor, b: Tensor, b_scale: Tensor, b_zero: Tensor | None = None, bias: Tensor | None = None
) -> Tensor:
    x, scale, zero = dynamic_quantize(a)
    return matmul_integer_to_float(x, b, scale, b_scale, zero, b_zero, bias)


def matmul_integer_to_float(
    a: Tensor,
    b: Tensor,
    a_scale: Tensor,
    b_scale: Tensor,
    a_zero: Tensor | None = None,
    b_zero: Tensor | None = None,
    bias: Tensor | None = None,
) -> Tensor:
    y = matmul_integer(a, b, a_zero, b_zero).astype("float32") * (a_scale * b_scale)
    return y if bias is None else y + bias


def matmul_n_bits(
    a: Tensor,
    b: Tensor,
    scales: Tensor,
    zeros: Tensor | None = None,
    order: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    K: int,
    N: int,
    bits: int = 4,
    block_size: int,
    accuracy_level: int = 0,
) -> Tensor:
    """Multiply by weights of 4 or 8 bits in blocks: (outputs, blocks, bytes)."""
    if bits not in (4, 8) or order is not None or (zeros is not None and zeros.dtype.kind == "f"):
        raise unsupported(f"MatMulNBits with {bits} bits, an order, or floating zero points")
    blocks = math.ceil(K / block_size)
    weights = _unpacked(b.reshape((N, blocks, -1)), bits)
    if zeros is None:
        zero: Any = 1 << (bits - 1)
    else:
        packed = zeros.reshape((N, -1))
        zero = _unpacked(packed, bits)[:, :blocks].reshape((N, blocks, 1))
    weights = (weights - zero).astype(a.dtype) * scales.reshape((N, blocks, 1))
    y: Tensor = a @ weights.reshape((N, -1))[:, :K].mT
    return y if bias is None else y + bias


def _unpacked(packed: Tensor, bits: int) -> Tensor:
    """Return the integers of bytes along the last axis; the lower half of a byte comes first."""
    wide = packed.astype("int32")
    if bits == 8:
        return wide
    both = F.stack([wide % 16, wide // 16], axis=-1)
    return both.reshape((*wide.shape[:-1], 2 * wide.shape[-1]))


def _elementwise(function: Callable[..., Any]) -> Operator:
    return Operator(function, layout=layouts.elementwise, folds=True)


OPERATORS = {
    "SimplifiedLayerNormalization": Operator(simplified_layer_normalization),
    **{
        f"com.microsoft.{name}": operator
        for name, operator in {
            "Attention": Operator(self_attention),
            "BiasGelu": _elementwise(bias_gelu),
            "DequantizeLinear": Operator(dequantize, layout=quantized, folds=True),
            "DynamicQuantizeMatMul": Operator(dynamic_quantize_matmul),
            "EmbedLayerNormalization": Operator(embed_layer_normalization),
            "FastGelu": _elementwise(fast_gelu),
            "FusedConv": convolution(fused_conv),
            "FusedGemm": Operator(fused_gemm, orders={"b": weight_order}),
            "FusedMatMul": Operator(fused_matmul),
            "Gelu": _elementwise(gelu),
            "Inverse": Operator(linalg.inv),
            "MatMulIntegerToFloat": Operator(matmul_integer_to_float),
            "MatMulNBits": Operator(matmul_n_bits),
            "MultiHeadAttention": Operator(multi_head_attention),
            "QLinearAdd": _elementwise(binary(F.add)),
            "QLinearAveragePool": of_images(unary(_channels_first(average_pool)), options=Windows),
            "QLinearConcat": Operator(concat),
            "QLinearGlobalAveragePool": of_images(unary(_channels_first(global_average_pool))),
            "QLinearLeakyRelu": _elementwise(unary(ACTIVATIONS["LeakyRelu"])),
            "QLinearMul": _elementwise(binary(F.multiply)),
            "QLinearSigmoid": _elementwise(unary(F.sigmoid)),
            "QLinearSoftmax": Operator(unary(_softmax)),
            "QuantizeLinear": Operator(quantize, layout=quantized, folds=True),
            "QuickGelu": _elementwise(quick_gelu),
            "RotaryEmbedding": Operator(rotary),
            "SkipLayerNormalization": Operator(skip_layer_normalization),
            "SkipSimplifiedLayerNormalization": Operator(skip_simplified_layer_normalization),
            "Trilu": Operator(triangle, host=("k",)),
        }.items()
    },
}
