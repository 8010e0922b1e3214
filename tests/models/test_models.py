"""Load models from every source, call them, and refuse files that are malformed or malicious."""

from __future__ import annotations

import asyncio
import gc
import io
from typing import Any

import numpy as np
import pytest
from helpers import assert_raises, assert_values, finished
from onnx import TensorProto, helper, numpy_helper
from work_limit import limited_steps

import py_tensor as pt
from py_tensor.errors import ArgumentError, DisposedError, DTypeError, ModelError, ShapeError

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def value(name: str, shape: Any = None, dtype: int = FLOAT) -> Any:
    return helper.make_tensor_value_info(name, dtype, shape)


def saved(
    nodes: list[Any],
    inputs: list[Any],
    outputs: list[Any],
    constants: dict[str, Any] | None = None,
    version: int = 21,
    functions: Any = (),
) -> bytes:
    given = [numpy_helper.from_array(array, name) for name, array in (constants or {}).items()]
    graph = helper.make_graph(nodes, "tested", inputs, outputs, given)
    imports = [helper.make_opsetid("", version), helper.make_opsetid("own", 1)]
    model = helper.make_model(graph, opset_imports=imports, functions=functions)
    data: bytes = model.SerializeToString()
    return data


def linear() -> bytes:
    """y = relu(x @ w + b) and its sum, for any number of rows."""
    return saved(
        [
            helper.make_node("MatMul", ["x", "w"], ["product"], "first"),
            helper.make_node("Add", ["product", "b"], ["sum"], "second"),
            helper.make_node("Relu", ["sum"], ["y"], "third"),
            helper.make_node("ReduceSum", ["y"], ["total"], "fourth", keepdims=0),
        ],
        [value("x", ["n", 3])],
        [value("y", ["n", 2]), value("total", [])],
        {"w": np.arange(6, dtype="float32").reshape(3, 2), "b": np.float32([-9, 1])},
    )


def flattened() -> bytes:
    """Reshape x to a shape computed from its own."""
    return saved(
        [
            helper.make_node("Shape", ["x"], ["shape"]),
            helper.make_node("Gather", ["shape", "first"], ["n"]),
            helper.make_node("Mul", ["n", "two"], ["rows"]),
            helper.make_node("Unsqueeze", ["rows", "axes"], ["head"]),
            helper.make_node("Concat", ["head", "rest"], ["wanted"], axis=0),
            helper.make_node("Reshape", ["x", "wanted"], ["y"]),
        ],
        [value("x", ["n", 4])],
        [value("y", None)],
        {
            "first": np.int64(0),
            "two": np.int64(2),
            "axes": np.int64([0]),
            "rest": np.int64([-1]),
        },
    )


# --- calls ----------------------------------------------------------------------------------------


def test_a_model_is_called_by_position_and_by_name(engine):
    model = pt.models.loads(linear())
    x = np.float32([[1, 2, 3]])
    for y, total in (model(x), model(x=pt.asarray(x)), model(x.tolist())):
        assert_values(y, np.float32([[7, 23]]))
        assert_values(total, np.float32(30))


def test_disposing_of_a_model_frees_all_that_calls_keep(engine):
    gc.collect()
    before = pt.memory()
    x = pt.asarray(np.ones((5, 3), "float32"))
    model = pt.models.loads(linear())
    for _ in range(2):
        total = model(x)[1]
        assert total.item() == 50.0
    del total
    model.dispose()
    x.dispose()
    now = pt.memory()
    assert (now.num_tensors, now.num_bytes) == (before.num_tensors, before.num_bytes)
    assert now.num_bytes_in_gpu == before.num_bytes_in_gpu
    with pytest.raises(DisposedError):
        model(pt.ones((5, 3)))


def test_run_returns_named_values(engine):
    model = pt.models.loads(linear())
    found = model.run({"x": [[1.0, 2.0, 3.0]]}, outputs=["total", "product", "b"])
    assert list(found) == ["total", "product", "b"]
    assert_values(found["product"], np.float32([[16, 22]]))
    assert_values(found["b"], np.float32([-9, 1]))


@pytest.mark.parametrize("zero", [np.uint8(3), None, np.uint8([3, 3])])
def test_integers_have_the_quantization_of_the_nodes_next_to_them(zero, engine):
    zeros = [] if zero is None else ["zero"]
    data = saved(
        [
            helper.make_node("Transpose", ["x"], ["xt"]),
            helper.make_node("DequantizeLinear", ["xt", "scale", *zeros], ["real"]),
            helper.make_node("Relu", ["real"], ["positive"]),
            helper.make_node("QuantizeLinear", ["positive", "half", *zeros], ["q"]),
            helper.make_node("Flatten", ["q"], ["y"]),
        ],
        [value("x", [2, 2], TensorProto.UINT8)],
        [value("y", None, TensorProto.UINT8), value("positive")],
        {"scale": np.float32(0.25), "half": np.float32(0.5)} | ({"zero": zero} if zeros else {}),
    )
    model = pt.models.loads(data)
    found = [info.quantization for info in (*model.inputs, *model.outputs)]
    if np.size(zero) > 1:
        assert found == [None, None, None]
    else:
        assert found == [(0.25, int(zero or 0)), (0.5, int(zero or 0)), None]


