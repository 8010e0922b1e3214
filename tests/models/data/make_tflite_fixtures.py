"""Write small TFLite models with the interpreter's results to tests/models/data/tflite.

usage: python tests/models/data/make_tflite_fixtures.py [NAME ...]

It needs TensorFlow 2.21, which is not a dependency of the project: install it into another
environment. Each model is a file NAME.tflite; NAME.npz has its inputs and the outputs that
`tf.lite.Interpreter` computes, by position.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", PYTHONWARNINGS="ignore")

import numpy as np
import tensorflow as tf  # type: ignore[import-untyped]
from tensorflow.lite.python import (  # type: ignore[import-untyped]
    schema_py_generated as schema,
)
from tensorflow.lite.tools import flatbuffer_utils  # type: ignore[import-untyped]

FOLDER = Path(__file__).parent / "tflite"
CHANCE = np.random.default_rng(5)
Array = np.ndarray[Any, Any]


def weights(*shape: int) -> Array:
    """Return random weights that keep the size of sums near 1."""
    scale = 1 / np.sqrt(np.prod(shape[:-1]))
    return np.asarray(CHANCE.standard_normal(shape) * scale, "float32")


# --- functions: the inputs are specs, the results are tensors or tuples of them -------------------


def elementwise(x: Any, y: Any) -> Any:
    p = tf.abs(x) + 0.5
    return {
        "a": x + y,
        "b": x - y,
        "c": x * y,
        "d": x / p,
        "e": tf.abs(x),
        "f": tf.exp(x),
        "g": tf.math.log(p),
        "h": tf.sqrt(p),
        "i": tf.math.rsqrt(p),
        "j": tf.square(x),
        "k": tf.sin(x),
        "l": tf.cos(x),
        "m": tf.floor(x),
        "n": tf.math.ceil(x),
        "o": tf.round(x),
        "p": tf.pow(p, y),
        "q": tf.maximum(x, y),
        "r": tf.minimum(x, y),
        "s": -x,
        "t": tf.math.squared_difference(x, y),
        "u": tf.math.floordiv(x, p),
        "v": tf.math.floormod(x, p),
        "w": tf.sign(x),
        "x": tf.math.atan2(x, p),
        "y": tf.add_n([x, x * 2, p]),
        "z": tf.zeros_like(x) + y,
    }


def activations(x: Any) -> Any:
    slope = tf.constant(weights(1, 1, 5))
    return {
        "a": tf.nn.relu(x),
        "b": tf.nn.relu6(x * 4),
        "c": tf.nn.elu(x),
        "d": tf.sigmoid(x),
        "e": tf.tanh(x),
        "f": tf.nn.leaky_relu(x, 0.1),
        "g": tf.nn.gelu(x, approximate=True),
        "i": tf.nn.relu(x) - slope * tf.nn.relu(-x),
        "j": tf.nn.softmax(x),
        "k": tf.nn.log_softmax(x),
        "l": x * tf.nn.relu6(x + 3) * (1 / 6),
        "m": tf.math.l2_normalize(x, axis=-1),
        "n": tf.nn.relu(x + 1),
    }


def choices(x: Any, y: Any) -> Any:
    return {
        "a": x < y,
        "b": x <= y,
        "c": x > y,
        "d": x >= y,
        "e": tf.equal(tf.round(x), tf.round(y)),
        "f": tf.not_equal(tf.round(x), 0.0),
        "g": tf.where(x < y, x, y),
        "h": (x < 0) & (y < 0),
        "i": (x < 0) | (y < 0),
        "j": ~(x < y),
        "k": tf.where(x > 0),
        "l": tf.reduce_any(x > 2, axis=1),
        "m": tf.reduce_all(x > -2, axis=0),
        "n": tf.cast(x > 0, "int32"),
        "o": tf.cast(x * 3, "int32"),
    }


def integers(x: Any, y: Any) -> Any:
    positive = tf.abs(y) + 1
    return {
        "a": x + y,
        "b": x * y,
        "c": x - y,
        "d": x // positive,
        "e": x % positive,
        "f": tf.truncatediv(x, positive),
        "g": tf.maximum(x, y),
        "h": tf.cast(x, "float32") / 2,
        "i": tf.bitwise.bitwise_xor(x, y),
        "j": tf.bitwise.right_shift(x, positive % 4),
        "k": tf.reduce_sum(x, axis=1),
        "l": tf.reduce_prod(tf.sign(x), axis=0),
        "m": tf.gather(tf.constant([1.5, 2.5, 3.5]), x % 3),
        "n": tf.one_hot(x % 4, 4),
        "o": tf.cast(x, "int64") + 1,
        "p": tf.abs(x),
        "q": tf.square(x),
    }


def reductions(x: Any) -> Any:
    ids = tf.constant([0, 2, 0, 1])
    return {
        "a": tf.reduce_sum(x, 1),
        "b": tf.reduce_mean(x, [1, 2], keepdims=True),
        "c": tf.reduce_max(x, -1),
        "d": tf.reduce_min(x, 0),
        "e": tf.reduce_prod(x, 2),
        "f": tf.argmax(x, -1),
        "g": tf.argmin(x, 1, output_type="int32"),
        "h": tf.cumsum(x, 1),
        "i": tf.cumsum(x, 2, exclusive=True, reverse=True),
        "j": tf.math.unsorted_segment_sum(x, ids, 3),
        "k": tf.math.unsorted_segment_max(x, ids, 3),
        "l": tf.math.segment_sum(x, tf.constant([0, 0, 1, 1])),
        "m": tf.reduce_mean(x),
        "n": tf.math.top_k(x, 2).values,
        "o": tf.math.top_k(x, 2).indices,
    }


def movement(x: Any) -> Any:
    parts = tf.split(x, [1, 2, 1], 3)
    halves = tf.split(x, 2, 1)
    return {
        "a": tf.reshape(x, [2, -1]),
        "b": tf.transpose(x, [0, 3, 1, 2]),
        "c": tf.concat([x, x], 2),
        "d": tf.pad(x, [[0, 0], [1, 2], [0, 1], [0, 0]]),
        "e": tf.pad(x, [[0, 0], [1, 2], [0, 1], [0, 0]], constant_values=2.5),
        "f": tf.pad(x, [[0, 0], [1, 2], [2, 1], [0, 0]], "REFLECT"),
        "g": tf.pad(x, [[0, 0], [1, 2], [2, 1], [0, 0]], "SYMMETRIC"),
        "h": x[:, 1:, ::2, -1],
        "i": x[:, ::-1, None, ..., 1:3],
        "j": tf.slice(x, [0, 1, 0, 1], [-1, 2, 3, 2]),
        "k": tf.tile(x, [1, 2, 1, 3]),
        "l": tf.stack([x, x * 2], 1),
        "m": tf.unstack(x, axis=3)[2],
        "n": parts[1],
        "o": halves[1],
        "p": tf.expand_dims(x, 2),
        "q": tf.squeeze(x[:1], [0]),
        "r": tf.reverse(x, [1]),
        "s": tf.nn.space_to_depth(x, 2),
        "t": tf.nn.depth_to_space(x, 2),
        "u": tf.space_to_batch(x, [2, 2], [[0, 0], [1, 1]]),
        "v": tf.batch_to_space(tf.concat([x, x], 0), [2, 2], [[1, 0], [0, 1]]),
        "w": tf.broadcast_to(x[:1], [3, 4, 4, 4]),
        "x": tf.reverse_sequence(x, [1, 3], 1, 0),
        "y": tf.gather(x, [2, 0], axis=2),
        "z": tf.gather_nd(x, [[0, 1], [1, 3]]),
    }


def indexing(x: Any, places: Any) -> Any:
    return {
        "a": tf.gather(x, places, batch_dims=1),
        "b": tf.scatter_nd([[1], [3], [1]], x[:3], [5, 6]),
        "c": tf.tensor_scatter_nd_update(x, [[1], [0]], x[2:]),
        "d": tf.linalg.diag(x),
        "e": tf.linalg.set_diag(tf.ones([4, 6, 6]), x),
        "f": tf.unique(tf.constant([3, 1, 3, 7]) + places[0, 0]).y,
        "g": tf.nn.embedding_lookup(x, places[0]),
        "h": tf.one_hot(places, 6, 2.0, -1.0, axis=0),
        "i": tf.gather(x, places, axis=1),
    }


def shapes(x: Any) -> Any:
    """Shapes that depend on open lengths."""
    n = tf.shape(x)[0]
    flat = tf.reshape(x, [n * 2, -1])
    grid = tf.cast(tf.range(n), "float32")[:, None] + tf.zeros([n, 3])
    return {
        "a": flat,
        "b": grid,
        "c": tf.fill([n, 2], 7.0),
        "d": tf.concat([x, x], 0)[: n + 1],
        "e": tf.broadcast_to(x[:1], tf.shape(x)),
        "f": tf.size(x),
        "g": tf.rank(x),
        "h": tf.tile(x[:, :1], [1, n]),
    }


def convolutions(x: Any) -> Any:
    a = tf.nn.conv2d(x, weights(3, 3, 4, 6), 2, "SAME")
    b = tf.nn.relu6(tf.nn.conv2d(x, weights(3, 2, 4, 5), 1, "VALID") + weights(1, 5)[0])
    c = tf.nn.conv2d(x, weights(3, 3, 4, 3), 1, "SAME", dilations=2)
    d = tf.nn.depthwise_conv2d(x, weights(3, 3, 4, 1), [1, 1, 1, 1], "SAME")
    e = tf.nn.depthwise_conv2d(x, weights(3, 3, 4, 2), [1, 2, 2, 1], "VALID")
    f = tf.nn.depthwise_conv2d(x, weights(3, 3, 4, 1), [1, 1, 1, 1], "SAME", dilations=[2, 2])
    g = tf.nn.relu(tf.nn.conv2d(x, weights(1, 1, 4, 7), 1, "VALID"))
    h = tf.nn.conv2d(x, weights(3, 3, 2, 6), 1, "SAME")
    return {"a": a, "b": b, "c": c, "d": d, "e": e, "f": f, "g": g, "h": h}


def transposed(x: Any) -> Any:
    a = tf.nn.conv2d_transpose(x, weights(3, 3, 5, 4), [1, 10, 12, 5], 2, "SAME")
    b = tf.nn.conv2d_transpose(x, weights(2, 2, 3, 4), [1, 10, 12, 3], 2, "VALID")
    c = tf.nn.conv2d_transpose(x, weights(4, 4, 3, 4), [1, 9, 11, 3], 2, "SAME")
    return {"a": a, "b": tf.nn.relu(b + weights(1, 3)[0]), "c": c}


def pools(x: Any) -> Any:
    return {
        "a": tf.nn.max_pool2d(x, 2, 2, "VALID"),
        "b": tf.nn.max_pool2d(x, 3, 2, "SAME"),
        "c": tf.nn.avg_pool2d(x, 2, 2, "VALID"),
        "d": tf.nn.avg_pool2d(x, 3, 2, "SAME"),
        "e": tf.reduce_mean(x, [1, 2]),
        "f": tf.nn.avg_pool2d(x, [3, 2], [1, 2], "SAME"),
    }


def normalized(x: Any) -> Any:
    return tf.nn.local_response_normalization(x, 2, 1.5, 0.5, 0.7)


def resized(x: Any) -> Any:
    image = tf.compat.v1.image
    return {
        "a": tf.image.resize(x, [7, 12]),
        "b": tf.image.resize(x, [10, 3], "nearest"),
        "c": image.resize_bilinear(x, [9, 9], align_corners=True),
        "d": image.resize_bilinear(x, [4, 11]),
        "e": image.resize_nearest_neighbor(x, [9, 7], align_corners=True),
        "f": image.resize_nearest_neighbor(x, [7, 9]),
    }


def products(x: Any, y: Any) -> Any:
    a = tf.nn.relu(x @ weights(8, 5) + weights(1, 5)[0])
    b = tf.reshape(tf.reshape(x, [-1, 8]) @ weights(8, 3), [2, 6, 3])
    return {
        "a": a,
        "b": b,
        "c": x @ y,
        "d": tf.matmul(x, y, transpose_a=True, transpose_b=True)
        if x.shape[-2] == y.shape[-1]
        else tf.matmul(x, x, transpose_b=True),
    }


def volumes(x: Any) -> Any:
    a = tf.nn.conv3d(x, weights(2, 3, 3, 2, 4), [1, 1, 2, 2, 1], "SAME")
    b = tf.nn.conv3d_transpose(x, weights(2, 2, 2, 3, 2), [1, 6, 8, 8, 3], 2, "SAME")
    return {"a": a, "b": b}


def spectrum(x: Any) -> Any:
    z = tf.signal.rfft(x, [16])
    return {"a": tf.abs(z), "b": tf.math.real(z), "c": tf.math.imag(z)}


def conditions(x: Any, steps: Any) -> Any:
    def body(n: Any, y: Any) -> Any:
        return n + 1, y * 1.5 + x

    _, looped = tf.while_loop(lambda n, y: n < steps, body, [0, x])
    chosen = tf.cond(tf.reduce_sum(x) > 0, lambda: x * 2 + 1, lambda: tf.sin(x))
    _, known = tf.while_loop(lambda n, y: n < 3, body, [0, x])
    return {"a": looped, "b": chosen, "c": known}


def faked(x: Any) -> Any:
    return tf.quantization.fake_quant_with_min_max_args(x, -1.0, 2.0) + 0.0


# --- layers ---------------------------------------------------------------------------------------


def keras(build: Callable[[Any], Any], *shape: int) -> Callable[[], Any]:
    def make() -> Any:
        tf.keras.utils.set_random_seed(3)
        inputs = tf.keras.Input(shape, batch_size=1)
        model = tf.keras.Model(inputs, build(inputs))
        for variable in model.weights:
            if variable.name in ("bias", "moving_mean", "beta"):
                variable.assign(CHANCE.uniform(-0.3, 0.3, variable.shape))
            elif variable.name in ("gamma", "moving_variance"):
                variable.assign(CHANCE.uniform(0.5, 1.5, variable.shape))
        return model

    return make


L = tf.keras.layers


def mobile(x: Any) -> Any:
    """Inverted residual blocks as in MobileNetV2."""
    y = L.Conv2D(8, 3, 2, "same", use_bias=False)(x)
    y = L.ReLU(6.0)(L.BatchNormalization()(y))
    for stride in (1, 2):
        z = L.Conv2D(24, 1, use_bias=False)(y)
        z = L.ReLU(6.0)(L.BatchNormalization()(z))
        z = L.DepthwiseConv2D(3, stride, "same", use_bias=False)(z)
        z = L.ReLU(6.0)(L.BatchNormalization()(z))
        z = L.BatchNormalization()(L.Conv2D(8, 1, use_bias=False)(z))
        y = L.Add()([y, z]) if stride == 1 else z
    y = L.GlobalAveragePooling2D()(y)
    return L.Dense(10, activation="softmax")(y)


def segmentation(x: Any) -> Any:
    """Encoder and decoder with skip connections, as MediaPipe's segmentation."""
    first = L.Activation("hard_swish" if hasattr(tf.keras.activations, "hard_swish") else "relu")(
        L.Conv2D(8, 3, 2, "same")(x)
    )
    second = L.PReLU(shared_axes=[1, 2])(L.DepthwiseConv2D(3, 2, "same")(first))
    scale = L.Conv2D(8, 1, activation="sigmoid")(L.GlobalAveragePooling2D(keepdims=True)(second))
    second = L.Multiply()([second, scale])
    up = L.UpSampling2D(2, interpolation="bilinear")(second)
    y = L.Concatenate()([up, first])
    y = L.Conv2D(8, 3, padding="same", activation="relu")(y)
    y = L.Conv2DTranspose(2, 2, 2)(y)
    return L.Softmax()(y)


