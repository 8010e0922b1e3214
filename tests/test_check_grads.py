"""`pt.test_util` compares derivatives with differences."""

from __future__ import annotations

import pytest

import py_tensor as pt
from py_tensor.test_util import check_grads, check_jvp, check_vjp

X = [0.5, -1.0, 2.0]


def test_right_derivatives_pass():
    tree = {"a": pt.asarray(X), "b": 1.5}
    check_grads(lambda tree: pt.sin(tree["a"]) * tree["b"] ** 2, (tree,), order=3)
    check_grads(lambda x, y: (x * y, pt.exp(x)), (pt.asarray(X), 2.0), order=2, modes=["rev"])


def test_wrong_derivatives_raise():
    wrong = pt.custom_jvp(pt.sin)
    wrong.defjvps(lambda t, result, x: 2.0 * t)
    with pytest.raises(AssertionError, match="tangent differs"):
        check_jvp(wrong, lambda x, t: pt.jvp(wrong, x, t), (1.0,))
    with pytest.raises(AssertionError, match="cotangent differs"):
        check_vjp(wrong, lambda *x: pt.vjp(wrong, *x), (1.0,))
    with pytest.raises(AssertionError, match="differs"):
        check_grads(wrong, (pt.asarray(X),), order=1)


def test_wrong_second_derivatives_raise():
    wrong = pt.custom_jvp(lambda x: x**3)
    wrong.defjvps(lambda t, result, x: 3.0 * pt.stop_gradient(x) ** 2 * t)
    check_grads(wrong, (1.0,), order=1)
    with pytest.raises(AssertionError, match="differs"):
        check_grads(wrong, (1.0,), order=2)
