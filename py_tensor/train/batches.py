"""Convert data to batches of inputs, targets and optional sample weights.

Input: arrays, or an iterable of batches. Output: batches of tensors.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterable, Iterable, Iterator
from copy import copy
from functools import partial
from typing import Any, NamedTuple, cast

from ..errors import ArgumentError, DTypeError, ShapeError
from ..functions.arguments import flag, integer, number
from ..functions.conversion import asarray
from ..functions.indexing import take
from ..ir.pytree import tree_leaves, tree_map
from ..tensor import Tensor, as_tensor

Batches = Iterable[Any] | AsyncIterable[Any]
"""Batches of an epoch."""


class Batch(NamedTuple):
    """Inputs, targets, and one weight per sample (None if all count the same)."""

    inputs: Any
    targets: Any
    weights: Tensor | None

    @property
    def samples(self) -> int:
        """Number of samples in the batch."""
        length: int = tree_leaves(self.inputs)[0].shape[0]
        return length


class Arrays:
    """Samples along the first axis of tensors that are stored on the device.

    Each iteration covers all samples, in a new random order if `shuffle` is set. The last batch
    may be smaller.
    """

    def __init__(self, operation: str, tree: Any, batch_size: int, shuffle: bool, seed: int):
        batch_size = integer(operation, "batch_size", batch_size)
        seed = integer(operation, "seed", seed)
        if batch_size < 1:
            raise ArgumentError(
                f"{operation}: batch_size is too small; got {batch_size}; use for example 32"
            )
        self.tree = tensors_of(operation, tree)
        lengths = {_length(operation, leaf) for leaf in tree_leaves(self.tree)}
        if len(lengths) != 1:
            raise ShapeError(
                f"{operation}: arrays must have the same number of samples; got {sorted(lengths)}; "
                "make their first axes equally long"
            )
        (self.count,) = lengths
        self.batch_size = batch_size
        self.random = random.Random(seed) if flag(operation, "shuffle", shuffle) else None
        self.indices = range(self.count)
        self.part, self.parts, self.multiple = 0, 1, 1

    def divide(self, part: int, parts: int, multiple: int) -> None:
        """Keep the samples of one of several processes, which all have the same arrays.

        Batches have a number of samples that is a multiple; the samples left over are left out.
        """
        self.part, self.parts, self.multiple = part, parts, multiple

    def __len__(self) -> int:
        return -(-len(self.indices) // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        order = list(self.indices)
        if self.random is not None:
            self.random.shuffle(order)
        for start in range(0, len(order), self.batch_size):
            whole = order[start : start + self.batch_size]
            even = whole[: len(whole) // self.multiple * self.multiple]
            if even:
                yield self._samples(even[self.part :: self.parts])

    def _samples(self, indices: list[int]) -> Any:
        # Indices are data, so all batches share one plan; slices would need one plan each.
        chosen = asarray(indices)
        return tree_map(lambda leaf: take(leaf, chosen, axis=0), self.tree)

    def split(self, operation: str, part: float) -> tuple[Arrays, Arrays]:
        """Return the first samples, and the last fraction `part` of them without shuffling."""
        part = number(operation, "validation_split", part, finite=True)
        count_taken = round(self.count * part)
        if not 0 < count_taken < self.count:
            raise ArgumentError(
                f"{operation}: validation_split must leave samples on both sides; got {part} of "
                f"{self.count} samples; use for example 0.2"
            )
        first, last = copy(self), copy(self)
        first.indices, last.indices = self.indices[:-count_taken], self.indices[-count_taken:]
        last.random = None
        return first, last


def _length(operation: str, leaf: object) -> int:
    if not isinstance(leaf, Tensor) or leaf.ndim == 0 or leaf.shape[0] == 0:
        shown = leaf.shape if isinstance(leaf, Tensor) else leaf
        raise ShapeError(
            f"{operation}: data has no samples; got {shown!r:.60}; pass arrays whose first axis "
            "counts samples"
        )
    return leaf.shape[0]


def batches_of(
    operation: str, data: Any, batch_size: int, shuffle: bool = False, seed: int = 0
) -> Batches:
    """Return batches of `(x, y)` or `(x, y, weights)`, or the data itself if it is an iterable.

    A list of two or three arrays counts as such a tuple.

    Raises ArgumentError for other data.
    """
    arrays = isinstance(data, list) and len(data) in (2, 3) and all(map(_is_tensor, data))
    if isinstance(data, tuple) or arrays:
        return Arrays(operation, as_batch(operation, data), batch_size, shuffle, seed)
    if isinstance(data, (Tensor, dict)) or hasattr(data, "shape") or not _is_iterable(data):
        raise ArgumentError(
            f"{operation}: data must be arrays or an iterable of batches; got "
            f"{type(data).__name__}; pass (x, y) or an iterable of batches (x, y)"
        )
    return cast("Batches", data)


def inputs_of(operation: str, data: Any, batch_size: int) -> Batches:
    """Return batches of inputs from an array, a dict or tuple of arrays, or an iterable.

    Raises ArgumentError for other data.
    """
    if _is_array(data) or isinstance(data, (dict, tuple)):
        return Arrays(operation, data, batch_size, False, 0)
    if not _is_iterable(data):
        raise ArgumentError(
            f"{operation}: data must be arrays or an iterable of batches; got "
            f"{type(data).__name__}; pass an array or an iterable of batches"
        )
    return cast("Batches", data)


def _is_iterable(data: object) -> bool:
    return hasattr(data, "__iter__") or hasattr(data, "__aiter__")


def _is_tensor(data: object) -> bool:
    return isinstance(data, (Tensor, memoryview)) or hasattr(data, "__array__")


def _is_array(data: object) -> bool:
    return _is_tensor(data) or _is_list_of_numbers(data)


def _is_list_of_numbers(tree: object) -> bool:
    while isinstance(tree, list) and tree:
        tree = tree[0]
        if isinstance(tree, (bool, int, float)):
            return True
    return False


def tensors_of(operation: str, tree: Any) -> Any:
    """Convert a tree's leaves to tensors; a nested list of numbers is one leaf."""
    return tree_map(partial(as_tensor, operation), tree, is_leaf=_is_list_of_numbers)


