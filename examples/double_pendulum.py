"""Integrate a double pendulum with the classical Runge-Kutta method.

The trajectory's conservation of energy is checked, and the lower bob's path is sampled.
"""

import numpy as np
import py_tensor as pt

M1, M2, L1, L2, G = 1.0, 1.0, 1.0, 1.0, 9.81


def derivative(state):
    th1, w1, th2, w2 = state
    delta = th2 - th1
    den = (M1 + M2) * L1 - M2 * L1 * np.cos(delta) ** 2
    a1 = (
        M2 * L1 * w1**2 * np.sin(delta) * np.cos(delta)
        + M2 * G * np.sin(th2) * np.cos(delta)
        + M2 * L2 * w2**2 * np.sin(delta)
        - (M1 + M2) * G * np.sin(th1)
    ) / den
    a2 = (
        -M2 * L2 * w2**2 * np.sin(delta) * np.cos(delta)
        + (M1 + M2) * G * np.sin(th1) * np.cos(delta)
        - (M1 + M2) * L1 * w1**2 * np.sin(delta)
        - (M1 + M2) * G * np.sin(th2)
    ) / (L2 / L1 * den)
    return np.array([w1, a1, w2, a2])


def energy(state):
    th1, w1, th2, w2 = state
    y1 = -L1 * np.cos(th1)
    y2 = y1 - L2 * np.cos(th2)
    v1 = (L1 * w1) ** 2
    v2 = v1 + (L2 * w2) ** 2 + 2 * L1 * L2 * w1 * w2 * np.cos(th1 - th2)
    return 0.5 * M1 * v1 + 0.5 * M2 * v2 + G * (M1 * y1 + M2 * y2)


def main():
    h, steps = 0.02, 60
    s = np.array([2.0, 0.0, 1.0, 0.0])
    trajectory = [s]
    for _ in range(steps):
        k1 = derivative(s)
        k2 = derivative(s + h / 2 * k1)
        k3 = derivative(s + h / 2 * k2)
        k4 = derivative(s + h * k3)
        s = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        trajectory.append(s)
    trajectory = np.array(trajectory)
    start, end = energy(trajectory[0]), energy(trajectory[-1])
    print(f"energy {start:.5f} at the start, {end:.5f} at the end")
    x = L1 * np.sin(trajectory[:, 0]) + L2 * np.sin(trajectory[:, 2])
    y = -L1 * np.cos(trajectory[:, 0]) - L2 * np.cos(trajectory[:, 2])
    path = np.stack([x, y], axis=1)[::12]
    print(path)
    pt.show(pt.plot.line(x, y, title="Path of the lower bob"))
    return path


if __name__ == "__main__":
    main()
