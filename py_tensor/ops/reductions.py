"""Definitions of reductions: how two partial results combine, and the identity element."""

from __future__ import annotations

import operator
from typing import Any

from ..dtypes import DType
from . import host_functions
from .op_def import Reduction, complex_rules


def _constant(f: str, i: str, u: str, b: str = "0u") -> dict[str, str]:
    return {"f": f, "i": i, "u": u, "b": b}


def zero(dtype: DType) -> str:
    return _constant("0.0", "0", "0u")[dtype.kind]


def one(dtype: DType) -> str:
    return _constant("1.0", "1", "1u", "1u")[dtype.kind]


def _lowest(dtype: DType) -> str:
    return "-PT_INF" if dtype.kind == "f" else _integer(dtype.lowest, dtype)


def _highest(dtype: DType) -> str:
    return "PT_INF" if dtype.kind == "f" else _integer(dtype.highest, dtype)


def _integer(value: int, dtype: DType) -> str:
    if dtype.kind == "u":
        return f"{value}u"
    # GLSL has no literal -2147483648: it is minus applied to 2147483648, which does not fit.
    return f"({value + 1} - 1)" if value < 0 else str(value)


def _extreme(pt: Any, g: Any, y: Any, x: Any, axes: Any) -> Any:
    """Distribute the cotangent equally among all elements that are equal to the extreme."""
    equal = x == y
    # Count in float32, since more elements may be equal than float16 can count.
    count = pt.sum(equal.astype("float32"), axis=axes, keepdims=True)
    return pt.where(equal, g / count, 0.0)


def _product(pt: Any, g: Any, y: Any, x: Any, axes: tuple[int, ...]) -> Any:
    """Multiply the products of all elements before and after each; y / x would fail for zeros."""
    if not x.size:
        return None
    order = (*(axis for axis in range(x.ndim) if axis not in axes), *axes)
    permuted = pt.permute_dims(x, order)
    rows = pt.reshape(permuted, (*permuted.shape[: x.ndim - len(axes)], -1))

    def before(z: Any) -> Any:
        return pt.cumulative_prod(z, axis=-1, include_initial=True)[..., :-1]

    others = before(rows) * pt.flip(before(pt.flip(rows, axis=-1)), axis=-1)
    others = pt.reshape(others, permuted.shape)
    return g * pt.permute_dims(others, tuple(order.index(axis) for axis in range(x.ndim)))


# fmt: off
SUM = Reduction(name="sum", partwise=True, reference="sum", result="sum", dtypes="all", identity=zero, combine="{0} + {1}", host=operator.add,
    gradient=(lambda pt, g, y, x, axes: pt.broadcast_to(g, x.shape),), doc="Return the sum of the elements along axes.")
MAX = Reduction(name="max", reference="max", identity=_lowest, combine="pt_reduce_max({0}, {1})", tolerance=0.0, host=host_functions.maximum, gradient=(_extreme,), doc="Return the largest element along axes; NaN if any element is NaN.")
MIN = Reduction(name="min", reference="min", identity=_highest, combine="pt_reduce_min({0}, {1})", tolerance=0.0, host=host_functions.minimum, gradient=(_extreme,), doc="Return the smallest element along axes; NaN if any element is NaN.")

OP_DEFS = (
    SUM,
    Reduction(name="prod", complex=complex_rules.prod, reference="prod", result="sum", dtypes="all", identity=one, combine="{0} * {1}", host=operator.mul,
        gradient=(_product,), doc="Return the product of the elements along axes."),
    MAX,
    MIN,
    Reduction(name="any", complex=complex_rules.any_, reference="any", result="bool", dtypes="all", identity=zero, combine="{0} | {1}", tolerance=0.0, host=operator.or_, doc="Return True if any element along axes is not zero."),
    Reduction(name="all", complex=complex_rules.all_, reference="all", result="bool", dtypes="all", identity=one, combine="{0} & {1}", tolerance=0.0, host=operator.and_, doc="Return True if all elements along axes are not zero."),
    Reduction(name="argmax", reference="argmax", index=True, extreme=MAX, identity=_lowest, combine="pt_beats_greater", tolerance=0.0, host=host_functions.maximum, doc="Return the index of the first largest element along one axis."),
    Reduction(name="argmin", reference="argmin", index=True, extreme=MIN, identity=_highest, combine="pt_beats_less", tolerance=0.0, host=host_functions.minimum, doc="Return the index of the first smallest element along one axis."),
)
