"""Graph models of TensorFlow.js: TensorFlow's own results, signatures, and malformed files."""

from __future__ import annotations

import asyncio
import base64
import json
from functools import cache
from pathlib import Path
from typing import Any

import half_storage
import make_tfjs_networks
import numpy as np
import pytest
from helpers import assert_values

import py_tensor as pt
from py_tensor.errors import ModelError

FOLDER = Path(__file__).parent / "data"


@cache
def cases(name: str) -> dict[str, Any]:
    return {case["name"]: case for case in json.loads((FOLDER / name).read_text())}


def array(listed: dict[str, Any]) -> np.ndarray:
    data = np.frombuffer(base64.b64decode(listed["data"]), listed["dtype"])
    found = data.reshape(listed["shape"])
    return found.astype("int32") if found.dtype.name == "int64" else found


def loaded(document: dict[str, Any], weights: bytes) -> pt.models.Model:
    """Load a model whose weights are in two files; the first ends inside of an element."""
    half = len(weights) // 2 - 1 if len(weights) > 3 else len(weights)
    document = json.loads(json.dumps(document))
    document["weightsManifest"][0]["paths"] = ["a.bin", "b.bin"]
    files = {
        "": json.dumps(document).encode(),
        "a.bin": weights[:half],
        "b.bin": weights[half:],
    }
    return asyncio.run(pt.models.load(files.__getitem__))


def check(case: dict[str, Any], rtol: float = 1e-5, atol: float = 1e-6) -> pt.models.Model:
    model = loaded(case["model"], base64.b64decode(case["weights"]))
    inputs = {name: array(listed) for name, listed in case["inputs"].items()}
    for _ in range(2):
        found = model.run({name: pt.asarray(x) for name, x in inputs.items()})
        assert list(found) == list(case["outputs"])
        for name, listed in case["outputs"].items():
            wanted = array(listed)
            if wanted.dtype.kind == "c":
                np.testing.assert_allclose(found[name].numpy(), wanted, rtol=rtol, atol=atol)
                continue
            exact = wanted.dtype.kind in "ib"
            tolerance = {} if exact else {"rtol": rtol, "atol": atol}
            assert_values(found[name], wanted, what=name, **tolerance)
    return model


@pytest.mark.parametrize("name", cases("tfjs_control_flow.json"))
def test_control_flow(name, engine):
    check(cases("tfjs_control_flow.json")[name])


@pytest.mark.parametrize("name", cases("tfjs_operators.json"))
def test_operator(name, engine):
    check(cases("tfjs_operators.json")[name], rtol=2e-5, atol=1e-5)


# --- names ----------------------------------------------------------------------------------------


def node(name: str, op: str, *inputs: str, **attributes: Any) -> dict[str, Any]:
    return {"name": name, "op": op, "input": list(inputs), "attr": attributes}


FLOAT = {"type": "DT_FLOAT"}
X = node("x", "Placeholder", dtype=FLOAT, shape={"shape": {"dim": [{"size": "-1"}, {"size": "2"}]}})


def number(name: str, value: float) -> dict[str, Any]:
    tensor = {"dtype": "DT_FLOAT", "tensorShape": {}, "floatVal": [value]}
    return node(name, "Const", dtype=FLOAT, value={"tensor": tensor})


def graph(*nodes: dict[str, Any], signature: Any = None, functions: Any = ()) -> pt.models.Model:
    topology = {"node": list(nodes), "library": {"function": list(functions)}}
    document = {"modelTopology": topology, "signature": signature, "weightsManifest": []}
    return pt.models.loads(json.dumps(document).encode())


def signature(inputs: dict[str, str], outputs: dict[str, str]) -> dict[str, Any]:
    return {
        "inputs": {key: {"name": name} for key, name in inputs.items()},
        "outputs": {key: {"name": name} for key, name in outputs.items()},
    }


