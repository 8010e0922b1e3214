"""Fill tables: edit distance of words, the knapsack problem and Pascal's triangle.

The edit distance is filled element by element, the others by rows.
"""

import numpy as np


def edit_distance(a, b):
    d = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    d[:, 0] = np.arange(len(a) + 1)
    d[0, :] = np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d


def knapsack(weights, values, capacity):
    best = np.zeros(capacity + 1)
    taken = np.zeros((len(weights), capacity + 1), dtype=bool)
    for item, (w, v) in enumerate(zip(weights, values)):
        candidate = best.copy()
        candidate[w:] = best[:-w] + v
        taken[item] = candidate > best
        best = np.maximum(best, candidate)
    chosen, room = [], capacity
    for item in reversed(range(len(weights))):
        if taken[item, room]:
            chosen.append(item)
            room -= weights[item]
    return best[-1], sorted(chosen)


def pascal(n):
    t = np.zeros((n, n), dtype=int)
    t[:, 0] = 1
    for i in range(1, n):
        t[i, 1:] = t[i - 1, 1:] + t[i - 1, :-1]
    return t


def main():
    table = edit_distance("flaw", "lawn")
    print("edit distance of flaw and lawn:", table[-1, -1])
    value, chosen = knapsack([3, 4, 5, 9, 14], [3, 4, 4, 10, 15], 20)
    print(f"best value {value:.0f} with items {chosen}")
    triangle = pascal(10)
    print(triangle[:6, :6])
    return table, value, np.array(chosen), triangle


if __name__ == "__main__":
    main()
