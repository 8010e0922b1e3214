"""Export functions as ONNX: onnx's checker accepts the files, and other programs run them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from helpers import sample
from onnx.reference import ReferenceEvaluator

import py_tensor as pt
from py_tensor.errors import ArgumentError, ModelError, TraceError
from py_tensor.models.onnx.export_rows import ROWS
from py_tensor.ops import OP_DEFS
from py_tensor.ops.op_def import Cast, Elementwise, Where
from py_tensor.ops.views import PAD
from py_tensor.tensor import apply


def leaves(results: Any) -> list[pt.Tensor]:
    return [pt.asarray(leaf) for leaf in pt.tree_leaves(results)]


def assert_exported(
    function: Callable[..., Any],
    *arrays: Any,
    rtol: float = 1e-5,
    atol: float = 1e-6,
    examples: Any = None,
    **given: Any,
) -> Any:
    """Compare a function with its export in three programs, and return the file."""
    data = pt.models.to_onnx(function, *(arrays if examples is None else examples), **given)
    file = onnx.load_model_from_string(data)
    onnx.checker.check_model(file, full_check=True)
    expected = [leaf.numpy() for leaf in leaves(function(*map(pt.asarray, arrays)))]
    names = [info.name for info in file.graph.input]
    with np.errstate(all="ignore"):
        found = ReferenceEvaluator(file).run(None, dict(zip(names, arrays, strict=True)))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    run = session.run(None, dict(zip(names, arrays, strict=True)))
    loaded = [leaf.numpy() for leaf in leaves(pt.models.loads(data)(*arrays))]
    for want, *others in zip(expected, found, run, loaded, strict=True):
        for got in map(np.asarray, others):
            assert (got.dtype, got.shape) == (want.dtype, want.shape)
            np.testing.assert_allclose(
                got.astype("float64"), want.astype("float64"), rtol=rtol, atol=atol
            )
    return file


def normal(*shape: int) -> Any:
    return np.random.default_rng(5).normal(size=shape).astype("float32")


def operators(file: Any) -> list[str]:
    return [node.op_type for node in file.graph.node]


# --- operations -----------------------------------------------------------------------------------

MISSING = {
    *("betainc", "bits_to_unit_float", "cos_of_turn", "digamma", "erfc", "erfinv", "i0", "lgamma"),
    *("from_bfloat16", "nextafter", "threefry2x32", "threefry_first"),
}
"""Elementwise operations that ONNX lacks."""
ELEMENTWISE = [
    op
    for op in OP_DEFS.values()
    if isinstance(op, Elementwise) and not isinstance(op, (Cast, Where)) and op.name in ROWS
]


def test_every_elementwise_operation_has_a_row_or_is_listed():
    names = {op.name for op in OP_DEFS.values() if isinstance(op, Elementwise)}
    assert names - ROWS.keys() == MISSING
    assert not ROWS.keys() - OP_DEFS.keys() - {"det", "barrier_view"}


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8", "bool"])
@pytest.mark.parametrize("op", ELEMENTWISE, ids=lambda op: op.name)
def test_elementwise(op, dtype, engine):
    arrays = []
    rng = np.random.default_rng(3)
    ranges = op.sample if isinstance(op.sample[0], tuple) else (op.sample,) * op.arity
    for low, high in ranges:
        arrays.append(sample(rng, (3, 5), dtype, low, high))
    call = getattr(pt, op.name, None)
    if call is None or not op.public:

        def call(*operands: Any) -> Any:
            return apply(op, operands)

    try:
        call(*map(pt.asarray, arrays))
    except pt.errors.DTypeError:
        with pytest.raises(pt.errors.DTypeError):
            pt.models.to_onnx(call, *arrays)
        return
    assert_exported(call, *arrays, rtol=2e-5)


def test_special_values(engine):
    x = np.float32([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-7, -1e-7, 3e7])
    for function in (pt.isfinite, pt.isinf, pt.isnan, pt.signbit, pt.log1p, pt.expm1, pt.trunc):
        given = x if function is not pt.log1p else np.abs(x)
        assert_exported(function, given, rtol=2e-6, atol=0)
    for function in (pt.isfinite, pt.isinf, pt.isnan):
        assert_exported(function, x[:-1].astype("float16"))
    y, z = np.meshgrid(np.float32([-2, -0.5, 0, 0.5, 2]), np.float32([-1, 0, 3]))
    assert_exported(pt.atan2, y, z)
    assert_exported(pt.copysign, y, z)
    integers = np.int32([-7, -1, 0, 5, 9])
    for divisor in (np.int32([2, -3, 4, 0, -2]), np.int32([0, 1, 0, -1, 7])):
        assert_exported(pt.floor_divide, integers, divisor)
        assert_exported(pt.remainder, integers, divisor)
    assert_exported(lambda a: a << 2, integers)
    assert_exported(lambda a: a >> 2, integers)
    assert_exported(lambda a, b: a**b, np.int32([2, -3, 5]), np.int32([3, 2, -1]))


def test_small_integers_wrap(engine):
    for dtype in ("int8", "uint8", "int16", "uint16"):
        x = np.array([0, 1, 100, np.iinfo(dtype).max], dtype)
        assert_exported(lambda a: a + a, x)
        assert_exported(lambda a: a * 3 - 5, x)
        assert_exported(lambda a: a.sum(), x)
        assert_exported(lambda a: a.max(), x)


x23, x234 = normal(2, 3), normal(2, 3, 4)
FUNCTIONS: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "sum": (lambda x: x.sum(axis=(0, 2)), [x234]),
    "sum of bool": (lambda x: (x > 0).sum(axis=1), [x23]),
    "mean": (lambda x: x.mean(), [x234]),
    "variance": (lambda x: x.var(axis=1, keepdims=True), [x23]),
    "prod": (lambda x: x.prod(axis=-1), [x23]),
    "extremes": (lambda x: (x.max(axis=1), x.min(axis=0)), [x23]),
    "any and all": (lambda x: ((x > 0).any(axis=0), (x > -9).all(), x.all(axis=1)), [x23]),
    "positions": (lambda x: (x.argmax(axis=1), x.argmin(axis=0), x.argmax()), [x23]),
    "matmul": (lambda x, y: x @ y, [x234, normal(4, 5)]),
    "batched matmul": (lambda x, y: x @ y, [x234, normal(2, 4, 5)]),
    "einsum": (lambda x, y: pt.einsum("abc,dc->bad", x, y), [x234, normal(5, 4)]),
    "int matmul": (lambda x: x @ x.T, [np.int32([[1, 2], [3, 4]])]),
    "reshape": (lambda x: x.reshape((4, 6)).T.reshape(-1), [x234]),
    "slice": (lambda x: (x[:, 1:, ::2], x[::-1, 0], x[..., -1:], x[:, ::-2]), [x234]),
    "pad": (lambda x: pt.pad(x, ((1, 0), (2, 3)), constant_values=7.0), [x23]),
    "pad between": (lambda x: apply(PAD, (x, 7.0), ((1, 0, 2), (0, 2, 1), (0, 0, 0))), [x234]),
    "pad edge": (lambda x: pt.pad(x, ((1, 2), (0, 2)), mode="edge"), [x23]),
    "concat": (lambda x, y: (pt.concat([x, y], axis=1), pt.stack([x, x])), [x23, normal(2, 1)]),
    "tile": (lambda x: (pt.tile(x, (2, 1)), pt.repeat(x, 2, axis=1), pt.roll(x, 1)), [x23]),
    "broadcast": (lambda x: pt.broadcast_to(x[:, None], (2, 5, 3)), [x23]),
    "where": (lambda x: pt.where(x > 0, x, -1.0), [x23]),
    "clip": (lambda x: x.clip(-0.5, 0.5), [x23]),
    "casts": (
        lambda x: [(x * 9).astype(dtype) for dtype in ("int32", "int8", "bool", "float16")],
        [x23],
    ),
    "take": (lambda x, i: pt.take(x, i, axis=1), [x234, np.int32([[0, 2], [-1, 1]])]),
    "take along": (
        lambda x, i: pt.take_along_axis(x, i, axis=1),
        [x23, np.int32([[0, 2], [1, 1]])],
    ),
    "embedding": (lambda i: pt.take(pt.eye(7) * 2.0, i, axis=0), [np.int32([[1, 6], [0, 3]])]),
    "segments": (
        lambda x, i: pt.segment_sum(x, i, 4),
        [x23, np.int32([2, 0])],
    ),
    "cumulative sum": (lambda x: pt.cumulative_sum(x, axis=1), [x234]),
    "cumulative sum of integers": (
        lambda x: pt.cumulative_sum(x, include_initial=True),
        [np.int32([3, 1, 2])],
    ),
    "cumulative product": (lambda x: pt.cumulative_prod(x, axis=1, include_initial=True), [x234]),
    "sort": (lambda x: (pt.sort(x, axis=1), pt.argsort(x, axis=0, descending=True)), [x23]),
    "searchsorted": (
        lambda x, v: [pt.searchsorted(x, v, side=side) for side in ("left", "right")],
        [np.float32([1, 2, 2, 5, np.nan]), np.float32([[0, 2, 3], [5, 7, np.nan]])],
    ),
    "searchsorted in bytes": (pt.searchsorted, [np.uint8([1, 2, 200]), np.uint8([0, 2, 255])]),
    "assignment at indices": (
        lambda x, i: x.at[i].set(pt.asarray([7.0, 8.0, 9.0, 10.0])),
        [normal(5), np.int32([3, 0, 3, -1])],
    ),
    "diagonal": (lambda x: (pt.linalg.diagonal(x), pt.linalg.trace(x)), [x23]),
    "triangle": (lambda x: (pt.tril(x), pt.triu(x, k=1)), [x23]),
    "det": (pt.linalg.det, [normal(2, 3, 3)]),
    "softmax": (lambda x: (pt.softmax(x), pt.nn.log_softmax(x, axis=0)), [x23]),
    "activations": (
        lambda x: [pt.nn.gelu(x), pt.nn.silu(x), pt.nn.elu(x), pt.nn.softplus(x)],
        [x23],
    ),
    "conv": (
        lambda x, w: pt.conv2d(x, w, stride=2, padding="same", dilation=1),
        [normal(2, 7, 8, 3), normal(3, 3, 3, 4)],
    ),
    "dilated conv": (
        lambda x, w: pt.conv2d(x, w, padding=((1, 2), (0, 1)), dilation=2),
        [normal(1, 7, 8, 3), normal(3, 2, 3, 4)],
    ),
    "grouped conv": (
        lambda x, w: pt.conv2d(x, w, groups=3, padding=1),
        [normal(2, 5, 5, 3), normal(3, 3, 1, 6)],
    ),
    "conv1d": (lambda x, w: pt.nn.conv1d(x, w), [normal(2, 7, 3), normal(3, 3, 4)]),
    "conv3d": (lambda x, w: pt.nn.conv3d(x, w), [normal(1, 4, 4, 5, 2), normal(2, 3, 2, 2, 3)]),
    "transposed conv": (
        lambda x, w: pt.conv2d_transpose(x, w, stride=2, padding=1),
        [normal(1, 4, 5, 3), normal(3, 3, 2, 3)],
    ),
    "max pool": (lambda x: pt.max_pool2d(x, 3, stride=2, padding="same"), [normal(2, 7, 8, 3)]),
    "average pool": (lambda x: pt.avg_pool2d(x, 2), [normal(2, 7, 8, 3)]),
    "average pool with padding": (
        lambda x: pt.avg_pool2d(x, 3, stride=1, padding="same"),
        [normal(1, 4, 5, 2)],
    ),
    "pool1d": (lambda x: (pt.nn.max_pool1d(x, 2), pt.nn.avg_pool1d(x, 3)), [normal(2, 7, 3)]),
    "pool3d": (lambda x: pt.nn.max_pool3d(x, 2), [normal(1, 4, 4, 4, 2)]),
    "windows": (
        lambda x: pt.lib.stride_tricks.sliding_window_view(x, (2, 3), (0, 1)),
        [normal(4, 5)],
    ),
    "gradient": (
        lambda x: pt.grad(lambda y: (pt.max_pool2d(y, 2) ** 2).sum())(x),
        [normal(1, 5, 4, 2)],
    ),
    "strided gradient": (
        lambda x, w: pt.grad(lambda w: (pt.conv2d(x, w, stride=2) ** 2).sum())(w),
        [normal(1, 6, 7, 2), normal(3, 3, 2, 2)],
    ),
    "nested jit": (pt.jit(lambda x: pt.jit(pt.exp)(x) + 1.0), [x23]),
    "vmap": (pt.vmap(lambda row: row / row.sum()), [np.abs(x23)]),
    "scan": (
        lambda x: pt.lax.scan(lambda c, z: (c + z, c * z), pt.zeros(3), x, reverse=True),
        [normal(4, 3)],
    ),
    "nested scan": (
        lambda x: pt.lax.scan(
            lambda c, z: (pt.lax.scan(lambda a, b: (a * b, a), c, z)[0], c.sum()), pt.ones(()), x
        ),
        [normal(4, 3)],
    ),
    "half": (lambda x: x * 2 + 1, [x23.astype("float16")]),
    "no operations": (lambda x: (x, x, pt.ones(2), 3.0), [x23]),
    "repeated": (lambda x: ((y := x + 1.0), y, y * 2.0), [x23]),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, engine):
    function, arrays = FUNCTIONS[name]
    tolerance = 1e-2 if "half" in name else 3e-5
    assert_exported(function, *arrays, rtol=tolerance, atol=1e-5)


# --- models ---------------------------------------------------------------------------------------


def network(kind: str) -> tuple[Any, Any]:
    nn = pt.nn
    match kind:
        case "mlp":
            return nn.Sequential(nn.Dense(4, 8), pt.relu, nn.Dense(8, 3), pt.softmax), normal(5, 4)
        case "cnn":
            layers = (
                *(nn.Conv2D(2, 4, 3, padding="same", stride=2), nn.BatchNorm(4), pt.relu),
                *(nn.MaxPool2D(2), nn.DepthwiseConv2D(4, 3, padding=1), nn.AvgPool2D(2)),
                *(nn.ConvTranspose2D(4, 3, 3, stride=2), nn.Flatten(), nn.Dense(27, 2)),
            )
            return nn.Sequential(*layers), normal(2, 12, 12, 2)
        case "lstm":
            return nn.LSTM(3, 4), normal(2, 5, 3)
        case "gru":
            return nn.GRU(3, 4, layers=2, return_state=False), normal(2, 5, 3)
        case "bidirectional":
            return nn.Bidirectional(nn.RNN(3, 4), nn.RNN(3, 4)), normal(2, 5, 3)
    embedding, encoder = nn.Embedding(7, 8), nn.TransformerEncoderLayer(8, 2, hidden=16)
    return lambda ids: encoder(embedding(ids), causal=True), np.int32([[1, 2, 6, 0], [5, 5, 1, 2]])


KINDS = ("mlp", "cnn", "lstm", "gru", "bidirectional", "transformer")


@pytest.mark.parametrize("kind", KINDS)
def test_networks(kind, engine):
    model, x = network(kind)
    file = assert_exported(model, x)
    if kind == "cnn":
        assert {"Conv", "MaxPool", "AveragePool"} < set(operators(file))


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_axis_can_stay_open(kind, engine):
    model, x = network(kind)
    spec = pt.ShapeDtype(x.shape, x.dtype.name)
    for rows in (x, x[:1], np.concatenate([x, x, x])):
        file = assert_exported(model, rows, examples=[spec], open_batch=True)
        assert file.graph.input[0].type.tensor_type.shape.dim[0].dim_param == "batch"


def test_positions_along_an_open_axis(engine):
    def function(x: Any) -> Any:
        return x + pt.arange(x.shape[0])[:, None] * pt.arange(x.shape[1])

    assert_exported(function, normal(4, 3), examples=[x23], open_batch=True)


def test_a_loaded_model_is_exported_with_its_names(engine):
    first = pt.models.to_onnx(
        lambda a, b: {"sum": a + b, "product": a * b}, x23, x23, input_names=["left", "right"]
    )
    model = pt.models.loads(first)
    assert [info.name for info in model.inputs] == ["left", "right"]
    assert {info.name for info in model.outputs} == {"sum", "product"}
    file = onnx.load_model_from_string(pt.models.to_onnx(model, x23, x23))
    assert [info.name for info in file.graph.input] == ["left", "right"]
    assert_exported(model, x23, x23)


def test_examples_may_be_trees_and_numbers(engine):
    def function(pair: Any, power: int) -> Any:
        return pair["x"] ** power + pair["y"]

    specs = {"x": pt.ShapeDtype((2, 3)), "y": pt.ShapeDtype((3,))}
    data = pt.models.to_onnx(function, specs, 2, output_names=["z"])
    model = pt.models.loads(data)
    assert [(info.name, info.shape) for info in model.inputs] == [
        ("pair.x", (2, 3)),
        ("pair.y", (3,)),
    ]
    assert model.outputs[0].name == "z"
    assert model(pt.ones((2, 3)), pt.ones(3)).tolist() == [[2.0] * 3] * 2


def test_constants_are_stored_once(engine):
    w = pt.asarray(normal(50, 50))
    data = pt.models.to_onnx(
        lambda x: x @ w + (x @ w) * pt.ones((1000, 50)), pt.ShapeDtype((1, 50))
    )
    assert 10_000 < len(data) < 11_000
    # What does not depend on inputs is computed now.
    file = onnx.load_model_from_string(pt.models.to_onnx(lambda x: x + pt.exp(w).sum(), x23))
    assert operators(file) == ["Add", "Identity"]


def test_sources_of_numbers_are_not_mixed(engine):
    """Equal bits of different dtypes are different constants."""
    assert_exported(lambda x: (x + 0.0, x.astype("int32") + 0, x > 0), x23)


# --- errors ---------------------------------------------------------------------------------------


def test_all_operations_that_cannot_be_exported_are_reported(engine):
    with pytest.raises(ModelError) as raised:
        pt.models.to_onnx(lambda x: pt.lgamma(x) + pt.erfinv(x) + pt.lgamma(x + 1), x23)
    assert str(raised.value) == (
        "to_onnx: operations cannot be exported; got lgamma (2 times), erfinv (1 times) in "
        "function; write the function without them"
    )
    with pytest.raises(ModelError, match="of complex numbers"):
        pt.models.to_onnx(lambda x: pt.real(pt.fft.fft(x)), x23)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.mean(axis=0),
        lambda x: x[::-1],
        lambda x: x[1:],
        lambda x: x + pt.asarray([x.shape[0]]),
        lambda x: x.reshape((x.shape[0] + 1 - 1, 3))[: x.shape[0] - 1],
        lambda x: x if x.shape[0] == 7 else x + 1.0,
        lambda x: pt.sort(x, axis=0)[:3] + x.shape[0],
    ],
)
def test_functions_of_the_length_of_an_open_axis_are_refused(function, engine):
    with pytest.raises(ModelError, match="pass open_batch=False"):
        pt.models.to_onnx(function, x23, open_batch=True)
    assert_exported(function, x23)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"input_names": []}, r"input_names must be one text for each; got \[\] for 1 values"),
        ({"output_names": ["a", "a"]}, r"output_names must be one text for each"),
        ({"output_names": [""]}, r"output_names must be one text for each"),
    ],
)
def test_wrong_names_are_refused(options, text, engine):
    with pytest.raises(ArgumentError, match=text):
        pt.models.to_onnx(pt.exp, x23, **options)


def test_wrong_functions_are_refused(engine):
    with pytest.raises(ArgumentError, match="no common first axis"):
        pt.models.to_onnx(lambda x, y: x + y, x23, normal(3), open_batch=True)
    with pytest.raises(TraceError):
        pt.models.to_onnx(lambda x: x * x.sum().item(), x23)
    with pytest.raises(ModelError, match="too many operations"):
        pt.models.to_onnx(
            lambda x: pt.lax.fori_loop(0, 60_000, lambda at, c: c * 2.0 + 1.0, x), x23
        )


def test_branches_and_loops_of_whole_programs(engine, monkeypatch):
    """A backend that computes only the chosen branch exports both, and a choice."""
    inputs = normal(2, 3)

    def function(x):
        return pt.lax.cond(x[0, 0] > 0.0, lambda: pt.exp(x), lambda: x * 2.0)

    monkeypatch.setattr(engine, "whole_programs", True)
    for x in (np.abs(inputs), -np.abs(inputs)):
        assert_exported(function, x)
    with pytest.raises(ModelError, match="loop without limit cannot be exported"):
        pt.models.to_onnx(
            lambda x: pt.lax.while_loop(lambda c: pt.sum(c) > 1.0, lambda c: c / 2.0, x), inputs
        )
