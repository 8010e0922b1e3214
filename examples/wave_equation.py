"""Simulate waves on a square membrane with fixed edges by the leapfrog scheme.

The kinetic and potential energies show that the scheme conserves energy.
"""

import numpy as np
import py_tensor as pt


def laplacian(u):
    out = np.zeros_like(u)
    out[1:-1, 1:-1] = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
    return out


def energy(u, u_old, c, dt):
    kinetic = 0.5 * (((u - u_old) / dt) ** 2).sum()
    gy, gx = np.diff(u, axis=0), np.diff(u, axis=1)
    potential = 0.5 * c**2 * ((gy**2).sum() + (gx**2).sum())
    return kinetic + potential


def main():
    n, c, dt = 48, 1.0, 0.5
    y, x = np.mgrid[0:n, 0:n]
    u = np.exp(-((x - 16) ** 2 + (y - 24) ** 2) / 12.0)
    u[[0, -1], :] = 0
    u[:, [0, -1]] = 0
    u_old = u.copy()
    energies = np.empty(5)
    for t in range(100):
        u_new = 2 * u - u_old + (c * dt) ** 2 * laplacian(u)
        u_old, u = u, u_new
        if t % 20 == 0:
            energies[t // 20] = energy(u, u_old, c, dt)
    print("energies:", np.round(energies, 3))
    row, column = np.unravel_index(u.argmax(), u.shape)
    print(f"largest height {u.max():.4f} at row {row}, column {column}")
    pt.show(pt.plot.image(u, title="Height"))
    return energies, u[::6, ::6]


if __name__ == "__main__":
    main()
