"""Texts of tokens, all at once or one after the other."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from typing import Any

from ..errors import ArgumentTypeError
from . import decoders
from .added_tokens import AddedTokens
from .byte_characters import bytes_of
from .models import Model


class Decoding:
    """Part of `Tokenizer` that knows the vocabulary."""

    _model: Model
    _added: AddedTokens
    _decoder: decoders.Decoder | None

    def __len__(self) -> int:
        model = self._model
        return model.size + sum(token not in model.ids for token in self._added.ids)

    def token_to_id(self, token: str) -> int | None:
        """Return the number of a token; None if there is none.

        >>> import py_tensor as pt
        >>> file = {"model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1}, "unk_token": "a"}}
        >>> pt.text.Tokenizer(file).token_to_id("b")
        1
        """
        return self._added.ids.get(token, self._model.ids.get(token))

    def id_to_token(self, number: int) -> str | None:
        """Return the token of a number; None if there is none.

        >>> import py_tensor as pt
        >>> file = {"model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1}, "unk_token": "a"}}
        >>> pt.text.Tokenizer(file).id_to_token(1)
        'b'
        """
        return self._added.shown.get(number, self._model.tokens.get(number))

    # --- decoding -------------------------------------------------------------------------------

    def decode(self, ids: Any, skip_special_tokens: bool = True) -> str:
        """Return the text of tokens.

        Args:
            ids: List or one-dimensional tensor of the numbers of tokens. Unknown ones are left
                out.
            skip_special_tokens: True (default) to leave out special tokens.

        Returns:
            Text. Bytes that are not UTF-8 become U+FFFD.

        Raises:
            ArgumentTypeError: If the numbers are not integers.

        >>> import py_tensor as pt
        >>> model = {"type": "WordLevel", "vocab": {"a": 0, "b": 1}, "unk_token": "a"}
        >>> file = {"model": model, "decoder": {"type": "Fuse"}}
        >>> pt.text.Tokenizer(file).decode(pt.asarray([1, 0, 1]))
        'bab'
        """
        numbers = ids.tolist() if hasattr(ids, "tolist") else ids
        return self._text(self._shown(numbers, skip_special_tokens, "decode"))

    def _shown(self, ids: Iterable[int], skips: bool, operation: str) -> list[str]:
        """Return the texts of tokens."""
        if not isinstance(ids, (list, tuple)) or not all(type(number) is int for number in ids):
            raise ArgumentTypeError(
                f"{operation}: ids must be integers; got {ids!r:.60}; give a list or a "
                "one-dimensional tensor"
            )
        special = self._added.special if skips else set[str]()
        found = map(self.id_to_token, ids)
        return [token for token in found if token is not None and token not in special]

    def _text(self, tokens: list[str]) -> str:
        """Return the text of the texts of tokens."""
        if self._decoder is None:
            return " ".join(tokens)
        return "".join(self._decoder(tokens)) if tokens else ""

    def decode_stream(self, skip_special_tokens: bool = True) -> DecodeStream:
        """Return an object that decodes tokens one after the other.

        Args:
            skip_special_tokens: True (default) to leave out special tokens.

        Returns:
            `DecodeStream`.

        >>> import py_tensor as pt
        >>> model = {"type": "WordLevel", "vocab": {"a": 0, "b": 1}, "unk_token": "a"}
        >>> stream = pt.text.Tokenizer({"model": model}).decode_stream()
        >>> [stream.step(1), stream.step(0)]
        ['b', ' a']
        """
        return DecodeStream(self, skip_special_tokens)


class DecodeStream:
    """Decodes tokens one after the other; the texts of all steps are that of `decode`.

    >>> import py_tensor as pt
    >>> model = {"type": "BPE", "vocab": {"Ã": 0, "©": 1, "!": 2}, "merges": []}
    >>> file = {"model": model, "decoder": {"type": "ByteLevel"}}
    >>> stream = pt.text.Tokenizer(file).decode_stream()
    >>> [stream.step(0), stream.step(1), stream.step(2), stream.finish()]
    ['', 'é', '!', '']
    """

    def __init__(self, tokenizer: Decoding, skip_special_tokens: bool) -> None:
        self._tokenizer = tokenizer
        self._skips = skip_special_tokens
        is_bytes = tokenizer._decoder is decoders.byte_level
        self._bytes = codecs.getincrementaldecoder("utf-8")("replace") if is_bytes else None
        self._tokens: list[str] = []
        """Tokens of the last text that was returned, and those after it."""
        self._done = 0
        """Number of these tokens whose text was returned."""

    def step(self, number: int) -> str:
        """Return the text that is complete after another token; "" if none is.

        Raises:
            ArgumentTypeError: If the number is not an integer.

        >>> import py_tensor as pt
        >>> model = {"type": "WordLevel", "vocab": {"a": 0, "b": 1}, "unk_token": "a"}
        >>> pt.text.Tokenizer({"model": model}).decode_stream().step(1)
        'b'
        """
        tokens = self._tokenizer._shown([number], self._skips, "step")
        if self._bytes is not None:
            return self._bytes.decode(b"".join(map(bytes_of, tokens)))
        self._tokens += tokens
        # A run of bytes may go on, and is decoded as a whole.
        if not tokens or re.fullmatch("<0x[0-9a-fA-F]{2}>", tokens[0]):
            return ""
        return self._more()

    def finish(self) -> str:
        """Return the rest of the text, where characters may be incomplete.

        >>> import py_tensor as pt
        >>> model = {"type": "BPE", "vocab": {"Ã": 0}, "merges": []}
        >>> file = {"model": model, "decoder": {"type": "ByteLevel"}}
        >>> stream = pt.text.Tokenizer(file).decode_stream()
        >>> stream.step(0), stream.finish()
        ('', '\ufffd')
        """
        if self._bytes is not None:
            return self._bytes.decode(b"", final=True)
        return self._more()

    def _more(self) -> str:
        text = self._tokenizer._text(self._tokens)
        before = self._tokenizer._text(self._tokens[: self._done])
        new = text[len(before) :] if text.startswith(before) else ""
        if new:
            self._tokens = self._tokens[self._done :]
            self._done = len(self._tokens)
        return new
