"""Sequences and optional values of ONNX, inside of models and as inputs and outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers import assert_values
from onnx import TensorProto, helper, numpy_helper

import py_tensor as pt
from py_tensor.errors import ArgumentTypeError, ModelError, ShapeError

FLOAT = TensorProto.FLOAT


def tensor(name: str, shape: Any = None, dtype: int = FLOAT) -> Any:
    return helper.make_tensor_value_info(name, dtype, shape)


def sequence(name: str, shape: Any = None) -> Any:
    return helper.make_tensor_sequence_value_info(name, FLOAT, shape)


def loaded(nodes: list[Any], inputs: list[Any], outputs: list[Any], **constants: Any) -> Any:
    given = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "tested", inputs, outputs, given)
    imports = [helper.make_opsetid("", 18)]
    return pt.models.loads(helper.make_model(graph, opset_imports=imports).SerializeToString())


def test_parts_of_a_tensor_are_computed_and_joined(engine):
    """PyTorch exports `split` like this: the sequence is inside of the model."""
    model = loaded(
        [
            helper.make_node("SplitToSequence", ["x", "two"], ["parts"], axis=1),
            helper.make_node("SequenceAt", ["parts", "last"], ["z"]),
            helper.make_node("SequenceErase", ["parts", "zero"], ["rest"]),
            helper.make_node("SequenceInsert", ["rest", "z", "zero"], ["more"]),
            helper.make_node("SequenceLength", ["more"], ["n"]),
            helper.make_node("ConcatFromSequence", ["more"], ["y"], axis=1),
        ],
        [tensor("x", [2, None])],
        [tensor("y"), tensor("n", [], TensorProto.INT64)],
        two=np.int64(2),
        last=np.int64(-1),
        zero=np.int64(0),
    )
    x = np.arange(10, dtype="float32").reshape(2, 5)
    for _ in range(2):
        y, n = model(x)
        assert_values(y, x[:, [4, 2, 3, 4]])
        assert n.item() == 3
    assert not model._runner.eager


def test_shapes_in_sequences_stay_numbers(engine):
    model = loaded(
        [
            helper.make_node("Shape", ["x"], ["shape"]),
            helper.make_node("SplitToSequence", ["shape"], ["lengths"], keepdims=0),
            helper.make_node("SequenceAt", ["lengths", "one"], ["width"]),
            helper.make_node("SequenceConstruct", ["one", "width", "one"], ["wanted"]),
            helper.make_node("SequenceErase", ["wanted"], ["some"]),
            helper.make_node("ConcatFromSequence", ["some"], ["vector"], axis=0, new_axis=1),
            helper.make_node("Reshape", ["x", "vector"], ["y"]),
        ],
        [tensor("x", [None, None])],
        [tensor("y")],
        one=np.int64(1),
    )
    assert model([[1.0, 2.0, 3.0]]).shape == (1, 3)
    # Nothing is read back from the device.
    assert not model._runner.eager


def test_sequences_are_lists(engine):
    nodes = [
        helper.make_node("SequenceEmpty", [], ["none"]),
        helper.make_node("SequenceInsert", ["xs", "w"], ["ys"]),
        helper.make_node("Identity", ["ys"], ["same"]),
    ]
    ends = [sequence("same", [2]), sequence("none")]
    model = loaded(nodes, [sequence("xs", [2])], ends, w=np.float32([5, 6]))
    assert "is_list=True" in repr(model.inputs[0])
    for each in (model, pt.models.loads(pt.models.save(model))):
        same, none = each([[1.0, 2.0], pt.asarray([3.0, 4.0])])
        assert [y.tolist() for y in same] == [[1, 2], [3, 4], [5, 6]]
        assert none == []
    with pytest.raises(ArgumentTypeError, match=r"is not a list; got Tensor; pass a list"):
        model(pt.ones(2))
    with pytest.raises(ShapeError, match=r'input "xs" has another shape; got \(3,\)'):
        model([pt.ones(3)])


def test_optional_inputs_may_be_none(engine):
    kind = helper.make_optional_type_proto(helper.make_tensor_type_proto(FLOAT, [2]))
    then, other = (
        helper.make_graph([node], "branch", [], [tensor("z")])
        for node in (
            helper.make_node("OptionalGetElement", ["x"], ["z"]),
            helper.make_node("Neg", ["w"], ["z"]),
        )
    )
    model = loaded(
        [
            helper.make_node("Optional", ["x"], ["o"]),
            helper.make_node("OptionalHasElement", ["o"], ["has"]),
            helper.make_node("If", ["has"], ["y"], then_branch=then, else_branch=other),
        ],
        [helper.make_value_info("x", kind)],
        [tensor("y")],
        w=np.float32([5, 6]),
    )
    assert model(None).tolist() == [-5, -6]
    assert model([1.0, 2.0]).tolist() == [1, 2]
    with pytest.raises(ShapeError):
        model(pt.ones(3))


@pytest.mark.parametrize("position", [3, -4])
def test_wrong_positions_are_reported(position, engine):
    model = loaded(
        [
            helper.make_node("SequenceConstruct", ["x", "x", "x"], ["xs"]),
            helper.make_node("SequenceAt", ["xs", "at"], ["y"]),
        ],
        [tensor("x")],
        [tensor("y")],
        at=np.int64(position),
    )
    with pytest.raises(ModelError, match=f"position {position} in a sequence of 3 tensors"):
        model([1.0])


def pooled(x: Any, rois: Any, shape: tuple[int, int], scale: float) -> Any:
    """Return the maxima of the cells of each region, one after the other."""
    height, width = x.shape[2:]
    y = np.zeros((len(rois), x.shape[1], *shape), "float32")
    for number, (batch, *corners) in enumerate(rois):
        left, top, right, bottom = (int(np.floor(each * scale + 0.5)) for each in corners)
        sizes = [max(bottom - top + 1, 1) / shape[0], max(right - left + 1, 1) / shape[1]]
        for i, j in np.ndindex(*shape):
            rows = [int(np.floor(i * sizes[0])) + top, int(np.ceil((i + 1) * sizes[0])) + top]
            columns = [int(np.floor(j * sizes[1])) + left, int(np.ceil((j + 1) * sizes[1])) + left]
            rows, columns = np.clip(rows, 0, height), np.clip(columns, 0, width)
            cell = x[int(batch), :, slice(*rows), slice(*columns)]
            if cell.size:
                y[number, :, i, j] = cell.max(axis=(1, 2))
    return y


def test_max_roi_pool(engine):
    """Regions inside, of one pixel, turned around, and partly and completely outside."""
    x = np.random.default_rng(0).normal(size=(2, 3, 9, 12)).astype("float32")
    rois = np.float32(
        [
            [0, 2, 2, 15, 9],
            [1, 4, 4, 4, 4],
            [1, 6, 6, 2, 2],
            [0, 14, 8, 40, 30],
            [1, 60, 60, 70, 70],
        ]
    )
    node = helper.make_node(
        "MaxRoiPool", ["x", "rois"], ["y"], pooled_shape=[3, 2], spatial_scale=0.5
    )
    model = loaded([node], [tensor("x", x.shape), tensor("rois", rois.shape)], [tensor("y")])
    assert_values(model(x, rois), pooled(x, rois, (3, 2), 0.5))
    assert not model._runner.eager
