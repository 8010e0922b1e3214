"""Integrate the Lotka-Volterra equations of rabbits and foxes with Runge-Kutta and Euler steps.

The conserved quantity shows how much more accurate Runge-Kutta is.
"""

import numpy as np
import py_tensor as pt

A, B, C, D = 1.1, 0.4, 0.4, 0.1


def f(y, t):
    rabbits, foxes = y
    return np.array([A * rabbits - B * rabbits * foxes, D * rabbits * foxes - C * foxes])


def odeint(f, y0, t, method):
    ys = np.zeros((len(t), len(y0)))
    ys[0] = y0
    for n in range(len(t) - 1):
        h = t[n + 1] - t[n]
        y = ys[n]
        if method == "euler":
            ys[n + 1] = y + h * f(y, t[n])
            continue
        k1 = f(y, t[n])
        k2 = f(y + h * k1 / 2, t[n] + h / 2)
        k3 = f(y + h * k2 / 2, t[n] + h / 2)
        k4 = f(y + h * k3, t[n + 1])
        ys[n + 1] = y + h * (k1 + 2 * k2 + 2 * k3 + k4) / 6
    return ys


def conserved(ys):
    x, y = ys.T
    return D * x - C * np.log(x) + B * y - A * np.log(y)


def main():
    t = np.linspace(0, 20, 81)
    results = []
    for method in ("euler", "rk4"):
        ys = odeint(f, [10.0, 5.0], t, method)
        v = conserved(ys)
        print(f"{method:>5}: conserved quantity varies by {np.ptp(v):.1e}; {ys[-1, 0]:.1f} rabbits")
        results.append(ys[::20])
    plot = pt.plot.line(t, ys[:, 0], label="rabbits", title="Animals", x_label="time")
    pt.show(plot.line(t, ys[:, 1], label="foxes"))
    return np.array(results)


if __name__ == "__main__":
    main()
