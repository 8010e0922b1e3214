"""Steer a pendulum upright by gradient descent on its torques through the simulation.

The simulation is a `lax.scan`; its gradient is computed backwards through all steps.
"""

import jax
import jax.numpy as jnp
import py_tensor as pt
from jax import lax

DT, STEPS = 0.05, 60


def simulate(torques):
    def step(state, u):
        theta, omega = state
        omega = omega + DT * (-9.81 * jnp.sin(theta) + u - 0.1 * omega)
        theta = theta + DT * omega
        return (theta, omega), theta

    (theta, omega), path = lax.scan(step, (jnp.array(0.0), jnp.array(0.0)), torques)
    return theta, omega, path


def cost(torques):
    theta, omega, _ = simulate(torques)
    return (theta - jnp.pi) ** 2 + 0.3 * omega**2 + 1e-5 * jnp.sum(torques**2)


@jax.jit
def improve(torques, velocity):
    value, g = jax.value_and_grad(cost)(torques)
    velocity = 0.9 * velocity - 2.0 * g
    return torques + velocity, velocity, value


def main():
    torques = 3.0 * jnp.sin(jnp.arange(STEPS) * DT * 3)
    velocity = jnp.zeros_like(torques)
    costs = []
    for _ in range(80):
        torques, velocity, value = improve(torques, velocity)
        costs.append(value)
    theta, omega, path = simulate(torques)
    print(f"cost {costs[0]:.3f} -> {costs[-1]:.3f}")
    print(f"final angle {theta:.3f} (target 3.142), speed {omega:.3f}")
    time = DT * jnp.arange(1, STEPS + 1)
    plot = pt.plot.line(time, path, label="angle", title="Swing up", x_label="seconds")
    plot.line(time, jnp.full(STEPS, jnp.pi), label="upright")
    pt.show(plot.line(time, torques, label="torque"))
    return costs[0], costs[1], costs[-1] < costs[0]


if __name__ == "__main__":
    main()
