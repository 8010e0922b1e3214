"""Let the backend of a test store no tensors of more elements than a small texture has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from py_tensor.errors import SizeError
from py_tensor.nn import quantization

SIDE = 16
"""Longest side of a texture in texels."""
MOST = 4 * SIDE * SIDE
"""Largest number of elements."""


def limit_textures(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit the size of tensors until the end of the test, or until `monkeypatch.undo`."""
    monkeypatch.setattr(quantization, "UNPACKED", MOST)
    if engine.name == "webgl":
        monkeypatch.setattr(engine, "device", engine.device._replace(largest=SIDE))
        return

    def check_size(operation: str, shape: tuple[int, ...], dtype: Any) -> None:
        if np.prod(shape) > MOST:
            raise SizeError(f"{operation}: tensor is too large")

    monkeypatch.setattr(engine, "check_size", check_size)
