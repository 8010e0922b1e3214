"""Models of other libraries."""

from __future__ import annotations

import asyncio

import py_tensor as pt

model: pt.models.Model = asyncio.run(pt.models.load(pt.models.EXAMPLE))
values: dict[str, pt.Tensor] = model.run({"x": [-1.0, 2.0]}, outputs=["y"])
assert values["y"].tolist() == [0.0, 2.0]
name: str = model.inputs[0].name
operators: list[str] = [layer.operator for layer in model.layers]
assert (name, operators) == ("x", ["Relu"])
