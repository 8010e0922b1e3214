"""Make tests/models/data/tfjs_layers.zip: layers models of Keras 2 and 3, and their results.

Needs `pip install tensorflow==2.21 tf_keras tensorflowjs`. Each folder of the archive is a model as
`tensorflowjs_converter` writes it: `model.json`, `weights.bin`, and `values.npz` with inputs `x0`,
`x1` and so on, and the outputs `y0`, `y1` and so on that Keras computes.

    python tests/models/data/make_tfjs_layers.py [--large FOLDER] [--only TEXT]

Models that the archive already has are kept; delete it to make all again.
"""

# mypy: disable-error-code="misc, arg-type, assignment"
# Keras has no types, and default arguments of lambdas bind the variables of loops.

from __future__ import annotations

import argparse
import io
import json
import sys
import tempfile
import types
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py  # type: ignore[import-not-found]
import keras
import numpy as np
import tf_keras  # type: ignore[import-not-found]

for absent in ("tensorflow_decision_forests", "tensorflow_hub", "jax", "jax.experimental"):
    sys.modules.setdefault(absent, types.ModuleType(absent))
sys.modules["jax"].experimental = sys.modules["jax.experimental"]  # type: ignore[attr-defined]
sys.modules["jax.experimental"].jax2tf = None  # type: ignore[attr-defined]
from tensorflowjs.converters import (  # type: ignore[import-not-found]  # noqa: E402
    keras_h5_conversion as conversion,
)

OUT = Path(__file__).parent / "tfjs_layers.zip"
Case = Callable[[Any], Any]
CASES: dict[str, tuple[Case, dict[str, Any]]] = {}


def case(name: str, **options: Any) -> Callable[[Case], Case]:
    """Register a function that builds a model with the `keras` or `tf_keras` module."""

    def register(build: Case) -> Case:
        assert name not in CASES, name
        CASES[name] = (build, options)
        return build

    return register


def single(name: str, shape: tuple[int, ...], build: Case, **options: Any) -> None:
    """Register a model of one layer."""

    def model(k: Any) -> Any:
        x = k.layers.Input(shape, name="x")
        return k.Model(x, build(k.layers)(x), name="model")

    case(name, **options)(model)


# --- core -----------------------------------------------------------------------------------------

single("dense", (5,), lambda L: L.Dense(4, activation="relu"))
single("dense_no_bias", (3, 5), lambda L: L.Dense(4, use_bias=False))
single("dense_softmax", (5,), lambda L: L.Dense(4, activation="softmax"))
single(
    "einsum_dense", (4, 5), lambda L: L.EinsumDense("abc,cde->abde", (None, 2, 3), bias_axes="de")
)
for activation in [
    "elu",
    "exponential",
    "gelu",
    "hard_sigmoid",
    "linear",
    "relu",
    "selu",
    "sigmoid",
    "softmax",
    "softplus",
    "softsign",
    "swish",
    "tanh",
    "mish",
    "leaky_relu",
    "relu6",
]:
    single(
        f"activation_{activation}",
        (6,),
        lambda L, activation=activation: L.Activation(activation),
    )
for activation in [
    "celu",
    "glu",
    "hard_shrink",
    "hard_silu",
    "hard_tanh",
    "log_sigmoid",
    "log_softmax",
    "silu",
    "soft_shrink",
    "sparse_plus",
    "sparse_sigmoid",
    "sparsemax",
    "squareplus",
    "tanh_shrink",
]:
    single(
        f"activation_{activation}",
        (6,),
        lambda L, activation=activation: L.Activation(activation),
        only3=True,
    )
single("activation_layer_inside", (5,), lambda L: L.Dense(4, activation=L.LeakyReLU()))
single("relu_layer", (6,), lambda L: L.ReLU(max_value=1.0, negative_slope=0.1, threshold=0.2))
single("relu6_layer", (6,), lambda L: L.ReLU(6.0))
single("leaky_relu_layer", (6,), lambda L: L.LeakyReLU(0.07))
single("elu_layer", (6,), lambda L: L.ELU(0.7))
single("thresholded_relu", (6,), lambda L: L.ThresholdedReLU(0.4), only2=True)
single("prelu", (4, 3, 2), lambda L: L.PReLU())
single("prelu_shared", (4, 3, 2), lambda L: L.PReLU(shared_axes=[1, 2]))
single("softmax_layer", (4, 3), lambda L: L.Softmax(axis=1))
single("softmax_axes", (4, 3), lambda L: L.Softmax(axis=[1, 2]))
for name in ("Dropout", "GaussianDropout", "GaussianNoise", "AlphaDropout", "SpatialDropout1D"):
    single(name.lower(), (4, 3), lambda L, name=name: getattr(L, name)(0.3))
