"""Backends that compile graphs into plans and run each plan by a single call of a bridge.

Input: graphs and bytes. Output: buffers that the bridge holds.
"""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Collection, Sequence
from typing import Any, ClassVar

from ...compiler.codegen.shader import Shader
from ...compiler.stages import Plan, make_plan, split_plan
from ...compiler.target import Target
from ...dtypes import DType
from ...errors import BackendError
from ...ir.node import OpGraph, OpNode
from ...ops.index_map import Shape
from .base import Buffer, CompiledParts, Pixels, Statistics, Timers
from .bridge import Bridge
from .bridge_parts import FACTS, SETTINGS, BridgeTimers
from .device import MemoryWatch, Programs, packed_numbers, packed_words, scalar_codes

_ON_PROCESSOR = ("swiftshader", "llvmpipe", "softpipe", "basic render")
"""Substrings of software renderers' names: Chromium's, Mesa's two, and Windows's."""


def is_software(renderer: str) -> bool:
    """Return True for the name of a renderer that computes on the processor."""
    return any(name in renderer.lower() for name in _ON_PROCESSOR)


class Compiled:
    """A plan registered with the bridge under a number."""

    is_prepared = False
    """True if the backend need not wait for the programs before a run."""

    def __init__(self, plan: Plan, number: int, bridge: Bridge, programs: Programs) -> None:
        self.plan = plan
        self.number = number
        self.bridge = bridge
        self.programs = programs
        codes = scalar_codes(plan.lowered.graph)
        self.pack = struct.Struct(f"={1 + plan.leaves + len(plan.outputs)}i{codes}").pack
        self.implicit_uniforms = packed_numbers(plan.implicit_uniforms)
        self.keep = plan.keep
        self.nbytes = sum(slot.nbytes for slot in plan.outputs)
        self.returned_leaves = frozenset(kept.number for kept in plan.keep if kept.is_leaf)
        self.sizes = [(spec.dtype, spec.size) for spec in plan.specs]

    def __del__(self) -> None:
        self.bridge.drop_plan(self.number)
        for draw in self.plan.draws:
            self.programs.release(draw.shader)


