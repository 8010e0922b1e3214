"""Find the normal modes of a chain of masses and springs and compare with the exact frequencies.

The motion after a pluck is a superposition of the modes.
"""

import numpy as np
import py_tensor as pt


def main():
    n = 12
    k = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    w2, modes = np.linalg.eigh(k)
    omega = np.sqrt(w2)
    j = np.arange(1, n + 1)
    exact = 2 * np.sin(j * np.pi / (2 * (n + 1)))
    print("frequencies:", np.array2string(omega, precision=4))
    print("largest error:", f"{np.max(np.abs(omega - exact)):.1e}")

    pluck = np.zeros(n)
    pluck[3] = 1.0
    amplitudes = modes.T @ pluck
    times = np.linspace(0, 20, 9)
    motion = (modes[None] * np.cos(np.outer(times, omega))[:, None, :]) @ amplitudes
    for t, row in zip(times, motion):
        print(f"t = {t:4.1f}", " ".join(f"{v:6.2f}" for v in row[::3]))
    plot = pt.plot.Plot(title="Slowest modes", x_label="mass")
    for k in range(3):
        plot.line(j, modes[:, k], label=f"frequency {omega[k]:.3f}")
    pt.show(plot)
    return omega, motion


if __name__ == "__main__":
    main()
