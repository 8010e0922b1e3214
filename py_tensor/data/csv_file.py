"""CSV files as datasets: each row is an element.

Input: CSV text. Output: a dataset of its rows, whose columns have inferred or given dtypes.
"""

from __future__ import annotations

import csv as reader
import io
import math
import sys
from collections.abc import Callable, Sequence
from functools import partial, reduce
from pathlib import Path
from typing import Any

from ..dtypes import DType, as_dtype, bool_, float32, int32, promote, wrong_type
from ..errors import ArgumentError, DTypeError, FormatError, ShapeError
from ..functions.arguments import flag, items
from ..runtime.host_data import to_host, unpack
from .columns import DataColumn, HostColumn, TextColumn
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
    """Return a dataset of the rows of a CSV file.

    Args:
        source: Path, URL (a str that starts with http:// or https://), file object, or the text
            itself (a str that contains a line break).
        header: True (default) if the first row holds the column names. If False, columns are
            named "0", "1" and so on.
        names: Column names that replace the found ones; None (default) keeps them.
        dtypes: Dtype of all columns, or a dict of dtypes by column name. A list of strings
            instead of a dtype maps each string to its index, as int32. By default a column has
            the first dtype that holds all its values: bool ("true", "false"), int32, float32 (a
            missing value is NaN, an integer beyond int32 is rounded); otherwise it stays text.
        features: Name of a column (elements are values) or list of names (elements are
            vectors). None (default) with `labels` means all other columns.
        labels: Name or list of names, like `features`; None (default) for no labels.
        delimiter: Character between values; default ",".

    Returns:
        `Dataset` of dicts of values by column name. With `features` or `labels`, of those columns
        only: `features` alone gives values or vectors, `labels` gives tuples (features, labels).
        Vectors are float32 unless `dtypes` names their columns.

    Raises:
        ArgumentError: If a column is unknown, names do not fit, or the source is not readable.
        FormatError: If the file is not text in UTF-8, or a web page.
        ShapeError: If rows differ in length.
        DTypeError: If a value does not fit its dtype.

    >>> import py_tensor as pt
    >>> text = "width,height,kind\\n1,2.5,cat\\n3,4.5,dog\\n"
    >>> dataset = pt.data.csv(text, labels="kind", dtypes={"kind": ["cat", "dog"]})
    >>> for x, y in dataset.batch(2):
    ...     print(x.tolist(), y.tolist())
    [[1.0, 2.5], [3.0, 4.5]] [0, 1]
    """
    if not isinstance(delimiter, str) or len(delimiter) != 1:
        raise wrong_type("csv", "delimiter", "one character", delimiter)
    rows = _read(source, delimiter)
    if flag("csv", "header", header):
        titles = [name.strip() for name in rows.pop(0)] if rows else []
    else:
        titles = [str(position) for position in range(len(rows[0]) if rows else 0)]
    table = _Table(_named(titles, names), rows, dtypes)
    if features is None and labels is None:
        columns = {name: table.column(name) for name in table.names}
        return rows_of("csv", columns)
    chosen = [] if labels is None else [table.chosen(labels)]
    if features is None:
        taken = [labels] if isinstance(labels, str) else labels or []
        features = [name for name in table.names if name not in taken]
    chosen.insert(0, table.chosen(features))
    return rows_of("csv", chosen[0] if len(chosen) == 1 else tuple(chosen))


def _read(source: object, delimiter: str) -> list[list[str]]:
    """Return all rows except empty ones; all have the same length."""
    if isinstance(source, str) and ("\n" in source or "\r" in source):
        text: str | bytes = source
    elif isinstance(source, str) and source.startswith(("http://", "https://")):
        text = _downloaded(source)
    elif isinstance(source, (str, Path)):
        text = Path(source).read_bytes()
    elif hasattr(source, "read"):
        text = source.read()
    else:
        raise ArgumentError(
            f"csv: cannot read from {type(source).__name__}; got {source!r:.60}; pass a path, a "
            "file object or a text with line breaks"
        )
    # Spreadsheets write a byte order mark first.
    try:
        decoded = text if isinstance(text, str) else text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"csv: file is not text in UTF-8; got {error}; save it as CSV in UTF-8, or read arrays "
            "of NumPy with pt.load and Parquet files with pt.data.parquet"
        ) from None
    # Many servers answer with a page if they have no such file.
    if decoded[:200].lstrip().lower().startswith(("<!doctype", "<html")):
        raise FormatError(
            f"csv: file is a web page, not a table; got {decoded.lstrip()!r:.60}; check the address"
        )
    lines = reader.reader(io.StringIO(decoded, newline=""), delimiter=delimiter)
    rows: list[list[str]] = []
    for row in lines:
        if not row:
            continue
        if rows and len(row) != len(rows[0]):
            raise ShapeError(
                f"csv: rows must have the same length; got {len(row)} values in line "
                f"{lines.line_num} and {len(rows[0])} before; correct the file or pass its "
                "delimiter"
            )
        rows.append(row)
    return rows


