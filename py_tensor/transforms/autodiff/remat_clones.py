"""Clone the nodes of rematerialized regions for the backward pass.

Input: a tape on which `checkpoint` has marked regions. Output: clones that compute the same values
again, ordered after the cotangent that first needs them by optimization barriers.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.node import OpNode, node_of
from ...ops.views import BARRIER
from .tape import Tape


class RematRegion:
    """The nodes between a checkpointed function's arguments and its results.

    The values of nodes whose identities are in `kept` are not computed again.
    """

    def __init__(self, nodes: dict[int, OpNode], kept: frozenset[int] = frozenset()) -> None:
        self.nodes = nodes
        self.kept = kept
        self.around: RematRegion | None = None
        """The enclosing region, if any."""

    @property
    def outermost(self) -> RematRegion:
        return self if self.around is None else self.around.outermost


def mark(tapes: Sequence[Tape], region: RematRegion) -> None:
    """Record the region's nodes on the tapes; regions that own some of them become nested in it."""
    for tape in tapes:
        for identity in region.nodes:
            inner = tape.regions.setdefault(identity, region).outermost
            if inner is not region:
                inner.around = region


class RematClones:
    """Clones of the regions' nodes made in one backward pass."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.made: dict[tuple[int, int], OpNode] = {}

    def node(self, value: OpNode, operation: OpNode, cotangent: OpNode) -> OpNode:
        """Return the value, or its clone, for the gradient rule of `operation`.

        Clones are computed after `cotangent`, the cotangent of the operation's result.
        """
        return self._clone(self.tape.regions.get(id(operation)), value, cotangent)

    def _clone(self, region: RematRegion | None, value: OpNode, cotangent: OpNode) -> OpNode:
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
            elif (
                origin is None
                or not origin[1]
                or id(node) not in region.nodes
                or id(node) in region.kept
            ):
                # Without the barrier, lowering would merge a clone with its original and keep the
                # original's value.
                operand = self._clone(region.around, node, cotangent)
                self.made[key] = node_of(BARRIER, (operand, cotangent))
            else:
                call, srcs = origin
                missing = [src for src in srcs if (id(region), id(src)) not in self.made]
                if missing:
                    stack += missing
                    continue
                clones = tuple(self.made[id(region), id(src)] for src in srcs)
                self.made[key] = OpNode(call, clones, call.spec)
        return self.made[id(region), id(value)]
