"""Train a linear support vector machine by sub-gradient descent of the hinge loss.

The margin and the number of support vectors are reported.
"""

import numpy as np
import py_tensor as pt


def main():
    i = np.arange(60)
    X = np.array([np.sin(i * 3.7), np.cos(i * 2.9)]).T * 1.5
    y = np.where(X[:, 0] + 0.5 * X[:, 1] > 0.1, 1.0, -1.0)
    X += 0.3 * y[:, np.newaxis] * np.array([1.0, 0.5])

    w = np.zeros(2)
    b = 0.0
    lam = 0.01
    for epoch in range(1, 121):
        lr = 1.0 / (1 + 0.1 * epoch)
        margin = y * (X.dot(w) + b)
        wrong = margin < 1
        grad_w = lam * w - (y[wrong, None] * X[wrong]).sum(axis=0) / len(y)
        grad_b = -np.sum(y[wrong]) / len(y)
        w = w - lr * grad_w
        b = b - lr * grad_b
    margin = y * (X.dot(w) + b)
    support = np.flatnonzero(margin <= 1.05)
    print(f"w = {w}, b = {b:.4f}, margin width {2 / np.linalg.norm(w):.4f}")
    print(f"{support.size} support vectors, {(margin > 0).mean():.0%} correct")
    side = np.array([-1.0, 1.0])
    plot = pt.plot.line(side, -(w[0] * side + b) / w[1], label="boundary", title="Classes")
    pt.show(plot.scatter(*X[y < 0].T, label="class -1").scatter(*X[y > 0].T, label="class 1"))
    return w, b


if __name__ == "__main__":
    main()
