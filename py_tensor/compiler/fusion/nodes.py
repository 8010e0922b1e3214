"""Facts about each node of a lowered graph, and the decisions of fusion about it.

Input: a `LoweredGraph`. Output: its `FusionNode`s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...ir.node import OpInstance, Scalar, TensorSpec
from ..lowered_graph import BUFFERS, LoweredGraph
from ..target import Target
from .traits import NO_TRAITS


class FusionGroup(NamedTuple):
    """Kernel in which a node is computed, and the positions at which it is computed there."""

    output: FusionNode
    """Node that the kernel computes."""
    path: tuple[FusionNode, ...] = ()
    """Nodes through which the output reads this one at other positions, the output's side first.
    It is empty if element i of the output depends on element i of this node."""


NOTHING: frozenset[FusionNode] = frozenset()


class FusionNode:
    """Node of a lowered graph. Leaves have no `op`."""

    __slots__ = (
        *("at", "call", "op", "traits", "size", "nbytes", "is_buffer"),
        *("operands", "consumers", "function"),
        *("weight", "length", "reads", "scalars", "kernel_reads"),
        *("materialized", "groups", "reduction"),
    )

    def __init__(self, call: Any, spec: TensorSpec, at: int, target: Target) -> None:
        self.at = at
        self.call = call
        self.op = call.op if type(call) is OpInstance else None
        self.traits = NO_TRAITS if self.op is None else target.traits(self.op)
        self.size = spec.size
        self.nbytes = spec.nbytes
        self.is_buffer = type(call) in BUFFERS
        self.operands: Sequence[FusionNode] = ()
        """Distinct operands of an operation."""
        self.consumers: list[FusionNode] = []
        """Operations that read it, once for each operand."""
        self.function: object = None
        """Function with several results that it is one of, with its operands."""

        self.weight = 1.0 if self.is_buffer else 0.0
        """Cost per element, in operations and reads, of the part of a kernel that computes it."""
        self.length = 0.0
        """Share of `FusionLimits.length` of that part."""
        self.reads: frozenset[FusionNode] = frozenset((self,)) if self.is_buffer else NOTHING
        """Buffers and materialized nodes that a kernel reads for it: itself if materialized."""
        self.scalars = frozenset((self,)) if type(call) is Scalar else NOTHING
        """Uniforms that a kernel reads for it."""
        self.kernel_reads = self.reads
        """Nodes that the kernel reads that computes it."""

        self.materialized = False
        self.groups: frozenset[FusionGroup] = frozenset()
        """Kernels that compute it."""
        self.reduction: FusionNode | None = None
        """Reduction of the kernel that stores it."""

    @property
    def is_stored(self) -> bool:
        """True if kernels read its stored value instead of computing it."""
        return self.op is None or self.materialized or self.traits.kernel is not None

    def inline(self) -> None:
        """Compute costs and reads from the operands' costs and reads, which are known already."""
        op, operands = self.op, self.operands
        assert op is not None
        self.reads = self.kernel_reads = frozenset().union(*[src.reads for src in operands])
        self.scalars = frozenset().union(*[src.scalars for src in operands])
        self.weight = op.weight + sum([src.weight for src in operands])
        self.length = op.length + sum([src.length / len(src.consumers) for src in operands])

    def store(self) -> None:
        """Set the costs and reads of kernels that read its stored value."""
        self.reads = frozenset((self,))
        self.scalars = NOTHING
        self.length = 0.0
        self.weight = self.traits.read_cost

    def forget(self) -> None:
        """Drop references to nodes, among which are cycles that slow the garbage collector down."""
        self.operands = ()
        self.consumers = []
        self.reads = self.kernel_reads = self.scalars = NOTHING
        self.groups = frozenset()


def fusion_nodes(lowered: LoweredGraph, target: Target) -> list[FusionNode]:
    """Return the nodes of a lowered graph by position, connected."""
    nodes = [
        FusionNode(call, lowered.spec(at), at, target) for at, call in enumerate(lowered.calls)
    ]
    for node, edges in zip(nodes, lowered.edges, strict=True):
        if node.op is not None:
            node.operands = [nodes[src] for src in set(edges)]
            if node.op.family is not None:
                node.function = (node.op.family, edges)
            for src in edges:
                nodes[src].consumers.append(node)
    return nodes
