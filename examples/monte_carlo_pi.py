"""Estimate pi from random points in a square, and watch the error fall with their number.

Buffon's needle gives a second estimate.
"""

import numpy as np
import py_tensor as pt


def main():
    rng = np.random.default_rng(0)
    n = 100_000
    points = rng.uniform(-1, 1, size=(n, 2))
    inside = np.sum(points**2, axis=1) <= 1
    estimates = 4 * np.cumsum(inside) / np.arange(1, n + 1)
    for k in (100, 1000, 10_000, 100_000):
        print(f"{k:>7} points: {estimates[k - 1]:.4f}")

    y = rng.uniform(0, 0.5, n)
    angle = rng.uniform(0, np.pi / 2, n)
    crossing = y <= 0.5 * np.sin(angle)
    buffon = 2 / np.mean(crossing)
    print(f"Buffon's needle: {buffon:.4f}")
    some, hit = points[:2000], inside[:2000]
    plot = pt.plot.scatter(*some[hit].T, label="inside", title="Points", width=400, height=400)
    pt.show(plot.scatter(*some[~hit].T, label="outside"))
    return np.array([estimates[-1], buffon])


if __name__ == "__main__":
    main()
