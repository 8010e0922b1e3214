"""Matrices whose rows are stored in several tensors, on a GPU with a small limit of elements."""

from __future__ import annotations

import asyncio
import json
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from brain_files import brain_file
from gguf_files import file_of
from small_textures import MOST, limit_textures

import py_tensor as pt
from py_tensor import torch
from py_tensor.errors import DTypeError, ShapeError, SizeError
from py_tensor.models.weights import gguf
from py_tensor.nn.split_matrix import matrix_of_rows
from py_tensor.optim import flat_params

ROWS, COLUMNS = 150, 32
TOKENS = np.int32([[0, 149, 37], [38, 75, 76], [-1, 113, 112]])
CONFIG = {
    "model_type": "llama",
    "vocab_size": ROWS,
    "hidden_size": COLUMNS,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "hidden_act": "silu",
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "max_position_embeddings": 64,
}


@pytest.fixture(autouse=True)
def small_textures(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    limit_textures(engine, monkeypatch)


@pytest.fixture
def table(rng: np.random.Generator) -> np.ndarray:
    return rng.standard_normal((ROWS, COLUMNS)).astype("float32")


def split(table: np.ndarray) -> Any:
    def make(shape: tuple[int, ...], data: memoryview) -> pt.Tensor:
        return pt.asarray(np.frombuffer(data, table.dtype).reshape(shape))

    return matrix_of_rows(make, table.shape, memoryview(table.tobytes()))


def embedding(matrix: Any) -> pt.nn.Embedding:
    layer = pt.nn.Embedding(1, 1)
    layer.weight = matrix
    return layer


def check(layer: pt.nn.Embedding, table: np.ndarray, rng: np.random.Generator, **close: float):
    """Assert that rows, and products with few and many rows, are those of an array."""
    assert isinstance(layer.weight, pt.nn.SplitMatrix)
    assert len(layer.weight.blocks) > 2
    assert layer.weight.shape == table.shape
    found = layer(pt.asarray(TOKENS[:, :, None])).numpy()
    np.testing.assert_allclose(found, table[TOKENS[:, :, None]], **close)
    for rows in (1, 6):
        x = rng.standard_normal((rows, COLUMNS)).astype("float32")
        found = layer.attend(pt.asarray(x)).numpy()
        np.testing.assert_allclose(found, x @ table.T, **({"rtol": 1e-4, "atol": 1e-4} | close))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_embedding_and_tied_logits_equal_numpy(dtype, table, rng, engine):
    with pytest.raises(SizeError):
        pt.asarray(table)
    stored = table.astype(dtype)
    layer = embedding(split(stored))
    assert layer(pt.asarray(TOKENS)).dtype.name == dtype
    check(layer, stored.astype("float32"), rng)


@pytest.mark.parametrize(("kind", "nbytes"), [(2, 18), (8, 34)])
def test_packed_tables_equal_numpy(kind, nbytes, rng, engine):
    rows = 170 if kind == 2 else ROWS
    scales = rng.uniform(0.01, 0.1, rows).astype("float16")
    numbers = rng.integers(-8 if kind == 2 else -127, 8, (rows, COLUMNS)).astype("int8")
    codes = numbers.view("uint8")
    if kind == 2:
        shifted = (numbers + 8).astype("uint8")
        codes = shifted[:, :16] | shifted[:, 16:] << 4
    data = np.concatenate([scales.view("uint8").reshape(rows, 2), codes], axis=1).tobytes()
    assert len(data) == rows * nbytes
    file = gguf.GgufFile(*[content := file_of({"w": ((rows, COLUMNS), kind, data)}), len(content)])
    matrix = gguf.tensor_of(file.tensors["w"], True, memoryview(data))
    assert all(isinstance(block, pt.nn.PackedMatrix) for block in matrix.blocks)
    table = numbers * scales.astype("float32")[:, None]
    check(embedding(matrix), table, rng, rtol=1e-4, atol=1e-3)


def test_quantized_blocks_stay_split(table, rng, engine):
    layer = pt.quantize(embedding(split(table)), bits=8)
    values = np.concatenate([block.unpacked().numpy() for block in layer.weight.blocks])
    np.testing.assert_allclose(values, table, atol=0.02)
    check(layer, values, rng, rtol=1e-4, atol=1e-4)
    check(pt.nn.dequantize(layer), values, rng)


def test_gradient_of_embedding_reaches_all_blocks(table, rng, engine):
    weights = rng.standard_normal((*TOKENS.shape, COLUMNS)).astype("float32")

    def loss(matrix):
        return pt.sum(matrix.take(pt.asarray(TOKENS)) * pt.asarray(weights))

    gradient = pt.grad(loss)(split(table))
    want = np.zeros_like(table)
    np.add.at(want, TOKENS, weights)
    found = np.concatenate([block.numpy() for block in gradient.blocks])
    np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-6)


