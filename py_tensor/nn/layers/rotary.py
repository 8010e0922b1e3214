"""Rotary embedding as a layer."""

from __future__ import annotations

from typing import Any

from ... import functions as F
from ...dtypes import int32
from ...functions.arguments import flag
from ...tensor import Tensor
from ..module import Module, static_field
from ..rotary import (
    RotaryScaling,
    rotary_embedding,
    rotary_frequencies,
    rotation,
    turned,
)


class RotaryEmbedding(Module):
    """Rotate pairs of features by angles in proportion to their positions.

    Calling the layer takes a tensor of shape (..., length, features) with at least as many features
    as are rotated, and the first position, a number or a tensor; default 0. It returns a tensor of
    the same shape and dtype; see `rotary_embedding`.

    Args:
        features: Number of features that are rotated, an even number. Others are unchanged, so a
            partial rotary factor f of n features is features=int(f * n).
        base: Base of the angles; default 10000.0.
        scaling: Change for longer sequences; None (default) for none.
        interleaved: Pair neighbouring features instead of two halves; default False.

    Raises:
        ArgumentError: If the number of features is odd.
        ShapeError: In a call, if the input has too few features.

    >>> import py_tensor as pt
    >>> rotary = pt.nn.RotaryEmbedding(4)
    >>> x = pt.ones((2, 3, 4))
    >>> bool((rotary(x)[:, 1:] == rotary(x[:, 1:], 1)).all())
    True
    """

    frequencies: tuple[float, ...] = static_field()
    amplitude: float = static_field()
    interleaved: bool = static_field()

    def __init__(
        self,
        features: int,
        *,
        base: float = 10000.0,
        scaling: RotaryScaling | None = None,
        interleaved: bool = False,
    ) -> None:
        self.frequencies = rotary_frequencies(features, base=base, scaling=scaling)
        self.amplitude = 1.0 if scaling is None else scaling.amplitude
        self.interleaved = flag("RotaryEmbedding", "interleaved", interleaved)

    def forward(self, x: Tensor, position: int | Tensor = 0) -> Tensor:
        positions = F.arange(x.shape[-2], dtype=int32) + position
        return rotary_embedding(
            x,
            positions,
            self.frequencies,
            interleaved=self.interleaved,
            amplitude=self.amplitude,
        )

    def turned(self, x: Tensor, position: int | Tensor, shared: dict[Any, Any]) -> Tensor:
        """Return the result of a call; `shared` keeps angles that several layers have in common."""
        key = self.frequencies, self.amplitude
        if key not in shared:
            positions = F.arange(x.shape[-2], dtype=int32) + position
            shared[key] = rotation(positions, self.frequencies, self.amplitude)
        return turned(x, shared[key], self.interleaved)

    def facts(self) -> str:
        return f"{2 * len(self.frequencies)} features"
