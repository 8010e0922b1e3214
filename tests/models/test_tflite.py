"""TFLite models give the interpreter's results, and malformed files are refused."""

from __future__ import annotations

import math
import random
import struct
import tracemalloc
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flatbuffer_files import node, saved, tensor
from half_storage import tolerance
from helpers import assert_raises, assert_values
from work_limit import STEPS_OF_A_FILE, limited_steps

import py_tensor as pt
from py_tensor.errors import ModelError, TensorError

FOLDER = Path(__file__).parent / "data" / "tflite"
MODELS = sorted(path.stem for path in FOLDER.glob("*.tflite"))
SHARES = {
    "activations-int8": 0.12,
    "direct-quantized": 0.12,
    "mobile-int16": 0.11,
    "products-int8": 0.6,
}
"""Share of quantized elements that may be off by one step, if it is more than `SHARE`. The
interpreter multiplies in LEAKY_RELU with numbers of 8 bits, and its products of two inputs differ
from those of its own reference kernels; of "mobile-int16", one of ten elements differs."""
SHARE = 0.02
"""Measured: at most 0.012."""


def differences(name: str) -> dict[str, tuple[float, float]]:
    """Return for each output the largest error, and the share of elements that differ.

    Errors of real numbers are relative to the largest value; those of quantized ones are in steps.
    """
    model = pt.models.loads((FOLDER / f"{name}.tflite").read_bytes())
    values = np.load(FOLDER / f"{name}.npz")
    found = model(*(pt.asarray(values[f"x{at}"]) for at in range(len(model.inputs))))
    result = {}
    for at, y in enumerate(found if isinstance(found, tuple) else (found,)):
        expected = values[f"y{at}"]
        got = y.numpy()
        assert got.shape == expected.shape, f"y{at}: {got.shape} instead of {expected.shape}"
        if expected.dtype == "int64":
            expected = expected.astype("int32")
        assert got.dtype == expected.dtype, f"y{at}: {got.dtype} instead of {expected.dtype}"
        error = np.abs(got.astype("float64") - expected.astype("float64"))
        if expected.dtype.kind == "f":
            error /= max(np.max(np.abs(expected), initial=0.0), 1e-30)
        differ = float(np.mean(error > 0)) if error.size else 0.0
        result[f"y{at}"] = (float(np.max(error, initial=0.0)), differ)
    assert len(result) == sum(key.startswith("y") for key in values)
    return result


def form_of(name: str) -> tuple[str, bool]:
    """Return the operators of a model, and True if it computes with whole numbers."""
    operators, _, numbers = name.partition("-")
    return operators, numbers in ("int8", "int16", "legacy", "uint8")


@pytest.mark.once_per_form(form=form_of)
@pytest.mark.parametrize("name", MODELS)
def test_results_of_the_interpreter(name, engine):
    values = np.load(FOLDER / f"{name}.npz")
    for key, (error, share) in differences(name).items():
        if values[key].dtype.name in ("int8", "uint8", "int16"):
            assert error <= 1, key
            assert share <= SHARES.get(name, SHARE), key
        else:
            assert error <= (tolerance(1e-4) if values[key].dtype.kind == "f" else 0), key


def test_there_are_models_of_every_kind_of_number(engine):
    kinds = Counter(name.partition("-")[2] for name in MODELS)
    assert min(kinds[kind] for kind in ("float", "half", "dynamic", "int8", "int16", "legacy")) > 1
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 4e6


# --- files ----------------------------------------------------------------------------------------


def floats(*numbers: float) -> bytes:
    return struct.pack(f"<{len(numbers)}f", *numbers)


def integers(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}i", *numbers)


def added(**model: Any) -> bytes:
    """Return the file of y = relu6(x + w), for any number of rows."""
    tensors = [
        tensor([1, 2], shape_signature=[-1, 2]),
        tensor([2], floats(1, -2)),
        tensor([1, 2], shape_signature=[-1, 2]),
    ]
    options = node("ADD", [0, 1], [2], "AddOptions", fused_activation_function=3)
    return saved(tensors, [options], [0], [2], **model)


