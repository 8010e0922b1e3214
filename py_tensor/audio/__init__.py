"""Sounds before a model: spectrograms, cepstral coefficients, resampling; and speech to text.

Input: tensors with the samples along the last axis. Output: tensors with one row for each frame, as
in `pt.signal`; librosa has the frames along the last axis. Speech to text returns segments of text.
"""

from typing import TYPE_CHECKING, Any

from .sounds import (
    cqt,
    cqt_frequencies,
    mel_filters,
    mel_spectrogram,
    mfcc,
    power_to_db,
    resample,
    spectrogram,
    whisper_features,
)

if TYPE_CHECKING:
    from .speech.loading import load_speech
    from .speech.model import SpeechModel, transcribe
    from .speech.segments import SpeechSegment
    from .speech.transcription import Transcription

__all__ = [
    "SpeechModel",
    "SpeechSegment",
    "Transcription",
    "cqt",
    "cqt_frequencies",
    "load_speech",
    "mel_filters",
    "mel_spectrogram",
    "mfcc",
    "power_to_db",
    "resample",
    "spectrogram",
    "transcribe",
    "whisper_features",
]

_SPEECH = {
    "SpeechSegment": "segments",
    "SpeechModel": "model",
    "Transcription": "transcription",
    "load_speech": "loading",
    "transcribe": "model",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Import speech to text on first use: spectrograms need neither tokenizers nor models."""
        if name not in _SPEECH:
            raise AttributeError(f"module '{__name__}' has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(f"{__name__}.speech.{_SPEECH[name]}"), name)
        globals()[name] = value
        return value
