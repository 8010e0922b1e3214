"""Gradients of pt.nn along random directions, against differences of the float64 references."""

from __future__ import annotations

import math
from functools import partial

import half_storage
import numpy as np
import pytest
from helpers import sample
from scipy import special
from test_nn_activations import FUNCTIONS
from test_nn_attention import attended
from test_nn_convolution import convolve, kernel_of_groups, transposed
from test_nn_losses import LOSSES, alignments, losses, operands
from test_nn_pooling import adaptive, pooled
from test_nn_recurrent import KINDS, leaves, steps
from test_nn_resizing import bilinear

import py_tensor as pt

nn = pt.nn
STEP = 1e-6


def check_gradient(rng, function, reference, *arrays, tolerance=2e-5):
    """Compare the gradient of a random sum of results with central differences in float64."""
    tensors = [pt.asarray(x) for x in arrays]
    weights = rng.standard_normal(np.shape(reference(*(x.astype("float64") for x in arrays))))
    w = pt.asarray(weights.astype("float32"))
    places = tuple(range(len(arrays)))
    found = pt.grad(lambda *args: (function(*args) * w).sum(), argnums=places)(*tensors)
    weights = w.numpy().astype("float64")
    for _ in range(2):
        directions = [rng.standard_normal(x.shape) for x in arrays]
        ahead, back = (
            (
                weights
                * reference(*(x + side * STEP * d for x, d in zip(arrays, directions, strict=True)))
            ).sum()
            for side in (1, -1)
        )
        want = (ahead - back) / (2 * STEP)
        terms = [g.numpy() * d for g, d in zip(found, directions, strict=True)]
        got = sum(float(term.sum(dtype="float64")) for term in terms)
        # Each term adds an error relative to its size.
        size = sum(float(np.abs(term).sum(dtype="float64")) for term in terms)
        tolerance = half_storage.tolerance(tolerance)
        assert abs(got - want) <= tolerance * size + 1e-9, (got, want, size)


def test_a_wrong_gradient_is_found(rng):
    x = sample(rng, (4, 3), "float32")
    check_gradient(rng, lambda x: x * x, lambda x: x * x, x)
    with pytest.raises(AssertionError):
        check_gradient(rng, lambda x: x * x, lambda x: x * x + 0.01 * x, x)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_activations(name, rng):
    function, formula = FUNCTIONS[name]
    x = sample(rng, (4, 5), "float32")
    # Multiples of one half, at least 0.05 away from where a derivative jumps.
    x = np.float32(np.round(x * 2) / 2 + 0.05 + 0.4 * rng.random((4, 5)))
    check_gradient(rng, function, formula, x)


@pytest.mark.parametrize("name", ["elu", "selu", "celu", "softplus", "silu", "mish", "gelu"])
def test_derivatives_of_large_numbers_are_finite(name):
    derivative = pt.grad(lambda x: getattr(nn, name)(x).sum())(pt.asarray([-200.0, 200.0]))
    np.testing.assert_allclose(
        derivative.numpy(), [0.0, 1.0507009873554805 if name == "selu" else 1.0], atol=1e-6
    )


def test_softmaxes(rng):
    x = sample(rng, (3, 5), "float32")
    check_gradient(rng, nn.log_softmax, partial(special.log_softmax, axis=-1), x)
    check_gradient(rng, nn.softmin, lambda x: special.softmax(-x, axis=-1), x)
    check_gradient(rng, partial(nn.logsumexp, axis=0), partial(special.logsumexp, axis=0), x)
    even, alpha = x[:, :4], sample(rng, (5,), "float32")
    check_gradient(rng, nn.glu, lambda x: x[:, :2] * special.expit(x[:, 2:]), even)
    check_gradient(rng, nn.prelu, lambda x, a: np.where(x > 0, x, a * x), x, alpha)


def test_hard_choice_has_the_gradient_of_the_soft_one(rng):
    x, key = pt.asarray(sample(rng, (3, 4), "float32")), pt.random.key(2)
    w = pt.asarray(sample(rng, (3, 4), "float32"))

    def slope(hard):
        return pt.grad(lambda x: (nn.gumbel_softmax(x, hard=hard, key=key) * w).sum())(x)

    assert abs(slope(False).numpy()).max() > 0.01
    np.testing.assert_array_equal(slope(True).numpy(), slope(False).numpy())


