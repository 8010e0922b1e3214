"""Pre-tokenizers: they split a text into words, which the model splits into tokens.

Input: pieces. Output: more pieces. `PRE_TOKENIZERS` has a row for each type in files. A last step
that writes bytes as characters is left to the model, which remembers words (`Splitter`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from .aligned import BEHAVIORS, Piece, split
from .byte_characters import BYTE_CHARS
from .parts import Part, made, malformed
from .regex import Pattern

Step = Callable[[list[Piece]], list[Piece]]

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""Words of GPT-2. Source: https://github.com/openai/gpt-2/blob/master/src/encoder.py."""
_PUNCTUATION = r"[\p{P}$+<=>^`|~]"


class Splitter(NamedTuple):
    """Steps of a pre-tokenizer; `bytes_last` if characters for bytes are to be written then."""

    steps: list[Step]
    bytes_last: bool

    def apply(self, pieces: list[Piece]) -> list[Piece]:
        """Split pieces."""
        for step in self.steps:
            pieces = step(pieces)
        return pieces

    def texts(self, texts: list[str]) -> list[str]:
        """Return the texts of the words of texts, whose place has no influence."""
        for step in self.steps:
            own = TEXTS.get(getattr(step, "func", None))
            if own is None or not isinstance(step, partial):
                texts = [piece.text for piece in step([Piece(text, 0) for text in texts])]
            else:
                texts = own(*step.args, texts)
        return texts

    @property
    def is_local(self) -> bool:
        """True if the words of a piece do not depend on its place."""
        return not any(
            isinstance(step, partial) and step.func is _marked and step.args[1] == "first"
            for step in self.steps
        )

    def parted(self) -> tuple[Pattern | None, Splitter]:
        """Return the pattern of a first step that finds words, if there is one, and the others."""
        first = self.steps[0] if len(self.steps) > 1 and self.is_local else None
        if isinstance(first, partial) and first.func is _found:
            return first.args[0], self._replace(steps=self.steps[1:])
        return None, self


def splitter_of(data: Any) -> Splitter:
    """Return the pre-tokenizer of a description in a file."""
    steps = [] if data is None else made("pre_tokenizer", PRE_TOKENIZERS, data)
    bytes_last = bool(steps) and steps[-1] is _shown_bytes
    return Splitter(steps[:-1] if bytes_last else steps, bytes_last)


def _sequence(part: Part) -> list[Step]:
    return [step for steps in part.parts("pretokenizers") for step in steps]


def splitting(pattern: Pattern, behavior: str = "Isolated", invert: bool = False) -> Step:
    """Return the step that splits pieces at the matches of a pattern."""
    if behavior == "Isolated":
        return partial(_isolated, pattern)
    if behavior == "Removed" and invert:
        return partial(_found, pattern)

    def apply(pieces: list[Piece]) -> list[Piece]:
        return [
            part
            for piece in pieces
            for part in split(piece, pattern.matches(piece.text), behavior, invert)
        ]

    return apply


def _isolated(pattern: Pattern, pieces: list[Piece]) -> list[Piece]:
    """Split at matches, which cover the text in most tokenizers."""
    result: list[Piece] = []
    for piece in pieces:
        text, places = piece
        compiled = pattern.of(text)
        words = [] if compiled.groups else compiled.findall(text)
        if not words and not compiled.groups:
            result.append(piece)
        elif isinstance(places, int) and sum(map(len, words)) == len(text) and "" not in words:
            for word in words:
                result.append(Piece(word, places))
                places += len(word)
        else:
            result += split(piece, pattern.matches(text), "Isolated")
    return result


def _isolated_texts(pattern: Pattern, texts: list[str]) -> list[str]:
    """Return the texts of the matches and of the parts between them."""
    result: list[str] = []
    for text in texts:
        parts = pattern.parts(text)
        if parts is None:
            parts = [part.text for part in _isolated(pattern, [Piece(text, 0)])]
        result += parts
    return result


def _found(pattern: Pattern, pieces: list[Piece]) -> list[Piece]:
    """Return the matches."""
    return [
        piece.part(start, stop)
        for piece in pieces
        for start, stop in pattern.matches(piece.text)
        if start < stop
    ]


def _shown_bytes(pieces: list[Piece]) -> list[Piece]:
    """Replace each byte of UTF-8 by a visible character."""

    def shown(char: str) -> str:
        return "".join([BYTE_CHARS[byte] for byte in char.encode("utf-8", "surrogatepass")])

    return [piece.mapped(shown) for piece in pieces]


def _prefixed(prefix: str, pieces: list[Piece]) -> list[Piece]:
    return [piece if piece.text.startswith(prefix) else piece.prefixed(prefix) for piece in pieces]


