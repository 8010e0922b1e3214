"""Parameters packed into few flat vectors, so that a step takes few draws.

On backends whose graphs become one program each large parameter is a vector of its own, in its
shape.

Input: a tree of parameters. Output: a `Layout`, which converts leaves to vectors and back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, NamedTuple

from ..dtypes import DType, float32
from ..errors import ArgumentError, ShapeError
from ..functions.creation import zeros
from ..functions.joining import concat
from ..functions.manipulation import pad
from ..ir.pytree import (
    Structure,
    buffer_leaves,
    leaf_names,
    leaves_at,
    tree_flatten,
    tree_leaves,
    tree_unflatten,
)
from ..late import LateModule
from ..runtime.executor import backend
from ..sharding import with_sharding
from ..tensor import Tensor, as_tensor, sharding_of

nn_constraints = LateModule("nn.constraints")
nn_module = LateModule("nn.module")

PART = 1 << 18
"""Number of elements from which a vector is long enough. Packing copies each gradient. From this
size on, the copy takes longer than the draws of an additional vector, about 10 us each."""
SMALL = 1 << 12
"""Number of elements up to which backends whose graphs become one program pack parameters. There an
additional vector takes about 2 us in each call of a step, and again for each slot."""


class Place(NamedTuple):
    """Vector that holds a parameter, the offset in it, and the parameter's shape and dtype."""

    vector: int
    start: int
    shape: tuple[int, ...]
    dtype: DType

    @property
    def size(self) -> int:
        return prod(self.shape)


@dataclass(frozen=True)
class Layout:
    """Places of a tree's leaves in flat vectors; None for leaves that are not trained."""

    structure: Structure
    places: tuple[Place | None, ...]
    groups: tuple[int, ...]
    """Number of the group of each vector's parameters, -1 for parameters of no group."""
    constrained: bool = False
    """True if a module of the tree has constraints."""
    shardings: tuple[Any, ...] = ()
    """Placement of each vector on several devices; None for vectors without one."""
    whole: tuple[bool, ...] = ()
    """True for each vector that is one parameter in its own shape."""

    def __hash__(self) -> int:
        # Cached: each call of a jitted step computes it.
        found: int | None = self.__dict__.get("_hash")
        if found is None:
            found = hash((self.structure, self.places))
            object.__setattr__(self, "_hash", found)
        return found

    def ravel(self, leaves: Sequence[Any]) -> list[Tensor]:
        """Pack the trained leaves into vectors; None counts as zeros.

        A tensor that occurs as several leaves has one place, to which all of these leaves add.
        """
        vectors: dict[int, dict[int, Tensor]] = {}
        for leaf, place in zip(leaves, self.places, strict=True):
            if place is None:
                continue
            shape = place.shape if self.whole[place.vector] else place.size
            given = zeros(shape) if leaf is None else leaf
            part = given.reshape(shape).astype(float32, copy=False)
            parts = vectors.setdefault(place.vector, {})
            shared = parts.get(place.start)
            parts[place.start] = part if shared is None else shared + part
        joined = [
            parts[0] if self.whole[at] else _joined(list(parts.values()))
            for at, parts in sorted(vectors.items())
        ]
        return self.placed(joined)

    def placed(self, vectors: Sequence[Tensor]) -> list[Tensor]:
        """Return the vectors, or slots of their shapes, on the devices of the parameters."""
        return list(map(with_sharding, vectors, self.shardings))

    def unravel(self, vectors: Sequence[Tensor], others: Sequence[Any]) -> Any:
        """Rebuild the tree from the vectors and from the leaves that are not trained.

        Trained leaves are views of the vectors in the leaves' dtypes.
        """
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
            part = converted[key]
            if not self.whole[place.vector]:
                part = part[place.start : place.start + place.size].reshape(place.shape)
            leaves.append(part)
        return tree_unflatten(self.structure, leaves)

    def fulfilling(self, vectors: Sequence[Tensor], others: Sequence[Any]) -> list[Tensor]:
        """Return the vectors after the constraints of modules."""
        if not self.constrained:
            return self.placed(vectors)
        # The vectors keep their precision: float16 parameters are not rounded here.
        params = self.wide().unravel(vectors, others)
        nn_constraints.apply_constraints(params)
        return self.ravel(self.first_uses(tree_leaves(params)))

    def wide(self) -> Layout:
        """Return the layout of the same parameters in float32."""
        return replace(
            self, places=tuple(place and place._replace(dtype=float32) for place in self.places)
        )

    def first_uses(self, leaves: Sequence[Any]) -> list[Any]:
        """Return the leaves, with None for a tensor that is an earlier leaf, too."""
        firsts = {place: at for at, place in reversed(list(enumerate(self.places)))}
        return [
            leaf if firsts[place] == at else None
            for at, (leaf, place) in enumerate(zip(leaves, self.places, strict=True))
        ]

    def gradients(self, tree: Any) -> list[Any]:
        """Flatten a tree of gradients to tensors of the parameters' shapes, or None.

        Raise ArgumentError for another structure, ShapeError for other shapes.
        """
        return self.checked("update", "gradient", tree, "pass the gradients of state.params")

    def checked(self, operation: str, what: str, tree: Any, advice: str) -> list[Any]:
        """Flatten a tree to tensors of the parameters' shapes, or None."""
        found = []
        for leaf, place in zip(
            leaves_at(operation, self.structure, tree), self.places, strict=True
        ):
            tensor = None if leaf is None or place is None else as_tensor(operation, leaf)
            if tensor is not None and place is not None and tensor.shape != place.shape:
                raise ShapeError(
                    f"{operation}: {what} must have its parameter's shape; got shape "
                    f"{tensor.shape} for {place.shape}; {advice}"
                )
            found.append(tensor)
        return found


