"""Speech models with their tokenizers: sounds in, text out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from ... import functions as F
from ...dtypes import wrong_type
from ...errors import ArgumentError, ShapeError
from ...functions.arguments import choice, converted, flag, integer, items, number
from ...nn.layers.encoders import EncoderOptions
from ...nn.layers.speech import SpeechToText
from ...random import random_seed
from ...tensor import Tensor
from ...text.byte_characters import BYTE_CHARS
from ...text.tokenizer import Tokenizer
from ...typing import ArrayLike
from ..sounds import RATE, resample
from .steps import SpeechSteps
from .tokens import TASKS, speech_tokens
from .transcription import SpeechOptions, Transcription


class SpeechModel:
    """A model of Whisper with its tokenizer.

    `pt.audio.load_speech` makes it from files.

    Args:
        model: `pt.nn.SpeechToText`.
        tokenizer: `pt.text.Tokenizer`.
        options: Content of `generation_config.json`: special tokens, and tokens that are never
            chosen. What it leaves out is taken from the tokenizer. None (default) for nothing.

    Raises:
        ArgumentTypeError: If `model` is not a SpeechToText.
        ModelError: If the tokenizer is not that of a Whisper model.

    >>> import py_tensor as pt
    >>> from py_tensor.audio.speech.model import example
    >>> model = example()
    >>> model.languages, model.seconds
    (['de', 'en'], 1.0)
    """

    def __init__(
        self, model: SpeechToText, tokenizer: Any, options: Mapping[str, Any] | None = None
    ) -> None:
        if not isinstance(model, SpeechToText):
            raise wrong_type("SpeechModel", "model", "a SpeechToText", model)
        self.model = model
        self.tokenizer = tokenizer
        self.steps = SpeechSteps()
        self.vocabulary = model.embedding.rows
        self.tokens = speech_tokens(tokenizer, options or {}, self.vocabulary)
        self.bands = model.first.weight.shape[-2]
        self.positions = model.positions.rows
        self.features = model.sound_positions.features
        self.window = 2 * model.sound_positions.rows
        """Frames of a window."""

    @property
    def languages(self) -> list[str]:
        """Codes of the languages that the model knows; empty for models of English."""
        return sorted(self.tokens.languages)

    @property
    def seconds(self) -> float:
        """Seconds of a window, 30.0 for Whisper."""
        return self.window / 100

    @cached_property
    def is_language(self) -> Tensor:
        """True for tokens of languages."""
        return self._mask(self.tokens.languages.values())

    @cached_property
    def allowed(self) -> tuple[Tensor, Tensor]:
        """Tokens that may be chosen without timestamps, and with them."""
        own = self.tokens
        return ~self._mask(own.suppressed), ~self._mask([*own.suppressed, own.no_timestamps])

    @cached_property
    def allowed_first(self) -> Tensor:
        """Tokens that may start a text."""
        return ~self._mask(self.tokens.suppressed_first)

    def _mask(self, tokens: Any) -> Tensor:
        row = bytearray(self.vocabulary)
        for token in tokens:
            row[token] = 1
        return F.asarray(memoryview(row)).astype("bool")

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens, without timestamps and other special tokens.

        Args:
            tokens: Numbers of tokens.

        Returns:
            Text.

        >>> from py_tensor.audio.speech.model import example
        >>> model = example()
        >>> model.decode([104, 105, model.tokens.end])
        'hi'
        """
        text: str = self.tokenizer.decode([token for token in tokens if token < self.tokens.end])
        return text

    def transcribe(
        self,
        sound: ArrayLike,
        rate: int = RATE,
        *,
        language: str | None = None,
        task: str = "transcribe",
        timestamps: bool = False,
        prompt: str = "",
        condition_on_previous_text: bool = False,
        temperature: float | Sequence[float] = 0.0,
        compression_ratio_threshold: float | None = None,
        logprob_threshold: float | None = None,
        no_speech_threshold: float | None = None,
        max_tokens: int | None = None,
        seed: int | None = None,
    ) -> Transcription:
        """Write down what is spoken.

        A sound that is longer than a window of 30 seconds is computed in windows, with timestamps:
        the next window starts where the last finished segment ends. The rules are those of
        https://github.com/openai/whisper and of transformers' `generate`, whose names the options
        have.

        Args:
            sound: Samples from -1 to 1, of shape (samples,).
            rate: Number of samples in a second; other rates than 16000 (default) are resampled.
            language: Code of the language, for example "en"; None (default) to detect it in the
                first window.
            task: "transcribe" (default), or "translate" for a translation to English.
            timestamps: Divide the text into segments where it pauses; default False: a sound of one
                window is one segment.
            prompt: Text before the sound, for example names in their spelling; default "".
            condition_on_previous_text: Give the text so far to the model in later windows; default
                False.
            temperature: 0.0 (default) chooses the most probable tokens, larger numbers choose by
                chance. With several numbers, the next one is used if a threshold says that the text
                of a window has failed.
            compression_ratio_threshold: Ratio of compression above which the text has failed, since
                it repeats itself, for example 1.35; None (default) for none.
            logprob_threshold: Mean of the logarithms of the tokens' probabilities below which the
                text has failed, for example -1.0; None (default) for none.
            no_speech_threshold: Probability from which a window is silent, for example 0.6; with
                `logprob_threshold` only if the text has failed, too. None (default) for none.
            max_tokens: Largest number of tokens of a window; None (default) for all positions of
                the decoder.
            seed: Seed of the choice by chance; None (default) for a random one.

        Returns:
            `Transcription`, whose segments come one after another.

        Raises:
            ArgumentError: If the language is not one of the model's, or an option is outside of its
                range.
            ShapeError: If the sound is not a row of samples.

        >>> import py_tensor as pt
        >>> from py_tensor.audio.speech.model import example
        >>> transcription = example().transcribe(pt.zeros(8000), 8000, language="de", max_tokens=3)
        >>> segments = list(transcription)
        >>> transcription.language, transcription.duration, transcription.position
        ('de', 1.0, 1.0)
        """
        samples = converted("transcribe", sound)
        if samples.ndim == 2 and 1 in samples.shape:
            samples = samples.reshape((-1,))
        if samples.ndim != 1 or not samples.shape[0]:
            raise ShapeError(
                f"transcribe: sound must be a row of samples; got shape {samples.shape}; use "
                "shape (samples,), for example sound.mean(axis=-1) for channels"
            )
        rate = integer("transcribe", "rate", rate, 1)
        samples = resample(samples.astype("float32", copy=False), rate, RATE)
        options = SpeechOptions(
            self._language(language, choice("transcribe", "task", task, TASKS)),
            task,
            flag("transcribe", "timestamps", timestamps),
            tuple(self.tokenizer.encode(" " + prompt, add_special_tokens=False).ids)
            if prompt
            else (),
            flag("transcribe", "condition_on_previous_text", condition_on_previous_text),
            _temperatures(temperature),
            _optional("compression_ratio_threshold", compression_ratio_threshold),
            _optional("logprob_threshold", logprob_threshold),
            _optional("no_speech_threshold", no_speech_threshold),
            self.positions
            if max_tokens is None
            else integer("transcribe", "max_tokens", max_tokens, 1),
            random_seed() if seed is None else integer("transcribe", "seed", seed),
        )
        return Transcription(self, samples, options)

    def _language(self, language: str | None, task: str) -> str | None:
        """Return the code of a language; None if it is not known yet."""
        known = self.tokens.languages or {"en": 0}
        if not self.tokens.languages and task != TASKS[0]:
            raise ArgumentError(
                f"transcribe: model of English has one task; got {task!r}; use {TASKS[0]!r}"
            )
        if language is None:
            return None if self.tokens.languages else "en"
        return choice("transcribe", "language", language, tuple(sorted(known)))


