"""Find eigenvalues of a symmetric matrix by power iteration, deflation and QR iterations.

NumPy's own eigenvalues are the reference.
"""

import numpy as np


def power_iteration(A, n_iter=50):
    v = np.ones(A.shape[0])
    for _ in range(n_iter):
        v = A @ v
        v /= np.linalg.norm(v)
    return v @ A @ v, v


def main():
    i, j = np.mgrid[:6, :6]
    A = 1.0 / (1 + abs(i - j)) + np.diag([5.0, 3.0, 1.0, 0.5, 0.0, -2.0])
    eigenvalues = []
    B = A.copy()
    for _ in range(3):
        value, vector = power_iteration(B)
        eigenvalues.append(float(value))
        B -= value * np.outer(vector, vector)
    qr = A.copy()
    for _ in range(30):
        Q, R = np.linalg.qr(qr)
        qr = R @ Q
    reference = np.linalg.eigvalsh(A)
    print("power iteration:", np.array(eigenvalues).round(4))
    print("QR iteration:   ", np.sort(np.diag(qr)).round(4))
    print("eigvalsh:       ", reference.round(4))
    return np.array(eigenvalues), np.sort(qr.diagonal())


if __name__ == "__main__":
    main()
