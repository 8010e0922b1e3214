"""Recurrent layers: against their formulas, step by step in float64; states, both directions."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import HALF, assert_raises, assert_spec, assert_values, sample
from scipy.special import expit

import py_tensor as pt
from py_tensor import errors

nn = pt.nn
KINDS = {"RNN": nn.RNN, "GRU": nn.GRU, "LSTM": nn.LSTM}


def steps(kind, layer, x, state=None):
    """Outputs and the last state."""
    w, u, b = (
        getattr(layer, name).numpy().astype("float64")
        for name in ("weight", "recurrent_weight", "bias")
    )
    units = u.shape[0]
    zero = np.zeros((x.shape[0], units))
    h, c = state if kind == "LSTM" and state else (zero if state is None else state, zero)
    outputs = []
    for at in range(x.shape[1]):
        inputs = x[:, at].astype("float64") @ w + b
        if kind == "RNN":
            h = np.tanh(inputs + h @ u)
        elif kind == "GRU":
            before = h @ u + layer.recurrent_bias.numpy()
            r, z, n = (slice(i * units, (i + 1) * units) for i in range(3))
            reset = expit(inputs[:, r] + before[:, r])
            update = expit(inputs[:, z] + before[:, z])
            h = (1 - update) * np.tanh(inputs[:, n] + reset * before[:, n]) + update * h
        else:
            i, f, g, o = np.split(inputs + h @ u, 4, axis=-1)
            c = expit(f) * c + expit(i) * np.tanh(g)
            h = expit(o) * np.tanh(c)
        outputs.append(h)
    return np.stack(outputs, axis=1), (h, c) if kind == "LSTM" else h


def leaves(state):
    return list(state) if isinstance(state, tuple) else [state]


def check(got, want, dtype="float32"):
    """Outputs lie in -1 .. 1; each step adds an error of some units in their last place."""
    tolerance = 4e-6 if dtype == "float32" else 8 * HALF
    for a, b in zip([got[0], *leaves(got[1])], [want[0], *leaves(want[1])], strict=True):
        assert_values(a, b.astype(dtype), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("shape", "units"), [((2, 5, 3), 4), ((1, 1, 4), 3), ((3, 10, 8), 8)], ids=str
)
def test_steps(kind, shape, units, rng):
    layer = KINDS[kind](shape[2], units, bias_init=lambda n, dtype: pt.random.normal(n))
    x = sample(rng, shape, "float32", -1.0, 1.0)
    check(layer(pt.asarray(x)), steps(kind, layer, x))


@pytest.mark.parametrize("kind", KINDS)
def test_halves(kind, rng):
    layer = KINDS[kind](3, 4, dtype="float16")
    x = sample(rng, (2, 4, 3), "float16", -1.0, 1.0)
    check(layer(pt.asarray(x)), steps(kind, layer, x), "float16")


@pytest.mark.parametrize("kind", KINDS)
def test_a_call_goes_on_from_a_state(kind, rng):
    layer = KINDS[kind](3, 4)
    x = pt.asarray(sample(rng, (2, 6, 3), "float32"))
    whole, last = layer(x)
    first, state = layer(x[:, :2])
    second, end = layer(x[:, 2:], state)
    assert_values(pt.concat([first, second], axis=1), whole.numpy(), rtol=1e-6, atol=1e-6)
    for a, b in zip(leaves(end), leaves(last), strict=True):
        assert_values(a, b.numpy(), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_under_jit(kind, rng):
    layer = KINDS[kind](3, 4)
    x = sample(rng, (2, 5, 3), "float32")
    apply = pt.jit(lambda layer, x: layer(x))
    check(apply(layer, pt.asarray(x)), steps(kind, layer, x))


def test_both_directions(rng):
    layer = nn.Bidirectional(nn.GRU(3, 4), nn.LSTM(3, 2))
    x = sample(rng, (2, 5, 3), "float32")
    outputs, (ahead, back) = layer(pt.asarray(x))
    first, last = steps("GRU", layer.forward_layer, x)
    second, (h, c) = steps("LSTM", layer.backward_layer, x[:, ::-1])
    want = np.concatenate([first, second[:, ::-1]], axis=-1)
    check((outputs, (ahead, *back)), (want, (last, h, c)))
    again, _ = layer(pt.asarray(x), (ahead, back))
    assert_spec(again, (2, 5, 6), "float32")


def test_first_biases():
    assert_values(nn.LSTM(2, 3).bias, np.float32([0] * 3 + [1] * 3 + [0] * 6))
    assert_values(nn.LSTM(2, 3, bias_init=nn.initializers.zeros).bias, np.zeros(12, "float32"))
    assert_values(nn.GRU(2, 3).bias, np.zeros(9, "float32"))


def test_in_a_model(rng):
    model = nn.Sequential(
        nn.Embedding(10, 4), nn.LSTM(4, 8), lambda result: result[0][:, -1], nn.Dense(8, 2)
    )
    got = model(pt.asarray(rng.integers(0, 10, (3, 5)).astype("int32")))
    assert_spec(got, (3, 2), "float32")
    assert repr(model[1]) == "LSTM(4 -> 8)"


@pytest.mark.parametrize("shape", [(5, 3), (2, 0, 3)], ids=str)
def test_what_is_no_sequence(shape):
    assert_raises(
        errors.ShapeError,
        f"GRU(3 -> 4): gru: not a sequence; got shape {shape}; x is (batch, time, features) with "
        "at least one step",
        lambda: nn.GRU(3, 4)(pt.zeros(shape)),
    )
