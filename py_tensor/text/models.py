"""Models: they split a word into the tokens of a vocabulary.

Input: a word. Output: `Word`, the ids with the positions of their characters. `MODELS` has a row
for each type in files.
"""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, NamedTuple

from ..errors import ModelError
from .parts import Part, malformed

CACHED_WORDS, LONGEST_CACHED = 1 << 16, 256
"""Number of words that a model remembers, and the largest number of their characters."""
SHORT = 100
"""Number of symbols up to which merging without a heap is faster."""


class Word(NamedTuple):
    """Tokens of a word: ids, texts, and the positions of their first and after their last char."""

    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]


class Model:
    """Base of models: a vocabulary, and remembered words."""

    def __init__(self, vocabulary: dict[str, int]) -> None:
        self.ids = vocabulary
        self.tokens = {number: token for token, number in vocabulary.items()}
        self._words: dict[str, Word] = {}

    @property
    def size(self) -> int:
        """Number of tokens."""
        return len(self.ids)

    def word(self, text: str) -> Word:
        """Return the tokens of a word."""
        found = self._words.get(text)
        if found is None:
            found = self.split(text)
            if len(text) <= LONGEST_CACHED:
                if len(self._words) >= CACHED_WORDS:
                    self._words.clear()
                self._words[text] = found
        return found

    def split(self, text: str) -> Word:
        """Compute the tokens of a word."""
        raise NotImplementedError

    def unknown(self, token: str | None, text: str) -> Word:
        """Return the token of an unknown word."""
        if token is None or token not in self.ids:
            raise ModelError(
                f"encode: vocabulary has no token for unknown words; got {text!r:.40}; use a "
                "tokenizer with an unknown token"
            )
        return Word((self.ids[token],), (token,), ((0, len(text)),))


def model_of(data: Any) -> Model:
    """Return the model of a description in a file."""
    if not isinstance(data, dict):
        raise malformed("model must be an object", f"{data!r:.80}")
    kind = data.get("type") or _guessed(data)
    if kind not in MODELS:
        raise ModelError(
            f"load: model is of an unknown type; got {kind!r:.40}; use a tokenizer with "
            f"{', '.join(MODELS)}"
        )
    return MODELS[kind](Part("model", {**data, "type": kind}))


def _guessed(data: dict[str, Any]) -> str:
    """Return the type of a model in an old file without it."""
    if "merges" in data:
        return "BPE"
    if isinstance(data.get("vocab"), list):
        return "Unigram"
    return "WordPiece" if "continuing_subword_prefix" in data else "WordLevel"


def _vocabulary(part: Part) -> dict[str, int]:
    vocabulary: dict[str, int] = part.get("vocab", dict)
    if not all(type(number) is int and number >= 0 for number in vocabulary.values()):
        raise malformed("vocabulary must have integers", f"{len(vocabulary)} tokens")
    return vocabulary


# --- byte-pair encoding ---------------------------------------------------------------------------


