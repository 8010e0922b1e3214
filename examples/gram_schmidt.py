"""Factor matrices by hand: Gram-Schmidt QR, LU with pivoting, Cholesky and a determinant.

Products of the factors give the matrices back.
"""

import numpy as np


def gram_schmidt(A):
    m, n = A.shape
    Q, R = np.zeros((m, n)), np.zeros((n, n))
    for j in range(n):
        v = A[:, j].copy()
        for i in range(j):
            R[i, j] = Q[:, i] @ A[:, j]
            v -= R[i, j] * Q[:, i]
        R[j, j] = np.linalg.norm(v)
        Q[:, j] = v / R[j, j]
    return Q, R


def lu(A):
    U = A.copy()
    n = len(U)
    L, P = np.eye(n), np.eye(n)
    sign = 1
    for k in range(n - 1):
        pivot = k + np.argmax(np.abs(U[k:, k]))
        if pivot != k:
            U[[k, pivot]] = U[[pivot, k]]
            P[[k, pivot]] = P[[pivot, k]]
            L[[k, pivot], :k] = L[[pivot, k], :k]
            sign = -sign
        L[k + 1 :, k] = U[k + 1 :, k] / U[k, k]
        U[k + 1 :] -= np.outer(L[k + 1 :, k], U[k])
    return P, L, U, sign


def cholesky(A):
    L = np.zeros_like(A)
    for i in range(len(A)):
        for j in range(i + 1):
            s = A[i, j] - L[i, :j] @ L[j, :j]
            L[i, j] = np.sqrt(s) if i == j else s / L[j, j]
    return L


def main():
    A = np.array([[2.0, 1, 0, 1], [4, 3, 3, 1], [8, 7, 9, 5], [6, 7, 9, 8]])
    Q, R = gram_schmidt(A)
    P, L, U, sign = lu(A)
    C = cholesky(A.T @ A)
    determinant = sign * np.prod(np.diag(U))
    print("QR exact:", np.allclose(Q @ R, A, atol=1e-4))
    print("LU exact:", np.allclose(P @ A, L @ U, atol=1e-4))
    print("Cholesky equals R transposed:", np.allclose(C, R.T, atol=1e-2))
    print(f"determinant {determinant:.4f}, numpy {np.linalg.det(A):.4f}")
    return R, L, U, determinant


if __name__ == "__main__":
    main()
