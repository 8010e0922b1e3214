"""Gradients by complex numbers: dL/dx + i dL/dy, by x + iy.

A function with the derivative f' therefore pulls a cotangent g back to g times the conjugate of f'.
"""

from __future__ import annotations

import half_storage
import numpy as np
import pytest

import py_tensor as pt
from py_tensor import errors

DERIVATIVES = {
    "exp": np.exp,
    "expm1": np.exp,
    "log": lambda z: 1 / z,
    "log1p": lambda z: 1 / (1 + z),
    "log2": lambda z: 1 / (z * np.log(2)),
    "log10": lambda z: 1 / (z * np.log(10)),
    "sqrt": lambda z: 0.5 / np.sqrt(z),
    "square": lambda z: 2 * z,
    "reciprocal": lambda z: -1 / z**2,
    "negative": lambda z: -np.ones_like(z),
    "positive": np.ones_like,
    "sin": np.cos,
    "cos": lambda z: -np.sin(z),
    "tan": lambda z: 1 / np.cos(z) ** 2,
    "sinh": np.cosh,
    "cosh": np.sinh,
    "tanh": lambda z: 1 / np.cosh(z) ** 2,
    "asin": lambda z: 1 / np.sqrt(1 - z**2),
    "acos": lambda z: -1 / np.sqrt(1 - z**2),
    "atan": lambda z: 1 / (1 + z**2),
    "asinh": lambda z: 1 / np.sqrt(1 + z**2),
    "acosh": lambda z: 1 / (np.sqrt(z - 1) * np.sqrt(z + 1)),
    "atanh": lambda z: 1 / (1 - z**2),
}


def sample(rng, *shape, size=1.5):
    parts = rng.uniform(-size, size, (2, *shape)).astype("float32")
    return (parts[0] + 1j * parts[1]).astype("complex64")


def wide(x):
    return x.astype("complex128")


def assert_near(tensor, expected, tolerance=1e-5):
    got = tensor.numpy()
    assert got.shape == expected.shape
    assert got.dtype == ("complex64" if expected.dtype.kind == "c" else "float32")
    tolerance = half_storage.tolerance(tolerance)
    assert np.abs(got - expected).max() <= tolerance * np.abs(expected).max()


def test_near_can_fail():
    with pytest.raises(AssertionError):
        assert_near(pt.asarray([1 + 1j]), np.array([1 + 1.001j]))


def pulled(function, g, *operands):
    _, pull = pt.vjp(function, *map(pt.asarray, operands))
    return pull(pt.asarray(g))


@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivatives(name, rng):
    z, g = sample(rng, 12), sample(rng, 12)
    (got,) = pulled(getattr(pt, name), g, z)
    assert_near(got, wide(g) * DERIVATIVES[name](wide(z)).conj(), 2e-5)


def test_variance(rng):
    z = sample(rng, 3, 4)
    gradient = pt.grad(lambda z: pt.sum(pt.var(z, axis=1, correction=1)))(pt.asarray(z))
    assert_near(gradient, 2 / 3 * (wide(z) - wide(z).mean(1, keepdims=True)))


def test_every_rule_is_tested():
    ruled = {
        op.name
        for op in pt.ops.OP_DEFS.values()
        if getattr(op, "arity", 0) == 1 and op.public and (op.complex or op.partwise)
    }
    others = {"abs", "sign", "conj", "round", "isfinite", "isinf", "isnan"}
    assert ruled - others == DERIVATIVES.keys()


def test_parts_sizes_and_angles(rng):
    z, g = sample(rng, 8), sample(rng, 8).real.copy()
    unit = wide(z) / np.abs(wide(z))
    assert_near(pulled(pt.abs, g, z)[0], g * unit)
    assert_near(pulled(pt.real, g, z)[0], g + 0j)
    assert_near(pulled(pt.imag, g, z)[0], 1j * g)
    assert_near(pulled(pt.angle, g, z)[0], 1j * g * unit / np.abs(wide(z)))
    h = sample(rng, 8)
    assert_near(pulled(pt.conj, h, z)[0], h.conj())
    # Only changes perpendicular to the direction change it.
    along = (wide(h) * unit.conj()).real * unit
    assert_near(pulled(pt.sign, h, z)[0], (h - along) / np.abs(wide(z)))
    x, y = z.real.copy(), z.imag.copy()
    by_x, by_y = pulled(pt.complex, h, x, y)
    assert_near(by_x, h.real)
    assert_near(by_y, h.imag)


def test_size_of_zero_has_gradient_zero():
    assert pt.grad(lambda z: pt.abs(z))(0j).item() == 0


def test_two_operands(rng):
    z, w, g = sample(rng, 3, 4), sample(rng, 4), sample(rng, 3, 4)
    a, b, c = wide(z), wide(w), wide(g)
    by_z, by_w = pulled(pt.multiply, g, z, w)
    assert_near(by_z, c * b.conj())
    assert_near(by_w, (c * a.conj()).sum(0))
    by_z, by_w = pulled(pt.divide, g, z, w)
    assert_near(by_z, c / b.conj())
    assert_near(by_w, -(c * (a / b**2).conj()).sum(0), 5e-5)
    by_z, by_w = pulled(pt.pow, g, z, w)
    assert_near(by_z, c * (b * a ** (b - 1)).conj(), 5e-5)
    assert_near(by_w, (c * (a**b * np.log(a)).conj()).sum(0), 5e-5)


