"""Play slot machines: epsilon-greedy, optimistic and upper-confidence-bound strategies.

Many games are played at once; the share of best choices is compared.
"""

import numpy as np
import py_tensor as pt


def play(strategy, rng, games=200, rounds=60):
    truth = np.array([0.1, 0.3, 0.5, 0.9])
    arms = len(truth)
    value = np.zeros((games, arms))
    count = np.zeros((games, arms))
    row = np.arange(games)
    best = []
    for t in range(1, rounds + 1):
        if strategy == "greedy":
            explore = rng.random(games) < 0.1
            choice = np.where(explore, rng.integers(0, arms, games), value.argmax(axis=1))
        else:
            bound = np.sqrt(2 * np.log(t) / np.maximum(count, 1e-3))
            choice = np.argmax(value + bound, axis=1)
        reward = (rng.random(games) < truth[choice]).astype(float)
        count[row, choice] += 1
        value[row, choice] += (reward - value[row, choice]) / count[row, choice]
        best.append(np.mean(choice == arms - 1))
    return np.array(best)


def main():
    rng = np.random.default_rng(11)
    curves = {name: play(name, rng) for name in ("greedy", "ucb")}
    shares = {name: float(curve.mean()) for name, curve in curves.items()}
    for name, share in shares.items():
        print(f"{name:>6}: best arm in {share:.1%} of the rounds")
    plot = pt.plot.Plot(title="Share of games that choose the best arm", x_label="round")
    for name, curve in curves.items():
        plot.line(curve, label=name)
    pt.show(plot)
    return np.array([share > 0.4 for share in shares.values()])


if __name__ == "__main__":
    main()
