"""Layers models of TensorFlow.js compute what Keras does, and malformed ones are refused."""

from __future__ import annotations

import asyncio
import io
import json
import random
import zipfile
from base64 import b64decode
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import half_storage
import numpy as np
import pytest
from work_limit import STEPS_OF_A_FILE, limited_steps

import py_tensor as pt
from py_tensor.errors import ArgumentError, ModelError, TensorError, TraceError

ARCHIVE = Path(__file__).parent / "data" / "tfjs_layers.zip"
TOLERANCE = 1e-4
"""Largest error divided by the largest value."""
NO_LAYERS = {
    *("DTypePolicy", "Functional", "InputLayer", "Model", "Sequential"),
    *("__keras_tensor__", "__tuple__"),
    *("GlorotUniform", "Ones", "Orthogonal", "RandomUniform", "Zeros"),
}
"""Other classes that a model's description names: containers, and first values of weights."""


@cache
def archive() -> zipfile.ZipFile:
    return zipfile.ZipFile(ARCHIVE)


def names() -> list[str]:
    return sorted({name.split("/")[0] for name in archive().namelist()})


def loaded(name: str) -> Any:
    return asyncio.run(
        pt.models.load(lambda file: archive().read(f"{name}/{file or 'model.json'}"))
    )


def values(name: str) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the inputs and the expected outputs of a model."""
    found = np.load(io.BytesIO(archive().read(f"{name}/values.npz")))
    xs, ys = (sorted(key for key in found if key[0] == kind) for kind in "xy")
    return [found[key] for key in xs], [found[key] for key in ys]


def assert_close(found: Any, wanted: np.ndarray) -> None:
    array = np.array(found.tolist(), "float64").reshape(found.shape)
    assert array.shape == wanted.shape
    scale = max(float(np.abs(wanted).max(initial=0)), 1e-6)
    assert float(np.abs(array - wanted).max(initial=0)) / scale < half_storage.tolerance(TOLERANCE)


def layers_in(tree: Any) -> frozenset[str]:
    """Return the names of the layers and activations in a part of a model's description."""
    if isinstance(tree, list):
        return frozenset().union(*map(layers_in, tree))
    if not isinstance(tree, dict):
        return frozenset()
    own = {value for key in ("class_name", "activation") if isinstance(value := tree.get(key), str)}
    return frozenset(own).union(*map(layers_in, tree.values()))


def layers_of(name: str) -> frozenset[str]:
    return layers_in(json.loads(archive().read(f"{name}/model.json"))["modelTopology"]) - NO_LAYERS


@pytest.mark.once_per_form(form=layers_of)
@pytest.mark.parametrize("name", names())
def test_model_computes_what_keras_does(name, engine):
    model = loaded(name)
    inputs, wanted = values(name)
    results = model(*inputs)
    results = results if isinstance(results, tuple) else (results,)
    assert len(results) == len(wanted)
    for found, expected in zip(results, wanted, strict=True):
        assert_close(found, expected)


SAVED = json.loads((ARCHIVE.parent / "tfjs_layers_saved.json").read_text())


@pytest.mark.parametrize("name", SAVED)
def test_model_that_tensorflow_js_saved(name, engine):
    case = SAVED[name]
    files = {"": json.dumps(case["model"]).encode(), "weights.bin": b64decode(case["weights"])}
    model = asyncio.run(pt.models.load(files.__getitem__))
    assert "format" not in case["model"]
    inputs, wanted = (
        [np.float32(each["values"]).reshape(each["shape"]) for each in case[key]]
        for key in ("inputs", "outputs")
    )
    results = model(*inputs)
    results = results if isinstance(results, tuple) else (results,)
    for found, expected in zip(results, wanted, strict=True):
        assert_close(found, expected)


def test_weights_are_the_parameters_of_a_module(engine):
    model = loaded("keras3_sequential")
    assert isinstance(model, pt.nn.Module)
    names = [name for name, _ in model.named_parameters()]
    assert "sequential/conv2d/kernel" in names
    assert "sequential/batch_normalization/gamma" in names
    assert {*model.state_dict()} - {*names} == {
        "sequential/batch_normalization/moving_mean",
        "sequential/batch_normalization/moving_variance",
    }
    assert [tensor.shape for tensor in model.parameters()] == [
        model.state_dict()[name].shape for name in names
    ]


