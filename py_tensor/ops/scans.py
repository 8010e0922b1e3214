"""Scan rows: each element combined with all before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .elementwise import ADD, MULTIPLY
from .reductions import one, zero
from .rows import Scan


def _reference(function: str, initial: int) -> Callable[..., Any]:
    def scanned(xp: Any, x: Any, arg: tuple[int, bool]) -> Any:
        axis, include_initial = arg
        result = getattr(xp, function)(x, axis=axis, dtype=x.dtype)
        if not include_initial:
            return result
        first = xp.full((*x.shape[:axis], 1, *x.shape[axis + 1 :]), initial, x.dtype)
        return xp.concatenate([first, result], axis=axis)

    return scanned


def _from_end(pt: Any, g: Any, axis: int) -> Any:
    """The sum of each element and all behind it."""
    return pt.flip(pt.cumulative_sum(pt.flip(g, axis=axis), axis=axis), axis=axis)


def _without_initial(pt: Any, g: Any, arg: tuple[int, bool]) -> Any:
    axis, include_initial = arg
    return g[(slice(None),) * axis + (slice(1, None),)] if include_initial else g


def _sum(pt: Any, g: Any, y: Any, x: Any, arg: Any) -> Any:
    return _from_end(pt, _without_initial(pt, g, arg), arg[0])


def _product(pt: Any, g: Any, y: Any, x: Any, arg: Any) -> Any:
    """Sums of g y / x from the end; the first zero, behind which all y are zero, counts as one."""
    axis = arg[0]
    g = _without_initial(pt, g, arg)
    zero = x == 0.0
    zeros = pt.cumulative_sum(zero, axis=axis)
    first = zero & (zeros == 1)
    at_first = _from_end(
        pt,
        pt.where(zeros == 0, 0.0, g * pt.cumulative_prod(pt.where(first, 1.0, x), axis=axis)),
        axis,
    )
    before = _from_end(pt, g * _without_initial(pt, y, arg), axis) / pt.where(zero, 1.0, x)
    return pt.where(zeros == 0, before, pt.where(first, at_first, 0.0))


# fmt: off
ROWS = (
    Scan(name="cumulative_sum", join=ADD, identity=zero, reference=_reference("cumsum", 0), gradient=(_sum,), public=False, doc="Sum of each element and all before it along an axis."),
    Scan(name="cumulative_prod", join=MULTIPLY, identity=one, reference=_reference("cumprod", 1), gradient=(_product,), public=False, doc="Product of each element and all before it along an axis."),
)
