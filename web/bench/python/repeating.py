"""How long a function of one tensor takes, repeated."""

from time import perf_counter

import py_tensor as pt


def lasting(step, repetitions):
    """Milliseconds of so many repetitions, each computed, until one element of the last is here."""
    start = perf_counter()
    for _ in range(repetitions):
        result = step()
        pt.realize(result)
    result[(0,) * result.ndim].item()
    return (perf_counter() - start) * 1e3
