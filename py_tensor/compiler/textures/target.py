"""Target with textures: kernels are fragment shaders, which draw into textures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...dtypes import DType
from ...language.glsl import GLSL
from ...language.printer import Printer
from ...ops.op_def import (
    Contraction,
    GatherAlong,
    LastPosition,
    OpDef,
    Pad,
    Reduction,
    Scan,
    Scatter,
    Search,
    Sort,
)
from ..codegen.shader import Shader
from ..fusion.traits import TRAITS, TraitsTable
from ..kernel import FusionLimits, Kernel, KernelKind, KernelSchedule
from ..lowered_graph import LoweredGraph
from ..lowering.gathers import lower_gather_along
from ..lowering.pads import lower_pad
from ..lowering.scatters import lower_scatter
from ..lowering.searches import lower_last_position, lower_search
from ..lowering.sorts import lower_sort
from ..target import Lowering, StoredValue, Target
from .contract_kernel import tile_dtype
from .lowering.contractions import lower_contraction
from .lowering.reductions import lower_reduction
from .lowering.scans import lower_scan
from .plan import FLOAT32_AS_FLOAT16, FORMATS, Slot, texture_size
from .texture_layout import choose_widths, texture_row
from .tile_heuristics import BUSY_PROCESSOR, tilings_of
from .tiles import TILED_KINDS
from .write import write

TILED = 8
"""Cost, in operations, of reading an element in tile layout, whose position takes arithmetic."""
TEXTURE_LOWERINGS: dict[type[OpDef], Lowering] = {
    Pad: lower_pad,
    GatherAlong: lower_gather_along,
    Scatter: lower_scatter,
    Sort: lower_sort,
    Search: lower_search,
    LastPosition: lower_last_position,
    Reduction: lambda lowered, call, srcs: lower_reduction(lowered, call.op, srcs[0], call.arg),
    Scan: lower_scan,
    Contraction: lower_contraction,
}
"""Function that lowers each kind of operation that fragment shaders compute in another way."""
TEXTURE_TRAITS = TraitsTable({Contraction: TRAITS[Contraction]._replace(read_cost=TILED)})


class _Capabilities(NamedTuple):
    largest: int
    draw_buffers: int
    limits: FusionLimits
    float_as_half: bool = False
    on_processor: bool = False
    printer: Printer = GLSL


class TextureTarget(_Capabilities, Target):
    """Capabilities of a context with textures, for example of WebGL2.

    `largest` is the largest texture side in texels, and `draw_buffers` the number of textures that
    a shader draws. With `float_as_half`, float32 is stored as float16. `on_processor` is True for a
    software renderer, which draws on the CPU. `printer` is that of the language of its shaders.
    """

    traits = TEXTURE_TRAITS
    stores_operands = False

    @property
    def outputs(self) -> int:
        return self.draw_buffers

    @property
    def lowerings(self) -> Mapping[type[OpDef], Lowering]:
        return TEXTURE_LOWERINGS

    @property
    def busy(self) -> int:
        """Results of a contraction, 32 in a fragment, that occupy a GPU or a processor."""
        return 32 * (BUSY_PROCESSOR if self.on_processor else 2048)

    def format(self, dtype: DType) -> int:
        if self.float_as_half and dtype.name == "float32":
            return FLOAT32_AS_FLOAT16
        return FORMATS[dtype.name]

    def writes_tiles(self, kind: KernelKind) -> bool:
        return kind in TILED_KINDS

    def storage(self, lowered: LoweredGraph, schedule: KernelSchedule) -> TextureStorage:
        return TextureStorage(self, lowered, schedule)


class TextureStorage:
    """Textures and shaders of the kernels of one graph."""

    def __init__(
        self, target: TextureTarget, lowered: LoweredGraph, schedule: KernelSchedule
    ) -> None:
        self.target = target
        self.lowered = lowered
        choose_widths(lowered, schedule, target.largest)
        self.tilings = tilings_of(lowered, target.draw_buffers, target.largest, target.on_processor)

    def slot(self, value: StoredValue) -> Slot:
        """Return the format and size of the texture that holds a value."""
        at, target = value.node, self.target
        spec = self.lowered.spec(at)
        if value.tiled:
            tiling = self.tilings[at]
            return Slot(target.format(tile_dtype(spec.dtype)), *tiling.texture, tiling.layers)
        size = texture_size(spec.size, texture_row(self.lowered, at))
        return Slot(target.format(spec.dtype), *size)

    def write(self, kernel: Kernel) -> Shader:
        """Return the shader that draws a kernel."""
        half, printer = self.target.float_as_half, self.target.printer
        return write(self.lowered, kernel, self.tilings, half, printer)
