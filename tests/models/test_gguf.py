"""Test the reader of GGUF files with blocks whose values llama.cpp's package gave."""

import asyncio
import base64
import json
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf_files import file_of
from helpers import finished

import py_tensor as pt
from py_tensor.errors import ModelError
from py_tensor.models.readers import ForwardReader, MemoryReader
from py_tensor.models.weights import gguf

BLOCKS = json.loads(
    (Path(__file__).parent.parent / "reference_data" / "gguf_blocks.json").read_text()
)


def loaded(data: bytes) -> dict[str, Any]:
    return asyncio.run(pt.models.load_weights(data))


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_have_the_values_of_llama_cpp(name: str) -> None:
    case = BLOCKS[name]
    data = base64.b64decode(case["data"])
    want = np.frombuffer(base64.b64decode(case["values"]), "float32").reshape(3, case["columns"])
    matrix = loaded(file_of({"w": (want.shape, case["type"], data)}))["w"]
    assert matrix.shape == want.shape
    # Parts are aligned to 1.04 times the file's bytes at most: scales of six bits become bytes.
    assert matrix.nbytes <= 1.04 * len(data)
    np.testing.assert_allclose(matrix.unpacked().numpy(), want, rtol=1e-6, atol=1e-6)
    x = np.random.default_rng(0).standard_normal((2, case["columns"])).astype("float32")
    product = (pt.asarray(x) @ matrix.T).numpy()
    np.testing.assert_allclose(product, x @ want.T, rtol=1e-4, atol=1e-3 * np.abs(want).max())


def test_types_without_blocks_become_tensors() -> None:
    numbers = np.asarray([[1.5, -2.0, 0.25], [4.0, 8.0, -0.5]], "float32")
    upper = numbers.view("uint16").reshape(2, 3, 2)[:, :, 1].tobytes()
    found = loaded(
        file_of(
            {
                "single": ((2, 3), 0, numbers.tobytes()),
                "half": ((2, 3), 1, numbers.astype("float16").tobytes()),
                "brain": ((2, 3), 30, upper),
                "whole": ((3,), 26, np.asarray([1, -2, 3], "int32").tobytes()),
                "number": ((), 0, struct.pack("<f", 7.0)),
            },
            {"general.alignment": (4, 64)},
        )
    )
    for name, dtype in (("single", "float32"), ("half", "float16"), ("brain", "float32")):
        assert found[name].dtype == dtype
        np.testing.assert_array_equal(found[name].numpy(), numbers)
    assert found["whole"].tolist() == [1, -2, 3]
    assert found["number"].item() == 7


def test_metadata_is_read() -> None:
    metadata = {
        "general.architecture": (8, "llama"),
        "llama.block_count": (4, 30),
        "llama.rope.freq_base": (6, 10000.0),
        "tokenizer.ggml.add_bos_token": (7, True),
        "tokenizer.ggml.tokens": (9, (8, ["<s>", "ä", "猫"])),
        "tokenizer.ggml.scores": (9, (6, [0.5, 1.5])),
        "nested": (9, (9, [(4, [1, 2]), (4, [])])),
    }
    file = finished(gguf.header(ForwardReader(MemoryReader(file_of({}, metadata, version=2)))))
    assert file.metadata == {
        "general.architecture": "llama",
        "llama.block_count": 30,
        "llama.rope.freq_base": 10000.0,
        "tokenizer.ggml.add_bos_token": True,
        "tokenizer.ggml.tokens": ["<s>", "ä", "猫"],
        "tokenizer.ggml.scores": [0.5, 1.5],
        "nested": [[1, 2], []],
    }


def test_experts_are_the_rows_of_one_matrix() -> None:
    case = BLOCKS["Q8_0"]
    data = base64.b64decode(case["data"])
    matrix = loaded(file_of({"w": ((3, 1, 64), 8, data)}))["w"]
    assert matrix.shape == (3, 64)


GOOD = file_of({"w": ((2, 32), 8, bytes(68))}, {"general.name": (8, "x")})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (GOOD[:-1], "file is too short; got"),
        (GOOD[:30], "file is too short"),
        (GOOD[:4] + struct.pack("<I", 9) + GOOD[8:], "version is unknown; got 9"),
        (GOOD[:8] + struct.pack("<Q", 1 << 60) + GOOD[16:], "not a valid GGUF file"),
        (file_of({"w": ((2, 33), 8, bytes(99))}), "a multiple of 32 elements; got"),
        (file_of({"w": ((2, 256), 11, bytes(999))}), "got number 11 for 'w'"),
        (file_of({}, {"general.alignment": (4, 0)}), "alignment"),
        (file_of({"w": ((1, 1, 1, 1, 1), 0, bytes(4))}), "too many axes; got 5"),
    ],
)
def test_damaged_files_say_what_is_wrong(data: bytes, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        loaded(data)


def test_files_of_random_bytes_raise_only_errors_of_models() -> None:
    numbers = np.random.default_rng(0)
    for _ in range(300):
        data = bytearray(GOOD)
        for place in numbers.integers(4, len(data), 3):
            data[place] = numbers.integers(256)
        with suppress(ModelError):
            loaded(bytes(data))
