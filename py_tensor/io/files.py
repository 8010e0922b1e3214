"""Safetensors files on disk; in a web page, in Pyodide's file system."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from ..dtypes import wrong_type
from ..functions.decorators import named
from ..sharding import process, wait_for_processes
from .trees import from_bytes, to_bytes


@named
def save(tree: Any, path: str | PathLike[str], metadata: Mapping[str, str] | None = None) -> None:
    """Write the tensors of a tree to a safetensors file.

    An existing file is replaced only after the new one is complete. In a job of several processes
    all must call `save`; the first process writes the tensors of all.

    Args:
        tree: Tree of tensors, arrays and numbers, as for `to_bytes`.
        path: Path of the file.
        metadata: Dict of str to str for the file's header; None (default) for none.

    Raises:
        DTypeError: If a leaf is not numeric.
        ArgumentError: If two leaves have one name.
        OSError: If the file cannot be written.

    >>> import py_tensor as pt, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "model.safetensors")
    >>> pt.io.save({"w": pt.asarray([1.0, 2.0])}, path)
    >>> pt.io.load(path)["w"].tolist()
    [1.0, 2.0]
    """
    data = to_bytes(tree, metadata)
    target = _path("save", path)
    if process()[0] == 0:
        part = target.with_name(f"{target.name}.part")
        part.write_bytes(data)
        part.replace(target)
    wait_for_processes("save")


def _path(operation: str, path: str | PathLike[str]) -> Path:
    if not isinstance(path, str | PathLike):
        raise wrong_type(operation, "path", "a path", path)
    return Path(path)


@named
def load(path: str | PathLike[str], like: Any = None) -> Any:
    """Return the tensors of a safetensors file.

    Args:
        path: Path of the file.
        like: Tree that gives containers and dtypes, as for `from_bytes`; None (default) for a
            dict by name.

    Returns:
        Result of `from_bytes`.

    Raises:
        OSError: If the file cannot be read.
        FormatError: If it is not a safetensors file.
        ArgumentError: If the names in the file and in `like` differ.
        ShapeError: If a tensor differs in shape from its leaf of `like`.
        DTypeError: If a tensor does not fit its leaf's dtype.

    >>> import py_tensor as pt, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "state.safetensors")
    >>> state = {"w": pt.ones(2), "step": 5}
    >>> pt.io.save(state, path)
    >>> pt.io.load(path, like=state)["step"]
    5
    """
    return from_bytes(_path("load", path).read_bytes(), like)
