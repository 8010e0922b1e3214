"""The WebAssembly backend: run each plan by one call of the driver, in linear memory.

Input: graphs and bytes. Output: buffers whose handles are blocks of memory.
"""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import Collection, Iterator, Sequence
from contextlib import nullcontext
from itertools import accumulate
from time import perf_counter
from typing import Any

from ...compiler.buffers.plan import SLOT, words_of
from ...compiler.buffers.target import BufferTarget
from ...compiler.stages import Plan, make_plan, split_plan
from ...dtypes import DType, shown
from ...errors import BackendError, SizeError
from ...ir.node import OpGraph
from .base import Buffer, CompiledParts, HostBackend, Statistics
from .device import MemoryWatch, packed_numbers, packed_words, scalar_codes
from .wasm_kernels import Engine, KernelTable
from .wasm_memory import Block, Pool, size_class

LARGEST = 1 << 31
"""Bytes of the largest value; all addresses have 32 bits."""
TEMPORARY_ALIGNMENT = 64
"""Divisor of the positions of temporaries: the bytes of a line of the processor's cache."""


class MemoryCounts(Statistics):
    """Resources in use and work done; see `pt.memory`."""

    bytesPeak: int
    uploads: int
    reads: int


class LoadedPlan:
    """A plan whose words and slots are in memory.

    `compiler/buffers/plan` describes both.
    """

    def __init__(self, plan: Plan, kernels: KernelTable, pool: Pool) -> None:
        self.block: Block | None = None
        self.plan = plan
        self.programs = kernels.programs
        self.pool = pool
        words = words_of(plan, self.programs.use)
        self.numbers = {self.programs.numbers[draw.shader.source] for draw in plan.draws}
        self.is_compiled = False
        self.keep = plan.keep
        self.returned_leaves = frozenset(kept.number for kept in plan.keep if kept.is_leaf)
        self.sizes = tuple([size_class(slot.nbytes) for slot in plan.outputs])
        self.nbytes = sum(self.sizes)
        self.results = [(spec.dtype, spec.size) for spec in plan.specs]
        self._successors: dict[int, list[int]] = {}
        self._lay_out(words)
        self._place_temporaries()

    def _lay_out(self, words: array[int]) -> None:
        """Store the words and what never changes in the slots."""
        plan = self.plan
        codes = scalar_codes(plan.lowered.graph)
        addresses = struct.Struct(f"={plan.leaves + len(plan.outputs)}I")
        scalars = struct.Struct(f"={codes}")
        implicit = packed_numbers(plan.implicit_uniforms)
        first = SLOT * len(words)
        at_temporaries = first + addresses.size
        at_scalars = at_temporaries + SLOT * len(plan.temporaries)
        at_scratch = at_scalars + scalars.size + len(implicit)
        block = self.block = self.pool.allocate(at_scratch + SLOT)
        self.view = block.view(block.nbytes)
        self.view[:first] = words.tobytes()
        self.view[at_scratch - len(implicit) : at_scratch] = implicit
        self.first = block.address
        self.end = self.slots = self.first + first
        self.at_addresses, self.at_scalars = first, at_scalars
        self.at_temporaries, self.at_scratch = at_temporaries, at_scratch
        self.pack_addresses = addresses.pack_into
        self.pack_scalars = scalars.pack_into if codes else None

    def _place_temporaries(self) -> None:
        """Choose the positions of temporaries and scratch memory in the workspace."""
        scratch = max([draw.shader.scratch for draw in self.plan.draws], default=0)
        ends = accumulate(
            -(-nbytes // TEMPORARY_ALIGNMENT) * TEMPORARY_ALIGNMENT
            for nbytes in (*[slot.nbytes for slot in self.plan.temporaries], scratch)
        )
        self.positions = [0, *ends]
        self.space = self.positions.pop()
        """Bytes of workspace that a run needs."""
        self.workspace: Block | None = None
        """Workspace whose addresses are in the slots."""

    def use_workspace(self, workspace: Block) -> None:
        """Store the addresses of temporaries and scratch memory."""
        *temporaries, scratch = [workspace.address + position for position in self.positions]
        struct.pack_into(f"={len(temporaries)}I", self.view, self.at_temporaries, *temporaries)
        struct.pack_into("=I", self.view, self.at_scratch, scratch)
        self.workspace = workspace

    def draws(self) -> Iterator[tuple[str, int, int]]:
        """Yield the name of each draw's kernel, and the addresses of its words and of their end."""
        words = self.view[: self.end - self.first].cast("I")
        at = 0
        for draw in self.plan.draws:
            end = at + 2 + words[at + 1]
            yield draw.shader.name, self.first + SLOT * at, self.first + SLOT * end
            at = end

    def successors(self, leaf: int) -> list[int]:
        """Return outputs that are first written after the last read of a leaf.

        The first one is the output that replaces some elements of the leaf, if there is one.
        """
        known = self._successors.get(leaf)
        if known is not None:
            return known
        draws = self.plan.draws
        last = max((at for at, draw in enumerate(draws) if leaf in draw.inputs), default=-1)
        is_updated = last >= 0 and draws[last].updated == leaf
        early = {slot for draw in draws[: last + 1 - is_updated] for slot in draw.targets}
        first = self.plan.leaves
        numbers = [n for n in range(len(self.sizes)) if first + n not in early]
        if is_updated:
            numbers.sort(key=lambda n: first + n != draws[last].targets[0])
        self._successors[leaf] = numbers
        return numbers

    def __del__(self) -> None:
        if self.block is None:
            return
        self.view.release()
        self.pool.memory.free(self.block)
        for draw in self.plan.draws:
            self.programs.release(draw.shader)


class WasmBackend(HostBackend):
    """Backend that computes in WebAssembly.

    Args:
        engine: Compiles and runs WebAssembly.
    """

    name = "wasm"
    compiles = True

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self.engine = engine
        self.device = BufferTarget(engine.has_fma)
        self.kernels = KernelTable(engine)
        self.programs = self.kernels.programs
        self.pool = Pool(engine.memory)
        self.memory = MemoryWatch(self.in_use, "memory")
        self.workspace: Block | None = None
        """Temporaries of all plans, which run one after the other."""
        self.uploads = self.reads = 0
        self.timers = self.kernel_timers = KernelTimers(self)

    # --- plans ----------------------------------------------------------------------------------

    def compile(self, graph: OpGraph) -> LoadedPlan:
        return self.load(make_plan(graph, self.device, self.programs.begin))

    def compile_parts(
        self, graph: OpGraph, constants: Collection[int], scalars: Collection[int]
    ) -> CompiledParts:
        split = split_plan(graph, self.device, constants, scalars, self.programs.begin)
        first = split.preparation and self.load(split.preparation)
        return CompiledParts(self.load(split.plan), split.leaves, first, split.constants)

    def load(self, plan: Plan) -> LoadedPlan:
        """Store a plan in memory."""
        return LoadedPlan(plan, self.kernels, self.pool)

    def run(
        self,
        plan: LoadedPlan,
        leaves: Sequence[Buffer],
        scalars: Sequence[bool | int | float],
        donated: Sequence[int] = (),
    ) -> list[tuple[int, Buffer]]:
        if not plan.is_compiled:
            self.kernels.finish(plan.numbers)
            plan.is_compiled = True
        blocks = [
            leaf.handle if leaf.backend is self and leaf.handle else self._upload(leaf)
            for leaf in leaves
        ]
        self.memory.spend(plan.nbytes, [leaves[leaf] for leaf in donated])
        if plan.space and (plan.workspace is None or plan.workspace is not self.workspace):
            self._use_workspace(plan)
        if donated:
            results = self._targets(plan, leaves, blocks, donated)
        else:
            results = self.pool.take_all(plan.sizes)
        try:
            plan.pack_addresses(
                plan.view,
                plan.at_addresses,
                *[block.address for block in blocks],
                *[block.address for block in results],
            )
            if plan.pack_scalars is not None:
                packed_words(plan.pack_scalars, (plan.view, plan.at_scalars), scalars)
            if self.kernel_timers.on:
                self.kernel_timers.run(plan)
            else:
                self.engine.run(plan.first, plan.end, plan.slots)
        except BaseException as error:
            for block in results:
                self.pool.give(block)
            if isinstance(error, self.engine.failures):
                raise BackendError(
                    f"realize: a kernel failed; got {error!s:.200}; compute in smaller parts"
                ) from error
            raise
        self.draws += len(plan.plan.draws)
        self._bound_workspace()
        outputs = [
            Buffer(dtype, size, None, self, block)
            for (dtype, size), block in zip(plan.results, results, strict=True)
        ]
        return [
            (node, leaves[number] if is_leaf else outputs[number])
            for node, is_leaf, number in plan.keep
        ]

    def _targets(
        self,
        plan: LoadedPlan,
        leaves: Sequence[Buffer],
        blocks: Sequence[Block],
        donated: Sequence[int],
    ) -> list[Block]:
        """Return blocks for the outputs: of donated leaves that are not read later, or new ones."""
        reused: dict[int, tuple[Buffer, Block]] = {}
        for leaf in donated:
            block = blocks[leaf]
            # A leaf that is also a result, for example reshaped, must be kept.
            if not block.is_own or leaf in plan.returned_leaves or self._is_viewed(block):
                continue
            for number in plan.successors(leaf):
                if number not in reused and plan.sizes[number] == block.nbytes:
                    reused[number] = leaves[leaf], block
                    break
        sizes = enumerate(plan.sizes)
        new = iter(self.pool.take_all(tuple([n for at, n in sizes if at not in reused])))
        for buffer, _ in reused.values():
            buffer.handle = None
        return [
            reused[number][1] if number in reused else next(new)
            for number in range(len(plan.sizes))
        ]

    def _is_viewed(self, block: Block) -> bool:
        return self.engine.memory.is_viewed(block)

    def _use_workspace(self, plan: LoadedPlan) -> None:
        """Give a plan space for temporaries; the workspace grows if it is too small."""
        if self.workspace is None or self.workspace.nbytes < plan.space:
            self._drop_workspace()
            self.workspace = self.pool.take(size_class(plan.space))
        plan.use_workspace(self.workspace)

    def _bound_workspace(self) -> None:
        """Drop the workspace if it is larger than all memory that may be kept for later."""
        if self.workspace is not None and self.workspace.nbytes > self.pool.limit:
            self._drop_workspace()

    def _drop_workspace(self) -> None:
        if self.workspace is not None:
            self.pool.give(self.workspace)
            self.workspace = None

    def ready(self, plan: LoadedPlan) -> tuple[int, int]:
        total = len(plan.numbers)
        return total - self.kernels.start(plan.numbers), total

    # --- elements -------------------------------------------------------------------------------

    def _upload(self, buffer: Buffer) -> Block:
        """Return a block of a buffer's elements on the host: the host's own bytes, or a copy."""
        if buffer.host is None:
            if buffer.backend is self:
                raise BackendError(
                    "realize: the memory of a tensor was given to a result; got a tensor that was "
                    "donated to a function under jit; use the result of the call"
                )
            buffer.host = buffer.backend.read(buffer)
        if buffer.handle is not None:
            buffer.backend.release(buffer)
        nbytes = buffer.size * buffer.dtype.itemsize
        with self.kernel_timers.transfer("upload", nbytes):
            host = buffer.host if nbytes else b""
            block = self.engine.memory.borrow(host)
            if block is None:
                self.memory.spend(size_class(nbytes))
                block = self.pool.take(size_class(nbytes))
                block.view(nbytes)[:] = memoryview(host).cast("B")
        self.uploads += 1
        buffer.backend = self
        buffer.handle = block
        return block

    def blank(self, dtype: DType, size: int) -> Buffer:
        nbytes = size_class(size * dtype.itemsize)
        self.memory.spend(nbytes)
        block = self.pool.take(nbytes)
        return Buffer(dtype, size, None, self, block)

    def check_size(self, operation: str, shape: tuple[int, ...], dtype: DType) -> None:
        if math.prod(shape) * dtype.itemsize >= LARGEST:
            raise SizeError(
                f"{operation}: tensor is too large for WebAssembly; got shape {shown(shape)} of "
                f"{dtype}; split it into tensors of less than {LARGEST // dtype.itemsize} elements"
            )

    def read(self, buffer: Buffer) -> memoryview:
        self.engine.give_turn()
        return self._read(buffer)

    async def read_async(self, buffer: Buffer) -> memoryview:
        await self.engine.give_turn_async()
        return self._read(buffer)

    def _read(self, buffer: Buffer) -> memoryview:
        if not buffer.size:
            return memoryview(b"")
        if buffer.host is None and buffer.backend is not self:
            buffer.host = buffer.backend.read(buffer)
        if buffer.host is not None:
            return memoryview(buffer.host).cast("B")
        self.reads += 1
        with self.kernel_timers.transfer("download", buffer.size * buffer.dtype.itemsize):
            return self.picture(buffer)

    def peek(self, buffer: Buffer) -> memoryview | None:
        if buffer.host is not None:
            return memoryview(buffer.host).cast("B")
        return self.picture(buffer) if buffer.backend is self and buffer.size else None

    def picture(self, buffer: Buffer) -> memoryview:
        """Return the elements of a picture that a canvas copies, which is no read."""
        is_own = buffer.backend is self and buffer.handle is not None
        block = buffer.handle if is_own else self._upload(buffer)
        return self.engine.memory.read(block, buffer.size * buffer.dtype.itemsize)

    def release(self, buffer: Buffer) -> None:
        if buffer.handle.is_own:
            self.pool.give(buffer.handle)

    # --- counts and settings --------------------------------------------------------------------

    def in_use(self) -> int:
        """Return the bytes of values; the workspace has none between runs."""
        return self.pool.in_use - (self.workspace.nbytes if self.workspace else 0)

    def trim(self, limit: int = 0) -> None:
        """Free memory that is not in use until at most so many bytes are kept."""
        if self.statistics()["bytesFree"] > limit:
            self._drop_workspace()
            self.pool.trim(limit)

    def statistics(self) -> MemoryCounts:
        in_use = self.in_use()
        return {
            "bytesInUse": in_use,
            "bytesFree": self.pool.free + self.pool.in_use - in_use,
            "bytesPeak": self.pool.peak,
            "programs": len(self.programs.numbers),
            "draws": self.draws,
            "uploads": self.uploads,
            "reads": self.reads,
        }

    def fact(self, name: str) -> Any:
        if name == "fused_multiply_add":
            return self.device.has_fma
        owner = self._setting(name)
        return None if owner is None else owner.limit

    def configure(self, name: str, value: Any) -> None:
        if name == "fused_multiply_add":
            self.device = BufferTarget(value and self.engine.has_fma)
        owner = self._setting(name)
        if owner is self.memory:
            self.memory.set_limit(value)
        elif owner is not None:
            owner.limit = value
            if owner is self.pool:
                self.trim(value)

    def _setting(self, name: str) -> Any:
        """Return the object whose limit is a setting of `pt.env`."""
        owners = {
            "memory_limit": self.memory,
            "pool_limit": self.pool,
            "program_limit": self.programs,
        }
        return owners.get(name)


class KernelTimers:
    """Times of kernels, for which the driver runs one draw at a time, and of transfers."""

    def __init__(self, backend: WasmBackend) -> None:
        self.backend = backend
        self.on = False
        self.taken: list[tuple[str, float]] = []
        self.watch(None)

    def run(self, plan: LoadedPlan) -> None:
        """Run a plan and note the time of each draw."""
        engine, name = self.backend.engine, ""
        begin = end = perf_counter()
        for name, first, last in plan.draws():
            start = end
            engine.run(first, last, plan.slots)
            end = perf_counter()
            self.taken.append((name, 1e3 * (end - start)))
            engine.show("kernels", name, start, end)
        engine.show("plans", f"plan {plan.first}: {name}", begin, end)

    def source(self, awaits: bool) -> str:
        return "host"

    def measure(self, on: bool, wait: bool) -> None:
        self.on = on
        self.backend.pool.peak = self.backend.pool.in_use

    def times(self) -> list[tuple[str, float]]:
        taken, self.taken = self.taken, []
        return taken

    async def times_async(self) -> list[tuple[str, float]]:
        return self.times()

    def finish(self) -> None:
        """Do nothing: runs are complete when they return."""

    def peak(self) -> int:
        return self.backend.pool.peak

    def watch(self, transfers: Any) -> None:
        self.transfer = transfers or _unwatched


def _unwatched(kind: str, nbytes: int) -> nullcontext[None]:
    return _NOTHING


_NOTHING = nullcontext()


def create() -> WasmBackend:
    """Create the backend in a page; raise BackendError if the browser lacks what it needs."""
    from .wasm_pyodide import load_engine

    return WasmBackend(load_engine())
