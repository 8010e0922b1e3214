"""Vocabularies of BERT, `vocab.txt` with a token in each line, as the description of a tokenizer.

Source of the defaults: `BertTokenizer` in
https://github.com/huggingface/transformers/blob/main/src/transformers/models/bert
"""

from __future__ import annotations

import re
from typing import Any

from .parts import malformed

_UNKNOWN, _FIRST, _LAST = "[UNK]", "[CLS]", "[SEP]"
_SPECIAL = (_UNKNOWN, _FIRST, _LAST, "[PAD]", "[MASK]")


def matches(data: Any) -> bool:
    """Return True if bytes look like a `vocab.txt`."""
    is_json = bytes(data[:64]).lstrip().startswith((b"{", b"[{"))
    return not is_json and re.search(rb"^\[UNK\]\r?\n", data, re.MULTILINE) is not None


def described(data: bytes, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the description of a tokenizer; settings are those of a tokenizer_config.json."""
    try:
        lines = [line.rstrip("\r") for line in data.decode().split("\n")]
    except UnicodeDecodeError as error:
        raise malformed("vocab.txt is not UTF-8", f"{error!s:.80}") from None
    while lines and not lines[-1]:
        lines.pop()
    ids = {token: number for number, token in enumerate(lines)}
    if missing := [token for token in (_FIRST, _LAST) if token not in ids]:
        raise malformed("vocab.txt lacks tokens of BERT", f"{len(ids)} lines without {missing}")
    # Vocabularies of models that know capital letters have tokens with them.
    is_cased = any(token != token.lower() for token in lines if not token.startswith("["))
    return {
        "model": {"type": "WordPiece", "vocab": ids, "unk_token": _UNKNOWN},
        "normalizer": {
            "type": "BertNormalizer",
            "lowercase": settings.get("do_lower_case", not is_cased),
            "strip_accents": settings.get("strip_accents"),
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "BertProcessing",
            "cls": [_FIRST, ids[_FIRST]],
            "sep": [_LAST, ids[_LAST]],
        },
        "added_tokens": [{"content": token, "special": True} for token in _SPECIAL if token in ids],
        "decoder": {"type": "WordPiece"},
    }