def recurrent(x: Any) -> Any:
    y = L.LSTM(12, return_sequences=True)(x)
    return L.Dense(4)(L.LSTM(6)(y))


def fused() -> Any:
    """LSTM layers of Keras 2, which the converter writes as one node."""
    import tf_keras  # type: ignore[import-not-found]

    tf_keras.utils.set_random_seed(4)
    layers = tf_keras.layers
    x = tf_keras.Input((5, 8), batch_size=1)
    y = layers.LSTM(12, return_sequences=True)(x)
    y = layers.Bidirectional(layers.LSTM(6, return_sequences=True))(y)
    return tf_keras.Model(x, layers.Dense(4)(layers.LSTM(6)(y)))


def looped(x: Any) -> Any:
    return L.Dense(4)(L.GRU(6)(x))


def dense(x: Any) -> Any:
    return L.Dense(10)(L.Dense(64, activation="relu")(x))


# --- operators that the converter does not write --------------------------------------------------


class Builder:
    """A file with nodes that are written directly."""

    def __init__(self) -> None:
        self.model = schema.ModelT()
        self.model.version = 3
        self.model.buffers = [schema.BufferT()]
        self.model.operatorCodes = []
        self.graph = schema.SubGraphT()
        self.graph.tensors, self.graph.operators = [], []
        self.graph.inputs, self.graph.outputs = [], []
        self.model.subgraphs = [self.graph]

    def tensor(
        self, dtype: Any, shape: Any = (), data: Array | None = None, **quantization: Any
    ) -> int:
        """Add a tensor, and return its position; `quantization` are a scale and a zero point."""
        tensor = schema.TensorT()
        tensor.type = {
            "float32": 0, "int32": 2, "uint8": 3, "int64": 4, "bool": 6, "int16": 7, "int8": 9
        }[np.dtype(dtype).name]  # fmt: skip
        tensor.shape = list(shape)
        tensor.name = f"t{len(self.graph.tensors)}"
        if quantization:
            tensor.quantization = schema.QuantizationParametersT()
            tensor.quantization.scale = [quantization["scale"]]
            tensor.quantization.zeroPoint = [quantization["zero"]]
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(data.tobytes(), "uint8")
            tensor.buffer = len(self.model.buffers)
            self.model.buffers.append(buffer)
        self.graph.tensors.append(tensor)
        return len(self.graph.tensors) - 1

    def input(self, dtype: Any, *shape: int, **quantization: Any) -> int:
        at = self.tensor(dtype, shape, **quantization)
        self.graph.inputs.append(at)
        return at

    def constant(self, values: Any, dtype: Any = "float32", **quantization: Any) -> int:
        array = np.asarray(values, dtype)
        return self.tensor(dtype, array.shape, array, **quantization)

    def variable(self, *shape: int) -> int:
        at = self.tensor("float32", shape)
        self.graph.tensors[at].isVariable = True
        return at

    def node(self, name: str, inputs: list[int], dtypes: Any = "float32", **options: Any) -> int:
        """Add a node whose results are outputs of the model; return the first."""
        code = schema.OperatorCodeT()
        code.version = options.pop("version", 1)
        custom = options.pop("custom", None)
        operator = schema.OperatorT()
        if custom is None:
            code.builtinCode = getattr(schema.BuiltinOperator, name)
            code.deprecatedBuiltinCode = min(code.builtinCode, 127)
        else:
            code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.CUSTOM
            code.customCode = name
            operator.customOptions = np.frombuffer(custom, "uint8")
        operator.opcodeIndex = len(self.model.operatorCodes)
        self.model.operatorCodes.append(code)
        operator.inputs = inputs
        table = options.pop("options", None)
        if table:
            operator.builtinOptionsType = getattr(schema.BuiltinOptions, table)
            operator.builtinOptions = getattr(schema, table + "T")()
            for option, value in options.items():
                setattr(operator.builtinOptions, option, value)
        results = []
        for dtype in [dtypes] if isinstance(dtypes, str) else dtypes:
            dtype, *scales = dtype if isinstance(dtype, tuple) else (dtype,)
            quantization = {"scale": scales[0], "zero": scales[1]} if scales else {}
            results.append(self.tensor(dtype, **quantization))
        operator.outputs = results
        self.graph.outputs += results
        self.graph.operators.append(operator)
        return results[0]

    def finished(self) -> bytes:
        return bytes(flatbuffer_utils.convert_object_to_bytearray(self.model))


