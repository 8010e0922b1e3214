"""Combine the writes of a kernel with the arrays that they change, as operations on tensors.

Input: for each write a position, a value and a mask, as tensors over the index space. Output: the
arrays after all writes, as if one element ran after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

from ..functions.conversion import asarray
from ..functions.creation import arange, full, zeros
from ..functions.elementwise import astype, clip, maximum, where
from ..functions.indexing import take
from ..functions.joining import concat, stack
from ..functions.manipulation import broadcast_to, expand_dims, pad, permute_dims, reshape
from ..functions.searching import searchsorted
from ..functions.sorting import argsort
from ..ir.node import node_of
from ..ops.gathers import SCATTER_ADD
from ..ops.op_def import Shape
from ..tensor import Tensor, node_behind
from .calls import INSIDE
from .lock_step import ElementWrite, LoopAxis, WriteLoop, WriteOrder
from .program import Atom, Input, Number, SharedArray

Axes = tuple[LoopAxis, ...]


class WrittenValues:
    """Values of the writes of a kernel over an index space of a shape."""

    def __init__(self, shape: Shape, computed: Mapping[Axes, Mapping[Atom, Tensor]]) -> None:
        self.shape = shape
        self.computed = computed

    def of(self, atom: Atom, axes: Axes) -> Tensor:
        """Return the values of an atom for the index space and loops; constants have no axes."""
        if isinstance(atom, Number):
            return full((), atom.value, dtype=atom.dtype)
        return self.computed[axes][atom]

    def write_own(self, array: Tensor, writes: Sequence[ElementWrite]) -> Tensor:
        """Return an array after writes of each element at its own position."""
        for write in writes:
            value, applies = self.of(write.value, ()), self.of(write.applies, ())
            new = array + value if write.adds else broadcast_to(value, self.shape)
            array = new if _always(write) else where(applies, new, array)
        return array

    def write_anywhere(self, array: Tensor, order: WriteOrder, name: Input | SharedArray) -> Tensor:
        """Return a flat array after writes at positions of the index space."""
        kinds = [write.adds for write in writes_in(order) if write.array is name]
        if all(kinds):
            return self.add_anywhere([array], order, [name])[0]
        values = self.joined_values(order, name)
        winner, hit = _last(self.positions(order, name, False), array.size)
        result = where(hit, take(values, winner, axis=0), array)
        if not any(kinds):
            return result
        # Additions before the last assignment of their position have no effect.
        positions = self.positions(order, name, True)
        assigned = take(where(hit, winner, -1), clip(positions, 0, array.size - 1), axis=0)
        is_later = arange(values.size) > assigned
        return result + _sums(values, where(is_later, positions, -1), array.size)

    def add_anywhere(
        self, arrays: Sequence[Tensor], order: WriteOrder, names: Sequence[Input | SharedArray]
    ) -> list[Tensor]:
        """Return flat arrays after additions, which are at the same positions in all of them."""
        positions, size = self.positions(order, names[0], True), arrays[0].size
        parts = [self.joined_values(order, name) for name in names]
        if len(parts) == 1:
            return [arrays[0] + _sums(parts[0], positions, size)]
        sums = _sums(stack(parts, axis=1), positions, size)
        return [array + sums[:, number] for number, array in enumerate(arrays)]

    def joined_values(self, order: WriteOrder, name: Input | SharedArray) -> Tensor:
        """Return the values of all writes of an array."""
        return self.joined(order, name, lambda write: self.of(write.value, write.axes))

    def positions(self, order: WriteOrder, name: Input | SharedArray, adds: bool) -> Tensor:
        """Return the positions of additions or assignments, and -1 for the others."""
        return self.joined(
            order,
            name,
            lambda write: (
                self.of(write.position, write.axes) if write.adds is adds else asarray(-1)
            ),
        )

    def joined(
        self,
        order: WriteOrder,
        name: Input | SharedArray,
        of: Callable[[ElementWrite], Tensor],
    ) -> Tensor:
        """Return the values of all writes of an array, in the order in which elements run them."""
        joined = self._joined(order, name, of)
        assert joined is not None
        return reshape(joined, (-1,))

    def _joined(
        self,
        order: WriteOrder,
        name: Input | SharedArray,
        of: Callable[[ElementWrite], Tensor],
    ) -> Tensor | None:
        """Return the values with an axis for the writes of an element, or None without writes."""
        columns: list[Tensor] = []
        for entry in order:
            if isinstance(entry, WriteLoop):
                inside = self._joined(entry.writes, name, of)
                if inside is not None:
                    columns.append(reshape(inside, (*inside.shape[:-2], -1)))
            elif entry.array is name:
                shape = (*self.shape, *[axis.trips for axis in entry.axes])
                columns.append(expand_dims(broadcast_to(of(entry), shape), axis=-1))
        if len(columns) < 2:
            return columns[0] if columns else None
        return concat(columns, axis=-1)


def writes_in(order: WriteOrder) -> Iterator[ElementWrite]:
    """Return all writes, also those of loops."""
    for entry in order:
        if isinstance(entry, WriteLoop):
            yield from writes_in(entry.writes)
        else:
            yield entry


def atoms_of(write: ElementWrite) -> list[Atom]:
    """Return the values that a write combines."""
    return [write.position, write.value, write.applies]


def outputs_after(
    starts: Mapping[Input, Tensor], order: WriteOrder, values: WrittenValues
) -> list[Tensor]:
    """Return the tensors that a kernel writes, from the tensors before."""
    ends = dict(starts)
    together: dict[Hashable, list[Input]] = {}
    """Outputs with additions at the same positions, which are sorted once for all of them."""
    for output, start in starts.items():
        writes = [write for write in writes_in(order) if write.array is output]
        if not start.size or not writes:
            # Writes in branches that are never taken are left out.
            continue
        wide = ends[output] = astype(start, INSIDE[start.dtype], copy=False)
        if start.shape == values.shape and all(write.own for write in writes):
            ends[output] = values.write_own(wide, writes)
        elif all(write.adds for write in writes):
            key = _indices(order, output), wide.dtype, start.shape
            together.setdefault(key, []).append(output)
        else:
            ends[output] = values.write_anywhere(reshape(wide, (-1,)), order, output)
    for outputs in together.values():
        flat = [reshape(ends[output], (-1,)) for output in outputs]
        ends |= zip(outputs, values.add_anywhere(flat, order, outputs), strict=True)
    return [
        astype(reshape(ends[output], start.shape), start.dtype, copy=False)
        for output, start in starts.items()
    ]


def _indices(order: WriteOrder, output: Input) -> Hashable:
    """Return the indices of an output's writes, with the loops around them."""
    return tuple(
        [
            (entry.axis, _indices(entry.writes, output))
            if isinstance(entry, WriteLoop)
            else (entry.indices, entry.applies)
            for entry in order
            if isinstance(entry, WriteLoop) or entry.array is output
        ]
    )


