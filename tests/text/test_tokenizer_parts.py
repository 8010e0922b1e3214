"""Parts of tokenizers, and files that are not valid."""

# ruff: noqa: E501

from __future__ import annotations

import base64
import random
import struct
from typing import Any

import pytest
from work_limit import limited_steps

import py_tensor as pt
from py_tensor.text.aligned import BEHAVIORS, Piece, Places, covering
from py_tensor.text.models import _merge_few, _merge_many
from py_tensor.text.normalizers import normalizer_of
from py_tensor.text.pre_tokenizers import splitter_of
from py_tensor.text.regex import Pattern

pytestmark = pytest.mark.host
WORDS = {"type": "WordLevel", "vocab": {"?": 0}, "unk_token": "?"}


def found(pattern: str, text: str) -> list[str]:
    return [text[start:stop] for start, stop in Pattern(pattern).matches(text)]


@pytest.mark.parametrize(
    ("pattern", "text", "parts"),
    [
        (r"\p{L}+", "aé1д\u0301\U00010400", ["aé", "д", "\U00010400"]),
        (r"\P{L}+", "a1 b", ["1 "]),
        (r"\p{^Lu}", "aB", ["a"]),
        (r"[\p{N}&&[^5-9]]", "3 7 Ⅷ", ["3", "Ⅷ"]),
        (r"\s+", "a\x1c \x85\u3000b", [" \x85\u3000"]),
        (r"\S+", "a\x1c b", ["a\x1c", "b"]),
        (r"\w+", "a\u0301² ½-_", ["a\u0301²", "½", "_"]),
        (r"[\w]+", "a² ½", ["a"]),
        (r"\d+", "1٣²", ["1٣"]),
        (r"\h+", "xfF0g", ["fF0"]),
        (r"(?i:'LL|'s)", "'ll '\u017f", ["'ll", "'\u017f"]),
        (r"a(?i)b|c", "aB C aC", ["aB", "aC"]),
        (r"(?m)a.b", "a\nb", ["a\nb"]),
        (r"a.b", "a\nb", []),
        (r"^a|b$", "a\na b\nb", ["a", "a", "b", "b"]),
        (r"\Aa|a\z", "a\na", ["a", "a"]),
        (r"\d{1,2}+", "12345", ["12345"]),
        (r"\d{1,2}", "12345", ["12", "34", "5"]),
        (r"a*+ab|a++", "aab", ["aa"]),
        (r"(a|b)\1", "abbaa", ["bb", "aa"]),
        (r"(?<x>a)b", "ab", ["ab"]),
        (r"(?<!a)b|(?<=a)c", "ab b ac", ["b", "c"]),
        (r"[\]\[-]+", "a[]-b", ["[]-"]),
        (r"[[:punct:]]+", "a$.b", ["$."]),
        (r"[[:^space:]]+", "a b", ["a", "b"]),
        (r"\p{Han}+", "日本go", ["日本"]),
        (r"\bto\b", "to tot to", ["to", "to"]),
        (r"\x41|\x{42}|\u0043", "ABC", ["A", "B", "C"]),
        (r"{|}", "{a}", ["{", "}"]),
        (r"\s+(?!\S)|\s+", "a   b ", ["  ", " ", " "]),
    ],
)
def test_patterns_match_as_in_oniguruma(pattern, text, parts):
    assert found(pattern, text) == parts


def test_empty_matches_next_to_others_are_left_out():
    assert Pattern("a*").matches("baac") == [(0, 0), (1, 3), (4, 4)]


@pytest.mark.parametrize("text", ["a b", "é b", "\U0001f600 b"])
def test_the_sets_of_each_limit_agree(text):
    assert [found(r"\p{L}", text)[-1], found(r"[^\s\p{L}]*", text)[-1]] == ["b", ""]


