"""Comparisons and samples of every test; `test_helpers.py` proves that each comparison can fail."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

import py_tensor as pt
from py_tensor import errors
from py_tensor.dtypes import DType

HALF = 2.0**-9
"""What float16 results may be off, relative: rounded twice, either way."""


def assert_spec(tensor: pt.Tensor, shape: tuple[int, ...], dtype: str) -> None:
    """The tensor has this shape and dtype."""
    got = (tensor.shape, tensor.dtype.name)
    assert got == (tuple(shape), dtype), f"got {got}, not {(tuple(shape), dtype)}"


def assert_values(
    tensor: pt.Tensor, expected: Any, *, rtol: float = 0.0, atol: float = 0.0, what: str = ""
) -> None:
    """The tensor has the shape, dtype and values of a NumPy array; exactly, without tolerances."""
    expected = np.asarray(expected)
    assert_spec(tensor, expected.shape, expected.dtype.name)
    got = tensor.numpy()
    if rtol == atol == 0.0:
        np.testing.assert_array_equal(got, expected, err_msg=what)
    else:
        np.testing.assert_allclose(
            got.astype("float64"), expected.astype("float64"), rtol=rtol, atol=atol, err_msg=what
        )


def assert_bits(tensor: pt.Tensor, expected: Any, *, what: str = "") -> None:
    """As `assert_values`, and zeros have the same sign; one NaN is as good as another."""
    expected = np.asarray(expected)
    assert_values(tensor, expected, what=what)
    got = tensor.numpy()
    if expected.dtype.kind == "f":
        numbers = ~np.isnan(expected)
        np.testing.assert_array_equal(
            np.signbit(got)[numbers], np.signbit(expected)[numbers], err_msg=f"sign bits {what}"
        )


def assert_raises(error: type[errors.TensorError], text: str, call: Any) -> None:
    """Calling `call` raises exactly this class with exactly this text."""
    try:
        call()
    except errors.TensorError as raised:
        assert type(raised) is error, f"raised {type(raised).__name__}: {raised}"
        assert str(raised) == text
        return
    raise AssertionError(f"raised nothing, not {error.__name__}: {text}")


def assert_up_to_date(tool: str) -> None:
    """What a tool in tools/ writes is what it would write now."""
    done = subprocess.run(
        [sys.executable, f"tools/{tool}", "--check"],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def products(
    rng: np.random.Generator, m: int, k: int, n: int, batch: tuple[int, ...]
) -> tuple[Any, Any, list[pt.Tensor], list[pt.Tensor]]:
    """Matrices of small integers; views that turn their transposes back; all their products."""
    a = rng.integers(-4, 5, (*batch, m, k)).astype("float32")
    b = rng.integers(-4, 5, (*batch, k, n)).astype("float32")
    turned = [pt.asarray(np.matrix_transpose(x).copy()).mT for x in (a, b)]
    results = [x @ y for x in (pt.asarray(a), turned[0]) for y in (pt.asarray(b), turned[1])]
    return a, b, turned, results


def finished(awaitable: Any) -> Any:
    """The result of a coroutine that never has to wait: the page is driven from outside."""
    coroutine = awaitable.__await__()
    try:
        next(coroutine)
    except StopIteration as done:
        return done.value
    raise AssertionError("the coroutine waits")


def sample(
    rng: np.random.Generator,
    shape: tuple[int, ...],
    dtype: DType | str,
    low: float = -4.0,
    high: float = 4.0,
) -> Any:
    """Random values of a dtype between two limits, as a NumPy array."""
    dtype = pt.asarray([], dtype=dtype).dtype
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind == "f":
        return rng.uniform(low, high, shape).astype(dtype.name)
    least = max(int(np.ceil(low)), dtype.lowest)
    most = min(int(np.floor(high)), dtype.highest)
    return rng.integers(least, most, shape, endpoint=True).astype(dtype.name)


def ops_in(*tensors: pt.Tensor) -> list[str]:
    """Names of the kernels the pending tensors run as."""
    lines = [line for line in pt.explain(*tensors).splitlines() if line.startswith("kernel ")]
    return [line.split(": ", 1)[1].split(" -> ")[0] for line in lines]