class BridgedBackend[AnyBridge: Bridge](ABC):
    """Backend that computes on a GPU through a bridge."""

    name: str
    runs_glsl: bool
    runs_writes: bool
    jax_arrays = False
    host_memory = False
    compiles = True
    whole_programs = False
    device: Target
    lost: str
    """Name of that which the browser may lose, in error messages."""
    limit_names: ClassVar[dict[str, str]]
    """Names of the bridge's limits, by their names in `pt.env`."""
    fact_functions: ClassVar[dict[str, Callable[[Any], Any]]] = FACTS
    setting_functions: ClassVar[dict[str, Callable[[Any, Any], None]]] = SETTINGS

    def __init__(self, bridge: AnyBridge) -> None:
        self.bridge = bridge
        self.limits: Any = bridge.limits()
        self.on_processor = is_software(self.limits["renderer"])
        self.generation = bridge.generation()
        self.programs = Programs(self._make_program, bridge.drop_program)
        self.memory = MemoryWatch(
            lambda: bridge.stats()["bytesInUse"], "GPU memory", self.limits.get("machineMemory")
        )
        self.plans = 0
        self.handles = 0

    # --- what differs between bridges -----------------------------------------------------------

    @abstractmethod
    def slot(self, dtype: DType, size: int) -> Any:
        """Return the slot of a tensor: what the bridge needs to know to allocate it."""

    @abstractmethod
    def _words(self, plan: Plan, program_id: Callable[[Shader], int]) -> array[int]:
        """Check the sizes of a plan's slots and return its words."""

    @abstractmethod
    def _allocate(self, handle: int, slot: Any) -> None:
        """Allocate a buffer of undefined values."""

    @abstractmethod
    def _send(self, handle: int, slot: Any, data: memoryview) -> None:
        """Allocate a buffer with these first bytes."""

    def _make_program(self, number: int, name: str, source: str) -> None:
        self.bridge.program(number, name, source)

    def _prepare(self, plan: Compiled) -> None:
        """Do what is necessary before the first run of a plan."""
        plan.is_prepared = True

    @property
    @abstractmethod
    def pixels(self) -> Pixels:
        """Return the object that moves pictures."""

    # --- plans ----------------------------------------------------------------------------------

    def compile(self, graph: OpGraph) -> Compiled:
        return self._registered(make_plan(graph, self.device, self.programs.begin))

    def compile_parts(
        self, graph: OpGraph, constants: Collection[int], scalars: Collection[int]
    ) -> CompiledParts:
        split = split_plan(graph, self.device, constants, scalars, self.programs.begin)
        first = split.preparation and self._registered(split.preparation)
        plan = self._registered(split.plan)
        return CompiledParts(plan, split.leaves, first, split.constants)

    def _registered(self, plan: Plan) -> Compiled:
        """Register a plan with the bridge."""
        self.plans += 1
        self.bridge.plan(self.plans, self._words(plan, self.programs.use))
        return Compiled(plan, self.plans, self.bridge, self.programs)

    def run(
        self,
        plan: Compiled,
        leaves: Sequence[Buffer],
        scalars: Sequence[bool | int | float],
        donated: Sequence[int] = (),
    ) -> list[tuple[int, Buffer]]:
        if not plan.is_prepared:
            self._prepare(plan)
        handles = [
            leaf.handle
            if leaf.generation == self.generation and leaf.backend is self
            else self._upload(leaf)
            for leaf in leaves
        ]
        for leaf in donated:
            # A leaf that is also a result, for example reshaped, must be kept.
            if leaf not in plan.returned_leaves:
                handles[leaf] = _donated(handles[leaf])
        self.memory.spend(plan.nbytes, [leaves[leaf] for leaf in donated])
        first = self.handles + 1
        self.handles += len(plan.sizes)
        head = (self.generation, *handles, *range(first, self.handles + 1))
        words = packed_words(plan.pack, head, scalars)
        generation = self.bridge.run(plan.number, words + plan.implicit_uniforms)
        if generation != self.generation:
            self.generation = generation
            return self.run(plan, leaves, scalars, donated)
        outputs = [
            Buffer(dtype, size, None, self, first + number, generation)
            for number, (dtype, size) in enumerate(plan.sizes)
        ]
        return [
            (node, leaves[number] if is_leaf else outputs[number])
            for node, is_leaf, number in plan.keep
        ]

    def ready(self, plan: Compiled) -> tuple[int, int]:
        return self.bridge.ready(plan.number), len({draw.shader.source for draw in plan.plan.draws})

    async def tune(self, plan: Compiled) -> bool:
        return False

    # --- elements -------------------------------------------------------------------------------

    def _upload(self, buffer: Buffer) -> int:
        if buffer.host is None:
            if buffer.backend is not self:
                buffer.host = buffer.backend.read(buffer)
            else:
                raise BackendError(
                    f"realize: the tensor was lost with the {self.lost}; got a tensor that "
                    "existed only on the GPU; compute it again from tensors created by asarray"
                )
        if buffer.handle and buffer.backend is self:
            # The run that detected the restored context had already uploaded under this handle.
            self.bridge.free(buffer.handle)
        elif buffer.handle is not None and buffer.backend is not self:
            buffer.backend.release(buffer)
        slot = self.slot(buffer.dtype, buffer.size)
        self.memory.spend(slot.nbytes)
        self.handles += 1
        self._send(self.handles, slot, _host(buffer))
        buffer.backend = self
        buffer.generation = self.generation
        buffer.handle = self.handles
        return self.handles

    def adopt(self, array: object) -> tuple[Buffer, Shape] | None:
        """Return None: the memory of a GPU is not shared with arrays."""
        return None

    def blank(self, dtype: DType, size: int) -> Buffer:
        slot = self.slot(dtype, size)
        self.memory.spend(slot.nbytes)
        handle = self.new_handle()
        self._allocate(handle, slot)
        return Buffer(dtype, size, None, self, handle, self.generation)

    def _target(self, buffer: Buffer) -> bytearray:
        self.handle_of(buffer)
        return bytearray(buffer.size * buffer.dtype.itemsize)

    def read(self, buffer: Buffer) -> memoryview:
        if buffer.host is not None:
            self.bridge.give_turn()
            return _host(buffer)
        data = self._target(buffer)
        if data:
            self.bridge.read(buffer.handle, memoryview(data))
        return memoryview(data)

    def compute_directly(self, wanted: Sequence[OpNode]) -> bool:
        return False

    def peek(self, buffer: Buffer) -> memoryview | None:
        return None if buffer.host is None else _host(buffer)

    async def read_async(self, buffer: Buffer) -> memoryview:
        if buffer.host is not None:
            await self.bridge.give_turn_async()
            return _host(buffer)
        data = self._target(buffer)
        if data:
            await self.bridge.read_async(buffer.handle, memoryview(data))
        return memoryview(data)

    def release(self, buffer: Buffer) -> None:
        if buffer.generation == self.generation:
            self.bridge.free(buffer.handle)

    def is_lost(self, buffer: Buffer) -> bool:
        own = buffer.backend is self and buffer.generation != self.bridge.generation()
        return own and buffer.host is None

    def new_handle(self) -> int:
        """Reserve a handle in the current context."""
        self.generation = self.bridge.generation()
        self.handles += 1
        return self.handles

    def handle_of(self, buffer: Buffer) -> int:
        """Return the handle of a buffer, uploading it if necessary."""
        self.generation = self.bridge.generation()
        if buffer.backend is self and buffer.generation == self.generation:
            handle: int = buffer.handle
            return handle
        return self._upload(buffer)

    def statistics(self) -> Statistics:
        return self.bridge.stats()

    # --- times and settings ---------------------------------------------------------------------

    @property
    def timers(self) -> Timers:
        return BridgeTimers(self)

    def fact(self, name: str) -> Any:
        if name in self.limit_names:
            return self.bridge.limits()[self.limit_names[name]]
        return self.fact_functions[name](self) if name in self.fact_functions else None

    def configure(self, name: str, value: Any) -> None:
        if name in self.setting_functions:
            self.setting_functions[name](self, value)


def _donated(handle: int) -> int:
    """Mark the handle of a leaf whose memory results may reuse, as the bridges read it."""
    return -handle


def _host(buffer: Buffer) -> memoryview:
    return memoryview(buffer.host).cast("B") if buffer.size else memoryview(b"")
