"""TFLite operators in terms of py_tensor: a table with one row per builtin operator.

Input: tensors and options, with the schema's defaults. Output: tensors. A row's function takes the
operator's inputs by position, or None for an omitted one, and its options by keyword. Functions of
real numbers are called with quantized ones by their row's wrapper; those that compute on integers
have the parameter `quantization`. Names of custom operators begin with "custom.".
(https://www.tensorflow.org/mlir/tfl_ops)
"""

from __future__ import annotations

from ...execution import Operator
from . import (
    control_flow,
    detection,
    elementwise,
    images,
    indexing,
    movement,
    normalization,
    products,
    quantization,
    recurrent,
    reductions,
    signals,
    sources,
)

OPERATORS: dict[str, Operator] = {
    **elementwise.OPERATORS,
    **reductions.OPERATORS,
    **movement.OPERATORS,
    **indexing.OPERATORS,
    **sources.OPERATORS,
    **products.OPERATORS,
    **normalization.OPERATORS,
    **images.OPERATORS,
    **recurrent.OPERATORS,
    **signals.OPERATORS,
    **detection.OPERATORS,
    **quantization.OPERATORS,
    **control_flow.OPERATORS,
}
