"""Cumulative functions: each element combined with all before it along an axis."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

from ..dtypes import as_dtype, float32
from ..errors import ShapeError
from ..nodes import node_of
from ..ops import ROWS
from ..ops.rows import Scan
from ..tensor import Tensor, as_tensor, node_behind
from .axes import one_axis
from .elementwise import astype
from .naming import presented
from .remembering import remembered


def _function_of(row: Scan) -> Callable[..., Tensor]:
    def function(
        x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
    ) -> Tensor:
        given = as_tensor(row.name, x)
        shape = node_behind(row.name, given).spec.shape
        if axis is None and len(shape) != 1:
            raise ShapeError(
                f"{row.name}: no axis to go along; got shape {shape}; "
                + ("give axis" if shape else "reshape it to one axis")
            )
        place = one_axis(row.name, axis or 0, len(shape))
        target = None if dtype is None else as_dtype(dtype, row.name)
        if target is not None:
            given = astype(given, target, copy=False)
        # Halves add up in float32, as in mean.
        half = given.dtype.kind == "f" and given.dtype.itemsize == 2
        wide = astype(given, float32) if half else given
        result = Tensor(node_of(row, (wide._node,), (place, bool(include_initial))))
        target = given.dtype if half else target
        return result if target is None else astype(result, target, copy=False)

    doc = (
        f"{row.doc}\n\n"
        "`axis` may be left out where x has only one. With `include_initial` the result is one\n"
        "longer and starts with what is before the first element. `dtype` is the result's; x is\n"
        "converted to it first. Small integers and bool give 32 bits where it is left out.\n"
        "Raises ShapeError for axes that do not exist.\n\n"
        ">>> import py_tensor as pt\n"
        f">>> pt.{row.name}(pt.asarray([2, 3, 4])).tolist()\n"
        f"{list(accumulate([2, 3, 4], row.join.host))}\n"
    )
    return presented(function, row.name, doc)


PUBLIC: dict[str, Callable[..., Tensor]] = {
    row.name: remembered(_function_of(row)) for row in ROWS.values() if isinstance(row, Scan)
}
