"""Where parameters lie in few flat vectors, so that a step is a few draws for any number of them.

Comes in: a tree of parameters; goes out: a `Layout`, which turns leaves into vectors and back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

from ..dtypes import DType, float32
from ..errors import ArgumentError, ShapeError
from ..functions.creation import zeros
from ..functions.joining import concat
from ..functions.manipulation import pad
from ..pytree import Structure, buffer_leaves, leaves_at, tree_flatten, tree_unflatten
from ..tensor import Tensor, as_tensor

PART = 1 << 18
"""Elements from which on a vector is long enough. Joining copies each gradient, in memory beside
it; with so many elements that takes longer than the draws of one vector more, some 10 us each."""


class Place(NamedTuple):
    """In which vector a parameter's elements lie, from where on, and what it is."""

    vector: int
    start: int
    shape: tuple[int, ...]
    dtype: DType

    @property
    def size(self) -> int:
        return prod(self.shape)


@dataclass(frozen=True)
class Layout:
    """The places of a tree's leaves in vectors; None for those that are not trained."""

    structure: Structure
    places: tuple[Place | None, ...]

    def __hash__(self) -> int:
        # Each call of a jitted step asks for it.
        found: int | None = self.__dict__.get("_hash")
        if found is None:
            found = hash((self.structure, self.places))
            object.__setattr__(self, "_hash", found)
        return found

    def ravel(self, leaves: Sequence[Any]) -> list[Tensor]:
        """The vectors of the leaves that are trained; None counts as zeros.

        A tensor that is several leaves has one place, to which all of them add.
        """
        vectors: dict[int, dict[int, Tensor]] = {}
        for leaf, place in zip(leaves, self.places, strict=True):
            if place is None:
                continue
            if leaf is None:
                part = zeros(place.size)
            else:
                part = leaf.reshape(place.size).astype(float32, copy=False)
            parts = vectors.setdefault(place.vector, {})
            shared = parts.get(place.start)
            parts[place.start] = part if shared is None else shared + part
        return [_joined(list(parts.values())) for _, parts in sorted(vectors.items())]

    def unravel(self, vectors: Sequence[Tensor], others: Sequence[Any]) -> Any:
        """The tree: views of the vectors in the dtypes of the leaves, and those not trained."""
        remaining = iter(others)
        converted: dict[tuple[int, DType], Tensor] = {}
        leaves: list[Any] = []
        for place in self.places:
            if place is None:
                leaves.append(next(remaining))
                continue
            key = place.vector, place.dtype
            if key not in converted:
                converted[key] = vectors[place.vector].astype(place.dtype, copy=False)
            part = converted[key][place.start : place.start + place.size]
            leaves.append(part.reshape(place.shape))
        return tree_unflatten(self.structure, leaves)

    def gradients(self, tree: Any) -> list[Any]:
        """The leaves of a tree of gradients, as tensors of the parameters' shapes, or None.

        Raises ArgumentError for another structure, ShapeError for other shapes.
        """
        found = []
        for leaf, place in zip(leaves_at("update", self.structure, tree), self.places, strict=True):
            gradient = None if leaf is None or place is None else as_tensor("update", leaf)
            if gradient is not None and place is not None and gradient.shape != place.shape:
                raise ShapeError(
                    f"update: gradient does not fit its parameter; got shape {gradient.shape} for "
                    f"{place.shape}; give the gradients of state.params"
                )
            found.append(gradient)
        return found


def _joined(parts: list[Tensor]) -> Tensor:
    padded = [pad(part, (0, -part.size % 4)) for part in parts]
    return padded[0] if len(padded) == 1 else concat(padded)


class _Packing:
    """Long parameters get a vector each, the others share one until it is long, too."""

    def __init__(self) -> None:
        self.lengths: list[int] = []
        self.shared = -1

    def place(self, leaf: Tensor) -> Place:
        at = self.shared
        if leaf.size >= PART or at < 0 or self.lengths[at] >= PART:
            at = len(self.lengths)
            self.lengths.append(0)
            self.shared = self.shared if leaf.size >= PART else at
        place = Place(at, self.lengths[at], leaf.shape, leaf.dtype)
        # A part that begins at a texel is read where it lies.
        self.lengths[at] += leaf.size + -leaf.size % 4
        return place


def layout_of(params: Any) -> tuple[Layout, list[Any], list[Any]]:
    """The layout of a tree of parameters, its leaves for `ravel`, and those that are not trained.

    Floating tensors are trained unless they are buffers. Raises ArgumentError where there is none.
    """
    leaves, structure = tree_flatten(params)
    places: list[Place | None] = []
    once: list[Any] = []
    others = []
    packing = _Packing()
    known: dict[int, Place] = {}
    for leaf, buffer in zip(leaves, buffer_leaves(params), strict=True):
        if buffer or not isinstance(leaf, Tensor) or leaf.dtype.kind != "f":
            places.append(None)
            once.append(None)
            others.append(leaf)
            continue
        place = known.get(id(leaf))
        once.append(leaf if place is None else None)
        if place is None:
            place = known[id(leaf)] = packing.place(leaf)
        places.append(place)
    if not known:
        raise ArgumentError(
            f"init: nothing to train; got {len(leaves)} leaves without a floating tensor that is "
            "no buffer; give the parameters, or a model that holds them"
        )
    return Layout(structure, tuple(places)), once, others
