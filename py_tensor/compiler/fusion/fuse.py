"""Group nodes into kernels, in order of execution.

Kernels that compute several results of one function become one kernel with several outputs.
Input: a `LoweredGraph`. Output: a `KernelSchedule`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.node import Scalar
from ...ops.op_def import Where
from ..kernel import Kernel, KernelKind, KernelSchedule
from ..lowered_graph import LoopItem, LoweredGraph
from ..target import Target
from .materialize import Materialization
from .nodes import FusionNode
from .rows import with_rows


def fuse(lowered: LoweredGraph, target: Target) -> KernelSchedule:
    """Return the kernels that compute the outputs of a lowered graph."""
    chosen = Materialization(lowered, target)
    while True:
        is_new = chosen.choose()
        kernels = Grouping(lowered, target, chosen.nodes).kernels()
        # Nodes that are materialized for several consumers may add reads to a kernel.
        if not is_new or max(map(_most_inputs, kernels), default=0) <= target.limits.inputs:
            break
    for node in chosen.nodes:
        node.forget()
    if target.stores_operands:
        kernels = _with_operands(lowered, target, kernels)
    if target.joins_rows:
        kernels = with_rows(lowered, target, kernels, chosen.keep.values())
    return KernelSchedule(tuple(kernels), chosen.keep)


def _with_operands(
    lowered: LoweredGraph, target: Target, kernels: Sequence[Kernel]
) -> list[Kernel]:
    """Let reductions store the operands that they compute, instead of kernels before them."""
    joined: list[Kernel] = []
    for kernel in kernels:
        if kernel.body:
            kernel = kernel._replace(body=tuple(_with_operands(lowered, target, kernel.body)))
        if kernel.kind is KernelKind.REDUCE:
            (operand,) = lowered.edges[kernel.root]
            maker = next((other for other in joined if other.outputs == (operand,)), None)
            if maker is not None and maker.kind is KernelKind.MAP:
                later = joined[joined.index(maker) + 1 :]
                inputs = dict.fromkeys((*kernel.inputs, *maker.inputs))
                inputs.pop(operand, None)
                is_read = any(operand in _inputs(lowered, other) for other in later)
                if operand in kernel.inputs and not is_read and len(inputs) <= target.limits.inputs:
                    joined.remove(maker)
                    kernel = kernel._replace(
                        outputs=(*kernel.outputs, operand),
                        inputs=tuple(inputs),
                        scalars=tuple(sorted({*kernel.scalars, *maker.scalars})),
                    )
        joined.append(kernel)
    return joined


def _inputs(lowered: LoweredGraph, kernel: Kernel) -> set[int]:
    """Return the nodes that a kernel, or the kernels of a loop, read."""
    # The body of a loop reads the first carries as leaves.
    carries = lowered.edges[kernel.output] if kernel.kind is KernelKind.LOOP else ()
    bodies = (_inputs(lowered, inner) for inner in kernel.body)
    return {*kernel.inputs, *carries}.union(*bodies)


def _most_inputs(kernel: Kernel) -> int:
    return max([len(kernel.inputs), *map(_most_inputs, kernel.body)])


class Grouping:
    """Kernels of a lowered graph whose materialized nodes are chosen."""

    def __init__(self, lowered: LoweredGraph, target: Target, nodes: Sequence[FusionNode]) -> None:
        self.lowered = lowered
        self.target = target
        self.nodes = nodes
        self.functions: dict[int, set[object]] = {}
        """Functions with several results that each kernel computes in order, by its output."""
        for node in nodes:
            for output, path in node.groups if node.function is not None else ():
                if not path:
                    self.functions.setdefault(output.at, set()).add(node.function)
            if target.joins_choices and node.materialized and isinstance(node.op, Where):
                # Choices by one condition are results of one function, too.
                condition, spec = lowered.edges[node.at][0], node.call.spec
                self.functions.setdefault(node.at, set()).add((condition, spec))

    def kernels(self) -> list[Kernel]:
        """Return the kernels in order of execution."""
        kernels: list[Kernel] = []
        for node in self.nodes:
            kind, tops = node.traits.kernel, self.lowered.edges[node.at]
            if node.groups and self._writes_tiles(node):
                assert kind is not None
                if kind is KernelKind.CONTRACT:
                    # It reads below views, even if the views are materialized for others.
                    tops = tuple([self.lowered.view(src)[0] for src in tops])
                kernels.append(self._collect(kind, node, node, tops))
            if kind is KernelKind.LOOP:
                kernels = self._looped(node.at, kernels)
            elif node.materialized:
                root = node.reduction or node
                own = None if self._writes_tiles(root) else root.traits.kernel
                kernels.append(self._collect(own or KernelKind.MAP, node, root, (node.at,)))
        return self._joined(kernels)

    def _writes_tiles(self, node: FusionNode) -> bool:
        kind = node.traits.kernel
        return kind is not None and self.target.writes_tiles(kind)

    def _looped(self, at: int, kernels: list[Kernel]) -> list[Kernel]:
        """Move the kernels that differ between iterations into the body of a loop."""
        changing = self.lowered.dependents(at)
        body = tuple(kernel for kernel in kernels if kernel.output in changing)
        before = [kernel for kernel in kernels if kernel.output not in changing]
        return [*before, Kernel(KernelKind.LOOP, (at,), at, (), frozenset(), (), body)]

    def _joined(self, kernels: Sequence[Kernel]) -> list[Kernel]:
        """Merge kernels that compute results of one function into kernels of several outputs."""
        if not self.functions:
            return [*kernels]
        joined: list[Kernel] = []
        for kernel in kernels:
            if kernel.body:
                kernel = kernel._replace(body=tuple(self._joined(kernel.body)))
            if not self._merge(joined, kernel):
                joined.append(kernel)
        return joined

    def _merge(self, kernels: list[Kernel], kernel: Kernel) -> bool:
        """Let a kernel before this one do the work of both.

        False is returned if no kernel has the same layout and a result of the same function, or if
        this one reads something that is computed later.
        """
        lowered, nodes, functions = self.lowered, self.nodes, self.functions.get(kernel.output)
        if functions is None or kernel.kind not in (KernelKind.MAP, KernelKind.WRITE):
            return False
        is_write = kernel.kind is KernelKind.WRITE
        needed = {
            lowered.edges[at][0] if type(lowered.calls[at]) is LoopItem else at
            for at in kernel.inputs
        }
        for index, other in reversed([*enumerate(kernels)]):
            if not needed.isdisjoint(other.outputs):
                return False
            if other.kind is not kernel.kind or functions.isdisjoint(
                self.functions.get(other.output, ())
            ):
                continue
            together = other._replace(
                outputs=(*other.outputs, *kernel.outputs),
                inputs=tuple(dict.fromkeys((*other.inputs, *kernel.inputs))),
                tiles=other.tiles | kernel.tiles,
                scalars=tuple(sorted({*other.scalars, *kernel.scalars})),
            )
            if (
                (is_write or nodes[other.output].size == nodes[kernel.output].size)
                and len(together.outputs) <= self.target.outputs
                and len(together.inputs) <= self.target.limits.inputs
                and len(together.scalars) <= self.target.limits.scalars
            ):
                kernels[index] = together
                return True
        return False

    def _collect(
        self, kind: KernelKind, output: FusionNode, root: FusionNode, tops: Sequence[int]
    ) -> Kernel:
        """Make the kernel that computes a node, with the stored nodes reached from `tops`."""
        nodes, edges = self.nodes, self.lowered.edges
        inputs: list[int] = []
        scalars: list[int] = []
        tiles: set[int] = set()
        seen: set[int] = set()
        stack = [*reversed(tops)]
        while stack:
            at = stack.pop()
            node = nodes[at]
            if at in seen or not node.size:
                continue
            seen.add(at)
            if node.is_buffer or (node.materialized and node is not output):
                inputs.append(at)
            elif node.op is None:
                if type(node.call) is Scalar:
                    scalars.append(at)
            elif self._writes_tiles(node):
                inputs.append(at)
                tiles.add(at)
            else:
                stack.extend(reversed(edges[at]))
        inputs_, scalars_ = tuple(inputs), tuple(sorted(scalars))
        return Kernel(kind, (output.at,), root.at, inputs_, frozenset(tiles), scalars_)