def test_the_format_is_recognized_by_its_content(engine):
    for model in (pt.models.loads(added()), pt.models.loads(added(), format="tflite")):
        assert_values(model([[1.0, 1.0], [7.0, 4.0]]), np.float32([[2, 0], [6, 2]]))
    with pytest.raises(ModelError, match="not a valid ONNX file"):
        pt.models.loads(added(), format="onnx")


def test_signatures_name_inputs_and_outputs(engine):
    signature = {
        "inputs": [{"name": "image", "tensor_index": 0}],
        "outputs": [{"name": "t1", "tensor_index": 2}],
        "signature_key": "serving_default",
    }
    model = pt.models.loads(added(signature_defs=[signature]))
    assert repr(model) == "Model('tested': image -> t1)"
    assert model.inputs[0] == pt.models.ValueInfo("image", pt.float32, (None, 2))
    assert_values(model(image=[[1.0, 4.0]]), np.float32([[2, 2]]))
    # A tensor of the name of an output has another one.
    assert model.layers[0].inputs == ("image", "t1#2")


@pytest.mark.parametrize("name", ["mobile-uint8", "mobile-int8", "mobile-float", "dense-int8"])
def test_inputs_and_outputs_have_their_quantization(name, engine):
    model = pt.models.loads((FOLDER / f"{name}.tflite").read_bytes())
    again = pt.models.loads(pt.models.save(model))
    assert (again.inputs, again.outputs) == (model.inputs, model.outputs)
    for info in (*model.inputs, *model.outputs):
        known = info.quantization
        assert (known is None) == (info.dtype is pt.float32)
        assert ("quantization=LinearQuantization(scale=" in repr(info)) == (known is not None)


def test_results_of_quantized_models_can_be_dequantized(engine):
    float_model, model = (
        pt.models.loads((FOLDER / f"mobile-{kind}.tflite").read_bytes())
        for kind in ("float", "uint8")
    )
    image = pt.random.uniform(float_model.inputs[0].shape, key=pt.random.key(3))
    scale, zero = model.inputs[0].quantization
    given = pt.clip(pt.round(image / scale) + zero, 0, 255).astype("uint8")
    scale, zero = model.outputs[0].quantization
    found = (model(given).astype("float32") - zero) * scale
    assert_values(found, float_model(image).numpy(), atol=0.02)


def test_tensors_may_be_several_outputs(engine):
    tensors = [tensor([2]), tensor([2], name="t0")]
    model = pt.models.loads(saved(tensors, [node("NEG", [0], [1])], [0], [1, 0, 1]))
    assert len({info.name for info in model.outputs}) == 3
    for y, expected in zip(model([1.0, 2.0]), ([-1, -2], [1, 2], [-1, -2]), strict=True):
        assert_values(y, np.float32(expected))
    signature = {
        "inputs": [{"name": "x", "tensor_index": 0}],
        "outputs": [{"name": "same", "tensor_index": 0}, {"name": "y", "tensor_index": 1}],
    }
    data = saved(tensors, [node("NEG", [0], [1])], [0], [0, 1], signature_defs=[signature])
    found = pt.models.loads(data).run({"x": [1.0, 2.0]})
    assert {name: y.tolist() for name, y in found.items()} == {"same": [1, 2], "y": [-1, -2]}


def test_graphs_are_compiled(engine):
    model = pt.models.loads((FOLDER / "shapes-float.tflite").read_bytes())
    model(pt.ones((3, 4)))
    assert not model._runner.eager


def test_float16_weights_are_read_once(engine):
    model = pt.models.loads((FOLDER / "mobile-half.tflite").read_bytes())
    assert "DEQUANTIZE" not in {layer.operator for layer in model.layers}
    assert sum(layer.nbytes for layer in model.layers) < 2.2 * sum(
        layer.parameters for layer in model.layers
    )


