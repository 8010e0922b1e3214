"""Estimate confidence intervals by the bootstrap, and test a difference by permutations.

The interval of the mean is compared with the one of the normal distribution.
"""

import numpy as np
import py_tensor as pt


def main():
    rng = np.random.default_rng(5)
    i = np.arange(40)
    a = 10 + 2 * np.sin(i * 2.3)
    b = 11.5 + 2 * np.cos(i * 1.7)
    samples = rng.integers(0, len(a), size=(1000, len(a)))
    means = a[samples].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    half = 1.96 * a.std(ddof=1) / np.sqrt(len(a))
    print(f"mean {a.mean():.3f}, bootstrap [{low:.3f}, {high:.3f}], normal +-{half:.3f}")

    observed = b.mean() - a.mean()
    pooled = np.concatenate([a, b])
    order = np.argsort(rng.random((1000, pooled.size)), axis=1)
    shuffled = pooled[order]
    differences = shuffled[:, 40:].mean(axis=1) - shuffled[:, :40].mean(axis=1)
    p_value = np.mean(np.abs(differences) >= abs(observed))
    print(f"difference {observed:.3f}, p value {p_value:.3f}")
    pt.show(pt.plot.histogram(means, title="Means of the samples"))
    return a.mean(), observed, p_value < 0.05, abs((high - low) / 2 - half) < 0.15


if __name__ == "__main__":
    main()
