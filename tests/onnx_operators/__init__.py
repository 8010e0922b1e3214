"""ONNX operators in terms of py_tensor: a table from an operator's name to a function.

A function takes the operator's inputs by position, as tensors, None where one is left out, and its
attributes by keyword, with ONNX's defaults. It gives a tensor, or a tuple in the order of the
operator's outputs. Inputs that say shapes and axes are read where they are needed. What py_tensor
has no function for raises Unsupported. (https://onnx.ai/onnx/operators)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import (
    attention,
    elementwise,
    images,
    indexing,
    linear_algebra,
    losses,
    movement,
    normalization,
    recurrent,
    reductions,
    resizing,
    sources,
)

OPERATORS: dict[str, Callable[..., Any]] = {
    name: function
    for subject in (
        elementwise,
        reductions,
        movement,
        indexing,
        sources,
        linear_algebra,
        normalization,
        images,
        resizing,
        recurrent,
        losses,
        attention,
    )
    for name, function in subject.OPERATORS.items()
}
