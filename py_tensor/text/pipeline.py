"""The way of a text through the parts of a tokenizer: added tokens, words, tokens, limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from ..errors import ArgumentError, ArgumentTypeError
from . import decoders
from .added_tokens import AddedTokens
from .aligned import Piece
from .byte_characters import shown
from .decoding import Decoding
from .encoding import COLUMNS, Encoding, joined
from .limits import Truncation, padding_of, truncated, truncation_of
from .models import CACHED_WORDS, LONGEST_CACHED, Word, model_of
from .normalizers import normalizer_of
from .post_processors import post_processor_of
from .pre_tokenizers import splitter_of


class Columns(NamedTuple):
    """Tokens with their places in a text and the numbers of their words."""

    ids: list[int]
    tokens: list[str]
    spans: list[tuple[int, int]]
    words: list[int]

    def add(
        self,
        ids: Iterable[int],
        tokens: Iterable[str],
        spans: Iterable[tuple[int, int]],
        words: Iterable[int],
    ) -> None:
        """Add tokens."""
        self.ids.extend(ids)
        self.tokens.extend(tokens)
        self.spans.extend(spans)
        self.words.extend(words)


def _remember(known: dict[str, Any], text: str, value: Any) -> None:
    if len(text) <= LONGEST_CACHED:
        if len(known) >= CACHED_WORDS:
            known.clear()
        known[text] = value


class Pipeline(Decoding):
    """Part of `Tokenizer` that splits texts."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._model = model_of(data.get("model"))
        normalizer = normalizer_of(data.get("normalizer"))
        self._added = AddedTokens(data.get("added_tokens", []), self._model, normalizer)
        self._splitter = splitter_of(data.get("pre_tokenizer"))
        self._post_processor = post_processor_of(data.get("post_processor"))
        self._decoder = decoders.decoder_of(data.get("decoder"))
        self._truncation = truncation_of(data.get("truncation"))
        self._padding = padding_of(data.get("padding"))
        self._words: dict[str, Word] = {}
        self._first, self._rest = self._splitter.parted()
        self._is_local = self._splitter.is_local
        self._found_ids: dict[str, tuple[int, ...]] = {}
        self._found_words: dict[str, tuple[Columns, int]] = {}
        self._word: Callable[[str], Word] = self._model.word
        if self._splitter.bytes_last:
            self._word = self._word_of_bytes

    def _batch(
        self,
        texts: Sequence[str],
        pairs: Sequence[str] | None,
        adds: bool,
        max_length: int | None,
        columns: Sequence[str],
    ) -> list[Encoding]:
        if not isinstance(texts, (list, tuple)):
            raise ArgumentTypeError(
                f"encode_batch: texts must be a list; got {type(texts).__name__}; use [text]"
            )
        if pairs is not None and (not isinstance(pairs, (list, tuple)) or len(pairs) != len(texts)):
            raise ArgumentError(
                "encode_batch: pairs must be a list of as many texts; got "
                f"{pairs!r:.60} for {len(texts)} texts; give one for each"
            )
        return [
            self._encoded(text, pair, adds, max_length, columns, "encode_batch")
            for text, pair in zip(texts, pairs or [None] * len(texts), strict=True)
        ]

    def _encoded(
        self,
        text: str,
        pair: str | None,
        adds: bool,
        max_length: int | None,
        columns: Sequence[str],
        operation: str,
    ) -> Encoding:
        texts = [text] if pair is None else [text, pair]
        for one in texts:
            if not isinstance(one, str):
                raise ArgumentTypeError(
                    f"{operation}: text must be a str; got {type(one).__name__}; convert it"
                )
        encodings = [
            self._tokens(one, number, len(columns) == len(COLUMNS))
            for number, one in enumerate(texts)
        ]
        truncation = self._truncation
        if max_length is not None:
            if type(max_length) is not int or max_length < 0:
                raise ArgumentError(
                    f"{operation}: max_length must be an int of at least 0; got "
                    f"{max_length!r:.40}; use another limit"
                )
            truncation = (truncation or Truncation(0))._replace(max_length=max_length)
        processor = self._post_processor
        if truncation is not None:
            count = processor.added[len(texts) - 1] if processor and adds else 0
            encodings = truncated(encodings, truncation, count, operation)
        if processor is not None:
            encodings = processor.apply(encodings, adds)
        encoding = joined(encodings)
        if self._padding is not None and columns is COLUMNS:
            return self._padding.applied([encoding])[0]
        return encoding

    def _tokens(self, text: str, type_id: int, is_complete: bool) -> Encoding:
        """Return the tokens of a text."""
        found, number = Columns([], [], [], []), 0
        has_places = is_complete or not self._is_local
        for piece, token in self._added.segments(Piece(text, 0 if has_places else None)):
            if token is not None:
                found.add([token], [piece.text], [piece.offsets(0, len(piece.text))], [number])
                number += 1
            elif is_complete:
                number = self._add(piece, found, number)
            else:
                self._add_ids(piece, found.ids)
        count = len(found.ids)
        columns: dict[str, list[Any]] = {
            "ids": found.ids,
            "type_ids": [type_id] * count,
            "special_tokens_mask": [0] * count,
            "attention_mask": [1] * count,
        }
        if is_complete:
            columns |= {"tokens": found.tokens, "offsets": found.spans, "word_ids": found.words}
        return Encoding(columns)

    def _add_ids(self, piece: Piece, ids: list[int]) -> None:
        """Add the tokens of a piece of text, without their places."""
        word = self._word
        if not self._is_local:
            for part in self._splitter.apply([piece]):
                ids += word(part.text).ids
            return
        if self._first is None:
            for text in self._splitter.texts([piece.text]):
                ids += word(text).ids
            return
        known = self._found_ids
        for text in self._first.texts(piece.text):
            found = known.get(text)
            if found is None:
                parts = self._rest.texts([text])
                found = tuple([number for part in parts for number in word(part).ids])
                _remember(known, text, found)
            ids += found

    def _add(self, piece: Piece, columns: Columns, number: int) -> int:
        """Add the tokens of a piece of text; return the number of the next word."""
        if self._first is None:
            return self._add_words(self._splitter.apply([piece]), columns, number)
        known, (content, places) = self._found_words, piece
        for start, stop in self._first.matches(content):
            text = content[start:stop]
            if not text:
                continue
            found = known.get(text)
            if found is None:
                own = Columns([], [], [], [])
                found = own, self._add_words(self._rest.apply([Piece(text, 0)]), own, 0)
                _remember(known, text, found)
            (ids, tokens, spans, words), count = found
            if isinstance(places, int):
                first = places + start
                spans = [(first + i, first + j) for i, j in spans]
            elif places is not None:
                starts, ends = places
                spans = [(starts[start + i], ends[start + j - 1]) for i, j in spans]
            columns.add(ids, tokens, spans, [number + word for word in words])
            number += count
        return number

    def _add_words(self, pieces: list[Piece], columns: Columns, number: int) -> int:
        """Add the tokens of words; return the number of the next one."""
        ids, tokens, spans, words = columns
        word = self._word
        for text, places in pieces:
            found = word(text)
            ids += found.ids
            tokens += found.tokens
            words += [number] * len(found.ids)
            if isinstance(places, int):
                spans += [(start + places, stop + places) for start, stop in found.spans]
            else:
                own = Piece(text, places)
                spans += [own.offsets(start, stop) for start, stop in found.spans]
            number += 1
        return number

    def _word_of_bytes(self, text: str) -> Word:
        """Return the tokens of a word whose bytes are written as characters for the model."""
        found = self._words.get(text)
        if found is None:
            found = self._model.split(shown(text))
            if not text.isascii():
                at = [
                    number
                    for number, char in enumerate(text)
                    for _ in char.encode("utf-8", "surrogatepass")
                ]
                spans = [(at[start], at[stop - 1] + 1) for start, stop in found.spans]
                found = found._replace(spans=tuple(spans))
            _remember(self._words, text, found)
        return found
