"""Analyse the weather as a Markov chain: stationary distribution, hitting times and simulation.

The stationary distribution is computed in three ways.
"""

import numpy as np

STATES = ["sunny", "cloudy", "rainy"]


def main():
    P = np.array([[0.7, 0.2, 0.1], [0.3, 0.4, 0.3], [0.2, 0.4, 0.4]])
    assert np.allclose(P.sum(axis=1), 1)
    power = np.linalg.matrix_power(P, 50)[0]

    w, v = np.linalg.eig(P.T)
    stationary = np.real(v[:, np.argmin(np.abs(w - 1))])
    stationary = stationary / stationary.sum()

    # Expected number of days until it rains.
    Q = P[:2, :2]
    days = np.linalg.inv(np.eye(2) - Q) @ np.ones(2)

    rng = np.random.default_rng(1)
    cumulative = P.cumsum(axis=1)
    state, visits = 0, np.zeros(3)
    for u in rng.random(100):
        state = int(np.searchsorted(cumulative[state], u))
        visits[state] += 1
    simulated = visits / visits.sum()
    for i, name in enumerate(STATES):
        print(f"{name:>7}: {power[i]:.4f} {stationary[i]:.4f} simulated {simulated[i]:.2f}")
    print(f"days until rain: {days[0]:.2f} when sunny, {days[1]:.2f} when cloudy")
    return power, stationary, days, np.abs(simulated - stationary).max() < 0.25


if __name__ == "__main__":
    main()
