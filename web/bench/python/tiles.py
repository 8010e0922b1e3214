"""How good the rule is that chooses a contraction's blocks: all that it may choose from, timed."""

import json
from statistics import median

from repeating import lasting

import py_tensor as pt
from py_tensor.glsl import tile_choice
from py_tensor.runtime import runtime

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
    """[block, milliseconds] of each candidate, the rule's choice first, as JSON."""
    step = OPERATIONS[operation](*lengths)
    candidates = tile_choice.candidates
    blocks = []
    results = []

    def one(*arguments):
        """The candidate whose turn it is, as the only one."""
        found = candidates(*arguments)
        blocks[:] = [text(tiling) for _, tiling in found]
        return found[len(results) : len(results) + 1]

    tile_choice.candidates = one
    try:
        while not results or len(results) < len(blocks):
            runtime.plans.clear()
            took = timed(step, milliseconds)
            results.append([blocks[len(results)], took])
    finally:
        tile_choice.candidates = candidates
        runtime.plans.clear()
    return json.dumps(results)


def text(tiling):
    below = ", below" if tiling.apart or tiling.lines_apart else ""
    return f"{tiling.height}x{tiling.width}, {tiling.spread} aside{below}"


def timed(step, milliseconds):
    """Milliseconds of one repetition, the median of some rounds."""

    lasting(step, 1)
    repetitions = max(3, round(3 * milliseconds / lasting(step, 3)))
    return median(lasting(step, repetitions) for _ in range(ROUNDS)) / repetitions
