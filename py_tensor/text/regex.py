"""Regular expressions of tokenizer files, translated to Python's `re`.

The package `tokenizers` compiles them with Oniguruma, in the syntax of Ruby. Classes become
explicit ranges of characters. Since testing many ranges takes long, a pattern is compiled for the
largest character of the text: ASCII, the Basic Multilingual Plane, or all of Unicode.
Syntax: https://github.com/kkos/oniguruma/blob/master/doc/RE.
"""

from __future__ import annotations

import re
from functools import cache

from ..errors import ModelError
from .unicode_sets import (
    LATIN_NUMBERS,
    Ranges,
    complement,
    intersection,
    property_set,
    union,
    word,
)

LIMITS = (0x80, 0x10000, 0x110000)
"""Code points below which a pattern is compiled."""
LONGEST = 20_000
"""Largest number of characters of a pattern."""
_SHORT_CLASSES = {"s": "space", "d": "digit", "w": "word", "h": "xdigit"}
_PLACES = {"A": r"\A", "z": r"\Z", "Z": r"(?=\n?\Z)"}
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "a": "\a", "e": "\x1b"}


class Pattern:
    """A pattern, or a text that is searched for."""

    def __init__(self, source: str, literal: bool = False) -> None:
        self.source = source
        if len(source) > LONGEST:
            raise _wrong("is too long", f"{len(source)} characters")
        self._text = re.compile(re.escape(source)) if literal else None
        self.compiled(0x80)

    def compiled(self, limit: int) -> re.Pattern[str]:
        """Return the pattern for texts whose characters are below a limit."""
        return self._text or _compiled(self.source, limit)

    def of(self, text: str) -> re.Pattern[str]:
        """Return the pattern for a text."""
        if self._text or text.isascii():
            return self.compiled(0x80)
        return self.compiled(0x10000 if max(text) < "\U00010000" else 0x110000)

    def texts(self, text: str) -> list[str]:
        """Return the texts of the matches that are not empty."""
        own = self.of(text)
        if own.groups:
            return [text[start:stop] for start, stop in self.matches(text) if start < stop]
        return [found for found in own.findall(text) if found]

    def parts(self, text: str) -> list[str] | None:
        """Return the matches in a text and the texts between them; None if that takes `matches`."""
        own = self.of(text)
        if own.groups:
            return None
        # A pattern with a group gives the matches, too, which are at odd positions.
        parts = _with_group(own).split(text)
        return None if "" in parts[1::2] else [part for part in parts if part]

    def matches(self, text: str) -> list[tuple[int, int]]:
        """Return start and end of each match. An empty match next to another one is left out."""
        spans = [match.span() for match in self.of(text).finditer(text)]
        if any(start == stop for start, stop in spans):
            ends = [-1, *(stop for _, stop in spans)]
            return [
                (start, stop)
                for (start, stop), last in zip(spans, ends, strict=False)
                if start < stop or start != last
            ]
        return spans


@cache
def _with_group(pattern: re.Pattern[str]) -> re.Pattern[str]:
    return re.compile(f"({pattern.pattern})", pattern.flags)


@cache
def _compiled(source: str, limit: int) -> re.Pattern[str]:
    try:
        return re.compile(_Translator(source, limit).translated())
    except (re.error, OverflowError, RecursionError, ValueError) as error:
        raise _wrong("is not valid", f"{source!r:.120}: {error}") from None


def _wrong(what: str, got: str) -> ModelError:
    return ModelError(
        f"load: regular expression of the tokenizer {what}; got {got}; use another tokenizer file"
    )


def char_class(ranges: Ranges) -> str:
    """Return the class of `re` with the characters of a set."""
    if not ranges:
        return "(?!)"
    return "[" + "".join(map(_span, ranges)) + "]"


def _span(span: tuple[int, int]) -> str:
    low, high = (f"\\U{point:08x}" for point in span)
    return low if low == high else f"{low}-{high}"