def test_values_have_the_names_of_the_signature_and_of_tensorflow(engine):
    model = graph(
        X,
        node("parts", "Unpack", "x", axis={"i": "1"}),
        node("sum", "AddV2", "parts:0", "parts:1"),
        signature=signature({"image": "x:0"}, {"total": "sum:0", "second": "parts:1"}),
    )
    assert model.inputs == (pt.models.ValueInfo("image", pt.float32, (None, 2)),)
    assert [info.name for info in model.outputs] == ["total", "second"]
    given = [[1.0, 2.0], [3.0, 4.0]]
    for name in ("image", "x", "x:0"):
        assert model.run({name: given})["total"].tolist() == [3, 7]
    assert model(image=given)[1].tolist() == [2, 4]
    names = ["sum", "sum:0", "total", "parts", "parts:0", "parts:1", "second"]
    found = model.run({"x": given}, outputs=names)
    assert [found[name].tolist() for name in names] == [[3, 7]] * 3 + [[1, 3]] * 2 + [[2, 4]] * 2
    with pytest.raises(pt.errors.ArgumentError, match="inputs are unknown; got 'y'"):
        model.run({"image": given, "y": given})


def test_one_value_can_have_several_names(engine):
    model = graph(
        X,
        node("a", "Relu", "x"),
        node("b", "Neg", "a"),
        signature=signature({}, {"one": "a", "two": "a:0", "a": "b", "same": "x"}),
    )
    found = model.run({"x": [[-1.0, 2.0]]})
    assert {name: value.tolist() for name, value in found.items()} == {
        "one": [[0, 2]],
        "two": [[0, 2]],
        "b": [[0, -2]],
        "same": [[-1, 2]],
    }


def test_without_a_signature_the_ends_of_the_graph_are_outputs(engine):
    y = {**X, "name": "y"}
    model = graph(X, y, node("d", "Sub", "y", "x"), node("s", "Neg", "x"), node("n", "NoOp", "^d"))
    assert [info.name for info in model.inputs] == ["x", "y"]
    assert [info.name for info in model.outputs] == ["d", "s"]
    found = model([[1.0, 2.0]], [[5.0, 7.0]])
    assert [value.tolist() for value in found] == [[[4, 5]], [[-1, -2]]]


def test_nodes_may_be_in_any_order_and_unneeded_ones_are_left_out(engine):
    model = graph(
        node("wrong", "StringSplit", "x"),
        node("b", "Neg", "a", "^wrong"),
        node("a", "Relu", "x"),
        X,
        signature=signature({"x": "x"}, {"b": "b"}),
    )
    assert [layer.name for layer in model.layers] == ["a", "b"]
    assert model([[-1.0, 2.0]]).tolist() == [[0, -2]]


def test_shapes_stay_on_the_host(engine):
    ints = {"dtype": "DT_INT32", "tensorShape": {"dim": [{"size": "1"}]}}
    numbers = [
        node(name, "Const", dtype={"type": "DT_INT32"}, value={"tensor": {**ints, "intVal": [at]}})
        for name, at in (("zero", 0), ("one", 1), ("minus", -1))
    ]
    model = graph(
        X,
        *numbers,
        node("shape", "Shape", "x"),
        node("n", "StridedSlice", "shape", "zero", "one", "one", shrink_axis_mask={"i": "1"}),
        node("m", "Mul", "n", "n"),
        node("wanted", "Pack", "m", "m", axis={"i": "0"}),
        node("tail", "Slice", "wanted", "one", "minus"),
        node("y", "ConcatV2", "tail", "minus", "axis"),
        node("r", "Reshape", "x", "y"),
        node(
            "axis",
            "Const",
            dtype={"type": "DT_INT32"},
            value={"tensor": {"dtype": 3, "intVal": [0]}},
        ),
        signature=signature({"x": "x"}, {"r": "r"}),
    )
    assert model(pt.ones((2, 2))).shape == (4, 1)
    assert not model._runner.eager


# --- operators that TensorFlow itself does not run ------------------------------------------------


def text(value: str) -> str:
    return base64.b64encode(value.encode()).decode()


def ints(*values: int) -> dict[str, Any]:
    return {"list": {"i": [str(value) for value in values]}}


def placeholder(name: str, array: np.ndarray) -> dict[str, Any]:
    shape = {"dim": [{"size": str(n)} for n in array.shape]}
    dtype = {"float32": "DT_FLOAT", "int32": "DT_INT32"}[array.dtype.name]
    return node(name, "Placeholder", dtype={"type": dtype}, shape={"shape": shape})


def result(op: str, *arrays: Any, attributes: Any = None) -> pt.Tensor:
    """Return the first result of an operator for tensors."""
    given = {f"in{at}": np.asarray(array) for at, array in enumerate(arrays)}
    nodes = [placeholder(name, array) for name, array in given.items()]
    model = graph(*nodes, node("y", op, *given, **(attributes or {})))
    return model(*map(pt.asarray, given.values()))


