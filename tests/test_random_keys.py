"""Keys of random numbers: JAX's order of parameters, and keys inside of transformations."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from helpers import assert_raises, assert_spec, assert_values

import py_tensor as pt
from py_tensor import errors

KNOWN = json.loads((Path(__file__).parent / "reference_data" / "jax_key_numbers.json").read_text())
CALLS = KNOWN["calls"]
"""Values of `jax.random` for key 7, by the text of the call."""


@pytest.mark.parametrize("call", CALLS)
def test_a_key_as_first_argument_means_jaxs_order_and_numbers(call):
    random = pt.random
    got = eval(call, {"random": random, "key": random.key(7), "pt": pt})
    want = np.asarray(CALLS[call]["values"], dtype=CALLS[call]["dtype"])
    if want.dtype.kind in "iub":
        assert_values(got, want)
    else:
        assert_values(got, want, rtol=2e-5, atol=2e-6)


def chain(count):
    """Return numbers of keys that are split one after the other, without a transformation."""
    key, numbers = pt.random.key(3), []
    for _ in range(count):
        key, drawn = pt.random.split(key)
        numbers.append(pt.random.uniform(drawn, (2,)).tolist())
    return numbers, key.tolist()


def step(key):
    key, drawn = pt.random.split(key)
    return key, pt.random.uniform(drawn, (2,))


def test_keys_are_split_inside_scan():
    key, numbers = pt.lax.scan(lambda key, _: step(key), pt.random.key(3), None, 4)
    assert (numbers.tolist(), key.tolist()) == chain(4)


def test_keys_are_split_inside_jit():
    @pt.jit
    def several(key):
        numbers = []
        for _ in range(3):
            key, drawn = step(key)
            numbers.append(drawn)
        return pt.stack(numbers), key

    numbers, key = several(pt.random.key(3))
    assert (numbers.tolist(), key.tolist()) == chain(3)


def test_keys_are_split_inside_loops():
    def body(i, carry):
        key, total = carry
        key, drawn = step(key)
        return key, total + drawn

    key, total = pt.lax.fori_loop(0, 3, body, (pt.random.key(3), pt.zeros(2)))
    numbers, last = chain(3)
    assert key.tolist() == last
    assert_values(total, np.sum(np.float32(numbers), axis=0), rtol=1e-6)
    key, _ = pt.lax.while_loop(
        lambda carry: carry[1] < 3, lambda carry: (step(carry[0])[0], carry[1] + 1), (key, 0)
    )
    assert key.tolist() == chain(6)[1]


def test_keys_are_split_inside_vmap():
    keys = pt.random.split(pt.random.key(1), 3)
    got = pt.vmap(lambda key: pt.random.split(key, 2))(keys)
    assert got.tolist() == [pt.random.split(key, 2).tolist() for key in keys]


def test_numbers_folded_into_keys_are_those_of_split():
    key = pt.random.key(11)
    want = pt.random.split(key, 4).tolist()
    assert [pt.random.fold_in(key, i).tolist() for i in range(4)] == want
    assert pt.vmap(lambda i: pt.random.fold_in(key, i))(pt.arange(4)).tolist() == want
    assert pt.jit(lambda i: pt.random.fold_in(key, i))(2).tolist() == want[2]
    _, scanned = pt.lax.scan(lambda c, i: (c, pt.random.fold_in(key, i)), 0, pt.arange(4))
    assert scanned.tolist() == want
    assert pt.random.split(key, (2, 2)).tolist() == [want[:2], want[2:]]


def test_keys_are_made_of_traced_seeds():
    want = [pt.random.key(seed).tolist() for seed in range(3)]
    assert pt.vmap(pt.random.PRNGKey)(pt.arange(3)).tolist() == want
    assert pt.jit(pt.random.key)(2).tolist() == want[2]
    assert pt.random.key_data(pt.random.wrap_key_data(want[1])).tolist() == want[1]


def test_gradients_pass_draws():
    key = pt.random.key(5)
    gradient = pt.grad(lambda scale, key: pt.sum(scale * pt.random.normal(key, (4,))))(2.0, key)
    assert_values(gradient, pt.random.normal(key, (4,)).numpy().sum(), rtol=1e-5)


def test_a_key_is_used_under_checkpoint_and_dropout():
    key = pt.random.key(5)
    x = pt.ones((8,))
    kept = pt.nn.dropout(x, 0.5, key=key).tolist()
    assert pt.jit(lambda x, key: pt.nn.dropout(x, 0.5, key=key))(x, key).tolist() == kept


DISTRIBUTIONS = {
    "gamma": ((2.5,), 2.5, 2.5),
    "beta": ((2.0, 3.0), 0.4, 0.04),
    "poisson": ((4.0,), 4.0, 4.0),
    "binomial": ((10, 0.3), 3.0, 2.1),
    "geometric": ((0.25,), 4.0, 12.0),
    "chisquare": ((3.0,), 3.0, 6.0),
    "pareto": ((5.0,), 1.25, 0.104),
    "rayleigh": ((2.0,), 2.507, 1.717),
    "triangular": ((0.0, 1.0, 2.0), 1.0, 1 / 6),
    "t": ((8.0,), 0.0, 4 / 3),
    "lognormal": ((0.5,), 1.1331, 0.3647),
}
"""Parameters after the key, mean and variance."""


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions_of_a_key(name):
    parameters, mean, variance = DISTRIBUTIONS[name]
    draw = getattr(pt.random, name)
    key = pt.random.key(9)
    x = draw(key, *parameters, shape=(8000,)).numpy().astype("float64")
    assert abs(x.mean() - mean) < 5 * np.sqrt(variance / len(x))
    assert abs(x.var() - variance) < 0.15 * variance
    again = draw(key, *parameters, (8000,)).numpy()
    # The JAX backend compiles a graph that comes a second time, which rounds other operations.
    np.testing.assert_allclose(x, again, rtol=1e-5 if pt.get_backend() == "jax" else 0)


def test_vectors_of_a_key():
    key = pt.random.key(2)
    assert_spec(pt.random.dirichlet(key, [1.0, 2.0], (3,)), (3, 2), "float32")
    drawn = pt.random.multivariate_normal(key, [0.0, 1.0], [[1.0, 0.2], [0.2, 1.0]], (4,))
    assert_spec(drawn, (4, 2), "float32")
    rows = pt.random.permutation(key, pt.asarray([[1, 2, 3]] * 4), 1, independent=True).tolist()
    assert [sorted(row) for row in rows] == [[1, 2, 3]] * 4
    assert_raises(
        errors.ShapeError,
        "choice: too few slices; got 3 to draw 4 from",
        lambda: pt.random.choice(key, 3, (4,), replace=False),
    )


def test_limits_that_are_tensors_broadcast():
    limits = pt.asarray([0.0, 10.0])
    x = pt.random.uniform(pt.random.key(0), (50, 2), minval=limits, maxval=limits + 1).numpy()
    assert ((x >= [0, 10]) & (x < [1, 11])).all()