def weights_of_file(rng: np.random.Generator) -> dict[str, np.ndarray]:
    layer = "model.layers.0."
    shapes = {
        **{f"{layer}self_attn.{name}_proj.weight": (32, 32) for name in "qkvo"},
        **{f"{layer}mlp.{name}_proj.weight": (16, 32) for name in ("gate", "up")},
        f"{layer}mlp.down_proj.weight": (32, 16),
        **{f"{layer}{name}_layernorm.weight": (32,) for name in ("input", "post_attention")},
        "model.norm.weight": (32,),
        "model.embed_tokens.weight": (ROWS, COLUMNS),
        "lm_head.weight": (ROWS, COLUMNS),
    }
    return {name: 0.3 * rng.standard_normal(s).astype("float32") for name, s in shapes.items()}


def safetensors_of(weights: dict[str, np.ndarray]) -> bytes:
    header, data = {}, b""
    for name, value in weights.items():
        places = [len(data), len(data) + value.nbytes]
        header[name] = {"dtype": "F32", "shape": value.shape, "data_offsets": places}
        data += value.tobytes()
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


@pytest.mark.parametrize("tied", [True, False])
def test_loaded_models_predict_the_same_with_split_tables(tied, rng, engine, monkeypatch):
    weights = weights_of_file(rng)
    if tied:
        del weights["lm_head.weight"]
    config = json.dumps(CONFIG | {"tie_word_embeddings": tied}).encode()

    def logits(split: bool) -> np.ndarray:
        files = {"config.json": config, "model.safetensors": safetensors_of(weights)}
        model = asyncio.run(pt.models.load_transformer(files))
        assert isinstance(model.embedding.weight, pt.nn.SplitMatrix) == split
        if not tied:
            assert isinstance(model.readout.weight, pt.nn.SplitMatrix) == split
        return model(pt.asarray([[3, 140, 77, 1]], dtype="int32")).numpy()

    found = logits(True)
    monkeypatch.undo()
    np.testing.assert_allclose(found, logits(False), rtol=1e-4, atol=1e-4)


EXPERTS = 6
MIXTURE = CONFIG | {
    **{"model_type": "qwen3_moe", "num_experts": EXPERTS, "num_experts_per_tok": 2},
    **{"moe_intermediate_size": 16, "norm_topk_prob": True, "tie_word_embeddings": True},
}


def experts_of_file(rng: np.random.Generator) -> dict[str, np.ndarray]:
    weights = weights_of_file(rng)
    del weights["lm_head.weight"]
    layer = "model.layers.0."
    shapes = {"gate": (16, 32), "up": (16, 32), "down": (32, 16)}
    for name, shape in shapes.items():
        del weights[f"{layer}mlp.{name}_proj.weight"]
        for at in range(EXPERTS):
            values = 0.3 * rng.standard_normal(shape).astype("float32")
            weights[f"{layer}mlp.experts.{at}.{name}_proj.weight"] = values
    router = rng.standard_normal((EXPERTS, 32)).astype("float32")
    norms = {f"{layer}self_attn.{own}_norm.weight": np.ones(16, "float32") for own in "qk"}
    return weights | norms | {f"{layer}mlp.gate.weight": router}


