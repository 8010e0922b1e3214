"""Times, profiles, leaks and settings."""

from __future__ import annotations

import asyncio

import py_tensor as pt

x = pt.ones((8, 8))
timing: pt.Timing = pt.time(lambda: x @ x)
assert timing.wall_ms + (timing.kernel_ms or 0.0) > 0


async def read() -> float:
    return sum((await pt.sum(x).data()).tobytes())


async def main() -> pt.Profile:
    await pt.time(read)
    return await pt.profile(read)


assert asyncio.run(main()).peak_bytes > 0
profile = pt.profile(lambda: pt.exp(x))
names: list[str] = [name for kernel in profile.kernels for name in kernel.operations]
assert names == ["exp"] and profile.trace()["traceEvents"]

threshold: int = pt.env.flush_threshold
pt.env.flush_threshold = threshold
timer: bool | None = pt.env.timer
with pt.assert_no_leaks():
    pt.sum(x).item()
for line, live in pt.memory_trace().items():
    assert line.upper() and live.nbytes >= 0
