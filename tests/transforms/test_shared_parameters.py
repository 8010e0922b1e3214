"""Parameters that a model has in several places stay one tensor inside transformed functions."""

from dataclasses import dataclass

import numpy as np
import pytest
from helpers import assert_values

import py_tensor as pt


@dataclass
class Pair:
    a: pt.Tensor
    b: pt.Tensor


def shared():
    weight = pt.asarray([1.0, 2.0])
    return Pair(weight, weight)


def separate():
    return Pair(pt.asarray([1.0, 2.0]), pt.asarray([3.0, 4.0]))


def step(model):
    """One step of gradient descent for the sum of a * b."""
    gradients = pt.grad(lambda m: (m.a * m.b).sum())(model)
    return pt.tree_map(lambda p, g: p - 0.1 * g, model, gradients)


def test_tree_map_in_jit_calls_the_function_once_for_a_shared_parameter():
    calls = []

    def doubled(model):
        assert model.a is model.b
        return pt.tree.map(lambda leaf: calls.append(leaf) or leaf * 2, model)

    result = pt.jit(doubled)(shared())
    assert len(calls) == 1
    assert result.a is result.b
    assert_values(result.a, np.asarray([2.0, 4.0], "float32"))


def test_gradient_in_jit_adds_both_uses_of_a_shared_parameter():
    jitted = pt.jit(step)
    result = jitted(jitted(shared()))
    assert result.a is result.b
    assert_values(result.a, step(step(shared())).a.numpy())
    assert_values(result.a, np.asarray([0.64, 1.28], "float32"), rtol=1e-6)


def test_jitted_function_distinguishes_shared_and_separate_parameters():
    jitted = pt.jit(step)
    for make in (separate, shared, separate):
        got, expected = jitted(make()), step(make())
        assert (got.a is got.b) == (expected.a is expected.b)
        assert_values(got.a, expected.a.numpy())
        assert_values(got.b, expected.b.numpy())


def test_equal_numbers_of_a_model_stay_separate_arguments():
    jitted = pt.jit(lambda pair: pair.a + 10 * pair.b)
    assert jitted(Pair(2, 2)) == 22
    assert jitted(Pair(1, 2)) == 21


def test_list_with_one_tensor_twice_has_two_gradients_in_jit():
    weight = pt.asarray([1.0, 2.0])
    a, b = pt.jit(pt.grad(lambda pair: (pair[0] * 3 * pair[1]).sum()))([weight, weight])
    assert_values(a, np.asarray([3.0, 6.0], "float32"))
    assert_values(b, np.asarray([3.0, 6.0], "float32"))


def test_model_with_a_shared_parameter_can_be_donated():
    model = shared()
    result = pt.jit(step, donate_argnums=0)(model)
    assert model.a.is_disposed
    assert_values(result.b, np.asarray([0.8, 1.6], "float32"))


def test_model_with_a_shared_parameter_can_be_donated_in_debug_mode():
    model = shared()
    with pt.enable_debug_mode():
        result = pt.jit(step, donate_argnums=0)(model)
    assert model.a.is_disposed
    assert_values(result.b, np.asarray([0.8, 1.6], "float32"))


def test_vmap_keeps_a_parameter_shared_unless_its_axes_differ():
    weight = pt.asarray([[1.0, 2.0], [3.0, 5.0]])
    model = Pair(weight, weight)
    result = pt.vmap(step)(model)
    assert_values(result.a, np.asarray([[0.8, 1.6], [2.4, 4.0]], "float32"), rtol=1e-6)
    products = pt.vmap(lambda m: m.a * m.b, in_axes=(Pair(0, 1),))(model)
    assert_values(products, np.asarray([[1.0, 6.0], [6.0, 25.0]], "float32"))
    plain = pt.vmap(lambda m: m.a * m.b, in_axes=(Pair(0, None),))(model)
    assert plain.shape == (2, 2, 2)


@pytest.mark.parametrize("in_jit", [False, True])
def test_scan_keeps_a_shared_parameter_of_the_carry(in_jit):
    def steps(model):
        return pt.lax.scan(lambda m, _: (step(m), None), model, None, length=2)[0]

    result = (pt.jit(steps) if in_jit else steps)(shared())
    assert result.a is result.b
    assert_values(result.a, np.asarray([0.64, 1.28], "float32"), rtol=1e-6)


def test_scan_separates_a_shared_parameter_if_the_function_does():
    result, _ = pt.lax.scan(lambda m, _: (Pair(m.a + m.b, m.b * 2), None), shared(), None, length=2)
    assert_values(result.a, np.asarray([4.0, 8.0], "float32"))
    model, _ = pt.lax.scan(lambda m, _: (Pair(m.a + 1, m.b * 3), None), shared(), None, length=2)
    assert_values(model.a, np.asarray([3.0, 4.0], "float32"))
    assert_values(model.b, np.asarray([9.0, 18.0], "float32"))
