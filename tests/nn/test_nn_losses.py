"""Losses: formulas in float64, weights and reductions, extreme logits, wrong shapes."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from helpers import assert_raises, assert_values, sample
from scipy import special

import py_tensor as pt
from py_tensor import errors

nn = pt.nn
RTOL = 6e-6
"""A logarithm and an exponential of the table (2e-6 each), and a sum of about ten terms."""
SHAPE = (4, 3, 5)


def _huber(p, y, delta):
    error = np.abs(p - y)
    return np.where(error <= delta, error**2 / 2, delta * (error - delta / 2))


def _binary(x, y):
    return -y * special.log_expit(x) - (1 - y) * special.log_expit(-x)


def _categorical(x, y, axis=-1):
    return -(y * special.log_softmax(x, axis=axis)).sum(axis=axis)


def _cosine(p, y, axis=-1):
    sizes = np.linalg.norm(p, axis=axis) * np.linalg.norm(y, axis=axis)
    return 1 - (p * y).sum(axis=axis) / sizes


def _smoothed(y, s, classes):
    return y * (1 - s) + s / classes


LOSSES = {
    "mean_squared_error": ({}, "numbers", lambda p, y: (p - y) ** 2),
    "mean_absolute_error": ({}, "numbers", lambda p, y: np.abs(p - y)),
    "huber_loss": ({}, "numbers", lambda p, y: _huber(p, y, 1.0)),
    "huber_loss 2.5": ({"delta": 2.5}, "numbers", lambda p, y: _huber(p, y, 2.5)),
    "log_loss": (
        {},
        "probabilities",
        lambda p, y: -y * np.log(p + 1e-7) - (1 - y) * np.log(1 - p + 1e-7),
    ),
    "binary_cross_entropy": (
        {},
        "probabilities",
        lambda p, y: -y * np.log(p) - (1 - y) * np.log(1 - p),
    ),
    "hinge_loss": ({}, "zeros and ones", lambda p, y: np.maximum(0, 1 - (2 * y - 1) * p)),
    "sigmoid_cross_entropy": ({}, "probabilities of logits", _binary),
    "sigmoid_cross_entropy smoothed": (
        {"label_smoothing": 0.2},
        "probabilities of logits",
        lambda x, y: _binary(x, _smoothed(y, 0.2, 2)),
    ),
    "softmax_cross_entropy": ({}, "distributions of logits", _categorical),
    "softmax_cross_entropy smoothed": (
        {"label_smoothing": 0.2},
        "distributions of logits",
        lambda x, y: _categorical(x, _smoothed(y, 0.2, SHAPE[-1])),
    ),
    "softmax_cross_entropy axis": (
        {"axis": 1},
        "probabilities of logits",
        lambda x, y: _categorical(x, y, axis=1),
    ),
    "cosine_distance": ({}, "numbers", _cosine),
    "cosine_distance axis": ({"axis": 0}, "numbers", lambda p, y: _cosine(p, y, axis=0)),
    "kl_divergence": ({}, "distributions", lambda p, y: special.rel_entr(y, p).sum(axis=-1)),
}
"""Options, kinds of predictions and labels, and the losses by NumPy and SciPy in float64."""


def operands(rng, kind, dtype="float32"):
    """Draw predictions and labels."""
    p, y = sample(rng, SHAPE, dtype), sample(rng, SHAPE, dtype)
    if kind == "zeros and ones":
        y = (y > 0).astype(dtype)
    if "probabilities" in kind:
        y = special.expit(y.astype("float64")).astype(dtype)
    if "distributions" in kind:
        y = special.softmax(y.astype("float64"), axis=-1).astype(dtype)
    if kind == "probabilities":
        p = special.expit(p.astype("float64")).astype(dtype)
    if kind == "distributions":
        p = special.softmax(p.astype("float64"), axis=-1).astype(dtype)
        y[0, :, 0] = 0.0
    return p, y


def call(name, *args, **more):
    return getattr(nn, name.split()[0])(*map(pt.asarray, args), **LOSSES[name][0], **more)


def losses(name, p, y):
    return LOSSES[name][2](p.astype("float64"), y.astype("float64"))


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_formula(name, dtype, rng):
    p, y = operands(rng, LOSSES[name][1], dtype)
    want = losses(name, p, y)
    # Halves are exact in float32, in which losses are computed, so one tolerance serves both.
    # A difference of numbers of size 1 is accurate to a few units in the last place of 1.
    got = call(name, p, y, reduction="none")
    assert_values(got, want.astype("float32"), rtol=RTOL, atol=2e-6)


@pytest.mark.parametrize("name", LOSSES)
def test_reductions(name, rng):
    p, y = operands(rng, LOSSES[name][1])
    want = losses(name, p, y)
    assert_values(call(name, p, y), np.float32(want.mean()), rtol=RTOL)
    assert_values(call(name, p, y, reduction="sum"), np.float32(want.sum()), rtol=RTOL)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("wide", [False, True])
def test_weights(name, wide, rng):
    p, y = operands(rng, LOSSES[name][1])
    want = losses(name, p, y)
    shape = (want.shape[0],) + (1,) * (want.ndim - 1) if wide else want.shape
    weights = rng.uniform(0, 2, shape).astype("float32")
    weights.flat[0] = 0.0
    w = pt.asarray(weights)
    weighted, total = want * weights, np.broadcast_to(weights, want.shape).sum()
    got = call(name, p, y, weights=w)
    assert_values(got, np.float32(weighted.sum() / total), rtol=RTOL)
    got = call(name, p, y, weights=w, reduction="sum")
    assert_values(got, np.float32(weighted.sum()), rtol=RTOL)
    got = call(name, p, y, weights=w, reduction="none")
    assert_values(got, weighted.astype("float32"), rtol=RTOL, atol=4e-6)


@pytest.mark.parametrize("shape", [(7,), (3, 4), (2, 3, 10)], ids=str)
@pytest.mark.parametrize("labels", ["int32", "uint8"])
def test_sparse_softmax_cross_entropy(shape, labels, rng):
    x = sample(rng, shape, "float32")
    y = rng.integers(0, shape[-1], shape[:-1]).astype(labels)
    want = _categorical(x.astype("float64"), np.eye(shape[-1])[y])
    given = pt.asarray(x), pt.asarray(y)
    got = nn.sparse_softmax_cross_entropy(*given, reduction="none")
    assert_values(got, want.astype("float32"), rtol=RTOL, atol=2e-6)
    assert_values(nn.sparse_softmax_cross_entropy(*given), np.float32(want.mean()), rtol=RTOL)
    weights = rng.uniform(0.5, 2, shape[:-1]).astype("float32")
    got = nn.sparse_softmax_cross_entropy(*given, weights=pt.asarray(weights))
    assert_values(got, np.float32((want * weights).sum() / weights.sum()), rtol=RTOL)


def test_labels_out_of_range():
    got = nn.sparse_softmax_cross_entropy(pt.zeros((3, 2)), [-1, 2, 1], reduction="none")
    assert_values(got, np.float32([math.nan, math.nan, math.log(2)]), rtol=RTOL)


EXTREMES = np.float32([-1000.0, -90.0, -17.0, -1.0, 0.0, 1.0, 17.0, 90.0, 1000.0])


def test_logits_of_any_size():
    x, zero, one = EXTREMES, np.zeros(9, "float32"), np.ones(9, "float32")
    wide = x.astype("float64")
    for y, want in ((zero, -special.log_expit(-wide)), (one, -special.log_expit(wide))):
        got = nn.sigmoid_cross_entropy(pt.asarray(x), pt.asarray(y), reduction="none")
        # Relative, also if the loss is nearly 0: 4e-8 at 17; below float32's range it is 0.
        assert_values(got, want.astype("float32"), rtol=RTOL, atol=1e-38)
    pair = np.stack([x, -x], axis=-1)
    got = nn.sparse_softmax_cross_entropy(
        pt.asarray(pair), pt.zeros(9, dtype="int32"), reduction="none"
    )
    # The maximum, and a logarithm, whose absolute error is that of numbers of size 1.
    want = -special.log_softmax(pair.astype("float64"), axis=-1)[:, 0]
    assert_values(got, want.astype("float32"), rtol=RTOL, atol=2e-6)


def test_cosine_of_short_and_long_vectors():
    p = np.float32([[1e-3, 0, 0], [1e15, 1e15, 0], [0, 0, 0]])
    y = np.float32([[1e-3, 0, 0], [1e15, 0, 0], [1, 2, 3]])
    got = nn.cosine_distance(pt.asarray(p), pt.asarray(y), reduction="none")
    assert_values(got, np.float32([0, 1 - math.sqrt(0.5), 1]), atol=1e-6)


def test_labels_may_be_integers_and_lists():
    assert nn.mean_squared_error(pt.asarray([1.0, 2.0]), [0, 4]).item() == 2.5
    assert nn.hinge_loss(pt.asarray([0.5]), pt.asarray([True])).item() == 0.5


NAMES = sorted({name.split()[0] for name in LOSSES} | {"sparse_softmax_cross_entropy"})


@pytest.mark.parametrize("name", NAMES)
def test_integers_are_refused(name):
    assert_raises(
        errors.DTypeError,
        f'{name}: dtype int32 is not floating; use x.astype("float32")',
        lambda: getattr(nn, name)(pt.asarray([[1]]), pt.asarray([1])),
    )


@pytest.mark.parametrize("name", NAMES)
def test_other_reductions_are_refused(name):
    labels = pt.zeros(2, dtype="int32") if name.startswith("sparse") else pt.ones((2, 3))
    assert_raises(
        errors.ArgumentError,
        f'{name}: reduction is unknown; got \'average\'; use "mean", "sum" or "none"',
        lambda: getattr(nn, name)(pt.ones((2, 3)), labels, reduction="average"),
    )


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("sparse")])
def test_labels_do_not_broadcast(name):
    assert_raises(
        errors.ShapeError,
        f"{name}: shapes must be equal; got (4, 1) and (4,); use the same shape for labels and "
        "predictions",
        lambda: getattr(nn, name)(pt.ones((4, 1)), pt.ones(4)),
    )


CASES = {
    "labels of the logits' shape": (
        errors.ShapeError,
        lambda: nn.sparse_softmax_cross_entropy(pt.zeros((2, 3)), pt.zeros((2, 3), dtype="int32")),
        "sparse_softmax_cross_entropy: shapes are incompatible; got (2, 3) and (2, 3); labels "
        "must have the logits' shape without the last axis",
    ),
    "labels that are no integers": (
        errors.DTypeError,
        lambda: nn.sparse_softmax_cross_entropy(pt.zeros((2, 3)), pt.zeros(2)),
        "sparse_softmax_cross_entropy: indices must be integers; got dtype float32; use "
        'indices.astype("int32")',
    ),
    "weights with more elements": (
        errors.ShapeError,
        lambda: nn.mean_squared_error(pt.zeros(3), pt.zeros(3), weights=pt.ones((2, 3))),
        "mean_squared_error: weights must broadcast to the losses; got shapes (2, 3) and (3,); "
        "reshape the weights",
    ),
    "weights of another length": (
        errors.ShapeError,
        lambda: nn.mean_squared_error(pt.zeros(3), pt.zeros(3), weights=pt.ones(2)),
        "mean_squared_error: shapes (3,) and (2,) do not broadcast; axis -1 is 3 and 2",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_wrong_arguments(name):
    error, call, text = CASES[name]
    assert_raises(error, text, call)


def test_nll_of_log_softmax_is_the_cross_entropy_of_logits(rng):
    x = sample(rng, (4, 3, 5), "float32")
    y = rng.integers(0, 5, (4, 3)).astype("int32")
    logs = special.log_softmax(x.astype("float64"), axis=-1)
    want = -np.take_along_axis(logs, y[..., None].astype("int64"), axis=-1)[..., 0]
    given = pt.asarray(logs.astype("float32"))
    assert_values(nn.nll_loss(given, y, reduction="none"), want.astype("float32"), rtol=RTOL)
    assert math.isnan(nn.nll_loss(given[0], [0, 5, 1]).item())


def test_binary_cross_entropy_is_finite():
    values = nn.binary_cross_entropy(pt.asarray([0.0, 1.0]), [1.0, 0.0], reduction="none")
    np.testing.assert_allclose(values.numpy(), [16.118, 16.118], rtol=0.02)


def test_cosine_similarity(rng):
    x, y = sample(rng, (4, 3, 5), "float32"), sample(rng, (4, 3, 5), "float32")
    for axis in (-1, 0):
        want = 1 - _cosine(x.astype("float64"), y.astype("float64"), axis)
        got = nn.cosine_similarity(pt.asarray(x), y, axis=axis)
        assert_values(got, want.astype("float32"), rtol=RTOL, atol=RTOL)


def test_cosine_embedding_loss(rng):
    x, y = sample(rng, (6, 5), "float32"), sample(rng, (6, 5), "float32")
    labels = np.int32([1, -1, 1, -1, -1, 1])
    cosine = 1 - _cosine(x.astype("float64"), y.astype("float64"))
    want = np.where(labels > 0, 1 - cosine, np.maximum(0, cosine - 0.1)).astype("float32")
    got = nn.cosine_embedding_loss(pt.asarray(x), y, labels, margin=0.1, reduction="none")
    assert_values(got, want, rtol=RTOL, atol=RTOL)


def collapsed(path, blank):
    """Remove repetitions, then blanks."""
    kept = [c for at, c in enumerate(path) if at == 0 or c != path[at - 1]]
    return [c for c in kept if c != blank]


def alignments(logits, labels, steps, count, blank=0):
    """-log of the summed probability of all alignments of one sequence, by enumeration."""
    logs = special.log_softmax(logits[:steps].astype("float64"), axis=-1)
    found = [
        sum(logs[at, c] for at, c in enumerate(path))
        for path in itertools.product(range(logits.shape[1]), repeat=steps)
        if collapsed(path, blank) == list(labels[:count])
    ]
    return -special.logsumexp(found) if found else np.inf


CTC = [
    (5, [[1, 2], [2, 2]], None, None, 0),
    (4, [[1, 2, 1], [2, 2, 1]], [4, 3], [3, 2], 0),
    (4, [[0, 1], [1, 1]], [4, 2], [2, 1], 2),
    (3, [[1, 1], [1, 2]], None, [0, 2], 0),
]


@pytest.mark.parametrize(("steps", "labels", "logit_lengths", "label_lengths", "blank"), CTC)
def test_ctc_sums_all_alignments(steps, labels, logit_lengths, label_lengths, blank, rng):
    x = sample(rng, (2, steps, 3), "float32")
    got = nn.ctc_loss(
        pt.asarray(x),
        labels,
        logit_lengths=logit_lengths,
        label_lengths=label_lengths,
        blank=blank,
        reduction="none",
    )
    ends, counts = logit_lengths or [steps] * 2, label_lengths or [len(labels[0])] * 2
    want = [alignments(x[i], labels[i], ends[i], counts[i], blank) for i in range(2)]
    assert_values(got, np.float32(want), rtol=RTOL)


def test_ctc_of_too_many_labels_is_infinite():
    x = pt.zeros((2, 2, 3))
    losses = nn.ctc_loss(x, [[1, 1], [1, 2]], reduction="none").tolist()
    assert losses == [math.inf, pytest.approx(math.log(9))]


def test_ctc_refuses_other_shapes():
    assert_raises(
        errors.ShapeError,
        "ctc_loss: shapes are incompatible; got (2, 3) and (2, 2); logits must have shape (batch, "
        "time, classes), labels (batch, labels)",
        lambda: nn.ctc_loss(pt.zeros((2, 3)), [[1, 1], [1, 2]]),
    )
    assert_raises(
        errors.ShapeError,
        "ctc_loss: lengths must be one number per sequence; got shape (3,) for 2 sequences; pass "
        "shape (batch,)",
        lambda: nn.ctc_loss(pt.zeros((2, 3, 3)), [[1], [1]], label_lengths=[1, 1, 1]),
    )


@pytest.mark.parametrize("name", ["sparse_softmax_cross_entropy", "nll_loss"])
def test_ignored_labels_do_not_count(name):
    """The mean over other labels, as in torch.nn.functional.cross_entropy; weights multiply."""
    loss = getattr(pt.nn, name)
    scores = pt.nn.log_softmax(pt.asarray([[1.0, 2.0], [0.0, 3.0], [5.0, 1.0]]))
    labels = pt.asarray([0, -1, 1])
    each = loss(scores[::2], labels[::2], reduction="none").numpy()
    assert_values(loss(scores, labels, ignore_index=-1), each.mean(), rtol=1e-6)
    assert_values(loss(scores, labels, ignore_index=-1, reduction="sum"), each.sum(), rtol=1e-6)
    weighted = loss(scores, labels, ignore_index=-1, weights=[3.0, 7.0, 1.0])
    assert_values(weighted, np.float32((3 * each[0] + each[1]) / 4), rtol=1e-6)
    assert np.isnan(loss(scores, labels).numpy())
