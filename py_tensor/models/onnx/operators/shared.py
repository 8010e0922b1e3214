"""Names that the modules of operators share."""

from __future__ import annotations

from ....dtypes import DType
from ...activations import activation
from ...execution import Operator as Operator
from ...options import (
    LARGEST as LARGEST,
    Ints as Ints,
    single as single,
    unsupported as unsupported,
)
from ..narrow_floats import BITS, narrowed as narrowed
from ..reader import NARROW_INTEGERS as NARROW_INTEGERS, dtype_of as dtype_of

NARROW_FLOATS = BITS


def dtype_or(default: DType, number: int | None) -> DType:
    """Return the dtype of ONNX's number, or the default if there is none."""
    return default if number is None else dtype_of(number)


ACTIVATIONS = {
    **{
        name.title().replace("_", ""): activation(name)
        for name in (
            *("affine", "celu", "elu", "hard_sigmoid", "hard_swish", "mish", "relu", "scaled_tanh"),
            *("selu", "sigmoid", "softplus", "softsign", "swish", "tanh", "thresholded_relu"),
        )
    },
    "LeakyRelu": activation("leaky_relu", alpha=0.01),
}
"""Activations by ONNX's names, which are operators or options of recurrent layers."""
