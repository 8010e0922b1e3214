"""Small programs of machine learning, written for NumPy, give NumPy's results in float32."""

from __future__ import annotations

import math

import numpy
import pytest

import py_tensor.numpy
from py_tensor.runtime import executor

# Three groups that are far apart, so that no decision depends on rounding.
CENTERS = numpy.array([[0.0, 0.0, 1.0], [6.0, 5.0, -2.0], [-5.0, 7.0, 0.0]])
RNG = numpy.random.default_rng(0)
LABELS = numpy.arange(60) % 3
POINTS = CENTERS[LABELS] + RNG.normal(size=(60, 3))


def k_means(np, x, y):
    centers = x[:3].copy()
    for _ in range(4):
        distances = np.sum((x[:, None, :] - centers[None, :, :]) ** 2, axis=2)
        nearest = np.argmin(distances, axis=1)
        for k in range(3):
            centers[k] = x[nearest == k].mean(axis=0)
    return centers, nearest


def nearest_neighbors(np, x, y):
    predicted = np.zeros(len(x))
    for i, sample in enumerate(x):
        order = np.argsort([np.sqrt(np.sum((sample - other) ** 2)) for other in x])[1:6]
        predicted[i] = np.bincount(y[order]).argmax()
    return predicted


def entropy(np, y):
    total = 0.0
    for label in np.unique(y):
        p = len(y[y == label]) / len(y)
        total += -p * math.log(p, 2)
    return total


def tree(np, x, y, depth=0):
    best = (0.0, None, None)
    for feature in range(x.shape[1]):
        for threshold in np.unique(x[:, feature])[::5]:
            right = x[:, feature] >= threshold
            if right.all() or not right.any():
                continue
            share = right.mean()
            parts = share * entropy(np, y[right]) + (1 - share) * entropy(np, y[~right])
            gain = entropy(np, y) - parts
            if gain > best[0] + 1e-3:
                best = (float(gain), feature, threshold)
    if best[1] is None or depth == 2:
        return np.bincount(y).argmax()
    right = x[:, best[1]] >= best[2]
    branches = [tree(np, x[mask], y[mask], depth + 1) for mask in (right, ~right)]
    return best[1], best[2], *branches


def decision_tree(np, x, y):
    root, labels = tree(np, x, y), []
    for sample in x:
        node = root
        while isinstance(node, tuple):
            feature, threshold, right, left = node
            node = right if sample[feature] >= threshold else left
        labels.append(node)
    return root[1], np.array(labels)


def principal_components(np, x, y):
    centered = x - x.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov(centered, rowvar=False))
    order = values.argsort()[::-1]
    projected = centered.dot(vectors[:, order[:2]])
    return values[order], np.abs(projected)


def perceptron(np, x, y):
    weights, bias = np.zeros(3), 0.0
    for _ in range(5):
        for sample, label in zip(x, y == 1, strict=True):
            wanted = 1 if label else -1
            if wanted * (np.dot(sample, weights) + bias) <= 0:
                weights += wanted * sample
                bias += wanted
    return weights, bias


def logistic_regression(np, x, y):
    x = np.insert(x, 0, 1, axis=1)
    target = (y == 2).astype(float)
    weights = np.zeros(4)
    for _ in range(50):
        predicted = 1 / (1 + np.exp(-x.dot(weights)))
        weights -= 0.1 * x.T.dot(predicted - target) / len(x)
    return weights, np.round(predicted)


def naive_bayes(np, x, y):
    classes = np.unique(y)
    scores = np.empty((len(x), len(classes)))
    for k, label in enumerate(classes):
        part = x[np.where(y == label)]
        mean, variance = part.mean(0), part.var(0) + 1e-4
        logs = -0.5 * np.log(2 * np.pi * variance) - (x - mean) ** 2 / (2 * variance)
        scores[:, k] = logs.sum(axis=1) + np.log(len(part) / len(x))
    return scores, classes[np.argmax(scores, axis=1)]


def gaussian_mixture(np, x, y):
    means, weights = x[:3].copy(), np.ones(3) / 3
    variances = np.ones((3, 3))
    for _ in range(5):
        densities = np.zeros((len(x), 3))
        for k in range(3):
            exponent = -0.5 * ((x - means[k]) ** 2 / variances[k]).sum(axis=1)
            densities[:, k] = weights[k] * np.exp(exponent) / np.sqrt(np.prod(variances[k]))
        shares = densities / densities.sum(axis=1, keepdims=True)
        totals = shares.sum(axis=0)
        weights = totals / len(x)
        for k in range(3):
            means[k] = (shares[:, [k]] * x).sum(axis=0) / totals[k]
            variances[k] = (shares[:, [k]] * (x - means[k]) ** 2).sum(axis=0) / totals[k]
    return means, variances, weights


def frequent_items(np, x, y):
    baskets = (x > 0).astype(int)
    counts = baskets.T @ baskets
    pairs = np.argwhere(np.triu(counts >= 15, k=1))
    names = [(int(a), int(b)) for a, b in pairs]
    support = {pair: counts[pair] / len(x) for pair in names}
    return counts, [support[pair] for pair in names]


def genetic_algorithm(np, x, y):
    target = np.array([3, 1, 4, 1, 5, 9, 2, 6])
    population = np.arange(80).reshape(10, 8) * 7 % 10
    for generation in range(30):
        fitness = np.sum(population == target, axis=1)
        best = np.argsort(-fitness, kind="stable")[:5]
        parents = population[best]
        children = parents.copy()
        children[:, generation % 8] = np.roll(parents[:, generation % 8], 1)
        children[generation % 5, generation % 8] = generation * 3 % 10
        population = np.concatenate([parents, children])
    return population, fitness.max()


def density_clusters(np, x, y):
    labels, cluster = np.full(len(x), -1), 0
    for i in range(len(x)):
        if labels[i] != -1:
            continue
        stack = [i]
        while stack:
            at = stack.pop()
            near = np.flatnonzero(np.linalg.norm(x - x[at], axis=1) < 2.5)
            if len(near) >= 4:
                new = near[labels[near] == -1]
                labels[new] = cluster
                stack += new.tolist()
        cluster += 1
    return labels, np.unique(labels, return_counts=True)[1]


PROGRAMS = [
    k_means,
    nearest_neighbors,
    decision_tree,
    principal_components,
    perceptron,
    logistic_regression,
    naive_bayes,
    gaussian_mixture,
    frequent_items,
    genetic_algorithm,
    density_clusters,
]


@pytest.fixture
def numpy_backend(engine):
    """Compute with NumPy, for whose speed such programs are written."""
    py_tensor.set_backend("numpy")
    yield
    executor.use(engine)


@pytest.mark.parametrize("program", PROGRAMS)
def test_program_gives_the_results_of_numpy(program, numpy_backend):
    # Their loops read single elements, which are on the host.
    expected = program(numpy, POINTS, LABELS)
    np = py_tensor.numpy
    results = program(np, np.asarray(POINTS), np.asarray(LABELS))
    for got, want in zip(results, expected, strict=True):
        numpy.testing.assert_allclose(numpy.asarray(got), want, rtol=2e-4, atol=2e-4)
