"""Classify flowers described by four numbers with a Gaussian naive Bayes classifier.

Means, variances and priors of each class are estimated from data made by a formula.
"""

import numpy as np
import py_tensor as pt


class GaussianNB:
    def fit(self, X, y):
        self.classes = np.unique(y)
        self.mean = np.array([X[y == c].mean(axis=0) for c in self.classes])
        self.var = np.array([X[y == c].var(axis=0) for c in self.classes]) + 1e-6
        self.prior = np.array([np.mean(y == c) for c in self.classes])
        return self

    def log_likelihood(self, X):
        diff = X[:, None, :] - self.mean
        log_p = -0.5 * (np.log(2 * np.pi * self.var) + diff**2 / self.var).sum(axis=2)
        return log_p + np.log(self.prior)

    def predict(self, X):
        return self.classes[np.argmax(self.log_likelihood(X), axis=1)]


def main():
    i = np.arange(120)
    y = (i * 7) % 3
    centres = np.array([[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.6, 2.0]])
    spread = np.array([0.5, 0.4, 0.5, 0.3])
    X = centres[y] + spread * np.sin(np.outer(i + 1, [1.1, 2.7, 4.9, 7.3]))
    train, test = i < 90, i >= 90
    model = GaussianNB().fit(X[train], y[train])
    predicted = model.predict(X[test])
    accuracy = (predicted == y[test]).mean()
    print("class means:")
    print(model.mean.round(2))
    print(f"test accuracy: {accuracy:.2%}")
    plot = pt.plot.Plot(title="Petals", x_label="length", y_label="width")
    for c in model.classes:
        plot.scatter(X[y == c, 2], X[y == c, 3], label=f"flower {c}")
    pt.show(plot)
    return model.mean, model.var, predicted


if __name__ == "__main__":
    main()
