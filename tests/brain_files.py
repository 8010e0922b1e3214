"""Write files of safetensors in bfloat16 for tests."""

import json
import struct
from collections.abc import Mapping

import numpy as np


def bits_of(values: np.ndarray) -> np.ndarray:
    """Return the upper halves of the words of float32."""
    return (np.ascontiguousarray(values, "float32").view("uint32") >> 16).astype("uint16")


def truncated(values: np.ndarray) -> np.ndarray:
    """Return the values that `bits_of` keeps, in float32."""
    return (bits_of(values).astype("uint32") << 16).view("float32")


def brain_file(tensors: Mapping[str, np.ndarray]) -> bytes:
    """Return a file of tensors, truncated to bfloat16."""
    header, data = {}, b""
    for name, values in tensors.items():
        part = bits_of(values).tobytes()
        places = [len(data), len(data) + len(part)]
        header[name] = {"dtype": "BF16", "shape": values.shape, "data_offsets": places}
        data += part
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data
