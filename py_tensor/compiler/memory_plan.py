"""Memory plan: kernels in order with the textures that they draw into, run by one call.

Input: an `OpGraph` and the limits of the device. Output: a `Plan`, which has no values and can run
with others.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from ..dtypes import DTYPES, DType, float16
from ..ir.node import OpGraph, OpInstance, Scalar, TensorSpec
from ..language.glsl import GLSL
from ..language.printer import Printer
from .codegen.contract_kernel import tile_dtype
from .codegen.shader import Shader
from .codegen.tile_heuristics import BUSY_PROCESSOR, tilings_of
from .codegen.write import write
from .fusion.fuse import fuse
from .kernel import FusionLimits, Kernel, KernelKind
from .lowered_graph import LoopItem, LoopSpec, LoweredGraph, row_of
from .lowering.lower import lower
from .texture_layout import choose_widths

FORMATS = {dtype.name: number for number, dtype in enumerate(DTYPES)} | {"bool": 7}
"""Number of each dtype's texture format in the bridge; bool is stored as uint8."""
FLOAT32_AS_FLOAT16 = 8
"""Texture format of float32 values that are stored as float16."""


class Device(NamedTuple):
    """Capabilities of a WebGL2 context; `largest` is the largest texture side in texels."""

    largest: int
    draw_buffers: int
    limits: FusionLimits
    float_as_half: bool = False
    on_processor: bool = False
    """True for a software renderer, which draws on the CPU."""
    printer: Printer = GLSL
    """Printer of the language of its shaders."""

    @property
    def busy(self) -> int:
        """Results of a contraction, 32 in a fragment, that occupy a GPU or a processor."""
        return 32 * (BUSY_PROCESSOR if self.on_processor else 2048)

    def format(self, dtype: DType) -> int:
        if self.float_as_half and dtype.name == "float32":
            return FLOAT32_AS_FLOAT16
        return FORMATS[dtype.name]


def numbers_in(dtype: DType) -> int:
    """Return how many numbers in a texture an element takes."""
    return 2 if dtype.kind == "c" else 1


