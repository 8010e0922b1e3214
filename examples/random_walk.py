"""Simulate many random walks and compare their spread with the square root of the time.

The share of walks that return to the origin within the time is estimated, too.
"""

import numpy as np
import py_tensor as pt


def main():
    rng = np.random.default_rng(42)
    walks, steps = 2000, 100
    moves = rng.choice([-1, 1], size=(walks, steps))
    position = np.cumsum(moves, axis=1)
    rms = np.sqrt((position.astype(float) ** 2).mean(axis=0))
    t = np.arange(1, steps + 1)
    exponent = np.polyfit(np.log(t), np.log(rms), 1)[0]
    returned = (position == 0).any(axis=1).mean()
    print(f"spread grows like t ** {exponent:.3f}; {100 * returned:.1f} % of the walks return")
    print("longest distance:", np.abs(position).max())
    plot = pt.plot.line(t, rms, label="root mean square", title="Walks", x_label="step")
    for walk in position[:5]:
        plot.line(t, walk)
    pt.show(plot)
    return np.array([exponent, returned])


if __name__ == "__main__":
    main()
