"""How py_tensor's time and memory grow with pending operations, elements and iterations."""

import json

from repeating import lasting
from workloads import added, chained

import py_tensor as pt

WARMING = 3


def timed(step, milliseconds):
    """Milliseconds of one call of a function that gives a tensor; calls it for about that long."""
    calls = 0
    repetitions = 1
    while True:
        # Called from one place only: pending work is cut where a loop comes round, and a new cut
        # compiles.
        took = lasting(step, repetitions)
        calls += 1
        if calls <= WARMING:
            continue
        if took >= milliseconds:
            return took / repetitions
        repetitions *= 2


def chain(length, milliseconds):
    """Microseconds of each of so many adds that are pending at once."""
    a, b = pt.ones((64, 64)), pt.full((64, 64), 0.5)
    pt.realize(a, b)
    return timed(lambda: added(a, b, length), milliseconds) / length * 1e3


def elementwise(elements, milliseconds):
    """Milliseconds of eight elementwise operations."""
    x = pt.full((elements,), 0.5)
    pt.realize(x)
    return timed(lambda: chained(x), milliseconds)


def loop(iterations):
    """Tensors and bytes on the GPU before and after so many small steps, as JSON."""
    x = pt.ones((64, 64))
    held = []
    for count in (1, iterations):
        for _ in range(count):
            x = pt.relu(x * 0.5 + 1.0)
            pt.realize(x)
        x[0, 0].item()
        memory = pt.memory()
        held.append(
            {
                "tensors": memory.num_tensors,
                "bytes": memory.num_bytes_in_gpu + memory.num_bytes_in_gpu_free,
            }
        )
    return json.dumps(held)