single("spatial_dropout_2d", (4, 3, 2), lambda L: L.SpatialDropout2D(0.3))
single("activity_regularization", (4,), lambda L: L.ActivityRegularization(l1=0.1))
single("reshape", (4, 6), lambda L: L.Reshape((3, 8)))
single("reshape_open", (4, 6), lambda L: L.Reshape((3, -1)))
single("permute", (4, 3, 2), lambda L: L.Permute((3, 1, 2)))
single("repeat_vector", (4,), lambda L: L.RepeatVector(3))
single("flatten", (4, 3, 2), lambda L: L.Flatten())
single("flatten_first", (4, 3, 2), lambda L: L.Flatten(data_format="channels_first"))
single("embedding", (5,), lambda L: L.Embedding(7, 3), integers=7)
single("rescaling", (4, 3), lambda L: L.Rescaling(1 / 127.5, offset=-1.0))
single("rescaling_list", (4, 3), lambda L: L.Rescaling([0.5, 2.0, 3.0], offset=[1.0, 0.0, -1.0]))
for mode in ("multi_hot", "one_hot"):
    single(
        f"category_encoding_{mode}",
        (4,) if mode == "multi_hot" else (1,),
        lambda L, mode=mode: L.CategoryEncoding(6, output_mode=mode),
        integers=6,
    )
single("category_count", (4,), lambda L: L.CategoryEncoding(6, output_mode="count"), integers=6)
single("identity", (4,), lambda L: L.Identity())
single("random_flip", (4, 4, 3), lambda L: L.RandomFlip("horizontal"))

# --- convolution ----------------------------------------------------------------------------------

for padding in ("valid", "same", "causal"):
    single(
        f"conv1d_{padding}",
        (9, 3),
        lambda L, padding=padding: L.Conv1D(4, 3, padding=padding, dilation_rate=2),
    )
single("conv1d_strides", (9, 3), lambda L: L.Conv1D(4, 3, strides=2, padding="same"))
for padding in ("valid", "same"):
    single(
        f"conv2d_{padding}",
        (7, 6, 3),
        lambda L, padding=padding: L.Conv2D(
            4, (3, 2), strides=2, padding=padding, activation="relu"
        ),
    )
single("conv2d_dilated", (7, 6, 3), lambda L: L.Conv2D(4, 3, dilation_rate=(2, 1), padding="same"))
single("conv2d_groups", (7, 6, 4), lambda L: L.Conv2D(6, 3, groups=2))
single("conv3d", (5, 4, 4, 2), lambda L: L.Conv3D(3, 2, strides=(1, 2, 1), padding="same"))
for padding in ("valid", "same"):
    for kernel, stride in ((3, 2), (2, 3), (4, 2), (3, 1)):
        single(
            f"conv2d_transpose_{padding}_{kernel}_{stride}",
            (4, 3, 3),
            lambda L, padding=padding, kernel=kernel, stride=stride: L.Conv2DTranspose(
                2, kernel, strides=stride, padding=padding
            ),
        )
    single(
        f"conv2d_transpose_output_padding_{padding}",
        (4, 3, 3),
        lambda L, padding=padding: L.Conv2DTranspose(
            2, 3, strides=2, padding=padding, output_padding=1
        ),
    )
    single(
        f"conv1d_transpose_{padding}",
        (4, 3),
        lambda L, padding=padding: L.Conv1DTranspose(2, 3, strides=2, padding=padding),
    )
    single(
        f"conv3d_transpose_{padding}",
        (3, 2, 3, 2),
        lambda L, padding=padding: L.Conv3DTranspose(2, 3, strides=2, padding=padding),
    )
    single(
        f"depthwise_{padding}",
        (7, 6, 3),
        lambda L, padding=padding: L.DepthwiseConv2D(
            3, strides=2, padding=padding, depth_multiplier=2
        ),
    )
    single(
        f"separable_{padding}",
        (7, 6, 3),
        lambda L, padding=padding: L.SeparableConv2D(
            4, 3, strides=2, padding=padding, depth_multiplier=2, activation="tanh"
        ),
    )
