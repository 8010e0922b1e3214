"""Operators of ONNX for the detection of objects, next to ONNX Runtime."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import py_tensor as pt


@pytest.mark.parametrize("centered", [0, 1])
@pytest.mark.parametrize("distance", [0, 500])
@pytest.mark.parametrize("most", [3, 1000])
def test_non_max_suppression_as_in_onnx_runtime(distance, most, centered, engine):
    rng = np.random.default_rng(0)
    batches, classes, count = 2, 3, 60
    corner = rng.uniform(0, 100, (batches, count, 2))
    size = rng.uniform(1, 40, (batches, count, 2))
    # Many models move the boxes of a class, so that only boxes of one class overlap.
    corner += distance * rng.integers(0, 4, (batches, count, 1))
    parts = (corner + size / 2, size) if centered else (corner, corner + size)
    feeds = {
        "boxes": np.concatenate(parts, axis=-1).astype(np.float32),
        "scores": rng.uniform(0, 1, (batches, classes, count)).astype(np.float32),
    }
    node = helper.make_node(
        "NonMaxSuppression",
        ["boxes", "scores", "most", "overlap", "least"],
        ["kept"],
        center_point_box=centered,
    )
    graph = helper.make_graph(
        [node],
        "detection",
        [helper.make_tensor_value_info(name, 1, value.shape) for name, value in feeds.items()],
        [helper.make_empty_tensor_value_info("kept")],
        [
            helper.make_tensor("most", TensorProto.INT64, [1], [most]),
            helper.make_tensor("overlap", TensorProto.FLOAT, [1], [0.4]),
            helper.make_tensor("least", TensorProto.FLOAT, [1], [0.3]),
        ],
    )
    data = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=onnx.IR_VERSION_2023_5_5
    ).SerializeToString()
    (expected,) = onnxruntime.InferenceSession(data).run(["kept"], feeds)
    assert pt.models.loads(data).run(feeds)["kept"].tolist() == expected.tolist()
