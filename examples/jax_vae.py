"""Train a variational autoencoder on points of a ring: reparametrized sampling and KL divergence.

The noise is a formula, so that every library computes the same.
"""

import jax
import jax.numpy as jnp
import py_tensor as pt


def noise(n, step):
    u = ((jnp.arange(n) + 1) * 0.6180339 + step * 0.37) % 1.0
    v = ((jnp.arange(n) + 1) * 0.7548776 + step * 0.59) % 1.0
    r = jnp.sqrt(-2 * jnp.log(1e-3 + 0.998 * u))
    return jnp.stack([r * jnp.cos(2 * jnp.pi * v), r * jnp.sin(2 * jnp.pi * v)], axis=1)


def layer(n, m, seed):
    return {"w": jnp.sin(jnp.arange(n * m) * 1.3 + seed).reshape(n, m) * 0.5, "b": jnp.zeros((m,))}


def apply(p, x):
    return x @ p["w"] + p["b"]


def elbo_loss(params, x, eps):
    h = jnp.tanh(apply(params["enc"], x))
    mean, logvar = jnp.split(apply(params["stats"], h), 2, axis=1)
    z = mean + jnp.exp(0.5 * logvar) * eps
    h = jnp.tanh(apply(params["dec"], z))
    reconstruction = jnp.sum((apply(params["out"], h) - x) ** 2, axis=1) / 0.05
    kl = -0.5 * jnp.sum(1 + logvar - mean**2 - jnp.exp(logvar), axis=1)
    return jnp.mean(reconstruction + kl)


@jax.jit
def step(params, velocity, x, eps):
    loss, grads = jax.value_and_grad(elbo_loss)(params, x, eps)
    velocity = jax.tree_util.tree_map(lambda v, g: 0.9 * v - 0.003 * g, velocity, grads)
    return jax.tree_util.tree_map(jnp.add, params, velocity), velocity, loss


def main():
    a = jnp.arange(48) * 2 * jnp.pi / 48
    x = jnp.column_stack([jnp.cos(a), jnp.sin(a)])
    params = {
        "enc": layer(2, 16, 0),
        "stats": layer(16, 4, 1),
        "dec": layer(2, 16, 2),
        "out": layer(16, 2, 3),
    }
    velocity = jax.tree_util.tree_map(jnp.zeros_like, params)
    losses = []
    for i in range(400):
        params, velocity, loss = step(params, velocity, x, noise(48, i % 5))
        losses.append(loss)
    losses = jnp.array(losses)
    print("losses:", losses[::80])
    h = jnp.tanh(apply(params["dec"], noise(200, 3)))
    samples = apply(params["out"], h)
    radius = jnp.linalg.norm(samples, axis=1)
    print(f"radius of samples {radius.mean():.2f} +- {radius.std():.2f}")
    plot = pt.plot.scatter(*x.T, label="data", title="Ring", width=400, height=400)
    pt.show(plot.scatter(*samples.T, label="samples"))
    return losses[0], losses[1], losses[-5:].mean() < 0.6 * losses[0]


if __name__ == "__main__":
    main()
