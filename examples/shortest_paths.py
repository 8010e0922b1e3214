"""Find shortest paths in a road network with Floyd-Warshall, Bellman-Ford and Dijkstra.

All three agree.
"""

import numpy as np

ROADS = [(0, 1, 4), (0, 2, 1), (2, 1, 2), (1, 3, 5), (2, 3, 8), (3, 4, 3), (4, 5, 1), (1, 5, 9)]
N = 6


def floyd_warshall(d):
    d = d.copy()
    for k in range(N):
        d = np.minimum(d, d[:, k, None] + d[None, k, :])
    return d


def dijkstra(w, start):
    dist = np.full(N, np.inf)
    dist[start] = 0
    visited = np.zeros(N, dtype=bool)
    for _ in range(N):
        u = np.where(visited, np.inf, dist).argmin()
        visited[u] = True
        dist = np.minimum(dist, dist[u] + w[u])
    return dist


def bellman_ford(start):
    a, b, cost = np.array(ROADS).T
    src, dst, cost = np.r_[a, b], np.r_[b, a], np.r_[cost, cost]
    dist = np.full(N, np.inf)
    dist[start] = 0
    for _ in range(N - 1):
        np.minimum.at(dist, dst, dist[src] + cost)
    return dist


def main():
    w = np.full((N, N), np.inf)
    np.fill_diagonal(w, 0)
    for a, b, cost in ROADS:
        w[a, b] = w[b, a] = cost
    every = floyd_warshall(w)
    one = dijkstra(w, 0)
    other = bellman_ford(0)
    print(every.astype(int))
    assert (one == every[0]).all() and (other == every[0]).all()
    centre = every.max(axis=1).argmin()
    print(f"from city 0: {one}; the most central city is {centre}")
    return every, one, other


if __name__ == "__main__":
    main()
