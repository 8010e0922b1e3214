"""Loading weights takes the memory of the weights and of one part of a file."""

from __future__ import annotations

import asyncio
import gc
import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from decoder_weights import weights_of
from gguf_files import file_of

import py_tensor as pt
from py_tensor.models.weights import loading
from py_tensor.settings import settings

pytestmark = pytest.mark.host
TENSOR = 2 << 20
"""Bytes of the largest tensor in files."""
SLACK = 1 << 19
"""Bytes of headers, of the reader, and of Python's objects."""


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "PART", TENSOR)
    # Pending work, also that of other tests, is not run meanwhile.
    monkeypatch.setattr(settings, "flush_threshold", 1 << 30)
    monkeypatch.setattr(settings, "flush_bytes", 1 << 40)


def peak(load: Any) -> tuple[Any, int]:
    """Return the result of a coroutine, and the largest number of bytes in use meanwhile."""
    gc.collect()
    tracemalloc.start(1)
    try:
        return asyncio.run(load), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def parts_in(folder: Path, dtype: str) -> int:
    """Write three parts of four tensors each and their index; return the bytes of the parts."""
    index, total = {}, 0
    for number in range(3):
        values = np.zeros(TENSOR // np.dtype(dtype).itemsize, dtype)
        tensors = {f"{number}.{at}": values[: len(values) >> at] for at in range(4)}
        data = pt.io.to_bytes({name: pt.asarray(value) for name, value in tensors.items()})
        name = f"{number}.safetensors"
        (folder / name).write_bytes(data)
        index |= dict.fromkeys(tensors, name)
        total += len(data)
    text = json.dumps({"weight_map": index})
    (folder / "model.safetensors.index.json").write_text(text)
    return total


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_parts_of_safetensors(dtype, tmp_path, engine):
    total = parts_in(tmp_path, dtype)
    tensors, most = peak(pt.models.load_weights(tmp_path))
    assert {tensor.dtype.name for tensor in tensors.values()} == {dtype}
    assert sum(tensor.nbytes for tensor in tensors.values()) > total - SLACK
    assert total < most < total + TENSOR + SLACK


def test_a_prefix_takes_the_memory_of_its_tensors(tmp_path, engine):
    parts_in(tmp_path, "float32")
    tensors, most = peak(pt.models.load_weights(tmp_path, prefix="1.0"))
    assert len(tensors) == 1
    assert TENSOR < most < 2 * TENSOR + SLACK


@pytest.mark.parametrize("kind", [0, 1, 8, 14])
def test_gguf(kind, tmp_path, engine):
    rows, columns = 512, 1024
    nbytes = rows * columns * {0: 4, 1: 2, 8: 34 / 32, 14: 210 / 256}[kind]
    content = ((rows, columns), kind, bytes(int(nbytes)))
    path = tmp_path / "model.gguf"
    path.write_bytes(file_of({f"t{number}": content for number in range(12)}))
    tensors, most = peak(pt.models.load_weights(path))
    held = sum(tensor.nbytes for tensor in tensors.values())
    assert held <= 1.04 * path.stat().st_size
    # The fields of a type with blocks are moved one by one.
    assert most < held + 2 * max(nbytes, TENSOR) + SLACK


def test_bfloat16_becomes_float32_one_part_at_a_time(tmp_path, engine):
    count, tensors = TENSOR // 2, 8
    header = {
        f"t{number}": {
            "dtype": "BF16",
            "shape": [count],
            "data_offsets": [number * TENSOR, (number + 1) * TENSOR],
        }
        for number in range(tensors)
    }
    text = json.dumps(header).encode()
    path = tmp_path / "model.safetensors"
    path.write_bytes(len(text).to_bytes(8, "little") + text + bytes(tensors * TENSOR))
    loaded, most = peak(pt.models.load_weights(path))
    held = sum(tensor.nbytes for tensor in loaded.values())
    assert held == 2 * tensors * TENSOR
    assert most < held + 4 * TENSOR + SLACK


def test_a_decoder_takes_the_memory_of_its_weights(tmp_path, engine):
    config = {
        "model_type": "llama",
        "vocab_size": 2048,
        "hidden_size": 256,
        "hidden_act": "silu",
        "intermediate_size": 1024,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "tie_word_embeddings": True,
    }
    shapes: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (2048, 256)}
    for block in range(4):
        start = f"model.layers.{block}."
        shapes |= {
            f"{start}self_attn.{name}_proj.weight": (rows, 256)
            for name, rows in (("q", 256), ("k", 128), ("v", 128), ("o", 256))
        }
        shapes |= {f"{start}mlp.{name}_proj.weight": (1024, 256) for name in ("gate", "up")}
        shapes |= {f"{start}mlp.down_proj.weight": (256, 1024)}
        shapes |= {
            f"{start}{name}_layernorm.weight": (256,) for name in ("input", "post_attention")
        }
    shapes["model.norm.weight"] = (256,)
    tensors = {name: pt.asarray(value) for name, value in weights_of(shapes).items()}
    (tmp_path / "config.json").write_text(json.dumps(config))
    data = pt.io.to_bytes(tensors)
    (tmp_path / "model.safetensors").write_bytes(data)
    tensors.clear()
    model, most = peak(pt.models.load_transformer(tmp_path))
    assert sum(weight.nbytes for weight in model.parameters()) > len(data) - SLACK
    assert most < len(data) + TENSOR + 2 * SLACK
