"""TensorFlow's operators in terms of py_tensor: a table with one row per operator.

Input: tensors and attributes, with TensorFlow's defaults. Output: tensors. A row's function takes
the operator's inputs by position and its attributes by keyword. The operators are those of
TensorFlow.js: https://github.com/tensorflow/tfjs/tree/master/tfjs-converter/src/operations/op_list
"""

from ....late import merged_tables
from ...execution import Operator
from .texts import ON_TEXTS

_CHAPTERS = """
    elementwise reductions movement indexing creation linear_algebra normalization images
    spectral ragged lists control_flow texts"""
OPERATORS: dict[str, Operator] = merged_tables(__package__, "OPERATORS", _CHAPTERS)
OPERATORS |= {name: OPERATORS[name]._replace(texts=True) for name in ON_TEXTS}
