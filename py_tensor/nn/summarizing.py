"""A model as a table: its layers, the shapes they give, their parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..dtypes import float32
from ..functions.creation import PUBLIC as CREATION
from ..pytree import tree_leaves
from ..tensor import Tensor
from .module import Module, count_parameters, described, watchers

Row = tuple[str, str, str]


def summary(model: Module, input_shape: Any, *, dtype: Any = float32) -> str:
    """A table of a model's layers: where each is, what shape it gives, how many parameters it has.

    `input_shape` has all axes, the batch's too; `dtype` is the input's. The model is called once,
    lazily, on zeros: nothing is computed. Raises what the model raises for such an input.

    >>> import py_tensor as pt
    >>> model = pt.nn.Sequential(pt.nn.Dense(784, 128), pt.relu, pt.nn.Dense(128, 10))
    >>> print(pt.nn.summary(model, (1, 784)))
    layer                  output shape  parameters
    [0] Dense(784 -> 128)  (1, 128)         100,480
    [1] Activation(relu)   (1, 128)               0
    [2] Dense(128 -> 10)   (1, 10)            1,290
    total                  (1, 10)          101,770
    trainable                               101,770
    """
    shapes: dict[int, str] = {}

    def note(module: Module, result: Any) -> None:
        leaves = [leaf for leaf in tree_leaves(result) if isinstance(leaf, Tensor)]
        shapes[id(module)] = ", ".join(str(leaf.shape) for leaf in leaves)

    watchers.append(note)
    try:
        model(CREATION["zeros"](input_shape, dtype=dtype))
    finally:
        watchers.remove(note)
    total, trained = count_parameters(model)
    rows = [
        ("layer", "output shape", "parameters"),
        *_rows(model, shapes, ""),
        ("total", shapes[id(model)], f"{total:,}"),
        ("trainable", "", f"{trained:,}"),
    ]
    first, second, third = (max(map(len, column)) for column in zip(*rows, strict=True))
    return "\n".join(f"{a:{first}}  {b:{second}}  {c:>{third}}" for a, b, c in rows)


def _rows(module: Module, shapes: dict[int, str], indent: str) -> Iterator[Row]:
    for place, child in module.children():
        name = f"{indent}{place.removeprefix('.')} {described(child)}"
        yield name, shapes.get(id(child), "not called"), f"{count_parameters(child)[0]:,}"
        yield from _rows(child, shapes, indent + "  ")