def integers(rng, *shapes):
    return [rng.integers(-3, 4, shape).astype("float32") for shape in shapes]


@pytest.mark.parametrize("options", [{}, {"stride": 2, "padding": "same"}, {"groups": 2}], ids=str)
def test_convolutions(options, rng):
    each = 4 // options.get("groups", 1)
    x, w = integers(rng, (2, 6, 4), (3, each, 6))
    check_gradient(rng, partial(nn.conv1d, **options), partial(convolve, **options), x, w)
    x, w = integers(rng, (1, 4, 5, 4, 4), (2, 3, 2, each, 4))
    check_gradient(rng, partial(nn.conv3d, **options), partial(convolve, **options), x, w)
    x, w = integers(rng, (2, 4, 4), (3, each, 4))
    check_gradient(
        rng, partial(nn.conv1d_transpose, **options), partial(transposed, **options), x, w
    )
    x, w = integers(rng, (1, 2, 3, 2, 4), (2, 3, 2, each, 4))
    check_gradient(
        rng, partial(nn.conv3d_transpose, **options), partial(transposed, **options), x, w
    )


@pytest.mark.parametrize("options", [{}, {"stride": 2, "padding": "same"}], ids=str)
def test_depthwise(options, rng):
    x, w, v = integers(rng, (1, 5, 6, 3), (3, 3, 3, 2), (1, 1, 6, 4))

    def reference(x, w, v):
        return convolve(convolve(x, kernel_of_groups(w), groups=3, **options), v)

    check_gradient(rng, partial(nn.separable_conv2d, **options), reference, x, w, v)


POOLS = {
    "max_pool1d": (lambda x: nn.max_pool1d(x, 3, stride=2, padding="same"), (2, 7, 3)),
    "max_pool3d": (lambda x: nn.max_pool3d(x, 2, stride=1), (1, 3, 3, 4, 2)),
    "avg_pool1d": (lambda x: nn.avg_pool1d(x, 3, stride=2, padding="same"), (2, 7, 3)),
    "avg_pool3d": (lambda x: nn.avg_pool3d(x, 2, stride=1), (1, 3, 3, 4, 2)),
}


@pytest.mark.parametrize("name", POOLS)
def test_pools(name, rng):
    function, shape = POOLS[name]
    # All differ by more than a step, so the largest element stays the largest.
    x = rng.permutation(math.prod(shape)).reshape(shape).astype("float32") / 8
    size, given = (
        (3, {"stride": 2, "padding": "same"}) if name.endswith("1d") else (2, {"stride": 1})
    )
    check_gradient(rng, function, lambda x: pooled(x, size, name[:3], **given), x)


@pytest.mark.parametrize("out", [2, 3])
def test_adaptive_and_global_pools(out, rng):
    x = rng.permutation(2 * 5 * 4 * 3).reshape(2, 5, 4, 3).astype("float32") / 8
    check_gradient(
        rng, lambda x: nn.adaptive_avg_pool2d(x, out), lambda x: adaptive(x, out, "avg"), x
    )
    check_gradient(
        rng, lambda x: nn.adaptive_max_pool2d(x, out), lambda x: adaptive(x, out, "max"), x
    )
    check_gradient(rng, nn.global_avg_pool, lambda x: x.mean(axis=(1, 2)), x)
    check_gradient(rng, nn.global_max_pool, lambda x: x.max(axis=(1, 2)), x)


