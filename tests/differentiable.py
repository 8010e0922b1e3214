"""Random differentiable programs: steps on tensors, and the same on NumPy arrays in float64."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from programs.image_steps import rows_of

import py_tensor as pt
from py_tensor.ops import OP_DEFS
from py_tensor.tensor import apply

SHAPES = [(), (1,), (5,), (3, 4), (4, 1), (1, 3), (2, 3, 4), (2, 4, 4), (0, 3)]
LARGEST = 30.0
"""Values beyond this are removed again: their gradients would exceed float32."""


class Step(NamedTuple):
    """A step computed from earlier values: `ours` takes tensors, `theirs` arrays."""

    name: str
    places: tuple[int, ...]
    ours: Callable[..., pt.Tensor]
    theirs: Callable[..., Any]


@dataclass
class RandomProgram:
    """The leaves' arrays and the steps after them; values are numbered leaves first."""

    leaves: list[Any] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    """Arrays that the steps compute from these leaves."""

    def ours(self, *tensors: pt.Tensor) -> list[pt.Tensor]:
        values = [*tensors]
        for step in self.steps:
            values.append(step.ours(*(values[at] for at in step.places)))
        return values

    def theirs(self, *arrays: Any) -> list[Any]:
        values = [*arrays]
        for step in self.steps:
            values.append(np.asarray(step.theirs(*(values[at] for at in step.places))))
        return values

    def __str__(self) -> str:
        lines = [f"v{at} = leaf {x.shape}" for at, x in enumerate(self.leaves)]
        for at, step in enumerate(self.steps, len(self.leaves)):
            operands = ", ".join(f"v{place}" for place in step.places)
            lines.append(f"v{at} = {step.name}({operands}): {self.values[at].shape}")
        return "\n".join(lines)


Made = tuple[str, Callable[..., pt.Tensor], Callable[..., Any]] | None
"""Name of a step and its function on either side; None if the step does not fit."""


def mixed(x: Any, y: Any) -> Any:
    """Function of two results, for `pt.kernel` and NumPy."""
    z = x
    for _ in range(2):
        z = 0.25 * z * y + x
    return z, abs(y) - z


mixed_kernel = pt.kernel(mixed)


def combined(results: Any) -> Any:
    first, second = results
    return first - 2.0 * second


UNARY: list[Any] = [
    ("tanh", pt.tanh, np.tanh),
    ("sin", pt.sin, np.sin),
    ("sigmoid", pt.sigmoid, lambda x: 1 / (1 + np.exp(-x))),
    ("square", pt.square, np.square),
    ("abs", pt.abs, np.abs),
    ("relu", pt.relu, lambda x: np.maximum(x, 0)),
    ("atan", pt.atan, np.arctan),
    ("log1p of squares", lambda x: pt.log1p(x * x), lambda x: np.log1p(x * x)),
    ("root", lambda x: pt.sqrt(x * x + 1.0), lambda x: np.sqrt(x * x + 1)),
    ("power", lambda x: x**3 * 0.25, lambda x: x**3 * 0.25),
    ("gaussian", lambda x: pt.exp(-x * x), lambda x: np.exp(-x * x)),
]
BINARY: list[Any] = [
    ("add", pt.add, np.add),
    ("subtract", pt.subtract, np.subtract),
    ("multiply", pt.multiply, np.multiply),
    ("maximum", pt.maximum, np.maximum),
    ("minimum", pt.minimum, np.minimum),
    ("divide", lambda x, y: x / (y * y + 2.0), lambda x, y: x / (y * y + 2)),
    ("hypot", lambda x, y: pt.hypot(x + 7.0, y), lambda x, y: np.hypot(x + 7, y)),
    ("kernel", lambda x, y: mixed_kernel(x, y)[1], lambda x, y: mixed(x, y)[1]),
    (
        "two results of a kernel",
        lambda x, y: combined(mixed_kernel(x, y)),
        lambda x, y: combined(mixed(x, y)),
    ),
    ("where", lambda x, y: pt.where(x > y, x * 2.0, y), lambda x, y: np.where(x > y, x * 2, y)),
]


def unary(draw: Any, x: Any) -> Made:
    return draw(st.sampled_from(UNARY))