def _downloaded(url: str) -> str | bytes:
    """Return the contents of a URL; the page waits for it."""
    try:
        return _answer(url)
    except OSError as error:
        raise ArgumentError(
            f"csv: cannot read the URL; got {url}: {error}; check the address and the network"
        ) from None


def _answer(url: str) -> str | bytes:
    if sys.platform != "emscripten":
        from urllib.request import urlopen  # slow to import in a page

        with urlopen(url) as response:
            data: bytes = response.read()
            return data
    import js
    from pyodide.ffi import JsException

    request = js.XMLHttpRequest.new()
    request.open("GET", url, False)
    try:
        request.send()
    except JsException as error:
        raise OSError(str(error)) from None
    if not 200 <= request.status < 300:
        raise OSError(f"HTTP Error {request.status}: {request.statusText}")
    text: str = request.responseText
    return text.removeprefix("\ufeff")


def _named(titles: list[str], names: Sequence[str] | None) -> list[str]:
    result = titles if names is None else list(items("csv", "names", names))
    if not all(isinstance(name, str) for name in result):
        raise wrong_type("csv", "names", "names", names, "a list of names")
    if len(result) != len(titles) or len(set(result)) != len(result):
        raise ArgumentError(
            f"csv: column names must be unique, one per column; got {result} for {len(titles)} "
            "columns; rename or count the columns"
        )
    return result


class _Table:
    """Strings by column, and the dtypes to convert them to."""

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
            advice = "" if len(self.names) > 1 else ", or pass the file's delimiter"
            raise ArgumentError(
                f"csv: unknown column; got {name!r}; use one of {', '.join(self.names)}{advice}"
            )
        return self.texts[name]

    def column(self, name: str) -> DataColumn:
        """Return a column of its given dtype, or of the first dtype that fits, or of strings."""
        texts = self.texts_of(name)
        dtype = self.dtypes.get(name)
        if isinstance(dtype, (list, tuple)):
            numbers = {text: number for number, text in enumerate(dtype)}
            return self._converted(name, int32, lambda text: numbers[text.strip()])
        if dtype is not None:
            return self._of_dtype(name, as_dtype(dtype, "csv"))
        for dtype in (bool_, int32, float32):
            try:
                return self._of_dtype(name, dtype)
            except DTypeError:
                continue
        return TextColumn(texts)

    def _of_dtype(self, name: str, dtype: DType) -> HostColumn:
        if dtype.kind not in _READERS:
            raise DTypeError(
                f"csv: a column cannot have a complex dtype; got {dtype} for {name!r}; read two "
                "columns and combine them with pt.complex"
            )
        return self._converted(name, dtype, _READERS[dtype.kind])

    def _converted(self, name: str, dtype: DType, read: Callable[[str], float]) -> HostColumn:
        values = []
        for row, text in enumerate(self.texts_of(name)):
            try:
                values.append(read(text))
            except (ValueError, KeyError):
                raise DTypeError(
                    f'csv: value in column "{name}" cannot be converted; got {text!r} in row '
                    f'{row}; correct it, or pass dtypes={{"{name}": ...}} with a dtype or the list '
                    "of texts to number"
                ) from None
        return HostColumn(*to_host(values, dtype, f'csv: column "{name}"'))

    def chosen(self, names: str | Sequence[str]) -> DataColumn:
        """Return one column, or several joined to a column of vectors."""
        if isinstance(names, str):
            return self.column(names)
        names = items("csv", "columns", names)
        if not all(isinstance(name, str) for name in names):
            raise wrong_type("csv", "columns", "names", names, "a list of names")
        if not names:
            raise ArgumentError("csv: at least one column is required; got []; name a column")
        columns: list[Any] = [
            self._of_dtype(name, float32) if self.dtypes.get(name) is None else self.column(name)
            for name in names
        ]
        return _side_by_side(columns)


_READERS: dict[str, Callable[[str], float]] = {
    "b": lambda text: _TRUTH[text.strip().lower()],
    "i": int,
    "u": int,
    "f": lambda text: float(text) if text.strip() else math.nan,
}


def _side_by_side(columns: list[HostColumn]) -> HostColumn:
    """Join columns of numbers to one column of vectors of the dtype they promote to."""
    dtype = reduce(partial(promote, "csv"), [column.dtype for column in columns])
    width, length = len(columns), columns[0].length
    table = [
        value
        for row in zip(*[unpack(memoryview(c.data), c.dtype) for c in columns], strict=True)
        for value in row
    ]
    data, _, dtype = to_host(table, dtype, "csv")
    return HostColumn(data, (length, width), dtype)
