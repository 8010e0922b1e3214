"""Evaluate tiny pending values on the host: faster than an upload, a draw and a read.

Input: a node about to be read. Output: the same node with a host buffer, if the node and all nodes
it depends on are tiny and their leaves are already on the host.
"""

from __future__ import annotations

from ..ir.node import OpInstance, OpNode, Scalar, linearize
from ..ops.op_def import entry_of
from .backends.base import Buffer
from .evaluators import EVALUATORS, HostValues, cast, evaluate
from .host_data import packed, unpack

NODES = 32
"""Number of nodes a value may depend on; evaluating more takes as long as a draw."""


def compute(node: OpNode, elements: int) -> bool:
    """Evaluate the node on the host if all values it depends on have at most `elements` elements.

    Return True if the node was evaluated.
    """
    if not _is_tiny(node, elements):
        return False
    linear = linearize([node])
    graph = linear.graph()
    buffers, scalars = iter(linear.leaves), iter(linear.scalars)
    values: list[HostValues] = []
    for call, edges in zip(graph.calls, graph.edges, strict=True):
        if type(call) is OpInstance:
            values.append(evaluate(call, [values[at] for at in edges]))
        elif type(call) is Scalar:
            values.append(cast([next(scalars).value], call.spec.dtype))
        else:
            host = next(buffers).buffer.host
            values.append(unpack(memoryview(host).cast("B"), call.dtype))
    for position in (*graph.outputs, *graph.shared):
        spec = graph.spec(position)
        data = packed(values[position], spec.dtype)
        linear.nodes[position].settle(Buffer(spec.dtype, spec.size, data))
    return True


def _is_tiny(node: OpNode, elements: int) -> bool:
    seen: set[int] = set()
    stack = [node]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        if len(seen) == NODES or not 0 < node.spec.size <= elements or node.spec.dtype.kind == "c":
            return False
        seen.add(id(node))
        if node.call is not None:
            if entry_of(EVALUATORS, node.call.op) is None:
                return False
            stack += node.srcs
        elif node.buffer is not None and (
            node.buffer.host is None or node.buffer.handle is not None
        ):
            return False
    return True
