"""Long sums in linear memory are as exact as short ones, along any axes."""

from __future__ import annotations

import numpy as np
import pytest

import py_tensor as pt

pytest.importorskip("wasmtime")
TENTH = float(np.float32(0.1))


@pytest.fixture(scope="module")
def engine():
    """Return a backend that computes in WebAssembly, whichever backend the session has."""
    from wasmtime_engine import WasmtimeEngine

    from py_tensor.runtime.backends.wasm import WasmBackend

    return WasmBackend(WasmtimeEngine())


@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((3_000_017,), None),
        ((200_003, 3), 0),
        ((100_003, 20), 0),
        ((50_021, 2, 5), (0, 2)),
        ((3, 70, 70, 70), (1, 3)),
        ((300, 7, 300, 2), (0, 2)),
        ((65, 64, 4), (0, 2)),
    ],
)
def test_sum_of_equal_numbers_is_exact(shape, axis):
    x = pt.asarray(np.full(shape, TENTH, "float32"))
    got = pt.sum(x, axis=axis).numpy()
    # Adding one by one, the largest of these errors is 3e-3.
    np.testing.assert_allclose(got, TENTH * x.size / got.size, rtol=3e-6)


@pytest.mark.parametrize("length", [63, 64, 65, 1023, 1024, 1025, 4096, 65_536, 65_553, 70_001])
def test_every_element_is_added_once(length):
    x = np.arange(length) % 7.0
    for shape in (length,), (length, 1), (length, 4), (length, 5):
        wide = np.broadcast_to(x.reshape(length, *[1] * (len(shape) - 1)), shape)
        got = pt.sum(pt.asarray(wide.astype("float32")), axis=0).numpy()
        np.testing.assert_array_equal(got, wide.sum(0))
