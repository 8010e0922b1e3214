"""Simulate a Lennard-Jones fluid in a periodic box with the velocity Verlet method.

Particles begin on a lattice with velocities given by a formula; energies are reported.
"""

import numpy as np
import py_tensor as pt


def forces(pos, box):
    d = pos[:, None, :] - pos[None, :, :]
    d -= box * np.round(d / box)
    r2 = np.einsum("ijk,ijk->ij", d, d)
    r2[np.diag_indices_from(r2)] = np.inf
    inv6 = 1.0 / r2**3
    inv6[r2 > 2.5**2] = 0.0
    potential = 2.0 * np.sum(inv6 * (inv6 - 1.0))
    strength = 24.0 * inv6 * (2.0 * inv6 - 1.0) / r2
    return np.sum(strength[..., np.newaxis] * d, axis=1), potential


def main():
    side, box, dt = 5, 6.0, 0.004
    grid = np.arange(side) * box / side
    x, y = np.meshgrid(grid, grid)
    pos = np.vstack([x.ravel(), y.ravel()]).T
    n = pos.shape[0]
    k = np.arange(n)
    vel = np.c_[np.sin(1.7 * k + 1), np.cos(2.3 * k)]
    vel -= vel.mean(axis=0)
    f, potential = forces(pos, box)
    energies = []
    for step in range(100):
        vel += 0.5 * dt * f
        pos = (pos + dt * vel) % box
        f, potential = forces(pos, box)
        vel += 0.5 * dt * f
        kinetic = 0.5 * np.sum(vel * vel)
        if step % 25 == 24:
            energies.append([kinetic, potential, kinetic + potential])
    energies = np.array(energies) / n
    print("kinetic, potential and total energy per particle:")
    for row in energies:
        print("  " + " ".join(f"{value:8.4f}" for value in row))
    pt.show(pt.plot.scatter(pos[:, 0], pos[:, 1], title="Particles"))
    return energies


if __name__ == "__main__":
    main()
