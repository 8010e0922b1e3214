"""Values stored with the channels last, constants computed at load, and memory of weights."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import py_tensor as pt

SHAPE = (2, 8, 6, 4)


def model_of(nodes: list[Any], opset: int = 18, imports: Any = (), **weights: Any) -> bytes:
    """Return a file with an input x of SHAPE, and an output y."""
    graph = helper.make_graph(
        nodes,
        "layouts",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)],
        [helper.make_empty_tensor_value_info("y")],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    opsets = [helper.make_opsetid(*each) for each in (("", opset), *imports)]
    data: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
    return data


def floats(rng: np.random.Generator, *shape: int) -> Any:
    return rng.normal(size=shape).astype("float32")


def check(data: bytes, rng: np.random.Generator) -> pt.models.Model:
    """Compare with the reference implementation of the onnx package."""
    x = floats(rng, *SHAPE)
    [expected] = ReferenceEvaluator(data).run(None, {"x": x})
    model = pt.models.loads(data)
    y = model(x)
    assert y.shape == expected.shape
    np.testing.assert_allclose(y.numpy(), expected, rtol=1e-4, atol=1e-4)
    return model


INTS = np.int64
PIXELS = ("mean", "global pool", "global maximum")
"""Operators whose result is one pixel."""
BETWEEN: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "relu": ("Relu", {}, {}),
    "add": ("Add", {}, {"w": np.ones((8, 1, 1), "float32")}),
    "number": ("Mul", {}, {"w": np.float32(0.5)}),
    "long number": ("Sub", {}, {"w": np.ones((1, 1, 1, 1), "float32")}),
    "divide": ("Div", {}, {"w": np.float32(3)}),
    "power": ("Pow", {}, {"w": np.float32(2)}),
    "clip": ("Clip", {}, {"low": np.float32(-0.5), "high": np.float32(0.5)}),
    "prelu": ("PRelu", {}, {"w": np.full((8, 1, 1), 0.1, "float32")}),
    "full": ("Add", {}, {"w": np.arange(384, dtype="float32").reshape(SHAPE)}),
    "concat": ("Concat", {"axis": 1}, {"w": np.ones(SHAPE, "float32")}),
    "pad": ("Pad", {}, {"p": INTS([0, 0, 1, 2, 0, 0, 0, 1])}),
    "pad axes": ("Pad", {}, {"p": INTS([1, 2]), "v": np.float32(3), "axes": INTS([3])}),
    "slice": ("Slice", {}, {"s": INTS([1]), "e": INTS([5]), "axes": INTS([2])}),
    "slice channels": ("Slice", {}, {"s": INTS([0]), "e": INTS([8]), "axes": INTS([-3])}),
    "softmax": ("Softmax", {"axis": 1}, {}),
    "mean": ("ReduceMean", {}, {"axes": INTS([2, 3])}),
    "max pool": ("MaxPool", {"kernel_shape": [2, 2]}, {}),
    "average pool": ("AveragePool", {"kernel_shape": [2, 2], "pads": [1, 0, 1, 0]}, {}),
    "global pool": ("GlobalAveragePool", {}, {}),
    "global maximum": ("GlobalMaxPool", {}, {}),
    "batch norm": ("BatchNormalization", {}, {
        name: np.linspace(0.5, 1.5, 8, dtype="float32") for name in "klmn"}),
    "instance norm": ("InstanceNormalization", {}, {
        name: np.linspace(0.5, 1.5, 8, dtype="float32") for name in "kl"}),
    "resize": ("Resize", {"mode": "nearest"}, {
        "roi": np.zeros(0, "float32"), "scales": np.float32([1, 1, 2, 2])}),
    "cast": ("Cast", {"to": 1}, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", BETWEEN)
def test_no_transpose_between_convolutions(name, engine, rng):
    operator, options, constants = BETWEEN[name]
    first, second = floats(rng, 8, 8, 1, 1), floats(rng, 4, 16 if name == "concat" else 8, 1, 1)
    data = model_of(
        [
            helper.make_node("Conv", ["x", "first"], ["a"]),
            helper.make_node(operator, ["a", *constants], ["b"], **options),
            helper.make_node("Conv", ["b", "second"], ["y"]),
        ],
        first=first,
        second=second,
        **constants,
    )
    model = check(data, rng)
    # Those of the input and the output; a single pixel needs none.
    assert model.summary().transposes == (1 if name in PIXELS else 2)


@pytest.mark.parametrize(
    ("nodes", "transposes"),
    [
        # The channels are shuffled: one transpose for this, one for the input and the output each.
        (
            [
                ("Reshape", ["a", "groups"], "b", {}),
                ("Transpose", ["b"], "c", {"perm": [0, 2, 1, 3, 4]}),
                ("Reshape", ["c", "back"], "d", {}),
                ("Conv", ["d", "w"], "y", {}),
            ],
            3,
        ),
        # An explicit transpose to (batch, height, width, channels) moves nothing.
        ([("Transpose", ["a"], "y", {"perm": [0, 2, 3, 1]})], 1),
        # Rows of pixels for attention.
        (
            [
                ("Reshape", ["a", "rows"], "b", {}),
                ("Transpose", ["b"], "y", {"perm": [0, 2, 1]}),
            ],
            1,
        ),
        ([("GlobalAveragePool", ["a"], "b", {}), ("Flatten", ["b"], "y", {})], 1),
        ([("GlobalAveragePool", ["a"], "b", {}), ("Squeeze", ["b", "ends"], "y", {})], 1),
        ([("ReduceMean", ["a", "ends"], "y", {"keepdims": 0})], 1),
        ([("ArgMax", ["a"], "y", {"axis": 1})], 1),
        ([("Unsqueeze", ["a", "zero"], "b", {}), ("Squeeze", ["b", "zero"], "y", {})], 2),
        ([("Split", ["a"], ["b", "c"], {"axis": 1, "num_outputs": 2}),
          ("Concat", ["c", "b"], "y", {"axis": 1})], 2),
        ([("Flatten", ["a"], "y", {})], 2),
    ],
)  # fmt: skip
def test_transposes_that_remain(nodes, transposes, engine, rng):
    made = [helper.make_node("Conv", ["x", "w"], ["a"])]
    for operator, inputs, output, options in nodes:
        outputs = output if isinstance(output, list) else [output]
        made.append(helper.make_node(operator, inputs, outputs, **options))
    data = model_of(
        made,
        w=floats(rng, 8, 8, 1, 1),
        groups=INTS([0, 2, 4, 6, 4]),
        back=INTS([0, 8, 6, 4]),
        rows=INTS([0, 8, 24]),
        ends=INTS([2, 3]),
        zero=INTS([0]),
    )
    assert check(data, rng).summary().transposes == transposes


def test_values_inside_have_the_declared_order(engine, rng):
    w = floats(rng, 3, 8, 2, 2)
    data = model_of(
        [
            helper.make_node("Conv", ["x", "w"], ["a"]),
            helper.make_node("Relu", ["a"], ["b"]),
            helper.make_node("MaxPool", ["b"], ["y"], kernel_shape=[2, 2]),
        ],
        w=w,
    )
    x = floats(rng, *SHAPE)
    found = pt.models.loads(data).run({"x": x}, outputs=["b", "a", "w", "x"])
    padded = np.stack([x[:, :, i : i + 5, j : j + 3] for i in (0, 1) for j in (0, 1)])
    expected = np.einsum("knchw,ock->nohw", padded, w.reshape(3, 8, 4))
    np.testing.assert_allclose(found["a"].numpy(), expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(found["b"].numpy(), np.maximum(expected, 0), rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(found["w"].numpy(), w)
    np.testing.assert_array_equal(found["x"].numpy(), x)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "uint8"])
def test_quantized_weights_are_computed_once(dtype, engine, rng):
    w = rng.integers(0, 100, (8, 8, 5, 5)).astype(dtype)
    if dtype in ("int8", "uint8"):
        node = helper.make_node("DequantizeLinear", ["w", "scale"], ["full"], axis=0)
    else:
        node = helper.make_node("Cast", ["w"], ["full"], to=TensorProto.FLOAT)
    data = model_of(
        [
            node,
            helper.make_node("Conv", ["x", "full"], ["a"], pads=[2, 2, 2, 2]),
            helper.make_node("Relu", ["a"], ["y"]),
        ],
        opset=21,
        w=w,
        scale=np.linspace(0.1, 0.2, 8, dtype="float32"),
    )
    model = check(data, rng)
    assert [step.node.operator for step in model._program.steps] == ["Conv", "Relu"]
    assert set(model._program.constants) == {"full"}
    assert [row.shape for row in model.summary().rows] == [
        "constant",
        "(2, 8, 6, 4)",
        "(2, 8, 6, 4)",
    ]


@pytest.mark.parametrize("channels", [8, 1100])
def test_batch_norm_is_a_scale_and_an_offset(channels, engine, rng):
    w, bias = floats(rng, channels, 8, 1, 1), floats(rng, channels)
    data = model_of(
        [
            helper.make_node("Conv", ["x", "w", "bias"], ["a"]),
            helper.make_node("BatchNormalization", ["a", *"klmn"], ["b"], epsilon=0.01),
            helper.make_node("Relu", ["b"], ["y"]),
        ],
        w=w,
        bias=bias,
        **{name: floats(rng, channels) for name in "klm"},
        n=np.abs(floats(rng, channels)),
    )
    model = check(data, rng)
    assert [step.row.function.__name__ for step in model._program.steps] == [
        "conv",
        "affine",
        "relu",
    ]
    assert not {*"klmn"} & set(model._program.constants)
    # The value before it can be requested.
    x = floats(rng, *SHAPE)
    found = model.run({"x": x}, outputs=["a", "b"])
    before, after = found["a"].numpy(), found["b"].numpy()
    convolved = np.einsum("nchw,oc->nohw", x, w[:, :, 0, 0]) + bias.reshape(-1, 1, 1)
    np.testing.assert_allclose(before, convolved, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(np.maximum(after, 0), model(x).numpy(), rtol=1e-5, atol=1e-5)


def test_large_results_are_computed_in_each_call(engine, rng):
    ones = np.ones((1, 2000), "float32")
    data = model_of(
        [
            helper.make_node("Add", ["ones", "column"], ["table"]),
            helper.make_node("ReduceMax", ["table"], ["most"], keepdims=0),
            helper.make_node("Mul", ["x", "most"], ["y"]),
        ],
        ones=ones,
        column=np.ones((2000, 1), "float32"),
    )
    model = check(data, rng)
    assert len(model._program.steps) == 3


def test_files_and_host_copies_of_weights_are_freed(engine, backend_name, rng, monkeypatch):
    class File(bytearray):
        """Bytes that can be watched."""

    w = floats(rng, 64, 8, 3, 3)
    table = floats(rng, 96, 128)
    file = File(
        model_of(
            [
                helper.make_node("Conv", ["x", "w"], ["a"]),
                helper.make_node("GlobalAveragePool", ["a"], ["b"]),
                helper.make_node("Flatten", ["b"], ["c"]),
                helper.make_node("Gemm", ["c", "table"], ["y"], transB=1),
            ],
            w=w,
            table=table[:, :64].copy(),
        )
    )
    before = pt.memory()
    model = pt.models.loads(file)
    watched = weakref.ref(file)
    del file
    gc.collect()
    assert watched() is None
    uploads = []
    if backend_name in ("webgl", "webgpu"):
        upload = engine.bridge.upload
        monkeypatch.setattr(engine.bridge, "upload", lambda *a: uploads.append(a) or upload(*a))
    x = pt.asarray(floats(rng, *SHAPE))
    first = model(x).numpy()
    weights = 4 * (w.size + 96 * 64)
    memory = pt.memory()
    assert 0 <= memory.num_bytes - before.num_bytes - weights < 4096
    buffers = [value.tensor._node.buffer for value in model._program.constants.values()]
    assert len(buffers) == 2
    if backend_name in ("webgl", "webgpu"):
        assert all(buffer.host is None and buffer.handle for buffer in buffers)
        assert 0 < memory.num_bytes_in_gpu - before.num_bytes_in_gpu < 3 * weights
    count = len(uploads)
    np.testing.assert_array_equal(model(x).numpy(), first)
    assert len(uploads) == count


def quantized_network() -> bytes:
    """Return a network whose values between two transposes are all quantized."""
    rng = np.random.default_rng(0)
    weights = {
        "w": rng.integers(-9, 9, size=(8, 8, 3, 3)).astype("int8"),
        "deep": rng.integers(-9, 9, size=(8, 16, 1, 1)).astype("int8"),
        "s": np.float32(0.05),
        "unit": np.float32(1 / 255),
        "z": np.uint8(128),
        "zero": np.uint8(0),
        "wz": np.int8(0),
    }

    def node(operator: str, inputs: str, output: str, **options: Any) -> Any:
        domain = "com.microsoft" if operator in MICROSOFT else ""
        return helper.make_node(operator, inputs.split(), [output], domain=domain, **options)

    nodes = [
        node("QuantizeLinear", "x s z", "q"),
        node("QLinearConv", "q s z w s wz s z", "a", pads=[1, 1, 1, 1]),
        node("QLinearConv", "a s z w s wz s z", "b", pads=[1, 1, 1, 1]),
        node("QLinearAdd", "a s z b s z s z", "c"),
        node("QLinearConcat", "s z b s z c s z", "d", axis=1),
        node("QLinearConv", "d s z deep s wz s z", "e"),
        node("QLinearSoftmax", "e s z unit zero", "f", axis=1, opset=18),
        node("QLinearConcat", "s z f unit zero a s z", "g", axis=-3),
        node("QLinearConv", "g s z deep s wz s z", "h"),
        node("DequantizeLinear", "h s z", "y"),
    ]
    return model_of(nodes, imports=[("com.microsoft", 1)], **weights)


MICROSOFT = ("QLinearAdd", "QLinearConcat", "QLinearSoftmax")


def test_quantized_networks_have_no_transposes_inside(engine, rng):
    data = quantized_network()
    x = floats(rng, *SHAPE)
    [expected] = onnxruntime.InferenceSession(data).run(None, {"x": x})
    model = pt.models.loads(data)
    # Softmax may differ by a step of 1 / 255, which is one of 0.05 at most.
    np.testing.assert_allclose(model(x).numpy(), expected, atol=0.051)
    assert model.summary().transposes == 2


def test_dynamically_quantized_convolutions_have_no_transposes_inside(engine, rng):
    weights = {"w": rng.integers(-9, 9, size=(8, 8, 3, 3)).astype("int8"), "s": np.float32(0.1)}
    nodes, last = [], "x"
    for at in range(3):
        a, scale, zero, conv, number, y = (f"{name}{at}" for name in ("a", "s", "z", "c", "n", "y"))
        nodes += [
            helper.make_node("DynamicQuantizeLinear", [last], [a, scale, zero]),
            helper.make_node("ConvInteger", [a, "w", zero], [conv], pads=[1, 1, 1, 1]),
            helper.make_node("Cast", [conv], [number], to=TensorProto.FLOAT),
            helper.make_node("Mul", [number, scale], [f"m{at}"]),
            helper.make_node("Mul", [f"m{at}", "s"], [y if at < 2 else "y"]),
        ]
        last = y
    data = model_of(nodes, **weights)
    x = floats(rng, *SHAPE)
    [expected] = onnxruntime.InferenceSession(data).run(None, {"x": x})
    model = pt.models.loads(data)
    # A number between two steps may be rounded to the other one.
    assert np.abs(model(x).numpy() - expected).max() <= 0.02 * np.abs(expected).max()
    assert model.summary().transposes == 2