def test_real_operands_have_real_gradients(rng):
    z, x, g = sample(rng, 5), sample(rng, 5).real.copy(), sample(rng, 5)
    by_z, by_x = pulled(pt.multiply, g, z, x)
    assert_near(by_z, g * x)
    assert_near(by_x, (wide(g) * wide(z).conj()).real)
    by_x, by_z = pulled(pt.subtract, g, x, z)
    assert_near(by_x, g.real)
    assert_near(by_z, -g)
    (by_x,) = pulled(lambda v: v.astype("complex64") * 1j, g, x)
    assert_near(by_x, (g * -1j).real)


def test_structure_and_sums(rng):
    z, g = sample(rng, 3, 4), sample(rng, 4, 3)
    assert_near(pulled(lambda v: v.T[::-1], g, z)[0], g[::-1].T)
    assert_near(pulled(pt.sum, np.array(2 + 1j, "complex64"), z)[0], np.full((3, 4), 2 + 1j))
    assert_near(pulled(lambda v: pt.pad(v, 1)[1:-1, 1:-1], g.T.copy(), z)[0], g.T)
    assert_near(pulled(lambda v: pt.take(v, [2, 0, 1], axis=0), g.T.copy(), z)[0], g.T[[1, 2, 0]])
    twice = np.concatenate([g.T, g.T])
    first, second = pulled(lambda v, x: pt.concat([v, x]), twice, z, z.real.copy())
    assert_near(first, g.T)
    assert_near(second, g.T.real)
    h = sample(rng)
    product = wide(z).prod()
    assert_near(pulled(pt.prod, h, z)[0], wide(h) * (product / wide(z)).conj(), 2e-5)
    running = pulled(lambda v: pt.cumulative_sum(v, axis=1), g.T.copy(), z)[0]
    assert_near(running, g.T[:, ::-1].cumsum(1)[:, ::-1])


def test_matrix_products(rng):
    a, b, g = sample(rng, 3, 5), sample(rng, 5, 2), sample(rng, 3, 2)
    by_a, by_b = pulled(pt.matmul, g, a, b)
    assert_near(by_a, wide(g) @ wide(b).conj().T)
    assert_near(by_b, wide(a).conj().T @ wide(g))


def test_gradients_of_losses(rng):
    z = sample(rng, 6)
    t = pt.asarray(z)
    value, gradient = pt.value_and_grad(lambda v: pt.sum(pt.abs(v) ** 2))(t)
    np.testing.assert_allclose(value.item(), (np.abs(z) ** 2).sum(), rtol=1e-6)
    assert_near(gradient, 2 * wide(z))

    # The direction of steepest ascent: a step against it reduces the loss.
    def loss(v):
        return pt.sum(pt.abs(v * v - 1j) ** 2)

    assert loss(t - 1e-3 * pt.grad(loss)(t)).item() < loss(t).item()
    both = pt.grad(lambda v, x: pt.real(pt.sum(v * x)), argnums=(0, 1))(t, pt.ones(6))
    assert_near(both[0], np.ones(6) + 0j)
    assert_near(both[1], z.real)
    assert pt.grad(lambda v: pt.real(v * 2j))(1 + 1j).item() == -2j


def test_jacobian_vector_products(rng):
    z, dz = sample(rng, 5), sample(rng, 5)
    _, dw = pt.jvp(pt.exp, (pt.asarray(z),), (pt.asarray(dz),))
    assert_near(dw, np.exp(wide(z)) * dz)
    _, dr = pt.jvp(pt.abs, (pt.asarray(z),), (pt.asarray(dz),))
    assert_near(dr, (wide(dz) * (wide(z) / np.abs(wide(z))).conj()).real)


def test_under_jit(rng):
    @pt.jit
    def step(v):
        return v - 0.1 * pt.grad(lambda w: pt.sum(pt.abs(w - 1j) ** 2))(v)

    z = sample(rng, 4)
    assert_near(step(pt.asarray(z)), wide(z) - 0.2 * (wide(z) - 1j))


def test_holomorphic_derivatives(rng):
    z = sample(rng, 3)
    t = pt.asarray(z)
    value, derivative = pt.value_and_grad(lambda v: v * v * 1j, holomorphic=True)(
        pt.asarray(1 + 2j)
    )
    assert (value.item(), derivative.item()) == ((1 + 2j) ** 2 * 1j, 2j * (1 + 2j))
    assert pt.grad(lambda v: v * 1j, holomorphic=True)(2.0 + 1j).item() == 1j
    expected = np.diag(np.cos(wide(z)))
    assert_near(pt.jacrev(pt.sin, holomorphic=True)(t), expected)
    assert_near(pt.jacfwd(pt.sin, holomorphic=True)(t), expected)
    second = pt.hessian(lambda v: pt.sum(v**3), holomorphic=True)(t)
    assert_near(second, np.diag(6 * wide(z)))


def test_holomorphic_functions_are_complex():
    with pytest.raises(errors.GradientError, match="single complex number"):
        pt.grad(lambda v: pt.real(v), holomorphic=True)(1j)
    with pytest.raises(errors.DTypeError, match="must be complex"):
        pt.jacrev(lambda x: x * 1j, holomorphic=True)(pt.asarray([1.0]))
    with pytest.raises(errors.DTypeError, match="must be complex"):
        pt.jacfwd(lambda z: pt.real(z), holomorphic=True)(pt.asarray([1j]))
