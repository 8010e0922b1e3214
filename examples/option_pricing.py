"""Price an option with a binomial tree, with finite differences and by simulation.

The Black-Scholes formula is the exact value of the European call.
"""

import math

import numpy as np
import py_tensor as pt

S0, K, R, SIGMA, T = 100.0, 105.0, 0.03, 0.2, 1.0


def black_scholes():
    d1 = (math.log(S0 / K) + (R + SIGMA**2 / 2) * T) / (SIGMA * math.sqrt(T))
    d2 = d1 - SIGMA * math.sqrt(T)
    cdf = lambda d: 0.5 * (1 + math.erf(d / math.sqrt(2)))
    return S0 * cdf(d1) - K * math.exp(-R * T) * cdf(d2)


def binomial(steps, american_put=False):
    dt = T / steps
    up = np.exp(SIGMA * np.sqrt(dt))
    p = (np.exp(R * dt) - 1 / up) / (up - 1 / up)
    prices = S0 * up ** (2.0 * np.arange(steps + 1) - steps)
    payoff = (lambda s: np.maximum(K - s, 0)) if american_put else (lambda s: np.maximum(s - K, 0))
    value = payoff(prices)
    for _ in range(steps):
        prices = prices[1:] / up
        value = np.exp(-R * dt) * (p * value[1:] + (1 - p) * value[:-1])
        if american_put:
            value = np.maximum(value, payoff(prices))
    return value[0]


def simulate(paths):
    rng = np.random.default_rng(7)
    z = rng.standard_normal(paths)
    z = np.concatenate([z, -z])
    end = S0 * np.exp((R - SIGMA**2 / 2) * T + SIGMA * np.sqrt(T) * z)
    discounted = np.exp(-R * T) * np.maximum(end - K, 0)
    return end, discounted.mean(), discounted.std(ddof=1) / np.sqrt(2 * paths)


def main():
    exact = black_scholes()
    tree = binomial(60)
    put = binomial(60, american_put=True)
    end, mean, error = simulate(20_000)
    print(f"Black-Scholes {exact:.4f}, binomial tree {tree:.4f}")
    print(f"simulation {mean:.3f} +- {error:.3f}")
    print(f"American put {put:.4f}")
    pt.show(pt.plot.histogram(end, title="Simulated prices", x_label="price"))
    return tree, put, abs(mean - exact) < 5 * error


if __name__ == "__main__":
    main()
