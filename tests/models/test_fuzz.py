"""Mutated files of models end in ModelError, or in a model that runs or says why not, soon."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import onnx_cases
import pytest
from work_limit import STEPS_OF_A_FILE, limited_steps

import py_tensor as pt
from py_tensor.errors import TensorError


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Change, remove, insert, repeat or cut off bytes."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 8))):
        at = chance.randrange(len(changed))
        length = chance.randint(1, 16)
        # Other lengths end most files in an error of the reader, so most changes keep them.
        match chance.randrange(12):
            case kind if kind < 8:
                changed[at] = chance.choice((0, 1, 127, 128, 255, chance.randrange(256)))
            case 8:
                del changed[at : at + length]
            case 9:
                changed[at:at] = chance.randbytes(length)
            case 10:
                changed[at:at] = changed[at : at + 4 * length]
            case _ if chance.random() < 0.3:
                del changed[at:]
        if not changed:
            break
    return bytes(changed)


@pytest.fixture(scope="module")
def files() -> list[bytes]:
    """Small models with initializers, subgraphs, functions and shape arithmetic."""
    cases = [case.model for case in onnx_cases.load() if len(case.model) < 20_000]
    folder = onnx_cases.folder() / "pytorch-converted"
    paths = [path for path in folder.glob("*/model.onnx") if path.stat().st_size < 20_000]
    return sorted({*cases, *(path.read_bytes() for path in paths)})


def test_mutated_files_end_soon(files, engine, mutations):
    chance = random.Random(11)
    ends: Counter[str] = Counter()
    for number in range(mutations):
        data = mutated(chance.choice(files), chance)
        with limited_steps(STEPS_OF_A_FILE, f"file {number}"):
            ends[end_of(data)] += 1
    # The mutations reach every stage.
    assert ends["load"] > 100
    assert ends["run"] > 1
    assert ends["result"] > 15


def end_of(data: bytes) -> str:
    try:
        model = pt.models.loads(data)
    except pt.errors.ModelError as error:
        assert str(error).startswith(("load: ", "loads: "))
        return "load"
    inputs: dict[str, Any] = {}
    for info in model.inputs:
        shape = [length if isinstance(length, int) else 2 for length in info.shape or ()]
        if any(length < 0 or length > 1000 for length in shape):
            return "declared"
        inputs[info.name] = pt.ones(shape, dtype=info.dtype or "float32")
    try:
        pt.realize(*model.run(inputs).values())
    except pt.errors.ModelError as error:
        assert str(error).startswith(("run: ", "load: "))
        return "run"
    except TensorError:
        # Names or shapes of inputs and outputs that the file changed.
        return "inputs"
    return "result"


def test_truncated_files_name_the_place(files, engine):
    data = max(files, key=len)
    for length in range(1, len(data) - 1, max(1, len(data) // 50)):
        try:
            pt.models.loads(data[:length])
        except pt.errors.ModelError as error:
            assert "got " in str(error)
            continue
        pytest.fail(f"{length} of {len(data)} bytes")