rng = np.random.default_rng(8)
IMAGE = rng.normal(size=(2, 5, 6, 3)).astype("float32")
KERNEL = rng.normal(size=(3, 3, 3, 4)).astype("float32")
BIAS = rng.normal(size=4).astype("float32")
WINDOWS = {"strides": ints(1, 2, 1, 1), "padding": {"s": text("SAME")}}


def steps(*names: str) -> dict[str, Any]:
    return {"fused_ops": {"list": {"s": [text(name) for name in names]}}}


@pytest.mark.parametrize(
    ("names", "function"),
    [
        (("BiasAdd",), lambda y: y),
        (("BiasAdd", "Relu"), lambda y: np.maximum(y, 0)),
        (("BiasAdd", "Relu6"), lambda y: np.clip(y, 0, 6)),
        (("BiasAdd", "Elu"), lambda y: np.where(y > 0, y, np.expm1(y))),
        (("BiasAdd", "LeakyRelu"), lambda y: np.where(y > 0, y, y * np.float32(0.2))),
        (("BiasAdd", "Sigmoid"), lambda y: 1 / (1 + np.exp(-y))),
        (("BiasAdd", "Tanh"), np.tanh),
    ],
)
def test_fused_steps(names, function, engine):
    products = pt.nn.conv2d(IMAGE, KERNEL, stride=(2, 1), padding="same").numpy() + BIAS
    y = result("_FusedConv2D", IMAGE, KERNEL, BIAS, attributes=WINDOWS | steps(*names))
    assert_values(y, function(products), rtol=1e-5, atol=1e-5)
    a, b = IMAGE[0, 0], KERNEL[0, 0]
    y = result("_FusedMatMul", a, b, BIAS, attributes=steps(*names))
    assert_values(y, function(a @ b + BIAS), rtol=1e-5, atol=1e-5)


def test_fused_convolutions(engine):
    products = pt.nn.conv2d(IMAGE, KERNEL, stride=(2, 1), padding="same").numpy()
    slope, scale, mean, variance = BIAS * 2, BIAS + 1, BIAS - 1, BIAS * BIAS + 1
    y = result(
        "_FusedConv2D", IMAGE, KERNEL, BIAS, slope, attributes=WINDOWS | steps("BiasAdd", "Prelu")
    )
    z = products + BIAS
    assert_values(y, np.where(z > 0, z, z * slope), rtol=1e-5, atol=1e-5)
    named = WINDOWS | steps("FusedBatchNorm", "Relu") | {"epsilon": {"f": 0.01}}
    y = result("_FusedConv2D", IMAGE, KERNEL, scale, BIAS, mean, variance, attributes=named)
    z = (products - mean) / np.sqrt(variance + 0.01) * scale + BIAS
    assert_values(y, np.maximum(z, 0).astype("float32"), rtol=1e-4, atol=1e-4)
    w = KERNEL[..., :2]
    named = WINDOWS | steps("BiasAdd", "Relu6")
    for op, arrays in (
        ("FusedDepthwiseConv2dNative", (IMAGE, w, np.zeros(6, "float32"))),
        ("DepthwiseConv2d", (IMAGE, w)),
    ):
        y = result(op, *arrays, attributes=named if len(arrays) > 2 else WINDOWS)
        z = pt.nn.depthwise_conv2d(IMAGE, w, stride=(2, 1), padding="same").numpy()
        assert_values(y, np.clip(z, 0, 6) if len(arrays) > 2 else z, rtol=1e-5, atol=1e-5)


def test_channels_first(engine):
    first = np.moveaxis(IMAGE, -1, 1)
    named = {"data_format": {"s": text("NCHW")}, "padding": {"s": text("EXPLICIT")}}
    named |= {"strides": ints(1, 1, 2, 1), "explicit_paddings": ints(0, 0, 0, 0, 1, 2, 0, 3)}
    y = result("_FusedConv2D", first, KERNEL, BIAS, attributes=named | steps("BiasAdd"))
    z = pt.nn.conv2d(IMAGE, KERNEL, stride=(2, 1), padding=((1, 2), (0, 3))).numpy() + BIAS
    assert_values(y, np.moveaxis(z, -1, 1), rtol=1e-5, atol=1e-5)
    named = {"data_format": {"s": text("NCHW")}, "padding": {"s": text("VALID")}}
    named |= {"strides": ints(1, 1, 2, 2), "ksize": ints(1, 1, 2, 3)}
    y = result("MaxPool", first, attributes=named)
    z = pt.nn.max_pool2d(IMAGE, (2, 3), stride=2).numpy()
    assert_values(y, np.moveaxis(z, -1, 1))
    y = result("BiasAdd", first, BIAS[:3], attributes={"data_format": named["data_format"]})
    assert_values(y, np.moveaxis(IMAGE + BIAS[:3], -1, 1))


