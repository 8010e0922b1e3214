"""Weights of small language models that depend on the names of tensors alone."""

import zlib
from collections.abc import Mapping

import numpy as np


def weights_of(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    """Return weights by name: about 1 for scales of norms, and about 0 for others."""
    weights = {}
    for name, shape in shapes.items():
        numbers = np.random.default_rng(zlib.crc32(name.encode()))
        values = numbers.standard_normal(shape, "float32")
        is_scale = len(shape) == 1 and name.endswith("weight")
        weights[name] = 1 + 0.2 * values if is_scale else 0.3 * values
    return weights
