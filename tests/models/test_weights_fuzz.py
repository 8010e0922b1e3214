"""Mutated files of weights and of saved models end in ModelError, or are read, soon."""

from __future__ import annotations

import random
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from helpers import finished
from test_fuzz import mutated
from test_models import linear
from work_limit import STEPS_OF_A_FILE, limited_steps

import py_tensor as pt
from py_tensor.errors import ModelError, TensorError

FOLDER = Path(__file__).parent / "pytorch"
BYTES = 256 << 20


def weights(data: bytes) -> Any:
    return pt.realize(*finished(pt.models.load_weights(data)).values())


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
        case "model":
            return [pt.models.save(pt.models.loads(linear()))], model
    return [pt.models.save(pt.nn.Sequential(*layers))], module


def changed(kind: str, data: bytes, chance: random.Random) -> bytes:
    """Mutate a file; for "pickle" and the headers of safetensors, only that part."""
    if kind == "pickle":
        # The first entry of the zip file is the pickle.
        start, end = data.index(b"\x80\x02"), data.index(b"PK\x03\x04", 4)
    elif kind in ("zip", "legacy"):
        return mutated(data, chance)
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


@pytest.mark.parametrize("kind", ["zip", "legacy", "pickle", "safetensors", "model", "module"])
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
                except ModelError as error:
                    assert str(error).startswith("load") and "got " in str(error)
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
