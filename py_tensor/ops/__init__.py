"""The op table: one row is one operation; no other module names an operation.

From a row come the function and the Tensor method, the shape and dtype checks, the error text, the
shader, the reference result, the tests on every backend and the line in the generated stubs.
Comes in: nothing; goes out: `ROWS`, by name.
"""

from __future__ import annotations

from . import contractions, elementwise, gathers, parts, reductions, scans, sorts, sources, views
from .rows import Row

ROWS: dict[str, Row] = {
    row.name: row
    for table in (
        elementwise.ROWS,
        reductions.ROWS,
        scans.ROWS,
        views.ROWS,
        gathers.ROWS,
        sorts.ROWS,
        sources.ROWS,
        contractions.ROWS,
        parts.ROWS,
    )
    for row in table
}
