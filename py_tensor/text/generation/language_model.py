"""Language models with their tokenizers: texts in, texts out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from ...dtypes import wrong_type
from ...errors import ArgumentError
from ...functions.arguments import integer, items
from ...nn.layers.decoder import CausalDecoder
from .patterns import Automaton, Grammar, Vocabulary
from .pieces import Generation
from .sampling import Processor, Sampling
from .schemas import pattern_of
from .steps import Decoding, KnownTokens, Steps, check_prompts


class LanguageModel:
    """A decoder with its tokenizer.

    `pt.text.load` makes it from files.

    Args:
        model: `pt.nn.CausalDecoder`.
        tokenizer: `Tokenizer`.
        ends: Tokens that end a text; default ().
        sampling: How tokens are chosen unless a call says otherwise; None (default) for greedy.

    Raises:
        ArgumentTypeError: If `model` is not a CausalDecoder.

    >>> import py_tensor as pt
    >>> letters = {letter: at for at, letter in enumerate("abcdefgh ")}
    >>> model = {"type": "BPE", "vocab": letters, "merges": []}
    >>> file = {"model": model, "decoder": {"type": "Fuse"}}
    >>> decoder = pt.nn.CausalDecoder(pt.nn.DecoderOptions(len(letters), 16, 2, 4, 32))
    >>> model = pt.text.LanguageModel(decoder, pt.text.Tokenizer(file))
    >>> len("".join(model.generate("a bad cafe", max_tokens=5)))
    5
    """

    def __init__(
        self,
        model: CausalDecoder,
        tokenizer: Any,
        *,
        ends: Sequence[int] = (),
        sampling: Sampling | None = None,
    ) -> None:
        if not isinstance(model, CausalDecoder):
            raise wrong_type("LanguageModel", "model", "a CausalDecoder", model)
        self.model = model
        self.tokenizer = tokenizer
        self._steps = Steps()
        self.ends = frozenset(ends)
        self.sampling = Sampling() if sampling is None else sampling

    def generate(
        self,
        prompt: str | Sequence[str],
        *,
        max_tokens: int = 256,
        stop: str | Sequence[str] = (),
        processors: Sequence[Processor] = (),
        pattern: str | None = None,
        schema: Mapping[str, Any] | None = None,
        **sampling: Any,
    ) -> Generation:
        """Continue a text.

        Args:
            prompt: Text, or a list of texts, which are computed together.
            max_tokens: Largest number of tokens; default 256.
            stop: A word or words that end the text; they are not part of it. Default ().
            processors: Functions (logits, tokens) that return logits, of shape (batch, vocabulary).
                `tokens` has the prompt and what follows it so far, int32 of shape (batch, length),
                with -1 where there is no token. The functions become part of the compiled step, so
                pass the same ones again. Default ().
            pattern: Regular expression that the whole text must match; None (default) for none.
            schema: JSON schema that the text must satisfy; None (default) for none.
            **sampling: Options of `Sampling`, which replace the model's own.

        Returns:
            `Generation`, whose pieces come one after another.

        Raises:
            ArgumentError: If a prompt is empty, or an option is unknown or outside of its range.

        >>> import py_tensor as pt
        >>> letters = {letter: at for at, letter in enumerate("abcdefgh ")}
        >>> model = {"type": "BPE", "vocab": letters, "merges": []}
        >>> file = {"model": model, "decoder": {"type": "Fuse"}}
        >>> decoder = pt.nn.CausalDecoder(pt.nn.DecoderOptions(len(letters), 16, 2, 4, 32))
        >>> model = pt.text.LanguageModel(decoder, pt.text.Tokenizer(file))
        >>> generation = model.generate(["a", "bad"], max_tokens=3, pattern="(ab|ba)*")
        >>> pieces = list(generation)
        >>> [len(text) for text in generation.text]
        [3, 3]
        """
        is_batch = not isinstance(prompt, str)
        texts = [*items("generate", "prompt", prompt)] if is_batch else [prompt]
        return self._continue(
            [self.tokenizer.encode(text).ids for text in texts],
            is_batch,
            None,
            max_tokens=max_tokens,
            stop=stop,
            processors=processors,
            pattern=pattern,
            schema=schema,
            **sampling,
        )

    def _continue(
        self,
        prompts: Sequence[Sequence[int]],
        is_batch: bool,
        known: KnownTokens | None,
        *,
        max_tokens: int = 256,
        stop: str | Sequence[str] = (),
        processors: Sequence[Processor] = (),
        pattern: str | None = None,
        schema: Mapping[str, Any] | None = None,
        **sampling: Any,
    ) -> Generation:
        check_prompts("generate", self.model, prompts)
        most = integer("generate", "max_tokens", max_tokens, 1)
        options = self._sampling(sampling)
        make = partial(Decoding, self.model, self._steps, prompts, most, options, processors, known)
        stops = [stop] if isinstance(stop, str) else [*items("generate", "stop", stop)]
        if not all(isinstance(word, str) and word for word in stops):
            raise ArgumentError(
                f"generate: stop must have words with characters; got {stops!r:.80}; leave out the "
                "others"
            )
        streams = [self.tokenizer.decode_stream() for _ in prompts]
        grammars = self._grammars(pattern, schema, len(prompts))
        return Generation(make, streams, is_batch, most, self.ends, stops, known, grammars)

    def _grammars(self, pattern: str | None, schema: Any, count: int) -> list[Grammar]:
        if schema is not None:
            pattern = pattern_of(schema)
        if pattern is None:
            return []
        automaton = Automaton(pattern)
        return [Grammar(automaton, self._vocabulary, self.ends) for _ in range(count)]

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        """Texts of the tokens, after another one: some tokenizers change the first one's text."""
        decode, size = self.tokenizer.decode, self.model.options.vocabulary
        (first, *_) = self.tokenizer.encode("a", add_special_tokens=False).ids
        start = len(decode([first]))
        texts = [decode([first, token])[start:] for token in range(size)]
        return Vocabulary([None if "\ufffd" in text else text for text in texts])

    def _sampling(self, options: Mapping[str, Any]) -> Sampling:
        try:
            return replace(self.sampling, **options)
        except TypeError:
            known = ", ".join(Sampling.__dataclass_fields__)
            raise ArgumentError(
                f"generate: option is unknown; got {', '.join(options)}; use {known}"
            ) from None

    def chat(self, system: str | None = None) -> Chat:
        """Start a conversation.

        Args:
            system: Text that says how the model should answer; None (default) for none.

        Returns:
            `Chat`.

        >>> import py_tensor as pt
        >>> letters = {letter: at for at, letter in enumerate("abcdefgh ")}
        >>> model = {"type": "BPE", "vocab": letters, "merges": []}
        >>> file = {"model": model, "decoder": {"type": "Fuse"}}
        >>> decoder = pt.nn.CausalDecoder(pt.nn.DecoderOptions(len(letters), 16, 2, 4, 32))
        >>> model = pt.text.LanguageModel(decoder, pt.text.Tokenizer(file))
        >>> model.chat("a bad face").messages
        [{'role': 'system', 'content': 'a bad face'}]
        """
        return Chat(self, system)


