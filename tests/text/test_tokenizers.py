"""Tokenizers give the results of the package `tokenizers`, which `make_tokenizers.py` stored."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import py_tensor as pt

DATA = json.loads(
    (Path(__file__).parent.parent / "reference_data" / "tokenizers.json").read_text("utf-8")
)
CASES = list(DATA["cases"])


@cache
def file_of(name: str) -> dict[str, Any]:
    case = DATA["cases"][name]
    model = dict(DATA["models"][case["model"]], ignore_merges=case["ignore_merges"])
    return {**case["file"], "model": model}


@pytest.mark.host
@pytest.mark.parametrize("name", CASES)
def test_ids_tokens_offsets_and_texts_are_those_of_the_package(name):
    tokenizer = pt.text.Tokenizer(file_of(name))
    for texts, ids, offsets, types, different, decoded, complete in DATA["cases"][name]["results"]:
        encoding = tokenizer.encode(*texts)
        assert encoding.ids == ids
        spans = list(zip(offsets[::2], offsets[1::2], strict=True))
        assert encoding.offsets == spans, texts
        assert encoding.type_ids == (types or [0] * len(ids))
        tokens = list(map(tokenizer.id_to_token, ids))
        for at, token in different.items():
            tokens[int(at)] = token
        assert encoding.tokens == tokens
        assert tokenizer.decode(ids) == decoded
        assert tokenizer.decode(ids, skip_special_tokens=False) == complete


@pytest.mark.parametrize("name", CASES)
def test_ids_alone_and_known_words_are_those_of_the_first_encoding(name):
    """Ids are found in another way than offsets, and words of earlier texts are remembered."""
    texts = [texts[0] for texts, *_ in DATA["cases"][name]["results"]]
    texts = [*texts, " ".join(texts), "\n".join(texts), "  ".join(texts[::-1])]
    file = {**file_of(name), "truncation": None, "padding": None}
    tokenizer = pt.text.Tokenizer(file)
    for text in texts * 2:
        first = pt.text.Tokenizer(file).encode(text)
        again = tokenizer.encode(text)
        assert vars(again) == vars(first), text
        assert tokenizer(text)["input_ids"].tolist() == [first.ids], text


@pytest.mark.host
@pytest.mark.parametrize("name", CASES)
def test_streams_give_the_text_of_decode(name):
    tokenizer = pt.text.Tokenizer(file_of(name))
    generator = random.Random(0)
    rows = [ids for _, ids, *_ in DATA["cases"][name]["results"]]
    rows += [generator.choices(range(len(tokenizer)), k=12) for _ in range(20)]
    for ids in rows:
        stream = tokenizer.decode_stream()
        texts = [stream.step(number) for number in ids]
        is_valid = "\ufffd" not in tokenizer.decode(ids)
        assert not (is_valid and any("\ufffd" in text for text in texts))
        assert "".join(texts) + stream.finish() == tokenizer.decode(ids)


@pytest.mark.host
@pytest.mark.parametrize("name", CASES)
def test_ids_alone_are_those_of_complete_encodings(name):
    tokenizer = pt.text.Tokenizer(file_of(name) | {"padding": None})
    for texts, *_ in DATA["cases"][name]["results"]:
        # A text for a template gets no tokens around it.
        if len(texts) == 1:
            assert tokenizer._ids(texts[0]) == tokenizer.encode(texts[0], None, False).ids


@pytest.mark.parametrize("name", ["Llama 3", "T5"])
def test_batches_are_padded_tensors(name):
    tokenizer = pt.text.Tokenizer(file_of(name))
    inputs = tokenizer(["Hello world", "a longer text", ""])
    own = [tokenizer.encode(text).ids for text in ("Hello world", "a longer text", "")]
    width = max(map(len, own))
    assert inputs["input_ids"].dtype == pt.int32
    assert inputs["input_ids"].tolist() == [ids + [0] * (width - len(ids)) for ids in own]
    masks = [[1] * len(ids) + [0] * (width - len(ids)) for ids in own]
    assert inputs["attention_mask"].tolist() == masks
    left = tokenizer(["Hello world", ""], padding_side="left")
    assert left["attention_mask"].tolist()[1][-1:] == [1]
    assert left["attention_mask"].tolist()[1][0] == 0


def test_padding_of_the_file_and_pairs():
    tokenizer = pt.text.Tokenizer(file_of("BERT"))
    inputs = tokenizer(["Hello world", "Hello " * 40], ["world", "x"])
    assert inputs["input_ids"].shape == (2, 24)
    assert set(inputs) == {"input_ids", "token_type_ids", "attention_mask"}
    assert inputs["token_type_ids"].tolist()[0][-2:] == [1, 1]
    assert inputs["attention_mask"].tolist()[0][0] == 0
    encodings = tokenizer.encode_batch(["Hello world", "Hello " * 40])
    assert [len(one) for one in encodings] == [24, 24]


@pytest.mark.host
def test_limit_of_a_call_replaces_that_of_the_file():
    tokenizer = pt.text.Tokenizer(file_of("BERT"))
    assert sum(tokenizer.encode("Hello " * 40, max_length=6).attention_mask) == 6
    assert sum(tokenizer.encode("Hello " * 40, max_length=40).attention_mask) == 40
    plain = pt.text.Tokenizer(file_of("Llama 3"))
    assert plain.encode("Hello world and more", max_length=3).ids[0] == 1
    assert len(plain.encode("Hello world and more", max_length=3)) == 3
    assert len(plain.encode("Hello world and more", "another text", max_length=6)) == 6
    assert plain.encode("Hello", max_length=0).ids == [1]


@pytest.mark.host
@pytest.mark.parametrize("strategy", ["OnlyFirst", "OnlySecond"])
@pytest.mark.parametrize("direction", ["Left", "Right"])
def test_truncation_of_one_text_of_a_pair(strategy, direction):
    limits = {"max_length": 8, "strategy": strategy, "direction": direction, "stride": 0}
    tokenizer = pt.text.Tokenizer({**file_of("GPT-2"), "truncation": limits})
    long, short = "one two three four five six seven", "ab"
    texts = (long, short) if strategy == "OnlyFirst" else (short, long)
    encoding = tokenizer.encode(*texts)
    assert len(encoding) == 8
    own = [tokenizer.encode(text, max_length=1000).ids for text in texts]
    at = strategy == "OnlySecond"
    kept = [
        number for number, type_ in zip(encoding.ids, encoding.type_ids, strict=True) if type_ == at
    ]
    assert kept == (own[at][: len(kept)] if direction == "Right" else own[at][-len(kept) :])
    with pytest.raises(pt.errors.ArgumentError, match="too short"):
        tokenizer.encode(*texts[::-1])


@pytest.mark.host
def test_special_tokens_can_be_left_out():
    tokenizer = pt.text.Tokenizer(file_of("RoBERTa"))
    complete, without = (tokenizer.encode("Hello", None, flag).ids for flag in (True, False))
    assert complete == [1, *without, 0]
    assert tokenizer.decode(complete) == "Hello"
    assert tokenizer.decode(complete, skip_special_tokens=False) == "<s>Hello<|end|>"


@pytest.mark.host
def test_numbers_and_tokens():
    tokenizer = pt.text.Tokenizer(file_of("RoBERTa"))
    assert tokenizer.id_to_token(0) == "<|end|>"
    number = tokenizer.token_to_id("<mask>")
    assert number == len(tokenizer) - 1
    assert tokenizer.id_to_token(number) == "<mask>"
    assert tokenizer.token_to_id("no such token") is None
    assert tokenizer.id_to_token(10**9) is None
    assert tokenizer.decode([10**9]) == ""


@pytest.mark.host
@pytest.mark.parametrize("bad", ["ab", [1.5], [[1]], None, 3])
def test_decoding_of_other_things_raises(bad):
    tokenizer = pt.text.Tokenizer(file_of("GPT-2"))
    with pytest.raises(pt.errors.ArgumentTypeError, match="decode: ids must be integers"):
        tokenizer.decode(bad)


@pytest.mark.host
@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.encode(None),
        lambda t: t.encode("a", 3),
        lambda t: t.encode("a", max_length=-1),
        lambda t: t.encode_batch("a"),
        lambda t: t.encode_batch(["a"], ["b", "c"]),
        lambda t: t(["a", 1]),
        lambda t: t("a", padding_side="top"),
    ],
)
def test_bad_arguments_raise_errors_that_name_the_operation(call):
    with pytest.raises(pt.errors.ArgumentError, match=r"^(encode.*|Tokenizer): .*; got "):
        call(pt.text.Tokenizer(file_of("GPT-2")))
