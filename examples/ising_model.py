"""Simulate the two-dimensional Ising model by Metropolis updates of a checkerboard.

Below the critical temperature 2.27 the spins align; above it they do not.
"""

import numpy as np
import py_tensor as pt


def neighbours(spins):
    return (
        np.roll(spins, 1, axis=0)
        + np.roll(spins, -1, axis=0)
        + np.roll(spins, 1, axis=1)
        + np.roll(spins, -1, axis=1)
    )


def simulate(temperature, rng, n=24, sweeps=40):
    spins = np.ones((n, n), dtype=int)
    i, j = np.indices(spins.shape)
    magnetization = []
    for sweep in range(sweeps):
        for colour in (0, 1):
            cost = 2 * spins * neighbours(spins)
            accept = rng.random((n, n)) < np.exp(-cost / temperature)
            flip = accept & ((i + j) % 2 == colour)
            spins = np.where(flip, -spins, spins)
        if sweep >= sweeps // 2:
            magnetization.append(abs(spins.mean()))
    return np.mean(magnetization), spins


def main():
    rng = np.random.default_rng(0)
    ordered, pictures = [], []
    for temperature in (1.5, 2.0, 3.5, 5.0):
        m, spins = simulate(temperature, rng)
        pictures.append(spins)
        print(f"T = {temperature}: |m| = {m:.3f}")
        ordered.append(m > 0.6)
    pt.show(pt.plot.image(np.hstack(pictures), title="Spins at T = 1.5, 2, 3.5 and 5"))
    return np.array(ordered)


if __name__ == "__main__":
    main()
