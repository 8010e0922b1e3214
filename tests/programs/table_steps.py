"""Steps made from ops of the table: elementwise operations, reductions, casts."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import reference
from hypothesis import strategies as st
from op_defs import ELEMENTWISE, REDUCTIONS, dtypes_of

from .program import DTYPES, RandomProgram, choose, wide

STEPWISE = {
    "floor_divide",
    "remainder",
    "floor",
    "ceil",
    "trunc",
    "round",
    "sign",
    "nextafter",
    "signbit",
}
"""Ops whose result can jump after one rounding; their operands must be exact."""
STEEP = {"pow", "tan", "divide", "reciprocal", "copysign", "atan2"}
"""Ops whose result is as sensitive at some points."""
PERIODIC = {"cos", "sin"}
"""Ops of angles, which are kept below 64: a result has the absolute error of its angle."""
UNROUNDED = {"abs", "negative", "positive", "maximum", "minimum", "relu", "floor", "ceil", "trunc"}
"""Ops whose result is exact for exact floats."""


def takes_rounded(op: Any) -> bool:
    """Return True if an error of an operand is about as large in the result."""
    return op.name not in STEPWISE | STEEP and op.sample == (-4.0, 4.0) and op.result != "bool"


def joint(a: str, b: str) -> str | None:
    """Common promoted dtype of two, or None if one of them would be rounded."""
    if "f" in (a[0], b[0]):
        return a if a == b else None
    both = np.promote_types(a, b).name
    return both if both in DTYPES else None


def elementwise(op: Any, draw: Any, program: RandomProgram) -> None:
    allowed = [
        at
        for at, (tensor, _) in enumerate(program.values)
        if tensor.dtype in dtypes_of(op)
        and (tensor.dtype.kind != "f" or program.exact[at] or takes_rounded(op))
    ]
    if not allowed:
        return
    places = [draw(st.sampled_from(allowed))]
    x = program.values[places[0]][0]
    if op.arity == 2:
        partners = [
            at
            for at in allowed
            for other in [program.values[at][0]]
            if joint(x.dtype.name, other.dtype.name) in {d.name for d in dtypes_of(op)}
            and (other.shape == x.shape or other.size == 1 or other.shape == x.shape[-1:])
        ]
        places.append(draw(st.sampled_from(partners)))
    ranges = op.sample if isinstance(op.sample[0], tuple) else (op.sample,) * op.arity
    tensors, arrays = zip(
        *(fitted(op, program, *pair) for pair in zip(places, ranges, strict=True)), strict=True
    )
    dtype = tensors[0].dtype.name
    if op.arity == 2:
        dtype = joint(dtype, tensors[1].dtype.name)
    given = ", ".join(f"v{at}" for at in places)
    program.add(
        program.call(op.name, *tensors),
        reference.result(op.name, *(array.astype(dtype) for array in arrays)),
        f"{op.name}({given})",
        exact=op.name in UNROUNDED and all(program.exact[at] for at in places),
    )


def fitted(op: Any, program: RandomProgram, at: int, limits: tuple[float, float]) -> Any:
    """Choose a value, clipped to the domain of the op."""
    tensor, array = program.values[at]
    kind = tensor.dtype.kind
    if kind != "f" and op.name == "pow":
        limits = (0, 7)
    elif kind == "f" and op.name in PERIODIC:
        limits = (-64, 64)
    elif op.sample == (-4.0, 4.0) or (kind != "f" and op.dtypes == "numeric"):
        return tensor, array
    low, high = limits if kind == "f" else map(int, limits)
    low = max(low, 0) if kind == "u" else low
    array = np.clip(array, np.asarray(low, array.dtype), np.asarray(high, array.dtype))
    return program.call("clip", tensor, low, high), array


def scalar(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, "fiu")
    if at is None:
        return
    x, array = program.values[at]
    value = draw(st.sampled_from([1, 2, 3] if x.dtype.kind != "f" else [0.5, -1.5, 2.0]))
    name = draw(st.sampled_from(["add", "multiply", "subtract", "maximum"]))
    want = reference.result(name, array, np.asarray(value, array.dtype))
    program.add(program.call(name, x, value), want, f"{name}(v{at}, {value})")


def where(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, "fiu")
    if at is None:
        return
    x, array = program.values[at]
    mask = np.arange(x.size).reshape(x.shape) % 3 == 0
    program.add(
        program.call("where", program.call("asarray", mask), x, -x),
        np.where(mask, array, reference.result("negative", array)),
        f"where(..., v{at}, -v{at})",
        exact=program.exact[at],
    )


def reduction(op: Any, draw: Any, program: RandomProgram) -> None:
    steps = {"prod", "argmax", "argmin", "any", "all"}
    kinds = "".join({dtype.kind for dtype in dtypes_of(op)})
    at = choose(draw, program, kinds, full=op.name in {"max", "min", "argmax", "argmin"})
    if at is None:
        return
    x, array = program.values[at]
    if not x.ndim or (not program.exact[at] and op.name in steps):
        return
    axis = draw(st.integers(-x.ndim, x.ndim - 1))
    keepdims = draw(st.booleans())
    got = program.call(op.name, x, axis=axis, keepdims=keepdims)
    operand = wide(array)
    if op.result == "sum" and array.dtype.kind != "f":
        operand = array.astype(got.dtype.name)
    want = getattr(np, op.name)(operand, axis=axis, keepdims=keepdims)
    program.add(
        got,
        np.asarray(want).astype(got.dtype.name),
        f"{op.name}(v{at}, axis={axis}, keepdims={keepdims})",
        exact=op.name in {"max", "min"} and program.exact[at],
    )


def astype(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, exact=True)
    if at is None:
        return
    x, array = program.values[at]
    to = draw(st.sampled_from(["int32", "int8", "uint16", "uint32", "bool", "float32"]))
    if array.dtype.kind == "f" and to != "bool":
        # The result for floats out of range is not defined.
        limits = (0, 100) if to[0] == "u" else (-100, 100)
        x, array = program.call("clip", x, *limits), np.clip(array, *limits).astype(array.dtype)
    exact = to[0] != "f" or array.dtype.itemsize < 4 or array.dtype.kind == "f"
    program.add(program.call("astype", x, to), array.astype(to), f"v{at}.astype({to})", exact=exact)


def clip(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, "fiu")
    if at is None:
        return
    x, array = program.values[at]
    low, high = draw(st.sampled_from([(1, 3), (0, 5), (None, 2), (2, None)]))
    want = np.clip(array, *(None if v is None else np.asarray(v, array.dtype) for v in (low, high)))
    got = program.call("clip", x, low, high)
    program.add(got, want, f"clip(v{at}, {low}, {high})", exact=program.exact[at])


ELEMENT = {op.name: partial(elementwise, op) for op in ELEMENTWISE if op.name != "where"}
REDUCED = {op.name: partial(reduction, op) for op in REDUCTIONS}
OTHERS = {"astype": astype, "clip": clip, "scalar": scalar, "where": where}
