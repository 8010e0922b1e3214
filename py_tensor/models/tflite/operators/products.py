"""Products of matrices, and the arithmetic of quantized products.

Products of 8-bit integers are added as float32 if it stores their sums exactly, otherwise as int32.
A sum times `scale of x * scale of w / scale of y` is rounded to the result.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from .... import functions as F
from ....dtypes import int16
from ....runtime.executor import stores_halves
from ....tensor import Tensor
from .shared import (
    Operator,
    Quantization,
    Scales,
    activated,
    along,
    at,
    dequantized,
    quantized,
    saturated,
    unsupported,
)


class Inputs(NamedTuple):
    """Operands of a product, and the scale and the quantization of its sums."""

    x: Tensor
    w: Tensor
    scale: Any = None
    """Number that sums are multiplied with, or a tensor; None for 1."""
    output: Scales | None = None


def sums_are_exact(largest: int) -> bool:
    """Return True if stored float32 values have all integers up to this one."""
    return largest <= 1 << (11 if stores_halves() else 24)


def prepared(
    x: Tensor,
    w: Tensor,
    quantization: Quantization | None,
    terms: int,
    axes: tuple[int, ...],
    asymmetric: bool,
) -> Inputs:
    """Return the operands of a product whose sums have this number of terms.

    Scales of the weights are for all, or for each position along the last axis of the result. Real
    numbers are rounded to 8 bits if the weights are quantized: their range is that of `axes`, and
    is the same on both sides of 0 unless it is `asymmetric`.
    """
    of_x = of_w = output = None
    if quantization is not None:
        of_x, of_w, *_ = quantization.inputs
        output = at(quantization.outputs, 0)
    if of_w is None:
        return Inputs(
            x if of_x is None else dequantized(x, of_x), w.astype("float32"), None, output
        )
    if of_x is None:
        x, step = rounded(x, axes, asymmetric)
        w = w.astype("float32") - (along(of_w.zero, of_w, w.ndim) if any(of_w.zero) else 0)
        if stores_halves():  # sums may exceed its range
            x, w = x.astype("int32"), w.astype("int32")
        return Inputs(x, w, step * _numbers(of_w.scale), output)
    if output is None:
        return Inputs(dequantized(x, of_x), dequantized(w, of_w))
    symmetric = not any(of_w.zero)
    largest = of_w.dtype.highest + 1 if symmetric else of_w.dtype.highest - of_w.dtype.lowest
    exact = sums_are_exact(terms * largest * (of_x.dtype.highest - of_x.dtype.lowest))
    dtype = "float32" if exact else "int32"
    x, w = x.astype(dtype), w.astype(dtype)
    if of_x.zero[0]:
        x = x - of_x.zero[0]
    if not symmetric:
        w = w - along(of_w.zero, of_w, w.ndim)
    scales = [of_x.scale[0] * scale / output.scale[0] for scale in of_w.scale]
    if of_x.dtype is int16:
        scales = [_rounded_to_15_bits(scale) for scale in scales]
    return Inputs(x, w, _numbers(scales), output)


def rounded(x: Tensor, axes: tuple[int, ...], asymmetric: bool) -> tuple[Tensor, Tensor]:
    """Round real numbers to 8 bits; return the numbers of steps from 0, and the steps.

    Source: PortableAsymmetricQuantizeFloats of tensorflow/lite/kernels/internal
    """
    if not asymmetric:
        step = F.max(F.abs(x), axis=axes, keepdims=True) / 127
        step = F.where(step == 0, 1.0, step)
        return F.clip(F.round(x / step), -127, 127), step
    low = F.minimum(F.min(x, axis=axes, keepdims=True), 0.0)
    high = F.maximum(F.max(x, axis=axes, keepdims=True), 0.0)
    step = (high - low) / 255
    step = F.where(step == 0, 1.0, step)
    below, above = low / step, high / step
    zero = F.round(F.where(128 - below < 127 + above, -128 - below, 127 - above))
    zero = F.clip(zero, -128, 127)
    return F.clip(F.round(x / step) + zero, -128, 127) - zero, step


def _rounded_to_15_bits(scale: float) -> float:
    """Round as TFLite does, which multiplies 64-bit sums with 16-bit numbers."""
    fraction, exponent = math.frexp(scale)
    return math.ldexp(min(round(fraction * (1 << 15)), 0x7FFF), exponent - 15)


def _numbers(numbers: Sequence[float]) -> Any:
    return numbers[0] if len(numbers) == 1 else F.asarray(list(numbers), dtype="float32")


def finished(y: Tensor, operands: Inputs, b: Tensor | None, activation: int) -> Tensor:
    """Scale sums and add the bias, apply the activation, and round quantized results."""
    scale, output = operands.scale, operands.output
    if output is None or (y.dtype.kind == "f" and scale is None):
        y = y if scale is None else y.astype("float32") * scale
        y = activated(y if b is None else y + b, activation)
        return y if output is None else quantized(y, output)
    y = y if b is None else y + b.astype(y.dtype)
    steps = y.astype("float32") * scale
    if activation:
        steps = activated(steps * output.scale[0], activation) / output.scale[0]
    return saturated(steps, output)


def fully_connected(
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    *,
    weights_format: int = 0,
    keep_num_dims: bool = False,
    asymmetric_quantize_inputs: bool = False,
    fused_activation_function: int = 0,
    quantization: Quantization | None = None,
) -> Tensor:
    if weights_format:
        raise unsupported("FULLY_CONNECTED with shuffled weights")
    units, terms = w.shape
    rows = x.reshape((-1, terms))
    operands = prepared(rows, w, quantization, terms, (-1,), asymmetric_quantize_inputs)
    y = finished(operands.x @ operands.w.mT, operands, b, fused_activation_function)
    return y.reshape((*x.shape[:-1], units)) if keep_num_dims else y


def batch_matmul(
    x: Tensor,
    y: Tensor,
    *,
    adj_x: bool = False,
    adj_y: bool = False,
    asymmetric_quantize_inputs: bool = False,
    quantization: Quantization | None = None,
) -> Tensor:
    axis = -2 if adj_x else -1
    operands = prepared(x, y, quantization, x.shape[axis], (axis,), asymmetric_quantize_inputs)
    a, b = operands.x.mT if adj_x else operands.x, operands.w.mT if adj_y else operands.w
    return finished(a @ b, operands, None, 0)


OPERATORS = {
    "BATCH_MATMUL": Operator(batch_matmul),
    "FULLY_CONNECTED": Operator(fully_connected),
}
