"""Random sessions: a user who computes, assigns, reads, differentiates and compiles in any order.

`make fuzz MINUTES=60 BACKEND=webgpu` runs new sessions for an hour on WebGPU, and writes the
shortest program of each failure that it finds to build/fuzz/.
"""

from __future__ import annotations

import gc
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from differentiable import programs
from gradient_checks import WAYS, check
from hypothesis import seed, settings as hypothesis_settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from programs import NAMES, STEPS, RandomProgram, add
from programs.jitted import check_jitted
from programs.program import compare, leaf, read_async, repeatable

import py_tensor as pt
from py_tensor.settings import settings

FAILURES = Path(__file__).parent.parent / "build" / "fuzz"
STEPS_PER_SESSION = 25
SESSIONS_PER_SEED = 20
DATA = st.data()


class Session(RuleBasedStateMachine):
    """Tensors with the NumPy arrays that they must equal, and what a user does with them."""

    def __init__(self) -> None:
        super().__init__()
        self.program = RandomProgram()
        self.before = settings.flush_threshold, settings.host_elements

    @initialize(data=DATA)
    def begin(self, data: Any) -> None:
        leaf(data.draw, self.program)

    @rule(data=DATA)
    def make_leaf(self, data: Any) -> None:
        leaf(data.draw, self.program)

    @rule(data=DATA, name=NAMES)
    def compute(self, data: Any, name: str) -> None:
        add(STEPS[name], data.draw, self.program)

    @rule(data=DATA, names=st.lists(NAMES, min_size=2, max_size=4))
    def compute_in_tidy(self, data: Any, names: list[str]) -> None:
        """Compute in a scope that keeps the last value only."""
        count = len(self.program.values)
        before = {id(tensor) for tensor, _ in self.program.values}
        with pt.tidy():
            for name in names:
                add(STEPS[name], data.draw, self.program)
            if len(self.program.values) > count:
                pt.keep(self.program.values[-1][0])
        new = [self.program.pop() for _ in self.program.values[count:]]
        if new:
            tensor, array = new[0]
            self.program.add(tensor, array, "tidy(" + ", ".join(names) + ")")
        # Some functions return their operand if there is nothing to do.
        kept = before | {id(tensor) for tensor, _ in new[:1]}
        assert all(tensor.is_disposed for tensor, _ in new[1:] if id(tensor) not in kept)

    @rule(data=DATA, asynchronous=st.booleans())
    def read(self, data: Any, asynchronous: bool) -> None:
        pair = data.draw(st.sampled_from(self.program.values))
        compare([pair], read_async if asynchronous else pt.Tensor.numpy)

    @rule(data=DATA)
    def assign(self, data: Any) -> None:
        """Change a copy in place: the original keeps its elements."""
        tensor, array = data.draw(st.sampled_from(self.program.values))
        copy, changed = pt.copy(tensor), np.array(array)
        key = data.draw(st.sampled_from([Ellipsis, 0, slice(1, None), slice(None, None, -1)]))
        if tensor.ndim and tensor.shape[0]:
            copy[key] = pt.ones_like(copy[key])
            changed[key] = 1
            self.program.add(copy, changed, f"assigned copy of {tensor.dtype}{tensor.shape}")

    @rule(data=DATA, way=st.sampled_from(WAYS))
    def differentiate(self, data: Any, way: Any) -> None:
        check(data.draw(programs()), way)

    @rule(data=DATA)
    def compile(self, data: Any) -> None:
        check_jitted(data.draw)

    @rule(threshold=st.sampled_from([1, 7, 500]), elements=st.sampled_from([0, 16]))
    def configure(self, threshold: int, elements: int) -> None:
        settings.flush_threshold, settings.host_elements = threshold, elements

    @rule()
    def collect(self) -> None:
        gc.collect()

    @rule()
    def forget(self) -> None:
        if len(self.program.values) > 1:
            self.program.pop()

    def teardown(self) -> None:
        settings.flush_threshold, settings.host_elements = self.before
        try:
            compare(self.program.values)
        except Exception as error:
            error.add_note("\n".join(self.program.steps))
            raise
        finally:
            self.program.values.clear()


def sessions_for(minutes: float) -> tuple[int, list[Path]]:
    """Run new sessions; return their number and the files of failures."""
    end = time.monotonic() + 60 * minutes
    first = int(time.time())
    count, files = 0, []
    options = hypothesis_settings(
        repeatable(SESSIONS_PER_SEED),
        derandomize=False,
        stateful_step_count=STEPS_PER_SESSION,
        print_blob=True,
    )
    while time.monotonic() < end:
        try:
            run_state_machine_as_test(seed(first + count)(Session), settings=options)
        except Exception as error:
            FAILURES.mkdir(parents=True, exist_ok=True)
            files.append(FAILURES / f"session-{first + count}.txt")
            files[-1].write_text("".join(traceback.format_exception(error)))
        count += SESSIONS_PER_SEED
    return count, files


def test_random_sessions(request: pytest.FixtureRequest) -> None:
    minutes = request.config.getoption("minutes")
    if minutes:
        count, files = sessions_for(minutes)
        print(f"{count} sessions, {len(files)} failures")
        assert not files
        return
    options = hypothesis_settings(repeatable(6), stateful_step_count=12)
    run_state_machine_as_test(Session, settings=options)
