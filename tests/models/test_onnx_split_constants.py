"""Constants of ONNX files that are too large for one tensor, on a GPU with small textures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from small_textures import MOST, limit_textures

import py_tensor as pt
from py_tensor.errors import ModelError, SizeError

ROWS, COLUMNS = 150, 32
PLACES = np.int64([[0, 149, 37], [38, -1, 113]])
"""Rows at the ends of blocks."""


@pytest.fixture(autouse=True)
def small_textures(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    limit_textures(engine, monkeypatch)


@pytest.fixture
def table(rng: np.random.Generator) -> np.ndarray:
    return rng.standard_normal((ROWS, COLUMNS)).astype("float32")


def loaded(nodes: list[Any], inputs: dict[str, Any], constants: dict[str, Any]) -> pt.models.Model:
    """Return a model with the output y."""
    graph = helper.make_graph(
        nodes,
        "graph",
        [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), None)
            for name, x in inputs.items()
        ],
        [helper.make_empty_tensor_value_info("y")],
        [
            x if isinstance(x, TensorProto) else numpy_helper.from_array(np.ascontiguousarray(x), n)
            for n, x in constants.items()
        ],
    )
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return pt.models.loads(helper.make_model(graph, opset_imports=imports).SerializeToString())


def node(operator: str, inputs: str, output: str, **options: Any) -> Any:
    own = "com.microsoft" if operator in ("MatMulNBits", "GatherBlockQuantized", "QMoE") else ""
    return helper.make_node(operator, inputs.split(), [output], domain=own, **options)


def check(
    nodes: list[Any], inputs: dict[str, Any], constants: dict[str, Any], want: np.ndarray
) -> pt.models.Model:
    """Assert that a model gives these values in a call and in a compiled call."""
    model = loaded(nodes, inputs, constants)
    for _ in range(2):
        found = model.run(inputs)["y"].numpy()
        np.testing.assert_allclose(found, want, rtol=1e-4, atol=1e-3)
    return model


def test_a_table_and_logits_share_a_constant(table, rng, engine):
    assert table.size > 4 * MOST
    nodes = [
        node("Gather", "table x", "rows"),
        node("Transpose", "table", "turned", perm=[1, 0]),
        node("MatMul", "rows turned", "y"),
    ]
    inputs = {"x": PLACES[:1]}
    check(nodes, inputs, {"table": table}, table[PLACES[:1]] @ table.T)
    nodes = [
        node("Identity", "table", "same"),
        node("Cast", "same", "wide", to=TensorProto.FLOAT),
        node("Gather", "wide x", "y", axis=-2),
    ]
    half = table.astype("float16")
    check(nodes, {"x": PLACES}, {"table": half}, half[PLACES].astype("float32"))


@pytest.mark.parametrize("transposed", [0, 1])
def test_products_with_matrices_of_any_size(transposed, table, rng, engine):
    bias = rng.standard_normal(ROWS).astype("float32")
    x = rng.standard_normal((3, COLUMNS)).astype("float32")
    stored = table if transposed else table.T
    gemm = node("Gemm", "x w bias", "y", transB=transposed, alpha=0.5)
    want = 0.5 * (x @ table.T) + bias
    check([gemm], {"x": x}, {"w": stored, "bias": bias}, want)
    x = rng.standard_normal((2, 2, ROWS)).astype("float32")
    check([node("MatMul", "x w", "y")], {"x": x}, {"w": table}, x @ table)


def test_other_readers_get_the_whole_matrix(table, engine):
    nodes = [
        node("Gather", "table x", "rows"),
        node("Abs", "table", "positive"),
        node("ReduceSum", "positive", "sum", keepdims=0),
        node("Add", "rows sum", "y"),
    ]
    check(nodes, {"x": PLACES}, {"table": table}, table[PLACES] + np.abs(table).sum())


def packed(codes: np.ndarray) -> np.ndarray:
    return codes[..., 0::2] | codes[..., 1::2] << 4


@pytest.mark.parametrize("has_zeros", [True, False])
def test_packed_products_of_any_size(has_zeros, rng, engine):
    rows, columns, block = 80, 64, 16
    codes = rng.integers(0, 16, (rows, columns // block, block)).astype("uint8")
    scales = rng.standard_normal((rows, columns // block)).astype("float32")
    zeros = rng.integers(0, 16, scales.shape).astype("uint8")
    constants = {"w": packed(codes), "s": scales.ravel()}
    assert constants["w"].size > MOST
    if has_zeros:
        constants["z"] = packed(zeros).ravel()
    middle = zeros[..., None].astype("float32") if has_zeros else 8.0
    values = ((codes - middle) * scales[..., None]).reshape(rows, columns)
    for count in (1, 6):
        x = rng.standard_normal((count, columns)).astype("float32")
        own = node("MatMulNBits", f"x {' '.join(constants)}", "y", K=64, N=rows, block_size=block)
        check([own], {"x": x}, constants, x @ values.T)


@pytest.mark.parametrize("kind", [TensorProto.UINT4, TensorProto.UINT8])
def test_packed_tables_of_any_size(kind, rng, engine):
    codes = rng.integers(0, 16, (ROWS, COLUMNS)).astype("uint8")
    scales = rng.standard_normal((ROWS, 2)).astype("float32")
    data: Any = packed(codes)
    if kind == TensorProto.UINT4:
        data = helper.make_tensor("table", kind, codes.shape, codes.ravel().tolist())
    own = node("GatherBlockQuantized", "table x s", "y", block_size=16)
    middle = 8 if kind == TensorProto.UINT8 else 0
    values = (codes.astype("float32") - middle) * scales.repeat(16, 1)
    check([own], {"x": PLACES}, {"table": data, "s": scales}, values[PLACES])


def test_dequantized_tables_and_logits_of_any_size(rng, engine):
    codes = rng.integers(-8, 8, (ROWS, COLUMNS))
    scales = rng.standard_normal((ROWS, 2)).astype("float32")
    nodes = [
        node("DequantizeLinear", "q s", "w", axis=1, block_size=16),
        node("Gather", "w x", "rows"),
        node("Gemm", "rows w", "y", transB=1),
    ]
    data = helper.make_tensor("q", TensorProto.INT4, codes.shape, codes.ravel().tolist())
    values = codes * scales.repeat(16, 1)
    places = PLACES[0]
    want = values[places] @ values.T
    model = check(nodes, {"x": places}, {"q": data, "s": scales}, want)
    names = [layer.operator for layer in model.layers]
    assert names == ["com.microsoft.GatherBlockQuantized", "com.microsoft.MatMulNBits"]


@pytest.mark.parametrize("count", [1, 6])
def test_experts_of_any_size(count, rng, engine):
    experts, features, hidden = 6, 32, 16
    router = rng.standard_normal((count, experts)).astype("float32")
    first = rng.integers(0, 16, (experts, hidden, features)).astype("uint8")
    second = rng.integers(0, 16, (experts, features, hidden)).astype("uint8")
    scales = [
        rng.uniform(0.05, 0.1, (experts, width)).astype("float32") for width in (hidden, features)
    ]
    x = rng.standard_normal((count, features)).astype("float32")
    constants = {"w1": packed(first), "s1": scales[0], "w2": packed(second), "s2": scales[1]}
    assert constants["w1"].size > MOST
    own = helper.make_node(
        "QMoE",
        ["x", "router", "w1", "s1", "", "w2", "s2"],
        ["y"],
        domain="com.microsoft",
        activation_type="relu",
        k=2,
        normalize_routing_weights=1,
    )
    up, down = (
        (codes - 8.0) * scale[..., None]
        for codes, scale in ((first, scales[0]), (second, scales[1]))
    )
    want = np.zeros_like(x)
    for row in range(count):
        chosen = np.argsort(-router[row])[:2]
        shares = np.exp(router[row, chosen] - router[row, chosen].max())
        for expert, share in zip(chosen, shares / shares.sum(), strict=True):
            want[row] += share * (down[expert] @ np.maximum(up[expert] @ x[row], 0))
    check([own], {"x": x, "router": router}, constants, want)


def test_constants_of_three_axes_for_other_readers_raise(rng, engine):
    large = rng.standard_normal((5, 16, 32)).astype("float32")
    with pytest.raises(SizeError):
        loaded([node("Add", "x w", "y")], {"x": np.zeros(32, "float32")}, {"w": large})


def test_rows_that_are_too_long_raise(engine):
    with pytest.raises((SizeError, ModelError)):
        loaded(
            [node("Gather", "w x", "y")],
            {"x": PLACES},
            {"w": np.zeros((2, 2 * MOST), "float32")},
        )


def test_split_tables_are_saved(table, engine, monkeypatch):
    model = loaded([node("Gather", "table x", "y")], {"x": PLACES}, {"table": table})
    monkeypatch.undo()
    file = pt.models.save(model)
    same = pt.models.loads(file)
    np.testing.assert_array_equal(same.run({"x": PLACES})["y"].numpy(), table[PLACES])
