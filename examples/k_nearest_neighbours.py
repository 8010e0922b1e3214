"""Classify points of two spirals by the votes of their nearest neighbours.

The best number of neighbours is chosen by leaving one point out at a time.
"""

import numpy as np
import py_tensor as pt


def spirals(n):
    t = np.sqrt(np.linspace(0.05, 1, n)) * 2.5 * np.pi
    a = np.column_stack((t * np.cos(t), t * np.sin(t)))
    X = np.concatenate((a, -a)) + 0.8 * np.sin(np.arange(4 * n) * 5.1).reshape(2 * n, 2)
    y = np.repeat([0, 1], n)
    return X, y


def predict(distances, y, k):
    nearest = np.argsort(distances, axis=1)[:, :k]
    votes = y[nearest]
    counts = np.array([np.bincount(v, minlength=2) for v in votes])
    return counts.argmax(axis=1)


def main():
    X, y = spirals(20)
    d = np.linalg.norm(X[:, None] - X[None, :], axis=2)
    np.fill_diagonal(d, np.inf)
    accuracy = {}
    for k in (1, 3, 5, 9):
        accuracy[k] = float(np.mean(predict(d, y, k) == y))
        print(f"k = {k}: {accuracy[k]:.3f}")
    best = max(accuracy, key=accuracy.get)
    grid = np.array([(gx, gy) for gy in (-6, 0, 6) for gx in (-6, -2, 2, 6)], dtype=float)
    labels = predict(np.linalg.norm(grid[:, None] - X, axis=-1), y, best).reshape(3, 4)
    print(labels)
    plot = pt.plot.scatter(*X[y == 0].T, label="class 0", title="Spirals")
    pt.show(plot.scatter(*X[y == 1].T, label="class 1"))
    return np.array(list(accuracy.values())), labels


if __name__ == "__main__":
    main()
