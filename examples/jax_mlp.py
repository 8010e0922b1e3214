"""Train a multilayer perceptron with Adam to separate two moons, in plain JAX.

The parameters are a list of pairs; the optimizer maps functions over trees.
"""

import jax
import jax.numpy as jnp
import py_tensor as pt
from jax.tree_util import tree_map


def init(sizes):
    params = []
    for n, m in zip(sizes[:-1], sizes[1:]):
        k = jnp.arange(n * m).reshape(n, m)
        params.append((jnp.sin(k * 2.3 + 0.7) * jnp.sqrt(2.0 / n), jnp.zeros(m)))
    return params


def forward(params, x):
    for w, b in params[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = params[-1]
    return (x @ w + b)[:, 0]


def loss_fn(params, x, y):
    logits = forward(params, x)
    return jnp.mean(jnp.logaddexp(0, logits) - y * logits)


@jax.jit
def update(params, m, v, t, x, y):
    loss, g = jax.value_and_grad(loss_fn)(params, x, y)
    m = tree_map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
    v = tree_map(lambda v, g: 0.99 * v + 0.01 * g**2, v, g)

    def adam(p, m, v):
        return p - 0.02 * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.99**t)) + 1e-6)

    return tree_map(adam, params, m, v), m, v, loss


def main():
    a = jnp.linspace(0, jnp.pi, 40)
    upper = jnp.stack([jnp.cos(a), jnp.sin(a)], axis=1)
    lower = jnp.stack([1 - jnp.cos(a), 0.4 - jnp.sin(a)], axis=1)
    x = jnp.concatenate([upper, lower])
    y = jnp.concatenate([jnp.zeros(40), jnp.ones(40)])
    params = init([2, 16, 16, 1])
    m = tree_map(jnp.zeros_like, params)
    v = tree_map(jnp.zeros_like, params)
    for t in range(1, 101):
        params, m, v, loss = update(params, m, v, t, x, y)
    accuracy = jnp.mean((forward(params, x) > 0) == (y == 1))
    print(f"loss {loss:.4f}, accuracy {accuracy:.3f}")
    plane = jnp.stack(
        jnp.meshgrid(jnp.linspace(-1.5, 2.5, 60), jnp.linspace(1.5, -1.0, 40)), axis=-1
    )
    logits = forward(params, plane.reshape(-1, 2)).reshape(40, 60)
    pt.show(pt.plot.image(jax.nn.sigmoid(logits), title="Probability of the lower moon"))
    return accuracy, loss < 0.1


if __name__ == "__main__":
    main()
