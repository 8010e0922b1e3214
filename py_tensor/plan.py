"""A plan: kernels in order with the textures they draw into, run by one call.

Comes in: a Graph and the context's limits; goes out: a `Plan` without values, to run again with others.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass

from .dtypes import DType
from .graph import Call, Graph, Scalar
from .glsl.shader import Shader
from .glsl.tiles import Tiling
from .glsl.contract_kernel import tile_dtype
from .glsl.write import tilings_of, write
from .schedule.fuse import Limits, fuse
from .schedule.kernel import Kernel
from .schedule.lower import lower
from .schedule.program import Program

WIDTH = 2048
"""Texels in a full row; every WebGL2 context allows it."""

FORMATS = {
    "float32": 0,
    "float16": 1,
    "int32": 2,
    "uint32": 3,
    "int16": 4,
    "uint16": 5,
    "int8": 6,
    "uint8": 7,
    "bool": 7,
}


@dataclass(frozen=True)
class Device:
    """What a WebGL2 context can do."""

    largest: int
    draw_buffers: int
    limits: Limits
    float_as_half: bool = False

    def format(self, dtype: DType) -> int:
        if self.float_as_half and dtype.name == "float32":
            return FORMATS["float16"]
        return FORMATS[dtype.name]


def texture_size(size: int) -> tuple[int, int]:
    """Width and height of the texture that holds `size` elements."""
    texels = max(1, -(-size // 4))
    if texels <= WIDTH:
        return 1 << (texels - 1).bit_length(), 1
    return WIDTH, -(-texels // WIDTH)


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
    uniforms: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class Plan:
    """Draws over numbered slots: leaves of the graph first, then outputs, then temporaries.

    `keep` says where each kept node of the graph lies: (node, output) or, for a node that is a leaf under
    another shape, (node, -1 - leaf).
    """

    program: Program
    draws: tuple[Draw, ...]
    leaves: int
    outputs: tuple[Slot, ...]
    temporaries: tuple[Slot, ...]
    keep: tuple[tuple[int, int], ...]

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
    program = lower(graph)
    schedule = fuse(program, device.limits)
    tilings = tilings_of(program, device.draw_buffers, device.largest)
    leaf_slots: dict[int, int] = {}
    scalar_slots: dict[int, int] = {}
    for position, at in enumerate(program.origin):
        kind = type(graph.calls[position])
        if kind is Scalar:
            scalar_slots[at] = len(scalar_slots)
        elif kind is not Call:
            leaf_slots[at] = len(leaf_slots)
    slots = _Slots(program, device, tilings, leaf_slots)
    keep = []
    for position, at in schedule.keep.items():
        if at in leaf_slots:
            keep.append((position, -1 - leaf_slots[at]))
        else:
            keep.append((position, slots.output(at) - len(leaf_slots)))
    kernels = [k for k in schedule.kernels if program.spec(k.output).size]
    placed = slots.place(kernels)
    draws = []
    for kernel, (target, viewport, inputs) in zip(kernels, placed, strict=True):
        shader = write(program, kernel, tilings)
        uniforms = tuple(
            tuple(scalar_slots[kernel.scalars[i]] for i in uniform) for uniform in shader.uniforms
        )
        draws.append(Draw(kernel, shader, target, viewport, inputs, uniforms))  # type: ignore[arg-type]
    return Plan(
        program,
        tuple(draws),
        len(leaf_slots),
        tuple(slots.outputs),
        tuple(slots.temporaries),
        tuple(keep),
    )


class _Slots:
    """Gives every stored node a slot; temporaries of one size share a slot when their lives do not meet."""

    def __init__(
        self, program: Program, device: Device, tilings: dict[int, Tiling], leaves: dict[int, int]
    ) -> None:
        self.program = program
        self.device = device
        self.tilings = tilings
        self.leaves = leaves
        self.outputs: list[Slot] = []
        self.output_of: dict[int, int] = {}
        self.temporaries: list[Slot] = []
        self.free: dict[Slot, list[int]] = {}

    def slot(self, at: int) -> Slot:
        spec = self.program.spec(at)
        return (self.device.format(spec.dtype), *texture_size(spec.size), 0)

    def tile_slot(self, at: int) -> Slot:
        tiling = self.tilings[at]
        dtype = tile_dtype(self.program.spec(at).dtype)
        return (self.device.format(dtype), *tiling.texture, tiling.layers)

    def output(self, at: int) -> int:
        if at not in self.output_of:
            self.output_of[at] = len(self.leaves) + len(self.outputs)
            self.outputs.append(self.slot(at))
        return self.output_of[at]

    def place(self, kernels: list[Kernel]) -> list[tuple[int, tuple[int, int], tuple[int, ...]]]:
        """For each kernel: target slot, viewport, input slots."""
        last: dict[tuple[int, bool], int] = {}
        for number, kernel in enumerate(kernels):
            for at in kernel.inputs:
                last[at, at in kernel.tiles] = number
        where: dict[tuple[int, bool], int] = {(at, False): slot for at, slot in self.leaves.items()}
        where.update({(at, False): slot for at, slot in self.output_of.items()})
        kept = set(where.values())
        result = []
        for number, kernel in enumerate(kernels):
            tiled = kernel.kind == "contract"
            size = self.tile_slot(kernel.output) if tiled else self.slot(kernel.output)
            key = (kernel.output, tiled)
            if key not in where:
                where[key] = self._take(size)
            inputs = tuple(where[at, at in kernel.tiles] for at in kernel.inputs)
            result.append((where[key], (size[1], size[2]), inputs))
            for at in kernel.inputs:
                source = (at, at in kernel.tiles)
                if last[source] == number and where[source] not in kept:
                    self._give(where[source])
        return result

    def _first(self) -> int:
        return len(self.leaves) + len(self.outputs)

    def _take(self, size: Slot) -> int:
        free = self.free.get(size)
        if free:
            return free.pop()
        self.temporaries.append(size)
        return self._first() + len(self.temporaries) - 1

    def _give(self, slot: int) -> None:
        self.free.setdefault(self.temporaries[slot - self._first()], []).append(slot)