def direct_plain() -> Builder:
    b = Builder()
    x = b.input("float32", 1, 4, 4, 3)
    n = b.input("int32", 3, 4)
    b.node("GELU", [x], options="GeluOptions")
    b.node("PRELU", [x, b.constant(weights(1, 1, 3))])
    b.node("RELU_N1_TO_1", [x])
    b.node("RELU_0_TO_1", [x])
    b.node("HARD_SWISH", [x])
    pool = {
        "options": "Pool2DOptions",
        "strideW": 2,
        "strideH": 1,
        "filterWidth": 2,
        "filterHeight": 3,
    }
    b.node("L2_POOL_2D", [x], **pool)
    b.node("BUCKETIZE", [x], "int32", options="BucketizeOptions", boundaries=[-1.0, 0.0, 0.5])
    b.node("FAKE_QUANT", [x], options="FakeQuantOptions", min=-1.5, max=0.75, numBits=6)
    b.node(
        "SPARSE_TO_DENSE",
        [
            b.constant([1, 3], "int32"),
            b.constant([5], "int32"),
            b.constant([2.0, 3.0]),
            b.constant(-1.0),
        ],
        options="SparseToDenseOptions",
    )
    b.node(
        "DYNAMIC_UPDATE_SLICE",
        [x, b.constant(weights(1, 2, 1, 3)), b.constant([0, 3, 1, 0], "int32")],
    )
    b.node("DILATE", [x, b.constant([1, 2, 3, 1], "int32"), b.constant(0.5)], version=1)
    b.node(
        "SPLIT_V",
        [x, b.constant([1, -1], "int32"), b.constant(2, "int32")],
        ("float32", "float32"),
        options="SplitVOptions",
        numSplits=2,
    )
    b.node("EMBEDDING_LOOKUP", [b.constant([2, 0], "int32"), b.constant(weights(3, 4))])
    b.node(
        "EMBEDDING_LOOKUP",
        [
            b.constant([2, 0], "int32"),
            b.constant([[1, 2], [3, 4], [-5, 6]], "int8", scale=0.5, zero=0),
        ],
    )
    b.node(
        "UNIQUE",
        [b.constant([3, 1, 3, 7, 1], "int32")],
        ("int32", "int32"),
        options="UniqueOptions",
        idxOutType=2,
    )
    b.node("SELECT", [b.constant([True], "bool"), x, x])
    b.node("RSQRT", [b.node("EXP", [x])])
    b.node("FLOOR_MOD", [n, b.constant([[3, -3, 2, 5]], "int32")], "int32")
    b.node("FLOOR_DIV", [n, b.constant([[3, -3, 2, 5]], "int32")], "int32")
    b.node("DIV", [n, b.constant([[3, -3, 2, 5]], "int32")], "int32", options="DivOptions")
    b.node("ADD", [x, x], options="AddOptions", fusedActivationFunction=3)
    b.node("MUL", [x, x], options="MulOptions", fusedActivationFunction=2)
    b.node("SUB", [x, b.constant(0.5)], options="SubOptions", fusedActivationFunction=1)
    b.node("SOFTMAX", [x], options="SoftmaxOptions", beta=0.5)
    b.node(
        "TRANSPOSE_CONV",
        [b.constant([1, 8, 7, 2], "int32"), b.constant(weights(2, 3, 2, 3)), x],
        options="TransposeConvOptions",
        padding=0,
        strideW=2,
        strideH=2,
    )
    b.node(
        "STRIDED_SLICE",
        [
            x,
            b.constant([0, 1, 0, 0], "int32"),
            b.constant([1, 2, 4, 3], "int32"),
            b.constant([1, 1, 1, 1], "int32"),
        ],
        options="StridedSliceOptions",
        offset=True,
        version=8,
    )
    return b


