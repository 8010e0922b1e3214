"""Values as text, which is shortened only beyond the limits."""

from __future__ import annotations

import pytest

import py_tensor as pt
from py_tensor.runtime.array_format import number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (99999999.0, "99999999."),
        (100000000.0, "1.0000e+08"),
        (1e-4, "0.0001"),
        (9e-5, "9.0000e-05"),
        (0.0, "0."),
    ],
)
def test_exponents_begin_at_the_limits(value, text):
    assert number(value) == text


def test_long_axes_are_shortened_if_that_leaves_elements_out():
    shape = (6, 7, 100)
    rows = repr(pt.ones(shape)).splitlines()
    shown = [row for row in rows if "1." in row]
    assert all(row.count("1.") == 6 for row in shown)
    # All 6 of the first axis, and 6 of 7 of the second.
    assert len(shown) == 36
    assert sum("..." in row and "1." not in row for row in rows) == 6


def test_suppress_shows_small_numbers_without_an_exponent():
    x = [2e-6, 1.5]
    with pt.printoptions(precision=3, suppress=True, linewidth=40) as options:
        assert options["suppress"]
        assert pt.array_str(x) == "[ 0., 1.5]"
    assert not pt.get_printoptions()["suppress"]
    assert pt.array_str(x) == "[2.0000e-06,        1.5]"


def test_array2string_takes_options_for_one_call():
    x = [[0.125, 20.0], [3.0, 1e-7]]
    text = pt.array2string(x, precision=1, suppress_small=True, separator=" ", prefix="x = ")
    assert text == "[[0.1 20.]\n     [ 3.  0.]]"
    assert pt.array2string(x, separator=";").splitlines()[0].endswith(";")
    assert pt.array2string([0.125]) == "[0.125]"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        (2.0, "2.0"),
        (0.25, "0.25"),
        (True, "True"),
        (1 - 0.5j, "1.-0.5j"),
        ([1.0, 2.5], "[ 1., 2.5]"),
        ([[1, 2], [3, 4]], "[[1, 2],\n [3, 4]]"),
    ],
)
def test_str_gives_the_values_only(value, text):
    x = pt.asarray(value)
    assert str(x) == f"{x}" == text
    assert repr(x) != text


def test_str_of_tensors_without_values():
    x = pt.ones(3)
    x.dispose()
    assert str(x).startswith("tensor(disposed at ")
    texts = []

    @pt.jit
    def traced(y):
        texts.append(str(y))
        return y

    traced(pt.ones(3))
    assert texts == ["tensor(traced, shape=(3,), dtype=float32)"]
