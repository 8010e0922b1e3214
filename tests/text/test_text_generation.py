"""Generate text: equal to a loop without a cache, in every way in which it can be asked for."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import py_tensor as pt
from py_tensor.text.byte_characters import BYTE_CHARS

TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}<end>{% endfor %}<assistant>"
ENDS = ("<end>", "<user>", "<assistant>", "<system>")


def make_tokenizer() -> pt.text.Tokenizer:
    """A token for each byte, and some for conversations."""
    added = [
        {"id": 256 + at, "content": text, "special": True, "single_word": False, "lstrip": False,
         "rstrip": False, "normalized": False}
        for at, text in enumerate(ENDS)
    ]  # fmt: skip
    file = {
        "model": {"type": "BPE", "vocab": {c: at for at, c in enumerate(BYTE_CHARS)}, "merges": []},
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False},
        "decoder": {"type": "ByteLevel"},
        "added_tokens": added,
    }
    config = {"eos_token": "<end>", "chat_template": TEMPLATE}
    return pt.text.Tokenizer(file, config)


def make(seed: int = 0, **options: Any) -> pt.nn.CausalDecoder:
    with pt.random.seeded(seed):
        return pt.nn.CausalDecoder(
            pt.nn.DecoderOptions(260, 16, 2, 4, 32, **{"key_heads": 2, **options})
        )


def make_model(ends: Sequence[int] = (), **options: Any) -> pt.text.LanguageModel:
    return pt.text.LanguageModel(make(**options), make_tokenizer(), ends=ends)


def wanted(model: pt.text.LanguageModel, prompt: str, count: int) -> list[int]:
    """Return the most probable tokens, each computed from all before it."""
    tokens = model.tokenizer.encode(prompt).ids
    for _ in range(count):
        tokens.append(int(np.argmax(model.model([tokens]).tolist()[0][-1])))
    return tokens[-count:]


@pytest.mark.parametrize("length", [1, 16, 40, 300])
def test_greedy_text_is_that_of_the_whole_model(length: int) -> None:
    model = make_model()
    prompt = ("the quick brown fox " * 15)[:length]
    generation = model.generate(prompt, max_tokens=6)
    pieces = list(generation)
    assert "".join(pieces) == generation.text
    assert generation.text == model.tokenizer.decode(wanted(model, prompt, 6))
    assert (generation.count, generation.reason) == (6, "length")
    assert generation.first_seconds > 0
    assert generation.tokens_per_second > 0


def test_pieces_arrive_while_the_loop_runs_on() -> None:
    model = make_model()

    async def run() -> str:
        return "".join([piece async for piece in model.generate("abc", max_tokens=9)])

    assert asyncio.run(run()) == "".join(model.generate("abc", max_tokens=9))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"windows": (4, None)},
        {"rotary_base": None, "positions": 600, "norm": "layer", "gated": False},
    ],
)
def test_prompts_of_different_lengths_do_not_change_each_other(options: dict[str, Any]) -> None:
    model = make_model(**options)
    prompts = ["a", "some longer text", "x" * 20]
    together = model.generate(prompts, max_tokens=5)
    pieces = list(together)
    assert together.text == ["".join(column) for column in zip(*pieces, strict=True)]
    assert together.text == ["".join(model.generate(one, max_tokens=5)) for one in prompts]


def test_later_texts_compile_nothing() -> None:
    model = make_model()
    options = {"max_tokens": 20, "temperature": 0.9, "top_k": 9, "top_p": 0.9, "min_p": 0.01}
    list(model.generate("one", **options))
    before = pt.cache_info().plan_misses
    list(model.generate("another", **{**options, "temperature": 0.5, "top_p": 0.8}))
    assert pt.cache_info().plan_misses == before


# --- choice ---------------------------------------------------------------------------------------


def chosen(logits: np.ndarray, count: int, **options: Any) -> set[int]:
    """Return the tokens that `count` draws choose."""
    from py_tensor.text.generation.sampling import choose

    sampling = pt.text.Sampling(**{"temperature": 1.0, **options})
    rows = pt.asarray(np.tile(logits.astype(np.float32), (count, 1)))
    seen = pt.zeros(rows.shape, dtype="bool")
    key = pt.random.key(3)
    return set(choose(rows, seen, key, 1, sampling.kind(), sampling.numbers()).tolist())


def test_tokens_are_those_that_the_options_allow() -> None:
    rng = np.random.default_rng(0)
    logits = rng.permutation(np.linspace(-1.0, 1.0, 12)) * 1.5
    order = np.argsort(-logits)
    share = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    assert chosen(logits, 2000) == set(range(12))
    assert chosen(logits, 2000, top_k=4) == set(order[:4])
    before = np.cumsum(share[order]) - share[order]
    for top_p in (0.1, 0.5, 0.9):
        assert chosen(logits, 2000, top_p=top_p) == set(order[before < top_p])
    assert chosen(logits, 2000, min_p=0.3) == set(np.flatnonzero(share >= 0.3 * share.max()))
    # The sum of the probabilities is that of the tokens which the limit of their number leaves.
    limited = share[order[:5]] / share[order[:5]].sum()
    kept = np.cumsum(limited) - limited < 0.6
    assert chosen(logits, 2000, top_k=5, top_p=0.6) == set(order[:5][kept])
    assert chosen(logits, 50, temperature=1e-3) == {order[0]}


def test_probabilities_are_those_of_the_softmax() -> None:
    from py_tensor.text.generation.sampling import choose

    logits = np.array([0.0, 1.0, 2.0], np.float32)
    sampling = pt.text.Sampling(temperature=2.0)
    rows = pt.asarray(np.tile(logits, (20_000, 1)))
    key = pt.random.key(5)
    drawn = choose(rows, None, key, 0, sampling.kind(), sampling.numbers()).tolist()
    found = np.bincount(drawn, minlength=3) / 20_000
    expected = np.exp(logits / 2) / np.exp(logits / 2).sum()
    # Four standard deviations of a share of 20,000 draws.
    assert np.abs(found - expected).max() < 4 * np.sqrt(0.25 / 20_000)


def test_repeated_tokens_are_penalized() -> None:
    model = make_model()
    tokens = model.tokenizer.encode("aab").ids
    logits = np.array(model.model([tokens]).tolist()[0][-1])
    for token in set(tokens):
        logits[token] = logits[token] / 1.7 if logits[token] > 0 else logits[token] * 1.7
    generation = model.generate("aab", max_tokens=1, repetition_penalty=1.7)
    list(generation)
    assert generation.text == model.tokenizer.decode([int(np.argmax(logits))])


def test_seeds_repeat_a_text() -> None:
    model = make_model()

    def text(seed: int) -> str:
        return "".join(model.generate("seed", max_tokens=12, temperature=1.0, seed=seed))

    assert text(1) == text(1)
    assert text(1) != text(2)


def test_processors_change_logits() -> None:
    model = make_model()

    def only_next_letter(logits: pt.Tensor, tokens: pt.Tensor) -> pt.Tensor:
        """Allow the letter after the last one."""
        last = pt.max(pt.where(tokens >= 0, pt.arange(tokens.shape[-1]), -1), axis=-1)
        letter = pt.take_along_axis(tokens, last[:, None], axis=-1)
        return pt.where(pt.arange(logits.shape[-1]) == letter + 1, logits, -1e9)

    processors = [only_next_letter]
    assert "".join(model.generate("abc", max_tokens=5, processors=processors)) == "defgh"
    both = model.generate(["ab", "wxy"], max_tokens=2, processors=processors)
    list(both)
    assert both.text == ["cd", "z{"]


# --- ends -----------------------------------------------------------------------------------------


def test_words_end_a_text() -> None:
    model = make_model()
    whole = "".join(model.generate("stop", max_tokens=12))
    word = whole[4:6]
    generation = model.generate("stop", max_tokens=12, stop=[word, "\0\0\0"])
    assert "".join(generation) == whole[: whole.index(word)] == generation.text
    assert generation.reason == "stop"
    # The start of a word that does not come is not lost.
    assert "".join(model.generate("stop", max_tokens=12, stop=whole[-1] + "\0\0")) == whole


def test_tokens_end_a_text() -> None:
    tokens = wanted(make_model(), "end", 5)
    model = make_model(ends=[tokens[3]])
    generation = model.generate("end", max_tokens=5)
    first = tokens.index(tokens[3])
    assert "".join(generation) == model.tokenizer.decode(tokens[:first])
    assert (generation.reason, generation.count) == ("stop", first + 1)


def test_stopping_takes_one_token() -> None:
    model = make_model()
    generation = model.generate("abc", max_tokens=200)
    for _ in generation:
        generation.stop()
    assert generation.reason == "stopped"
    assert generation.count <= 4  # a character has up to four bytes


# --- conversations --------------------------------------------------------------------------------


def test_turns_continue_from_the_cache() -> None:
    model = make_model()
    chat = model.chat("be brief")
    first = "".join(chat.send("hello", max_tokens=6))
    known = len(chat._known.tokens)
    assert known > len("be briefhello")
    second = "".join(chat.send("and then?", max_tokens=6))
    prompt = model.tokenizer.apply_chat_template(chat.messages, tokenize=False)
    assert prompt == f"<system>be brief<end><user>hello<end><assistant>{first}<end>" + (
        "<user>and then?<end><assistant>"
    )
    assert second == "".join(model.generate(prompt, max_tokens=6))
    chat.end_turn()
    assert [message["role"] for message in chat.messages] == [
        "system", "user", "assistant", "user", "assistant",
    ]  # fmt: skip
    assert chat.messages[-1]["content"] == second


def test_a_turn_that_is_left_is_part_of_the_conversation() -> None:
    model = make_model()
    chat = model.chat()
    for _ in chat.send("hello", max_tokens=50):
        break
    text = "".join(chat.send("again", max_tokens=4))
    prompt = model.tokenizer.apply_chat_template(chat.messages, tokenize=False)
    assert text == "".join(model.generate(prompt, max_tokens=4))
    assert chat.messages[1]["role"] == "assistant"


# --- patterns -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pattern", [r"(yes|no)", r"[a-f]{3}-\d{2,4}", r"-?(0|[1-9]\d*)(\.\d+)?!", "(?i)[abc]+d"]
)
def test_texts_match_a_pattern(pattern: str) -> None:
    model = make_model()
    for seed in range(4):
        text = "".join(
            model.generate("?", max_tokens=60, pattern=pattern, temperature=1.0, seed=seed)
        )
        assert re.fullmatch(pattern, text) or len(text) == 60


def test_a_whole_pattern_releases_what_a_stop_word_holds_back() -> None:
    generation = make_model().generate("?", pattern="abc", stop="bcd")
    assert "".join(generation) == generation.text == "abc"
    assert generation.reason == "stop"


def test_texts_satisfy_a_schema() -> None:
    model = make_model(ends=[256])
    schema = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 4},
            "kind": {"enum": ["a", "b"]},
            "values": {"type": "array", "items": {"type": "boolean"}, "maxItems": 2},
        },
        "required": ["name", "kind"],
    }
    for seed in range(3):
        generation = model.generate("{", max_tokens=200, schema=schema, temperature=1.5, seed=seed)
        found = json.loads("".join(generation))
        assert set(found) <= {"name", "kind", "values"}
        assert found["kind"] in ("a", "b")
        assert len(found["name"]) <= 4
        assert generation.reason == "stop"


def test_errors_name_what_is_wrong() -> None:
    model = make_model()
    cases: list[tuple[dict[str, Any], str]] = [
        ({"prompt": ""}, "generate: prompt has no tokens"),
        ({"prompt": "a", "max_tokens": 0}, "generate: max_tokens"),
        ({"prompt": "a", "temprature": 1.0}, "generate: option is unknown; got temprature"),
        ({"prompt": "a", "top_p": 2.0}, "Sampling: top_p is outside of its range; got 2.0"),
        ({"prompt": "a", "stop": ["b", ""]}, "generate: stop must have words"),
        ({"prompt": "a", "pattern": "("}, "generate: pattern is not valid"),
        ({"prompt": "a", "pattern": "(?=a)"}, "generate: pattern has an item"),
        ({"prompt": "a", "schema": {"type": "x"}}, "generate: schema has no type"),
    ]
    for options, text in cases:
        with pytest.raises(pt.errors.ArgumentError) as caught:
            model.generate(**options)
        assert str(caught.value).startswith(text)
    small = pt.text.LanguageModel(
        pt.nn.CausalDecoder(pt.nn.DecoderOptions(90, 16, 1, 4, 32)), model.tokenizer
    )
    with pytest.raises(pt.errors.ArgumentError, match="token is not in the vocabulary"):
        small.generate("zebra")
    with pytest.raises(pt.errors.ArgumentTypeError):
        pt.text.LanguageModel(model.tokenizer, model.model)  # type: ignore[arg-type]