def transcribe(model: SpeechModel, sound: ArrayLike, rate: int = RATE, **options: Any) -> Any:
    """Write down what is spoken: `SpeechModel.transcribe` as a function.

    Args:
        model: `SpeechModel`, the result of `load_speech`.
        sound: Samples from -1 to 1, of shape (samples,).
        rate: Number of samples in a second; default 16000.
        **options: Options of `SpeechModel.transcribe`.

    Returns:
        `Transcription`, whose segments come one after another.

    Raises:
        ArgumentTypeError: If `model` is not a SpeechModel.
        ArgumentError: If an option is unknown or outside of its range.
        ShapeError: If the sound is not a row of samples.

    >>> import py_tensor as pt
    >>> from py_tensor.audio.speech.model import example
    >>> transcription = pt.audio.transcribe(example(), pt.zeros(16000), max_tokens=3)
    >>> segments = list(transcription)
    >>> transcription.language in ("de", "en")
    True
    """
    if not isinstance(model, SpeechModel):
        raise wrong_type("transcribe", "model", "a SpeechModel", model)
    return model.transcribe(sound, rate, **options)


def example() -> SpeechModel:
    """Return a tiny model with random weights: windows of a second, a token for each byte."""
    texts = ["<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|de|>", "<|translate|>"]
    texts += ["<|transcribe|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    added = [
        {"id": 256 + at, "content": text, "special": True, **flags} for at, text in enumerate(texts)
    ]
    vocabulary = {letter: at for at, letter in enumerate(BYTE_CHARS)}
    file = {
        "model": {"type": "BPE", "vocab": vocabulary, "merges": []},
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False},
        "decoder": {"type": "ByteLevel"},
        "added_tokens": added,
    }
    options = EncoderOptions(16, 1, 2, 32)
    model = SpeechToText(options, 256 + len(texts) + 51, positions=50, tokens=64)
    # Only the texts of bytes are chosen.
    never = [*range(128, 256), *range(257, 256 + len(texts))]
    return SpeechModel(model, Tokenizer(file), {"suppress_tokens": never})


def _temperatures(temperature: float | Sequence[float]) -> tuple[float, ...]:
    given = [temperature] if isinstance(temperature, int | float) else temperature
    several = [*items("transcribe", "temperature", given)]
    numbers = tuple(number("transcribe", "temperature", own, finite=True) for own in several)
    if not numbers or min(numbers) < 0:
        raise ArgumentError(
            f"transcribe: temperature must be at least 0; got {temperature!r:.60}; use 0.0, or "
            "(0.0, 0.2, 0.4, 0.6, 0.8, 1.0) with thresholds"
        )
    return numbers


def _optional(name: str, value: float | None) -> float | None:
    return None if value is None else number("transcribe", name, value, finite=True)
