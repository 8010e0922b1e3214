"""Simulate a drop falling into a basin with the shallow water equations (Lax-Friedrichs scheme).

Walls reflect the waves; the volume of the water is conserved.
"""

import numpy as np
import py_tensor as pt

G = 9.81


def reflect(h, hu, hv):
    for q in (h, hu, hv):
        q[:, 0] = q[:, 1]
        q[:, -1] = q[:, -2]
        q[0, :] = q[1, :]
        q[-1, :] = q[-2, :]
    hu[:, 0] *= -1
    hu[:, -1] *= -1
    hv[0, :] *= -1
    hv[-1, :] *= -1


def lax(q, fx, fy, dt, dx):
    new = q.copy()
    new[1:-1, 1:-1] = 0.25 * (q[2:, 1:-1] + q[:-2, 1:-1] + q[1:-1, 2:] + q[1:-1, :-2])
    new[1:-1, 1:-1] -= 0.5 * dt / dx * (fx[1:-1, 2:] - fx[1:-1, :-2])
    new[1:-1, 1:-1] -= 0.5 * dt / dx * (fy[2:, 1:-1] - fy[:-2, 1:-1])
    return new


def main():
    n, dx, dt = 40, 1.0, 0.1
    y, x = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    h = 1.0 + 0.4 * np.exp(-((x - 20) ** 2 + (y - 14) ** 2) / 20)
    hu = np.zeros((n, n))
    hv = np.zeros((n, n))
    volume = h[1:-1, 1:-1].sum()
    for _ in range(60):
        reflect(h, hu, hv)
        u, v = hu / h, hv / h
        pressure = 0.5 * G * h**2
        h, hu, hv = (
            lax(h, hu, hv, dt, dx),
            lax(hu, hu * u + pressure, hu * v, dt, dx),
            lax(hv, hv * u, hv * v + pressure, dt, dx),
        )
    change = h[1:-1, 1:-1].sum() / volume - 1
    print(f"depth from {h.min():.3f} to {h.max():.3f}, volume changed by {100 * change:.3f} %")
    print(f"fastest flow: {np.hypot(hu / h, hv / h).max():.3f} m/s")
    pt.show(pt.plot.image(h[1:-1, 1:-1], title="Depth in m"))
    return h[1:-1:5, 1:-1:5]


if __name__ == "__main__":
    main()
