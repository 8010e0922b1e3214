"""Shorten a tour of cities by simulated annealing with reversals of parts of the tour.

Random numbers differ between libraries, so the shortening is what is compared.
"""

import numpy as np
import py_tensor as pt


def length(tour, d):
    return d[tour, np.roll(tour, -1)].sum()


def main():
    rng = np.random.default_rng(3)
    n = 10
    k = np.arange(n)
    cities = np.stack([np.sin(k * 5.3), np.cos(k * 3.1)], axis=1)
    d = np.sqrt(((cities[:, None] - cities[None]) ** 2).sum(-1))
    tour = np.arange(n)
    start = current = length(tour, d)
    for step in range(60):
        temperature = 0.5 * 0.92**step
        i, j = np.sort(rng.choice(n, size=2, replace=False))
        new = tour.copy()
        new[i : j + 1] = new[i : j + 1][::-1]
        candidate = length(new, d)
        if candidate < current or rng.random() < np.exp((current - candidate) / temperature):
            tour, current = new, candidate
    print(f"length {start:.3f} at the start, {current:.3f} at the end")
    print("tour:", *tour)
    stops = cities[np.append(tour, tour[0])]
    pt.show(pt.plot.line(stops[:, 0], stops[:, 1], title="Tour"))
    return np.sort(tour), current < 0.8 * start


if __name__ == "__main__":
    main()
