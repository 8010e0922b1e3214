"""Describe the tensors of a file that has no model."""

from typing import Any

import py_tensor as pt


async def weights_in(source: Any) -> list[list[Any]]:
    """Return [name, shape, dtype, number of bytes] of each tensor; [] if a file has no tensors."""
    try:
        tensors = await pt.models.load_weights(source)
    except (pt.errors.TensorError, MemoryError, OSError):
        return []
    return [[name, *_described(tensor)] for name, tensor in tensors.items()]


def _described(tensor: Any) -> tuple[list[int], str, int]:
    dtype = f"{tensor.dtype}" if isinstance(tensor, pt.Tensor) else "packed"
    return [*tensor.shape], dtype, tensor.nbytes
