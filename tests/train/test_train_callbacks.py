"""Callbacks and their order; early stopping, checkpoints, NaN; progress; intervals of yields."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors
from py_tensor.display.places import Place, use
from py_tensor.train import yielding

X = np.arange(1, 5, dtype="float32").reshape(4, 1) / 4


def fit(w, callbacks, data=(X, 3 * X), **options):
    options = {"loss": "mse", "optimizer": pt.optim.sgd(0.1), "epochs": 2} | options
    return asyncio.run(pt.train.fit((lambda w, x: x * w, w), data, callbacks=callbacks, **options))


# --- events ---------------------------------------------------------------------------------------


class Events(pt.train.Callback):
    def __init__(self):
        self.seen = []

    def on_train_begin(self):
        self.seen.append("train begin")

    def on_epoch_begin(self, epoch):
        self.seen.append(f"epoch begin {epoch}")

    def on_batch_end(self, batch, logs):
        self.seen.append(f"batch {batch} {sorted(logs)}")

    async def on_yield(self, batch, logs):
        await asyncio.sleep(0)
        self.seen.append(f"yield {batch} {sorted(logs)}")

    def on_epoch_end(self, epoch, logs):
        self.seen.append(f"epoch {epoch} {sorted(logs)}")

    def on_train_end(self):
        self.seen.append("train end")


def test_order_of_events():
    events = Events()
    fit(pt.zeros(1), [events], batch_size=2, epochs=1, metrics=["mae"], validation=(X, X))
    assert events.seen == [
        "train begin",
        "epoch begin 0",
        "batch 0 ['loss']",
        "yield 1 ['loss', 'mae']",
        "batch 1 ['loss']",
        "yield 2 ['loss', 'mae']",
        "epoch 0 ['learning_rate', 'loss', 'mae', 'val_loss', 'val_mae']",
        "train end",
    ]


def test_a_callback_without_batches_does_not_wait_for_each():
    """Yields are at most as frequent as batches, and cover all of them."""

    class Yields(pt.train.Callback):
        def on_epoch_begin(self, epoch):
            seen.append([])

        def on_yield(self, batch, logs):
            seen[-1].append(batch)

    seen = []
    history = fit(pt.zeros(1), [Yields()], batch_size=1, epochs=3, yield_every=100.0)
    # Strides grow from one: 1, 2, then more than an epoch has.
    assert seen == [[1, 3, 4], [4], [4]]
    assert len(history.losses) == 12


def test_functions_are_called_with_epochs_and_logs():
    seen = []

    async def later(epoch, logs):
        await asyncio.sleep(0)
        seen.append(("later", epoch))

    fit(pt.zeros(1), [lambda epoch, logs: seen.append((epoch, logs["learning_rate"])), later])
    assert seen == [(0, 0.1), ("later", 0), (1, 0.1), ("later", 1)]


def test_the_scheduled_rate_is_logged():
    history = fit(pt.zeros(1), [], optimizer=pt.optim.sgd(pt.optim.step_decay(0.1, 1, 0.5)))
    assert history["learning_rate"] == [0.05, 0.025]


def test_a_callback_sees_the_current_model():
    values = []

    class Look(pt.train.Callback):
        def on_epoch_end(self, epoch, logs):
            assert self.trainer.model[1] is w
            values.append(w.item())

    w = pt.zeros(1)
    fit(w, [Look()], epochs=3)
    assert 0 < values[0] < values[1] < values[2] == w.item()


def test_stopping_from_a_batch():
    class Stop(pt.train.Callback):
        def on_batch_end(self, batch, logs):
            if batch == 1:
                self.trainer.stop("seen enough")

        def on_epoch_end(self, epoch, logs):
            ended.append(epoch)

    ended = []
    history = fit(pt.zeros(1), [Stop()], batch_size=1, epochs=5)
    assert len(history.losses) == 2 and len(history.epochs) == 1
    assert history.stopped == "seen enough" and ended == []


# --- stopping early, checkpoints ------------------------------------------------------------------


def losses_of(values):
    """Return a rate that makes the model's only weight take these values, epoch by epoch."""
    weights = [0.0, *values]

    def function(w, x):
        return x * 0.0 + w

    # mse of w against 0 has the gradient 2 w.
    changes = [(a - b) / (2 * a) if a else 0.0 for a, b in pairwise(weights)]
    return function, lambda step: changes[step + 1] if step + 1 < len(changes) else 0.0


def run_losses(values, stopping, epochs=10):
    """Train so that validation losses are the squares of the values."""
    zeros = np.zeros((4, 1), "float32")
    function, schedule = losses_of(values)
    w = pt.asarray([values[0]])
    history = asyncio.run(
        pt.train.fit(
            (function, w),
            (zeros, zeros),
            loss="mse",
            optimizer=pt.optim.sgd(schedule),
            epochs=epochs,
            validation=(zeros, zeros),
            callbacks=[stopping],
        )
    )
    return history, w


