"""Complex operations are built from a recipe: their rule runs once for each op instance."""

from __future__ import annotations

import numpy as np
import pytest

import py_tensor as pt
from py_tensor.ir import node
from py_tensor.ops import OP_DEFS


@pytest.fixture
def counted(monkeypatch):
    """Return a function that counts how often the rule of an op instance runs from now on."""

    def count(name, *operands):
        call = node.op_instance(OP_DEFS[name], tuple(operand._node.spec for operand in operands))
        rule, runs = call.rule, []
        monkeypatch.setattr(call, "recipe", None)
        monkeypatch.setattr(call, "rule", lambda *args: runs.append(call) or rule(*args))
        return runs

    return count


def test_a_rule_runs_once(counted):
    runs = counted("multiply", pt.asarray([1j, 2.0]), pt.asarray([1j, 2.0]))
    for factor in (1.0, 2.0, 3.0):
        x = pt.asarray([factor * 1j, factor])
        assert (x * x).tolist() == [-(factor**2), factor**2]
    assert len(runs) == 1


def test_a_rule_that_reads_a_value_runs_each_time(counted):
    x = pt.asarray(np.complex64([1j, 2.0]))
    runs = counted("pow", x, pt.asarray(2.0))
    assert (x**2).tolist() == [-1.0, 4.0]
    assert (x**3).tolist() == [-1j, 8.0]
    # Once on leaves without values, then for each call.
    assert len(runs) == 1 + 2


def test_other_rules_are_cached_after_one_that_reads_a_value(counted):
    x = pt.asarray(np.complex64([1j, 2.0]))
    counted("pow", x, pt.asarray(2.0))
    pt.realize(x**2)
    runs = counted("multiply", x, x)
    pt.realize(x * x, x * x)
    assert len(runs) == 1
