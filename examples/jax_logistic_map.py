"""Explore the logistic map with loops that JAX compiles: bifurcations, exponents, convergence.

`fori_loop`, `scan`, `while_loop` and `cond` are used as in JAX's documentation.
"""

import jax
import jax.numpy as jnp
import py_tensor as pt
from jax import lax


def logistic(r, x):
    return r * x * (1 - x)


@jax.jit
def settle(r):
    x = lax.fori_loop(0, 100, lambda i, x: logistic(r, x), jnp.full_like(r, 0.5))
    _, orbit = lax.scan(lambda x, _: (logistic(r, x),) * 2, x, None, length=8)
    return orbit


def fixed_point(r, tolerance=1e-4):
    def unfinished(state):
        x, previous, n = state
        return (jnp.abs(x - previous) > tolerance) & (n < 200)

    def body(state):
        x, _, n = state
        return logistic(r, x), x, n + 1

    x, _, n = lax.while_loop(unfinished, body, (jnp.array(0.4), jnp.array(0.0), 0))
    return x, n


def main():
    r = jnp.array([2.0, 2.8, 3.2, 3.5])
    orbit = settle(r)
    periods = [len(jnp.unique(jnp.round(orbit[:, i], 3))) for i in range(4)]
    for rate, period in zip(r, periods):
        print(f"r = {rate:.1f}: period {period}")
    x, n = fixed_point(2.8)
    print(f"fixed point {x:.4f} after {n} steps, exact {1 - 1 / 2.8:.4f}")
    slope = jax.vmap(jax.grad(logistic, argnums=1))(r, orbit[-1])
    stable = lax.cond(jnp.all(jnp.abs(slope[:2]) < 1), lambda: 1.0, lambda: 0.0)
    rates = jnp.linspace(2.5, 4.0, 350)
    plot = pt.plot.Plot(title="Bifurcations", x_label="r", y_label="x")
    pt.show(plot.scatter(jnp.tile(rates, 8), settle(rates).ravel()))
    return jnp.sort(orbit, axis=0), jnp.array(periods), x, stable


if __name__ == "__main__":
    main()
