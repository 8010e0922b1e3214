"""Map functions over batches with `jax.vmap`: gradients per example, distances, and ensembles.

Results are compared with loops.
"""

import functools

import jax
import jax.numpy as jnp


def predict(w, x):
    return jnp.tanh(jnp.dot(w, x))


def loss(w, x, y):
    return (predict(w, x) - y) ** 2


def distance(a, b):
    return jnp.sqrt(jnp.sum((a - b) ** 2))


@functools.partial(jax.vmap, in_axes=(0, None, None))
def train(rate, xs, ys):
    w = jnp.zeros(3)
    batch_loss = lambda w: jnp.mean(jax.vmap(loss, in_axes=(None, 0, 0))(w, xs, ys))
    for _ in range(10):
        w = w - rate * jax.grad(batch_loss)(w)
    return batch_loss(w)


def main():
    xs = jnp.sin(jnp.arange(24.0)).reshape(8, 3)
    ys = jnp.cos(jnp.arange(8.0))
    w = jnp.array([0.1, -0.2, 0.3])
    per_example = jax.jit(jax.vmap(jax.grad(loss), in_axes=(None, 0, 0)))(w, xs, ys)
    loop = jnp.stack([jax.grad(loss)(w, x, y) for x, y in zip(xs, ys)])
    print("per-example gradients agree:", bool(jnp.allclose(per_example, loop, atol=1e-5)))
    pairs = jax.vmap(jax.vmap(distance, (None, 0)), (0, None))(xs, xs)
    print("largest distance:", f"{pairs.max():.4f}")
    rates = jnp.array([0.01, 0.1, 0.5])
    final = train(rates, xs, ys)
    for rate, value in zip(rates, final):
        print(f"rate {rate:.2f}: loss {value:.4f}")
    return per_example, pairs, final


if __name__ == "__main__":
    main()
