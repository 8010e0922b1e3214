"""fit, evaluate and predict: results, memory, yields to other tasks, and errors."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import numpy as np
import pytest
from helpers import assert_raises, assert_values
from sklearn.datasets import load_digits

import py_tensor as pt
from py_tensor import errors
from py_tensor.runtime import executor
from py_tensor.runtime.backends.numpy import NumpyBackend
from py_tensor.train.batches import Arrays


def fit(model, data, **options):
    options = {"loss": "mse", "optimizer": pt.optim.sgd(0.1)} | options
    return asyncio.run(pt.train.fit(model, data, **options))


@dataclass(eq=False)
class Mlp:
    w1: pt.Tensor
    b1: pt.Tensor
    w2: pt.Tensor
    b2: pt.Tensor

    def __call__(self, x):
        return (x @ self.w1 + self.b1).relu() @ self.w2 + self.b2


def mlp(inputs, hidden, outputs, dtype="float32"):
    rng = np.random.default_rng(3)
    first = rng.normal(size=(inputs, hidden)) / np.sqrt(inputs)
    second = rng.normal(size=(hidden, outputs)) / np.sqrt(hidden)
    zeros = [pt.zeros(hidden, dtype=dtype), pt.zeros(outputs, dtype=dtype)]
    weights = [pt.asarray(first, dtype=dtype), pt.asarray(second, dtype=dtype)]
    return Mlp(weights[0], zeros[0], weights[1], zeros[1])


def line(w, x):
    return x * w


def line_model(start=0.0):
    return line, pt.asarray([start])


def line_data(count=8):
    x = np.arange(1, count + 1, dtype="float32").reshape(-1, 1) / count
    return x, 3 * x


@pytest.fixture(scope="module")
def digits():
    x, y = load_digits(return_X_y=True)
    return (x[:640] / 16).astype("float32"), y[:640].astype("int32")


def trained(digits, steps_, **options):
    model = mlp(64, 32, 10)
    history = fit(
        model,
        digits,
        loss="sparse_categorical_crossentropy_of_logits",
        optimizer=pt.optim.adam(5e-3),
        epochs=steps_ // 10,
        batch_size=64,
        seed=4,
        **options,
    )
    return model, history


# --- learning -------------------------------------------------------------------------------------


def test_training_on_digits_is_reproducible(digits):
    first, history = trained(digits, 100, metrics=["accuracy"], validation_split=0.1)
    assert len(history.losses) == 90 and history.stopped is None
    assert history["accuracy"][-1] > 0.97 > 0.5 > history["accuracy"][0]
    assert history["val_accuracy"][-1] > 0.85
    second, again = trained(digits, 100, metrics=["accuracy"], validation_split=0.1)
    assert again.epochs == history.epochs and again.losses == history.losses
    for a, b in zip(pt.tree_leaves(first), pt.tree_leaves(second), strict=True):
        assert_values(b, a.numpy())


def test_backends_agree_after_100_steps(digits, engine):
    model, history = trained(digits, 100)
    other = NumpyBackend()
    executor.use(other)
    try:
        reference, expected = trained(digits, 100)
    finally:
        executor.use(engine)
    # Sums are taken in another order. SwiftShader's losses differ by 2.4e-7 (4e-7 relative) at
    # most, its parameters by 3.3e-7; roots and quotients of GPUs may be off by a few units more.
    np.testing.assert_allclose(history.losses, expected.losses, rtol=1e-5, atol=1e-6)
    for a, b in zip(pt.tree_leaves(model), pt.tree_leaves(reference), strict=True):
        assert_values(a, b.numpy(), rtol=1e-5, atol=1e-5)


def test_steps_equal_numpy():
    """Run plain gradient descent on a line, batch by batch, without shuffling."""
    x, y = line_data(6)
    function, w = line_model()
    fit((function, w), (x, y), batch_size=4, epochs=3, shuffle=False)
    expected = 0.0
    for _ in range(3):
        for part in (slice(0, 4), slice(4, 6)):
            expected -= 0.1 * np.mean(2 * (expected * x[part] - y[part]) * x[part])
    assert_values(w, np.float32([expected]), rtol=1e-6)


def test_halves_are_trained():
    model = mlp(3, 8, 1, "float16")
    x = np.random.default_rng(0).normal(size=(64, 3)).astype("float16")
    history = fit(
        model, (x, x.sum(1, keepdims=True)), optimizer=pt.optim.adam(1e-2), epochs=30, batch_size=16
    )
    assert model.w1.dtype == "float16"
    assert history["loss"][-1] < 0.05 * history["loss"][0]


# --- models ---------------------------------------------------------------------------------------


@dataclass(eq=False)
class Normed:
    scale: pt.Tensor
    mean: pt.Tensor = field(metadata={"buffer": True})

    def __call__(self, x, training=False):
        if training:
            self.mean[...] = 0.5 * self.mean + 0.5 * pt.mean(x)
        return (x - self.mean) * self.scale


def test_buffers_are_assigned_while_training_only():
    model = Normed(pt.ones(1), pt.zeros(()))
    x = np.full((4, 1), 8.0, "float32")
    fit(model, (x, x), optimizer=pt.optim.sgd(0.0), epochs=2, batch_size=4)
    assert_values(model.mean, np.float32(6.0))
    asyncio.run(pt.train.evaluate(model, (x, x), loss="mse"))
    assert_values(model.mean, np.float32(6.0))


def test_training_flag_is_passed_to_functions_that_take_it():
    def function(w, x, training):
        return x * w + (1.0 if training else 0.0)

    w = pt.zeros(1)
    x = np.ones((2, 1), "float32")
    assert fit((function, w), (x, x), optimizer=pt.optim.sgd(0.0))["loss"] == [0.0]
    assert asyncio.run(pt.train.evaluate((function, w), (x, x), loss="mse")) == {"loss": 1.0}


def test_random_layers_draw_again_in_each_step():
    seen = []

    def noisy(w, x, training):
        return x * w + pt.random.normal((x.shape[0], 1))

    x = np.zeros((2, 1), "float32")
    for _ in range(2):
        pt.random.seed(1)
        history = fit((noisy, pt.zeros(1)), (x, x), epochs=5, optimizer=pt.optim.sgd(0.0))
        seen.append(history.losses)
    assert seen[0] == seen[1] and len(set(seen[0])) == 5


def test_inputs_may_be_trees():
    def function(w, x):
        return (x["a"] + x["b"]) * w

    w = pt.zeros(1)
    a = np.arange(4, dtype="float32").reshape(4, 1) / 4
    fit((function, w), ({"a": a, "b": a}, 2 * a), epochs=100, batch_size=2)
    assert_values(w, np.float32([1.0]), rtol=1e-3)
    got = asyncio.run(pt.train.predict((function, w), {"a": a, "b": a}, batch_size=3))
    assert_values(got, 2 * a, rtol=1e-3)


# --- data -----------------------------------------------------------------------------------------


def test_each_epoch_is_shuffled_by_the_seed():
    seen = []

    def epochs(seed):
        orders = []

        class Order(pt.train.Callback):
            def on_epoch_begin(self, epoch):
                orders.append([])

            def on_batch_end(self, batch, logs):
                orders[-1].append(logs["loss"])

        x = np.arange(8, dtype="float32").reshape(8, 1)
        still = {"optimizer": pt.optim.sgd(0.0), "epochs": 2, "batch_size": 1, "seed": seed}
        fit(line_model(1.0), (x, np.zeros_like(x)), callbacks=[Order()], **still)
        return orders

    for seed in (0, 0, 1):
        seen.append(epochs(seed))
    expected = [float(v * v) for v in range(8)]
    assert all(sorted(order) == expected for orders in seen for order in orders)
    assert seen[0] == seen[1] != seen[2]
    assert seen[0][0] != seen[0][1] and seen[0][0] != expected


def test_batches_may_be_any_iterable():
    x, y = line_data(6)
    expected = None

    class Asynchronous:
        async def __aiter__(self):
            for at in (0, 3):
                await asyncio.sleep(0)
                yield x[at : at + 3], y[at : at + 3]

    def endless():
        while True:
            yield from parts

    parts = [(x[:3], y[:3]), (x[3:], y[3:])]
    for data, options in (
        ((x, y), {"batch_size": 3, "shuffle": False}),
        (parts, {}),
        (Asynchronous(), {}),
        (endless(), {"steps_per_epoch": 2}),
        (parts * 2, {"steps_per_epoch": 2}),
        (pt.data.from_arrays((x, y)).batch(3), {}),
        (pt.data.from_arrays((x, y)).filter(lambda x, y: True).batch(3), {}),
        (pt.data.from_arrays((x, y)).batch(3).repeat(), {"steps_per_epoch": 2}),
    ):
        function, w = line_model()
        fit((function, w), data, epochs=2, **options)
        expected = w.numpy() if expected is None else expected
        assert_values(w, expected)


def test_steps_resume_across_epochs_and_restart():
    x, y = line_data(6)
    parts = [(x[at : at + 2], y[at : at + 2]) for at in (0, 2, 4)]
    expected, got = line_model(), line_model()
    fit(expected, parts + parts[:1], epochs=1)
    fit(got, parts, epochs=2, steps_per_epoch=2)
    assert_values(got[1], expected[1].numpy())


def test_validation_of_other_data_and_of_a_split():
    x, y = line_data(10)
    history = fit(line_model(), (x, y), validation=(x, y + 1), epochs=1, metrics=["mae"])
    assert {"loss", "mae", "val_loss", "val_mae", "learning_rate"} == history.epochs[0].keys()
    still = {"optimizer": pt.optim.sgd(0.0), "shuffle": True}
    history = fit(line_model(), (x, y), validation_split=0.2, **still)
    assert history["val_loss"][0] == pytest.approx(np.mean(y[8:] ** 2), rel=1e-6)
    assert history["loss"][0] == pytest.approx(np.mean(y[:8] ** 2), rel=1e-6)


def test_weights_of_samples_and_classes():
    x, y = line_data(4)
    weights = np.float32([1, 0, 2, 0])
    _, w = model = line_model()
    history = fit(model, (x, y, weights), shuffle=False, metrics=["mse"])
    mean = np.sum(weights * y[:, 0] ** 2) / 3
    assert history["loss"][0] == pytest.approx(mean, rel=1e-6)
    assert history["mse"][0] == pytest.approx(mean, rel=1e-6)
    gradient = np.sum(weights * -2 * (y * x)[:, 0]) / 3
    assert_values(w, np.float32([-0.1 * gradient]), rtol=1e-6)

    scores = np.float32([[2, 0], [0, 1], [0, 3]])
    labels = np.int32([0, 1, 0])
    history = fit(
        (lambda w, x: x * w, pt.ones(1)),
        (scores, labels),
        loss="sparse_categorical_crossentropy_of_logits",
        class_weight={0: 3.0},
        metrics=["accuracy"],
    )
    losses = np.log(np.exp(scores).sum(1)) - scores[range(3), labels]
    assert history["loss"][0] == pytest.approx(np.sum([3, 1, 3] * losses) / 7, rel=1e-6)
    assert history["accuracy"][0] == pytest.approx(4 / 7)


# --- evaluate and predict -------------------------------------------------------------------------


def test_evaluate_and_predict_use_each_sample_once():
    x, y = line_data(7)
    model = line_model(2.0)
    for batch_size in (3, 7, 100):
        results = asyncio.run(
            pt.train.evaluate(model, (x, y), loss="mse", metrics=["mae"], batch_size=batch_size)
        )
        assert results == pytest.approx({"loss": np.mean(x**2), "mae": np.mean(x)}, rel=1e-6)
        got = asyncio.run(pt.train.predict(model, x, batch_size=batch_size))
        assert_values(got, 2 * x)
    batches = [(x[:4], y[:4]), (x[4:], y[4:])]
    assert_values(asyncio.run(pt.train.predict(model, batches)), 2 * x)
    assert_values(asyncio.run(pt.train.predict(model, [pt.asarray(x), x])), np.vstack([2 * x] * 2))


# --- cost and memory ------------------------------------------------------------------------------


def test_a_smaller_last_batch_is_traced_once():
    misses = []
    x, y = line_data(10)
    note = [lambda epoch, logs: misses.append(pt.cache_info().plan_misses)]
    fit(line_model(), (x, y), batch_size=4, epochs=4, callbacks=note, yield_every=0.0)
    # The second epoch may add one plan, for the start of any epoch after the first.
    assert misses[1] == misses[2] == misses[3]


def test_memory_does_not_grow_over_many_steps(digits):
    seen = []

    class Count(pt.train.Callback):
        def on_yield(self, batch, logs):
            memory = pt.memory()
            seen.append((memory.num_tensors, memory.num_bytes_in_gpu, memory.num_bytes_in_gpu_free))

    trained(digits, 60, callbacks=[Count()], metrics=["accuracy"], yield_every=0.0)
    assert len(seen) == 60
    assert len(set(seen[20:])) == 1


def test_no_batch_is_held_during_a_yield(digits):
    held = []

    class Count(pt.train.Callback):
        def on_yield(self, batch, logs):
            held.append((batch, pt.memory().num_tensors))

    x, _ = digits
    data = x[:46, :1], x[:46, 1:2]
    fit(line_model(), data, batch_size=4, epochs=3, callbacks=[Count()], yield_every=1000.0)
    # In the middle of an epoch, and at its end, when no batch follows.
    assert [batch for batch, _ in held] == [1, 3, 7, 12, 8, 12, 12]
    assert len({tensors for _, tensors in held[1:]}) == 1


def test_the_model_keeps_its_own_tensors_only(state):
    model = mlp(4, 8, 2)
    handles = pt.tree_leaves(model)
    x = np.ones((8, 4), "float32")
    fit(model, (x, x[:, :2]))
    before = state()
    fit(model, (x, x[:, :2]), optimizer=pt.optim.adam(), epochs=2)
    assert all(a is b for a, b in zip(handles, pt.tree_leaves(model), strict=True))
    assert state() == before


def test_other_tasks_run_during_training():
    ticks = []

    async def tick():
        while True:
            ticks.append(1)
            await asyncio.sleep(0)

    async def both():
        ticking = asyncio.ensure_future(tick())
        x, y = line_data(64)
        options = {
            "loss": "mse",
            "optimizer": pt.optim.sgd(0.1),
            "batch_size": 1,
            "yield_every": 0.0,
        }
        await pt.train.fit(line_model(), (x, y), **options)
        ticking.cancel()

    asyncio.run(both())
    assert len(ticks) >= 64


# --- pausing and stopping -------------------------------------------------------------------------


def test_pausing_resuming_and_stopping_from_another_task():
    async def main():
        control = pt.train.Control()
        x, y = line_data(4)
        history = asyncio.ensure_future(
            pt.train.fit(
                line_model(),
                (x, y),
                loss="mse",
                optimizer=pt.optim.sgd(0.1),
                epochs=10**6,
                control=control,
                callbacks=[lambda epoch, logs: done.append(epoch)],
            )
        )
        while len(done) < 3:
            await asyncio.sleep(0)
        control.pause()
        for _ in range(20):
            await asyncio.sleep(0)
        paused = len(done)
        for _ in range(50):
            await asyncio.sleep(0)
        assert len(done) == paused
        control.resume()
        while len(done) < paused + 3:
            await asyncio.sleep(0)
        control.stop("enough")
        return await history

    done = []
    history = asyncio.run(main())
    assert history.stopped == "enough"
    assert len(done) <= len(history.epochs) <= len(done) + 1


def test_a_cancelled_task_leaves_the_model_trained_so_far():
    async def main():
        task = asyncio.ensure_future(
            pt.train.fit(
                model,
                line_data(4),
                loss="mse",
                optimizer=pt.optim.sgd(0.1),
                epochs=10**6,
                callbacks=[lambda epoch, logs: done.append(epoch)],
            )
        )
        while len(done) < 3:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    done = []
    model = line_model()
    asyncio.run(main())
    assert model[1].item() > 0.3


# --- errors ---------------------------------------------------------------------------------------


def test_errors():
    x, y = line_data(4)
    model = line_model()
    for error, text, options in (
        (
            errors.ShapeError,
            "fit: loss must be a number or one value per sample; got (4, 1) for 4 samples; reduce "
            "it, for example with pt.mean",
            {"loss": lambda outputs, targets: (outputs - targets) ** 2},
        ),
        (
            errors.ShapeError,
            "fit: sample weights require a loss per sample; got shape () for 4 samples; return "
            "one value per sample",
            {"loss": lambda o, t: pt.mean((o - t) ** 2), "data": (x, y, np.ones(4, "float32"))},
        ),
        (
            errors.ShapeError,
            "mse: outputs and targets must have the same shape; got (4, 1) and (4,); reshape one "
            "of them",
            {"data": (x, y[:, 0])},
        ),
        (
            errors.ArgumentError,
            "fit: unknown loss; got 'l3'; use one of mse, mae, mape, huber, hinge, cosine, "
            "kl_divergence, nll, sparse_categorical_crossentropy, "
            "sparse_categorical_crossentropy_of_logits, categorical_crossentropy, "
            "categorical_crossentropy_of_logits, binary_crossentropy, "
            "binary_crossentropy_of_logits, or a function of outputs and targets",
            {"loss": "l3"},
        ),
        (
            errors.ArgumentError,
            "fit: epoch 1 has no batch; got generator, which is empty or exhausted; pass an "
            "object that can be iterated in each epoch, or steps_per_epoch",
            {"data": ((x, y) for _ in range(1)), "epochs": 2},
        ),
        (
            errors.ArgumentError,
            "fit: a batch must consist of inputs and targets; got ndarray; pass (x, y) or (x, y, "
            "weights)",
            {"data": [x]},
        ),
        (
            errors.ArgumentError,
            "fit: data must be arrays or an iterable of batches; got ndarray; pass (x, y) or an "
            "iterable of batches (x, y)",
            {"data": x},
        ),
        (
            errors.ShapeError,
            "fit: arrays must have the same number of samples; got [3, 4]; make their first axes "
            "equally long",
            {"data": (x, y[:3])},
        ),
        (
            errors.ShapeError,
            "fit: sample weights have the wrong shape; got shape (4, 1) for 4 samples; pass one "
            "number per sample",
            {"data": (x, y, x)},
        ),
        (
            errors.ArgumentError,
            "fit: validation_split must leave samples on both sides; got 0.01 of 4 samples; use "
            "for example 0.2",
            {"validation_split": 0.01},
        ),
        (
            errors.ArgumentError,
            "fit: validation_split requires arrays and no validation data; got list; pass "
            "validation= instead",
            {"data": [(x, y)], "validation_split": 0.5},
        ),
        (
            errors.ArgumentError,
            "fit: model must be callable; got Tensor; pass a tree with __call__(self, x) or a "
            "pair (function, params)",
            {"model": pt.ones(3)},
        ),
        (
            errors.ArgumentError,
            "fit: optimizer must be a pt.optim optimizer; got 'adan'; use for example "
            f"pt.optim.adam(1e-3), or one of {', '.join(pt.optim.OPTIMIZERS)}",
            {"optimizer": "adan"},
        ),
        (
            errors.ArgumentError,
            "fit: metrics must have different names; got ['mae', 'mae']; rename one",
            {"metrics": ["mae", "mae"]},
        ),
        (
            errors.ArgumentError,
            "fit: argument must be a callback; got 3; pass a pt.train.Callback or a function of "
            "an epoch and its logs",
            {"callbacks": [3]},
        ),
    ):
        arguments = {"model": model, "data": (x, y)} | options
        assert_raises(
            error, text, lambda arguments=arguments: fit(arguments.pop("model"), **arguments)
        )


@pytest.mark.parametrize("labels_of", [list, np.array, lambda labels: np.array(labels, "object")])
@pytest.mark.parametrize("batches_of", [tuple, lambda data: [tuple(data)]])
def test_names_of_classes_are_refused_with_advice_that_runs(labels_of, batches_of):
    x = np.float32([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]])
    y = labels_of(["dog", "cat", "owl", "cat"])
    model = pt.nn.Dense(3, 3)
    loss = "sparse_categorical_crossentropy_of_logits"
    advice = "names = sorted(set(y)) and y = [names.index(name) for name in y]"
    assert_raises(
        errors.DTypeError,
        f"fit: targets must be numbers, for example class numbers; got 'dog'; use {advice}",
        lambda: fit(model, batches_of([x, y]), loss=loss),
    )
    namespace = {"y": y}
    exec(advice.replace(" and ", "; "), namespace)
    assert namespace["y"] == np.unique(y, return_inverse=True)[1].tolist() == [1, 0, 2, 0]
    fit(model, batches_of([x, namespace["y"]]), loss=loss, optimizer=pt.optim.sgd(1.0), epochs=20)
    assert model(x).argmax(-1).tolist() == namespace["y"]


def test_debug_mode_finds_the_operation():
    x, y = line_data(4)

    def function(w, x):
        return pt.log(x * w - 100.0)

    with pt.enable_debug_mode(), pytest.raises(errors.NumericError, match="log: result is not fin"):
        fit((function, pt.ones(1)), (x, y))


def test_splitting_does_not_change_the_arrays():
    items = Arrays("fit", (pt.arange(10),), 4, True, 0)
    first, last = items.split("fit", 0.2)
    assert (len(items.indices), len(first.indices), len(last.indices)) == (10, 8, 2)
    assert items.random is not None
    assert last.random is None
    assert [batch[0].tolist() for batch in last] == [[8, 9]]


@pytest.mark.parametrize("data", [list, tuple])
def test_nested_lists_are_arrays(data):
    x, y = line_data(8)
    models = [line_model(), line_model(), line_model()]
    for model, batches in zip(
        models,
        [(x, y), (x.tolist(), y.tolist()), data([pt.asarray(x), pt.asarray(y)])],
        strict=True,
    ):
        fit(model, batches, epochs=2)
    assert models[0][1].tolist() == models[1][1].tolist() == models[2][1].tolist()


def test_batches_of_lists():
    model, batched = line_model(), line_model()
    fit(model, [([[1.0], [2.0]], [[3.0], [6.0]])], epochs=2)
    fit(batched, [(np.float32([[1], [2]]), np.float32([[3], [6]]))], epochs=2)
    assert model[1].tolist() == batched[1].tolist()
    predicted = asyncio.run(pt.train.predict(model, [[1.0], [2.0]]))
    assert predicted.shape == (2, 1)


KERAS = {
    "sgd": pt.optim.sgd(0.01),
    "momentum": pt.optim.momentum(),
    "adagrad": pt.optim.adagrad(0.001, initial_accumulator=0.1, epsilon=1e-7),
    "adadelta": pt.optim.adadelta(0.001, rho=0.95, epsilon=1e-7),
    "rmsprop": pt.optim.rmsprop(0.001, rho=0.9, epsilon=1e-7),
    "adam": pt.optim.adam(0.001, epsilon=1e-7),
    "adamw": pt.optim.adamw(0.001, epsilon=1e-7, weight_decay=0.004),
    "adamax": pt.optim.adamax(0.001, epsilon=1e-7),
    "nadam": pt.optim.nadam(0.001, epsilon=1e-7),
    "lion": pt.optim.lion(0.001),
}
"""Optimizers with the settings that their names have in Keras 3, which has no "momentum"."""


@pytest.mark.parametrize("name", pt.optim.OPTIMIZERS)
def test_names_of_optimizers_have_settings_of_keras(name):
    data = line_data()
    named, by_object = line_model(), line_model()
    fit(named, data, optimizer=name)
    fit(by_object, data, optimizer=KERAS[name])
    assert named[1].tolist() == by_object[1].tolist() != [0.0]


def test_training_continues_from_a_state():
    """Two trainings of 2 epochs, the second from the first one's state, equal one of 4."""
    data = line_data()
    options = {"optimizer": pt.optim.adam(pt.optim.step_decay(0.1, 3, 0.5)), "shuffle": False}
    whole, parts = line_model(), line_model()
    long = fit(whole, data, epochs=4, **options)
    first = fit(parts, data, epochs=2, **options)
    between = parts[1].tolist()
    second = fit(parts, data, epochs=2, state=first.state, **options)
    assert parts[1].tolist() == whole[1].tolist()
    assert first.losses + second.losses == long.losses
    assert (first.state.step, second.state.step) == (2, 4)
    # The first state is still valid, although the step donates its state.
    assert first.state.params.tolist() == between
    anew = line_model(between[0])
    fit(anew, data, epochs=2, **options)
    assert anew[1].tolist() != parts[1].tolist()


def test_a_state_of_another_optimizer_is_refused():
    state = fit(line_model(), line_data()).state
    assert_raises(
        errors.ArgumentError,
        "fit: state does not fit the model and the optimizer; got slots [] for ['mean', 'square']; "
        "pass the history.state of a fit with the same optimizer and parameters of the same shapes",
        lambda: fit(line_model(), line_data(), optimizer="adam", state=state),
    )


def test_fit_of_a_module_whose_forward_lacks_training():
    class Line(pt.nn.Module):
        dense: pt.nn.Dense
        dropout: pt.nn.Dropout

        def __init__(self):
            self.dense, self.dropout = pt.nn.Dense(1, 1), pt.nn.Dropout(0.0)

        def forward(self, x):
            return self.dropout(self.dense(x))

    model = Line()
    history = fit(model, line_data(), epochs=3, optimizer=pt.optim.sgd(0.1))
    assert history.losses[-1] < history.losses[0]