def _byte_level(part: Part) -> list[Step]:
    steps: list[Step] = []
    if part.get("add_prefix_space", bool):
        steps.append(partial(_prefixed, " "))
    if part.get("use_regex", bool, True):
        steps.append(splitting(Pattern(GPT2)))
    return [*steps, _shown_bytes]


_SPACE = Pattern(" ", literal=True)


def _marked(mark: str, scheme: str, pieces: list[Piece]) -> list[Piece]:
    """Replace spaces by a mark, and put it before the "first" piece, "always" or "never"."""
    pieces = [piece.substituted(_SPACE, mark) for piece in pieces]
    if scheme == "never":
        return pieces
    return [
        piece.prefixed(mark)
        if not piece.text.startswith(mark) and (scheme == "always" or piece.start == 0)
        else piece
        for piece in pieces
    ]


def _marked_texts(mark: str, scheme: str, texts: list[str]) -> list[str]:
    texts = [text.replace(" ", mark) for text in texts]
    if scheme == "never":
        return texts
    return [mark + text if text and not text.startswith(mark) else text for text in texts]


def _before_marks(mark: str, pattern: Pattern, pieces: list[Piece]) -> list[Piece]:
    """Split before each mark."""
    return [
        part
        for piece in pieces
        for part in split(piece, pattern.matches(piece.text), "MergedWithNext")
    ]


def _texts_before_marks(mark: str, pattern: Pattern, texts: list[str]) -> list[str]:
    result: list[str] = []
    for text in texts:
        if mark in text[1:]:
            result += [part.text for part in _before_marks(mark, pattern, [Piece(text, 0)])]
        elif text:
            result.append(text)
    return result


def _metaspace(part: Part) -> list[Step]:
    mark = part.get("replacement", str)
    scheme = part.choice("prepend_scheme", ("first", "never", "always"), "always")
    if part.get("add_prefix_space", bool, True) is False:
        if "prepend_scheme" in part.data and scheme != "never":
            raise malformed("add_prefix_space contradicts prepend_scheme", f"{scheme!r}")
        scheme = "never"
    if len(mark) != 1:
        raise malformed("replacement of Metaspace must be a character", f"{mark!r:.40}")
    marked = partial(_marked, mark, scheme)
    if not part.get("split", bool, True):
        return [marked]
    return [marked, partial(_before_marks, mark, Pattern(mark, literal=True))]


def _split(part: Part) -> list[Step]:
    behavior = part.choice("behavior", tuple(BEHAVIORS), "")
    return [splitting(part.pattern(), behavior, part.get("invert", bool))]


def _digits(part: Part) -> list[Step]:
    single = part.get("individual_digits", bool)
    return [splitting(Pattern(r"\p{N}"), "Isolated" if single else "Contiguous")]


def _char_delimiter(part: Part) -> list[Step]:
    return [splitting(Pattern(part.get("delimiter", str), literal=True), "Removed")]


def _fixed_length(part: Part) -> list[Step]:
    length = part.get("length", int, 5)
    if length < 1:
        raise malformed("length of FixedLength must be positive", f"{length}")

    def apply(pieces: list[Piece]) -> list[Piece]:
        return [
            piece.part(start, min(start + length, len(piece.text)))
            for piece in pieces
            for start in range(0, len(piece.text), length)
        ]

    return [apply]


def _whitespace_split(part: Part) -> list[Step]:
    return [splitting(Pattern(r"\S+"), "Removed", invert=True)]


PRE_TOKENIZERS: dict[str, Callable[[Part], list[Step]]] = {
    "Sequence": _sequence,
    "ByteLevel": _byte_level,
    "Metaspace": _metaspace,
    "Split": _split,
    "Whitespace": lambda part: [
        splitting(Pattern(r"[\w\u200c\u200d]+|[^\w\u200c\u200d\s]+"), "Removed", invert=True)
    ],
    "WhitespaceSplit": _whitespace_split,
    "Punctuation": lambda part: [
        splitting(Pattern(_PUNCTUATION), part.choice("behavior", tuple(BEHAVIORS), "Isolated"))
    ],
    "Digits": _digits,
    "CharDelimiterSplit": _char_delimiter,
    "FixedLength": _fixed_length,
    "BertPreTokenizer": lambda part: [
        *_whitespace_split(part),
        splitting(Pattern(_PUNCTUATION)),
    ],
}
"""Functions that return the steps for a description, by type."""

TEXTS: dict[Any, Callable[..., list[str]]] = {
    _isolated: _isolated_texts,
    _marked: _marked_texts,
    _before_marks: _texts_before_marks,
}
"""Functions of texts, which do not know their places, by those of pieces."""
