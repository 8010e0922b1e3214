"""Fit a mixture of two Gaussians to numbers by expectation maximization.

The log-likelihood never falls.
"""

import numpy as np
import py_tensor as pt


def density(x, mu, sigma):
    return np.exp(-0.5 * ((x - mu) / sigma) ** 2) / (sigma * np.sqrt(2 * np.pi))


def main():
    q = (np.arange(100) + 0.5) / 100
    bell = np.log(q / (1 - q)) / 1.7
    x = np.concatenate([bell[::2] - 2.0, 0.6 * bell + 2.5])
    mu = np.array([-1.0, 1.0])
    sigma = np.array([1.0, 1.0])
    weight = np.array([0.5, 0.5])
    log_likelihood = []
    for _ in range(30):
        joint = weight * density(x[:, None], mu, sigma)
        total = joint.sum(axis=1, keepdims=True)
        log_likelihood.append(np.log(total).sum())
        resp = joint / total
        nk = resp.sum(axis=0)
        mu = (resp * x[:, None]).sum(axis=0) / nk
        sigma = np.sqrt((resp * (x[:, None] - mu) ** 2).sum(axis=0) / nk)
        weight = nk / len(x)
    assert all(b > a - 1e-2 for a, b in zip(log_likelihood, log_likelihood[1:]))
    for k in range(2):
        print(f"{weight[k]:.3f} of N({mu[k]:.3f}, {sigma[k]:.3f})")
    grid = np.linspace(-5, 5, 200)
    mixture = (weight * density(grid[:, None], mu, sigma)).sum(axis=1)
    plot = pt.plot.histogram(x, 40, range=(-5, 5), label="numbers", title="Mixture")
    pt.show(plot.line(grid, len(x) * 0.25 * mixture, label="fitted density"))
    return mu, sigma, weight


if __name__ == "__main__":
    main()