single("depthwise_dilated", (7, 6, 3), lambda L: L.DepthwiseConv2D(3, dilation_rate=2))
single("depthwise_1d", (7, 3), lambda L: L.DepthwiseConv1D(3, padding="same", depth_multiplier=2))
single("depthwise_1d_strides", (7, 3), lambda L: L.DepthwiseConv1D(3, strides=2))
single("separable_1d", (7, 3), lambda L: L.SeparableConv1D(4, 3, padding="same"))
single(
    "separable_1d_causal", (7, 3), lambda L: L.SeparableConv1D(4, 3, padding="causal"), only2=True
)
single("separable_dilated", (7, 6, 3), lambda L: L.SeparableConv2D(4, 3, dilation_rate=2))
for name, options in {
    "plain": {},
    "sequences": {"return_sequences": True, "padding": "same", "recurrent_activation": "sigmoid"},
    "state": {"return_state": True, "strides": 2, "use_bias": False},
    "backwards": {"go_backwards": True, "return_sequences": True, "dilation_rate": 2},
}.items():
    single(
        f"conv_lstm_2d_{name}",
        (3, 6, 5, 2),
        lambda L, options=options: L.ConvLSTM2D(3, 3 if "strides" in options else 2, **options),
    )
single("conv_lstm_1d", (3, 6, 2), lambda L: L.ConvLSTM1D(3, 2))

# --- images ---------------------------------------------------------------------------------------

for kind in ("Average", "Max"):
    for padding in ("valid", "same"):
        single(
            f"{kind.lower()}_pooling_1d_{padding}",
            (7, 3),
            lambda L, kind=kind, padding=padding: getattr(L, f"{kind}Pooling1D")(3, 2, padding),
        )
        single(
            f"{kind.lower()}_pooling_2d_{padding}",
            (7, 6, 3),
            lambda L, kind=kind, padding=padding: getattr(L, f"{kind}Pooling2D")(
                (3, 2), 2, padding
            ),
        )
    single(
        f"{kind.lower()}_pooling_3d",
        (5, 4, 4, 2),
        lambda L, kind=kind: getattr(L, f"{kind}Pooling3D")(2, padding="same"),
    )
    for count in (1, 2, 3):
        single(
            f"global_{kind.lower()}_pooling_{count}d",
            (*(4, 3, 2)[:count], 3),
            lambda L, kind=kind, count=count: getattr(L, f"Global{kind}Pooling{count}D")(
                keepdims=count == 2
            ),
        )
    single(
        f"adaptive_{kind.lower()}_pooling",
        (7, 6, 3),
        lambda L, kind=kind: getattr(L, f"Adaptive{kind}Pooling2D")((3, 2)),
        only3=True,
    )
single("zero_padding_1d", (4, 3), lambda L: L.ZeroPadding1D((1, 2)))
single("zero_padding_2d", (4, 3, 2), lambda L: L.ZeroPadding2D(((1, 2), (0, 3))))
single("zero_padding_2d_number", (4, 3, 2), lambda L: L.ZeroPadding2D(2))
single("zero_padding_3d", (3, 3, 2, 2), lambda L: L.ZeroPadding3D((1, 0, 2)))
single("cropping_1d", (5, 3), lambda L: L.Cropping1D((1, 2)))
single("cropping_2d", (6, 5, 2), lambda L: L.Cropping2D(((1, 2), (0, 3))))
single("cropping_3d", (5, 5, 5, 2), lambda L: L.Cropping3D(((1, 2), (0, 3), (1, 0))))
single("up_sampling_1d", (4, 3), lambda L: L.UpSampling1D(3))
single("up_sampling_2d", (4, 3, 2), lambda L: L.UpSampling2D((2, 3)))
single("up_sampling_2d_bilinear", (4, 3, 2), lambda L: L.UpSampling2D(2, interpolation="bilinear"))
single("up_sampling_2d_bicubic", (4, 3, 2), lambda L: L.UpSampling2D(2, interpolation="bicubic"))
single("up_sampling_3d", (2, 3, 2, 2), lambda L: L.UpSampling3D(2))
single("resizing", (6, 5, 2), lambda L: L.Resizing(4, 8))
single("resizing_nearest", (6, 5, 2), lambda L: L.Resizing(4, 8, interpolation="nearest"))
single("resizing_bicubic", (6, 5, 2), lambda L: L.Resizing(9, 8, interpolation="bicubic"))
single("resizing_crop", (6, 9, 2), lambda L: L.Resizing(4, 4, crop_to_aspect_ratio=True))
single("center_crop", (7, 6, 2), lambda L: L.CenterCrop(4, 3))
single("center_crop_small", (4, 6, 2), lambda L: L.CenterCrop(8, 6))

# --- normalization --------------------------------------------------------------------------------

