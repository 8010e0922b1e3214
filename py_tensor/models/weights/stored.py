"""Tensors in a file that is read in parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ...io.element_formats import decoded
from ...io.safetensors import Entry
from ...nn.quantization import PackedMatrix, bfloat16_matrix
from ...tensor import Tensor


class StoredTensor(NamedTuple):
    """Name of a tensor, and the offsets of its bytes in a file."""

    name: str
    start: int
    stop: int
    make: Callable[[memoryview], Any]
    """Return the tensor, given its bytes."""


def tensor_of(
    name: str, dtype: str, shape: tuple[int, ...], packs: bool, data: memoryview
) -> Tensor | PackedMatrix:
    """Return a tensor, or with `packs` a matrix of bfloat16 as it is."""
    if packs and dtype == "BF16" and len(shape) == 2:
        return bfloat16_matrix(data, *shape)
    return decoded(name, Entry(dtype, shape, data))
