"""Saving and loading of tensors."""

from __future__ import annotations

import tempfile
from pathlib import Path

import py_tensor as pt

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "weights.safetensors"
    pt.io.save({"w": pt.ones((2, 2)), "b": pt.zeros(2)}, path)
    tensors = pt.io.load(path)
assert sorted(tensors) == ["b", "w"]
