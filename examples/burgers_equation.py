"""Solve Burgers' equation with upwind differences: a smooth wave steepens into a shock.

The mass and the steepest slope are followed.
"""

import numpy as np
import py_tensor as pt


def main():
    n = 100
    dx = 2 * np.pi / n
    x = np.arange(n) * dx
    u = 1.5 + np.sin(x)
    dt = 0.4 * dx / u.max()
    nu = 0.02
    slopes = []
    mass = u.sum() * dx
    for i in range(150):
        un = u.copy()
        flux = un**2 / 2
        u = un - dt / dx * (flux - np.roll(flux, 1))
        u += nu * dt / dx**2 * (np.roll(un, -1) - 2 * un + np.roll(un, 1))
        if i % 30 == 0:
            slopes.append(((u - np.roll(u, 1)) / dx).min())
    print("steepest slopes:", ", ".join(f"{s:.2f}" for s in slopes))
    print(f"mass before {mass:.4f} and after {u.sum() * dx:.4f}")
    assert np.isclose(mass, u.sum() * dx, rtol=1e-4)
    plot = pt.plot.line(x, 1.5 + np.sin(x), label="start", title="Speed", x_label="x")
    pt.show(plot.line(x, u, label="end"))
    return u[::10], np.array(slopes)


if __name__ == "__main__":
    main()
