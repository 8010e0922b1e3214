"""Iteration over the elements of a pipeline, by `for` and by `async for`."""

from __future__ import annotations

import math
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

from .stages import Stream

Count = float | None
"""Number of elements: an int, infinity, or None if unknown before iterating."""


class Pipeline:
    """Elements of a stream, which starts anew in each iteration."""

    def __init__(self, stream: Stream, length: Count) -> None:
        self._stream = stream
        self._length = length

    def __iter__(self) -> Iterator[Any]:
        elements = self._stream(False)
        while True:
            hooks = sys.get_asyncgen_hooks()
            # A running event loop would defer closing a generator that is abandoned early.
            sys.set_asyncgen_hooks(None, None)
            try:
                # No stage waits here, so a single step produces the element.
                anext(elements).__await__().send(None)
            except StopIteration as step:
                element = step.value
            except StopAsyncIteration:
                return
            finally:
                sys.set_asyncgen_hooks(*hooks)
            yield element

    def __aiter__(self) -> AsyncIterator[Any]:
        return self._stream(True)

    def __len__(self) -> int:
        if self._length is None or self._length == math.inf:
            what = "endless" if self._length else "of unknown length"
            raise TypeError(f"len: dataset is {what}; got {self!r}; iterate over it or use take")
        return int(self._length)

    def __bool__(self) -> bool:
        """Return True, so that `if dataset:` does not need a length."""
        return True

    def __repr__(self) -> str:
        length = "unknown" if self._length is None else self._length
        return f"Dataset(length={length})"

    def _count_batches(self, size: int, drop: bool) -> Count:
        if self._length is None or self._length == math.inf:
            return self._length
        return self._length // size if drop else -(-self._length // size)