@pytest.mark.parametrize(
    "pattern",
    [
        r"\p{Nope}",
        "(a",
        "a)",
        "[a",
        "*a",
        "a\\",
        r"\G",
        r"(?x:a b)",
        "[z-a]",
        "[[:x:]]",
        "a" * 30_000,
    ],
)
def test_patterns_that_are_not_valid_raise(pattern):
    with pytest.raises(pt.errors.ModelError, match=r"^load: regular expression of the tokenizer "):
        Pattern(pattern)


@pytest.mark.parametrize(
    ("behavior", "parts"),
    [
        ("Removed", ["the", "final", "countdown"]),
        ("Isolated", ["the", "-", "final", "-", "-", "countdown"]),
        ("MergedWithPrevious", ["the-", "final-", "-", "countdown"]),
        ("MergedWithNext", ["the", "-final", "-", "-countdown"]),
        ("Contiguous", ["the", "-", "final", "--", "countdown"]),
    ],
)
def test_behaviors_of_splits(behavior, parts):
    """The example is that of the package's documentation."""
    text = "the-final--countdown"
    matches = covering(text, Pattern("-").matches(text))
    assert [text[start:stop] for start, stop in BEHAVIORS[behavior](matches)] == parts


def test_texts_remember_their_places():
    piece = Piece("a\u0301bc", 10)
    assert piece.part(1, 3) == Piece("\u0301b", 11)
    assert piece.kept(lambda char: char != "\u0301").places == Places([10, 12, 13], [11, 13, 14])
    composed = normalizer_of({"type": "NFC"})(piece)
    assert (composed.text, composed.offsets(0, 1), composed.offsets(1, 3)) == (
        "ábc",
        (10, 11),
        (12, 14),
    )
    marked = piece.prefixed("▁").substituted(Pattern("bc", literal=True), "xyz")
    assert (marked.text, marked.offsets(0, 1), marked.offsets(3, 6)) == (
        "▁a\u0301xyz",
        (10, 11),
        (13, 14),
    )


def trie_of(rules: dict[str, str]) -> bytes:
    """Return the map of rules with texts of one character, as a double array."""
    texts, units = b"", [0] * 1024
    units[0] = 256 << 10
    for char, new in rules.items():
        at = 256 ^ ord(char)
        leaf = 512 + 2 * ord(char)
        units[at] = ((at ^ leaf) << 10) | (1 << 8) | ord(char)
        units[leaf] = len(texts) | 1 << 31
        texts += new.encode() + b"\0"
    return struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + texts


def test_rules_of_sentencepiece():
    rules = base64.b64encode(trie_of({"a": "xyz", "b": "", "\r": " ", "c": "d"})).decode()
    normalizer = normalizer_of({"type": "Precompiled", "precompiled_charsmap": rules})
    piece = normalizer(Piece("1a2b3\r\nc", 0))
    assert piece.text == "1xyz23 d"
    assert [piece.offsets(at, at + 1)[0] for at in range(8)] == [0, 1, 1, 1, 2, 4, 5, 7]
    # A grapheme is replaced as a whole by the rule of its start.
    assert normalizer(Piece("c\u0301c", 0)).text == "dd"
    assert normalizer(Piece("cc", 5)) == Piece("dd", 5)


@pytest.mark.parametrize("data", ["", "?", "AAAA", base64.b64encode(b"\xff" * 40).decode()])
def test_rules_that_are_not_valid_raise(data):
    with pytest.raises(pt.errors.ModelError, match="precompiled_charsmap"):
        normalizer_of({"type": "Precompiled", "precompiled_charsmap": data})


def test_both_ways_to_merge_agree():
    generator = random.Random(3)
    tokens = ["a", "b", "c", "ab", "bc", "abc", "aa", "aab", "bb", "ca", "cab", "abab"]
    for _ in range(300):
        pairs = [(x, y) for x in tokens for y in tokens if x + y in tokens]
        generator.shuffle(pairs)
        ranks = {pair: rank for rank, pair in enumerate(pairs)}
        few = generator.choices("abc", k=generator.randint(2, 40))
        many, sizes = list(few), [1.0] * len(few)
        others = list(sizes)
        _merge_few(few, sizes, ranks, 0)
        _merge_many(many, others, ranks, 0)
        assert (few, sizes) == (many, others)


