"""Programs in the style of JAX's documentation and examples give JAX's values.

Each program is a function of the library: of JAX, and of py_tensor with the same names.
"""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import jax
import jax.example_libraries.optimizers
import jax.example_libraries.stax
import jax.scipy.stats
import jax.test_util
import numpy as np
import pytest

import py_tensor as pt
import py_tensor.numpy

RANDOM = np.random.default_rng(0)
INPUTS = RANDOM.standard_normal((20, 3)).astype("float32")
TARGETS = (INPUTS.sum(axis=1) > 0).astype("float32")
JAX = SimpleNamespace(
    **{name: getattr(jax, name) for name in dir(jax) if not name.startswith("_")},
    np=jax.numpy,
)
OURS = SimpleNamespace(
    **{name: getattr(pt, name) for name in dir(pt) if name not in ("numpy", "np")},
    np=py_tensor.numpy,
)


def logistic_regression(lib):
    """Gradients, Hessian-vector products and checks of derivatives."""

    def predict(w, b, inputs):
        return 1.0 / (1.0 + lib.np.exp(-(lib.np.dot(inputs, w) + b)))

    def loss(w, b):
        p = predict(w, b, INPUTS)
        return -lib.np.sum(lib.np.log(p * TARGETS + (1 - p) * (1 - TARGETS)))

    w, b = lib.np.array([0.5, -0.3, 0.2]), 0.1
    value, (w_grad, b_grad) = lib.value_and_grad(loss, argnums=(0, 1))(w, b)
    only_w = partial(lambda b, w: loss(w, b), b)
    product = lib.jvp(lib.grad(only_w), (w,), (lib.np.ones(3),))[1]
    lib.test_util.check_grads(only_w, (w,), order=2, atol=0.1, rtol=0.05)
    return value, w_grad, b_grad, product, lib.jacobian(lib.grad(only_w))(w)


def clipped_and_stable(lib):
    """Rules in both forms, with arguments that have no derivative."""

    @partial(lib.custom_vjp, nondiff_argnums=(0,))
    def bounded(limit, x):
        return x

    bounded.defvjp(
        lambda limit, x: (bounded(limit, x), None),
        lambda limit, _, g: (lib.np.clip(g, -limit, limit),),
    )

    @lib.custom_jvp
    def softplus(x):
        return lib.np.log(1.0 + lib.np.exp(x))

    @softplus.defjvp
    def rule(primals, tangents):
        (x,), (t,) = primals, tangents
        return softplus(x), (1 - 1 / (1 + lib.np.exp(x))) * t

    x = lib.np.array([-2.0, 0.0, 100.0])
    first = lib.grad(lambda x: lib.np.sum(softplus(x)))(x)
    second = lib.vmap(lib.grad(lib.grad(softplus)))(x[:2])
    return first, second, lib.grad(lambda x: lib.np.sum(bounded(0.5, x) * x))(x)


def registered_containers(lib):
    """Classes as containers in jit, vmap and grad, and functions of trees."""

    @lib.tree_util.register_pytree_node_class
    class Point:
        def __init__(self, x, y, unit):
            self.x, self.y, self.unit = x, y, unit

        def tree_flatten(self):
            return (self.x, self.y), self.unit

        @classmethod
        def tree_unflatten(cls, unit, children):
            return cls(*children, unit)

    p = Point(lib.np.array([1.0, 2.0]), lib.np.array([3.0, 4.0]), "m")
    distance = lib.jit(lambda p: lib.np.sqrt(p.x**2 + p.y**2).sum())
    gradient = lib.grad(distance)(p)
    paths = [lib.tree_util.keystr(path) for path, _ in lib.tree.leaves_with_path({"p": [1, (2,)]})]
    assert paths == ["['p'][0]", "['p'][1][0]"] and gradient.unit == "m"
    rows = [{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 4.0}]
    columns = lib.tree.transpose(lib.tree.structure([0, 0]), lib.tree.structure(rows[0]), rows)
    return distance(p), lib.tree.leaves(gradient), columns["a"], lib.vmap(lambda p: p.x * p.y)(p)


