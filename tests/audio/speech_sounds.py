"""A sound for tests of speech: tones that change, with pauses."""

import numpy as np


def sound(seconds: int) -> np.ndarray:
    """Return samples at 16 kHz; every second has another tone, and every fifth one is silent."""
    time = np.arange(seconds * 16000) / 16000
    second = np.floor(time)
    tone = np.sin(2 * np.pi * (200 + 150 * (second * 7 % 11)) * time)
    loud = 0.5 * (second % 5 != 4) * np.exp(-2 * (time - second))
    return (tone * loud).astype("float32")
