"""Caches of the keys and values of attention: tensors of a fixed size."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ... import functions as F
from ...dtypes import float32, int32
from ...errors import ArgumentError, ShapeError
from ...functions.arguments import integer
from ...functions.data_types import lowest_stored
from ...random import is_known
from ...tensor import Tensor, as_tensor
from ...typing import ArrayLike, DTypeLike


class _Step(NamedTuple):
    """Facts of a call, which caches of equal sizes and positions have in common."""

    position: Tensor
    """Position after the call."""
    is_new: Tensor
    """True for the positions that are written, of shape (length, 1)."""
    places: Tensor
    """Place of each of them among the new ones."""
    visible: Tensor
    """Mask of the attention."""


@dataclass(frozen=True)
class KeyValueCache:
    """Projected keys and values of the positions so far, in tensors of a fixed size.

    Position p is stored at p % length, so a call that writes a token has the same shapes for every
    token: under `pt.jit`, one plan serves all of them. `KeyValueCache.empty` and the layers'
    `empty_cache` make one, and `dataclasses.replace(cache, position=...)` goes back to an earlier
    position. Donate the cache to `pt.jit`, so that its memory is used again.

    Writing beyond `length` raises if the position is known on the host. It is unknown under
    `pt.jit` and for results on a device; there the caller counts positions, because the oldest ones
    would be overwritten.

    Args:
        keys: Tensor of shape (batch, heads, length, features).
        values: Tensor of shape (batch, heads, length, value features).
        position: Number of positions so far, an int32 tensor of shape ().
        window: Number of positions that a query attends to, its own included, which is `length`:
            older positions are overwritten. None (default) for all positions.
        start: First position of each sequence, an int32 tensor of shape (batch,): earlier ones are
            padding, which no query attends to. None (default) if there is none.

    >>> import py_tensor as pt
    >>> cache = pt.nn.MultiHeadAttention(16, 4).empty_cache(2, 100)
    >>> cache.keys.shape, cache.position.item()
    ((2, 4, 100, 4), 0)
    """

    keys: Tensor
    values: Tensor
    position: Tensor
    window: int | None = field(default=None, metadata={"static": True})
    start: Tensor | None = None

    @classmethod
    def empty(
        cls,
        batch: int,
        heads: int,
        length: int,
        features: int,
        *,
        window: int | None = None,
        dtype: DTypeLike = float32,
    ) -> KeyValueCache:
        """Return the cache before the first position.

        Args:
            batch: Number of sequences.
            heads: Number of heads of keys and values.
            length: Largest number of positions.
            features: Number of features of a head.
            window: Number of positions that a query attends to, its own included; the cache has no
                more. None (default) for all positions.
            dtype: Dtype of keys and values; default float32.

        Returns:
            `KeyValueCache` of zeros.

        Raises:
            ArgumentError: If a size is negative, or `window` is below 1.

        >>> import py_tensor as pt
        >>> pt.nn.KeyValueCache.empty(1, 2, 1000, 8, window=16).keys.shape
        (1, 2, 16, 8)
        """
        sizes = {"batch": batch, "heads": heads, "length": length, "features": features}
        shape = [integer("KeyValueCache", name, size, 0) for name, size in sizes.items()]
        if window is not None:
            window = integer("KeyValueCache", "window", window, 1)
            window = window if window < shape[2] else None
        if window is not None:
            shape[2] = window
        keys, values = (F.zeros(tuple(shape), dtype=dtype) for _ in range(2))
        return cls(keys, values, F.zeros((), dtype=int32), window)

    @property
    def length(self) -> int:
        """Number of positions that are stored."""
        return self.keys.shape[2]

    def positions(self) -> Tensor:
        """Return the position of each stored key, negative if there is none yet.

        Returns:
            int32 tensor of shape (length,).

        >>> import py_tensor as pt
        >>> cache = pt.nn.KeyValueCache.empty(1, 1, 3, 1)
        >>> cache.extended(pt.ones((1, 1, 2, 1)), pt.ones((1, 1, 2, 1))).positions().tolist()
        [0, 1, -1]
        """
        last = self.position - 1
        return last - (last - F.arange(self.length, dtype=int32)) % self.length

    def extended(
        self, keys: Tensor, values: Tensor, /, *, count: int | Tensor | None = None
    ) -> KeyValueCache:
        """Return the cache with the keys and values of the following positions.

        Args:
            keys: Tensor of shape (batch, heads, new positions, features).
            values: Tensor of shape (batch, heads, new positions, value features).
            count: Number of new positions to keep, a number or a tensor; the others are padding.
                None (default) for all.

        Returns:
            `KeyValueCache` of the same shape.

        Raises:
            ShapeError: If the shapes differ from the cache's, or there are too many positions.

        >>> import py_tensor as pt
        >>> cache = pt.nn.KeyValueCache.empty(1, 1, 4, 1)
        >>> cache = cache.extended(pt.ones((1, 1, 2, 1)), pt.ones((1, 1, 2, 1)), count=1)
        >>> cache.keys.tolist(), cache.position.item()
        ([[[[1.0], [0.0], [0.0], [0.0]]]], 1)
        """
        new = keys.shape[2]
        self._check(keys, values, new if count is None else count)
        return self._written(keys, values, self._step(new, None, False, count, None))

    def attending(
        self,
        keys: Tensor,
        values: Tensor,
        mask: ArrayLike | None,
        causal: bool,
        count: int | Tensor | None = None,
        window: int | None = None,
        shared: dict[Any, Any] | None = None,
    ) -> tuple[KeyValueCache, Tensor, Tensor, Tensor]:
        """Return the cache with new positions; and keys, values and the mask for their queries.

        The arguments are those of `extended`, and the mask, `causal` and window of the attention.
        `shared` keeps what caches with equal positions have in common in one call.
        """
        new = keys.shape[2]
        self._check(keys, values, new if count is None else count)
        shared = {} if shared is None else shared
        key = self.length, self.window, window, causal
        step = shared.get(key)
        if step is None:
            step = shared[key] = self._step(new, mask, causal, count, window)
        after = self._written(keys, values, step)
        if self.window is None or new == 1:
            return after, after.keys, after.values, step.visible
        # The first queries attend to positions that the last ones overwrite.
        keys, values = F.concat([self.keys, keys], 2), F.concat([self.values, values], 2)
        return after, keys, values, step.visible

    def _step(
        self,
        new: int,
        mask: ArrayLike | None,
        causal: bool,
        count: int | Tensor | None,
        window: int | None,
    ) -> _Step:
        """Return where so many new positions are written, and what their queries see."""
        kept = new if count is None else as_tensor("KeyValueCache", count)
        after = replace(self, position=(self.position + kept).astype(int32))
        at = after.positions()
        index = at - self.position
        own = self.position + F.arange(new, dtype=int32)
        if self.window is not None and new > 1:
            at = F.concat([self.positions(), own])
        own, visible = own.reshape((-1, 1)), at >= 0
        if causal:
            visible = visible.logical_and(at <= own)
        window = self.window if window is None else window
        if window is not None:
            visible = visible.logical_and(at > own - window)
        if self.start is not None:
            visible = visible.logical_and(at >= self.start.reshape((-1, 1, 1, 1)))
        places = F.clip(index, 0, max(new - 1, 0))
        is_new = (index >= 0).reshape((-1, 1))
        return _Step(after.position, is_new, places, self._joined(mask, visible))

    def _written(self, keys: Tensor, values: Tensor, step: _Step) -> KeyValueCache:
        """Return the cache with new keys and values."""
        new = keys.shape[2]
        if not new:
            return self

        def written(part: Tensor, old: Tensor) -> Tensor:
            taken = part if new == 1 else F.take(part, step.places, axis=2)
            return F.where(step.is_new, taken.astype(old.dtype, copy=False), old)

        own = written(keys, self.keys), written(values, self.values)
        return KeyValueCache(*own, step.position, self.window, self.start)

    def _joined(self, mask: ArrayLike | None, visible: Tensor) -> Tensor:
        """Return a mask that also hides what is not visible."""
        if mask is None:
            return visible
        if self.window is not None:
            raise ArgumentError(
                "attention: a cache with a window has no masks; got a mask; use a cache without "
                "a window, whose keys are in the order of their positions"
            )
        tensor = as_tensor("attention", mask)
        if tensor.dtype.kind == "b":
            return tensor.logical_and(visible)
        # Scores are added to it, so it is not the lowest number itself.
        return F.where(visible, tensor, 0.5 * lowest_stored(tensor.dtype))

    def _check(self, keys: Tensor, values: Tensor, count: int | Tensor) -> None:
        """Raise ShapeError if parts do not fit, as far as the host knows the position."""
        for part, old in ((keys, self.keys), (values, self.values)):
            if (*part.shape[:2], *part.shape[3:]) != (*old.shape[:2], *old.shape[3:]):
                raise ShapeError(
                    f"KeyValueCache: new positions must have the shape of the cache; got shape "
                    f"{part.shape} for {old.shape}; only the length of axis 2 may differ"
                )
        if self.window is not None:
            return
        known = [_on_host(self.position), _on_host(count)]
        first, more = (0 if number is None else number for number in known)
        if first + more > self.length:
            raise ShapeError(
                f"KeyValueCache: cache is full; got {more} positions after {first} for a length "
                f"of {self.length}; make a longer cache"
            )


def _on_host(number: int | Tensor) -> int | None:
    """Return a number, or None if it is not known without waiting for a device."""
    if not isinstance(number, Tensor):
        return number
    return int(number) if is_known(number) else None
