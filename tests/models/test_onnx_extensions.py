"""Operators of ONNX without cases in the onnx package: ONNX Runtime's, and random numbers."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import helper

import py_tensor as pt
from py_tensor.models.onnx.operators import OPERATORS

FILE = Path(__file__).parents[1] / "reference_data" / "onnx_extensions.json"
CASES = json.loads(FILE.read_text())
NARROW = {"int64": "int32"}


def array(packed: dict[str, Any]) -> np.ndarray[Any, Any]:
    data = np.frombuffer(base64.b64decode(packed["data"]), packed["dtype"])
    return data.reshape(packed["shape"])


@pytest.mark.parametrize("operator", sorted({case["operator"] for case in CASES}))
def test_results_are_those_of_onnx_runtime(operator, engine):
    for case in (case for case in CASES if case["operator"] == operator):
        model = pt.models.loads(base64.b64decode(case["model"]))
        given = model.run({name: array(each) for name, each in case["inputs"].items()})
        for tensor, expected in zip(given.values(), map(array, case["outputs"]), strict=True):
            found = tensor.numpy()
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
            if expected.dtype.kind in "iu":
                # ONNX Runtime rounds some results from tables: off by one step.
                assert np.abs(found.astype(int) - expected.astype(int)).max() <= 1
            else:
                size = np.abs(expected).max()
                np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * size)


def test_every_extension_has_a_case():
    assert {case["operator"] for case in CASES} == {
        *(name for name in OPERATORS if name.startswith("com.microsoft.")),
        "SimplifiedLayerNormalization",
    }


def random_model(operator: str, inputs: list[str], **attributes: Any) -> pt.models.Model:
    infos = [helper.make_tensor_value_info(name, 1, [100, 100]) for name in inputs]
    node = helper.make_node(operator, inputs, ["y"], **attributes)
    result = helper.make_empty_tensor_value_info("y")
    graph = helper.make_graph([node], "random", infos, [result])
    return pt.models.loads(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)]).SerializeToString()
    )


@pytest.mark.parametrize(
    ("operator", "options", "mean", "deviation"),
    [
        ("RandomNormal", {"shape": [100, 100], "mean": 2.0, "scale": 3.0}, 2, 3),
        ("RandomNormalLike", {"mean": 2.0, "scale": 3.0}, 2, 3),
        ("RandomUniform", {"shape": [100, 100], "low": 1.0, "high": 3.0}, 2, 3**-0.5),
        ("RandomUniformLike", {"low": 1.0, "high": 3.0}, 2, 3**-0.5),
        ("Bernoulli", {}, 0.25, 0.25**0.5 * 0.75**0.5),
    ],
)
def test_random_numbers(operator, options, mean, deviation, engine):
    inputs = [] if "shape" in options else ["x"]
    given = {} if "shape" in options else {"x": pt.full((100, 100), 0.25)}
    model = random_model(operator, inputs, seed=3.0, **options)
    first = model.run(given)["y"].numpy()
    assert abs(first.mean() - mean) < 0.1 * deviation
    assert abs(first.std() - deviation) < 0.05 * deviation
    assert (first == model.run(given)["y"].numpy()).all()
    other = random_model(operator, inputs, seed=4.0, **options).run(given)["y"].numpy()
    assert (first != other).any()


def test_multinomial(engine):
    model = random_model("Multinomial", ["x"], sample_size=50, seed=1.0)
    logits = np.full((100, 100), -100, "float32")
    logits[:, 7] = 0
    found = model(logits)
    assert found.shape == (100, 50)
    assert found.dtype is pt.int32
    assert (found.numpy() == 7).all()
