"""Read `.keras` files: zip archives with the layers of a model and their weights in HDF5."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO
from types import MappingProxyType
from typing import Any

from ...io.element_formats import entry_dtype
from ..graph import ModelConstant
from ..model import Model
from . import hdf5, topology
from .attributes import malformed
from .layers import OPERATORS

_WEIGHTS = "model.weights.h5"


def matches(data: Any) -> bool:
    """Return True if bytes look like a `.keras` file."""
    view = memoryview(data).cast("B")
    if bytes(view[:4]) != b"PK\x03\x04":
        return False
    return b"config.json" in bytes(view[:4096]) and b"metadata.json" in bytes(view[:4096])


def parse(data: Any) -> dict[str, Any]:
    """Decode the bytes of a file: its layers, and its weights as constants."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            config, metadata = (
                json.loads(archive.read(name)) for name in ("config.json", "metadata.json")
            )
            weights = archive.read(_WEIGHTS)
    except Exception as error:
        # Damaged files make zipfile raise errors of many classes.
        raise malformed("file is no archive of Keras", f"{type(error).__name__}: {error}") from None
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
