"""Make the graph models of TensorFlow.js that the tests run, with TensorFlow's own results.

It needs TensorFlow 2.21, which is not among the development dependencies:

    python -m venv build/tensorflow && build/tensorflow/bin/pip install tensorflow==2.21.0
    build/tensorflow/bin/python tests/models/data/make_tfjs_models.py

Each file has a list of cases: the model as the converter of TensorFlow.js writes it, its weights,
inputs, and outputs. Arrays are a dtype, a shape and base64.
"""

# TensorFlow is not installed where types are checked.
# mypy: ignore-errors
from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from google.protobuf.json_format import MessageToDict
from tensorflow.python.framework.convert_to_constants import (
    convert_variables_to_constants_v2 as frozen,
)

FOLDER = Path(__file__).parent
R = tf.raw_ops
rng = np.random.default_rng(3)


def listed(array: Any) -> dict[str, Any]:
    array = np.asarray(array)
    data = base64.b64encode(array.tobytes()).decode()
    return {"dtype": array.dtype.name, "shape": list(array.shape), "data": data}


def numbers(*shape: int, low: float = -2.0, high: float = 2.0) -> Any:
    return rng.uniform(low, high, shape).astype("float32")


def integers(*shape: int, low: int = -9, high: int = 10) -> Any:
    return rng.integers(low, high, shape).astype("int32")


def converted(name: str, graph: Any, inputs: Any, outputs: Any) -> dict[str, Any]:
    """Return a case without inputs and outputs: constants become weights, as by the converter."""
    weights, data = [], b""
    for function in graph.library.function:
        # Constants of functions get the name of the function in front.
        prefix = function.signature.name
        renamed = {
            node.name: f"{prefix}/{node.name}" for node in function.node_def if node.op == "Const"
        }
        for node in function.node_def:
            node.name = renamed.get(node.name, node.name)
            for at, value in enumerate(node.input):
                head, *rest = value.split(":")
                node.input[at] = ":".join([renamed.get(head, head), *rest])
        for key, value in function.ret.items():
            head, *rest = value.split(":")
            function.ret[key] = ":".join([renamed.get(head, head), *rest])
    for nodes in [graph.node, *(function.node_def for function in graph.library.function)]:
        for node in nodes:
            node.attr.pop("_output_shapes", None)
            if node.op != "Const" or node.attr["dtype"].type == tf.string.as_datatype_enum:
                continue
            array = tf.make_ndarray(node.attr["value"].tensor)
            if array.dtype == "float64":
                array = array.astype("float32")
            if array.dtype in ("int64", "int8", "int16"):
                array = array.astype("int32")
            weights.append(
                {"name": node.name, "shape": list(array.shape), "dtype": array.dtype.name}
            )
            data += array.tobytes()
            node.attr["value"].tensor.ClearField("tensor_content")
            for field in ("float_val", "int_val", "int64_val", "bool_val", "double_val"):
                node.attr["value"].tensor.ClearField(field)
    signature = {"inputs": {}, "outputs": {}}
    for kind, tensors in (("inputs", inputs), ("outputs", outputs)):
        for key, tensor in tensors.items():
            shape = MessageToDict(tensor.shape.as_proto())
            entry = {
                "name": tensor.name,
                "dtype": f"DT_{tensor.dtype.name.upper()}".replace("DT_FLOAT32", "DT_FLOAT"),
                "tensorShape": shape,
            }
            signature[kind][key] = entry
    document = {
        "format": "graph-model",
        "generatedBy": tf.__version__,
        "signature": signature,
        "modelTopology": MessageToDict(graph),
        "weightsManifest": [{"paths": ["group1-shard1of1.bin"], "weights": weights}],
    }
    return {"name": name, "model": document, "weights": base64.b64encode(data).decode()}


