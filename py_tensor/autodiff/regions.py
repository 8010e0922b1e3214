"""Parts of a graph whose values are computed again for the backward pass instead of kept.

Comes in: a tape on which `checkpoint` has marked nodes; goes out: other nodes of the same values,
which begin at the cotangent that first asks for them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..nodes import Node, Tape, node_of
from ..ops.views import AFTER


class Region:
    """The nodes between a checkpointed function's arguments and its results."""

    def __init__(self, nodes: dict[int, Node]) -> None:
        self.nodes = nodes
        self.around: Region | None = None
        """The region in which the function was called, if any."""

    @property
    def outermost(self) -> Region:
        return self if self.around is None else self.around.outermost


def mark(tapes: Sequence[Tape], region: Region) -> None:
    """Notes which nodes the region has; regions among them lie inside of it."""
    for tape in tapes:
        for identity in region.nodes:
            inner = tape.regions.setdefault(identity, region).outermost
            if inner is not region:
                inner.around = region


class Clones:
    """The nodes that stand for those of regions in one backward pass."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.made: dict[tuple[int, int], Node] = {}

    def node(self, value: Node, operation: Node, event: Node) -> Node:
        """A value for the rule of an operation, which gets the cotangent `event`."""
        return self._in(self.tape.regions.get(id(operation)), value, event)

    def _in(self, region: Region | None, value: Node, event: Node) -> Node:
        if region is None:
            return value
        stack = [value]
        while stack:
            node = stack[-1]
            key = (id(region), id(node))
            if key in self.made:
                stack.pop()
                continue
            origin = None if node.buffer is not None else self.tape.origin(node)
            if origin is None and node.buffer is None:
                self.made[key] = node  # a scalar
            elif origin is None or not origin[1] or id(node) not in region.nodes:
                # Of the same operands as before, the same would be computed once, and kept.
                self.made[key] = node_of(AFTER, (self._in(region.around, node, event), event))
            else:
                call, srcs = origin
                missing = [src for src in srcs if (id(region), id(src)) not in self.made]
                if missing:
                    stack += missing
                    continue
                clones = tuple(self.made[id(region), id(src)] for src in srcs)
                self.made[key] = Node(call, clones, call.spec)
        return self.made[id(region), id(value)]
