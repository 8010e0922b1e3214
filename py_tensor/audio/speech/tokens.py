"""Tokens of Whisper that have a meaning in prompts and rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import ModelError

_LANGUAGE = re.compile(r"<\|([a-z]{2,3})\|>")
TASKS = ("transcribe", "translate")


@dataclass(frozen=True)
class SpeechTokens:
    """Numbers of special tokens, from `generation_config.json` or the texts of the tokenizer."""

    start: int
    """Starts the text of a sound."""
    end: int
    """Ends it, and is the first one that is no text."""
    previous: int | None
    """Starts the text before the sound."""
    no_timestamps: int
    """Last token of prompts for texts without timestamps, which are the tokens that follow it."""
    languages: Mapping[str, int]
    """Tokens of languages by code; empty for models of English."""
    tasks: Mapping[str, int]
    suppressed: tuple[int, ...]
    """Tokens that are never chosen."""
    suppressed_first: tuple[int, ...]
    """Tokens that do not start a text."""
    latest_first: int | None
    """Largest number of the first timestamp, in steps of 0.02 seconds; None for any."""

    @property
    def no_speech(self) -> int:
        """Token whose probability after `start` is that of a sound without speech."""
        return self.no_timestamps - 1

    @property
    def first_time(self) -> int:
        """Timestamp of 0 seconds; others follow in steps of 0.02 seconds."""
        return self.no_timestamps + 1


def speech_tokens(tokenizer: Any, options: Mapping[str, Any], vocabulary: int) -> SpeechTokens:
    """Return the tokens of a model; raise ModelError if the tokenizer is not that of a Whisper."""

    def number(key: str, text: str) -> int | None:
        known = options.get(key)
        return known if isinstance(known, int) else tokenizer.token_to_id(text)

    def needed(key: str, text: str) -> int:
        found = number(key, text)
        if found is None or not 0 <= found < vocabulary:
            raise ModelError(
                f"load_speech: token is missing; got {found} for {text}; use the files of a "
                "Whisper model"
            )
        return found

    def listed(key: str) -> tuple[int, ...]:
        numbers = options.get(key) or ()
        return tuple(n for n in numbers if isinstance(n, int) and 0 <= n < vocabulary)

    start = needed("decoder_start_token_id", "<|startoftranscript|>")
    no_timestamps = needed("no_timestamps_token_id", "<|notimestamps|>")
    tasks, languages = {}, options.get("lang_to_id")
    # Models of English have these tokens, too, but were not trained with them.
    if options.get("is_multilingual", True):
        tasks = {task: needed("", f"<|{task}|>") for task in TASKS}
        if languages is None:
            others = {n: tokenizer.id_to_token(n) for n in range(start + 1, no_timestamps)}
            languages = {text: n for n, text in others.items() if n not in tasks.values()}
    found = {_LANGUAGE.fullmatch(text or ""): n for text, n in (languages or {}).items()}
    return SpeechTokens(
        start,
        needed("eos_token_id", "<|endoftext|>"),
        number("prev_sot_token_id", "<|startofprev|>"),
        no_timestamps,
        {match[1]: n for match, n in found.items() if match} if tasks else {},
        tasks,
        listed("suppress_tokens"),
        listed("begin_suppress_tokens"),
        options.get("max_initial_timestamp_index"),
    )
