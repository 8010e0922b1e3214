"""Find roots: bisection and Newton's method on arrays, and Newton's method for a system.

Many starting points are handled at once.
"""

import numpy as np
import py_tensor as pt


def bisect(f, lo, hi, iterations=25):
    lo, hi = np.array(lo, dtype=float), np.array(hi, dtype=float)
    for _ in range(iterations):
        mid = (lo + hi) / 2
        left = f(lo) * f(mid) <= 0
        hi[left] = mid[left]
        lo[~left] = mid[~left]
    return (lo + hi) / 2


def newton_system(x, iterations=8):
    for _ in range(iterations):
        f = np.array([x[0] ** 2 + x[1] ** 2 - 4, x[0] * x[1] - 1])
        J = np.array([[2 * x[0], 2 * x[1]], [x[1], x[0]]])
        x = x - np.linalg.solve(J, f)
    return x


def basins(width, height):
    """Number the root of z**3 = 1 that each point reaches: Newton's fractal."""
    re, im = np.meshgrid(np.linspace(-1.5, 1.5, width), np.linspace(-1.4, 1.4, height))
    z = re + 1j * im
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(25):
            z = z - (z**3 - 1) / (3 * z**2)
    cube_roots = np.exp(2j * np.pi * np.arange(3) / 3)
    return np.abs(z[..., None] - cube_roots).argmin(axis=-1)


def main():
    f = lambda x: x**3 - 6 * x**2 + 11 * x - 6.1
    roots = bisect(f, [0, 1.5, 2.5], [1.5, 2.5, 4])
    print("bisection:", roots, "polynomial:", np.sort(np.roots([1, -6, 11, -6.1]).real))

    # The Babylonian method for square roots.
    a = np.array([2, 3, 10, 1e4])
    x = a / 2
    for _ in range(12):
        x = 0.5 * (x + a / x)
    print("square roots:", x)

    basin = basins(16, 15)
    print("points per basin:", np.bincount(basin.ravel()))
    pt.show(pt.plot.image(basins(120, 112), title="Newton's fractal"))
    return roots, x, newton_system(np.array([2.0, 0.3])), basin.mean()


if __name__ == "__main__":
    main()
