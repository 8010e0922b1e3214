"""The table of a model's nodes, as text and as HTML."""

from __future__ import annotations

import math
from html import escape
from typing import NamedTuple

from ..ir.node import OpNode
from ..ops import OP_DEFS
from ..ops.contractions import CONVOLVE, DOT
from ..ops.op_def import ViewOp

LONGEST = 50
"""Maximum number of characters of a name in the table; the end of a longer one is shown."""
_HEAD = ("node", "operator", "shape", "parameters", "bytes", "multiply-adds")


class SummaryRow(NamedTuple):
    """One node of a model, or the total.

    >>> import py_tensor as pt
    >>> model = pt.models.loads(pt.models.EXAMPLE)
    >>> model.summary(pt.ShapeDtype((5,))).rows[0].shape
    '(5,)'
    """

    name: str
    operator: str
    shape: str
    """Shapes of the results; "?" for one that depends on values."""
    parameters: int
    nbytes: int
    """Bytes of the parameters in the file."""
    multiply_adds: int
    """Multiplications whose products are added, in products of matrices and convolutions."""

    @property
    def cells(self) -> tuple[str, ...]:
        """Texts of the columns; only the end of a long name.

        >>> import py_tensor as pt
        >>> pt.models.SummaryRow("y", "MatMul", "(2, 3)", 4000, 16000, 8000).cells[3:]
        ('4,000', '16,000', '8,000')
        """
        name = self.name if len(self.name) <= LONGEST else f"...{self.name[3 - LONGEST :]}"
        return (name, *self[1:3], *(f"{number:,}" for number in self[3:]))


class Summary:
    """Table of a model's nodes, which `Model.summary` returns.

    `str(summary)` is a table as text; notebooks show it as HTML.

    >>> import py_tensor as pt
    >>> summary = pt.models.loads(pt.models.EXAMPLE).summary(pt.ShapeDtype((5,)))
    >>> summary.total.parameters, summary.transposes
    (0, 0)
    """

    def __init__(self, rows: tuple[SummaryRow, ...], transposes: int | None) -> None:
        self.rows = rows
        self.total = SummaryRow(
            "total",
            "",
            "",
            sum(row.parameters for row in rows),
            sum(row.nbytes for row in rows),
            sum(row.multiply_adds for row in rows),
        )
        self.transposes = transposes
        """Number of transposes that move elements in each call; None if it depends on values."""

    @property
    def _note(self) -> str:
        count = "?" if self.transposes is None else self.transposes
        return f"transposes between nodes: {count}"

    def __str__(self) -> str:
        table = [_HEAD, *(row.cells for row in (*self.rows, self.total))]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            "  ".join(
                f"{cell:>{width}}" if at > 2 else f"{cell:{width}}"
                for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
            ).rstrip()
            for cells in table
        ]
        return "\n".join([*lines, self._note])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        def line(cells: tuple[str, ...], kind: str) -> str:
            return f"<tr>{''.join(f'<{kind}>{escape(cell)}</{kind}>' for cell in cells)}</tr>"

        body = "".join(line(row.cells, "td") for row in self.rows)
        return (
            f"<table><thead>{line(_HEAD, 'th')}</thead><tbody>{body}</tbody>"
            f"<tfoot>{line(self.total.cells, 'th')}</tfoot>"
            f"<caption>{self._note}</caption></table>"
        )


def multiply_adds(node: OpNode, seen: set[int]) -> int:
    """Return the number of multiply-adds of a pending value, without those of nodes in `seen`."""
    total, left = 0, [node]
    while left:
        each = left.pop()
        if id(each) in seen or each.call is None:
            continue
        seen.add(id(each))
        left += each.srcs
        if each.call.op is DOT:
            total += math.prod(each.spec.shape) * each.srcs[1].spec.shape[-2]
        elif each.call.op is CONVOLVE:
            total += math.prod(each.spec.shape) * math.prod(each.srcs[1].spec.shape[:-1])
        elif each.call.op is OP_DEFS["sum"]:
            total += _products(each.srcs[0])
    return total


def _products(node: OpNode) -> int:
    """Return the number of elements if they are products of weights: a convolution by group."""
    source = node
    while source.call is not None and isinstance(source.call.op, ViewOp):
        source = source.srcs[0]
    multiplied = source.call is not None and source.call.op is OP_DEFS["multiply"]
    return math.prod(node.spec.shape) if multiplied else 0
