"""Definitions of reductions: how two partial results combine, and the identity element."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from ..dtypes import DType
from .op_def import Reduction, by_kind, complex_rules
from .rule_types import Array, Functions


def zero(dtype: DType) -> int:
    return 0


def one(dtype: DType) -> int:
    return 1


def _lowest(dtype: DType) -> int | float:
    return -math.inf if dtype.kind == "f" else dtype.lowest


def _highest(dtype: DType) -> int | float:
    return math.inf if dtype.kind == "f" else dtype.highest


def _extreme(pt: Functions, g: Array, y: Array, x: Array, axes: Any) -> Array:
    """Distribute the cotangent equally among all elements that are equal to the extreme."""
    equal = x == y
    # Count in float32, since more elements may be equal than float16 can count.
    count = pt.sum(equal.astype("float32"), axis=axes, keepdims=True)
    return pt.where(equal, g / count, 0.0)


def _product(pt: Functions, g: Array, y: Array, x: Array, axes: tuple[int, ...]) -> Array | None:
    """Multiply the products of all elements before and after each; y / x would fail for zeros."""
    if not x.size:
        return None
    order = (*(axis for axis in range(x.ndim) if axis not in axes), *axes)
    permuted = pt.permute_dims(x, order)
    rows = pt.reshape(permuted, (*permuted.shape[: x.ndim - len(axes)], -1))

    def before(z: Array) -> Array:
        return pt.cumulative_prod(z, axis=-1, include_initial=True)[..., :-1]

    rest = before(rows) * pt.flip(before(pt.flip(rows, axis=-1)), axis=-1)
    rest = pt.reshape(rest, permuted.shape)
    return g * pt.permute_dims(rest, tuple(order.index(axis) for axis in range(x.ndim)))


# fmt: off
SUM = Reduction(name="sum", partwise=True, reference="sum", result="sum", dtypes="all", identity=zero, combine="x + y",
    gradient=(lambda pt, g, y, x, axes: pt.broadcast_to(g, x.shape),), doc="Return the sum of the elements along axes.")
MAX = Reduction(name="max", complex=partial(complex_rules.extreme, name="max"), reference="max", identity=_lowest, combine=by_kind("maximum(x, y)", "max(x, y)"), tolerance=0.0, gradient=(_extreme,), doc="Return the largest element along axes; NaN if any element is NaN.")
MIN = Reduction(name="min", complex=partial(complex_rules.extreme, name="min"), reference="min", identity=_highest, combine=by_kind("minimum(x, y)", "min(x, y)"), tolerance=0.0, gradient=(_extreme,), doc="Return the smallest element along axes; NaN if any element is NaN.")

OP_DEFS = (
    SUM,
    Reduction(name="prod", complex=complex_rules.prod, reference="prod", result="sum", dtypes="all", identity=one, combine="x * y",
        gradient=(_product,), doc="Return the product of the elements along axes."),
    MAX,
    MIN,
    Reduction(name="any", complex=complex_rules.any_, reference="any", result="bool", dtypes="all", identity=zero, combine="x | y", tolerance=0.0, doc="Return True if any element along axes is not zero."),
    Reduction(name="all", complex=complex_rules.all_, reference="all", result="bool", dtypes="all", identity=one, combine="x & y", tolerance=0.0, doc="Return True if all elements along axes are not zero."),
    Reduction(name="argmax", complex=partial(complex_rules.position_of_extreme, name="max"), reference="argmax", index=True, extreme=MAX, identity=_lowest, combine="beats_greater(x, y, z, w)", tolerance=0.0, doc="Return the index of the first largest element along one axis."),
    Reduction(name="argmin", complex=partial(complex_rules.position_of_extreme, name="min"), reference="argmin", index=True, extreme=MIN, identity=_highest, combine="beats_less(x, y, z, w)", tolerance=0.0, doc="Return the index of the first smallest element along one axis."),
)
