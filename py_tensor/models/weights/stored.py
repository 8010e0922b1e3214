"""Tensors in a file that is read in parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from ...io.element_formats import decoded
from ...io.safetensors import Entry
from ...nn.quantization import PackedMatrix, bfloat16_matrix
from ...nn.split_matrix import matrix_of_rows
from ...ops.op_def import Shape
from ...tensor import Tensor


class StoredTensor(NamedTuple):
    """Name of a tensor, and the offsets of its bytes in a file."""

    name: str
    start: int
    stop: int
    make: Callable[[memoryview], Any]
    """Return the tensor, given its bytes."""


def maker(make: Callable[[bool, Shape, memoryview], Any], shape: Shape, packs: bool) -> Any:
    """Return the function of bytes that makes a tensor, or a split matrix if it is too large.

    `make` takes `packs`, a shape and bytes.
    """
    return partial(matrix_of_rows, partial(make, packs), shape)


def tensor_of(
    name: str, dtype: str, packs: bool, shape: Shape, data: memoryview
) -> Tensor | PackedMatrix:
    """Return a tensor, or with `packs` a matrix of bfloat16 as it is."""
    if packs and dtype == "BF16" and len(shape) == 2:
        return bfloat16_matrix(data, *shape)
    return decoded(name, Entry(dtype, shape, data))
