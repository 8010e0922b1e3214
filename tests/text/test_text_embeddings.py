"""Vectors of texts are those of sentence-transformers."""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from decoder_weights import weights_of

import py_tensor as pt
from py_tensor.errors import ArgumentError, ArgumentTypeError, ModelError

CASES = json.loads(
    (Path(__file__).parent.parent / "reference_data" / "sentence_vectors.json").read_text()
)


def files(name: str, **changes: Any) -> dict[str, bytes]:
    case = CASES[name]
    weights = weights_of({key: tuple(shape) for key, shape in case["shapes"].items()})
    own = {path: json.dumps(content).encode() for path, content in case["files"].items()}
    tensors = {key: pt.asarray(value) for key, value in weights.items()}
    return own | {"model.safetensors": pt.io.to_bytes(tensors)} | changes


def loaded(source: Any) -> pt.text.Embedder:
    return asyncio.run(pt.text.load_embedder(source))


def wanted(name: str, prompt: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(CASES[name]["vectors"][prompt]), "float32").reshape(6, 32)


@pytest.mark.parametrize("name", CASES)
def test_vectors_are_those_of_sentence_transformers(name: str) -> None:
    model = loaded(files(name))
    texts = CASES[name]["texts"]
    for prompt in ("", "query"):
        # Without a name, the default prompt is used, if the files have one.
        vectors = model.embed(texts, prompt=prompt or None, batch=4)
        assert (vectors.shape, vectors.dtype) == ((6, 32), pt.float32)
        np.testing.assert_allclose(vectors.numpy(), wanted(name, prompt), rtol=2e-3, atol=2e-3)
    one = model.embed(texts[0], prompt="query")
    np.testing.assert_allclose(one.numpy(), wanted(name, "query")[0], rtol=2e-3, atol=2e-3)


def test_empty_list_of_texts_has_no_vectors() -> None:
    assert loaded(files("mean")).embed([]).shape == (0, 32)


def test_default_prompt_can_be_left_out() -> None:
    model = loaded(files("cls"))
    plain = model.embed("w9 w33 w5", prompt="").numpy()
    assert np.abs(plain - wanted("cls", "query")[0]).max() > 0.05
    # The prompt of that name is in the file, and empty.
    np.testing.assert_array_equal(model.embed("w9 w33 w5", prompt="document").numpy(), plain)


def test_vectors_do_not_depend_on_batches() -> None:
    model = loaded(files("mean"))
    texts = [" ".join(f"w{4 + (at * at) % 60}" for at in range(n % 23)) for n in range(70)]
    together, alone = model.embed(texts), pt.stack([model.embed(text) for text in texts])
    np.testing.assert_allclose(together.numpy(), alone.numpy(), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(model.embed(texts, batch=1).numpy(), alone.numpy(), atol=1e-4)


def test_texts_of_new_lengths_share_plans() -> None:
    model = loaded(files("mean"))
    embed = model._step
    for count in range(1, 7):
        model.embed([f"w{count} w7"] * 3 + [" ".join(["w5"] * count)]).numpy()
        if count == 1:
            before = pt.cache_info()
    after = pt.cache_info()
    assert model._step is embed
    assert (after.programs, after.plan_misses) == (before.programs, before.plan_misses)


def test_files_of_other_libraries_are_not_needed() -> None:
    source = {
        name: content
        for name, content in files("mean").items()
        if name in ("config.json", "model.safetensors", "tokenizer.json")
    }
    model = loaded(source)
    assert (model.pooling, model.normalize, model.max_length) == ("mean", False, 40)
    vectors = model.embed(CASES["mean"]["texts"][:3])
    lengths = np.linalg.norm(wanted("mean", "")[:3], axis=1, keepdims=True)
    np.testing.assert_allclose(lengths, 1, rtol=1e-5)
    unit = vectors.numpy() / np.linalg.norm(vectors.numpy(), axis=1, keepdims=True)
    np.testing.assert_allclose(unit, wanted("mean", "")[:3], rtol=2e-3, atol=2e-3)


def test_packed_models_embed_texts() -> None:
    model = loaded(files("last"))
    pt.quantize(model.model, bits=8)
    vectors = model.embed(CASES["last"]["texts"]).numpy()
    # Vectors of length 1 with rounded weights point into about the same direction.
    assert ((vectors * wanted("last", "")).sum(axis=1) > 0.98).all()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("sentence_bert_config.json", b'{"max_seq_length": 0}', "max_length is too small; got 0"),
        ("sentence_bert_config.json", b'{"max_seq_length": "a"}', "max_length must be an int"),
        (
            "config_sentence_transformers.json",
            b'{"prompts": {"a": 3}, "default_prompt_name": "a"}',
            "prompt is unknown; got 'a'; use one of none",
        ),
        ("config.json", b'{"model_type": "vit"}', "not valid|does not make vectors"),
    ],
)
def test_wrong_files_say_what_is_wrong(name: str, content: bytes, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        loaded(files("mean", **{name: content}))


def test_models_of_other_kinds_are_refused() -> None:
    model = loaded(files("mean"))
    with pytest.raises(ArgumentTypeError, match="Embedder: model must be a TextEncoder or Cau"):
        pt.text.Embedder(pt.nn.Dense(2, 2), model.tokenizer)
    with pytest.raises(ArgumentError, match="embed: prompt is unknown; got 'passage'; use one of"):
        model.embed("w4", prompt="passage")
    with pytest.raises(ArgumentTypeError, match="embed: text must be a str; got int"):
        model.embed(["w4", 4])
