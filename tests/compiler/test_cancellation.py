"""A value minus itself: drivers may neither fold it nor crash on it."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_values
from plans import leaf, plan_of

import py_tensor as pt
from py_tensor.compiler.codegen.cancellation import Sums
from py_tensor.language.glsl import GLSL
from py_tensor.language.statements import Statements

CANCEL = {
    "difference": lambda x: x - x,
    "sum with the negative": lambda x: x + (-x),
    "negative first": lambda x: -x + x,
    "difference plus a number": lambda x: x - x + 1,
    "number added, value subtracted": lambda x: (x + 1) - x,
    "through two sums": lambda x: (x + x) - x - x,
    "through a view": lambda x: (x.reshape((4, 2)) - x.reshape((4, 2))).reshape((8,)),
    "difference read by an operation": lambda x: abs(x - x) * 3 + 2,
    "chosen by a condition": lambda x: pt.where(x > 2, x, x) - x,
    "converted there and back": lambda x: x.astype("int32").astype("uint32").astype(x.dtype) - x,
    "as an index": lambda x: pt.take(pt.asarray([5, 6]), x.astype("int32") - x.astype("int32")),
}
NEAR = {
    "two textures": lambda x: x - pt.copy(x + 1) + 1,
    "products": lambda x: x * 2 - 2 * x,
    "larger of equals": lambda x: pt.maximum(x, x) - x,
    "sum along an axis of length 1": lambda x: x - pt.sum(x.reshape((1, 8)), axis=0),
    "mean along an axis of length 1": lambda x: (
        x - pt.mean(x.reshape((1, 8)).astype("float32"), axis=0)
    ),
    "equality": lambda x: (x == x).astype("int32"),
    "quotient": lambda x: x // x + x % x,
}
VALUES = [1, 2, 3, 5, 7, 9, 11, 13]
DTYPES = ("float32", "float16", "int32", "uint32", "int16", "uint16", "int8", "uint8")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CANCEL | NEAR)
def test_values(name, dtype):
    function = (CANCEL | NEAR)[name]
    x = np.array(VALUES, dtype)
    got = function(pt.asarray(x))
    expected = function_on_numpy(name, x)
    np.testing.assert_array_equal(got.numpy().astype("float64"), expected)


def function_on_numpy(name, x):
    constant = {
        "difference plus a number": 1,
        "number added, value subtracted": 1,
        "difference read by an operation": 2,
        "as an index": 5,
        "equality": 1,
        "quotient": 1,
    }
    return np.full(x.shape, constant.get(name, 0), "float64")


@pytest.mark.parametrize("name", CANCEL)
def test_one_operand_is_hidden(name):
    plan = plan_of(CANCEL[name](leaf(8)))
    assert any("pt_opaque(v" in draw.shader.source for draw in plan.draws)


@pytest.mark.parametrize(
    "build",
    [
        lambda x: x + x,
        lambda x: x - x * 2.0,
        lambda x: x * x - x,
        lambda x: x - x[::-1],
        lambda x: x - leaf(8),
        lambda x: x - pt.softmax(x),
    ],
)
def test_other_sums_are_written_unchanged(build):
    for draw in plan_of(build(leaf(8))).draws:
        assert "pt_opaque" not in draw.shader.source


def test_infinity_minus_infinity_is_nan():
    x = pt.asarray([np.inf, -np.inf, np.nan, 0.0])
    expected = np.float32([np.nan, np.nan, np.nan, 0.0])
    for difference in (x - x, x + (-x), (x + 1.0) - x - 1.0):
        assert_values(difference, expected)


def test_gradients_that_cancel():
    x = pt.asarray([1.0, 2.0, 3.0])
    assert_values(pt.grad(lambda x: pt.sum(x - x))(x), np.float32([0, 0, 0]))
    assert_values(pt.grad(lambda x: pt.sum(x * x - x * x))(x), np.float32([0, 0, 0]))
    assert_values(pt.grad(lambda x: pt.sum((x - pt.mean(x)) * 2.0))(x), np.float32([0, 0, 0]))


def test_sums_report_which_values_cancel():
    code, sums = Statements(GLSL), Sums()
    uniform = code.value("F[0]", "f", 1)
    a, b, c, d = (code.variable(uniform) for _ in range(4))

    def cancels(factors, operands):
        return 0 in sums.terms_of(factors, operands).values()

    sums.define(b, sums.terms_of((1, 1), (a, uniform)))
    sums.define(c, sums.terms_of((-1,), (a,)))
    assert cancels((1, -1), (a, a))
    assert cancels((1, -1), (b, a))
    assert cancels((1, 1), (b, c))
    assert not cancels((1, 1), (b, a))
    assert not cancels((1, -1), (b, d))
    assert not cancels((1, -1), (uniform, uniform))
