"""Report how many bytes of a model's files have been read."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

from ..functions.arguments import function_of
from ..io.network import Report

Progress = Callable[[int, int | None, str], Any]
SECONDS = 3.0
"""Seconds between two lines of the text bar: some notebooks take a second to show a line."""
WIDTH = 20


class Meter:
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
        """Print the last line of the text bar."""
        if self._bar is not None:
            self._bar.end()


class _Bar:
    """Prints a line every few seconds, and one at the end."""

    def __init__(self) -> None:
        self._start = self._printed = perf_counter()
        self._done = 0

    def __call__(self, done: int, total: int | None, name: str) -> None:
        self._done = done
        if perf_counter() - self._printed >= SECONDS:
            print(line(done, total, name))
            self._printed = perf_counter()

    def end(self) -> None:
        seconds = perf_counter() - self._start
        print(f"{line(self._done, self._done, 'all files')} in {seconds:.1f} s")


def line(done: int, total: int | None, name: str) -> str:
    """Return a line of the text bar.

    >>> line(500_000, 2_000_000, "model.onnx")
    '[=====               ] 0.5 of 2.0 MB: model.onnx'
    """
    if total is None:
        return f"{done / 1e6:.1f} MB: {name}"
    bar = ("=" * round(WIDTH * done / max(total, 1))).ljust(WIDTH)
    return f"[{bar}] {done / 1e6:.1f} of {total / 1e6:.1f} MB: {name}"
