"""Random programs: the same steps on tensors and, independently, on NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import reference
from hypothesis import strategies as st
from rows import ELEMENTWISE, REDUCTIONS, dtypes_of

import py_tensor as pt

# fmt: off
SHAPES = [
    (), (1,), (4,), (5,), (3, 4), (4, 1), (1, 8), (8, 8), (2, 3, 4), (5, 1, 4), (0, 3), (17, 3),
    (2, 2, 2, 2), (3, 4, 4), (2, 3, 4, 8),
]
# fmt: on
DTYPES = ("float32", "int32", "uint32", "int16", "uint8", "bool", "int8", "uint16")
LARGE = 1e4
"""Floats are brought back below this, so that errors stay comparable."""
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
"""One rounding before them can change their result, so floats do not come to them."""
SMOOTH = [
    row
    for row in ELEMENTWISE
    if row.name
    not in STEPWISE | {"pow", "where", "tan", "divide", "reciprocal", "copysign", "atan2"}
    and row.sample == (-4.0, 4.0)
    and row.result != "bool"
]
EXACT = [row for row in ELEMENTWISE if row.name != "where"]


@dataclass
class Program:
    """Pairs of a tensor and the array it must equal, with what made them."""

    values: list[tuple[pt.Tensor, Any]] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    make: Callable[[Any], pt.Tensor] = pt.asarray
    """Where leaves come from."""

    def add(self, tensor: pt.Tensor, array: Any, step: str) -> None:
        self.values.append((tensor, np.asarray(array)))
        self.steps.append(f"v{len(self.steps)} = {step}: {tensor.dtype}{list(tensor.shape)}")


def leaf(draw: Any, program: Program) -> None:
    shape, dtype = draw(st.sampled_from(SHAPES)), draw(st.sampled_from(DTYPES))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    array = np.asarray(
        rng.integers(-6, 7, shape) if dtype[0] not in "ub" else rng.integers(0, 7, shape)
    )
    array = (array / 2).astype(dtype) if dtype[0] == "f" else array.astype(dtype)
    program.add(program.make(array), array, "leaf")


def choose(draw: Any, program: Program, kinds: str) -> int | None:
    fitting = [at for at, (t, _) in enumerate(program.values) if t.dtype.kind in kinds]
    return draw(st.sampled_from(fitting)) if fitting else None


def joint(a: str, b: str) -> str | None:
    """The dtype two promote to, where none of them has to be rounded."""
    if "f" in (a[0], b[0]):
        return a if a == b else None
    both = np.promote_types(a, b).name
    return both if both in DTYPES else None


def allows(row: Any, dtype: str | None) -> bool:
    return any(dtype == allowed for allowed in dtypes_of(row))


def elementwise(draw: Any, program: Program) -> None:
    at = draw(st.integers(0, len(program.values) - 1))
    x, array = program.values[at]
    rows = SMOOTH if x.dtype.kind == "f" else [r for r in EXACT if r.dtypes != "floating"]
    fitting = [row for row in rows if x.dtype in dtypes_of(row)]
    row = draw(st.sampled_from(fitting))
    if row.arity == 1:
        program.add(
            getattr(pt, row.name)(x), reference.result(row.name, array), f"{row.name}(v{at})"
        )
        return
    partners = [
        n
        for n, (t, _) in enumerate(program.values)
        if joint(x.dtype.name, t.dtype.name) is not None
        and (t.shape == x.shape or t.size == 1 or t.shape == x.shape[-1:])
    ]
    to = draw(st.sampled_from(partners))
    y, other = program.values[to]
    both = joint(x.dtype.name, y.dtype.name)
    if not allows(row, both):
        return
    array, other = array.astype(both), other.astype(both)
    if row.name == "pow":
        if x.dtype is not y.dtype:
            return
        y, other = (
            pt.minimum(y & 7, 7),
            np.minimum(other & np.asarray(7, other.dtype), np.asarray(7, other.dtype)),
        )
    program.add(
        getattr(pt, row.name)(x, y),
        reference.result(row.name, array, other),
        f"{row.name}(v{at}, v{to})",
    )


def scalar(draw: Any, program: Program) -> None:
    at = choose(draw, program, "fiu")
    if at is None:
        return
    x, array = program.values[at]
    value = draw(st.sampled_from([1, 2, 3] if x.dtype.kind != "f" else [0.5, -1.5, 2.0]))
    name = draw(st.sampled_from(["add", "multiply", "subtract", "maximum"]))
    want = reference.result(name, array, np.asarray(value, array.dtype))
    program.add(getattr(pt, name)(x, value), want, f"{name}(v{at}, {value})")


def reduction(draw: Any, program: Program) -> None:
    at = choose(draw, program, "fiub")
    x, array = program.values[at]
    row = draw(st.sampled_from([r for r in REDUCTIONS if x.dtype in dtypes_of(r)]))
    if not x.ndim or (0 in x.shape and row.name not in ("sum", "prod", "any", "all")):
        return
    if x.dtype.kind == "f" and row.name in ("prod", "argmax", "argmin", "any", "all"):
        return  # one rounding before them can change these
    axis = draw(st.integers(-x.ndim, x.ndim - 1))
    keepdims = draw(st.booleans())
    got = getattr(pt, row.name)(x, axis=axis, keepdims=keepdims)
    wide = array.astype(
        "float64"
        if array.dtype.kind == "f"
        else got.dtype.name
        if row.result == "sum"
        else array.dtype
    )
    want = np.asarray(getattr(np, row.name)(wide, axis=axis, keepdims=keepdims)).astype(
        got.dtype.name
    )
    program.add(got, want, f"{row.name}(v{at}, axis={axis}, keepdims={keepdims})")


def scan(draw: Any, program: Program) -> None:
    at = choose(draw, program, "fiub")
    x, array = program.values[at]
    floats = array.dtype.kind == "f"
    name, function = draw(
        st.sampled_from([("cumulative_sum", np.cumsum), ("cumulative_prod", np.cumprod)])
    )
    if not x.ndim or (floats and name == "cumulative_prod"):
        return  # one rounding before a product of many can change it
    axis = draw(st.integers(0, x.ndim - 1))
    got = getattr(pt, name)(x, axis=axis)
    want = function(array, axis=axis, dtype="float64" if floats else got.dtype.name)
    program.add(got, want.astype(got.dtype.name), f"{name}(v{at}, axis={axis})")


def view(draw: Any, program: Program) -> None:
    at = draw(st.integers(0, len(program.values) - 1))
    x, array = program.values[at]
    kind = draw(
        st.sampled_from(
            ["flatten", "reverse", "transpose", "slice", "expand", "broadcast", "pad", "flip"]
        )
    )
    if kind == "flatten":
        program.add(x.reshape((x.size,)), array.reshape(-1), f"v{at}.reshape")
    elif kind in ("reverse", "flip"):
        program.add(pt.flip(x), np.flip(array), f"flip(v{at})")
    elif kind == "transpose":
        axes = draw(st.permutations(range(x.ndim)))
        program.add(pt.permute_dims(x, axes), array.transpose(axes), f"permute_dims(v{at}, {axes})")
    elif kind == "slice" and x.ndim:
        part = slice(
            draw(st.sampled_from([None, 1, -2])),
            draw(st.sampled_from([None, -1, 3])),
            draw(st.sampled_from([None, 2, -1])),
        )
        key = (..., part)
        program.add(x[key], array[key], f"v{at}[{key}]")
    elif kind == "expand":
        program.add(x[None], array[None], f"v{at}[None]")
    elif kind == "broadcast" and x.ndim < 4:
        shape = (2, *x.shape)
        program.add(
            pt.broadcast_to(x, shape),
            np.broadcast_to(array, shape),
            f"broadcast_to(v{at}, {shape})",
        )
    elif kind == "pad" and x.ndim:
        width = draw(st.sampled_from([1, (0, 2), (4, 0)]))
        program.add(pt.pad(x, width), np.pad(array, width), f"pad(v{at}, {width})")


def join(draw: Any, program: Program) -> None:
    at = draw(st.integers(0, len(program.values) - 1))
    x, array = program.values[at]
    if x.ndim:
        axis = draw(st.integers(0, x.ndim - 1))
        got = pt.concat([x, x, pt.flip(x)], axis=axis)
        program.add(
            got,
            np.concatenate([array, array, np.flip(array)], axis=axis),
            f"concat(v{at}, axis={axis})",
        )


def gather(draw: Any, program: Program) -> None:
    at = draw(st.integers(0, len(program.values) - 1))
    x, array = program.values[at]
    if not x.ndim or not all(x.shape):
        return
    axis = draw(st.integers(0, x.ndim - 1))
    n = x.shape[axis]
    to = choose(draw, program, "iu") if draw(st.booleans()) else None
    if to is None:
        places = draw(st.lists(st.integers(-n - 1, n), min_size=1, max_size=5))
        indices, wide, name = pt.asarray(places), np.int64(places), str(places)
    else:
        indices, wide = program.values[to][0], program.values[to][1].astype("int64")
        name = f"v{to}"
    if indices.ndim < 3:
        wide = np.clip(np.where(wide < 0, wide + n, wide), 0, n - 1)
        want = np.take(array, wide, axis=axis)
        program.add(pt.take(x, indices, axis=axis), want, f"take(v{at}, {name}, axis={axis})")


def assignment(draw: Any, program: Program) -> None:
    at = draw(st.integers(0, len(program.values) - 1))
    x, array = program.values[at]
    if not x.ndim:
        return
    key = draw(
        st.sampled_from(
            [
                (slice(None, None, 2),),
                (-1 if x.shape[0] else slice(0),),
                (..., slice(None, None, -2)),
            ]
        )
    )
    t, want = pt.copy(x), array.copy()
    t[key] = 1
    want[key] = 1
    program.add(t, want, f"v{at}[{key}] = 1")


def product(draw: Any, program: Program) -> None:
    at = choose(draw, program, "fiu")
    if at is None:
        return
    x, array = program.values[at]
    if x.ndim >= 2 and 0 not in x.shape:
        other = np.swapaxes(array, -1, -2)
        wide = array.astype("float64") if array.dtype.kind == "f" else array
        want = (wide @ np.swapaxes(wide, -1, -2)).astype(array.dtype)
        assert other.shape[-2] == array.shape[-1]
        program.add(x @ x.mT, want, f"v{at} @ v{at}.mT")


def product_of_two(draw: Any, program: Program) -> None:
    at, to = choose(draw, program, "fi"), choose(draw, program, "fi")
    if at is None or to is None:
        return
    (x, array), (y, other) = program.values[at], program.values[to]
    if x.ndim < 2 or y.ndim < 2 or x.dtype is not y.dtype or x.shape[-1] != y.shape[-2]:
        return
    if x.shape[:-2] and y.shape[:-2] and x.shape[:-2] != y.shape[:-2]:
        return
    wide = "float64" if x.dtype.kind == "f" else array.dtype
    want = (array.astype(wide) @ other.astype(wide)).astype(array.dtype)
    program.add(x @ y, want, f"v{at} @ v{to}")


def softmax(draw: Any, program: Program) -> None:
    at = choose(draw, program, "f")
    if at is None:
        return
    x, array = program.values[at]
    if x.ndim and x.size:
        axis = draw(st.integers(0, x.ndim - 1))
        powers = np.exp(array.astype("float64") - array.max(axis=axis, keepdims=True))
        want = powers / powers.sum(axis=axis, keepdims=True)
        program.add(pt.softmax(x, axis=axis), want.astype(array.dtype), f"softmax(v{at}, {axis})")


def choice(draw: Any, program: Program) -> None:
    at = choose(draw, program, "fiu")
    if at is None:
        return
    x, array = program.values[at]
    mask = np.arange(x.size).reshape(x.shape) % 3 == 0
    program.add(
        pt.where(pt.asarray(mask), x, -x),
        np.where(mask, array, reference.result("negative", array)),
        f"where(..., v{at}, -v{at})",
    )


def cast(draw: Any, program: Program) -> None:
    at = choose(draw, program, "iub")
    if at is None:
        return
    x, array = program.values[at]
    to = draw(st.sampled_from(["int32", "int8", "uint16", "uint32", "bool"]))
    program.add(x.astype(to), array.astype(to), f"v{at}.astype({to})")


STEPS = [
    elementwise,
    elementwise,
    elementwise,
    scalar,
    reduction,
    scan,
    view,
    view,
    join,
    gather,
    assignment,
    product,
    product_of_two,
    softmax,
    choice,
    cast,
]


def build(draw: Any, program: Program) -> Program:
    """A few leaves and some steps; results that grow too large are taken out again."""
    for _ in range(draw(st.integers(1, 3))):
        leaf(draw, program)
    with np.errstate(all="ignore"):
        for _ in range(draw(st.integers(2, 12))):
            count = len(program.values)
            draw(st.sampled_from(STEPS))(draw, program)
            if len(program.values) > count:
                _, array = program.values[-1]
                floats = array.dtype.kind == "f"
                if array.size > 20_000 or (
                    floats and array.size and not np.abs(array).max() < LARGE
                ):
                    program.values.pop()
                    program.steps.pop()
    return program


@st.composite
def programs(draw: Any) -> Program:
    return build(draw, Program())
