"""Integrate the motion of a star with planets under gravity (velocity Verlet).

The relative drift of the total energy and of the angular momentum are reported.
"""

import numpy as np
import py_tensor as pt

G = 1.0
SOFTENING = 1e-2


def accelerations(pos, mass):
    # d[i, j] points from body i to body j.
    d = pos[np.newaxis, :, :] - pos[:, np.newaxis, :]
    r2 = (d**2).sum(axis=-1) + SOFTENING**2
    inv_r3 = r2 ** (-1.5)
    np.fill_diagonal(inv_r3, 0.0)
    return G * (d * (inv_r3 * mass)[:, :, None]).sum(axis=1)


def total_energy(pos, vel, mass):
    kinetic = 0.5 * np.sum(mass * np.sum(vel**2, axis=1))
    i, j = np.triu_indices(len(mass), k=1)
    r = np.sqrt(np.sum((pos[i] - pos[j]) ** 2, axis=1) + SOFTENING**2)
    return kinetic - G * np.sum(mass[i] * mass[j] / r)


def main():
    radius = np.array([0.0, 1.0, 1.6, 2.3, 3.1])
    angle = np.array([0.0, 0.3, 2.1, 4.0, 5.5])
    mass = np.array([1.0, 1e-3, 2e-3, 5e-4, 1e-3])
    pos = np.column_stack((radius * np.cos(angle), radius * np.sin(angle), np.zeros(5)))
    vel = np.zeros_like(pos)
    speed = np.sqrt(G * mass[0] / radius[1:])
    vel[1:, 0] = -speed * np.sin(angle[1:])
    vel[1:, 1] = speed * np.cos(angle[1:])
    vel -= (mass[:, None] * vel).sum(0) / mass.sum()

    start = total_energy(pos, vel, mass)
    dt = 0.01
    acc = accelerations(pos, mass)
    path = []
    for _ in range(200):
        vel += 0.5 * dt * acc
        pos += dt * vel
        acc = accelerations(pos, mass)
        vel += 0.5 * dt * acc
        path.append(pos.copy())
    drift = abs((total_energy(pos, vel, mass) - start) / start)
    momentum = np.cross(pos, mass[:, None] * vel).sum(axis=0)
    print(f"energy drift {drift:.1e}, angular momentum {momentum[2]:.6f}")
    print(np.linalg.norm(pos, axis=1))
    path = np.array(path)
    plot = pt.plot.scatter(pos[:, 0], pos[:, 1], label="end", title="Orbits")
    for k in range(1, 5):
        plot.line(path[:, k, 0], path[:, k, 1])
    pt.show(plot)
    return pos, momentum


if __name__ == "__main__":
    main()
