"""Functions and methods whose module is imported when they are first used."""

from __future__ import annotations

import sys

import pytest

import py_tensor as pt
from py_tensor.functions.methods import TensorMethods
from py_tensor.late import LateFunction, LateModule


@pytest.fixture
def late(tmp_path, monkeypatch):
    """Return a module that is imported late and has not been imported yet."""
    (tmp_path / "late_example.py").write_text(
        "def doubled(x): return 2 * x\ndef named(self): return type(self).__name__\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "late_example", raising=False)
    return LateModule("late_example")


def test_a_module_is_imported_by_the_first_call(late):
    doubled = late.doubled
    assert "late_example" not in sys.modules
    assert doubled(4) == 8
    assert "late_example" in sys.modules


def test_a_function_that_is_replaced_later_is_called(late, monkeypatch):
    assert late.doubled(4) == 8
    monkeypatch.setattr(sys.modules["late_example"], "doubled", lambda x: x)
    assert late.doubled(4) == 4


def test_the_first_use_replaces_all_names_of_a_method(late):
    class Example:
        __repr__ = late.named
        named = late.named

    assert isinstance(vars(Example)["named"], LateFunction)
    assert repr(Example()) == "Example"
    function = sys.modules["late_example"].named
    assert vars(Example)["named"] is vars(Example)["__repr__"] is function


def test_a_missing_function_raises(late):
    with pytest.raises(AttributeError, match="tripled"):
        late.tripled(4)


def test_methods_are_replaced_when_they_are_first_used():
    x = pt.ones((2, 2))
    assert (x @ x).sum().tolist() == 8
    assert vars(TensorMethods)["__matmul__"] is vars(TensorMethods)["matmul"] is pt.matmul
    assert vars(TensorMethods)["sum"] is pt.sum
