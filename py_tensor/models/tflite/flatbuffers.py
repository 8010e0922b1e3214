"""Read FlatBuffers with the help of a schema.

Input: bytes and a table of tables. Output: nested dicts. Data are not copied.
Source: https://flatbuffers.dev/internals
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from ...errors import ModelError
from ..file_errors import malformed

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
            name: [field.partition(":")[::2] for field in fields.split()]
            for name, fields in schema.items()
        }
        self._unions = unions
        self._data = memoryview(data).cast("B")
        self._file = file
        self._left = BUDGET

    def read(self, table: str) -> Table:
        """Return the whole file as a table of this name; raise ModelError if it is not one."""
        return self._table(table, self._offset(0, table), table)

    def _table(self, name: str, at: int, path: str) -> Table:
        start = at - self._number("i", at, path)
        length, size = self._number("H", start, path), self._number("H", start + 2, path)
        if length < 4 or length % 2:
            raise self._malformed("list of fields has a wrong length", start, path)
        offsets = self._numbers("H", start + 4, (length - 4) // 2, path)
        table: Table = {}
        before = 0
        for (field, kind), offset in zip(self._fields[name], offsets, strict=False):
            if kind and offset:
                if offset >= size:
                    raise self._malformed("field is outside of its table", start, path)
                inside = f"{path}.{field}"
                value = self._field(kind, at + offset, before, inside)
                if value is not None:
                    table[field] = value
            before = table.get(field, 0)
        self._spend(1 + len(table), at, path)
        return table

    def _field(self, kind: str, at: int, before: Any, path: str) -> Any:
        if kind in _CODES:
            return self._number(kind, at, path)
        target = self._offset(at, path)
        if kind.startswith("|"):
            names = self._unions[kind[1:]]
            name = names[before] if before < len(names) else ""
            return self._table(name, target, path) if name in self._fields else None
        if kind in self._fields:
            return self._table(kind, target, path)
        count, first = self._number("I", target, path), target + 4
        if kind in ("text", "data"):
            self._check(first, count, path)
            data = self._data[first : first + count]
            if kind == "data":
                return data
            try:
                return str(data, "utf-8")
            except UnicodeDecodeError:
                raise self._malformed("text is not UTF-8", first, path) from None
        kind = kind.removesuffix("*")
        if kind in _CODES:
            self._spend(1 + count // 4, at, path)
            return list(self._numbers(kind, first, count, path))
        self._check(first, 4 * count, path)
        self._spend(count, at, path)
        return [
            self._table(kind, self._offset(first + 4 * n, path), f"{path}[{n}]")
            for n in range(count)
        ]

    def _offset(self, at: int, path: str) -> int:
        forward: int = self._number("I", at, path)
        return at + forward

    def _number(self, code: str, at: int, path: str) -> Any:
        return self._numbers(code, at, 1, path)[0]

    def _numbers(self, code: str, at: int, count: int, path: str) -> tuple[Any, ...]:
        self._check(at, struct.calcsize(code) * count, path)
        return struct.unpack_from(f"<{count}{code}", self._data, at)

    def _check(self, at: int, size: int, path: str) -> None:
        if at < 0 or at + size > len(self._data):
            raise self._malformed("offset or length goes past the end", at, path)

    def _spend(self, count: int, at: int, path: str) -> None:
        self._left -= count
        if self._left < 0:
            raise self._malformed(f"more than {BUDGET:,} fields", at, path)

    def _malformed(self, wrong: str, at: int, path: str) -> ModelError:
        return malformed(self._file, wrong, f"byte {at} in {path}")
