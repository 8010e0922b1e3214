"""Layers return what JAX's return from the same parameters."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from jax.example_libraries import stax as theirs

import py_tensor as pt
from py_tensor.example_libraries import stax as ours


def dense(stax):
    return stax.serial(stax.Dense(8), stax.Relu, stax.Dense(3), stax.LogSoftmax)


def images(stax):
    return stax.serial(
        stax.Conv(4, (3, 3), padding="SAME"),
        stax.BatchNorm(),
        stax.Tanh,
        stax.MaxPool((2, 2), strides=(2, 2)),
        stax.AvgPool((2, 2)),
        stax.Flatten,
        stax.Dense(5),
    )


def branches(stax):
    return stax.serial(
        stax.FanOut(2),
        stax.parallel(stax.serial(stax.Dense(4), stax.Softplus), stax.Dense(4)),
        stax.FanInSum,
        stax.FanOut(2),
        stax.parallel(stax.Identity, stax.Sigmoid),
        stax.FanInConcat(),
        stax.shape_dependent(lambda shape: stax.Dense(shape[-1])),
    )


@pytest.mark.parametrize(
    ("network", "shape"), [(dense, (2, 6)), (images, (2, 8, 8, 3)), (branches, (3, 5))]
)
def test_outputs_are_those_of_jax(network, shape):
    init, apply = network(theirs)
    expected_shape, params = init(jax.random.key(0), (-1, *shape[1:]))
    x = np.random.default_rng(0).standard_normal(shape).astype("float32")
    own_init, own_apply = network(ours)
    own_shape, own_params = own_init(pt.random.key(0), (-1, *shape[1:]))
    # Convolutions of JAX return 0 for an unknown length.
    assert own_shape[1:] == expected_shape[1:] and own_shape[0] == -1
    leaves = jax.tree.leaves(params)
    assert [leaf.shape for leaf in pt.tree.leaves(own_params)] == [leaf.shape for leaf in leaves]
    same = pt.tree.unflatten(pt.tree.structure(own_params), [pt.asarray(leaf) for leaf in leaves])
    got = own_apply(same, pt.asarray(x)).numpy()
    np.testing.assert_allclose(got, apply(params, x), rtol=1e-4, atol=1e-5)


def test_dropout_needs_a_key():
    init, apply = ours.serial(ours.Dense(64), ours.Dropout(0.5))
    _, params = init(pt.random.key(0), (1, 4))
    x = pt.ones((1, 4))
    kept = (apply(params, x, rng=pt.random.key(1)) != 0).sum().item()
    assert 16 < kept < 48
    with pytest.raises(pt.errors.ArgumentError, match="there is no key"):
        apply(params, x)
    same = ours.Dropout(0.5, mode="test")[1]((), x)
    assert same is x