def _refuse_texts(operation: str, targets: Any) -> None:
    """Raise DTypeError if targets are texts, for example names of classes."""
    for leaf in tree_leaves(targets, _is_list_of_numbers):
        of_objects = getattr(getattr(leaf, "dtype", None), "kind", "") in tuple("OSTU")
        values = tree_leaves(leaf.tolist()) if of_objects else [leaf]
        if values and isinstance(values[0], (str, bytes)):
            raise DTypeError(
                f"{operation}: targets must be numbers, for example class numbers; got "
                f"{values[0]!r:.60}; use names = sorted(set(y)) and "
                "y = [names.index(name) for name in y]"
            )


def as_batch(operation: str, item: object) -> Batch:
    """Convert (x, y) or (x, y, weights) to a batch of tensors.

    Raises ArgumentError for other data, and DTypeError if targets are texts.
    """
    if not isinstance(item, (tuple, list)) or len(item) not in (2, 3):
        shown = type(item).__name__
        if isinstance(item, (tuple, list, dict)):
            shown = f"a {shown} of {len(item)}"
        raise ArgumentError(
            f"{operation}: a batch must consist of inputs and targets; got {shown}; pass (x, y) or "
            "(x, y, weights)"
        )
    inputs, targets, *weights = item
    _refuse_texts(operation, targets)
    return Batch(
        tensors_of(operation, inputs),
        tensors_of(operation, targets),
        as_tensor(operation, weights[0]) if weights and weights[0] is not None else None,
    )
