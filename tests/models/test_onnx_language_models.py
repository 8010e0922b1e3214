"""Operators of language models in ONNX files that ONNX Runtime does not compute on a processor."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

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
