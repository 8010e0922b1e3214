"""Debug mode runs each operation separately, logs it, and stops at the first NaN."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
from contextlib import nullcontext

import pytest
from helpers import assert_values

import py_tensor as pt
from py_tensor import errors
from py_tensor.diagnostics import debug


@pytest.fixture
def logged(caplog):
    """Records of debug mode, as (operation, text)."""
    with caplog.at_level(logging.INFO, logger="py_tensor"):
        yield lambda: [(record.args[0], record.getMessage()) for record in caplog.records]


def test_every_operation_is_logged(logged, engine):
    x = pt.asarray([[1.0, 2.0], [3.0, 4.0]])
    with pt.enable_debug_mode():
        y = pt.sum(pt.exp(x) * 2.0, axis=0)
    assert [name for name, _ in logged()] == ["exp", "multiply", "sum"]
    assert logged()[0][1].startswith("exp: ")
    milliseconds = "-" if engine.timers is None else r"\d+\.\d{3} ms"
    text = rf"exp: \d+\.\d{{3}} ms, GPU {milliseconds}, rank 2, shape \(2, 2\), size 4, 16 bytes "
    assert re.fullmatch(rf"{text}\(test_debug_mode\.py:\d+\)", logged()[0][1])
    before = len(logged())
    assert_values(y, (2 * pt.exp(x)).numpy().sum(axis=0), rtol=1e-6)
    assert len(logged()) == before


def test_a_program_without_logging_sees_the_log():
    program = (
        "import py_tensor as pt\n"
        'pt.set_backend("numpy")\n'
        "with pt.enable_debug_mode():\n"
        "    pt.sqrt(pt.ones(3))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "sqrt: " in done.stdout and "shape (3,), size 3" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("name", "call", "value"),
    [
        ("log", lambda x: pt.log(x - 2.0), "-inf"),
        ("sqrt", lambda x: pt.sqrt(x - 9.0), "nan"),
        ("divide", lambda x: x / 0.0, "inf"),
    ],
)
def test_first_non_finite_result_raises(name, call, value):
    x = pt.asarray([3.0, 2.0])
    with pytest.raises(errors.NumericError) as raised, pt.enable_debug_mode(infinities=True):
        call(x)
    at = 0 if value != "-inf" else 1
    assert str(raised.value).startswith(
        f"{name}: result is not finite; got {value} at element {at} of shape (2,), at "
        f"test_debug_mode.py:"
    )
    call(x).tolist()


def test_infinities_stop_on_request_only():
    scores = pt.asarray([[1.0, 2.0], [3.0, 4.0]])
    with pt.enable_debug_mode():
        masked = pt.where(pt.tril(pt.ones((2, 2), dtype="bool")), scores * 2.0, -pt.inf)
        weights = pt.softmax(masked + 0.0, axis=-1)
        assert (scores / 0.0).tolist() == [[pt.inf] * 2] * 2
        with pytest.raises(errors.NumericError, match="got nan"):
            masked - masked
    assert weights.tolist()[0] == [1.0, 0.0]


def test_integers_and_existing_values_pass():
    x = pt.asarray([float("nan"), 1.0])
    with pt.enable_debug_mode():
        y = pt.where(pt.isnan(x), 0.0, x)
        z = pt.asarray([1, 2]) + 1
    assert (y.tolist(), z.tolist()) == ([0.0, 1.0], [2, 3])


def test_production_mode_ends_debug_mode():
    pt.enable_debug_mode()
    pt.enable_production_mode()
    assert pt.log(pt.asarray([0.0])).tolist() == [float("-inf")]


def test_enabling_twice_equals_once(logged):
    pt.enable_debug_mode()
    with pt.enable_debug_mode():
        pt.asarray([1.0]) + 1.0
    assert [name for name, _ in logged()] == ["add"]
    pt.asarray([1.0]) + 1.0
    assert len(logged()) == 1


def test_log_handler_is_removed_with_the_mode(monkeypatch):
    monkeypatch.setattr(debug.logger, "propagate", False)
    assert debug.logger.handlers == []
    with pt.enable_debug_mode():
        assert len(debug.logger.handlers) == 1
        pt.enable_debug_mode()
        assert len(debug.logger.handlers) == 1
    assert debug.logger.handlers == []


def called(function):
    """Return the qualified names of the functions that a call runs."""
    names = set()
    sys.setprofile(lambda frame, event, arg: names.add(frame.f_code.co_qualname))
    try:
        function()
    finally:
        sys.setprofile(None)
    return names


def test_production_mode_validates_nothing_again():
    """Repeated calls neither check shapes and dtypes nor look at values."""
    x, w = pt.ones((5, 77)), pt.ones((77, 3))

    def work():
        return pt.sum(pt.softmax(pt.relu(x @ w + 1.0) * 2.0), axis=0)

    first = called(work)
    checks = {"OpDef.infer", "op_instance", "operand_nodes"}
    looks = {"_Inspector.__call__", "user_line"}
    assert checks <= first
    repeated = called(work)
    assert not repeated & (checks | looks)
    with pt.enable_debug_mode():
        assert looks <= called(work)


def test_production_mode_runs_one_plan(engine):
    x = pt.asarray([[1.0, 2.0], [3.0, 4.0]])

    def draws(mode):
        before = engine.statistics()["draws"]
        with mode():
            pt.realize(pt.relu(pt.exp(x) * 2.0 - 1.0))
        return engine.statistics()["draws"] - before

    assert draws(nullcontext) == 1
    assert draws(pt.enable_debug_mode) == 4