def test_quantized_products_name_the_scales_of_inputs_and_outputs(engine):
    constants = {name: np.float32(at + 1) for at, name in enumerate(("sa", "sb", "sy"))}
    constants |= {f"z{name}": np.int8(at) for at, name in enumerate("aby")}
    inputs = ["a", "sa", "za", "b", "sb", "zb", "sy", "zy"]
    node = helper.make_node("QLinearMatMul", inputs, ["y"])
    given = [value(name, [2, 2], TensorProto.INT8) for name in "ab"]
    data = saved([node], given, [value("y", None, TensorProto.INT8)], constants)
    model = pt.models.loads(data)
    found = [info.quantization for info in (*model.inputs, *model.outputs)]
    assert found == [(1.0, 0), (2.0, 1), (3.0, 2)]


def test_nodes_that_the_outputs_do_not_need_are_not_run(engine):
    model = pt.models.loads(
        saved(
            [
                helper.make_node("Relu", ["x"], ["y"]),
                helper.make_node("Reshape", ["x", "shape"], ["wrong"]),
            ],
            [value("x", [2])],
            [value("y"), value("wrong")],
            {"shape": np.int64([7])},
        )
    )
    assert_values(model.run({"x": [-1.0, 1.0]}, ["y"])["y"], np.float32([0, 1]))
    with pytest.raises(ModelError, match=r'"wrong" \(Reshape\).*shape \[2\] cannot become \[7\]'):
        model([-1.0, 1.0])


def test_declarations_are_shown(engine):
    model = pt.models.loads(linear())
    assert model.inputs == (pt.models.ValueInfo("x", pt.float32, ("n", 3)),)
    assert [info.name for info in model.outputs] == ["y", "total"]
    assert repr(model) == "Model('tested': x -> y, total)"
    assert model.layers[1] == pt.models.Layer("second", "Add", ("product", "b"), ("sum",), 2, 8)
    summary = model.summary(pt.ShapeDtype((5, 3)))
    assert str(summary).splitlines() == [
        "node    operator   shape   parameters  bytes  multiply-adds",
        "first   MatMul     (5, 2)           6     24             30",
        "second  Add        (5, 2)           2      8              0",
        "third   Relu       (5, 2)           0      0              0",
        "fourth  ReduceSum  ()               0      0              0",
        "total                               8     32             30",
        "transposes between nodes: 0",
    ]
    assert repr(summary) == str(summary)
    assert "<tr><td>first</td><td>MatMul</td><td>(5, 2)</td><td>6</td>" in summary._repr_html_()
    assert summary._repr_html_().count("<tr>") == 6


@pytest.mark.parametrize(
    ("error", "text", "call"),
    [
        (ArgumentError, "model: too many inputs; got 2 for 1", lambda m: m([], [])),
        (ArgumentError, "model: input is given twice; got x", lambda m: m([], x=[])),
        (ArgumentError, "model: inputs are missing; got 'x'", lambda m: m()),
        (ArgumentError, "model: inputs are unknown; got 'z'", lambda m: m(z=1)),
        (ArgumentError, "model: outputs are unknown; got ''", lambda m: m.run({"x": 1}, [""])),
        (ShapeError, 'input "x" has another shape; got (2, 2)', lambda m: m(pt.ones((2, 2)))),
        (DTypeError, 'input "x" has another dtype; got int32', lambda m: m(pt.asarray([[1]]))),
        (ArgumentError, "summary: file does not declare all lengths", lambda m: m.summary()),
        (ArgumentError, "warmup: number of specs is wrong; got 2", lambda m: m.warmup(1, 2)),
    ],
)
def test_wrong_calls_are_refused(error, text, call, engine):
    model = pt.models.loads(linear())
    with pytest.raises(error) as raised:
        call(model)
    assert text in str(raised.value)


# --- compiled calls -------------------------------------------------------------------------------


def test_a_call_is_compiled_once_for_each_shape(engine):
    model = pt.models.loads(linear())
    traces = []
    run = model._runner.program.run
    model._runner.program.run = lambda *given: traces.append(1) or run(*given)
    for rows in (1, 2, 1, 2, 1):
        model(pt.ones((rows, 3)))
    assert len(traces) == 2


