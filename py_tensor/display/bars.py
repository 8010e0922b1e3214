"""`progress`: progress bars, and output that changes while the program runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Sized
from html import escape
from itertools import count
from math import inf
from time import perf_counter
from typing import Any

from ..dtypes import wrong_type
from ..functions.arguments import integer
from .places import current

WIDTH = 20
"""Width of a text bar in characters."""
_numbers = count()


def bar_text(head: str, part: float | None, tail: str) -> str:
    """Return a line with a bar; `part` is the completed fraction, or None if it is unknown.

    >>> bar_text("epoch 1/2", 0.5, "5/10")
    'epoch 1/2 [==========          ] 5/10'
    """
    bar = "" if part is None else f"[{'=' * round(WIDTH * part):{WIDTH}}]"
    return " ".join(filter(None, (head, bar, tail)))


def bar_html(head: str, part: float | None, tail: str) -> str:
    """Return the bar as HTML.

    >>> bar_html("epoch 1", None, "5")
    '<label>epoch 1 <progress></progress> 5</label>'
    """
    value = "" if part is None else f' value="{part:.4g}"'
    texts = filter(None, (escape(head), f"<progress{value}></progress>", escape(tail)))
    return f"<label>{' '.join(texts)}</label>"


class Live:
    """Output that changes: a few updates a second are shown, and the last one always is."""

    def __init__(self) -> None:
        self._place = current()
        self._key = f"live {next(_numbers)}"
        self._shown = -inf if self._place.shows_start else perf_counter()

    def is_due(self) -> bool:
        """Return True if the next update would be shown."""
        return perf_counter() - self._shown >= self._place.seconds

    def update(self, item: Any) -> bool:
        """Show an item if enough time has passed since the last one, and return True then."""
        due = self.is_due()
        if due:
            self._shown = perf_counter()
            self._place.update(item, self._key)
        return due

    def end(self, item: Any) -> None:
        """Show the last item."""
        self._place.update(item, self._key, is_last=True)


def progress(
    iterable: Iterable[Any] | None = None, label: str = "", *, total: int | None = None
) -> ProgressBar:
    """Iterate over items and show a progress bar: `for batch in pt.progress(batches):`.

    Notebooks and pages show a bar, terminals rewrite a line, and files get a line every 3 seconds.
    The bar is updated at most 5 times a second, and once at the end. On a page's main thread, the
    browser draws the bar only while Python waits: use `async for batch in pt.progress(batches):`.

    Args:
        iterable: Items to iterate over. None (default) for a bar that `update` advances, in a
            `with` block.
        label: Text before the bar; "" (default) for none.
        total: Number of steps; None (default) for `len(iterable)` if it has a length.

    Returns:
        The bar, which is iterable. Its `note` is a text after the bar, which may change.

    Raises:
        ArgumentError: If `iterable` cannot be iterated over, `label` is no text, or `total` is
            negative.

    >>> import py_tensor as pt
    >>> bar = pt.progress(range(4), "squares")
    >>> [i * i for i in bar]  # doctest: +ELLIPSIS
    squares [====================] 4/4 in ... s
    [0, 1, 4, 9]
    """
    if iterable is not None and not hasattr(iterable, "__iter__"):
        raise wrong_type("progress", "iterable", "iterable", iterable, "a list or a range")
    if not isinstance(label, str):
        raise wrong_type("progress", "label", "a text", label)
    if total is not None:
        total = integer("progress", "total", total, 0)
    elif isinstance(iterable, Sized):
        try:
            total = len(iterable)
        except TypeError:
            raise wrong_type("progress", "iterable", "iterable", iterable, "a list") from None
    return ProgressBar(iterable, label, total)


class ProgressBar:
    """A progress bar; `progress` makes one.

    >>> import py_tensor as pt
    >>> with pt.progress(label="bytes", total=100) as bar:  # doctest: +ELLIPSIS
    ...     bar.update(60)
    ...     bar.note = "nearly"
    ...     bar.update(40)
    bytes [====================] 100/100 in ... s nearly
    """

    def __init__(self, iterable: Iterable[Any] | None, label: str, total: int | None) -> None:
        self._iterable = iterable
        self._live: Live | None = None
        self._seconds: float | None = None
        self._start = perf_counter()
        self.label = label
        """Text before the bar."""
        self.total = total
        """Number of steps, or None if it is unknown."""
        self.note: Any = ""
        """Text after the bar."""
        self.done = 0
        """Number of completed steps."""

    def update(self, steps: int = 1) -> None:
        """Advance the bar.

        Args:
            steps: Number of steps that were completed; default 1.
        """
        self._advance(steps)

    def _advance(self, steps: int) -> bool:
        self.done += steps
        return self._begun().update(self)

    def close(self) -> None:
        """Show the last state of the bar."""
        if self._seconds is None:
            live = self._begun()
            self._seconds = perf_counter() - self._start
            live.end(self)

    def _begun(self) -> Live:
        if self._live is None:
            self._start = perf_counter()
            self._live = Live()
        return self._live

    def __iter__(self) -> Iterator[Any]:
        try:
            self.update(0)
            for item in self._items():
                yield item
                self.update()
        finally:
            self.close()

    async def __aiter__(self) -> AsyncIterator[Any]:
        try:
            self.update(0)
            for item in self._items():
                yield item
                if self._advance(1):
                    # The page draws the bar.
                    await asyncio.sleep(0)
        finally:
            self.close()

    def _items(self) -> Iterable[Any]:
        if self._iterable is None:
            raise wrong_type("progress", "iterable", "given", None, "progress(items)")
        return self._iterable

    def __enter__(self) -> ProgressBar:
        self.update(0)
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def _parts(self) -> tuple[str, float | None, str]:
        part = None if self.total is None else min(self.done / max(self.total, 1), 1.0)
        tail = str(self.done) if self.total is None else f"{self.done}/{self.total}"
        if self._seconds is not None:
            tail += f" in {self._seconds:.1f} s"
        if self.total == 0:
            part = 1.0
        return self.label, part, f"{tail} {self.note}".rstrip()

    def __repr__(self) -> str:
        return bar_text(*self._parts)

    def _repr_html_(self) -> str:
        return bar_html(*self._parts)
