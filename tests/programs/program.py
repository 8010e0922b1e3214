"""A random program: tensors, each with the NumPy array that it must equal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import numpy as np
from helpers import assert_spec
from hypothesis import HealthCheck, settings, strategies as st

import py_tensor as pt

# fmt: off
SHAPES = [
    (), (1,), (4,), (5,), (3, 4), (4, 1), (1, 8), (8, 8), (2, 3, 4), (5, 1, 4), (0, 3), (17, 3),
    (2, 2, 2, 2), (3, 4, 4), (2, 3, 4, 8),
]
# fmt: on
DTYPES = ("float32", "int32", "uint32", "int16", "uint8", "bool", "int8", "uint16")
LARGE = 1e4
"""Floats are kept below this, so that errors stay comparable."""
MOSTLY_FLOATS = ("float32",) * 3 + DTYPES
NARROW = {"float64": "float32", "int64": "int32", "uint64": "uint32", "complex128": "complex64"}


def repeatable(examples: int) -> settings:
    """Return hypothesis settings: the same examples in each run, however long they take."""
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


@dataclass
class RandomProgram:
    """Pairs of a tensor and the array it must equal, with the steps that made them."""

    values: list[tuple[pt.Tensor, Any]] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    exact: list[bool] = field(default_factory=list)
    """True for each value computed without rounding."""
    make: Callable[[Any], pt.Tensor] = pt.asarray
    """Function that makes leaves from arrays."""
    reads: bool = True
    """True if steps may read values, on which shapes depend; they cannot under jit."""
    called: set[str] = field(default_factory=set)

    def call(self, name: str, *args: Any, **options: Any) -> Any:
        """Call the public function of this name, for example "vision.resize", and record it."""
        self.called.add(name)
        return attrgetter(name)(pt)(*args, **options)

    def add(self, tensor: pt.Tensor, array: Any, step: str, *, exact: bool = False) -> None:
        array = np.asarray(array)
        array = array.astype(NARROW.get(array.dtype.name, array.dtype), copy=False)
        self.values.append((tensor, array))
        self.exact.append(exact or array.dtype.kind not in "fc")
        self.steps.append(f"v{len(self.steps)} = {step}: {tensor.dtype}{list(tensor.shape)}")

    def pop(self) -> tuple[pt.Tensor, Any]:
        """Remove the value added last."""
        self.exact.pop()
        self.steps.pop()
        return self.values.pop()


def leaf(draw: Any, program: RandomProgram) -> None:
    shape, dtype = draw(st.sampled_from(SHAPES)), draw(st.sampled_from(MOSTLY_FLOATS))
    _add_leaf(program, shape, dtype, np.random.default_rng(draw(st.integers(0, 999))))


def leaves(program: RandomProgram) -> None:
    """Add a float leaf for each shape, and one leaf of another dtype."""
    rng = np.random.default_rng(7)
    for at, shape in enumerate(SHAPES):
        for dtype in ("float32", DTYPES[1 + at % (len(DTYPES) - 1)]):
            _add_leaf(program, shape, dtype, rng)


def _add_leaf(program: RandomProgram, shape: Any, dtype: str, rng: np.random.Generator) -> None:
    array = np.asarray(
        rng.integers(-6, 7, shape) if dtype[0] not in "ub" else rng.integers(0, 7, shape)
    )
    array = (array / 2).astype(dtype) if dtype[0] == "f" else array.astype(dtype)
    program.add(program.make(array), array, "leaf", exact=True)


def choose(
    draw: Any,
    program: RandomProgram,
    kinds: str = "fiub",
    *,
    axes: tuple[int, ...] = (),
    full: bool = False,
    exact: bool = False,
    size: int = 20_000,
) -> int | None:
    """Choose a value by kinds of dtype, numbers of axes and sizes; None if there is none.

    `full` values have elements, `exact` values were not rounded.
    """
    fitting = [
        at
        for at, (tensor, _) in enumerate(program.values)
        if tensor.dtype.kind in kinds
        and (not axes or tensor.ndim in axes)
        and (not full or tensor.size)
        and (not exact or program.exact[at])
        and tensor.size <= size
    ]
    return draw(st.sampled_from(fitting)) if fitting else None


def wide(array: Any) -> Any:
    """Convert floats to float64, so that a reference adds no rounding visible in float32."""
    return array.astype("float64") if array.dtype.kind == "f" else array


def compare(
    pairs: list[tuple[pt.Tensor, Any]], read: Callable[[pt.Tensor], Any] = pt.Tensor.numpy
) -> None:
    """Compare tensors, computed together and then read, with arrays."""
    pt.realize(*(tensor for tensor, _ in pairs))
    for tensor, array in pairs:
        assert_spec(tensor, array.shape, array.dtype.name)
        got = read(tensor)
        if array.dtype.kind in "fc":
            want = array.astype("complex128")
            # Sums of rounded values cancel: errors are relative to the largest element.
            size = max(1.0, np.abs(want).max(initial=0.0))
            np.testing.assert_allclose(got.astype("complex128"), want, rtol=1e-4, atol=1e-4 * size)
        else:
            np.testing.assert_array_equal(got, array)


def read_async(tensor: pt.Tensor) -> Any:
    """Return the elements as an array, read asynchronously; complex ones are read as pairs."""
    flat = np.asarray(asyncio.run(tensor.data())).reshape(-1)
    return flat.view(tensor.dtype.name).reshape(tensor.shape)
