"""Post-processors: they add the tokens that a model expects around texts.

Input: the encodings of one or two texts. Output: encodings that are joined. `POST_PROCESSORS` has
a row for each type in files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .byte_characters import BYTE_CHARS
from .encoding import Encoding, added
from .parts import Part, made, malformed
from .unicode_sets import WHITESPACE

_SPACES = WHITESPACE + BYTE_CHARS[32]


class PostProcessor(NamedTuple):
    """A function of encodings and whether tokens are added, and the numbers of added tokens."""

    apply: Callable[[list[Encoding], bool], list[Encoding]]
    added: tuple[int, int]
    """For one text, and for two."""


def post_processor_of(data: Any) -> PostProcessor | None:
    """Return the post-processor of a description in a file."""
    return None if data is None else made("post_processor", POST_PROCESSORS, data)


def _sequence(part: Part) -> PostProcessor:
    steps: list[PostProcessor] = part.parts("processors")

    def apply(encodings: list[Encoding], adds: bool) -> list[Encoding]:
        for step in steps:
            encodings = step.apply(encodings, adds)
        return encodings

    return PostProcessor(
        apply, (sum(step.added[0] for step in steps), sum(step.added[1] for step in steps))
    )


# --- templates ------------------------------------------------------------------------------------


class _Piece(NamedTuple):
    """A text, by its number, or tokens of a template."""

    text: int | None
    ids: list[int]
    tokens: list[str]
    type_id: int


def _pieces(part: Part, name: str) -> list[_Piece]:
    special = part.get("special_tokens", dict, {})
    pieces = []
    for item in part.get(name, list):
        try:
            ((kind, fields),) = item.items()
            type_id = int(fields["type_id"])
            if kind == "Sequence":
                pieces.append(_Piece({"A": 0, "B": 1}[fields["id"]], [], [], type_id))
            else:
                token = special[fields["id"]]
                ids, tokens = list(map(int, token["ids"])), list(map(str, token["tokens"]))
                if kind != "SpecialToken" or len(ids) != len(tokens):
                    raise ValueError(kind)
                pieces.append(_Piece(None, ids, tokens, type_id))
        except (AttributeError, KeyError, TypeError, ValueError):
            raise malformed(
                f"template {name} has a piece that is not valid", f"{item!r:.80}"
            ) from None
    return pieces


def _template(part: Part) -> PostProcessor:
    templates = _pieces(part, "single"), _pieces(part, "pair")
    if any(piece.text for piece in templates[0]):
        raise malformed("template for one text has a second one", f"{part.data['single']!r:.80}")

    def apply(encodings: list[Encoding], adds: bool) -> list[Encoding]:
        result = []
        for piece in templates[len(encodings) - 1]:
            if piece.text is not None:
                own = encodings[piece.text]
                result.append(_typed(own, piece.type_id))
            elif adds:
                result.append(added(encodings[0], piece.ids, piece.tokens, piece.type_id))
        return result or [added(encodings[0], [], [], 0)]

    single, pair = (sum(len(piece.ids) for piece in pieces) for pieces in templates)
    return PostProcessor(apply, (single, pair))


def _typed(encoding: Encoding, type_id: int) -> Encoding:
    return Encoding(vars(encoding) | {"type_ids": [type_id] * len(encoding)})


# --- BERT and RoBERTa -----------------------------------------------------------------------------


def _token(part: Part, name: str) -> tuple[list[str], list[int]]:
    value = part.get(name, list)
    if len(value) != 2 or not isinstance(value[0], str) or type(value[1]) is not int:
        raise malformed(f"{name} must be a pair of token and number", f"{value!r:.60}")
    return [value[0]], [value[1]]


def _bert(part: Part) -> PostProcessor:
    (sep, sep_id), (cls, cls_id) = _token(part, "sep"), _token(part, "cls")

    def apply(encodings: list[Encoding], adds: bool) -> list[Encoding]:
        if not adds:
            return encodings
        like = encodings[0]
        result = [added(like, cls_id, cls, 0), like, added(like, sep_id, sep, 0)]
        for other in encodings[1:]:
            result += [other, added(like, sep_id, sep, 1)]
        return result

    return PostProcessor(apply, (2, 3))


def _roberta(part: Part) -> PostProcessor:
    (sep, sep_id), (cls, cls_id) = _token(part, "sep"), _token(part, "cls")
    trims = part.get("trim_offsets", bool, True)
    has_prefix = part.get("add_prefix_space", bool, True)

    def apply(encodings: list[Encoding], adds: bool) -> list[Encoding]:
        if trims:
            encodings = [_trimmed(one, has_prefix) for one in encodings]
        encodings = [_typed(one, 0) for one in encodings]
        if not adds:
            return encodings
        like = encodings[0]
        end = added(like, sep_id, sep, 0)
        result = [added(like, cls_id, cls, 0), like, end]
        for other in encodings[1:]:
            result += [end, other, end]
        return result

    return PostProcessor(apply, (2, 4))


# --- offsets --------------------------------------------------------------------------------------


def _byte_level(part: Part) -> PostProcessor:
    trims = part.get("trim_offsets", bool, True)
    has_prefix = part.get("add_prefix_space", bool, True)

    def apply(encodings: list[Encoding], adds: bool) -> list[Encoding]:
        return [_trimmed(one, has_prefix) for one in encodings] if trims else encodings

    return PostProcessor(apply, (0, 0))


def _trimmed(encoding: Encoding, has_prefix: bool) -> Encoding:
    """Return an encoding whose offsets leave out spaces at the ends of tokens."""
    if "offsets" not in vars(encoding):
        return encoding
    offsets = []
    for at, (token, (start, stop)) in enumerate(
        zip(encoding.tokens, encoding.offsets, strict=True)
    ):
        leading = len(token) - len(token.lstrip(_SPACES))
        trailing = len(token) - len(token.rstrip(_SPACES))
        # A single space at the start of a text is the one that was added.
        if leading == 1 and has_prefix and (at == 0 or start == 0):
            leading = 0
        start = min(start + leading, stop)
        if trailing and stop >= trailing:
            stop = max(stop - trailing, start)
        offsets.append((start, stop))
    return Encoding(vars(encoding) | {"offsets": offsets})


POST_PROCESSORS: dict[str, Callable[[Part], PostProcessor]] = {
    "Sequence": _sequence,
    "TemplateProcessing": _template,
    "BertProcessing": _bert,
    "RobertaProcessing": _roberta,
    "ByteLevel": _byte_level,
}
"""Functions that return a post-processor for its description, by type."""
