"""Turn a sound into text, window after window."""

from __future__ import annotations

import math
import zlib
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ... import functions as F
from ...dtypes import int32
from ...nn.layers.cache import KeyValueCache
from ...random import key as key_of
from ...tensor import Tensor, realize
from ..sounds import FRAME, STEP
from .segments import FRAMES, Part, SpeechSegment, split
from .steps import TimeRules

PARTS = (4, 64, 256)
"""Numbers of tokens to which prompts are padded; each has a plan of its own."""
LOW = 0.5
"""Texts of windows with lower temperatures may be a prompt of the next window."""


@dataclass(frozen=True)
class SpeechOptions:
    """Options of `SpeechModel.transcribe` except for the sound and its rate."""

    language: str | None
    task: str
    timestamps: bool
    prompt: tuple[int, ...]
    continues: bool
    temperatures: tuple[float, ...]
    compression: float | None
    logprob: float | None
    no_speech: float | None
    most: int
    seed: int


class _Sound(NamedTuple):
    """Logarithms of bands on the device, in parts of the length of a window."""

    parts: list[Tensor]
    highest: Tensor
    frames: int
    """Frames of the sound."""
    heard: int
    """Frames that have features; the others are 0."""


class _Result(NamedTuple):
    tokens: list[int]
    """Tokens, with the one at the end if there is one."""
    logprob: float
    temperature: float


