"""Rewrites what one kernel cannot do, or does badly, into what it can.

`sums`, `contractions` and `scans` say how. Comes in: a Graph; goes out: a Program.
"""

from __future__ import annotations

from ..nodes import Call, Graph
from ..ops.elementwise import IDENTITY
from ..ops.rows import (
    Barrier,
    Composite,
    Contraction,
    GatherAlong,
    Reduction,
    Scan,
    Scatter,
    Sort,
    ViewRow,
)
from ..ops.views import RESHAPE
from .contractions import lower_contraction
from .gathers import lower_gather_along
from .program import Program
from .scans import lower_scan
from .scatters import lower_scatter
from .sorts import lower_sort
from .sums import lower_reduction


def lower(graph: Graph, draw_buffers: int) -> Program:
    """The graph in terms of operations a kernel can do, drawing into so many buffers at once."""
    program = Program(graph)
    composites: dict[tuple[Call, tuple[int, ...]], int] = {}
    for call, edges in zip(graph.calls, graph.edges, strict=True):
        srcs = tuple(program.origin[at] for at in edges)
        row = call.row if type(call) is Call else None
        if isinstance(row, Contraction):
            at = lower_contraction(program, call, srcs)
        elif isinstance(row, Reduction):
            at = lower_reduction(program, row, srcs[0], call.arg)
        elif isinstance(row, Scan):
            at = lower_scan(program, call, srcs[0], draw_buffers)
        elif isinstance(row, Scatter):
            at = lower_scatter(program, call, srcs)
        elif isinstance(row, GatherAlong):
            at = lower_gather_along(program, call, srcs)
        elif isinstance(row, Sort):
            at = lower_sort(program, call, srcs[0])
        elif isinstance(row, Barrier):
            at = program.add(IDENTITY, srcs[:1])
        elif isinstance(row, Composite) and call.spec.size:
            key = (call, srcs)
            if key not in composites:
                composites[key] = row.lowering(program, *srcs, call.arg)
            at = composites[key]
        elif isinstance(row, ViewRow):
            at = _viewed(program, call, srcs[0])
        else:
            at = program.append(call, srcs)
        program.origin.append(at)
    return program


def _viewed(program: Program, call: Call, src: int) -> int:
    """A view, or where it undoes those before it only another shape of what they are views of."""
    at = program.append(call, (src,))
    base, stack = program.view(at)
    if stack or program.spec(base).size != call.spec.size:
        return at
    shape = call.spec.shape
    return base if program.spec(base).shape == shape else program.add(RESHAPE, (base,), shape)