def test_shapes_are_computed_on_the_host(engine):
    model = pt.models.loads(flattened())
    y = model(pt.ones((3, 4)))
    assert (y.shape, model._runner.eager) == ((6, 2), False)
    shape = model.run({"x": pt.ones((2, 4))}, ["wanted"])["wanted"]
    assert_values(shape, np.int32([4, -1]))


def test_shapes_that_depend_on_few_values_are_compiled(engine):
    model = pt.models.loads(
        saved(
            [helper.make_node("Reshape", ["x", "shape"], ["y"])],
            [value("x", [6]), value("shape", [2], INT64)],
            [value("y")],
        )
    )
    for shape in ([2, 3], [3, 2], [2, 3], [6, 1], [1, 6]):
        assert model(pt.ones(6), shape).shape == tuple(shape)
    assert not model._runner.eager
    assert model(pt.ones(6), [3, -1]).shape == (3, 2)
    assert model._runner.eager
    summary = model.summary()
    assert (summary.rows[0].operator, summary.rows[0].shape) == ("Reshape", "?")
    assert str(summary).splitlines()[-1] == "transposes between nodes: ?"
    finished(model.warmup())


def test_a_model_can_be_differentiated_and_jitted(engine):
    model = pt.models.loads(linear())
    x = pt.asarray([[1.0, 2.0, 3.0]])
    gradient = pt.grad(lambda x: model(x)[1])(x)
    assert_values(gradient, np.float32([[1, 5, 9]]))
    assert_values(pt.jit(lambda x: model(x)[0] * 2)(x), np.float32([[14, 46]]))
    assert not model._runner.eager


def test_warmup_compiles(engine):
    model = pt.models.loads(linear())
    asyncio.run(model.warmup(pt.ShapeDtype((2, 3))))
    traces = []
    model._runner.program.run = traces.append
    assert model(pt.zeros((2, 3)))[0].tolist() == [[0, 1], [0, 1]]
    assert traces == []


# --- subgraphs and functions ----------------------------------------------------------------------


def test_subgraphs_read_values_of_outer_graphs(engine):
    doubled = helper.make_graph(
        [helper.make_node("Mul", ["x", "two"], ["a"])], "then", [], [value("a")]
    )
    same = helper.make_graph([helper.make_node("Identity", ["x"], ["b"])], "else", [], [value("b")])
    data = saved(
        [helper.make_node("If", ["on"], ["y"], then_branch=doubled, else_branch=same)],
        [value("on", [], BOOL), value("x", [2])],
        [value("y")],
        {"two": np.float32(2)},
    )
    model = pt.models.loads(data)
    assert_values(model(True, [1.0, 2.0]), np.float32([2, 4]))
    assert_values(model(False, [1.0, 2.0]), np.float32([1, 2]))


def loop(trips: int) -> bytes:
    """Double x in each trip, and return its last value and all values."""
    body = helper.make_graph(
        [
            helper.make_node("Add", ["old", "old"], ["new"]),
            helper.make_node("Identity", ["new"], ["each"]),
            helper.make_node("Identity", ["going_in"], ["going"]),
        ],
        "body",
        [value("trip", [], INT64), value("going_in", [], BOOL), value("old", [1])],
        [value("going", [], BOOL), value("new", [1]), value("each", [1])],
    )
    return saved(
        [helper.make_node("Loop", ["trips", "", "x"], ["y", "all"], body=body)],
        [value("x", [1])],
        [value("y"), value("all")],
        {"trips": np.int64(trips)},
    )


def test_loops_of_known_length_are_compiled(engine):
    model = pt.models.loads(loop(3))
    y, every = model([1.0])
    assert_values(y, np.float32([8]))
    assert_values(every, np.float32([[2], [4], [8]]))
    assert not model._runner.eager
    y, every = pt.models.loads(loop(0))([1.0])
    assert_values(every, np.zeros((0, 1), "float32"))


def test_endless_loops_are_ended(engine, monkeypatch):
    from py_tensor.models import execution

    monkeypatch.setattr(execution, "MAX_TRACED_NODES", 20)
    monkeypatch.setattr(execution, "MAX_NODES", 100)
    model = pt.models.loads(loop(20))
    assert model([1.0])[0].item() == 2**20
    assert model._runner.eager
    with pytest.raises(ModelError, match="loops do not end"):
        pt.models.loads(loop(2**40))([1.0])


def test_endless_loops_end_soon(engine):
    with pytest.raises(ModelError, match="loops do not end"), limited_steps(10_000_000):
        pt.models.loads(loop(2**40))([1.0])


def function(name: str, nodes: list[Any], attributes: Any = ()) -> Any:
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("own", 1)]
    return helper.make_function("own", name, ["a", "b"], ["c"], nodes, imports, list(attributes))


