"""Parquet files as datasets, read by PyArrow one row group at a time.

Input: paths of files. Output: a dataset of their rows, of which few blocks are in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import accumulate
from os import PathLike
from typing import Any

from ..dtypes import wrong_type
from ..errors import ArgumentError, BackendError, DTypeError, ShapeError
from ..functions.arguments import items
from ..runtime.host_data import to_host
from .columns import BlockColumn, HostColumn, TextColumn
from .dataset import Dataset
from .sources import rows_of


def parquet(
    source: str | PathLike[str] | Sequence[str],
    *,
    columns: Sequence[str] | None = None,
    features: str | Sequence[str] | None = None,
    labels: str | Sequence[str] | None = None,
) -> Dataset:
    """Return a dataset of the rows of Parquet files, which may be larger than memory.

    Row groups are read while the dataset is iterated, and 4 of them stay in memory. `shuffle` takes
    the row groups in random order, and shuffles the rows of 4 groups together. Requires PyArrow,
    which `pip install "py_tensor[data]"` installs.

    Args:
        source: Path of a file or a folder, a list of paths, or a `pyarrow.dataset.Dataset`.
        columns: Names of the columns to read; None (default) for all.
        features: Name of a column (elements are values) or list of names (elements are vectors).
            None (default) with `labels` means all other columns.
        labels: Name or list of names, like `features`; None (default) for no labels.

    Returns:
        `Dataset` of dicts of values by column name. With `features` or `labels`, of those columns
        only: `features` alone gives values or vectors, `labels` gives tuples (features, labels).
        Columns of lists of one length are vectors, too; columns of strings stay text.

    Raises:
        BackendError: If PyArrow is not installed, as in a page.
        ArgumentError: If a column is unknown, or the source is not readable.
        DTypeError: If a column has neither numbers nor text, or, while iterating, a value is
            missing in a column of integers.
        ShapeError: While iterating, if the lists of a column differ in length.

    With a folder of files:

        rows = pt.data.parquet("clicks/", labels="bought").shuffle(seed=0)
        for x, y in rows.batch(256):
            ...
    """
    table = _Table(source)
    if features is None and labels is None:
        named = table.names if columns is None else items("parquet", "columns", columns)
        return rows_of("parquet", {name: table.column(name) for name in named})
    chosen = [] if labels is None else [table.column(labels)]
    if features is None:
        taken = [labels] if isinstance(labels, str) else labels or []
        features = [name for name in columns or table.names if name not in taken]
    chosen.insert(0, table.column(features))
    return rows_of("parquet", chosen[0] if len(chosen) == 1 else tuple(chosen))


class _Table:
    """Row groups of all files, and the names of their columns."""

    def __init__(self, source: Any) -> None:
        try:
            from pyarrow import dataset
        except ImportError:
            raise BackendError(
                "parquet: PyArrow is not available; got no module pyarrow; in Python, pip install "
                '"py_tensor[data]"; in a page, use csv or from_arrays'
            ) from None
        try:
            files = source
            if not isinstance(source, dataset.Dataset):
                files = dataset.dataset(source, format="parquet", partitioning="hive")
            self.groups = [
                group for file in files.get_fragments() for group in file.split_by_row_group()
            ]
        except (OSError, TypeError, ValueError) as error:
            raise ArgumentError(
                f"parquet: cannot read the source; got {source!r:.60}: {error!s:.200}; pass the "
                "path of a Parquet file, of a folder of such files, or a list of paths"
            ) from None
        self.schema = files.schema
        self.names: list[str] = self.schema.names
        counts = (group.row_groups[0].num_rows for group in self.groups)
        self.starts = [*accumulate(counts, initial=0)]

    def column(self, names: str | Sequence[str]) -> BlockColumn:
        """Return one column, or several joined to a column of vectors."""
        chosen = (names,) if isinstance(names, str) else items("parquet", "columns", names)
        if not chosen or not all(isinstance(name, str) for name in chosen):
            raise wrong_type("parquet", "columns", "names", names, "a list of names")
        for name in chosen:
            if name not in self.names:
                raise ArgumentError(
                    f"parquet: unknown column; got {name!r}; use one of {', '.join(self.names)}"
                )
            self.check(name, text=isinstance(names, str))
        return BlockColumn(self.starts, partial(self.read, names))

    def check(self, name: str, text: bool) -> None:
        """Raise DTypeError unless a column holds numbers, lists of numbers, or allowed text."""
        kind = self.schema.field(name).type
        inner = kind.value_type if _is_list(kind) else kind
        if not (_is_number(inner) or (text and _is_text(kind))):
            raise DTypeError(
                f'parquet: column has no numbers; got {kind} in column "{name}"; convert it, or '
                "name the columns to read"
            )

    def read(self, names: str | Sequence[str], number: int) -> HostColumn | TextColumn:
        """Return the rows of a row group."""
        chosen = [names] if isinstance(names, str) else [*names]
        table = self.groups[number].to_table(schema=self.schema, columns=chosen)
        columns = [table.column(name).combine_chunks() for name in chosen]
        if _is_text(columns[0].type):
            return TextColumn(columns[0].to_pylist())
        arrays = [_numbers(name, cells) for name, cells in zip(chosen, columns, strict=True)]
        if isinstance(names, str):
            return HostColumn(*to_host(arrays[0], None, f'parquet: column "{names}"'))
        import numpy as np

        return HostColumn(*to_host(np.column_stack(arrays), None, "parquet"))


def _is_list(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def _is_number(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind))


def _numbers(name: str, cells: Any) -> Any:
    """Return the numbers of a column as a NumPy array with a row for each cell."""
    count, missing, values = len(cells), cells.null_count, cells
    if _is_list(cells.type):
        values = cells.flatten()
        missing += values.null_count
        if len(values) % max(count, 1) or {*map(len, cells)} - {len(values) // max(count, 1)}:
            raise ShapeError(
                f'parquet: lists in column "{name}" must have one length; got {len(values)} values '
                f"in {count} lists; pad them"
            )
    if missing and not str(values.type).endswith(("float", "double")):
        raise DTypeError(
            f'parquet: value is missing in column "{name}"; got {missing} missing of {values.type} '
            "in one row group; fill them in, or store floats, where a missing value is NaN"
        )
    array = values.to_numpy(zero_copy_only=False)
    return array if values is cells else array.reshape(count, -1)
