"""Names that the modules of operators share: activations and quantized numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .... import functions as F
from ....tensor import Tensor
from ...execution import Operator as Operator
from ...options import Ints as Ints, single as single, unsupported as unsupported
from ..reader import Quantization as Quantization, Scales as Scales

QUANTIZATION = frozenset({"quantization"})
"""Attribute that does not matter to operators that copy numbers, or that read none."""
ACTIVATIONS: dict[int, Callable[[Tensor], Tensor]] = {
    1: F.relu,
    2: lambda x: F.clip(x, -1, 1),
    3: lambda x: F.clip(x, 0, 6),
    4: F.tanh,
    5: lambda x: (x < 0).astype(x.dtype),
}
"""Functions by the number of ActivationFunctionType."""


def activated(x: Tensor, activation: int) -> Tensor:
    """Apply a fused activation."""
    if not activation:
        return x
    if activation not in ACTIVATIONS:
        raise unsupported(f"fused activation {activation}")
    return ACTIVATIONS[activation](x)


def at(scales: Sequence[Scales | None], position: int) -> Scales | None:
    """Return the quantization of an input or output; None if it is omitted or real."""
    return scales[position] if position < len(scales) else None


def along(numbers: Sequence[float], scales: Scales, ndim: int) -> Any:
    """Return a number for all elements, or a tensor with one for each position along the axis."""
    if len(numbers) == 1:
        return numbers[0]
    return F.asarray(list(numbers), dtype="float32").reshape((-1, *(1,) * (ndim - scales.axis - 1)))


def dequantized(x: Tensor, scales: Scales) -> Tensor:
    """Return the real numbers that quantized ones stand for, as float32."""
    y = x.astype("float32")
    if any(scales.zero):
        y = y - along(scales.zero, scales, x.ndim)
    return F.multiply(y, along(scales.scale, scales, x.ndim))


def quantized(x: Tensor, scales: Scales) -> Tensor:
    """Return the nearest quantized numbers."""
    return saturated(x / along(scales.scale, scales, x.ndim), scales)


def saturated(steps: Tensor, scales: Scales) -> Tensor:
    """Round numbers of steps to quantized numbers, and halves away from zero."""
    y = F.trunc(steps + F.copysign(0.5, steps)) + along(scales.zero, scales, steps.ndim)
    return F.clip(y, scales.dtype.lowest, scales.dtype.highest).astype(scales.dtype)


def real(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    *,
    quantization: Quantization | None = None,
    fused_activation_function: int = 0,
) -> Any:
    """Call a function of real numbers with quantized ones, and quantize its results."""
    if quantization is not None:
        arguments = [
            dequantized(x, scales) if scales is not None and isinstance(x, Tensor) else x
            for x, scales in zip(arguments, quantization.inputs, strict=True)
        ]
    results = function(*arguments)
    outputs = () if quantization is None else quantization.outputs
    quantized_results = []
    for position, y in enumerate(results if isinstance(results, tuple) else (results,)):
        y = activated(y, fused_activation_function)
        scales = at(outputs, position)
        quantized_results.append(
            quantized(y, scales) if scales is not None and y.dtype.kind == "f" else y
        )
    return tuple(quantized_results)


def moved(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    *,
    quantization: Quantization | None = None,
    fused_activation_function: int = 0,
) -> Any:
    """Call a function that only moves elements: no arithmetic if all scales are equal."""
    if quantization is not None and not fused_activation_function:
        tensors = [
            scales and scales._replace(axis=0)
            for x, scales in zip(arguments, quantization.inputs, strict=True)
            if isinstance(x, Tensor) and (scales is not None or x.dtype.kind == "f")
        ]
        outputs = [scales and scales._replace(axis=0) for scales in quantization.outputs]
        if len({*tensors, *filter(None, outputs)}) <= 1:
            return function(*arguments)
    return real(
        function,
        arguments,
        quantization=quantization,
        fused_activation_function=fused_activation_function,
    )
