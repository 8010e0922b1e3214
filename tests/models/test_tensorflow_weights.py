"""Load weights of frozen graphs of TensorFlow, and of Keras's files."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from helpers import finished

import py_tensor as pt
from py_tensor.errors import ModelError

FOLDER = Path(__file__).parent / "data"
VALUES = json.loads((FOLDER / "tensorflow_weights.json").read_text())
NARROWER = {"float64": "float32", "int64": "int32"}


def test_constants_of_a_frozen_graph(engine):
    weights = finished(pt.models.load_weights(FOLDER / "frozen.pb"))
    expected = VALUES["frozen.pb"]
    # Texts are left out.
    assert [*weights] == [*expected]
    for name, (dtype, values) in expected.items():
        assert weights[name].dtype.name == NARROWER.get(dtype, dtype)
        np.testing.assert_array_equal(
            weights[name].numpy(), np.asarray(values, weights[name].dtype.name)
        )


def test_weights_of_h5_files_without_the_optimizer(engine):
    path = "model_weights/dense/sequential/dense/"
    weights = finished(pt.models.load_weights(FOLDER / "legacy.h5", prefix=path))
    values = {name: values for name, (_, values) in VALUES["legacy.h5"].items()}
    assert {name: tensor.tolist() for name, tensor in weights.items()} == values
    assert len(finished(pt.models.load_weights(FOLDER / "legacy.h5"))) == 2


def test_weights_of_a_keras_file_are_those_of_its_archive(engine):
    data = (FOLDER / "image.keras").read_bytes()
    weights = finished(pt.models.load_weights(data))
    assert len(weights) == 10
    inner = ZipFile(BytesIO(data)).read("model.weights.h5")
    same = finished(pt.models.load_weights(inner))
    assert {name: w.tolist() for name, w in weights.items()} == {
        name: w.tolist() for name, w in same.items()
    }


@pytest.mark.host
@pytest.mark.parametrize("cut", [8, 100, 400])
def test_cut_frozen_graph_is_named(cut):
    data = (FOLDER / "frozen.pb").read_bytes()[:cut]
    with pytest.raises(ModelError, match=r"^load_weights: not a valid frozen graph of TensorFlow"):
        finished(pt.models.load_weights(data))


@pytest.mark.host
def test_tensor_of_another_size_is_named():
    data = (FOLDER / "frozen.pb").read_bytes()
    # The shape (3, 2) becomes (3, 1), of fewer bytes than the content has.
    changed = data.replace(
        b"\x12\x02\x08\x03\x12\x02\x08\x02", b"\x12\x02\x08\x03\x12\x02\x08\x01", 1
    )
    assert changed != data
    with pytest.raises(ModelError, match=r"another number of bytes; got 'dense/kernel'.* \(3, 1\)"):
        finished(pt.models.load_weights(changed))


@pytest.mark.host
def test_frozen_graph_is_no_model():
    with pytest.raises(ModelError, match="convert it with tensorflowjs_converter"):
        pt.models.loads((FOLDER / "frozen.pb").read_bytes())
