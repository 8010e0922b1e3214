"""Rotary embedding: positions as rotations of pairs of features."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .. import functions as F
from ..dtypes import float32, wrong_type
from ..errors import ArgumentError, DTypeError, ShapeError
from ..functions.arguments import (
    MOST_STEPS,
    choice,
    flag,
    floating,
    integer,
    items,
    number,
    wide,
)
from ..ops.op_def import broadcast
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike

_KINDS = ("linear", "yarn", "llama3", "longrope")


@dataclass(frozen=True)
class RotaryScaling:
    """Change of the frequencies of a rotary embedding for longer sequences.

    Sources: "linear": Chen et al. 2023, arXiv:2306.15595; "yarn": Peng et al. 2023,
    arXiv:2309.00071; "llama3": Grattafiori et al. 2024, arXiv:2407.21783; "longrope": Ding et al.
    2024, arXiv:2402.13753. Names and defaults are those of `rope_scaling` in files of transformers.

    Args:
        kind: "linear", "yarn", "llama3" or "longrope".
        factor: Factor by which sequences are longer; default 1.0.
        original_length: Length of sequences before; default 8192.
        low_frequency: Of "llama3": rotations in the original length below which a frequency is
            divided by the factor; default 1.0.
        high_frequency: Of "llama3": rotations above which a frequency is kept; default 4.0.
        beta_fast: Of "yarn": rotations above which a frequency is kept; default 32.0.
        beta_slow: Of "yarn": rotations below which a frequency is divided; default 1.0.
        truncate: Of "yarn": round the limits to whole frequencies; default True.
        attention_factor: Factor of rotated features; None (default) for that of the source, which
            is 1.0 for "linear" and "llama3".
        divisors: Of "longrope": divisor of each frequency; default ().

    >>> import py_tensor as pt
    >>> scaling = pt.nn.RotaryScaling("linear", factor=4.0)
    >>> pt.nn.rotary_frequencies(4, scaling=scaling)
    (0.25, 0.0025)
    """

    kind: str
    factor: float = 1.0
    original_length: int = 8192
    low_frequency: float = 1.0
    high_frequency: float = 4.0
    beta_fast: float = 32.0
    beta_slow: float = 1.0
    truncate: bool = True
    attention_factor: float | None = None
    divisors: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        choice("RotaryScaling", "kind", self.kind, _KINDS)

    @property
    def amplitude(self) -> float:
        """Factor of rotated features."""
        if self.attention_factor is not None:
            return self.attention_factor
        if self.factor <= 1 or self.kind in ("linear", "llama3"):
            return 1.0
        if self.kind == "yarn":
            return 0.1 * math.log(self.factor) + 1
        return math.sqrt(1 + math.log(self.factor) / math.log(self.original_length))

    def scaled(self, frequencies: list[float], base: float) -> list[float]:
        """Return the frequencies for longer sequences."""
        if self.kind == "linear":
            return [own / self.factor for own in frequencies]
        if self.kind == "longrope":
            if len(self.divisors) != len(frequencies):
                raise ArgumentError(
                    f"RotaryScaling: longrope needs a divisor for each frequency; got "
                    f"{len(self.divisors)} for {len(frequencies)}; pass half as many as features"
                )
            return [own / by for own, by in zip(frequencies, self.divisors, strict=True)]
        kept = self._llama3 if self.kind == "llama3" else self._yarn
        shares = kept(frequencies, base)
        return [
            own * share + own / self.factor * (1 - share)
            for own, share in zip(frequencies, shares, strict=True)
        ]

    def _llama3(self, frequencies: list[float], base: float) -> list[float]:
        """Return the share of each frequency that is kept."""
        low, high = self.low_frequency, self.high_frequency
        rotations = [self.original_length * own / (2 * math.pi) for own in frequencies]
        return [min(max((own - low) / (high - low), 0.0), 1.0) for own in rotations]

    def _yarn(self, frequencies: list[float], base: float) -> list[float]:
        """Return the share of each frequency that is kept."""
        features = 2 * len(frequencies)

        def place(rotations: float) -> float:
            turns = self.original_length / (rotations * 2 * math.pi)
            return features * math.log(turns) / (2 * math.log(base))

        low, high = place(self.beta_fast), place(self.beta_slow)
        if self.truncate:
            low, high = math.floor(low), math.ceil(high)
        low, high = max(low, 0), min(high, features - 1)
        width = (high - low) or 0.001
        return [1 - min(max((at - low) / width, 0.0), 1.0) for at in range(len(frequencies))]


def rotary_frequencies(
    features: int, /, *, base: float = 10000.0, scaling: RotaryScaling | None = None
) -> tuple[float, ...]:
    """Return the angles by which a rotary embedding turns pairs of features for each position.

    Source: Su et al. 2021, arXiv:2104.09864. The angle of pair i is base**(-2 * i / features).

    Args:
        features: Number of features that are rotated, an even number.
        base: Base of the angles; default 10000.0.
        scaling: Change for longer sequences; None (default) for none.

    Returns:
        Tuple of features / 2 numbers.

    Raises:
        ArgumentError: If the number of features is odd.

    >>> import py_tensor as pt
    >>> pt.nn.rotary_frequencies(4)
    (1.0, 0.01)
    """
    features = integer("rotary_frequencies", "features", features, 0, MOST_STEPS)
    base = number("rotary_frequencies", "base", base)
    if scaling is not None and not isinstance(scaling, RotaryScaling):
        raise wrong_type("rotary_frequencies", "scaling", "a RotaryScaling", scaling)
    if features % 2:
        raise ArgumentError(
            f"rotary_frequencies: features must be even; got {features}; rotate one less"
        )
    angles = [base ** (-2 * at / features) for at in range(features // 2)]
    return tuple(angles if scaling is None else scaling.scaled(angles, base))


def rotary_embedding(
    x: ArrayLike,
    positions: ArrayLike,
    frequencies: Sequence[float],
    /,
    *,
    interleaved: bool = False,
    amplitude: float = 1.0,
) -> Tensor:
    """Rotate pairs of features by angles in proportion to their positions.

    Source: Su et al. 2021, arXiv:2104.09864. With n frequencies, features i and i + n are a pair,
    as in files of Llama for transformers; `interleaved` pairs 2 * i and 2 * i + 1, as in the
    source. Features after the first 2 * n are returned unchanged.

    Args:
        x: Tensor of shape (..., length, features) and a floating dtype.
        positions: Integers that broadcast with (..., length).
        frequencies: Angle of each pair at position 1, see `rotary_frequencies`.
        interleaved: Pair neighbouring features; default False.
        amplitude: Factor of rotated features; default 1.0.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating, or positions are not integers.
        ShapeError: If shapes are incompatible, or there are fewer features than two for each
            frequency.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[1.0, 0.0], [1.0, 0.0]])
    >>> pt.round(pt.nn.rotary_embedding(x, [0, 1], [3.14159265])).tolist()
    [[1.0, 0.0], [-1.0, -0.0]]
    """
    x = floating("rotary_embedding", x)
    interleaved = flag("rotary_embedding", "interleaved", interleaved)
    amplitude = number("rotary_embedding", "amplitude", amplitude)
    places = as_tensor("rotary_embedding", positions)
    if places.dtype.kind not in "iu":
        raise DTypeError(
            f"rotary_embedding: positions must be integers; got dtype {places.dtype}; use "
            'positions.astype("int32")'
        )
    angles = [
        number("rotary_embedding", "frequencies", own)
        for own in items("rotary_embedding", "frequencies", frequencies)
    ]
    if x.ndim < 2 or x.shape[-1] < 2 * len(angles):
        raise ShapeError(
            f"rotary_embedding: too few features for {len(angles)} frequencies; got shape "
            f"{x.shape}; pass half as many frequencies as features"
        )
    lengths = x.shape[:-1]
    if broadcast("rotary_embedding", (lengths, places.shape)) != lengths:
        raise ShapeError(
            f"rotary_embedding: positions have more elements than x; got shapes {places.shape} and "
            f"{x.shape}; pass one position for each of axis -2"
        )
    return turned(x, rotation(places, angles, amplitude), interleaved)


def rotation(
    positions: Tensor, frequencies: Sequence[float], amplitude: float
) -> tuple[Tensor, Tensor]:
    """Return the cosines and sines of the angles at each position, times the amplitude."""
    places = F.expand_dims(positions.astype(float32), axis=-1)
    angles = places * F.asarray(list(frequencies), dtype=float32)
    return F.cos(angles) * amplitude, F.sin(angles) * amplitude


def turned(x: Tensor, cos_and_sin: tuple[Tensor, Tensor], interleaved: bool) -> Tensor:
    """Rotate pairs of features by angles, given by their cosines and sines."""
    cos, sin = cos_and_sin
    half = cos.shape[-1]
    rotated, rest = wide(x[..., : 2 * half]), x[..., 2 * half :]
    shape = rotated.shape
    if interleaved:
        first, second = (rotated[..., at::2] for at in (0, 1))
    else:
        first, second = rotated[..., :half], rotated[..., half:]
    parts = first * cos - second * sin, second * cos + first * sin
    joined = F.stack(parts, axis=-1).reshape(shape) if interleaved else F.concat(parts, axis=-1)
    result: Tensor = joined.astype(x.dtype, copy=False)
    return F.concat([result, rest], axis=-1) if rest.shape[-1] else result
