"""Measure kernels of contractions in several blockings on the device, and keep the fastest.

Input: a plan of the WebGPU backend. Output: blockings of its contractions, which the backend's
target takes for later plans, and which the browser stores for later visits.
"""

from __future__ import annotations

import json
import struct
from array import array
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from copy import copy
from time import perf_counter
from typing import Any, NamedTuple

from ...compiler.codegen.shader import Shader
from ...compiler.stages import Draw, Plan
from ...compiler.workgroups.contract_kernel import (
    BLOCKINGS,
    BlockedSize,
    Blocking,
    ContractionSize,
    waste,
)
from ...compiler.workgroups.plan import nbytes_of
from ...compiler.workgroups.write import write
from ...errors import TensorError
from ...settings import browser_storage
from .device import packed_numbers

CANDIDATES = (
    Blocking(8, 16, 8, 4, 16),
    Blocking(16, 16, 4, 4, 16),
    Blocking(16, 16, 8, 4, 16),
    Blocking(16, 8, 4, 8, 16),
    Blocking(16, 16, 8, 8, 8),
    Blocking(8, 8, 4, 4, 16),
)
"""Blockings that are compared with the one that the rule chooses."""
MOST_CANDIDATES = 6
"""Blockings that are measured for a contraction."""
SECONDS = 0.012
"""Seconds of work in a measurement, much more than the wait for its end varies."""
LONGEST_SECONDS = 0.1
"""Seconds of a run from which the device is too slow to measure the contraction."""
ROUNDS = 2
"""Measurements of a candidate, of which the shorter one counts."""
ALL_SECONDS = 2.0
"""Seconds after which no other contraction of a plan is measured."""
LEAST_GAIN = 0.97
"""Ratio of times from which another blocking than the rule's is chosen."""
REPEATED_PRODUCTS = 4_000_000_000
"""Products of a run, so that calls of the bridge take little of the time."""
MOST_DRAWS = 16
"""Kernels of a run."""
MOST_RUNS = 256
"""Runs of a measurement."""
MOST_BYTES = 1 << 29
"""Bytes of operands and results up to which a contraction is measured."""
MOST_CHOICES = 128
"""Choices that are kept for a device."""
NAME = "py_tensor.blockings"
"""Name of the choices of all devices in the browser's storage."""


def candidates(blocked: BlockedSize) -> list[Blocking]:
    """Return the blockings to measure: the present one, then those that waste least."""
    size, present = blocked
    others = [blocking for blocking in CANDIDATES if blocking != present]
    others.sort(key=lambda blocking: waste(blocking, size.rows, size.columns))
    return [present, *others][:MOST_CANDIDATES]


class _Variant(NamedTuple):
    """A kernel in one blocking, and the plan that runs it several times."""

    blocking: Blocking
    shader: Shader
    plan: int
    words: bytes
    """Words of a run."""


