"""TFLite operators in terms of py_tensor: a table with one row per builtin operator.

Input: tensors and options, with the schema's defaults. Output: tensors. A row's function takes the
operator's inputs by position, or None for an omitted one, and its options by keyword. Functions of
real numbers are called with quantized ones by their row's wrapper; those that compute on integers
have the parameter `quantization`. Names of custom operators begin with "custom.".
(https://www.tensorflow.org/mlir/tfl_ops)
"""

from ....late import merged_tables
from ...execution import Operator

_CHAPTERS = """
    elementwise reductions movement indexing sources products normalization images recurrent
    signals detection landmarks quantization control_flow"""
OPERATORS: dict[str, Operator] = merged_tables(__package__, "OPERATORS", _CHAPTERS)
