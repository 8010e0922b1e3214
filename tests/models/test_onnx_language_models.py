"""Operators of language models in ONNX files that ONNX Runtime does not compute on a processor."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

import py_tensor as pt
from py_tensor.errors import ModelError


def model_of(
    operator: str,
    inputs: dict[str, Any],
    constants: dict[str, Any] | None = None,
    order: str = "",
    outputs: int = 1,
    types: dict[str, int] | None = None,
    **attributes: Any,
) -> pt.models.Model:
    """Return a model of one operator; `order` names its inputs, with "-" for an omitted one."""
    constants = constants or {}
    names = order.split() or [*inputs, *constants]
    results = [f"o{at}" for at in range(outputs)]
    names = ["" if name == "-" else name for name in names]
    node = helper.make_node(operator, names, results, domain="com.microsoft", **attributes)
    graph = helper.make_graph(
        [node],
        operator,
        [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), None)
            for name, x in inputs.items()
        ],
        [helper.make_empty_tensor_value_info(name) for name in results],
        [
            helper.make_tensor(
                name,
                (types or {}).get(name, helper.np_dtype_to_tensor_dtype(x.dtype)),
                x.shape,
                x.ravel().tolist(),
            )
            for name, x in constants.items()
        ],
    )
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return pt.models.loads(helper.make_model(graph, opset_imports=imports).SerializeToString())


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


def floats(rng: Any, *shape: int) -> Any:
    return rng.normal(size=shape).astype("float32")


def test_weights_of_bitsandbytes_are_not_transposed_without_trans_b(rng, engine):
    codes = rng.integers(0, 256, 64, dtype=np.uint8)
    scales, a, identity = floats(rng, 8), floats(rng, 3, 4), np.eye(32, dtype="float32")
    options = {"K": 32, "N": 4, "block_size": 16, "quant_type": 1}
    constants = {"b": codes, "s": scales}
    weights = model_of("MatMulBnb4", {"a": identity}, constants, **options)(identity).numpy()
    back = model_of("MatMulBnb4", {"a": a}, constants, transB=0, **options)
    close(back(a).numpy(), a @ weights.T)


def stored_between(model: pt.models.Model, inputs: dict[str, Any]) -> int:
    """Return the bytes of values between the kernels that compute the result."""
    text = str(pt.explain(*model._runner.forward(inputs, ("o0",), {})))
    [number] = re.findall(r"(\d+) bytes of temporaries", text)
    return int(number)


@pytest.mark.parametrize(
    ("operator", "options"),
    [("MatMulBnb4", {"quant_type": 0}), ("MatMulNBits", {"bits": 4})],
)
def test_products_read_packed_weights(operator, options, rng, engine):
    a, codes = floats(rng, 1, 64), rng.integers(0, 256, (64, 2, 16), dtype=np.uint8)
    constants = {"b": codes if operator == "MatMulNBits" else codes.ravel(), "s": floats(rng, 128)}
    model = model_of(operator, {"a": a}, constants, K=64, N=64, block_size=32, **options)
    assert stored_between(model, {"a": pt.asarray(a)}) == 0


def test_gathered_rows_are_read_from_packed_weights(rng, engine):
    places = np.int32([3, 60])
    constants = {"data": rng.integers(0, 256, (64, 16), dtype=np.uint8), "s": floats(rng, 64, 2)}
    model = model_of(
        *("GatherBlockQuantized", {"at": places}, constants, "data at s"), bits=4, block_size=16
    )
    # The positions are.
    assert stored_between(model, {"at": pt.asarray(places)}) <= 4 * places.nbytes


@pytest.mark.parametrize(("number", "low"), [(TensorProto.INT4, -8), (TensorProto.UINT4, 0)])
@pytest.mark.parametrize(("gathered", "blocked"), [(0, 1), (1, 0), (1, 2), (-1, 0)])
def test_gather_of_narrow_integers_takes_any_axis(number, low, gathered, blocked, rng, engine):
    data = rng.integers(low, low + 16, (20, 18, 3))
    shape = [-(-n // 16) if axis == blocked else n for axis, n in enumerate(data.shape)]
    scales, zeros = floats(rng, *shape), rng.integers(low, low + 16, shape)
    places = np.int32([[1, -1], [2, 0]])
    constants = {"data": data, "s": scales, "z": zeros}
    options = {"block_size": 16, "gather_axis": gathered, "quantize_axis": blocked}
    types = {"data": number, "z": number}
    model = model_of(
        *("GatherBlockQuantized", {"at": places}, constants, "data at s z"), types=types, **options
    )

    def spread(blocks: Any) -> Any:
        return blocks.repeat(16, blocked)[tuple(map(slice, data.shape))]

    values = (data - spread(zeros)) * spread(scales)
    close(model(places).numpy(), values.take(places, gathered))


def test_gather_of_positions_outside_gives_zeros(rng, engine):
    data = rng.integers(0, 256, (4, 16), dtype=np.uint8)
    places, scales = np.int32([3, 4, -4, -5]), floats(rng, 4, 1)
    constants = {"data": data, "s": scales}
    options = {"bits": 8, "block_size": 16}
    model = model_of("GatherBlockQuantized", {"at": places}, constants, "data at s", **options)
    values = (data.astype(int) - 128) * scales
    close(model(places).numpy(), np.stack([values[3], values[0] * 0, values[0], values[0] * 0]))


def test_packed_parts_of_a_decoder_are_split(rng, engine):
    parts = {name: floats(rng, 2, 1, 8) for name in "qkv"}
    caches = {"pk": floats(rng, 2, 2, 3, 4), "pv": floats(rng, 2, 2, 3, 4)}
    name, order = "DecoderMaskedMultiHeadAttention", "q - - - - pk pv"
    packed = {"q": np.concatenate([*parts.values()], -1)}
    model = model_of(name, packed | caches, None, order, outputs=3, num_heads=2)
    apart = model_of(name, parts | caches, None, "q k v - - pk pv", outputs=3, num_heads=2)
    results = apart.run(parts | caches)
    for found, expected in zip(model.run(packed | caches).values(), results.values(), strict=True):
        close(found.numpy(), expected.numpy())
    np.testing.assert_array_equal(results["o1"].numpy()[:, :, :3], caches["pk"])
    keys = parts["k"].reshape(2, 1, 2, 4).swapaxes(1, 2)
    np.testing.assert_array_equal(results["o1"].numpy()[:, :, 3:], keys)


def test_queries_and_keys_of_heads_are_normalized(rng, engine):
    x = {"q": floats(rng, 2, 3, 32), "k": floats(rng, 2, 3, 16), "v": floats(rng, 2, 3, 16)}
    scales = {"qn": floats(rng, 8), "kn": floats(rng, 8)}
    seen = {"last": np.int32([2, 2]), "total": np.int32(3)}
    options = {"num_heads": 4, "kv_num_heads": 2, "outputs": 3}
    order = "q k v - - last total" + " -" * 7
    model = model_of(
        *("GroupQueryAttention", x, scales | seen, f"{order} qn kn"),
        **(options | {"qk_norm_epsilon": 1e-3, "k_norm_epsilon": 1e-2}),
    )

    def normalized(part: Any, scale: Any, epsilon: float) -> Any:
        heads = part.reshape((2, 3, -1, 8))
        size = np.sqrt((heads**2).mean(-1, keepdims=True) + epsilon)
        return (heads / size * scale).reshape(part.shape).astype("float32")

    same = {
        "q": normalized(x["q"], scales["qn"], 1e-3),
        "k": normalized(x["k"], scales["kn"], 1e-2),
        "v": x["v"],
    }
    plain = model_of("GroupQueryAttention", same, seen, "q k v - - last total", **options)
    for found, expected in zip(model.run(x).values(), plain.run(same).values(), strict=True):
        close(found.numpy(), expected.numpy())


def test_total_length_may_have_an_axis(rng, engine):
    x = {name: floats(rng, 1, 3, 16) for name in "qkv"}
    results = []
    for total in (np.int32(3), np.int32([3])):
        seen = {"last": np.int32([2]), "total": total}
        options = {"num_heads": 2, "kv_num_heads": 2, "outputs": 3}
        model = model_of("GroupQueryAttention", x, seen, "q k v - - last total", **options)
        results.append(model.run(x)["o0"].numpy())
    np.testing.assert_array_equal(*results)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("late", [0, 1])
@pytest.mark.parametrize("fusion", [0, 1, 2])
@pytest.mark.parametrize("kind", ["swiglu", "geglu"])
def test_gated_experts(kind, fusion, late, rng, engine):
    x, router = floats(rng, 40, 8), floats(rng, 40, 3)
    gates, ups, downs = floats(rng, 3, 4, 8), floats(rng, 3, 4, 8), floats(rng, 3, 8, 4)
    first = {
        0: gates,
        1: np.stack([gates, ups], 2).reshape(3, 8, 8),
        2: np.concatenate([gates, ups], 1),
    }[fusion]
    constants = {"w1": first, "w2": downs} | ({"w3": ups} if fusion == 0 else {})
    model = model_of(
        *("MoE", {"x": x, "r": router}, constants),
        "x r w1 - w2" + (" - w3" if fusion == 0 else ""),
        **{"activation_type": kind, "swiglu_fusion": fusion, "k": 2, "swiglu_limit": 0.7},
        **{"activation_alpha": 1.5, "activation_beta": 0.5, "swiglu_limit_after_activation": late},
    )
    gate, up = (np.einsum("ti,eji->tej", x, w) for w in (gates, ups))
    if kind == "geglu":
        hidden = pt.nn.gelu(gate, approximate=True).numpy() * up
    elif late:
        hidden = np.minimum(gate * sigmoid(1.5 * gate), 0.7) * (np.clip(up, -0.7, 0.7) + 0.5)
    else:
        gate = np.minimum(gate, 0.7)
        hidden = gate * sigmoid(1.5 * gate) * (np.clip(up, -0.7, 0.7) + 0.5)
    results = np.einsum("tej,eij->tei", hidden, downs)
    shares = np.exp(router) / np.exp(router).sum(-1, keepdims=True)
    shares = np.where(router > router.min(-1, keepdims=True), shares, 0)
    close(model(x, router).numpy(), (results * shares[..., None]).sum(1))


@pytest.mark.host
@pytest.mark.parametrize(
    ("operator", "options", "named"),
    [
        ("GroupQueryAttention", {"k_quant_type": "PER_TENSOR"}, "k_quant_type = 'PER_TENSOR'"),
        ("GroupQueryAttention", {"sliding_window_cache": 1}, "sliding_window_cache = 1"),
        ("GroupQueryAttention", {"qk_output": 1}, "qk_output = 1"),
        ("DecoderMaskedMultiHeadAttention", {"output_qk": 1}, "output_qk = 1"),
        ("MatMulBnb4", {"K": 2, "N": 2, "block_size": 16, "quant_type": 2}, "quant_type = 2"),
        ("GatherBlockQuantized", {"bits": 3}, "bits = 3"),
        ("MoE", {"use_sparse_mixer": 1}, "use_sparse_mixer = 1"),
        ("QMoE", {"quant_type": "fp8"}, "quant_type = 'fp8'"),
        ("RotaryEmbedding", {"is_packed_batching": 1}, "is_packed_batching = 1"),
    ],
)
def test_unsupported_options_of_language_models_are_refused(operator, options, named):
    heads = {"num_heads": 2} if "Attention" in operator else {}
    heads |= {"kv_num_heads": 1} if operator == "GroupQueryAttention" else {}
    inputs = {f"i{at}": np.float32(0) for at in range(7)}
    with pytest.raises(ModelError, match=rf"load: model needs what is not supported; .*{named}"):
        model_of(operator, inputs, **heads, **options)


def test_caches_of_several_beams_are_refused(rng, engine):
    parts = {name: floats(rng, 2, 1, 8) for name in "qkv"}
    rest = {"i": np.zeros((2, 1, 4), "int32")}
    order = "q k v - - - - - - i"
    model = model_of("MultiHeadAttention", parts | rest, None, order, num_heads=2)
    with pytest.raises(ModelError, match="run: option of an operator is not supported; got"):
        model.run(parts | rest)


# --- constants of 4 bits --------------------------------------------------------------------------


class Narrow:
    """A constant of 4 bits with scales in blocks along an axis, and its node."""

    def __init__(
        self, rng: Any, name: str, shape: tuple[int, int], kind: int, axis: int, block: int
    ) -> None:
        low = -8 if kind == TensorProto.INT4 else 0
        blocks = tuple(-(-n // (block or n)) if at == axis else n for at, n in enumerate(shape))
        own = blocks if block else (shape[axis],)
        codes, zeros = rng.integers(low, low + 16, shape), rng.integers(low, low + 16, own)
        scales = floats(rng, *own)
        self.name, self.codes = name, codes
        self.constants = [
            helper.make_tensor(f"{name}.q", kind, shape, codes.ravel().tolist()),
            helper.make_tensor(f"{name}.s", TensorProto.FLOAT, own, scales.ravel().tolist()),
        ]
        inputs = [f"{name}.q", f"{name}.s"]
        if kind == TensorProto.UINT4:
            inputs.append(f"{name}.z")
            numbers = zeros.ravel().tolist()
            self.constants.append(helper.make_tensor(inputs[-1], kind, own, numbers))
        else:
            zeros = np.zeros_like(zeros)
        options = {"block_size": block} if block else {}
        self.node = helper.make_node("DequantizeLinear", inputs, [name], axis=axis, **options)
        if block:
            cut = tuple(map(slice, shape))
            scales, zeros = (x.repeat(block, axis)[cut] for x in (scales, zeros))
        else:
            scales, zeros = (np.expand_dims(x, 1 - axis) for x in (scales, zeros))
        self.values = ((codes - zeros) * scales).astype("float32")


def model_of_weights(weights: list[Narrow], nodes: list[Any], x: Any) -> pt.models.Model:
    graph = helper.make_graph(
        [*(weight.node for weight in weights), *nodes],
        "weights",
        [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), None)],
        [helper.make_empty_tensor_value_info("o0")],
        [constant for weight in weights for constant in weight.constants],
    )
    file = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])
    return pt.models.loads(file.SerializeToString())


def operators_of(model: pt.models.Model) -> list[str]:
    return [node.operator.rpartition(".")[2] for node in model._graph.nodes]


NARROW = pytest.mark.parametrize("kind", [TensorProto.INT4, TensorProto.UINT4])


@NARROW
def test_dequantized_constants_of_a_decoder_stay_packed(kind, rng, engine):
    table = Narrow(rng, "table", (40, 32), kind, 1, 16)
    inner = Narrow(rng, "inner", (32, 24), kind, 0, 16)
    last = Narrow(rng, "last", (32, 24), kind, 1, 8)
    nodes = [
        helper.make_node("Gather", ["table", "x"], ["rows"]),
        helper.make_node("MatMul", ["rows", "inner"], ["hidden"]),
        helper.make_node("Gemm", ["hidden", "last"], ["features"], transB=1),
        helper.make_node("Transpose", ["table"], ["turned"], perm=[1, 0]),
        helper.make_node("MatMul", ["features", "turned"], ["o0"]),
    ]
    places = np.int32([3, -1, 39])
    model = model_of_weights([table, inner, last], nodes, places)
    product = "MatMulNBits"
    assert operators_of(model) == ["GatherBlockQuantized", *[product] * 3]
    want = table.values[places] @ inner.values @ last.values.T @ table.values.T
    close(model(places).numpy(), want)
    # The table's parts are stored once for both: codes, scales, and zero points of 4 bits.
    stored = sum(x.nbytes for x in model._graph.constants.values())
    codes = (40 * 32 + 32 * 24 + 32 * 24) // 2
    blocks = 40 * 2 + 24 * 2 + 32 * 3
    assert stored <= codes + 5 * blocks


@NARROW
@pytest.mark.parametrize(
    ("shape", "axis", "block", "transposed", "packed"),
    [
        ((20, 6), 0, 16, 0, True),
        ((21, 5), 1, 0, 0, True),
        ((6, 21), 0, 0, 1, True),
        ((6, 20), 1, 8, 1, True),
        ((20, 6), 1, 2, 0, False),
        ((20, 6), 0, 0, 0, False),
        ((20, 6), 0, 3, 0, False),
    ],
)
def test_products_with_dequantized_constants(
    shape, axis, block, transposed, packed, kind, rng, engine
):
    weight = Narrow(rng, "w", shape, kind, axis, block)
    values = weight.values.T if transposed else weight.values
    x = floats(rng, 2, len(values))
    nodes = [helper.make_node("Gemm", ["x", "w"], ["o0"], transB=transposed)]
    model = model_of_weights([weight], nodes, x)
    assert (operators_of(model) == ["MatMulNBits"]) == packed
    close(model(x).numpy(), x @ values)


@NARROW
def test_one_scale_for_all_and_a_bias(kind, rng, engine):
    weight = Narrow(rng, "w", (20, 6), kind, 1, 0)
    scale, bias = np.float32(0.5), floats(rng, 6)
    zero = helper.make_tensor("w.z", kind, (), [3])
    weight.constants[1:] = [helper.make_tensor("w.s", TensorProto.FLOAT, (), [scale]), zero]
    weight.constants.append(helper.make_tensor("bias", TensorProto.FLOAT, (6,), bias.tolist()))
    weight.node = helper.make_node("DequantizeLinear", ["w.q", "w.s", "w.z"], ["w"])
    x = floats(rng, 2, 20)
    model = model_of_weights([weight], [helper.make_node("Gemm", ["x", "w", "bias"], ["o0"])], x)
    assert operators_of(model) == ["MatMulNBits"]
    close(model(x).numpy(), x @ ((weight.codes - 3) * scale) + bias)


def test_constants_with_other_readers_are_not_packed(rng, engine):
    weight = Narrow(rng, "w", (20, 6), TensorProto.INT4, 0, 4)
    x = floats(rng, 2, 20)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["y"]),
        helper.make_node("ReduceSum", ["w"], ["sum"], keepdims=0),
        helper.make_node("Add", ["y", "sum"], ["o0"]),
    ]
    model = model_of_weights([weight], nodes, x)
    assert operators_of(model)[0] == "DequantizeLinear"
    close(model(x).numpy(), x @ weight.values + weight.values.sum())


# --- constants and values of 4 bits in branches and loops -----------------------------------------


def declared(name: str, kind: int = TensorProto.FLOAT, shape: Any = None) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


def body(nodes: list[Any], inputs: list[Any], outputs: list[Any], constants: Any = ()) -> Any:
    return helper.make_graph(nodes, "body", inputs, outputs, list(constants))


def check_against_onnx(
    nodes: list[Any], inputs: dict[str, Any], results: list[str], constants: Any = (), **more: Any
) -> pt.models.Model:
    """Assert that results are those of onnx's reference, and return the model."""
    kinds = {name: helper.np_dtype_to_tensor_dtype(x.dtype) for name, x in inputs.items()}
    graph = helper.make_graph(
        nodes,
        "graph",
        [declared(name, kind, inputs[name].shape) for name, kind in kinds.items()],
        [declared(name) for name in results],
        list(constants),
    )
    imports = [helper.make_opsetid("", 23), helper.make_opsetid("own", 1)]
    file = helper.make_model(graph, opset_imports=imports, **more)
    model = pt.models.loads(file.SerializeToString())
    found = model.run({name: pt.asarray(x) for name, x in inputs.items()})
    for name, want in zip(results, ReferenceEvaluator(file).run(None, inputs), strict=True):
        np.testing.assert_allclose(found[name].numpy(), want, rtol=1e-4, atol=1e-4)
    return model


