"""Shorten a tour of cities by simulated annealing with reversals of parts of the tour.

Random numbers differ between libraries, so the shortening is what is compared.
"""

import numpy as np
import py_tensor as pt


def length(tour, d):
    return d[tour, np.roll(tour, -1)].sum()


def main():
    rng = np.random.default_rng(3)
    n = 15
    k = np.arange(n)
    cities = np.stack([k * 0.618 % 1, k * 0.755 % 1], axis=1)
    d = np.sqrt(((cities[:, None] - cities[None]) ** 2).sum(-1))
    tour = np.arange(n)
    start = current = length(tour, d)
    for step in range(240):
        temperature = 0.3 * 0.98**step
        i, j = np.sort(rng.choice(n, size=2, replace=False))
        new = tour.copy()
        new[i : j + 1] = new[i : j + 1][::-1]
        candidate = length(new, d)
        if candidate < current or rng.random() < np.exp((current - candidate) / temperature):
            tour, current = new, candidate
    print(f"length {start:.3f} at the start, {current:.3f} at the end")
    print("tour:", *tour)
    stops = cities[np.append(tour, tour[0])]
    plot = pt.plot.line(stops[:, 0], stops[:, 1], label="tour", title="Tour of the cities")
    pt.show(plot.scatter(*cities.T, label="cities"))
    return np.sort(tour), current < 0.8 * start


if __name__ == "__main__":
    main()