def shared_after(
    before: Tensor | None, write: ElementWrite, workgroup: Shape, values: WrittenValues
) -> Tensor:
    """Return a flat tensor of all groups' shared arrays after a write."""
    array, groups = write.array, 1
    assert isinstance(array, SharedArray)
    for length, own in zip(values.shape, workgroup, strict=True):
        groups *= -(-length // own)
    if before is None:
        before = zeros((groups * array.size,), dtype=array.dtype)
    if not write.own:
        return values.write_anywhere(before, [write], array)

    def in_groups(atom: Atom) -> Tensor:
        value = broadcast_to(values.of(atom, ()), values.shape)
        return _in_groups(value, workgroup)

    new = in_groups(write.value)
    if write.adds:
        new = before + new
    pairs = zip(values.shape, workgroup, strict=True)
    if _always(write) and not any(length % own for length, own in pairs):
        return new
    # The last groups may have elements that do not run.
    return where(in_groups(write.applies), new, before)


def _in_groups(value: Tensor, workgroup: Shape) -> Tensor:
    """Return the elements of one group after the other, with zeros outside of the index space."""
    rank = len(workgroup)
    widths = [(0, -length % own) for length, own in zip(value.shape, workgroup, strict=True)]
    if any(after for _, after in widths):
        value = pad(value, widths)
    split: list[int] = []
    for length, own in zip(value.shape, workgroup, strict=True):
        split += [length // own, own]
    axes = [*range(0, 2 * rank, 2), *range(1, 2 * rank, 2)]
    return reshape(permute_dims(reshape(value, split), axes), (-1,))


def _always(write: ElementWrite) -> bool:
    """Return True if all elements write."""
    return isinstance(write.applies, Number)


def _sums(values: Tensor, positions: Tensor, size: int) -> Tensor:
    """Return the sum of the values at each position, without those at -1."""
    operands = node_behind("kernel", values), node_behind("kernel", positions)
    return Tensor(node_of(SCATTER_ADD, operands, (0, size)))


def _last(positions: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """Return for each position the last entry that has it, and whether there is one."""
    order = argsort(positions)
    keys, wanted = take(positions, order, axis=0), arange(size)
    last = maximum(searchsorted(keys, wanted, side="right") - 1, 0)
    return take(order, last, axis=0), take(keys, last, axis=0) == wanted