def _joined(parts: list[Tensor]) -> Tensor:
    padded = [pad(part, (0, -part.size % 4)) for part in parts]
    return padded[0] if len(padded) == 1 else concat(padded)


class _Packing:
    """Give each long parameter its own vector; let others of a group share one until it is long.

    A parameter that is placed on a mesh, or is not small and whose backend makes whole programs,
    has its own vector, too, in the parameter's shape.
    """

    def __init__(self) -> None:
        self.apart = backend().whole_programs
        self.whole: list[bool] = []
        self.lengths: list[int] = []
        self.groups: list[int] = []
        self.shardings: list[Any] = []
        self.shared: dict[int, int] = {}

    def place(self, leaf: Tensor, group: int) -> Place:
        sharding = sharding_of(leaf)
        whole = sharding is not None or (self.apart and leaf.size > SMALL)
        at = self.shared.get(group, -1)
        if whole or leaf.size >= PART or at < 0 or self.lengths[at] >= PART:
            at = len(self.lengths)
            self.lengths.append(0)
            self.groups.append(group)
            self.shardings.append(sharding)
            self.whole.append(whole)
            if leaf.size < PART and not whole:
                self.shared[group] = at
        place = Place(at, self.lengths[at], leaf.shape, leaf.dtype)
        # A part that starts at a texel boundary is read without a copy.
        self.lengths[at] += leaf.size + -leaf.size % 4
        return place


def layout_of(
    operation: str, params: Any, starts: tuple[str, ...] = ()
) -> tuple[Layout, list[Any], list[Any]]:
    """Return the layout of a tree, its leaves for `ravel`, and the leaves not trained.

    Floating tensors are trained unless they are buffers. `starts` are the starts of the names of
    the parameters of each group. Raise ArgumentError if there are no parameters or none of a group.
    """
    leaves, structure = tree_flatten(params)
    places: list[Place | None] = []
    first_uses: list[Any] = []
    others = []
    packing = _Packing()
    place_of: dict[int, Place] = {}
    names = leaf_names(params) if starts else [""] * len(leaves)
    for leaf, buffer, name in zip(leaves, buffer_leaves(params), names, strict=True):
        if buffer or not isinstance(leaf, Tensor) or leaf.dtype.kind != "f":
            places.append(None)
            first_uses.append(None)
            others.append(leaf)
            continue
        place = place_of.get(id(leaf))
        first_uses.append(leaf if place is None else None)
        if place is None:
            place = place_of[id(leaf)] = packing.place(leaf, _group_of(name, starts))
        places.append(place)
    if not place_of:
        raise ArgumentError(
            f"{operation}: there are no parameters to train; got {len(leaves)} leaves without a "
            "floating tensor outside buffers; pass parameters or a model"
        )
    for group, start in enumerate(starts):
        if group not in packing.groups:
            raise ArgumentError(
                f"{operation}: group has no parameters; got {start!r}; use the start of a name, as "
                f"{', '.join(names[:3])}"
            )
    # A tree contains modules only if they are imported; importing them takes 0.1 s.
    module = nn_module.if_imported
    constrained = module is not None and any(m.constraints for m in module.modules_of(params))
    layout = Layout(
        structure,
        tuple(places),
        tuple(packing.groups),
        constrained,
        tuple(packing.shardings),
        tuple(packing.whole),
    )
    return layout, first_uses, others


def _group_of(name: str, starts: tuple[str, ...]) -> int:
    """Return the number of the longest start of a name, cut at a dot, or -1."""
    found = [start for start in starts if f"{name}.".startswith(f"{start}.")]
    return starts.index(max(found, key=len)) if found else -1
