"""TensorFlow.js itself loads what is exported for it, and computes the same."""

from __future__ import annotations

import asyncio
import base64
import json
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import py_tensor as pt
from py_tensor import nn
from py_tensor.errors import ArgumentError, ModelError

JUDGE = Path(__file__).parent / "data" / "judge_tfjs_models.mjs"
IMAGE = (2, 9, 8, 3)


class Case(NamedTuple):
    """A module or function, with the shapes of its inputs and the expected format."""

    make: Callable[[], Any]
    shapes: tuple[tuple[int, ...], ...]
    format: str = "layers"
    dtype: str = "float32"


def trained_norm(channels: int) -> nn.BatchNorm:
    norm = nn.BatchNorm(channels)
    norm.mean = pt.random.normal(channels, key=pt.random.key(1))
    norm.variance = pt.random.uniform(channels, key=pt.random.key(2)) + 0.5
    norm.scale = norm.variance * 2.0
    norm.offset = norm.mean + 0.5
    return norm


def convolutional() -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2D(3, 8, 3, padding="same", stride=2),
        trained_norm(8),
        pt.relu,
        nn.DepthwiseConv2D(8, 3, padding=1),
        nn.relu6,
        nn.Conv2D(8, 4, 1, bias=False),
        nn.PReLU(4),
        nn.MaxPool2D(2, stride=1, padding="same"),
        nn.Upsample(2),
        nn.ZeroPadding2D(((1, 0), (0, 2))),
        nn.Cropping2D(1),
        nn.AvgPool2D(2),
        nn.Dropout(0.3),
        nn.Flatten(),
        nn.Dense(64, 5),
        nn.softmax,
    )


def residual() -> nn.Model:
    x = nn.Input((6,))
    shared = nn.Dense(6, 6)
    twice = nn.Activation(nn.silu)(shared(shared(x)))
    both = nn.Add()([twice, x])
    joined = nn.Concatenate()([both, nn.Multiply()([twice, x]), nn.Maximum()([both, x])])
    return nn.Model(x, nn.LayerNorm(18)(joined))


def two_inputs() -> nn.Model:
    a, b = nn.Input((4,)), nn.Input((4,))
    hidden = nn.Minimum()([nn.Dense(4, 4)(a), nn.Average()([a, b])])
    return nn.Model([a, b], nn.Sequential(nn.Dense(4, 3), pt.tanh)(hidden))


class Attention(nn.Module):
    """A module of the user's."""

    first: nn.Dense
    second: nn.Dense

    def __init__(self) -> None:
        self.first, self.second = nn.Dense(6, 12), nn.Dense(6, 6)

    def forward(self, x: Any, *, training: bool = False) -> pt.Tensor:
        q, k = pt.split(self.first(x), 2, axis=-1)
        return self.second(pt.softmax(q @ k.mT * 0.5, axis=-1) @ x) + x


def sums(x: Any, y: Any) -> dict[str, pt.Tensor]:
    return {
        "total": pt.sum(x * y, axis=0),
        "largest": pt.argmax(x, axis=1),
        "where": pt.where(x > y, x, y)[:, ::-1],
        "part": pt.cumulative_sum(x[1:, 2:], axis=1),
        "equal": x[:, :2] <= y[:, :2],
        "joined": pt.concat([pt.abs(x), pt.log1p(y * y)], axis=1).reshape((2, -1)),
        "spread": pt.broadcast_to(x[:, None, :1], (4, 3, 2)),
        "limits": pt.max(x, axis=(0, 1)) - pt.min(y, keepdims=True),
        "filled": pt.pad(y, ((1, 0), (0, 2)), constant_values=3.0),
    }


def images(x: Any) -> pt.Tensor:
    w = pt.reshape(pt.sin(pt.arange(3 * 3 * 2 * 6) * 1.0), (3, 3, 2, 6))
    y = nn.conv2d(pt.concat([x, x[..., :1]], axis=-1), w, stride=(2, 1), padding=1, groups=2)
    return nn.avg_pool2d(nn.max_pool2d(y, 2, stride=1), 2)


