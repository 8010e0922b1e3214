"""The nodes of one kernel, from which its shader is written.

Input: nodes of a `LoweredGraph`, a `Kernel` and the tilings, if the target has any. Output:
`KernelNodes`, whose key is equal for kernels with the same shader.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ...ir.node import OpInstance
from ...ops.op_def import Reduction
from ..kernel import Kernel
from ..lowered_graph import LoopItem, LoweredNodes


class KernelNodes(LoweredNodes):
    """The nodes from the inputs of a kernel, which are leaves, to its output.

    They have numbers of their own, which `kernel` contains, so that equal kernels of other layers
    and of other plans have the same `key`. Everything that a shader depends on is in it.
    """

    def __init__(
        self,
        lowered: LoweredNodes,
        kernel: Kernel,
        tilings: Mapping[int, Any] = MappingProxyType({}),
    ) -> None:
        super().__init__()
        nodes = list(dict.fromkeys((*kernel.inputs, *kernel.scalars, *kernel.outputs)))
        number = {at: count for count, at in enumerate(nodes)}
        stored = len(kernel.inputs)
        for at in nodes:  # it grows
            call, edges = lowered.calls[at], lowered.edges[at]
            if len(self.calls) < stored or type(call) is LoopItem:
                call, edges = lowered.spec(at), ()
            for src in edges:
                if src not in number:
                    number[src] = len(nodes)
                    nodes.append(src)
            if type(call) is OpInstance and isinstance(call.op, Reduction):
                self.lane_axes[number[edges[0]]] = lowered.lane_axis(edges[0])
            self.calls.append(call)
            self.edges.append(tuple([number[src] for src in edges]))
        widths = lowered.widths
        self.widths = {number[at]: widths[at] for at in number if at in widths}
        self.tilings = {number[at]: tilings[at] for at in number if at in tilings}
        names = [op.name for at in (kernel.root, *kernel.outputs) if (op := lowered.op(at))]
        self.name = "+".join(dict.fromkeys(names)) or "fill"
        self.kernel = Kernel(
            kernel.kind,
            tuple([number[at] for at in kernel.outputs]),
            number[kernel.root],
            tuple(range(stored)),
            frozenset([number[at] for at in kernel.tiles]),
            tuple(range(stored, stored + len(kernel.scalars))),
        )
        facts = (self.widths, self.lane_axes, self.tilings)
        tables = (self.calls, self.edges, *[fact.items() for fact in facts])
        self.largest = max(self.spec(at).size for at in range(len(self.calls)))
        """Number of elements of the largest value."""
        self.key = (self.name, self.kernel, *map(tuple, tables))
