"""Rewrites what one kernel cannot do, or does badly, into what it can.

`sums`, `contractions`, `scans` and `complexes` say how. Comes in: a Graph; goes out: a Program.
"""

from __future__ import annotations

from typing import Any

from ..nodes import Call, Graph, Spec, call_of
from ..ops.rows import (
    Barrier,
    Composite,
    Contraction,
    GatherAlong,
    Join,
    Literal,
    Part,
    Reduction,
    Scan,
    Scatter,
    Sort,
    ViewRow,
)
from ..ops.views import APART, RESHAPE
from .complexes import Pair, is_kept_cheaply, joined, part_of, split, spread, stored_spec
from .contractions import lower_contraction
from .gathers import lower_gather_along
from .program import Program
from .scans import lower_scan
from .scatters import lower_scatter
from .sorts import lower_sort
from .sums import lower_reduction


def lower(graph: Graph, draw_buffers: int) -> Program:
    """The graph in terms of operations a kernel can do, drawing into so many buffers at once."""
    return _Lowering(graph, draw_buffers).run()


class _Lowering:
    """The state of one pass over a graph, operands first."""

    def __init__(self, graph: Graph, draw_buffers: int) -> None:
        self.graph = graph
        self.program = Program(graph)
        self.draw_buffers = draw_buffers
        self.pairs: dict[int, Pair] = {}
        """The parts of each complex node of the graph, whose `origin` is -1 unless it is kept."""
        self.composites: dict[tuple[Call, tuple[int, ...]], int] = {}
        """Where results of composites are, by what they were made of."""

    def run(self) -> Program:
        origin = self.program.origin
        outputs, shared = set(self.graph.outputs), set(self.graph.shared)
        for position, (call, edges) in enumerate(
            zip(self.graph.calls, self.graph.edges, strict=True)
        ):
            spec = call if type(call) is Spec else call.spec
            if spec.dtype.kind != "c":
                origin.append(self._real(call, edges))
            elif type(call) is Spec:
                origin.append(self.program.append(stored_spec(call)))
                self.pairs[position] = split(self.program, origin[position])
            else:
                self.pairs[position] = self._parts(call, edges)
                kept = position in outputs or position in shared
                origin.append(self._stored(position, position in outputs) if kept else -1)
        return self.program

    def _real(self, call: Any, edges: tuple[int, ...]) -> int:
        if type(call) is Call and isinstance(call.row, Part):
            return self.pairs[edges[0]][call.row.part]
        return self._lowered(call, tuple(self.program.origin[at] for at in edges))

    def _lowered(self, call: Any, srcs: tuple[int, ...]) -> int:
        program = self.program
        row = call.row if type(call) is Call else None
        if isinstance(row, Contraction):
            return lower_contraction(program, call, srcs)
        if isinstance(row, Reduction):
            return lower_reduction(program, row, srcs[0], call.arg)
        if isinstance(row, Scan):
            return lower_scan(program, call, srcs[0], self.draw_buffers)
        if isinstance(row, Scatter):
            return lower_scatter(program, call, srcs)
        if isinstance(row, GatherAlong):
            return lower_gather_along(program, call, srcs)
        if isinstance(row, Sort):
            return lower_sort(program, call, srcs[0])
        if isinstance(row, Barrier):
            return program.add(APART, srcs[:1], call.spec.shape)
        if isinstance(row, Literal):
            return program.constant(call.arg, call.spec.dtype)
        if isinstance(row, ViewRow):
            return _viewed(program, call, srcs[0])
        if isinstance(row, Composite) and call.spec.size:
            return self._composite(call, row, srcs)
        return program.append(call, srcs)

    def _composite(self, call: Call, row: Composite, srcs: tuple[int, ...]) -> int:
        """Others may have asked for the same, which takes too long to do it twice."""
        key = (call, srcs)
        if key not in self.composites:
            self.composites[key] = row.lowering(self.program, *srcs, call.arg)
        return self.composites[key]

    def _parts(self, call: Call, edges: tuple[int, ...]) -> Pair:
        """The parts of a complex node: each by the same operation, unless it is made of them."""
        program = self.program
        if isinstance(call.row, Join):
            parts = (part_of(program, program.origin[at], 0) for at in edges)
            re, im = (spread(program, part, call.spec.shape) for part in parts)
            return re, im
        return self._part(call, edges, 0), self._part(call, edges, 1)

    def _part(self, call: Call, edges: tuple[int, ...], part: int) -> int:
        srcs = []
        for at, dtype in zip(edges, call.operands, strict=True):
            if at in self.pairs:
                srcs.append(self.pairs[at][part])
            elif dtype.kind == "c":
                srcs.append(part_of(self.program, self.program.origin[at], part))
            else:
                srcs.append(self.program.origin[at])
        specs = tuple(map(self.program.spec, srcs))
        return self._lowered(call_of(call.row, specs, call.arg), tuple(srcs))

    def _stored(self, position: int, asked: bool) -> int:
        """The node of a complex value as it is kept; those who need its parts read it."""
        pair = self.pairs[position]
        at = joined(self.program, pair)
        if asked or not is_kept_cheaply(self.program, pair):
            self.program.forced.add(self.program.view(at)[0])
            self.pairs[position] = split(self.program, at)
        return at


def _viewed(program: Program, call: Call, src: int) -> int:
    """A view, or where it undoes those before it only another shape of what they are views of."""
    at = program.append(call, (src,))
    base, stack = program.view(at)
    if stack or program.spec(base).size != call.spec.size or _is_apart(program, src):
        return at
    shape = call.spec.shape
    return base if program.spec(base).shape == shape else program.add(RESHAPE, (base,), shape)


def _is_apart(program: Program, at: int) -> bool:
    """Whether one of the views says that it must not be taken for what it is a view of."""
    while isinstance(row := program.row(at), ViewRow) and row is not APART:
        at = program.edges[at][0]
    return row is APART