class Tuner:
    """Measures contractions of plans, and keeps the choices.

    Args:
        engine: `WebGPUBackend` whose target takes the choices.
        storage: Object with `getItem` and `setItem`; None if the choices end with the process.
        clock: Returns seconds.
    """

    def __init__(
        self, engine: Any, storage: Any = None, clock: Callable[[], float] = perf_counter
    ) -> None:
        self.engine = engine
        self.storage = browser_storage() if storage is None else storage
        self.clock = clock
        names = ("vendor", "architecture", "description")
        self.device = " ".join([str(engine.limits.get(name, "")) for name in names])
        self.choices: dict[ContractionSize, Blocking] = {}
        stored = self._stored().get(self.device)
        # Another version of the package may have stored other blockings.
        with suppress(TypeError, ValueError):
            for size, blocking in stored or ():
                if Blocking(*blocking) in (*CANDIDATES, *BLOCKINGS):
                    self.choices[ContractionSize(*size)] = Blocking(*blocking)

    # --- choices --------------------------------------------------------------------------------

    def has_faster(self, plan: Plan) -> bool:
        """Return True if a kernel of a plan has another blocking than the chosen one."""
        chosen = tuple(BlockedSize(*choice) for choice in self.choices.items())
        if self.engine.device.blockings != chosen:
            self.engine.device = self.engine.device._replace(blockings=chosen)
        blocked = [draw.shader.contraction for draw in plan.draws if draw.shader.contraction]
        return any(self.choices.get(size, present) != present for size, present in blocked)

    def _stored(self) -> dict[str, Any]:
        """Return the stored choices by device."""
        text = None if self.storage is None else self.storage.getItem(NAME)
        with suppress(ValueError):
            stored = json.loads(text) if isinstance(text, str) else None
            if isinstance(stored, dict):
                return stored
        return {}

    def _keep(self, size: ContractionSize, blocking: Blocking) -> None:
        """Keep a choice; the oldest ones are forgotten."""
        self.choices[size] = blocking
        while len(self.choices) > MOST_CHOICES:
            del self.choices[next(iter(self.choices))]
        if self.storage is not None:
            text = json.dumps({**self._stored(), self.device: [*self.choices.items()]})
            # The storage may be full. JavaScript's exceptions have no class outside of browsers.
            with suppress(Exception):
                self.storage.setItem(NAME, text)

    # --- measurements ---------------------------------------------------------------------------

    def measure(self, plan: Plan) -> Iterator[int]:
        """Measure the long contractions of a plan for which nothing was chosen.

        Whoever iterates waits for the device at each step, for example by reading the buffer whose
        handle is yielded. A contraction that fails in one blocking keeps the present one.
        """
        blocked = [draw for draw in plan.draws if draw.shader.contraction]
        draws = {draw.shader.contraction.size: draw for draw in blocked}
        end = self.clock() + ALL_SECONDS
        for size in sorted(draws, key=lambda size: -size.products):
            if size.is_long and size not in self.choices and self.clock() < end:
                yield from self._measured(plan, draws[size])

    def _measured(self, plan: Plan, draw: Draw) -> Iterator[int]:
        """Measure one contraction and keep the fastest blocking."""
        engine, lowered = self.engine, plan.lowered
        specs = [lowered.spec(at) for at in (*draw.kernel.inputs, *draw.kernel.outputs)]
        nbytes = [nbytes_of(spec.dtype, spec.size) for spec in specs]
        if sum(nbytes) > min(MOST_BYTES, engine.largest):
            return
        generation = engine.bridge.generation()
        handles: list[int] = []
        variants: list[_Variant] = []
        try:
            for number in nbytes[: len(draw.inputs)] or [16]:
                handles.append(engine.new_handle())
                engine.bridge.alloc(handles[-1], number)
            for blocking in candidates(draw.shader.contraction):
                variants.append(self._variant(plan, draw, blocking, handles, nbytes))
            times = yield from self._times(variants, handles[0])
        except TensorError:
            return
        finally:
            for variant in variants:
                engine.bridge.drop_plan(variant.plan)
                engine.programs.release(variant.shader)
            if engine.bridge.generation() == generation:
                for handle in handles:
                    engine.bridge.free(handle)
        if engine.bridge.generation() == generation:
            fastest = min(times, key=lambda blocking: times[blocking])
            present = variants[0].blocking
            is_faster = times[fastest] < LEAST_GAIN * times[present]
            self._keep(draw.shader.contraction.size, fastest if is_faster else present)

    def _variant(
        self, plan: Plan, draw: Draw, blocking: Blocking, handles: list[int], nbytes: list[int]
    ) -> _Variant:
        """Register a plan that runs a kernel in a blocking several times."""
        engine, size = self.engine, draw.shader.contraction.size
        lowered = copy(plan.lowered)
        lowered.target = lowered.target._replace(blockings=(BlockedSize(size, blocking),))
        shader = write(lowered, draw.kernel)
        leaves = len(draw.inputs)
        results = nbytes[leaves:]
        numbers: list[float] = []
        program = engine.programs.use(shader)
        one = [program, *shader.grid, len(results), *range(leaves, len(nbytes))]
        one += [leaves, *range(leaves)]
        for scalars, more in zip(shader.uniforms, shader.sizes, strict=True):
            first = len(numbers)
            numbers += [*(0 for _ in scalars), *more]
            one += [len(numbers) - first, *range(first, len(numbers))]
        draws = max(1, min(MOST_DRAWS, REPEATED_PRODUCTS // size.products))
        words = array("i", [leaves, 0, len(results), draws, *results, *one * draws])
        engine.plans += 1
        engine.bridge.plan(engine.plans, words)
        head = struct.pack(f"={1 + leaves}i", engine.generation, *handles[:leaves])
        return _Variant(blocking, shader, engine.plans, head + packed_numbers(numbers))

    def _times(
        self, variants: list[_Variant], handle: int
    ) -> Generator[int, None, dict[Blocking, float]]:
        """Return the seconds of each blocking, yielding where the device must be waited for."""
        bridge = self.engine.bridge
        for variant in variants:
            while bridge.ready(variant.plan) < 1:
                yield handle
        bridge.run(variants[0].plan, variants[0].words)
        runs, seconds = 1, (yield from self._time(variants[0], 1, handle))
        if seconds > LONGEST_SECONDS:
            return {variants[0].blocking: seconds}
        while seconds < SECONDS and runs < MOST_RUNS:
            runs *= 2
            seconds = yield from self._time(variants[0], runs, handle)
        # Drivers finish compiling at the first run.
        for variant in variants[1:]:
            bridge.run(variant.plan, variant.words)
        times: dict[Blocking, float] = {}
        for _ in range(ROUNDS):
            for variant in variants:
                seconds = yield from self._time(variant, runs, handle)
                times[variant.blocking] = min(seconds, times.get(variant.blocking, seconds))
        return times

    def _time(self, variant: _Variant, runs: int, handle: int) -> Generator[int, None, float]:
        """Return the seconds of so many runs."""
        yield handle
        start = self.clock()
        for _ in range(runs):
            self.engine.bridge.run(variant.plan, variant.words)
        yield handle
        return self.clock() - start
