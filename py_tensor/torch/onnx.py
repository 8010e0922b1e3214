"""Export modules to ONNX: `torch.onnx`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..ir.pytree import tree_map
from ..models import to_onnx
from ..tensor import Tensor as Value
from .autograd import no_grad
from .tensor import Tensor


def export(model: Any, args: Any, f: Any = None, **kwargs: Any) -> None:
    """Write an ONNX file of a module for the shapes of its arguments.

    Args:
        model: Module, or function of tensors.
        args: Example of the arguments: a tensor, or a tuple of tensors and tuples.
        f: Path of the file, or a binary file.
        **kwargs: `input_names` and `output_names`; others are ignored.
    """
    examples = tree_map(_value, args if isinstance(args, tuple) else (args,))

    def function(*values: Any) -> Any:
        with no_grad():
            return tree_map(_value, model(*tree_map(_tensor, values)))

    names = {name: kwargs[name] for name in ("input_names", "output_names") if kwargs.get(name)}
    data = to_onnx(function, *examples, **names)
    if hasattr(f, "write"):
        f.write(data)
    else:
        Path(f).write_bytes(data)


def _value(leaf: Any) -> Any:
    return leaf._value if isinstance(leaf, Tensor) else leaf


def _tensor(leaf: Any) -> Any:
    return Tensor._of(leaf) if isinstance(leaf, Value) else leaf
