"""Losses and metrics against NumPy: values, gradients, weights, and totals over batches."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
import sklearn.metrics
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors
from py_tensor.train import LOSSES


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def shares(x):
    return np.clip(x / x.sum(-1, keepdims=True), 1e-7, 1 - 1e-7)


def rows(values):
    return values.reshape(len(values), -1).mean(1)


def binary(x, y):
    p = 1 / (1 + np.exp(-x))
    return -(y * np.log(p) + (1 - y) * np.log(1 - p))


def hubers(x, y):
    d = np.abs(x - y)
    return np.where(d <= 1, d * d / 2, d - 0.5)


REFERENCE = {
    "mse": lambda x, y: rows((x - y) ** 2),
    "mae": lambda x, y: rows(np.abs(x - y)),
    "mape": lambda x, y: rows(100 * np.abs((x - y) / y)),
    "huber": lambda x, y: rows(hubers(x, y)),
    "hinge": lambda x, y: rows(np.maximum(0, 1 - (2 * y - 1) * x)),
    "cosine": lambda x, y: rows(
        1 - (x * y).sum(-1) / np.linalg.norm(x, axis=-1) / np.linalg.norm(y, axis=-1)
    ),
    "kl_divergence": lambda x, y: rows((y * np.log(y / x)).sum(-1)),
    "nll": lambda x, y: rows(-np.take_along_axis(x, y[..., None], -1)),
    "binary_crossentropy": lambda x, y: rows(-(y * np.log(x) + (1 - y) * np.log(1 - x))),
    "binary_crossentropy_of_logits": lambda x, y: rows(binary(x, y)),
    "categorical_crossentropy": lambda x, y: rows(-(y * np.log(shares(x))).sum(-1)),
    "categorical_crossentropy_of_logits": lambda x, y: rows(-(y * np.log(softmax(x))).sum(-1)),
    "sparse_categorical_crossentropy": lambda x, y: rows(
        -np.log(np.take_along_axis(shares(x), y[..., None], -1))
    ),
    "sparse_categorical_crossentropy_of_logits": lambda x, y: rows(
        -np.log(np.take_along_axis(softmax(x), y[..., None], -1))
    ),
}


def outputs_for(name, x):
    """Convert normal numbers to what the loss takes."""
    if name in ("kl_divergence", "categorical_crossentropy", "sparse_categorical_crossentropy"):
        return softmax(x)
    if name == "binary_crossentropy":
        return 1 / (1 + np.exp(-x))
    return x


def targets_for(name, x, rng):
    if name.startswith("sparse") or name == "nll":
        return rng.integers(0, x.shape[-1], x.shape[:-1]).astype("int32")
    if name.startswith("categorical") or name == "kl_divergence":
        return softmax(rng.normal(size=x.shape)).astype("float32")
    if name.startswith("binary") or name == "hinge":
        return (rng.random(x.shape) < 0.5).astype("float32")
    return rng.normal(size=x.shape).astype("float32")


@pytest.mark.parametrize("shape", [(6, 5), (4, 3, 7), (5, 1)], ids=str)
@pytest.mark.parametrize("name", LOSSES)
def test_losses_equal_numpy(name, shape, rng):
    x = outputs_for(name, 2 * rng.normal(size=shape)).astype("float32")
    y = targets_for(name, x, rng)
    expected = REFERENCE[name](x.astype("float64"), y)
    got = LOSSES[name](pt.asarray(x), pt.asarray(y))
    assert_values(got, expected.astype("float32"), rtol=1e-5, atol=1e-6)


def test_every_loss_is_checked():
    assert REFERENCE.keys() == LOSSES.keys()


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_equal_differences(name, rng):
    x = outputs_for(name, rng.normal(size=(3, 4)))
    y = targets_for(name, x, rng)
    gradient = pt.grad(lambda x: pt.sum(LOSSES[name](x, pt.asarray(y))))(pt.asarray(x))
    expected = np.empty_like(x)
    for at in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[at] = 1e-6
        up, down = (REFERENCE[name](v, y).sum() for v in (x + step, x - step))
        expected[at] = (up - down) / 2e-6
    assert_values(gradient, expected.astype("float32"), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", [n for n in LOSSES if n.endswith("_of_logits")])
def test_large_scores_do_not_overflow(name):
    x = pt.asarray([[1000.0, -1000.0], [-1000.0, 1000.0]])
    y = pt.asarray([0, 0]) if name.startswith("sparse") else pt.asarray([[1.0, 0.0], [1.0, 0.0]])
    values, gradient = pt.value_and_grad(lambda x: pt.sum(LOSSES[name](x, y)))(x)
    assert np.isfinite(values.numpy()) and np.isfinite(gradient.numpy()).all()


def test_final_softmax_is_applied_once():
    """The loss of the probabilities is that of the logits from which softmax makes them."""
    x, y = pt.asarray([[0.0, 1.0, 3.0]]), pt.asarray([1])
    for_logits = LOSSES["sparse_categorical_crossentropy_of_logits"](x, y)
    of_probabilities = LOSSES["sparse_categorical_crossentropy"](pt.softmax(x), y)
    assert_values(of_probabilities, for_logits.numpy(), rtol=1e-6)


def test_certain_wrong_probability_has_finite_loss_as_in_keras():
    loss = LOSSES["categorical_crossentropy"](pt.asarray([[1.0, 0.0]]), pt.asarray([[0.0, 1.0]]))
    assert_values(loss, np.float32([-np.log(1e-7)]), rtol=1e-6)


@pytest.mark.parametrize("name", ["accuracy", "binary_accuracy", "precision", "recall", "f1"])
def test_binary_metrics_by_name_take_what_the_loss_takes(name):
    """With probabilities, scores above 0.5 are positive; with logits, scores above 0."""
    x, y = pt.asarray([[0.4], [0.6], [0.3]]), pt.asarray([[0.0], [1.0], [0.0]])
    model = (lambda w, x: x * w, pt.ones(()))

    def evaluated_with(loss):
        return asyncio.run(pt.train.evaluate(model, (x, y), loss=loss, metrics=[name]))[name]

    assert evaluated_with("binary_crossentropy") == 1.0
    recalled = 1.0 if name == "recall" else 0.5 if name == "f1" else 1 / 3
    assert evaluated_with("binary_crossentropy_of_logits") == pytest.approx(recalled)


def test_losses_of_halves_are_float32():
    x = pt.full((1, 4), 300.0, dtype="float16")
    assert_values(LOSSES["mse"](x, pt.zeros((1, 4), dtype="float16")), np.float32([90000]))


# --- metrics --------------------------------------------------------------------------------------


def evaluated(outputs, targets, metrics, weights=None, batch_size=5):
    data = (outputs, targets) if weights is None else (outputs, targets, weights)
    model = (lambda w, x: x + w, pt.zeros(()))
    results = asyncio.run(
        pt.train.evaluate(
            model, data, loss=lambda o, t: pt.mean(o), metrics=metrics, batch_size=batch_size
        )
        if weights is None
        else pt.train.evaluate(
            model,
            data,
            loss=lambda o, t: pt.mean(pt.reshape(o, (o.shape[0], -1)), axis=1),
            metrics=metrics,
            batch_size=batch_size,
        )
    )
    del results["loss"]
    return results


@pytest.fixture
def classes(rng):
    scores = rng.normal(size=(23, 6)).astype("float32")
    labels = rng.integers(0, 6, 23).astype("int32")
    weights = rng.integers(0, 4, 23).astype("float32")
    return scores, labels, weights


def test_metrics_of_classes(classes):
    scores, labels, weights = classes
    predicted = scores.argmax(1)
    rank = (scores > scores[np.arange(23), labels][:, None]).sum(1)
    metrics = [
        "accuracy",
        "sparse_categorical_accuracy",
        pt.train.top_k_accuracy(2),
        pt.train.precision(label=3),
        pt.train.recall(label=3),
        pt.train.confusion_matrix(6),
    ]
    for sample_weights in (None, weights):
        w = np.ones(23) if sample_weights is None else weights
        matrix = np.zeros((6, 6))
        np.add.at(matrix, (labels, predicted), w)
        expected = {
            "accuracy": np.average(predicted == labels, weights=w),
            "sparse_categorical_accuracy": np.average(predicted == labels, weights=w),
            "top_2_accuracy": np.average(rank < 2, weights=w),
            "precision": matrix[3, 3] / matrix[:, 3].sum(),
            "recall": matrix[3, 3] / matrix[3].sum(),
        }
        results = evaluated(scores, labels, metrics, sample_weights)
        assert results.pop("confusion_matrix") == matrix.tolist()
        assert results == pytest.approx(expected, rel=1e-6)


def test_metrics_of_one_hot_targets(classes):
    scores, labels, _ = classes
    one_hot = np.eye(6, dtype="float32")[labels]
    results = evaluated(scores, one_hot, ["accuracy", "categorical_accuracy"])
    expected = (scores.argmax(1) == labels).mean()
    assert results == pytest.approx({"accuracy": expected, "categorical_accuracy": expected})


@pytest.mark.parametrize("shape", [(23,), (23, 1), (23, 4)], ids=str)
def test_metrics_of_two_classes(shape, rng):
    scores = rng.normal(size=shape).astype("float32")
    labels = (rng.random(shape) < 0.5).astype("float32")
    right = labels > 0.5
    metrics = [pt.train.binary_accuracy(0.2), pt.train.precision(0.2), pt.train.recall(0.2)]
    positive = scores > 0.2
    assert evaluated(scores, labels, metrics) == pytest.approx(
        {
            "binary_accuracy": (positive == right).mean(),
            "precision": (positive & right).sum() / positive.sum(),
            "recall": (positive & right).sum() / right.sum(),
        },
        rel=1e-6,
    )


def test_precision_without_positives_is_zero():
    x, y = np.full((3, 1), -1, "float32"), np.zeros((3, 1), "float32")
    assert evaluated(x, y, ["precision", "recall"]) == {"precision": 0.0, "recall": 0.0}


def test_errors_of_regressions_and_own_functions(rng):
    x, y = (rng.normal(size=(23, 3)).astype("float32") for _ in range(2))

    def bias(outputs, targets):
        return pt.mean(outputs - targets, axis=1)

    def largest(outputs, targets):
        return pt.max(pt.abs(outputs))

    assert evaluated(x, y, ["mse", "mae", bias], batch_size=4) == pytest.approx(
        {"mse": ((x - y) ** 2).mean(), "mae": np.abs(x - y).mean(), "bias": (x - y).mean()},
        rel=1e-5,
        abs=1e-6,
    )
    assert evaluated(x, y, [largest], batch_size=23) == pytest.approx(
        {"largest": np.abs(x).max()}, rel=1e-6
    )


def test_metrics_of_many_batches_are_read_together(engine, monkeypatch):
    reads = []
    original = engine.read_async
    monkeypatch.setattr(engine, "read_async", lambda buffer: reads.append(1) or original(buffer))
    x = np.ones((64, 1), "float32")
    history = asyncio.run(
        pt.train.fit(
            (lambda w, x: x * w, pt.zeros(1)),
            (x, x),
            loss="mse",
            optimizer=pt.optim.sgd(0.1),
            batch_size=1,
            metrics=["mae", "mse"],
            yield_every=100.0,
        )
    )
    assert len(history.losses) == 64
    # After 1, 2, 4, 8, 16, 32 batches, and the last one; on a device, two while warming up.
    assert 7 <= len(reads) <= 9


def test_errors():
    scores, labels = pt.zeros((3, 4)), pt.zeros(3, dtype="int32")
    for error, text, call in (
        (
            errors.DTypeError,
            "sparse_categorical_crossentropy: targets must be class numbers; got dtype float32; "
            'use y.astype("int32"), or a metric or loss without "sparse" for one-hot targets',
            lambda: LOSSES["sparse_categorical_crossentropy"](scores, pt.zeros(3)),
        ),
        (
            errors.ShapeError,
            "sparse_categorical_crossentropy: targets do not match the scores; got (3,) for (4,); "
            "pass one class number for each row of scores",
            lambda: LOSSES["sparse_categorical_crossentropy"](pt.zeros(4), labels),
        ),
        (
            errors.ArgumentError,
            "evaluate: unknown metric; got 'accuracies'; use one of accuracy, "
            "sparse_categorical_accuracy, categorical_accuracy, binary_accuracy, top_k_accuracy, "
            "mse, mae, mape, precision, recall, f1, auc, r2, a Metric or a function of outputs and "
            "targets",
            lambda: evaluated(np.zeros((3, 4), "float32"), np.zeros(3, "int32"), ["accuracies"]),
        ),
        (
            errors.ArgumentError,
            "confusion_matrix: too few classes; got -1; use 1 or more",
            lambda: pt.train.confusion_matrix(-1),
        ),
        (
            errors.ShapeError,
            "<lambda>: metric must be one value per sample; got shape (3, 4) for 3 samples; "
            "reduce it, for example with pt.mean",
            lambda: evaluated(np.zeros((3, 4), "float32"), np.zeros(3, "int32"), [lambda o, t: o]),
        ),
    ):
        assert_raises(error, text, call)


# --- F1, AUC, R2 and MAPE -------------------------------------------------------------------------


def score(metric, outputs, targets, weights=None):
    name = metric if isinstance(metric, str) else metric.name
    return evaluated(outputs, targets, [metric], weights)[name]


def test_f1_equals_scikit_learn(rng):
    x, y = rng.normal(size=23).astype("float32"), (rng.random(23) < 0.4).astype("float32")
    w = rng.random(23).astype("float32")
    want = sklearn.metrics.f1_score(y, x > 0, sample_weight=w)
    assert score("f1", x, y, w) == pytest.approx(want, rel=1e-5)
    assert score("f1", x - 100, y * 0) == 0.0
    scores, labels = rng.normal(size=(23, 3)).astype("float32"), rng.integers(0, 3, 23)
    want = sklearn.metrics.f1_score(labels == 1, scores.argmax(1) == 1)
    got = score(pt.train.f1(label=1), scores, labels.astype("int32"))
    assert got == pytest.approx(want, rel=1e-5)


def test_auc_equals_scikit_learn(rng):
    # Scores at the centers between thresholds, so that these miss no point of the curve.
    grid = (rng.integers(0, 20, 40) + 0.5) / 20
    y = (rng.random(40) < grid).astype("float32")
    w = rng.random(40).astype("float32")
    want = sklearn.metrics.roc_auc_score(y, grid, sample_weight=w)
    x = grid.astype("float32")
    assert score(pt.train.auc(21, logits=False), x, y, w) == pytest.approx(want, rel=1e-5)
    logits = np.log(grid / (1 - grid)).astype("float32")
    assert score(pt.train.auc(21), logits, y, w) == pytest.approx(want, rel=1e-5)
    assert score("auc", logits, y) == pytest.approx(
        sklearn.metrics.roc_auc_score(y, grid), rel=1e-3
    )
    assert score("auc", logits, y * 0) == 0.0
    assert_raises(
        errors.ArgumentError,
        "auc: too few thresholds; got 1; use for example 200",
        lambda: pt.train.auc(1),
    )


@pytest.mark.parametrize("shape", [(17,), (17, 1)])
def test_r2_and_mape_equal_scikit_learn(shape, rng):
    y = rng.normal(size=shape).astype("float32") + 2
    x = y + 0.5 * rng.normal(size=shape).astype("float32")
    w = rng.random(17).astype("float32")
    want = sklearn.metrics.r2_score(y, x, sample_weight=w)
    assert score("r2", x, y, w) == pytest.approx(want, rel=1e-4)
    want = 100 * sklearn.metrics.mean_absolute_percentage_error(y, x, sample_weight=w)
    assert score("mape", x, y, w) == pytest.approx(want, rel=1e-5)
    assert score("r2", x, np.ones_like(y)) == 0.0
