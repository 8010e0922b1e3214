"""Limit the work of a call by counting steps of Python instead of measuring time.

A step is a call of a Python function, a resumed generator or coroutine, or a jump, of which each
turn of a loop has one. The count is the same on every machine, however busy it is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

EVENTS = sys.monitoring.events
COUNTED = (EVENTS.PY_START, EVENTS.PY_RESUME, EVENTS.JUMP)
TOOL = 4
"""Identifier of `sys.monitoring` that debuggers, coverage and profilers leave free."""

HANG_SECONDS = 300
"""Limit of every wait for something that must happen: only a hang reaches it."""
STEPS_OF_A_FILE = 1_000_000
"""Limit of reading and running a small file of a model, which takes up to 60,000 steps."""


class TooMuchWork(BaseException):
    """A call took more steps than allowed. No `except Exception` in that call catches it."""


class Steps:
    """Number of steps counted so far."""

    count = 0


@contextmanager
def limited_steps(limit: int, what: str = "a call") -> Iterator[Steps]:
    """Count the steps of the block, and raise TooMuchWork in it after `limit` steps.

    `what` names the work in the message.
    """
    steps = Steps()

    def note(*_: object) -> None:
        steps.count += 1
        if steps.count > limit:
            stop()
            raise TooMuchWork(f"{what} took more than {limit:,} steps of Python")

    def stop() -> None:
        sys.monitoring.set_events(TOOL, 0)

    sys.monitoring.use_tool_id(TOOL, "work_limit")
    try:
        for event in COUNTED:
            sys.monitoring.register_callback(TOOL, event, note)
        sys.monitoring.set_events(TOOL, sum(COUNTED))
        yield steps
    finally:
        stop()
        for event in COUNTED:
            sys.monitoring.register_callback(TOOL, event, None)
        sys.monitoring.free_tool_id(TOOL)
