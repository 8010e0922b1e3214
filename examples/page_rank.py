"""Rank the pages of a small web by PageRank, by power iteration and as an eigenvector.

Pages without links are taken to link to every page.
"""

import numpy as np

LINKS = {0: [1, 2], 1: [2], 2: [0], 3: [2, 4], 4: [3, 5, 6], 5: [6], 6: [4, 5], 7: []}


def main(damping=0.85):
    n = len(LINKS)
    A = np.zeros((n, n))
    for page, targets in LINKS.items():
        for target in targets:
            A[target, page] += 1
    out = A.sum(axis=0)
    A[:, out == 0] = 1
    M = A / A.sum(axis=0)
    G = damping * M + (1 - damping) / n

    rank = np.ones(n) / n
    iterations = 0
    while True:
        new = G @ rank
        iterations += 1
        if np.abs(new - rank).sum() < 1e-5 or iterations == 100:
            break
        rank = new
    values, vectors = np.linalg.eig(G)
    k = np.argmax(np.abs(values))
    principal = np.real(vectors[:, k])
    principal /= principal.sum()
    print(f"{iterations} iterations, eigenvalue {values[k].real:.4f}")
    for page in np.argsort(-rank):
        print(f"page {page}: {rank[page]:.4f}")
    return rank, principal


if __name__ == "__main__":
    main()
