"""Parameters packed into few flat vectors, so that a step takes few draws.

On backends whose graphs become one program each large parameter is a vector of its own, in its
shape.

Input: a tree of parameters. Output: a `Layout`, which converts leaves to vectors and back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import functions as F
from ..dtypes import DType, float32
from ..errors import ArgumentError, ShapeError
from ..ir.pytree import (
    Structure,
    buffer_leaves,
    leaf_names,
    leaves_at,
    open_node,
    tree_flatten,
    tree_leaves,
    tree_unflatten,
)
from ..runtime.executor import backend
from ..sharding import with_sharding
from ..tensor import Tensor, as_tensor, sharding_of

if TYPE_CHECKING:
    from jax.sharding import NamedSharding

PART = 1 << 18
"""Number of elements from which a vector is long enough. Packing copies each gradient. From this
size on, the copy takes longer than the draws of an additional vector, about 10 us each."""
SMALL = 1 << 12
"""Number of elements up to which backends whose graphs become one program pack parameters. There an
additional vector takes about 2 us in each call of a step, and again for each slot."""


class ParameterSlice(NamedTuple):
    """Number of a vector, and the offset, shape and dtype of a parameter in it."""

    vector: int
    start: int
    shape: tuple[int, ...]
    dtype: DType

    @property
    def size(self) -> int:
        return prod(self.shape)


@dataclass(frozen=True)
class Layout:
    """Slices of flat vectors that hold a tree's leaves; None for leaves that are not trained."""

    structure: Structure
    slices: tuple[ParameterSlice | None, ...]
    groups: tuple[int, ...]
    """Number of the group of each vector's parameters, -1 for parameters of no group."""
    constrained: bool = False
    """True if a module of the tree has constraints."""
    shardings: tuple[NamedSharding | None, ...] = ()
    """Placement of each vector on several devices; None for vectors without one."""
    whole: tuple[bool, ...] = ()
    """True for each vector that is one parameter in its own shape."""

    def __hash__(self) -> int:
        # Cached: each call of a jitted step computes it.
        value: int | None = self.__dict__.get("_hash")
        if value is None:
            value = hash((self.structure, self.slices))
            object.__setattr__(self, "_hash", value)
        return value

    def ravel(self, leaves: Sequence[Tensor | None]) -> list[Tensor]:
        """Pack the trained leaves into vectors; None counts as zeros.

        A tensor that occurs as several leaves has one slice, to which all of these leaves add that
        are different tensors.
        """
        vectors: dict[int, dict[int, Tensor]] = {}
        added: set[tuple[int, ParameterSlice]] = set()
        for leaf, part in zip(leaves, self.slices, strict=True):
            if part is None or (leaf is not None and (id(leaf), part) in added):
                continue
            added.add((id(leaf), part))
            shape = part.shape if self.whole[part.vector] else part.size
            values = F.zeros(shape) if leaf is None else leaf.reshape(shape)
            values = values.astype(float32, copy=False)
            parts = vectors.setdefault(part.vector, {})
            shared = parts.get(part.start)
            parts[part.start] = values if shared is None else shared + values
        joined = [
            parts[0] if self.whole[vector] else _joined(list(parts.values()))
            for vector, parts in sorted(vectors.items())
        ]
        return self.placed(joined)

    def placed(self, vectors: Sequence[Tensor]) -> list[Tensor]:
        """Return the vectors, or slots of their shapes, on the devices of the parameters."""
        return list(map(with_sharding, vectors, self.shardings))

    def unravel(self, vectors: Sequence[Tensor], untrained: Sequence[Any]) -> Any:
        """Rebuild the tree from the vectors and from the leaves that are not trained.

        Trained leaves are views of the vectors in the leaves' dtypes.
        """
        remaining = iter(untrained)
        converted: dict[tuple[int, DType], Tensor] = {}
        leaves: list[Any] = []
        parameters: dict[ParameterSlice, Tensor] = {}
        for part in self.slices:
            if part is None:
                leaves.append(next(remaining))
                continue
            if part in parameters:
                leaves.append(parameters[part])
                continue
            key = part.vector, part.dtype
            if key not in converted:
                converted[key] = vectors[part.vector].astype(part.dtype, copy=False)
            leaf = converted[key]
            if not self.whole[part.vector]:
                leaf = leaf[part.start : part.start + part.size].reshape(part.shape)
            parameters[part] = leaf
            leaves.append(leaf)
        return tree_unflatten(self.structure, leaves)

    def fulfilling(self, vectors: Sequence[Tensor], untrained: Sequence[Any]) -> list[Tensor]:
        """Return the vectors after the constraints of modules."""
        if not self.constrained:
            return self.placed(vectors)
        # The vectors keep their precision: float16 parameters are not rounded here.
        params = self.wide().unravel(vectors, untrained)
        for module in _constrained_modules(params):
            module._apply_constraints()
        return self.ravel(self.first_uses(tree_leaves(params)))

    def wide(self) -> Layout:
        """Return the layout of the same parameters in float32."""
        return replace(
            self, slices=tuple(part and part._replace(dtype=float32) for part in self.slices)
        )

    def first_uses(self, leaves: Sequence[Tensor | None]) -> list[Tensor | None]:
        """Return the leaves, with None for a tensor that is an earlier leaf, too."""
        firsts = {part: index for index, part in reversed(list(enumerate(self.slices)))}
        return [
            leaf if firsts[part] == index else None
            for index, (leaf, part) in enumerate(zip(leaves, self.slices, strict=True))
        ]

    def gradients(self, tree: Any) -> list[Tensor | None]:
        """Flatten a tree of gradients to tensors of the parameters' shapes, or None.

        Raise ArgumentError for another structure, ShapeError for other shapes.
        """
        return self.checked("update", "gradient", tree, "pass the gradients of state.params")

    def checked(self, operation: str, what: str, tree: Any, advice: str) -> list[Tensor | None]:
        """Flatten a tree to tensors of the parameters' shapes, or None."""
        tensors = []
        for leaf, part in zip(leaves_at(operation, self.structure, tree), self.slices, strict=True):
            tensor = None if leaf is None or part is None else as_tensor(operation, leaf)
            if tensor is not None and part is not None and tensor.shape != part.shape:
                raise ShapeError(
                    f"{operation}: {what} must have its parameter's shape; got shape "
                    f"{tensor.shape} for {part.shape}; {advice}"
                )
            tensors.append(tensor)
        return tensors


