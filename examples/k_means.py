"""Group points into clusters with Lloyd's k-means algorithm.

It stops when the assignment no longer changes.
"""

import numpy as np
import py_tensor as pt


def k_means(X, k, max_iter=50):
    centroids = X[:k].copy()
    labels = np.zeros(len(X), dtype=int)
    for i in range(max_iter):
        distances = np.sqrt(((X - centroids[:, np.newaxis]) ** 2).sum(axis=2))
        new_labels = np.argmin(distances, axis=0)
        if i > 0 and np.all(new_labels == labels):
            break
        labels = new_labels
        for j in range(k):
            if np.any(labels == j):
                centroids[j] = X[labels == j].mean(axis=0)
    return centroids, labels, i


def main():
    i = np.arange(90)
    centres = np.array([[0, 0], [5, 5], [0, 6]])
    X = centres[i % 3] + 2.4 * np.stack([np.sin(i * 12.7), np.cos(i * 4.3)], axis=1)
    centroids, labels, iterations = k_means(X, 3)
    inertia = ((X - centroids[labels]) ** 2).sum()
    print(f"converged after {iterations} iterations, inertia {inertia:.3f}")
    print("sizes:", np.bincount(labels))
    for c in centroids[np.argsort(centroids[:, 0])]:
        print(f"  ({c[0]:.2f}, {c[1]:.2f})")
    plot = pt.plot.Plot(title="Clusters")
    for k in range(3):
        plot.scatter(*X[labels == k].T, label=f"cluster {k}")
    pt.show(plot.scatter(*centroids.T, label="centres"))
    return centroids, labels


if __name__ == "__main__":
    main()
