"""The lowering pass: visit the nodes of a graph and call the function that lowers each kind.

Input: an `OpGraph`. Output: a `LoweredGraph`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...ir.node import OpGraph, OpInstance, TensorSpec, op_instance
from ...ops.op_def import (
    ComplexJoin,
    ComplexPart,
    Decomposition,
    Literal,
    OpDef,
    OptimizationBarrier,
    ViewOp,
    entry_of,
)
from ...ops.views import BARRIER_VIEW, RESHAPE
from ..lowered_graph import LoweredGraph
from ..target import Lowering, Target
from .complex_pairs import ComplexPair, is_kept_cheaply, joined, part_of, split, spread, stored_spec

LoweredValue = Any
"""Position of a node of the lowered graph, or a `ComplexPair` of them for a complex value."""


def lower(graph: OpGraph, target: Target | None) -> LoweredGraph:
    """Rewrite a graph into operations that kernels of a target compute.

    If `target` is None, the graph runs on the host, and only decompositions are rewritten.
    """
    if target is not None:
        graph = target.rewritten(graph)
    lowered = LoweredGraph(graph, target)
    outputs, shared = set(graph.outputs), set(graph.shared)
    values: list[LoweredValue] = []
    for position, (call, edges) in enumerate(zip(graph.calls, graph.edges, strict=True)):
        if target is None or graph.spec(position).dtype.kind != "c":
            value = at = lower_node(lowered, call, tuple(values[src] for src in edges))
        elif type(call) is TensorSpec:
            at = lowered.append(stored_spec(call))
            value = split(lowered, at)
        else:
            value, at = lower_node(lowered, call, tuple(values[src] for src in edges)), None
            if position in outputs or position in shared:
                at = joined(lowered, value)
                if position in outputs or not is_kept_cheaply(lowered, value):
                    # Consumers of the parts read the stored value.
                    lowered.materialized.add(lowered.view(at)[0])
                    value = split(lowered, at)
        values.append(value)
        if at is not None:
            lowered.origin[position] = at
    return lowered


def inlined(lowered: LoweredGraph, graph: OpGraph, operands: Iterable[int]) -> list[int]:
    """Append the nodes of a graph of real inputs and outputs; return the outputs' positions."""
    leaves = iter(operands)
    values: list[LoweredValue] = []
    for call, edges in zip(graph.calls, graph.edges, strict=True):
        srcs = tuple(values[src] for src in edges)
        is_leaf = type(call) is TensorSpec
        values.append(next(leaves) if is_leaf else lower_node(lowered, call, srcs))
    return [values[at] for at in graph.outputs]


def lower_node(lowered: LoweredGraph, call: Any, srcs: tuple[LoweredValue, ...]) -> LoweredValue:
    """Append a node of the graph as kernels of the target, or the host, compute it."""
    if type(call) is not OpInstance:
        return lowered.append(call)
    target: Target | None = lowered.target
    if target is None and not isinstance(call.op, Decomposition):
        return lowered.append(call, srcs)
    if call.op.partwise and call.spec.dtype.kind == "c":
        return _lower_part(lowered, call, srcs, 0), _lower_part(lowered, call, srcs, 1)
    own = None if target is None else entry_of(target.lowerings, call.op)
    lowering = own or entry_of(LOWERINGS, call.op) or LoweredGraph.append
    return lowering(lowered, call, srcs)


def _lower_part(
    lowered: LoweredGraph, call: OpInstance, values: tuple[LoweredValue, ...], part: int
) -> int:
    """Apply an operation to the real or to the imaginary parts of its complex operands."""
    srcs = tuple(
        value[part]
        if type(value) is tuple
        else part_of(lowered, value, part)
        if dtype.kind == "c"
        else value
        for value, dtype in zip(values, call.operands, strict=True)
    )
    specs = tuple(map(lowered.spec, srcs))
    return lower_node(lowered, op_instance(call.op, specs, call.arg), srcs)  # type: ignore[no-any-return]


def _pair(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> ComplexPair:
    parts = (part_of(lowered, src, 0) for src in srcs)
    re, im = (spread(lowered, part, call.spec.shape) for part in parts)
    return re, im


def _decomposed(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Lower a decomposition once for equal operands, since its loops take long to run."""
    assert isinstance(call.op, Decomposition)
    key = (call, srcs)
    if call.spec.size and key not in lowered.seen:
        lowered.seen[key] = call.op.lowering(lowered, *srcs, call.arg)
    return lowered.seen[key] if call.spec.size else lowered.append(call, srcs)


def _viewed(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Append a view; views that undo each other become at most a reshape of their base."""
    at = lowered.append(call, srcs)
    base, stack = lowered.view(at)
    if stack or lowered.spec(base).size != call.spec.size or _has_barrier(lowered, srcs[0]):
        return at
    shape = call.spec.shape
    return base if lowered.spec(base).shape == shape else lowered.add(RESHAPE, (base,), shape)


def _has_barrier(lowered: LoweredGraph, at: int) -> bool:
    """Return True if one of the views at `at` is a barrier, which must not be merged away."""
    while isinstance(op := lowered.op(at), ViewOp) and op is not BARRIER_VIEW:
        at = lowered.edges[at][0]
    return op is BARRIER_VIEW


LOWERINGS: dict[type[OpDef], Lowering] = {
    ViewOp: _viewed,
    Literal: lambda lowered, call, srcs: lowered.constant(call.arg, call.spec.dtype),
    OptimizationBarrier: lambda lowered, call, srcs: lowered.add(
        BARRIER_VIEW, srcs[:1], call.spec.shape
    ),
    Decomposition: _decomposed,
    ComplexJoin: _pair,
    ComplexPart: lambda lowered, call, srcs: srcs[0][call.op.part],
}
"""Function that lowers each kind of operation for all targets.

It takes the lowered values of the operands and returns that of the result. `Target.lowerings` has
those that a target adds. Kinds without an entry in either are kept, and kernels compute them.
"""
