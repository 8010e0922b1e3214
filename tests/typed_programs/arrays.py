"""Exercise in the style of NumPy: statistics of a table, masks and broadcasting."""

from __future__ import annotations

import numpy as np

import py_tensor as pt
from py_tensor.typing import ArrayLike


def standardized(table: ArrayLike) -> pt.Tensor:
    x = pt.asarray(table, dtype="float32")
    spread = pt.maximum(x.std(axis=0), 1e-6)
    return (x - x.mean(axis=0)) / spread


scores = standardized(np.arange(12.0).reshape(4, 3))
assert scores.shape == (4, 3)
rows: list[float] = [float(row.sum()) for row in scores]
assert len(rows) == 4
scores[0, ...] = 0
scores += 1
best = pt.where(scores > 1.0, scores, 0.0)[:, ::-1].T.reshape(-1)
counts, limits = pt.histogram(best, 4)
assert int(counts.sum()) == 12 and limits.ndim == 1
values = pt.unique_counts(pt.asarray([3, 1, 3])).counts
assert values.tolist() == [1, 2]
made: pt.Tensor = pt.tensor([1, 2], dtype=pt.float64)
assert made.dtype == pt.float32
assert pt.sin([[0.0, 0.0]]).tolist() == [[0.0, 0.0]]
assert (1 - pt.asarray(2) ** 2).item() == -3
