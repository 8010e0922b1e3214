"""Op definitions of the op table as test parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers import HALF, sample

from py_tensor.dtypes import CATEGORIES, DTYPES, DType
from py_tensor.ops import OP_DEFS
from py_tensor.ops.op_def import Elementwise, Reduction

ELEMENTWISE = [op for op in OP_DEFS.values() if isinstance(op, Elementwise) and op.public]
REDUCTIONS = [op for op in OP_DEFS.values() if isinstance(op, Reduction)]


def dtypes_of(op: Any) -> list[DType]:
    """Dtypes that an op definition allows."""
    return [dtype for dtype in DTYPES if dtype.kind in CATEGORIES[op.dtypes]]


def each_dtype(ops: list[Any]) -> pytest.MarkDecorator:
    """Parametrize `op` and `dtype`: every op definition with every dtype it allows."""
    cases = [
        pytest.param(op, dtype, id=f"{op.name}-{dtype}") for op in ops for dtype in dtypes_of(op)
    ]
    return pytest.mark.parametrize(("op", "dtype"), cases)


def each(ops: list[Any]) -> pytest.MarkDecorator:
    """Parametrize `op`: every op definition."""
    return pytest.mark.parametrize("op", [pytest.param(op, id=op.name) for op in ops])


def operands(rng: np.random.Generator, op: Elementwise, dtype: DType, shapes: Any) -> list[Any]:
    """Draw an array per shape from the op's sample range; integer exponents are not negative."""
    ranges: Any = op.sample
    if not isinstance(ranges[0], tuple):
        ranges = (ranges,) * len(shapes)
    if op.name == "pow" and dtype.kind != "f":
        ranges = ((-9, 9), (0, 12))
    return [
        sample(rng, shape, "bool" if op.name == "where" and at == 0 else dtype, *limits)
        for at, (shape, limits) in enumerate(zip(shapes, ranges, strict=True))
    ]


def tolerance(op: Any, dtype: DType) -> float:
    """Relative error allowed for an op's result."""
    if dtype.kind != "f" or op.tolerance == 0.0:
        return 0.0
    return max(op.tolerance, HALF) if dtype.itemsize == 2 else float(op.tolerance)