def case(
    name: str,
    function: Callable[..., Any],
    *arrays: Any,
    lower: bool | None = None,
    open_: bool = False,
    expected: Any = None,
) -> dict[str, Any]:
    """Return a case of a function; `lower` makes loops of frames, None keeps functions."""
    specs = [
        tf.TensorSpec(
            [None, *list(a.shape[1:])] if open_ and a.ndim else a.shape, a.dtype, f"in{at}"
        )
        for at, a in enumerate(map(np.asarray, arrays))
    ]
    concrete = tf.function(function).get_concrete_function(*specs)
    if lower is not None:
        concrete = frozen(concrete, lower_control_flow=lower)
    graph = concrete.graph.as_graph_def()
    results = concrete.outputs
    inputs = {f"in{at}": tensor for at, tensor in enumerate(concrete.inputs[: len(arrays)])}
    outputs = {f"out{at}": tensor for at, tensor in enumerate(results)}
    result = converted(name, graph, inputs, outputs)
    if expected is None:
        expected = tf.nest.flatten(concrete(*map(tf.constant, arrays)))
    result["inputs"] = {f"in{at}": listed(array) for at, array in enumerate(arrays)}
    result["outputs"] = {f"out{at}": listed(value) for at, value in enumerate(expected)}
    return result


def write(name: str, cases: list[dict[str, Any]]) -> None:
    path = FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(cases, separators=(",", ":")) + "\n")
    print(path, len(cases), path.stat().st_size)


# --- control flow ---------------------------------------------------------------------------------


def loop(x: Any, n: Any) -> Any:
    at, total = tf.constant(0), tf.zeros([3])
    rows = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[3])
    while at < n:
        total = total + x[at] if tf.reduce_sum(x[at]) > 0 else total * 2.0
        rows = rows.write(at, total)
        at += 1
    return rows.stack(), total


def nested(x: Any) -> Any:
    total, outer = tf.zeros([4]), tf.constant(0)
    while outer < tf.shape(x)[0]:
        inner = tf.constant(0)
        while inner < outer + 1:
            total = total * 0.5 + x[outer] * tf.cast(inner + outer, tf.float32)
            inner += 1
        outer += 1
    return total


def chosen(x: Any, at: Any) -> Any:
    def some() -> Any:
        y = x + 1.0
        return tf.cond(tf.reduce_sum(y) > 0.0, lambda: y - x, lambda: tf.square(y))

    if at > 3:
        result = x * 2.0
    elif at > 1:
        result = some()
    else:
        result = tf.ones_like(x)
    return result


def mapped(x: Any) -> Any:
    y = tf.map_fn(lambda row: tf.reduce_max(row) * row, x)
    return y, tf.scan(lambda a, b: a * 0.5 + b, x)


def pushed(x: Any) -> Any:
    values = R.EmptyTensorList(element_shape=[2], max_num_elements=9, element_dtype=tf.float32)
    for at in range(3):
        values = R.TensorListPushBack(input_handle=values, tensor=x[at])
    values, last = R.TensorListPopBack(
        input_handle=values, element_shape=[2], element_dtype=tf.float32
    )
    values = R.TensorListResize(input_handle=values, size=4)
    values = R.TensorListSetItem(input_handle=values, index=2, item=last * 10.0)
    stacked = R.TensorListStack(input_handle=values, element_shape=[2], element_dtype=tf.float32)
    taken = R.TensorListGather(
        input_handle=values, indices=[2, 0], element_shape=[2], element_dtype=tf.float32
    )
    spread = R.TensorListScatterV2(tensor=x, indices=[3, 0, 1], element_shape=[2], num_elements=4)
    spread = R.TensorListStack(input_handle=spread, element_shape=[2], element_dtype=tf.float32)
    parts = R.TensorListSplit(tensor=x, element_shape=[-1, 2], lengths=[1, 2])
    second = R.TensorListGetItem(
        input_handle=parts, index=1, element_shape=[2, 2], element_dtype=tf.float32
    )
    joined, lengths = R.TensorListConcatV2(
        input_handle=parts,
        element_shape=[-1, 2],
        leading_dims=tf.zeros([0], tf.int64),
        element_dtype=tf.float32,
    )
    return stacked, taken, spread, second, joined, lengths, R.TensorListLength(input_handle=values)


@tf.function
def _inner(x: Any, y: Any) -> Any:
    values, places = tf.math.top_k(x, 2)
    return places, values + y


def calls(x: Any) -> Any:
    places, values = _inner(x, 1.0)
    more, _ = _inner(-x, 2.0)
    return places, values, more


