"""Describe a model for the page: its card and its layers."""

from collections import Counter
from typing import Any

import py_tensor as pt

BITS = {1: "8-bit", 2: "16-bit"}


def describe(model: Any, shapes: dict[str, list[int]]) -> dict[str, Any]:
    """Return the description of a model as values for JSON, for inputs of these shapes."""
    rows, failure = _rows(model, shapes)
    layers = model.layers
    return {
        "name": model._graph.name,
        "format": model.format,
        "producer": model.producer,
        "inputs": [_value(info) for info in model.inputs],
        "outputs": [_value(info) for info in model.outputs],
        "shapes": shapes,
        "parameters": sum(layer.parameters for layer in layers),
        "bytes": sum(layer.nbytes for layer in layers),
        "multiplyAdds": sum(row.multiply_adds for row in rows) if rows else None,
        "quantization": _quantization(model),
        "failure": failure,
        "layers": [
            {
                "name": layer.name,
                "operator": layer.operator,
                "inputs": layer.inputs,
                "outputs": layer.outputs,
                "parameters": layer.parameters,
                "bytes": layer.nbytes,
                "shape": rows[at].shape if rows else "?",
                "multiplyAdds": rows[at].multiply_adds if rows else 0,
                "attributes": {name: _shown(value) for name, value in layer.attributes.items()},
            }
            for at, layer in enumerate(layers)
        ],
    }


def _rows(model: Any, shapes: dict[str, list[int]]) -> tuple[Any, str]:
    """Return the rows of the summary, or none and the reason."""
    specs = [pt.ShapeDtype(tuple(shapes[i.name]), i.dtype or pt.float32) for i in model.inputs]
    try:
        return model.summary(*specs).rows, ""
    except pt.errors.TensorError as error:
        return None, str(error)


def _value(info: Any) -> dict[str, Any]:
    return {
        "name": info.name,
        "dtype": "any" if info.dtype is None else info.dtype.name,
        "shape": None if info.shape is None else list(info.shape),
        "quantization": info.quantization and [*info.quantization],
    }


def _quantization(model: Any) -> str:
    """Return the widths of the weights in the file as text, for example "float32" or "8-bit"."""
    widths: Counter[str] = Counter()
    for layer in model.layers:
        if layer.parameters:
            widths[BITS.get(layer.nbytes // layer.parameters, "none")] += layer.parameters
    total = sum(widths.values())
    narrow = [
        f"{count / total:.0%} {width}" for width, count in widths.items() if width in BITS.values()
    ]
    return ", ".join(narrow)


def _shown(value: Any) -> str:
    """Return an attribute as text that is not too long."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (str, int)):
        return str(value)
    if isinstance(value, (list, tuple)) and all(isinstance(x, (str, int, float)) for x in value):
        return ", ".join(map(_shown, value))
    shape = getattr(value, "shape", None)
    return f"constant {shape}" if shape is not None else type(value).__name__.lower()
