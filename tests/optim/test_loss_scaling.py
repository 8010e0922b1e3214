"""Loss scaling and autocast: precision, skipped steps, and training in fit and in loops."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from helpers import assert_raises, assert_spec

import py_tensor as pt
from py_tensor import nn
from py_tensor.errors import ArgumentError, DTypeError


def classes(rng, count=240):
    """Draw points around four centres, so that float32 training separates them."""
    labels = rng.integers(0, 4, count)
    x = rng.standard_normal((count, 8)) * 0.4 + np.eye(8)[labels] * 2
    return pt.asarray(x.astype("float32")), pt.asarray(labels.astype("int32"))


def model():
    pt.random.seed(1)
    return nn.Sequential(nn.Dense(8, 16), nn.LayerNorm(16), pt.relu, nn.Dense(16, 4))


def test_products_round_operands_and_keep_float32(rng):
    a, b = (rng.standard_normal(shape).astype("float32") for shape in ((5, 7), (7, 3)))
    exact = a.astype("float16").astype("float64") @ b.astype("float16")
    x, y = pt.asarray(a), pt.asarray(b)
    before = x @ y
    with pt.autocast():
        products = [x @ y, pt.einsum("ij,jk->ik", x, y), nn.Dense(7, 3, bias=False)(x)]
        half = x.astype("float16") @ y
        total = pt.sum(x)
        with pt.autocast("float32"):
            inner = x @ y
        again = x @ y
    for product in products[:2]:
        assert_spec(product, (5, 3), "float32")
        np.testing.assert_allclose(product.numpy(), exact, rtol=2e-3, atol=2e-3)
        assert (product.numpy() != before.numpy()).any()
    assert_spec(half, (5, 3), "float32")
    np.testing.assert_array_equal(half.numpy(), products[0].numpy())
    np.testing.assert_array_equal(again.numpy(), products[0].numpy())
    np.testing.assert_array_equal(inner.numpy(), before.numpy())
    np.testing.assert_array_equal((x @ y).numpy(), before.numpy())
    assert total.item() == pt.sum(x).item()


def test_convolutions(rng):
    x = pt.asarray(rng.standard_normal((1, 6, 6, 2)).astype("float32"))
    w = pt.asarray(rng.standard_normal((3, 3, 2, 4)).astype("float32"))
    for function in (pt.conv2d, nn.conv2d_transpose):
        kernel = w if function is pt.conv2d else pt.permute_dims(w, (0, 1, 3, 2))
        before = function(x, kernel)
        with pt.autocast():
            after = function(x, kernel)
        assert_spec(after, before.shape, "float32")
        assert 0 < np.abs(after.numpy() - before.numpy()).max() < 0.05


def test_jitted_functions_are_traced_again(rng):
    x = pt.asarray(rng.standard_normal((4, 4)).astype("float32"))
    square = pt.jit(lambda x: x @ x)
    plain = square(x).numpy()
    with pt.autocast():
        half = square(x).numpy()
    assert (half != plain).any()
    np.testing.assert_array_equal(square(x).numpy(), plain)


def test_decorator():
    @pt.autocast()
    def product(x):
        return x @ x

    x = pt.asarray([[1.0001]])
    assert (product(x).item(), (x @ x).item()) == (1.0, np.float32(1.0001) * np.float32(1.0001))


def test_gradients_of_small_losses_need_a_scale():
    """2**-30 is 0 in float16, but 2**-14 is not."""
    weight, x = pt.asarray([[1.0]]), pt.asarray([[0.5]])
    scaler = pt.optim.LossScaler(initial=2.0**16)
    scale = scaler.init()

    def loss(weight):
        with pt.autocast():
            return pt.sum(x @ weight) * 2.0**-30

    assert pt.grad(loss)(weight).item() == 0.0
    scaled = pt.grad(lambda weight: scaler.scaled(scale, loss(weight)))(weight)
    assert scaler.unscaled(scale, [scaled, None])[0].item() == 2.0**-31


@pytest.mark.parametrize("jitted", [False, True])
def test_overflows_skip_the_step_and_reduce_the_scale(jitted):
    scaler = pt.optim.LossScaler(initial=8.0, interval=2)
    optimizer = pt.optim.adam(0.5, ema=0.5)

    def step(state, scale, gradient):
        return scaler.update(scale, optimizer, state, [gradient])

    run = pt.jit(step) if jitted else step
    state, scale = optimizer.init([pt.asarray([1.0, 2.0])]), scaler.init()
    ones, wrong = pt.asarray([8.0, 8.0]), pt.asarray([1.0, pt.nan])
    state, scale = run(state, scale, ones)
    kept = [tensor.tolist() for tensor in pt.tree_leaves((state.vectors, state.slots))]
    expected = optimizer.update(optimizer.init([pt.asarray([1.0, 2.0])]), [ones / 8.0])
    assert state.params[0].tolist() == expected.params[0].tolist()
    state, scale = run(state, scale, wrong)
    assert [t.tolist() for t in pt.tree_leaves((state.vectors, state.slots))] == kept
    assert (scale.scale.item(), scale.steps.item(), state.step) == (4.0, 0, 2)
    for factor in (4.0, 8.0):
        state, scale = run(state, scale, ones)
        assert scale.scale.item() == factor
    assert scale.steps.item() == 0


def test_half_precision_trains_as_float32_does(rng):
    x, labels = classes(rng)
    accuracies, losses = [], []
    for half in (False, True):
        net = model()
        dtype = "float16" if half else "float32"
        with pt.autocast(dtype):
            training = pt.train.fit(
                net,
                (x, labels),
                loss="sparse_categorical_crossentropy_of_logits",
                optimizer=pt.optim.adam(0.02),
                epochs=4,
                batch_size=40,
                metrics=["accuracy"],
                loss_scaling=half,
            )
            history = asyncio.run(training)
        accuracies.append(history["accuracy"][-1])
        losses.append(history["loss"])
    assert min(accuracies) > 0.97
    # Operands have 11 bits: the losses differ, but not by more than 2 %.
    np.testing.assert_allclose(losses[0], losses[1], rtol=0.02, atol=2e-3)
    assert losses[0] != losses[1]


def test_fit_skips_steps_that_overflow(rng):
    x, labels = classes(rng, 40)
    net = model()
    before = [tensor.tolist() for tensor in net.parameters()]
    training = pt.train.fit(
        net,
        (x, labels),
        loss="sparse_categorical_crossentropy_of_logits",
        optimizer=pt.optim.sgd(0.1),
        batch_size=40,
        loss_scaling=pt.optim.LossScaler(initial=3e38, backoff=1e-30),
        epochs=1,
    )
    with pt.autocast():
        history = asyncio.run(training)
    assert [tensor.tolist() for tensor in net.parameters()] == before
    assert np.isfinite(history.losses).all()


def test_wrong_arguments():
    assert_raises(
        DTypeError,
        "autocast: dtype must be float16 or float32; got int32; use pt.float16",
        lambda: pt.autocast("int32"),
    )
    with pytest.raises(ArgumentError, match="LossScaler: argument is out of range"):
        pt.optim.LossScaler(growth=1.0)
