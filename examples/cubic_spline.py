"""Interpolate points with a natural cubic spline, linearly, and with one polynomial.

The spline's second derivatives solve a tridiagonal system, by Thomas's algorithm.
"""

import numpy as np
import py_tensor as pt


def thomas(lower, diag, upper, rhs):
    d, r = diag.copy(), rhs.copy()
    n = len(d)
    for i in range(1, n):
        factor = lower[i - 1] / d[i - 1]
        d[i] -= factor * upper[i - 1]
        r[i] -= factor * r[i - 1]
    x = np.empty(n)
    x[-1] = r[-1] / d[-1]
    for i in range(n - 2, -1, -1):
        x[i] = (r[i] - upper[i] * x[i + 1]) / d[i]
    return x


def spline(x, y, xs):
    h = np.diff(x)
    slope = np.diff(y) / h
    m = np.zeros_like(x)
    m[1:-1] = thomas(h[1:-1], 2 * (h[:-1] + h[1:]), h[1:-1], 6 * np.diff(slope))
    k = np.clip(np.searchsorted(x, xs) - 1, 0, len(x) - 2)
    a, b = (x[k + 1] - xs) / h[k], (xs - x[k]) / h[k]
    cubic = ((a**3 - a) * m[k] + (b**3 - b) * m[k + 1]) * h[k] ** 2 / 6
    return a * y[k] + b * y[k + 1] + cubic


def main():
    x = np.array([0.0, 0.7, 1.5, 2.2, 3.1, 4.0, 5.2, 6.0])
    y = np.sin(x)
    xs = np.linspace(0.1, 5.9, 30)
    exact = np.sin(xs)
    fits = {
        "spline": spline(x, y, xs),
        "linear": np.interp(xs, x, y),
        "polynomial": np.polyval(np.polyfit(x, y, 5), xs),
    }
    for name, values in fits.items():
        print(f"{name:>10}: largest error {np.abs(values - exact).max():.4f}")
    plot = pt.plot.scatter(x, y, label="points", title="Interpolation")
    for name, values in fits.items():
        plot.line(xs, values, label=name)
    pt.show(plot)
    return fits["spline"], fits["linear"]


if __name__ == "__main__":
    main()