single("batch_norm", (4, 3), lambda L: L.BatchNormalization())
single("batch_norm_image", (4, 3, 2), lambda L: L.BatchNormalization(epsilon=0.01, scale=False))
single("batch_norm_axis", (4, 3, 2), lambda L: L.BatchNormalization(axis=1, center=False))
single("layer_norm", (4, 3), lambda L: L.LayerNormalization())
single("layer_norm_axes", (4, 3, 2), lambda L: L.LayerNormalization(axis=[1, 2], epsilon=0.01))
single("layer_norm_plain", (4, 3), lambda L: L.LayerNormalization(center=False, scale=False))
single("layer_norm_rms", (4, 3), lambda L: L.LayerNormalization(rms_scaling=True), only3=True)
single("rms_norm", (4, 3), lambda L: L.RMSNormalization(), only3=True)
single("group_norm", (4, 3, 6), lambda L: L.GroupNormalization(3))
single("group_norm_axis", (4, 3, 6), lambda L: L.GroupNormalization(2, axis=1))
single("instance_norm", (4, 3, 6), lambda L: L.GroupNormalization(-1))
single("unit_norm", (4, 3), lambda L: L.UnitNormalization(axis=1))
single(
    "normalization", (3,), lambda L: L.Normalization(mean=[1.0, 2.0, 3.0], variance=[2.0, 1.0, 0.5])
)


@case("normalization_adapted")
def _normalization(k: Any) -> Any:
    layer = k.layers.Normalization()
    layer.adapt(np.random.default_rng(3).normal(size=(20, 3)).astype("float32"))
    x = k.layers.Input((3,))
    return k.Model(x, layer(x))


# --- recurrent ------------------------------------------------------------------------------------

RECURRENT: dict[str, dict[str, Any]] = {
    "plain": {},
    "sequences": {"return_sequences": True, "activation": "relu"},
    "state": {"return_state": True, "use_bias": False},
    "backwards": {"go_backwards": True, "return_sequences": True, "return_state": True},
    "options": {"unroll": True, "dropout": 0.2, "recurrent_dropout": 0.1},
}
for name in ("SimpleRNN", "GRU", "LSTM"):
    for key, options in RECURRENT.items():
        single(
            f"{name.lower()}_{key}",
            (5, 3),
            lambda L, name=name, options=options: getattr(L, name)(4, **options),
        )
    if name != "SimpleRNN":
        single(
            f"{name.lower()}_hard_sigmoid",
            (5, 3),
            lambda L, name=name: getattr(L, name)(4, recurrent_activation="hard_sigmoid"),
        )
for key, options in RECURRENT.items():
    single(
        f"gru_before_{key}",
        (5, 3),
        lambda L, options=options: L.GRU(4, reset_after=False, **options),
    )


@case("lstm_initial_state")
def _initial_state(k: Any) -> Any:
    L = k.layers
    x, h, c = L.Input((5, 3)), L.Input((4,)), L.Input((4,))
    y, *states = L.LSTM(4, return_sequences=True, return_state=True)(x, initial_state=[h, c])
    z = L.GRU(4)(y, initial_state=states[0])
    return k.Model([x, h, c], [y, states[1], z])


def masked(name: str, build: Case, **options: Any) -> None:
    def model(k: Any) -> Any:
        L = k.layers
        x = L.Input((6,))
        y = build(L)(L.Dropout(0.1)(L.Embedding(4, 3, mask_zero=True)(x)))
        return k.Model(x, y)

    case(f"mask_{name}", integers=4, **options)(model)


for name in ("SimpleRNN", "GRU", "LSTM"):
    masked(name.lower(), lambda L, name=name: getattr(L, name)(4))
    masked(
        f"{name.lower()}_sequences",
        lambda L, name=name: getattr(L, name)(4, return_sequences=True, return_state=True),
    )
    masked(
        f"{name.lower()}_backwards",
        lambda L, name=name: getattr(L, name)(4, go_backwards=True, return_sequences=True),
    )
    for mode in ("concat", "sum"):
        masked(
            f"bidirectional_{name.lower()}_{mode}",
            lambda L, name=name, mode=mode: L.Bidirectional(
                getattr(L, name)(4, return_sequences=mode == "concat"), merge_mode=mode
            ),
        )
masked("global_average", lambda L: L.GlobalAveragePooling1D())
masked("softmax", lambda L: lambda x: L.LSTM(3)(L.Softmax()(L.Dense(4)(x))), only2=True)
masked("attention", lambda L: lambda x: L.Attention()([x, x]))
masked("additive_attention", lambda L: lambda x: L.AdditiveAttention()([x, x]))
masked("multi_head", lambda L: lambda x: L.MultiHeadAttention(2, 3)(x, x))
masked("dense_norm", lambda L: lambda x: L.LSTM(3)(L.LayerNormalization()(L.Dense(4)(x))))
masked("time_distributed", lambda L: lambda x: L.LSTM(3)(L.TimeDistributed(L.Dense(4))(x)))


