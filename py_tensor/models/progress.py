"""Report how many bytes of a model's files have been read."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

from ..display.bars import Live, bar_html, bar_text
from ..functions.arguments import function_of
from ..io.network import Report

Progress = Callable[[int, int | None, str], Any]


class ProgressMeter:
    """Adds the bytes of several files and reports them."""

    def __init__(self, progress: bool | Progress | None) -> None:
        self._bar = _Bar() if progress is True else None
        self._show = function_of("load", "progress", self._bar or progress) if progress else None
        self._files: dict[str, tuple[int, int | None]] = {}
        """Bytes that were read, and all bytes, by file."""

    @property
    def is_shown(self) -> bool:
        """Return True if reports are wanted."""
        return self._show is not None

    def expect(self, name: str, size: int | None) -> None:
        """Note the size of a file that will be read."""
        self._files[name] = 0, size

    def of(self, name: str, label: str) -> Report | None:
        """Return the function that takes the reports of a file; `label` is its name in reports."""
        show = self._show
        if show is None:
            return None

        def report(done: int, total: int | None) -> None:
            known = self._files.get(name, (0, None))[1]
            # A compressed file may be longer than its server says.
            size = total if total is not None else known
            state = done, size if size is None else max(done, size)
            if self._files.get(name) == state:
                return
            self._files[name] = state
            sizes = [size for _, size in self._files.values()]
            whole = None if None in sizes else sum(size or 0 for size in sizes)
            show(sum(done for done, _ in self._files.values()), whole, label)

        return report

    def end(self) -> None:
        """Show the last state of the bar."""
        if self._bar is not None:
            self._bar.end()


class _Bar:
    """Shows the bytes that have arrived as a progress bar."""

    def __init__(self) -> None:
        self._live = Live()
        self._start = perf_counter()
        self._state: tuple[int, int | None, str] = 0, None, "model"

    def __call__(self, done: int, total: int | None, name: str) -> None:
        self._state = done, total, name
        self._live.update(self)

    def end(self) -> None:
        done = self._state[0]
        self._state = done, done, f"all files in {perf_counter() - self._start:.1f} s"
        self._live.end(self)

    @property
    def _parts(self) -> tuple[str, float | None, str]:
        done, total, name = self._state
        size = f"{done / 1e6:.1f}" if total is None else f"{done / 1e6:.1f} of {total / 1e6:.1f}"
        return "", None if total is None else done / max(total, 1), f"{size} MB: {name}"

    def __repr__(self) -> str:
        return bar_text(*self._parts)

    def _repr_html_(self) -> str:
        return bar_html(*self._parts)
