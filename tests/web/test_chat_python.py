"""Test the Python of the site's page "Chat": the session, what models need, and attention."""

from __future__ import annotations

import asyncio
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attention_weights import attention_weights
from chat_session import ChatSession
from decoder_weights import weights_of
from model_needs import cache_of, needs_of
from plain_conversation import PlainTokenizer, plain_text

import py_tensor as pt
from py_tensor.nn.layers.attention import joined_heads, split_heads

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "web" / "src" / "features" / "chat" / "model" / "guides.gguf"
CASES = json.loads((ROOT / "tests" / "reference_data" / "decoder_logits.json").read_text())
OPTIONS = {"temperature": 0.0, "top_p": 1.0, "max_tokens": 12}
FIRST = [{"role": "user", "content": "A tensor is"}]


class Page:
    """The page's side of a session: events are kept, and Jinja2 is installed."""

    def __init__(self) -> None:
        self.events: list[tuple[str, Any]] = []

    def send(self, event: str, value: str) -> None:
        self.events.append((event, json.loads(value)))

    def answers(self) -> list[Any]:
        return [value for event, value in self.events if event == "answer"]


@pytest.fixture
def page() -> Page:
    return Page()


def opened(page: Page) -> ChatSession:
    """Return a session with the model of the page."""
    session = ChatSession(page)
    facts = asyncio.run(session.load({"guides.gguf": SHIPPED.read_bytes()}, math.inf))
    assert (facts["layers"], facts["heads"]) == (3, 4)
    assert facts["note"].startswith("It has no chat template")
    return session


def native(prompt: str, count: int) -> str:
    model = asyncio.run(pt.text.load(SHIPPED.read_bytes()))
    return "".join(model.generate(prompt, max_tokens=count))


def test_answers_are_those_of_the_library(page: Page) -> None:
    session = opened(page)
    outcome = asyncio.run(session.answer(FIRST, 512, OPTIONS))
    assert outcome["text"] == native("A tensor is", 12)
    assert outcome["reason"] == "length"
    assert "".join(event["piece"] for event in page.answers()) == outcome["text"]
    assert page.answers()[0]["tokens"] == 0
    # The next answer continues the text of the conversation.
    messages = [
        *FIRST,
        {"role": "assistant", "content": outcome["text"]},
        {"role": "user", "content": "A kernel"},
    ]
    following = asyncio.run(session.answer(messages, 512, OPTIONS))
    assert following["text"] == native(f"A tensor is{outcome['text']}\n\nA kernel", 12)
    assert (following["tokens"], following["forgotten"]) == (12, 0)
    assert following["cacheTokens"] > outcome["cacheTokens"] + 12


def test_oldest_messages_are_left_out_without_room(page: Page) -> None:
    session = opened(page)
    long = [{"role": "user", "content": "words " * 60}, {"role": "assistant", "content": "and"}]
    system = {"role": "system", "content": "A guide."}
    outcome = asyncio.run(session.answer([system, *long, *FIRST], 64, OPTIONS))
    assert outcome["forgotten"] == 2
    assert outcome["text"] == native("A guide.\n\nA tensor is", 12)
    with pytest.raises(pt.errors.ArgumentError, match=r"message is too long; got \d+ tokens"):
        asyncio.run(session.answer([long[0]], 64, OPTIONS))


class StoppingPage(Page):
    """A page that stops the answer after its third piece."""

    session: ChatSession

    def send(self, event: str, value: str) -> None:
        super().send(event, value)
        if len(self.answers()) == 4:
            self.session.stop()


def test_stop_ends_an_answer() -> None:
    page = StoppingPage()
    page.session = opened(page)
    outcome = asyncio.run(page.session.answer(FIRST, 512, OPTIONS | {"max_tokens": 200}))
    assert outcome["reason"] == "stopped"
    assert outcome["text"]
    assert outcome["tokens"] < 10


def test_downloads_above_the_limit_end(page: Page) -> None:
    session = ChatSession(page)
    data = SHIPPED.read_bytes()
    result = asyncio.run(session.load({"guides.gguf": data}, 1000))
    assert result["problem"].startswith("load: model is larger than the limit of downloads; got ")
    with pytest.raises(RuntimeError, match="no model is loaded"):
        asyncio.run(session.answer(FIRST, 512, OPTIONS))


def test_files_that_are_no_models_are_explained(page: Page) -> None:
    session = ChatSession(page)
    for method in (session.describe, lambda source: session.load(source, math.inf)):
        result = asyncio.run(method({"photo.jpg": b"\xff\xd8\xff\xe0" + bytes(500)}))
        assert "; got " in result["problem"]


