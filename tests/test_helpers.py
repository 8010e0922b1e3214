"""Each comparison is shown to fail, so that no other test passes vacuously."""

from __future__ import annotations

import math
from itertools import combinations, product
from pathlib import Path

import half_storage
import helpers
import numpy as np
import pytest
from conftest import SLOW_IN_PYTHON, names_of
from helpers import alternating, assert_bits, assert_raises, assert_spec, assert_values
from matrices import assert_same_values

import py_tensor as pt
from py_tensor import errors

pytestmark = pytest.mark.host


@pytest.mark.parametrize(
    "wrong",
    [
        np.float32([1.0, 2.5]),
        np.float64([1.0, 2.0]),
        np.float32([[1.0, 2.0]]),
        np.float32([1.0, np.nan]),
        np.int32([1, 2]),
    ],
)
def test_assert_values_fails(wrong):
    assert_values(pt.asarray([1.0, 2.0]), np.float32([1.0, 2.0]))
    with pytest.raises(AssertionError):
        assert_values(pt.asarray([1.0, 2.0]), wrong)


def test_assert_values_fails_beyond_the_tolerance():
    assert_values(pt.asarray([1.0]), np.float32([1.00001]), rtol=1e-4)
    with pytest.raises(AssertionError):
        assert_values(pt.asarray([1.0]), np.float32([1.001]), rtol=1e-4)


def test_assert_bits_fails_for_the_other_zero():
    assert_bits(pt.asarray([-0.0]), np.float32([-0.0]))
    with pytest.raises(AssertionError):
        assert_bits(pt.asarray([0.0]), np.float32([-0.0]))


@pytest.mark.parametrize("wrong", [[1.0, 1.0, 2.0], [2.0, 2.1, 1.0], [1.0, 2.0]])
def test_assert_same_values_fails(wrong):
    assert_same_values(np.float32([2.0, 1.0, 2.0]), np.array([1.0, 2.0, 2.0]), 1.0, 1e-6)
    with pytest.raises((AssertionError, IndexError)):
        assert_same_values(np.float32(wrong), np.array([1.0, 2.0, 2.0]), 1.0, 1e-6)


def test_alternating_combines_each_two_values():
    lists = [1, 2, 3], ["a", "b", "c", "d"], [True, False], [None, 0.5]
    cases = alternating(*lists)
    assert len(set(cases)) == 24
    for one, other in combinations(range(4), 2):
        pairs = {(case[one], case[other]) for case in cases}
        assert pairs == set(product(lists[one], lists[other]))


@pytest.mark.parametrize(("shape", "dtype"), [((2,), "int32"), ((1, 2), "float32")])
def test_assert_spec_fails(shape, dtype):
    with pytest.raises(AssertionError):
        assert_spec(pt.asarray([1.0, 2.0]), shape, dtype)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (errors.ShapeError, "other text"),
        (
            errors.TensorError,
            "stack: at least one tensor is required; got an empty sequence; pass a tensor",
        ),
    ],
)
def test_assert_raises_fails(error, text):
    with pytest.raises(AssertionError):
        assert_raises(error, text, lambda: pt.stack([]))


def test_assert_raises_fails_without_an_error():
    with pytest.raises(AssertionError):
        assert_raises(errors.ShapeError, "", lambda: pt.zeros(1))


@pytest.mark.parametrize(
    ("got", "recorded"),
    [
        ([1.0, 2.0], [1.0, 3.0]),
        ([1.0], [1.0, 2.0]),
        ("a", "b"),
        (pt.Tensor, {"shape": [2], "dtype": "float32", "values": [1.0, 3.0]}),
        (pt.Tensor, {"shape": [2], "dtype": "float32", "values": ["inf", 1.0]}),
        (pt.Tensor, {"shape": [2], "dtype": "int32"}),
        (pt.Tensor, {"shape": [1, 2], "dtype": "float32"}),
    ],
)
def test_assert_recorded_fails(got, recorded):
    tensor = pt.asarray([1.0, 1.0])
    helpers.assert_recorded(tensor, {"shape": [2], "dtype": "float32", "values": [1.0, 1.0]})
    with pytest.raises((AssertionError, ValueError)):
        helpers.assert_recorded(tensor if got is pt.Tensor else got, recorded)


def test_leftovers_are_seen(state):
    before = state()
    kept = [pt.zeros(3) + 1]
    assert state() != before
    kept.clear()
    assert state() == before


def test_kernel_names_are_read():
    assert helpers.ops_in(pt.exp(pt.asarray([1.0])), pt.asarray([1.0]).sum()) == [
        "map exp",
        "reduce sum",
    ]


def test_tests_that_are_left_out_exist():
    left_out = {names_of(name)[0] for name in {**SLOW_IN_PYTHON, **half_storage.EXCEPTIONS}}
    missing = []
    for name in left_out:
        file, _, function = name.partition("::")
        if f"\ndef {function}(" not in (Path(__file__).parent / file).read_text():
            missing.append(name)
    assert missing == []


def test_slow_tests_are_recognized():
    function, name, prefix = names_of("tests/linalg/test_linalg.py::test_svd[True-complex64]")
    assert prefix == "linalg/test_linalg.py::test_svd[True"
    assert function in SLOW_IN_PYTHON
    assert name == "linalg/test_linalg.py::test_svd[True-complex64]"
    assert names_of("tests/linalg/test_linalg.py::test_eigh")[0] not in SLOW_IN_PYTHON


@pytest.fixture
def half():
    """Widen the comparisons as `--storage float16` does."""
    started = not half_storage.is_active()
    if started:
        half_storage.start()
    yield
    if started:
        half_storage.stop()


def test_half_storage_allows_an_error_in_the_tenth_bit(half):
    x = np.float32([1000.0, 1.0])
    np.testing.assert_allclose(x + 1.9, x)
    np.testing.assert_array_equal(x + 1.9, x)
    assert pytest.approx(1000.0) == 1001.9
    assert half_storage.tolerance(1e-6) == 2.0**-9
    assert half_storage.error(1e-6, x) == 1000 * 2.0**-9


def test_half_storage_compares_printed_floats(half):
    assert half_storage.same_text("[0.3,  12.0] 3\n", "[0.3001, 12.02] 3\n")
    assert not half_storage.same_text("[0.3] 3", "[0.303] 3")
    assert not half_storage.same_text("[0.3] 3", "[0.3] 4")
    assert not half_storage.same_text("0.3", "[0.3]")


@pytest.mark.parametrize(
    "compare",
    [
        lambda: np.testing.assert_allclose([1004.0, 1.0], [1000.0, 1.0]),
        lambda: np.testing.assert_array_equal([1004.0, 1.0], [1000.0, 1.0]),
        lambda: np.testing.assert_array_equal([1001], [1000]),
        lambda: np.testing.assert_array_equal([math.inf], [1000.0]),
    ],
)
def test_half_storage_allows_no_more(half, compare):
    with pytest.raises(AssertionError):
        compare()
    assert pytest.approx(1000.0) != 1004.0
    assert pytest.approx([1001]) == [1001]