def direct_recurrent() -> Builder:
    b = Builder()
    x = b.input("float32", 2, 5, 3)

    def all_(*shapes: Any) -> list[int]:
        return [b.constant(CHANCE.uniform(-0.5, 0.5, shape)) for shape in shapes]

    rnn = {"fusedActivationFunction": 4}
    b.node(
        "UNIDIRECTIONAL_SEQUENCE_RNN",
        [x, *all_((4, 3), (4, 4), (4,)), b.variable(2, 4)],
        options="SequenceRNNOptions",
        **rnn,
    )
    b.node(
        "BIDIRECTIONAL_SEQUENCE_RNN",
        [
            x,
            *all_((4, 3), (4, 4), (4,)),
            b.variable(2, 4),
            *all_((4, 3), (4, 4), (4,)),
            b.variable(2, 4),
            -1,
            -1,
            -1,
        ],
        ("float32", "float32"),
        options="BidirectionalSequenceRNNOptions",
        **rnn,
    )
    y = b.node("REDUCE_MAX", [x, b.constant([1], "int32")], options="ReducerOptions")
    b.node("RNN", [y, *all_((4, 3), (4, 4), (4,)), b.variable(2, 4)], options="RNNOptions", **rnn)
    b.node(
        "SVDF",
        [y, *all_((6, 3), (6, 4), (3,)), b.variable(2, 24)],
        options="SVDFOptions",
        rank=2,
        fusedActivationFunction=1,
    )
    joined = all_((4, 3), (4, 3), (4, 3), (4, 3), (4, 4), (4, 4), (4, 4), (4, 4))
    plain = [*joined, -1, -1, -1, *all_((4,), (4,), (4,), (4,)), -1, -1]
    b.node(
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
        [x, *plain, b.variable(2, 4), b.variable(2, 4), -1, -1, -1, -1],
        options="UnidirectionalSequenceLSTMOptions",
        cellClip=0.3,
        **rnn,
    )
    b.node("LSTM", [y, *plain, b.variable(2, 4), b.variable(2, 4)], options="LSTMOptions", **rnn)
    # Peepholes, joined gates, a projection and normalization.
    full = [
        -1,
        *all_((4, 3), (4, 3), (4, 3)),
        -1,
        *all_((4, 2), (4, 2), (4, 2)),
        -1,
        *all_((4,), (4,)),
        -1,
        *all_((4,), (4,), (4,), (2, 4), (2,)),
        b.variable(2, 2),
        b.variable(2, 4),
        -1,
        *all_((4,), (4,), (4,)),
    ]
    b.node(
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
        [x, *full],
        options="UnidirectionalSequenceLSTMOptions",
        projClip=0.4,
        **rnn,
    )
    other = [
        *all_((4, 3), (4, 3), (4, 3), (4, 3), (4, 4), (4, 4), (4, 4), (4, 4)),
        -1,
        -1,
        -1,
        *all_((4,), (4,), (4,), (4,)),
        -1,
        -1,
    ]
    states = [b.variable(5, 4) for _ in range(4)]
    b.node(
        "BIDIRECTIONAL_SEQUENCE_LSTM",
        [x, *plain, *other, *states, *[-1] * 9],
        options="BidirectionalSequenceLSTMOptions",
        mergeOutputs=True,
        timeMajor=True,
        **rnn,
    )
    return b