def test_functions_of_the_file_have_attributes_and_optional_inputs(engine):
    leaky = helper.make_node("LeakyRelu", ["a"], ["c"], domain="")
    leaky.attribute.add(name="alpha", ref_attr_name="slope", type=1)
    data = saved(
        [helper.make_node("Leak", ["x"], ["y"], domain="own", slope=0.5)],
        [value("x", [2])],
        [value("y")],
        functions=[function("Leak", [leaky], ["slope"])],
    )
    assert_values(pt.models.loads(data)([-4.0, 4.0]), np.float32([-2, 4]))


def test_functions_that_call_each_other_without_end_are_refused(engine):
    again = [helper.make_node("Again", ["a"], ["c"], domain="own")] * 2
    data = saved(
        [helper.make_node("Again", ["x"], ["y"], domain="own")],
        [value("x", [2])],
        [value("y")],
        functions=[function("Again", again)],
    )
    with pytest.raises(ModelError, match="nested too deeply, or functions call each other"):
        pt.models.loads(data)


# --- sources --------------------------------------------------------------------------------------


def test_every_source_gives_the_model(engine, tmp_path):
    path = tmp_path / "linear.onnx"
    path.write_bytes(linear())

    async def later(name: str) -> bytes:
        return linear()

    for source in (
        linear(),
        bytearray(linear()),
        memoryview(linear()),
        path,
        str(path),
        io.BytesIO(linear()),
        lambda name: linear(),
        later,
    ):
        model = finished(pt.models.load(source))
        assert model([[1.0, 2.0, 3.0]])[1].item() == 30


def test_wrong_sources_are_refused(engine, tmp_path):
    missing = str(tmp_path / "missing.onnx")
    for error, text, source in (
        (ModelError, "load: file cannot be read; got No such file", missing),
        (ArgumentError, "load: source is not supported; got int", 7),
    ):
        with pytest.raises(error, match=text):
            finished(pt.models.load(source))
    with pytest.raises(
        ArgumentError, match=r"load: format is unknown; got 'savedmodel'; use one of .*onnx"
    ):
        pt.models.loads(b"", format="savedmodel")


def test_formats_are_recognized_by_content(engine, tmp_path, monkeypatch):
    from py_tensor.models import loading

    chosen = []
    other = loading.Format(
        lambda data: bytes(data[:1]) == b"{",
        bytes,
        lambda parsed: set(),
        lambda parsed, files: chosen.append(parsed),
    )
    monkeypatch.setattr(loading, "FORMATS", {"other": other, **loading.FORMATS})
    for name, data in (("a.onnx", b"{}"), ("a.json", linear())):
        (tmp_path / name).write_bytes(data)
    assert finished(pt.models.load(tmp_path / "a.onnx")) is None
    assert finished(pt.models.load(tmp_path / "a.json"))([[1.0, 2.0, 3.0]])[1].item() == 30
    pt.models.loads(linear(), format="other")
    assert chosen == [b"{}", linear()]


def external(location: str, **places: Any) -> bytes:
    """A model that adds a constant, whose elements are in another file."""
    from onnx import load_model_from_string

    data = saved(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        [value("x", [2])],
        [value("y")],
        {"w": np.float32([1, 2])},
    )
    model = load_model_from_string(data)
    (tensor,) = model.graph.initializer
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, text in {"location": location, **places}.items():
        tensor.external_data.add(key=key, value=str(text))
    serialized: bytes = model.SerializeToString()
    return serialized


def test_external_data_are_read_from_the_folder(engine, tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "w.bin").write_bytes(bytes(4) + np.float32([1, 2]).tobytes())
    path = tmp_path / "model.onnx"
    path.write_bytes(external("parts/w.bin", offset=4, length=8))
    assert_values(finished(pt.models.load(path))([1.0, 1.0]), np.float32([2, 3]))
    asked = []

    def read(name: str) -> bytes:
        asked.append(name)
        return (path.parent / name if name else path).read_bytes()

    assert_values(finished(pt.models.load(read))([1.0, 1.0]), np.float32([2, 3]))
    assert asked == ["", "parts/w.bin"]
    with pytest.raises(ModelError, match=r'data in another file; got "parts/w\.bin".*URL or path'):
        pt.models.loads(path.read_bytes())
    for places in ({"offset": 8}, {"offset": -1}, {"length": 9, "offset": 4}, {"length": "x"}):
        path.write_bytes(external("parts/w.bin", **places))
        with pytest.raises(ModelError, match='"w"'):
            finished(pt.models.load(path))


