"""Mutated files of weights and of saved models end in ModelError, or are read, soon."""

from __future__ import annotations

import json
import random
import re
import struct
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from gguf_files import file_of, text
from helpers import finished
from test_fuzz import mutated
from test_models import linear
from work_limit import STEPS_OF_A_FILE, limited_steps

import py_tensor as pt
from py_tensor.errors import ModelError, TensorError

FOLDER = Path(__file__).parent / "pytorch"
BYTES = 256 << 20


def weights(data: bytes) -> Any:
    for tensor in finished(pt.models.load_weights(data)).values():
        pt.realize(tensor.unpacked() if isinstance(tensor, pt.nn.PackedMatrix) else tensor)


def of_index(data: bytes) -> Any:
    """Load the tensors of all parts that an index lists."""
    parts = {
        f"{at}.safetensors": {f"w.{n}": pt.ones(n + 1) for n in range(at, 6, 2)} for at in (0, 1)
    }
    files = {name: pt.io.to_bytes(part) for name, part in parts.items()}
    tensors = finished(pt.models.load_weights(lambda name: files[name] if name else data))
    assert tensors
    for name, tensor in tensors.items():
        assert tensor.tolist() == [1] * (int(name.removeprefix("w.")) + 1)


def module(data: bytes) -> Any:
    """Load a saved module, and call it if its fields fit each other."""
    loaded = pt.models.loads(data)
    try:
        return pt.realize(loaded(pt.ones((1, 6, 6, 2))))
    except (TensorError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None


def model(data: bytes) -> Any:
    loaded = pt.models.loads(data)
    try:
        return pt.realize(
            *loaded.run({info.name: pt.ones((2, 3)) for info in loaded.inputs}).values()
        )
    except TensorError:
        return None


def sources(kind: str) -> tuple[list[bytes], Any]:
    """Return files of a kind, and the function that reads them."""
    layers = (pt.nn.Conv2D(2, 4, 3), pt.relu, pt.nn.Flatten(), pt.nn.Dense(64, 3))
    match kind:
        case "zip":
            names = ("views.pt", "classifier.pth", "tagger.pt", "transformer.bin")
            return [(FOLDER / name).read_bytes() for name in names], weights
        case "legacy":
            return [(FOLDER / "views_legacy.pt").read_bytes()], weights
        case "pickle":
            return [(FOLDER / name).read_bytes() for name in ("views.pt", "tagger.pt")], weights
        case "safetensors":
            tree = {"a": pt.ones((2, 3)), "b": pt.arange(5), "c": pt.ones(4, dtype="float16")}
            return [pt.io.to_bytes(tree, {"k": "v"})], weights
        case "gguf":
            types = ((0, 4), (1, 2), (8, 34 / 32), (12, 144 / 256))
            tensors = {f"t{kind}": ((2, 256), kind, bytes(int(512 * size))) for kind, size in types}
            metadata = {"general.name": (8, "x"), "list": (9, (4, [1, 2])), "flag": (7, True)}
            return [file_of(tensors, metadata), file_of(tensors)], weights
        case "index":
            index = {f"w.{at}": f"{at % 2}.safetensors" for at in range(6)}
            metadata = {"total_size": 6, "format": "pt", "list": [1, {"a": None}, 3.5]}
            return [json.dumps({"metadata": metadata, "weight_map": index}).encode()], of_index
        case "model":
            return [pt.models.save(pt.models.loads(linear()))], model
    return [pt.models.save(pt.nn.Sequential(*layers))], module


def changed_text(data: bytes, chance: random.Random) -> bytes:
    """Mutate a JSON text: numbers, names, brackets, and values that become others."""
    parts = data.decode()
    for _ in range(chance.choice((1, 1, 1, 2))):
        words = [match.span() for match in WORDS.finditer(parts)]
        start, end = chance.choice(words) if words else (0, 0)
        if chance.random() < 0.7:
            other = chance.choice(words) if words else (0, 0)
            new = chance.choice((*VALUES, parts[slice(*other)]))
        else:
            new = chance.choice(('"', "{", "]", "", ","))
        parts = parts[:start] + new + parts[end:]
    return parts.encode()


WORDS = re.compile(r"-?[\d.]+(?:e[-+]?\d+)?|\"[^\"]*\"|true|false|null|[][{}:,]")
VALUES = (
    *("0", "-1", "1", "2", "3", "0.5", "1e999", "1e-300", "NaN", "1000000000000", "9" * 30),
    *('""', '"x"', "null", "true", "false", "[]", "{}", "[1]", '{"a": 1}'),
)
"""Texts of values that take the place of others."""


def changed(kind: str, data: bytes, chance: random.Random) -> bytes:
    """Mutate a file; for "pickle" and the headers of safetensors, only that part."""
    if kind == "pickle":
        # The first entry of the zip file is the pickle.
        start, end = data.index(b"\x80\x02"), data.index(b"PK\x03\x04", 4)
    elif kind in ("zip", "legacy"):
        return mutated(data, chance)
    elif kind == "index":
        return changed_text(data, chance)
    elif kind == "gguf":
        if chance.random() < 0.5:
            return mutated(data, chance)
        start, end = 4, len(data) - 2 * 256 * 6
    else:
        start, end = 8, 8 + int.from_bytes(data[:8], "little")
    part = bytearray(data[start:end])
    digits = [at for at, byte in enumerate(part) if byte in b"0123456789"]
    for _ in range(chance.choice((1, 1, 2, 8))):
        # Most other changes only end the JSON text.
        if digits and kind != "pickle" and chance.random() < 0.7:
            part[chance.choice(digits)] = chance.choice(b"0123456789")
        else:
            part[chance.randrange(len(part))] = chance.choice((*b'09-{}[]",.:', 255, 0))
    return data[:start] + bytes(part) + data[end:]


KINDS = ("zip", "legacy", "pickle", "safetensors", "gguf", "index", "model", "module")


@pytest.mark.parametrize("kind", KINDS)
def test_mutated_files_end_soon(kind, engine, mutations):
    files, read = sources(kind)
    chance = random.Random(17)
    ends: Counter[str] = Counter()
    read(files[0])
    tracemalloc.start()
    try:
        for number in range(mutations):
            data = changed(kind, chance.choice(files), chance)
            with limited_steps(STEPS_OF_A_FILE, f"file {number}"):
                try:
                    read(data)
                    ends["read"] += 1
                except (ModelError, KeyError) as error:
                    # The source of an index is a function that has no other files.
                    assert type(error) is KeyError or str(error).startswith("load")
                    assert type(error) is ModelError or kind == "index"
                    ends["refused"] += 1
            assert tracemalloc.get_traced_memory()[1] < BYTES, f"file {number}"
    finally:
        tracemalloc.stop()
    assert ends["refused"] > 30
    assert ends["read"] > 10


@pytest.mark.parametrize("file", ["classifier.pth", "views_legacy.pt"])
def test_truncated_files_are_refused(file, engine):
    data = (FOLDER / file).read_bytes()
    for length in range(0, len(data) - 1, len(data) // 60):
        with pytest.raises(ModelError, match="got "):
            weights(data[:length])


# --- hostile headers ------------------------------------------------------------------------------


def safetensors(header: str | dict[str, Any], body: int = 0) -> bytes:
    data = (header if isinstance(header, str) else json.dumps(header)).encode()
    return len(data).to_bytes(8, "little") + data + bytes(body)


def described(**changes: Any) -> dict[str, Any]:
    return {"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]} | changes}


def gguf(tensors: int, entries: int, rest: bytes = b"") -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, tensors, entries) + rest


def info(name: str, shape: tuple[int, ...], kind: int, offset: int) -> bytes:
    start = text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
    return start + struct.pack("<IQ", kind, offset)


MANY = 100_000
HUGE = (1 << 64) - 1
HOSTILE = {
    "a long header": HUGE.to_bytes(8, "little") + b"{",
    "a header of the largest size": (100_000_000).to_bytes(8, "little") + b"{",
    "a shape of many axes": safetensors(described(shape=[1 << 62] * MANY), 4),
    "a shape with axes without elements": safetensors(described(shape=[1 << 62] * 99 + [0])),
    "one name many times": safetensors(
        "{" + ",".join(f'"{at // 2 or MANY}": 1' for at in range(MANY)) + "}"
    ),
    "deep nesting": safetensors('{"w":' + "[" * MANY),
    "deep metadata": safetensors('{"__metadata__":' + '{"a":' * MANY),
    "negative offsets": safetensors(described(data_offsets=[-4, 0]), 4),
    "offsets in reverse": safetensors(described(data_offsets=[4, 0]), 4),
    "offsets beyond the end": safetensors(described(data_offsets=[0, HUGE])),
    "long numbers": safetensors(
        described().__repr__().replace("'", '"').replace("[1]", "[" + "9" * MANY + "]"), 4
    ),
    "overlapping tensors": safetensors(
        {
            f"w{at}": {"dtype": "U8", "shape": [1000], "data_offsets": [0, 1000]}
            for at in range(999)
        },
        1000,
    ),
    "other dtypes": safetensors(described(dtype=["F32"]), 4),
    "many tensors in GGUF": gguf(HUGE, 0),
    "many entries in GGUF": gguf(0, HUGE),
    "a long text in GGUF": gguf(0, 1, struct.pack("<Q", HUGE)),
    "a long list in GGUF": gguf(0, 1, text("k") + struct.pack("<IIQ", 9, 0, HUGE)),
    "a long list of texts in GGUF": gguf(0, 1, text("k") + struct.pack("<IIQ", 9, 8, HUGE)),
    "deep lists in GGUF": gguf(
        0, 1, text("k") + struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * MANY
    ),
    "many lists in GGUF": gguf(
        0, 1, text("k") + struct.pack("<IIQ", 9, 9, MANY) + struct.pack("<IQ", 9, 0) * 1000
    ),
    "a large shape in GGUF": gguf(1, 0, info("w", (HUGE, HUGE, HUGE, HUGE), 0, 0)) + bytes(99),
    "a large shape without elements in GGUF": gguf(1, 0, info("w", (0, HUGE), 8, 0)) + bytes(99),
    "rows without elements in GGUF": gguf(1, 0, info("w", (0,), 8, 0)) + bytes(99),
    "no rows in GGUF": gguf(1, 0, info("w", (32, 0), 8, 0)) + bytes(99),
    "a number with blocks in GGUF": gguf(1, 0, info("w", (), 8, 0)) + bytes(99),
    "a far offset in GGUF": gguf(1, 0, info("w", (1,), 0, HUGE)) + bytes(99),
    "overlapping tensors in GGUF": gguf(
        999, 0, b"".join(info(f"w{at}", (1000,), 24, 0) for at in range(999))
    )
    + bytes(2000),
    "a large alignment in GGUF": gguf(
        1, 1, text("general.alignment") + struct.pack("<IQ", 10, HUGE) + info("w", (1,), 0, 0)
    )
    + bytes(99),
    "an index with deep nesting": b'{"weight_map":' + b"[" * MANY,
    "an index of many files": json.dumps(
        {"weight_map": {str(at): f"{at}.bin" for at in range(MANY)}}
    ).encode(),
    "an index of lists": b'{"weight_map": {"a": ["b"]}}',
    "an index of itself": b'{"weight_map": {"w": "model.safetensors.index.json"}}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_headers_are_refused_soon(name, engine):
    files = {"model.safetensors.index.json": HOSTILE[name]}

    def source(file: str) -> bytes:
        if file and file not in files:
            raise ModelError(f"load: no such file; got {file}; pass it")
        return HOSTILE[name]

    tracemalloc.start()
    try:
        with limited_steps(STEPS_OF_A_FILE, name), pytest.raises(ModelError, match=r"load.*got "):
            finished(pt.models.load_weights(source))
        assert tracemalloc.get_traced_memory()[1] < BYTES
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", ["safetensors", "gguf"])
def test_files_cut_off_anywhere_are_refused(kind, engine):
    data = sources(kind)[0][0]
    for length in range(len(data)):
        with pytest.raises(ModelError, match="got "):
            weights(data[:length])
