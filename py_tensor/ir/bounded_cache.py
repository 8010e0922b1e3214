"""The cache that every table of made things uses: bounded, dropping the oldest entry first."""

from __future__ import annotations


class BoundedCache[Key, Value](dict[Key, Value]):
    """Dictionary of at most `limit` entries.

    Adding one more drops the entry that was added first. Looking up costs what it costs in a
    dictionary, which matters more here than keeping what was used last.
    """

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit

    def __setitem__(self, key: Key, value: Value) -> None:
        if len(self) >= self.limit and key not in self:
            del self[next(iter(self))]
        super().__setitem__(key, value)
