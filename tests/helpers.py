"""Comparisons and samples used by all tests; `test_helpers.py` proves that each one can fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

import py_tensor as pt
from py_tensor import errors
from py_tensor.dtypes import DType

HALF = 2.0**-9
"""Relative tolerance of float16 results: rounded twice, in either direction."""


def assert_spec(tensor: pt.Tensor, shape: tuple[int, ...], dtype: str) -> None:
    """Assert that the tensor has this shape and dtype."""
    got = (tensor.shape, tensor.dtype.name)
    assert got == (tuple(shape), dtype), f"got {got}, not {(tuple(shape), dtype)}"


def assert_values(
    tensor: pt.Tensor, expected: Any, *, rtol: float = 0.0, atol: float = 0.0, what: str = ""
) -> None:
    """Assert shape, dtype and values equal to a NumPy array; exact if no tolerance is given."""
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
    """Assert as `assert_values`, and that zeros have the same sign; any NaN equals any other."""
    expected = np.asarray(expected)
    assert_values(tensor, expected, what=what)
    got = tensor.numpy()
    if expected.dtype.kind == "f":
        numbers = ~np.isnan(expected)
        np.testing.assert_array_equal(
            np.signbit(got)[numbers], np.signbit(expected)[numbers], err_msg=f"sign bits {what}"
        )


def flat(value: Any) -> Iterator[Any]:
    """Yield the tensors and numbers of nested tuples, lists and dicts."""
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from flat(part)
    elif isinstance(value, dict) and "shape" not in value:
        yield from flat(list(value.values()))
    else:
        yield value


def assert_recorded(got: Any, recorded: Any) -> None:
    """Assert that nested tensors and numbers equal those recorded from another library.

    A recorded tensor is a dict of its shape, its dtype and, unless it is random, its values.
    """
    for ours, theirs in zip(flat(got), flat(recorded), strict=True):
        if not isinstance(theirs, dict):
            assert ours == theirs
            continue
        tensor = ours if isinstance(ours, pt.Tensor) else pt.asarray(ours)
        assert_spec(tensor, theirs["shape"], theirs["dtype"])
        if theirs.get("values") is None:
            continue
        values = tensor.numpy()
        pairs = values.view("float32") if values.dtype.kind == "c" else values
        wanted = np.array([float(number) for number in theirs["values"]])
        # Errors of sums and transforms grow with the largest term.
        largest = np.max(np.abs(wanted[np.isfinite(wanted)]), initial=0.0)
        np.testing.assert_allclose(pairs.reshape(-1), wanted, rtol=1e-5, atol=1e-6 * largest)


def assert_raises(error: type[errors.TensorError], text: str, call: Any) -> None:
    """Assert that calling `call` raises exactly this class with exactly this text."""
    try:
        call()
    except errors.TensorError as raised:
        assert type(raised) is error, f"raised {type(raised).__name__}: {raised}"
        assert str(raised) == text
        return
    raise AssertionError(f"raised nothing, not {error.__name__}: {text}")


def products(
    rng: np.random.Generator, m: int, k: int, n: int, batch: tuple[int, ...]
) -> tuple[Any, Any, list[pt.Tensor], list[pt.Tensor]]:
    """Return integer matrices, transposed views of their transposes, and all their products."""
    a = rng.integers(-4, 5, (*batch, m, k)).astype("float32")
    b = rng.integers(-4, 5, (*batch, k, n)).astype("float32")
    transposed = [pt.asarray(np.matrix_transpose(x).copy()).mT for x in (a, b)]
    lefts, rights = (pt.asarray(a), transposed[0]), (pt.asarray(b), transposed[1])
    results = [x @ y for x in lefts for y in rights]
    return a, b, transposed, results


def finished(awaitable: Any) -> Any:
    """Return the result of a coroutine that never waits, since the page is driven from outside."""
    coroutine = awaitable.__await__()
    try:
        next(coroutine)
    except StopIteration as done:
        return done.value
    raise AssertionError("the coroutine waits")


def alternating(*choices: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return all combinations of the lists but the last, each with the next value of the last.

    Each value of the last list meets each value of the others in some combination, which finds
    faults of two parameters with fewer cases than all combinations.

    >>> alternating([1, 2], ["a", "b"], [True, False])
    [(1, 'a', True), (1, 'b', False), (2, 'a', False), (2, 'b', True)]
    """
    *lists, last = [list(enumerate(values)) for values in choices]
    combinations = []
    for chosen in product(*lists):
        positions, values = zip(*chosen, strict=True)
        combinations.append((*values, last[sum(positions) % len(last)][1]))
    return combinations


def sample(
    rng: np.random.Generator,
    shape: tuple[int, ...],
    dtype: DType | str,
    low: float = -4.0,
    high: float = 4.0,
) -> Any:
    """Draw random values of a dtype between two limits, as a NumPy array."""
    dtype = pt.asarray([], dtype=dtype).dtype
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind == "f":
        return rng.uniform(low, high, shape).astype(dtype.name)
    least = max(int(np.ceil(low)), dtype.lowest)
    most = min(int(np.floor(high)), dtype.highest)
    return rng.integers(least, most, shape, endpoint=True).astype(dtype.name)


def ops_in(*tensors: pt.Tensor) -> list[str]:
    """Names of the kernels that compute the pending tensors."""
    lines = [line for line in pt.explain(*tensors).splitlines() if line.startswith("kernel ")]
    return [line.split(": ", 1)[1].split(" -> ")[0] for line in lines]
