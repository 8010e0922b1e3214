"""Integrate functions with the trapezoidal, Simpson, Gauss-Legendre and Romberg rules.

The errors are printed for growing numbers of points.
"""

import numpy as np
import py_tensor as pt


def simpson(y, h):
    return h / 3 * (y[0] + y[-1] + 4 * np.sum(y[1:-1:2]) + 2 * np.sum(y[2:-1:2]))


def romberg(f, a, b, levels=5):
    R = np.zeros((levels, levels))
    for i in range(levels):
        x = np.linspace(a, b, 2**i + 1)
        R[i, 0] = np.trapezoid(f(x), x)
        for j in range(1, i + 1):
            R[i, j] = R[i, j - 1] + (R[i, j - 1] - R[i - 1, j - 1]) / (4**j - 1)
    return R


def main():
    f = lambda x: np.exp(-x) * np.sin(3 * x)
    exact = (3 - np.exp(-2.0) * (np.sin(6.0) + 3 * np.cos(6.0))) / 10
    errors = []
    for n in (8, 16, 32):
        x, h = np.linspace(0, 2, n + 1, retstep=True)
        y = f(x)
        errors.append([np.trapezoid(y, dx=h) - exact, simpson(y, h) - exact])
        print(f"n = {n:2d}: trapezoid {errors[-1][0]:9.2e}, Simpson {errors[-1][1]:9.2e}")
    table = romberg(f, 0, 2)
    print(f"Romberg: {table[-1, -1]:.6f}, exact {exact:.6f}")

    # Three-point Gauss-Legendre on 4 panels.
    nodes = np.array([-np.sqrt(0.6), 0, np.sqrt(0.6)])
    weights = np.array([5, 8, 5]) / 9
    edges = np.linspace(0, 2, 5)
    mid, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    gauss = np.sum(half[:, None] * weights * f(mid[:, None] + half[:, None] * nodes))
    print(f"Gauss-Legendre: {gauss:.6f}")
    trapezoid, by_simpson = np.abs(np.array(errors)).T
    plot = pt.plot.line([8, 16, 32], trapezoid, label="trapezoid", title="Errors", log="xy")
    pt.show(plot.line([8, 16, 32], by_simpson, label="Simpson"))
    return table[-1], gauss, np.array(errors)


if __name__ == "__main__":
    main()
