"""Cases by which the formulas of op definitions are compared in each shader language."""

from typing import Any

import numpy as np
import pytest
import reference
from op_defs import operands

from py_tensor.dtypes import CATEGORIES, DType, bool_, float16, float32, int32, uint32
from py_tensor.ops import OP_DEFS
from py_tensor.ops.elementwise import CAST
from py_tensor.ops.op_def import Elementwise, Fixed

SPECIAL = np.float32(
    [np.inf, -np.inf, np.nan, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 2.5, -3.0, 1e30, -1e30]
)


def kind(dtype: DType) -> str:
    return "m" if dtype.kind == "b" else dtype.kind


def stored(dtype: DType) -> str:
    return "uint32" if dtype is bool_ else {"f": "float32"}.get(dtype.kind, dtype.name)


def cases() -> list[Any]:
    """Return every elementwise operation with the dtypes of 32 bits and bool that it allows."""
    found = []
    for op in OP_DEFS.values():
        if not isinstance(op, Elementwise) or op is CAST:
            continue
        if isinstance(op, Fixed):
            found.append((op, op.takes[0]))
            continue
        halves = [float16] if isinstance(op.formula, dict) and "float16" in op.formula else []
        for dtype in (float32, *halves, int32, uint32, bool_):
            if dtype.kind in CATEGORIES[op.dtypes]:
                found.append((op, dtype))
    return [pytest.param(op, dtype, id=f"{op.name}-{dtype}") for op, dtype in found]


def arrays(rng: np.random.Generator, op: Elementwise, dtype: DType) -> list[Any]:
    """Draw operands of 1024 elements."""
    if not isinstance(op, Fixed):
        return operands(rng, op, dtype, [(1024,)] * op.arity)
    if op.name == "cos_of_turn":
        n = rng.integers(1, 1 << 28, 1024)
        return [(rng.random(1024) * 2 * n).astype("int32"), n.astype("int32")]
    return [rng.integers(0, 1 << 32, 1024, dtype="uint32") for _ in op.takes]


def expected(op: Any, given: list[Any]) -> Any:
    """Return what NumPy computes, independently of the op definition if it is public."""
    if op.public:
        return reference.result(op.name, *given)
    function = op.reference if callable(op.reference) else getattr(np, op.reference)
    with np.errstate(all="ignore"):
        return function(np, *given) if callable(op.reference) else function(*given)
