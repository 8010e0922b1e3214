"""Nested sequences that hold tensors become one tensor, on the device and with their gradients."""

from __future__ import annotations

from ..conversion import Elements
from ..dtypes import DType
from ..errors import ShapeError
from ..tensor import Tensor, as_tensor, operand_of
from .data_types import promoted
from .elementwise import astype
from .joining import stack
from .manipulation import reshape


def of_nested(operation: str, elements: Elements, dtype: DType | None) -> Tensor:
    """The tensors and numbers of nested sequences, in their promoted dtype unless one is given.

    Raises ShapeError for tensors whose shapes differ.
    """
    leaves = [operand_of(operation, item) for item in elements.flat]
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
    return reshape(stack(tensors), (*elements.shape, *shapes.pop()))
