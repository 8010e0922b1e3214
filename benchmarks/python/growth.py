"""Measure how time and memory grow with pending operations, elements and iterations."""

import json

from repetition import timed_repetitions
from workloads import added, chained

import py_tensor as pt

WARMUP_CALLS = 3


def timed(step, milliseconds):
    """Return milliseconds per call of a function, calling it for about `milliseconds`."""
    calls = 0
    repetitions = 1
    while True:
        # Called from one place only: the library splits pending work where a loop repeats, and
        # another split would compile other shaders.
        took = timed_repetitions(step, repetitions)
        calls += 1
        if calls <= WARMUP_CALLS:
            continue
        if took >= milliseconds:
            return took / repetitions
        repetitions *= 2


def chain(length, milliseconds):
    """Return microseconds per add in a pending chain of `length` adds."""
    a, b = pt.ones((64, 64)), pt.full((64, 64), 0.5)
    pt.realize(a, b)
    return timed(lambda: added(a, b, length), milliseconds) / length * 1e3


def elementwise(elements, milliseconds):
    """Return milliseconds of eight elementwise operations."""
    x = pt.full((elements,), 0.5)
    pt.realize(x)
    return timed(lambda: chained(x), milliseconds)


def loop(iterations):
    """Return tensors and bytes on the GPU after 1 small step and `iterations` more, as JSON."""
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
