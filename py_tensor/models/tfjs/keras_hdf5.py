"""Read models in `.h5` files of Keras: layers in an attribute, and weights in data sets."""

from __future__ import annotations

import json
from typing import Any

from ...errors import ModelError
from ...io.element_formats import entry_dtype
from ..file_errors import malformed
from ..graph import ModelConstant
from . import hdf5

_CONFIG = "model_config"
_WEIGHTS = "model_weights/"


def matches(data: Any) -> bool:
    """Return True if bytes look like an HDF5 file."""
    return bytes(memoryview(data).cast("B")[:8]) == hdf5.SIGNATURE


def parse(data: Any) -> dict[str, Any]:
    """Decode the bytes of a file: its layers, and its weights as constants."""
    texts = hdf5.read_texts(data)
    if _CONFIG not in texts:
        raise ModelError(
            "load: HDF5 file has no model of Keras; got one without the attribute model_config; "
            'save the whole model with model.save("model.keras"), or read the weights with '
            "pt.models.load_weights"
        )
    try:
        config = json.loads(texts[_CONFIG])
    except (ValueError, RecursionError) as error:
        raise malformed("Keras", "model_config is not JSON", f"{error!s:.80}") from None
    constants = {}
    for path, entry in hdf5.read(data).items():
        if path.startswith(_WEIGHTS):
            name = path.removeprefix(_WEIGHTS)
            constants[name] = ModelConstant(name, entry_dtype(entry), entry.shape, entry)
    version = texts.get("keras_version", "")
    return {"model": {_CONFIG: config, "keras_version": version}, "constants": constants}