def test_conv1d(engine):
    named = {"stride": {"i": "2"}, "padding": {"s": text("VALID")}, "dilation": {"i": "1"}}
    y = result("Conv1D", IMAGE[0], KERNEL[0], attributes=named)
    z = pt.nn.conv1d(IMAGE[0], KERNEL[0], stride=2).numpy()
    assert_values(y, z, rtol=1e-5, atol=1e-5)


def test_prelu_and_operators_that_return_their_input(engine):
    assert result("Prelu", np.float32([-2, 3]), np.float32([0.5, 9])).tolist() == [-1, 3]
    for op in ("CheckNumerics", "PlaceholderWithDefault", "PreventGradient", "Print"):
        assert result(op, np.float32([-2, 3])).tolist() == [-2, 3]


def test_ones_and_zeros(engine):
    for op, number in (("Ones", 1), ("Zeros", 0)):
        y = result(op, np.int32([2, 1]), attributes={"T": {"type": "DT_INT32"}})
        assert_values(y, np.full((2, 1), number, "int32"))


def test_random_numbers(engine):
    shape, dtype = np.int32([40, 50]), {"dtype": FLOAT}
    y = result("RandomUniform", shape, attributes=dtype).numpy()
    assert y.shape == (40, 50)
    assert 0 <= y.min() < 0.1 < 0.9 < y.max() < 1
    y = result("RandomStandardNormal", shape, attributes=dtype).numpy()
    assert 2.5 < y.max() < 7
    assert abs(y.mean()) < 0.2
    y = result("TruncatedNormal", shape, attributes=dtype).numpy()
    assert 1 < y.max() <= 2
    y = result("RandomUniformInt", shape, np.int32(-3), np.int32(4)).numpy()
    assert {*y.ravel().tolist()} == {*range(-3, 4)}
    y = result("Multinomial", np.float32([[0, -99], [-99, 0]]), np.int32(5))
    assert y.tolist() == [[0] * 5, [1] * 5]


# --- a model of another project -------------------------------------------------------------------


def test_blazeface_gives_the_results_of_tensorflow_js(engine):
    # Made by data/run_tfjs_model.mjs with TensorFlow.js 4.22.
    model = asyncio.run(pt.models.load(FOLDER / "blazeface" / "blazeface.json"))
    assert model.inputs == (pt.models.ValueInfo("input", pt.float32, (1, 256, 256, 3)),)
    image = np.random.default_rng(5).random((1, 256, 256, 3), dtype="float32")
    found = model.run({"input": pt.asarray(image)})
    expected = json.loads((FOLDER / "blazeface" / "outputs.json").read_text())
    assert set(found) == {name.removesuffix(":0") for name in expected}
    for name, listed in expected.items():
        wanted = array(listed)
        got = found[name.removesuffix(":0")].numpy()
        assert np.abs(got - wanted).max() <= half_storage.tolerance(1e-4) * np.abs(wanted).max()


@pytest.mark.parametrize("name", make_tfjs_networks.NETWORKS)
def test_networks_give_the_results_of_tensorflow_js(name, tmp_path, engine):
    """PoseNet, BodyPix and DeepLab v3 with random weights and atrous convolutions."""
    write, shape, dtype = make_tfjs_networks.NETWORKS[name]
    write(tmp_path / "model.json")
    model = asyncio.run(pt.models.load(tmp_path / "model.json"))
    found = model.run({"image": pt.asarray(make_tfjs_networks.image_of(shape, dtype))})
    expected = json.loads(make_tfjs_networks.OUTPUTS.read_text())[name]
    assert found.keys() == expected.keys()
    for output, listed in expected.items():
        wanted, got = array(listed), found[output].numpy()
        assert got.shape == wanted.shape
        if wanted.dtype.kind == "i":
            assert (got == wanted).all()
            assert len(np.unique(wanted)) > 3
        else:
            assert np.abs(got - wanted).max() <= half_storage.tolerance(1e-4) * np.abs(wanted).max()
            assert wanted.std() > 1e-3 * np.abs(wanted).max()


