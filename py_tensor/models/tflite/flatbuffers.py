"""Read FlatBuffers with the help of a schema.

Input: bytes and a table of tables. Output: nested dicts. Data are not copied.
Source: https://flatbuffers.dev/internals
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from ...errors import ModelError

Table = dict[str, Any]
Schema = Mapping[str, str]
"""For each table, its fields in order, as `name:kind` with spaces between.

A kind is the `struct` code of a number, "text", "data" (bytes), the name of a table, or, with a
star after it, a list of numbers or tables. "|name" is a table whose type is the field before it,
as a position in the list of types of that name. Fields named "-" and those after the last one are
skipped, and fields that a file leaves out are absent from the result.
"""

BUDGET = 300_000
"""Maximum number of tables, fields and texts; of numbers in lists, four times as many."""
_CODES = "?bBhHiIqQfd"


class FlatbufferReader:
    """Reads the tables of one file."""

    def __init__(
        self, schema: Schema, unions: Mapping[str, tuple[str, ...]], data: Any, file: str
    ) -> None:
        self._fields = {
            name: [each.partition(":")[::2] for each in fields.split()]
            for name, fields in schema.items()
        }
        self._unions = unions
        self._data = memoryview(data).cast("B")
        self._file = file
        self._left = BUDGET

    def read(self, table: str) -> Table:
        """Return the whole file as a table of this name; raise ModelError if it is not one."""
        return self._table(table, self._offset(0, table), table)

    def _table(self, name: str, at: int, place: str) -> Table:
        start = at - self._number("i", at, place)
        length, size = self._number("H", start, place), self._number("H", start + 2, place)
        if length < 4 or length % 2:
            raise self._malformed("list of fields has a wrong length", start, place)
        offsets = self._numbers("H", start + 4, (length - 4) // 2, place)
        found: Table = {}
        before = 0
        for (field, kind), offset in zip(self._fields[name], offsets, strict=False):
            if kind and offset:
                if offset >= size:
                    raise self._malformed("field is outside of its table", start, place)
                inside = f"{place}.{field}"
                value = self._field(kind, at + offset, before, inside)
                if value is not None:
                    found[field] = value
            before = found.get(field, 0)
        self._spend(1 + len(found), at, place)
        return found

    def _field(self, kind: str, at: int, before: Any, place: str) -> Any:
        if kind in _CODES:
            return self._number(kind, at, place)
        target = self._offset(at, place)
        if kind.startswith("|"):
            names = self._unions[kind[1:]]
            name = names[before] if before < len(names) else ""
            return self._table(name, target, place) if name in self._fields else None
        if kind in self._fields:
            return self._table(kind, target, place)
        count, first = self._number("I", target, place), target + 4
        if kind in ("text", "data"):
            self._check(first, count, place)
            data = self._data[first : first + count]
            if kind == "data":
                return data
            try:
                return str(data, "utf-8")
            except UnicodeDecodeError:
                raise self._malformed("text is not UTF-8", first, place) from None
        kind = kind.removesuffix("*")
        if kind in _CODES:
            self._spend(1 + count // 4, at, place)
            return list(self._numbers(kind, first, count, place))
        self._check(first, 4 * count, place)
        self._spend(count, at, place)
        return [
            self._table(kind, self._offset(first + 4 * n, place), f"{place}[{n}]")
            for n in range(count)
        ]

    def _offset(self, at: int, place: str) -> int:
        forward: int = self._number("I", at, place)
        return at + forward

    def _number(self, code: str, at: int, place: str) -> Any:
        return self._numbers(code, at, 1, place)[0]

    def _numbers(self, code: str, at: int, count: int, place: str) -> tuple[Any, ...]:
        self._check(at, struct.calcsize(code) * count, place)
        return struct.unpack_from(f"<{count}{code}", self._data, at)

    def _check(self, at: int, size: int, place: str) -> None:
        if at < 0 or at + size > len(self._data):
            raise self._malformed("offset or length goes past the end", at, place)

    def _spend(self, count: int, at: int, place: str) -> None:
        self._left -= count
        if self._left < 0:
            raise self._malformed(f"more than {BUDGET:,} fields", at, place)

    def _malformed(self, wrong: str, at: int, place: str) -> ModelError:
        return ModelError(
            f"load: not a valid {self._file} file: {wrong}; got byte {at} in {place}; download or "
            "save the file again"
        )
