"""Steps that compute sums, products and statistics of many elements."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from .movement_steps import SOME, an_axis
from .program import RandomProgram, choose, wide


def scan(name: str, draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, axes=SOME)
    if at is None:
        return
    x, array = program.values[at]
    floats = array.dtype.kind == "f"
    if floats and name == "cumulative_prod":
        return  # one rounding before a product of many can change it
    axis, initial = draw(st.integers(0, x.ndim - 1)), draw(st.booleans())
    got = program.call(name, x, axis=axis, include_initial=initial)
    function, start = {"cumulative_sum": (np.cumsum, 0), "cumulative_prod": (np.cumprod, 1)}[name]
    want = function(array, axis=axis, dtype="float64" if floats else got.dtype.name)
    if initial:
        first = np.full((*x.shape[:axis], 1, *x.shape[axis + 1 :]), start, want.dtype)
        want = np.concatenate([first, want], axis=axis)
    step = f"{name}(v{at}, axis={axis}, include_initial={initial})"
    program.add(got, want.astype(got.dtype.name), step)


def statistic(name: str, draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, "f", axes=SOME, full=True)
    if at is None:
        return
    x, array = program.values[at]
    axis, keepdims = draw(st.sampled_from([None, *range(x.ndim)])), draw(st.booleans())
    got = program.call(name, x, axis=axis, keepdims=keepdims)
    want = getattr(np, name)(wide(array), axis=axis, keepdims=keepdims)
    program.add(got, want, f"{name}(v{at}, axis={axis}, keepdims={keepdims})")


EXACT = {"nanargmax", "nanargmin", "nanprod"}
"""For inexact numbers, rounding decides which is largest, and products grow too far."""


def past_nan(name: str, draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, "f", axes=SOME, full=True, exact=name in EXACT)
    if at is None:
        return
    x, array = program.values[at]
    # The first element along each axis stays a number.
    hole = np.arange(x.size).reshape(x.shape) % 5 == 3
    hole &= np.indices(x.shape).min(axis=0) > 0
    x = program.call("where", program.call("asarray", hole), float("nan"), x)
    array = np.where(hole, np.nan, wide(array))
    axis, keepdims = draw(st.sampled_from([None, *range(x.ndim)])), draw(st.booleans())
    shares = (draw(st.sampled_from([0.25, 0.5, 1.0])),) if name == "nanquantile" else ()
    got = program.call(name, x, *shares, axis=axis, keepdims=keepdims)
    want = getattr(np, name)(array, *shares, axis=axis, keepdims=keepdims)
    program.add(got, want, f"{name}(holes(v{at}), {shares}, axis={axis}, keepdims={keepdims})")


def diff(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, axes=SOME)
    if at is None:
        return
    x, array = program.values[at]
    axis, n = an_axis(draw, x.shape), draw(st.integers(0, 2))
    got = program.call("diff", x, axis=axis, n=n)
    program.add(got, np.diff(array, axis=axis, n=n), f"diff(v{at}, axis={axis}, n={n})")


def interp(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, "f")
    if at is None:
        return
    x, array = program.values[at]
    xs, ys = np.float32([-2, 0, 0.5, 3]), np.float32([1, -1, 2, 2])
    points = [program.call("asarray", values) for values in (xs, ys)]
    got = program.call("interp", x, *points)
    program.add(got, np.interp(wide(array), xs, ys), f"interp(v{at})")


def trapezoid(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, "f", axes=SOME)
    if at is None:
        return
    x, array = program.values[at]
    axis = an_axis(draw, x.shape)
    got = program.call("trapezoid", x, dx=0.5, axis=axis)
    want = np.trapezoid(wide(array), dx=0.5, axis=axis)
    program.add(got, want, f"trapezoid(v{at}, axis={axis})")


def cov(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, "f", axes=(2,), full=True)
    if at is None or program.values[at][0].shape[1] < 2:
        return
    x, array = program.values[at]
    want = np.cov(wide(array)).reshape(x.shape[0], x.shape[0])
    program.add(program.call("cov", x), want, f"cov(v{at})")


def two(draw: Any, program: RandomProgram, axes: tuple[int, ...] = SOME, size: int = 100) -> Any:
    """Choose two values of one dtype; None if there are none."""
    at = choose(draw, program, "fiu", axes=axes, size=size)
    if at is None:
        return None
    dtype = program.values[at][0].dtype
    others = [
        n
        for n, (t, _) in enumerate(program.values)
        if t.dtype is dtype and t.ndim in axes and t.size <= size
    ]
    return at, draw(st.sampled_from(others))


def kron(draw: Any, program: RandomProgram) -> None:
    places = two(draw, program)
    if places is None:
        return
    (x, array), (y, other) = (program.values[at] for at in places)
    got = program.call("kron", x, y)
    program.add(got, np.kron(wide(array), wide(other)), f"kron(v{places[0]}, v{places[1]})")


def matmul(draw: Any, program: RandomProgram) -> None:
    places = two(draw, program, (2, 3, 4), 2000)
    if places is None:
        return
    (x, array), (y, other) = (program.values[at] for at in places)
    name = f"v{places[0]} @ v{places[1]}"
    if (
        x.shape[-1] != y.shape[-2]
        or 0 in x.shape
        or (x.shape[:-2] and y.shape[:-2] and x.shape[:-2] != y.shape[:-2])
    ):
        y, other, name = x.mT, np.swapaxes(array, -1, -2), f"v{places[0]} @ v{places[0]}.mT"
    program.add(program.call("matmul", x, y), np.matmul(wide(array), wide(other)), name)


def tensordot(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, "fiu", axes=(2, 3), size=100)
    if at is None:
        return
    x, array = program.values[at]
    axes = draw(st.sampled_from([0, ((0,), (0,)), ((0, 1), (0, 1))]))
    got = program.call("tensordot", x, x, axes=axes)
    program.add(got, np.tensordot(wide(array), wide(array), axes), f"tensordot(v{at}, {axes})")


def vecdot(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, "fiu", axes=SOME)
    if at is None:
        return
    x, array = program.values[at]
    axis = draw(st.integers(-x.ndim, -1))
    got = program.call("vecdot", x, x, axis=axis)
    want = np.sum(wide(array) ** 2, axis=axis, dtype=wide(array).dtype)
    program.add(got, want, f"vecdot(v{at}, v{at}, axis={axis})")


def einsum(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, "fiu", axes=(2,), size=300)
    if at is None:
        return
    x, array = program.values[at]
    path = draw(st.sampled_from(["ij,kj->ik", "ij,ij->j", "ij,ij->", "ij,ik->kj", "ij,kl->ikjl"]))
    if "l" in path and x.size > 70:
        return
    got = program.call("einsum", path, x, x)
    want = np.einsum(path, wide(array), wide(array))
    program.add(got, want, f"einsum({path}, v{at}, v{at})")


def softmax(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, "f", axes=SOME, full=True)
    if at is None:
        return
    x, array = program.values[at]
    axis = draw(st.integers(0, x.ndim - 1))
    powers = np.exp(wide(array) - array.max(axis=axis, keepdims=True))
    want = powers / powers.sum(axis=axis, keepdims=True)
    program.add(program.call("softmax", x, axis=axis), want, f"softmax(v{at}, {axis})")


STEPS = {
    **{name: partial(scan, name) for name in ("cumulative_prod", "cumulative_sum")},
    **{name: partial(statistic, name) for name in ("mean", "std", "var")},
    **{
        name: partial(past_nan, name)
        for name in (
            *("nanargmax", "nanargmin", "nanmax", "nanmean", "nanmedian", "nanmin", "nanprod"),
            *("nanquantile", "nanstd", "nansum", "nanvar"),
        )
    },
    "cov": cov,
    "diff": diff,
    "einsum": einsum,
    "interp": interp,
    "kron": kron,
    "matmul": matmul,
    "softmax": softmax,
    "tensordot": tensordot,
    "trapezoid": trapezoid,
    "vecdot": vecdot,
}