def binary(draw: Any, x: Any, y: Any) -> Made:
    try:
        np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        return None
    return draw(st.sampled_from(BINARY))


def reduction(draw: Any, x: Any) -> Made:
    if not x.size:
        return None
    name = draw(st.sampled_from(["sum", "mean", "max", "min", "prod", "var"]))
    count = draw(st.integers(0, x.ndim))
    axes = tuple(draw(st.permutations(range(x.ndim)))[:count]) or None
    options = {"axis": axes, "keepdims": draw(st.booleans())}
    return (
        f"{name} {options}",
        lambda x: getattr(pt, name)(x, **options),
        lambda x: getattr(np, name)(x, **options),
    )


def scan(draw: Any, x: Any) -> Made:
    if not x.ndim:
        return None
    axis = draw(st.integers(0, x.ndim - 1))
    name, theirs = draw(
        st.sampled_from([("cumulative_sum", np.cumsum), ("cumulative_prod", np.cumprod)])
    )
    return (
        f"{name} {axis}",
        lambda x: getattr(pt, name)(x, axis=axis),
        lambda x: theirs(x, axis=axis),
    )


def softmax(draw: Any, x: Any) -> Made:
    if not x.ndim or not x.size:
        return None
    axis = draw(st.integers(0, x.ndim - 1))

    def theirs(x: Any) -> Any:
        powers = np.exp(x - x.max(axis=axis, keepdims=True))
        return powers / powers.sum(axis=axis, keepdims=True)

    return f"softmax {axis}", lambda x: pt.softmax(x, axis=axis), theirs


def view(draw: Any, x: Any) -> Made:
    axes = tuple(draw(st.permutations(range(x.ndim))))
    part = (..., slice(draw(st.sampled_from([None, 1, -2])), None, draw(st.sampled_from([2, -1]))))
    kinds = {
        "flatten": lambda x, xp: xp.reshape(x, (x.size,)),
        f"transpose {axes}": lambda x, xp: xp.permute_dims(x, axes),
        "flip": lambda x, xp: xp.flip(x),
        "wider": lambda x, xp: xp.broadcast_to(x, (2, *x.shape)),
        "deeper": lambda x, xp: x[..., None],
    }
    if x.ndim:
        kinds |= {f"{part}": lambda x, xp: x[part], "first": lambda x, xp: x[:1]}
    name, function = draw(st.sampled_from(sorted(kinds.items())))
    return name, lambda x: function(x, pt), lambda x: function(x, np)


def border(draw: Any, x: Any) -> Made:
    if not x.ndim:
        return None
    widths = [(draw(st.integers(0, 2)), draw(st.integers(0, 2))) for _ in x.shape]
    gaps = draw(st.sampled_from([0, 0, 1, 2]))

    def theirs(x: Any) -> Any:
        shape = [n + max(n - 1, 0) * gaps for n in x.shape]
        spread = np.full(shape, 0.5)
        spread[(slice(None, None, gaps + 1),) * x.ndim] = x
        return np.pad(spread, widths, constant_values=0.5)

    arg = tuple((low, high, gaps) for low, high in widths)
    return f"pad {arg}", lambda x: apply(OP_DEFS["pad"], (x, 0.5), arg), theirs


def windows(draw: Any, x: Any) -> Made:
    axes = [axis for axis, n in enumerate(x.shape) if n > 1]
    if not axes or not x.size or x.ndim > 2:
        return None
    chosen = axes[: draw(st.integers(1, len(axes)))]
    size, step = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    arg = tuple((axis, size, step, 1) for axis in chosen)

    def theirs(x: Any) -> Any:
        found = np.lib.stride_tricks.sliding_window_view(x, (size,) * len(chosen), chosen)
        return found[tuple(slice(None, None, step if a in chosen else 1) for a in range(x.ndim))]

    return f"window {arg}", lambda x: apply(OP_DEFS["window"], (x,), arg), theirs


def gather(draw: Any, x: Any) -> Made:
    if not x.ndim or not x.size:
        return None
    axis = draw(st.integers(0, x.ndim - 1))
    n = x.shape[axis]
    places = np.int32(draw(st.lists(st.integers(-n - 1, n + 1), min_size=1, max_size=4)))
    held = np.clip(np.where(places < 0, places + n, places), 0, n - 1)
    return (
        f"take {places.tolist()} {axis}",
        lambda x: pt.take(x, pt.asarray(places), axis=axis),
        lambda x: np.take(x, held, axis=axis),
    )


