"""Write tokenizers.json: small tokenizers and their results in the package `tokenizers`.

usage: python tests/reference_data/make_tokenizers.py

It needs the package tokenizers 0.23. The vocabularies are trained on the project's guides and on words of
other scripts. The other parts are as in the files of known models.
"""

# ruff: noqa: E501, RUF001

import json
import random
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

HERE = Path(__file__).parent
BYTES = "BPE of bytes"
WORDS = "Ωμέγα αβγ привет мир שלום سلام हिन्दी भाषा ไทย 你好世界 日本語 テスト 한국어 émigré naïve Ünïcödé"
TEXTS = (
    "",
    " ",
    "Hello world",
    "  two  spaces\n\nand\tlines \r\n end  ",
    "I'm sure they'LL've 2024-01-31, 3.14159 or 1,000,000!",
    "naïve café e\u0301a\u0323\u0307 Å\u212b ﬁ ½ ² Ⅷ ſ İ",
    "привет МИР שלום سلام हिन्दी भाषा ไทย",
    "你好，世界。日本語テスト 한국어 각",
    "👩‍👩‍👧 🏳️‍🌈 👍🏽 🇩🇪 1️⃣ ©️",
    "a\x00b\x1c\x7f\xad\u200b\ufeff\u2028\u3000c\x85",
    "<|end|>text<|end|>  <mask> x <mask>y",
    "def f(x):\n    return x**2  # {[(';',)]} __a_b__",
    "http://example.org/a?b=c&d=%20 user@mail.de",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
)
CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def part(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


def byte_level(prefix: bool = False, regex: bool = True) -> dict[str, Any]:
    return part("ByteLevel", add_prefix_space=prefix, trim_offsets=True, use_regex=regex)


def split(regex: str, behavior: str = "Isolated", invert: bool = False) -> dict[str, Any]:
    return part("Split", pattern={"Regex": regex}, behavior=behavior, invert=invert)


def replace(old: str, new: str, kind: str = "String") -> dict[str, Any]:
    return part("Replace", pattern={kind: old}, content=new)


def words_of(digits: str) -> dict[str, Any]:
    letters = r"|[^\r\n\p{L}\p{N}]?\p{L}+|"
    steps = [split(CONTRACTIONS + letters + digits + REST), byte_level(regex=False)]
    return part("Sequence", pretokenizers=steps)


def template(single: str, pair: str, tokens: dict[str, int]) -> dict[str, Any]:
    def pieces(text: str) -> list[dict[str, Any]]:
        result = []
        for word in text.split():
            name, _, type_id = word.partition(":")
            kind = "Sequence" if name in "AB" else "SpecialToken"
            result.append({kind: {"id": name, "type_id": int(type_id or 0)}})
        return result

    special = {
        name: {"id": name, "ids": [number], "tokens": [name]} for name, number in tokens.items()
    }
    return part(
        "TemplateProcessing", single=pieces(single), pair=pieces(pair), special_tokens=special
    )


def added(content: str, number: int, **flags: bool) -> dict[str, Any]:
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return {"id": number, "content": content, **{name: flags.get(name, False) for name in names}}


SPACE = "\u2581"
BACK = part(
    "Sequence",
    decoders=[
        replace(SPACE, " "),
        part("ByteFallback"),
        part("Fuse"),
        part("Strip", content=" ", start=1, stop=0),
    ],
)
END = added("<|end|>", 0, special=True)
MASK = added("<mask>", 900, lstrip=True, special=True)
BYTE_DECODER = byte_level()


def cases() -> dict[str, dict[str, Any]]:
    """Return the parts of each tokenizer; `model` is the name of a model."""
    nfc = part("NFC")
    prepended = part("Sequence", normalizers=[part("Prepend", prepend=SPACE), replace(" ", SPACE)])
    clip_words = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
    mark = part("Metaspace", replacement=SPACE, prepend_scheme="always", split=True)
    roberta = {"sep": ["<|end|>", 0], "cls": ["<s>", 1]}
    bert = {"sep": ["[SEP]", 2], "cls": ["[CLS]", 1]}
    digits = part("Digits", individual_digits=True)
    common: dict[str, dict[str, Any]] = {
        "GPT-2": {"model": BYTES, "pre_tokenizer": byte_level(), "post_processor": byte_level()},
        "GPT-2 with a space": {
            "model": BYTES, "pre_tokenizer": byte_level(prefix=True),
            "post_processor": byte_level(prefix=True),
        },
        "Llama 3": {
            "model": BYTES, "ignore_merges": True, "pre_tokenizer": words_of(r"\p{N}{1,3}"),
            "post_processor": template("<s> A", "<s> A <s>:1 B:1", {"<s>": 1}),
        },
        "Qwen 2": {"model": BYTES, "normalizer": nfc, "pre_tokenizer": words_of(r"\p{N}")},
        "SmolLM 2": {
            "model": BYTES,
            "pre_tokenizer": part("Sequence", pretokenizers=[digits, byte_level()]),
        },
        "RoBERTa": {
            "model": BYTES, "pre_tokenizer": byte_level(),
            "post_processor": part("RobertaProcessing", trim_offsets=True, add_prefix_space=False, **roberta),
            "added_tokens": [END, added("<s>", 1, special=True), MASK],
        },
        "CLIP": {
            "model": "BPE of words",
            "normalizer": part(
                "Sequence",
                normalizers=[nfc, replace(r"\s+", " ", "Regex"), part("Lowercase")],
            ),
            "pre_tokenizer": part(
                "Sequence",
                pretokenizers=[split(clip_words, "Removed", True), byte_level()],
            ),
        },
        "Llama 2": {
            "model": "BPE of SentencePiece", "normalizer": prepended, "decoder": BACK,
            "post_processor": template("<s> A", "<s> A <s>:1 B:1", {"<s>": 1}),
        },
        "Gemma": {
            "model": "BPE of SentencePiece", "normalizer": replace(" ", SPACE), "decoder": BACK,
            "pre_tokenizer": part("Split", pattern={"String": " "}, behavior="MergedWithPrevious", invert=False),
        },
        "Mistral": {
            "model": "BPE of SentencePiece", "decoder": BACK,
            "pre_tokenizer": part("Metaspace", replacement=SPACE, prepend_scheme="first", split=False),
        },
        "BERT": {
            "model": "WordPiece", "pre_tokenizer": part("BertPreTokenizer"),
            "normalizer": part("BertNormalizer", clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True),
            "post_processor": part("BertProcessing", **bert),
            "decoder": part("WordPiece", prefix="##", cleanup=True),
            "added_tokens": [added("[CLS]", 1, special=True), added("[SEP]", 2, special=True)],
            "truncation": {"direction": "Right", "max_length": 24, "strategy": "LongestFirst", "stride": 0},
            "padding": {"strategy": "BatchLongest", "direction": "Left", "pad_to_multiple_of": 8, "pad_id": 0, "pad_type_id": 0, "pad_token": "[UNK]"},
        },
        "T5": {
            "model": "Unigram",
            "normalizer": part("Sequence", normalizers=[part("Nmt"), part("NFKC"), replace(" {2,}", " ", "Regex")]),
            "pre_tokenizer": part("Sequence", pretokenizers=[part("WhitespaceSplit"), mark]),
            "decoder": mark,
            "post_processor": template("A <unk>", "A <unk> B <unk>", {"<unk>": 0}),
        },
        "words": {
            "model": "WordLevel", "pre_tokenizer": part("Whitespace"),
            "normalizer": part("Sequence", normalizers=[part("NFKD"), part("StripAccents"), part("Strip", strip_left=True, strip_right=True)]),
            "added_tokens": [added("two", 900, single_word=True, normalized=True), added("x", 901, single_word=True)],
        },
        "punctuation": {
            "model": "WordLevel",
            "pre_tokenizer": part("Sequence", pretokenizers=[part("Punctuation", behavior="Contiguous"), part("Digits", individual_digits=False), part("CharDelimiterSplit", delimiter=" ")]),
        },
        "merged": {
            "model": "WordLevel",
            "pre_tokenizer": part("Sequence", pretokenizers=[split(r"[\p{Lu}\d]", "MergedWithNext"), split(r"\w\b|_", "MergedWithPrevious")]),
        },
    }  # fmt: skip
    return common


def trained() -> dict[str, Any]:
    """Return the models."""
    texts = (HERE.parent.parent / "docs" / "index.md").read_text().split("\n") + WORDS.split() * 3
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    codes = [f"<0x{byte:02X}>" for byte in range(256)]

    def train(model: Any, trainer: Any, pre: Any, normalizer: Any = None) -> Any:
        tokenizer = Tokenizer(model)
        tokenizer.pre_tokenizer = pre
        if normalizer:
            tokenizer.normalizer = normalizer
        tokenizer.train_from_iterator(texts, trainer)
        return json.loads(tokenizer.to_str())["model"]

    def pairs(size: int, special: list[str], **kwargs: Any) -> Any:
        return trainers.BpeTrainer(
            vocab_size=size, special_tokens=special, show_progress=False, **kwargs
        )

    bytes_ = pre_tokenizers.ByteLevel(add_prefix_space=False)
    mark = pre_tokenizers.Metaspace()
    unigram = train(
        models.Unigram(),
        trainers.UnigramTrainer(
            vocab_size=200, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False
        ),
        mark,
    )
    special = ["<|end|>", "<s>"]
    result = {
        BYTES: train(models.BPE(), pairs(400, special, initial_alphabet=alphabet), bytes_),
        "BPE of words": train(
            models.BPE(unk_token="<|end|>", end_of_word_suffix="</w>"),
            pairs(700, special, initial_alphabet=alphabet, end_of_word_suffix="</w>"),
            bytes_,
            normalizers.Lowercase(),
        ),
        "BPE of SentencePiece": train(
            models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True),
            pairs(480, ["<unk>", "<s>", "<|end|>", *codes], limit_alphabet=60),
            mark,
        ),
        "WordPiece": train(
            models.WordPiece(unk_token="[UNK]"),
            trainers.WordPieceTrainer(
                vocab_size=200,
                special_tokens=["[UNK]", "[CLS]", "[SEP]"],
                limit_alphabet=60,
                show_progress=False,
            ),
            pre_tokenizers.BertPreTokenizer(),
            normalizers.BertNormalizer(),
        ),
        "Unigram": unigram,
        "WordLevel": train(
            models.WordLevel(unk_token="<unk>"),
            trainers.WordLevelTrainer(vocab_size=60, special_tokens=["<unk>"], show_progress=False),
            pre_tokenizers.Whitespace(),
        ),
    }
    unigram["vocab"] = [[token, round(score, 3)] for token, score in unigram["vocab"]]
    return result


