"""The op table as test parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers import HALF, sample

from py_tensor.dtypes import CATEGORIES, DTYPES, DType
from py_tensor.ops import ROWS
from py_tensor.ops.rows import Elementwise, Reduction

ELEMENTWISE = [row for row in ROWS.values() if isinstance(row, Elementwise) and row.public]
REDUCTIONS = [row for row in ROWS.values() if isinstance(row, Reduction)]


def dtypes_of(row: Any) -> list[DType]:
    """The dtypes a row allows."""
    return [dtype for dtype in DTYPES if dtype.kind in CATEGORIES[row.dtypes]]


def each_dtype(rows: list[Any]) -> pytest.MarkDecorator:
    """Parameters `row` and `dtype`: every row with every dtype it allows."""
    cases = [
        pytest.param(row, dtype, id=f"{row.name}-{dtype}")
        for row in rows
        for dtype in dtypes_of(row)
    ]
    return pytest.mark.parametrize(("row", "dtype"), cases)


def each(rows: list[Any]) -> pytest.MarkDecorator:
    """The parameter `row`."""
    return pytest.mark.parametrize("row", [pytest.param(row, id=row.name) for row in rows])


def operands(rng: np.random.Generator, row: Elementwise, dtype: DType, shapes: Any) -> list[Any]:
    """An array for each shape, from the row's sample range; integer exponents are not negative."""
    ranges: Any = row.sample
    if not isinstance(ranges[0], tuple):
        ranges = (ranges,) * len(shapes)
    if row.name == "pow" and dtype.kind != "f":
        ranges = ((-9, 9), (0, 12))
    return [
        sample(rng, shape, "bool" if row.name == "where" and at == 0 else dtype, *limits)
        for at, (shape, limits) in enumerate(zip(shapes, ranges, strict=True))
    ]


def tolerance(row: Any, dtype: DType) -> float:
    """The relative error a row's result may have."""
    if dtype.kind != "f" or row.tolerance == 0.0:
        return 0.0
    return max(row.tolerance, HALF) if dtype.itemsize == 2 else float(row.tolerance)
