"""Decode a hidden Markov model with compiled scans: forward algorithm and Viterbi's path.

Learning the transition matrix follows the gradient of the likelihood.
"""

import jax
import jax.numpy as jnp

EMISSION = jnp.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])
START = jnp.array([0.6, 0.4])


def log_likelihood(logits, observations):
    transition = jax.nn.softmax(logits, axis=1)

    def step(alpha, o):
        alpha = (alpha @ transition) * EMISSION[:, o]
        total = alpha.sum()
        return alpha / total, jnp.log(total)

    first = START * EMISSION[:, observations[0]]
    _, logs = jax.lax.scan(step, first / first.sum(), observations[1:])
    return jnp.log(first.sum()) + logs.sum()


def viterbi(logits, observations):
    log_t = jax.nn.log_softmax(logits, axis=1)

    def step(best, o):
        scores = best[:, None] + log_t
        return scores.max(axis=0) + jnp.log(EMISSION[:, o]), jnp.argmax(scores, axis=0)

    best = jnp.log(START) + jnp.log(EMISSION[:, observations[0]])
    best, origin = jax.lax.scan(step, best, observations[1:])
    path = [int(best.argmax())]
    for row in origin[::-1]:
        path.append(int(row[path[-1]]))
    return jnp.array(path[::-1])


def main():
    observations = jnp.array([0, 1, 0, 0, 2, 2, 1, 2, 2, 0, 0, 1, 0, 2, 2, 2])
    logits = jnp.zeros((2, 2))
    gradient = jax.jit(jax.value_and_grad(log_likelihood))
    for i in range(20):
        value, g = gradient(logits, observations)
        logits = logits + 0.5 * g
        if i % 10 == 0:
            print(f"step {i}: log-likelihood {value:.4f}")
    print("transition matrix:", jax.nn.softmax(logits, axis=1))
    path = viterbi(logits, observations)
    print("states:", *path)
    return value, logits, path


if __name__ == "__main__":
    main()