def test_long_words_take_few_steps():
    vocabulary = {"a": 0, "b": 1, "aa": 2, "ab": 3, "aaaa": 4}
    merges = [["a", "a"], ["a", "b"], ["aa", "aa"]]
    model = {"type": "BPE", "vocab": vocabulary, "merges": merges}
    tokenizer = pt.text.Tokenizer({"model": model})
    with limited_steps(2_000_000):
        encoding = tokenizer.encode("a" * 40_000 + "b")
    assert len(encoding) == 10_001


def test_text_of_sentencepiece_is_cut_only_where_no_merge_leads():
    spaces = {"▁": 0, "a": 1, "b": 2, "▁a": 3, "▁b": 4, "b▁": 5, "a▁b": 6}
    text = "▁a▁b▁a▁b▁a▁b"
    for merges, expected in (
        ([["▁", "a"], ["▁", "b"]], ["▁a", "▁b"] * 3),
        ([["▁", "b"], ["a", "▁b"]], ["▁", "a▁b"] * 3),
    ):
        model = {"type": "BPE", "vocab": spaces, "merges": merges}
        assert pt.text.Tokenizer({"model": model}).encode(text).tokens == expected


def test_bytes_of_unknown_characters_have_its_place():
    codes = {f"<0x{byte:02X}>": 3 + byte for byte in range(256)}
    bpe = {
        "type": "BPE",
        "vocab": {"<unk>": 0, "a": 1} | codes,
        "merges": [],
        "byte_fallback": True,
    }
    rows = [["<unk>", 0.0], ["a", -1.0], *([code, -9.0] for code in codes)]
    unigram = {"type": "Unigram", "vocab": rows, "unk_id": 0, "byte_fallback": True}
    places = {"BPE": [(0, 1), *[(1, 2)] * 2, *[(2, 3)] * 4], "Unigram": [(0, 1), *[(1, 3)] * 6]}
    for model in (bpe, unigram):
        encoding = pt.text.Tokenizer({"model": model}).encode("aé😀")
        assert encoding.offsets == places[str(model["type"])]


def test_unknown_characters_join():
    tokens = {"<unk>": 0, "a": 1}
    for fuses, expected in ((True, [(0, 2), (2, 3)]), (False, [(0, 1), (1, 2), (2, 3)])):
        model = {
            "type": "BPE",
            "vocab": tokens,
            "merges": [],
            "unk_token": "<unk>",
            "fuse_unk": fuses,
        }
        assert pt.text.Tokenizer({"model": model}).encode("xya").offsets == expected


def test_a_word_without_an_unknown_token_raises():
    unigram = {"type": "Unigram", "vocab": [["a", 0.0]]}
    word = {"type": "WordPiece", "vocab": {"a": 0}, "unk_token": "?"}
    for model in (unigram, word):
        with pytest.raises(
            pt.errors.ModelError, match="encode: vocabulary has no token for unknown"
        ):
            pt.text.Tokenizer({"model": model}).encode("b")


def test_steps_before_others_write_bytes():
    """Only a last step that writes bytes is left to the model."""
    bytes_ = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
    digits = {"type": "Digits", "individual_digits": True}
    steps = {"type": "Sequence", "pretokenizers": [bytes_, digits]}
    splitter = splitter_of(steps)
    assert not splitter.bytes_last
    assert [piece.text for piece in splitter.apply([Piece("é1", 0)])] == ["Ã©", "1"]
    assert splitter_of({"type": "Sequence", "pretokenizers": [digits, bytes_]}).bytes_last


