"""Simulations in the style of a book on NumPy give NumPy's values after changing the import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import py_tensor.numpy as ours
from programs.test_numpy_exercises import compare

Program = Callable[[Any], Any]
PROGRAMS: dict[str, Program] = {}


def program(function: Program) -> Program:
    PROGRAMS[function.__name__] = function
    return function


@program
def game_of_life(np):
    cells = np.zeros((12, 14), dtype=int)
    cells[1:4, 2:5] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
    for _ in range(9):
        n = (
            cells[0:-2, 0:-2] + cells[0:-2, 1:-1] + cells[0:-2, 2:] + cells[1:-1, 0:-2]
            + cells[1:-1, 2:] + cells[2:, 0:-2] + cells[2:, 1:-1] + cells[2:, 2:]
        )  # fmt: skip
        birth = (n == 3) & (cells[1:-1, 1:-1] == 0)
        survive = ((n == 2) | (n == 3)) & (cells[1:-1, 1:-1] == 1)
        cells[...] = 0
        cells[1:-1, 1:-1][birth | survive] = 1
    return cells


@program
def reaction_and_diffusion(np):
    fields = np.zeros((24, 24), [("U", np.double), ("V", np.double)])
    U, V = fields["U"], fields["V"]
    u, v = U[1:-1, 1:-1], V[1:-1, 1:-1]
    u[...] = 1.0
    U[9:15, 9:15] = 0.5
    V[9:15, 9:15] = 0.25
    for _ in range(20):
        Lu, Lv = (
            Z[0:-2, 1:-1] + Z[1:-1, 0:-2] - 4 * Z[1:-1, 1:-1] + Z[1:-1, 2:] + Z[2:, 1:-1]
            for Z in (U, V)
        )
        uvv = u * v * v
        u += 0.16 * Lu - uvv + 0.035 * (1 - u)
        v += 0.08 * Lv + uvv - 0.095 * v
    return fields["U"], fields["V"]


@program
def mandelbrot_set(np):
    x = np.linspace(-2.25, 0.75, 32, dtype=np.float32)
    y = np.linspace(-1.25, 1.25, 24, dtype=np.float32)
    C = x + y[:, None] * 1j
    N = np.zeros(C.shape, dtype=int)
    Z = np.zeros(C.shape, np.complex64)
    for n in range(12):
        inside = np.less(abs(Z), 4.0)
        N[inside] = n
        Z[inside] = Z[inside] ** 2 + C[inside]
    N[N == 11] = 0
    return N


@program
def mandelbrot_set_of_shrinking_arrays(np):
    Xi, Yi = np.mgrid[0:16, 0:12]
    X = np.linspace(-2.0, 0.5, 16, dtype=np.float32)[Xi]
    Y = np.linspace(-1.2, 1.2, 12, dtype=np.float32)[Yi]
    C = X + Y * 1j
    N = np.zeros(C.shape, dtype=int)
    Xi, Yi, C = Xi.ravel(), Yi.ravel(), C.ravel()
    Z = np.zeros(C.shape, np.complex64)
    for i in range(10):
        if not len(Z):
            break
        np.multiply(Z, Z, Z)
        np.add(Z, C, Z)
        outside = abs(Z) > 2.0
        N[Xi[outside], Yi[outside]] = i + 1
        np.logical_not(outside, outside)
        Z, Xi, Yi, C = Z[outside], Xi[outside], Yi[outside], C[outside]
    return N


@program
def fractal_dimension(np):
    image = (np.indices((64, 64)).prod(axis=0) % 7) / 7.0
    mask = image < 0.3
    sizes = 2 ** np.arange(5, 1, -1)
    counts = []
    for k in sizes.tolist():
        rows = np.add.reduceat(mask, np.arange(0, 64, k), axis=0)
        boxes = np.add.reduceat(rows, np.arange(0, 64, k), axis=1)
        counts.append(len(np.where((boxes > 0) & (boxes < k * k))[0]))
    return np.array(counts), np.polyfit(np.log(sizes), np.log(np.array(counts) + 1.0), 1)


@program
def flock(np):
    count = 20
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
    velocity = np.zeros((count, 2), dtype=np.float32)
    velocity[:, 0], velocity[:, 1] = np.cos(angle), np.sin(angle)
    position = np.stack([np.cos(3 * angle) * 20, np.arange(count) * 1.7], axis=1)
    for _ in range(3):
        dx = np.subtract.outer(position[:, 0], position[:, 0])
        dy = np.subtract.outer(position[:, 1], position[:, 1])
        distance = np.hypot(dx, dy)
        mask_0 = distance > 0
        mask = (distance < 25) * mask_0
        near = np.maximum(mask.sum(axis=1), 1).reshape(count, 1)
        target = np.dot(mask, velocity) / near
        norm = np.sqrt((target * target).sum(axis=1)).reshape(count, 1)
        target = 2.0 * np.divide(target, norm, out=target, where=norm != 0)
        cohesion = np.dot(mask, position) / near - position
        velocity += 0.05 * (target - velocity) + 0.01 * cohesion
        position += velocity
        position %= (64, 48)
    return position, velocity


@program
def pressure_of_a_flow(np):
    n = 12
    div = np.zeros((n + 2, n + 2))
    div[4:6, 4:6] = 1.0
    p = np.zeros_like(div)
    for _ in range(15):
        p[1:-1, 1:-1] = (
            div[1:-1, 1:-1] + p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]
        ) / 4
        p[0, :], p[-1, :], p[:, 0], p[:, -1] = p[1, :], p[-2, :], p[:, 1], p[:, -2]
    u, v = np.gradient(p)
    return p, u, v


@program
def walls_of_a_maze(np):
    walls = np.ones((9, 11), bool)
    walls[1:-1:2, 1:-1:2] = False
    walls[1, 1:-1] = walls[1:-1, 9] = False
    distance = np.where(walls, -1, 99)
    distance[1, 1] = 0
    for _ in range(30):
        around = np.full(distance.shape, 99)
        for axis, step in ((0, 1), (0, -1), (1, 1), (1, -1)):
            moved = np.roll(distance, step, axis=axis)
            around = np.minimum(around, np.where(moved < 0, 99, moved))
        distance = np.where(walls, -1, np.minimum(distance, around + 1))
    return distance


@program
def random_walk_of_given_steps(np):
    steps = 2 * (np.arange(200) ** 2 % 7 % 2) - 1
    walk = steps.cumsum()
    pattern = walk[50:55]
    windows = np.lib.stride_tricks.sliding_window_view(walk, len(pattern))
    return walk, np.abs(windows - pattern).sum(axis=-1).argmin(), np.where(walk == walk.max())[0]


@program
def ordered_samples(np):
    grid = np.stack(np.meshgrid(np.arange(6), np.arange(5)), axis=-1).reshape(-1, 2) * 1.0
    grid += np.sin(grid[:, ::-1] * 3) * 0.4
    kept = [0]
    for at in range(1, len(grid)):
        distances = np.hypot(*(grid[kept] - grid[at]).T)
        if distances.min() > 1.1:
            kept.append(at)
    return np.array(kept), grid[kept]


@pytest.mark.parametrize("name", PROGRAMS)
def test_simulations(name):
    compare(PROGRAMS[name](ours), PROGRAMS[name](numpy))


def test_random_programs_have_numpys_shapes_and_moments():
    """Dart throwing and random walks draw numbers, which differ from NumPy's."""
    for np in (numpy, ours):
        np.random.seed(3)
        points = np.random.uniform(0, 1, (400, 2))
        close = np.hypot(*(points[:, None] - points[None]).T) < 0.05
        np.fill_diagonal(close, False)
        assert 400 * 399 * 0.004 < int(close.sum()) < 400 * 399 * 0.011
        walks = np.random.choice([-1, +1], (100, 400)).cumsum(axis=1)
        assert walks.shape == (100, 400)
        assert 15 < float(walks[:, -1].std()) < 26
        heights = np.random.normal(170, 10, 1000)
        assert abs(float(heights.mean()) - 170) < 2
        order = np.random.permutation(10)
        np.random.shuffle(order)
        assert sorted(order.tolist()) == list(range(10))
