"""Safetensors files on disk; in a page, in the file system that Python has there."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from .trees import from_bytes, to_bytes


def save(tree: Any, path: str | PathLike[str], metadata: Mapping[str, str] | None = None) -> None:
    """Writes the tensors of a tree to a safetensors file, as `to_bytes` names and raises.

    A file that is there already is replaced once the new one is complete.

    >>> import py_tensor as pt, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "model.safetensors")
    >>> pt.saving.save({"w": pt.asarray([1.0, 2.0])}, path)
    >>> pt.saving.load(path)["w"].tolist()
    [1.0, 2.0]
    """
    data = to_bytes(tree, metadata)
    target = Path(path)
    part = target.with_name(f"{target.name}.part")
    part.write_bytes(data)
    part.replace(target)


def load(path: str | PathLike[str], like: Any = None) -> Any:
    """The tensors of a safetensors file, as `from_bytes` gives and raises.

    >>> import py_tensor as pt, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "state.safetensors")
    >>> state = {"w": pt.ones(2), "step": 5}
    >>> pt.saving.save(state, path)
    >>> pt.saving.load(path, like=state)["step"]
    5
    """
    return from_bytes(Path(path).read_bytes(), like)
