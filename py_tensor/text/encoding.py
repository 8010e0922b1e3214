"""Encodings: the tokens of a text, as columns of numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

COLUMNS = (
    *("ids", "type_ids", "tokens", "offsets", "word_ids", "special_tokens_mask"),
    "attention_mask",
)
"""Names of the columns."""
NUMBERS = ("ids", "type_ids", "special_tokens_mask", "attention_mask")
"""Columns that models take; the others are left out if only these are needed."""


class Encoding:
    """Tokens of a text or of a pair of texts. Each attribute has an entry for each token.

    Attributes:
        ids: List of the numbers of tokens.
        type_ids: List of 0 for tokens of the first text, and 1 for tokens of the second text.
        tokens: List of the texts of tokens, in the characters of the vocabulary.
        offsets: List of (start, end) in characters of the text; (0, 0) for tokens that were added.
        word_ids: List of the number of each token's word; None for tokens that were added.
        special_tokens_mask: List of 1 for tokens that were added, and 0 for others.
        attention_mask: List of 0 for padding, and 1 for others.

    >>> import py_tensor as pt
    >>> model = {"type": "WordLevel", "vocab": {"a": 0, "bc": 1}, "unk_token": "a"}
    >>> file = {"model": model, "pre_tokenizer": {"type": "Whitespace"}}
    >>> encoding = pt.text.Tokenizer(file).encode("bc  a")
    >>> len(encoding), encoding.ids, encoding.offsets
    (2, [1, 0], [(0, 2), (4, 5)])
    """

    ids: list[int]
    type_ids: list[int]
    tokens: list[str]
    offsets: list[tuple[int, int]]
    word_ids: list[int | None]
    special_tokens_mask: list[int]
    attention_mask: list[int]

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        vars(self).update(columns)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Encoding(ids={self.ids!r:.60}, {len(self)} tokens)"


def part(encoding: Encoding, start: int, stop: int) -> Encoding:
    """Return the tokens between two positions."""
    return Encoding({name: column[start:stop] for name, column in vars(encoding).items()})


def joined(encodings: Iterable[Encoding]) -> Encoding:
    """Return the tokens of all encodings, one after the other."""
    first, *others = encodings
    if not others:
        return first
    return Encoding(
        {
            name: [value for one in (first, *others) for value in vars(one)[name]]
            for name in vars(first)
        }
    )


def added(
    like: Encoding, ids: list[int], tokens: list[str], type_id: int, mask: int = 1
) -> Encoding:
    """Return tokens that are not of a text, with the columns of another encoding."""
    count = len(ids)
    columns: dict[str, list[Any]] = {
        "ids": ids,
        "type_ids": [type_id] * count,
        "tokens": tokens,
        "offsets": [(0, 0)] * count,
        "word_ids": [None] * count,
        "special_tokens_mask": [1] * count,
        "attention_mask": [mask] * count,
    }
    return Encoding({name: columns[name] for name in vars(like)})
