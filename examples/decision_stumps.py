"""Boost decision stumps with AdaBoost to separate a disc from its surroundings.

Each stump compares one feature with a threshold; their weighted votes decide.
"""

import numpy as np
import py_tensor as pt


def best_stump(X, y, w):
    best = (np.inf, 0, 0.0, 1)
    for feature in range(X.shape[1]):
        thresholds = np.quantile(X[:, feature], [0.1, 0.25, 0.4, 0.6, 0.75, 0.9])
        votes = np.where(X[:, feature] > thresholds[:, None], 1, -1)
        errors = np.sum(w * (votes != y), axis=1)
        for sign, e in ((1, errors), (-1, 1 - errors)):
            k = int(e.argmin())
            if e[k] < best[0]:
                best = (float(e[k]), feature, float(thresholds[k]), sign)
    return best


def main():
    i = np.arange(100)
    X = np.stack([np.sin(i * 1.618), np.sin(i * 2.414 + 0.5)], axis=-1) * 1.5
    y = np.where(np.sum(X**2, axis=-1) < 1.2, 1, -1)
    w = np.ones(len(y)) / len(y)
    score = np.zeros(len(y))
    accuracies = []
    for round_ in range(8):
        error, feature, threshold, sign = best_stump(X, y, w)
        alpha = 0.5 * np.log((1 - error) / (error + 1e-10))
        prediction = sign * np.where(X[:, feature] > threshold, 1, -1)
        w *= np.exp(-alpha * y * prediction)
        w /= w.sum()
        score += alpha * prediction
        accuracies.append(np.mean(np.sign(score) == y))
        print(f"round {round_}: x{feature} > {threshold:.2f}, accuracy {accuracies[-1]:.2f}")
    plot = pt.plot.scatter(*X[y > 0].T, label="inside", title="Disc and surroundings")
    pt.show(plot.scatter(*X[y < 0].T, label="outside"))
    return score, np.array(accuracies)


if __name__ == "__main__":
    main()
