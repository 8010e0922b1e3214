"""Tables for people: aligned text for `print`, HTML for notebooks.

Input: column names and rows. Output: text and HTML.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def milliseconds(value: float | None) -> str:
    """Format a time; None is a time that was not measured.

    >>> milliseconds(1.23456), milliseconds(None)
    ('1.235 ms', '-')
    """
    return "-" if value is None else f"{value:.3f} ms"


def size(nbytes: int) -> str:
    """Format a number of bytes with a binary unit.

    >>> size(12), size(-2048), size(5 << 20)
    ('12 B', '-2.0 KiB', '5.0 MiB')
    """
    value, unit = float(nbytes), "B"
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(value) < 1024 or unit == "GiB":
            break
        value /= 1024
    return f"{nbytes} B" if unit == "B" else f"{value:.1f} {unit}"


class Table:
    """Rows under column names; the columns named in `right` are aligned to the right."""

    def __init__(
        self, columns: Sequence[str], rows: Sequence[Sequence[Any]], right: Sequence[str] = ()
    ) -> None:
        self.columns = columns
        self.rows = [[str(cell) for cell in row] for row in rows]
        self.right = [name in right for name in columns]

    def text(self) -> str:
        """Return the table as aligned lines.

        >>> print(Table(("name", "n"), [("a", 1), ("long", 20)], right=("n",)).text())
        name   n
        a      1
        long  20
        """
        lines = [list(self.columns), *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(line, widths, self.right, strict=True)
            ).rstrip()
            for line in lines
        )

    def html(self) -> str:
        """Return the table as an HTML element.

        >>> Table(("a",), [("<b>",)]).html()
        '<table><tr><th>a</th></tr><tr><td>&lt;b&gt;</td></tr></table>'
        """
        from html import escape

        def row(cells: Sequence[str], tag: str) -> str:
            parts = [
                f"<{tag}{' align="right"' if right else ''}>{escape(cell)}</{tag}>"
                for cell, right in zip(cells, self.right, strict=True)
            ]
            return f"<tr>{''.join(parts)}</tr>"

        body = "".join(row(cells, "td") for cells in self.rows)
        return f"<table>{row(self.columns, 'th')}{body}</table>"


class Printed:
    """Base of results that print as tables and render as HTML in notebooks."""

    __slots__ = ()

    def _tables(self) -> list[Table]:
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n\n".join(table.text() for table in self._tables())

    def __str__(self) -> str:
        return repr(self)

    def _repr_html_(self) -> str:
        return "".join(table.html() for table in self._tables())
