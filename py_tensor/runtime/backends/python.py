"""The fallback backend: evaluate one operation after another in plain Python."""

from __future__ import annotations

from collections.abc import Sequence

from ...compiler.lowered_graph import Constant, LoopItem, LoweredGraph
from ...compiler.lowering.lower import lower
from ...ir.node import OpGraph, OpInstance, Scalar
from ...ops.loops import LOOP
from ..evaluators import HostValues, cast, evaluate
from ..host_data import packed, unpack
from .base import Buffer, HostBackend


class EvaluationPlan:
    """A graph whose decompositions are expanded, and the order of its evaluation.

    `loops` maps the iteration number of a loop to the loop, `read` a loop to the nodes of its body
    that are read after the loop. `ends` lists the nodes to forget after a node.
    """

    def __init__(self, graph: OpGraph) -> None:
        lowered = self.lowered = lower(graph, None)
        self.kept = [(at, lowered.origin[at]) for at in (*graph.outputs, *graph.shared)]
        self.loops: dict[int, int] = {}
        self.read: dict[int, set[int]] = {}
        self.ends: list[list[int]] = [[] for _ in lowered.calls]
        # A loop reads values of nodes before it until it ends.
        end = list(range(len(lowered.calls)))
        last: dict[int, int] = {}
        for at, call in enumerate(lowered.calls):
            if lowered.op(at) is LOOP:
                self.loops[call.arg.iteration] = at
                self.read[at] = set()
                end[call.arg.iteration : at] = [at] * (at - call.arg.iteration)
            elif type(call) is LoopItem:
                loop, node = lowered.edges[at]
                self.read[loop].add(node)
        for at, edges in enumerate(lowered.edges):
            last |= dict.fromkeys(edges, end[at])
        for src in last.keys() - {at for _, at in self.kept}:
            self.ends[last[src]].append(src)


class PythonBackend(HostBackend):
    """Backend that computes with lists of Python numbers."""

    name = "python"

    def compile(self, graph: OpGraph) -> EvaluationPlan:
        return EvaluationPlan(graph)

    def run(
        self,
        plan: EvaluationPlan,
        leaves: Sequence[Buffer],
        scalars: Sequence[bool | int | float],
        donated: Sequence[int] = (),
    ) -> list[tuple[int, Buffer]]:
        lowered = plan.lowered
        evaluation = Evaluation(plan)
        leaf, scalar = iter(leaves), iter(scalars)
        for position, call in enumerate(lowered.graph.calls):
            if type(call) is Scalar:
                value = cast([next(scalar)], call.spec.dtype)
            elif type(call) is not OpInstance:
                value = unpack(self.read(next(leaf)), call.dtype)
            else:
                continue
            evaluation.values[lowered.origin[position]] = value
        for at, number in lowered.implicit_uniforms.items():
            evaluation.values[at] = [number]
        evaluation.run(0, len(lowered.calls))
        self.draws += 1
        hosts: dict[int, bytes] = {}
        buffers = []
        for position, at in plan.kept:
            spec, value = lowered.spec(at), evaluation.values[at]
            # A reshaped value shares the elements.
            host = hosts[id(value)] = hosts.get(id(value)) or packed(value, spec.dtype)
            buffers.append((position, Buffer(spec.dtype, spec.size, host)))
        return buffers


class Evaluation:
    """Values of the nodes of a plan during one run."""

    def __init__(self, plan: EvaluationPlan) -> None:
        self.plan = plan
        self.values: dict[int, HostValues] = {}
        self.items: dict[tuple[int, ...], list[HostValues]] = {}
        """Values of a loop's node after each iteration, by loop and node."""

    def run(self, at: int, stop: int) -> None:
        """Evaluate the nodes from `at` to before `stop`."""
        lowered: LoweredGraph = self.plan.lowered
        values = self.values
        while at < stop:
            call, edges = lowered.calls[at], lowered.edges[at]
            if at in self.plan.loops:
                at = self.plan.loops[at]
                self._loop(at)
            elif type(call) is OpInstance:
                values[at] = evaluate(call, [values[src] for src in edges])
            elif type(call) is Constant:
                values[at] = cast([call.value], call.spec.dtype)
            elif type(call) is LoopItem:
                values[at] = self.items[edges][call.iteration]
            for src in self.plan.ends[at]:
                values.pop(src, None)
            at += 1

    def _loop(self, loop: int) -> None:
        lowered = self.plan.lowered
        spec = lowered.calls[loop].arg
        read = self.plan.read[loop]
        self.items |= {(loop, node): [] for node in read}
        carries = [self.values[src] for src in lowered.edges[loop][: len(spec.carries)]]
        for number in range(spec.trip_count):
            self.values |= zip(spec.carries, carries, strict=True)
            self.values[spec.iteration] = [number]
            self.run(spec.iteration + 1, loop)
            carries = [self.values[at] for at in spec.results]
            for node in read:
                self.items[loop, node].append(self.values[node])
