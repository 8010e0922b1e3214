"""Fit a line and its noise level by maximum likelihood with gradients computed by JAX.

The training step is compiled; parameters are a dictionary.
"""

import jax
import jax.numpy as jnp
import py_tensor as pt


def log_likelihood(params, x, y):
    mean = params["w"] * x + params["b"]
    sigma = jnp.exp(params["log_sigma"])
    return jnp.mean(-0.5 * ((y - mean) / sigma) ** 2 - params["log_sigma"])


@jax.jit
def step(params, x, y):
    loss, grads = jax.value_and_grad(lambda p: -log_likelihood(p, x, y))(params)
    return {name: params[name] - 0.05 * grads[name] for name in params}, loss


def main():
    x = jnp.linspace(-2, 2, 50)
    y = 1.5 * x - 0.7 + 0.3 * jnp.sin(40 * x)
    params = {"w": jnp.array(0.0), "b": jnp.array(0.0), "log_sigma": jnp.array(0.0)}
    for i in range(200):
        params, loss = step(params, x, y)
        if i % 50 == 0:
            print(f"step {i:3d}: loss {loss:.4f}")
    print({name: round(float(value), 4) for name, value in params.items()})
    plot = pt.plot.scatter(x, y, label="data", title="Fit")
    pt.show(plot.line(x, params["w"] * x + params["b"], label="line"))
    return params["w"], params["b"], jnp.exp(params["log_sigma"])


if __name__ == "__main__":
    main()
