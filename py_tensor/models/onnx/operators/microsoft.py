"""Operators that ONNX Runtime adds to exported models, of the domain com.microsoft.

Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .... import fft, functions as F, linalg, nn
from ....functions.arguments import one_axis
from ....tensor import Tensor
from ... import layouts
from ...layouts import Permuted
from .attention import rotary_embedding
from .elementwise import gelu
from .images import (
    KERNEL,
    Windows,
    average_pool,
    conv,
    convolution,
    global_average_pool,
    kernel_order,
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
from .shared import ACTIVATIONS, Operator
from .signals import parts


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
    """Return a pooling operator with the option `channels_last`, which is 0."""

    def run(x: Tensor, *, channels_last: int = 0, **options: Any) -> Tensor:
        return function(x, **options)

    return run


def _softmax(x: Tensor, *, axis: int = -1, opset: int = 13) -> Tensor:
    return F.softmax(x, axis=axis)


def concat(scale: Tensor, zero: Tensor, *xs: Tensor, axis: int) -> Tensor:
    values = [dequantize(*xs[at : at + 3]) for at in range(0, len(xs), 3)]
    return quantize(F.concat(values, axis=axis), scale, zero)


def _concat_layout(
    function: Callable[..., Tensor], arguments: list[Any], options: dict[str, Any]
) -> Any:
    """Concatenate in the order of the first permuted value; every third argument is a value."""
    scale, zero, *parts = arguments
    orders = [x.order for x in parts[::3] if isinstance(x, Permuted)]
    if not orders:
        return None
    order = orders[0]
    spread = [
        layouts.arranged(x, order) if at % 3 == 0 else layouts.plain(x)
        for at, x in enumerate(parts)
    ]
    axis = order.index(one_axis("concat", options["axis"], len(order)))
    numbers = map(layouts.plain, (scale, zero))
    return layouts.result(function(*numbers, *spread, axis=axis), order)


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


def group_norm(
    x: Tensor,
    scale: Tensor,
    offset: Tensor,
    *,
    groups: int,
    activation: int,
    channels_last: int = 1,
    epsilon: float = 1e-5,
) -> Tensor:
    x = x if channels_last else F.moveaxis(x, 1, -1)
    y = nn.group_norm(x, groups, scale=scale, offset=offset, epsilon=epsilon)
    y = nn.silu(y) if activation else y
    return y if channels_last else F.moveaxis(y, -1, 1)


def skip_group_norm(
    x: Tensor,
    scale: Tensor,
    offset: Tensor,
    skip: Tensor,
    bias: Tensor | None = None,
    *,
    channels_last: int = 1,
    **options: Any,
) -> tuple[Tensor, Tensor]:
    def placed(vectors: Tensor) -> Tensor:
        """Shape vectors of channels like images."""
        rows = vectors.reshape((-1, 1, 1, vectors.shape[-1]))
        return rows if channels_last else F.moveaxis(rows, -1, 1)

    total = x + (placed(skip) if skip.ndim == 2 else skip)
    total = total if bias is None else total + placed(bias)
    return group_norm(total, scale, offset, channels_last=channels_last, **options), total


def rfft(x: Tensor, *, signal_ndim: int = 1, normalized: int = 0, onesided: int = 1) -> Tensor:
    return parts(fft.rfftn(x, axes=range(-signal_ndim, 0)))


def irfft(x: Tensor, *, signal_ndim: int, normalized: int = 0, onesided: int = 1) -> Tensor:
    return fft.irfftn(F.complex(x[..., 0], x[..., 1]), axes=range(-signal_ndim, 0))


def quantized_gemm(
    a: Tensor,
    a_scale: Tensor,
    a_zero: Tensor,
    b: Tensor,
    b_scale: Tensor,
    b_zero: Tensor,
    c: Tensor | None = None,
    y_scale: Tensor | None = None,
    y_zero: Tensor | None = None,
    *,
    alpha: float = 1.0,
    transA: int = 0,
    transB: int = 0,
) -> Tensor:
    a, b = a.mT if transA else a, b.mT if transB else b
    sums = matmul_integer(a, b, a_zero, b_zero)
    y = (sums if c is None else sums + c).astype("float32") * (a_scale * b_scale * alpha)
    return y if y_scale is None else quantize(y, y_scale, y_zero)


def quantized_embed_layer_normalization(
    words: Tensor,
    segments: Tensor | None,
    word_table: Tensor,
    position_table: Tensor,
    segment_table: Tensor | None,
    scale: Tensor,
    offset: Tensor,
    mask: Tensor | None,
    *rest: Tensor | None,
    epsilon: float = 1e-12,
) -> tuple[Tensor, ...]:
    """Look up and normalize; `rest` are the scales of the five tables, and their zero points."""
    tables = (word_table, position_table, segment_table, scale, offset)
    first, second, third, factor, shift = (
        None if table is None or size is None else dequantize(table, size, zero)
        for table, size, zero in zip(tables, rest[:5], rest[5:], strict=True)
    )
    assert first is not None
    assert second is not None
    y, lengths, _ = embed_layer_normalization(
        words, segments, first, second, third, factor, shift, mask, epsilon=epsilon
    )
    return y, lengths


def _elementwise(function: Callable[..., Any]) -> Operator:
    return Operator(function, layout=layouts.elementwise, folds=True)


FUSED = {"activation": ("", "Clip", *_FUSED)}
CHANNELS_FIRST = {"channels_last": (0,)}
ROTARY = {"is_packed_batching": (0,), "scale": (1.0,)}
GROUP_NORM = {"activation": (0, 1)}
FOURIER = {"normalized": (0,), "onesided": (1,), "signal_ndim": (1, 2, 3)}

OPERATORS = {
    "SimplifiedLayerNormalization": Operator(simplified_layer_normalization),
    **{
        f"com.microsoft.{name}": operator
        for name, operator in {
            "BiasGelu": _elementwise(bias_gelu),
            "DequantizeLinear": Operator(dequantize, layout=quantized, folds=True),
            "DynamicQuantizeMatMul": Operator(dynamic_quantize_matmul),
            "EmbedLayerNormalization": Operator(embed_layer_normalization),
            "FastGelu": _elementwise(fast_gelu),
            "FusedConv": convolution(fused_conv, accepts=FUSED),
            "FusedGemm": Operator(fused_gemm, orders={"b": weight_order}, accepts=FUSED),
            "FusedMatMul": Operator(fused_matmul),
            "Gelu": _elementwise(gelu),
            "GroupNorm": Operator(group_norm, accepts=GROUP_NORM),
            "Inverse": Operator(linalg.inv),
            "Irfft": Operator(irfft, accepts=FOURIER),
            "MatMulIntegerToFloat": Operator(matmul_integer_to_float),
            "NhwcConv": Operator(conv, orders={"w": kernel_order}, options=Windows, ignored=KERNEL),
            "QEmbedLayerNormalization": Operator(quantized_embed_layer_normalization, omits=True),
            "QGemm": Operator(quantized_gemm),
            "QLinearAdd": _elementwise(binary(F.add)),
            "QLinearAveragePool": of_images(
                unary(_channels_first(average_pool)), options=Windows, accepts=CHANNELS_FIRST
            ),
            "QLinearConcat": Operator(concat, layout=_concat_layout),
            "QLinearGlobalAveragePool": of_images(
                unary(_channels_first(global_average_pool)), accepts=CHANNELS_FIRST
            ),
            "QLinearLeakyRelu": _elementwise(unary(ACTIVATIONS["LeakyRelu"])),
            "QLinearMul": _elementwise(binary(F.multiply)),
            "QLinearSigmoid": _elementwise(unary(F.sigmoid)),
            "QLinearSoftmax": Operator(unary(_softmax), layout=layouts.of_first),
            "QuantizeLinear": Operator(quantize, layout=quantized, folds=True),
            "QuickGelu": _elementwise(quick_gelu),
            "Rfft": Operator(rfft, accepts=FOURIER),
            "RotaryEmbedding": Operator(rotary, accepts=ROTARY),
            "SkipGroupNorm": Operator(skip_group_norm, accepts=GROUP_NORM),
            "SkipLayerNormalization": Operator(skip_layer_normalization),
            "SkipSimplifiedLayerNormalization": Operator(skip_simplified_layer_normalization),
            "Trilu": Operator(triangle, host=("k",)),
        }.items()
    },
}