# --- errors ---------------------------------------------------------------------------------------


def test_one_error_names_everything_that_is_not_supported():
    call = node("call", "PartitionedCall", "x", f={"func": {"name": "inner"}})
    inner = {
        "signature": {"name": "inner", "inputArg": [{"name": "a"}], "outputArg": [{"name": "b"}]},
        "nodeDef": [node("n", "StringLower", "a")],
        "ret": {"b": "n:output:0"},
    }
    text = node("text", "Const", dtype={"type": "DT_VARIANT"}, value={"tensor": {"dtype": 21}})
    with pytest.raises(ModelError) as raised:
        graph(
            X,
            text,
            call,
            node("join", "StringJoin", "call", "text"),
            node("again", "StringJoin", "x", "x"),
            node("relu", "Relu", "x", wrong={"i": "3"}, T=FLOAT, _own={"b": True}),
            functions=[inner],
        )
    assert str(raised.value) == (
        'load: model needs what is not supported; got operator Const of DT_VARIANT in "text"; '
        'operator StringLower in "n"; operator StringJoin in "join", "again"; attribute wrong of '
        'Relu in "relu"; export the model without them'
    )


def loop_of(**changes: Any) -> list[dict[str, Any]]:
    """Return the nodes of a loop that doubles x until its sum is at least 9."""
    frame = {"frame_name": {"s": base64.b64encode(b"own").decode()}}
    axes = {"dtype": "DT_INT32", "tensorShape": {"dim": [{"size": "2"}]}, "intVal": [0, 1]}
    nodes = [
        X,
        number("limit", 9.0),
        node("axes", "Const", dtype={"type": "DT_INT32"}, value={"tensor": axes}),
        node("enter", "Enter", "x", **frame),
        node("limited", "Enter", "limit", is_constant={"b": True}, **frame),
        node("merge", "Merge", "enter", "next"),
        node("sum", "Sum", "merge", "axes"),
        node("less", "Less", "sum", "limited"),
        node("cond", "LoopCond", "less"),
        node("switch", "Switch", "merge", "cond"),
        node("double", "AddV2", "switch:1", "switch:1"),
        node("next", "NextIteration", "double"),
        node("exit", "Exit", "switch"),
    ]
    return [changes.get(each["name"], each) for each in nodes]


def test_a_loop_of_frames(engine):
    model = graph(*loop_of())
    assert model([[1.0, 2.0]]).tolist() == [[4, 8]]
    assert model([[7.0, 2.0]]).tolist() == [[7, 2]]
    assert [layer.operator for layer in model.layers] == ["While"]


@pytest.mark.parametrize(
    ("nodes", "text"),
    [
        (loop_of(cond=node("cond", "Identity", "less")), "loop must have one condition; got 0 in"),
        (loop_of(merge=node("merge", "Merge", "enter")), "variable of a loop has no first value"),
        (loop_of(next=node("next", "NextIteration")), "variable of a loop has no first value"),
        (loop_of(switch=node("switch", "Switch", "merge")), "node lacks inputs"),
        (loop_of(double=node("double", "AddV2", "next", "x")), "nodes form a cycle"),
        ([X, node("a", "Neg", "b"), node("b", "Neg", "a"), node("c", "Neg", "b")], "form a cycle"),
        ([X, node("a", "Neg", "nothing")], "node reads a value that no earlier node computes"),
        ([X, node("a", "Neg", "x:y")], "name of a value is not valid; got 'x:y'"),
        ([X, node("a", "Neg", "x:99999999")], "name of a value is not valid"),
        ([X, X], "node occurs twice; got 'x'"),
        ([X, node("a", "Merge", "x", "x")], "node merges no branches"),
        ([X, {"name": "a"}], "node lacks its name or operator"),
        ([X, node("a", "Relu", "x", T={"type": "DT_FLOAT", "i": 3})], "attribute has no value"),
        ([X, node("a", "Relu", "x", T={"b": "no"})], "attribute is no b"),
        ([X, node("a", "Relu", "x", T={"s": 1 << 40})], "attribute is no s"),
        ([X, node("a", "Relu", "x", T={"i": "9" * 5000})], "attribute is no i"),
        ([X, node("a", "Relu", "x", T={"list": {"i": 3}})], "attribute is no list"),
        ([X, node("a", "Relu", "x", T={"shape": {"dim": [3]}})], "attribute is no shape"),
        ([X, node("a", "Relu", "x", T={"z": 3})], "attribute has an unknown kind"),
        ([{**X, "attr": []}], "attr must be an object"),
        ([{**X, "input": [3]}], "inputs of a node must be texts"),
        ([node("c", "Const", dtype=FLOAT)], "weight is missing in the manifest|no node computes"),
    ],
)
def test_malformed_graphs_are_refused(nodes, text):
    out = nodes[-1].get("name", "x")
    with pytest.raises(ModelError, match=text):
        graph(*nodes, signature=signature({}, {out: out}))


