"""Dataset of rows, batched and mapped."""

from __future__ import annotations

import py_tensor as pt

features = pt.arange(8, dtype=pt.float32).reshape(4, 2)
labels = pt.asarray([0, 1, 0, 1])
dataset = pt.data.from_arrays((features, labels)).shuffle(4, seed=1).batch(2)
seen = 0
for x, y in dataset:
    seen += len(x)
    assert x.shape == (2, 2) and y.dtype == pt.int32
assert seen == 4
