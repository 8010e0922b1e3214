"""Limits of memory: a warning, an error at `pt.env.memory_limit`, and texts that name tensors."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import py_tensor as pt
from py_tensor import errors
from py_tensor.runtime.backends.bridge import bridge_error
from py_tensor.runtime.backends.bridged import BridgedBackend
from py_tensor.runtime.backends.wasm import WasmBackend
from py_tensor.runtime.holders import largest_holders

MEGABYTE = 1 << 20


@pytest.fixture
def limited(engine):
    """Set the limit to 32 MiB and return a quarter, above which it warns; None on the host."""
    before = pt.env.memory_limit
    if before is None:
        assert not isinstance(engine, (BridgedBackend, WasmBackend))
        yield None
        return
    # Values that earlier tests left count, too.
    pt.env.memory_limit = 4 * (8 * MEGABYTE + pt.memory().num_bytes_in_gpu)
    yield 8 * MEGABYTE + pt.memory().num_bytes_in_gpu
    pt.env.memory_limit = before


def megabytes(count):
    x = pt.full((count, 512, 512), 1.5) * 2.0
    pt.realize(x)
    return x


def test_a_warning_names_the_largest_tensors(limited):
    if limited is None:
        return
    kept = [megabytes(2), megabytes(5)]
    text = (
        r"memory: more (GPU )?memory is in use than a quarter of pt.env.memory_limit; got \d+ "
        r"bytes, of which most is held by 1 tensor of shape \(5, 512, 512\) \(5.0 MiB\), .*; free "
        r"tensors, or raise the limit"
    )
    with pytest.warns(UserWarning, match=text):
        kept.append(megabytes(2))
    kept.append(megabytes(1))  # warned once
    kept.clear()
    kept.append(megabytes(1))
    with pytest.warns(UserWarning, match="more (GPU )?memory is in use"):
        kept.append(megabytes(20))


@pytest.mark.parametrize("step", [700, 40_000])
def test_no_growth_is_missed(limited, step):
    if limited is None:
        return
    x, kept = pt.asarray(np.ones(step, "float32")), []
    nbytes = 0
    while nbytes <= limited:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            for _ in range(16):
                kept.append(x + float(len(kept)))
            pt.realize(*kept[-16:])
        nbytes = pt.memory().num_bytes_in_gpu
        # The last plan may have passed the limit by its last output.
        assert bool(seen) == (nbytes > limited), nbytes
    assert len(seen) == 1


def test_values_beyond_the_limit_are_refused(limited):
    if limited is None:
        return
    with pytest.warns(UserWarning, match="a quarter"):
        kept = [megabytes(9)]
    kept.append(megabytes(12))
    more = pt.asarray(np.ones((12, 512, 512), "float32"))
    text = (
        r"^memory: more (GPU )?memory is needed than pt.env.memory_limit; got \d+ bytes for a "
        rf"limit of {4 * limited}, of which most is held by 1 tensor from "
        r"test_out_of_memory.py:\d+ \(12.0 MiB\), .*; free tensors, compute smaller parts, or "
        r"raise the limit$"
    )
    with pytest.raises(errors.OutOfMemoryError, match=text):
        pt.realize(more + kept[1])
    # Nothing was lost, and the same call works once there is room.
    assert kept[1][0, 0, 0].item() == 3.0
    del kept[0]
    assert (more + kept[0])[11, 0, 0].item() == 4.0


def test_a_donated_value_makes_room(limited):
    if limited is None:
        return
    step = pt.jit(lambda x: x + 1.0, donate_argnums=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = megabytes(18)
        for _ in range(3):
            x = step(x)
            pt.realize(x)
    assert x[0, 0, 0].item() == 6.0


def test_a_loop_that_frees_never_warns(limited):
    x = pt.asarray(np.ones((512, 512), "float32"))
    for _ in range(40):
        x = x + 1.0
        pt.realize(x)


def test_holders_are_grouped_by_lines():
    pt.memory_trace(True)
    try:
        kept = [pt.ones((50, 50)) * 2.0 for _ in range(3)]
        pt.realize(*kept)
        line = test_holders_are_grouped_by_lines.__code__.co_firstlineno + 3
        assert re.search(
            rf"3 tensors from test_out_of_memory.py:{line} \(0.0 MiB\)", largest_holders()
        )
    finally:
        pt.memory_trace(False)
    # Tests that failed before keep smaller tensors, which are named after these.
    text = largest_holders()
    assert text.startswith("3 tensors of shape (50, 50) (0.0 MiB)")
    assert text.endswith(" (pt.memory_trace(True) records their lines)")


def test_errors_of_the_driver_name_tensors():
    def fail():
        raise bridge_error("OutOfMemoryError", "out of GPU memory; got textures of 5 bytes")

    kept = pt.full((64, 512), 2.5) * 2.0
    pt.realize(kept)
    text = (
        r"^webgl: out of GPU memory; got textures of 5 bytes; free tensors; most is held by "
        r"1 tensor of shape \(64, 512\) \(0.1 MiB\).* \(pt.memory_trace\(True\) records their "
        r"lines\)$"
    )
    with pytest.raises(errors.OutOfMemoryError, match=text):
        fail()
    assert issubclass(errors.OutOfMemoryError, (errors.BackendError, MemoryError))
