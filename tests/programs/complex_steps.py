"""Steps that make complex numbers from two parts, and real results from these."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from .program import LARGE, RandomProgram, choose


def parts(name: str, draw: Any, program: RandomProgram) -> None:
    """Pass a value and its reverse, as the parts of complex numbers, to a function."""
    at = choose(draw, program, "f", exact=name not in {"complex", "imag", "real"})
    if at is None:
        return
    x, array = program.values[at]
    numbers = program.call("complex", x, program.call("flip", x))
    # Arithmetic would lose signs of zeros, which decide whether an angle is pi or -pi.
    want = np.stack([array, np.flip(array)], axis=-1).view("complex64")[..., 0]
    got = numbers if name == "complex" else program.call(name, numbers)
    want = want if name == "complex" else np.asarray(getattr(np, name)(want))
    exact = name in {"imag", "real"} and program.exact[at]
    program.add(got, want, f"{name}(v{at} + i v{at})", exact=exact)


OPERATORS: list[tuple[str, Callable[[Any], Any]]] = [
    ("x + x * 2j", lambda x: x + x * 2j),
    ("x * x - 0.5", lambda x: x * x - 0.5),
    ("x / (2 + x * conj x)", lambda x: x / (2 + x * x.conj())),
    ("sum", lambda x: x.sum()),
    ("x @ x.T", lambda x: x @ x.T if x.ndim == 2 else -x),
]


def operators(draw: Any, program: RandomProgram) -> None:
    """Compute with complex numbers, which are made first if there are none."""
    if choose(draw, program, "c") is None:
        parts("complex", draw, program)
    at = choose(draw, program, "c")
    if at is None:
        return
    x, array = program.values[at]
    name, function = draw(st.sampled_from(OPERATORS))
    want = np.asarray(function(array.astype("complex128")))
    if np.abs(want).max(initial=0.0) < LARGE:
        program.add(function(x), want, f"{name} of v{at}")


STEPS = {
    **{
        name: partial(parts, name)
        for name in ("angle", "complex", "imag", "iscomplex", "isreal", "real")
    },
    "complex operators": operators,
}