def old(build: Callable[[], Any], name: str) -> dict[str, Any]:
    """Return a case of a graph of TensorFlow 1, with its own control flow and arrays."""
    tf.compat.v1.disable_control_flow_v2()
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        feed, results = build()
        result = converted(
            name,
            graph.as_graph_def(),
            {f"in{at}": tensor for at, tensor in enumerate(feed)},
            {f"out{at}": tensor for at, tensor in enumerate(results)},
        )
        values = session.run(results, feed)
        result["inputs"] = {f"in{at}": listed(array) for at, array in enumerate(feed.values())}
        result["outputs"] = {f"out{at}": listed(value) for at, value in enumerate(values)}
    tf.compat.v1.enable_control_flow_v2()
    return result


def old_arrays() -> Any:
    v1 = tf.compat.v1
    x = v1.placeholder(tf.float32, [None, 2], "x")
    array = tf.TensorArray(tf.float32, size=tf.shape(x)[0], element_shape=[2]).unstack(x)
    result = tf.TensorArray(
        tf.float32, size=tf.shape(x)[0], element_shape=[2], clear_after_read=False
    )

    def body(at: Any, total: Any, result: Any) -> Any:
        row = array.read(at)
        total = total + v1.cond(tf.reduce_sum(row) > 0, lambda: row, lambda: total * 0.5)
        return at + 1, total, result.write(at, total)

    _, total, result = v1.while_loop(
        lambda at, *_: at < tf.shape(x)[0], body, (0, tf.zeros([2]), result)
    )
    parts = tf.TensorArray(tf.float32, size=2, infer_shape=False).split(x, [1, 3])
    return {x: numbers(4, 2)}, [
        total,
        result.stack(),
        result.gather([2, 0]),
        parts.concat(),
        result.size(),
    ]


def old_conditions() -> Any:
    v1 = tf.compat.v1
    x = v1.placeholder(tf.float32, [3], "x")
    y = v1.placeholder(tf.float32, [], "y")

    def inner() -> Any:
        return v1.cond(y > 2.0, lambda: x * y, lambda: (x - y) * 3.0)

    first = v1.cond(y > 0.0, inner, lambda: tf.constant([7.0, 8.0, 9.0]))
    second = v1.cond(tf.reduce_sum(first) > 1.0, lambda: (first + 1.0, x), lambda: (x, first))
    return {x: numbers(3), y: np.float32(1.5)}, [first, *second]


def old_nested() -> Any:
    v1 = tf.compat.v1
    x = v1.placeholder(tf.float32, [None, 3], "x")

    def outer(at: Any, total: Any) -> Any:
        def inner(k: Any, value: Any) -> Any:
            return k + 1, v1.cond(k > at, lambda: value + x[at], lambda: value * 1.5)

        _, value = v1.while_loop(lambda k, _: k < 3, inner, (0, total))
        return at + 1, value

    _, total = v1.while_loop(lambda at, _: at < tf.shape(x)[0], outer, (0, tf.ones([3])))
    return {x: numbers(2, 3)}, [total]


def old_loop_in_condition() -> Any:
    v1 = tf.compat.v1
    x = v1.placeholder(tf.float32, [3], "x")
    y = v1.placeholder(tf.float32, [], "y")

    def grown() -> Any:
        return v1.while_loop(lambda z: tf.reduce_sum(z) < 20.0, lambda z: z * 2.0 + y, [tf.abs(x)])

    first = v1.cond(y > 0.0, grown, lambda: x)
    second = v1.cond(y < 0.0, lambda: grown() + 1.0, lambda: x - 1.0)
    return {x: numbers(3), y: np.float32(1.5)}, [first, second]


def recurrent(layer: Any) -> Callable[[Any], Any]:
    layer.build((None, None, 5))
    return lambda x: layer(x)


