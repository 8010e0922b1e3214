"""Weights of TensorFlow.js: dtypes, shards, quantization, and manifests that do not fit."""

from __future__ import annotations

import asyncio
import json
import math
import struct
from typing import Any

import numpy as np
import pytest
from helpers import assert_values

import py_tensor as pt
from py_tensor.errors import ModelError
from py_tensor.models.tfjs.weights import files_of, read_weights

pytestmark = pytest.mark.host

VALUES = {
    "f": ("float32", np.float32([[0.5, -2], [3, 1e-3]])),
    "h": ("float16", np.float16([1.5, -0.25])),
    "i": ("int32", np.int32([1, -(2**31), 7])),
    "l": ("int64", np.int64([3, -4])),
    "u": ("uint8", np.uint8([0, 255, 3])),
    "b": ("bool", np.array([True, False, True])),
    "c": ("complex64", np.complex64([1 + 2j, -3j])),
    "e": ("float32", np.zeros((0, 3), "float32")),
    "s": ("float32", np.float32(7)),
}


def manifest(count: int = 1, **weights: tuple[str, np.ndarray]) -> tuple[list[Any], dict[str, Any]]:
    """Return a manifest of weights in `count` files of nearly equal length, and the files."""
    data = b"".join(array.tobytes() for _, array in weights.values())
    step = math.ceil(len(data) / count)
    files = {f"shard{at}": data[at * step : (at + 1) * step] for at in range(count)}
    listed = [
        {"name": name, "dtype": dtype, "shape": list(array.shape)}
        for name, (dtype, array) in weights.items()
    ]
    return [{"paths": list(files), "weights": listed}], files


@pytest.mark.parametrize("count", [1, 2, 7, 70])
def test_weights_of_every_dtype_in_shards(count, engine):
    groups, files = manifest(count, **VALUES)
    assert files_of(groups) == set(files)
    found = read_weights(groups, files)
    assert list(found) == list(VALUES)
    for name, (_, array) in VALUES.items():
        wanted = array.astype("int32") if array.dtype == "int64" else array
        assert_values(found[name].tensor(), wanted)


def test_numbers_of_complex_weights(engine):
    found = read_weights(*manifest(c=VALUES["c"]))
    assert found["c"].numbers == [1 + 2j, -3j]


def test_groups_have_their_own_files(engine):
    groups, files = manifest(f=VALUES["f"])
    more, others = manifest(i=VALUES["i"])
    more[0]["paths"] = ["other"]
    found = read_weights(groups + more, {**files, "other": others["shard0"]})
    assert_values(found["i"].tensor(), VALUES["i"][1])


@pytest.mark.parametrize("stored", ["uint8", "uint16"])
def test_quantized_weights(stored, engine):
    steps = np.array([0, 3, np.iinfo(stored).max], stored)
    for dtype, wanted in (
        ("float32", (steps.astype("float64") * 0.1 - 2.25).astype("float32")),
        ("int32", np.floor(steps.astype("float64") * 0.1 - 2.25 + 0.5).astype("int32")),
    ):
        groups, files = manifest(q=(dtype, steps))
        quantization = {"dtype": stored, "scale": 0.1, "min": -2.25}
        groups[0]["weights"][0]["quantization"] = quantization
        assert_values(read_weights(groups, files)["q"].tensor(), wanted)


def test_half_precision_weights_become_float32(engine):
    halves = np.float16([0.1, -65504, 6e-8, np.inf])
    groups, files = manifest(q=("float32", halves))
    groups[0]["weights"][0]["quantization"] = {"dtype": "float16"}
    constant = read_weights(groups, files)["q"]
    assert constant.nbytes == 8
    assert_values(constant.tensor(), halves.astype("float32"))


