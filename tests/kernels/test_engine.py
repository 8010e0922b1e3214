"""Kernels under jit, vmap, tidy, debug mode and explain, and in methods of the engine."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from helpers import assert_values
from plans import kernels, plan_of

import py_tensor as pt
from py_tensor.errors import NumericError
from py_tensor.runtime import executor

X = np.linspace(-3, 3, 24, dtype="float32").reshape(4, 6)


@pt.kernel
def leaky(x, slope=0.1):
    if x < 0:
        return x * slope
    return x


@pt.kernel
def both(x):
    return x + 1, x * 2


@pt.kernel(shape=lambda x: x.shape, border="wrap")
def left(i, j, x):
    return x[i, j - 1]


@pt.kernel
def logarithm(x):
    return pt.log(x)


def expected_leaky(x, slope=0.1):
    return np.where(x < 0, x * np.float32(slope), x)


def test_elementwise_kernels_are_fused_with_their_neighbours():
    result = leaky(pt.asarray(X) * 2.0) + 1.0
    assert len(plan_of(result).draws) == 1
    assert_values(result, expected_leaky(X * 2) + 1, rtol=1e-6)


def test_reductions_read_through_kernels_and_kernels_are_epilogues():
    # Assertions keep the values of the expressions in them.
    before, after = pt.sum(leaky(pt.asarray(X)), axis=1), leaky(pt.sum(pt.asarray(X), axis=1))
    assert kernels(before) == ["reduce sum"]
    assert kernels(after) == ["reduce sum+leaky"]
    assert_values(leaky(pt.sum(pt.asarray(X), axis=1)), expected_leaky(X.sum(1)), rtol=1e-5)


def test_jit():
    @pt.jit
    def step(x, slope):
        return left(leaky(x, slope)) + 1.0

    for slope in (0.1, 0.5, 2):
        expected = np.roll(expected_leaky(X, slope), 1, axis=1) + 1
        assert_values(step(pt.asarray(X), slope), expected, rtol=1e-6)


def test_jit_of_a_kernel_itself():
    assert_values(pt.jit(leaky)(pt.asarray(X), 0.5), expected_leaky(X, 0.5), rtol=1e-6)


def test_vmap():
    slopes = np.asarray([0.1, 0.2, 0.3, 0.4], "float32")
    result = pt.vmap(leaky)(pt.asarray(X), pt.asarray(slopes))
    assert_values(result, expected_leaky(X, slopes[:, None]), rtol=1e-6)
    images = np.stack([X, X * 2])
    assert_values(pt.vmap(left)(pt.asarray(images)), np.roll(images, 1, axis=2))


def test_tidy():
    before = pt.memory().num_tensors
    with pt.tidy():
        low, high = both(pt.asarray(X))
        kept = pt.keep(low + high)
    assert pt.memory().num_tensors == before + 1
    assert_values(kept, X + 1 + X * 2, rtol=1e-6)
    kept.dispose()


def test_debug_mode_names_the_kernel(caplog):
    with caplog.at_level(logging.INFO, logger="py_tensor"), pt.enable_debug_mode():
        leaky(pt.asarray(X))
        with pytest.raises(NumericError, match="logarithm: result is not finite; got nan"):
            logarithm(pt.asarray([-1.0]))
    assert any(record.message.startswith("leaky: ") for record in caplog.records)


def test_explain_shows_source_program_and_shader(backend_name):
    text = pt.explain(leaky(pt.asarray(X)))
    assert "source of leaky\n  @pt.kernel\n  def leaky(x, slope=0.1):\n" in text
    assert "program of leaky\n  v1 = x: float32\n" in text
    assert "where(" in text
    heads = {"wasm": "(func $kernel ", "webgpu": "fn main("}
    assert heads.get(backend_name, "void main() {") in text


def test_a_number_does_not_compile_again():
    leaky(pt.asarray(X), 0.25).tolist()
    size = len(executor.runtime.plans)
    for slope in (0.5, 0.75):
        leaky(pt.asarray(X), slope).tolist()
    assert len(executor.runtime.plans) == size


def test_results_of_a_tuple():
    low, high = both(pt.asarray([1.0]))
    assert (low.tolist(), high.tolist()) == ([2.0], [2.0])


def test_tiny_values_on_the_host():
    executor.runtime.host_elements = 16
    assert leaky(pt.asarray([-1.0, 2.0]), 0.5).tolist() == [-0.5, 2.0]
    assert left(pt.asarray([[1.0, 2.0, 3.0]])).tolist() == [[3.0, 1.0, 2.0]]


def test_lists_and_arrays_are_arguments():
    assert leaky([-1.0, 2.0], slope=0.5).tolist() == [-0.5, 2.0]
    assert leaky(np.asarray([-1.0, 2.0]), 0.5).tolist() == [-0.5, 2.0]


def test_loops_of_the_compiler():
    """A kernel in the body of `scan` is drawn in every iteration."""

    def step(carry, _):
        return leaky(carry) * 0.5 + 1.0, carry

    last, _ = pt.lax.scan(step, pt.asarray(X), None, length=3)
    expected = X
    for _ in range(3):
        expected = expected_leaky(expected) * np.float32(0.5) + 1
    assert_values(last, expected, rtol=1e-6)


def test_the_name_and_the_documentation_are_the_functions():
    @pt.kernel
    def documented(x):
        """Return the operand."""
        return x

    assert documented.__name__ == "documented"
    assert documented.__doc__ == "Return the operand."
    assert repr(documented) == "kernel(documented)"


@pt.kernel
def mirrored(x):
    steps = 0
    while x < 10.0 and steps < 30:
        x = 12.5 - abs(x)
        steps += 1
    return steps


def test_elements_that_left_a_loop_stay_outside(engine):
    # After the loop nothing needs x, which falls below 10 again in elements that are done.
    values = [-4.0, 1.0, 5.0, 2.0, 50.0, 0.5, 9.0]
    assert mirrored(pt.asarray(values)).tolist() == [mirrored.python(x) for x in values]