class _Translator:
    """Reads a pattern once, from left to right."""

    def __init__(self, source: str, limit: int) -> None:
        self.source = source
        self.limit = limit
        self.at = 0
        self.keeps_groups = re.search(r"\\[1-9k]", source) is not None

    def fail(self, what: str) -> ValueError:
        return ValueError(f"{what} at position {self.at}")

    def peek(self, text: str) -> bool:
        return self.source.startswith(text, self.at)

    def take(self) -> str:
        if self.at >= len(self.source):
            raise self.fail("unexpected end")
        self.at += 1
        return self.source[self.at - 1]

    def until(self, mark: str) -> str:
        """Return the text before a mark, and go past it."""
        end = self.source.find(mark, self.at)
        if end < 0:
            raise self.fail(f"{mark} is missing")
        text, self.at = self.source[self.at : end], end + len(mark)
        return text

    def translated(self) -> str:
        text = self.alternatives()
        if self.at < len(self.source):
            raise self.fail("unbalanced )")
        return text

    def alternatives(self) -> str:
        """Translate up to the end of a group."""
        parts: list[str] = []
        opened = 0
        while self.at < len(self.source) and not self.peek(")"):
            char = self.take()
            if char == "|":
                parts.append("|")
            elif char in "*+?":
                self.quantifier(parts, char)
            elif char == "{" and self.is_interval():
                self.quantifier(parts, "{" + self.until("}") + "}")
            elif char == "(":
                inline = re.compile(r"\?([imx]*)(-[imx]+)?\)").match(self.source, self.at)
                if inline:
                    # The option holds up to the end of the group.
                    self.at = inline.end()
                    parts.append(f"(?{self.flags(inline[1], inline[2] or '')}:")
                    opened += 1
                else:
                    parts.append(self.group())
            else:
                parts.append(self.atom(char))
        return "".join(parts) + ")" * opened

    def is_interval(self) -> bool:
        return re.compile(r"\d*,?\d*\}").match(self.source, self.at) is not None and not (
            self.peek("}") or self.peek(",}")
        )

    def quantifier(self, parts: list[str], mark: str) -> None:
        if not parts or parts[-1] in ("|", ""):
            raise self.fail("nothing to repeat")
        if mark[0] == "{" and self.peek("+"):
            # In Ruby's syntax this repeats the repetition.
            parts[-1] = f"(?:{parts[-1]}{mark})"
            return
        if self.peek("?") or self.peek("+"):
            mark += self.take()
        parts[-1] = f"(?:{parts[-1]}{mark})"

    def flags(self, on: str, off: str) -> str:
        """Translate options; `m` of Ruby lets a dot match newlines."""
        if "x" in on:
            raise self.fail("option x is not supported")
        return (on + off).replace("m", "s").replace("x", "").removesuffix("-")

    def group(self) -> str:
        """Translate a group after its parenthesis."""
        start = "(" if self.keeps_groups else "(?:"
        if self.peek("?#"):
            self.until(")")
            return "(?:)"
        if self.peek("?"):
            found = re.compile(
                r"\?(?:(?P<look>:|=|!|<=|<!|>)|<(?P<name>\w+)>|(?P<on>[imx]*)(?P<off>-[imx]+)?:)"
            ).match(self.source, self.at)
            if not found:
                raise self.fail("group is of an unknown kind")
            self.at = found.end()
            if found["look"]:
                start = f"(?{found['look']}"
            elif found["name"]:
                start = f"(?P<{found['name']}>"
            else:
                start = f"(?{self.flags(found['on'], found['off'] or '')}:"
        inner = self.alternatives()
        if self.take() != ")":
            raise self.fail(") is missing")
        return f"{start}{inner})"

    def atom(self, char: str) -> str:
        if char == "[":
            return char_class(self.bracket())
        if char == "^":
            return r"(?:\A|(?<=\n)(?!\Z))"
        if char == "$":
            return r"(?=\n|\Z)"
        if char == ".":
            return "."
        if char != "\\":
            return re.escape(char)
        if self.peek("w") or self.peek("W"):
            own = self.words()
            return char_class(complement(own, self.limit) if self.take() == "W" else own)
        found = self.escape()
        if isinstance(found, str):
            return re.escape(found)
        if found is not None:
            return char_class(found)
        char = self.take()
        if char in _PLACES:
            return _PLACES[char]
        if char in "bB":
            inside = char_class(self.words())
            first, second = ("!", "=") if char == "b" else ("=", "!")
            return f"(?:(?<={inside})(?{first}{inside})|(?<!{inside})(?{second}{inside}))"
        if char == "k" and self.peek("<"):
            self.take()
            return f"(?P={self.until('>')})"
        if char.isdigit():
            return f"(?:\\{char})"
        raise self.fail(f"\\{char} is not supported")

    def words(self) -> Ranges:
        """Return the characters of words outside of classes."""
        return union(word(self.limit), LATIN_NUMBERS if self.limit > 0x80 else ())

    def escape(self) -> str | Ranges | None:
        """Return a character or a set after a backslash; None for other escapes."""
        char = self.take()
        limit = self.limit
        if char in "pP":
            if self.take() != "{":
                raise self.fail("{ is missing")
            name = self.until("}")
            found = property_set(name.removeprefix("^"), limit)
            if found is None:
                raise self.fail(f"property {name!r:.40} is unknown")
            return complement(found, limit) if name.startswith("^") != (char == "P") else found
        if char.lower() in "sdwh":
            found = property_set(_SHORT_CLASSES[char.lower()], limit) or ()
            return complement(found, limit) if char.isupper() else found
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char in "xu":
            if char == "x" and self.peek("{"):
                self.take()
                digits = self.until("}")
            else:
                pattern = r"[0-9a-fA-F]{1,2}" if char == "x" else r"[0-9a-fA-F]{4}"
                found_digits = re.compile(pattern).match(self.source, self.at)
                digits = found_digits[0] if found_digits else ""
                self.at += len(digits)
            return chr(int(digits, 16))
        if char.isalnum() and char.isascii():
            self.at -= 1
            return None
        return char

    def bracket(self) -> Ranges:
        """Read a class after its bracket and return its characters."""
        negated = self.peek("^")
        self.at += negated
        own: Ranges = ()
        both: Ranges | None = None
        is_first = True
        while is_first or not self.peek("]"):
            if self.peek("&&"):
                self.at += 2
                both = own if both is None else intersection(both, own, self.limit)
                own = ()
                continue
            own = union(own, self.member())
            is_first = False
        self.at += 1
        if both is not None:
            own = intersection(both, own, self.limit)
        own = tuple((low, min(high, self.limit - 1)) for low, high in own if low < self.limit)
        return complement(own, self.limit) if negated else own

    def member(self) -> Ranges:
        """Read a character, a range or a set inside of a class."""
        if self.peek("[:"):
            self.at += 2
            name = self.until(":]")
            found = property_set(name.removeprefix("^"), self.limit)
            if found is None:
                raise self.fail(f"class {name!r:.40} is unknown")
            return complement(found, self.limit) if name.startswith("^") else found
        if self.peek("["):
            self.at += 1
            return self.bracket()
        low = self.single()
        if not isinstance(low, str):
            return low
        if not (self.peek("-") and self.source[self.at + 1 : self.at + 2] not in ("]", "")):
            return ((ord(low), ord(low)),)
        self.at += 1
        high = self.single()
        if not isinstance(high, str) or high < low:
            raise self.fail("range is not valid")
        return ((ord(low), ord(high)),)

    def single(self) -> str | Ranges:
        char = self.take()
        if char != "\\":
            return char
        found = self.escape()
        if found is None:
            if self.take() == "b":
                return "\b"
            raise self.fail("escape is not supported")
        return found