def test_sparse_constants(engine):
    # Rows of 4, of which blocks of 2 are stored: [[0, 0, 1, 2], [3, 4, 0, 0]].
    axis = {"format": 1, "array_segments": ("Int32Vector", {"values": [0, 1, 2]})}
    sparsity = {
        "traversal_order": [0, 1, 2],
        "block_map": [1],
        "dim_metadata": [
            {"dense_size": 2},
            {**axis, "array_indices": ("Uint8Vector", {"values": [1, 0]})},
            {"dense_size": 2},
        ],
    }
    tensors = [
        tensor([1, 4]),
        tensor([2, 4], floats(1, 2, 3, 4), sparsity=sparsity),
        tensor([2, 4]),
        tensor([1, 2]),
    ]
    nodes = [
        node("DENSIFY", [1], [2]),
        node("FULLY_CONNECTED", [0, 2, -1], [3], "FullyConnectedOptions"),
    ]
    data = saved(tensors, nodes, [0], [3])
    assert_values(pt.models.loads(data)([[1.0, 10.0, 100.0, 1000.0]]), np.float32([[2100, 43]]))
    for field, wrong in (
        ("traversal_order", [0, 1, 1]),
        ("block_map", [2]),
        ("dim_metadata", [{"dense_size": 2}, axis, {"dense_size": 2}]),
        ("dim_metadata", [{"dense_size": 2}, {"dense_size": 2**30}, {"dense_size": 2}]),
    ):
        tensors[1]["sparsity"] = sparsity | {field: wrong}
        with pytest.raises(ModelError, match=r'sparse.*tensor 1 "t1"'):
            pt.models.loads(saved(tensors, nodes, [0], [3]))


def test_weights_of_4_bits(engine):
    scale = {"scale": [0.5], "zero_point": [0]}
    tensors = [
        tensor([3], bytes([0x7F, 0x08]), type=17, quantization=scale),
        tensor([3]),
    ]
    model = pt.models.loads(saved(tensors, [node("DEQUANTIZE", [0], [1])], [], [1]))
    assert_values(model(), np.float32([-0.5, 3.5, -4]))


# --- operators that the interpreter in Python lacks -----------------------------------------------


def custom(operator: str, shapes: list[list[int]], results: int, options: bytes) -> Any:
    tensors = [tensor(shape) for shape in shapes] + [tensor([])] * results
    inputs = list(range(len(shapes)))
    outputs = [len(shapes) + n for n in range(results)]
    return pt.models.loads(
        saved(tensors, [node(operator, inputs, outputs, custom=options)], inputs, outputs)
    )


@pytest.mark.parametrize("name", ["Convolution2DTransposeBias", "TransposeConvBias"])
@pytest.mark.parametrize(("padding", "columns"), [(1, slice(1, 6)), (2, slice(7))])
def test_transposed_convolution_of_mediapipe(name, padding, columns, engine):
    rng = np.random.default_rng(1)
    x, w, b = (
        rng.standard_normal(shape).astype("float32") for shape in ((1, 2, 3, 2), (4, 3, 3, 2), (4,))
    )
    expected = np.zeros((1, 5, 7, 4), "float32") + b
    for i in range(2):
        for j in range(3):
            expected[0, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3] += np.einsum(
                "c,okwc->kwo", x[0, i, j], w
            )
    model = custom(name, [list(each.shape) for each in (x, w, b)], 1, integers(padding, 2, 2))
    # With padding, one row is cut off at the end, and one column at each end.
    kept = expected[:, : 3 + padding, columns]
    assert_values(model(x, w, b), kept, rtol=1e-5, atol=1e-5)