def file_of(case: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Return the content of the tokenizer.json of a case."""
    model = dict(known[case["model"]], ignore_merges=case.get("ignore_merges", False))
    is_bytes = model.get("type") == "BPE" and "SentencePiece" not in case["model"]
    file = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [END] if case["model"] == BYTES else [],
        "normalizer": None,
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": BYTE_DECODER if is_bytes else None,
    }
    return (
        file
        | {key: value for key, value in case.items() if key != "ignore_merges"}
        | {"model": model}
    )


def results(tokenizer: Any, number: int) -> list[Any]:
    """Return ids, tokens, offsets and text of each text, and of a pair."""
    pair = random.Random(number).sample(TEXTS[2:], 2)
    rows = []
    for texts in [*((text,) for text in TEXTS), tuple(pair)]:
        one = tokenizer.encode(*texts)
        offsets = [place for span in one.offsets for place in span]
        decoded = tokenizer.decode(one.ids), tokenizer.decode(one.ids, skip_special_tokens=False)
        row = [texts, one.ids, offsets, one.type_ids if any(one.type_ids) else 0]
        tokens = [tokenizer.id_to_token(id_) for id_ in one.ids]
        different = {
            at: t for at, (t, own) in enumerate(zip(one.tokens, tokens, strict=True)) if t != own
        }
        rows.append([*row, different, *decoded])
    return rows


def main() -> None:
    known = trained()
    data: dict[str, Any] = {"models": known, "cases": {}}
    for number, (name, case) in enumerate(cases().items()):
        tokenizer = Tokenizer.from_str(json.dumps(file_of(case, known)))
        case = dict(case)
        data["cases"][name] = {
            "file": {key: value for key, value in file_of(case, known).items() if key != "model"},
            "model": case["model"],
            "ignore_merges": case.get("ignore_merges", False),
            "results": results(tokenizer, number),
        }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace(
        '{"file"', '\n{"file"'
    )
    (HERE / "tokenizers.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