class BytePairs(Model):
    """Byte-pair encoding: the neighbours with the lowest rank are merged until none has one."""

    def __init__(self, part: Part) -> None:
        super().__init__(_vocabulary(part))
        self._prefix = part.get("continuing_subword_prefix", str, None) or ""
        self._suffix = part.get("end_of_word_suffix", str, None) or ""
        self._unknown = part.get("unk_token", str, None)
        self._fuses = part.get("fuse_unk", bool, False)
        self._has_bytes = part.get("byte_fallback", bool, False)
        self._whole_words = part.get("ignore_merges", bool, False)
        if part.get("dropout", (float, int), 0):
            raise ModelError(
                "load: dropout makes tokens random; got "
                f"{part.data['dropout']}; set it to null in the file"
            )
        self._ranks = _ranks(part.get("merges", list), self.ids, len(self._prefix))
        self._parts = _cuts(self.ids, self._ranks, self._prefix + self._suffix)

    def split(self, text: str) -> Word:
        """Compute the tokens of a word."""
        if self._whole_words and text in self.ids:
            return Word((self.ids[text],), (text,), ((0, len(text)),))
        if self._parts is None or len(text) < 8:
            return self._merged(text)
        ids, tokens, spans, start = list[int](), list[str](), list[tuple[int, int]](), 0
        for part in self._parts.findall(text):
            word = self._remembered(part)
            ids += word.ids
            tokens += word.tokens
            spans += [(first + start, last + start) for first, last in word.spans]
            start += len(part)
        return Word(tuple(ids), tuple(tokens), tuple(spans))

    def _remembered(self, part: str) -> Word:
        """Return the tokens of a part of a text, where no merge leads out of it."""
        found = self._words.get(part)
        if found is None:
            found = self._merged(part)
            if len(part) <= LONGEST_CACHED and len(self._words) < CACHED_WORDS:
                self._words[part] = found
        return found

    def _merged(self, text: str) -> Word:
        symbols, sizes = self._symbols(text)
        if len(symbols) > 1:
            merge = _merge_few if len(symbols) <= SHORT else _merge_many
            merge(symbols, sizes, self._ranks, len(self._prefix))
        ids = self.ids
        spans, at = [], 0.0
        for size in sizes:
            spans.append((int(at), math.ceil(at + size)))
            at += size
        return Word(tuple([ids[symbol] for symbol in symbols]), tuple(symbols), tuple(spans))

    def _symbols(self, text: str) -> tuple[list[str], list[float]]:
        """Return the symbols of a word's characters, and the number of characters of each.

        The bytes of a character are fractions of it.
        """
        ids = self.ids
        chars = list(text)
        if self._prefix:
            chars[1:] = [self._prefix + char for char in chars[1:]]
        if self._suffix:
            chars[-1] += self._suffix
        if all(map(ids.__contains__, chars)):
            return chars, [1] * len(chars)
        symbols: list[str] = []
        sizes: list[float] = []
        unknown = 0

        def end_unknown() -> None:
            if unknown:
                symbols.append(self._unknown or "")
                sizes.append(unknown)

        for at, char in enumerate(chars):
            if char in ids:
                end_unknown()
                unknown = 0
                symbols.append(char)
                sizes.append(1)
                continue
            if self._has_bytes:
                codes = [f"<0x{byte:02X}>" for byte in char.encode("utf-8", "surrogatepass")]
                if all(map(ids.__contains__, codes)):
                    # The package keeps unknown characters before it waiting, as here.
                    symbols += codes
                    sizes += _fractions(len(codes))
                    continue
            if self._unknown is None:
                continue
            self.unknown(self._unknown, text[at])
            if not self._fuses:
                end_unknown()
                unknown = 0
            unknown += 1
        end_unknown()
        return symbols, sizes


def _fractions(count: int) -> list[float]:
    """Return `count` sizes that add up to 1 exactly, so that byte positions stay exact."""
    return {1: [1.0], 2: [0.5, 0.5], 3: [0.25, 0.25, 0.5]}.get(count, [0.25] * count)


def _ranks(merges: list[Any], ids: dict[str, int], prefix: int) -> dict[tuple[str, str], int]:
    """Return the ranks of pairs; raise ModelError if the vocabulary lacks a merge's tokens."""
    ranks: dict[tuple[str, str], int] = {}
    for rank, merge in enumerate(merges):
        sides = merge.split(" ") if isinstance(merge, str) else merge
        pair = tuple(sides) if isinstance(sides, list) else ()
        if len(pair) != 2 or not all(isinstance(side, str) and side in ids for side in pair):
            raise malformed("merge needs two tokens of the vocabulary", f"{merge!r:.60}")
        if pair[0] + pair[1][prefix:] not in ids:
            raise malformed("result of a merge is not in the vocabulary", f"{merge!r:.60}")
        ranks[pair] = rank
    return ranks


_SPACE = "\u2581"


def _cuts(
    ids: dict[str, int], ranks: dict[tuple[str, str], int], affixes: str
) -> re.Pattern[str] | None:
    """Return the pattern of the parts of a text that no merge joins; None if there are none.

    Texts of SentencePiece are one word. If no merge has the mark of a space after another
    character, merges never lead over such a place.
    """
    if affixes or _SPACE not in ids:
        return None
    inner = re.compile(f"[^{_SPACE}]{_SPACE}")
    if any(_SPACE in right and inner.search(left + right) for left, right in ranks):
        return None
    return re.compile(f"{_SPACE}+[^{_SPACE}]*|[^{_SPACE}]+")


