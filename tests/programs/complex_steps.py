"""Steps that make complex numbers from two parts, and real results from these."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .program import RandomProgram, choose


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


STEPS = {
    name: partial(parts, name)
    for name in ("angle", "complex", "imag", "iscomplex", "isreal", "real")
}
