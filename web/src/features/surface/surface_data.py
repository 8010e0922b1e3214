"""Data sets: points of two classes in the square from -1 to 1."""

import math
from collections.abc import Callable
from random import Random

Point = tuple[float, float, int]
"""x, y (upwards) and the class, 0 or 1."""

COUNT = 200


def spirals(random: Random) -> Point:
    label = random.randrange(2)
    share = math.sqrt(random.random())
    angle = 1.5 * 2 * math.pi * share + math.pi * label
    radius = 0.08 + 0.82 * share
    return _with_noise(random, radius * math.cos(angle), radius * math.sin(angle), label, 0.025)


def rings(random: Random) -> Point:
    label = random.randrange(2)
    angle = random.uniform(0, 2 * math.pi)
    radius = 0.8 if label else random.uniform(0, 0.4)
    return _with_noise(random, radius * math.cos(angle), radius * math.sin(angle), label, 0.06)


def checkerboard(random: Random) -> Point:
    x, y = random.uniform(-1, 1), random.uniform(-1, 1)
    return x, y, (math.floor(2 * x) + math.floor(2 * y)) % 2


def xor(random: Random) -> Point:
    x, y = random.uniform(0.08, 0.95), random.uniform(0.08, 0.95)
    right, up = random.choice((-1, 1)), random.choice((-1, 1))
    return x * right, y * up, int(right != up)


DATA: dict[str, Callable[[Random], Point]] = {
    "spirals": spirals,
    "rings": rings,
    "checkerboard": checkerboard,
    "xor": xor,
}


def points(name: str, seed: int) -> list[Point]:
    """Return `COUNT` points of a data set, determined by the seed."""
    random = Random(seed)
    return [DATA[name](random) for _ in range(COUNT)]


def _with_noise(random: Random, x: float, y: float, label: int, spread: float) -> Point:
    return random.gauss(x, spread), random.gauss(y, spread), label
