"""Reduce data to their principal components, by the covariance matrix and by the SVD.

Both give the same variances; the reconstruction error falls with the number of components.
"""

import numpy as np
import py_tensor as pt


def main():
    t = np.linspace(0, 4 * np.pi, 60)
    latent = np.vstack([3 * np.sin(t), np.cos(2.3 * t)])
    mixing = np.array([[1.0, 0.5, -0.3, 0.8, 0.0], [0.2, -1.0, 0.6, 0.1, 1.0]])
    noise = 0.05 * np.sin(np.outer(t, [17.0, 23.0, 31.0, 41.0, 53.0]))
    X = latent.T @ mixing + noise
    Xc = X - X.mean(axis=0)

    cov = np.cov(Xc, rowvar=False)
    eigenvalues, eigenvectors = np.linalg.eigh(cov)
    order = np.argsort(eigenvalues)[::-1]
    eigenvalues, eigenvectors = eigenvalues[order], eigenvectors[:, order]

    U, S, Vt = np.linalg.svd(Xc, full_matrices=False)
    variances = S**2 / (len(X) - 1)
    ratio = eigenvalues / eigenvalues.sum()
    print("explained variance:", np.round(ratio, 4))
    print("cumulative:        ", np.cumsum(ratio).round(4))

    errors = []
    for k in range(1, 4):
        W = eigenvectors[:, :k]
        errors.append(np.mean((Xc - Xc @ W @ W.T) ** 2))
        print(f"{k} components: error {errors[-1]:.6f}")
    scores = Xc @ eigenvectors[:, :2]
    pt.show(pt.plot.scatter(scores[:, 0], scores[:, 1], title="First two components"))
    return variances[:2], eigenvalues[:2], np.array(errors)


if __name__ == "__main__":
    main()
