"""Solve a large symmetric system by conjugate gradients without storing its matrix.

The matrix is the Laplacian of a rod with fixed ends; a diagonal preconditioner is optional.
"""

import numpy as np
import py_tensor as pt


def apply_laplacian(x):
    y = 2.1 * x
    y[:-1] -= x[1:]
    y[1:] -= x[:-1]
    return y


def conjugate_gradient(apply, b, tol=1e-5, max_iter=200):
    x = np.zeros_like(b)
    r = b - apply(x)
    p = r.copy()
    rs = np.dot(r, r)
    for k in range(max_iter):
        Ap = apply(p)
        alpha = rs / np.dot(p, Ap)
        x += alpha * p
        r -= alpha * Ap
        rs_new = r.dot(r)
        if np.sqrt(rs_new) < tol:
            break
        p = r + (rs_new / rs) * p
        rs = rs_new
    return x, k + 1


def main():
    n = 60
    b = np.sin(np.linspace(0, 3 * np.pi, n))
    x, iterations = conjugate_gradient(apply_laplacian, b)
    A = np.diag(np.full(n, 2.1)) + np.diag(-np.ones(n - 1), 1) + np.diag(-np.ones(n - 1), -1)
    direct = np.linalg.solve(A, b)
    print(f"{iterations} iterations, residual {np.linalg.norm(A @ x - b):.1e}")
    print(f"difference from the direct solution {np.max(abs(x - direct)):.1e}")
    plot = pt.plot.line(x, label="solution", title="Equations", x_label="row")
    pt.show(plot.line(b, label="right side"))
    return x, direct


if __name__ == "__main__":
    main()
