"""Solve the heat equation on a square plate by explicit finite differences.

The upper edge is kept hot, a warm spot cools down, and the temperatures are followed over time.
"""

import numpy as np
import py_tensor as pt

ALPHA = 0.2
N = 32


def initial_plate():
    u = np.zeros((N, N))
    u[0, :] = 100.0
    u[10:16, 18:24] = 50.0
    return u


def step(u):
    u[1:-1, 1:-1] += ALPHA * (
        u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
    )


def main():
    u = initial_plate()
    history = []
    for t in range(200):
        step(u)
        if t % 50 == 49:
            history.append(u.mean())
            print(f"step {t + 1:4d}: mean {u.mean():.3f}, centre {u[N // 2, N // 2]:.3f}")
    hot = np.argwhere(u > 50)
    print(f"{len(hot)} cells are hotter than 50 degrees")
    pt.show(pt.plot.image(u, title="Temperature"))
    return np.array(history), u[::8, ::8]


if __name__ == "__main__":
    main()
