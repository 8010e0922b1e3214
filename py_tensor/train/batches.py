"""Data in one of many forms becomes batches: inputs, targets, and weights of samples or None.

Comes in: arrays, or anything that gives batches when iterated; goes out: batches of tensors.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from ..errors import ArgumentError, ShapeError
from ..functions.indexing import take
from ..pytree import tree_leaves, tree_map
from ..tensor import Tensor, as_tensor, asarray


class Batch(NamedTuple):
    """What a model takes, what it should give, and how much each sample counts."""

    inputs: Any
    targets: Any
    weights: Any

    @property
    def samples(self) -> int:
        """How many there are."""
        length: int = tree_leaves(self.inputs)[0].shape[0]
        return length


class Arrays:
    """Samples along the first axis of tensors, which are held on the device whole.

    Each iteration goes over all of them, in another order each time where `shuffle` is set; the
    last batch may be smaller.
    """

    def __init__(self, operation: str, tree: Any, batch_size: int, shuffle: bool, seed: int):
        if batch_size < 1:
            raise ArgumentError(f"{operation}: batch_size is too small; got {batch_size}; use 32")
        self.tree = tree_map(partial(as_tensor, operation), tree)
        lengths = {_length(operation, leaf) for leaf in tree_leaves(self.tree)}
        if len(lengths) != 1:
            raise ShapeError(
                f"{operation}: arrays have different numbers of samples; got {sorted(lengths)}; "
                "make their first axes equally long"
            )
        (self.count,) = lengths
        self.batch_size = batch_size
        self.random = random.Random(seed) if shuffle else None
        self.places = range(self.count)

    def __len__(self) -> int:
        return -(-len(self.places) // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        order = list(self.places)
        if self.random is not None:
            self.random.shuffle(order)
        for start in range(0, len(order), self.batch_size):
            yield self._samples(order[start : start + self.batch_size])

    def _samples(self, places: list[int]) -> Any:
        # Positions are data: slices would be a plan for each batch.
        chosen = asarray(places)
        return tree_map(lambda leaf: take(leaf, chosen, axis=0), self.tree)

    def split(self, operation: str, part: float) -> Arrays:
        """Cuts off the last part of the samples, and gives them."""
        held = round(self.count * part)
        if not 0 < held < self.count:
            raise ArgumentError(
                f"{operation}: validation_split leaves nothing on one side; got {part} of "
                f"{self.count} samples; use 0.2, say"
            )
        other = object.__new__(Arrays)
        other.__dict__ |= self.__dict__ | {"random": None}
        other.places = self.places[-held:]
        self.places = self.places[:-held]
        return other


def _length(operation: str, leaf: Any) -> int:
    if not isinstance(leaf, Tensor) or leaf.ndim == 0 or leaf.shape[0] == 0:
        shown = leaf.shape if isinstance(leaf, Tensor) else leaf
        raise ShapeError(
            f"{operation}: data has no samples; got {shown!r:.60}; give arrays whose first axis "
            "counts samples"
        )
    return leaf.shape[0]


def batches_of(
    operation: str, data: Any, batch_size: int, shuffle: bool = False, seed: int = 0
) -> Iterable[Any]:
    """Batches of `(x, y)` or `(x, y, weights)`, or what is something to iterate already.

    Raises ArgumentError for what is neither.
    """
    if isinstance(data, tuple):
        return Arrays(operation, as_batch(operation, data), batch_size, shuffle, seed)
    if isinstance(data, (Tensor, dict)) or hasattr(data, "shape") or not _is_iterable(data):
        raise ArgumentError(
            f"{operation}: data is neither arrays nor batches; got {type(data).__name__}; "
            "give (x, y), or something that gives batches (x, y) when iterated"
        )
    return data  # type: ignore[no-any-return]


def inputs_of(operation: str, data: Any, batch_size: int) -> Iterable[Any]:
    """Batches of inputs, out of an array, a dict or tuple of arrays, or something to iterate.

    Raises ArgumentError for others.
    """
    if _is_array(data) or isinstance(data, (dict, tuple)):
        return Arrays(operation, data, batch_size, False, 0)
    if not _is_iterable(data):
        raise ArgumentError(
            f"{operation}: data is neither arrays nor batches; got {type(data).__name__}; "
            "give an array, or something that gives batches when iterated"
        )
    return data  # type: ignore[no-any-return]


def _is_iterable(data: Any) -> bool:
    return hasattr(data, "__iter__") or hasattr(data, "__aiter__")


def _is_array(data: Any) -> bool:
    if isinstance(data, list):
        return bool(data) and isinstance(data[0], (bool, int, float, list))
    return isinstance(data, (Tensor, memoryview)) or hasattr(data, "__array__")


def as_batch(operation: str, item: Any) -> Batch:
    """A batch of tensors. Raises ArgumentError for what is neither (x, y) nor (x, y, weights)."""
    if not isinstance(item, (tuple, list)) or len(item) not in (2, 3):
        shown = type(item).__name__
        if isinstance(item, (tuple, list, dict)):
            shown = f"a {shown} of {len(item)}"
        raise ArgumentError(
            f"{operation}: no batch of inputs and targets; got {shown}; "
            "give (x, y) or (x, y, weights)"
        )
    inputs, targets, *weights = item
    tensor = partial(as_tensor, operation)
    return Batch(
        tree_map(tensor, inputs),
        tree_map(tensor, targets),
        tensor(weights[0]) if weights and weights[0] is not None else None,
    )
