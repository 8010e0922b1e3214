"""Texts of numbers in shaders."""

from __future__ import annotations

import math

import pytest

from py_tensor.compiler.codegen.types import KIND
from py_tensor.dtypes import BY_NAME
from py_tensor.language.glsl import GLSL


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        (1.5, "float32", "1.5"),
        (math.nan, "float32", "PT_NAN"),
        (math.inf, "float32", "PT_INF"),
        (-math.inf, "float32", "-PT_INF"),
        (7, "int32", "7"),
        (-(2**31), "int32", "(-2147483647 - 1)"),
        (True, "bool", "1u"),
        (2**32 - 1, "uint32", "4294967295u"),
    ],
)
def test_literals(value, dtype, text):
    assert GLSL.number(value, KIND[BY_NAME[dtype].kind]) == text