@pytest.mark.parametrize(
    ("options", "epochs", "best"),
    [
        # After epoch i the weight is values[i + 1].
        ({"patience": 0}, 3, 1.0),
        ({"patience": 1}, 7, 0.5),
        ({"patience": 1, "restore_best": False}, 7, 0.75),
        ({"patience": 1, "min_delta": 0.9}, 4, 1.0),
        ({"patience": 9}, 7, 0.5),
    ],
    ids=str,
)
def test_stopping_early(options, epochs, best):
    values = [4.0, 2.0, 1.0, 3.0, 0.75, 0.5, 0.6, 0.75]
    stopping = pt.train.EarlyStopping(**options)
    history, w = run_losses(values, stopping, epochs=7)
    assert len(history.epochs) == epochs
    assert w.item() == pytest.approx(best, rel=1e-5)
    assert history["val_loss"] == pytest.approx([v * v for v in values[1 : epochs + 1]], rel=1e-5)
    stopped = options["patience"] == 0 or "min_delta" in options
    if stopped:
        assert history.stopped == "val_loss has not improved since epoch 1"


def test_accuracies_are_maximized():
    stopping = pt.train.EarlyStopping("val_accuracy")
    assert stopping._best.improves({"val_accuracy": 0.5})
    assert stopping._best.improves({"val_accuracy": 0.6})
    assert not stopping._best.improves({"val_accuracy": 0.55})
    assert not stopping._best.improves({"val_accuracy": float("nan")})


def test_checkpoints_each_epoch_or_on_improvement():
    saved = []

    async def save(model, epoch, logs):
        saved.append((epoch, (await model[1].data()).tolist()))

    run_losses([4.0, 2.0, 3.0, 1.0], pt.train.Checkpoint(save), epochs=3)
    assert [epoch for epoch, _ in saved] == [0, 1, 2]
    # Each value is the previous one minus a step, which GPUs round differently.
    assert [value for _, (value,) in saved] == pytest.approx([2.0, 3.0, 1.0], rel=1e-6)
    saved.clear()
    run_losses([4.0, 2.0, 3.0, 1.0], pt.train.Checkpoint(save, monitor="val_loss"), epochs=3)
    assert [epoch for epoch, _ in saved] == [0, 2]
    assert [value for _, (value,) in saved] == pytest.approx([2.0, 1.0], rel=1e-6)


def test_errors():
    assert_raises(
        errors.ArgumentError,
        "EarlyStopping: value is not in the logs; got 'val_loss' of ['learning_rate', 'loss']; "
        "monitor one of these, or pass validation data",
        lambda: fit(pt.zeros(1), [pt.train.EarlyStopping()]),
    )
    assert_raises(
        errors.ArgumentError,
        'Checkpoint: mode is unknown; got \'up\'; use "auto", "min" or "max"',
        lambda: pt.train.Checkpoint(print, monitor="loss", mode="up"),
    )


# --- NaN ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("yield_every", [0.0, 100.0])
def test_the_first_nan_is_named(yield_every):
    x = np.float32([[1], [1], [np.nan], [1]])
    w = pt.zeros(1)
    options = {"batch_size": 1, "shuffle": False, "yield_every": yield_every, "epochs": 5}
    history = fit(w, [pt.train.TerminateOnNaN()], data=(x, x), **options)
    assert history.stopped == (
        "fit: loss is not finite; got nan at epoch 0, batch 2; lower the learning rate, clip "
        "gradients, or find the operation with pt.enable_debug_mode()"
    )
    assert len(history.epochs) == 1


def test_training_continues_past_nan_by_default():
    x = np.float32([[np.nan]])
    history = fit(pt.zeros(1), [], data=(x, x), epochs=2)
    assert len(history.epochs) == 2 and history.stopped is None
    assert np.isnan(history["loss"]).all()


# --- progress -------------------------------------------------------------------------------------


def test_reports():
    reports = []
    fit(pt.zeros(1), [], batch_size=1, yield_every=100.0, progress=reports.append)
    assert [(r.epoch, r.batch, r.batches, r.is_over) for r in reports] == [
        *((0, n, 4, False) for n in (0, 1, 3, 4)),
        (0, 4, 4, True),
        *((1, n, 4, False) for n in (0, 4)),
        (1, 4, 4, True),
    ]


def test_reports_as_text_and_html():
    report = pt.train.Report(0, 3, 1, 4, logs={"loss": 0.12345, "<m>": 2.0, "matrix": [[1.0]]})
    assert str(report) == "epoch 1/3 [=====               ] 1/4 loss: 0.1235, <m>: 2"
    assert report._repr_html_() == (
        '<label>epoch 1 of 3 <progress value="0.25"></progress> loss: 0.1235, &lt;m&gt;: 2</label>'
    )
    unknown = pt.train.Report(0, 3, 5, None)
    assert str(unknown) == "epoch 1/3 5 batches"
    assert unknown._repr_html_() == "<label>epoch 1 of 3 <progress></progress></label>"


def test_one_bar_for_all_epochs(capsys):
    fit(pt.zeros(1), [], progress=True)
    [line] = capsys.readouterr().out.splitlines()
    assert line.startswith("epoch 2/2 [====================] 1/1 loss: ")


