"""Model summary: a table of layers, output shapes and parameter counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..dtypes import as_dtype, float32, wrong_type
from ..functions.arguments import a_shape
from ..functions.creation import zeros
from ..ir.pytree import tree_leaves
from ..tensor import Tensor
from ..typing import DTypeLike, ShapeLike
from .module import Module, count_parameters, described, watchers

TableRow = tuple[str, str, str]


def summary(model: Module, input_shape: ShapeLike, *, dtype: DTypeLike = float32) -> str:
    """Return a table of a model's layers, with output shapes and numbers of parameters.

    The model is called once on zeros. Evaluation is lazy, so nothing is computed.

    Args:
        model: Module that takes one tensor.
        input_shape: Shape of the input, including the batch axis.
        dtype: Dtype of the input; default float32.

    Returns:
        Table as text, one line per layer.

    Raises:
        TensorError: As the model does for such an input.

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
    if not isinstance(model, Module):
        raise wrong_type("summary", "model", "a module", model)
    example = zeros(a_shape("summary", input_shape), dtype=as_dtype(dtype, "summary"))
    shapes: dict[int, str] = {}

    def record_shapes(module: Module, result: Any) -> None:
        leaves = [leaf for leaf in tree_leaves(result) if isinstance(leaf, Tensor)]
        shapes[id(module)] = ", ".join(str(leaf.shape) for leaf in leaves)

    before = watchers.set((*watchers.get(), record_shapes))
    try:
        model(example)
    finally:
        watchers.reset(before)
    total, trained = count_parameters(model)
    layers = list(_layer_rows(model, shapes, ""))
    rows = [
        ("layer", "output shape", "parameters"),
        *(layers or [(described(model), shapes[id(model)], f"{total:,}")]),
        ("total", shapes[id(model)], f"{total:,}"),
        ("trainable", "", f"{trained:,}"),
    ]
    first, second, third = (max(map(len, column)) for column in zip(*rows, strict=True))
    return "\n".join(f"{a:{first}}  {b:{second}}  {c:>{third}}" for a, b, c in rows)


def _layer_rows(module: Module, shapes: dict[int, str], indent: str) -> Iterator[TableRow]:
    for path, child in module.children():
        name = f"{indent}{path.removeprefix('.')} {described(child)}"
        yield name, shapes.get(id(child), "not called"), f"{count_parameters(child)[0]:,}"
        yield from _layer_rows(child, shapes, indent + "  ")