@pytest.mark.parametrize(
    "location",
    ["../secret", "/etc/passwd", "a/../../b", "a//b", "C:\\b", "http://a/b", ".", "", "b?c", "b\0"],
)
def test_external_data_outside_of_the_folder_are_refused(location, engine, tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(external(location, length=8))
    with pytest.raises(ModelError, match="must be a file in the model's folder"):
        finished(pt.models.load(path))


def test_links_out_of_the_folder_are_refused(engine, tmp_path):
    (tmp_path / "secret").write_bytes(bytes(8))
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "w.bin").symlink_to(tmp_path / "secret")
    (folder / "model.onnx").write_bytes(external("w.bin", length=8))
    with pytest.raises(ModelError, match="must be a file in the model's folder"):
        finished(pt.models.load(folder / "model.onnx"))


# --- files that are refused -----------------------------------------------------------------------


def test_all_unsupported_operators_are_reported_at_once(engine):
    data = saved(
        [
            helper.make_node("StringSplit", ["x", "x"], ["a"], "one"),
            helper.make_node("Dance", ["a"], ["b"], "two", domain="own"),
            helper.make_node("StringSplit", ["b", "x"], ["c"], "three"),
            helper.make_node("Relu", ["c"], ["y"], "four", steepness=2),
        ],
        [value("x", [2])],
        [value("y")],
    )
    assert_raises(
        ModelError,
        'load: model needs what is not supported; got operator StringSplit in "one", "three"; '
        'operator own.Dance in "two"; attribute steepness of Relu in "four"; export the model '
        "without them",
        lambda: pt.models.loads(data),
    )


def test_integers_must_fit(engine):
    data = saved(
        [helper.make_node("Add", ["x", "w"], ["y"], "sum")],
        [value("x", [2], INT64)],
        [value("y")],
        {"w": np.int64([1, 2**31])},
    )
    with pytest.raises(ModelError, match='constant "w" does not fit int32'):
        pt.models.loads(data)([1, 2])
    # As a limit of a slice, an integer keeps its 64 bits.
    data = saved(
        [helper.make_node("Slice", ["x", "start", "end"], ["y"])],
        [value("x", [3])],
        [value("y")],
        {"start": np.int64([1]), "end": np.int64([2**63 - 1])},
    )
    assert_values(pt.models.loads(data)([1.0, 2.0, 3.0]), np.float32([2, 3]))


@pytest.mark.parametrize("dtype", ["float16", "float64", "int8", "uint8", "uint64", "bool"])
def test_constants_of_every_dtype(dtype, engine):
    array = np.array([0, 1, 1]).astype(dtype)
    for tensor in (
        numpy_helper.from_array(array, "w"),
        helper.make_tensor("w", helper.np_dtype_to_tensor_dtype(array.dtype), [3], array),
    ):
        model = helper.make_model(
            helper.make_graph(
                [helper.make_node("Identity", ["w"], ["y"])], "g", [], [value("y")], [tensor]
            )
        )
        y = pt.models.loads(model.SerializeToString())()
        assert y.tolist() == array.tolist()
        assert y.dtype.name == {"float64": "float32", "uint64": "uint32"}.get(dtype, dtype)


NARROW = (
    (TensorProto.BFLOAT16, [1.5, -2.0], "float32"),
    (TensorProto.INT4, [-8, 7, 3], "int8"),
    (TensorProto.UINT4, [15, 0], "uint8"),
    (TensorProto.INT2, [-2, 1, 0, -1, 1], "int8"),
    (TensorProto.UINT2, [3, 0, 2], "uint8"),
    (TensorProto.FLOAT8E4M3FN, [448, -1.125, 2**-9, 0], "float32"),
    (TensorProto.FLOAT8E4M3FNUZ, [240, -1.125, 2**-10, 0], "float32"),
    (TensorProto.FLOAT8E5M2, [57344, -1.25, 2**-16, 0], "float32"),
    (TensorProto.FLOAT8E5M2FNUZ, [57344, -1.25, 2**-17, 0], "float32"),
    (TensorProto.FLOAT8E8M0, [2.0**127, 1, 2**-8], "float32"),
    (TensorProto.FLOAT4E2M1, [6, -0.5, 1.5], "float32"),
)


@pytest.mark.parametrize(("dtype", "numbers", "expected"), NARROW)
def test_narrow_dtypes_are_widened(dtype, numbers, expected, engine):
    tensor = helper.make_tensor("w", dtype, [len(numbers)], numbers)
    raw = numpy_helper.from_array(numpy_helper.to_array(tensor), "w")
    assert raw.raw_data
    for each in (tensor, raw):
        graph = helper.make_graph(
            [helper.make_node("Identity", ["w"], ["y"])], "g", [], [value("y")], [each]
        )
        y = pt.models.loads(helper.make_model(graph).SerializeToString())()
        assert (y.tolist(), y.dtype.name) == (numbers, expected)