@pytest.mark.parametrize(
    ("decoder", "tokens", "text"),
    [
        ({"type": "CTC", "pad_token": "<p>", "word_delimiter_token": "|", "cleanup": True},
         ["h", "h", "<p>", "h", "|", "i"], "hh i"),
        ({"type": "BPEDecoder", "suffix": "</w>"}, ["a", "b</w>", "c</w>"], "ab c"),
        ({"type": "WordPiece", "prefix": "##", "cleanup": True}, ["do", "##es", "n't", "."], "doesn't."),
        ({"type": "ByteFallback"}, ["<0xC3>", "<0xA9>", "a", "<0xFF>"], "éa\ufffd"),
        ({"type": "Strip", "content": "x", "start": 1, "stop": 2}, ["xxaxxx"], "xax"),
        ({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never"}, ["▁a", "▁b"], " a b"),
        ({"type": "Replace", "pattern": {"Regex": "a+"}, "content": "-"}, ["caat"], "c-t"),
    ],
)  # fmt: skip
def test_decoders(decoder, tokens, text):
    vocabulary = {token: number for number, token in enumerate(dict.fromkeys(tokens))}
    model = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "a"}
    tokenizer = pt.text.Tokenizer({"model": model, "decoder": decoder})
    ids = [vocabulary[token] for token in tokens]
    assert tokenizer.decode(ids) == text
    stream = tokenizer.decode_stream()
    assert "".join(map(stream.step, ids)) + stream.finish() == text


BAD_PARTS: list[dict[str, Any]] = [
    {"model": {"type": "Markov"}},
    {"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "b"]]}},
    {"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a a"]}},
    {"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [3]}},
    {"model": {"type": "BPE", "vocab": {"a": "0"}, "merges": []}},
    {"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [], "dropout": 0.1}},
    {"model": {"type": "BPE", "vocab": [], "merges": []}},
    {"model": {"type": "Unigram", "vocab": [["a"]]}},
    {"model": {"type": "Unigram", "vocab": [["a", 0.0]], "unk_id": 4}},
    {"model": WORDS, "version": "2.0"},
    {"model": WORDS, "normalizer": {"type": "Nope"}},
    {"model": WORDS, "normalizer": {"type": "Strip"}},
    {"model": WORDS, "normalizer": []},
    {"model": WORDS, "pre_tokenizer": {"type": "UnicodeScripts"}},
    {"model": WORDS, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "("}, "behavior": "Isolated", "invert": False}},
    {"model": WORDS, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "a"}, "behavior": "Lost", "invert": False}},
    {"model": WORDS, "pre_tokenizer": {"type": "FixedLength", "length": 0}},
    {"model": WORDS, "post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x", "type_id": 0}}], "pair": [], "special_tokens": {}}},
    {"model": WORDS, "post_processor": {"type": "BertProcessing", "sep": ["a"], "cls": ["a", 1]}},
    {"model": WORDS, "decoder": {"type": "Strip", "content": "ab", "start": 0, "stop": 0}},
    {"model": WORDS, "added_tokens": [{"content": 3}]},
    {"model": WORDS, "added_tokens": {}},
    {"model": WORDS, "truncation": {"max_length": "8"}},
    {"model": WORDS, "padding": {"strategy": "Wide"}},
]  # fmt: skip


@pytest.mark.parametrize("file", [*BAD_PARTS, {}, [], b"{", "nope", b"", 3, None], ids=repr)
def test_files_that_are_not_valid_raise(file):
    with pytest.raises(pt.errors.ModelError, match=r"^load: .*; got .*; "):
        pt.text.Tokenizer(file)


def test_sequences_inside_of_each_other_have_a_limit():
    part: dict[str, Any] = {"type": "NFC"}
    for _ in range(100):
        part = {"type": "Sequence", "normalizers": [part]}
    with pytest.raises(pt.errors.ModelError):
        pt.text.Tokenizer({"model": WORDS, "normalizer": part})
