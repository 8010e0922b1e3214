"""Cases of onnx's backend tests, as files of models and plain arrays.

The onnx package is imported on first use, since the import takes seconds.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class Case(NamedTuple):
    """One call of a model and its expected results."""

    name: str
    operator: str
    """Name of the model's operator, prefixed with its domain if that is not ONNX's own; "" for
    several operators."""
    model: bytes
    inputs: dict[str, Any]
    """Arrays; lists of arrays for sequences."""
    outputs: list[Any]
    """Arrays, None for an output that the case does not check."""
    rtol: float
    atol: float


def load() -> list[Case]:
    """Load the cases of single operators, and those of an operator's definition by others.

    The latter have the suffix `_expanded`.
    """
    with warnings.catch_warnings():
        # The cases themselves divide by zero and overflow.
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        return [_case(case) for case in collect_testcases(None)]


def _case(case: Any) -> Case:
    ((inputs, outputs),) = case.data_sets
    graph, operator = case.model.graph, ""
    if "_expanded" not in case.name:
        (node,) = graph.node
        operator = f"{node.domain}.{node.op_type}" if node.domain else node.op_type
    return Case(
        case.name,
        operator,
        case.model.SerializeToString(),
        {info.name: _array(value) for info, value in zip(graph.input, inputs, strict=True)},
        [_array(value) for value in outputs],
        case.rtol,
        case.atol,
    )


def _array(value: Any) -> Any:
    from onnx import TensorProto, numpy_helper

    if isinstance(value, TensorProto):
        return numpy_helper.to_array(value)
    return value if value is None or isinstance(value, list) else np.asarray(value)


def folder() -> Path:
    """Return the folder of onnx with models and data."""
    import onnx.backend.test

    return Path(onnx.backend.test.__file__).parent / "data"


def load_model(path: Path) -> Case:
    """Load the model of a folder, with its first inputs and outputs."""
    import onnx

    graph = onnx.load(path / "model.onnx").graph
    files = path / "test_data_set_0"
    given = {each.name for each in graph.initializer}
    names = [info.name for info in graph.input if info.name not in given]
    return Case(
        path.name,
        "",
        (path / "model.onnx").read_bytes(),
        {name: tensor_file(files / f"input_{at}.pb") for at, name in enumerate(names)},
        [tensor_file(files / f"output_{at}.pb") for at in range(len(graph.output))],
        1e-3,
        1e-5,
    )


def load_light(path: Path) -> Case:
    """Load one of the models of photos, whose weights are constant; their input is made here."""
    shape = (1, 3, 224, 224)
    ramp = np.arange(np.prod(shape), dtype="float32").reshape(shape) / np.prod(shape)
    import onnx

    graph = onnx.load(path).graph
    given = {each.name for each in graph.initializer}
    (name,) = (info.name for info in graph.input if info.name not in given)
    expected = tensor_file(path.with_name(f"{path.stem}_output_0.pb"))
    return Case(path.stem, "", path.read_bytes(), {name: ramp}, [expected], 1e-3, 1e-5)


def tensor_file(path: Path) -> Any:
    from onnx import TensorProto

    tensor = TensorProto()
    tensor.ParseFromString(path.read_bytes())
    return _array(tensor)