@pytest.mark.parametrize(("dtype", "numbers", "expected"), NARROW[1:])
def test_the_dtype_of_an_input_decides_about_narrow_results(dtype, numbers, expected, engine):
    """CastLike and QuantizeLinear give the dtype of a constant, an input or a node's result."""
    tensor = helper.make_tensor("w", dtype, [1], [0])
    nodes = [
        helper.make_node("Constant", [], ["made"], value=tensor),
        helper.make_node("Reshape", ["made", "shape"], ["moved"]),
        helper.make_node("CastLike", ["x", "w"], ["a"]),
        helper.make_node("CastLike", ["x", "given"], ["b"]),
        helper.make_node("CastLike", ["x", "moved"], ["c"]),
    ]
    scales = dtype == TensorProto.FLOAT8E8M0
    if not scales:
        nodes.append(helper.make_node("QuantizeLinear", ["x", "one", "w"], ["d"]))
    shape = numpy_helper.from_array(np.int64([1]), "shape")
    one = numpy_helper.from_array(np.float32(1), "one")
    graph = helper.make_graph(
        nodes,
        "g",
        [value("x"), helper.make_tensor_value_info("given", dtype, [1])],
        [value(name) for name in ("abc" if scales else "abcd")],
        [tensor, shape, one],
    )
    model = pt.models.loads(helper.make_model(graph).SerializeToString())
    for result in model(np.float32(numbers), np.zeros(1, expected)):
        assert (result.tolist(), result.dtype.name) == (numbers, expected)


@pytest.mark.parametrize(
    "name",
    ["FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "FLOAT8E8M0"],
)
@pytest.mark.parametrize("saturate", [True, False])
def test_casts_to_floats_of_8_bits_round_to_even(name, saturate, engine):
    number = TensorProto.DataType.Value(name)
    kind = helper.tensor_dtype_to_np_dtype(number)
    grid = np.arange(256, dtype="uint8").view(kind).astype("float32")
    grid = np.sort(grid[np.isfinite(grid) & (grid > 2.0**-126)])
    between = (grid[:-1] + grid[1:]) / 2
    x = np.concatenate([grid, between, np.nextafter(between, 0), np.nextafter(between, 1e38)])
    x = np.append(x, [0, np.nan, grid[-1] * 1.0625, grid[-1] * 1.5]).astype("float32")
    x = np.concatenate([x, -x])
    options = {"saturate": int(saturate)}
    if name == "FLOAT8E8M0":
        expected = numpy_helper.to_float8e8m0(x, saturate)
    else:
        expected = numpy_helper.saturate_cast(x, kind) if saturate else x.astype(kind)
    node = helper.make_node("Cast", ["x"], ["y"], to=number, **options)
    graph = helper.make_graph([node], "g", [value("x")], [value("y")])
    y = pt.models.loads(helper.make_model(graph).SerializeToString())(x).numpy()
    np.testing.assert_array_equal(y, expected.astype("float32"))
    negative = expected.view("uint8") >> 7 if name.endswith(("FN", "M2")) else np.signbit(y)
    known = ~np.isnan(y)
    np.testing.assert_array_equal(np.signbit(y)[known], negative[known].astype(bool))


@pytest.mark.parametrize(
    ("mode", "wanted"), [("up", [1, 2, 2, 4]), ("nearest", [1, 1, 2, 2]), ("down", [1, 1, 1, 2])]
)
def test_powers_of_two_are_rounded_by_mode(mode, wanted, engine):
    number = TensorProto.FLOAT8E8M0
    node = helper.make_node("Cast", ["x"], ["y"], to=number, round_mode=mode)
    graph = helper.make_graph([node], "g", [value("x")], [value("y")])
    x = np.float32([1, 1.25, 1.5, 2.5, np.inf, np.nan])
    y = pt.models.loads(helper.make_model(graph).SerializeToString())(x).numpy()
    np.testing.assert_array_equal(y, [*wanted, np.nan, np.nan])


def test_a_condition_may_have_axes(engine):
    branches = {}
    for name, operator in (("then_branch", "Neg"), ("else_branch", "Abs")):
        # Some exporters write types that say nothing.
        result = helper.make_empty_tensor_value_info(name)
        result.type.SetInParent()
        node = helper.make_node(operator, ["x"], [name])
        branches[name] = helper.make_graph([node], name, [], [result])
    graph = helper.make_graph(
        [
            helper.make_node("Greater", ["x", "zero"], ["positive"]),
            helper.make_node("If", ["positive"], ["y"], **branches),
        ],
        "g",
        [value("x", [1, 1])],
        [value("y")],
        [numpy_helper.from_array(np.float32(0), "zero")],
    )
    model = pt.models.loads(helper.make_model(graph).SerializeToString())
    assert model([[2.0]]).tolist() == [[-2]]
    assert model([[-3.0]]).tolist() == [[3]]


def test_inputs_that_are_maps_are_refused(engine):
    graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "g", [value("x")], [])
    element = helper.make_tensor_type_proto(TensorProto.FLOAT, [1])
    graph.input[0].type.map_type.key_type = TensorProto.INT64
    graph.input[0].type.map_type.value_type.CopyFrom(element)
    with pytest.raises(ModelError, match="values that are not tensors or sequences"):
        pt.models.loads(helper.make_model(graph).SerializeToString())