def direct_boxes() -> Builder:
    from flatbuffers import flexbuffers

    b = Builder()
    corners = CHANCE.uniform(0, 5, (12, 2))
    boxes = b.constant(np.concatenate([corners, corners + CHANCE.uniform(1, 3, (12, 2))], 1))
    scores = b.input("float32", 12)
    operands = [boxes, scores, b.constant(6, "int32"), b.constant(0.3), b.constant(0.1)]
    b.node("NON_MAX_SUPPRESSION_V4", operands, ("int32", "int32"))
    b.node("NON_MAX_SUPPRESSION_V5", [*operands, b.constant(0.5)], ("int32", "float32", "int32"))
    options = {
        "max_detections": 5, "max_classes_per_detection": 2, "detections_per_class": 10,
        "use_regular_nms": False, "nms_score_threshold": 0.2, "nms_iou_threshold": 0.4,
        "num_classes": 3, "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0,
    }  # fmt: skip
    anchors = np.concatenate([CHANCE.uniform(0, 1, (9, 2)), np.full((9, 2), 0.5)], 1)
    b.node(
        "TFLite_Detection_PostProcess",
        [b.input("float32", 1, 9, 4), b.input("float32", 1, 9, 4), b.constant(anchors)],
        ("float32",) * 4,
        custom=bytes(flexbuffers.Dumps(options)),
    )
    return b


