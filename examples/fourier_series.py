"""Approximate a square wave by its Fourier series and draw the Gibbs overshoot.

Coefficients are computed by integration, and the power in the harmonics by Parseval's theorem.
"""

import numpy as np
import py_tensor as pt


def main():
    t = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    square = np.sign(np.sin(t + 1e-3))
    n = np.arange(1, 30)
    b = 2 / len(t) * np.sin(np.outer(n, t)).dot(square)
    a = 2 / len(t) * np.cos(np.outer(n, t)).dot(square)
    partial = np.cumsum(
        b[:, None] * np.sin(np.outer(n, t)) + a[:, None] * np.cos(np.outer(n, t)), 0
    )
    for k in (0, 4, 28):
        rms = np.sqrt(np.mean((partial[k] - square) ** 2))
        print(f"{k + 1:2d} terms: rms error {rms:.4f}, overshoot {partial[k].max() - 1:.4f}")
    power = np.cumsum((a**2 + b**2) / 2)
    print(f"{power[-1]:.4f} of the power is in the first {n[-1]} harmonics")
    plot = pt.plot.line(t, square, label="square wave", title="Fourier series")
    pt.show(plot.line(t, partial[4], label="5 terms").line(t, partial[28], label="29 terms"))
    return b, partial[-1, ::20], power


if __name__ == "__main__":
    main()
