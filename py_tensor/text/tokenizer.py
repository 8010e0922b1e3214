"""Tokenizers from files of transformers and llama.cpp."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .. import functions as F
from ..dtypes import int32
from ..errors import ArgumentError, ArgumentTypeError, ModelError
from ..tensor import Tensor
from . import decoders
from .added_tokens import AddedTokens
from .byte_characters import bytes_of, shown
from .chat_templates import rendered
from .encoding import COLUMNS, NUMBERS, Encoding, joined
from .files import read, settings_of
from .limits import Padding, Truncation, padding_of, truncated, truncation_of
from .models import CACHED_WORDS, LONGEST_CACHED, Model, Word, model_of
from .normalizers import normalizer_of
from .post_processors import post_processor_of
from .pre_tokenizers import splitter_of

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


class Tokenizer:
    """Splits texts into the tokens of a model, and joins tokens to texts.

    The results are those of the package `tokenizers` of Hugging Face for the same file: ids,
    tokens, and offsets. Models: byte-pair encoding, WordPiece, Unigram and WordLevel.

    Args:
        file: Content of a `tokenizer.json` as a dict, text or bytes; or bytes of a GGUF file with
            a vocabulary of the kinds "gpt2" and "llama".
        config: Content of a `tokenizer_config.json`, with special tokens and the chat template;
            None (default) for none.

    Attributes:
        chat_template: Template of Jinja2 for `apply_chat_template`; None without one.
        special_tokens: Dict of the texts of special tokens, for example of "eos_token".

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
        settings = own_config | settings_of(config)
        self._model: Model = model_of(data.get("model"))
        normalizer = normalizer_of(data.get("normalizer"))
        self._added = AddedTokens(data.get("added_tokens", []), self._model, normalizer)
        self._splitter = splitter_of(data.get("pre_tokenizer"))
        self._post_processor = post_processor_of(data.get("post_processor"))
        self._decoder = decoders.decoder_of(data.get("decoder"))
        self._truncation = truncation_of(data.get("truncation"))
        self._padding = padding_of(data.get("padding"))
        self._inputs = settings.get("model_input_names")
        self._side = settings.get("padding_side")
        self.chat_template: str | None = None
        self._templates = _templates(settings.get("chat_template"))
        self.chat_template = self._templates.get("default")
        self.special_tokens: dict[str, str] = {
            name: _text_of(settings[name]) for name in SPECIAL if settings.get(name) is not None
        }
        self._words: dict[str, Word] = {}
        self._word: Callable[[str], Word] = self._model.word
        if self._splitter.bytes_last:
            self._word = self._word_of_bytes

    @classmethod
    async def load(cls, source: Any, *, headers: Mapping[str, str] | None = None) -> Tokenizer:
        """Load a tokenizer from a file, a folder, an address or a repository.

        The source is a `tokenizer.json`, next to which `tokenizer_config.json` and
        `chat_template.jinja` are read if they are there; or a GGUF file, of which only the metadata
        are read.

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
            pieces = self._splitter.apply([piece])
            if not is_complete:
                for own in pieces:
                    ids += word(own.text).ids
                continue
            for own in pieces:
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

    # --- tokens ---------------------------------------------------------------------------------

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

    # --- chats ----------------------------------------------------------------------------------

    def apply_chat_template(
        self,
        messages: Sequence[Mapping[str, Any]],
        add_generation_prompt: bool = True,
        tokenize: bool = True,
        *,
        tools: Sequence[Any] | None = None,
        chat_template: str | None = None,
        **variables: Any,
    ) -> Any:
        """Return the tokens, or the text, of a conversation.

        The template is one of Jinja2, which must be installed: `pip install py_tensor[chat]`, or in
        a page `await micropip.install("jinja2")`. It runs in a sandbox, and ends with an error
        after too many steps.

        Args:
            messages: List of dicts with "role" and "content".
            add_generation_prompt: True (default) to end with the start of an answer.
            tokenize: True (default) for tokens; False for the text.
            tools: List of descriptions of functions, as JSON schemas in dicts; None (default) for
                none.
            chat_template: Template, or the name of one of several; None (default) for that of the
                files.
            **variables: Further variables of the template.

        Returns:
            List of the numbers of tokens; the text if `tokenize` is False.

        Raises:
            ArgumentError: If there is no template, or it refuses the messages.
            ModelError: If the template is wrong or takes too many steps.
            BackendError: If Jinja2 is not installed.

        >>> import py_tensor as pt
        >>> file = {"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}
        >>> template = "{% for m in messages %}<{{ m.role }}>{{ m.content }}\\n{% endfor %}<bot>"
        >>> tokenizer = pt.text.Tokenizer(file, {"chat_template": template})
        >>> tokenizer.apply_chat_template([{"role": "user", "content": "Hi"}], tokenize=False)
        '<user>Hi\\n<bot>'
        """
        template = self._templates.get(chat_template or "", chat_template) or (
            self._templates.get("tool_use") if tools else None
        )
        template = template or self.chat_template
        if template is None:
            raise ArgumentError(
                "apply_chat_template: tokenizer has no chat template; got None; pass chat_template"
            )
        text = rendered(
            template,
            {
                **self.special_tokens,
                "messages": messages,
                "tools": tools,
                "documents": None,
                "add_generation_prompt": add_generation_prompt,
                **variables,
            },
        )
        if not tokenize:
            return text
        return self._encoded(text, None, False, None, NUMBERS, "apply_chat_template").ids


class DecodeStream:
    """Decodes tokens one after the other; the texts of all steps are that of `decode`.

    >>> import py_tensor as pt
    >>> model = {"type": "BPE", "vocab": {"Ã": 0, "©": 1, "!": 2}, "merges": []}
    >>> file = {"model": model, "decoder": {"type": "ByteLevel"}}
    >>> stream = pt.text.Tokenizer(file).decode_stream()
    >>> [stream.step(0), stream.step(1), stream.step(2), stream.finish()]
    ['', 'é', '!', '']
    """

    def __init__(self, tokenizer: Tokenizer, skip_special_tokens: bool) -> None:
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


def _text_of(token: Any) -> str:
    """Return the text of a token, which may be an object with its flags."""
    return str(token.get("content", "") if isinstance(token, dict) else token)


def _templates(value: Any) -> dict[str, str]:
    """Return templates by name; a file has one, or a list of several."""
    if isinstance(value, str):
        return {"default": value}
    if isinstance(value, list):
        try:
            return {str(item["name"]): str(item["template"]) for item in value}
        except (KeyError, TypeError) as error:
            raise ModelError(
                f"load: chat_template is not valid; got {type(error).__name__}: {error!s:.60}; "
                "use a text"
            ) from None
    return {}
