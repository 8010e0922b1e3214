"""Gradients of functions of NumPy arrays by finite differences, and comparisons with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import half_storage
import numpy as np
from helpers import HALF, assert_spec

import py_tensor as pt

STEP = 1e-6
"""Chosen between the rounding of float64 and the third derivative, which both contribute 1e-9."""


def differences(function: Callable[..., Any], arrays: Sequence[Any], at: int) -> Any:
    """Gradient of a scalar function by `arrays[at]`: central differences in float64."""
    wide = [x.astype("float64") if x.dtype.kind == "f" else x for x in arrays]
    x = wide[at] = wide[at].copy()
    result = np.zeros(x.shape)
    with np.errstate(all="ignore"):
        for place in np.ndindex(x.shape):
            kept, step = x[place], STEP * max(1.0, abs(x[place]))
            x[place] = kept + step
            above = function(*wide)
            x[place] = kept - step
            result[place] = (above - function(*wide)) / (2 * step)
            x[place] = kept
    return result


def weights(shape: tuple[int, ...], seed: int = 0) -> Any:
    """Draw distinct weights, so that no two derivatives cancel or can be exchanged."""
    return np.random.default_rng(seed).uniform(0.5, 2.0, shape).astype("float32")


def assert_close(
    got: pt.Tensor, want: Any, dtype: str, rtol: float, what: str, least: float = 0.0
) -> None:
    """Assert closeness to a float64 array, relative to its largest element or `least`."""
    want = np.asarray(want)
    assert_spec(got, want.shape, dtype)
    rtol = half_storage.derivative(max(rtol, HALF) if dtype == "float16" else rtol)
    size = np.abs(want, where=np.isfinite(want), out=np.zeros(want.shape)).max(initial=least)
    found = got.numpy().astype("float64")
    np.testing.assert_allclose(found, want, rtol=rtol, atol=rtol * size, err_msg=what)


class Gradients:
    """Gradients of many functions, computed together when they are compared."""

    def __init__(self, rtol: float) -> None:
        self.rtol = rtol
        self.found: list[tuple[pt.Tensor, Any, str, str]] = []

    def add(
        self,
        function: Callable[..., pt.Tensor],
        reference: Callable[..., Any],
        *arrays: Any,
        what: str = "",
    ) -> None:
        """Add the gradients of a weighted sum of the result by every floating operand."""
        wrt = [at for at, x in enumerate(arrays) if x.dtype.kind == "f"]

        def loss(*tensors: pt.Tensor) -> pt.Tensor:
            result = function(*tensors)
            return pt.sum(result.astype("float32") * pt.asarray(weights(result.shape)))

        def number(*wide: Any) -> Any:
            result = np.asarray(reference(*wide))
            return np.sum(result * weights(result.shape))

        for at, got in zip(wrt, pt.grad(loss, argnums=wrt)(*map(pt.asarray, arrays)), strict=True):
            want = differences(number, arrays, at)
            shapes = [x.shape for x in arrays]
            self.found.append(
                (got, want, arrays[at].dtype.name, f"{what} {shapes} by operand {at}")
            )

    def compare(self) -> None:
        assert self.found, "nothing to compare"
        pt.realize(*(got for got, *_ in self.found))
        for got, want, dtype, what in self.found:
            assert_close(got, want, dtype, self.rtol, what)
