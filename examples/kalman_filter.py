"""Track a moving object with a Kalman filter from noisy positions.

The state is position and velocity; the filter's error is compared with the measurements'.
"""

import numpy as np
import py_tensor as pt


def main():
    dt, steps = 0.5, 25
    F = np.array([[1, dt], [0, 1]])
    H = np.array([[1.0, 0.0]])
    Q = 0.01 * np.array([[dt**4 / 4, dt**3 / 2], [dt**3 / 2, dt**2]])
    R = np.array([[0.5]])
    t = dt * np.arange(steps)
    truth = 1.0 + 0.8 * t
    z = truth + 0.7 * np.sin(11.3 * np.arange(steps) ** 1.5)

    x = np.array([[0.0], [0.0]])
    P = np.eye(2) * 10
    estimates = np.zeros((steps, 2))
    for n in range(steps):
        x = F @ x
        P = F @ P @ F.T + Q
        S = H @ P @ H.T + R
        K = P @ H.T @ np.linalg.inv(S)
        x = x + K @ (z[n] - H @ x)
        P = (np.eye(2) - K @ H) @ P
        estimates[n] = x.flatten()
    rmse = lambda e: np.sqrt(np.mean(e**2))
    print(f"rmse of measurements {rmse(z - truth):.3f}")
    print(f"rmse of the filter   {rmse(estimates[:, 0] - truth):.3f}")
    print(f"velocity {estimates[-1, 1]:.3f} (exact 0.8)")
    plot = pt.plot.scatter(t, z, label="measured", title="Position", x_label="time")
    pt.show(plot.line(t, truth, label="true").line(t, estimates[:, 0], label="filtered"))
    return estimates[::10], P


if __name__ == "__main__":
    main()