def test_norms(rng):
    x, scale, offset = (sample(rng, shape, "float32") for shape in ((2, 3, 4), (4,), (4,)))
    variance = np.float32([0.5, 1.0, 1.5, 2.0])

    def affine(function):
        return lambda x, s, o: function(x, scale=s, offset=o)

    def reference(axes, shape=None):
        def value(x, s, o):
            parts = x.reshape(shape) if shape else x
            wide = parts - parts.mean(axis=axes, keepdims=True)
            wide = wide / np.sqrt(parts.var(axis=axes, keepdims=True) + 1e-5)
            return wide.reshape(x.shape) * s + o

        return value

    given = x, scale, offset
    check_gradient(rng, affine(nn.layer_norm), reference((-1,)), *given)
    check_gradient(rng, affine(nn.instance_norm), reference((1,)), *given)
    groups = affine(lambda x, **more: nn.group_norm(x, 2, **more))
    check_gradient(rng, groups, reference((1, 3), (2, 3, 2, 2)), *given)
    check_gradient(
        rng,
        lambda x, s: nn.rms_norm(x, scale=s),
        lambda x, s: x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-6) * s,
        x,
        scale,
    )
    check_gradient(
        rng,
        lambda x, m, v: nn.batch_norm(x, m, v),
        lambda x, m, v: (x - m) / np.sqrt(v + 1e-3),
        x,
        offset,
        variance,
    )


def test_batch_norm_in_training(rng):
    layer = nn.BatchNorm(4, momentum=0.5)
    x = sample(rng, (6, 4), "float32")
    check_gradient(rng, lambda x: layer(x, training=True), lambda x: unit64(x), x)
    # The assignment in place takes effect: the layer is not an argument of the function.
    before = layer.mean.numpy()
    pt.grad(lambda layer: layer(pt.asarray(x), training=True).sum())(layer)
    np.testing.assert_allclose(layer.mean.numpy(), (before + x.mean(axis=0)) / 2, rtol=1e-5)


def unit64(x):
    return (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0) + 1e-3)


@pytest.mark.parametrize("causal", [False, True])
def test_attention(causal, rng):
    q, k, v = (sample(rng, shape, "float32", -1, 1) for shape in ((2, 3, 4), (2, 5, 4), (2, 5, 2)))
    mask = rng.random((3, 5)) < 0.7
    check_gradient(
        rng,
        lambda q, k, v: nn.scaled_dot_product_attention(
            q, k, v, mask=pt.asarray(mask), causal=causal
        ),
        lambda q, k, v: attended(q, k, v, mask=mask, causal=causal),
        q,
        k,
        v,
    )


def test_fully_masked_query_has_a_finite_gradient():
    x = pt.ones((2, 3))
    found = pt.grad(
        lambda x: nn.scaled_dot_product_attention(x, x, x, mask=pt.zeros(2, dtype="bool")).sum()
    )(x)
    assert np.isfinite(found.numpy()).all()


def test_embedding(rng):
    table = sample(rng, (6, 3), "float32")
    indices = np.int32([[1, 5, 1], [0, 1, 4]])
    check_gradient(rng, lambda t: nn.embedding(pt.asarray(indices), t), lambda t: t[indices], table)


def test_dropout(rng):
    x, key = sample(rng, (8, 5), "float32"), pt.random.key(3)
    kept = nn.dropout(pt.ones((8, 5)), 0.5, key=key).numpy()
    check_gradient(rng, lambda x: nn.dropout(x, 0.5, key=key), lambda x: x * kept, x)


def test_resizing(rng):
    x = sample(rng, (1, 3, 4, 2), "float32")
    check_gradient(rng, lambda x: nn.resize_bilinear(x, (5, 3)), lambda x: bilinear(x, (5, 3)), x)
    check_gradient(
        rng,
        lambda x: nn.resize_nearest_neighbor(x, (6, 2)),
        lambda x: x.repeat(2, axis=1)[:, :, ::2],
        x,
    )


@pytest.mark.parametrize("name", LOSSES)
def test_losses(name, rng):
    options, kind, _ = LOSSES[name]
    p, y = operands(rng, kind)
    function = getattr(nn, name.split()[0])
    check_gradient(
        rng,
        lambda p: function(p, pt.asarray(y), **options),
        lambda p: losses(name, p, y).mean(),
        p,
    )