def control_flow() -> list[dict[str, Any]]:
    keras = tf.keras.layers
    tf.keras.utils.set_random_seed(5)
    cases = []
    for lower in (False, True):
        kind = "frames" if lower else "functions"
        options = {"lower": lower, "open_": True}
        cases += [
            case(f"loop of {kind}", loop, numbers(5, 3), np.int32(4), lower=lower),
            case(f"nested loops of {kind}", nested, numbers(3, 4), **options),
            case(f"map and scan of {kind}", mapped, numbers(3, 4), **options),
            case(
                f"LSTM of {kind}",
                recurrent(keras.LSTM(4, return_sequences=True)),
                numbers(2, 6, 5),
                **options,
            ),
            case(
                f"GRU of {kind}",
                recurrent(keras.GRU(3, reset_after=True)),
                numbers(2, 6, 5),
                **options,
            ),
            case(
                f"bidirectional RNN of {kind}",
                recurrent(keras.Bidirectional(keras.SimpleRNN(3))),
                numbers(2, 4, 5),
                **options,
            ),
        ]
        cases += [
            case(f"condition of {kind}, branch {at}", chosen, numbers(3), np.int32(at), lower=lower)
            for at in (0, 2, 5)
        ]
    cases += [
        case("lists", pushed, numbers(3, 2)),
        case("calls", calls, numbers(6)),
        old(old_arrays, "arrays of TensorFlow 1"),
        old(old_conditions, "conditions of TensorFlow 1"),
        old(old_nested, "nested loops of TensorFlow 1"),
        old(old_loop_in_condition, "loops in conditions of TensorFlow 1"),
    ]
    return cases


# --- operators ------------------------------------------------------------------------------------


def one(name: str, *arrays: Any, note: str = "", **attributes: Any) -> dict[str, Any]:
    """Return a case of one operator: tensors by position, and attributes and numbers by name."""
    function = getattr(R, name)
    names = [
        parameter for parameter in function.__signature__.parameters if parameter not in attributes
    ]

    def run(*operands: Any) -> Any:
        return function(**dict(zip(names, operands, strict=False)), **attributes)

    return case(f"{name} {note}".strip(), run, *arrays)


def many(name: str, arrays: list[Any], note: str = "", **attributes: Any) -> dict[str, Any]:
    """Return a case of an operator whose first input is a list of tensors."""
    function = getattr(R, name)
    first = next(iter(function.__signature__.parameters))
    return case(
        f"{name} {note}".strip(),
        lambda *operands: function(**{first: list(operands)}, **attributes),
        *arrays,
    )