def _merge_few(
    symbols: list[str], sizes: list[float], ranks: dict[tuple[str, str], int], prefix: int
) -> None:
    """Merge the pair with the lowest rank, the first one of several, until none has a rank."""
    none = len(ranks) << 1 | 1
    own = [ranks.get(pair, none) for pair in pairwise(symbols)]
    while own:
        lowest = min(own)
        if lowest == none:
            return
        at = own.index(lowest)
        symbols[at] += symbols.pop(at + 1)[prefix:]
        sizes[at] += sizes.pop(at + 1)
        del own[at]
        if at:
            own[at - 1] = ranks.get((symbols[at - 1], symbols[at]), none)
        if at < len(own):
            own[at] = ranks.get((symbols[at], symbols[at + 1]), none)


def _merge_many(
    symbols: list[str], sizes: list[float], ranks: dict[tuple[str, str], int], prefix: int
) -> None:
    """Do the same for many symbols, with a heap of pairs."""
    count = len(symbols)
    texts: list[str | None] = list(symbols)
    after = list(range(1, count + 1))
    before = list(range(-1, count - 1))
    heap = [(ranks[pair], at, pair) for at, pair in enumerate(pairwise(symbols)) if pair in ranks]
    heapq.heapify(heap)
    while heap:
        _, at, pair = heapq.heappop(heap)
        right = after[at]
        if texts[at] != pair[0] or right >= count or texts[right] != pair[1]:
            continue
        merged = pair[0] + pair[1][prefix:]
        texts[at], texts[right] = merged, None
        sizes[at] += sizes[right]
        following = after[at] = after[right]
        if following < count:
            before[following] = at
        for left, other in ((before[at], at), (at, following)):
            if left >= 0 and other < count:
                new = texts[left] or "", texts[other] or ""
                if new in ranks:
                    heapq.heappush(heap, (ranks[new], left, new))
    kept = [at for at, text in enumerate(texts) if text is not None]
    sizes[:] = [sizes[at] for at in kept]
    symbols[:] = [text for text in texts if text is not None]


# --- whole words ----------------------------------------------------------------------------------


class WordPieces(Model):
    """WordPiece: the longest token that begins the rest of a word, again and again."""

    def __init__(self, part: Part) -> None:
        super().__init__(_vocabulary(part))
        self._unknown = part.get("unk_token", str, "[UNK]")
        self._prefix = part.get("continuing_subword_prefix", str, "##")
        self._most = part.get("max_input_chars_per_word", int, 100)
        self._longest = max(map(len, self.ids), default=0)

    def split(self, text: str) -> Word:
        """Compute the tokens of a word."""
        ids, tokens, spans = list[int](), list[str](), list[tuple[int, int]]()
        start = 0 if len(text) <= self._most else -1
        while 0 <= start < len(text):
            prefix = self._prefix if start else ""
            for stop in range(min(len(text), start + self._longest), start, -1):
                token = prefix + text[start:stop]
                if token in self.ids:
                    ids.append(self.ids[token])
                    tokens.append(token)
                    spans.append((start, stop))
                    start = stop
                    break
            else:
                start = -1
        if start < 0:
            return self.unknown(self._unknown, text)
        return Word(tuple(ids), tuple(tokens), tuple(spans))


class WholeWords(Model):
    """WordLevel: a token for each word."""

    def __init__(self, part: Part) -> None:
        super().__init__(_vocabulary(part))
        self._unknown = part.get("unk_token", str, "<unk>")

    def split(self, text: str) -> Word:
        """Compute the token of a word."""
        if text not in self.ids:
            return self.unknown(self._unknown, text)
        return Word((self.ids[text],), (text,), ((0, len(text)),))


# --- unigram --------------------------------------------------------------------------------------

UNKNOWN_PENALTY = 10.0
"""Difference of the score of unknown characters to the lowest score of a token."""