@pytest.mark.parametrize("stored", ["float32", "bfloat16", "8 bits"])
def test_experts_are_split_between_experts(stored, rng, engine, monkeypatch):
    weights = experts_of_file(rng)
    file = brain_file(weights) if stored == "bfloat16" else safetensors_of(weights)
    files = {"config.json": json.dumps(MIXTURE).encode(), "model.safetensors": file}

    def logits(split: bool) -> np.ndarray:
        model = asyncio.run(pt.models.load_transformer(files))
        if stored == "8 bits":
            model = pt.quantize(model, bits=8, block=16)
        experts = model.blocks[0].network
        assert isinstance(experts.up, pt.nn.SplitMatrix) == split
        if split:
            sizes = [block.shape[0] for block in experts.up.blocks]
            assert sizes == [32, 16, 32, 16]
        one = model(pt.asarray([[3]], dtype="int32"))
        many = model(pt.asarray([[(7 * at * at) % ROWS for at in range(6)]], dtype="int32"))
        if stored == "8 bits":
            same = pt.dequantize(model)(pt.asarray([[3]], dtype="int32"))
            np.testing.assert_allclose(one.numpy(), same.numpy(), rtol=1e-3, atol=1e-3)
        return np.concatenate([one.numpy(), many.numpy()], axis=1)

    found = logits(True)
    monkeypatch.undo()
    np.testing.assert_allclose(found, logits(False), rtol=1e-3, atol=1e-3)


def test_experts_of_any_size_are_created_and_trained(rng, engine):
    layer = pt.nn.MixtureOfExperts(32, 16, EXPERTS)
    assert [block.shape for block in layer.up.blocks] == [(32, 32), (16, 32), (32, 32), (16, 32)]
    assert [block.shape for block in layer.down.blocks] == [(64, 16), (32, 16), (64, 16), (32, 16)]
    x = rng.standard_normal((5, 32)).astype("float32")
    up, gate, down = (
        np.concatenate([block.numpy() for block in own.blocks]).reshape(EXPERTS, -1, inputs)
        for own, inputs in ((layer.up, 32), (layer.gate, 32), (layer.down, 16))
    )
    assert np.abs(up).max() < (6 / 48) ** 0.5 < 1.1 * np.abs(up).max()
    scores = np.exp(x @ layer.router.weight.numpy())
    want = np.zeros_like(x)
    for row in range(5):
        chosen = np.argsort(-scores[row])[:2]
        for expert in chosen:
            inner = gate[expert] @ x[row]
            inner = inner / (1 + np.exp(-inner)) * (up[expert] @ x[row])
            want[row] += scores[row, expert] / scores[row, chosen].sum() * (down[expert] @ inner)
    np.testing.assert_allclose(layer(pt.asarray(x)).numpy(), want, rtol=1e-3, atol=1e-4)

    def loss(layer: pt.nn.MixtureOfExperts) -> pt.Tensor:
        return pt.sum(layer(pt.asarray(x)) ** 2)

    gradients = pt.grad(loss)(layer)
    used = {at for row in scores for at in np.argsort(-row)[:2]}
    slopes = np.concatenate([block.numpy() for block in gradients.down.blocks])
    moved = np.abs(slopes.reshape(EXPERTS, -1)).sum(axis=1) > 0
    assert {*np.flatnonzero(moved)} == used


def test_experts_in_one_tensor_are_split_between_experts(rng, engine):
    values = rng.standard_normal((EXPERTS, 16, 32)).astype("float32")
    matrix = matrix_of_rows(
        lambda shape, data: pt.asarray(np.frombuffer(data, "float32").reshape(shape)),
        values.shape,
        memoryview(values.tobytes()),
    )
    assert [block.shape for block in matrix.blocks] == [(32, 32), (16, 32), (32, 32), (16, 32)]
    for at in range(EXPERTS):
        found = matrix.group(pt.asarray(at), EXPERTS).unpacked()
        np.testing.assert_array_equal(found.numpy(), values[at])


