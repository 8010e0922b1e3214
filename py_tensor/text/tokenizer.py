"""Tokenizers from files of transformers and llama.cpp."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import functions as F
from ..dtypes import int32
from ..errors import ArgumentError
from ..tensor import Tensor
from .chat_templates import Chats, templates_of
from .encoding import COLUMNS, NUMBERS, Encoding
from .files import read, settings_of
from .limits import Padding
from .pipeline import Pipeline

SPECIAL = (
    "bos_token",
    "eos_token",
    "unk_token",
    "sep_token",
    "pad_token",
    "cls_token",
    "mask_token",
)
"""Names of special tokens in tokenizer_config.json, which templates may use."""


class Tokenizer(Pipeline, Chats):
    """Splits texts into the tokens of a model, and joins tokens to texts.

    The package `tokenizers` of Hugging Face gives the same ids, tokens and offsets for the same
    file. Models: byte-pair encoding, WordPiece, Unigram and WordLevel.

    Args:
        file: Content of a `tokenizer.json` as a dict, text or bytes; or bytes of a `vocab.txt` of
            BERT, or of a GGUF file with a vocabulary of the kinds "gpt2" and "llama".
        config: Content of a `tokenizer_config.json`, with special tokens and the chat template;
            None (default) for none.

    Attributes:
        chat_template: Template of Jinja2 for `apply_chat_template`; None without one.
        special_tokens: Dict of the texts of special tokens, for example of "eos_token".
        model_max_length: Largest number of tokens of the model; None if the files name none.

    Raises:
        ModelError: If a file is not valid, or has parts of an unknown kind.

    >>> import py_tensor as pt
    >>> model = {"type": "WordLevel", "vocab": {"?": 0, "hello": 1, "world": 2}, "unk_token": "?"}
    >>> file = {"model": model, "pre_tokenizer": {"type": "Whitespace"}}
    >>> tokenizer = pt.text.Tokenizer(file)
    >>> tokenizer.encode("hello  new world").ids
    [1, 0, 2]
    >>> tokenizer.decode([1, 2])
    'hello world'
    """

    def __init__(self, file: Any, config: Any = None) -> None:
        data, own_config = read(file)
        super().__init__(data)
        settings = own_config | settings_of(config)
        self._inputs = settings.get("model_input_names")
        self._side = settings.get("padding_side")
        longest = settings.get("model_max_length")
        # transformers writes 10 ** 30 for models without a limit.
        is_limit = type(longest) is int and 0 < longest < 1 << 31
        self.model_max_length: int | None = longest if is_limit else None
        self._templates = templates_of(settings.get("chat_template"))
        self.chat_template = self._templates.get("default")
        self.special_tokens = {
            name: _text_of(settings[name]) for name in SPECIAL if settings.get(name) is not None
        }

    @classmethod
    async def load(cls, source: Any, *, headers: Mapping[str, str] | None = None) -> Tokenizer:
        """Load a tokenizer from a file, a folder, an address or a repository.

        The source is a `tokenizer.json`, next to which `tokenizer_config.json` and
        `chat_template.jinja` are read if they are there; or a `vocab.txt` of BERT, with the same
        files; or a GGUF file, of which only the metadata are read.

        Args:
            source: URL, `hf://owner/name`, path, bytes, file object, dict of files by name, or
                function that returns bytes, as for `pt.models.load`; or the content of a
                `tokenizer.json` as a dict.
            headers: Dict of headers to send to the URL's server; None (default) for none.

        Returns:
            Tokenizer.

        Raises:
            ModelError: If a file is missing or not valid.
            BackendError: If there is no file at a URL, or this is not a web page.

        >>> import asyncio
        >>> import py_tensor as pt
        >>> file = b'{"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}'
        >>> tokenizer = asyncio.run(pt.text.Tokenizer.load({"tokenizer.json": file}))
        >>> tokenizer.encode("a").ids
        [0]
        """
        from .loading import load_files

        return cls(*await load_files(source, headers))

    # --- encoding -------------------------------------------------------------------------------

    def encode(
        self,
        text: str,
        pair: str | None = None,
        add_special_tokens: bool = True,
        *,
        max_length: int | None = None,
    ) -> Encoding:
        """Return the tokens of a text, or of a pair of texts.

        Truncation and padding of the file are applied.

        Args:
            text: Text.
            pair: Second text; None (default) for none.
            add_special_tokens: True (default) to add the tokens that the model expects around
                texts.
            max_length: Largest number of tokens, with those that are added; None (default) for the
                limit of the file, if it has one.

        Returns:
            `Encoding`.

        Raises:
            ArgumentTypeError: If a text is not a str.
            ArgumentError: If texts cannot be truncated so much.
            ModelError: If a word is unknown, and the vocabulary has no token for such words.

        >>> import py_tensor as pt
        >>> model = {"type": "WordLevel", "vocab": {"?": 0, "a": 1}, "unk_token": "?"}
        >>> tokenizer = pt.text.Tokenizer(
        ...     {"model": model, "pre_tokenizer": {"type": "WhitespaceSplit"}}
        ... )
        >>> encoding = tokenizer.encode("a b", "a")
        >>> encoding.ids, encoding.type_ids, encoding.tokens
        ([1, 0, 1], [0, 0, 1], ['a', '?', 'a'])
        """
        return self._encoded(text, pair, add_special_tokens, max_length, COLUMNS, "encode")

    def encode_batch(
        self,
        texts: Sequence[str],
        pairs: Sequence[str] | None = None,
        add_special_tokens: bool = True,
        *,
        max_length: int | None = None,
    ) -> list[Encoding]:
        """Return the tokens of several texts, or of several pairs of texts.

        Args:
            texts: List of texts.
            pairs: List of as many second texts; None (default) for none.
            add_special_tokens: As for `encode`.
            max_length: As for `encode`.

        Returns:
            List of `Encoding`, padded to the same length if the file says so.

        Raises:
            ArgumentTypeError: If a text is not a str.
            ArgumentError: If the numbers of texts differ, or texts cannot be truncated so much.

        >>> import py_tensor as pt
        >>> file = {"model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1}, "unk_token": "a"}}
        >>> [one.ids for one in pt.text.Tokenizer(file).encode_batch(["b", "a"])]
        [[1], [0]]
        """
        encodings = self._batch(texts, pairs, add_special_tokens, max_length, COLUMNS)
        return self._padding.applied(encodings) if self._padding else encodings

    def __call__(
        self,
        texts: str | Sequence[str],
        pairs: str | Sequence[str] | None = None,
        *,
        add_special_tokens: bool = True,
        max_length: int | None = None,
        padding_side: str | None = None,
    ) -> dict[str, Tensor]:
        """Return the inputs of a model for some texts, as transformers does.

        Args:
            texts: Text, or list of texts.
            pairs: Second text, or list of as many second texts; None (default) for none.
            add_special_tokens: As for `encode`.
            max_length: As for `encode`.
            padding_side: "left" or "right": where shorter texts are padded; None (default) for the
                side of the files, or "right".

        Returns:
            Dict of int32 tensors, (texts, tokens): "input_ids", "attention_mask" and, if the model
            takes them, "token_type_ids". Shorter texts are padded with the padding token, that of
            the end, or 0; their attention mask is 0 there.

        Raises:
            ArgumentTypeError: If a text is not a str.
            ArgumentError: If the numbers of texts differ, or the side is unknown.

        >>> import py_tensor as pt
        >>> model = {"type": "WordLevel", "vocab": {"?": 0, "a": 1, "b": 2}, "unk_token": "?"}
        >>> file = {"model": model, "pre_tokenizer": {"type": "WhitespaceSplit"}}
        >>> inputs = pt.text.Tokenizer(file)(["a b a", "b"])
        >>> inputs["input_ids"].tolist(), inputs["attention_mask"].tolist()
        ([[1, 2, 1], [2, 0, 0]], [[1, 1, 1], [1, 0, 0]])
        """
        if isinstance(texts, str):
            texts = [texts]
        if isinstance(pairs, str):
            pairs = [pairs]
        side = padding_side or self._side or (self._padding and self._padding.side) or "right"
        if side not in ("left", "right"):
            raise ArgumentError(
                f'Tokenizer: padding_side must be "left" or "right"; got {side!r:.40}; choose one'
            )
        encodings = self._batch(texts, pairs, add_special_tokens, max_length, NUMBERS)
        padding = (self._padding or Padding(0, "", 0))._replace(side=side)
        if self._padding is None:
            padding = padding._replace(id=self._padding_id())
        encodings = padding.applied(encodings)
        names = self._inputs or (
            ["input_ids", *(["token_type_ids"] if pairs else []), "attention_mask"]
        )
        columns = {"input_ids": "ids", "token_type_ids": "type_ids"}
        width = len(encodings[0]) if encodings else 0
        return {
            name: F.asarray(
                [vars(one)[columns.get(name, name)] for one in encodings], dtype=int32
            ).reshape((len(encodings), width))
            for name in names
            if columns.get(name, name) in NUMBERS
        }

    def _padding_id(self) -> int:
        for name in ("pad_token", "eos_token"):
            number = self.token_to_id(self.special_tokens.get(name, ""))
            if number is not None:
                return number
        return 0

    def _ids(self, text: str) -> list[int]:
        """Return the tokens of a text, without added ones."""
        return self._encoded(text, None, False, None, NUMBERS, "apply_chat_template").ids


def _text_of(token: Any) -> str:
    """Return the text of a token, which may be an object with its flags."""
    return str(token.get("content", "") if isinstance(token, dict) else token)
