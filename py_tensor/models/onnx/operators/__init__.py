"""ONNX operators in terms of py_tensor: a table with one row per operator.

Input: tensors and attributes, with ONNX's defaults. Output: tensors. A row's function takes the
operator's inputs by position, or None for an omitted one, and its attributes by keyword. Inputs
that older versions have as attributes are parameters of the attribute's name. An option without an
equivalent in py_tensor raises ModelError. (https://onnx.ai/onnx/operators)
"""

from __future__ import annotations

from importlib import import_module

from ...execution import Operator

_MODULES = """
    attention control_flow elementwise images indexing linear_algebra losses microsoft movement
    normalization quantization random_numbers recurrent reductions resizing sequences signals
    sources vision
"""
"""Modules with the rows of the table."""
OPERATORS: dict[str, Operator] = {}
for _module in _MODULES.split():
    OPERATORS |= import_module(f".{_module}", __name__).OPERATORS