def texture_size(size: int, width: int | None = None) -> tuple[int, int]:
    """Return width and height of the texture of `size` elements, whose width may be given."""
    width = width or row_of(size)
    return width, max(1, -(-size // (4 * width)))


class Slot(NamedTuple):
    """Texture of a plan; a 2-D texture has no layers."""

    format: int
    width: int
    height: int
    layers: int | None = None

    @property
    def nbytes(self) -> int:
        """Size of the texture in bytes."""
        stored = float16 if self.format == FLOAT32_AS_FLOAT16 else DTYPES[self.format]
        return 4 * stored.itemsize * self.width * self.height * (self.layers or 1)


class Draw(NamedTuple):
    """One kernel with the slots that it reads and writes, one of these for each output."""

    kernel: Kernel
    shader: Shader
    targets: tuple[int, ...]
    viewport: tuple[int, int]
    inputs: tuple[int, ...]
    uniforms: tuple[tuple[int, ...], ...]


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
    outputs: tuple[Slot, ...]
    specs: tuple[TensorSpec, ...]
    """Specs of the outputs."""
    temporaries: tuple[Slot, ...]
    keep: tuple[KeptNode, ...]
    implicit_uniforms: tuple[float, ...]
    """Extra scalar uniforms after the graph's own: lowering constants, iteration numbers, sizes."""

    def words(self, program_id: Callable[[Shader], int]) -> array[int]:
        """Serialize the plan for the bridge; webgl_js_bridge/plans.js documents the layout."""
        words = array("i", [self.leaves, len(self.outputs), len(self.temporaries), len(self.draws)])
        for slot in (*self.outputs, *self.temporaries):
            words.extend((*slot[:3], slot.layers or 0))
        for draw in self.draws:
            words.extend((program_id(draw.shader), *draw.viewport))
            for numbers in (draw.targets, draw.inputs, *draw.uniforms):
                words.append(len(numbers))
                words.extend(numbers)
        return words


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


def make_plan(graph: OpGraph, device: Device, begin: Begin = lambda _: None) -> Plan:
    """Compile a graph to a plan for a device."""
    stages = Stages(graph, device)
    stages.write(stages.all, begin)
    return stages.plan(stages.all, stages.leaves, stages.results)


def split_plan(
    graph: OpGraph,
    device: Device,
    constants: Collection[int],
    scalars: Collection[int],
    begin: Begin = lambda _: None,
) -> SplitPlan:
    """Compile a graph to a preparation, which computes values of constants, and another plan.

    `constants` and `scalars` are the numbers of leaves and scalars that never change. A result of
    the graph is not in the preparation, since each run returns a new value.
    """
    stages = Stages(graph, device)
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

    def __init__(self, graph: OpGraph, device: Device) -> None:
        self.lowered = lowered = lower(graph, device.draw_buffers, device.busy)
        self.device = device
        schedule = fuse(lowered, device.limits)
        choose_widths(lowered, schedule, device.largest)
        self.tilings = tilings_of(lowered, device.draw_buffers, device.largest, device.on_processor)
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
            around = iteration
            while around is not None:
                numbers[self.lowered.calls[around.loop].arg.iteration] = around.numbers[-1]
                around = around.around
            targets = tuple(StoredValue(at, kernel.kind.tiled, before) for at in kernel.outputs)
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
            half, printer = self.device.float_as_half, self.device.printer
            shader = write(self.lowered, kernel, self.tilings, half, printer)
            self.shaders[kernel] = shader
            begin(shader)

    def slot(self, value: StoredValue) -> Slot:
        """Return the format and size of the texture that holds a value."""
        at = value.node
        spec = self.lowered.spec(at)
        if value.tiled:
            tiling = self.tilings[at]
            return Slot(self.device.format(tile_dtype(spec.dtype)), *tiling.texture, tiling.layers)
        size = texture_size(spec.size, self.lowered.texture_row(at))
        return Slot(self.device.format(spec.dtype), *size)

    def plan(
        self,
        stages: Sequence[Stage],
        leaves: Sequence[StoredValue],
        results: Sequence[tuple[int, StoredValue, TensorSpec]],
    ) -> Plan:
        """Return the plan of some stages, given stored values that they read."""
        slots = {leaf: slot for slot, leaf in enumerate(leaves)}
        outputs: list[Slot] = []
        specs: list[TensorSpec] = []
        keep = []
        for position, value, spec in results:
            slot = slots.setdefault(value, len(leaves) + len(outputs))
            if slot == len(leaves) + len(outputs):
                outputs.append(self.slot(value))
                specs.append(spec)
            is_leaf = slot < len(leaves)
            keep.append(KeptNode(position, is_leaf, slot if is_leaf else slot - len(leaves)))
        temporaries = self.assigned(stages, slots)
        draws = []
        sizes: dict[float, int] = {}
        known = len(self.graph_scalars) + len(self.implicit_uniforms)
        for stage in stages:
            shader = self.shaders[stage.kernel]
            numbers = [
                self.iterations[at] + stage.iterations[at]
                if at in self.iterations
                else self.scalars[at]
                for at in stage.kernel.scalars
            ]
            uniforms = tuple(
                [
                    (
                        *[numbers[i] for i in scalars],
                        *[sizes.setdefault(size, known + len(sizes)) for size in more],
                    )
                    for scalars, more in zip(shader.uniforms, shader.sizes, strict=True)
                ]
            )
            inputs = tuple([slots[source] for source in stage.sources])
            size = self.slot(stage.targets[0])
            viewport = size.width, size.height
            targets = tuple([slots[target] for target in stage.targets])
            draws.append(Draw(stage.kernel, shader, targets, viewport, inputs, uniforms))
        textures = tuple(outputs), tuple(specs), tuple(temporaries)
        implicit = (*self.implicit_uniforms, *sizes)
        return Plan(self.lowered, tuple(draws), len(leaves), *textures, tuple(keep), implicit)

    def assigned(self, stages: Sequence[Stage], slots: dict[StoredValue, int]) -> list[Slot]:
        """Assign slots to temporaries; equal sizes share slots if their lifetimes are disjoint."""
        first = len(slots)
        last = {source: stage for stage in stages for source in stage.sources}
        temporaries: list[Slot] = []
        free: dict[Slot, list[int]] = {}
        for stage in stages:
            for target in stage.targets:
                if target not in slots:
                    size = self.slot(target)
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


class StoredValue(NamedTuple):
    """Value of a node, as it is stored, in one iteration of each of the loops around it."""

    node: int
    tiled: bool = False
    iterations: tuple[int, ...] = ()


class Stage(NamedTuple):
    """One draw: a kernel in one iteration of a loop."""

    kernel: Kernel
    targets: tuple[StoredValue, ...]
    sources: tuple[StoredValue, ...]
    iterations: dict[int, int]
    """Iteration numbers, by the position of the node that stands for them."""


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