def test_layers_that_are_not_trainable_keep_their_weights(engine):
    model = loaded("keras2_frozen")
    assert [name for name, _ in model.named_parameters()] == ["head/kernel", "head/bias"]
    assert len(model.state_dict()) == 8


@pytest.mark.parametrize("name", ["keras2_lstm_plain", "keras3_residual_image", "keras3_nested"])
def test_a_model_can_be_trained_further(name, engine):
    model = loaded(name)
    inputs, wanted = values(name)
    before = [tensor.tolist() for tensor in model.parameters()]
    first = model(*inputs)
    first = first[0] if isinstance(first, tuple) else first
    assert_close(first, wanted[0])
    optimizer = pt.optim.adam(0.01)
    state = optimizer.init(model)

    def loss(module):
        results = module(*inputs)
        return pt.mean(pt.square(results[0] if isinstance(results, tuple) else results))

    step = pt.jit(lambda state: optimizer.update(state, pt.grad(loss)(state.params)))
    start = loss(model).item()
    for _ in range(20):
        state = step(state)
    trained = state.params
    assert loss(trained).item() < 0.7 * start
    # The model that was loaded is unchanged, and the trained one loads its values.
    assert [tensor.tolist() for tensor in model.parameters()] == before
    model.load_state_dict(trained.state_dict())
    assert loss(model).item() == pytest.approx(loss(trained).item(), rel=1e-5)


def test_fit_trains_a_model(engine):
    model = loaded("keras3_conv1d_valid")
    [x], [y] = values("keras3_conv1d_valid")
    inputs = pt.asarray(np.tile(x, (8, 1, 1)))
    targets = pt.ones((16, *y.shape[1:]))
    fitting = pt.train.fit(
        model, (inputs, targets), loss="mse", optimizer=pt.optim.adam(0.05), epochs=20, batch_size=8
    )
    losses = asyncio.run(fitting)["loss"]
    assert losses[-1] < 0.5 * losses[0]


def test_a_loaded_model_does_not_pass_its_weights(engine):
    model = loaded("keras3_dense")
    inputs, _ = values("keras3_dense")
    pt.realize(model(*inputs))
    runner = model._runner
    assert model._passed() == {}
    captured = runner.compiled
    pt.realize(model(*inputs))
    assert runner.compiled is captured
    model.load_state_dict({name: t * 2 for name, t in model.state_dict().items()})
    assert model._passed().keys() == {"dense/kernel", "dense/bias"}
    assert runner.compiled is not captured


def document(layers: list[Any], **more: Any) -> bytes:
    """Return a `model.json` of a Sequential model without weights."""
    config = {"name": "made", "layers": layers}
    topology = {"class_name": "Sequential", "config": config, **more}
    return json.dumps({"modelTopology": topology}).encode()


def layer(kind: str, **config: Any) -> dict[str, Any]:
    return {"class_name": kind, "config": {"name": f"my_{kind.lower()}", **config}}


def test_everything_that_is_not_supported_is_in_one_error(engine):
    layers = [
        layer("Lambda", function="x"),
        layer("Own>Layer"),
        layer("Activation", activation="own"),
        layer("Dropout", rate=0.5, own_option=3),
        layer("RNN", cell=layer("OwnCell")),
    ]
    with pytest.raises(ModelError) as caught:
        pt.models.loads(document(layers))
    for text in (
        'layer Lambda in "my_lambda"',
        'layer Own>Layer in "my_own>layer"',
        'activation own in "my_activation"',
        'option own_option of Dropout in "my_dropout"',
        'cell OwnCell in "my_rnn"',
    ):
        assert text in str(caught.value)


def test_inputs_are_converted_to_their_dtypes(engine):
    layers = [layer("InputLayer", batch_input_shape=[None, 2]), layer("ReLU")]
    model = pt.models.loads(document(layers))
    assert model.inputs == (pt.models.ValueInfo("my_inputlayer", pt.float32, (None, 2)),)
    assert_close(model(pt.asarray([[1, -2]])), np.float32([[1, 0]]))


@pytest.mark.parametrize(("version", "wanted"), [("2.15.0", 0.7), ("3.8.0", 1 / 6 + 0.5)])
def test_hard_sigmoid_of_each_version(version, wanted, engine):
    layers = [layer("Activation", activation="hard_sigmoid")]
    model = pt.models.loads(document(layers, keras_version=version))
    assert_close(model([[1.0]]), np.float32([[wanted]]))


