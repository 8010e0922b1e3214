"""Parts of a graph whose values are computed again for the backward pass instead of kept.

Comes in: a tape on which `checkpoint` has marked nodes; goes out: other nodes of the same values,
which begin at the cotangent that first asks for them.
"""

from __future__ import annotations

from ..nodes import Node, Tape, node_of
from ..ops.views import AFTER
from ..tensor import Tensor


class Region:
    """The nodes between a checkpointed function's arguments and its results."""

    def __init__(self, nodes: dict[int, Node]) -> None:
        self.nodes = nodes


class Clones:
    """The nodes that stand for marked ones in one backward pass."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.made: dict[tuple[int, int], Node] = {}

    def tensor(self, node: Node, event: Tensor) -> Tensor:
        """The value of a node for a rule that gets the cotangent `event`."""
        region = self.tape.regions.get(id(node))
        return Tensor(node if region is None else self._clone(region, node, event._node))

    def _clone(self, region: Region, node: Node, event: Node) -> Node:
        stack = [node]
        while stack:
            node = stack[-1]
            key = (id(region), id(node))
            if key in self.made:
                stack.pop()
                continue
            origin = self.tape.origin(node) if id(node) in region.nodes else None
            if origin is None or node.buffer is not None:
                # Not one of the same operands as before, or both would be computed once and kept.
                is_scalar = node.buffer is None and node.call is None
                self.made[key] = node if is_scalar else node_of(AFTER, (node, event))
                continue
            call, srcs = origin
            missing = [src for src in srcs if (id(region), id(src)) not in self.made]
            if missing:
                stack += missing
                continue
            clones = tuple(self.made[(id(region), id(src))] for src in srcs)
            self.made[key] = Node(call, clones, call.spec)
        return self.made[key]
