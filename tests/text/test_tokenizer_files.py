"""Files of tokenizers from where users have them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import gguf_files
import pytest

import py_tensor as pt

pytestmark = pytest.mark.host
MODEL = {"type": "WordLevel", "vocab": {"?": 0, "a": 1, "b": 2}, "unk_token": "?"}
FILE = {"model": MODEL, "added_tokens": [], "pre_tokenizer": {"type": "WhitespaceSplit"}}
DATA = json.dumps(FILE).encode()
CONFIG = {"chat_template": "{{ messages[0].content }}", "eos_token": "b", "tokenizer_class": "X"}


def load(source: Any) -> pt.text.Tokenizer:
    return asyncio.run(pt.text.Tokenizer.load(source))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tokenizer.json").write_bytes(DATA)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(CONFIG))
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    return tmp_path


def test_sources(folder):
    sources = [folder, folder / "tokenizer.json", str(folder / "tokenizer.json")]
    for source in sources:
        tokenizer = load(source)
        assert tokenizer.encode("b a c").ids == [2, 1, 0]
        assert tokenizer.special_tokens == {"eos_token": "b"}
        assert tokenizer.apply_chat_template([{"role": "user", "content": "a b"}]) == [1, 2]
    for source in (DATA, FILE, {"tokenizer.json": DATA}):
        assert load(source).encode("b").ids == [2]


def test_a_template_in_a_file_of_its_own(folder):
    (folder / "chat_template.jinja").write_text("x{{ 1 + 1 }}")
    assert load(folder).chat_template == "x{{ 1 + 1 }}"


def test_missing_files_raise(tmp_path):
    for source in (tmp_path, tmp_path / "tokenizer.json", b"", b"{}", b"[1]"):
        with pytest.raises(pt.errors.ModelError):
            load(source)


def gguf(model: str, tokens: list[str], **fields: tuple[int, Any]) -> bytes:
    metadata = {
        "tokenizer.ggml.model": (8, model),
        "tokenizer.ggml.tokens": (9, (8, tokens)),
        **{f"tokenizer.ggml.{name}": value for name, value in fields.items()},
    }
    return gguf_files.file_of({"x": ((2,), 0, bytes(8))}, metadata)


LLAMA = ["<unk>", "<s>", "</s>", "▁", "a", "b", "▁a", "ab", "▁ab", "<0xC3>", "<0xA9>"]


def llama(**fields: Any) -> bytes:
    scores = [0.0, 0.0, 0.0, -10.0, -11.0, -12.0, -3.0, -2.0, -1.0, 0.0, 0.0]
    return gguf(
        "llama",
        LLAMA,
        scores=(9, (6, scores)),
        token_type=(9, (4, [2, 3, 3, 1, 1, 1, 1, 1, 1, 6, 6])),
        bos_token_id=(4, 1),
        eos_token_id=(4, 2),
        unknown_token_id=(4, 0),
        **fields,
    )


def test_vocabularies_of_sentencepiece_in_gguf_files():
    for tokenizer in (pt.text.Tokenizer(llama()), load(llama())):
        encoding = tokenizer.encode("ab aé</s>")
        assert encoding.tokens == ["<s>", "▁ab", "▁a", "<0xC3>", "<0xA9>", "</s>"]
        assert tokenizer.decode(encoding.ids) == "ab aé"
        assert tokenizer.special_tokens["eos_token"] == "</s>"
    without = pt.text.Tokenizer(llama(add_bos_token=(7, False), add_space_prefix=(7, False)))
    assert without.encode("ab").tokens == ["ab"]


def test_vocabularies_of_bytes_in_gguf_files():
    tokens = ["a", "b", "Ġ", "Ġa", "<|end|>", "1", "2", "12"]
    merges = ["Ġ a", "1 2"]
    common = {"merges": (9, (8, merges)), "token_type": (9, (4, [1, 1, 1, 1, 3, 1, 1, 1]))}
    expected = {
        "gpt-2": ["a", "Ġa", "12", "<|end|>"],
        "smollm": ["a", "Ġa", "1", "2", "<|end|>"],
        "qwen2": ["a", "Ġa", "1", "2", "<|end|>"],
        "llama-bpe": ["a", "Ġa", "12", "<|end|>"],
        "gpt-4o": ["a", "Ġa", "12", "<|end|>"],
    }
    for name, parts in expected.items():
        tokenizer = pt.text.Tokenizer(gguf("gpt2", tokens, pre=(8, name), **common))
        encoding = tokenizer.encode("a a12<|end|>")
        assert encoding.tokens == parts, name
        assert tokenizer.decode(encoding.ids) == "a a12"


@pytest.mark.parametrize(
    "data",
    [
        gguf("bert", ["a"]),
        gguf("gpt2", ["a"], pre=(8, "nope")),
        gguf("llama", ["a"]),
        gguf_files.file_of({"x": ((2,), 0, bytes(8))}, {}),
        llama()[:100],
    ],
)
def test_other_gguf_files_raise(data):
    for make in (pt.text.Tokenizer, load):
        with pytest.raises(pt.errors.ModelError, match=r"; got .*; "):
            make(data)


BERT = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "cafe",
    "the",
    "token",
    "##izer",
    "##s",
    "a",
    ".",
    ",",
    "!",
    "##é",
]
"""Vocabulary of a model that knows no capital letters."""


def test_vocabulary_of_bert_gives_the_tokens_of_its_package(tmp_path):
    """`BertWordPieceTokenizer` of the package tokenizers 0.23 gives these numbers."""
    (tmp_path / "vocab.txt").write_text("\n".join(BERT) + "\n", encoding="utf-8")
    text = "The Tokenizers, a [MASK] Café!"
    for source in (tmp_path, tmp_path / "vocab.txt", "\r\n".join(BERT).encode()):
        tokenizer = load(source)
        assert tokenizer.encode(text).ids == [2, 6, 7, 8, 9, 12, 10, 4, 5, 13, 3]
        pair = tokenizer.encode("a cafe", "the token")
        assert pair.ids == [2, 10, 5, 3, 6, 7, 3]
        assert pair.type_ids == [0, 0, 0, 0, 1, 1, 1]
        assert tokenizer.decode(pair.ids) == "a cafe the token"
    cased = "\n".join([*BERT[:5], "Café", *BERT[6:]])
    assert pt.text.Tokenizer(cased.encode()).encode("the Café Token").ids == [2, 6, 5, 1, 3]
    (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    assert load(tmp_path).encode("The cafe").ids == [2, 1, 5, 3]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"[UNK]\na\n", r"vocab.txt lacks tokens of BERT; got 2 lines without \['\[CLS\]'"),
        (b"[UNK]\n[CLS]\n[SEP]\n\xff\n", "vocab.txt is not UTF-8"),
    ],
)
def test_damaged_vocabulary_of_bert_raises(data, problem):
    with pytest.raises(pt.errors.ModelError, match=problem):
        load(data)
