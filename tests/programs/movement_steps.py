"""Steps that move elements without computing, so exact values stay exact."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

import py_tensor as pt

from .program import RandomProgram, choose

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


class Move(NamedTuple):
    """A function, NumPy's equivalent, and a way to draw the arguments for a shape."""

    numpy: Callable[..., Any]
    arguments: Callable[[Any, tuple[int, ...]], Arguments]
    axes: tuple[int, ...] = (0, 1, 2, 3, 4)
    """The numbers of axes it is tested with."""


def none(draw: Any, shape: tuple[int, ...]) -> Arguments:
    return (), {}


def an_axis(draw: Any, shape: tuple[int, ...]) -> int:
    place: int = draw(st.integers(-len(shape), len(shape) - 1))
    return place


def one_axis(draw: Any, shape: tuple[int, ...]) -> Arguments:
    return (), {"axis": an_axis(draw, shape)}


def new_axis(draw: Any, shape: tuple[int, ...]) -> Arguments:
    return (), {"axis": draw(st.integers(-len(shape) - 1, len(shape)))}


def axis_or_all(draw: Any, shape: tuple[int, ...]) -> Arguments:
    return (), {"axis": draw(st.sampled_from([None, *range(len(shape))]))}


def an_order(draw: Any, shape: tuple[int, ...]) -> Arguments:
    return (draw(st.permutations(range(len(shape)))),), {}


def lengths(draw: Any, shape: tuple[int, ...]) -> Arguments:
    size = int(np.prod(shape))
    given = [(size,), (1, size), (-1, *shape[1:]), shape[::-1]] if size else [shape, (0, 2), (0,)]
    return (draw(st.sampled_from(given)),), {}


def around(draw: Any, shape: tuple[int, ...]) -> Arguments:
    value = draw(st.sampled_from([0, 1]))
    return (draw(st.sampled_from([1, (0, 2), (4, 0)])),), {"constant_values": value}


def counts(draw: Any, shape: tuple[int, ...]) -> Arguments:
    axis = draw(st.sampled_from([None, *range(len(shape))]))
    length = int(np.prod(shape)) if axis is None else shape[axis]
    each = draw(st.sampled_from([2, [at % 3 for at in range(length)]]))
    return (each if length else 2,), {"axis": axis}


def shifts(draw: Any, shape: tuple[int, ...]) -> Arguments:
    return (draw(st.integers(-5, 5)),), {"axis": draw(st.sampled_from([None, *range(len(shape))]))}


def diagonal(draw: Any, shape: tuple[int, ...]) -> Arguments:
    return (), {"k": draw(st.integers(-3, 3))}


def times(draw: Any, shape: tuple[int, ...]) -> Arguments:
    return (draw(st.sampled_from([2, (2, 1), (1, 3), (2, 1, 2)])),), {}


def one_place(draw: Any, shape: tuple[int, ...]) -> Arguments:
    return (an_axis(draw, shape), an_axis(draw, shape)), {}


def ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(axis for axis, n in enumerate(shape) if n == 1)


SOME = (1, 2, 3, 4)
ANY = "fiubc"
MOVES = {
    "broadcast_to": Move(np.broadcast_to, lambda draw, shape: (((2, *shape),), {}), (0, 1, 2, 3)),
    "copy": Move(np.copy, none),
    "expand_dims": Move(np.expand_dims, new_axis, (0, 1, 2, 3)),
    "flatten": Move(np.ravel, none),
    "flip": Move(np.flip, axis_or_all),
    "matrix_transpose": Move(lambda x: np.swapaxes(x, -1, -2), none, (2, 3, 4)),
    "moveaxis": Move(np.moveaxis, one_place, SOME),
    "pad": Move(lambda x, w, **o: np.pad(x, w, **o), around, SOME),
    "permute_dims": Move(np.transpose, an_order),
    "repeat": Move(np.repeat, counts),
    "reshape": Move(np.reshape, lengths, SOME),
    "roll": Move(np.roll, shifts),
    "squeeze": Move(np.squeeze, lambda draw, shape: ((ones(shape),), {})),
    "stop_gradient": Move(np.copy, none),
    "tile": Move(np.tile, times),
    "transpose": Move(np.transpose, an_order),
    "tril": Move(np.tril, diagonal, (2, 3, 4)),
    "triu": Move(np.triu, diagonal, (2, 3, 4)),
}