def test_sparse_softmax_cross_entropy(rng):
    x, y = sample(rng, (4, 5), "float32"), np.int32([3, 0, 4, 1])
    check_gradient(
        rng,
        lambda x: nn.sparse_softmax_cross_entropy(x, pt.asarray(y)),
        lambda x: -special.log_softmax(x, axis=-1)[np.arange(4), y].mean(),
        x,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_masked_sequences(kind, rng):
    layer = KINDS[kind](3, 4, layers=2, return_state=False)
    x = sample(rng, (1, 5, 3), "float32", -1.0, 1.0)
    mask = np.array([True, True, False, True, False])

    def reference(x):
        below, _ = steps(kind, layer, x[:, mask])
        above, _ = steps(kind, layer.upper[0], below)
        return above[:, [0, 1, 1, 2, 2]]

    check_gradient(rng, lambda x: layer(x, mask=mask[None]), reference, x, tolerance=1e-4)


def test_ctc(rng):
    x = sample(rng, (2, 4, 3), "float32")
    labels = [[1, 2], [2, 2]]

    def reference(x):
        return np.array([alignments(x[i], labels[i], 4, 2) for i in range(2)])

    check_gradient(rng, lambda x: nn.ctc_loss(x, labels, reduction="none"), reference, x)


def test_losses_at_the_start_and_end_of_training():
    def slope(name, predictions, labels):
        function = getattr(nn, name)
        given = pt.asarray(labels)
        return pt.grad(lambda x: function(x, given, reduction="sum"))(pt.asarray(predictions))

    got = slope("sigmoid_cross_entropy", [0.0, 0.0, 500.0, -500.0], [0.0, 1.0, 0.0, 1.0])
    np.testing.assert_allclose(got.numpy(), [0.5, -0.5, 1.0, -1.0], atol=1e-6)
    got = slope("softmax_cross_entropy", [[0.0, 0.0], [500.0, -500.0]], [[0.0, 1.0], [0.0, 1.0]])
    np.testing.assert_allclose(got.numpy(), [[0.5, -0.5], [1.0, -1.0]], atol=1e-6)
    got = slope("kl_divergence", [[0.5, 0.5], [1.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]])
    np.testing.assert_allclose(got.numpy(), [[-2.0, 0.0], [-1.0, 0.0]], atol=1e-6)
    got = slope("cosine_distance", [[0.0, 0.0]], [[1.0, 2.0]])
    assert np.isfinite(got.numpy()).all()


@pytest.mark.parametrize("kind", KINDS)
def test_recurrent(kind, rng):
    layer = KINDS[kind](3, 2)
    tensors, structure = pt.tree_flatten(layer)
    arrays = [leaf.numpy() for leaf in tensors]
    x = sample(rng, (2, 4, 3), "float32", -1.0, 1.0)

    class Wide:
        """The parameters that the reference reads, in float64."""

        def __init__(self, values):
            fields = ("weight", "recurrent_weight", "bias", "recurrent_bias")
            for name, value in zip(fields, values, strict=False):
                setattr(self, name, np.asarray(value).view(Numbers))

    def reference(x, *values):
        outputs, state = steps(kind, Wide(values), x)
        return np.concatenate([outputs.ravel(), *(part.ravel() for part in leaves(state))])

    def function(x, *values):
        outputs, state = pt.tree_unflatten(structure, values)(x)
        return pt.concat([outputs.flatten(), *(part.flatten() for part in leaves(state))])

    check_gradient(rng, function, reference, x, *arrays)


class Numbers(np.ndarray):
    """An array with the reading interface of a tensor."""

    def numpy(self):
        return np.asarray(self)


def test_training_reduces_the_loss(rng):
    pt.random.seed(6)
    model = nn.Sequential(
        nn.Conv2D(1, 4, 3, padding="same"),
        nn.BatchNorm(4),
        pt.relu,
        nn.MaxPool2D(2),
        nn.Flatten(),
        nn.Dropout(0.1),
        nn.Dense(16, 2),
    )
    x = rng.standard_normal((32, 4, 4, 1)).astype("float32")
    y = pt.asarray((x.mean(axis=(1, 2, 3)) > 0).astype("int32"))
    x = pt.asarray(x)

    @pt.jit
    def step(model, x, y):
        def loss(model):
            return nn.sparse_softmax_cross_entropy(model(x, training=True), y)

        value, gradients = pt.value_and_grad(loss)(model)
        return pt.tree_map(lambda p, g: p - 0.2 * g, model, gradients), value

    first = None
    for _ in range(30):
        model, value = step(model, x, y)
        first = value.item() if first is None else first
    assert value.item() < 0.5 * first
