"""Decoders: they make a text of tokens.

Input: the texts of tokens. Output: texts to join. `DECODERS` has a row for each type in files.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import groupby
from typing import Any

from .byte_characters import bytes_of
from .parts import Part, made, malformed

Decoder = Callable[[list[str]], list[str]]


def decoder_of(data: Any) -> Decoder | None:
    """Return the decoder of a description in a file."""
    return None if data is None else made("decoder", DECODERS, data)


def _sequence(part: Part) -> Decoder:
    steps: list[Decoder] = part.parts("decoders")
    if len(steps) == 1:
        return steps[0]

    def decode(tokens: list[str]) -> list[str]:
        for step in steps:
            tokens = step(tokens)
        return tokens

    return decode


def byte_level(tokens: list[str]) -> list[str]:
    """Decode the bytes that characters show."""
    return [b"".join(map(bytes_of, tokens)).decode("utf-8", "replace")]


def _metaspace(part: Part) -> Decoder:
    mark = part.get("replacement", str)
    scheme = part.choice("prepend_scheme", ("first", "never", "always"), "always")
    is_prepended = scheme != "never" and part.get("add_prefix_space", bool, True)

    def decode(tokens: list[str]) -> list[str]:
        first = [token.replace(mark, "" if is_prepended else " ") for token in tokens[:1]]
        return first + [token.replace(mark, " ") for token in tokens[1:]]

    return decode


_CLEANED = (
    *((" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't")),
    *((" 'm", "'m"), (" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re")),
)


def _cleaned(text: str) -> str:
    for old, new in _CLEANED:
        text = text.replace(old, new)
    return text


def _word_piece(part: Part) -> Decoder:
    prefix, cleans = part.get("prefix", str, "##"), part.get("cleanup", bool, True)

    def decode(tokens: list[str]) -> list[str]:
        texts = tokens[:1] + [
            token.removeprefix(prefix) if token.startswith(prefix) else f" {token}"
            for token in tokens[1:]
        ]
        return list(map(_cleaned, texts)) if cleans else texts

    return decode


def _bpe(part: Part) -> Decoder:
    suffix = part.get("suffix", str, "</w>")

    def decode(tokens: list[str]) -> list[str]:
        inner = [token.replace(suffix, " ") for token in tokens[:-1]]
        return inner + [token.replace(suffix, "") for token in tokens[-1:]]

    return decode


_BYTE = re.compile(r"<0x([0-9a-fA-F]{2})>")


def _byte_fallback(tokens: list[str]) -> list[str]:
    """Decode runs of tokens such as <0x61>; a run that is not UTF-8 becomes marks."""
    texts: list[str] = []
    for is_byte, run in groupby(tokens, lambda token: _BYTE.fullmatch(token) is not None):
        if not is_byte:
            texts += run
            continue
        data = bytes(int(token[3:5], 16) for token in run)
        try:
            texts.append(data.decode())
        except UnicodeDecodeError:
            texts += ["\ufffd"] * len(data)
    return texts


def _replace(part: Part) -> Decoder:
    pattern, content = part.pattern(), part.get("content", str)

    def replaced(token: str) -> str:
        text, done = "", 0
        for start, stop in pattern.matches(token):
            text += token[done:start] + content
            done = stop
        return text + token[done:]

    return lambda tokens: list(map(replaced, tokens))


def _strip(part: Part) -> Decoder:
    content = part.get("content", str)
    start, stop = part.get("start", int), part.get("stop", int)
    if len(content) != 1 or start < 0 or stop < 0:
        raise malformed("decoder Strip must have a character", f"{content!r:.40}, {start}, {stop}")

    def stripped(token: str) -> str:
        first = min(len(token) - len(token.lstrip(content)), start)
        last = min(len(token) - len(token.rstrip(content)), stop)
        return token[first : max(first, len(token) - last)]

    return lambda tokens: list(map(stripped, tokens))


def _ctc(part: Part) -> Decoder:
    pad, gap = part.get("pad_token", str, "<pad>"), part.get("word_delimiter_token", str, "|")
    cleans = part.get("cleanup", bool, True)

    def decode(tokens: list[str]) -> list[str]:
        texts = [token.replace(pad, "") for token, _ in groupby(tokens)]
        if cleans:
            texts = [_cleaned(text).replace(gap, " ") for text in texts]
        return [text for text in texts if text]

    return decode


DECODERS: dict[str, Callable[[Part], Decoder]] = {
    "Sequence": _sequence,
    "ByteLevel": lambda part: byte_level,
    "Metaspace": _metaspace,
    "WordPiece": _word_piece,
    "BPEDecoder": _bpe,
    "ByteFallback": lambda part: _byte_fallback,
    "Fuse": lambda part: lambda tokens: ["".join(tokens)],
    "Replace": _replace,
    "Strip": _strip,
    "CTC": _ctc,
}
"""Functions that return a decoder for its description, by type."""
