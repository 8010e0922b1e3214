"""The table of a model's nodes, as text and as HTML."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from html import escape
from typing import Any, NamedTuple

from ..errors import TraceError
from ..ir.node import OpNode
from ..ops import OP_DEFS
from ..ops.contractions import CONVOLVE, DOT
from ..ops.op_def import ViewOp
from ..tensor import Tensor
from ..transforms.jacobians import eval_shape
from .execution import ModelProgram, ModelValue, is_text
from .graph import ModelGraph, reads
from .layouts import Count, Permuted
from .runner import given_value

LONGEST = 50
"""Maximum number of characters of a name in the table; the end of a longer one is shown."""
_HEAD = ("node", "operator", "shape", "parameters", "bytes", "multiply-adds")


class Layer(NamedTuple):
    """One node of a model.

    >>> import py_tensor as pt
    >>> pt.models.Layer("relu1", "Relu", ("x",), ("y",), 0, 0).operator
    'Relu'
    """

    name: str
    operator: str
    inputs: tuple[str, ...]
    """Names of values; "" for an omitted input."""
    outputs: tuple[str, ...]
    parameters: int
    """Number of elements of the constants that the node reads, and no node before it.

    Constants of a node that reads constants alone, for example a cast of weights, count at the node
    that reads its result.
    """
    nbytes: int
    """Bytes of these constants in the file."""
    attributes: Mapping[str, Any] = {}
    """Options of the operator by name: numbers, texts, lists of these, and others."""


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


def layers_of(graph: ModelGraph) -> tuple[Layer, ...]:
    """Return the nodes of a graph, each with the constants that `Layer.parameters` counts."""
    counted = _constants_of_nodes(graph)
    layers = []
    for node, names in zip(graph.nodes, counted, strict=True):
        constants = [graph.constants[name] for name in names]
        layers.append(
            Layer(
                node.name,
                node.operator,
                node.inputs,
                node.outputs,
                sum(constant.size for constant in constants),
                sum(constant.nbytes for constant in constants),
                node.attributes,
            )
        )
    return tuple(layers)


def _constants_of_nodes(graph: ModelGraph) -> list[list[str]]:
    """Return the names of the constants that are counted at each node."""
    # Names of the constants of which a value is computed, if nothing else decides it.
    sources: dict[str, tuple[str, ...]] = {name: (name,) for name in graph.constants}
    read: list[tuple[str, ...]] = []
    folded: set[int] = set()
    for at, node in enumerate(graph.nodes):
        names = [name for name in reads(node) if name]
        read.append(tuple(source for name in names for source in sources.get(name, ())))
        if names and all(name in sources for name in names):
            folded.add(at)
            sources.update(dict.fromkeys(node.outputs, read[at]))
    seen: set[str] = set()
    counted: list[list[str]] = [[] for _ in read]
    # Last come nodes whose results no other node reads.
    for at in [*(at for at in range(len(read)) if at not in folded), *sorted(folded)]:
        counted[at] = [name for name in dict.fromkeys(read[at]) if name not in seen]
        seen.update(counted[at])
    return counted


def summarize(program: ModelProgram, layers: Sequence[Layer], inputs: Mapping[str, Any]) -> Summary:
    """Return the table of a program's nodes, given the specs of its inputs by name."""
    in_call = {name for step in program.steps for name in step.node.outputs}
    shapes: dict[str, str] = {}
    products: dict[str, int] = {}
    transposes: list[int] = []
    texts = {name: spec for name, spec in inputs.items() if is_text(spec)}
    tensors = {name: spec for name, spec in inputs.items() if name not in texts}

    def record(**tensors: Tensor) -> None:
        inputs = {**tensors, **texts}
        seen: set[int] = set()
        kept = []

        def note(name: str, value: ModelValue) -> None:
            if value is not None:
                kept.append(value)
                shapes[name] = str(value.shape)
            if isinstance(value, (Tensor, Permuted)):
                tensor = value.tensor if isinstance(value, Permuted) else value
                products[name] = multiply_adds(tensor._node, seen)

        names = [name for layer in layers for name in layer.outputs if name in in_call]
        program.run(inputs, names, note)
        before = Count.transposes
        for value in program.run(inputs, [info.name for info in program.graph.outputs]):
            given_value(value)
        transposes.append(Count.transposes - before)

    with suppress(TraceError):
        eval_shape(record, **tensors)
    rows = []
    for layer in layers:
        names = [name for name in layer.outputs if name]
        shape = ", ".join(shapes.get(n, "?" if n in in_call else "constant") for n in names)
        counted = sum(products.get(name, 0) for name in names)
        rows.append(
            SummaryRow(layer.name, layer.operator, shape, layer.parameters, layer.nbytes, counted)
        )
    return Summary(tuple(rows), transposes[0] if transposes else None)


def multiply_adds(node: OpNode, seen: set[int]) -> int:
    """Return the number of multiply-adds of a pending value, without those of nodes in `seen`."""
    total, left = 0, [node]
    while left:
        node = left.pop()
        if id(node) in seen or node.call is None:
            continue
        seen.add(id(node))
        left += node.srcs
        if node.call.op is DOT:
            total += math.prod(node.spec.shape) * node.srcs[1].spec.shape[-2]
        elif node.call.op is CONVOLVE:
            total += math.prod(node.spec.shape) * math.prod(node.srcs[1].spec.shape[:-1])
        elif node.call.op is OP_DEFS["sum"]:
            total += _products(node.srcs[0])
    return total


def _products(node: OpNode) -> int:
    """Return the number of elements if they are products of weights: a convolution by group."""
    source = node
    while source.call is not None and isinstance(source.call.op, ViewOp):
        source = source.srcs[0]
    multiplied = source.call is not None and source.call.op is OP_DEFS["multiply"]
    return math.prod(node.spec.shape) if multiplied else 0