CASES = {
    "dense": Case(lambda: nn.Sequential(nn.Dense(3, 4), pt.relu, nn.Dense(4, 2)), ((5, 3),)),
    "convolutional": Case(convolutional, (IMAGE,)),
    "global pools": Case(
        lambda: nn.Sequential(nn.Conv2D(3, 4, 3, dilation=2), nn.GlobalMaxPool()), (IMAGE,)
    ),
    "sound": Case(
        lambda: nn.Sequential(
            *(nn.Conv1D(2, 6, 3), nn.elu, nn.MaxPool1D(2), nn.AvgPool1D(2), nn.GlobalAvgPool())
        ),
        ((2, 20, 2),),
    ),
    "volume": Case(lambda: nn.Sequential(nn.Conv3D(1, 2, 2), nn.MaxPool3D(2)), ((1, 5, 5, 5, 1),)),
    "text": Case(
        lambda: nn.Sequential(
            nn.Embedding(9, 4), nn.LSTM(4, 5), nn.LSTM(5, 3, return_state=False), nn.softsign
        ),
        ((2, 6),),
        dtype="int32",
    ),
    "residual": Case(residual, ((3, 6),)),
    "two inputs": Case(two_inputs, ((3, 4), (3, 4))),
    "shape": Case(lambda: nn.Sequential(nn.Reshape((2, 3)), nn.LayerNorm((2, 3))), ((4, 6),)),
    "own module": Case(Attention, ((2, 5, 6),), "graph"),
    "function": Case(lambda: sums, ((4, 5), (4, 5)), "graph"),
    "images": Case(lambda: images, (IMAGE,), "graph"),
    "gru": Case(lambda: nn.Sequential(nn.GRU(3, 4), nn.Flatten()), ((2, 4, 3),), "graph"),
    "transposed": Case(
        lambda: nn.Sequential(nn.ConvTranspose2D(3, 2, 3, stride=2), nn.GroupNorm(2, 2)),
        (IMAGE,),
        "graph",
    ),
    "onnx": Case(lambda: pt.models.loads(pt.models.EXAMPLE), ((7,),), "graph"),
}


def inputs_of(case: Case) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    if case.dtype == "int32":
        return [rng.integers(0, 9, size=shape).astype("int32") for shape in case.shapes]
    return [rng.normal(size=shape).astype("float32") for shape in case.shapes]


def made(name: str) -> tuple[Any, dict[str, bytes]]:
    """Return the function of a case, which has the same weights each time, and its files."""
    case = CASES[name]
    pt.random.seed(1)
    function = case.make()
    return function, pt.models.to_tfjs(function, *inputs_of(case))


