"""Sounds before a model: spectrograms, cepstral coefficients, and resampling.

Input: tensors with the samples along the last axis. Output: tensors with one row for each frame, as
in `pt.signal`; librosa has the frames along the last axis.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

from .. import functions as F, signal
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import MOST_ELEMENTS, choice, converted, flag, integer, number
from ..functions.decorators import named
from ..kernels.api import kernel
from ..tensor import Tensor
from ..typing import ArrayLike

__all__ = [
    "cqt",
    "cqt_frequencies",
    "mel_filters",
    "mel_spectrogram",
    "mfcc",
    "power_to_db",
    "resample",
    "spectrogram",
    "whisper_features",
]

RATE = 16000
"""Samples in a second of the sounds of Whisper."""
STEP = 160
"""Samples from the start of a frame of Whisper to the next."""
FRAME = 400
"""Samples of a frame of Whisper."""
SILENCE = -10.0
"""Smallest logarithm of the strength of a band."""


def _samples(operation: str, x: ArrayLike) -> Tensor:
    samples = converted(operation, x)
    if not samples.ndim or not samples.shape[-1]:
        raise ShapeError(
            f"{operation}: signal has no samples; got shape {samples.shape}; use shape (..., "
            "samples)"
        )
    return samples.astype("float32", copy=False)


def _around(samples: Tensor, length: int, mode: str = "constant") -> Tensor:
    """Add samples, such that the frames' centers are at multiples of the step."""
    widths = ((0, 0),) * (samples.ndim - 1) + ((length // 2, length // 2),)
    return F.pad(samples, widths, mode=mode)


@named
def spectrogram(
    x: ArrayLike,
    /,
    *,
    n_fft: int = 2048,
    hop_length: int | None = None,
    center: bool = True,
    pad_mode: str = "constant",
    power: float = 2.0,
) -> Tensor:
    """Return the strength of each frequency in each frame of signals.

    Args:
        x: Signals of shape (..., samples) and a real dtype.
        n_fft: Number of samples of a frame and of the Hann window; 2048 by default.
        hop_length: Number of samples from frame to frame; None (default) for a quarter of `n_fft`.
        center: Center the first frame at the first sample, with `n_fft // 2` samples added before
            and after the signal; True by default.
        pad_mode: Samples that `center` adds: "constant" (default) for zeros, as in librosa, or
            "reflect", as in torch.stft and Whisper.
        power: Exponent of the absolute values: 2.0 (default) for power, 1.0 for magnitude.

    Returns:
        float32 tensor of shape (..., frames, n_fft // 2 + 1).

    Raises:
        ArgumentError: If a length is below 1, or `pad_mode` is unknown.
        DTypeError: If `x` is complex.
        ShapeError: If the signal has no samples.

    >>> import math
    >>> import py_tensor as pt
    >>> tone = pt.sin(pt.arange(256) * (2 * math.pi / 8))
    >>> pt.audio.spectrogram(tone, n_fft=64)[8].argmax().item()
    8
    """
    operation = "spectrogram"
    samples = _samples(operation, x)
    size = integer(operation, "n_fft", n_fft, 1, MOST_ELEMENTS)
    step = size // 4 if hop_length is None else integer(operation, "hop_length", hop_length, 1)
    mode = choice(operation, "pad_mode", pad_mode, ("constant", "reflect"))
    if flag(operation, "center", center):
        samples = _around(samples, size, mode)
    values = signal.stft(samples, size, max(step, 1), fft_length=size)
    exponent = number(operation, "power", power)
    squares = F.real(values) ** 2 + F.imag(values) ** 2
    return squares if exponent == 2.0 else squares ** (exponent / 2.0)


def _to_mel(frequency: float, scale: str) -> float:
    if scale == "htk":
        return 2595.0 * math.log10(1.0 + frequency / 700.0)
    # Linear up to 1000 Hz, then logarithmic. Source: Slaney 1998, Auditory Toolbox.
    if frequency < 1000.0:
        return frequency * 3.0 / 200.0
    return 15.0 + math.log(frequency / 1000.0) * 27.0 / math.log(6.4)


def _from_mel(mel: float, scale: str) -> float:
    if scale == "htk":
        return 700.0 * (math.pow(10.0, mel / 2595.0) - 1.0)
    return mel * 200.0 / 3.0 if mel < 15.0 else 1000.0 * math.pow(6.4, (mel - 15.0) / 27.0)


@lru_cache(16)
def _bands(
    bands: int, rate: float, n_fft: int, low: float, high: float, scale: str, norm: bool
) -> list[list[float]]:
    first, last = _to_mel(low, scale), _to_mel(high, scale)
    edges = [_from_mel(first + (last - first) * k / (bands + 1), scale) for k in range(bands + 2)]
    rows = []
    for line in range(n_fft // 2 + 1):
        frequency = line * rate / n_fft
        row = []
        for a, b, c in zip(edges, edges[1:], edges[2:], strict=False):
            height = max(0.0, min((frequency - a) / (b - a), (c - frequency) / (c - b)))
            row.append(height * 2.0 / (c - a) if norm else height)
        rows.append(row)
    return rows


@named
def mel_filters(
    n_mels: int,
    sample_rate: float,
    n_fft: int,
    /,
    *,
    low: float = 0.0,
    high: float | None = None,
    scale: str = "slaney",
    norm: bool = True,
) -> Tensor:
    """Return the weights of frequencies in bands of equal width on the mel scale.

    Args:
        n_mels: Number of bands.
        sample_rate: Number of samples in a second.
        n_fft: Number of samples of a frame.
        low: Lowest frequency in Hz; 0.0 by default.
        high: Highest frequency; None (default) for half of the sample rate.
        scale: "slaney" (default), as in librosa, or "htk".
        norm: Divide the weights by the width of the band; True by default.

    Returns:
        float32 tensor of shape (n_fft // 2 + 1, n_mels): `spectrogram(x) @ mel_filters(...)`.

    Raises:
        ArgumentError: If a number is out of range, or the scale is unknown.

    >>> import py_tensor as pt
    >>> pt.audio.mel_filters(40, 16000, 512).shape
    (257, 40)
    """
    operation = "mel_filters"
    rate = number(operation, "sample_rate", sample_rate, finite=True)
    first = number(operation, "low", low, finite=True)
    last = rate / 2.0 if high is None else number(operation, "high", high, finite=True)
    if not 0.0 <= first < last:
        raise ArgumentError(
            f"{operation}: frequencies are out of order; got low {first} and high {last}; use 0 <= "
            "low < high"
        )
    choice(operation, "scale", scale, ("slaney", "htk"))
    count = integer(operation, "n_mels", n_mels, 1, 1 << 14)
    size = integer(operation, "n_fft", n_fft, 1, 1 << 20)
    rows = _bands(count, rate, size, first, last, scale, flag(operation, "norm", norm))
    return F.asarray(rows, dtype="float32")


@named
def mel_spectrogram(
    x: ArrayLike,
    sample_rate: float,
    /,
    *,
    n_mels: int = 128,
    n_fft: int = 2048,
    hop_length: int | None = None,
    center: bool = True,
    pad_mode: str = "constant",
    power: float = 2.0,
    low: float = 0.0,
    high: float | None = None,
    scale: str = "slaney",
    norm: bool = True,
) -> Tensor:
    """Return the strength of bands of equal width on the mel scale in each frame of signals.

    Args:
        x: Signals of shape (..., samples) and a real dtype.
        sample_rate: Number of samples in a second.
        n_mels: Number of bands; 128 by default.
        n_fft: As for `spectrogram`.
        hop_length: As for `spectrogram`.
        center: As for `spectrogram`.
        pad_mode: As for `spectrogram`.
        power: As for `spectrogram`.
        low: As for `mel_filters`.
        high: As for `mel_filters`.
        scale: As for `mel_filters`.
        norm: As for `mel_filters`.

    Returns:
        float32 tensor of shape (..., frames, n_mels).

    Raises:
        ArgumentError: If a number is out of range, or the scale is unknown.
        DTypeError: If `x` is complex.
        ShapeError: If the signal has no samples.

    >>> import py_tensor as pt
    >>> pt.audio.mel_spectrogram(pt.ones(4000), 8000, n_mels=20, n_fft=400).shape
    (41, 20)
    """
    powers = spectrogram(
        x, n_fft=n_fft, hop_length=hop_length, center=center, pad_mode=pad_mode, power=power
    )
    bands = mel_filters(n_mels, sample_rate, n_fft, low=low, high=high, scale=scale, norm=norm)
    return powers @ bands


@named
def power_to_db(
    x: ArrayLike, /, *, reference: float = 1.0, least: float = 1e-10, span: float | None = 80.0
) -> Tensor:
    """Return powers in decibels: 10 log10(x / reference).

    Args:
        x: Powers; real dtype.
        reference: Power of 0 dB; 1.0 by default.
        least: Smaller powers are raised to this; 1e-10 by default.
        span: Values this far below the largest one are raised; 80.0 by default, None for no limit.

    Returns:
        float32 tensor of the shape of `x`.

    Raises:
        ArgumentError: If a number is not positive.
        DTypeError: If `x` is complex.

    >>> import py_tensor as pt
    >>> [round(level) for level in pt.audio.power_to_db([1.0, 0.01, 0.0]).tolist()]
    [0, -20, -80]
    """
    operation = "power_to_db"
    powers = converted(operation, x).astype("float32", copy=False)
    reference = number(operation, "reference", reference)
    least = number(operation, "least", least)
    if min(reference, least) <= 0.0:
        raise ArgumentError(
            f"{operation}: powers must be positive; got reference {reference} and least "
            f"{least}; use numbers above 0"
        )
    values = F.log(F.maximum(powers, least)) * (10.0 / math.log(10.0))
    values = values - 10.0 * math.log10(reference)
    if span is None or not powers.size:
        return values
    return F.maximum(values, F.max(values) - number(operation, "span", span))


@named
def whisper_features(x: ArrayLike, /, *, n_mels: int = 80, seconds: float | None = 30.0) -> Tensor:
    """Return the features of sounds that Whisper takes: logarithms of a mel spectrogram.

    Source: Radford et al. 2022, arXiv:2212.04356, section 2.2, and `log_mel_spectrogram` of
    https://github.com/openai/whisper. The values are (max(log10(mel), highest - 8) + 4) / 4, where
    `highest` is the largest logarithm of a sound. `resample` changes other sample rates.

    Args:
        x: Sounds of shape (..., samples) at 16 kHz, from -1 to 1.
        n_mels: Number of bands: 80 (default), or 128 for the third large model.
        seconds: Length to which sounds are cut or padded with zeros; 30.0 by default, which
            Whisper needs; None for their own.

    Returns:
        float32 tensor of shape (..., 100 * seconds, n_mels).

    Raises:
        ArgumentError: If a number is out of range.
        DTypeError: If `x` is complex.
        ShapeError: If the signal has no samples.

    >>> import py_tensor as pt
    >>> pt.audio.whisper_features(pt.ones(16000)).shape
    (3000, 80)
    """
    operation = "whisper_features"
    samples = _samples(operation, x)
    if seconds is not None:
        length = number(operation, "seconds", seconds, finite=True) * RATE
        count = integer(operation, "samples of the sound", round(length), 201, MOST_ELEMENTS)
        samples = samples[..., :count]
        missing = count - samples.shape[-1]
        samples = F.pad(samples, (*((0, 0),) * (samples.ndim - 1), (0, missing)))
    # The last frame is left out, as in Whisper.
    values = band_logarithms(samples, n_mels, center=True)[..., :-1, :]
    return scaled_logarithms(values, F.max(values, axis=(-2, -1), keepdims=True))


def band_logarithms(samples: Tensor, bands: int, *, center: bool) -> Tensor:
    """Return logarithms of the strengths of bands in the frames of Whisper."""
    powers = mel_spectrogram(
        samples, RATE, n_mels=bands, n_fft=FRAME, hop_length=STEP, center=center, pad_mode="reflect"
    )
    return F.log10(F.maximum(powers, 10**SILENCE))


def scaled_logarithms(values: Tensor, highest: Tensor) -> Tensor:
    """Return the features of Whisper, given logarithms and the largest one of the sound."""
    return (F.maximum(values, highest - 8.0) + 4.0) * 0.25


@named
def mfcc(
    x: ArrayLike,
    sample_rate: float,
    /,
    *,
    n_mfcc: int = 20,
    n_mels: int = 128,
    n_fft: int = 2048,
    hop_length: int | None = None,
    center: bool = True,
    pad_mode: str = "constant",
    low: float = 0.0,
    high: float | None = None,
    scale: str = "slaney",
    norm: bool = True,
) -> Tensor:
    """Return mel-frequency cepstral coefficients: cosine transforms of mel spectrograms in dB.

    Args:
        x: Signals of shape (..., samples) and a real dtype.
        sample_rate: Number of samples in a second.
        n_mfcc: Number of coefficients, at most as many as bands; 20 by default.
        n_mels: As for `mel_spectrogram`.
        n_fft: As for `mel_spectrogram`.
        hop_length: As for `mel_spectrogram`.
        center: As for `mel_spectrogram`.
        pad_mode: As for `mel_spectrogram`.
        low: As for `mel_spectrogram`.
        high: As for `mel_spectrogram`.
        scale: As for `mel_spectrogram`.
        norm: As for `mel_spectrogram`.

    Returns:
        float32 tensor of shape (..., frames, n_mfcc).

    Raises:
        ArgumentError: If a number is out of range, or the scale is unknown.
        DTypeError: If `x` is complex.
        ShapeError: If the signal has no samples.

    >>> import py_tensor as pt
    >>> pt.audio.mfcc(pt.ones(4000), 8000, n_mfcc=13, n_mels=40, n_fft=400).shape
    (41, 13)
    """
    powers = mel_spectrogram(
        x,
        sample_rate,
        n_mels=n_mels,
        n_fft=n_fft,
        hop_length=hop_length,
        center=center,
        pad_mode=pad_mode,
        low=low,
        high=high,
        scale=scale,
        norm=norm,
    )
    bands = powers.shape[-1]
    count = integer("mfcc", "n_mfcc", n_mfcc, 1, bands)
    rows = [
        [
            math.cos(math.pi * k * (2 * n + 1) / (2 * bands))
            * math.sqrt((1 if k == 0 else 2) / bands)
            for k in range(count)
        ]
        for n in range(bands)
    ]
    return power_to_db(powers) @ F.asarray(rows, dtype="float32")


def _pitches(
    operation: str, low: float, bins: int, bins_per_octave: int
) -> tuple[list[float], int]:
    first = number(operation, "low", low, finite=True)
    count = integer(operation, "bins", bins, 1, 1 << 12)
    per_octave = integer(operation, "bins_per_octave", bins_per_octave, 1, 1 << 12)
    if first <= 0.0:
        raise ArgumentError(f"{operation}: low is not positive; got {first}; use a frequency in Hz")
    return [first * 2.0 ** (k / per_octave) for k in range(count)], per_octave


def cqt_frequencies(
    *, low: float = 32.703195662574764, bins: int = 84, bins_per_octave: int = 12
) -> list[float]:
    """Return the frequencies of the bins of `cqt` in Hz.

    Args:
        low: Frequency of the first bin; that of the note C1 by default.
        bins: Number of bins; 84 by default.
        bins_per_octave: Number of bins from a frequency to twice of it; 12 by default.

    Returns:
        List of frequencies.

    Raises:
        ArgumentError: If a number is out of range.

    >>> import py_tensor as pt
    >>> [round(note, 1) for note in pt.audio.cqt_frequencies(low=440.0, bins=3)]
    [440.0, 466.2, 493.9]
    """
    return _pitches("cqt_frequencies", low, bins, bins_per_octave)[0]


@named
def cqt(
    x: ArrayLike,
    sample_rate: float,
    /,
    *,
    hop_length: int = 512,
    low: float = 32.703195662574764,
    bins: int = 84,
    bins_per_octave: int = 12,
) -> Tensor:
    """Return the constant-Q transform: the strength and phase of the notes in each frame.

    The window of a note is as long as a constant number of its periods. The transform is one
    product of frames and windows, with the scale of librosa's. Source: Brown 1991,
    doi:10.1121/1.400476.

    Args:
        x: Signals of shape (..., samples) and a real dtype.
        sample_rate: Number of samples in a second.
        hop_length: Number of samples from frame to frame; 512 by default.
        low: Frequency of the first bin in Hz; that of the note C1 by default.
        bins: Number of bins; 84 by default.
        bins_per_octave: Number of bins from a frequency to twice of it; 12 by default.

    Returns:
        complex64 tensor of shape (..., frames, bins).

    Raises:
        ArgumentError: If a number is out of range, or the highest note exceeds half of the rate.
        DTypeError: If `x` is complex.
        ShapeError: If the signal has no samples.

    >>> import math
    >>> import py_tensor as pt
    >>> tone = pt.sin(pt.arange(8000) * (2 * math.pi * 440.0 / 8000.0))
    >>> notes = pt.audio.cqt(tone, 8000, low=220.0, bins=24)
    >>> abs(notes[8]).argmax().item()
    12
    """
    operation = "cqt"
    samples = _samples(operation, x)
    rate = number(operation, "sample_rate", sample_rate, finite=True)
    step = integer(operation, "hop_length", hop_length, 1)
    notes, per_octave = _pitches(operation, low, bins, bins_per_octave)
    if notes[-1] >= rate / 2.0:
        raise ArgumentError(
            f"{operation}: highest note is out of range; got {notes[-1]:.1f} Hz at a rate of "
            f"{rate}; use fewer bins"
        )
    square = 2.0 ** (2.0 / per_octave)
    periods = (square + 1.0) / (square - 1.0)
    lengths = [periods * rate / note for note in notes]
    size = 2 * math.ceil(lengths[0] / 2.0)
    if size > 1 << 15:
        raise ArgumentError(
            f"{operation}: lowest note needs too long a window; got {notes[0]} Hz, which needs "
            f"{size} samples; use a higher note or fewer bins per octave"
        )
    frames = signal.frame(_around(samples, size), size, step)
    offset = (F.arange(size) - size // 2).reshape((-1, 1))

    def angles(turns: list[float]) -> Tensor:
        """Return the angle at each offset of waves, given their turns from sample to sample."""
        # Products of integers drop whole turns exactly.
        parts = F.asarray([round(turn * 2.0**32) for turn in turns], dtype="int32")
        products: Tensor = offset * parts
        return products.astype("float32") * (2.0 * math.pi / 2.0**32)

    widths = F.asarray(lengths, dtype="float32")
    angle = angles([note / rate for note in notes])
    window = (F.cos(angles([1.0 / length for length in lengths])) + 1.0) / F.sqrt(widths)
    window = F.where(abs(offset) <= widths * 0.5, window, 0.0)
    return F.complex(frames @ (window * F.cos(angle)), 0.0 - frames @ (window * F.sin(angle)))


class _Filter(NamedTuple):
    """Filter between the samples of two rates."""

    weights: list[float]
    half: int


@lru_cache(16)
def _low_pass(up: int, down: int) -> _Filter:
    """Return a windowed sinc: SciPy's firwin with a Kaiser window of beta 5."""
    largest = max(up, down)
    half = 10 * largest

    def bessel(x: float) -> float:
        total = term = 1.0
        k = 0
        while term > 1e-17 * total:
            k += 1
            term *= (x / (2 * k)) ** 2
            total += term
        return total

    weights = []
    for k in range(-half, half + 1):
        x = math.pi * k / largest
        sinc = math.sin(x) / x if k else 1.0
        weights.append(sinc * bessel(5.0 * math.sqrt(max(0.0, 1.0 - (k / half) ** 2))))
    total = sum(weights)
    return _Filter([weight * up / total for weight in weights], half)


@kernel(shape=lambda x, weights, up, down, half, taps, count: (x.shape[0], count), border="zero")
def _between_samples(
    i: Any, n: Any, x: Any, weights: Any, up: Any, down: Any, half: Any, taps: Any, count: Any
) -> Any:
    cycle = n // up
    position = (n - cycle * up) * down + half
    nearest, rest = cycle * down + position // up, position % up
    total = 0.0
    for tap in range(taps):
        total += x[i, nearest - tap] * weights[rest + tap * up]
    return total


@named
def resample(x: ArrayLike, from_rate: int, to_rate: int, /) -> Tensor:
    """Change the sample rate of signals, as scipy.signal.resample_poly does.

    Args:
        x: Signals of shape (..., samples) and a real dtype.
        from_rate: Number of samples in a second, at least 1.
        to_rate: Wanted number of samples in a second, at least 1.

    Returns:
        float32 tensor of shape (..., samples * to_rate / from_rate, rounded up).

    Raises:
        ArgumentError: If a rate is below 1, or the ratio has a term above 5,000.
        DTypeError: If `x` is complex.
        ShapeError: If the signal has no samples.

    >>> import py_tensor as pt
    >>> pt.audio.resample(pt.ones(441), 44100, 16000).shape
    (160,)
    """
    operation = "resample"
    samples = _samples(operation, x)
    from_rate = integer(operation, "from_rate", from_rate, 1)
    to_rate = integer(operation, "to_rate", to_rate, 1)
    divisor = math.gcd(from_rate, to_rate)
    down, up = from_rate // divisor, to_rate // divisor
    if max(up, down) > 5_000:
        raise ArgumentError(
            f"{operation}: ratio needs too long a filter; got {up} / {down}; use rates with a "
            "larger common divisor"
        )
    if up == down:
        return samples
    low_pass = _low_pass(up, down)
    length = samples.shape[-1]
    count = -(-length * up // down)
    weights = F.asarray(low_pass.weights, dtype="float32")
    rows = samples.reshape((-1, length))
    taps = len(low_pass.weights) // up + 1
    result: Tensor = _between_samples(rows, weights, up, down, low_pass.half, taps, count)
    return result.reshape((*samples.shape[:-1], count))
