"""The way of a text through the parts of a tokenizer: added tokens, words, tokens, limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import ArgumentError, ArgumentTypeError
from . import decoders
from .added_tokens import AddedTokens
from .byte_characters import shown
from .decoding import Decoding
from .encoding import COLUMNS, Encoding, joined
from .limits import Truncation, padding_of, truncated, truncation_of
from .models import CACHED_WORDS, LONGEST_CACHED, Word, model_of
from .normalizers import normalizer_of
from .post_processors import post_processor_of
from .pre_tokenizers import splitter_of


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
        ids: list[int] = []
        tokens: list[str] = []
        offsets: list[tuple[int, int]] = []
        words: list[int | None] = []
        word, number = self._word, 0
        for piece, token in self._added.segments(text):
            if token is not None:
                ids.append(token)
                if is_complete:
                    tokens.append(piece.text)
                    offsets.append(piece.offsets(0, len(piece.text)))
                    words.append(number)
                number += 1
                continue
            if not is_complete:
                for own_text in self._splitter.texts(piece):
                    ids += word(own_text).ids
                continue
            for own in self._splitter.apply([piece]):
                found = word(own.text)
                ids += found.ids
                tokens += found.tokens
                places = own.places
                if isinstance(places, int):
                    offsets += [(start + places, stop + places) for start, stop in found.spans]
                else:
                    offsets += [own.offsets(start, stop) for start, stop in found.spans]
                words += [number] * len(found.ids)
                number += 1
        count = len(ids)
        columns: dict[str, list[Any]] = {
            "ids": ids,
            "type_ids": [type_id] * count,
            "special_tokens_mask": [0] * count,
            "attention_mask": [1] * count,
        }
        if is_complete:
            columns |= {"tokens": tokens, "offsets": offsets, "word_ids": words}
        return Encoding(columns)

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
            if len(text) <= LONGEST_CACHED:
                if len(self._words) >= CACHED_WORDS:
                    self._words.clear()
                self._words[text] = found
        return found
