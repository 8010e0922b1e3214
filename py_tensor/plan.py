"""A plan: kernels in order with the textures they draw into, run by one call.

Comes in: a Graph and the context's limits; goes out: a `Plan` without values, to run again with
others.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass

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
from .schedule.program import Program, row_of
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
    tilings = tilings_of(program, device.draw_buffers, device.largest)
    slots: dict[Stored, int] = {}
    scalars: dict[int, int] = {}
    for position, at in enumerate(program.origin):
        kind = type(graph.calls[position])
        if kind is Scalar:
            scalars[at] = len(scalars)
        elif kind is not Call:
            slots[at, False] = len(slots)
    scalars |= {at: len(scalars) + number for number, at in enumerate(program.settings)}
    leaves = len(slots)
    outputs: list[Slot] = []
    keep = []
    for position, at in schedule.keep.items():
        if (at, False) not in slots:
            slots[at, False] = leaves + len(outputs)
            outputs.append(_slot(program, device, at))
        slot = slots[at, False]
        keep.append((position, slot - leaves if slot >= leaves else -1 - slot))
    kernels = [kernel for kernel in schedule.kernels if program.spec(kernel.output).size]
    draws = []
    sizes = [_drawn(program, device, tilings, kernel) for kernel in kernels]
    temporaries = _place(kernels, sizes, slots)
    for kernel, size in zip(kernels, sizes, strict=True):
        shader = write(program, kernel, tilings)
        uniforms = tuple(
            tuple(scalars[kernel.scalars[i]] for i in uniform) for uniform in shader.uniforms
        )
        inputs = tuple(slots[source] for source in _sources(kernel))
        draws.append(Draw(kernel, shader, slots[_target(kernel)], size[1:3], inputs, uniforms))
    return Plan(program, tuple(draws), leaves, tuple(outputs), tuple(temporaries), tuple(keep))


Stored = tuple[int, bool]
"""A stored node, and whether in tile layout."""


def _target(kernel: Kernel) -> Stored:
    return kernel.output, kernel.tiled


def _sources(kernel: Kernel) -> list[Stored]:
    return [(at, at in kernel.tiles) for at in kernel.inputs]


def _slot(program: Program, device: Device, at: int) -> Slot:
    spec = program.spec(at)
    return (device.format(spec.dtype), *texture_size(spec.size, program.texture_row(at)), 0)


def _drawn(program: Program, device: Device, tilings: dict[int, Tiling], kernel: Kernel) -> Slot:
    """The texture a kernel draws into."""
    at, tiled = _target(kernel)
    if not tiled:
        return _slot(program, device, at)
    return (
        device.format(tile_dtype(program.spec(at).dtype)),
        *tilings[at].texture,
        tilings[at].layers,
    )


def _place(kernels: list[Kernel], sizes: list[Slot], slots: dict[Stored, int]) -> list[Slot]:
    """Gives the other nodes slots; those of one size share one when their lives do not meet."""
    first = len(slots)
    last = {source: kernel for kernel in kernels for source in _sources(kernel)}
    temporaries: list[Slot] = []
    free: dict[Slot, list[int]] = {}
    for kernel, size in zip(kernels, sizes, strict=True):
        if _target(kernel) not in slots:
            if not free.get(size):
                free[size] = [first + len(temporaries)]
                temporaries.append(size)
            slots[_target(kernel)] = free[size].pop()
        for source in _sources(kernel):
            slot = slots[source]
            if last[source] is kernel and slot >= first:
                free.setdefault(temporaries[slot - first], []).append(slot)
    return temporaries
