"""Random generators draw NumPy's distributions, from counters that a seed determines."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises

import py_tensor as pt
from py_tensor import errors

COUNT = 4000
LIMIT = 0.033
"""Kolmogorov-Smirnov distance of 4,000 and 40,000 numbers that equal distributions exceed with a
probability of 0.001; the seeds are fixed."""
DRAWS = [
    ("random", ()),
    ("uniform", (2.0, 5.0)),
    ("normal", (1.0, 3.0)),
    ("standard_normal", ()),
    ("exponential", (2.0,)),
    ("standard_exponential", ()),
    ("laplace", (1.0, 2.0)),
    ("logistic", (1.0, 2.0)),
    ("lognormal", (0.5, 0.8)),
    ("gumbel", (1.0, 2.0)),
    ("rayleigh", (2.0,)),
    ("weibull", (1.5,)),
    ("pareto", (3.0,)),
    ("power", (2.5,)),
    ("triangular", (-1.0, 0.5, 3.0)),
    ("standard_cauchy", ()),
    ("standard_gamma", (0.4,)),
    ("standard_gamma", (1.0,)),
    ("gamma", (7.5, 2.0)),
    ("chisquare", (3.0,)),
    ("noncentral_chisquare", (3.0, 2.0)),
    ("wald", (2.0, 3.0)),
    ("negative_binomial", (4.5, 0.3)),
    ("standard_t", (4.0,)),
    ("f", (5.0, 9.0)),
    ("beta", (0.5, 2.0)),
    ("beta", (0.1, 0.2)),
    ("beta", (0.05, 3.0)),
    ("gamma", (0.05, 2.0)),
    ("integers", (-3, 9)),
    ("geometric", (0.3,)),
    ("poisson", (0.7,)),
    ("poisson", (300.0,)),
    ("poisson", (2e9,)),
    ("binomial", (12, 0.3)),
    ("binomial", (100_000, 0.01)),
]


def distance(a, b):
    """Largest difference of the empirical distribution functions of two samples."""
    points = np.concatenate([a, b])
    first, second = (np.searchsorted(np.sort(x), points, "right") / len(x) for x in (a, b))
    return np.abs(first - second).max()


@pytest.mark.parametrize(("name", "parameters"), DRAWS)
def test_distributions(name, parameters):
    got = getattr(pt.random.default_rng(3), name)(*parameters, size=(COUNT // 4, 4))
    assert got.shape == (COUNT // 4, 4)
    expected = getattr(np.random.default_rng(4), name)(*parameters, size=10 * COUNT)
    assert got.dtype.name == {"f": "float32", "i": "int32"}[expected.dtype.kind]
    # Many numbers of beta(0.1, 0.2) round to 1 in float32.
    expected = expected.astype("float32") if expected.dtype.kind == "f" else expected
    assert distance(got.numpy().ravel().astype("float64"), expected.astype("float64")) < LIMIT


@pytest.mark.parametrize("shape", [0.01, 0.05, 3.0])
def test_logarithms_of_small_gamma_numbers(shape):
    got = pt.random.loggamma(pt.random.key(3), shape, (COUNT,)).numpy().astype("float64")
    # G(a) has the distribution of G(a + 1) U^(1/a), which does not underflow in logarithms.
    rng = np.random.default_rng(4)
    expected = np.log(rng.gamma(shape + 1, size=10 * COUNT))
    expected += np.log(rng.random(10 * COUNT)) / shape
    assert distance(got, expected) < LIMIT


def test_other_distributions_are_far():
    rng = np.random.default_rng(0)
    assert distance(rng.normal(size=COUNT), rng.normal(0.1, size=10 * COUNT)) > LIMIT


def test_parameters_broadcast():
    rng = pt.random.default_rng(1)
    means = rng.normal(pt.asarray([0.0, 100.0]), [[1.0], [2.0]], size=(2, 2)).tolist()
    assert all(row[1] - row[0] > 80 for row in means)
    assert rng.uniform([0.0, 5.0], [1.0, 6.0]).shape == (2,)
    counts = rng.poisson(pt.asarray([0.0, 50.0, 50.0]), size=(200, 3)).numpy()
    assert counts[:, 0].max() == 0
    assert abs(counts[:, 1].mean() - 50) < 2
    assert rng.binomial(10, [0.0, 1.0]).tolist() == [0, 10]
    assert rng.negative_binomial(10, 1.0).item() == 0


def test_vectors():
    rng = pt.random.default_rng(5)
    shares = rng.dirichlet([1.0, 2.0, 7.0], size=3000).numpy()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-5)
    np.testing.assert_allclose(shares.mean(axis=0), [0.1, 0.2, 0.7], atol=0.02)
    counts = rng.multinomial(20, [0.2, 0.3, 0.5], size=1000).numpy()
    assert (counts.sum(axis=1) == 20).all()
    np.testing.assert_allclose(counts.mean(axis=0), [4.0, 6.0, 10.0], atol=0.3)
    cov = [[2.0, 0.6], [0.6, 1.0]]
    x = rng.multivariate_normal([1.0, -1.0], cov, size=5000).numpy()
    np.testing.assert_allclose(np.cov(x.T), cov, atol=0.12)
    np.testing.assert_allclose(x.mean(axis=0), [1.0, -1.0], atol=0.08)


def test_permutations_and_choices():
    rng = pt.random.default_rng(8)
    x = pt.arange(50)
    for order in (rng.permutation(50), rng.permutation(x), rng.permuted(x)):
        assert order.tolist() != list(range(50))
        assert sorted(order.tolist()) == list(range(50))
    shuffled = pt.arange(50)
    rng.shuffle(shuffled)
    assert shuffled.tolist() != sorted(shuffled.tolist()) == list(range(50))
    values = list(range(50))
    rng.shuffle(values)
    assert values != sorted(values) == list(range(50))
    rows = rng.permuted(pt.asarray([list(range(20))] * 2), axis=1).tolist()
    assert rows[0] != rows[1]
    assert sorted(rows[0]) == sorted(rows[1]) == list(range(20))
    assert sorted(rng.choice(10, 10, replace=False).tolist()) == list(range(10))
    weighted = rng.choice(3, 3000, p=[0.1, 0.0, 0.9]).numpy()
    np.testing.assert_allclose(np.bincount(weighted, minlength=3) / 3000, [0.1, 0, 0.9], atol=0.03)
    assert 1 not in rng.choice(3, 2, replace=False, p=[0.5, 0.0, 0.5]).tolist()
    assert rng.choice([[1, 2], [3, 4]], 5, axis=1).shape == (2, 5)
    assert rng.choice([5]).item() == 5
    assert len(rng.bytes(7)) == 7
    assert_raises(
        errors.ShapeError,
        "choice: too few slices; got 3 to draw 4 from",
        lambda: rng.choice(3, 4, replace=False),
    )


def test_choices_of_objects_are_elements_and_lists():
    rng = pt.random.default_rng(3)
    letters = ["a", "b", "c"]
    assert rng.choice(letters) in letters
    text = rng.choice(letters, 200)
    assert "".join(text).strip("abc") == ""
    assert set(text) == set(letters)
    rows = rng.choice((None, print), size=(2, 3))
    assert [len(row) for row in rows] == [3, 3]
    assert {item for row in rows for item in row} <= {None, print}
    assert sorted(rng.choice(letters, 3, replace=False)) == letters
    assert rng.choice(letters, 4, p=[0.0, 1.0, 0.0]) == ["b"] * 4
    assert rng.choice(letters, 0) == []
    assert rng.choice([pt.asarray(2.0), np.float32(3), 4]).dtype is pt.float32
    pt.random.seed(5)
    drawn = pt.random.choice(letters, 20)
    pt.numpy.random.seed(5)
    assert pt.numpy.random.choice(letters, size=20) == drawn
    assert_raises(
        errors.ShapeError,
        "choice: too few slices; got 3 to draw 4 from",
        lambda: rng.choice(letters, 4, replace=False),
    )
    assert_raises(
        errors.ShapeError,
        "choice: probabilities do not fit; got (2,) for 3 slices",
        lambda: rng.choice(letters, p=[0.5, 0.5]),
    )
    with pytest.raises(errors.ShapeError, match="choice: axis out of range"):
        rng.choice(letters, axis=1)


def test_seeds():
    first, second = (pt.random.default_rng(7) for _ in range(2))
    assert first.random(4).tolist() == second.random(4).tolist()
    assert first.random(4).tolist() != pt.random.default_rng(8).random(4).tolist()
    assert pt.random.default_rng(first) is first
    assert pt.random.default_rng().random() != pt.random.default_rng().random()
    children = first.spawn(2)
    assert children[0].random(4).tolist() != children[1].random(4).tolist()


def test_the_older_interface():
    pt.random.seed(3)
    a = [pt.random.rand(2, 3), pt.random.randn(4), pt.random.randint(0, 9, (5,))]
    pt.random.seed(3)
    b = [pt.random.rand(2, 3), pt.random.randn(4), pt.random.randint(0, 9, (5,))]
    assert [x.tolist() for x in a] == [x.tolist() for x in b]
    assert [x.shape for x in a] == [(2, 3), (4,), (5,)]
    state = pt.random.RandomState(1)
    x = state.random_sample(3).tolist()
    state.seed(1)
    assert state.random(3).tolist() == x
    assert pt.random.exponential(2.0, 3).shape == (3,)


def test_each_call_under_jit_draws_anew():
    rng = pt.random.default_rng(0)
    draw = pt.jit(lambda x: x + rng.random(4))
    drawn = [draw(pt.zeros(4)).tolist() for _ in range(4)]
    assert len(set(map(tuple, drawn))) == 4
