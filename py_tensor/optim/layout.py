"""Where parameters lie in one flat vector, so that a step is a few draws for any number of them.

Comes in: a tree of parameters; goes out: a `Layout`, which turns leaves into the vector and back.
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
from ..tensor import Tensor, asarray


class Place(NamedTuple):
    """Where a parameter's elements lie, and what it is."""

    start: int
    shape: tuple[int, ...]
    dtype: DType

    @property
    def size(self) -> int:
        return prod(self.shape)


@dataclass(frozen=True)
class Layout:
    """The places of a tree's leaves; None for those that are not trained."""

    structure: Structure
    places: tuple[Place | None, ...]

    def __hash__(self) -> int:
        # Each call of a jitted step asks for it.
        found: int | None = self.__dict__.get("_hash")
        if found is None:
            found = hash((self.structure, self.places))
            object.__setattr__(self, "_hash", found)
        return found

    def ravel(self, leaves: Sequence[Any]) -> Tensor:
        """The vector of the leaves that are trained; None counts as zeros.

        A tensor that is several leaves has one place, to which all of them add.
        """
        parts: dict[int, Tensor] = {}
        for leaf, place in zip(leaves, self.places, strict=True):
            if place is None:
                continue
            if leaf is None:
                part = zeros(place.size)
            else:
                part = leaf.reshape(place.size).astype(float32, copy=False)
            shared = parts.get(place.start)
            parts[place.start] = part if shared is None else shared + part
        return concat([pad(part, (0, -part.size % 4)) for part in parts.values()])

    def unravel(self, vector: Tensor, others: Sequence[Any]) -> Any:
        """The tree: views of the vector in the dtypes of the leaves, and those not trained."""
        remaining = iter(others)
        wide = {float32: vector}
        leaves: list[Any] = []
        for place in self.places:
            if place is None:
                leaves.append(next(remaining))
                continue
            if place.dtype not in wide:
                wide[place.dtype] = vector.astype(place.dtype)
            part = wide[place.dtype][place.start : place.start + place.size]
            leaves.append(part.reshape(place.shape))
        return tree_unflatten(self.structure, leaves)

    def gradients(self, tree: Any) -> list[Any]:
        """The leaves of a tree of gradients, as tensors of the parameters' shapes, or None.

        Raises ArgumentError for another structure, ShapeError for other shapes.
        """
        found = []
        for leaf, place in zip(leaves_at("update", self.structure, tree), self.places, strict=True):
            gradient = None if leaf is None or place is None else asarray(leaf)
            if gradient is not None and place is not None and gradient.shape != place.shape:
                raise ShapeError(
                    f"update: gradient does not fit its parameter; got shape {gradient.shape} for "
                    f"{place.shape}; give the gradients of state.params"
                )
            found.append(gradient)
        return found


def layout_of(params: Any) -> tuple[Layout, list[Any], list[Any]]:
    """The layout of a tree of parameters, its leaves for `ravel`, and those that are not trained.

    Floating tensors are trained unless they are buffers. Raises ArgumentError where there is none.
    """
    leaves, structure = tree_flatten(params)
    places: list[Place | None] = []
    once: list[Any] = []
    others = []
    shared: dict[int, Place] = {}
    start = 0
    for leaf, buffer in zip(leaves, buffer_leaves(params), strict=True):
        if buffer or not isinstance(leaf, Tensor) or leaf.dtype.kind != "f":
            places.append(None)
            once.append(None)
            others.append(leaf)
            continue
        place = shared.get(id(leaf))
        once.append(leaf if place is None else None)
        if place is None:
            place = shared[id(leaf)] = Place(start, leaf.shape, leaf.dtype)
            # A part that begins at a texel is read where it lies.
            start += place.size + -place.size % 4
        places.append(place)
    if not shared:
        raise ArgumentError(
            f"init: nothing to train; got {len(leaves)} leaves without a floating tensor that is "
            "no buffer; give the parameters, or a model that holds them"
        )
    return Layout(structure, tuple(places)), once, others
