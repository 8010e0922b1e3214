"""Split the tokens of a window into segments, by their timestamps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

FRAMES = 100
"""Frames in a second; a timestamp is two of them."""


@dataclass(frozen=True)
class SpeechSegment:
    """A part of a transcription.

    Args:
        start: Seconds from the start of the sound to that of the segment.
        end: Seconds from the start of the sound to the end of the segment.
        text: Text that is spoken.
        tokens: Tokens of the text, with timestamps.

    >>> import py_tensor as pt
    >>> pt.audio.SpeechSegment(0.0, 2.5, "Hello.", (3, 4)).end
    2.5
    """

    start: float
    end: float
    text: str
    tokens: tuple[int, ...]


class Part(NamedTuple):
    """Tokens with the frames, from the start of the window, at which they start and end."""

    start: int
    end: int
    tokens: tuple[int, ...]


def split(tokens: Sequence[int], first_time: int, frames: int) -> tuple[list[Part], int]:
    """Return the parts of a window, and the number of frames until the next window.

    A pair of timestamps separates two parts. What follows the last pair is not finished: the next
    window starts there. Source: `_retrieve_segment` of
    https://github.com/huggingface/transformers, and `transcribe` of
    https://github.com/openai/whisper.
    """
    is_time = [token >= first_time for token in tokens]
    is_finished = is_time[-2:] == [False, True]
    ends = [at + 1 for at in range(len(tokens) - 1) if is_time[at] and is_time[at + 1]]
    if not ends:
        times = [token for token in tokens if token >= first_time]
        is_known = bool(times) and times[-1] != first_time
        end = 2 * (times[-1] - first_time) if is_known else frames
        return [Part(0, end, tuple(tokens))], frames
    if is_finished:
        ends.append(len(tokens))
    parts, before = [], 0
    for end in ends:
        own = tokens[before:end]
        start, last = (2 * (token - first_time) for token in (own[0], own[-1]))
        parts.append(Part(start, last, tuple(own)))
        before = end
    return parts, frames if is_finished else parts[-1].end