def inner_graphs(model: pt.models.Model) -> list[Any]:
    attributes = [value for node in model._graph.nodes for value in node.attributes.values()]
    return [value for value in attributes if hasattr(value, "nodes")]


@NARROW
@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("stored", ["in branches", "around", "dequantized around"])
@pytest.mark.parametrize("outputs", [8, 80])
def test_weights_of_branches_stay_packed(outputs, stored, flag, kind, rng, engine):
    # Branches may use one name for different weights.
    weights = [Narrow(rng, "w", (32, outputs), kind, 0, 16) for _ in range(2)]
    product = helper.make_node("MatMul", ["x", "w"], ["r"])
    branches, nodes, constants = [], [], []
    for weight in weights:
        own, around = [weight.node, product], []
        if stored != "in branches":
            around, weight = weights[0].constants, weights[0]
        if stored == "dequantized around":
            own, nodes = [product], [weight.node]
        inside = () if around else weight.constants
        constants = around
        branches.append(body(own, [], [declared("r")], inside))
    nodes.append(
        helper.make_node("If", ["f"], ["y"], then_branch=branches[0], else_branch=branches[1])
    )
    inputs = {"x": floats(rng, 3, 32), "f": np.array(flag)}
    model = check_against_onnx(nodes, inputs, ["y"], constants)
    assert operators_of(model) == ["If"]
    graphs = inner_graphs(model)
    assert [own.nodes[0].operator for own in graphs] == ["com.microsoft.MatMulNBits"] * 2
    values = weights[0 if flag or stored != "in branches" else 1].values
    close(model.run(inputs)["y"].numpy(), inputs["x"] @ values)
    parts = {id(x): x for own in [model._graph, *graphs] for x in own.constants.values()}
    count = 2 if stored == "in branches" else 1
    assert len(parts) == 3 * count
    # Codes, scales, and zero points of 4 bits.
    size = 32 * outputs // 2 + 2 * outputs * 4 + 2 * outputs // 2
    assert sum(x.nbytes for x in parts.values()) == count * size


