"""Test programs over all kinds of kernels and all dtypes in a page against NumPy."""

from __future__ import annotations

from page_python import PagePython
from program_values import assert_like_numpy, faults

pytest_plugins = ["page_fixtures"]


def test_values_are_those_of_numpy(python: PagePython, backend: str) -> None:
    assert_like_numpy(python, backend)


def test_differences_are_described() -> None:
    right = ["float32", [[1.0, float("nan")], [3.0, float("inf")]]]
    assert faults("a", right, right) == []
    assert faults("a", ["int32", [1, 2]], ["int32", [1, 3]]) == ["a: 2.0 at (1,), not 3.0"]
    assert faults("a", ["int8", 1], ["int32", 1]) == ["a: int8 of (), not int32 of ()"]
    assert faults("a", [right, ["bool", [True]]], [right, ["bool", [False]]]) == [
        "a 1: 1.0 at (0,), not 0.0"
    ]
    assert faults("a", "DTypeError: no", right) == [f"a: DTypeError: no, not {right}"]