def _through(L: Any, merge: Callable[[Any], Any], other: Callable[[Any], Any]) -> Any:
    return lambda x: L.LSTM(3)(merge([x, other(x)]))


masked("add", lambda L: _through(L, L.Add(), lambda x: L.Dense(3)(x)))
masked(
    "add_unmasked",
    lambda L: _through(L, L.Add(), lambda x: L.Conv1D(3, 1)(L.Reshape((6, 3))(x))),
    only3=True,
)
masked("concatenate", lambda L: _through(L, L.Concatenate(), lambda x: L.Dense(3)(x)))
masked("concatenate_time", lambda L: _through(L, L.Concatenate(axis=1), lambda x: L.Dense(3)(x)))


@case("masking", zeros=True)
def _masking(k: Any) -> Any:
    L = k.layers
    x = L.Input((5, 3))
    y = L.Masking(0.0)(x)
    return k.Model(x, [y, L.GRU(4)(y)])


@case("two_masks", integers=3)
def _two_masks(k: Any) -> Any:
    L = k.layers
    x, y = L.Input((6,)), L.Input((6,))
    embed = L.Embedding(3, 4, mask_zero=True)
    both = [embed(x), embed(y)]
    return k.Model(
        [x, y], [L.LSTM(3)(L.Average()(both)), L.GRU(3)(L.Concatenate()(both)), L.Multiply()(both)]
    )


for mode in ("concat", "sum", "mul", "ave", None):
    single(
        f"bidirectional_{mode}",
        (5, 3),
        lambda L, mode=mode: L.Bidirectional(
            L.LSTM(4, return_sequences=mode != "mul"), merge_mode=mode
        ),
    )
single(
    "bidirectional_state",
    (5, 3),
    lambda L: L.Bidirectional(L.GRU(4, return_state=True, return_sequences=True)),
)
single(
    "bidirectional_two_layers",
    (5, 3),
    lambda L: L.Bidirectional(
        L.GRU(4, return_sequences=True),
        backward_layer=L.LSTM(4, return_sequences=True, go_backwards=True),
    ),
)
single("rnn_cell", (5, 3), lambda L: L.RNN(L.GRUCell(4), return_sequences=True))
single("rnn_simple_cell", (5, 3), lambda L: L.RNN(L.SimpleRNNCell(4), go_backwards=True))
single(
    "rnn_stacked",
    (5, 3),
    lambda L: L.RNN(
        [L.GRUCell(4), L.LSTMCell(2), L.LSTMCell(3)], return_sequences=True, go_backwards=True
    ),
)
single(
    "rnn_stacked_cells", (5, 3), lambda L: L.RNN(L.StackedRNNCells([L.LSTMCell(4), L.LSTMCell(2)]))
)
masked("rnn_stacked", lambda L: L.RNN([L.LSTMCell(4), L.LSTMCell(2)], return_sequences=True))
single("bidirectional_rnn", (5, 3), lambda L: L.Bidirectional(L.RNN(L.LSTMCell(4))))
single("time_distributed_dense", (5, 3), lambda L: L.TimeDistributed(L.Dense(4)))
single("time_distributed_conv", (3, 6, 5, 2), lambda L: L.TimeDistributed(L.Conv2D(3, 3)))
single("time_distributed_lstm", (3, 4, 2), lambda L: L.TimeDistributed(L.LSTM(3)))

# --- merging and attention ------------------------------------------------------------------------


def merged(name: str, shapes: list[tuple[int, ...]], build: Case, **options: Any) -> None:
    def model(k: Any) -> Any:
        inputs = [k.layers.Input(shape) for shape in shapes]
        return k.Model(inputs, build(k.layers)(inputs))

    case(name, **options)(model)


for name in ("Add", "Average", "Maximum", "Minimum", "Multiply"):
    merged(name.lower(), [(4, 3)] * 3, lambda L, name=name: getattr(L, name)())
    merged(f"{name.lower()}_shapes", [(4, 3), (1, 3)], lambda L, name=name: getattr(L, name)())
