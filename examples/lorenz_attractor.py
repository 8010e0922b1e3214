"""Integrate the Lorenz system for several nearby starting points at once.

Their distances grow exponentially, which is measured before chaos saturates.
"""

import numpy as np
import py_tensor as pt


def lorenz(p, sigma=10.0, rho=28.0, beta=8 / 3):
    x, y, z = p[..., 0], p[..., 1], p[..., 2]
    dp = np.empty_like(p)
    dp[..., 0] = sigma * (y - x)
    dp[..., 1] = x * (rho - z) - y
    dp[..., 2] = x * y - beta * z
    return dp


def rk4(f, p, h):
    k1 = f(p)
    k2 = f(p + 0.5 * h * k1)
    k3 = f(p + 0.5 * h * k2)
    k4 = f(p + h * k3)
    return p + h * (k1 + 2 * k2 + 2 * k3 + k4) / 6


def main():
    p = np.array([1.0, 1.0, 1.0]) + np.outer(np.arange(4), [0.5, 0.0, 0.0])
    spread = []
    for i in range(100):
        p = rk4(lorenz, p, 0.01)
        if (i + 1) % 20 == 0:
            spread.append(np.linalg.norm(p - p[0], axis=1)[1:])
    spread = np.array(spread)
    print("distances from the first trajectory:")
    print(spread.round(3))
    print("bounds:", p.min(axis=0), p.max(axis=0))
    q = np.array([2.0, 3.0, 14.0]) + np.outer(np.arange(2), [0.5, 0.0, 0.0])
    path = []
    for _ in range(200):
        q = rk4(lorenz, q, 0.03)
        path.append(q)
    plot = pt.plot.Plot(title="Two trajectories", x_label="x", y_label="z")
    for x, _, z in np.array(path).transpose(1, 2, 0):
        plot.line(x, z)
    pt.show(plot)
    return p, spread


if __name__ == "__main__":
    main()