@pytest.mark.parametrize(
    ("tensor", "text"),
    [
        ({"dtype": "DT_FLOAT", "tensorContent": "AAAA"}, "3 bytes instead of 4"),
        ({"dtype": "DT_FLOAT", "tensorContent": 9}, "tensor is not valid"),
        ({"dtype": "DT_FLOAT", "floatVal": [1, 2]}, "8 bytes instead of 4"),
        ({"dtype": "DT_INT32", "intVal": [1 << 40]}, "tensor is not valid"),
        (
            {
                "dtype": "DT_FLOAT",
                "floatVal": [1],
                "tensorShape": {"dim": [{"size": "100000"}, {"size": "100000"}]},
            },
            "4 bytes instead of 40000000000",
        ),
    ],
)
def test_malformed_tensors_are_refused(tensor, text):
    with pytest.raises(ModelError, match=text):
        graph(node("c", "Const", dtype=FLOAT, value={"tensor": tensor}), node("a", "Neg", "c"))


def functions_of(count: int, calls: int) -> list[dict[str, Any]]:
    """Return functions, each of which calls the next one several times; the last calls none."""
    found = []
    for at in range(count):
        chain = [
            node(f"n{each}", "PartitionedCall", "a", f={"func": {"name": f"f{at + 1}"}})
            for each in range(calls)
        ]
        last = [node("n0", "Neg", "a")]
        found.append(
            {
                "signature": {
                    "name": f"f{at}",
                    "inputArg": [{"name": "a"}],
                    "outputArg": [{"name": "b"}, {"name": "c"}],
                },
                "nodeDef": chain if at + 1 < count else last,
                "ret": {"b": "n0:o:0", "c": f"n{calls - 1 if at + 1 < count else 0}:o:0"},
            }
        )
    return found


@pytest.mark.parametrize(("count", "calls"), [(40, 1), (29, 2), (1000, 1)])
def test_functions_that_call_each_other_too_often_are_refused(count, calls):
    with pytest.raises(ModelError, match="functions call each other too often"):
        graph(
            X,
            node("y", "PartitionedCall", "x", f={"func": {"name": "f0"}}),
            functions=functions_of(count, calls),
        )


def test_functions_that_call_themselves_are_refused():
    [function] = functions_of(1, 1)
    function["nodeDef"] = [node("n0", "PartitionedCall", "a", f={"func": {"name": "f0"}})]
    with pytest.raises(ModelError, match="functions call each other too often"):
        graph(
            X, node("y", "PartitionedCall", "x", f={"func": {"name": "f0"}}), functions=[function]
        )


def test_a_function_that_is_missing_is_named():
    with pytest.raises(ModelError, match="function is missing; got 'gone'"):
        graph(X, node("y", "PartitionedCall", "x", f={"func": {"name": "gone"}}))


def test_a_list_is_no_tensor(engine):
    length = node(
        "shape", "Const", dtype={"type": "DT_INT32"}, value={"tensor": {"dtype": 3, "intVal": [2]}}
    )
    model = graph(
        X,
        length,
        node("l", "TensorListFromTensor", "x", "shape", element_dtype=FLOAT),
        node("y", "Neg", "l"),
    )
    expected = r'"y" \(Neg\) with 1 tensors: .*a list of tensors or a table instead'
    with pytest.raises(ModelError, match=expected):
        model([[1.0, 2.0]])
