"""Stages: kernels in order with the slots that they read and write, run by one call.

Loops are unrolled, and temporaries whose lifetimes do not overlap share a slot.
Input: an `OpGraph` and a `Target`. Output: a `Plan`, which has no values and can run with others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple

from ..ir.node import OpGraph, OpInstance, Scalar, TensorSpec
from .codegen.shader import Shader
from .fusion.fuse import fuse
from .kernel import Kernel, KernelKind
from .lowered_graph import LoopItem, LoopSpec, LoweredGraph
from .lowering.lower import lower
from .target import StoredValue, Target


class Draw(NamedTuple):
    """One call of a kernel, with the slots that it reads and one that it writes for each output."""

    kernel: Kernel
    shader: Shader
    targets: tuple[int, ...]
    slot: Any
    """Slot of the first target, as `TargetStorage.slot` gives it."""
    inputs: tuple[int, ...]
    uniforms: tuple[tuple[int, ...], ...]

    @property
    def updated(self) -> int | None:
        """Slot whose memory the first target may have, although the draw reads it; None if none."""
        number = self.shader.updates
        if number is None or self.inputs.count(self.inputs[number]) > 1:
            return None
        return self.inputs[number]


class KeptNode(NamedTuple):
    """Node of the graph whose value is kept, in output or leaf `number` of the plan.

    It is in a leaf if it has the leaf's elements in another shape.
    """

    node: int
    is_leaf: bool
    number: int


class Plan(NamedTuple):
    """Draws over numbered slots: leaves first, then outputs, then temporaries."""

    lowered: LoweredGraph
    draws: tuple[Draw, ...]
    leaves: int
    outputs: tuple[Any, ...]
    specs: tuple[TensorSpec, ...]
    """Specs of the outputs."""
    temporaries: tuple[Any, ...]
    keep: tuple[KeptNode, ...]
    implicit_uniforms: tuple[float, ...]
    """Extra scalar uniforms after the graph's own: lowering constants, iteration numbers, sizes."""


class SplitPlan(NamedTuple):
    """Plan of a graph, and a preparation: a plan that computes values of constants, once."""

    plan: Plan
    leaves: tuple[int, ...]
    """Leaves of the graph that the plan reads. Results of the preparation follow them."""
    preparation: Plan | None
    constants: tuple[int, ...]
    """Leaves of the graph that the preparation reads."""


Begin = Callable[[Shader], object]
"""Function that starts to compile a shader. It is called when the shader is written, so that the
driver compiles while others are written."""


def make_plan(graph: OpGraph, target: Target, begin: Begin = lambda _: None) -> Plan:
    """Compile a graph to a plan for a target."""
    stages = Stages(graph, target)
    stages.write(stages.all, begin)
    return stages.plan(stages.all, stages.leaves, stages.results)


def split_plan(
    graph: OpGraph,
    target: Target,
    constants: Collection[int],
    scalars: Collection[int],
    begin: Begin = lambda _: None,
) -> SplitPlan:
    """Compile a graph to a preparation, which computes values of constants, and another plan.

    `constants` and `scalars` are the numbers of leaves and scalars that never change. A result of
    the graph is not in the preparation, since each run returns a new value.
    """
    stages = Stages(graph, target)
    leaves, results = stages.leaves, stages.results
    kept = {value for _, value, _ in results}
    known = {leaves[number] for number in constants}
    varying = set(stages.graph_scalars) - {stages.graph_scalars[number] for number in scalars}
    parts: tuple[list[Stage], list[Stage]] = [], []
    for stage in stages.all:
        is_constant = known.issuperset(stage.sources) and varying.isdisjoint(stage.kernel.scalars)
        is_constant = is_constant and kept.isdisjoint(stage.targets)
        if is_constant:
            known.update(stage.targets)
        parts[not is_constant].append(stage)
    before, after = parts
    # The preparation runs first.
    stages.write([*before, *after], begin)
    needs, reads = ({src for stage in part for src in stage.sources} for part in parts)
    reads |= kept
    made = [target for stage in before for target in stage.targets if target in reads]
    read = [n for n, leaf in enumerate(leaves) if leaf in reads or leaf not in known]
    needed = [n for n, leaf in enumerate(leaves) if leaf in needs]
    first = [(n, at, stages.lowered.spec(at.node)) for n, at in enumerate(made)]
    return SplitPlan(
        stages.plan(after, [*(leaves[n] for n in read), *made], results),
        tuple(read),
        stages.plan(before, [leaves[n] for n in needed], first) if made else None,
        tuple(needed),
    )


