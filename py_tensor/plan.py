"""A plan: kernels in order with the textures they draw into, run by one call.

Comes in: a Graph and the context's limits; goes out: a `Plan` without values, to run again with
others.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from .dtypes import DTYPES, DType
from .glsl.contract_kernel import tile_dtype
from .glsl.shader import Shader
from .glsl.tile_choice import tilings_of
from .glsl.tiles import Tiling
from .glsl.write import write
from .nodes import Call, Graph, Scalar
from .schedule.fuse import Limits, fuse
from .schedule.kernel import Kernel
from .schedule.lower import lower
from .schedule.program import Program, Turns, row_of
from .schedule.textures import choose_rows

FORMATS = {dtype.name: number for number, dtype in enumerate(DTYPES)} | {"bool": 7}
"""The bridge numbers formats as the dtypes are ordered; bool is stored as uint8."""


@dataclass(frozen=True)
class Device:
    """What a WebGL2 context can do."""

    largest: int
    draw_buffers: int
    limits: Limits
    float_as_half: bool = False
    on_processor: bool = False
    """Whether it is no GPU, but a processor that does as one would."""

    def format(self, dtype: DType) -> int:
        if self.float_as_half and dtype.name == "float32":
            return FORMATS["float16"]
        return FORMATS[dtype.name]


def numbers_in(dtype: DType) -> int:
    """How many numbers of a texture an element takes."""
    return 2 if dtype.kind == "c" else 1


def texture_size(size: int, row: int = 0) -> tuple[int, int]:
    """Width and height of the texture that holds `size` elements, in rows of so many texels."""
    texels = max(1, -(-size // 4))
    row = row or row_of(size)
    return row, -(-texels // row)


Slot = tuple[int, int, int, int]
"""format, width, height, layers (0: a plain texture)"""


@dataclass(frozen=True)
class Draw:
    """One kernel with the slots it reads and writes."""

    kernel: Kernel
    shader: Shader
    target: int
    viewport: tuple[int, int]
    inputs: tuple[int, ...]
    uniforms: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Plan:
    """Draws over numbered slots: leaves of the graph first, then outputs, then temporaries.

    `keep` says where each kept node of the graph lies: (node, output) or, for a node that is a leaf
    under another shape, (node, -1 - leaf).
    """

    program: Program
    draws: tuple[Draw, ...]
    leaves: int
    outputs: tuple[Slot, ...]
    temporaries: tuple[Slot, ...]
    keep: tuple[tuple[int, int], ...]
    settings: tuple[int, ...]
    """Scalars behind those of the graph: a program's settings, and the numbers of turns."""

    def words(self, program_id: Callable[[Shader], int]) -> array[int]:
        """The plan as the bridge takes it; the layout is written in webgl_js_bridge/plans.js."""
        words = array("i", [self.leaves, len(self.outputs), len(self.temporaries), len(self.draws)])
        for slot in (*self.outputs, *self.temporaries):
            words.extend(slot)
        for draw in self.draws:
            words.extend((program_id(draw.shader), draw.target, *draw.viewport))
            words.append(len(draw.inputs))
            words.extend(draw.inputs)
            for uniform in draw.uniforms:
                words.append(len(uniform))
                words.extend(uniform)
        return words


