"""Propagate a quantum wave packet against a barrier with the split-step Fourier method.

The probability of transmission is computed; the total probability stays one.
"""

import numpy as np
import py_tensor as pt


def main():
    n, length = 256, 100.0
    dx = length / n
    x = (np.arange(n) - n / 2) * dx
    k = 2 * np.pi * np.fft.fftfreq(n, d=dx)
    potential = np.where(np.abs(x) < 1, 1.0, 0.0)
    momentum = 1.4
    psi = np.exp(-((x + 20) ** 2) / (2 * 4.0**2)) * np.exp(1j * momentum * x)
    psi /= np.sqrt(np.sum(np.abs(psi) ** 2) * dx)
    dt = 0.2
    half = np.exp(-0.5j * potential * dt)
    kinetic = np.exp(-0.5j * k**2 * dt)
    for _ in range(120):
        psi *= half
        psi = np.fft.ifft(kinetic * np.fft.fft(psi))
        psi *= half
    density = np.abs(psi) ** 2
    norm = np.sum(density) * dx
    transmitted = density[x > 0].sum() * dx
    mean = (x * density).sum() * dx
    print(f"norm {norm:.6f}, transmitted {transmitted:.4f}, mean position {mean:.3f}")
    plot = pt.plot.line(x, density, label="density", title="Wave packet", x_label="x")
    pt.show(plot.line(x, 0.05 * potential, label="barrier"))
    return np.array([norm, transmitted, mean]), density[::16]


if __name__ == "__main__":
    main()