class Transcription:
    """Text of a sound, of which segments come one after another.

    `SpeechModel.transcribe` makes it. `async for segment in transcription` waits for the device
    without blocking the page, and `await transcription` does so until the end;
    `for segment in transcription` blocks. Leaving the loop or calling `stop` ends the work.

    Attributes:
        segments: List of `SpeechSegment` so far.
        language: Code of the language, "en" for example; None if it is not known yet.
        text: Text so far.
        duration: Seconds of the sound.
        position: Seconds of the sound that are finished.

    >>> import py_tensor as pt
    >>> from py_tensor.audio.speech.model import example
    >>> transcription = example().transcribe(pt.zeros(4000), max_tokens=5)
    >>> for segment in transcription:
    ...     print(segment.start, segment.end, segment.text == transcription.text)
    0.0 0.25 True
    """

    def __init__(self, model: Any, sound: Tensor, options: SpeechOptions) -> None:
        self._model = model
        self._options = options
        self.segments: list[SpeechSegment] = []
        self.language = options.language
        self.duration = sound.shape[0] / (FRAMES * STEP)
        self.position = 0.0
        self._work = self._transcribe(sound)

    @property
    def text(self) -> str:
        """Text so far."""
        return "".join(segment.text for segment in self.segments)

    def stop(self) -> None:
        """End the work.

        >>> import py_tensor as pt
        >>> from py_tensor.audio.speech.model import example
        >>> transcription = example().transcribe(pt.zeros(4000))
        >>> transcription.stop()
        >>> list(transcription)
        []
        """
        self._work.close()

    def __iter__(self) -> Transcription:
        return self

    def __next__(self) -> SpeechSegment:
        item = next(self._work)
        while isinstance(item, Tensor):
            item = self._work.send(item.tolist())
        return item

    def __aiter__(self) -> Transcription:
        return self

    async def __anext__(self) -> SpeechSegment:
        try:
            item = next(self._work)
            while isinstance(item, Tensor):
                item = self._work.send((await item.data()).tolist())
        except StopIteration:
            raise StopAsyncIteration from None
        return item

    def __await__(self) -> Generator[Any, Any, Transcription]:
        return self._finished().__await__()

    async def _finished(self) -> Transcription:
        async for _ in self:
            pass
        return self

    # --- windows ----------------------------------------------------------------------------------

    def _transcribe(self, samples: Tensor) -> Generator[Tensor | SpeechSegment, Any, None]:
        """Yield tensors, whose values are sent back, and segments."""
        model, options = self._model, self._options
        sound = self._listen(samples)
        window, first_time = model.window, model.tokens.first_time
        # A sound of several windows needs timestamps to know where the next one starts.
        has_times = options.timestamps or sound.frames > window
        # The keys of this memory are not computed, because nothing reads them.
        written = model.model.empty_cache(F.zeros((1, 1, model.features)), model.positions).tokens
        before: list[int] = [*options.prompt]
        done = 0
        while done < sound.frames:
            frames = min(window, sound.frames - done)
            number, offset = divmod(done, window)
            heard = model.steps.hear(
                model.model,
                sound.parts[number],
                sound.parts[min(number + 1, len(sound.parts) - 1)],
                _number(offset),
                _number(sound.heard - done),
                sound.highest,
            )
            decoder = _Decoder(model, options, heard, written, has_times)
            result = yield from self._window(decoder, before)
            written = decoder.written
            parts: list[Part] = []
            advance = frames
            if result is not None:
                tokens = [*result.tokens]
                if tokens and tokens[-1] == model.tokens.end:
                    tokens.pop()
                parts = [Part(0, frames, tuple(tokens))]
                if has_times:
                    parts, advance = split(tokens, first_time, frames)
                is_kept = options.continues and result.temperature < LOW
                before = [*before, *(t for part in parts for t in part.tokens)] if is_kept else []
            for part in parts:
                text = model.decode(part.tokens)
                start, end = ((done + frame) / FRAMES for frame in (part.start, part.end))
                # What is heard after the end of the sound is no part of it.
                if text and start < self.duration:
                    segment = SpeechSegment(start, min(end, self.duration), text, part.tokens)
                    self.segments.append(segment)
                    yield segment
            done += advance
            self.position = min(done / FRAMES, self.duration)

    def _listen(self, samples: Tensor) -> _Sound:
        model, window = self._model, self._model.window
        frames = samples.shape[0] // STEP
        is_short = samples.shape[0] <= window * STEP
        if is_short:
            samples = F.pad(samples, ((0, window * STEP - samples.shape[0]),))
        heard = samples.shape[0] // STEP
        samples = F.pad(samples, ((FRAME // 2, FRAME // 2),), mode="reflect")
        count = -(-heard // window)
        length = window * STEP + FRAME - STEP
        missing = (count - 1) * window * STEP + length - samples.shape[0]
        samples = F.pad(samples, ((0, max(missing, 0)),))
        highest = F.asarray(-math.inf)
        parts = []
        for at in range(count):
            part = model.steps.cut(samples, _number(at * window * STEP), count=length)
            own = _number(heard - at * window)
            values, highest = model.steps.listen(part, own, highest, bands=model.bands)
            parts.append(values)
        return _Sound(parts, highest, max(frames, 1) if is_short else heard, heard)

    def _window(
        self, decoder: _Decoder, before: Sequence[int]
    ) -> Generator[Tensor, Any, _Result | None]:
        """Return the tokens of a window; None if nobody speaks."""
        model, options = self._model, self._options
        own = model.tokens
        start = [own.start]
        if before and own.previous is not None:
            # Half of the positions are for the text of the window.
            start = [own.previous, *before[-(model.positions // 2 - 1) :], own.start]
        silence = 0.0
        if options.no_speech is not None or (own.languages and self.language is None):
            language, probability = decoder.probe(start)
            if options.no_speech is not None:
                silence = yield probability
            if own.languages and self.language is None:
                token = yield language
                self.language = next(code for code, n in own.languages.items() if n == token)
        prompt = start
        if own.languages and self.language is not None:
            prompt = [*start, own.languages[self.language], own.tasks[options.task]]
        result = None
        for temperature in options.temperatures:
            result = yield from decoder.decoded(prompt, temperature)
            is_doubtful = options.logprob is not None and result.logprob < options.logprob
            is_silent = options.no_speech is not None and silence > options.no_speech
            if is_silent and (options.logprob is None or is_doubtful):
                return None
            if options.compression is not None and not is_doubtful:
                ratio = compression(result.tokens, model.vocabulary)
                is_doubtful = ratio > options.compression
            if not is_doubtful:
                break
        return result


class _Decoder:
    """Tokens of one window."""

    def __init__(
        self,
        model: Any,
        options: SpeechOptions,
        sound: tuple[KeyValueCache, ...],
        written: Any,
        has_times: bool,
    ) -> None:
        self._model = model
        self._options = options
        self._sound = sound
        self.written = written
        """Cache of the tokens, which all windows use."""
        own = model.tokens
        latest = model.vocabulary if own.latest_first is None else own.latest_first + own.first_time
        self._times = TimeRules(own.first_time, own.end, latest) if has_times else None

    def _padded(self, prompt: Sequence[int]) -> tuple[Tensor, Tensor]:
        """Return the tokens of a prompt, and their number."""
        count = len(prompt)
        size = next((size for size in PARTS if size >= count), count)
        size = max(min(size, self._model.positions), count)
        tokens = F.asarray([[*prompt, *[0] * (size - count)]], dtype=int32)
        return tokens, _number(count)

    def _restart(self) -> None:
        self.written = replace(self.written, position=_number(0))

    def probe(self, start: Sequence[int]) -> tuple[Tensor, Tensor]:
        """Return the language after the start of a text, and the probability of no speech."""
        self._restart()
        model = self._model
        result: tuple[Tensor, Tensor] = model.steps.probe(
            model.model,
            *self._padded(start),
            self.written,
            self._sound,
            model.is_language,
            no_speech=model.tokens.no_speech,
        )
        return result

    def decoded(self, prompt: Sequence[int], temperature: float) -> Generator[Tensor, Any, _Result]:
        """Return the tokens that follow a prompt."""
        self._restart()
        model, options = self._model, self._options
        own = model.tokens
        if self._times is None:
            prompt = [*prompt, own.no_timestamps]
        most = min(options.most, model.positions - len(prompt))
        tokens, count = self._padded(prompt)
        state = F.asarray([0, 0, own.first_time - 1, 0], dtype=int32)
        total = F.zeros((1,))
        allowed = model.allowed[self._times is not None]
        key = key_of(options.seed % (1 << 32))
        factor = 1 / temperature if temperature else 1.0

        def following(tokens: Tensor, count: Tensor | None, state: Tensor, total: Tensor) -> Any:
            token, self.written, state, total = model.steps.write(
                model.model, tokens, count, self.written, self._sound, state, total, allowed,
                model.allowed_first, key, factor, times=self._times, samples=temperature > 0,
            )  # fmt: skip
            realize(token, total)
            return token, state, total

        made: list[int] = []
        step = following(tokens, count, state, total)
        while True:
            token, state, total = step
            # The next token is computed while this one is read.
            if len(made) + 1 < most:
                step = following(token.reshape((1, 1)), None, state, total)
            (number,) = yield token
            made.append(number)
            if number == own.end or len(made) >= most:
                break
        (logprob,) = yield total
        return _Result(made, logprob / len(made), temperature)


def compression(tokens: Sequence[int], vocabulary: int) -> float:
    """Return by how much tokens can be compressed, which is more for text that repeats itself."""
    size = int(math.log2(vocabulary) / 8) + 1
    data = b"".join(token.to_bytes(size, "little") for token in tokens)
    return len(data) / len(zlib.compress(data))


def _number(value: int) -> Tensor:
    return F.asarray(value, dtype=int32)
