"""Output in the cells of a notebook, through IPython's shell and its display protocol."""

from __future__ import annotations

from typing import ClassVar

import pytest
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell

import py_tensor as pt
from py_tensor.display import bars


class CapturingHook(DisplayHook):
    """Keep the results of cells instead of printing them."""

    results: ClassVar = []

    def write_format_data(self, format_dict, md_dict=None):
        self.results.append(format_dict)

    def write_output_prompt(self):
        pass

    def finish_displayhook(self):
        pass


@pytest.fixture
def shell():
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(
        displayhook_class=CapturingHook, display_pub_class=CapturingDisplayPublisher
    )
    shell.user_ns["pt"] = pt
    CapturingHook.results = []
    yield shell
    shell.reset(new_session=False)  # the results of cells stay alive in `Out`
    InteractiveShell.clear_instance()


def run(shell, cell):
    """Run a cell; return what it displays, with True for replacements."""
    before = len(shell.display_pub.outputs)
    shell.run_cell(cell, store_history=True).raise_error()
    return [(out["data"], out["update"]) for out in shell.display_pub.outputs[before:]]


def test_results_of_cells(shell):
    run(shell, "pt.asarray([[1.0, 2.0]])")
    run(shell, "pt.ones((200, 200))")
    run(shell, "pt.plot.line([1, 2])")
    tensor, large, plot = CapturingHook.results
    assert "<td>2.0</td>" in tensor["text/html"] and tensor["text/plain"].startswith("tensor([[1.")
    assert large["text/plain"].startswith("tensor(shape=(200, 200)")
    assert plot["text/html"].startswith("<svg") and "1 to 2" in plot["text/plain"]


def test_show(shell, capsys):
    cell = "x = pt.ones((2, 2)); pt.show(x, 'a'); pt.show(x * 0, 'a'); pt.show([x])"
    for _ in range(2):  # a cell that runs again begins anew
        shown = run(shell, cell)
        assert [update for _, update in shown] == [False, True, False]
        assert all("<img" in data["text/html"] for data, _ in shown)
    assert run(shell, "pt.show('text')") == []
    assert capsys.readouterr().out == "text\n"


def test_progress(shell, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(bars, "perf_counter", lambda: now[0])
    shell.user_ns["now"] = now
    shown = run(shell, "for i in pt.progress(range(100), 'steps'):\n    now[0] += 0.01")
    assert [update for _, update in shown] == [False, *[True] * (len(shown) - 1)]
    assert 4 <= len(shown) <= 7
    assert shown[-1][0]["text/html"] == (
        '<label>steps <progress value="1"></progress> 100/100 in 1.0 s</label>'
    )


def test_training(shell):
    cell = """
import asyncio
x = pt.ones((8, 1))
model = lambda w, x: x * w, pt.zeros(1)
training = pt.train.fit(model, (x, x), loss="mse", optimizer="sgd", epochs=3, progress=True)
history = asyncio.run(training)
history
"""
    shown = run(shell, cell)
    assert "epoch 3 of 3" in shown[-1][0]["text/html"] and "loss:" in shown[-1][0]["text/html"]
    assert len({data["text/html"] for data, _ in shown}) >= 2
    assert CapturingHook.results[-1]["text/html"].startswith("<svg")
