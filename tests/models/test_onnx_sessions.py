"""`pt.onnx` has the interface of ONNX Runtime, whose own answers are the reference."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, external_data_helper, helper, numpy_helper

import py_tensor as pt
from py_tensor.errors import ArgumentError, ArgumentTypeError, ModelError

FLOAT, INT64, DOUBLE, BOOL = (
    TensorProto.FLOAT,
    TensorProto.INT64,
    TensorProto.DOUBLE,
    TensorProto.BOOL,
)


def model() -> Any:
    """Return a model of texts' lengths with inputs and outputs of several dtypes."""
    value = helper.make_tensor_value_info
    nodes = [
        helper.make_node("Gather", ["table", "ids"], ["rows"]),
        helper.make_node("Mul", ["rows", "scale"], ["scaled"]),
        helper.make_node("ReduceMean", ["scaled"], ["mean"], axes=[1], keepdims=0),
        helper.make_node("ArgMax", ["mean"], ["best"], axis=-1, keepdims=0),
        helper.make_node("Cast", ["mean"], ["wide"], to=DOUBLE),
        helper.make_node("Shape", ["ids"], ["shape"]),
        helper.make_node("SequenceConstruct", ["mean", "scale"], ["parts"]),
    ]
    constants = {"table": np.arange(12, dtype="float32").reshape(4, 3)}
    graph = helper.make_graph(
        nodes,
        "embedding",
        [value("ids", INT64, ["batch", None]), value("scale", FLOAT, [])],
        [
            value("mean", FLOAT, ["batch", 3]),
            value("best", INT64, ["batch"]),
            value("wide", DOUBLE, ["batch", 3]),
            value("shape", INT64, [2]),
            helper.make_tensor_sequence_value_info("parts", FLOAT, None),
        ],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
        doc_string="mean of rows",
    )
    made = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
        producer_name="tests",
        model_version=3,
        domain="org.tests",
        doc_string="for tests",
    )
    helper.set_model_props(made, {"labels": "a,b", "rate": "16000"})
    return made


FEEDS = {"ids": np.int64([[0, 3], [1, 1]]), "scale": np.array(2, "float32")}


def test_results_are_the_arrays_of_onnx_runtime(engine):
    data = model().SerializeToString()
    sessions = [runtime.InferenceSession(data) for runtime in (onnxruntime, pt.onnx)]
    wanted, found = (session.run(None, FEEDS) for session in sessions)
    assert isinstance(found, list)
    for a, b in zip((*found[:-1], *found[-1]), (*wanted[:-1], *wanted[-1]), strict=True):
        assert isinstance(a, np.ndarray)
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-6)
    [best] = sessions[1].run(["best"], {name: pt.asarray(x) for name, x in FEEDS.items()})
    assert best.tolist() == [2, 2]
    assert len(sessions[1].run([], FEEDS)) == len(found)


@pytest.mark.host
def test_declarations_are_those_of_onnx_runtime():
    data = model().SerializeToString()
    wanted, found = (
        runtime.InferenceSession(data, providers=["CPUExecutionProvider"])
        for runtime in (onnxruntime, pt.onnx)
    )
    for method in ("get_inputs", "get_outputs", "get_overridable_initializers"):
        pairs = zip(getattr(found, method)(), getattr(wanted, method)(), strict=True)
        for a, b in pairs:
            assert (a.name, a.type, a.shape) == (b.name, b.type, b.shape)
    ours, theirs = found.get_modelmeta(), wanted.get_modelmeta()
    for name in pt.onnx.ModelMetadata._fields:
        assert getattr(ours, name) == getattr(theirs, name)
    assert found.get_providers() == wanted.get_providers()
    assert found.get_provider_options() == wanted.get_provider_options()


