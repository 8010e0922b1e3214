"""Choose the nodes to materialize.

A node is materialized if it is an output, if a contraction reads it, if recomputing it in every
consumer costs more than storing it once, or if a kernel would exceed the limits of the target. A
reduction takes the elementwise operations after it as its epilogue.
Input: a `LoweredGraph`. Output: its `FusionNode`s, of which each kernel computes some.
"""

from __future__ import annotations

from collections import Counter

from ..lowered_graph import LoweredGraph, ScanBlock, SplitReduction
from ..target import Target
from .nodes import FusionGroup, FusionNode, fusion_nodes
from .traits import Recompute, Spread


class Materialization:
    """Choice of the nodes of a lowered graph that are materialized, and of kernels for the others.

    `keep` maps nodes of the graph to the lowered node that holds their elements in order.
    """

    def __init__(self, lowered: LoweredGraph, target: Target) -> None:
        self.lowered = lowered
        self.target = target
        self.limits = target.limits
        self.nodes = fusion_nodes(lowered, target)
        self.keep: dict[int, int] = {}
        self._shared: list[tuple[int, FusionNode]] = []
        self._results = Counter(node.function for node in self.nodes if node.function is not None)
        """Number of results of each function."""
        self._require()

    def choose(self) -> bool:
        """Choose nodes in addition to those chosen before; return True if there are any."""
        before = sum([node.materialized for node in self.nodes])
        for node in self.nodes:
            if node.reduction is not None:
                node.reduction = None
        self._bound()
        for node in reversed(self.nodes):
            if node.op is not None:
                self._place(node)
        return sum([node.materialized for node in self.nodes]) > before

    def _require(self) -> None:
        """Materialize outputs and required nodes; collect shared nodes that may be needed later."""
        lowered, graph, nodes = self.lowered, self.lowered.graph, self.nodes
        for position in graph.outputs:
            target = lowered.in_order(lowered.origin[position])
            self.keep[position] = target
            self._materialize(nodes[target])
        graph_position = {at: position for position, at in lowered.origin.items()}
        for position in graph.shared:
            at = lowered.in_order(lowered.origin[position])
            base, _ = lowered.view(at)
            if base != at and base in graph_position:
                position, at = graph_position[base], base
            if nodes[at].op is not None and nodes[base].op is not None:
                self._shared.append((position, nodes[at]))
        for at in lowered.materialized:
            self._materialize(nodes[at])

    def _materialize(self, node: FusionNode) -> None:
        node.materialized = node.materialized or not node.is_buffer

    def _bound(self) -> None:
        """Compute cost and reads of each inlined node, operands first.

        Operands are materialized if inlining them would exceed the limits of a shader.
        """
        for node in self.nodes:
            if node.op is None:
                continue
            node.inline()
            while not self._fits(node):
                loose = [src for src in node.operands if src.op and not src.materialized]
                if not loose:
                    break
                path = self._below_views(max(loose, key=self._burden))
                path[-1].materialized = True
                path[-1].store()
                for view in reversed(path[:-1]):
                    view.inline()
                node.inline()
            if node.is_stored:
                node.store()
        for position, node in self._shared:
            again = self._is_cheap(node, kernels=5) and all(src.is_buffer for src in node.reads)
            if node.materialized or not again:
                self._materialize(node)
                self.keep[position] = node.at

    def _fits(self, node: FusionNode) -> bool:
        """Return True if one shader can compute a node."""
        return (
            len(node.reads) <= self.limits.inputs
            and len(node.scalars) <= self.limits.scalars
            and node.length <= self.limits.length
        )

    @staticmethod
    def _burden(node: FusionNode) -> tuple[int, float]:
        """Return a key that orders nodes by the share of a shader's limits that they take."""
        return len(node.reads) + len(node.scalars), node.length

    def _below_views(self, node: FusionNode) -> list[FusionNode]:
        """Return the nodes from `node` down to the best one to materialize for it.

        That is the operand of its views and pads, which may repeat elements, unless it is larger.
        """
        path = [node]
        while path[-1].traits.repeats:
            path.append(self.nodes[self.lowered.edges[path[-1].at][0]])
        return [node] if path[-1].is_stored or path[-1].size > node.size else path

    def _is_cheap(self, node: FusionNode, kernels: int) -> bool:
        """Return True if computing a node in some kernels is cheap and reads few extra bytes."""
        own = node.nbytes
        nbytes = sum([min(own, src.nbytes) for src in node.reads])
        return kernels * node.weight <= self.limits.cheap and nbytes <= 1.5 * own + 64

    def _place(self, node: FusionNode) -> None:
        """Choose the kernels that compute a node, or materialize it; consumers come first."""
        groups: set[FusionGroup] = set()
        for consumer in node.consumers:
            groups |= self._groups_through(node, consumer)
        if not groups and not node.materialized:
            return
        kernel = node.traits.kernel
        if node.traits.has_epilogue:
            self._place_with_epilogue(node, groups)
            return
        if kernel is None and not node.materialized and self._is_recomputed(node, groups):
            node.groups = frozenset(groups)
            return
        if kernel is None or not self.target.writes_tiles(kernel):
            self._materialize(node)
        node.groups = frozenset((FusionGroup(node),))

    def _is_recomputed(self, node: FusionNode, groups: set[FusionGroup]) -> bool:
        """Return True if all kernels that need a node compute it."""
        if node.at in self.lowered.always_inline:
            return True
        assert node.op is not None
        recompute, cheap = node.traits.recompute, self.limits.cheap
        weight = node.op.weight if recompute is Recompute.IF_CHEAP_ITSELF else node.weight
        return (
            recompute is Recompute.ALWAYS
            or (
                (len(groups) == 1 or self._is_cheap(node, len(groups)))
                and (2 * weight <= cheap or not (self._expands(node) or _read_again(groups)))
            )
        ) and not (self._separates_family(node, groups) or self._spares_a_store(node, groups))

    def _separates_family(self, node: FusionNode, groups: set[FusionGroup]) -> bool:
        """Return True if inlining computes results of one function separately, as in a join."""
        several = node.weight > self.limits.cheap and self._results[node.function] > 1
        return several and any(path for _, path in groups)

    def _spares_a_store(self, node: FusionNode, groups: set[FusionGroup]) -> bool:
        """Return True if materializing the node lets it be the epilogue of a reduction below it.

        Otherwise the reduction would be materialized, too. A sum of many reductions is thus added
        up as they are computed, instead of keeping all of them until the last.
        """
        if not node.traits.is_epilogue:
            return False
        for src in node.operands:
            at, stack = self.lowered.view(src.at)
            base = self.nodes[at]
            if (
                base.traits.has_epilogue
                and not stack
                and len(src.consumers) == len(base.consumers) == 1
                and base.size == node.size
                and not self._has_epilogue(base, groups)
            ):
                return True
        return False

    def _groups_through(self, node: FusionNode, consumer: FusionNode) -> frozenset[FusionGroup]:
        """Return the kernels in which a consumer reads a node."""
        traits, groups = consumer.traits, consumer.groups
        if traits.kernel is not None:
            return frozenset([FusionGroup(output, (consumer,)) for output, _ in groups])
        is_first = self.lowered.edges[consumer.at][0] == node.at
        if node.size == consumer.size and traits.in_order(consumer.call, is_first):
            return groups
        return frozenset([FusionGroup(output, (*path, consumer)) for output, path in groups])

    def _expands(self, node: FusionNode) -> bool:
        """Return True if some consumer reads each element many times."""
        for consumer in node.consumers:
            spread = consumer.traits.spread
            if spread is Spread.NEVER:
                continue
            if self._rereads(consumer):
                return True
            if spread is Spread.BY_CONSUMERS and not consumer.materialized:
                if self._expands(consumer):
                    return True
            elif consumer.size > 2 * node.size or (
                self._widest(consumer) > max(2 * node.size, self.limits.repeated / node.weight)
            ):
                return True
        return False

    def _rereads(self, node: FusionNode) -> bool:
        """Return True if an operation, or one that reads its view, reads elements many times."""
        assert node.op is not None
        if node.traits.recompute is Recompute.ALWAYS and not node.materialized:
            return any(map(self._rereads, node.consumers))
        return node.op.rereads

    def _widest(self, node: FusionNode) -> int:
        """Return the size of the largest node that reads a view or pad, also through others."""
        if node.materialized or not node.traits.repeats:
            return 0
        sizes = (
            max(consumer.size, self._widest(consumer))
            for consumer in node.consumers
            if consumer.traits.spread is not Spread.NEVER
        )
        return max(sizes, default=0)

    def _place_with_epilogue(self, node: FusionNode, groups: set[FusionGroup]) -> None:
        """Place a reduction in the kernel of its epilogue, in its own, or before consumers' loops.

        The epilogue is the elementwise node that reads the reduction. A reduction of a few parts is
        repeated before the loops of its consumers, since that takes less time than a kernel. Other
        operations that have an epilogue are never repeated.
        """
        lowered = self.lowered
        parts = self.nodes[lowered.view(lowered.edges[node.at][0])[0]]
        few = node.call.specs[0].size <= self.limits.parts * node.size and _is_partial(parts)
        again = few and node.at in lowered.loop_invariant and not node.materialized
        if not (again and all(_is_partial(output) for output, _ in groups)):
            if node.materialized or not self._has_epilogue(node, groups):
                node.materialized = True
                groups = {FusionGroup(node)}
            ((output, _),) = groups
            output.reduction = node
        node.groups = frozenset(groups)

    def _has_epilogue(self, node: FusionNode, groups: set[FusionGroup]) -> bool:
        """Return True if a reduction can be computed in the kernel of its only consumer."""
        if len(groups) > 1:
            return False
        ((output, path),) = groups
        return (
            not path
            and output.size == node.size
            and output.reduction is None
            and output.traits.kernel is None
            and len(node.kernel_reads | output.kernel_reads) <= self.limits.inputs
        )


def _read_again(groups: set[FusionGroup]) -> bool:
    """Return True if a scan is among the kernels whose fragments read elements more than once."""
    args = [output.call.arg for output, _ in groups]
    return any(isinstance(arg, ScanBlock) and not arg.alone for arg in args)


def _is_partial(node: FusionNode) -> bool:
    return node.op is not None and isinstance(node.call.arg, SplitReduction)