def test_reports_are_shown_in_one_place(monkeypatch):
    class Kept(Place):
        def show(self, item, key=None):
            shown.append((str(item).split("]")[0], key))

    shown = []
    monkeypatch.setattr(Kept, "seconds", 0.0)
    with use(Kept()):
        fit(pt.zeros(1), [], progress=True, batch_size=2, yield_every=0.0)
    heads = [head for head, _ in shown]
    assert heads[0] == "epoch 1/2 [                    "
    assert heads[-1] == "epoch 2/2 [===================="
    assert "epoch 1/2 [==========          " in heads
    assert len({key for _, key in shown}) == 1


# --- intervals of yields --------------------------------------------------------------------------


def test_strides_follow_the_time_of_a_batch(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(yielding, "perf_counter", lambda: now[0])

    def strides(seconds_a_batch, yields):
        counts = []
        for _ in range(yields):
            count = 1
            while not clock.is_due():
                count += 1
            now[0] += count * seconds_a_batch
            clock.yielded()
            counts.append(count)
        return counts

    clock = yielding.Pace(0.03, most=16)
    assert strides(0.001, 6) == [1, 2, 4, 8, 16, 16]
    assert strides(0.01, 4) == [16, 8, 4, 2]
    assert strides(0.1, 3) == [2, 1, 1]
    clock = yielding.Pace(0.0, most=16)
    assert strides(0.001, 3) == [1, 1, 1]


def test_a_snapshot_does_not_change_with_training():
    class Snap(pt.train.Callback):
        def on_epoch_end(self, epoch, logs):
            if epoch == 0:
                self.kept = self.trainer.snapshot()
                self.value = self.trainer.model[1].item()

        def on_train_end(self):
            assert self.trainer.model[1].item() != self.value
            self.trainer.restore(self.kept)
            del self.kept

    snap = Snap()
    w = pt.zeros(1)
    fit(w, [snap], epochs=4)
    assert_values(w, np.float32([snap.value]))
    del snap.trainer


def rates_with(callback, values, optimizer):
    """Train one batch per epoch, with losses given by the targets; return the rates."""
    rates = []

    class Recorder(pt.train.Callback):
        def on_epoch_begin(self, epoch):
            rates.append(self.trainer.learning_rate)

        def on_epoch_end(self, epoch, logs):
            logs["value"] = values[epoch]

    x = pt.ones((2, 1))
    asyncio.run(
        pt.train.fit(
            (lambda w, x: x * w, pt.zeros(1)),
            (x, x),
            loss="mse",
            optimizer=optimizer,
            epochs=len(values),
            callbacks=[Recorder(), callback],
        )
    )
    return rates


def test_the_learning_rate_is_reduced_on_plateaus():
    reduce = pt.train.ReduceLROnPlateau("value", factor=0.5, patience=2, min_delta=0.1)
    values = [5, 4, 3.95, 4, 3.95, 3.0, 3.0, 3.0, 3.0]
    assert rates_with(reduce, values, pt.optim.sgd(0.4)) == pytest.approx(
        [0.4, 0.4, 0.4, 0.4, 0.2, 0.2, 0.2, 0.2, 0.1]
    )
    # The callback can be used again.
    assert rates_with(reduce, [1, 1, 1, 1], pt.optim.sgd(0.4))[-1] == pytest.approx(0.2)


def test_reductions_have_a_cooldown_and_a_limit():
    reduce = pt.train.ReduceLROnPlateau(
        "value", factor=0.1, patience=1, cooldown=2, min_lr=0.02, mode="max"
    )
    got = rates_with(reduce, [1] * 7, pt.optim.sgd(1.0))
    assert got == pytest.approx([1.0, 1.0, 0.1, 0.1, 0.1, 0.02, 0.02])
    scheduled = pt.optim.sgd(pt.optim.step_decay(1.0, 2, 0.5))
    reduce = pt.train.ReduceLROnPlateau("value", factor=0.1, patience=2)
    got = rates_with(reduce, [1, 1, 1, 1, 1], scheduled)
    assert got == pytest.approx([1.0, 1.0, 0.5, 0.05, 0.025])


def test_a_reduced_rate_is_used():
    class Halve(pt.train.Callback):
        def on_epoch_end(self, epoch, logs):
            self.trainer.learning_rate = 0.5 * self.trainer.learning_rate

    model = (lambda w, x: x * w, pt.zeros(1))
    x = pt.ones((1, 1))
    optimizer = pt.optim.sgd(0.4, groups={"": {"learning_rate": 0.4}})
    asyncio.run(
        pt.train.fit(
            model,
            (x, x),
            loss=lambda o, t: -o.sum(),
            optimizer=optimizer,
            epochs=3,
            callbacks=[Halve()],
        )
    )
    assert model[1].item() == pytest.approx(0.4 + 0.2 + 0.1)


def test_wrong_reductions_are_refused():
    assert_raises(
        errors.ArgumentError,
        "ReduceLROnPlateau: factor is out of range; got 2.0; use a number between 0 and 1",
        lambda: pt.train.ReduceLROnPlateau(factor=2.0),
    )
