"""Vocabularies in the metadata of GGUF files, as the description of a tokenizer.

Source of the fields: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. The
pre-tokenizers are as in the tokenizer.json of each model.
"""

from __future__ import annotations

from typing import Any

from ..errors import ModelError
from .parts import malformed

MAGIC = b"GGUF"
_PREFIX = "tokenizer.ggml."
_SPACE = "\u2581"
_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_LLAMA3 = rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}{_REST}"
_QWEN2 = rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{_REST}"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_GPT4O = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CONTRACTIONS}?|"
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_CONTRACTIONS}?|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def _byte_level(use_regex: bool) -> dict[str, Any]:
    return {"type": "ByteLevel", "add_prefix_space": False, "use_regex": use_regex}


def _split(pattern: str) -> list[dict[str, Any]]:
    regex = {"Regex": pattern}
    return [{"type": "Split", "pattern": regex, "behavior": "Isolated", "invert": False},
            _byte_level(False)]  # fmt: skip


_DIGITS = {"type": "Digits", "individual_digits": True}
_KINDS: dict[str, list[dict[str, Any]]] = {
    "default gpt-2 mpt olmo phi-2 roberta-bpe": [_byte_level(True)],
    "smollm starcoder refact command-r": [_DIGITS, _byte_level(True)],
    "llama-bpe llama3 llama-v3 dbrx smaug-bpe": _split(_LLAMA3),
    "qwen2 deepseek-r1-qwen stablelm2 megrez": _split(_QWEN2),
    "gpt-4o": _split(_GPT4O),
}
PRE_TOKENIZERS = {name: steps for names, steps in _KINDS.items() for name in names.split()}
"""Pre-tokenizers of byte-level vocabularies, by their names in files."""
_CONTROL, _USER = 3, 4
"""Types of tokens that are found in a text before it is split."""


def of_gguf(data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the description of a tokenizer and of its configuration, of a GGUF file."""
    from ..models.weights.gguf import GgufFile, NotEnough

    try:
        return described(GgufFile(data, len(data)).metadata)
    except NotEnough:
        raise malformed("GGUF file is cut off", f"{len(data)} bytes") from None


def described(metadata: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the description of a tokenizer and of its configuration, of metadata."""
    fields = {
        name.removeprefix(_PREFIX): value
        for name, value in metadata.items()
        if name.startswith(_PREFIX)
    }
    kind, tokens = fields.get("model"), fields.get("tokens")
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        raise malformed("GGUF file has no vocabulary", f"{type(tokens).__name__}")
    if kind not in ("gpt2", "llama"):
        raise ModelError(
            f"load: vocabulary of the GGUF file is of an unknown kind; got {kind!r:.40}; use a "
            "file with gpt2 or llama, or the tokenizer.json of the model"
        )
    ids = {token: number for number, token in enumerate(tokens)}
    types = fields.get("token_type") or [1] * len(tokens)
    parts = _of_gpt2(fields, ids) if kind == "gpt2" else _of_llama(fields, ids, tokens)
    special = [
        {"content": token, "special": type_ == _CONTROL, "normalized": False}
        for token, type_ in zip(tokens, types, strict=False)
        if type_ in (_CONTROL, _USER)
    ]
    config: dict[str, Any] = {"chat_template": metadata.get("tokenizer.chat_template")}
    named = {"bos": "bos", "eos": "eos", "unk": "unknown", "pad": "padding", "sep": "seperator"}
    for name, field in named.items():
        number = fields.get(f"{field}_token_id")
        if type(number) is int and number < len(tokens):
            config[f"{name}_token"] = tokens[number]
    has_start = kind == "llama" or "llama" in str(fields.get("pre"))
    around = (
        (fields.get("add_bos_token", has_start), config.get("bos_token"), "start"),
        (fields.get("add_eos_token", False), config.get("eos_token"), "end"),
    )
    return {**parts, "added_tokens": special, "post_processor": _template(around, ids)}, config


def _of_gpt2(fields: dict[str, Any], ids: dict[str, int]) -> dict[str, Any]:
    name = fields.get("pre", "default")
    if name not in PRE_TOKENIZERS:
        raise ModelError(
            f"load: pre-tokenizer of the GGUF file is unknown; got {name!r:.40}; use the "
            "tokenizer.json of the model"
        )
    whole = PRE_TOKENIZERS[name] is PRE_TOKENIZERS["llama-bpe"]
    model = {"type": "BPE", "vocab": ids, "merges": fields.get("merges"), "ignore_merges": whole}
    return {
        "model": model,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": PRE_TOKENIZERS[name]},
        "decoder": {"type": "ByteLevel"},
    }


def _of_llama(fields: dict[str, Any], ids: dict[str, int], tokens: list[str]) -> dict[str, Any]:
    """Return the parts for SentencePiece's vocabulary, whose scores give the order of merges."""
    scores = fields.get("scores")
    if not isinstance(scores, list) or len(scores) != len(tokens):
        raise malformed("GGUF file has no score for each token", f"{len(tokens)} tokens")
    merges = []
    for token, score in zip(tokens, scores, strict=True):
        pairs = [(token[:at], token[at:]) for at in range(1, len(token))]
        known = [(ids[left], ids[right]) for left, right in pairs if left in ids and right in ids]
        merges += [(-score, left, right) for left, right in sorted(known)]
    merges.sort(key=lambda merge: merge[0])
    has_space = fields.get("add_space_prefix", True)
    replaced = {"type": "Replace", "pattern": {"String": " "}, "content": _SPACE}
    prepended = {"type": "Prepend", "prepend": _SPACE}
    back = {"type": "Replace", "pattern": {"String": _SPACE}, "content": " "}
    stripped = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
    unknown = fields.get("unknown_token_id")
    return {
        "model": {
            "type": "BPE",
            "vocab": ids,
            "merges": [[tokens[left], tokens[right]] for _, left, right in merges],
            "byte_fallback": True,
            "fuse_unk": True,
            "unk_token": tokens[unknown] if type(unknown) is int else None,
        },
        "normalizer": {
            "type": "Sequence",
            "normalizers": [prepended, replaced] if has_space else [replaced],
        },
        "decoder": {
            "type": "Sequence",
            "decoders": [back, {"type": "ByteFallback"}, {"type": "Fuse"}]
            + ([stripped] if has_space else []),
        },
    }


def _template(around: Any, ids: dict[str, int]) -> dict[str, Any]:
    """Return the post-processor that adds the tokens of the start and the end."""

    def around_text(name: str, type_id: int) -> list[dict[str, Any]]:
        text: list[dict[str, Any]] = [{"Sequence": {"id": name, "type_id": type_id}}]
        for is_added, token, side in around:
            if is_added and token is not None:
                own = [{"SpecialToken": {"id": token, "type_id": type_id}}]
                text = own + text if side == "start" else text + own
        return text

    single = around_text("A", 0)
    tokens = [token for _, token, _ in around if token is not None]
    return {
        "type": "TemplateProcessing",
        "single": single,
        "pair": single + around_text("B", 1),
        "special_tokens": {token: {"ids": [ids[token]], "tokens": [token]} for token in tokens},
    }
