"""Mutated configurations of decoders end in errors of the project, or in a model that runs."""

from __future__ import annotations

import json
import random
import tracemalloc
from collections import Counter
from typing import Any

import pytest
from helpers import finished
from test_decoders import CASES, files, gguf_of
from test_fuzz import mutated
from test_weights_fuzz import BYTES, changed_text
from work_limit import STEPS_OF_A_FILE, limited_steps

import py_tensor as pt
from py_tensor.errors import ModelError, TensorError

GGUF = {"llama3": "llama", "qwen3": "qwen3", "gemma2": "gemma2"}


def end_of(source: Any) -> str:
    """Load and call a decoder; return how it ended."""
    try:
        model = finished(pt.models.load_transformer(source))
    except ModelError as error:
        assert "got " in str(error)
        return "refused"
    try:
        pt.realize(model(pt.asarray([[3, 1, 2]], dtype="int32")))
    except TensorError:
        return "no result"
    return "result"


@pytest.mark.parametrize("name", CASES)
def test_mutated_configurations_end_soon(name, engine, mutations):
    source, chance = files(name), random.Random(name)
    config, ends = source["config.json"], Counter[str]()
    tracemalloc.start(1)
    try:
        for number in range(mutations // 4):
            source["config.json"] = changed_text(config, chance)
            with limited_steps(STEPS_OF_A_FILE, f"file {number}"):
                ends[end_of(source)] += 1
            assert tracemalloc.get_traced_memory()[1] < BYTES, f"file {number}"
    finally:
        tracemalloc.stop()
    assert ends["refused"] > 15
    assert ends["result"] > 1


@pytest.mark.parametrize("name", GGUF)
def test_mutated_metadata_end_soon(name, engine, mutations):
    data, chance = gguf_of(name, GGUF[name]), random.Random(name)
    end = data.index(b"token_embd") if b"token_embd" in data else len(data) // 2
    ends = Counter[str]()
    for number in range(mutations // 4):
        with limited_steps(STEPS_OF_A_FILE, f"file {number}"):
            ends[end_of(mutated(data[:end], chance) + data[end:])] += 1
    assert ends["refused"] > 15
    assert ends["result"] > 1


@pytest.mark.parametrize(
    "change",
    [
        {"num_hidden_layers": 10**9},
        {"num_hidden_layers": 0},
        {"num_hidden_layers": "2"},
        {"hidden_size": 10**12},
        {"hidden_size": 0},
        {"hidden_size": -64},
        {"vocab_size": 10**30},
        {"vocab_size": 1.5},
        {"num_attention_heads": 0},
        {"num_attention_heads": 3},
        {"num_key_value_heads": 10**9},
        {"intermediate_size": [1]},
        {"head_dim": 7},
        {"rms_norm_eps": "x"},
        {"rms_norm_eps": float("nan")},
        {"rope_parameters": []},
        {"rope_parameters": {"rope_theta": "10000"}},
        {"rope_parameters": {"rope_theta": 0}},
        {"rope_parameters": {"rope_theta": 1e4, "rope_type": ["yarn"]}},
        {"rope_parameters": {"rope_theta": 1e4, "rope_type": "yarn", "factor": 0}},
        {"hidden_act": {}},
        {"model_type": ["llama"]},
        {"layer_types": 5, "sliding_window": 4},
        {"layer_types": ["sliding_attention"] * 99, "sliding_window": 4},
        {"sliding_window": -1},
        {"sliding_window": "x"},
        {"tie_word_embeddings": "x"},
    ],
    ids=str,
)
def test_hostile_configurations_are_refused_soon(change, engine):
    source = files("llama3")
    source["config.json"] = json.dumps(CASES["llama3"]["config"] | change).encode()
    with limited_steps(STEPS_OF_A_FILE):
        assert end_of(source) == "refused"
