"""Progress bars: what they show, how often, and where."""

from __future__ import annotations

import asyncio
import sys

import pytest

import py_tensor as pt
from py_tensor.display import bars
from py_tensor.display.places import Place, use
from py_tensor.errors import ArgumentError

pytestmark = pytest.mark.host


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(bars, "perf_counter", lambda: now[0])
    return now


class Kept(Place):
    def __init__(self):
        self.shown, self.keys, self.ends = [], set(), 0

    def show(self, item, key=None):
        self.shown.append((str(item), item._repr_html_()))
        self.keys.add(key)

    def update(self, item, key, is_last=False):
        super().update(item, key, is_last)
        self.ends += is_last


@pytest.fixture
def kept():
    place = Kept()
    with use(place):
        yield place


def test_at_most_five_updates_a_second(kept, clock):
    for _ in pt.progress(range(1000), "steps"):
        clock[0] += 0.01
    texts = [text for text, _ in kept.shown]
    assert 40 <= len(texts) <= 52  # ten seconds
    assert texts[0] == "steps [                    ] 0/1000"
    assert texts[-1] == "steps [====================] 1000/1000 in 10.0 s"
    assert len(kept.keys) == kept.ends == 1


def test_html(kept, clock):
    bar = pt.progress(iter("ab"), "<l>")
    for _ in bar:
        bar.note = "<n>"
        clock[0] += 1
    assert [html for _, html in kept.shown] == [
        "<label>&lt;l&gt; <progress></progress> 0</label>",
        "<label>&lt;l&gt; <progress></progress> 1 &lt;n&gt;</label>",
        "<label>&lt;l&gt; <progress></progress> 2 &lt;n&gt;</label>",
        "<label>&lt;l&gt; <progress></progress> 2 in 2.0 s &lt;n&gt;</label>",
    ]
    assert pt.progress([1, 2])._repr_html_() == '<label><progress value="0"></progress> 0/2</label>'


@pytest.mark.parametrize("stop", ["break", "error"])
def test_a_loop_that_ends_early_shows_its_last_state(kept, clock, stop):
    def loop():
        for at in pt.progress(range(10)):
            if at == 3:
                if stop == "break":
                    break
                raise KeyError
            clock[0] += 0.01

    if stop == "break":
        loop()
    else:
        with pytest.raises(KeyError):
            loop()
    assert kept.shown[-1][0] == "[======              ] 3/10 in 0.0 s"
    assert kept.ends == 1


def test_asynchronous_loops_let_other_tasks_run(kept, clock):
    seen = []

    async def other():
        while True:
            seen.append(clock[0])
            await asyncio.sleep(0)

    async def main():
        task = asyncio.create_task(other())
        async for _ in pt.progress(range(6)):
            clock[0] += 1
        task.cancel()

    asyncio.run(main())
    assert len(seen) >= 5


def test_block(kept, clock):
    with pt.progress(total=4) as bar:
        bar.update(3)
        clock[0] += 2.5
    assert kept.shown[-1][0] == "[===============     ] 3/4 in 2.5 s"
    assert pt.progress([])._parts[1] == 1.0


def test_terminals_rewrite_their_line(capsys, monkeypatch, clock):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    for _ in pt.progress(range(2)):
        clock[0] += 1
    lines = capsys.readouterr().out
    assert lines == (
        "\r[                    ] 0/2\x1b[K\r[==========          ] 1/2\x1b[K"
        "\r[====================] 2/2\x1b[K\r[====================] 2/2 in 2.0 s\x1b[K\n"
    )


def test_files_get_a_line_every_three_seconds(capsys, clock):
    for _ in pt.progress(range(8)):
        clock[0] += 1
    assert [line.split()[-3:] for line in capsys.readouterr().out.splitlines()] == [
        ["[========", "]", "3/8"],
        ["[===============", "]", "6/8"],
        ["in", "8.0", "s"],
    ]


def test_bad_arguments():
    with pytest.raises(ArgumentError, match="progress: iterable must be iterable"):
        pt.progress(3)
    with pytest.raises(ArgumentError, match="progress: iterable must be iterable"):
        pt.progress(pt.asarray(3))
    with pytest.raises(ArgumentError, match="progress: label must be a text"):
        pt.progress([], 3)
    with pytest.raises(ArgumentError, match="progress: total is too small"):
        pt.progress(total=-1)
    with pytest.raises(ArgumentError, match="progress: iterable must be given"):
        next(iter(pt.progress(total=3)))
