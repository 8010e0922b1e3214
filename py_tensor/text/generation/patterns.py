"""Limit generated text to a regular expression, by a mask of tokens for each state.

A pattern becomes an automaton: sets of places in the pattern, made when they are needed. Walking
the tree of all tokens' texts from a state finds the tokens that may come next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

from ... import functions as F
from ...dtypes import bool_
from ...errors import ArgumentError, ModelError
from ...tensor import Tensor

codes: Any = import_module("re._constants")
parser: Any = import_module("re._parser")
"""The parser of Python's expressions, which has no public name."""
MOST_PLACES = 20_000
"""Largest number of places of an automaton, which repetitions with large counts reach."""
MOST_MASKS = 64
"""Number of masks that are kept on the device."""
CATEGORIES = {
    codes.CATEGORY_DIGIT: r"\d",
    codes.CATEGORY_NOT_DIGIT: r"\D",
    codes.CATEGORY_SPACE: r"\s",
    codes.CATEGORY_NOT_SPACE: r"\S",
    codes.CATEGORY_WORD: r"\w",
    codes.CATEGORY_NOT_WORD: r"\W",
}

State = frozenset[int]
"""Places where the text so far may be; a state with no places is dead."""


class Automaton:
    """Automaton of a pattern. A place has a test of the next character, or places without one."""

    def __init__(self, pattern: str) -> None:
        self._tests: list[Any] = []
        """For each place: function of a character, or None."""
        self._next: list[list[int]] = []
        try:
            tree = parser.parse(pattern)
        except (re.error, RecursionError) as error:
            raise ArgumentError(
                f"generate: pattern is not valid; got {pattern!r:.80}: {error}; use the syntax of "
                "re"
            ) from None
        self._ignores_case = bool(tree.state.flags & re.IGNORECASE)
        self._dot_all = bool(tree.state.flags & re.DOTALL)
        self._end = self._place(None, [])
        self._after: dict[tuple[State, str], State] = {}
        self.start = self._closed([self._sequence(tree, self._end)])

    def accepts(self, state: State) -> bool:
        """Return True if the text may end here."""
        return self._end in state

    def after(self, state: State, character: str) -> State:
        """Return the state after a character."""
        key = state, character
        found = self._after.get(key)
        if found is None:
            tests, places = self._tests, self._next
            matching = [
                target
                for place in state
                if tests[place] is not None and tests[place](character)
                for target in places[place]
            ]
            found = self._after[key] = self._closed(matching)
        return found

    def _place(self, test: Any, targets: list[int]) -> int:
        if len(self._tests) >= MOST_PLACES:
            raise ArgumentError(
                f"generate: pattern is too large; got more than {MOST_PLACES} places; use smaller "
                "repetitions"
            )
        self._tests.append(test)
        self._next.append(targets)
        return len(self._tests) - 1

    def _closed(self, places: Iterable[int]) -> State:
        """Return these places, and those that need no character to be reached."""
        found: set[int] = set()
        waiting = [*places]
        while waiting:
            place = waiting.pop()
            if place not in found:
                found.add(place)
                if self._tests[place] is None:
                    waiting += self._next[place]
        return frozenset(p for p in found if self._tests[p] is not None or p == self._end)

    def _sequence(self, items: Any, target: int) -> int:
        for code, value in reversed([*items]):
            target = self._item(code, value, target)
        return target

    def _item(self, code: Any, value: Any, target: int) -> int:
        """Return the place from which an item of the syntax tree leads to `target`."""
        if code in (codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN):
            return self._place(self._test(code, value), [target])
        if code is codes.SUBPATTERN and not value[1] and not value[2]:
            return self._sequence(value[3], target)
        if code is codes.ATOMIC_GROUP:
            return self._sequence(value, target)
        if code is codes.BRANCH:
            return self._place(None, [self._sequence(branch, target) for branch in value[1]])
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            least, most, item = value
            return self._repeat(least, most, item, target)
        if code is codes.AT and value in (codes.AT_BEGINNING, codes.AT_BEGINNING_STRING):
            return target
        if code is codes.AT and value in (codes.AT_END, codes.AT_END_STRING):
            return target
        raise ArgumentError(
            f"generate: pattern has an item that is not supported; got {str(code).lower()}; use "
            "characters, classes, groups, alternatives and repetitions"
        )

    def _repeat(self, least: int, most: Any, item: Any, target: int) -> int:
        if most is codes.MAXREPEAT:
            loop = self._place(None, [])
            self._next[loop] += [self._sequence(item, loop), target]
            first = loop
        else:
            first = target
            for _ in range(most - least):
                first = self._place(None, [self._sequence(item, first), target])
        for _ in range(least):
            first = self._sequence(item, first)
        return first

    def _test(self, code: Any, value: Any) -> Any:
        """Return a function that tests a character, by an expression of one character."""
        flags = (re.IGNORECASE if self._ignores_case else 0) | (re.DOTALL if self._dot_all else 0)
        return re.compile(_source(code, value), flags).fullmatch


