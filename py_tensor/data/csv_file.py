"""CSV files as datasets: each row is an element.

Tables of texts become columns. Comes in: CSV; goes out: a dataset of its rows.
"""

from __future__ import annotations

import csv as reader
import io
import math
from collections.abc import Callable, Sequence
from functools import partial, reduce
from pathlib import Path
from typing import Any

from ..conversion import to_host, unpack
from ..dtypes import DType, as_dtype, bool_, float32, int32, promote
from ..errors import ArgumentError, DTypeError, ShapeError
from .columns import Column, HostColumn, TextColumn
from .dataset import Dataset
from .sources import rows_of

_TRUTH = {"true": True, "false": False}


def csv(
    source: Any,
    *,
    header: bool = True,
    names: Sequence[str] | None = None,
    dtypes: Any = None,
    features: str | Sequence[str] | None = None,
    labels: str | Sequence[str] | None = None,
    delimiter: str = ",",
) -> Dataset:
    """The rows of a CSV file: dicts of values by column, or (features, labels).

    `source` is a path, a file object, or the text itself, which a str with a line break is. Column
    names are the first row, unless `header` is False; `names` replaces them. With `features` or
    `labels`, elements are those columns, both together as a tuple: one name gives a value, a list
    of names a vector; `features` are all columns but the labels where only `labels` is given.

    A column's dtype is the first that holds all its values: bool ("true", "false"), int32, float32
    (a missing value is NaN, an integer beyond int32 is rounded), else they stay texts. `dtypes`
    says otherwise, as one dtype for all columns or a dict of them by name; a list of texts in the
    place of a dtype numbers them from 0. Vectors are float32 unless `dtypes` names their columns.
    Raises ShapeError for rows of different lengths, DTypeError for values that do not fit,
    ArgumentError for unknown columns.

    >>> import py_tensor as pt
    >>> text = "width,height,kind\\n1,2.5,cat\\n3,4.5,dog\\n"
    >>> dataset = pt.data.csv(text, labels="kind", dtypes={"kind": ["cat", "dog"]})
    >>> for x, y in dataset.batch(2):
    ...     print(x.tolist(), y.tolist())
    [[1.0, 2.5], [3.0, 4.5]] [0, 1]
    """
    rows = _read(source, delimiter)
    if header:
        found = [name.strip() for name in rows.pop(0)] if rows else []
    else:
        found = [str(position) for position in range(len(rows[0]) if rows else 0)]
    table = _Table(_named(found, names), rows, dtypes)
    if features is None and labels is None:
        columns = {name: table.column(name) for name in table.names}
        return rows_of("csv", columns, list(columns.values()))
    chosen = [] if labels is None else [table.chosen(labels)]
    if features is None:
        taken = [labels] if isinstance(labels, str) else labels or []
        features = [name for name in table.names if name not in taken]
    chosen.insert(0, table.chosen(features))
    return rows_of("csv", chosen[0] if len(chosen) == 1 else tuple(chosen), chosen)


def _read(source: Any, delimiter: str) -> list[list[str]]:
    """All rows but empty ones, equally long."""
    if isinstance(source, str) and ("\n" in source or "\r" in source):
        text: str | bytes = source
    elif isinstance(source, (str, Path)):
        text = Path(source).read_bytes()
    elif hasattr(source, "read"):
        text = source.read()
    else:
        raise ArgumentError(
            f"csv: cannot read from {type(source).__name__}; got {source!r:.60}; "
            "give a path, a file object or a text with line breaks"
        )
    # Spreadsheets put a byte order mark in front.
    decoded = text if isinstance(text, str) else text.decode("utf-8-sig")
    lines = reader.reader(io.StringIO(decoded, newline=""), delimiter=delimiter)
    rows: list[list[str]] = []
    for row in lines:
        if not row:
            continue
        if rows and len(row) != len(rows[0]):
            raise ShapeError(
                f"csv: rows differ in length; got {len(row)} values in line {lines.line_num} and "
                f"{len(rows[0])} before; repair the file, or give its delimiter"
            )
        rows.append(row)
    return rows


