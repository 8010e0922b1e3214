"""docs/models.md lists every operator and layer of the tables of all formats, by its module."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from py_tensor.models.onnx import operators as onnx_operators
from py_tensor.models.tfjs import layers as tfjs_layers, operators as tfjs_operators
from py_tensor.models.tfjs.layers.recorded import OPERATIONS
from py_tensor.models.tflite import operators as tflite_operators

pytestmark = pytest.mark.host

PAGE = Path(__file__).parents[2] / "docs" / "models.md"
INTERNAL = {"Alias", "Function"}
"""Operators that readers add."""


def table(operators: ModuleType) -> str:
    """Return the text of the table; copy it to the page after a change of the rows."""
    lines = ["| Operators | Names |", "|---|---|"]
    folder = Path(str(operators.__file__)).parent
    for path in sorted(folder.glob("*.py")):
        module = import_module(f"{operators.__name__}.{path.stem}")
        names = sorted(set(getattr(module, "OPERATORS", {})) - INTERNAL)
        if names and path.stem != "__init__":
            title = path.stem.replace("_", " ")
            lines.append(f"| {title} | {' '.join(f'`{name}`' for name in names)} |")
    return "\n".join(lines)


@pytest.mark.parametrize("operators", [onnx_operators, tfjs_operators, tflite_operators])
def test_the_table_of_operators_is_complete(operators: ModuleType) -> None:
    rows = table(operators)
    assert rows in PAGE.read_text(), f"docs/models.md needs this table:\n{rows}"
    listed = rows.count("`") // 2
    assert listed == len(set(operators.OPERATORS) - INTERNAL)


def layers() -> str:
    """Return the text of the table of layers."""
    rows = {chapter: [*found] for chapter, found in tfjs_layers.CHAPTERS.items()}
    rows["models and wrappers"] = [
        "Bidirectional", "Functional", "InputLayer", "RNN", "Sequential", "StackedRNNCells",
        "TimeDistributed",
    ]  # fmt: skip
    lines = ["| Layers | Names |", "|---|---|"]
    for chapter, names in rows.items():
        lines.append(f"| {chapter} | {' '.join(f'`{name}`' for name in sorted(names))} |")
    return "\n".join(lines)


def test_the_table_of_layers_is_complete() -> None:
    rows = layers()
    assert rows in PAGE.read_text(), f"docs/models.md needs this table:\n{rows}"
    assert rows.count("`") // 2 == len(tfjs_layers.LAYERS) + 7


def test_the_table_of_recorded_operations_is_complete() -> None:
    names = " ".join(f"`{name}`" for name in sorted(OPERATIONS))
    assert f"| `TFOpLambda` `SlicingOpLambda` | {names} |" in PAGE.read_text()
