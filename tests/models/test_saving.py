"""Save models and modules in one file, and load it again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numeric_exceptions
import numpy as np
import onnx_cases
import pytest
from helpers import assert_values, finished
from onnx import helper
from test_models import BOOL, INT64, flattened, linear, loop, saved, value

import py_tensor as pt
from py_tensor.errors import ArgumentTypeError, ModelError
from py_tensor.models import saving

DATA = Path(__file__).parent / "data"


def again(model: Any) -> Any:
    return pt.models.loads(pt.models.save(model))


def branches() -> bytes:
    """A graph with graphs inside of a node, one of which has a constant of its own."""
    weights = helper.make_tensor("w", 1, [2], [2.0, 3.0])
    doubled = helper.make_graph(
        [helper.make_node("Mul", ["x", "w"], ["a"])], "then", [], [value("a")], [weights]
    )
    same = helper.make_graph([helper.make_node("Identity", ["x"], ["b"])], "else", [], [value("b")])
    return saved(
        [helper.make_node("If", ["on"], ["y"], then_branch=doubled, else_branch=same)],
        [value("on", [], BOOL), value("x", [2])],
        [value("y")],
        {"w": np.float32([7])},
    )


@pytest.mark.parametrize(
    ("data", "inputs"),
    [
        (linear(), [np.float32([[1, 2, 3]])]),
        (flattened(), [np.ones((3, 4), "float32")]),
        (loop(3), [np.float32([1])]),
        (branches(), [np.bool_(True), np.float32([1, 2])]),
        (branches(), [np.bool_(False), np.float32([1, 2])]),
    ],
    ids=["linear", "flattened", "loop", "then", "else"],
)
def test_loaded_models_give_the_same_numbers(data, inputs, engine):
    model = pt.models.loads(data)
    copy = again(model)
    assert (copy.inputs, copy.outputs) == (model.inputs, model.outputs)
    # Graphs among the attributes are compared by what they compute.
    described, copied = (
        [layer._replace(attributes=[*layer.attributes]) for layer in each.layers]
        for each in (model, copy)
    )
    assert copied == described
    results, copies = model(*inputs), again(copy)(*inputs)
    pairs = zip(results, copies, strict=True) if isinstance(results, tuple) else [(results, copies)]
    for result, other in pairs:
        assert_values(other, result.numpy())


def test_large_weights_are_saved_from_the_gpu(engine, tmp_path):
    w = np.arange(4000, dtype="float32").reshape(2, 2000)
    long = np.arange(2000)
    data = saved(
        [
            helper.make_node("MatMul", ["x", "w"], ["p"]),
            helper.make_node("Gather", ["p", "long"], ["y"], axis=1),
        ],
        [value("x", [1, 2])],
        [value("y")],
        {"w": w, "long": long[::-1].copy()},
    )
    path = tmp_path / "model.safetensors"
    assert pt.models.save(pt.models.loads(data), path) is None
    assert_values(finished(pt.models.load(path))([[1.0, 2.0]]), (w[:1] + 2 * w[1:])[:, ::-1])
    # Other programs read the weights by name.
    weights = pt.io.load(path)
    assert_values(weights["w"], w)
    assert finished(pt.models.load_weights(path)).keys() == {"w", "long"}


def test_weights_in_another_order_of_axes_are_saved(engine):
    """Weights of convolutions are stored with their first axis last."""
    weights = np.random.default_rng(0).normal(size=(8, 3, 5, 5)).astype("float32")
    node = helper.make_node("Conv", ["x", "w"], ["y"])
    model = pt.models.loads(saved([node], [value("x", [1, 3, 9, 9])], [value("y")], {"w": weights}))
    image = np.ones((1, 3, 9, 9), "float32")
    before = model(image).numpy()
    copy = again(model)
    assert_values(copy(image), before)
    # After training, the new weights are saved.
    copy.weights = {"w": copy.weights["w"] * 2}
    assert_values(again(copy)(image), 2 * before, rtol=1e-6, atol=1e-6)


def test_weights_that_were_quantized_are_freed_saved_and_trained(engine):
    """Only the floats that calls use stay in memory, with their axes in the order of the calls."""
    weights = np.random.default_rng(0).integers(-99, 99, size=(8, 3, 9, 9), dtype="int8")
    data = saved(
        [
            helper.make_node("DequantizeLinear", ["q", "scale"], ["w"]),
            helper.make_node("Conv", ["x", "w"], ["y"]),
        ],
        [value("x", [1, 3, 9, 9])],
        [value("y")],
        {"q": weights, "scale": np.float32(0.25)},
    )
    before = pt.memory().num_bytes
    model = pt.models.loads(data)
    assert pt.memory().num_bytes - before == 4 * weights.size
    # They count at the convolution that reads them.
    assert [layer.nbytes for layer in model.layers] == [0, weights.size + 4]
    image = np.ones((1, 3, 9, 9), "float32")
    expected = weights.sum((1, 2, 3), dtype="float32").reshape(1, 8, 1, 1) / 4
    copy = again(model)
    assert [layer.operator for layer in copy.layers] == ["Conv"]
    assert_values(copy(image), expected, rtol=1e-5)
    copy = again(pt.models.loads(pt.models.to_onnx(model, pt.ShapeDtype((1, 3, 9, 9)))))
    assert_values(copy(image), expected, rtol=1e-5)
    model.weights = {"w": model.weights["w"] * 2}
    assert_values(again(model)(image), 2 * expected, rtol=1e-5)


@pytest.mark.parametrize("name", ["tflite/mobile-int8.tflite", "tflite/mobile-float.tflite"])
def test_models_of_tflite_are_saved(name, engine):
    model = pt.models.loads((DATA / name).read_bytes())
    copy = again(model)
    assert copy.layers == model.layers
    specs = [pt.ShapeDtype(info.shape, info.dtype) for info in model.inputs]
    given = [pt.ones(spec.shape, dtype=spec.dtype) for spec in specs]
    assert_values(copy(*given), model(*given).numpy())


def test_constants_keep_their_bits(engine):
    limits = [1, 2**63 - 1]
    data = saved(
        [helper.make_node("Slice", ["x", "start", "end"], ["y"])],
        [value("x", [3])],
        [value("y")],
        {"start": np.int64(limits[:1]), "end": np.int64(limits[1:])},
    )
    assert_values(again(pt.models.loads(data))([1.0, 2.0, 3.0]), np.float32([2, 3]))


def test_every_operator_of_the_node_tests(engine):
    """Attributes of all kinds are saved: numbers, texts, lists and constants."""
    cases = {case.model for case in onnx_cases.load() if len(case.model) < 3000}
    done = 0
    for data in sorted(cases)[::25]:
        try:
            model = pt.models.loads(data)
        except ModelError:
            continue
        graph = again(model)._graph
        assert graph.inputs == model.inputs
        for node, other in zip(model._graph.nodes, graph.nodes, strict=True):
            assert node[:4] == other[:4] and node.version == other.version
            assert node.attributes.keys() == other.attributes.keys()
        done += 1
    assert done > 20


class Pair(NamedTuple):
    """A named tuple in the attributes of a node."""

    first: int
    rest: tuple[Any, ...]


def test_attributes_of_every_kind(engine, monkeypatch):
    monkeypatch.setitem(saving.RECORDS, "Pair", Pair)
    attributes = {
        "record": Pair(1, (2.5, None)),
        "dict": {"a": [1, float("-inf")], "b": True},
        "bytes": b"\x00\xff",
        "dtype": pt.float16,
        "text": "\N{GREEK SMALL LETTER ALPHA}",
    }
    graph = pt.models.loads(linear())._graph
    node = graph.nodes[0]._replace(attributes=attributes)
    saver = saving._Saver()
    content = json.loads(json.dumps(saver.graph(graph._replace(nodes=(node,)))))
    assert saving._Reader(saver.entries()).graph(content, 0).nodes[0] == node
    with pytest.raises(ModelError, match="value cannot be saved; got complex"):
        saver.graph(graph._replace(nodes=(node._replace(attributes={"z": 1j}),)))


# --- modules --------------------------------------------------------------------------------------

ROWS: list[tuple[Any, Any]] = [
    (lambda: pt.nn.Sequential(pt.nn.Dense(3, 4), pt.relu, pt.nn.Dense(4, 2, bias=False)), (2, 3)),
    (
        lambda: pt.nn.Sequential(
            pt.nn.Conv2D(2, 4, 3, padding="same", stride=2),
            pt.nn.BatchNorm(4),
            pt.nn.MaxPool2D(2),
            pt.nn.Flatten(),
            pt.softmax,
        ),
        (1, 8, 8, 2),
    ),
    (lambda: pt.nn.Bidirectional(pt.nn.LSTM(3, 4), pt.nn.LSTM(3, 4)), (2, 5, 3)),
    (lambda: pt.nn.GRU(3, 4, layers=2, stateful=True, batch_size=2), (2, 5, 3)),
    (lambda: pt.nn.TransformerEncoderLayer(8, 2, hidden=4, activation=pt.nn.gelu), (1, 3, 8)),
]


@pytest.mark.parametrize(("make", "shape"), ROWS, ids=["mlp", "cnn", "lstm", "gru", "transformer"])
def test_modules_give_the_same_numbers(make, shape, engine):
    module = make()
    copy = again(module)
    assert type(copy) is type(module) and repr(copy) == repr(module)
    x = pt.random.normal(shape)
    for one, other in zip(pt.tree_leaves(module(x)), pt.tree_leaves(copy(x)), strict=True):
        assert_values(other, one.numpy(), atol=numeric_exceptions.between_graphs(engine.name))


def test_a_module_can_be_trained_further(engine):
    module = again(pt.nn.Sequential(pt.nn.Dense(1, 1), pt.tanh))
    optimizer = pt.optim.sgd(0.1)
    state = optimizer.init(module)
    gradients = pt.grad(lambda m: (m(pt.ones((1, 1))) ** 2).sum())(module)
    assert optimizer.update(state, gradients).params[0].weight.shape == (1, 1)


def test_shared_weights_stay_shared(engine):
    dense = pt.nn.Dense(2, 2)
    first, second = again(pt.nn.Sequential(dense, dense))
    assert first is second
    other = pt.nn.Dense(2, 2)
    other.weight = dense.weight
    first, second = again(pt.nn.Sequential(dense, other))
    assert first.weight is second.weight and first.bias is not second.bias


class Own(pt.nn.Module):
    dense: pt.nn.Dense

    def __init__(self) -> None:
        self.dense = pt.nn.Dense(1, 1)


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (lambda: Own(), "class is not one of pt.nn; got Own at 'the root'"),
        (lambda: pt.nn.Sequential(Own()), "class is not one of pt.nn; got Own at 'layers.0'"),
        (lambda: pt.nn.Sequential(lambda x: x), "value cannot be saved; got function"),
    ],
)
def test_other_classes_and_functions_are_refused(model, text, engine):
    with pytest.raises(ModelError, match=text):
        pt.models.save(model())
    with pytest.raises(ArgumentTypeError, match="save: model is neither a Model nor a module"):
        pt.models.save({"w": pt.ones(1)})


# --- files that are refused -----------------------------------------------------------------------


def test_weights_alone_are_refused_with_advice(engine):
    with pytest.raises(
        ModelError, match=r"without a model.*models\.load_weights.*load_torch_state"
    ):
        pt.models.loads(pt.io.to_bytes({"w": pt.ones(2)}))


def changed(content: Any) -> bytes:
    text = content if isinstance(content, str) else json.dumps({"version": 1, **content})
    return pt.io.to_bytes({"w": pt.ones(2)}, {saving.KEY: text})


def module(kind: Any, fields: Any) -> dict[str, Any]:
    return {"module": 0, "modules": [{"class": kind, "fields": fields}]}


EMPTY = {"name": "g", "inputs": [], "outputs": [], "nodes": [], "constants": {}}
FLAGS = {name: {"tuple": []} for name in ("regularizers", "constraints", "frozen")}


@pytest.mark.parametrize(
    "content",
    [
        "", "[]", "{}", "[" * 100_000, '{"version": 2}', '{"version": [[]]}', {},
        {"format": "onnx"},
        {"format": "keras", "graph": EMPTY}, {"format": ["onnx"], "graph": EMPTY},
        {"format": "onnx", "graph": {**EMPTY, "nodes": 3}},
        {"format": "onnx", "graph": {**EMPTY, "nodes": [[1, 2]]}},
        {"format": "onnx", "graph": {**EMPTY, "constants": {"a": ["no", "float32", "a"]}}},
        {"format": "onnx", "graph": {**EMPTY, "constants": {"a": ["w", "float99", "a"]}}},
        {"format": "onnx", "graph": {**EMPTY, "inputs": [["x", "float32", [[1]]]]}},
        {"format": "onnx", "graph": {**EMPTY, "inputs": [["x", "float32", [-1]]]}},
        {"format": "onnx", "graph": {**EMPTY, "outputs": [["y", None, None]]}},
        {"format": "onnx", "graph": {**EMPTY, "nodes": [["n", "Relu", [], ["y"], {}, -1]]}},
        {"format": "onnx", "graph": {**EMPTY, "nodes": [["n", "System", [], ["y"], {}, 1]]}},
        {"format": "onnx", "graph": {**EMPTY, "nodes": [["", "Relu", [], [], {"a": {"b": 1}}, 1]]}},
        {"module": 0}, {"module": 1, "modules": []}, {"module": -1, "modules": [1]},
        module("Popen", {}), module("Module.__init__", {}), module(["Dense"], {}),
        module("Flatten", {}), module("Flatten", {**FLAGS, "x": 1}),
        module("Activation", {**FLAGS, "function": {"function": "system"}}),
        module("Activation", {**FLAGS, "function": {"function": "save"}}),
        module("Activation", {**FLAGS, "function": "relu"}),
        module("Sequential", {**FLAGS, "layers": {"tuple": [{"module": 0}]}}),
        module("Sequential", {**FLAGS, "layers": {"module": 0}}),
        module("Reshape", {**FLAGS, "shape": {"unknown": 1}}),
        module("Reshape", {**FLAGS, "shape": {"tuple": 1}}),
        module("Reshape", {**FLAGS, "shape": {"dict": [[[], 1]]}}),
        module("PReLU", {**FLAGS, "channels": 1, "alpha": {"tensor": "no"}}),
        module("PReLU", {**FLAGS, "channels": 1, "alpha": 1.0}),
    ],
)  # fmt: skip
def test_malformed_files_are_refused(content, engine):
    with pytest.raises(ModelError, match="load: "):
        pt.models.loads(changed(content))


def test_values_nested_too_deeply_are_refused(engine):
    value: Any = []
    for _ in range(100):
        value = [value]
    with pytest.raises(ModelError, match="nested too deeply"):
        pt.models.loads(changed(module("Reshape", {**FLAGS, "shape": value})))


def test_integers_of_inputs_stay(engine):
    data = saved(
        [helper.make_node("Add", ["x", "x"], ["y"])], [value("x", ["n"], INT64)], [value("y")]
    )
    assert_values(again(pt.models.loads(data))([1, 2]), np.int32([2, 4]))
