"""Random numbers from keys."""

from __future__ import annotations

import py_tensor as pt

first, second = pt.random.split(pt.random.key(7))
noise = pt.random.normal((2, 3), mean=0.0, std=1.0, key=first)
draws = pt.random.uniform((10,), key=second) < 0.5
assert noise.shape == (2, 3) and draws.shape == (10,)
