"""Layers: each applies its function to its parameters and shows its configuration."""

from __future__ import annotations

import numeric_exceptions
import numpy as np
import pytest
from helpers import assert_raises, assert_spec, assert_values, sample

import py_tensor as pt
from py_tensor import errors

nn = pt.nn

LAYERS = {
    "Dense": (
        lambda: nn.Dense(5, 3),
        (2, 4, 5),
        lambda m, x: x @ m.weight + m.bias,
        "Dense(5 -> 3)",
    ),
    "Dense without bias": (
        lambda: nn.Dense(5, 3, bias=False),
        (2, 5),
        lambda m, x: x @ m.weight,
        "Dense(5 -> 3)",
    ),
    "PReLU": (
        lambda: nn.PReLU(3, alpha=0.5),
        (2, 3),
        lambda m, x: nn.prelu(x, m.alpha),
        "PReLU(3)",
    ),
    "Conv1D": (
        lambda: nn.Conv1D(4, 6, 3, stride=2, groups=2),
        (2, 9, 4),
        lambda m, x: nn.conv1d(x, m.weight, stride=2, groups=2) + m.bias,
        "Conv1D(4 -> 6, 3, stride 2, 2 groups)",
    ),
    "Conv2D": (
        lambda: nn.Conv2D(3, 4, (3, 2), padding="same", dilation=(1, 2)),
        (2, 5, 6, 3),
        lambda m, x: nn.conv2d(x, m.weight, padding="same", dilation=(1, 2)) + m.bias,
        "Conv2D(3 -> 4, 3x2, padding same, dilation 1x2)",
    ),
    "Conv3D": (
        lambda: nn.Conv3D(2, 4, 2, bias=False, padding=1),
        (1, 3, 4, 3, 2),
        lambda m, x: nn.conv3d(x, m.weight, padding=1),
        "Conv3D(2 -> 4, 2x2x2, padding ((1, 1), (1, 1), (1, 1)))",
    ),
    "ConvTranspose1D": (
        lambda: nn.ConvTranspose1D(4, 6, 3, stride=2, padding="same"),
        (2, 5, 4),
        lambda m, x: nn.conv1d_transpose(x, m.weight, stride=2, padding="same") + m.bias,
        "ConvTranspose1D(4 -> 6, 3, stride 2, padding same)",
    ),
    "ConvTranspose2D": (
        lambda: nn.ConvTranspose2D(4, 6, 3, stride=2, groups=2, output_padding=1, padding=1),
        (1, 3, 4, 4),
        lambda m, x: (
            nn.conv2d_transpose(x, m.weight, stride=2, groups=2, output_padding=1, padding=1)
            + m.bias
        ),
        "ConvTranspose2D(4 -> 6, 3x3, stride 2x2, padding ((1, 1), (1, 1)), 2 groups)",
    ),
    "ConvTranspose3D": (
        lambda: nn.ConvTranspose3D(4, 2, 2, bias=False),
        (1, 2, 3, 2, 4),
        lambda m, x: nn.conv3d_transpose(x, m.weight),
        "ConvTranspose3D(4 -> 2, 2x2x2)",
    ),
    "DepthwiseConv2D": (
        lambda: nn.DepthwiseConv2D(3, 3, multiplier=2, stride=2),
        (1, 7, 6, 3),
        lambda m, x: nn.depthwise_conv2d(x, m.weight, stride=2) + m.bias,
        "DepthwiseConv2D(3 -> 6, 3x3, stride 2x2)",
    ),
    "SeparableConv2D": (
        lambda: nn.SeparableConv2D(3, 4, 3, padding="same"),
        (1, 5, 6, 3),
        lambda m, x: nn.separable_conv2d(x, m.depthwise, m.pointwise, padding="same") + m.bias,
        "SeparableConv2D(3 -> 4, 3x3, padding same)",
    ),
    "MaxPool1D": (
        lambda: nn.MaxPool1D(3, stride=1),
        (2, 6, 3),
        lambda m, x: nn.max_pool1d(x, 3, stride=1),
        "MaxPool1D(3, stride 1)",
    ),
    "MaxPool2D": (
        lambda: nn.MaxPool2D((2, 3), padding="same"),
        (1, 5, 6, 3),
        lambda m, x: nn.max_pool2d(x, (2, 3), padding="same"),
        "MaxPool2D(2x3, padding same)",
    ),
    "MaxPool3D": (
        lambda: nn.MaxPool3D(2),
        (1, 4, 4, 2, 3),
        lambda m, x: nn.max_pool3d(x, 2),
        "MaxPool3D(2x2x2)",
    ),
    "AvgPool1D": (
        lambda: nn.AvgPool1D(2, dilation=2, stride=1),
        (2, 6, 3),
        lambda m, x: nn.avg_pool1d(x, 2, dilation=2, stride=1),
        "AvgPool1D(2, stride 1, dilation 2)",
    ),
    "AvgPool2D": (
        lambda: nn.AvgPool2D(2, padding=1),
        (1, 5, 6, 3),
        lambda m, x: nn.avg_pool2d(x, 2, padding=1),
        "AvgPool2D(2x2, padding ((1, 1), (1, 1)))",
    ),
    "AvgPool3D": (
        lambda: nn.AvgPool3D(2),
        (1, 4, 4, 2, 3),
        lambda m, x: nn.avg_pool3d(x, 2),
        "AvgPool3D(2x2x2)",
    ),
    "AdaptiveAvgPool2D": (
        lambda: nn.AdaptiveAvgPool2D((2, 3)),
        (1, 5, 6, 3),
        lambda m, x: nn.adaptive_avg_pool2d(x, (2, 3)),
        "AdaptiveAvgPool2D(2x3)",
    ),
    "AdaptiveMaxPool1D": (
        lambda: nn.AdaptiveMaxPool1D(2),
        (1, 5, 3),
        lambda m, x: nn.adaptive_max_pool1d(x, 2),
        "AdaptiveMaxPool1D(2)",
    ),
    "GlobalAvgPool": (
        nn.GlobalAvgPool,
        (2, 5, 6, 3),
        lambda m, x: nn.global_avg_pool(x),
        "GlobalAvgPool",
    ),
    "GlobalMaxPool": (
        nn.GlobalMaxPool,
        (2, 5, 6, 3),
        lambda m, x: nn.global_max_pool(x),
        "GlobalMaxPool",
    ),
    "Flatten": (nn.Flatten, (2, 3, 4), lambda m, x: x.reshape((2, 12)), "Flatten"),
    "Flatten of nothing": (nn.Flatten, (0, 3, 4), lambda m, x: x.reshape((0, 12)), "Flatten"),
    "Reshape": (
        lambda: nn.Reshape([2, -1]),
        (3, 8),
        lambda m, x: x.reshape((3, 2, 4)),
        "Reshape((2, -1))",
    ),
    "Activation": (
        lambda: nn.Activation(nn.gelu),
        (3, 8),
        lambda m, x: nn.gelu(x),
        "Activation(gelu)",
    ),
    "BatchNorm": (
        lambda: nn.BatchNorm(3),
        (2, 4, 3),
        lambda m, x: nn.batch_norm(x, m.mean, m.variance, scale=m.scale, offset=m.offset),
        "BatchNorm(3)",
    ),
    "LayerNorm": (
        lambda: nn.LayerNorm(6),
        (2, 4, 6),
        lambda m, x: nn.layer_norm(x, scale=m.scale, offset=m.offset),
        "LayerNorm(6)",
    ),
    "LayerNorm of two axes": (
        lambda: nn.LayerNorm((4, 6), affine=False, epsilon=0.5),
        (2, 4, 6),
        lambda m, x: nn.layer_norm(x, axis=(1, 2), epsilon=0.5),
        "LayerNorm(4, 6)",
    ),
    "RMSNorm": (
        lambda: nn.RMSNorm(6),
        (2, 6),
        lambda m, x: nn.rms_norm(x, scale=m.scale),
        "RMSNorm(6)",
    ),
    "GroupNorm": (
        lambda: nn.GroupNorm(2, 6),
        (2, 4, 6),
        lambda m, x: nn.group_norm(x, 2, scale=m.scale, offset=m.offset),
        "GroupNorm(2 groups of 3)",
    ),
    "InstanceNorm": (
        lambda: nn.InstanceNorm(3),
        (2, 4, 3),
        lambda m, x: nn.instance_norm(x, scale=m.scale, offset=m.offset),
        "InstanceNorm(3)",
    ),
    "Dropout": (lambda: nn.Dropout(0.25), (2, 3), lambda m, x: x, "Dropout(0.25)"),
}
"""Constructor, shape of the input, expected computation, and repr of the layer."""