def test_pooling_and_unpooling_of_mediapipe(engine):
    x = np.random.default_rng(2).standard_normal((2, 4, 6, 3)).astype("float32")
    options = integers(1, 2, 2, 2, 2, 0)
    windows = x.reshape(2, 2, 2, 3, 2, 3).transpose(0, 1, 3, 5, 2, 4).reshape(2, 2, 3, 3, 4)
    y, places = custom("MaxPoolingWithArgmax2D", [[2, 4, 6, 3]], 2, options)(x)
    assert_values(y, windows.max(-1))
    assert_values(places, (windows.argmax(-1) + 0.1).astype("float32"), rtol=1e-6)
    unpool = custom("MaxUnpooling2D", [[2, 2, 3, 3]] * 2, 1, options)
    maxima = windows.max(-1).repeat(2, axis=1).repeat(2, axis=2)
    assert_values(unpool(y, places), np.where(x == maxima, x, 0).astype("float32"))


# --- graphs inside of graphs ----------------------------------------------------------------------


def looping(body: int) -> bytes:
    """Return a model that adds 1 until 5 is reached."""
    state = [tensor([1]), tensor([], floats(1)), tensor([1])]
    condition = [tensor([1]), tensor([], floats(5)), tensor([1], type=6), tensor([], type=6)]
    shape = [*condition, tensor([0], b"", type=2)]
    loop = node("WHILE", [0], [1], "WhileOptions", cond_subgraph_index=1, body_subgraph_index=body)
    return saved(
        [tensor([1]), tensor([1])],
        [loop],
        [0],
        [1],
        graphs=(
            (shape, [node("LESS", [0, 1], [2]), node("RESHAPE", [2, 4], [3])], [0], [3]),
            (state, [node("ADD", [0, 1], [2], "AddOptions")], [0], [2]),
        ),
    )


def test_loops(engine):
    model = pt.models.loads(looping(2))
    assert model([1.5]).tolist() == [5.5]
    with pytest.raises(ModelError, match="graph does not exist; got position 7 of 3"):
        pt.models.loads(looping(7))
    with pytest.raises(ModelError, match=r"or contain themselves; got graph 0 inside of 0 and"):
        pt.models.loads(looping(0))


def test_variables_begin_with_their_first_values(engine):
    """y = 2 * (v := v + x), where a graph that is called once sets v to 3."""
    resource = tensor([], type=13)
    handle = {"operator": "VAR_HANDLE", "inputs": [], "outputs": [1]}
    handle["builtin_options"] = ("VarHandleOptions", {"shared_name": "v"})
    tensors = [tensor([1]), resource, tensor([1]), tensor([1]), tensor([1]), tensor([1])]
    nodes = [
        node("CALL_ONCE", [], [], "CallOnceOptions", init_subgraph_index=1),
        handle,
        node("READ_VARIABLE", [1], [2]),
        node("ADD", [0, 2], [3], "AddOptions"),
        node("ASSIGN_VARIABLE", [1, 3], []),
        node("READ_VARIABLE", [1], [4]),
        node("ADD", [4, 4], [5], "AddOptions"),
    ]
    first = [tensor([1], floats(3)), resource]
    initial = (first, [handle, node("ASSIGN_VARIABLE", [1, 0], [])], [], [])
    model = pt.models.loads(saved(tensors, nodes, [0], [5], graphs=(initial,)))
    for _ in range(2):
        assert model([1.5]).tolist() == [9]
    with pytest.raises(ModelError, match='variable has no first value; got "v" in node "t2"'):
        pt.models.loads(saved(tensors, nodes[1:4] + nodes[5:], [0], [5]))


# --- files that are refused -----------------------------------------------------------------------


def test_all_unsupported_operators_are_reported_at_once(engine):
    tensors = [tensor([2]) for _ in range(4)]
    nodes = [
        node("HASHTABLE_SIZE", [0], [1]),
        node("Dance", [1], [2], custom=b""),
        node("NEG", [2], [3], "AddOptions", fused_activation_function=1),
    ]
    assert_raises(
        ModelError,
        'load: model needs what is not supported; got operator HASHTABLE_SIZE in "t1"; operator '
        'custom.Dance in "t2"; export the model without them',
        lambda: pt.models.loads(saved(tensors, nodes, [0], [3])),
    )