def test_sequential_of_old_versions(engine):
    old = {"class_name": "Sequential", "config": [layer("ReLU", batch_input_shape=[None, 1])]}
    topology = {"model_config": json.dumps(old), "keras_version": "2.1.6"}
    model = pt.models.loads(json.dumps({"modelTopology": topology}).encode())
    assert_close(model([[-1.0], [2.0]]), np.float32([[0], [2]]))


def weighted(
    names: list[str], shapes: list[list[int]], layers: list[Any], scale: float = 1.0
) -> Any:
    """Load a model with weights 0, 1, 2 and so on, times a scale."""
    manifest = [
        {"name": name, "shape": shape, "dtype": "float32"}
        for name, shape in zip(names, shapes, strict=True)
    ]
    sizes = [int(np.prod(shape)) for shape in shapes]
    files = {
        "": json.dumps(
            {
                "modelTopology": {
                    "class_name": "Sequential",
                    "config": {"name": "made", "layers": layers},
                },
                "weightsManifest": [{"paths": ["w"], "weights": manifest}],
            }
        ).encode(),
        "w": (np.arange(sum(sizes), dtype="float32") * np.float32(scale)).tobytes(),
    }
    return asyncio.run(pt.models.load(files.__getitem__))


@pytest.mark.parametrize(
    "names",
    [
        ["d/kernel", "d/bias"],
        ["d/kernel:0", "d/bias:0"],
        ["made/d/kernel:0", "made/d/bias:0"],
        ["layers/dense/vars/0", "layers/dense/vars/1"],
        [
            "_layer_checkpoint_dependencies/dense/vars/0",
            "_layer_checkpoint_dependencies/dense/vars/1",
        ],
        ["other", "names"],
    ],
)
def test_names_of_weights(names, engine):
    model = weighted(names, [[1, 2], [2]], [layer("Dense", name="d", units=2)])
    assert_close(model([[10.0]]), np.float32([[2, 13]]))
    assert [name for name, _ in model.named_parameters()] == names


def test_weights_are_found_in_any_order(engine):
    layers = [layer("Dense", name="a", units=1), layer("Dense", name="ab", units=1)]
    names = ["x/ab/bias", "x/a/bias", "x/ab/kernel", "x/a/kernel"]
    model = weighted(names, [[1], [1], [1, 1], [1, 1]], layers)
    assert_close(model([[2.0]]), np.float32([[(2 * 3 + 1) * 2 + 0]]))


def test_weights_that_are_missing_or_do_not_fit(engine):
    dense = layer("Dense", name="d", units=2)
    with pytest.raises(ModelError, match="weights are missing; got none for d/bias"):
        weighted(["d/kernel"], [[1, 2]], [dense])
    with pytest.raises(ModelError, match=r'another shape; got \(1, 3\) for "d/kernel"'):
        weighted(["d/kernel", "d/bias"], [[1, 3], [2]], [dense])


def weighted_file(layers: list[Any], **weights: Any) -> dict[str, bytes]:
    listed = [{"class_name": "InputLayer", "config": {"name": "x", "batch_shape": [None, 2]}}]
    topology = {"class_name": "Sequential", "config": {"name": "own", "layers": listed + layers}}
    arrays = {name.replace("__", "/"): np.float32(each) for name, each in weights.items()}
    named = [
        {"name": name, "shape": [*each.shape], "dtype": "float32"} for name, each in arrays.items()
    ]
    document = {
        "modelTopology": topology,
        "weightsManifest": [{"paths": ["w"], "weights": named}],
    }
    return {"": json.dumps(document).encode(), "w": b"".join(map(bytes, arrays.values()))}


