"""Helpers shared by the tests of `pt.graph`."""

from __future__ import annotations

from typing import Any

import numpy as np

import py_tensor as pt


class InOrder:
    """Provide arrays in order, starting again after the last; count the copies."""

    def __init__(self, examples: Any) -> None:
        self.examples = [np.asarray(example, "float32") for example in examples]
        self.given = 0
        self.disposed = 0

    def get_next_copy(self, math: Any) -> pt.Tensor:
        self.given += 1
        return pt.asarray(self.examples[(self.given - 1) % len(self.examples)])

    def dispose_copy(self, math: Any, copy: pt.Tensor) -> None:
        self.disposed += 1
        copy.dispose()


def value_of(tensor: Any) -> Any:
    """Current value of a variable, given its symbolic tensor."""
    return tensor.node.data.numpy()


def numeric_gradient(function: Any, x: Any, step: float = 1e-5) -> Any:
    """Gradient of a scalar function at x, by central differences in float64."""
    x = np.array(x, "float64")
    gradient = np.zeros_like(x)
    for place in np.ndindex(*x.shape):
        at = x[place]
        x[place] = at + step
        above = function(x)
        x[place] = at - step
        gradient[place] = (above - function(x)) / (2 * step)
        x[place] = at
    return gradient
