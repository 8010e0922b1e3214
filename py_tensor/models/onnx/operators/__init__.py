"""ONNX operators in terms of py_tensor: a table with one row per operator.

Input: tensors and attributes, with ONNX's defaults. Output: tensors. A row's function takes the
operator's inputs by position, or None for an omitted one, and its attributes by keyword. Inputs
that older versions have as attributes are parameters of the attribute's name. An option without an
equivalent in py_tensor raises ModelError. (https://onnx.ai/onnx/operators)
"""

from ....late import merged_tables
from ...execution import Operator

_CHAPTERS = """
    elementwise reductions movement indexing sources linear_algebra normalization images
    resizing vision random_numbers microsoft microsoft_attention microsoft_experts
    microsoft_weights recurrent losses signals attention quantization
    control_flow sequences"""
OPERATORS: dict[str, Operator] = merged_tables(__package__, "OPERATORS", _CHAPTERS)
