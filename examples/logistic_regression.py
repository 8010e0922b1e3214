"""Classify points of two classes by logistic regression, trained by gradient descent.

The accuracy and the confusion matrix are printed.
"""

import numpy as np
import py_tensor as pt


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def make_data(n=80):
    i = np.arange(n)
    y = i % 2
    centre = np.where(y == 1, 1.0, -1.0)
    X = np.zeros((n, 2))
    X[:, 0] = centre + 1.2 * np.sin(12.9898 * i)
    X[:, 1] = 0.5 * centre + 1.2 * np.cos(78.233 * i)
    return X, y


def main():
    X, y = make_data()
    Xb = np.c_[np.ones(X.shape[0]), X]
    w = np.zeros(Xb.shape[1])
    losses = []
    for epoch in range(100):
        p = sigmoid(Xb @ w)
        loss = -np.mean(y * np.log(p + 1e-9) + (1 - y) * np.log(1 - p + 1e-9))
        w -= 0.5 * Xb.T @ (p - y) / len(y)
        if epoch % 20 == 0:
            losses.append(loss)
            print(f"epoch {epoch:3d}: loss {loss:.4f}")
    predicted = (sigmoid(Xb @ w) >= 0.5).astype(int)
    confusion = np.zeros((2, 2), dtype=int)
    for truth, guess in zip(y, predicted):
        confusion[truth, guess] += 1
    print(confusion)
    print(f"accuracy {np.mean(predicted == y):.3f}")
    side = np.array([-2.0, 2.0])
    plot = pt.plot.line(side, -(w[0] + w[1] * side) / w[2], label="boundary", title="Classes")
    pt.show(plot.scatter(*X[y == 0].T, label="class 0").scatter(*X[y == 1].T, label="class 1"))
    return w, confusion, np.array(losses)


if __name__ == "__main__":
    main()
