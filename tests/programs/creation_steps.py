"""Steps that create values without operands."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from .program import DTYPES, SHAPES, RandomProgram, choose


def asarray(draw: Any, program: RandomProgram) -> None:
    """Convert nested lists, or an array of another library."""
    dtype = draw(st.sampled_from(["float32", "int32", "uint8"]))
    array = np.arange(6, dtype=dtype).reshape(draw(st.sampled_from([(6,), (2, 3), (3, 1, 2)])))
    got = program.call("asarray", array.tolist(), dtype=dtype)
    program.add(got, array, f"asarray({array.tolist()}, {dtype})", exact=True)


def from_dlpack(draw: Any, program: RandomProgram) -> None:
    array = np.arange(6, dtype=draw(st.sampled_from(["float32", "int32", "uint8"])))
    program.add(program.call("from_dlpack", array), array, "from_dlpack(...)", exact=True)


def arange(draw: Any, program: RandomProgram) -> None:
    given = draw(st.sampled_from([(5,), (2, 9), (1, 8, 3), (9, 0, -2), (0.5, 3.0, 0.5), (3, 3)]))
    program.add(program.call("arange", *given), np.arange(*given), f"arange{given}", exact=True)


def linspace(draw: Any, program: RandomProgram) -> None:
    n, endpoint = draw(st.sampled_from([1, 2, 5, 16])), draw(st.booleans())
    got = program.call("linspace", -1.0, 3.0, n, endpoint=endpoint)
    program.add(got, np.linspace(-1.0, 3.0, n, endpoint=endpoint), f"linspace({n}, {endpoint})")


def eye(draw: Any, program: RandomProgram) -> None:
    rows, columns, k = (draw(st.sampled_from(n)) for n in ([1, 3, 4], [None, 5], [-1, 0, 2]))
    dtype = draw(st.sampled_from(DTYPES))
    got = program.call("eye", rows, columns, k=k, dtype=dtype)
    want = np.eye(rows, columns, k, dtype)
    program.add(got, want, f"eye({rows}, {columns}, k={k}, {dtype})", exact=True)


def constant(name: str, draw: Any, program: RandomProgram) -> None:
    shape, dtype = draw(st.sampled_from(SHAPES)), draw(st.sampled_from(DTYPES))
    values = (draw(st.sampled_from([0, 1, 3])),) if name == "full" else ()
    got = program.call(name, shape, *values, dtype=dtype)
    want = getattr(np, name)(shape, *values, dtype=dtype)
    program.add(got, want, f"{name}({shape}, {values}, {dtype})", exact=True)


def constant_like(name: str, draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program)
    x, array = program.values[at]
    values = (draw(st.sampled_from([0, 1, 3])),) if name == "full_like" else ()
    got = program.call(name, x, *values)
    want = getattr(np, name)(array, *values)
    program.add(got, want, f"{name}(v{at}, {values})", exact=True)


STEPS = {
    **{name: partial(constant, name) for name in ("full", "ones", "zeros")},
    **{name: partial(constant_like, name) for name in ("full_like", "ones_like", "zeros_like")},
    "arange": arange,
    "asarray": asarray,
    "eye": eye,
    "from_dlpack": from_dlpack,
    "linspace": linspace,
}