def direct_quantized() -> Builder:
    b = Builder()
    x = b.input("int8", 1, 4, 4, 3, scale=0.05, zero=-3)
    y = b.input("int8", 1, 4, 4, 3, scale=0.02, zero=10)
    b.node("ADD", [x, y], [("int8", 0.04, 5)], options="AddOptions", fusedActivationFunction=1)
    b.node("CONCATENATION", [x, x], [("int8", 0.05, -3)], options="ConcatenationOptions", axis=-1)
    b.node(
        "PRELU", [x, b.constant([[[5, -7, 100]]], "int8", scale=0.01, zero=0)], [("int8", 0.06, 1)]
    )
    b.node("LEAKY_RELU", [x], [("int8", 0.06, 1)], options="LeakyReluOptions", alpha=0.2)
    b.node("HARD_SWISH", [x], [("int8", 0.06, -100)])
    b.node("LOGISTIC", [x], [("int8", 1 / 256, -128)])
    b.node("TANH", [x], [("int8", 1 / 128, 0)])
    b.node("LESS", [x, y], "bool", options="LessOptions", version=2)
    b.node(
        "ARG_MAX",
        [x, b.constant(3, "int32")],
        "int32",
        options="ArgMaxOptions",
        outputType=2,
        version=2,
    )
    b.node(
        "REDUCE_MAX",
        [x, b.constant([1, 2], "int32")],
        [("int8", 0.05, -3)],
        options="ReducerOptions",
        version=2,
    )
    b.node("QUANTIZE", [x], [("int8", 0.03, 20)], options="QuantizeOptions", version=2)
    b.node("QUANTIZE", [x], [("uint8", 0.05, 125)], options="QuantizeOptions", version=2)
    b.node("DEQUANTIZE", [x], version=2)
    b.node(
        "PAD",
        [x, b.constant([[0, 0], [1, 0], [0, 2], [0, 0]], "int32")],
        [("int8", 0.05, -3)],
        version=2,
    )
    b.node("SQUARED_DIFFERENCE", [x, y], [("int8", 0.4, -128)], version=2)
    b.node("L2_NORMALIZATION", [x], [("int8", 1 / 128, 0)], options="L2NormOptions", version=2)
    b.node(
        "MEAN",
        [x, b.constant([1, 2], "int32")],
        [("int8", 0.04, 4)],
        options="ReducerOptions",
        version=2,
    )
    b.node(
        "SUM",
        [x, b.constant([1, 2], "int32")],
        [("int8", 0.2, 4)],
        options="ReducerOptions",
        version=2,
    )
    b.node(
        "SPACE_TO_BATCH_ND",
        [x, b.constant([2, 2], "int32"), b.constant([[1, 1], [0, 2]], "int32")],
        [("int8", 0.05, -3)],
        version=2,
    )
    b.node("CAST", [x], "float32", options="CastOptions")
    b.node("TOPK_V2", [x, b.constant(2, "int32")], [("int8", 0.05, -3), "int32"], version=2)
    b.node("RELU6", [x], [("int8", 0.03, -128)], version=2)
    b.node("LOG_SOFTMAX", [x], [("int8", 16 / 256, 127)], version=2)
    b.node("SOFTMAX", [x], [("int16", 1 / 32768, 0)], options="SoftmaxOptions", beta=1.0, version=3)
    return b