def make_plan(graph: Graph, device: Device) -> Plan:
    """The plan of a graph on a device."""
    program = lower(graph, device.draw_buffers)
    schedule = fuse(program, device.limits)
    choose_rows(program, schedule, device.largest)
    tilings = tilings_of(program, device.draw_buffers, device.largest, device.on_processor)
    slots: dict[Stored, int] = {}
    scalars: dict[int, int] = {}
    for position, at in enumerate(program.origin):
        kind = type(graph.calls[position])
        if kind is Scalar:
            scalars[at] = len(scalars)
        elif kind is not Call:
            slots[at, False, 0] = len(slots)
    settings = [*program.settings.values()]
    scalars |= {at: len(scalars) + number for number, at in enumerate(program.settings)}
    leaves = len(slots)
    outputs: list[Slot] = []
    keep = []
    for position, at in schedule.keep.items():
        if (at, False, 0) not in slots:
            slots[at, False, 0] = leaves + len(outputs)
            outputs.append(_slot(program, device, at))
        slot = slots[at, False, 0]
        keep.append((position, slot - leaves if slot >= leaves else -1 - slot))
    stages = [
        stage
        for kernel in schedule.kernels
        if program.spec(kernel.output).size
        for stage in _stages(program, kernel)
    ]
    turns = {at: len(scalars) for stage in stages for at in stage.turns}
    settings += range(
        1 + max((turn for stage in stages for turn in stage.turns.values()), default=-1)
    )
    written: dict[Kernel, tuple[Shader, Slot]] = {}
    for stage in stages:
        kernel = stage.kernel
        if kernel not in written:
            size = _drawn(program, device, tilings, kernel)
            written[kernel] = write(program, kernel, tilings), size
    temporaries = _place(stages, [written[stage.kernel][1] for stage in stages], slots)
    draws = []
    for stage in stages:
        shader, size = written[stage.kernel]
        numbers = [
            turns[at] + stage.turns[at] if at in turns else scalars[at]
            for at in stage.kernel.scalars
        ]
        uniforms = tuple(tuple(numbers[i] for i in uniform) for uniform in shader.uniforms)
        inputs = tuple(slots[source] for source in stage.sources)
        draws.append(Draw(stage.kernel, shader, slots[stage.target], size[1:3], inputs, uniforms))
    return Plan(
        program,
        tuple(draws),
        leaves,
        tuple(outputs),
        tuple(temporaries),
        tuple(keep),
        tuple(settings),
    )


Stored = tuple[int, bool, int]
"""A stored node, whether in tile layout, and of which turn of a loop."""


class Stage(NamedTuple):
    """One draw: a kernel, in a loop's turn."""

    kernel: Kernel
    target: Stored
    sources: tuple[Stored, ...]
    turns: dict[int, int]
    """The number of the turn, by the position of what stands for it."""


def _stages(program: Program, kernel: Kernel) -> Iterator[Stage]:
    """The draws of a kernel, which for loops are those of the body in each turn."""
    if kernel.kind != "loop":
        sources = tuple((at, at in kernel.tiles, 0) for at in kernel.inputs)
        yield Stage(kernel, (kernel.output, kernel.tiled, 0), sources, {})
        return
    loop: Turns = program.calls[kernel.output].arg
    initial, result = program.edges[kernel.output]
    made = {inner.output for inner in kernel.body}
    for turn in range(loop.count):

        def stored(at: int, tiled: bool, turn: int = turn) -> Stored:
            if at == loop.state:
                return (result, False, turn - 1) if turn else (initial, False, 0)
            if at == result and turn == loop.count - 1:
                return kernel.output, False, 0
            return at, tiled, turn if at in made else 0

        for inner in kernel.body:
            sources = tuple(stored(at, at in inner.tiles) for at in inner.inputs)
            yield Stage(inner, stored(inner.output, inner.tiled), sources, {loop.turn: turn})


def _slot(program: Program, device: Device, at: int) -> Slot:
    spec = program.spec(at)
    return (device.format(spec.dtype), *texture_size(spec.size, program.texture_row(at)), 0)


def _drawn(program: Program, device: Device, tilings: dict[int, Tiling], kernel: Kernel) -> Slot:
    """The texture a kernel draws into."""
    at = kernel.output
    if not kernel.tiled:
        return _slot(program, device, at)
    return (
        device.format(tile_dtype(program.spec(at).dtype)),
        *tilings[at].texture,
        tilings[at].layers,
    )


def _place(stages: list[Stage], sizes: list[Slot], slots: dict[Stored, int]) -> list[Slot]:
    """Gives the other nodes slots; those of one size share one when their lives do not meet."""
    first = len(slots)
    last = {source: stage for stage in stages for source in stage.sources}
    temporaries: list[Slot] = []
    free: dict[Slot, list[int]] = {}
    for stage, size in zip(stages, sizes, strict=True):
        if stage.target not in slots:
            if not free.get(size):
                free[size] = [first + len(temporaries)]
                temporaries.append(size)
            slots[stage.target] = free[size].pop()
        for source in stage.sources:
            slot = slots[source]
            if last[source] is stage and slot >= first:
                free.setdefault(temporaries[slot - first], []).append(slot)
    return temporaries
