"""Time of repeated computations."""

from time import perf_counter

import py_tensor as pt


def timed_repetitions(step, repetitions):
    """Return milliseconds of the repetitions, including the read of one element of the last."""
    start = perf_counter()
    for _ in range(repetitions):
        result = step()
        pt.realize(result)
    result[(0,) * result.ndim].item()
    return (perf_counter() - start) * 1e3