RECORDED: dict[str, tuple[Any, Any]] = {
    "math.truediv": (["x", 0, 0, {"y": 2.0, "name": None}], lambda x: x / 2),
    "__operators__.add": (["x", 0, 0, {"y": ["x", 0, 0], "name": None}], lambda x: x + x),
    "math.subtract": (
        ["_CONSTANT_VALUE", -1, 1.0, {"y": ["x", 0, 0], "name": None}],
        lambda x: 1 - x,
    ),
    "math.multiply": (["x", 0, 0, {"y": ["_CONSTANT_VALUE", -1, 3.0]}], lambda x: x * 3),
    "math.reduce_mean": (
        ["x", 0, 0, {"axis": -1, "keepdims": True}],
        lambda x: x.mean(-1)[:, None],
    ),
    "math.reduce_sum": (["x", 0, 0, {"axis": None}], lambda x: x.sum()),
    "math.exp": (["x", 0, 0, {}], np.exp),
    "nn.relu6": (["x", 0, 0, {"name": None}], lambda x: np.clip(x, 0, 6)),
    "nn.softmax": (["x", 0, 0, {"axis": -1}], lambda x: np.exp(x) / np.exp(x).sum(-1)[:, None]),
    "clip_by_value": (
        ["x", 0, 0, {"clip_value_min": 0.0, "clip_value_max": 1}],
        lambda x: np.clip(x, 0, 1),
    ),
    "concat": ([["x", 0, 0, {"axis": 1}], ["x", 0, 0, {"axis": 1}]], lambda x: np.hstack([x, x])),
    "stack": ([["x", 0, 0, {"axis": 1}], ["x", 0, 0, {"axis": 1}]], lambda x: np.stack([x, x], 1)),
    "reshape": (["x", 0, 0, {"shape": [-1, 2, 1]}], lambda x: x[..., None]),
    "compat.v1.transpose": (["x", 0, 0, {"perm": [1, 0]}], np.transpose),
    "expand_dims": (["x", 0, 0, {"axis": 1}], lambda x: x[:, None]),
    "cast": (["x", 0, 0, {"dtype": "int64"}], lambda x: x.astype("int32")),
    "linalg.matmul": (["x", 0, 0, {"b": ["x", 0, 0], "transpose_b": True}], lambda x: x @ x.T),
    "math.argmax": (["x", 0, 0, {"axis": -1}], lambda x: x.argmax(-1).astype("int32")),
    "__operators__.getitem": (
        ["x", 0, 0, {"slice_spec": [{"class_name": "__ellipsis__"}, {"start": 1, "stop": None}]}],
        lambda x: x[..., 1:],
    ),
}


@pytest.mark.parametrize("function", RECORDED)
def test_operations_that_keras_records_as_layers(function, engine):
    arguments, expected = RECORDED[function]
    x = (layer("InputLayer", name="x", batch_input_shape=[None, 2]), [])
    kind = "SlicingOpLambda" if function.endswith("getitem") else "TFOpLambda"
    y = (layer(kind, name="y", function=function), [arguments])
    model = pt.models.loads(functional([x, y], "y"))
    given = np.float32([[-1, 0.5], [7, 3]])
    for each in (model, pt.models.loads(pt.models.save(model))):
        assert_close(each(given), np.asarray(expected(given)))


def test_unknown_operations_are_named(engine):
    x = (layer("InputLayer", name="x", batch_input_shape=[None, 2]), [])
    y = (layer("TFOpLambda", name="y", function="signal.fft3d"), [["x", 0, 0, {}]])
    with pytest.raises(ModelError, match=r'function signal\.fft3d of TFOpLambda in "y"'):
        pt.models.loads(functional([x, y], "y"))


@pytest.mark.parametrize("kind", ["SimpleRNN", "GRU", "LSTM", "Bidirectional", "RNN"])
@pytest.mark.parametrize("sequences", [False, True])
def test_stateful_layers_continue_with_the_states_of_the_call_before(kind, sequences, engine):
    def made(stateful: bool) -> pt.models.Model:
        loop = {"return_sequences": sequences, "stateful": stateful}
        inner = layer(kind, name="r", units=2, reset_after=True, **loop)
        gates = {"GRU": 3, "LSTM": 4}.get(kind, 1)
        if kind == "GRU":
            biases = [2, 3 * 2]
        else:
            inner["config"].pop("reset_after")
            biases = [2 * gates]
        if kind in ("Bidirectional", "RNN"):
            inner["class_name"] = "SimpleRNN"
        sizes = [[2, 2 * gates], [2, 2 * gates], biases]
        if kind == "Bidirectional":
            inner = layer(kind, name="b", layer=inner, merge_mode="concat")
            sizes *= 2
        if kind == "RNN":
            cell = layer("SimpleRNNCell", name="cell", units=2)
            inner = layer(kind, name="r", cell=cell, **loop)
        names = [f"w{at}" for at in range(len(sizes))]
        x = layer("InputLayer", name="x", batch_input_shape=[2, None, 2])
        return weighted(names, sizes, [x, inner], scale=0.02)

    x = np.random.default_rng(0).normal(size=(2, 6, 2)).astype("float32")
    model, whole = made(True), made(False)
    parts = [model(x[:, at : at + 2]).numpy() for at in (0, 2, 4)]
    assert [info.name for info in model.inputs] == ["x"]
    if kind != "Bidirectional":
        expected = whole(x).numpy()
        joined = np.concatenate(parts, axis=1) if sequences else parts[-1]
        np.testing.assert_allclose(joined, expected, rtol=1e-5, atol=1e-6)
    assert np.abs(parts[1] - whole(x[:, 2:4]).numpy()).max() > 1e-3
    model.reset_states()
    assert_close(model(x[:, :2]), parts[0])
    again = pt.models.loads(pt.models.save(model))
    assert_close(again(x[:, :2]), parts[0])
    with pt.tidy():
        again(x[:, 2:4])
    assert_close(again(x[:, 4:]), parts[2])
    gradient = pt.grad(lambda model: model(x[:, 2:4]).sum())(model)
    assert all(each.size for each in gradient.weights.values())
    message = r"model: a stateful model cannot be traced; got a call of Model.* inside of predict"
    for _ in range(2):
        with pytest.raises(TraceError, match=message):
            pt.jit(predict)(model, pt.asarray(x[:, 2:4]))
    assert_close(model(x[:, 2:4]), parts[1])