def move(name: str, draw: Any, program: RandomProgram) -> None:
    found = MOVES[name]
    at = choose(draw, program, ANY, axes=found.axes)
    if at is None:
        return
    x, array = program.values[at]
    args, options = found.arguments(draw, x.shape)
    step = f"{name}(v{at}, {args}, {options})"
    got = program.call(name, x, *args, **options)
    program.add(got, found.numpy(array, *args, **options), step, exact=program.exact[at])


def getitem(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, ANY, axes=SOME)
    if at is None:
        return
    x, array = program.values[at]
    part = slice(
        draw(st.sampled_from([None, 1, -2])),
        draw(st.sampled_from([None, -1, 3])),
        draw(st.sampled_from([None, 2, -1])),
    )
    key = draw(st.sampled_from([(..., part), (part, None), (None, ...)]))
    program.add(x[key], array[key], f"v{at}[{key}]", exact=program.exact[at])


def setitem(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, ANY, axes=SOME)
    if at is None:
        return
    x, array = program.values[at]
    first = -1 if x.shape[0] else slice(0)
    key = draw(st.sampled_from([(slice(None, None, 2),), (first,), (..., slice(None, None, -2))]))
    t, want = program.call("copy", x), array.copy()
    t[key] = 1
    want[key] = 1
    program.add(t, want, f"v{at}[{key}] = 1", exact=program.exact[at])


def join(name: str, draw: Any, program: RandomProgram) -> None:
    """Join a tensor, itself and its reverse along an axis."""
    at = choose(draw, program, ANY, axes=SOME if name == "concat" else (0, 1, 2, 3))
    if at is None:
        return
    x, array = program.values[at]
    axis = draw(st.integers(0, x.ndim - 1 if name == "concat" else x.ndim))
    got = program.call(name, [x, x, pt.flip(x)], axis=axis)
    numpy = np.concatenate if name == "concat" else np.stack
    want = numpy([array, array, np.flip(array)], axis=axis)
    program.add(got, want, f"{name}(v{at}, axis={axis})", exact=program.exact[at])


def unstack(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, ANY, axes=SOME, full=True)
    if at is None:
        return
    x, array = program.values[at]
    axis = an_axis(draw, x.shape)
    part = draw(st.integers(0, x.shape[axis] - 1))
    got = program.call("unstack", x, axis=axis)[part]
    want = np.take(array, part, axis=axis)
    program.add(got, want, f"unstack(v{at}, {axis})[{part}]", exact=program.exact[at])


def several(name: str, draw: Any, program: RandomProgram) -> None:
    """Choose one of the results of a function of two vectors."""
    numpy = {"meshgrid": np.meshgrid, "broadcast_arrays": np.broadcast_arrays}[name]
    at = choose(draw, program, axes=(1,), size=100)
    if at is None:
        return
    to = choose(draw, program, program.values[at][0].dtype.kind, axes=(1,), size=100)
    if program.values[to][0].dtype is not program.values[at][0].dtype:
        to = at
    (x, array), (y, other) = program.values[at], program.values[to]
    if name == "broadcast_arrays":
        y, other = pt.reshape(y, (-1, 1)), other.reshape(-1, 1)
    one = draw(st.integers(0, 1))
    program.add(
        program.call(name, x, y)[one],
        numpy(array, other)[one],
        f"{name}(v{at}, v{to})[{one}]",
        exact=program.exact[(at, to)[one]],
    )


STEPS = {
    **{name: partial(move, name) for name in MOVES},
    **{name: partial(join, name) for name in ("concat", "stack")},
    **{name: partial(several, name) for name in ("broadcast_arrays", "meshgrid")},
    "getitem": getitem,
    "setitem": setitem,
    "unstack": unstack,
}
