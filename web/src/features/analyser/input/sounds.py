"""Sounds before a model: other sample rates, and windows of the length that a model takes."""

import py_tensor as pt

MODEL_RATE = 22050
"""Samples per second of basic-pitch."""
WINDOW = 43844
"""Samples of one window: two seconds without one frame."""
FRAME = 256
OVERLAP = 30
"""Frames that neighbouring windows share."""
MAX_WINDOWS = 16


def windows(samples: pt.Tensor, rate: int) -> pt.Tensor:
    """Return overlapping windows of shape (n, WINDOW, 1); a sound longer than 26 seconds is cut."""
    if rate != MODEL_RATE:
        samples = pt.audio.resample(samples, rate, MODEL_RATE)
    before, hop = OVERLAP // 2 * FRAME, WINDOW - OVERLAP * FRAME
    count = min(-(-(samples.shape[0] + before) // hop), MAX_WINDOWS)
    length = (count - 1) * hop + WINDOW
    kept = samples[: length - before]
    padded = pt.pad(kept, (before, length - before - kept.shape[0]))
    parts = [padded[at * hop : at * hop + WINDOW] for at in range(count)]
    return pt.stack(parts)[..., None]


def frames_of(length: int, rate: int) -> int:
    """Return the number of frames of notes for so many samples."""
    return int(length * MODEL_RATE / rate * (MODEL_RATE // FRAME) / MODEL_RATE)
