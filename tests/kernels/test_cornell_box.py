"""A long path tracer compiles in seconds and gives the picture of NumPy on every backend."""

from __future__ import annotations

import numpy as np
from cornell_box import cornell_box

import py_tensor as pt
from py_tensor.runtime import executor
from py_tensor.runtime.backends.numpy import NumpyBackend

SIZE = 16


def test_the_picture_is_that_of_numpy(engine):
    found = cornell_box(3, 1, SIZE).numpy()
    executor.use(NumpyBackend())
    try:
        expected = cornell_box(3, 1, SIZE).numpy()
    finally:
        executor.use(engine)
    # Rounding sends few paths to another object.
    assert np.mean(np.abs(found - expected) > 1e-3) < 0.02
    assert 0.15 < found.mean() < 0.4
    red, green, _ = found.mean(axis=1)
    assert red[0] > 2 * green[0]
    assert green[-1] > 2 * red[-1]


def test_the_scene_is_one_function_of_the_shader():
    text = pt.explain(cornell_box(0, 1, SIZE))
    for name in ("scene_at", "box_at", "plane_at", "sphere_at"):
        assert text.count(f"\n  {name}(") == 1, name
