"""Read `.keras` files: zip archives with the layers of a model and their weights in HDF5."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO
from types import MappingProxyType
from typing import Any

from ...errors import ModelError
from ...io.element_formats import entry_dtype
from ..file_errors import malformed
from ..graph import ModelConstant
from ..model import Model
from . import hdf5, topology
from .layers import OPERATORS

_FILES = ("config.json", "metadata.json", "model.weights.h5")


def matches(data: Any) -> bool:
    """Return True if bytes look like a `.keras` file."""
    view = memoryview(data).cast("B")
    # The names of its files are at the end, too, which a part of a file lacks.
    edges = bytes(view[:4096]) + bytes(view[-4096:])
    return edges.startswith(b"PK\x03\x04") and sum(name.encode() in edges for name in _FILES) > 1


def parse(data: Any) -> dict[str, Any]:
    """Decode the bytes of a file: its layers, and its weights as constants."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = archive.namelist()
            missing = ", ".join(name for name in _FILES if name not in names)
            if missing:
                raise malformed(".keras", f"{missing} is missing", f"{', '.join(names):.80}")
            config, metadata = (json.loads(archive.read(name)) for name in _FILES[:2])
            weights = archive.read(_FILES[2])
    except ModelError:
        raise
    except Exception as error:
        # Damaged files make zipfile raise errors of many classes.
        size = f"{len(memoryview(data).cast('B')):,} bytes"
        raise malformed(
            ".keras",
            "archive is damaged, or its end is missing",
            f"{type(error).__name__}: {error!s:.80}, in {size}",
        ) from None
    constants = {
        name: ModelConstant(name, entry_dtype(entry), entry.shape, entry)
        for name, entry in hdf5.read(weights).items()
        if not name.startswith("optimizer/")
    }
    return {"model": {"model_config": config, **metadata}, "constants": constants}


def read(
    parsed: dict[str, Any],
    files: Mapping[str, Any],
    custom: Mapping[str, Callable[..., Any]] = MappingProxyType({}),
) -> Model:
    """Make the model of a decoded file; `custom` are layers of the user's by name."""
    graph, rows = topology.read(parsed["model"], parsed["constants"], custom)
    return Model(graph, OPERATORS | rows)
