"""`.keras` and `.h5` files: layers and weights as Keras computes them, and damaged files."""

from __future__ import annotations

import asyncio
import io
import json
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from helpers import assert_values

import py_tensor as pt
from py_tensor import errors
from py_tensor.models.tfjs import hdf5

DATA = Path(__file__).parent / "data"
VALUES = json.loads((DATA / "keras_values.json").read_text())


@pytest.mark.parametrize("name", ["image.keras", "words.keras", "words.h5"])
def test_file_of_keras_has_its_results(name):
    model = pt.models.loads((DATA / name).read_bytes())
    values = VALUES[name.partition(".")[0]]
    inputs = np.array(values["inputs"], "int32" if "words" in name else "float32")
    expected = np.array(values["results"], "float32")
    assert_values(model(pt.asarray(inputs)), expected, rtol=1e-5, atol=1e-6)
    assert (model.format, model.producer[:7]) == (name.partition(".")[2], "Keras 3")


def check_keras2(name, data, version):
    values = json.loads((DATA / "keras2_values.json").read_text())[name]
    model = pt.models.loads(data)
    results = model(np.float32(values["inputs"]))
    results = results if isinstance(results, tuple) else (results,)
    for result, expected in zip(results, values["results"], strict=True):
        assert_values(result, np.float32(expected), rtol=1e-5, atol=1e-6)
    assert (model.format, model.producer) == ("h5", f"Keras {version}")


@pytest.mark.parametrize("name", ["image", "branches", "renamed"])
def test_h5_file_of_keras_2_has_its_results(name):
    check_keras2(name, (DATA / f"keras2_{name}.h5").read_bytes(), "2.21.0")


def in_older_form(value):
    """Return a configuration as Keras 2.2 wrote it."""
    if isinstance(value, list):
        return [in_older_form(item) for item in value]
    if not isinstance(value, dict):
        return value
    newer = ("module", "registered_name", "groups", "ragged", "optional", "build_input_shape")
    value = {key: in_older_form(item) for key, item in value.items() if key not in newer}
    if isinstance(value.get("axis"), list):
        [value["axis"]] = value["axis"]
    kind = value.get("class_name")
    if kind == "GlorotUniform":
        config = {"scale": 1.0, "mode": "fan_avg", "distribution": "uniform", "seed": None}
        value = {"class_name": "VarianceScaling", "config": config}
    if kind == "Functional":
        value["class_name"] = "Model"
    if kind == "Sequential":
        layers = value["config"]["layers"]
        value["config"] = [layer for layer in layers if layer["class_name"] != "InputLayer"]
    return value


@pytest.mark.parametrize("name", ["image", "branches"])
def test_older_configuration_of_keras_2_has_the_same_results(name):
    data = (DATA / f"keras2_{name}.h5").read_bytes()
    config = hdf5.read_texts(data)["model_config"].encode()
    older = json.dumps(in_older_form(json.loads(config))).encode()
    assert config in data
    assert len(older) < len(config)
    data = data.replace(config, older.ljust(len(config))).replace(b"2.21.0", b"2.2.4 ")
    check_keras2(name, data, "2.2.4")


def test_file_is_loaded_from_a_path():
    model = asyncio.run(pt.models.load(DATA / "words.keras"))
    assert len(list(model.named_parameters())) == 6


def with_weights(data):
    """Return the bytes of a file with other weights."""
    result = io.BytesIO()
    source = zipfile.ZipFile(DATA / "words.keras")
    with source, zipfile.ZipFile(result, "w") as target:
        for name in ("metadata.json", "config.json"):
            target.writestr(name, source.read(name))
        target.writestr("model.weights.h5", data)
    return result.getvalue()


