"""Mutated files of TensorFlow.js end soon: in ModelError or in a model that runs or says no."""

from __future__ import annotations

import asyncio
import base64
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_fuzz import mutated
from test_tfjs_texts import examples
from work_limit import STEPS_OF_A_FILE, limited_steps

import py_tensor as pt
from py_tensor.errors import ModelError, TensorError

VALUES = (None, True, 0, -1, 3, 1 << 31, 1 << 70, 0.5, 1e400, "", "x", "-1", "\0", [], {}, [0])


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return each container inside of a JSON value, with each of its keys."""
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    found = [(value, key) for key in keys]
    for _, key in list(found):
        if isinstance(value[key], (dict, list)):
            found += places(value[key])
    return found


def changed(document: dict[str, Any], chance: random.Random) -> None:
    """Change, remove, repeat, or replace values in a document."""
    for _ in range(chance.choice((1, 1, 1, 2, 6))):
        # Half of the changes are in the nodes.
        part = document["modelTopology"] if chance.random() < 0.5 else document
        every = places(part)
        if not every:
            return
        inside, key = chance.choice(every)
        match chance.randrange(5):
            case 0:
                del inside[key]
            case 1:
                inside[key] = chance.choice(VALUES)
            case 2 if isinstance(inside, list):
                inside.append(inside[key])
            case _:
                # A value of another place, for example the name of another node.
                alike = [
                    (source, at)
                    for source, at in every
                    if isinstance(source, dict)
                    and at in source
                    and type(source[at]) is type(inside[key])
                ]
                source, at = chance.choice(alike or [(inside, key)])
                inside[key] = json.loads(json.dumps(source[at]))
        if not isinstance(document.get("modelTopology"), dict):
            return


@pytest.fixture(scope="module")
def files() -> list[tuple[str, bytes]]:
    """Models of a few nodes, with functions, loops of frames, lists, texts and tables."""
    folder = Path(__file__).parent / "data"
    found = []
    for name in ("tfjs_operators.json", "tfjs_control_flow.json"):
        for case in json.loads((folder / name).read_text()):
            model = json.dumps(case["model"])
            if len(model) < 60_000:
                found.append((model, base64.b64decode(case["weights"])))
    return found + [(json.dumps(each), b"") for each in examples()] * 10


def test_mutated_files_end_soon(files, engine, mutations):
    chance = random.Random(5)
    ends: Counter[str] = Counter()
    for number in range(mutations):
        text, weights = chance.choice(files)
        kind = chance.random()
        if kind < 0.8:
            document = json.loads(text)
            changed(document, chance)
            text = json.dumps(document)
        elif kind < 0.9:
            text = mutated(text.encode(), chance).decode("latin-1")
        elif weights:
            weights = mutated(weights, chance)
        with limited_steps(STEPS_OF_A_FILE, f"file {number}"):
            ends[end_of(text.encode(), weights)] += 1
    # The mutations reach every stage.
    assert ends["load"] > 50
    assert ends["run"] > 5
    assert ends["result"] > 50


def end_of(data: bytes, weights: bytes) -> str:
    def read(name: str) -> bytes:
        return weights if name else data

    try:
        model = asyncio.run(pt.models.load(read, format="tfjs"))
    except ModelError as error:
        assert str(error).startswith("load: ")
        assert "got " in str(error)
        return "load"
    inputs: dict[str, Any] = {}
    for info in model.inputs:
        shape = [length if isinstance(length, int) else 2 for length in info.shape or ()]
        if any(length > 1000 for length in shape):
            return "declared"
        if info.dtype == "str":
            inputs[info.name] = np.full(shape, "one two")
        else:
            inputs[info.name] = pt.ones(shape, dtype=info.dtype or "float32")
    try:
        results = model.run(inputs).values()
        pt.realize(*(each for each in results if isinstance(each, pt.Tensor)))
    except ModelError as error:
        assert str(error).startswith(("run: ", "load: "))
        return "run"
    except TensorError:
        # Names or shapes of inputs and outputs that the file changed.
        return "inputs"
    return "result"


def test_truncated_files_name_the_place(files, engine):
    text, weights = max(files, key=lambda each: len(each[0]))
    for length in range(1, len(text) - 1, len(text) // 40):
        with pytest.raises(ModelError, match="got "):
            pt.models.loads(text[:length].encode(), format="tfjs")
    for length in range(0, len(weights), max(1, len(weights) // 40)):
        files = {"": text.encode()}
        with pytest.raises(ModelError, match=r"past the end of their files.*for weight"):
            asyncio.run(
                pt.models.load(lambda name, n=length: files.get(name, weights[:n]))  # noqa: B023
            )
