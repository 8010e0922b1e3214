"""onnx's own cases of its operators, through the functions of ours that do the same.

Inputs become tensors by pt.asarray, so that int64 is int32 where the values fit and float64 is
float32; what is expected becomes that too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_exceptions
import pytest
from helpers import HALF, assert_spec
from numeric_exceptions import stored
from onnx_cases import Case, load
from onnx_operators import OPERATORS
from onnx_operators.kinds import Unsupported

import py_tensor as pt

SUMS = {"DFT"}
"""Sums that cancel, in the cases too: off by 2e-7 beside 54, where float32 has steps of 4e-6."""
NARROW = {"float64": "float32", "int64": "int32", "uint64": "uint32"}


@pytest.fixture(scope="module")
def exceptions() -> onnx_exceptions.Exceptions:
    return onnx_exceptions.read(onnx_exceptions.FILE.read_text())


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return load()


def results(case: Case) -> list[tuple[pt.Tensor, Any]]:
    """Pairs of what the operator gives and what it must be, pending."""
    inputs = [None if value is None else pt.asarray(value) for value in case.inputs]
    given = OPERATORS[case.operator](*inputs, **case.attributes)
    given = given if isinstance(given, tuple) else (given,)
    assert len(given) >= len(case.outputs), f"{len(given)} results of {len(case.outputs)}"
    pairs = zip(given, case.outputs, strict=False)
    return [(tensor, in_our_dtypes(array)) for tensor, array in pairs if array is not None]


def in_our_dtypes(array: Any) -> Any:
    narrow = array.astype(NARROW.get(array.dtype.name, array.dtype))
    if array.dtype.kind in "iu":
        np.testing.assert_array_equal(narrow, array, err_msg="does not fit 32 bits")
    return narrow


def compare(case: Case, pairs: list[tuple[pt.Tensor, Any]], engine: Any) -> None:
    for tensor, array in pairs:
        assert_spec(tensor, array.shape, array.dtype.name)
        expected = stored(engine, array)
        # The cases' relative error is one unit of the last place of float16.
        rtol = max(case.rtol, HALF) if array.dtype == np.float16 else case.rtol
        size = np.abs(array).max(initial=0.0) if case.operator in SUMS else 0.0
        np.testing.assert_allclose(
            tensor.numpy().astype("float64"),
            expected.astype("float64"),
            rtol=rtol,
            atol=max(case.atol, size * np.finfo("float32").eps),
            err_msg=case.name,
        )


@pytest.mark.parametrize("operator", OPERATORS)
def test_operator(operator, cases, exceptions, engine):
    ours = [case for case in cases if case.operator == operator]
    wanted = [case for case in ours if not exceptions.patterns_of(case.name)]
    assert wanted, "no case is left"
    found = [results(case) for case in wanted]
    pt.realize(*(tensor for pairs in found for tensor, _ in pairs))
    for case, pairs in zip(wanted, found, strict=True):
        compare(case, pairs, engine)


def works(case: Case, engine: Any) -> bool:
    try:
        compare(case, results(case), engine)
    except (AssertionError, TypeError, ValueError, Unsupported):
        return False
    return True


def test_exceptions_fail(cases, exceptions, engine):
    excepted = [c for c in cases if c.operator in OPERATORS and exceptions.patterns_of(c.name)]
    assert [case.name for case in excepted if works(case, engine)] == []


def test_exceptions_are_exact(cases, exceptions):
    operators = {case.operator for case in cases}
    assert set(exceptions.operators) == operators - set(OPERATORS)
    assert set(OPERATORS) <= operators
    used = set()
    for case in cases:
        patterns = exceptions.patterns_of(case.name) if case.operator in OPERATORS else []
        assert len(patterns) <= 1, f"{case.name} is excepted twice, by {patterns}"
        used.update(patterns)
    assert used == set(exceptions.cases)


def test_a_wrong_result_is_found(engine):
    case = Case("wrong", "Neg", [np.ones(2, "float32")], {}, [np.ones(2)], 1e-3, 1e-7)
    assert not works(case, engine)
    assert works(case._replace(outputs=[-np.ones(2)]), engine)
    assert not works(case._replace(outputs=[-np.ones(2, "float16")]), engine)
    assert not works(case._replace(outputs=[-np.ones(2), np.ones(2)]), engine)


def test_every_name_has_one_reason():
    found = onnx_exceptions.read(
        "# Head.\n\n# Why\n# indeed:\nOne test_two_*\n\n# Other:\ntest_three\n"
    )
    assert found.operators == {"One": "Why indeed:"}
    assert found.patterns_of("test_two_") == ["test_two_*"]
    assert found.patterns_of("test_three_") == []
    for text in ("test_one\n", "# A:\ntest_one\n\n# B:\ntest_one\n"):
        with pytest.raises(AssertionError):
            onnx_exceptions.read(text)