class Unigrams(Model):
    """Unigram: the tokens with the largest sum of scores, by Viterbi's algorithm.

    Source: Kudo, "Subword Regularization", https://arxiv.org/abs/1804.10959.
    """

    def __init__(self, part: Part) -> None:
        rows = part.get("vocab", list)
        try:
            self._rows = [(str(token), float(score)) for token, score in rows]
        except (TypeError, ValueError):
            raise malformed("vocabulary must have pairs of token and score", "others") from None
        super().__init__({token: number for number, (token, _) in enumerate(self._rows)})
        self.tokens = {number: token for number, (token, _) in enumerate(self._rows)}
        self._unknown: int | None = part.get("unk_id", int, None)
        if self._unknown is not None and not 0 <= self._unknown < len(self._rows):
            raise malformed("unk_id is not in the vocabulary", f"{self._unknown}")
        self._has_bytes = part.get("byte_fallback", bool, False)
        self._scores = {token: self._rows[number][1] for token, number in self.ids.items()}
        lowest = min((score for _, score in self._rows), default=math.inf)
        self._unknown_score = lowest - UNKNOWN_PENALTY
        self._lengths = _lengths(self.ids)

    @property
    def size(self) -> int:
        """Number of tokens."""
        return len(self._rows)

    def split(self, text: str) -> Word:
        """Compute the tokens of a word."""
        ids, tokens, spans = list[int](), list[str](), list[tuple[int, int]]()
        for start, stop in self._best(text):
            token = text[start:stop]
            number = self.ids.get(token)
            names = [token]
            if number is None and self._has_bytes:
                codes = [f"<0x{byte:02X}>" for byte in token.encode("utf-8", "surrogatepass")]
                if all(map(self.ids.__contains__, codes)):
                    names = codes
            if number is None and self._unknown is None and names == [token]:
                self.unknown(None, token)
            tokens += names
            ids += [self.ids.get(name, self._unknown or 0) for name in names]
            spans += [(start, stop)] * len(names)
        return Word(tuple(ids), tuple(tokens), tuple(spans))

    def _best(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of the best tokens; unknown ones next to each other are one span."""
        count = len(text)
        totals: list[float | None] = [0.0, *[None] * count]
        starts = [0] * (count + 1)
        scores, lengths, penalty = self._scores, self._lengths, self._unknown_score
        for start in range(count):
            here = totals[start]
            assert here is not None
            has_single = False
            for length in lengths.get(text[start : start + 2]) or lengths.get(text[start]) or ():
                stop = start + length
                if stop > count:
                    break
                score = scores.get(text[start:stop])
                if score is None:
                    continue
                has_single = has_single or length == 1
                before = totals[stop]
                if before is None or score + here > before:
                    totals[stop], starts[stop] = score + here, start
            if not has_single:
                before = totals[start + 1]
                if before is None or penalty + here > before:
                    totals[start + 1], starts[start + 1] = penalty + here, start
        spans: list[tuple[int, int]] = []
        stop, was_known, unknown = count, True, self._unknown
        while stop:
            start = starts[stop]
            is_known = self.ids.get(text[start:stop], unknown) != unknown
            if is_known or was_known:
                spans.append((start, stop))
            else:
                spans[-1] = start, spans[-1][1]
            was_known = is_known
            stop = start
        return spans[::-1]


def _lengths(tokens: Iterable[str]) -> dict[str, list[int]]:
    """Return the sorted lengths of tokens by their first two characters, or by a single one."""
    found: dict[str, set[int]] = {}
    singles = set()
    for token in tokens:
        if len(token) > 1:
            found.setdefault(token[:2], set()).add(len(token))
        elif token:
            singles.add(token)
    lengths = {
        start: sorted(own | {1} if start[0] in singles else own) for start, own in found.items()
    }
    return lengths | {char: [1] for char in singles}


MODELS: dict[str, Callable[[Part], Model]] = {
    "BPE": BytePairs,
    "WordPiece": WordPieces,
    "WordLevel": WholeWords,
    "Unigram": Unigrams,
}
"""Classes of models by type."""