def oversized(operator: str, **constants: Any) -> bytes:
    return saved(
        [
            helper.make_node(
                operator, [*(() if operator == "ConstantOfShape" else "x"), *constants], ["y"]
            )
        ],
        [value("x", [2])],
        [value("y")],
        {name: np.int64(numbers) for name, numbers in constants.items()},
    )


@pytest.mark.parametrize(
    "data",
    [
        oversized("ConstantOfShape", shape=[2**40]),
        oversized("ConstantOfShape", shape=[2**20, 2**10]),
        oversized("Expand", shape=[2**33, 2]),
        oversized("Tile", repeats=[2**40]),
        oversized("Pad", pads=[2**40, 0]),
    ],
    ids=["shape", "result", "Expand", "Tile", "Pad"],
)
def test_huge_results_are_refused(data, engine):
    with pytest.raises(ModelError, match="run: "):
        pt.models.loads(data)(pt.ones(2))


IMAGES = np.ones((1, 1, 4, 4), "float32")


@pytest.mark.parametrize(
    "node",
    [
        helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[2**40, 2]),
        helper.make_node("AveragePool", ["x"], ["y"], kernel_shape=[2, 2], strides=[1, 2**62]),
        helper.make_node("ConvTranspose", ["x", "x"], ["y"], strides=[2**40, 2]),
        helper.make_node("Conv", ["x", "x"], ["y"], pads=[2**40, 0, 0, 0]),
        helper.make_node("LRN", ["x"], ["y"], size=2**40),
        helper.make_node("Pad", ["x", "long"], ["y"], mode="wrap"),
        helper.make_node("Resize", ["x", "", "", "size"], ["y"]),
        helper.make_node("Split", ["x"], ["y"], num_outputs=2**40, axis=-1),
        helper.make_node("Range", ["none", "many", "one"], ["y"]),
        helper.make_node("Add", ["", ""], ["y"]),
    ],
    ids=lambda node: node.op_type,
)
def test_huge_options_end_soon(node, engine):
    constants = {
        "long": np.int64([0] * 7 + [2**40]),
        "size": np.int64([1, 1, 4, 2**40]),
        "none": np.int64(0),
        "many": np.int64(2**31 - 1),
        "one": np.int64(1),
    }
    data = saved([node], [value("x", [1, 1, 4, 4])], [value("y")], constants)
    if node.op_type == "Split":
        # The number of outputs that the node has counts.
        assert pt.models.loads(data)(IMAGES).shape == IMAGES.shape
        return
    with pytest.raises(ModelError):
        pt.models.loads(data)(IMAGES)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "file has no graph; got fields none"),
        (b"\x00\x00", "field has number 0; got byte 0 in Model"),
        (b"\x0f", "wire type 7 does not exist; got byte 0 in Model"),
        (b"\x3a\x05\x0a", "field goes past the end; got byte 0 in Model"),
        (b"\x3a\x02\x0a\x80", "number is cut off; got byte 3 in Model.graph"),
        (b"\x38\x01", "wire type 0 does not fit Graph; got byte 0 in Model.graph"),
        (b"\x08" + b"\xff" * 10, "number has more than 10 bytes; got byte 1 in Model"),
        (b"\x3a\x03\x12\x01\xff", "text is not UTF-8; got byte 4 in Model.graph.name"),
        (b"\x3a\x09\x2a\x07\x08\x03\x10\x01\x22\x01\x00", "packed numbers are cut off"),
        (b"\x3a\x06\x2a\x04\x08\x03\x10\x01", 'got 0 bytes instead of 12 for shape (3,)'),
    ],
)  # fmt: skip
def test_malformed_files_name_the_place(data, text, engine):
    with pytest.raises(ModelError) as raised:
        pt.models.loads(data)
    assert str(raised.value).startswith("load: not a valid ONNX file: ")
    assert text in str(raised.value)