DIRECT = {
    "direct-plain": direct_plain,
    "direct-recurrent": direct_recurrent,
    "direct-boxes": direct_boxes,
    "direct-quantized": direct_quantized,
}

# --- conversion -----------------------------------------------------------------------------------

Make = Callable[[], Any]


def converter_of(make: Any, specs: list[Any]) -> Any:
    if specs:
        function = tf.function(make, input_signature=specs)
        concrete = function.get_concrete_function()
        return tf.lite.TFLiteConverter.from_concrete_functions([concrete], function)
    return tf.lite.TFLiteConverter.from_keras_model(make())


def converted(make: Any, specs: list[Any], kind: str, samples: list[list[Array]]) -> bytes:
    converter = converter_of(make, specs)
    if kind != "float":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if kind == "half":
        converter.target_spec.supported_types = [tf.float16]
    if kind in ("int8", "uint8", "int16", "legacy"):
        converter.representative_dataset = lambda: iter(samples)
        ops = tf.lite.OpsSet
        converter.target_spec.supported_ops = [
            ops.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8
            if kind == "int16"
            else ops.TFLITE_BUILTINS_INT8
        ]
        dtype = {"int8": tf.int8, "uint8": tf.uint8, "int16": tf.int16, "legacy": tf.int8}[kind]
        converter.inference_input_type = converter.inference_output_type = dtype
    if kind == "legacy":
        converter._experimental_disable_per_channel = True
    data: bytes = converter.convert()
    return legacy(data) if kind == "legacy" else data


def legacy(data: bytes) -> bytes:
    """Change int8 to uint8 with zero points of the weights, as old converters wrote."""
    model = flatbuffer_utils.convert_bytearray_to_object(bytearray(data))
    done = set()
    for tensor in model.subgraphs[0].tensors:
        if tensor.type != schema.TensorType.INT8:
            continue
        tensor.type = schema.TensorType.UINT8
        tensor.quantization.zeroPoint = [int(zero) + 128 for zero in tensor.quantization.zeroPoint]
        buffer = model.buffers[tensor.buffer]
        if buffer.data is not None and tensor.buffer not in done:
            done.add(tensor.buffer)
            buffer.data = np.frombuffer(bytes(buffer.data), "uint8") ^ 128
    for code in model.operatorCodes:
        code.version = 1
    return bytes(flatbuffer_utils.convert_object_to_bytearray(model))


def spec(*shape: int | None, dtype: str = "float32") -> Any:
    return tf.TensorSpec(shape, dtype)


ONLY_FLOAT = ("float",)
ALL = ("float", "half", "dynamic", "int8", "uint8", "int16")

