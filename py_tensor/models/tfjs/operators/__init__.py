"""TensorFlow's operators in terms of py_tensor: a table with one row per operator.

Input: tensors and attributes, with TensorFlow's defaults. Output: tensors. A row's function takes
the operator's inputs by position and its attributes by keyword. The operators are those of
TensorFlow.js: https://github.com/tensorflow/tfjs/tree/master/tfjs-converter/src/operations/op_list
"""

from __future__ import annotations

from ...execution import Operator
from . import (
    control_flow,
    creation,
    elementwise,
    images,
    indexing,
    linear_algebra,
    lists,
    movement,
    normalization,
    ragged,
    reductions,
    spectral,
    texts,
)

OPERATORS: dict[str, Operator] = {
    **elementwise.OPERATORS,
    **reductions.OPERATORS,
    **movement.OPERATORS,
    **indexing.OPERATORS,
    **creation.OPERATORS,
    **linear_algebra.OPERATORS,
    **normalization.OPERATORS,
    **images.OPERATORS,
    **spectral.OPERATORS,
    **ragged.OPERATORS,
    **lists.OPERATORS,
    **control_flow.OPERATORS,
    **texts.OPERATORS,
}
OPERATORS |= {name: OPERATORS[name]._replace(texts=True) for name in texts.ON_TEXTS}
