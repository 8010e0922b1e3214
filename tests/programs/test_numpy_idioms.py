"""One-line idioms of NumPy give the same values with `import py_tensor.numpy as np`."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path
from typing import Any

import numpy
import pytest

import py_tensor.numpy

LINES = (Path(__file__).parent / "numpy_idioms.txt").read_text().splitlines()
"""Statements, and after the last semicolon an expression or several, separated by commas."""
REMAINING = {
    "a.resize((2, 6))": "a tensor has no memory whose size could change",
    "np.pad([1, 2, 3, 4, 5], (2, 3), 'linear_ramp', end_values=(5, -4))": "modes of `pad` that "
    "compute values are missing",
    "np.pad([1, 2, 3], 2, 'mean')": "modes of `pad` that compute values are missing",
    "np.histogram([1, 2, 1], bins=[0, 1, 2, 3])": "edges are float32",
    "np.linalg.matrix_power([[0, 1], [-1, 0]], 3)": "powers of matrices are float32",
    "np.roots([1, -3, 2])": "zeros are complex64 even if all are real",
}
"""Idioms that differ, with the reasons. Each must fail, so that the list stays true."""


def idioms() -> list[str]:
    """Return each expression as a program of its own."""
    programs = []
    for line in LINES:
        statements, mark, last = line.rpartition("; ")
        parts = [last]
        if not line.startswith("with ") and isinstance(node := ast.parse(last).body[0], ast.Expr):
            several = isinstance(node.value, ast.Tuple)
            parts = [ast.unparse(n) for n in node.value.elts] if several else parts
        programs += [statements + mark + part for part in parts]
    return programs


IDIOMS = idioms()
WORKING = [idiom for idiom in IDIOMS if not any(part in idiom for part in REMAINING)]
STRIDE = 14
"""On other backends than NumPy, one of so many idioms is tried."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "idiom" in metafunc.fixturenames:
        stride = 1 if metafunc.config.option.backend == "numpy" else STRIDE
        metafunc.parametrize("idiom", WORKING[::stride], ids=str)


def result(idiom: str, np: Any) -> Any:
    names = {"np": np}
    statements, _, last = idiom.rpartition("; ")
    exec(statements, names)
    return eval(last, names)


def compare(got: Any, expected: Any) -> None:
    if isinstance(expected, list | tuple) and isinstance(got, list | tuple):
        assert len(got) == len(expected)
        for ours, theirs in zip(got, expected, strict=True):
            compare(ours, theirs)
    elif isinstance(expected, str | bytes | range | set | dict):
        assert got == expected
    else:
        a, b = numpy.asarray(got), numpy.asarray(expected)
        kinds = {a.dtype.kind, b.dtype.kind}
        assert a.shape == b.shape
        assert len(kinds) == 1 or kinds == {"i", "u"}
        numpy.testing.assert_allclose(a.astype("c16"), b.astype("c16"), rtol=2e-4, atol=2e-5)


def run(idiom: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compare(result(idiom, py_tensor.numpy), result(idiom, numpy))


def test_idiom_has_the_same_result(idiom):
    run(idiom)


@pytest.mark.parametrize("part", REMAINING)
def test_remaining_idioms_differ(part):
    programs = [idiom for idiom in IDIOMS if part in idiom]
    assert programs
    for idiom in programs:
        with pytest.raises((AssertionError, AttributeError, TypeError, ValueError)):
            run(idiom)


def test_there_are_many_idioms():
    assert len(IDIOMS) > 700