def segments(draw: Any, x: Any) -> Made:
    if not x.ndim or not x.size:
        return None
    ids = np.int32([draw(st.integers(-1, 3)) for _ in range(x.shape[0])])

    def theirs(x: Any) -> Any:
        result = np.zeros((3, *x.shape[1:]))
        kept = (ids >= 0) & (ids < 3)
        np.add.at(result, ids[kept], x[kept])
        return result

    return (
        f"segment_sum {ids.tolist()}",
        lambda x: pt.segment_sum(x, pt.asarray(ids), 3),
        theirs,
    )


def resized(draw: Any, x: Any) -> Made:
    if x.ndim not in (3, 4) or not x.size:
        return None
    method = draw(st.sampled_from(["bilinear", "area"]))
    size = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    rows, columns = map(rows_of, [method] * 2, x.shape[-3:-1], size)
    return (
        f"resize {method} {size}",
        lambda x: pt.vision.resize(x, size, method=method),
        lambda x: np.einsum("yr,xs,...rsc->...yxc", rows, columns, x),
    )


def joined(draw: Any, x: Any) -> Made:
    if not x.ndim:
        return None
    axis = draw(st.integers(0, x.ndim - 1))
    return (
        f"concat {axis}",
        lambda x: pt.concat([x, pt.flip(x), x * x], axis=axis),
        lambda x: np.concatenate([x, np.flip(x), x * x], axis=axis),
    )


def assignment(draw: Any, x: Any, y: Any) -> Made:
    if not x.ndim or y.ndim > x.ndim:
        return None
    key = draw(
        st.sampled_from([(..., slice(None, None, 2)), (slice(None, None, -1),), (slice(1),)])
    )
    try:
        np.broadcast_to(y, x[key].shape)
    except ValueError:
        return None

    def ours(x: Any, y: Any) -> Any:
        result = pt.copy(x)
        result[key] = y
        return result

    def theirs(x: Any, y: Any) -> Any:
        result = x.copy()
        result[key] = y
        return result

    return f"assignment {key}", ours, theirs


def product(draw: Any, x: Any, y: Any) -> Made:
    if not x.size or not y.size or min(x.ndim, y.ndim) < 1:
        return None
    try:
        np.matmul(x, y)
    except ValueError:
        if x.ndim < 2:
            return None
        return (
            "x @ x.mT",
            lambda x, y: x @ x.mT * 0.5,
            lambda x, y: x @ np.swapaxes(x, -1, -2) * 0.5,
        )
    return "matmul", lambda x, y: x @ y, lambda x, y: x @ y


STEPS: list[tuple[Callable[..., Made], int]] = [
    *[(unary, 1), (unary, 1), (binary, 2), (binary, 2), (reduction, 1), (reduction, 1), (scan, 1)],
    *[
        (segments, 1),
        (resized, 1),
        (softmax, 1),
        (view, 1),
        (view, 1),
        (border, 1),
        (windows, 1),
        (gather, 1),
        (joined, 1),
    ],
    *[(assignment, 2), (product, 2)],
]


@st.composite
def programs(draw: Any) -> RandomProgram:
    """Draw a few leaves, and steps whose values stay small."""
    program = RandomProgram()
    for _ in range(draw(st.integers(1, 3))):
        rng = np.random.default_rng(draw(st.integers(0, 999)))
        array = np.asarray(rng.uniform(-2, 2, draw(st.sampled_from(SHAPES))), "float32")
        program.leaves.append(array)
        program.values.append(array.astype("float64"))
    for _ in range(draw(st.integers(2, 8))):
        make, count = draw(st.sampled_from(STEPS))
        places = tuple(draw(st.integers(0, len(program.values) - 1)) for _ in range(count))
        made = make(draw, *(program.values[at] for at in places))
        if made is None:
            continue
        name, ours, theirs = made
        value = np.asarray(theirs(*(program.values[at] for at in places)))
        if value.size <= 300 and value.ndim < 6 and np.abs(value).max(initial=0.0) < LARGEST:
            program.steps.append(Step(name, places, ours, theirs))
            program.values.append(value)
    return program