def test_messages_nested_too_deeply_are_refused(engine):
    data = b""
    for _ in range(200):
        for tag in (b"\x32", b"\x2a", b"\x0a"):  # attribute.g, node.attribute, graph.node
            length = len(data)
            data = tag + bytes([length & 127 | 128, length >> 7 & 127 | 128, length >> 14]) + data
    data = (
        b"\x3a" + bytes([len(data) & 127 | 128, len(data) >> 7 & 127 | 128, len(data) >> 14]) + data
    )
    with pytest.raises(ModelError, match="nested too deeply"):
        pt.models.loads(data)


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (helper.make_node("Relu", ["z"], ["y"], "n"), 'got "z" in node "n" (Relu)'),
        (helper.make_node("Relu", ["x", "x"], ["y"], "n"), '2 inputs of Relu in "n"'),
        (helper.make_node("Add", ["x"], ["y"], "n"), 'node lacks inputs or attributes; got '),
        (helper.make_node("Relu", ["x"], ["z"], "n"), 'no node computes an output; got "y"'),
        (helper.make_node("Relu", ["x"], ["y", "z"], "n"), "operator gives fewer results"),
        (helper.make_node("Einsum", ["x"], ["y"], "n", equation="??"), "run: operator failed"),
    ],
)  # fmt: skip
def test_wrong_nodes_are_named(node, text, engine):
    with pytest.raises(ModelError) as raised:
        pt.models.loads(saved([node], [value("x", [2])], [value("y")]))(pt.ones(2))
    assert text in str(raised.value)


def test_weights_of_onnx_are_parameters(engine):
    model = pt.models.loads(linear())
    assert {name: t.shape for name, t in model.named_parameters()} == {"w": (3, 2), "b": (2,)}
    x = pt.ones((4, 3))
    gradients = pt.grad(lambda model: pt.sum(model(x)[0]))(model)
    # The first column is negative before the relu.
    assert_values(gradients.weights["w"], np.float32([[0, 4]] * 3))
    assert_values(gradients.weights["b"], np.float32([0, 4]))


def test_constants_that_decide_shapes_are_not_parameters(engine):
    nodes = [
        helper.make_node("Mul", ["half", "four"], ["scales"]),
        helper.make_node("Resize", ["x", "", "scales"], ["large"]),
        helper.make_node("Mul", ["large", "factor"], ["y"]),
    ]
    constants = {"half": np.float32([0.25, 0.5]), "four": np.float32([4, 4])}
    constants["factor"] = np.float32([2])
    model = pt.models.loads(saved(nodes, [value("x", [2, 2])], [value("y", [2, 4])], constants))
    assert [name for name, _ in model.named_parameters()] == ["factor"]
    assert model(pt.ones((2, 2))).shape == (2, 4)


def test_layers_run_one_after_the_other():
    model = pt.models.loads(linear())
    x = np.float32([[1, 2, 3], [-1, 0, 2]])
    expected = model.run({"x": x}, outputs=["product", "sum", "y", "total"])
    steps = [(layer, dict(results)) for layer, results in model.run_layers({"x": x})]
    assert [layer for layer, _ in steps] == [*model.layers]
    found = {name: value for _, results in steps for name, value in results.items()}
    assert list(found) == list(expected)
    for name, value in expected.items():
        assert_values(found[name], value.numpy())
    assert model.layers[-1].attributes == {"keepdims": 0}


def test_layer_is_profiled_alone():
    model = pt.models.loads(linear())
    steps = model.run_layers({"x": np.ones((40, 3), "float32")})
    next(steps)
    profile = pt.profile(lambda: next(steps))
    assert profile.result[0].name == "second"
    assert [kernel.operations for kernel in profile.kernels] == [("add",)]
    assert len([*steps]) == 2


def test_layers_need_valid_inputs():
    model = pt.models.loads(linear())
    with pytest.raises(ArgumentError, match="inputs are missing; got 'x'"):
        model.run_layers({})
    with pytest.raises(ShapeError, match="has another shape"):
        model.run_layers({"x": np.ones((2, 4), "float32")})


def test_results_of_layers_have_the_axes_of_the_file():
    kernel = np.random.default_rng(1).normal(size=(4, 3, 3, 3)).astype("float32")
    data = saved(
        [
            helper.make_node("Conv", ["x", "w"], ["a"], pads=[1, 1, 1, 1]),
            helper.make_node("Relu", ["a"], ["y"]),
        ],
        [value("x", [1, 3, 5, 6])],
        [value("y")],
        {"w": kernel},
    )
    model = pt.models.loads(data)
    x = np.random.default_rng(2).normal(size=(1, 3, 5, 6)).astype("float32")
    shapes = {name: y.shape for _, found in model.run_layers({"x": x}) for name, y in found.items()}
    assert shapes == {"a": (1, 4, 5, 6), "y": (1, 4, 5, 6)}


def test_format_and_producer():
    graph = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["y"])], "g", [value("x")], [value("y")]
    )
    written = helper.make_model(graph, producer_name="maker", producer_version="1.2")
    model = pt.models.loads(written.SerializeToString())
    assert (model.format, model.producer) == ("onnx", "maker, 1.2")
    again = pt.models.loads(pt.models.save(model))
    assert (again.format, again.producer) == ("py_tensor", "")