def predict(model: pt.models.Model, x: pt.Tensor) -> pt.Tensor:
    return model(x)


class Scaled(pt.nn.Module):
    """A layer of the user's with a weight and an option."""

    gamma: pt.Tensor
    power: int = pt.nn.static_field()

    def __init__(self, power: int) -> None:
        self.gamma = pt.ones(2)
        self.power = power

    def forward(self, x: Any) -> Any:
        return x**self.power * self.gamma


def scaled(x: Any, *, gamma: Any, power: int = 1) -> Any:
    return x**power * gamma


def test_custom_layers(engine):
    layers = [
        layer("Dense", name="d", units=2),
        layer("Scaled", name="s", power=2, trainable=True),
        layer("Lambda", name="plus", function=["code", None, None]),
        layer("Lambda", name="minus", function=["code", None, None]),
    ]
    weights = {"d__kernel": np.eye(2), "d__bias": [0, 1], "s__gamma": [2, 3]}
    files = weighted_file(layers, **weights)
    own = {"Lambda": lambda x: x + 1, "minus": lambda x: x - 0.5}
    for kind in (scaled, Scaled):
        model = asyncio.run(
            pt.models.load(files.__getitem__, custom={"Scaled": kind, **own})  # type: ignore[dict-item]
        )
        assert_close(model([[1.0, 2.0]]), np.float32([[2.5, 27.5]]))
        assert [name for name, _ in model.named_parameters()] == ["d/kernel", "d/bias", "s/gamma"]
        gradient = pt.grad(lambda model: model([[1.0, 2.0]]).sum())(model)
        assert gradient.weights["s/gamma"].tolist() == [1, 9]
        with pytest.raises(ModelError, match="table of operators is not known"):
            pt.models.save(model)
    message = r'layer Scaled in "s"; layer Lambda in "plus", "minus".*custom=\{"Name": function\}'
    with pytest.raises(ModelError, match=message):
        asyncio.run(pt.models.load(files.__getitem__))
    with pytest.raises(ArgumentError, match="format has no custom layers; got Lambda"):
        asyncio.run(pt.models.load(pt.models.EXAMPLE, custom=own))


def test_custom_layers_of_a_single_file(engine):
    layers = [
        layer("InputLayer", name="x", batch_input_shape=[None, 2]),
        layer("Lambda", name="twice", function=["code", None, None]),
    ]
    topology = {"class_name": "Sequential", "config": {"name": "own", "layers": layers}}
    data = json.dumps({"modelTopology": topology}).encode()
    model = pt.models.loads(data, custom={"twice": lambda x: 2 * x})
    assert model([[1.0, 2.0]]).tolist() == [[2, 4]]
    with pytest.raises(ModelError, match='layer Lambda in "twice"'):
        pt.models.loads(data)
    with pytest.raises(ArgumentError, match="format has no custom layers; got twice"):
        pt.models.loads(pt.models.EXAMPLE, custom={"twice": lambda x: 2 * x})


def call(*names: str) -> list[Any]:
    return [[[name, 0, 0, {}] for name in names]]