def windows_and_slices(lib):
    """Convolutions, slices at traced positions, and updates out of range."""
    lax = lib.lax
    image = lib.np.asarray(RANDOM_IMAGE)
    kernel = lib.np.asarray(RANDOM_KERNEL)
    numbers = lax.conv_dimension_numbers(image.shape, kernel.shape, ("NHWC", "HWIO", "NHWC"))
    features = lax.conv_general_dilated(image, kernel, (2, 2), "SAME", (1, 1), (2, 2), numbers)
    pooled = lax.reduce_window(features, -lib.np.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    part = lib.jit(lambda x, at: lax.dynamic_slice(x, (0, at, 0, 0), (1, 2, 2, 1)))(image, 7)
    x = lib.np.arange(5.0)
    outside = x.at[lib.np.array([1, 9])].add(10.0, mode="drop")
    filled = x.at[lib.np.array([0, 9])].get(mode="fill", fill_value=-1.0)
    smoothed = lib.scipy.signal.convolve(x, lib.np.ones(3) / 3, mode="same")
    return features, pooled, part, outside, filled, smoothed, lax.top_k(x * -1, 2)


def holomorphic_functions(lib):
    """Complex derivatives."""
    z = lib.np.array([1 + 2j, 0.5 - 1j])
    return (
        lib.vmap(lib.grad(lambda z: z**3 + lib.np.sin(z), holomorphic=True))(z),
        lib.jacfwd(lambda z: lib.np.exp(z) * z[0], holomorphic=True)(z),
    )


def variational_inference(lib):
    """A lower bound of a density, sampled from a normal distribution, and ascended by Adam."""
    optimizers = lib.optimizers
    norm = lib.scipy.stats.norm

    def log_density(x):
        return norm.logpdf(x[0], 1.0, 2.0) + norm.logpdf(x[1], x[0] / 2, 0.5)

    def bound(params, noise):
        mean, log_std = params
        samples = mean + noise * lib.np.exp(log_std)
        entropy = lib.np.sum(log_std) + 2 * 0.5 * (1.0 + np.log(2 * np.pi))
        return lib.np.mean(lib.vmap(log_density)(samples)) + entropy

    init, update, get_params = optimizers.adam(0.05)

    @lib.jit
    def step(i, state, noise):
        return update(i, lib.grad(lambda p: -bound(p, noise))(get_params(state)), state)

    state = init((lib.np.zeros(2), lib.np.zeros(2)))
    for i in range(20):
        state = step(i, state, NOISE)
    return get_params(state)


def classifier(lib):
    """A network of stax, trained by momentum, with parameters that do not depend on a key."""
    stax, optimizers = lib.stax, lib.optimizers
    init_random, predict = stax.serial(stax.Dense(8), stax.Relu, stax.Dense(2), stax.LogSoftmax)
    shape, params = init_random(lib.random.key(0), (-1, 3))
    assert shape == (-1, 2)
    sizes = lib.tree.map(lambda leaf: leaf.size, params)
    assert lib.tree.leaves(sizes) == [24, 8, 16, 2]
    params = lib.tree.map(lambda leaf: lib.np.sin(lib.np.arange(1.0 * leaf.size)), params)
    params = lib.tree.map(lambda leaf, n: leaf.reshape(SHAPES[n]), params, sizes)
    init, update, get_params = optimizers.momentum(0.1, mass=0.9)
    labels = np.stack([1 - TARGETS, TARGETS], axis=1)

    def loss(params):
        return -lib.np.mean(lib.np.sum(predict(params, INPUTS) * labels, axis=1))

    @lib.jit
    def step(i, state):
        return update(i, lib.grad(loss)(get_params(state)), state)

    state = init(params)
    for i in range(5):
        state = step(i, state)
    return loss(get_params(state)), lib.tree.leaves(get_params(state))


def gaussian_process(lib):
    """Regression by factors of a kernel's matrix, and its likelihood's gradient."""
    linalg = lib.scipy.linalg

    def kernel(scale, a, b):
        squared = lib.vmap(lambda x: lib.vmap(lambda y: lib.np.sum((x - y) ** 2))(b))(a)
        return lib.np.exp(-squared / scale**2)

    def likelihood(scale):
        matrix = kernel(scale, INPUTS[:6], INPUTS[:6]) + 0.1 * lib.np.eye(6)
        factor = linalg.cholesky(matrix, lower=True)
        z = linalg.solve_triangular(factor, lib.np.asarray(TARGETS[:6]), lower=True)
        return -0.5 * lib.np.dot(z, z) - lib.np.sum(lib.np.log(lib.np.diag(factor)))

    matrix = kernel(1.0, INPUTS[:6], INPUTS[:6]) + 0.1 * lib.np.eye(6)
    weights, _ = lib.scipy.sparse.linalg.cg(matrix, lib.np.asarray(TARGETS[:6]))
    return lib.value_and_grad(likelihood)(1.3), weights


RANDOM_IMAGE = RANDOM.standard_normal((1, 9, 8, 2)).astype("float32")
RANDOM_KERNEL = RANDOM.standard_normal((3, 3, 2, 4)).astype("float32")
NOISE = RANDOM.standard_normal((16, 2)).astype("float32")
SHAPES = {24: (3, 8), 8: (8,), 16: (8, 2), 2: (2,)}
JAX.optimizers, JAX.stax = jax.example_libraries.optimizers, jax.example_libraries.stax
OURS.optimizers, OURS.stax = pt.example_libraries.optimizers, pt.example_libraries.stax
PROGRAMS = [
    logistic_regression,
    clipped_and_stable,
    registered_containers,
    windows_and_slices,
    holomorphic_functions,
    variational_inference,
    classifier,
    gaussian_process,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_values_are_those_of_jax(program):
    expected, got = jax.tree.leaves(program(JAX)), pt.tree.leaves(program(OURS))
    for ours, theirs in zip(got, expected, strict=True):
        assert np.shape(ours) == np.shape(theirs)
        np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=2e-3, atol=2e-4)