@pytest.mark.host
def test_damaged_weights_raise_model_errors(rng):
    with zipfile.ZipFile(DATA / "words.keras") as archive:
        weights = archive.read("model.weights.h5")
    pt.models.loads(with_weights(weights))
    for _ in range(60):
        damaged = bytearray(weights)
        for at in rng.integers(0, len(weights), 20):
            damaged[at] = rng.integers(0, 256)
        try:
            pt.models.loads(with_weights(bytes(damaged)))
        except errors.ModelError:
            continue
    for wrong in (b"", weights[:64], weights[: len(weights) // 2], b"\x89HDF\r\n\x1a\n\x02" * 9):
        with pytest.raises(errors.ModelError):
            pt.models.loads(with_weights(wrong))


def without(missing):
    """Return the bytes of a file from which one of its archive's files is missing."""
    result = io.BytesIO()
    source = zipfile.ZipFile(DATA / "words.keras")
    with source, zipfile.ZipFile(result, "w") as target:
        for name in {*source.namelist()} - {missing}:
            target.writestr(name, source.read(name))
    return result.getvalue()


@pytest.mark.host
@pytest.mark.parametrize("missing", ["config.json", "metadata.json", "model.weights.h5"])
def test_incomplete_file_of_keras_names_what_is_missing(missing):
    with pytest.raises(errors.ModelError, match=rf"valid \.keras file: {missing} is missing; got"):
        pt.models.loads(without(missing))


@pytest.mark.host
@pytest.mark.parametrize("size", [300, 14_000, -10])
def test_file_of_keras_that_is_cut_short_is_named(size):
    data = (DATA / "words.keras").read_bytes()[:size]
    problem = re.escape(
        "load: not a valid .keras file: archive is damaged, or its end is missing; got "
        f"BadZipFile: File is not a zip file, in {len(data):,} bytes; download or save the file"
    )
    with pytest.raises(errors.ModelError, match=problem):
        pt.models.loads(data)


@pytest.mark.host
def test_damaged_layers_are_those_of_keras():
    data = (DATA / "words.h5").read_bytes()
    at = data.index(b'"class_name": "Embedding"')
    damaged = data[:at] + data[at:].replace(b'"config"', b'"xonfig"', 1)
    with pytest.raises(errors.ModelError, match="not a valid model of Keras: configuration is"):
        pt.models.loads(damaged)


@pytest.mark.host
def test_newer_headers_are_refused_with_advice():
    with zipfile.ZipFile(DATA / "words.keras") as archive:
        weights = archive.read("model.weights.h5")
    # The version of the object header of the first group.
    at = int.from_bytes(weights[64:72], "little")
    damaged = weights[:at] + b"\x02" + weights[at + 1 :]
    with pytest.raises(errors.ModelError, match=r"version 1; got 2; save the model again"):
        pt.models.loads(with_weights(damaged))


@pytest.mark.host
def test_damaged_h5_file_raises_model_errors(rng):
    data = (DATA / "words.h5").read_bytes()
    for _ in range(60):
        damaged = bytearray(data)
        for at in rng.integers(0, len(data), 200):
            damaged[at] = rng.integers(0, 256)
        try:
            pt.models.loads(bytes(damaged))
        except errors.ModelError:
            continue
    for wrong in (data[:8], data[:64], data[: len(data) // 2], data[:8] + b"\x02" * 99):
        with pytest.raises(errors.ModelError, match="not a valid HDF5 file of Keras"):
            pt.models.loads(wrong)


@pytest.mark.host
@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (b"model_config", b"model_confix", "HDF5 file has no model of Keras; got one without"),
        (b'{"class_name', b'["class_name', "model_config is not JSON"),
        (b"GCOL", b"GCOX", "heap is damaged; got address"),
    ],
)
def test_h5_file_without_a_model_says_what_to_do(old, new, problem):
    data = (DATA / "words.h5").read_bytes()
    assert old in data
    with pytest.raises(errors.ModelError, match=re.escape(problem)):
        pt.models.loads(data.replace(old, new, 1))


@pytest.mark.host
def test_model_next_to_h5_weights_is_chosen():
    files = {"weights.h5": (DATA / "legacy.h5").read_bytes(), "a.onnx": pt.models.EXAMPLE}
    assert asyncio.run(pt.models.load(files)).format == "onnx"
