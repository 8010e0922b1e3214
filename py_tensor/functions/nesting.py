"""Nested sequences that hold tensors become one tensor, on the device and with their gradients."""

from __future__ import annotations

from typing import Any

from ..conversion import flattened
from ..dtypes import DType
from ..errors import ShapeError
from ..tensor import Tensor, as_tensor, operand_of
from .data_types import promoted
from .elementwise import astype
from .joining import stack
from .manipulation import reshape


def of_nested(operation: str, value: Any, dtype: DType | None) -> Tensor:
    """The tensors and numbers of nested sequences, in their promoted dtype unless one is given.

    Raises ShapeError for ragged sequences, and for tensors whose shapes differ.
    """
    items, shape = flattened(operation, value)
    leaves = [operand_of(operation, item) for item in items]
    target = dtype or promoted(operation, leaves)
    tensors = [
        astype(leaf, target, copy=False)
        if isinstance(leaf, Tensor)
        else as_tensor(operation, leaf, target)
        for leaf in leaves
    ]
    shapes = {tensor.shape for tensor in tensors}
    if len(shapes) > 1:
        raise ShapeError(
            f"{operation}: ragged input; got shapes {', '.join(map(str, sorted(shapes)))} side by "
            "side; make all shapes equal"
        )
    return reshape(stack(tensors), (*shape, *shapes.pop()))
