"""Operators on quantized numbers: `(number - zero point) * scale` is the number that is meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .... import functions as F
from ....dtypes import DType, uint8
from ....functions.arguments import one_axis
from ....tensor import Tensor
from ... import layouts
from ...layouts import Permuted
from .images import conv, convolution
from .shared import NARROW_FLOATS, NARROW_INTEGERS, Operator, dtype_or, narrowed


def _along(x: Tensor, scale: Tensor, axis: int, block_size: int) -> Tensor:
    """Shape a scale or zero point like the tensor: one for all, one per place, or per block."""
    if scale.size == 1:
        return scale.reshape(())
    axis = one_axis("quantize", axis, x.ndim)
    if block_size:
        places = F.repeat(scale, min(block_size, x.shape[axis]), axis=axis)
        return places[(*(slice(None),) * axis, slice(x.shape[axis]))]
    return scale.reshape((-1, *(1,) * (x.ndim - axis - 1)))


def _saturated(x: Tensor, dtype: DType, number: int = 0) -> Tensor:
    """Convert to an integer dtype, or to ONNX's dtype of a number if that has fewer bits."""
    low, high = dtype.lowest, dtype.highest
    if number in NARROW_INTEGERS:
        bits, low = NARROW_INTEGERS[number]
        high = low + (1 << bits) - 1
    return F.clip(x, low, high).astype(dtype)


def quantize(
    x: Tensor,
    scale: Tensor,
    zero: Tensor | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
    precision: int = 0,
    saturate: int = 1,
) -> Tensor:
    dtype = dtype_or(uint8, output_dtype or None) if zero is None else zero.dtype
    y = x / _along(x, scale, axis, block_size).astype(x.dtype)
    y = (y if output_dtype in NARROW_FLOATS else F.round(y)).astype("float32")
    if zero is not None:
        y = y + _along(x, zero, axis, block_size).astype("float32")
    if output_dtype in NARROW_FLOATS:
        return narrowed(y, output_dtype, saturate=saturate)
    return _saturated(y, dtype, output_dtype)


def dequantize(
    x: Tensor,
    scale: Tensor,
    zero: Tensor | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
) -> Tensor:
    y = x if x.dtype.kind == "f" else x.astype("int32")
    if zero is not None:
        y = y - _along(x, zero, axis, block_size).astype(y.dtype)
    y = y.astype("float32") * _along(x, scale, axis, block_size).astype("float32")
    return y.astype(dtype_or(scale.dtype, output_dtype or None))


def dynamic_quantize(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    low, high = F.minimum(F.min(x), 0.0), F.maximum(F.max(x), 0.0)
    scale = (high - low) / 255
    scale = F.where(scale == 0, 1.0, scale)
    zero = _saturated(F.round(-low / scale), uint8)
    return quantize(x, scale, zero), scale, zero


def matmul_integer(
    a: Tensor, b: Tensor, a_zero: Tensor | None = None, b_zero: Tensor | None = None
) -> Tensor:
    a, b = a.astype("int32"), b.astype("int32")
    if a_zero is not None:
        a = a - _rows(a_zero).astype("int32")
    return a @ (b if b_zero is None else b - b_zero.astype("int32"))


def _rows(x: Tensor) -> Tensor:
    """Shape one number per row as a column."""
    return x.reshape((-1, 1)) if x.ndim == 1 and x.size > 1 else x


def matmul(
    a: Tensor,
    a_scale: Tensor,
    a_zero: Tensor,
    b: Tensor,
    b_scale: Tensor,
    b_zero: Tensor,
    y_scale: Tensor,
    y_zero: Tensor,
) -> Tensor:
    sums = matmul_integer(a, b, a_zero, b_zero).astype("float32")
    scale = _rows(a_scale).astype("float32") * b_scale.astype("float32")
    y = F.round(sums * (scale / _rows(y_scale).astype("float32")))
    return _saturated(y + _rows(y_zero).astype("float32"), y_zero.dtype)


def conv_integer(
    x: Tensor,
    w: Tensor,
    x_zero: Tensor | None = None,
    w_zero: Tensor | None = None,
    **options: Any,
) -> Tensor:
    x, w = x.astype("int32"), w.astype("int32")
    if x_zero is not None:
        x = x - x_zero.astype("int32")
    if w_zero is not None:
        w = w - w_zero.astype("int32").reshape((-1, *(1,) * (w.ndim - 1)))
    return conv(x, w, **options)


def conv_quantized(
    x: Tensor,
    x_scale: Tensor,
    x_zero: Tensor,
    w: Tensor,
    w_scale: Tensor,
    w_zero: Tensor,
    y_scale: Tensor,
    y_zero: Tensor,
    b: Tensor | None = None,
    **options: Any,
) -> Tensor:
    sums = conv_integer(x, w, x_zero, w_zero, **options)
    if b is not None:
        sums = sums + b
    scale = (x_scale * w_scale) / y_scale
    y = F.round(sums.astype("float32") * scale) + y_zero.astype("float32")
    return _saturated(y, y_zero.dtype)


def quantized(function: Callable[..., Tensor], inputs: list[Any], options: dict[str, Any]) -> Any:
    """Quantize a value in the order in which it is stored."""
    x, scale, *rest = inputs
    if not isinstance(x, Permuted) or options.get("block_size"):
        return None
    if scale.size > 1:
        axis = one_axis("quantize", options.get("axis", 1), len(x.order))
        options = options | {"axis": x.order.index(axis)}
    return layouts.result(
        function(x.tensor, *map(layouts.plain, (scale, *rest)), **options), x.order
    )


OPERATORS = {
    "ConvInteger": convolution(conv_integer),
    "DequantizeLinear": Operator(dequantize, layout=quantized, folds=True),
    "DynamicQuantizeLinear": Operator(dynamic_quantize, layout=layouts.of_first),
    "MatMulInteger": Operator(matmul_integer),
    "QLinearConv": convolution(conv_quantized),
    "QLinearMatMul": Operator(matmul),
    "QuantizeLinear": Operator(quantize, layout=quantized, folds=True),
}
