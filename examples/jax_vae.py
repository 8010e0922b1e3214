"""Train a variational autoencoder on points of a ring: reparametrized sampling and KL divergence.

The noise is a formula, so that every library computes the same.
"""

import jax
import jax.numpy as jnp
import py_tensor as pt


def noise(step, shape):
    n = shape[0] * shape[1]
    k = jnp.arange(n) + 1.0
    return 1.4 * jnp.sin(k * 12.9898 + step * 7.233).reshape(shape)


def layer(n, m, seed):
    return {"w": jnp.sin(jnp.arange(n * m) * 1.3 + seed).reshape(n, m) * 0.5, "b": jnp.zeros((m,))}


def apply(p, x):
    return x @ p["w"] + p["b"]


def elbo_loss(params, x, eps):
    h = jnp.tanh(apply(params["enc"], x))
    mean, logvar = jnp.split(apply(params["stats"], h), 2, axis=1)
    z = mean + jnp.exp(0.5 * logvar) * eps
    h = jnp.tanh(apply(params["dec"], z))
    reconstruction = jnp.sum((apply(params["out"], h) - x) ** 2, axis=1) / 0.1
    kl = -0.5 * jnp.sum(1 + logvar - mean**2 - jnp.exp(logvar), axis=1)
    return jnp.mean(reconstruction + kl)


@jax.jit
def step(params, x, eps):
    loss, grads = jax.value_and_grad(elbo_loss)(params, x, eps)
    return jax.tree_util.tree_map(lambda p, g: p - 0.01 * g, params, grads), loss


def main():
    a = jnp.arange(48) * 2 * jnp.pi / 48
    x = jnp.column_stack([jnp.cos(a), jnp.sin(a)])
    params = {
        "enc": layer(2, 16, 0),
        "stats": layer(16, 4, 1),
        "dec": layer(2, 16, 2),
        "out": layer(16, 2, 3),
    }
    losses = []
    for i in range(100):
        params, loss = step(params, x, noise(i % 5, (48, 2)))
        losses.append(loss)
    losses = jnp.array(losses)
    print("losses:", losses[::20])
    h = jnp.tanh(apply(params["dec"], noise(3, (5, 2))))
    print("samples:\n", apply(params["out"], h))
    h = jnp.tanh(apply(params["dec"], noise(3, (200, 2))))
    plot = pt.plot.scatter(*x.T, label="data", title="Ring", width=400, height=400)
    pt.show(plot.scatter(*apply(params["out"], h).T, label="samples"))
    return losses[0], losses[1], losses[-5:].mean() < 0.6 * losses[0]


if __name__ == "__main__":
    main()
