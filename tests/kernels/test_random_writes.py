"""Random kernels that write give the same on this backend as their functions in Python."""

from __future__ import annotations

import numpy as np
from helpers import assert_values
from random_writes import WriteProgram

import py_tensor as pt


def test_random_writes(request):
    for seed in range(max(10, request.config.getoption("examples") // 12)):
        program = WriteProgram(seed)
        text = program.text()
        space = {}
        exec(text, space)
        shape = (4, 5)[: program.rank]
        border = ("clamp", "wrap", "zero")[seed % 3]
        kernel = pt.kernel(space["f"], shape=shape, border=border, source=text)
        rng = np.random.default_rng(seed)
        # The arrays have the shape of the index space, or another one.
        shapes = (11,), (4 if seed % 2 else 9,), (4, 5 if seed % 2 else 3)
        arrays = [pt.asarray(rng.integers(-3, 9, part).astype("int32")) for part in shapes]
        results, expected = kernel(*arrays), kernel.python(*arrays)
        results = results if isinstance(results, tuple) else (results,)
        expected = expected if isinstance(expected, tuple) else (expected,)
        for got, wanted in zip(results, expected, strict=True):
            assert_values(got, wanted.numpy(), what=text)
