"""The cases of onnx's backend tests of single operators, as plain arrays and attributes.

Imports onnx, which takes seconds, when they are asked for and not before.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np


class Case(NamedTuple):
    """One call of an operator, and what it must give."""

    name: str
    operator: str
    """With its domain before it, where that is not ONNX's own."""
    inputs: list[Any]
    """Arrays, None where one is left out; lists of arrays for sequences."""
    attributes: dict[str, Any]
    outputs: list[Any]
    """Arrays, None where the operator gives one more than the case asks for."""
    rtol: float
    atol: float


def load() -> list[Case]:
    """Every case but those that run an operator's definition in terms of others.

    Such a case has the name and the data of another, with `_expanded` behind it.
    """
    with warnings.catch_warnings():
        # The cases themselves divide by zero and overflow.
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        given = collect_testcases(None)
    names = {case.name for case in given}
    return [_case(case) for case in given if not _is_expanded(case.name, names)]


def _is_expanded(name: str, names: set[str]) -> bool:
    base, mark, _ = name.rpartition("_expanded")
    return bool(mark) and base in names


def _case(case: Any) -> Case:
    (node,) = case.model.graph.node
    ((inputs, outputs),) = case.data_sets
    attributes = {attribute.name: _attribute(attribute) for attribute in node.attribute}
    if node.op_type == "Split":
        # Older versions leave it to the number of results.
        attributes.setdefault("num_outputs", len(node.output))
    operator = f"{node.domain}.{node.op_type}" if node.domain else node.op_type
    return Case(
        case.name,
        operator,
        _placed(node.input, inputs),
        attributes,
        _placed(node.output, outputs),
        case.rtol,
        case.atol,
    )


def _placed(names: Any, values: Any) -> list[Any]:
    """Values in the places of the names that are not empty."""
    left = iter(values)
    return [_array(next(left)) if name else None for name in names]


def _array(value: Any) -> Any:
    from onnx import TensorProto, numpy_helper

    if isinstance(value, TensorProto):
        return numpy_helper.to_array(value)
    return value if value is None or isinstance(value, list) else np.asarray(value)


def _attribute(attribute: Any) -> Any:
    from onnx import TensorProto, helper

    value = helper.get_attribute_value(attribute)
    if isinstance(value, TensorProto):
        return _array(value)
    return value.decode() if isinstance(value, bytes) else value
