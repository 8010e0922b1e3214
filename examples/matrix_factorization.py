"""Recommend films: factor a matrix of ratings with missing entries by alternating least squares.

The error on known and on held-out ratings is printed.
"""

import numpy as np
import py_tensor as pt


def main():
    users, films, rank = 8, 6, 2
    u = np.sin(np.arange(users * rank) * 1.3 + 1).reshape(users, rank)
    v = np.cos(np.arange(films * rank) * 0.9).reshape(films, rank)
    ratings = 3 + u @ v.T
    i, j = np.indices(ratings.shape)
    known = (i * 5 + j * 3) % 4 != 0
    observed = np.where(known, ratings, np.nan)
    mean = np.nanmean(observed)
    R = np.where(np.isnan(observed), 0, observed - mean)

    P = np.sin(np.arange(users * rank) * 2.7).reshape(users, rank)
    Q = np.cos(np.arange(films * rank) * 1.7).reshape(films, rank)
    reg = 0.05 * np.eye(rank)
    for _ in range(5):
        for a in range(users):
            q = Q[known[a]]
            P[a] = np.linalg.solve(q.T @ q + reg, q.T @ R[a, known[a]])
        for b in range(films):
            p = P[known[:, b]]
            Q[b] = np.linalg.solve(p.T @ p + reg, p.T @ R[known[:, b], b])
    predicted = P @ Q.T + mean
    error = predicted - ratings
    rmse = np.array([np.sqrt(np.mean(error[m] ** 2)) for m in (known, ~known)])
    print(f"rmse of known ratings {rmse[0]:.4f}, of held-out ratings {rmse[1]:.4f}")
    best = np.argmax(np.where(known, -np.inf, predicted), axis=1)
    print("recommended films:", best)
    pt.show(pt.plot.image(predicted, title="Predicted ratings, by user and film"))
    return predicted, rmse


if __name__ == "__main__":
    main()