@pytest.mark.parametrize(
    ("tensors", "nodes", "text"),
    [
        (
            [tensor([2])],
            [node("NEG", [0], [1])],
            "tensor does not exist; got position 1 in outputs",
        ),
        ([tensor([2]), tensor([3], floats(1, 2))], [], "got 8 bytes instead of 12 for shape (3,)"),
        ([tensor([2]), tensor([-1, -2], floats(1, 2))], [], "shape is not valid; got (-1, -2)"),
        ([tensor([2]), tensor([2**30, 2**30], floats(1))], [], "got 4 bytes instead of 461168"),
        ([tensor([2]), tensor([1], b"a", type=5)], [], "elements of TFLite's type 5 are not"),
        ([tensor([2]), tensor([2], buffer=9)], [], "buffer does not exist; got position 9"),
        ([tensor([2]), tensor([2**20, 2**20], is_variable=True)], [], "constant is too large"),
    ],
)
def test_malformed_graphs_name_the_place(tensors, nodes, text, engine):
    with pytest.raises(ModelError) as raised:
        pt.models.loads(saved(tensors, nodes, [0], [len(tensors) - 1]))
    assert text in str(raised.value)


@pytest.mark.parametrize(
    ("quantization", "text"),
    [
        ({"scale": [1.0, 2.0, 3.0], "zero_point": [0]}, "number of scales does not fit the shape"),
        (
            {"scale": [1.0, 2.0], "quantized_dimension": 1},
            "number of scales does not fit the shape",
        ),
        ({"scale": [0.0]}, "scales or zero points are not valid"),
        ({"scale": [math.nan]}, "scales or zero points are not valid"),
        ({"scale": [1.0], "zero_point": [200]}, "scales or zero points are not valid"),
        ({"scale": [1.0], "details_type": 2}, "quantization in blocks are not supported"),
    ],
)
def test_wrong_scales_are_refused(quantization, text, engine):
    tensors = [tensor([2], type=9, quantization=quantization)]
    with pytest.raises(ModelError, match=text):
        pt.models.loads(saved(tensors, [], [0], [0]))


@pytest.mark.parametrize(
    ("options", "values"),
    [
        ("CONV_2D", {"options": "Conv2DOptions", "stride_w": 2**30, "stride_h": 1}),
        ("CONV_2D", {"options": "Conv2DOptions", "stride_w": 0, "stride_h": 1}),
        ("CONV_2D", {"options": "Conv2DOptions", "stride_w": 1, "stride_h": 1, "padding": 7}),
        (
            "CONV_2D",
            {"options": "Conv2DOptions", "stride_w": 1, "stride_h": 1, "dilation_w_factor": 2**30},
        ),
        ("RESIZE_BILINEAR", {}),
        ("PAD", {}),
        ("TILE", {}),
        ("FILL", {}),
        ("BROADCAST_TO", {}),
    ],
)
def test_huge_options_end_soon(options, values, engine):
    huge = integers(*[2**30] * (8 if options == "PAD" else 2 if "RESIZE" in options else 4))
    shape = {"PAD": [4, 2], "RESIZE_BILINEAR": [2]}.get(options, [4])
    second = tensor([1, 1, 1, 1], floats(1)) if values else tensor(shape, huge, type=2)
    inputs = [1, 0] if options == "FILL" else [0, 1]
    data = saved(
        [tensor([1, 1, 1, 1]), second, tensor([])], [node(options, inputs, [2], **values)], [0], [2]
    )
    with pytest.raises(ModelError):
        pt.models.loads(data)(pt.ones((1, 1, 1, 1)))


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x08\0\0\0TFL3", "offset or length goes past the end; got byte 8 in Model"),
        (
            b"\xff\xff\xff\xffTFL3",
            "offset or length goes past the end; got byte 4294967295 in Model",
        ),
        (b"\x08\0\0\0TFL3\x04\0\0\0", "offset or length goes past the end"),
        (b"\x0c\0\0\0TFL3\x03\0\x04\0\x04\0\0\0", "list of fields has a wrong length; got byte 8"),
        (b"\x0c\0\0\0TFL3\x04\0\x04\0\x04\0\0\0", "file has no graph; got fields none"),
        (
            b"\x0e\0\0\0TFL3\x06\0\x04\0\x09\0\x06\0\0\0",
            "field is outside of its table; got byte 8",
        ),
    ],
)
def test_malformed_files_name_the_place(data, text, engine):
    with pytest.raises(ModelError) as raised:
        pt.models.loads(data)
    assert str(raised.value).startswith("load: not a valid TFLite file: ")
    assert text in str(raised.value)


