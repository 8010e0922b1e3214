"""Load language models with their tokenizers: texts of reference tokens, and files that say how."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from decoder_weights import weights_of

import py_tensor as pt

CASES = json.loads(
    (Path(__file__).parent.parent / "reference_data" / "decoder_logits.json").read_text()
)
WORDS = {"?": 0} | {f"w{number}": number for number in range(1, 64)}


def files(name: str) -> dict[str, bytes]:
    """Return a model of transformers, and a tokenizer with a word for each token."""
    case = CASES[name]
    weights = weights_of({key: tuple(shape) for key, shape in case["shapes"].items()})
    tokenizer = {
        "model": {"type": "WordLevel", "vocab": WORDS, "unk_token": "?"},
        "pre_tokenizer": {"type": "WhitespaceSplit"},
    }
    return {
        "config.json": json.dumps(case["config"]).encode(),
        "model.safetensors": pt.io.to_bytes(
            {key: pt.asarray(value) for key, value in weights.items()}
        ),
        "tokenizer.json": json.dumps(tokenizer).encode(),
        "tokenizer_config.json": b"{}",
    }


def loaded(source: Any) -> pt.text.LanguageModel:
    return asyncio.run(pt.text.load(source))


def words(tokens: list[int]) -> str:
    names = [*WORDS]
    return " ".join(names[token] for token in tokens)


@pytest.mark.parametrize("name", CASES)
def test_texts_are_those_of_transformers(name: str) -> None:
    model = loaded(files(name))
    generation = model.generate(words(CASES[name]["tokens"]), max_tokens=64)
    assert "".join(generation) == words(CASES[name]["greedy"])
    assert model.sampling == pt.text.Sampling()


def test_files_say_how_tokens_are_chosen_and_which_end_a_text() -> None:
    greedy = CASES["smollm2"]["greedy"]
    end = next(token for token in greedy[5:] if token not in greedy[:5])
    config = {"eos_token_id": [end, 1000], "do_sample": True, "top_p": 0.9, "temperature": 0.6}
    source = files("smollm2") | {"generation_config.json": json.dumps(config).encode()}
    model = loaded(source)
    assert model.ends == {end}
    assert model.sampling == pt.text.Sampling(temperature=0.6, top_p=0.9, top_k=50)
    generation = model.generate(words(CASES["smollm2"]["tokens"]), temperature=0.0, top_k=0)
    assert "".join(generation) == words(greedy[: greedy.index(end)])
    assert generation.reason == "stop"
    # Without `do_sample`, transformers ignores how tokens would be drawn.
    del config["do_sample"]
    source["generation_config.json"] = json.dumps(config).encode()
    assert loaded(source).sampling == pt.text.Sampling()


def test_models_that_cannot_continue_texts_are_refused() -> None:
    source = files("smollm2")
    del source["tokenizer.json"]
    with pytest.raises(pt.errors.ModelError, match="load"):
        loaded(source)
    source = files("smollm2") | {"generation_config.json": b'{"do_sample": true, "top_p": 7}'}
    with pytest.raises(pt.errors.ModelError, match=r"generation_config.json is not valid; got .*7"):
        loaded(source)
