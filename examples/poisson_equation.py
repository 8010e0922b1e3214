"""Solve Poisson's equation on the unit square by Jacobi iteration and by red-black relaxation.

The exact solution sin(pi x) sin(pi y) measures the error of both.
"""

import numpy as np
import py_tensor as pt


def jacobi(f, h, iterations):
    u = np.zeros_like(f)
    for _ in range(iterations):
        u[1:-1, 1:-1] = 0.25 * (
            u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1] + h**2 * f[1:-1, 1:-1]
        )
    return u


def red_black(f, h, iterations, omega):
    u = np.zeros_like(f)
    i, j = np.indices(f.shape)
    inside = (i > 0) & (i < f.shape[0] - 1) & (j > 0) & (j < f.shape[1] - 1)
    red = inside & ((i + j) % 2 == 0)
    black = inside & ((i + j) % 2 == 1)
    for _ in range(iterations):
        for cells in (red, black):
            total = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1)
            update = 0.25 * (total + h * h * f)
            u[cells] = (1 - omega) * u[cells] + omega * update[cells]
    return u


def main():
    n = 17
    x = np.linspace(0, 1, n)
    xx, yy = np.meshgrid(x, x)
    exact = np.sin(np.pi * xx) * np.sin(np.pi * yy)
    f = 2 * np.pi**2 * exact
    h = x[1] - x[0]
    a = jacobi(f, h, 100)
    b = red_black(f, h, 12, omega=2 / (1 + np.sin(np.pi * h)))
    for name, u in [("Jacobi", a), ("red-black SOR", b)]:
        print(f"{name:>14}: largest error {np.abs(u - exact).max():.2e}")
    pt.show(pt.plot.image(b, title="Solution"))
    return a[::4, ::4], b[::4, ::4]


if __name__ == "__main__":
    main()
