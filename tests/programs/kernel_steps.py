"""Steps that run random kernels."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st
from random_kernels import Writer, function

from .program import RandomProgram, choose


def kernel(indexed: bool, draw: Any, program: RandomProgram) -> None:
    """Run a kernel on exact floats, or read them at computed positions."""
    at = choose(draw, program, "f", axes=(2,) if indexed else (), full=indexed, exact=True)
    if at is None:
        return
    seed, which = draw(st.integers(0, 9999)), draw(st.sampled_from([(0,), (1,), (0, 1)]))
    x, array = program.call("clip", program.values[at][0], -16, 16), program.values[at][1]
    array = np.clip(array, -16, 16).astype("float32")
    # Kernels compute with multiples of 1/4.
    x, array = program.call("round", x), np.round(array)
    if indexed:
        options = {
            "shape": draw(st.sampled_from([(4, 4), (4, 3)])),
            "border": draw(st.sampled_from(["clamp", "wrap", "zero"])),
        }
        given, arrays = [0.5, -1.25, 3, -2, x], [0.5, -1.25, 3, -2, array]
    else:
        options = {}
        given = [x, program.call("flip", x)]
        given += [program.call("astype", each, "int32") for each in given]
        arrays = [array, np.flip(array)]
        arrays += [each.astype("int32") for each in arrays]
    made = program.call("kernel", function(Writer(seed, indexed).text()), **options)
    got, want = made(*given), made.python(*arrays)
    for each in which:
        name = f"kernel {seed} {options}(v{at})[{each}]"
        program.add(got[each], want[each].numpy(), name, exact=True)


STEPS = {"kernel": partial(kernel, False), "indexed kernel": partial(kernel, True)}