merged("subtract", [(4, 3)] * 2, lambda L: L.Subtract())
merged("concatenate", [(4, 3), (4, 2)], lambda L: L.Concatenate())
merged("concatenate_axis", [(4, 3), (2, 3)], lambda L: L.Concatenate(axis=1))
merged("dot", [(4, 3), (4, 2)], lambda L: L.Dot(axes=1))
merged("dot_vectors", [(4,), (4,)], lambda L: L.Dot(axes=-1, normalize=True))
merged("dot_axes", [(4, 3), (5, 4)], lambda L: L.Dot(axes=(1, 2), normalize=True))
merged("dot_mixed", [(4, 3), (3,)], lambda L: L.Dot(axes=(2, 1)))
merged("attention", [(4, 3), (5, 3)], lambda L: L.Attention(use_scale=True))
merged("attention_key", [(4, 3), (5, 2), (5, 3)], lambda L: L.Attention(score_mode="concat"))
merged(
    "attention_causal", [(4, 3), (4, 3)], lambda L: lambda x: L.Attention()(x, use_causal_mask=True)
)
merged("additive_attention", [(4, 3), (5, 3)], lambda L: L.AdditiveAttention())
merged(
    "attention_scores",
    [(4, 3), (4, 3)],
    lambda L: lambda x: L.Attention()(x, return_attention_scores=True),
)
merged("multi_head", [(4, 6), (5, 6)], lambda L: lambda x: L.MultiHeadAttention(2, 3)(x[0], x[1]))
merged(
    "multi_head_key",
    [(4, 6), (5, 4), (5, 3)],
    lambda L: (
        lambda x: L.MultiHeadAttention(2, 3, value_dim=4, output_shape=5)(
            x[0], x[1], key=x[2], return_attention_scores=True
        )
    ),
)
merged(
    "multi_head_causal",
    [(4, 6)],
    lambda L: (
        lambda x: L.MultiHeadAttention(2, 3, use_bias=False)(
            x[0] if isinstance(x, list) else x,
            x[0] if isinstance(x, list) else x,
            use_causal_mask=True,
        )
    ),
)
merged(
    "multi_head_axes",
    [(4, 3, 6), (4, 3, 6)],
    lambda L: lambda x: L.MultiHeadAttention(2, 3, attention_axes=(2,))(x[0], x[1]),
)
merged(
    "multi_head_image",
    [(3, 2, 6), (3, 2, 6)],
    lambda L: lambda x: L.MultiHeadAttention(2, 3)(x[0], x[1]),
)

# --- whole models ---------------------------------------------------------------------------------


@case("sequential", v3=True)
def _sequential(k: Any) -> Any:
    L = k.layers
    return k.Sequential(
        [L.Input((8, 8, 1)), L.Conv2D(3, 3, activation="relu"), L.MaxPooling2D(), L.Flatten(),
         L.Dropout(0.2), L.Dense(5), L.BatchNormalization(), L.Dense(2, activation="softmax")]
    )  # fmt: skip


@case("sequential_built", v3=True, integers=9)
def _built(k: Any) -> Any:
    L = k.layers
    model = k.Sequential([L.Embedding(9, 3, mask_zero=True), L.LSTM(4), L.Dense(2)])
    model(np.zeros((1, 5), "float32"))
    return model


@case("nested", v3=True)
def _nested(k: Any) -> Any:
    L = k.layers
    inner_x = L.Input((5,), name="inner_x")
    y = L.Dense(4, name="fc")(inner_x)
    inner = k.Model(inner_x, [y, L.BatchNormalization(name="bn")(y)], name="inner")
    chain = k.Sequential([L.Input((4,)), L.Dense(5, name="back"), L.ReLU()], name="chain")
    x = L.Input((5,), name="x")
    first, second = inner(x)
    third, fourth = inner(chain(second))
    return k.Model(x, [first, L.Add()([third, fourth]), chain(first)])


@case("deeply_nested", v3=True)
def _deeply(k: Any) -> Any:
    L = k.layers
    core = k.Sequential([L.Input((3,)), L.Dense(3, name="deep")], name="core")
    middle = k.Sequential([L.Input((3,)), core, L.Dense(3, name="over")], name="middle")
    return k.Sequential([L.Input((3,)), middle, L.Dense(2)], name="whole")


@case("shared", v3=True)
def _shared(k: Any) -> Any:
    L = k.layers
    a, b = L.Input((4,), name="a"), L.Input((4,), name="b")
    dense = L.Dense(3, name="both")
    return k.Model(
        [b, a], [L.Concatenate()([dense(a), dense(b)]), L.Dense(2, name="head")(dense(a))]
    )


@case("frozen")
def _frozen(k: Any) -> Any:
    L = k.layers
    base = k.Sequential([L.Input((4,)), L.Dense(3), L.BatchNormalization()], name="base")
    base.trainable = False
    x = L.Input((4,))
    return k.Model(x, L.Dense(2, name="head")(base(x)))


