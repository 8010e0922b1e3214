"""Texts that remember the characters of the original text, and their splits.

Input: the original text. Output: a `Piece`, whose characters have their place in the original.
Normalizers change the text of a piece, and pre-tokenizers split it. Places are found as in
the package `tokenizers`, which counts bytes where this module counts characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from .regex import Pattern


class Places(NamedTuple):
    """Start and end in the original text of each character."""

    starts: list[int]
    ends: list[int]


class Piece(NamedTuple):
    """A text, and where its characters are in the original.

    If `places` is an integer, the first character is there, and the others follow it. It is None if
    only the text is needed.
    """

    text: str
    places: int | Places | None

    def part(self, start: int, stop: int) -> Piece:
        """Return the part between two positions."""
        places = self.places
        if places is None:
            return Piece(self.text[start:stop], None)
        if isinstance(places, int):
            return Piece(self.text[start:stop], places + start)
        return Piece(
            self.text[start:stop], Places(places.starts[start:stop], places.ends[start:stop])
        )

    @property
    def start(self) -> int:
        """Position in the original of the first character."""
        places = self.places
        if isinstance(places, int):
            return places
        return places.starts[0] if places and places.starts else 0

    def listed(self) -> Places:
        """Return the places as lists."""
        places = self.places or 0
        if isinstance(places, int):
            count = len(self.text)
            return Places(
                list(range(places, places + count)), list(range(places + 1, places + count + 1))
            )
        return places

    def replaced(self, text: str, sources: Sequence[int]) -> Piece:
        """Return another text, each of whose characters has the place of the one at a position."""
        if self.places is None:
            return Piece(text, None)
        starts, ends = self.listed()
        return Piece(text, Places([starts[at] for at in sources], [ends[at] for at in sources]))

    def mapped(self, function: Callable[[str], str]) -> Piece:
        """Return a piece whose characters are replaced by texts, which are never empty."""
        text = self.text
        new = {char: function(char) for char in set(text)}
        new = {char: other for char, other in new.items() if other != char}
        if not new:
            return self
        if self.places is None or all(len(other) == 1 for other in new.values()):
            return Piece(_replaced(text, new), self.places)
        texts = [new.get(char, char) for char in text]
        return self.replaced("".join(texts), [at for at, part in enumerate(texts) for _ in part])

    def kept(self, keep: Callable[[str], bool]) -> Piece:
        """Return a piece with some of the characters."""
        dropped = {char for char in set(self.text) if not keep(char)}
        if not dropped:
            return self
        if self.places is None:
            return Piece(_replaced(self.text, dict.fromkeys(dropped, "")), None)
        kept = [at for at, char in enumerate(self.text) if char not in dropped]
        return self.replaced("".join([self.text[at] for at in kept]), kept)

    def changed(self, changes: Iterable[tuple[str, int]], removed: int = 0) -> Piece:
        """Return the piece after changes, one for each new character.

        A change is 0 for a character that replaces the next one, -n for one that also replaces the
        n after it, and 1 for one that is new and has the place of the character before it.
        `removed` is the number of characters that are left out at the start.
        """
        sources, chars, at, last = [], [], removed, len(self.text) - 1
        for char, change in changes:
            chars.append(char)
            if change > 0:
                sources.append(max(at - 1, 0))
            else:
                sources.append(min(at, last))
                at += 1 - change
        return self.replaced("".join(chars), sources)

    def prefixed(self, prefix: str) -> Piece:
        """Return the piece after a prefix, which has the place of the first character."""
        if not self.text:
            return self
        sources = [*[0] * len(prefix), *range(len(self.text))]
        return self.replaced(prefix + self.text, sources)

    def substituted(self, pattern: Pattern, content: str) -> Piece:
        """Return the piece after each match is replaced; the new text has the last one's place."""
        spans = pattern.matches(self.text)
        if not spans:
            return self
        if len(content) == 1 and all(stop - start == 1 for start, stop in spans):
            return Piece(pattern.of(self.text).sub(lambda _: content, self.text), self.places)
        if self.places is None:
            ends_before = [0, *(stop for _, stop in spans)]
            bounds = zip(ends_before, [*(start for start, _ in spans), None], strict=True)
            return Piece(content.join([self.text[stop:start] for stop, start in bounds]), None)
        starts, ends = self.listed()
        text, new_starts, new_ends, done = list[str](), list[int](), list[int](), 0
        for start, stop in spans:
            text += self.text[done:start], content
            place = (starts[stop - 1], ends[stop - 1]) if stop else (self.start, self.start)
            new_starts += starts[done:start] + [place[0]] * len(content)
            new_ends += ends[done:start] + [place[1]] * len(content)
            done = stop
        text.append(self.text[done:])
        return Piece("".join(text), Places(new_starts + starts[done:], new_ends + ends[done:]))

    def offsets(self, start: int, stop: int) -> tuple[int, int]:
        """Return start and end in the original of the characters between two positions."""
        places = self.places
        if isinstance(places, int):
            return places + start, places + stop
        if places is None or start >= stop:
            return start, stop
        return places.starts[start], places.ends[stop - 1]