def functional(layers: list[tuple[dict[str, Any], list[Any]]], output: str) -> bytes:
    listed = [
        {**spec, "name": spec["config"]["name"], "inbound_nodes": calls} for spec, calls in layers
    ]
    config = {
        "name": "made",
        "layers": listed,
        "input_layers": [["x", 0, 0]],
        "output_layers": [[output, 0, 0]],
    }
    topology = {"class_name": "Functional", "config": config}
    return json.dumps({"modelTopology": topology}).encode()


def test_cycles_and_unknown_layers_are_refused(engine):
    x = (layer("InputLayer", name="x", batch_input_shape=[None, 1]), [])
    a, b = layer("ReLU", name="a"), layer("ReLU", name="b")
    with pytest.raises(ModelError, match="layers that need each other"):
        pt.models.loads(functional([x, (a, call("b")), (b, call("a"))], "a"))
    with pytest.raises(ModelError, match=r'KeyError: .*layer "a"'):
        pt.models.loads(functional([x, (a, call("nothing"))], "a"))
    with pytest.raises(ModelError, match="call number 0 of 0"):
        pt.models.loads(functional([x, (a, [])], "a"))


def test_models_that_call_models_many_times_are_refused(engine):
    x = (layer("InputLayer", name="x", batch_input_shape=[None, 1]), [])
    inner = json.loads(functional([x, (layer("ReLU", name="r"), call("x"))], "r"))
    for _ in range(20):
        spec = inner["modelTopology"]
        spec["config"]["name"] = "m"
        calls = [*call("x"), [["m", 0, 0, {}]]]
        inner = json.loads(functional([x, (spec, calls)], "m"))
        inner["modelTopology"]["config"]["output_layers"] = [["m", 1, 0]]
    with pytest.raises(ModelError, match="model is too large"):
        pt.models.loads(json.dumps(inner).encode())


def test_deeply_nested_files_are_refused(engine):
    text = '{"class_name":"Sequential","config":{"name":"m","layers":[' * 3000
    data = b'{"modelTopology":' + text.encode() + b"]}}" * 3000 + b"}"
    with pytest.raises(ModelError):
        pt.models.loads(data)


def mutated(tree: Any, chance: random.Random) -> Any:
    """Change one value somewhere in a tree, or remove it."""
    if isinstance(tree, dict) and tree and chance.random() < 0.95:
        key = chance.choice([*tree])
        if chance.random() < 0.05:
            return {other: value for other, value in tree.items() if other != key}
        return {**tree, key: mutated(tree[key], chance)}
    if isinstance(tree, list) and tree and chance.random() < 0.95:
        at = chance.randrange(len(tree))
        kept = [mutated(tree[at], chance)]
        if chance.random() < 0.1:
            kept = chance.choice(([], kept * 2))
        return [*tree[:at], *kept, *tree[at + 1 :]]
    values = (None, True, -1, 0, 1, 3, 1 << 40, 1.5, "", "relu", "x", [], {}, [[1]], "same")
    return chance.choice(values)


def test_mutated_files_end_soon(engine, mutations):
    chance = random.Random(7)
    choices = [name for name in names() if "bidirectional" in name or "nested" in name]
    choices += ["keras3_every_wrapper", "keras2_residual_image", "keras3_multi_head_key"]
    ends: Counter[str] = Counter()
    for number in range(mutations):
        name = chance.choice(choices)
        tree = json.loads(archive().read(f"{name}/model.json"))
        for _ in range(chance.choice((1, 2, 5))):
            tree["modelTopology"] = mutated(tree["modelTopology"], chance)
        files = {
            "": json.dumps(tree).encode(),
            "weights.bin": archive().read(f"{name}/weights.bin"),
        }
        try:
            with limited_steps(STEPS_OF_A_FILE, f"file {number}"):
                model = asyncio.run(pt.models.load(files.__getitem__))
                pt.realize(*tree_tensors(model(*values(name)[0])))
            ends["result"] += 1
        except ModelError as error:
            assert str(error).startswith(("load: ", "run: "))
            ends[str(error)[:5]] += 1
        except TensorError as error:
            # Inputs do not fit the declaration that the file changed.
            assert str(error).startswith("model: "), number
            ends["inputs"] += 1
    assert ends["load:"] > 50
    assert ends["result"] > 50


def tree_tensors(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)
