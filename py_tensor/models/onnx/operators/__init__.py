"""ONNX operators in terms of py_tensor: a table with one row per operator.

Input: tensors and attributes, with ONNX's defaults. Output: tensors. A row's function takes the
operator's inputs by position, or None for an omitted one, and its attributes by keyword. Inputs
that older versions have as attributes are parameters of the attribute's name. An option without an
equivalent in py_tensor raises ModelError. (https://onnx.ai/onnx/operators)
"""

from __future__ import annotations

from ...execution import Operator
from . import (
    attention,
    control_flow,
    elementwise,
    images,
    indexing,
    linear_algebra,
    losses,
    microsoft,
    movement,
    normalization,
    quantization,
    random_numbers,
    recurrent,
    reductions,
    resizing,
    sequences,
    signals,
    sources,
    vision,
)

OPERATORS: dict[str, Operator] = {
    **elementwise.OPERATORS,
    **reductions.OPERATORS,
    **movement.OPERATORS,
    **indexing.OPERATORS,
    **sources.OPERATORS,
    **linear_algebra.OPERATORS,
    **normalization.OPERATORS,
    **images.OPERATORS,
    **resizing.OPERATORS,
    **vision.OPERATORS,
    **random_numbers.OPERATORS,
    **microsoft.OPERATORS,
    **recurrent.OPERATORS,
    **losses.OPERATORS,
    **signals.OPERATORS,
    **attention.OPERATORS,
    **quantization.OPERATORS,
    **control_flow.OPERATORS,
    **sequences.OPERATORS,
}