def test_a_matrix_split_by_rows_multiplies_from_the_right(table, rng, engine):
    matrix = split(table)
    x = rng.standard_normal((3, ROWS)).astype("float32")
    np.testing.assert_allclose((pt.asarray(x) @ matrix).numpy(), x @ table, rtol=1e-4, atol=1e-4)
    found = matrix.rows(30, 60)
    np.testing.assert_array_equal(found.unpacked().numpy(), table[30:60])
    np.testing.assert_array_equal(found.T.take([1]).numpy(), table[30:60].T[[1]])


@pytest.mark.parametrize("file", ["safetensors", "pytorch"])
def test_embeddings_of_any_size_are_created_and_loaded(file, table, rng, engine, monkeypatch):
    layer = pt.nn.Embedding(ROWS, COLUMNS)
    values = np.concatenate([block.numpy() for block in layer.weight.blocks])
    check(layer, values, rng)
    # Numbers are uniform in +-0.05.
    assert values.std() == pytest.approx(0.1 / 12**0.5, rel=0.1)
    data = safetensors_of({"weight": table})
    if file == "pytorch":
        monkeypatch.undo()
        written = BytesIO()
        torch.save({"weight": torch.tensor(table)}, written)
        data = written.getvalue()
        limit_textures(engine, monkeypatch)
    weights = asyncio.run(pt.models.load_weights(data))
    assert [*weights] == [f"weight.blocks.{at}" for at in range(len(layer.weight.blocks))]
    layer.load_state_dict(weights)
    check(layer, table, rng)


def test_dense_layers_of_any_size_are_created_and_trained(rng, engine, monkeypatch):
    # Large parameters are not packed into one vector.
    monkeypatch.setattr(flat_params, "PART", MOST // 2)
    layer = pt.nn.Dense(COLUMNS, ROWS, bias=False)
    assert isinstance(layer.weight, pt.nn.SplitMatrix)
    assert layer.weight.shape == (COLUMNS, ROWS)
    values = np.concatenate([block.numpy() for block in layer.weight.blocks]).T
    # The whole matrix has the fans, and blocks differ.
    limit = (6 / (COLUMNS + ROWS)) ** 0.5
    assert 0.9 * limit < np.abs(values).max() <= limit
    assert (values[:, 0] != values[:, -1]).any()
    x, y = rng.standard_normal((4, COLUMNS)).astype("float32"), np.int32([0, 50, 100, 149])
    np.testing.assert_allclose(layer(pt.asarray(x)).numpy(), x @ values, rtol=1e-4, atol=1e-4)
    loss = "sparse_categorical_crossentropy_of_logits"
    training = pt.train.fit(layer, (x, y), loss=loss, optimizer=pt.optim.sgd(1.0), epochs=60)
    history = asyncio.run(training)
    assert history.losses[-1] < 0.1 * history.losses[0]
    assert layer(pt.asarray(x)).argmax(-1).tolist() == y.tolist()
    copy = pt.nn.Dense(COLUMNS, ROWS, bias=False)
    copy.load_state_dict(layer.state_dict())
    np.testing.assert_array_equal(copy(pt.asarray(x)).numpy(), layer(pt.asarray(x)).numpy())


def test_dense_layer_of_too_many_inputs_says_so(engine):
    with pytest.raises(SizeError, match="Dense: tensor is too large"):
        pt.nn.Dense(2 * MOST, 2)


def test_wrong_indices_of_a_split_table_raise(table, engine):
    matrix = split(table)
    with pytest.raises(DTypeError, match="indices must be integers"):
        matrix.take(pt.ones(3))
    with pytest.raises(ShapeError, match="150"):
        matrix.take([150])


def test_rows_that_are_too_long_raise(engine):
    with pytest.raises(SizeError):
        split(np.zeros((2, 2 * MOST), "float32"))