def test_weights_that_are_texts(engine):
    texts = b"".join(struct.pack("<I", len(text)) + text for text in (b"", b"abc"))
    groups, files = manifest(t=("string", np.frombuffer(texts, "uint8")), f=VALUES["f"])
    groups[0]["weights"][0]["shape"] = [2]
    found = read_weights(groups, files)
    assert (found["t"].shape, found["t"].numbers, found["t"].nbytes) == ((2,), [b"", b"abc"], 3)
    with pytest.raises(TypeError, match="texts instead of a tensor"):
        found["t"].tensor()
    assert_values(found["f"].tensor(), VALUES["f"][1])


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"shape": [5]}, 'past the end of their files; got bytes 0 to 20 of 16 for weight "f"'),
        ({"shape": [2**62]}, r'0 to 2\*\*64 or more of 16 for weight "f"|shape is not valid'),
        ({"shape": [3]}, "longer than the weights; got 16 instead of 12 bytes in shard0"),
        ({"shape": [-4]}, r'shape is not valid; got \[-4\] of weight "f"'),
        ({"shape": "4"}, "shape is not valid"),
        ({"shape": [True]}, "shape is not valid"),
        ({"name": None}, "weight has no name"),
        ({"dtype": "resource"}, "dtype of a weight is not supported; got 'resource'"),
        ({"dtype": None}, 'dtype of a weight is not supported; got None for weight "f"'),
        ({"dtype": "string"}, 'past the end of their files.*for weight "f"'),
        ({"quantization": {"dtype": "int4"}}, "quantization is not supported"),
        ({"quantization": 3}, "quantization is not supported"),
        (
            {"quantization": {"dtype": "uint8", "scale": 1}, "shape": [16]},
            'quantization lacks its scale or min.*weight "f"',
        ),
        (
            {"quantization": {"dtype": "uint8", "scale": 10**400, "min": 0.5}, "shape": [16]},
            "quantization is not valid",
        ),
        (
            {
                "quantization": {"dtype": "uint8", "scale": 1e300, "min": 0},
                "dtype": "int32",
                "shape": [16],
            },
            "quantization is not valid",
        ),
    ],
)
def test_weights_that_do_not_fit_are_refused(change, text, engine):
    groups, files = manifest(f=("float32", np.float32([1, 2, 3, 4])))
    groups[0]["weights"][0] |= change
    with pytest.raises(ModelError, match=text):
        read_weights(groups, files)


@pytest.mark.parametrize(
    ("groups", "text"),
    [
        ({}, "manifest of weights must be a list"),
        ([3], "group of weights lacks paths or weights"),
        ([{"paths": ["a"]}], "group of weights lacks paths or weights"),
        ([{"paths": [1], "weights": []}], "group of weights lacks paths or weights"),
        ([{"paths": ["a"], "weights": []}], "file of weights is missing; got a"),
    ],
)
def test_malformed_manifests_are_refused(groups, text):
    with pytest.raises(ModelError, match=text):
        read_weights(groups, {})


def test_a_weight_that_occurs_twice_is_refused():
    groups, files = manifest(f=VALUES["f"])
    with pytest.raises(ModelError, match="weight occurs twice; got 'f'"):
        read_weights(groups * 2, files)


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a/../../b", "c:\\x", "a%2e", "a?b"])
def test_names_of_files_stay_in_the_folder(name):
    document = {
        "modelTopology": {"node": []},
        "weightsManifest": [{"paths": [name], "weights": []}],
    }
    with pytest.raises(
        ModelError, match="load: external data must be a file in the model's folder"
    ):
        asyncio.run(pt.models.load(json.dumps(document).encode()))


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b'{"modelTopology"', "file is not JSON"),
        (b'{"modelTopology": 3}', "file has no modelTopology; got 3"),
        (b'\xef\xbb\xbf {"modelTopology": {}}', "topology is neither of nodes nor of layers"),
        (b'{"modelTopology": ' + b"[" * 100_000, "file is not JSON"),
        (b'{"modelTopology": "\xff"}', "file is not JSON"),
    ],
)
def test_files_are_recognized_by_content(data, text):
    with pytest.raises(ModelError, match=f"not a valid TensorFlow.js model: {text}"):
        pt.models.loads(data)


@pytest.mark.parametrize("whole", [False, True])
def test_a_manifest_without_a_graph_is_read_as_weights(whole, engine, tmp_path):
    groups, files = manifest(3, **VALUES)
    document = {"weightsManifest": groups} if whole else groups
    (tmp_path / "weights_manifest.json").write_text(json.dumps(document))
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    found = asyncio.run(pt.models.load_weights(tmp_path / "weights_manifest.json"))
    assert list(found) == list(VALUES)
    assert_values(found["f"], VALUES["f"][1])
    of_folder = asyncio.run(pt.models.load_weights(tmp_path, prefix="l"))
    assert_values(of_folder[""], np.int32([3, -4]))


@pytest.mark.parametrize("whole", [False, True])
def test_a_manifest_as_a_model_says_how_to_read_it(whole):
    groups, _ = manifest(1, f=VALUES["f"])
    data = json.dumps({"weightsManifest": groups} if whole else groups).encode()
    with pytest.raises(
        ModelError, match=r"a manifest of TensorFlow\.js; .* pt\.models\.load_weights"
    ):
        pt.models.loads(data)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('[{"paths": ["a"], "weights": 3}]', "group of weights lacks paths or weights"),
        ('{"weightsManifest": 3, "paths": 0, "weights": 0}', "manifest of weights must be a list"),
        ('[{"paths": ["../a"], "weights": []}]', "external data must be a file"),
        ('[{"paths": ["a"], "weights": []}', "file is not JSON"),
    ],
)
def test_wrong_manifests_are_reported(text, wrong):
    with pytest.raises(ModelError, match=f"load_weights: .*{wrong}"):
        asyncio.run(pt.models.load_weights(text.encode()))
