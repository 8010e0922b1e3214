"""Train a diffusion model on two-dimensional points and sample from it, in plain JAX.

A network predicts the noise of points on a circle; sampling removes it step by step.
"""

import jax
import jax.numpy as jnp
import py_tensor as pt
from jax import lax

STEPS = 20
BETA = jnp.linspace(1e-3, 0.25, STEPS)
ALPHA_BAR = jnp.cumprod(1 - BETA)


def network(params, x, t):
    t = jnp.broadcast_to(t / STEPS, x.shape[:-1])[..., None]
    h = jnp.concatenate([x, t, jnp.sin(6 * t), x**2], axis=-1)
    for w, b in params[:-1]:
        h = jax.nn.silu(h @ w + b)
    w, b = params[-1]
    return h @ w + b


def loss_fn(params, x, t, eps):
    keep = ALPHA_BAR[t][:, None]
    noisy = jnp.sqrt(keep) * x + jnp.sqrt(1 - keep) * eps
    return jnp.mean((network(params, noisy, t) - eps) ** 2)


@jax.jit
def train(params, velocity, x, t, eps):
    loss, g = jax.value_and_grad(loss_fn)(params, x, t, eps)
    velocity = jax.tree_util.tree_map(lambda v, g: 0.9 * v - 0.1 * g, velocity, g)
    return jax.tree_util.tree_map(jnp.add, params, velocity), velocity, loss


@jax.jit
def sample(params, x):
    def body(k, x):
        t = STEPS - 1 - k
        bar, before = ALPHA_BAR[t], jnp.where(t > 0, ALPHA_BAR[t - 1], 1.0)
        eps = network(params, x, t)
        clean = (x - jnp.sqrt(1 - bar) * eps) / jnp.sqrt(bar)
        return jnp.sqrt(before) * clean + jnp.sqrt(1 - before) * eps

    return lax.fori_loop(0, STEPS, body, x)


def gaussian(n, seed):
    u = (jnp.arange(n) * 0.6180339 + seed * 0.37) % 1.0
    v = (jnp.arange(n) * 0.7548776 + seed * 0.59) % 1.0
    r = jnp.sqrt(-2 * jnp.log(1e-3 + 0.998 * u))
    return jnp.stack([r * jnp.cos(2 * jnp.pi * v), r * jnp.sin(2 * jnp.pi * v)], axis=1)


def main():
    n = 64
    a = 2 * jnp.pi * jnp.arange(n) / n
    x = jnp.stack([jnp.cos(a), jnp.sin(a)], axis=1)
    params = []
    for i, (p, q) in enumerate([(6, 32), (32, 32), (32, 2)]):
        params.append((jnp.sin(jnp.arange(p * q) * 1.7 + i).reshape(p, q) / p**0.5, jnp.zeros(q)))
    velocity = jax.tree_util.tree_map(jnp.zeros_like, params)
    losses = []
    for i in range(400):
        t = (jnp.arange(n) * 7 + i) % STEPS
        params, velocity, loss = train(params, velocity, x, t, gaussian(n, 1.7321 * i))
        losses.append(float(loss))
    points = sample(params, gaussian(200, 9))
    radius = jnp.linalg.norm(points, axis=1)
    print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}")
    print(f"radius of samples {radius.mean():.3f} +- {radius.std():.3f}")
    plot = pt.plot.scatter(*x.T, label="data", title="Circle", width=400, height=400)
    pt.show(plot.scatter(*points.T, label="samples"))
    return losses[0], losses[3], losses[-1] < 0.8 * losses[0]


if __name__ == "__main__":
    main()
