"""Tensors in a file that is read in parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class StoredTensor(NamedTuple):
    """Name of a tensor, and the offsets of its bytes in a file."""

    name: str
    start: int
    stop: int
    make: Callable[[memoryview], Any]
    """Return the tensor, given its bytes."""