FEW = 8
"""Number of characters up to which replacing one after the other is faster than a table."""


def _replaced(text: str, new: dict[str, str]) -> str:
    """Return a text whose characters are replaced by others at the same time."""
    if len(new) > FEW or not new.keys().isdisjoint("".join(new.values())):
        return text.translate({ord(char): other for char, other in new.items()})
    for char, other in new.items():
        text = text.replace(char, other)
    return text


Match = tuple[int, int, bool]
"""Start and end of a part of a text; True if it is a match."""


def covering(text: str, spans: Iterable[tuple[int, int]]) -> list[Match]:
    """Return the matches and the parts between them."""
    parts: list[Match] = []
    done = 0
    for start, stop in spans:
        if start > done:
            parts.append((done, start, False))
        parts.append((start, stop, True))
        done = stop
    if done < len(text):
        parts.append((done, len(text), False))
    return parts


def _removed(matches: list[Match]) -> list[tuple[int, int]]:
    return [(start, stop) for start, stop, is_match in matches if not is_match]


def _isolated(matches: list[Match]) -> list[tuple[int, int]]:
    return [(start, stop) for start, stop, _ in matches]


def _joined(matches: list[Match], with_last: Callable[[bool, bool], bool]) -> list[tuple[int, int]]:
    """Join parts with those before them if the function of both says so."""
    parts: list[tuple[int, int]] = []
    previous = False
    for start, stop, is_match in matches:
        if parts and with_last(is_match, previous):
            parts[-1] = min(parts[-1][0], start), max(parts[-1][1], stop)
        else:
            parts.append((start, stop))
        previous = is_match
    return parts


BEHAVIORS: dict[str, Callable[[list[Match]], list[tuple[int, int]]]] = {
    "Removed": _removed,
    "Isolated": _isolated,
    "Contiguous": lambda matches: _joined(matches, lambda match, last: match == last),
    "MergedWithPrevious": lambda matches: _joined(matches, lambda match, last: match and not last),
    "MergedWithNext": lambda matches: _joined(
        matches[::-1], lambda match, last: match and not last
    )[::-1],
}
"""Functions that return the parts of a text, by what becomes of matches."""


def split(
    piece: Piece, spans: Iterable[tuple[int, int]], behavior: str, invert: bool = False
) -> list[Piece]:
    """Split a piece at matches; empty parts are left out."""
    matches = covering(piece.text, spans)
    if invert:
        matches = [(start, stop, not is_match) for start, stop, is_match in matches]
    text, places = piece
    parts = BEHAVIORS[behavior](matches)
    if isinstance(places, int):
        return [Piece(text[start:stop], places + start) for start, stop in parts if start < stop]
    return [piece.part(start, stop) for start, stop in parts if start < stop]
