"""What the op table, and calls with each dtype, say of a function beside its docstring."""

import inspect
import operator
import runpy
from collections.abc import Callable
from typing import Any

from public_api import ROOT

import py_tensor as pt
from py_tensor import functions
from py_tensor.dtypes import BY_NAME, CATEGORIES, DTYPES, DType, bool_, complex64, float32
from py_tensor.errors import DTypeError, ShapeError
from py_tensor.ops import ROWS
from py_tensor.ops.elementwise import flat
from py_tensor.ops.rows import Cast, Elementwise, Row, Where

WITHOUT: dict[str, str] = runpy.run_path(str(ROOT / "tests" / "no_gradient.py"))["WITHOUT"]
SHAPES = (2, 2), (2,)
"""Some functions need two axes, others no more than one."""


def facts_of(function: Callable[..., Any]) -> list[tuple[str, str]]:
    """Labels and texts about a function; those of the top level have the row of their name."""
    name = function.__name__
    row = ROWS.get(name) if functions.PUBLIC.get(name) is function else None
    results = results_of(function, row)
    found = []
    if results:
        found.append(("Dtypes", f"{described(results)}; result: {result_described(results)}"))
    if row is not None:
        found.append(("Gradient", gradient_described(row, function)))
        tolerance = getattr(row, "tolerance", None)
        if tolerance is not None and results.get(float32) is float32:
            found.append(("Error", f"up to {tolerance:g}" if tolerance else "none"))
    if functions.METHODS.get(name) is function:
        found.append(("Method", f"`x.{name}`"))
    if isinstance(row, Elementwise) and written(row.dunder):
        found.append(("Operator", f"`{written(row.dunder)}`"))
    return found


def written(dunder: str) -> str:
    """How Python writes an operator: "a + b"; "" for methods that are none."""
    document = getattr(operator, dunder).__doc__ if hasattr(operator, dunder) else ""
    return document.removeprefix("Same as ").rstrip(".")


def results_of(function: Callable[..., Any], row: Row | None) -> dict[DType, DType]:
    """The result's dtype for each dtype that all operands may have; empty for other functions."""
    if isinstance(row, Elementwise) and not isinstance(row, Cast):
        count = row.arity
    else:
        parameters = inspect.signature(function).parameters.values()
        needed = [p.name for p in parameters if p.default is p.empty]
        if not needed or not {"x", "x1", "x2"}.issuperset(needed):
            return {}
        count = len(needed)
    results = {}
    for dtype in BY_NAME.values():
        for shape in SHAPES:
            operands = [pt.zeros(shape, dtype=dtype)] * count
            if isinstance(row, Where):
                operands[0] = pt.zeros(shape, dtype=bool_)
            try:
                result = function(*operands)
            except ShapeError:
                continue
            except DTypeError:
                break
            if isinstance(result, pt.Tensor):
                results[dtype] = result.dtype
            break
    return results


def described(dtypes: Any) -> str:
    """Dtypes by the names that the table and the error texts have for them."""
    real = {dtype for dtype in dtypes if dtype is not complex64}
    for category, kinds in CATEGORIES.items():
        if real == {dtype for dtype in DTYPES if dtype.kind in kinds}:
            if category == "all":
                return category if complex64 in dtypes else "all but complex64"
            return f"{category}, complex64" if complex64 in dtypes else category
    return ", ".join(str(dtype) for dtype in dtypes)


def result_described(results: dict[DType, DType]) -> str:
    """The result's dtype, and which operands' dtypes give another one."""
    if len(set(results.values())) == 1:
        return str(next(iter(results.values())))
    texts = ["the same"]
    for dtype in dict.fromkeys(results.values()):
        others = [str(given) for given, result in results.items() if result is dtype is not given]
        if others:
            texts.append(f"{dtype} for {', '.join(others)}")
    return "; ".join(texts)


def gradient_described(row: Row, function: Callable[..., Any]) -> str:
    """Whether there is a gradient, to which operands, or why there is none."""
    if row.gradient is None:
        return f"none: {WITHOUT.get(row.name, 'it has no rule')}"
    if not isinstance(row.gradient, tuple):
        return "yes"
    kinds = ["none" if rule is None else "zero" if rule is flat else "yes" for rule in row.gradient]
    if len(set(kinds)) == 1:
        return kinds[0]
    names = [f"`{name}`" for name in inspect.signature(function).parameters][: len(kinds)]
    return "; ".join(
        f"{kind} for {', '.join(n for n, k in zip(names, kinds, strict=True) if k == kind)}"
        for kind in sorted(set(kinds), key=kinds.index)
    )
