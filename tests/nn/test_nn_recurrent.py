"""Recurrent layers against their formulas, step by step in float64; states, both directions."""

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
    """Compute the outputs and the last state."""
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
    """Compare outputs, which are in -1 .. 1; each step adds a few units in the last place."""
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
def test_a_call_continues_from_a_state(kind, rng):
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


def test_initial_biases():
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
def test_invalid_sequences_are_refused(shape):
    assert_raises(
        errors.ShapeError,
        f"GRU(3 -> 4): gru: input must be a sequence; got shape {shape}; x must have shape "
        "(batch, time, features) with at least one step",
        lambda: nn.GRU(3, 4)(pt.zeros(shape)),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_layers_in_a_model_pass_on_their_outputs(kind, rng):
    x = sample(rng, (3, 5, 4), "float32")
    layer, dense = KINDS[kind](4, 6), nn.Dense(6, 2)
    outputs, _ = layer(pt.asarray(x))
    assert_values(nn.Sequential(layer, dense)(pt.asarray(x)), dense(outputs).numpy())
    pair = nn.Bidirectional(KINDS[kind](4, 3), KINDS[kind](4, 3))
    outputs, _ = pair(pt.asarray(x))
    assert_values(nn.Sequential(pair, dense)(pt.asarray(x)), dense(outputs).numpy())
    assert len(nn.Sequential(dense, KINDS[kind](2, 3))(pt.ones((2, 5, 6)))) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_forms_of_the_result(kind, rng):
    x = pt.asarray(sample(rng, (2, 5, 3), "float32"))
    layer = KINDS[kind](3, 4)
    whole, state = layer(x)
    for sequences in (True, False):
        want = whole if sequences else whole[:, -1]
        layer.return_sequences, layer.return_state = sequences, True
        outputs, last = layer(x)
        assert_values(outputs, want.numpy())
        for a, b in zip(leaves(last), leaves(state), strict=True):
            assert_values(a, b.numpy())
        layer.return_state = False
        assert_values(layer(x), want.numpy())


@pytest.mark.parametrize("kind", KINDS)
def test_going_backwards(kind, rng):
    x = sample(rng, (2, 5, 3), "float32")
    layer = KINDS[kind](3, 4, go_backwards=True)
    check(layer(pt.asarray(x)), steps(kind, layer, x[:, ::-1]))


@pytest.mark.parametrize("kind", KINDS)
def test_several_layers(kind, rng):
    x = sample(rng, (2, 4, 3), "float32")
    layer = KINDS[kind](3, 4, layers=3)
    outputs, states = layer(pt.asarray(x))
    want = x
    for each, state in zip((layer, *layer.upper), states, strict=True):
        want, last = steps(kind, each, want)
        check((pt.asarray(want.astype("float32")), state), (want, last))
    assert_values(outputs, want.astype("float32"), rtol=4e-6, atol=4e-6)
    first, between = layer(pt.asarray(x[:, :2]))
    second, _ = layer(pt.asarray(x[:, 2:]), between)
    assert_values(pt.concat([first, second], axis=1), outputs.numpy(), rtol=1e-6, atol=1e-6)
    assert repr(layer).splitlines()[0].startswith(f"{kind}(3 -> 4, 3 layers)")


@pytest.mark.parametrize("kind", KINDS)
def test_masked_steps_are_skipped(kind, rng):
    """Masked steps change nothing: other outputs equal the outputs of the shorter sequence."""
    x = sample(rng, (2, 6, 3), "float32")
    mask = np.array([[1, 1, 0, 1, 0, 0], [0, 1, 1, 1, 1, 0]], bool)
    layer = KINDS[kind](3, 4)
    outputs, state = layer(pt.asarray(x), mask=pt.asarray(mask))
    for row, valid in enumerate(mask):
        want, last = steps(kind, layer, x[row : row + 1, valid])
        got = outputs[row : row + 1].numpy()
        np.testing.assert_allclose(got[:, valid], want, rtol=4e-6, atol=4e-6)
        np.testing.assert_allclose(got[:, -1], want[:, -1], rtol=4e-6, atol=4e-6)
        for a, b in zip(leaves(state), leaves(last), strict=True):
            np.testing.assert_allclose(a[row : row + 1].numpy(), b, rtol=4e-6, atol=4e-6)
    assert not outputs[1, 0].numpy().any()
    back = KINDS[kind](3, 4, go_backwards=True, return_sequences=False, return_state=False)
    want, _ = steps(kind, back, x[:1, mask[0]][:, ::-1])
    got = back(pt.asarray(x[:1]), mask=mask[:1].astype("int32"))
    assert_values(got, want[:, -1].astype("float32"), rtol=4e-6, atol=4e-6)


def test_masks_of_both_directions(rng):
    x = sample(rng, (1, 5, 3), "float32")
    mask = np.array([[True, True, True, False, False]])
    layer = nn.Bidirectional(
        nn.GRU(3, 4, return_sequences=False), nn.GRU(3, 4, return_sequences=False)
    )
    outputs, _ = layer(pt.asarray(x), mask=mask)
    ahead, _ = steps("GRU", layer.forward_layer, x[:, :3])
    back, _ = steps("GRU", layer.backward_layer, x[:, 2::-1])
    want = np.concatenate([ahead[:, -1], back[:, -1]], axis=-1).astype("float32")
    assert_values(outputs, want, rtol=4e-6, atol=4e-6)


@pytest.mark.parametrize(
    ("mode", "merge"),
    [("sum", np.add), ("mul", np.multiply), ("ave", lambda a, b: (a + b) / 2)],
)
def test_merge_modes(mode, merge, rng):
    x = sample(rng, (2, 5, 3), "float32")
    plain = {"return_state": False}
    layer = nn.Bidirectional(nn.RNN(3, 4, **plain), nn.RNN(3, 4, **plain), merge_mode=mode)
    ahead, _ = steps("RNN", layer.forward_layer, x)
    back, _ = steps("RNN", layer.backward_layer, x[:, ::-1])
    want = merge(ahead, back[:, ::-1]).astype("float32")
    assert_values(layer(pt.asarray(x)), want, rtol=4e-6, atol=4e-6)


@pytest.mark.parametrize("jitted", [False, True], ids=["eager", "jit"])
@pytest.mark.parametrize("kind", KINDS)
def test_stateful_layers_continue(kind, jitted, rng):
    x = pt.asarray(sample(rng, (2, 6, 3), "float32"))
    layer = KINDS[kind](3, 4, stateful=True, batch_size=2, layers=2)
    whole, _ = layer(x)
    layer.reset_state()
    call = pt.jit(lambda layer, x: layer(x)) if jitted else layer.__call__
    given = (layer,) if jitted else ()
    first, _ = call(*given, x[:, :3])
    second, _ = call(*given, x[:, 3:])
    assert_values(pt.concat([first, second], axis=1), whole.numpy(), rtol=1e-6, atol=1e-6)


def test_stateful_state_is_not_trained():
    stateful = nn.GRU(3, 4, stateful=True, batch_size=2)
    trained = pt.optim.sgd().init(stateful).vectors[0].size
    assert trained == pt.optim.sgd().init(nn.GRU(3, 4)).vectors[0].size


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("option", ["dropout", "recurrent_dropout"])
def test_dropout(kind, option, rng):
    x = pt.asarray(sample(rng, (2, 5, 3), "float32", 0.5, 1.0))
    layer = KINDS[kind](3, 4, **{option: 0.5})
    plain, _ = steps(kind, layer, x.numpy())
    assert_values(layer(x)[0], plain.astype("float32"), rtol=4e-6, atol=4e-6)
    pt.random.seed(1)
    dropped = layer(x, training=True)[0].numpy()
    assert abs(dropped - plain).max() > 1e-3
    if option == "recurrent_dropout":
        np.testing.assert_allclose(dropped[:, 0], plain[:, 0], rtol=4e-6, atol=4e-6)
    # All dropped: the layer sees zeros.
    setattr(layer, option, 1.0)
    other = KINDS[kind](3, 4)
    other.weight, other.bias = layer.weight, layer.bias
    if option == "dropout":
        other.recurrent_weight = layer.recurrent_weight
        want, _ = other(pt.zeros((2, 5, 3)))
    else:
        other.recurrent_weight = pt.zeros_like(layer.recurrent_weight)
        want, _ = other(x)
    assert_values(layer(x, training=True)[0], want.numpy(), rtol=1e-6, atol=1e-6)


def test_input_dropout_is_the_same_in_all_steps():
    layer = nn.RNN(3, 3, dropout=0.5, weight_init=lambda n, dtype: pt.eye(3))
    layer.recurrent_weight = pt.zeros((3, 3))
    pt.random.seed(3)
    got = layer(pt.ones((4, 5, 3)), training=True)[0].numpy()
    np.testing.assert_array_equal(got, np.broadcast_to(got[:, :1], got.shape))
    assert set(np.round(got.ravel(), 3)) == {0.0, np.float32(0.964)}


OPTIONS = {
    "unknown": (
        lambda: nn.GRU(3, 4, num_layers=2),
        "GRU: unknown option; got 'num_layers'; use one of layers, return_sequences, "
        "return_state, stateful, batch_size, go_backwards, dropout, recurrent_dropout",
    ),
    "layers": (
        lambda: nn.GRU(3, 4, layers=0),
        "GRU: layers is too small; got 0; use 1 or more",
    ),
    "rate": (
        lambda: nn.LSTM(3, 4, dropout=2),
        "LSTM: rate must be a probability; got 2.0; use a number from 0 to 1",
    ),
    "batch size": (
        lambda: nn.LSTM(3, 4, stateful=True),
        "LSTM: a stateful layer needs a batch size; got none; pass batch_size=, the number of "
        "sequences in each batch",
    ),
    "merge_mode": (
        lambda: nn.Bidirectional(nn.RNN(1, 1), nn.RNN(1, 1), merge_mode="add"),
        'Bidirectional: merge_mode is unknown; got \'add\'; use "concat", "sum", "mul" or "ave"',
    ),
    "different forms": (
        lambda: nn.Bidirectional(nn.RNN(1, 1), nn.RNN(1, 1, return_state=False)),
        "Bidirectional: layers must agree in return_state; got True and False; pass the same to "
        "both",
    ),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_invalid_options_are_refused(name):
    call, text = OPTIONS[name]
    assert_raises(errors.ArgumentError, text, call)


def test_masks_of_another_shape_are_refused():
    assert_raises(
        errors.ShapeError,
        "GRU(3 -> 4): gru: mask must have one value per step; got shape (2, 4) for (2, 5, 3); pass "
        "shape (batch, time)",
        lambda: nn.GRU(3, 4)(pt.zeros((2, 5, 3)), mask=pt.ones((2, 4))),
    )


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_cell_computes_the_steps_of_its_layer(kind):
    layer, cell = getattr(pt.nn, kind)(3, 4), getattr(pt.nn, f"{kind}Cell")(3, 4)
    cell.load_state_dict(layer.state_dict())
    x = pt.random.normal((2, 5, 3))
    outputs, _ = layer(x)
    state = None
    for at in range(5):
        state = cell(x[:, at], state)
        h = state[0] if kind == "LSTM" else state
        assert_values(h, outputs[:, at].numpy(), rtol=1e-5, atol=1e-6)


def test_cell_takes_one_step():
    assert_raises(
        errors.ShapeError,
        "LSTMCell(3 -> 4): lstmcell: input must be one step; got shape (1, 2, 3); x must have "
        "shape (batch, 3)",
        lambda: pt.nn.LSTMCell(3, 4)(pt.ones((1, 2, 3))),
    )