def test_conversations_follow_a_template(page: Page) -> None:
    case = CASES["smollm2"]
    weights = weights_of({key: tuple(shape) for key, shape in case["shapes"].items()})
    words = {"?": 0} | {f"w{number}": number for number in range(1, 64)}
    tokenizer = {
        "model": {"type": "WordLevel", "vocab": words, "unk_token": "?"},
        "pre_tokenizer": {"type": "WhitespaceSplit"},
    }
    template = "{% for message in messages %}{{ message.content }} {% endfor %}"
    files = {
        "config.json": json.dumps(case["config"]).encode(),
        "model.safetensors": pt.io.to_bytes({k: pt.asarray(v) for k, v in weights.items()}),
        "tokenizer.json": json.dumps(tokenizer).encode(),
        "tokenizer_config.json": json.dumps({"chat_template": template}).encode(),
    }
    needs = asyncio.run(needs_of(files))
    sizes = {name: len(data) for name, data in files.items()}
    assert needs["weights"] == sizes["model.safetensors"]
    assert needs["bytes"] == sum(sizes.values()) - sizes["tokenizer_config.json"]
    assert needs["isDownload"] is False
    session = ChatSession(page)
    facts = asyncio.run(session.load(files, math.inf))
    assert facts["note"] == "It has a chat template."
    content = " ".join(f"w{token}" for token in case["tokens"])
    count = len(case["greedy"])
    options = OPTIONS | {"max_tokens": count}
    outcome = asyncio.run(session.answer([{"role": "user", "content": content}], 512, options))
    assert outcome["text"] == " ".join(f"w{token}" for token in case["greedy"])
    attention = asyncio.run(session.attention(0, 0))
    assert attention["tokens"][: len(case["tokens"])] == content.split()


def test_needs_of_a_file_are_those_of_its_model() -> None:
    data = SHIPPED.read_bytes()
    needs = asyncio.run(needs_of({"guides.gguf": data}))
    model = asyncio.run(pt.text.load(data)).model
    assert (needs["name"], needs["bytes"], needs["length"]) == ("py_tensor guides", len(data), 128)
    # All but headers and the vocabulary are weights.
    assert 0.9 * len(data) < needs["weights"] < len(data)
    cache = model.empty_cache(1, 512)
    held = sum(part.nbytes for part in (*cache.keys, *cache.values))
    assert needs["cache"] == [[held / 512, None]]
    assert needs["parameters"] == sum(
        tensor.size for tensor in pt.nn.CausalDecoder(model.options).state_dict().values()
    )
    assert len(data) <= 200_000


def test_windows_limit_the_cache() -> None:
    options = pt.nn.DecoderOptions(100, 16, 4, 4, 32, key_heads=2, windows=(8, None, 8, 8))
    assert cache_of(options) == [[3 * 64, 8], [64, None]]


def test_plain_conversations_are_texts() -> None:
    messages = [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b"},
        {"role": "user", "content": "c"},
    ]
    assert plain_text(messages) == "S\n\nab\n\nc"
    file = {"model": {"type": "WordLevel", "vocab": {"a": 0, "?": 1}, "unk_token": "?"}}
    tokenizer = PlainTokenizer(pt.text.Tokenizer(file))
    assert tokenizer.apply_chat_template(messages[1:2], add_generation_prompt=True) == [0]
    assert tokenizer.decode([0]) == "a"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"key_heads": 2},
        {"key_heads": 2, "head_norm": True, "windows": 3, "interleaved": True},
        {"softcap": 2.0, "scale": 0.7, "norm_places": "both"},
        {"rotary_base": None, "positions": 64, "norm": "layer", "attention_bias": True},
    ],
)
def test_attention_gives_the_result_of_the_layer(options: dict[str, Any]) -> None:
    pt.random.seed(1)
    model = pt.nn.CausalDecoder(pt.nn.DecoderOptions(50, 16, 2, 4, 32, **options))
    # Attention of initial weights is nearly uniform.
    for block in model.blocks:
        block.attention.query.weight = block.attention.query.weight * 4
    tokens = [3, 1, 4, 1, 5, 9, 2, 6, 5]
    attention = model.blocks[1].attention
    seen: list[Any] = []
    forward = type(attention).forward

    def keeping(self: Any, x: Any, **arguments: Any) -> Any:
        result = forward(self, x, **arguments)
        if self is attention:
            seen.append((x, result))
        return result

    type(attention).forward = keeping
    try:
        model(pt.asarray([tokens]))
        weights = [attention_weights(model, tokens, 1, head) for head in range(4)]
    finally:
        type(attention).forward = forward
    x, wanted = seen[0]
    values = split_heads(attention.value(x), attention.key_heads)[0]
    group = attention.heads // attention.key_heads
    heads = pt.stack([own @ values[at // group] for at, own in enumerate(weights)])
    found = attention.output(joined_heads(pt.expand_dims(heads, axis=0)))
    np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-4, atol=1e-5)
    for own in weights:
        np.testing.assert_allclose(own.numpy().sum(axis=1), 1, rtol=1e-5)
        assert not np.triu(own.numpy(), 1).any()
