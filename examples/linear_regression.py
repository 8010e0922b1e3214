"""Fit a linear model three ways: normal equations, least squares and gradient descent.

The data follow a known plane with a small wave as noise.
"""

import numpy as np
import py_tensor as pt


class LinearRegression:
    def __init__(self, lr=0.1, n_iter=200):
        self.lr = lr
        self.n_iter = n_iter

    def fit(self, X, y):
        n_samples, n_features = X.shape
        self.w = np.zeros(n_features)
        self.b = 0.0
        for _ in range(self.n_iter):
            error = X.dot(self.w) + self.b - y
            self.w -= self.lr * X.T.dot(error) / n_samples
            self.b -= self.lr * error.mean()
        return self

    def predict(self, X):
        return X @ self.w + self.b

    def score(self, X, y):
        return 1 - ((y - self.predict(X)) ** 2).sum() / ((y - y.mean()) ** 2).sum()


def main():
    t = np.arange(60)
    X = np.column_stack([np.sin(t * 0.7), np.cos(t * 1.3), np.sin(t * 2.1 + 1)])
    y = X @ np.array([2.0, -1.0, 0.5]) + 3.0 + 0.05 * np.sin(13.0 * t)
    A = np.hstack([X, np.ones((len(X), 1))])
    normal = np.linalg.solve(A.T @ A, A.T @ y)
    lstsq, residuals, rank, _ = np.linalg.lstsq(A, y, rcond=None)
    model = LinearRegression().fit(X, y)
    print("normal equations:", normal)
    print("least squares:   ", lstsq, "rank", rank)
    print(f"gradient descent: {model.w} {model.b:.4f}, R2 = {model.score(X, y):.4f}")
    plot = pt.plot.scatter(
        y, model.predict(X), title="Predictions", x_label="y", y_label="predicted"
    )
    pt.show(plot)
    return normal, lstsq, np.append(model.w, model.b)


if __name__ == "__main__":
    main()
