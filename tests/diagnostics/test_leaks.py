"""Living tensors are grouped by the line that made them, and blocks that leave some raise."""

from __future__ import annotations

import gc

import pytest

import py_tensor as pt
from py_tensor import errors
from py_tensor.runtime.scopes import state


def line_of(function, offset):
    return f"test_leaks.py:{function.__code__.co_firstlineno + offset}"


@pytest.fixture
def traced():
    yield pt.memory_trace(True)
    pt.memory_trace(False)
    assert state.watchers == ()


# --- trace ---


def test_memory_trace(traced):
    kept = [pt.zeros(3) for _ in range(5)]
    line = line_of(test_memory_trace, 1)
    trace = pt.memory_trace()
    assert trace[line][:2] == (trace[line].tensors, trace[line].nbytes) == (5, 60)
    assert 0 <= trace[line].age < 60
    assert list(trace) == sorted(trace, key=lambda key: -trace[key].nbytes)
    kept.clear()
    gc.collect()
    assert line not in pt.memory_trace()


def test_tensors_from_before_are_counted_without_line():
    before = pt.ones(7)
    try:
        trace = pt.memory_trace(True)
        assert trace["not traced"].tensors >= 1 and trace["not traced"].age is None
    finally:
        pt.memory_trace(False)
    assert before.size == 7


def test_age_is_that_of_the_oldest(traced, monkeypatch):
    seconds = iter([10.0, 14.0, 20.0])
    monkeypatch.setattr("py_tensor.diagnostics.leaks.monotonic", lambda: next(seconds))
    kept = [pt.zeros(3) for _ in range(2)]
    assert pt.memory_trace()[line_of(test_age_is_that_of_the_oldest, 3)].age == 10.0
    assert len(kept) == 2


def test_trace_prints_as_a_table(traced):
    kept = [pt.zeros(1024), pt.zeros(1024)]
    text = str(pt.memory_trace())
    assert text.splitlines()[0].split() == ["line", "tensors", "bytes", "age"]
    line = line_of(test_trace_prints_as_a_table, 1)
    row = next(each for each in text.splitlines() if each.startswith(line))
    assert row.split()[1:4] == ["2", "8.0", "KiB"]
    assert f"<td>{line}</td>" in pt.memory_trace()._repr_html_()
    assert len(kept) == 2


# --- leaks ---


def test_leaks_raise_with_their_lines():
    kept = []
    with pytest.raises(errors.LeakError) as raised, pt.assert_no_leaks():
        kept += [pt.zeros(3) for _ in range(5)]
        kept.append(pt.ones(100) * 2.0)
    first, second = (line_of(test_leaks_raise_with_their_lines, at) for at in (4, 3))
    assert str(raised.value) == (
        "assert_no_leaks: more tensors are alive than before; got 6 more; new are 1 from "
        f"{first} (400 B), 5 from {second} (60 B); delete what refers to them, or use pt.tidy"
    )
    assert [(line, live.tensors) for line, live in raised.value.trace.items()] == [
        *((first, 1), (second, 5)),
    ]
    assert isinstance(raised.value, AssertionError)
    assert state.watchers == ()


def test_blocks_without_leaks_pass():
    x = pt.ones(3)
    with pt.assert_no_leaks():
        # A replaced tensor is no leak.
        x = x * 2.0
        total = pt.sum(x).item()
        with pt.tidy():
            y = x + 1.0
        del y
    assert total == 6.0


def test_cycles_are_no_leaks():
    with pt.assert_no_leaks():
        cycle = [pt.ones(3)]
        cycle.append(cycle)
        del cycle


def test_tensors_of_a_reused_identity_are_found():
    """A new tensor may have the identity of one that was alive before the block."""
    kept = [pt.ones(3) for _ in range(3)]
    with pytest.raises(errors.LeakError) as raised, pt.assert_no_leaks():
        kept.clear()
        kept += [pt.ones(3) for _ in range(4)]
    assert raised.value.trace[line_of(test_tensors_of_a_reused_identity_are_found, 5)].tensors == 4


def test_functions_are_decorated():
    kept = []

    @pt.assert_no_leaks()
    def function(keep):
        x = pt.ones(3)
        if keep:
            kept.append(x)

    function(False)
    with pytest.raises(errors.LeakError):
        function(True)
    function(False)
    assert len(kept) == 1


def test_errors_of_the_block_are_raised():
    kept = []
    with pytest.raises(ZeroDivisionError), pt.assert_no_leaks():
        kept.append(pt.ones(3))
        kept[1 // 0]
    assert state.watchers == ()


def test_steps_of_training_leave_nothing():
    x = pt.ones((2, 3))
    weights = [pt.ones((3, 1))]

    def update():
        gradient = pt.grad(lambda w: pt.sum((x @ w) ** 2))(weights[0])
        weights[0] = weights[0] - 0.1 * gradient

    update()
    with pt.assert_no_leaks():
        for _ in range(3):
            update()
        weights[0].tolist()
