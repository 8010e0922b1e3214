"""Operators between real and quantized numbers, which stand for `(number - zero) * scale`."""

from __future__ import annotations

from .... import functions as F
from ....dtypes import DType
from ....tensor import Tensor
from .shared import Operator, Quantization, dequantized, quantized


def quantize(x: Tensor, *, quantization: Quantization) -> Tensor:
    [before], [after] = quantization
    if after is None:
        raise ValueError("result has no scale")
    return quantized(x if before is None else dequantized(x, before), after)


def dequantize(x: Tensor, *, dtype: DType, quantization: Quantization | None = None) -> Tensor:
    scales = None if quantization is None else quantization.inputs[0]
    return x.astype(dtype) if scales is None else dequantized(x, scales).astype(dtype)


def densify(x: Tensor) -> Tensor:
    return x


def fake_quant(
    x: Tensor,
    *,
    min: float = 0.0,
    max: float = 0.0,
    num_bits: int = 0,
    narrow_range: bool = False,
) -> Tensor:
    low, high = int(narrow_range), (1 << num_bits) - 1
    scale = (max - min) / (high - low)
    first = low - min / scale
    # Source: Nudge in tensorflow/lite/kernels/internal/reference/fake_quant
    zero = low if first < low else high if first > high else int(first + 0.5)
    bottom, top = (low - zero) * scale, (high - zero) * scale
    steps = F.floor((F.clip(x, bottom, top) - bottom) / scale + 0.5)
    return steps * scale + bottom


OPERATORS = {
    "DENSIFY": Operator(densify),
    "DEQUANTIZE": Operator(dequantize),
    "FAKE_QUANT": Operator(fake_quant),
    "QUANTIZE": Operator(quantize),
}