def operators() -> list[dict[str, Any]]:
    x, y = numbers(3, 4), numbers(3, 4)
    positive, unit = numbers(3, 4, low=0.1), numbers(3, 4, low=-0.9, high=0.9)
    i, j = integers(3, 4), integers(3, 4, low=1)
    truths, other = i > 0, j > 4
    image, kernel = numbers(2, 7, 8, 3), numbers(3, 2, 3, 4)
    volume = numbers(1, 5, 6, 4, 2)
    complex_ = (x + 1j * y).astype("complex64")
    s = {"strides": [1, 2, 1, 1], "padding": "SAME"}
    boxes = np.float32([[0, 0, 2, 2], [0, 0, 2, 1.9], [5, 5, 7, 7], [0, 0.1, 2, 2.1], [5, 5, 6, 6]])
    scores = np.float32([0.6, 0.9, 0.3, 0.5, 0.8])
    normal = (numbers(3), numbers(3), numbers(3), numbers(3, low=0.1))
    sums = [
        one(name, x, axis=[1], keep_dims=True)
        for name in ("Max", "Mean", "Min", "Prod", "Sum", "EuclideanNorm")
    ]
    return [
        *(
            one(name, x)
            for name in (
                "Abs",
                "Asinh",
                "Atan",
                "Ceil",
                "Cos",
                "Cosh",
                "Elu",
                "Erf",
                "Erfc",
                "Exp",
                "Expm1",
                "Floor",
                "Identity",
                "IsFinite",
                "IsInf",
                "IsNan",
                "LeakyRelu",
                "LogSoftmax",
                "Neg",
                "OnesLike",
                "Rank",
                "Reciprocal",
                "Relu",
                "Relu6",
                "Rint",
                "Round",
                "Selu",
                "Shape",
                "Sigmoid",
                "Sign",
                "Sin",
                "Sinh",
                "Size",
                "Snapshot",
                "Softmax",
                "Softplus",
                "Softsign",
                "Square",
                "StopGradient",
                "Tan",
                "Tanh",
                "ZerosLike",
            )
        ),
        *(one(name, positive) for name in ("Log", "Log1p", "Rsqrt", "Sqrt", "Lgamma")),
        *(one(name, unit) for name in ("Acos", "Asin", "Atanh")),
        one("Acosh", positive + 1),
        *(
            one(name, x, y)
            for name in (
                "Add",
                "AddV2",
                "Atan2",
                "DivNoNan",
                "FloorDiv",
                "FloorMod",
                "Maximum",
                "Minimum",
                "Mod",
                "Mul",
                "RealDiv",
                "SquaredDifference",
                "Sub",
                "Equal",
                "NotEqual",
                "Greater",
                "GreaterEqual",
                "Less",
                "LessEqual",
            )
        ),
        *(
            one(name, i, j, note="of integers")
            for name in (
                "AddV2",
                "BitwiseAnd",
                "BitwiseOr",
                "BitwiseXor",
                "Div",
                "FloorDiv",
                "FloorMod",
                "Mod",
                "Mul",
                "Sub",
                "Maximum",
                "Equal",
                "Less",
            )
        ),
        one("Pow", positive, y),
        one("Pow", i, np.int32(2), note="of integers"),
        one("DivNoNan", x, np.float32([0, 1, 0, 2]), note="by zero"),
        *(one(name, truths, other) for name in ("LogicalAnd", "LogicalOr")),
        one("LogicalNot", truths),
        one("Complex", x, y),
        one("ComplexAbs", complex_),
        one("Real", complex_),
        one("Imag", complex_),
        one("Conj", complex_),
        one("FFT", complex_),
        one("IFFT", complex_),
        one("RFFT", x, fft_length=[4]),
        one("RFFT", x, fft_length=[3], note="shorter"),
        one("IRFFT", complex_, fft_length=[6]),
        many("AddN", [x, y, x]),
        many("IdentityN", [x, i]),
        many("ShapeN", [x, image]),
        one("BiasAdd", image, numbers(3)),
        one("ClipByValue", x, clip_value_min=-0.5, clip_value_max=1.0),
        *(
            one("Cast", operand, DstT=dtype, note=f"to {dtype.name} {at}")
            for at, (operand, dtype) in enumerate(
                [
                    (x * 3, tf.int32),
                    (i, tf.float32),
                    (truths, tf.float32),
                    (x, tf.bool),
                    (i, tf.bool),
                    (j, tf.int64),
                ]
            )
        ),
        one("LeakyRelu", x, alpha=0.3, note="0.3"),
        one("Select", truths, x, y),
        one("Select", np.bool_([True, False, True]), x, y, note="rows"),
        one("SelectV2", truths, x, numbers(1, 4)),
        one("FakeQuantWithMinMaxVars", x, min=-1.1, max=1.5),
        one(
            "FakeQuantWithMinMaxVars",
            x,
            min=-1.0,
            max=1.7,
            num_bits=4,
            narrow_range=True,
            note="narrow",
        ),
        *sums,
        one("Sum", x, axis=0, note="along an axis"),
        one("Sum", i, axis=[0, 1], note="of integers"),
        one("Max", i, axis=[-1], note="of integers"),
        one("Mean", image, axis=[1, 2], keep_dims=True, note="of images"),
        one("All", truths, axis=[1]),
        one("Any", truths, axis=[0], keep_dims=True),
        one("ArgMax", x, dimension=1),
        one("ArgMin", x, dimension=0),
        one("Cumsum", x, axis=1),
        one("Cumsum", x, axis=0, exclusive=True, reverse=True, note="reverse"),
        one("Cumprod", x, axis=-1, exclusive=True),
        one("Bincount", integers(9, low=0, high=5), size=6, weights=numbers(9)),
        one("DenseBincount", integers(9, low=0, high=5), size=6, weights=np.zeros(0, "float32")),
        one(
            "DenseBincount",
            integers(2, 9, low=0, high=5),
            size=7,
            weights=np.zeros(0, "float32"),
            binary_output=True,
            note="binary",
        ),
        many("ConcatV2", [x, y, x], axis=1),
        many("Pack", [x, y], axis=1),
        one("Unpack", x, num=4, axis=1),
        case("Concat", lambda a, b: R.Concat(concat_dim=0, values=[a, b]), x, y),
        one("Reshape", x, shape=[2, -1]),
        one("ExpandDims", x, axis=-1),
        one("Squeeze", numbers(1, 3, 1), axis=[0]),
        one("Squeeze", numbers(1, 3, 1), note="of all axes"),
        one("Transpose", image, perm=[0, 3, 1, 2]),
        one("Slice", x, begin=[1, 0], size=[-1, 2]),
        one("Split", numbers(4, 6), axis=1, num_split=3),
        one("SplitV", numbers(4, 6), size_splits=[1, -1, 2], axis=1, num_split=3),
        case(
            "Split along the second axis",
            lambda a: R.Split(axis=1, value=a, num_split=3),
            numbers(4, 6),
        ),
        one("StridedSlice", x, begin=[0, 3], end=[3, 0], strides=[2, -1]),
        case(
            "StridedSlice with masks",
            lambda a: a[..., tf.newaxis, 1:, -1, ::2],
            numbers(2, 3, 4, 5),
        ),
        case("StridedSlice of a scalar", lambda a: a[1, 2], x),
        case("StridedSlice backwards", lambda a: (a[::-1], a[:, -2::-1], a[5:, 1]), x),
        one("Tile", x, multiples=[2, 3]),
        one("BroadcastTo", numbers(3, 1), shape=[2, 3, 4]),
        one("BroadcastArgs", np.int32([3, 1]), np.int32([2, 1, 4])),
        one("EnsureShape", x, shape=[None, 4]),
        one("Pad", x, paddings=[[1, 2], [0, 1]]),
        one("PadV2", x, paddings=[[1, 0], [2, 1]], constant_values=7.0),
        one("MirrorPad", x, paddings=[[1, 2], [3, 1]], mode="REFLECT"),
        one("MirrorPad", x, paddings=[[1, 2], [3, 1]], mode="SYMMETRIC", note="symmetric"),
        one("Reverse", x, dims=[True, False]),
        one("ReverseV2", x, axis=[-1]),
        one("SpaceToBatchND", numbers(2, 4, 5, 3), block_shape=[2, 3], paddings=[[0, 0], [1, 0]]),
        one("BatchToSpaceND", numbers(12, 2, 2, 3), block_shape=[2, 3], crops=[[1, 0], [0, 2]]),
        one("DepthToSpace", numbers(1, 2, 3, 8), block_size=2),
        one("SpaceToDepth", numbers(1, 4, 6, 2), block_size=2),
        one("GatherV2", x, np.int32([[2, 0], [1, 1]]), axis=0),
        one("GatherV2", x, np.int32([3, 0]), axis=-1, note="columns"),
        one(
            "GatherV2",
            numbers(2, 3, 4),
            integers(2, 5, low=0, high=3),
            axis=1,
            batch_dims=1,
            note="of a batch",
        ),
        one(
            "GatherV2",
            numbers(2, 3, 4),
            integers(2, 5, low=0, high=4),
            axis=2,
            batch_dims=1,
            note="of a batch, last axis",
        ),
        one("Gather", x, np.int32([2, 0])),
        one("GatherNd", numbers(2, 3, 4), np.int32([[1, 2], [0, 0]])),
        one("ScatterNd", np.int32([[2], [0], [2]]), numbers(3, 4), shape=[4, 4]),
        one("TensorScatterUpdate", x, np.int32([[2, 1], [0, 0]]), numbers(2)),
        one(
            "SparseToDense",
            np.int32([[0, 1], [2, 3]]),
            output_shape=[3, 4],
            sparse_values=[1.5, 2.5],
            default_value=-1.0,
        ),
        one("Where", truths),
        one("TopKV2", x, k=2),
        one("Unique", np.int32([3, 1, 3, 2, 1])),
        one("UniqueV2", np.int32([3, 1, 3, 2, 1]), axis=[0]),
        one("ListDiff", np.int32([1, 2, 3, 4, 2]), np.int32([2, 5])),
        one("LowerBound", np.float32([[0, 1, 2], [1, 1, 3]]), np.float32([[0.5, 1], [1, 9]])),
        one("UpperBound", np.float32([[0, 1, 2], [1, 1, 3]]), np.float32([[0.5, 1], [1, 9]])),
        case("Fill", lambda a: R.Fill(dims=[2, 3], value=a), np.float32(4.5)),
        case("Range", lambda a: R.Range(start=1, limit=tf.shape(a)[0] + 4, delta=2), x),
        case(
            "Range of numbers", lambda a: R.Range(start=a, limit=3.0, delta=0.5), np.float32(0.25)
        ),
        case("LinSpace", lambda a: R.LinSpace(start=a, stop=3.0, num=5), np.float32(1.0)),
        one("OneHot", np.int32([0, 2, -1, 5]), depth=3, on_value=2.0, off_value=-1.0),
        one(
            "OneHot",
            np.int32([[0, 2], [1, 1]]),
            depth=3,
            on_value=1,
            off_value=0,
            axis=1,
            note="along axis 1",
        ),
        one("MatMul", x, numbers(3, 5), transpose_a=True),
        one("MatMul", x, numbers(5, 4), transpose_b=True, note="b"),
        one("BatchMatMulV2", numbers(2, 3, 4), numbers(1, 5, 4), adj_y=True),
        one("BatchMatMul", numbers(2, 4, 3), numbers(2, 4, 5), adj_x=True),
        many("Einsum", [numbers(2, 3, 4), numbers(4, 5)], equation="bij,jk->bki"),
        one("MatrixBandPart", numbers(2, 4, 5), num_lower=1, num_upper=2),
        one("MatrixBandPart", numbers(4, 5), num_lower=-1, num_upper=0, note="triangle"),
        *(
            case(
                name,
                lambda *operands, name=name: getattr(R, name)(
                    **dict(
                        zip(("x", "scale", "offset", "mean", "variance"), operands, strict=True)
                    ),
                    is_training=False,
                    epsilon=1e-3,
                )[:3],
                image,
                *normal,
            )
            for name in ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
        ),
        case(
            "FusedBatchNormV3 in training",
            lambda *operands: R.FusedBatchNormV3(
                x=operands[0],
                scale=operands[1],
                offset=operands[2],
                mean=np.zeros(0, "float32"),
                variance=np.zeros(0, "float32"),
            )[0],
            image,
            *normal[:2],
        ),
        one("LRN", numbers(1, 2, 2, 7), depth_radius=2, bias=1.5, alpha=0.3, beta=0.6),
        one("Conv2D", image, kernel, strides=[1, 1, 1, 1], padding="VALID"),
        one("Conv2D", image, kernel, strides=[1, 2, 2, 1], padding="SAME", note="same"),
        one(
            "Conv2D",
            image,
            kernel,
            strides=[1, 1, 1, 1],
            padding="SAME",
            dilations=[1, 2, 2, 1],
            note="dilated",
        ),
        one(
            "Conv2D",
            image,
            kernel,
            strides=[1, 1, 2, 1],
            padding="EXPLICIT",
            explicit_paddings=[0, 0, 2, 1, 0, 3, 0, 0],
            note="explicit",
        ),
        one(
            "DepthwiseConv2dNative",
            image,
            numbers(3, 3, 3, 2),
            strides=[1, 2, 2, 1],
            padding="SAME",
        ),
        case(
            "DepthwiseConv2dNative dilated",
            lambda a, b: R.DepthwiseConv2dNative(
                input=a, filter=b, strides=[1, 1, 1, 1], padding="SAME", dilations=[1, 2, 2, 1]
            ),
            (wide := numbers(1, 9, 9, 2)),
            (small := numbers(3, 3, 2, 2)),
            expected=[tf.nn.depthwise_conv2d(wide, small, [1, 1, 1, 1], "SAME", dilations=[2, 2])],
        ),
        case(
            "Conv2DBackpropInput",
            lambda a: R.Conv2DBackpropInput(
                input_sizes=[2, 7, 8, 3],
                filter=kernel,
                out_backprop=a,
                strides=[1, 2, 2, 1],
                padding="SAME",
            ),
            numbers(2, 4, 4, 4),
        ),
        case(
            "Conv2DBackpropInput valid",
            lambda a: R.Conv2DBackpropInput(
                input_sizes=[2, 8, 9, 3],
                filter=kernel,
                out_backprop=a,
                strides=[1, 2, 2, 1],
                padding="VALID",
            ),
            numbers(2, 3, 4, 4),
        ),
        one("Conv3D", volume, numbers(2, 3, 2, 2, 3), strides=[1, 1, 2, 1, 1], padding="SAME"),
        one("AvgPool", image, ksize=[1, 3, 2, 1], **s),
        one("MaxPool", image, ksize=[1, 3, 2, 1], **s),
        one(
            "MaxPool",
            image,
            ksize=[1, 2, 2, 1],
            strides=[1, 2, 2, 1],
            padding="VALID",
            note="valid",
        ),
        one("AvgPool3D", volume, ksize=[1, 2, 2, 2, 1], strides=[1, 2, 1, 2, 1], padding="SAME"),
        one("MaxPool3D", volume, ksize=[1, 2, 2, 2, 1], strides=[1, 2, 1, 2, 1], padding="VALID"),
        one("MaxPoolWithArgmax", image, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME"),
        one(
            "Dilation2D",
            image,
            numbers(2, 2, 3),
            strides=[1, 2, 1, 1],
            rates=[1, 1, 2, 1],
            padding="VALID",
        ),
        *(
            one(
                name,
                image,
                size=[5, 11],
                align_corners=a,
                half_pixel_centers=b,
                note=f"{int(a)}{int(b)}",
            )
            for name in ("ResizeBilinear", "ResizeNearestNeighbor")
            for a, b in ((False, False), (True, False), (False, True))
        ),
        one("ResizeBilinear", (image * 50 + 100).astype("uint8"), size=[9, 3], note="of integers"),
        one(
            "CropAndResize",
            image,
            np.float32([[0, 0, 1, 1], [0.2, 0.6, 1.3, 0.1]]),
            np.int32([0, 1]),
            crop_size=[3, 4],
            extrapolation_value=0.5,
        ),
        one(
            "CropAndResize",
            image,
            np.float32([[0.1, 0, 0.7, 1]]),
            np.int32([1]),
            crop_size=[2, 2],
            method="nearest",
            note="nearest",
        ),
        one(
            "ImageProjectiveTransformV3",
            image,
            np.float32([[0.9, 0.1, 0.5, -0.1, 1.1, 0.2, 0, 0]]),
            output_shape=[6, 5],
            fill_value=0.5,
            interpolation="BILINEAR",
        ),
        one("NonMaxSuppressionV2", boxes, scores, max_output_size=3, iou_threshold=0.5),
        one(
            "NonMaxSuppressionV3",
            boxes,
            scores,
            max_output_size=5,
            iou_threshold=0.5,
            score_threshold=0.4,
        ),
        one(
            "NonMaxSuppressionV4",
            boxes,
            scores,
            max_output_size=5,
            iou_threshold=0.5,
            score_threshold=0.4,
            pad_to_max_output_size=True,
        ),
        one(
            "NonMaxSuppressionV5",
            boxes,
            scores,
            max_output_size=5,
            iou_threshold=1.0,
            score_threshold=0.1,
            soft_nms_sigma=0.5,
        ),
        one(
            "SparseFillEmptyRows",
            np.int64([[0, 3], [2, 1]]),
            np.float32([5, 6]),
            dense_shape=np.int64([4, 5]),
            default_value=-1.0,
        ),
        one(
            "SparseReshape",
            np.int64([[0, 1], [1, 0]]),
            input_shape=np.int64([2, 6]),
            new_shape=np.int64([3, -1]),
        ),
        one("SparseSegmentMean", x, np.int32([0, 2, 1]), np.int32([0, 0, 1])),
        one("SparseSegmentSum", x, np.int32([0, 2, 1]), np.int32([0, 0, 1])),
        case(
            "RaggedGather",
            lambda a, b: R.RaggedGather(
                params_nested_splits=[a], params_dense_values=x, indices=b, OUTPUT_RAGGED_RANK=1
            ),
            np.int32([0, 1, 1, 3]),
            np.int32([2, 0]),
        ),
        one("RaggedRange", np.int32([0, 5, 8]), np.int32([3, 5, 4]), np.int32([1, 1, -2])),
        case(
            "RaggedTensorToTensor",
            lambda a, b: R.RaggedTensorToTensor(
                shape=[-1, 3],
                values=a,
                default_value=-1.0,
                row_partition_tensors=[b],
                row_partition_types=["ROW_SPLITS"],
            ),
            numbers(5),
            np.int32([0, 2, 2, 5]),
        ),
        case(
            "RaggedTensorToTensor of rows",
            lambda a, b: R.RaggedTensorToTensor(
                shape=[3, 4],
                values=a,
                default_value=-1.0,
                row_partition_tensors=[tf.constant(3), b],
                row_partition_types=["FIRST_DIM_SIZE", "VALUE_ROWIDS"],
            ),
            numbers(5),
            np.int32([0, 0, 2, 2, 2]),
        ),
    ]


if __name__ == "__main__":
    write("tfjs_control_flow.json", control_flow())
    write("tfjs_operators.json", operators())
