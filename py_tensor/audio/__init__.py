"""Sounds before a model: spectrograms, cepstral coefficients, resampling; and speech to text.

Input: tensors with the samples along the last axis. Output: tensors with one row for each frame, as
in `pt.signal`; librosa has the frames along the last axis. Speech to text returns segments of text.
"""

from typing import TYPE_CHECKING

from ..late import lazy_names
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

if not TYPE_CHECKING:
    # Spectrograms need neither tokenizers nor models.
    __getattr__ = lazy_names(
        __name__,
        homes={
            "SpeechModel": "audio.speech.model",
            "SpeechSegment": "audio.speech.segments",
            "Transcription": "audio.speech.transcription",
            "load_speech": "audio.speech.loading",
            "transcribe": "audio.speech.model",
        },
    )