def copied(leaf: Any) -> Any:
    """Copy a tensor's handle: donating the state invalidates its handles, not the caller's."""
    return F.asarray(leaf, copy=True) if isinstance(leaf, Tensor) else leaf


def _joined(parts: list[Tensor]) -> Tensor:
    padded = [F.pad(part, (0, -part.size % 4)) for part in parts]
    return padded[0] if len(padded) == 1 else F.concat(padded)


class _Packing:
    """Assign parameters to vectors: long ones have their own, short ones of a group share some.

    A parameter that is placed on a mesh, or is not small and whose backend makes whole programs,
    has its own vector, too, in the parameter's shape.
    """

    def __init__(self) -> None:
        self.apart = backend().whole_programs
        self.whole: list[bool] = []
        self.lengths: list[int] = []
        self.groups: list[int] = []
        self.shardings: list[NamedSharding | None] = []
        self.shared: dict[int, int] = {}

    def append(self, leaf: Tensor, group: int) -> ParameterSlice:
        """Reserve the slice for a parameter."""
        sharding = sharding_of(leaf)
        whole = sharding is not None or (self.apart and leaf.size > SMALL)
        vector = self.shared.get(group)
        if whole or leaf.size >= PART or vector is None or self.lengths[vector] >= PART:
            vector = len(self.lengths)
            self.lengths.append(0)
            self.groups.append(group)
            self.shardings.append(sharding)
            self.whole.append(whole)
            if leaf.size < PART and not whole:
                self.shared[group] = vector
        part = ParameterSlice(vector, self.lengths[vector], leaf.shape, leaf.dtype)
        # A slice that starts at a texel boundary is read without a copy.
        self.lengths[vector] += leaf.size + -leaf.size % 4
        return part


def layout_of(
    operation: str, params: Any, starts: tuple[str, ...] = ()
) -> tuple[Layout, list[Tensor | None], list[Any]]:
    """Return the layout of a tree, its leaves for `ravel`, and the leaves not trained.

    Floating tensors are trained unless they are buffers. For each group, `starts` has the start of
    its parameters' names. Raise ArgumentError if there are no parameters or none of a group.
    """
    leaves, structure = tree_flatten(params)
    slices: list[ParameterSlice | None] = []
    first_uses: list[Tensor | None] = []
    untrained = []
    packing = _Packing()
    slice_of: dict[int, ParameterSlice] = {}
    names = leaf_names(params) if starts else [""] * len(leaves)
    for leaf, buffer, name in zip(leaves, buffer_leaves(params), names, strict=True):
        if buffer or not isinstance(leaf, Tensor) or leaf.dtype.kind != "f":
            slices.append(None)
            first_uses.append(None)
            untrained.append(leaf)
            continue
        part = slice_of.get(id(leaf))
        first_uses.append(leaf if part is None else None)
        if part is None:
            part = slice_of[id(leaf)] = packing.append(leaf, _group_of(name, starts))
        slices.append(part)
    if not slice_of:
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
    layout = Layout(
        structure,
        tuple(slices),
        tuple(packing.groups),
        any(True for _ in _constrained_modules(params)),
        tuple(packing.shardings),
        tuple(packing.whole),
    )
    return layout, first_uses, untrained


def _constrained_modules(tree: Any) -> Iterator[Any]:
    """Iterate over the modules in a tree that have constraints.

    They are known by their method: importing `nn`, which a tree may not need, takes 0.1 s.
    """
    if hasattr(type(tree), "_apply_constraints") and tree.constraints:
        yield tree
    opened = open_node(tree)
    for child in opened[1] if opened is not None else ():
        yield from _constrained_modules(child)


def _group_of(name: str, starts: tuple[str, ...]) -> int:
    """Return the number of the longest start of a name, cut at a dot, or -1."""
    fitting = [start for start in starts if f"{name}.".startswith(f"{start}.")]
    return starts.index(max(fitting, key=len)) if fitting else -1
