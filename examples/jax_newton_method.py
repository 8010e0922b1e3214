"""Minimize Rosenbrock's function by gradient descent, by Newton's method and by Gauss-Newton.

Gradients, Jacobians and Hessians are derived by JAX.
"""

import jax
import jax.numpy as jnp


def residuals(x):
    return jnp.array([10 * (x[1] - x[0] ** 2), 1 - x[0]])


def rosenbrock(x):
    return jnp.sum(residuals(x) ** 2)


def main():
    start = jnp.array([-1.2, 1.0])
    grad = jax.jit(jax.grad(rosenbrock))
    hessian = jax.jit(jax.hessian(rosenbrock))
    x = start
    for _ in range(7):
        x = x - jnp.linalg.solve(hessian(x), grad(x))
    newton = x

    jacobian = jax.jacfwd(residuals)
    x = start
    for _ in range(5):
        J, r = jacobian(x), residuals(x)
        x = x - jnp.linalg.solve(J.T @ J, J.T @ r)
    gauss = x

    x = start
    for _ in range(100):
        x = x - 1e-3 * grad(x)
    print("Newton:          ", newton)
    print("Gauss-Newton:    ", gauss)
    print("gradient descent:", x, f"value {rosenbrock(x):.4f}")
    return newton, gauss, x, hessian(start)


if __name__ == "__main__":
    main()
