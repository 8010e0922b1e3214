"""Loops in plans: the draws of the loop body are scheduled and written once."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_values
from plans import kernels, leaf, plan_of

import py_tensor as pt
from py_tensor.compiler.lowering.formulas import Formula, looped, where
from py_tensor.ops.op_def import Decomposition
from py_tensor.tensor import apply


def _lowered(lowered, at, count):
    """Lower a loop that adds a row to all rows, and the loop index to the following row."""
    x = Formula(lowered, at)
    rows, columns = x.shape

    def body(state, k):
        total = state.sum(0).materialized()
        added = (state + total * 0.5).materialized()
        return where(added.taken(k, 0) > 1e6, 0.0, added + k.astype(x.dtype))

    return looped(x, count, body).reshape(rows, columns).at


def _reference(xp, x, count):
    for k in range(count):
        added = x + x.sum(0, keepdims=True) * xp.float32(0.5)
        x = xp.where(added[k] > 1e6, xp.float32(0), added + xp.float32(k))
    return x


GROWING = Decomposition(
    name="growing", shape=lambda a, count: a, lowering=_lowered, reference=_reference, public=False
)


def grown(x, count):
    return apply(GROWING, (x,), count)


@pytest.fixture
def values():
    return np.asarray([[1, 2, 3, 4], [-1, 0, 1, 0.5], [2, 1, -3, 0.25]], "float32")


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_iterations_run_in_order(values, count):
    x = pt.asarray(values)
    assert_values(grown(x, count), _reference(np, values, count))
    assert_values(x, values)


def test_long_sums_inside_a_loop(rng):
    x = rng.normal(size=(1100, 4)).astype("float32") * np.float32(1e-3)
    assert_values(grown(pt.asarray(x), 2), _reference(np, x, 2), rtol=1e-5, atol=1e-6)


def test_work_before_and_after_a_loop(values):
    first = grown(pt.asarray(values) * 2.0 + 1.0, 3)
    second = grown(first.T, 2) - 1.0
    pt.realize(first, second)
    expected = _reference(np, values * np.float32(2) + np.float32(1), 3)
    assert_values(first, expected)
    assert_values(second, _reference(np, expected.T, 2) - np.float32(1), rtol=1e-6)


def test_a_loop_is_written_once():
    plan = plan_of(grown(leaf(3, 4), 50))
    assert len(plan.draws) == 150
    assert len({draw.shader.source for draw in plan.draws}) == 3
    # Two buffers of the carry, the row, and the value made of both.
    assert len(plan.outputs) + len(plan.temporaries) <= 4
    assert plan.implicit_uniforms[-50:] == tuple(range(50))


def test_a_loop_of_no_iterations_is_its_initial_value():
    plan = plan_of(grown(leaf(3, 4), 0))
    assert (plan.draws, plan.outputs) == ((), ())


def test_equal_loops_run_once():
    x = leaf(3, 4)
    one = kernels(grown(x, 3) * 2.0)
    two = kernels(grown(x, 3) * 2.0 + grown(x, 3))
    other = kernels(grown(x, 3) * 2.0 + grown(x, 4))
    assert len(one) == len(two) == 3 * 3 + 1
    assert len(other) == 3 * 3 + 3 * 4 + 1


def test_explain_names_a_loop_once():
    x = leaf(3, 4)
    lines = [line for line in pt.explain(grown(x, 50)).splitlines() if line.startswith("kernel")]
    assert len(lines) == 3
    assert all(line.endswith("; 50 iterations") for line in lines)
    assert len(kernels(grown(x, 2))) == 6


def test_loops_under_jit(values):
    function = pt.jit(lambda x: grown(x, 3) + 1.0)
    for scale in (1.0, 2.0):
        given = values * np.float32(scale)
        assert_values(function(pt.asarray(given)), _reference(np, given, 3) + np.float32(1))