@cache
def judged() -> dict[str, Any]:
    """Return TensorFlow.js's results of all cases, which one process computes."""
    cases = []
    for name, case in CASES.items():
        _, files = made(name)
        document = json.loads(files["model.json"])
        names = [*document.get("signature", {}).get("inputs", range(len(case.shapes)))]
        values = {
            str(key): {"data": x.ravel().tolist(), "shape": x.shape, "dtype": case.dtype}
            for key, x in zip(names, inputs_of(case), strict=True)
        }
        weights = base64.b64encode(files["weights.bin"]).decode()
        model = files["model.json"].decode()
        cases.append({"model": model, "weights": weights, "inputs": values})
    command = ["node", str(JUDGE)]
    done = subprocess.run(command, input=json.dumps(cases), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(zip(CASES, json.loads(done.stdout), strict=True))


def results_of(function: Any, inputs: list[np.ndarray]) -> list[pt.Tensor]:
    many = isinstance(function, nn.Model) and len(inputs) > 1
    results = function(inputs) if many else function(*map(pt.asarray, inputs))
    return list(results.values()) if isinstance(results, dict) else [results]


@pytest.mark.parametrize("name", CASES)
def test_tensorflow_js_computes_the_same(name):
    function, files = made(name)
    answer, case = judged()[name], CASES[name]
    assert json.loads(files["model.json"])["format"] == f"{case.format}-model"
    assert isinstance(answer, list), answer
    for tensor, given in zip(results_of(function, inputs_of(case)), answer, strict=True):
        found = np.array(given["data"]).reshape(given["shape"])
        assert list(tensor.shape) == given["shape"]
        assert given["dtype"] == str(tensor.dtype)
        np.testing.assert_allclose(found, tensor.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_files_are_read_again(name):
    function, files = made(name)
    inputs = inputs_of(CASES[name])
    results = asyncio.run(pt.models.load(files))(*inputs)
    results = results if isinstance(results, tuple) else (results,)
    for a, b in zip(results, results_of(function, inputs), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-4, atol=1e-5)


def test_graphs_take_batches_of_any_length():
    model = nn.Sequential(nn.Dense(3, 4), nn.gelu)
    files = pt.models.to_tfjs(model, pt.ShapeDtype((1, 3)), open_batch=True)
    again = asyncio.run(pt.models.load(files))
    assert again.inputs[0].shape == (None, 3)
    x = pt.ones((5, 3))
    assert pt.allclose(again(x), model(x), atol=1e-5)


def test_frozen_layers_are_not_trained_there():
    model = nn.Sequential(nn.Dense(2, 3), nn.Dense(3, 1))
    nn.freeze(model, "layers.0")
    files = pt.models.to_tfjs(model, pt.ShapeDtype((1, 2)))
    config = json.loads(files["model.json"])["modelTopology"]["config"]
    assert [layer["config"].get("trainable") for layer in config["layers"]] == [None, False, True]


def test_transposes_that_undo_each_other_are_left_out():
    def network(x: Any) -> pt.Tensor:
        kernel = pt.sin(pt.arange(162) * 1.0).reshape((3, 3, 3, 6))
        y = nn.conv2d(pt.abs(x), kernel, stride=(2, 1), padding=1)
        return nn.avg_pool2d(nn.max_pool2d(y, 2, stride=1), 2)

    files = pt.models.to_tfjs(network, pt.ShapeDtype(IMAGE))
    nodes = json.loads(files["model.json"])["modelTopology"]["node"]
    operators = [node["op"] for node in nodes]
    assert {"Conv2D", "MaxPool", "AvgPool"} <= {*operators}
    assert "Transpose" not in operators


def test_names_of_inputs_and_outputs():
    files = pt.models.to_tfjs(
        *(lambda x: x + 1.0, pt.ShapeDtype((2,))), input_names=["image"], output_names=["label"]
    )
    signature = json.loads(files["model.json"])["signature"]
    assert ([*signature["inputs"]], [*signature["outputs"]]) == (["image"], ["label"])
    model = nn.Sequential(nn.Dense(2, 1))
    files = pt.models.to_tfjs(model, pt.ShapeDtype((1, 2)), input_names=["image"])
    assert [info.name for info in asyncio.run(pt.models.load(files)).inputs] == ["image"]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: pt.models.to_tfjs(
                nn.Sequential(nn.RMSNorm(3)), pt.ones((1, 3)), format="layers"
            ),
            ModelError,
            'no layer for a part of the model; got RMSNorm; pass format="graph"',
        ),
        (
            lambda: pt.models.to_tfjs(lambda x: x + 1, pt.ones(3), format="layers"),
            ModelError,
            "got function",
        ),
        (
            lambda: pt.models.to_tfjs(pt.linalg.det, pt.ones((2, 2))),
            ModelError,
            "operations cannot be exported; got Det, which TensorFlow.js lacks",
        ),
        (
            lambda: pt.models.to_tfjs(lambda x: x, pt.ones(3, dtype="uint8")),
            ModelError,
            "has no tensors of a dtype; got uint8",
        ),
        (
            lambda: pt.models.to_tfjs(lambda x: x, pt.ones(3), format="keras"),
            ArgumentError,
            "format is unknown; got 'keras'",
        ),
        (
            lambda: pt.models.to_tfjs(
                nn.Sequential(nn.Dense(1, 1)), pt.ones((1, 1)), input_names=["a", "b"]
            ),
            ArgumentError,
            "input_names must be one text for each",
        ),
    ],
)
def test_wrong_arguments_are_reported(call, error, text):
    with pytest.raises(error) as raised:
        call()
    assert text in str(raised.value)