def test_repeated_tables_end_soon(engine):
    """Many offsets to one table are as many tables."""
    count = 400_000
    fields = struct.pack("<7H", 14, 8, 0, 0, 0, 0, 4)
    model = struct.pack("<iII", 14, 4, count)
    places = range(34, 34 + 4 * count, 4)
    empty = 34 + 4 * count + 4
    offsets = b"".join(struct.pack("<I", empty - at) for at in places)
    data = struct.pack("<I", 22) + b"TFL3" + fields + model + offsets + struct.pack("<2Hi", 4, 4, 4)
    with pytest.raises(ModelError, match="more than 300,000 fields; got byte 26 in Model"):
        pt.models.loads(data)


# --- mutated files --------------------------------------------------------------------------------

BYTES = 256 << 20


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Change bytes and 32-bit numbers, or cut the file off."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8))):
        at = chance.randrange(8, len(changed) - 4)
        match chance.randrange(8):
            case 0:
                del changed[max(at, 12) :]
                return bytes(changed)
            case 1 | 2:
                number = chance.choice((0, 1, 2**31 - 1, 2**31, 2**32 - 1, chance.randrange(2**16)))
                struct.pack_into("<I", changed, at & ~3, number)
            case 3:
                # A position of another table, or the same one again.
                struct.pack_into("<I", changed, at & ~3, chance.randrange(len(changed)))
            case 4:
                changed[at:at] = chance.randbytes(chance.randint(1, 16))
            case _:
                changed[at] = chance.choice((0, 1, 127, 128, 255, chance.randrange(256)))
        if len(changed) < 20:
            break
    return bytes(changed)


def end_of(data: bytes) -> str:
    try:
        model = pt.models.loads(data)
    except ModelError as error:
        assert "got " in str(error)
        return "load"
    inputs: dict[str, Any] = {}
    for info in model.inputs:
        shape = [2 if length is None else length for length in info.shape or ()]
        if math.prod(shape) > 1 << 20:
            return "declared"
        inputs[info.name] = pt.ones(shape, dtype=info.dtype or "float32")
    try:
        pt.realize(*model.run(inputs).values())
    except ModelError:
        return "run"
    except TensorError:
        # Names or shapes of inputs and outputs that the file changed.
        return "inputs"
    return "result"


def test_mutated_files_end_soon(engine, mutations):
    chance = random.Random(17)
    paths = sorted(FOLDER.glob("*.tflite"))
    files = [path.read_bytes() for path in paths if path.stat().st_size < 16_000]
    ends: Counter[str] = Counter()
    for number in range(mutations // 2):
        data = mutated(chance.choice(files), chance)
        tracemalloc.start()
        with suppress(ModelError), limited_steps(STEPS_OF_A_FILE, f"file {number}"):
            pt.models.loads(data)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < BYTES, f"file {number}"
        ends[end_of(data)] += 1
    assert ends["load"] > 40
    assert ends["result"] > 15