class Stages:
    """Kernels of a graph with their shaders, in order, to make plans of."""

    def __init__(self, graph: OpGraph, target: Target) -> None:
        self.lowered = lowered = lower(graph, target)
        self.target = target
        schedule = fuse(lowered, target)
        self.storage = target.storage(lowered, schedule)
        self.leaves: list[StoredValue] = []
        self.scalars: dict[int, int] = {}
        """Number of each scalar uniform, by position."""
        for position, at in lowered.origin.items():
            kind = type(graph.calls[position])
            if kind is Scalar:
                self.scalars[at] = len(self.scalars)
            elif kind is not OpInstance:
                self.leaves.append(StoredValue(at))
        self.bodies = {
            inner.output: frozenset(at for stage in inner.body for at in stage.outputs)
            for kernel in schedule.kernels
            for inner in _loops(kernel)
        }
        """Nodes that the body of each loop computes."""
        self.results = [
            (position, self.stored(None, at), graph.spec(position))
            for position, at in schedule.keep.items()
        ]
        """(position in the graph, stored value, spec) of each kept node."""
        self.all = [stage for kernel in schedule.kernels for stage in self.draws(None, kernel)]
        self.graph_scalars = tuple(self.scalars)
        for number, at in enumerate(lowered.implicit_uniforms, len(self.scalars)):
            self.scalars[at] = number
        self.iterations = {at: len(self.scalars) for stage in self.all for at in stage.iterations}
        trips = (number for stage in self.all for number in stage.iterations.values())
        self.implicit_uniforms = (
            *lowered.implicit_uniforms.values(),
            *range(1 + max(trips, default=-1)),
        )
        self.shaders: dict[Kernel, Shader] = {}

    def draws(self, iteration: Iteration | None, kernel: Kernel) -> Iterator[Stage]:
        """Yield the draws of a kernel; for a loop, those of its body in each iteration."""
        before = () if iteration is None else iteration.numbers
        if kernel.kind is KernelKind.LOOP:
            for number in range(self.lowered.calls[kernel.output].arg.trip_count):
                within = Iteration(iteration, kernel.output, (*before, number))
                for inner in kernel.body:
                    yield from self.draws(within, inner)
        elif self.lowered.spec(kernel.output).size:
            sources = tuple(self.stored(iteration, at, at in kernel.tiles) for at in kernel.inputs)
            numbers: dict[int, int] = {}
            tiled = self.target.writes_tiles(kernel.kind)
            around = iteration
            while around is not None:
                numbers[self.lowered.calls[around.loop].arg.iteration] = around.numbers[-1]
                around = around.around
            targets = tuple(StoredValue(at, tiled, before) for at in kernel.outputs)
            yield Stage(kernel, targets, sources, numbers)

    def stored(self, iteration: Iteration | None, at: int, tiled: bool = False) -> StoredValue:
        """Return the stored value of a node in an iteration of a loop, or outside of loops."""
        lowered, bodies = self.lowered, self.bodies
        numbers = () if iteration is None else iteration.numbers
        call = lowered.calls[at]
        if type(call) is LoopItem:
            loop, node = lowered.edges[at]
            if iteration is None or loop in bodies[iteration.loop]:
                if node in bodies[loop]:
                    return StoredValue(node, False, (*numbers, call.iteration))
                at = node
        if iteration is None:
            return StoredValue(at, tiled)
        spec: LoopSpec = lowered.calls[iteration.loop].arg
        if at in spec.carries:
            carry = spec.carries.index(at)
            if numbers[-1]:
                previous = iteration._replace(numbers=(*numbers[:-1], numbers[-1] - 1))
                return self.stored(previous, spec.results[carry])
            at = lowered.edges[iteration.loop][carry]
        elif at in bodies[iteration.loop]:
            return StoredValue(at, tiled, numbers)
        return self.stored(iteration.around, at, tiled)

    def write(self, stages: Sequence[Stage], begin: Begin) -> None:
        """Write the shaders of the stages in this order."""
        for kernel in dict.fromkeys([stage.kernel for stage in stages]):
            shader = self.shaders[kernel] = self.storage.write(kernel)
            for part in shader.in_order:
                begin(part)

    def plan(
        self,
        stages: Sequence[Stage],
        leaves: Sequence[StoredValue],
        results: Sequence[tuple[int, StoredValue, TensorSpec]],
    ) -> Plan:
        """Return the plan of some stages, given stored values that they read."""
        slots = {leaf: slot for slot, leaf in enumerate(leaves)}
        outputs: list[Any] = []
        specs: list[TensorSpec] = []
        keep = []
        for position, value, spec in results:
            slot = slots.setdefault(value, len(leaves) + len(outputs))
            if slot == len(leaves) + len(outputs):
                outputs.append(self.storage.slot(value))
                specs.append(spec)
            is_leaf = slot < len(leaves)
            keep.append(KeptNode(position, is_leaf, slot if is_leaf else slot - len(leaves)))
        temporaries = self.assigned(stages, slots)
        draws = []
        sizes: dict[float, int] = {}
        known = len(self.graph_scalars) + len(self.implicit_uniforms)
        for stage in stages:
            numbers = [
                self.iterations[at] + stage.iterations[at]
                if at in self.iterations
                else self.scalars[at]
                for at in stage.kernel.scalars
            ]
            for shader in self.shaders[stage.kernel].in_order:
                uniforms = tuple(
                    [
                        (
                            *[numbers[i] for i in scalars],
                            *[sizes.setdefault(size, known + len(sizes)) for size in more],
                        )
                        for scalars, more in zip(shader.uniforms, shader.sizes, strict=True)
                    ]
                )
                part = stage.of(shader)
                inputs = tuple([slots[source] for source in part.sources])
                slot = self.storage.slot(part.targets[0])
                targets = tuple([slots[target] for target in part.targets])
                draws.append(Draw(part.kernel, shader, targets, slot, inputs, uniforms))
        stored = tuple(outputs), tuple(specs), tuple(temporaries)
        implicit = (*self.implicit_uniforms, *sizes)
        return Plan(self.lowered, tuple(draws), len(leaves), *stored, tuple(keep), implicit)

    def assigned(self, stages: Sequence[Stage], slots: dict[StoredValue, int]) -> list[Any]:
        """Assign slots to temporaries; equal slots are shared if their lifetimes are disjoint."""
        first = len(slots)
        last = {source: stage for stage in stages for source in stage.sources}
        temporaries: list[Any] = []
        free: dict[Any, list[int]] = {}
        for stage in stages:
            for target in stage.targets:
                if target not in slots:
                    size = self.storage.slot(target)
                    if not free.get(size):
                        free[size] = [first + len(temporaries)]
                        temporaries.append(size)
                    slots[target] = free[size].pop()
            # Carries that have one value are one source.
            for source in dict.fromkeys(stage.sources):
                slot = slots[source]
                if last[source] is stage and slot >= first:
                    free.setdefault(temporaries[slot - first], []).append(slot)
        return temporaries