@case("time_distributed_model", v3=True)
def _time_model(k: Any) -> Any:
    L = k.layers
    inner = k.Sequential([L.Input((5,)), L.Dense(4), L.BatchNormalization()], name="inner")
    x = L.Input((3, 5))
    return k.Model(x, L.GRU(2)(L.TimeDistributed(inner)(x)))


@case("every_wrapper", v3=True)
def _wrappers(k: Any) -> Any:
    L = k.layers
    x = L.Input((3, 5))
    y = L.TimeDistributed(L.Dense(3))(x)
    y = L.Bidirectional(L.LSTM(2, return_sequences=True))(y)
    y = L.RNN([L.GRUCell(2), L.LSTMCell(3)], return_sequences=True)(y)
    y = L.MultiHeadAttention(2, 3)(y, y)
    y = L.SeparableConv1D(4, 2)(y)
    return k.Model(x, L.Dense(2, name="last")(L.SimpleRNN(2)(y)))


@case("operators", only3=True)
def _operators(k: Any) -> Any:
    L = k.layers
    x, y = L.Input((4,)), L.Input((4,))
    return k.Model([x, y], [x + y, (x - y) * 0.5, L.Dense(3)(x * y) / 3.0])


@case("named_inputs", only3=True)
def _named(k: Any) -> Any:
    L = k.layers
    x = {"b": L.Input((4,), name="b"), "a": L.Input((3,), name="a")}
    return k.Model(x, {"sum": L.Dense(2)(x["a"]), "rest": L.Dense(2)(x["b"])})


@case("half_policy", only3=True)
def _policy(k: Any) -> Any:
    L = k.layers
    x = L.Input((4,))
    return k.Model(x, L.Dense(3, dtype=k.mixed_precision.DTypePolicy("float32"))(x))


@case("residual_image", v3=True)
def _residual(k: Any) -> Any:
    L = k.layers
    x = L.Input((8, 8, 3))
    y = L.Conv2D(4, 3, padding="same", use_bias=False)(x)
    y = L.ReLU(6.0)(L.BatchNormalization()(y))
    z = L.DepthwiseConv2D(3, padding="same", use_bias=False)(y)
    z = L.Activation("relu")(L.BatchNormalization()(z))
    y = L.Add()([y, z])
    y = L.UpSampling2D()(L.ZeroPadding2D(1)(y))
    return k.Model(x, L.GlobalAveragePooling2D()(L.Conv2DTranspose(2, 3, strides=2)(y)))


LARGE: dict[str, tuple[Case, dict[str, Any]]] = {
    "mobilenet_v2": (lambda k: k.applications.MobileNetV2(weights=None), {"batch": 1}),
    "lstm_text": (
        lambda k: k.Sequential(
            [k.layers.Input((40,)), k.layers.Embedding(5000, 64, mask_zero=True),
             k.layers.Bidirectional(k.layers.LSTM(64, return_sequences=True)),
             k.layers.LSTM(64), k.layers.Dense(5000, activation="softmax")]
        ),
        {"integers": 5000},
    ),
    "gru_text": (
        lambda k: k.Sequential(
            [k.layers.Input((40,)), k.layers.Embedding(5000, 64),
             k.layers.GRU(128, return_sequences=True),
             k.layers.GRU(128), k.layers.Dense(5000, activation="softmax")]
        ),
        {"integers": 5000},
    ),
}  # fmt: skip


# --- files ----------------------------------------------------------------------------------------


def randomized(model: Any, seed: int) -> None:
    """Give all weights random values, so that no zeros or ones hide an error."""
    chance = np.random.default_rng(seed)
    for weight in model.weights:
        if str(weight.dtype) != "float32":
            continue
        shape = tuple(weight.shape)
        wide = np.prod(shape[:-1]) if len(shape) > 1 else 1
        value = chance.normal(0, 1 / np.sqrt(max(wide, 1)), shape)
        name = weight.path if hasattr(weight, "path") else weight.name
        weight.assign(np.abs(value) + 0.5 if "variance" in name or "gamma" in name else value)


def inputs_of(model: Any, options: dict[str, Any], seed: int) -> list[np.ndarray]:
    chance = np.random.default_rng(seed)
    batch = options.get("batch", 2)
    inputs = []
    for tensor in model.inputs:
        shape = (batch, *(length or 5 for length in tensor.shape[1:]))
        if "integers" in options:
            value = chance.integers(0, options["integers"], shape).astype("float32")
        else:
            value = chance.normal(size=shape).astype("float32")
        if options.get("zeros"):
            value[0, 2:4] = 0
            value[1, 0] = 0
        inputs.append(value)
    return inputs


