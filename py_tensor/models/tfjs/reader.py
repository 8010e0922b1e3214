"""Read `model.json` of TensorFlow.js, which describes a graph model or a layers model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from ..model import Model
from . import graph_reader, topology as topology_reader, weights
from .attributes import document_of, malformed
from .layers import OPERATORS as LAYER_OPERATORS
from .operators import OPERATORS


def matches(data: Any) -> bool:
    """Return True if bytes look like a `model.json`."""
    view = memoryview(data).cast("B")
    head = bytes(view[:64]).removeprefix(b"\xef\xbb\xbf").lstrip()
    return head.startswith(b"{") and b'"modelTopology"' in bytes(view)


def parse(data: Any) -> dict[str, Any]:
    """Decode the bytes of a `model.json`."""
    document = document_of(data)
    topology = document.get("modelTopology") if isinstance(document, dict) else None
    if not isinstance(topology, dict):
        raise malformed("file has no modelTopology", f"{topology!r:.80}")
    return dict(document)


def files_of(document: dict[str, Any]) -> set[str]:
    """Return the names of the files with weights."""
    return weights.files_of(document.get("weightsManifest"))


def read(
    document: dict[str, Any],
    files: Mapping[str, Any],
    custom: Mapping[str, Callable[..., Any]] = MappingProxyType({}),
) -> Model:
    """Make the model of a decoded file, given the bytes of its weights by file name.

    `custom` are layers of the user's by the name of their class, or by their own.
    """
    topology = document["modelTopology"]
    constants = weights.read_weights(document.get("weightsManifest"), files)
    if "node" in topology or document.get("format") == "graph-model":
        return Model(graph_reader.read(document, constants, OPERATORS), OPERATORS)
    if "model_config" in topology or "class_name" in topology:
        graph, rows = topology_reader.read(topology, constants, custom)
        return Model(graph, LAYER_OPERATORS | rows if rows else LAYER_OPERATORS)
    raise malformed("topology is neither of nodes nor of layers", f"keys {[*topology]!r:.80}")
