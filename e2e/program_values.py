"""Compare what programs over all kinds of kernels return in a page with NumPy's values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kernel_programs
import numpy as np
from page_python import PagePython

import py_tensor as pt

SOURCE = Path(kernel_programs.__file__)
TOLERANCES = {"float32": 2e-6, "complex64": 2e-6, "float16": 2.0**-9}
"""Relative to the largest value of a result; two roundings of float16, and some of float32."""


def values_of_programs(source: str) -> list[Any]:
    """Return the backend, and the results of `kernel_programs` there."""
    import sys
    from pathlib import Path

    import py_tensor as pt

    Path("/home/pyodide/kernel_programs.py").write_text(source)
    sys.path.append("/home/pyodide")
    try:
        import kernel_programs
    finally:
        sys.path.remove("/home/pyodide")
    return [pt.get_backend(), kernel_programs.results()]


def assert_like_numpy(python: PagePython, backend: str) -> None:
    """Run the programs in a page and assert the backend, and the values of CPython's NumPy."""
    used, seen = python.call(values_of_programs, SOURCE.read_text())
    assert used == backend
    pt.set_backend("numpy")
    expected = kernel_programs.results()
    assert seen.keys() == expected.keys()
    wrong = [fault for name in seen for fault in faults(name, seen[name], expected[name])]
    assert wrong == []


def faults(name: str, seen: Any, expected: Any) -> list[str]:
    """Describe the differences of one program's results."""
    if isinstance(seen, str) or isinstance(expected, str):
        return [f"{name}: {seen}, not {expected}"]
    if not isinstance(expected[0], str):
        pairs = zip(seen, expected, strict=True)
        return [text for at, both in enumerate(pairs) for text in faults(f"{name} {at}", *both)]
    (dtype, got), (wanted, right) = seen, expected
    if dtype != wanted or np.shape(got) != np.shape(right):
        return [f"{name}: {dtype} of {np.shape(got)}, not {wanted} of {np.shape(right)}"]
    a, b = np.array(got, "float64"), np.array(right, "float64")
    largest = np.max(np.abs(b), initial=1.0, where=np.isfinite(b))
    close = np.isclose(a, b, rtol=0, atol=TOLERANCES.get(dtype, 0) * largest, equal_nan=True)
    if close.all():
        return []
    at = tuple(np.argwhere(~close)[0])
    return [f"{name}: {a[at]} at {tuple(map(int, at))}, not {b[at]}"]