def test_names_in_functions_are_not_those_around_them(rng, engine):
    weight = Narrow(rng, "w", (32, 8), TensorProto.INT4, 0, 16)
    own = helper.make_function(
        "own",
        "Twice",
        ["x"],
        ["r"],
        [
            helper.make_node("Add", ["x", "x"], ["w"]),
            helper.make_node("MatMul", ["x", "w"], ["r"]),
        ],
        [helper.make_opsetid("", 23)],
    )
    nodes = [
        weight.node,
        helper.make_node("MatMul", ["x", "w"], ["a"]),
        helper.make_node("Twice", ["a"], ["y"], domain="own"),
    ]
    inputs = {"x": floats(rng, 8, 32)}
    model = check_against_onnx(nodes, inputs, ["y"], weight.constants, functions=[own])
    assert operators_of(model) == ["MatMulNBits", "Function"]
    assert [node.operator for node in inner_graphs(model)[0].nodes] == ["Add", "MatMul"]


@NARROW
@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("use", ["CastLike", "QuantizeLinear", "DequantizeLinear"])
def test_branches_give_values_of_4_bits(use, flag, kind, rng, engine):
    constants = [helper.make_tensor(f"z{at}", kind, (), [at + 1]) for at in range(2)]
    branches = [
        body(
            [helper.make_node("Identity", [own.name], [f"b{at}"])],
            [],
            [declared(f"b{at}", kind)],
            [own],
        )
        for at, own in enumerate(constants)
    ]
    nodes = [
        helper.make_node("If", ["f"], ["z"], then_branch=branches[0], else_branch=branches[1]),
        {
            "CastLike": helper.make_node("CastLike", ["x", "z"], ["q"]),
            "QuantizeLinear": helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
            "DequantizeLinear": helper.make_node("DequantizeLinear", ["z", "s"], ["q"]),
        }[use],
        helper.make_node("Cast", ["q"], ["y"], to=TensorProto.FLOAT),
    ]
    # Many values are out of the range of 4 bits.
    inputs = {"x": 10 * floats(rng, 64), "f": np.array(flag)}
    check_against_onnx(
        nodes, inputs, ["y"], [helper.make_tensor("s", TensorProto.FLOAT, (), [0.5])]
    )