def _named(found: list[str], names: Sequence[str] | None) -> list[str]:
    result = found if names is None else list(names)
    if len(result) != len(found) or len(set(result)) != len(result):
        raise ArgumentError(
            f"csv: column names do not fit; got {result} for {len(found)} columns; "
            "name each column once"
        )
    return result


class _Table:
    """Texts by column, and what they are to become."""

    def __init__(self, names: list[str], rows: list[list[str]], dtypes: Any) -> None:
        self.names = names
        self.texts = dict(
            zip(names, zip(*rows, strict=True) if rows else [()] * len(names), strict=True)
        )
        self.dtypes = dtypes if isinstance(dtypes, dict) else dict.fromkeys(names, dtypes)
        for name in self.dtypes:
            self.texts_of(name)

    def texts_of(self, name: str) -> Sequence[str]:
        if name not in self.texts:
            raise ArgumentError(
                f"csv: no column of that name; got {name!r}; use one of {', '.join(self.names)}"
            )
        return self.texts[name]

    def column(self, name: str) -> Column:
        """A column of values, of a given dtype, a dtype found out, or texts."""
        texts = self.texts_of(name)
        given = self.dtypes.get(name)
        if isinstance(given, (list, tuple)):
            numbers = {text: number for number, text in enumerate(given)}
            return self._converted(name, int32, lambda text: numbers[text.strip()])
        if given is not None:
            return self._of_dtype(name, as_dtype(given, "csv"))
        for dtype in (bool_, int32, float32):
            try:
                return self._of_dtype(name, dtype)
            except DTypeError:
                continue
        return TextColumn(texts)

    def _of_dtype(self, name: str, dtype: DType) -> HostColumn:
        if dtype.kind not in _READERS:
            raise DTypeError(
                f"csv: no column holds such numbers; got {dtype} for {name!r}; read two columns, "
                "and join them with pt.complex"
            )
        return self._converted(name, dtype, _READERS[dtype.kind])

    def _converted(self, name: str, dtype: DType, read: Callable[[str], Any]) -> HostColumn:
        values = []
        for row, text in enumerate(self.texts_of(name)):
            try:
                values.append(read(text))
            except (ValueError, KeyError):
                raise DTypeError(
                    f'csv: value in column "{name}" does not fit; got {text!r} in row {row}; '
                    f'repair it, or give dtypes={{"{name}": ...}}: a dtype, or the list of its '
                    "texts to number them"
                ) from None
        return HostColumn(*to_host(values, dtype, f'csv: column "{name}"'))

    def chosen(self, names: str | Sequence[str]) -> Column:
        """One column, or several side by side as one column of vectors."""
        if isinstance(names, str):
            return self.column(names)
        if not names:
            raise ArgumentError("csv: no column chosen; got []; name at least one column")
        columns: list[Any] = [
            self._of_dtype(name, float32) if self.dtypes.get(name) is None else self.column(name)
            for name in names
        ]
        return _side_by_side(columns)


_READERS: dict[str, Callable[[str], Any]] = {
    "b": lambda text: _TRUTH[text.strip().lower()],
    "i": int,
    "u": int,
    "f": lambda text: float(text) if text.strip() else math.nan,
}


def _side_by_side(columns: list[HostColumn]) -> HostColumn:
    """Columns of numbers as one of vectors, of the dtype they promote to."""
    dtype = reduce(partial(promote, "csv"), [column.dtype for column in columns])
    width, length = len(columns), columns[0].length
    table = [
        value
        for row in zip(*[unpack(memoryview(c.data), c.dtype) for c in columns], strict=True)
        for value in row
    ]
    data, _, dtype = to_host(table, dtype, "csv")
    return HostColumn(data, (length, width), dtype)
