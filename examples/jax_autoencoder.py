"""Compress pictures of bars into two numbers with an autoencoder, in plain JAX.

The reconstruction error falls below that of the mean picture.
"""

import jax
import jax.numpy as jnp
import py_tensor as pt


def bars():
    i = jnp.arange(6)
    rows = jnp.stack([(i == k)[:, None] * jnp.ones(6) for k in range(6)])
    return jnp.concatenate([rows, rows.transpose(0, 2, 1)]).reshape(12, 36)


def dense(n, m, seed):
    return jnp.sin(jnp.arange(n * m) * 1.9 + seed).reshape(n, m) / jnp.sqrt(n), jnp.zeros(m)


def encode(params, x):
    (w1, b1), (w2, b2), *_ = params
    return jnp.tanh(x @ w1 + b1) @ w2 + b2


def decode(params, z):
    *_, (w3, b3), (w4, b4) = params
    return jax.nn.sigmoid(jnp.tanh(z @ w3 + b3) @ w4 + b4)


def loss(params, x):
    return jnp.mean((decode(params, encode(params, x)) - x) ** 2)


@jax.jit
def step(params, velocity, x):
    value, grads = jax.value_and_grad(loss)(params, x)
    velocity = jax.tree_util.tree_map(lambda v, g: 0.9 * v - 1.0 * g, velocity, grads)
    return jax.tree_util.tree_map(jnp.add, params, velocity), velocity, value


def main():
    x = bars()
    params = [dense(36, 16, 0), dense(16, 2, 1), dense(2, 16, 2), dense(16, 36, 3)]
    velocity = jax.tree_util.tree_map(jnp.zeros_like, params)
    first = loss(params, x)
    for _ in range(500):
        params, velocity, value = step(params, velocity, x)
    baseline = jnp.mean((x - x.mean(axis=0)) ** 2)
    print(f"error {first:.4f} -> {value:.4f}, of the mean picture {baseline:.4f}")
    print("codes:", encode(params, x)[:3])
    pairs = jnp.stack([x, decode(params, encode(params, x))]).reshape(2, 2, 6, 6, 6)
    # Columns of zeros between the pictures.
    pairs = jnp.concatenate([pairs, jnp.zeros((2, 2, 6, 6, 1))], axis=4)
    picture = pairs.transpose(1, 0, 3, 2, 4).reshape(24, 42)
    pt.show(pt.plot.image(picture, title="Bars, and below what two numbers keep"))
    return first, baseline, value < baseline


if __name__ == "__main__":
    main()
