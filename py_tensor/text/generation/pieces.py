"""Generate text with a language model, piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from time import perf_counter
from typing import Any

from ... import functions as F
from ...tensor import Tensor
from .patterns import Grammar
from .steps import Decoding, KnownTokens


@dataclass
class _Row:
    """Text of one prompt."""

    stream: Any
    text: str = ""
    """Text that was made, without what may be the start of a stop word."""
    held: str = ""
    is_finished: bool = False

    def take(self, token: int, stops: Sequence[str]) -> str:
        """Add a token; return the text that is certain."""
        self.held += self.stream.step(token)
        at = min((at for stop in stops if (at := self.held.find(stop)) >= 0), default=-1)
        if at >= 0:
            self.held, self.is_finished = self.held[:at], True
            return self.rest()
        kept = max((_overlap(self.held, stop) for stop in stops), default=0)
        return self._release(len(self.held) - kept)

    def rest(self) -> str:
        """Return the text that was held back, with the replacement of half a character."""
        if not self.is_finished:
            self.held += self.stream.finish()
        return self._release(len(self.held))

    def _release(self, count: int) -> str:
        piece, self.held = self.held[:count], self.held[count:]
        self.text += piece
        return piece


def _overlap(text: str, stop: str) -> int:
    """Return how many characters at the end of a text may be the start of a stop word."""
    longest = min(len(text), len(stop) - 1)
    return next((n for n in range(longest, 0, -1) if text.endswith(stop[:n])), 0)


class Generation:
    """Text that a language model is making: iterate over its pieces as they are made.

    `LanguageModel.generate` makes it. `async for piece in generation` waits for the device without
    blocking the page; `for piece in generation` blocks. A piece is a string of whole characters;
    for a list of prompts it is a list with a string for each. Leaving the loop or calling `stop`
    ends the work after the token that is being computed.

    Attributes:
        text: Text so far, or a list of texts.
        count: Number of tokens that were read for each prompt.
        reason: Why it ended: "stop" for a token or a word that ends it, "length" for the largest
            number of tokens, "stopped" after `stop`; None while it goes on.
        first_seconds: Seconds from the start to the first token.
        tokens_per_second: Tokens of one prompt per second, after the first.

    >>> import py_tensor as pt
    >>> letters = {letter: at for at, letter in enumerate("abcdefgh ")}
    >>> model = {"type": "BPE", "vocab": letters, "merges": []}
    >>> file = {"model": model, "decoder": {"type": "Fuse"}}
    >>> decoder = pt.nn.CausalDecoder(pt.nn.DecoderOptions(len(letters), 16, 2, 4, 32))
    >>> model = pt.text.LanguageModel(decoder, pt.text.Tokenizer(file))
    >>> generation = model.generate("a face", max_tokens=4)
    >>> len("".join(generation)), generation.count, generation.reason
    (4, 4, 'length')
    """

    def __init__(
        self,
        decoding: Callable[[], Decoding],
        streams: Sequence[Any],
        is_batch: bool,
        most: int,
        ends: frozenset[int],
        stops: Sequence[str],
        known: KnownTokens | None,
        grammars: Sequence[Grammar] = (),
    ) -> None:
        self._make = decoding
        self._decoding: Decoding | None = None
        self._rows = [_Row(stream) for stream in streams]
        self._is_batch = is_batch
        self._most = most
        self._ends = ends
        self._stops = stops
        self._known = known
        self._grammars = grammars
        self._pending: Tensor | None = None
        self._fed: list[int] = []
        self.count = 0
        self.reason: str | None = None
        self.first_seconds = 0.0
        self._started = self._first = self._last = 0.0

    @property
    def text(self) -> Any:
        """Text so far, or a list of texts."""
        texts = [row.text for row in self._rows]
        return texts if self._is_batch else texts[0]

    @property
    def tokens_per_second(self) -> float:
        """Tokens of one prompt per second, after the first; 0.0 before the second one."""
        seconds = self._last - self._first
        return (self.count - 1) / seconds if self.count > 1 and seconds > 0 else 0.0

    def stop(self) -> None:
        """End the generation after the token that is being computed.

        >>> import py_tensor as pt
        >>> letters = {letter: at for at, letter in enumerate("abcdefgh ")}
        >>> model = {"type": "BPE", "vocab": letters, "merges": []}
        >>> file = {"model": model, "decoder": {"type": "Fuse"}}
        >>> decoder = pt.nn.CausalDecoder(pt.nn.DecoderOptions(len(letters), 16, 2, 4, 32))
        >>> model = pt.text.LanguageModel(decoder, pt.text.Tokenizer(file))
        >>> generation = model.generate("a face")
        >>> for piece in generation:
        ...     generation.stop()
        >>> generation.reason
        'stopped'
        """
        self._finish("stopped")

    def __aiter__(self) -> Generation:
        return self

    async def __anext__(self) -> Any:
        while (tensor := self._begin()) is not None:
            piece = self._take((await tensor.data()).tolist())
            if self._is_visible(piece):
                return piece
        raise StopAsyncIteration

    def __iter__(self) -> Generation:
        return self

    def __next__(self) -> Any:
        while (tensor := self._begin()) is not None:
            piece = self._take(tensor.tolist())
            if self._is_visible(piece):
                return piece
        raise StopIteration

    def _is_visible(self, piece: Any) -> bool:
        return any(piece) if self._is_batch else bool(piece)

    def _begin(self) -> Tensor | None:
        """Return the tokens to be read next, after submitting those that follow them."""
        if self.reason is not None:
            return None
        if self._decoding is None:
            self._started = perf_counter()
            self._decoding = self._make()
        if self._grammars:
            # They must know a token before the next one is computed.
            return self._decoding.next(F.stack([grammar.mask() for grammar in self._grammars]))
        tensor = self._decoding.next() if self._pending is None else self._pending
        self._pending = self._decoding.next() if self.count + 1 < self._most else None
        return tensor

    def _take(self, tokens: list[int]) -> Any:
        """Return the pieces of tokens that were read."""
        self._last = perf_counter()
        if not self.count:
            self._first, self.first_seconds = self._last, self._last - self._started
        self.count += 1
        self._fed.append(tokens[0])
        pieces = []
        for row, grammar, token in zip_longest(self._rows, self._grammars, tokens):
            if row.is_finished:
                pieces.append("")
            elif token in self._ends:
                pieces.append(row.rest())
                row.is_finished = True
            else:
                pieces.append(row.take(token, self._stops))
                if grammar is not None:
                    grammar.take(token)
                if grammar is not None and grammar.is_complete and not row.is_finished:
                    pieces[-1] += row.rest()
                    row.is_finished = True
        if all(row.is_finished for row in self._rows):
            self._finish("stop")
        elif self.count >= self._most:
            pieces = [piece + row.rest() for piece, row in zip(pieces, self._rows, strict=True)]
            self._finish("length")
        return pieces if self._is_batch else pieces[0]

    def _finish(self, reason: str) -> None:
        """End the work, and keep what a longer prompt can continue from."""
        if self.reason is not None:
            return
        self.reason, self._pending = reason, None
        decoding, self._decoding = self._decoding, None
        if decoding is not None and self._known is not None:
            self._known.keep(decoding, self._fed)