@NARROW
def test_loops_carry_and_collect_values_of_4_bits(kind, rng, engine):
    low = -8 if kind == TensorProto.INT4 else 0
    scalar = [declared("i", TensorProto.INT64, []), declared("going", TensorProto.BOOL, [])]
    nodes = [
        helper.make_node("DequantizeLinear", ["c", "s"], ["d"]),
        helper.make_node("Add", ["d", "x"], ["e"]),
        # The zero point is carried, and says by its dtype at which numbers the result ends.
        helper.make_node("QuantizeLinear", ["e", "s", "z"], ["c1"]),
        *(
            helper.make_node("Identity", [own], [new])
            for own, new in [("going", "going1"), ("z", "z1"), ("c1", "all1")]
        ),
    ]
    inside = body(
        nodes,
        [*scalar, declared("c", kind), declared("z", kind, [])],
        [
            declared("going1", TensorProto.BOOL, []),
            *(declared(name, kind) for name in ("c1", "z1", "all1")),
        ],
    )
    constants = [
        helper.make_tensor("n", TensorProto.INT64, (), [3]),
        helper.make_tensor("t", TensorProto.BOOL, (), [True]),
        helper.make_tensor("s", TensorProto.FLOAT, (), [0.25]),
        helper.make_tensor("c0", kind, (4,), [low + n for n in (1, 2, 3, 15)]),
        helper.make_tensor("z0", kind, (), [low + 9]),
    ]
    outside = [
        helper.make_node("Loop", ["n", "t", "c0", "z0"], ["last", "zero", "all"], body=inside),
        helper.make_node("DequantizeLinear", ["last", "s"], ["y0"]),
        helper.make_node("DequantizeLinear", ["all", "s"], ["y1"]),
        helper.make_node("CastLike", ["large", "all"], ["narrowed"]),
        helper.make_node("Cast", ["narrowed"], ["y2"], to=TensorProto.FLOAT),
    ]
    inputs = {"x": floats(rng, 4), "large": np.float32([-9, 17, 3.5, 100])}
    check_against_onnx(outside, inputs, ["y0", "y1", "y2"], constants)


@NARROW
def test_weights_in_a_loop_stay_packed(kind, rng, engine):
    weight = Narrow(rng, "w", (16, 16), kind, 1, 8)
    inside = body(
        [
            weight.node,
            helper.make_node("Gemm", ["e", "w"], ["m"], transB=1),
            helper.make_node("Tanh", ["m"], ["e1"]),
            helper.make_node("Identity", ["going"], ["going1"]),
        ],
        [
            declared("i", TensorProto.INT64, []),
            declared("going", TensorProto.BOOL, []),
            declared("e"),
        ],
        [declared("going1", TensorProto.BOOL, []), declared("e1")],
        weight.constants,
    )
    constants = [
        helper.make_tensor("n", TensorProto.INT64, (), [3]),
        helper.make_tensor("t", TensorProto.BOOL, (), [True]),
    ]
    nodes = [helper.make_node("Loop", ["n", "t", "x"], ["y"], body=inside)]
    model = check_against_onnx(nodes, {"x": floats(rng, 2, 16)}, ["y"], constants)
    assert inner_graphs(model)[0].nodes[0].operator == "com.microsoft.MatMulNBits"