@pytest.mark.host
def test_sequences_and_optional_values_have_onnx_runtimes_types():
    sequence = helper.make_tensor_sequence_value_info("x", FLOAT, None)
    optional = helper.make_optional_type_proto(helper.make_tensor_type_proto(FLOAT, [2]))
    inputs = [sequence, helper.make_value_info("o", optional)]
    nodes = [
        helper.make_node("SequenceLength", ["x"], ["y"]),
        helper.make_node("OptionalHasElement", ["o"], ["has"]),
    ]
    outputs = [
        helper.make_tensor_value_info("y", INT64, []),
        helper.make_tensor_value_info("has", BOOL, []),
    ]
    graph = helper.make_graph(nodes, "lists", inputs, outputs)
    imports = [helper.make_opsetid("", 18)]
    data = helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString()
    wanted, found = (
        [argument.type for argument in runtime.InferenceSession(data).get_inputs()]
        for runtime in (onnxruntime, pt.onnx)
    )
    assert found == wanted == ["seq(tensor(float))", "optional(tensor(float))"]


class Embedder:
    """A class as libraries have it, which knows only `onnxruntime`."""

    def __init__(self, path: str, threads: int = 1) -> None:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = threads
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        wanted = ["CUDAExecutionProvider", "CPUExecutionProvider"]
        providers = [name for name in wanted if name in ort.get_available_providers()]
        self.session = ort.InferenceSession(path, sess_options=options, providers=providers)
        self.names = [argument.name for argument in self.session.get_inputs()]
        self.labels = self.session.get_modelmeta().custom_metadata_map["labels"].split(",")

    def __call__(self, ids: np.ndarray, scale: float) -> np.ndarray:
        feeds = dict(zip(self.names, (ids, np.array(scale, "float32")), strict=True))
        return np.asarray(self.session.run(["mean"], feeds)[0])


def test_a_library_that_imports_onnxruntime_can_be_given_it(engine, tmp_path, monkeypatch):
    made = model()
    table = made.graph.initializer[0]
    external_data_helper.set_external_data(table, "table.bin")
    (tmp_path / "table.bin").write_bytes(table.raw_data)
    table.ClearField("raw_data")
    path = tmp_path / "model.onnx"
    path.write_bytes(made.SerializeToString())
    monkeypatch.setitem(sys.modules, "onnxruntime", pt.onnx)
    embedder = Embedder(str(path))
    assert isinstance(embedder.session, pt.onnx.InferenceSession)
    assert embedder.labels == ["a", "b"]
    assert embedder(FEEDS["ids"], 2.0).tolist() == [[9.0, 11.0, 13.0], [6.0, 8.0, 10.0]]


@pytest.mark.host
def test_wrong_sources_are_reported(tmp_path):
    with pytest.raises(ArgumentTypeError, match="neither a path nor bytes; got int"):
        pt.onnx.InferenceSession(3)
    with pytest.raises(ModelError, match="file cannot be read; got No such file"):
        pt.onnx.InferenceSession(Path(tmp_path, "missing.onnx"))
    with pytest.raises(ModelError, match="got a GGUF file"):
        pt.onnx.InferenceSession(b"GGUF\3\0\0\0")
    made = model()
    external_data_helper.set_external_data(made.graph.initializer[0], "table.bin")
    with pytest.raises(ModelError, match=r"got table\.bin for bytes; pass the path"):
        pt.onnx.InferenceSession(made.SerializeToString())


def test_wrong_names_are_reported(engine):
    session = pt.onnx.InferenceSession(pt.models.EXAMPLE)
    with pytest.raises(ArgumentError, match="inputs are unknown; got 'z'"):
        session.run(None, {"z": np.zeros(2)})
    with pytest.raises(ArgumentError, match="outputs are unknown; got 'q'"):
        session.run(["q"], {"x": np.zeros(2)})


@pytest.mark.host
def test_options_are_kept():
    options = pt.onnx.SessionOptions()
    options.add_session_config_entry("a", "1")
    assert options.get_session_config_entry("a") == "1"
    session = pt.onnx.InferenceSession(pt.models.EXAMPLE, options, ["CPUExecutionProvider"])
    assert session.get_session_options() is options
    session.set_providers(["CUDAExecutionProvider"])
    assert session.get_providers() == ["CPUExecutionProvider"]
    assert pt.onnx.get_device() == onnxruntime.get_device()
