"""Names that the modules of operators share."""

from __future__ import annotations

from ....dtypes import DType
from ...activations import activation
from ...execution import Operator
from ...options import LARGEST, Ints, single, unsupported
from ..narrow_floats import BITS as NARROW_FLOATS, narrowed
from ..reader import NARROW_INTEGERS, dtype_of

__all__ = [
    "ACTIVATIONS",
    "LARGEST",
    "NARROW_FLOATS",
    "NARROW_INTEGERS",
    "Ints",
    "Operator",
    "dtype_of",
    "dtype_or",
    "narrowed",
    "single",
    "unsupported",
]


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
