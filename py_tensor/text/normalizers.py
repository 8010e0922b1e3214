"""Normalizers: they change a text before it is split.

Input: a piece. Output: the changed piece. `NORMALIZERS` has a row for each type in files.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any
from unicodedata import category, combining, is_normalized, normalize

from .aligned import Piece
from .byte_characters import BYTE_CHARS
from .parts import Part, made
from .precompiled import precompiled
from .unicode_sets import WHITESPACE

Normalizer = Callable[[Piece], Piece]


def normalizer_of(data: Any) -> Normalizer | None:
    """Return the normalizer of a description in a file."""
    return None if data is None else made("normalizer", NORMALIZERS, data)


def _sequence(part: Part) -> Normalizer:
    return sequence(part.parts("normalizers"))


def sequence(steps: list[Normalizer]) -> Normalizer:
    """Return the function that applies normalizers one after the other."""

    def apply(piece: Piece) -> Piece:
        for step in steps:
            piece = step(piece)
        return piece

    return apply


# --- Unicode forms --------------------------------------------------------------------------------

_RUNS = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")
"""Parts of a text that a form may change, each with the ASCII character before it."""


@cache
def _decomposed(form: Any, char: str) -> list[tuple[str, int, int]]:
    """Return the characters of a decomposition with their combining classes and changes."""
    parts = normalize(form, char)
    return [(part, combining(part), int(at > 0)) for at, part in enumerate(parts)]


def _ordered(form: str, text: str) -> list[tuple[str, int, int]]:
    """Return the decomposed characters of a text in canonical order."""
    chars = [part for char in text for part in _decomposed(form, char)]
    start = 0
    for at in range(len(chars) + 1):
        if at == len(chars) or not chars[at][1]:
            if at - start > 2:
                chars[start + 1 : at] = sorted(chars[start + 1 : at], key=lambda char: char[1])
            start = at
    return chars


def _composed(chars: list[tuple[str, int, int]]) -> list[tuple[str, int]]:
    """Compose characters as UAX 15 defines it: marks join the last starter unless blocked."""
    result: list[tuple[str, int]] = []
    starter, last_class = -1, 0
    for char, own_class, change in chars:
        if starter >= 0 and (last_class < own_class or len(result) == starter + 1):
            pair = normalize("NFC", result[starter][0] + char)
            if len(pair) == 1:
                result[starter] = pair, result[starter][1] + change - 1
                continue
        if own_class == 0:
            starter, last_class = len(result), 0
        else:
            last_class = own_class
        result.append((char, change))
    return result


def _form(name: Any, piece: Piece) -> Piece:
    """Return a piece in a Unicode normalization form.

    Characters are placed as the package does it: the first of a decomposition replaces the
    character, and a composition replaces its parts.
    """
    if piece.text.isascii() or is_normalized(name, piece.text):
        return piece
    if piece.places is None:
        return Piece(normalize(name, piece.text), None)
    decomposition = name.replace("C", "D")
    changes: list[tuple[str, int]] = []
    done = 0
    for match in _RUNS.finditer(piece.text):
        changes += [(char, 0) for char in piece.text[done : match.start()]]
        chars = _ordered(decomposition, match[0])
        changes += _composed(chars) if "C" in name else [(char, flag) for char, _, flag in chars]
        done = match.end()
    changes += [(char, 0) for char in piece.text[done:]]
    return piece.changed(changes)


def _lowercase(piece: Piece) -> Piece:
    text = piece.text
    if text.isascii() or (piece.places is None and "\u03a3" not in text):
        return Piece(text.lower(), piece.places)
    # Characters one by one: the package has no rule for a final sigma.
    return piece.mapped(str.lower)


# --- characters -----------------------------------------------------------------------------------


def _strip(part: Part) -> Normalizer:
    left, right = part.get("strip_left", bool), part.get("strip_right", bool)

    def apply(piece: Piece) -> Piece:
        text = piece.text
        start = len(text) - len(text.lstrip(WHITESPACE)) if left else 0
        stop = len(text.rstrip(WHITESPACE)) if right else len(text)
        return piece.part(start, max(start, stop))

    return apply


def _strip_accents(piece: Piece) -> Piece:
    return piece if piece.text.isascii() else piece.kept(lambda char: category(char)[0] != "M")


def _replace(part: Part) -> Normalizer:
    pattern, content = part.pattern(), part.get("content", str)
    return lambda piece: piece.substituted(pattern, content)


def _prepend(part: Part) -> Normalizer:
    prefix = part.get("prepend", str)
    return lambda piece: piece.prefixed(prefix)


def _byte_level(piece: Piece) -> Piece:
    """Replace each byte of UTF-8 by a visible character."""
    return piece.mapped(lambda char: "".join(map(BYTE_CHARS.__getitem__, char.encode())))


_NMT_REMOVED = {*range(0x1, 0x9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x9F}
_NMT_SPACES = {0x9, 0xA, 0xC, 0xD, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF,
               0xFFFD}  # fmt: skip


def _nmt(piece: Piece) -> Piece:
    piece = piece.kept(lambda char: ord(char) not in _NMT_REMOVED)
    return piece.mapped(lambda char: " " if ord(char) in _NMT_SPACES else char)


# --- BERT -----------------------------------------------------------------------------------------

_CHINESE = re.compile(
    "[\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
    "\U0002b920-\U0002ceaf\uf900-\ufaff\U0002f800-\U0002fa1f]"
)


def _is_clean(char: str) -> bool:
    if char in "\t\n\r":
        return True
    return category(char) not in ("Cc", "Cf", "Co") and char not in "\0\ufffd"


def _clean(piece: Piece) -> Piece:
    """Remove control characters and replace whitespace by spaces."""
    if piece.text.isascii() and piece.text.isprintable():
        return piece
    return piece.kept(_is_clean).mapped(lambda char: " " if char in WHITESPACE else char)


def _spaced_chinese(piece: Piece) -> Piece:
    """Put spaces around Chinese characters."""
    if piece.text.isascii() or not _CHINESE.search(piece.text):
        return piece
    return piece.mapped(lambda char: f" {char} " if _CHINESE.match(char) else char)


def _without_accents(piece: Piece) -> Piece:
    if piece.text.isascii():
        return piece
    return _form("NFD", piece).kept(lambda char: category(char) != "Mn")


def _bert(part: Part) -> Normalizer:
    lowercase = part.get("lowercase", bool, True)
    wanted = {
        _clean: part.get("clean_text", bool, True),
        _spaced_chinese: part.get("handle_chinese_chars", bool, True),
        _without_accents: part.get("strip_accents", bool, lowercase),
        _lowercase: lowercase,
    }
    return sequence([step for step, is_wanted in wanted.items() if is_wanted])


NORMALIZERS: dict[str, Callable[[Part], Normalizer]] = {
    "Sequence": _sequence,
    "NFC": lambda part: partial(_form, "NFC"),
    "NFD": lambda part: partial(_form, "NFD"),
    "NFKC": lambda part: partial(_form, "NFKC"),
    "NFKD": lambda part: partial(_form, "NFKD"),
    "Lowercase": lambda part: _lowercase,
    "Strip": _strip,
    "StripAccents": lambda part: _strip_accents,
    "Replace": _replace,
    "Prepend": _prepend,
    "ByteLevel": lambda part: _byte_level,
    "Nmt": lambda part: _nmt,
    "BertNormalizer": _bert,
    "Precompiled": precompiled,
}
"""Functions that return a normalizer for its description, by type."""
