"""Added tokens: they are found in a text before the model splits it.

Input: a text. Output: pieces, some of which are a token. Tokens whose text is normalized are
looked for after the normalizer.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from .aligned import Piece
from .models import Model
from .normalizers import Normalizer
from .parts import Part, malformed
from .regex import Pattern
from .unicode_sets import WHITESPACE

_SPACES = re.compile(f"[{WHITESPACE}]*")
_WORD = Pattern(r"[\w\u200c\u200d]")


class AddedToken(NamedTuple):
    """A token of a file."""

    content: str
    single_word: bool
    lstrip: bool
    rstrip: bool
    normalized: bool
    special: bool


class TextPart(NamedTuple):
    """A part of a text, and the number of the added token that it is."""

    piece: Piece
    token: int | None = None


def _is_word(char: str) -> bool:
    return _WORD.of(char).match(char) is not None


class AddedTokens:
    """Added tokens of a tokenizer."""

    def __init__(self, data: Any, model: Model, normalizer: Normalizer | None) -> None:
        self.ids: dict[str, int] = {}
        self.by_id: dict[int, AddedToken] = {}
        self.shown: dict[int, str] = {}
        """Texts of tokens for decoders: the normalized ones, as the package returns them."""
        self.special: set[str] = set()
        self._normalizer = normalizer
        if not isinstance(data, list):
            raise malformed("added_tokens must be an array", f"{data!r:.60}")
        following = model.size
        for item in data:
            token = _token(item)
            if not token.content:
                continue
            number = self.ids.get(token.content, model.ids.get(token.content))
            if number is None:
                number, following = following, following + 1
            self.ids[token.content] = number
            self.by_id[number] = token
            self.shown[number] = token.content
            if token.normalized and normalizer is not None:
                self.shown[number] = normalizer(Piece(token.content, 0)).text
            if token.special:
                self.special.add(token.content)
        self._plain = self._finder(is_normalized=False)
        self._normalized = self._finder(is_normalized=True)

    def _finder(self, is_normalized: bool) -> tuple[re.Pattern[str], dict[str, int]] | None:
        """Return the pattern that finds the longest token, and the numbers of tokens."""
        texts = {
            self.shown[number]: number
            for number, token in self.by_id.items()
            if token.normalized == is_normalized and self.shown[number]
        }
        if not texts:
            return None
        longest = sorted(texts, key=len, reverse=True)
        return re.compile("|".join(map(re.escape, longest))), texts

    def segments(self, piece: Piece) -> list[TextPart]:
        """Split a text at added tokens, and normalize the parts between them."""
        result: list[TextPart] = []
        for segment in self._found(piece, self._plain):
            if segment.token is not None:
                result.append(segment)
                continue
            piece = segment.piece
            if self._normalizer is not None:
                piece = self._normalizer(piece)
            if piece.text:
                result += self._found(piece, self._normalized)
        return result

    def _found(
        self, piece: Piece, finder: tuple[re.Pattern[str], dict[str, int]] | None
    ) -> list[TextPart]:
        """Split a piece at tokens."""
        text = piece.text
        if finder is None:
            return [TextPart(piece)] if text else []
        pattern, numbers = finder
        result, done = [], 0
        for match in pattern.finditer(text):
            start, stop = match.span()
            number = numbers[match[0]]
            token = self.by_id[number]
            if token.single_word and (
                (start > 0 and _is_word(text[start - 1]))
                or (stop < len(text) and _is_word(text[stop]))
            ):
                continue
            if token.lstrip:
                # A match before may have taken some of the whitespace, or more.
                start = max(done, done + len(text[done:start].rstrip(WHITESPACE)))
            if token.rstrip:
                spaces = _SPACES.match(text, stop)
                stop = spaces.end() if spaces else stop
            if done < start:
                result.append(TextPart(piece.part(done, start)))
            result.append(TextPart(piece.part(start, stop), number))
            done = stop
        if done < len(text):
            result.append(TextPart(piece.part(done, len(text)) if done else piece))
        return result


def _token(item: Any) -> AddedToken:
    if not isinstance(item, dict):
        raise malformed("added token must be an object", f"{item!r:.60}")
    part = Part("added token", item)
    special = part.get("special", bool, False)
    single_word, left, right = (
        part.get(name, bool, False) for name in ("single_word", "lstrip", "rstrip")
    )
    normalized = part.get("normalized", bool, not special)
    return AddedToken(part.get("content", str), single_word, left, right, normalized, special)
