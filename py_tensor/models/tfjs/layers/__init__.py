"""Layers of Keras in terms of py_tensor: a table with one row per layer.

Input: tensors and the options of a layer's configuration. Output: tensors. A row's function takes
the layer's inputs, weights and masks by position, or None for an omitted one, and its options by
keyword. `shared` defines the rows. `INTERNAL` are functions for what a layer does besides: masks,
and the order of time. Source: https://keras.io/api/layers/
"""

from __future__ import annotations

from ...execution import Operator
from . import attention, convolution, core, images, merging, normalization, recorded, recurrent
from .shared import ACTIVATIONS, LayerRow, MaskRule, Weight

__all__ = ["ACTIVATIONS", "CHAPTERS", "LAYERS", "OPERATORS", "LayerRow", "MaskRule", "Weight"]

CHAPTERS = {
    "attention": attention.LAYERS,
    "convolution": convolution.LAYERS,
    "core": core.LAYERS,
    "images": images.LAYERS,
    "merging": merging.LAYERS,
    "normalization": normalization.LAYERS,
    "recurrent": recurrent.LAYERS,
}
LAYERS: dict[str, LayerRow] = {
    name: row for rows in CHAPTERS.values() for name, row in rows.items()
}
"""Layers by the name of their class."""

INTERNAL = {**core.INTERNAL, **merging.INTERNAL, **recorded.INTERNAL, **recurrent.INTERNAL}
OPERATORS = {
    **{
        name: Operator(row.function, omits=True, ignored=frozenset(row.ignored.split()))
        for name, row in LAYERS.items()
    },
    **{name: Operator(function, omits=True) for name, function in INTERNAL.items()},
}