def flat(tree: Any) -> Iterator[Any]:
    if isinstance(tree, dict):
        for key in sorted(tree):
            yield from flat(tree[key])
    elif isinstance(tree, (list, tuple)):
        for item in tree:
            yield from flat(item)
    else:
        yield tree


def topologies(k: Any, model: Any, v3: bool) -> Iterator[tuple[str, Any, Any]]:
    """Yield the topology and weights, as the converter of `.h5` and `.keras` files makes them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        model.save(path / "model.h5")
        topology, groups = conversion.h5_merged_saved_model_to_tfjs_format(str(path / "model.h5"))
        yield "", topology, groups
        if v3 and k is keras:
            model.save(path / "model.keras")
            with zipfile.ZipFile(path / "model.keras") as archive:
                weights = h5py.File(io.BytesIO(archive.read("model.weights.h5")))
                texts = [
                    json.loads(archive.read(name)) for name in ("metadata.json", "config.json")
                ]
            yield "_v3", *conversion.h5_v3_merged_saved_model_to_tfjs_format(weights, *texts)


def files_of(
    k: Any, name: str, build: Case, options: dict[str, Any]
) -> Iterator[tuple[str, bytes]]:
    seed = zlib.crc32(name.encode())
    k.backend.clear_session()
    k.utils.set_random_seed(seed)
    model = build(k)
    if "adapted" not in name:
        randomized(model, seed)
    inputs = inputs_of(model, options, seed)
    arguments = inputs[0] if len(inputs) == 1 else inputs
    if isinstance(getattr(model, "_inputs_struct", None), dict):
        arguments = dict(zip(sorted(model._inputs_struct), inputs, strict=True))
    outputs = [np.asarray(y) for y in flat(model(arguments, training=False))]
    values = io.BytesIO()
    arrays = {f"x{at}": x for at, x in enumerate(inputs)}
    np.savez(values, **arrays, **{f"y{at}": y for at, y in enumerate(outputs)})
    for suffix, topology, groups in topologies(k, model, bool(options.get("v3"))):
        weights = [weight for group in groups for weight in group]
        weights = [
            weight for weight in weights if weight["data"].dtype.name in ("float32", "int32")
        ]
        manifest = [
            {"name": w["name"], "shape": list(w["data"].shape), "dtype": w["data"].dtype.name}
            for w in weights
        ]
        document = {
            "format": "layers-model",
            "generatedBy": f"keras v{topology.get('keras_version')}",
            "convertedBy": "TensorFlow.js Converter v4.22.0",
            "modelTopology": topology,
            "weightsManifest": [{"paths": ["weights.bin"], "weights": manifest}],
        }
        folder = f"{'keras3' if k is keras else 'keras2'}_{name}{suffix}"
        yield f"{folder}/model.json", json.dumps(document).encode()
        yield f"{folder}/weights.bin", b"".join(w["data"].tobytes() for w in weights)
        yield f"{folder}/values.npz", values.getvalue()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", type=Path, help="folder for MobileNetV2 and models of texts")
    parser.add_argument("--only", default="", help="text in the names of the cases to make")
    options = parser.parse_args()
    cases = LARGE if options.large else CASES
    failed = []
    OUT.parent.mkdir(exist_ok=True)
    archive = None if options.large else zipfile.ZipFile(OUT, "a", zipfile.ZIP_DEFLATED)
    made = {name.split("/")[0] for name in archive.namelist()} if archive else set()
    for name, (build, options) in cases.items():
        if options.only not in name:
            continue
        for k in (tf_keras, keras):
            skipped = options.get("only3" if k is tf_keras else "only2")
            if skipped or f"{'keras3' if k is keras else 'keras2'}_{name}" in made:
                continue
            try:
                for path, data in files_of(k, name, build, options):
                    if archive is None:
                        (options.large / path).parent.mkdir(parents=True, exist_ok=True)
                        (options.large / path).write_bytes(data)
                    else:
                        # A fixed date, so that the same models make the same archive.
                        archive.writestr(
                            zipfile.ZipInfo(path, (2026, 1, 1, 0, 0, 0)),
                            data,
                            zipfile.ZIP_DEFLATED,
                            compresslevel=9,
                        )
            except KeyboardInterrupt:
                failed.append("stopped; run again for the rest")
                break
            except Exception as error:
                failed.append(f"{k.__name__} {name}: {type(error).__name__} {error!s:.200}")
        else:
            continue
        break
    if archive is not None:
        archive.close()
        print(f"{OUT.stat().st_size:,} bytes")
    print("\n".join(failed))


if __name__ == "__main__":
    main()