def shaken(module):
    """Move parameters away from ones and zeros, which would hide a missing parameter."""
    return pt.tree_map(lambda leaf: leaf * 0.75 + 0.125, module)


@pytest.mark.parametrize("name", LAYERS)
def test_layers_apply_their_functions(name, rng, backend_name):
    make, shape, function, text = LAYERS[name]
    layer = shaken(make())
    x = pt.asarray(sample(rng, shape, "float32"))
    # The same operations in the same order.
    error = numeric_exceptions.between_graphs(backend_name)
    assert_values(layer(x), function(layer, x).numpy(), atol=error)
    assert repr(layer) == text


PARAMETERS = {
    "Conv1D": {"weight": (3, 2, 6), "bias": (6,)},
    "Conv2D": {"weight": (3, 2, 3, 4), "bias": (4,)},
    "Conv3D": {"weight": (2, 2, 2, 2, 4), "bias": None},
    "ConvTranspose2D": {"weight": (3, 3, 3, 4), "bias": (6,)},
    "DepthwiseConv2D": {"weight": (3, 3, 3, 2), "bias": (6,)},
    "SeparableConv2D": {"depthwise": (3, 3, 3, 1), "pointwise": (1, 1, 3, 4), "bias": (4,)},
    "LayerNorm of two axes": {"scale": None, "offset": None},
    "Dense": {"weight": (5, 3), "bias": (3,)},
    "Dense without bias": {"weight": (5, 3), "bias": None},
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters(name):
    layer = LAYERS[name][0]()
    for field, shape in PARAMETERS[name].items():
        value = getattr(layer, field)
        assert (None if value is None else value.shape) == shape


def test_dtype_and_initializers():
    layer = nn.Dense(
        2, 3, dtype="float16", weight_init=nn.initializers.ones, bias_init=nn.initializers.ones
    )
    assert_values(layer.weight, np.ones((2, 3), "float16"))
    assert_values(layer(pt.ones((1, 2), dtype="float16")), np.full((1, 3), 3, "float16"))
    conv = nn.ConvTranspose2D(
        2, 3, 2, weight_init=lambda shape, dtype: pt.zeros(shape, dtype=dtype)
    )
    assert_spec(conv.weight, (2, 2, 3, 2), "float32")


def test_a_seed_determines_the_model():
    pt.random.seed(4)
    first = nn.Sequential(nn.Dense(3, 4), nn.Dense(4, 2))
    pt.random.seed(4)
    second = nn.Sequential(nn.Dense(3, 4), nn.Dense(4, 2))
    for a, b in zip(pt.tree_leaves(first), pt.tree_leaves(second), strict=True):
        assert_values(a, b.numpy())


def test_embedding(rng):
    layer = nn.Embedding(20, 4)
    indices = rng.integers(0, 20, (2, 3)).astype("int32")
    table = layer.weight.numpy()
    assert_values(layer(pt.asarray(indices)), table[indices])
    assert 0.03 < np.abs(table).max() <= 0.05
    assert repr(layer) == "Embedding(20 rows of 4)"


@pytest.mark.parametrize("shape", [(6, 3), (2, 5, 3), (2, 3, 4, 3)], ids=str)
def test_batch_norm_in_training(shape, rng):
    layer = shaken(nn.BatchNorm(3, momentum=0.75, epsilon=0.01))
    mean, variance = layer.mean.numpy(), layer.variance.numpy()
    x = sample(rng, shape, "float32")
    axes = tuple(range(len(shape) - 1))
    wide = x.astype("float64")
    unit = (wide - wide.mean(axis=axes)) / np.sqrt(wide.var(axis=axes) + 0.01)
    got = layer(pt.asarray(x), training=True)
    scale, offset = layer.scale.numpy(), layer.offset.numpy()
    assert_values(got, (unit * scale + offset).astype("float32"), rtol=4e-6, atol=4e-6)
    want = mean * 0.75 + wide.mean(axis=axes) * 0.25
    assert_values(layer.mean, want.astype("float32"), rtol=4e-6, atol=1e-6)
    want = variance * 0.75 + wide.var(axis=axes) * 0.25
    assert_values(layer.variance, want.astype("float32"), rtol=4e-6)
    moved = layer.mean.numpy()
    layer(pt.asarray(x))
    assert_values(layer.mean, moved)


def test_batch_norm_of_halves(rng):
    layer = nn.BatchNorm(3)
    x = sample(rng, (50, 3), "float16")
    assert_spec(layer(pt.asarray(x), training=True), (50, 3), "float16")
    assert_spec(layer(pt.asarray(x)), (50, 3), "float16")
    assert_spec(layer.mean, (3,), "float32")


def test_dropout_in_training():
    pt.random.seed(9)
    got = nn.Dropout(0.25)(pt.ones(1000), training=True).numpy()
    np.testing.assert_array_equal(np.unique(got), np.float32([0, 4 / 3]))


def attended(m, q, k, v, mask=None):
    """Compute each head separately, in float64."""

    def projected(dense, x):
        return x.astype("float64") @ dense.weight.numpy() + dense.bias.numpy()

    q, k, v = projected(m.query, q), projected(m.key, k), projected(m.value, v)
    each = q.shape[-1] // m.heads
    results = []
    for head in range(m.heads):
        part = slice(head * each, (head + 1) * each)
        scores = q[..., part] @ k[..., part].swapaxes(-1, -2) / np.sqrt(each)
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        results.append(weights / weights.sum(axis=-1, keepdims=True) @ v[..., part])
    return projected(m.output, np.concatenate(results, axis=-1)).astype("float32")


def test_multi_head_attention(rng):
    layer = shaken(nn.MultiHeadAttention(8, 2))
    x = sample(rng, (2, 5, 8), "float32", -1.0, 1.0)
    t = pt.asarray(x)
    # Four products of matrices and a softmax, of numbers of size 1.
    assert_values(layer(t), attended(layer, x, x, x), rtol=2e-5, atol=2e-5)
    causal = np.tril(np.ones((5, 5), bool))
    want = attended(layer, x, x, x, causal)
    assert_values(layer(t, causal=True), want, rtol=2e-5, atol=2e-5)
    assert_values(layer(t, mask=pt.asarray(causal)), want, rtol=2e-5, atol=2e-5)
    assert repr(layer).startswith("MultiHeadAttention(8, 2 heads): 288 parameters\n  query Dense")


def test_attention_to_other_sequences(rng):
    layer = shaken(nn.MultiHeadAttention(8, 4, key_inputs=3, value_inputs=6))
    q, k, v = (
        sample(rng, shape, "float32", -1.0, 1.0) for shape in ((2, 5, 8), (2, 4, 3), (2, 4, 6))
    )
    got = layer(*map(pt.asarray, (q, k, v)))
    assert_values(got, attended(layer, q, k, v), rtol=2e-5, atol=2e-5)


CASES = {
    "Conv2D with a wrong stride": (
        errors.ArgumentError,
        lambda: nn.Conv2D(3, 4, 3, stride=0),
        "Conv2D: stride is invalid; got 0; use a number or two of at least 1",
    ),
    "Conv1D with a wrong padding": (
        errors.ArgumentError,
        lambda: nn.Conv1D(3, 4, 3, padding="full"),
        'Conv1D: padding is invalid; got \'full\'; use "valid", "same", a number or (left, right)',
    ),
    "Conv2D with wrong groups": (
        errors.ShapeError,
        lambda: nn.Conv2D(3, 4, 3, groups=2),
        "Conv2D: groups must divide the numbers of inputs and outputs; got 2 for 3 inputs and 4 "
        "outputs; use a common divisor",
    ),
    "MaxPool3D with a wrong size": (
        errors.ArgumentError,
        lambda: nn.MaxPool3D((2, 2)),
        "MaxPool3D: size is invalid; got (2, 2); use a number or three of at least 1",
    ),
    "Dropout at no probability": (
        errors.ArgumentError,
        lambda: nn.Dropout(-0.5),
        "Dropout: rate must be a probability; got -0.5; use a number from 0 to 1",
    ),
    "GroupNorm with wrong groups": (
        errors.ShapeError,
        lambda: nn.GroupNorm(4, 6),
        "GroupNorm: number of groups must divide the number of channels; got 4 for 6 channels; "
        "use a divisor",
    ),
    "MultiHeadAttention with wrong heads": (
        errors.ShapeError,
        lambda: nn.MultiHeadAttention(8, 3),
        "MultiHeadAttention: number of heads must divide the number of features; got 3 for 8 "
        "features; use a divisor",
    ),
    "MultiHeadAttention of a matrix": (
        errors.ShapeError,
        lambda: nn.MultiHeadAttention(8, 2)(pt.zeros((3, 8))),
        "MultiHeadAttention(8, 2 heads): attention: input must have 3 axes; got shape (3, 8); x "
        "must have shape (batch, length, features)",
    ),
    "BatchNorm of other channels": (
        errors.ShapeError,
        lambda: nn.BatchNorm(3)(pt.zeros((2, 4))),
        "BatchNorm(3): batch_norm: wrong number of channels; got shape (2, 4); x must have shape "
        "(batch, ..., 3)",
    ),
    "Flatten of one number": (
        errors.ShapeError,
        lambda: nn.Flatten()(pt.zeros(())),
        "Flatten: flatten: input has no axes; got shape (); use x.reshape((1, 1))",
    ),
    "LayerNorm of other features": (
        errors.ShapeError,
        lambda: nn.LayerNorm((2, 3))(pt.zeros((2, 4))),
        "LayerNorm(2, 3): layer_norm: last axes have the wrong lengths; got shape (2, 4); x must "
        "have shape (..., 2, 3)",
    ),
    "Conv2D of other channels": (
        errors.ShapeError,
        lambda: nn.Conv2D(3, 4, 3)(pt.zeros((1, 5, 5, 2))),
        "Conv2D(3 -> 4, 3x3): conv2d: wrong number of channels; got 2 in x, 3 in w, 4 outputs, 1 "
        "groups; x must have the channels of w times groups, and outputs must be a multiple of "
        "groups",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_wrong_arguments(name):
    error, call, text = CASES[name]
    assert_raises(error, text, call)