CASES: dict[str, tuple[Any, list[Any], tuple[str, ...]]] = {
    "elementwise": (elementwise, [spec(3, 4, 5), spec(4, 5)], ("float",)),
    "arithmetic": (
        lambda x, y: {
            "a": x + y,
            "b": x * y,
            "c": x - y,
            "d": tf.maximum(x, y),
            "e": tf.nn.relu(x + y),
        },
        [spec(3, 4, 5), spec(4, 5)],
        ("int8", "int16", "legacy"),
    ),
    "activations": (activations, [spec(3, 4, 5)], ("float", "int8")),
    "choices": (choices, [spec(3, 4), spec(3, 4)], ONLY_FLOAT),
    "integers": (integers, [spec(3, 4, dtype="int32"), spec(3, 4, dtype="int32")], ONLY_FLOAT),
    "reductions": (reductions, [spec(4, 3, 5)], ("float", "int8")),
    "movement": (movement, [spec(2, 4, 4, 4)], ONLY_FLOAT),
    "indexing": (indexing, [spec(4, 6), spec(4, 2, dtype="int32")], ONLY_FLOAT),
    "shapes": (shapes, [spec(None, 4)], ONLY_FLOAT),
    "convolutions": (
        convolutions,
        [spec(1, 9, 10, 4)],
        ("float", "half", "dynamic", "int8", "int16", "legacy"),
    ),
    "transposed": (transposed, [spec(1, 5, 6, 4)], ("float", "half", "dynamic", "int8")),
    "pools": (pools, [spec(1, 9, 10, 4)], ("float", "int8", "legacy")),
    "normalized": (normalized, [spec(1, 4, 5, 7)], ONLY_FLOAT),
    "resized": (resized, [spec(1, 5, 6, 3)], ("float", "int8")),
    "products": (products, [spec(2, 6, 8), spec(2, 8, 6)], ("float", "dynamic", "int8")),
    "volumes": (volumes, [spec(1, 3, 4, 4, 2)], ONLY_FLOAT),
    "spectrum": (spectrum, [spec(2, 16)], ONLY_FLOAT),
    "conditions": (conditions, [spec(2, 3), spec(dtype="int32")], ONLY_FLOAT),
    "faked": (faked, [spec(3, 4)], ONLY_FLOAT),
    "mobile": (keras(mobile, 24, 24, 3), [], ALL),
    "segmentation": (keras(segmentation, 16, 16, 3), [], ("float", "half", "dynamic", "int8")),
    "recurrent": (keras(recurrent, 5, 8), [], ("float", "half", "dynamic")),
    "fused": (fused, [], ("float", "half")),
    "looped": (keras(looped, 5, 8), [], ONLY_FLOAT),
    "dense": (keras(dense, 700), [], ("dynamic", "int8")),
}
"""For each name: function, specs of its inputs, and kinds of numbers."""


def inputs_of(details: list[dict[str, Any]]) -> list[Array]:
    inputs = []
    for detail in details:
        shape = [3 if n == -1 else n for n in detail["shape_signature"]]
        values: Array = CHANCE.uniform(-2, 2, shape)
        dtype = np.dtype(detail["dtype"])
        scale, zero = detail["quantization"]
        if scale:
            limits = np.iinfo(dtype)
            values = np.clip(np.round(values / scale) + zero, limits.min, limits.max)
        elif dtype.kind == "i":
            values = (
                CHANCE.integers(0, 2, shape)
                if len(shape) == 2 and shape[-1] == 2
                else CHANCE.integers(-9, 9, shape)
            )
            values = np.asarray(4) if not shape else values
        inputs.append(np.asarray(values).astype(dtype))
    return inputs


def run(data: bytes) -> dict[str, Array]:
    """Return inputs "x0", "x1" ... and outputs "y0", "y1" ..."""
    interpreter = tf.lite.Interpreter(model_content=data)
    details = interpreter.get_input_details()
    values = inputs_of(details)
    for detail, value in zip(details, values, strict=True):
        interpreter.resize_tensor_input(detail["index"], value.shape)
    interpreter.allocate_tensors()
    arrays = {}
    for number, (detail, value) in enumerate(zip(details, values, strict=True)):
        interpreter.set_tensor(detail["index"], value)
        arrays[f"x{number}"] = value
    interpreter.invoke()
    for number, detail in enumerate(interpreter.get_output_details()):
        arrays[f"y{number}"] = interpreter.get_tensor(detail["index"])
    return arrays


def write(name: str, data: bytes) -> None:
    values = run(data)
    path = FOLDER / f"{name}.tflite"
    path.write_bytes(data)
    np.savez_compressed(path.with_suffix(".npz"), allow_pickle=False, **values)
    print(f"{path.name}: {len(data):,} bytes")


def main(names: list[str]) -> None:
    global CHANCE
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, build in DIRECT.items():
        if not names or name in names:
            CHANCE = np.random.default_rng(7)
            write(name, build().finished())
    for name, (make, specs, kinds) in CASES.items():
        if names and name not in names:
            continue
        for kind in kinds:
            CHANCE = np.random.default_rng(5)
            shapes_ = [tuple(spec.shape) for spec in specs]
            if not specs:
                shapes_ = [tuple(make().inputs[0].shape)]
            samples = [
                [CHANCE.uniform(-2, 2, shape).astype("float32") for shape in shapes_]
                for _ in range(20 if kind not in ("float", "half", "dynamic") else 0)
            ]
            CHANCE = np.random.default_rng(6)
            try:
                write(f"{name}-{kind}", converted(make, specs, kind, samples))
            except Exception as error:
                print(f"{name}-{kind}: {type(error).__name__}: {str(error)[:600]}")


if __name__ == "__main__":
    main(sys.argv[1:])
