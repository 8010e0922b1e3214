"""Programs of the gallery whose kernels write, compared with NumPy on every backend."""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gallery_programs import EXAMPLES

import py_tensor as pt

rng = np.random.default_rng(0)


@pytest.fixture
def names_of():
    """Run a program up to its loop over frames, with other constants, and return its names."""
    spaces: list[dict[str, Any]] = []

    def run(name: str, **constants: object) -> dict[str, Any]:
        source = (EXAMPLES / f"{name}.py").read_text().partition("async for")[0]
        source = source.replace("from playground import frames\n", "")
        first = re.search(r"^(.*) = .*\n", source, re.MULTILINE)
        assert first is not None
        values = [repr(constants[key]) for key in first[1].split(", ")]
        source = source.replace(first[0], f"{first[1]} = {', '.join(values)}\n")
        file = f"{name}_{len(spaces)}.py"
        linecache.cache[file] = len(source), None, source.splitlines(True), file
        spaces.append({"__name__": name})
        exec(compile(source, file, "exec", dont_inherit=True), spaces[-1])
        return spaces[-1]

    yield run
    # Functions keep their module's names alive, so its tensors would wait for the collector.
    for space in spaces:
        space.clear()


def test_histogram_of_a_picture(names_of: Callable[..., dict[str, Any]]) -> None:
    size, levels = 20, 8
    program = names_of("histogram", SIZE=size, LEVELS=levels)
    # Values of 1 are beyond the last level; all are exact in float16.
    picture = rng.integers(0, 257, (size, size, 3)).astype("float32") / 256
    counts = program["histogram"](pt.asarray(picture), pt.zeros((3, levels), dtype="int32"))
    expected = [
        np.bincount((levels * picture[..., color]).astype(int).ravel(), minlength=levels)[:levels]
        for color in range(3)
    ]
    np.testing.assert_array_equal(counts.numpy(), expected)


GRID, BODIES, DT = 24, 100, 2e-4


def weights(places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first of three cells around each place, and the B-splines of the cells."""
    first = (places - 0.5).astype(int)
    f = places - first
    return first, np.stack([0.5 * (1.5 - f) ** 2, 0.75 - (f - 1) ** 2, 0.5 * (f - 0.5) ** 2])


def material_points_step(
    x: np.ndarray, v: np.ndarray, c: np.ndarray, volume: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return places, speeds, their gradients and volumes after a step, as mpm88 computes them."""
    first, w = weights(x)
    stress = -DT * 4 * 400.0 * GRID**2 * (volume - 1)
    affine = stress[:, None, None] * np.eye(2) + c
    grid_v, grid_m = np.zeros((GRID, GRID, 2)), np.zeros((GRID, GRID))
    cells = [(i, j) for i in range(3) for j in range(3)]
    for i, j in cells:
        at = np.add(first, (i, j))
        away = at - x
        weight = w[i, :, 0] * w[j, :, 1]
        moved = v + np.einsum("nij,nj->ni", affine, away)
        np.add.at(grid_v, (at[:, 0], at[:, 1]), weight[:, None] * moved)
        np.add.at(grid_m, (at[:, 0], at[:, 1]), weight)
    grid_v /= np.maximum(grid_m, 1e-9)[..., None]
    grid_v[..., 0] += DT * 40.0 * GRID
    for axis in (0, 1):
        rows = np.moveaxis(grid_v[..., axis], axis, 0)
        rows[:3] = np.maximum(rows[:3], 0)
        rows[GRID - 2 :] = np.minimum(rows[GRID - 2 :], 0)
    new_v, new_c = np.zeros_like(v), np.zeros_like(c)
    for i, j in cells:
        at = np.add(first, (i, j))
        away = at - x
        weight = w[i, :, 0] * w[j, :, 1]
        speed = weight[:, None] * grid_v[at[:, 0], at[:, 1]]
        new_v += speed
        new_c += 4 * speed[:, :, None] * away[:, None, :]
    volume = volume * (1 + DT * (new_c[:, 0, 0] + new_c[:, 1, 1]))
    return x + DT * new_v, new_v, new_c, volume


def test_material_points(names_of: Callable[..., dict[str, Any]]) -> None:
    program = names_of("material_points", BODIES=BODIES, GRID=GRID, SIZE=48, DT=DT)
    y, x = (part.numpy().astype("float64") for part in program["start"]())
    assert (y >= 0.2 * GRID).all() and (y < 0.6 * GRID).all()
    v, c = rng.normal(0, 100, (BODIES, 2)), rng.normal(0, 10, (BODIES, 2, 2))
    volume = 1 + rng.normal(0, 0.1, BODIES)
    parts = [y, x, *v.T, *c.reshape(BODIES, 4).T, volume]
    points = tuple([pt.asarray(part.astype("float32")) for part in parts])
    state = np.stack([y, x], axis=1), v, c, volume
    for _ in range(3):
        points = program["step"](points, 0.0, 0.0, 0.0)
        state = material_points_step(*state)
    expected = np.column_stack([*state[:2], state[2].reshape(BODIES, 4), state[3]])
    got = np.stack([part.numpy() for part in points], axis=1)
    scale = np.abs(expected).max(axis=0)
    assert (np.abs(got - expected) / scale).max() < 1e-4
    ink = program["dots"](*points[:2], pt.zeros((48, 48))).numpy()
    assert ink.sum() == BODIES
    assert ink[: 2 * int(0.1 * GRID)].sum() == 0
