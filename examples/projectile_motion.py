"""Throw balls at many angles at once with air drag, and find the angle that goes farthest.

Balls that have landed no longer move.
"""

import numpy as np
import py_tensor as pt


def main():
    g, drag, dt = 9.81, 0.01, 0.1
    angles = np.deg2rad(np.arange(20, 71, 10))
    speed = 30.0
    x = np.zeros(angles.size)
    y = np.zeros(angles.size)
    vx = speed * np.cos(angles)
    vy = speed * np.sin(angles)
    flying = np.full(angles.shape, True)
    steps = 0
    path = []
    while flying.any() and steps < 400:
        v = np.sqrt(vx**2 + vy**2)
        vx[flying] -= (drag * v * vx * dt)[flying]
        vy[flying] -= ((g + drag * v * vy) * dt)[flying]
        x[flying] += vx[flying] * dt
        y[flying] += vy[flying] * dt
        flying = flying & (y > 0)
        steps += 1
        path.append(np.array([x, y]))
    best = np.argmax(x)
    print(f"best angle {np.rad2deg(angles[best]):.0f} degrees, distance {x[best]:.2f} m")
    print(f"all balls landed after {steps * dt:.2f} s")
    plot = pt.plot.Plot(title="Height over distance, in m")
    for angle, (far, high) in zip(np.rad2deg(angles), np.array(path).transpose(2, 1, 0)):
        plot.line(far, high, label=f"{angle:.0f} degrees")
    pt.show(plot)
    return x


if __name__ == "__main__":
    main()