def _source(code: Any, value: Any) -> str:
    """Return an expression for a character of the syntax tree."""
    if code is codes.ANY:
        return "."
    if code is codes.LITERAL:
        return re.escape(chr(value))
    if code is codes.NOT_LITERAL:
        return f"[^{re.escape(chr(value))}]"
    parts = []
    for kind, item in value:
        if kind is codes.NEGATE:
            parts.append("^")
        elif kind is codes.RANGE:
            parts.append("-".join(re.escape(chr(bound)) for bound in item))
        else:
            parts.append(CATEGORIES[item] if kind is codes.CATEGORY else re.escape(chr(item)))
    return f"[{''.join(parts)}]"


class Vocabulary:
    """Tree of the texts of a tokenizer's tokens."""

    def __init__(self, texts: Sequence[str | None]) -> None:
        self.size = len(texts)
        self.texts = texts
        self._tree: dict[str, Any] = {}
        for token, text in enumerate(texts):
            if not text:
                continue
            node = self._tree
            for character in text:
                node = node.setdefault(character, {})
            node.setdefault("", []).append(token)

    def allowed(self, automaton: Automaton, state: State) -> list[int]:
        """Return the tokens whose texts keep the automaton alive."""
        found: list[int] = []
        waiting = [(self._tree, state)]
        while waiting:
            node, before = waiting.pop()
            for character, child in node.items():
                if not character:
                    found += child
                elif after := automaton.after(before, character):
                    waiting.append((child, after))
        return found


class Grammar:
    """Masks of the tokens that may come next, while a text is made."""

    def __init__(self, automaton: Automaton, vocabulary: Vocabulary, ends: Iterable[int]) -> None:
        self._automaton = automaton
        self._vocabulary = vocabulary
        self._ends = [*ends]
        self._state = automaton.start
        self._masks: dict[State, Tensor] = {}

    def mask(self) -> Tensor:
        """Return True for each token that may come next; only ends are left after a whole text."""
        mask = self._masks.pop(self._state, None)
        if mask is None:
            data = bytearray(self._vocabulary.size)
            for token in self._vocabulary.allowed(self._automaton, self._state):
                data[token] = 1
            if self._automaton.accepts(self._state):
                for token in self._ends:
                    data[token] = 1
            elif not any(data):
                raise ModelError(
                    "generate: no token continues the text; got a pattern with characters that "
                    "the tokenizer has no tokens for; use others"
                )
            mask = F.asarray(memoryview(data)).astype(bool_)
        self._masks[self._state] = mask
        if len(self._masks) > MOST_MASKS:
            del self._masks[next(iter(self._masks))]
        return mask

    def take(self, token: int) -> None:
        """Go on by the text of a token."""
        for character in self._vocabulary.texts[token] or "":
            self._state = self._automaton.after(self._state, character)

    @property
    def is_complete(self) -> bool:
        """True if no character can follow."""
        return self._automaton.accepts(self._state) and len(self._state) == 1
