"""Module written by the user."""

from __future__ import annotations

import py_tensor as pt
from py_tensor import nn


class Gate(nn.Module):
    inner: nn.Dense
    scale: pt.Tensor

    def __init__(self, width: int) -> None:
        self.inner = nn.Dense(width, width)
        self.scale = pt.ones((width,))

    def forward(self, x: pt.Tensor) -> pt.Tensor:
        return x * pt.sigmoid(self.inner(x)) * self.scale


gate = Gate(3)
y = gate(pt.ones((2, 3)))
assert y.shape == (2, 3)
leaves = pt.tree_leaves(gate)
assert len(leaves) == 3
