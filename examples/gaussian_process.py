"""Fit a Gaussian process with a squared exponential kernel to a few points of a curve.

The mean and the standard deviation of predictions and the marginal likelihood are computed.
"""

import numpy as np
import py_tensor as pt


def kernel(a, b, length=1.0, scale=1.0):
    sqdist = np.sum(a**2, 1).reshape(-1, 1) + np.sum(b**2, 1) - 2 * np.dot(a, b.T)
    return scale**2 * np.exp(-0.5 / length**2 * sqdist)


def main():
    X = np.array([-4.0, -3.0, -1.5, 0.0, 1.0, 2.5, 4.0]).reshape(-1, 1)
    y = np.sin(X).ravel()
    Xs = np.linspace(-5, 5, 21).reshape(-1, 1)
    noise = 0.1

    K = kernel(X, X) + noise**2 * np.eye(len(X))
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
    Ks = kernel(X, Xs)
    mean = Ks.T @ alpha
    v = np.linalg.solve(L, Ks)
    var = np.diag(kernel(Xs, Xs)) - np.sum(v**2, axis=0)
    std = np.sqrt(var)
    likelihood = -0.5 * y @ alpha - np.log(np.diag(L)).sum() - len(X) / 2 * np.log(2 * np.pi)

    print(f"log marginal likelihood {likelihood:.4f}")
    for x, m, s in zip(Xs[::4, 0], mean[::4], std[::4]):
        print(f"f({x:5.2f}) = {m:6.3f} +- {2 * s:.3f}   (exact {np.sin(x):6.3f})")
    plot = pt.plot.scatter(X[:, 0], y, label="points", title="Gaussian process")
    plot.line(Xs[:, 0], mean, label="mean")
    plot.line(Xs[:, 0], mean - 2 * std, label="2 deviations below")
    pt.show(plot.line(Xs[:, 0], mean + 2 * std, label="2 deviations above"))
    return mean, std, likelihood


if __name__ == "__main__":
    main()
