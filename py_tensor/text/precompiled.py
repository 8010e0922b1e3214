"""The normalizer of SentencePiece, whose rules are a trie in a file.

The bytes are the length of the trie, the trie as a double array of Darts, and the replacements,
each of which ends with a zero byte. Source: https://github.com/google/sentencepiece/blob/master/
src/normalizer.cc and https://github.com/s-yata/darts-clone.
"""

from __future__ import annotations

import binascii
import re
import struct
from base64 import b64decode
from collections.abc import Callable
from functools import cache
from typing import Any

from .aligned import Piece
from .parts import Part, malformed
from .unicode_sets import categories, ranges_of, union

_SEPARATE = {
    *(0x102B, 0x102C, 0x1038, *range(0x1062, 0x1065), *range(0x1067, 0x106E), 0x1083),
    *(*range(0x1087, 0x108D), 0x108F, *range(0x109A, 0x109D), 0x1A61, 0x1A63, 0x1A64),
    *(0xAA7B, 0xAA7D, 0x11720, 0x11721),
}
"""Spacing marks that begin a grapheme."""
_JOINED = (0x0E33, 0x0EB3, 0x200C, 0x200D, 0xFF9E, 0xFF9F)
"""Characters besides marks that belong to the character before them."""
_PREPENDED = "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e"
"""Characters that belong to the one after them."""


@cache
def _short_graphemes() -> re.Pattern[str]:
    """Return the pattern of graphemes of several characters that may have less than six bytes.

    Those of UAX 29 with characters of other kinds are longer.
    """
    marks = [
        (low, high)
        for low, high in union(categories("M", 0x10000), ranges_of(_JOINED))
        if not _SEPARATE.issuperset(range(low, high + 1))
    ]
    glue = "".join(
        f"\\u{point:04x}"
        for low, high in marks
        for point in range(low, high + 1)
        if point not in _SEPARATE
    )
    controls = "".join(
        f"\\u{low:04x}-\\u{high:04x}"
        for low, high in categories("Cc Cf Zl Zp", 0x10000)
        if low not in (0x200C, 0x600, 0x6DD, 0x70F, 0x890, 0x8E2)
    )
    return re.compile(
        f"\r\n|[{_PREPENDED}]+(?:[^{controls}][{glue}]*)?|[^{controls}{glue}][{glue}]+|"
        f"(?<![^{controls}])[{glue}]{{2,}}"
    )


class Charsmap:
    """Rules of a file."""

    def __init__(self, data: bytes) -> None:
        size = struct.unpack_from("<I", data)[0]
        self._units = struct.unpack_from(f"<{size // 4}I", data, 4)
        self._texts = data[4 + size // 4 * 4 :]
        self._texts.decode()
        self._known: dict[str, str | None] = {}

    def find(self, text: str) -> str | None:
        """Return the replacement of the shortest text with a rule that begins a text."""
        if text not in self._known:
            if len(self._known) > 100_000:
                self._known.clear()
            self._known[text] = self._searched(text)
        return self._known[text]

    def _searched(self, text: str) -> str | None:
        units = self._units
        at = _offset(units[0])
        for byte in text.encode("utf-8", "surrogatepass"):
            if not byte:
                return None
            at ^= byte
            unit = units[at] if at < len(units) else 0
            if unit & 0x800000FF != byte:
                return None
            at ^= _offset(unit)
            if unit >> 8 & 1:
                start = units[at] & 0x7FFFFFFF
                end = self._texts.find(b"\0", start)
                return self._texts[start : end if end >= 0 else len(self._texts)].decode()
        return None


def _offset(unit: int) -> int:
    return (unit >> 10) << ((unit & 0x200) >> 6)


def precompiled(part: Part) -> Callable[[Piece], Piece]:
    """Return the normalizer of a description."""
    try:
        rules = Charsmap(b64decode(part.get("precompiled_charsmap", str), validate=True))
        rules.find("a")
    except (binascii.Error, struct.error, ValueError, IndexError) as error:
        raise malformed("precompiled_charsmap", f"{type(error).__name__}: {error!s:.60}") from None
    return lambda piece: _normalized(rules, piece)


def _normalized(rules: Charsmap, piece: Piece) -> Piece:
    text = piece.text
    own: dict[str, Any] = {}
    for char in set(text):
        new = rules.find(char)
        if new is not None:
            own[char] = new
    has_graphemes = not text.isascii() or "\r\n" in text
    spans = [match.span() for match in _short_graphemes().finditer(text)] if has_graphemes else []
    if not spans and all(len(new) == 1 for new in own.values()):
        return Piece(text.translate(str.maketrans(own)), piece.places) if own else piece
    if piece.places is None:
        return Piece(_replaced(rules, text, spans, own), None)
    changes: list[tuple[str, int]] = []
    is_modified = False
    done = 0

    def take(part: str) -> bool:
        new = rules.find(part)
        if new is None:
            return False
        difference = len(new) - len(part)
        added = [(char, 0) for char in new]
        if difference > 0:
            added[-difference:] = [(char, 1) for char in new[-difference:]]
        changes.extend(added)
        if difference < 0 and changes:
            char, change = changes[-1]
            changes[-1] = char, change + difference
        return True

    for start, stop in [*spans, (len(text), len(text))]:
        for char in text[done:start]:
            if take(char):
                is_modified = True
            else:
                changes.append((char, 0))
        done = start
        grapheme = text[start:stop]
        if grapheme and len(grapheme.encode("utf-8", "surrogatepass")) < 6 and take(grapheme):
            is_modified = True
            done = stop
    return piece.changed(changes) if is_modified else piece


def _replaced(rules: Charsmap, text: str, spans: list[tuple[int, int]], own: dict[str, str]) -> str:
    """Return a text in which graphemes and characters with a rule are replaced."""
    table = str.maketrans(own)
    parts, done = list[str](), 0
    for start, stop in spans:
        grapheme = text[start:stop]
        new = rules.find(grapheme) if len(grapheme.encode("utf-8", "surrogatepass")) < 6 else None
        if new is not None:
            parts += text[done:start].translate(table), new
            done = stop
    return "".join(parts) + text[done:].translate(table)
