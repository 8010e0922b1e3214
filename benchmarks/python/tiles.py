"""Time all candidate blocks of contractions, to evaluate the rule that chooses one."""

import json
from statistics import median

from repetition import timed_repetitions

import py_tensor as pt
from py_tensor.compiler.textures import tile_heuristics
from py_tensor.runtime.executor import runtime

ROUNDS = 5


def matmul(rows, inner, columns):
    a, b = pt.random.uniform((rows, inner)), pt.random.uniform((inner, columns))
    pt.realize(a, b)
    return lambda: a @ b


def conv2d(side, channels, outputs, kernel, stride):
    x = pt.random.uniform((1, side, side, channels))
    w = pt.random.uniform((kernel, kernel, channels, outputs))
    pt.realize(x, w)
    return lambda: pt.conv2d(x, w, stride=stride, padding="same")


OPERATIONS = {"matmul": matmul, "conv2d": conv2d}


def compared(operation, lengths, milliseconds):
    """Return [block, milliseconds] of each candidate as JSON, the chosen one first."""
    step = OPERATIONS[operation](*lengths)
    candidates = tile_heuristics.candidates
    blocks = []
    results = []

    def one(*arguments):
        """Return only the candidate to be timed next."""
        tilings = candidates(*arguments)
        blocks[:] = [text(tiling) for _, tiling in tilings]
        return tilings[len(results) : len(results) + 1]

    tile_heuristics.candidates = one
    try:
        while not results or len(results) < len(blocks):
            runtime.plans.clear()
            took = timed(step, milliseconds)
            results.append([blocks[len(results)], took])
    finally:
        tile_heuristics.candidates = candidates
        runtime.plans.clear()
    return json.dumps(results)


def text(tiling):
    below = ", below" if tiling.apart or tiling.lines_apart else ""
    return f"{tiling.height}x{tiling.width}, {tiling.spread} aside{below}"


def timed(step, milliseconds):
    """Return milliseconds per repetition, the median of `ROUNDS` rounds."""

    timed_repetitions(step, 1)
    repetitions = max(3, round(3 * milliseconds / timed_repetitions(step, 3)))
    return median(timed_repetitions(step, repetitions) for _ in range(ROUNDS)) / repetitions