class Chat:
    """A conversation with a language model.

    The keys and values of earlier turns stay on the device, so that a turn computes only what is
    new. `LanguageModel.chat` makes it.

    Args:
        model: `LanguageModel`, whose tokenizer has a chat template.
        system: Text that says how the model should answer; None (default) for none.

    Attributes:
        messages: Messages so far: dicts of "role" ("system", "user" or "assistant") and "content".

    >>> import py_tensor as pt
    >>> letters = {letter: at for at, letter in enumerate("abcdefgh ")}
    >>> model = {"type": "BPE", "vocab": letters, "merges": []}
    >>> file = {"model": model, "decoder": {"type": "Fuse"}}
    >>> decoder = pt.nn.CausalDecoder(pt.nn.DecoderOptions(len(letters), 16, 2, 4, 32))
    >>> template = "{% for message in messages %}{{ message.content }} {% endfor %}"
    >>> tokenizer = pt.text.Tokenizer(file, {"chat_template": template})
    >>> model = pt.text.LanguageModel(decoder, tokenizer)
    >>> chat = model.chat()
    >>> answer = "".join(chat.send("a face", max_tokens=4))
    >>> chat.end_turn()
    >>> chat.messages[1] == {"role": "assistant", "content": answer}
    True
    """

    def __init__(self, model: LanguageModel, system: str | None = None) -> None:
        self.model = model
        self.messages: list[dict[str, Any]] = []
        if system is not None:
            self.messages.append({"role": "system", "content": system})
        self._known = KnownTokens()
        self._current: Generation | None = None

    def send(self, text: str, *, tools: Any = None, **options: Any) -> Generation:
        """Say something, and let the model answer.

        Args:
            text: Message of the user.
            tools: Descriptions of functions for the chat template; None (default) for none.
            **options: Options of `LanguageModel.generate`.

        Returns:
            `Generation` of the answer. It joins `messages` when the next message is sent.

        Raises:
            ModelError: If the tokenizer has no chat template, or it fails.

        >>> import py_tensor as pt
        >>> letters = {letter: at for at, letter in enumerate("abcdefgh ")}
        >>> model = {"type": "BPE", "vocab": letters, "merges": []}
        >>> file = {"model": model, "decoder": {"type": "Fuse"}}
        >>> decoder = pt.nn.CausalDecoder(pt.nn.DecoderOptions(len(letters), 16, 2, 4, 32))
        >>> template = "{% for message in messages %}{{ message.content }} {% endfor %}"
        >>> tokenizer = pt.text.Tokenizer(file, {"chat_template": template})
        >>> model = pt.text.LanguageModel(decoder, tokenizer)
        >>> len("".join(model.chat().send("a face", max_tokens=4)))
        4
        """
        self.end_turn()
        self.messages.append({"role": "user", "content": text})
        prompt = self.model.tokenizer.apply_chat_template(
            self.messages, add_generation_prompt=True, tokenize=True, tools=tools
        )
        self._current = self.model._continue([prompt], False, self._known, **options)
        return self._current

    def end_turn(self) -> None:
        """Stop the answer, if it is not finished, and add it to the messages.

        >>> import py_tensor as pt
        >>> letters = {letter: at for at, letter in enumerate("abcdefgh ")}
        >>> model = {"type": "BPE", "vocab": letters, "merges": []}
        >>> file = {"model": model, "decoder": {"type": "Fuse"}}
        >>> decoder = pt.nn.CausalDecoder(pt.nn.DecoderOptions(len(letters), 16, 2, 4, 32))
        >>> template = "{% for message in messages %}{{ message.content }} {% endfor %}"
        >>> tokenizer = pt.text.Tokenizer(file, {"chat_template": template})
        >>> model = pt.text.LanguageModel(decoder, tokenizer)
        >>> chat = model.chat()
        >>> for piece in chat.send("a face"):
        ...     chat.end_turn()
        >>> len(chat.messages)
        2
        """
        current, self._current = self._current, None
        if current is not None:
            current.stop()
            self.messages.append({"role": "assistant", "content": current.text})
