"""Definitions of scans: each element combined with all before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .elementwise import ADD, MULTIPLY
from .op_def import Scan, complex_rules
from .reductions import one, zero
from .rule_types import Array, ArrayNamespace, Functions
from .views import PAD, SLICE


def _reference(function: str, initial: int) -> Callable[..., Any]:
    def scanned(xp: ArrayNamespace, x: Any, arg: tuple[int, bool]) -> Any:
        axis, include_initial = arg
        result = getattr(xp, function)(x, axis=axis, dtype=x.dtype)
        if not include_initial:
            return result
        first = xp.full((*x.shape[:axis], 1, *x.shape[axis + 1 :]), initial, x.dtype)
        return xp.concatenate([first, result], axis=axis)

    return scanned


def _from_end(pt: Functions, g: Array, axis: int) -> Array:
    """Return the sum of each element and all after it."""
    return pt.flip(pt.cumulative_sum(pt.flip(g, axis=axis), axis=axis), axis=axis)


def _without_initial(pt: Functions, g: Array, arg: tuple[int, bool]) -> Array:
    axis, include_initial = arg
    return g[(slice(None),) * axis + (slice(1, None),)] if include_initial else g


def _sum(pt: Functions, g: Array, y: Array, x: Array, arg: Any) -> Array:
    return _from_end(pt, _without_initial(pt, g, arg), arg[0])


def _product(pt: Functions, g: Array, y: Array, x: Array, arg: tuple[int, bool]) -> Array | None:
    """Multiply the product of the elements before i by s[i] = g[i] + x[i+1] s[i+1].

    There is no division, so zeros need no special case, also in higher derivatives. The recurrence
    is solved in steps that double: s[i] over 2 n elements is s[i] over n elements plus the product
    of n elements times s[i+n] over n elements.
    """
    axis, include_initial = arg
    length = x.shape[axis]
    if not x.size:
        return None

    def moved(z: Array, by: int, fill: float) -> Array:
        """Shift elements towards the start, or towards the end if `by` is negative."""
        parts = [(0, n, 1) for n in x.shape]
        parts[axis] = (max(by, 0), length - abs(by), 1)
        widths = [(0, 0, 0)] * x.ndim
        widths[axis] = (max(-by, 0), max(by, 0), 0)
        return pt.apply(PAD, (pt.apply(SLICE, (z,), tuple(parts)), fill), tuple(widths))

    before = moved(y, 0, 1.0) if include_initial else moved(y, -1, 1.0)
    total, product = _without_initial(pt, g, arg), moved(x, 1, 0.0)
    reach = 1
    while reach < length:
        total = total + product * moved(total, reach, 0.0)
        product = product * moved(product, reach, 0.0)
        reach *= 2
    return before * total


# fmt: off
OP_DEFS = (
    Scan(name="cumulative_sum", partwise=True, join=ADD, identity=zero, reference=_reference("cumsum", 0), gradient=(_sum,), public=False, doc="Return the sum of each element and all before it along an axis."),
    Scan(name="cumulative_prod", complex=complex_rules.cumulative_prod, join=MULTIPLY, identity=one, reference=_reference("cumprod", 1), gradient=(_product,), public=False, doc="Return the product of each element and all before it along an axis."),
)