class Stage(NamedTuple):
    """One call of a kernel, in one iteration of a loop."""

    kernel: Kernel
    targets: tuple[StoredValue, ...]
    sources: tuple[StoredValue, ...]
    iterations: dict[int, int]
    """Iteration numbers, by the position of the node that stands for them."""

    def of(self, shader: Shader) -> Stage:
        """Return the part of the stage that one of the shaders of its kernel computes."""
        kernel, targets, sources = self.kernel, self.targets, self.sources
        if shader.reads is not None:
            sources = tuple([sources[number] for number in shader.reads])
            inputs = tuple([kernel.inputs[number] for number in shader.reads])
            kernel = kernel._replace(inputs=inputs)
        if shader.writes is not None:
            targets = tuple([targets[number] for number in shader.writes])
            outputs = tuple([kernel.outputs[number] for number in shader.writes])
            kernel = kernel._replace(kind=KernelKind.MAP, outputs=outputs)
        return self._replace(kernel=kernel, targets=targets, sources=sources)


class Iteration(NamedTuple):
    """Iteration of a loop, within one of the loop around it, if any."""

    around: Iteration | None
    loop: int
    numbers: tuple[int, ...]
    """Iteration numbers, the outermost loop first."""


def _loops(kernel: Kernel) -> Iterator[Kernel]:
    """Yield the loops in a kernel, with the kernel itself if it is one."""
    if kernel.kind is KernelKind.LOOP:
        yield kernel
        for inner in kernel.body:
            yield from _loops(inner)
