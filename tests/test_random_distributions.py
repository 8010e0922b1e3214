"""Distributions made of uniform numbers: formulas, frequencies, and keys that are tensors."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises, assert_spec, assert_values

import py_tensor as pt
from py_tensor import errors


def key():
    """Return a key; a tensor of the module would stay in memory."""
    return pt.random.key(5)


COUNT = 20000


def unit(shape):
    return pt.random.uniform(shape, key=key()).numpy()


def test_bernoulli():
    p = np.float32([[0.2], [0.7]])
    got = pt.random.bernoulli(pt.asarray(p), (2, COUNT), key=key())
    assert_values(got, unit((2, COUNT)) < p)
    np.testing.assert_allclose(got.numpy().mean(1), p[:, 0], atol=0.02)
    assert_spec(pt.random.bernoulli(pt.asarray(p)), (2, 1), "bool")
    assert_spec(pt.random.bernoulli(), (), "bool")


def test_gumbel():
    got = pt.random.gumbel((COUNT,), key=key())
    u = np.maximum(unit((COUNT,)), np.finfo("float32").tiny)
    assert_values(got, -np.log(-np.log(u)), rtol=1e-5, atol=2e-6)
    assert abs(got.numpy().mean() - 0.5772) < 0.03
    assert_spec(pt.random.gumbel((2, 3), dtype="float16"), (2, 3), "float16")


@pytest.mark.parametrize("axis", [0, -1])
def test_categorical(axis):
    p = np.float32([[0.1, 0.6, 0.3], [0.5, 0.25, 0.25]])
    logits = np.log(p) + np.float32([[3.0], [-2.0]])
    logits = logits if axis == -1 else logits.T.copy()
    got = pt.random.categorical(pt.asarray(logits), axis, (COUNT, 2), key=key())
    assert_spec(got, (COUNT, 2), "int32")
    frequencies = np.stack([(got.numpy() == at).mean(0) for at in range(3)], axis=1)
    np.testing.assert_allclose(frequencies, p, atol=0.02)
    assert pt.random.categorical(pt.asarray(logits), axis).shape == (2,)
    assert_raises(
        errors.ShapeError,
        f"categorical: shape does not fit; got (3,) for logits of shape {logits.shape}; "
        "give a shape that ends with (2,)",
        lambda: pt.random.categorical(pt.asarray(logits), axis, (3,)),
    )


def test_truncated_normal():
    got = pt.random.truncated_normal(-0.5, 2.0, (COUNT,), key=key()).numpy()
    assert got.min() > -0.5
    assert got.max() < 2.0
    # Mean of the distribution: (phi(-0.5) - phi(2)) / (Phi(2) - Phi(-0.5)).
    assert abs(got.mean() - (0.35206533 - 0.05399097) / (0.97724987 - 0.30853754)) < 0.02
    limits = pt.asarray([-1.0, 3.0])
    far = pt.random.truncated_normal(limits, limits + 0.5)
    assert_spec(far, (2,), "float32")
    assert (far >= limits).tolist() == [True, True]


def test_keys_inside_vmap_and_scan():
    keys = pt.random.split(key(), 3)
    want = np.stack([pt.random.normal((4,), key=key).numpy() for key in keys])
    got = pt.vmap(lambda key: pt.random.normal((4,), key=key))(keys)
    assert_values(got, want, rtol=1e-6)
    _, scanned = pt.lax.scan(lambda c, key: (c, pt.random.normal((4,), key=key)), 0.0, keys)
    assert_values(scanned, want, rtol=1e-6)
    assert_raises(
        errors.DTypeError,
        "normal: key is no pair of words; got a tensor of int32, shape (2,); "
        "use pt.random.key(0), or vmap over keys of pt.random.split",
        lambda: pt.random.normal((), key=pt.asarray([1, 2])),
    )
