"""Reduction rows: how two partial results combine, and what combines with anything to itself."""

from __future__ import annotations

import operator
from typing import Any

from ..dtypes import DType
from . import complexes, plain
from .rows import Reduction


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
    # -2147483648 is no literal: the minus applies to a number that does not fit.
    return f"({value + 1} - 1)" if value < 0 else str(value)


def _extreme(pt: Any, g: Any, y: Any, x: Any, axes: Any) -> Any:
    """To all elements that are the extreme, in equal parts."""
    equal = x == y
    # More than a half can count may be equal.
    count = pt.sum(equal.astype("float32"), axis=axes, keepdims=True)
    return pt.where(equal, g / count, 0.0)


def _product(pt: Any, g: Any, y: Any, x: Any, axes: tuple[int, ...]) -> Any:
    """The product of all elements before by that of all behind: y / x would not do for zeros."""
    if not x.size:
        return None
    order = (*(axis for axis in range(x.ndim) if axis not in axes), *axes)
    turned = pt.permute_dims(x, order)
    rows = pt.reshape(turned, (*turned.shape[: x.ndim - len(axes)], -1))

    def before(z: Any) -> Any:
        return pt.cumulative_prod(z, axis=-1, include_initial=True)[..., :-1]

    others = before(rows) * pt.flip(before(pt.flip(rows, axis=-1)), axis=-1)
    others = pt.reshape(others, turned.shape)
    return g * pt.permute_dims(others, tuple(order.index(axis) for axis in range(x.ndim)))


# fmt: off
SUM = Reduction(name="sum", partwise=True, reference="sum", result="sum", dtypes="all", identity=zero, combine="{0} + {1}", host=operator.add,
    gradient=(lambda pt, g, y, x, axes: pt.broadcast_to(g, x.shape),), doc="Sum of the elements along axes.")
MAX = Reduction(name="max", reference="max", identity=_lowest, combine="pt_reduce_max({0}, {1})", tolerance=0.0, host=plain.maximum, gradient=(_extreme,), doc="Largest element along axes; NaN if any is.")
MIN = Reduction(name="min", reference="min", identity=_highest, combine="pt_reduce_min({0}, {1})", tolerance=0.0, host=plain.minimum, gradient=(_extreme,), doc="Smallest element along axes; NaN if any is.")

ROWS = (
    SUM,
    Reduction(name="prod", complex=complexes.prod, reference="prod", result="sum", dtypes="all", identity=one, combine="{0} * {1}", host=operator.mul,
        gradient=(_product,), doc="Product of the elements along axes."),
    MAX,
    MIN,
    Reduction(name="any", complex=complexes.any_, reference="any", result="bool", dtypes="all", identity=zero, combine="{0} | {1}", tolerance=0.0, host=operator.or_, doc="Whether any element along axes is not zero."),
    Reduction(name="all", complex=complexes.all_, reference="all", result="bool", dtypes="all", identity=one, combine="{0} & {1}", tolerance=0.0, host=operator.and_, doc="Whether all elements along axes are not zero."),
    Reduction(name="argmax", reference="argmax", index=True, extreme=MAX, identity=_lowest, combine="pt_beats_greater", tolerance=0.0, host=plain.maximum, doc="Position of the first largest element along one axis."),
    Reduction(name="argmin", reference="argmin", index=True, extreme=MIN, identity=_highest, combine="pt_beats_less", tolerance=0.0, host=plain.minimum, doc="Position of the first smallest element along one axis."),
)
