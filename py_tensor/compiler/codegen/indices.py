"""Indices of the four elements that a shader computes at once.

Input: an `Index`, that is positions of four lanes and views. Output: the positions after the views,
as variables of the shader.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...language.statements import Statements
from ...language.tree import INT, Value, Whole
from ...ops.index_map import Shape, View, ViewStack, broadcast_view, contiguous, push, steps
from .positions import Axes, by_axes, coordinate, keeps_texels, mapped, splats, total


class _Fields(NamedTuple):
    size: int
    first: Whole | None = None
    lanes: Value | None = None
    own: bool = False
    stack: ViewStack = ()
    axes: Axes = ()
    pair: Value | None = None
    is_splat: bool = False


class Index(_Fields):
    """Positions of four lanes among `size` elements, which the views in `stack` map to others.

    An index has one of two forms:
    - `first` is the position of lane 0, a multiple of 4; the other lanes are the next elements.
    - `lanes` is a vector of four positions.

    The other fields describe special cases, in which fewer instructions are needed:
    - `own` is True if the positions are the fragment's own texel.
    - `axes` are the coordinates of `first` with the lengths of their axes, outermost first, if they
      are variables of the shader. The four lanes are then neighbours along the last axis.
    - `pair` is a number p, a multiple of 4. The lanes are p / 2, p / 2, p / 2 + 1 and p / 2 + 1, as
      for the parts of two complex numbers.
    - `is_splat` is True if all positions in `lanes` are equal.

    Values are variables or constants, so that equal indices compare equal.
    """

    _hash: int | None = None

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = super().__hash__()
        return self._hash

    def through(self, view: View) -> Index:
        if view.is_identity:
            return self
        size, first, lanes, own, stack, axes, pair, is_splat = self
        return Index(size, first, lanes, own, push(stack, view), axes, pair, is_splat)

    def spread(self, shape: Shape, out: Shape) -> Index:
        """Return the index at which an operand of `shape` is read for a result of shape `out`."""
        return self if shape == out else self.through(broadcast_view(shape, out))


class LanePositions:
    """Positions of indices after their views, as variables of the shader."""

    def __init__(self, code: Statements) -> None:
        self.code = code
        self.numbers: dict[Whole, Value] = {}
        """Numbers of groups of four elements, by the position at which the group starts."""

    def lanes(self, index: Index) -> Value:
        """Return the positions of all lanes after the views."""
        if index.lanes is not None and not index.stack:
            return index.lanes
        key = (index, "lanes")
        positions: Value | None = self.code.known(key)
        if positions is None:
            positions = self.code.let(self._lanes(index), "i")
            self.code.keep(key, positions)
        return positions

    def _lanes(self, index: Index) -> Value:
        if not index.stack:
            assert index.first is not None
            return self.spread(index.first, 1)
        view, first = index.stack[-1], index.first
        if view.is_constant:
            return self.code.vector(INT, view.offset)
        if (known := self._by_axes(index)) is not None:
            apart = known[-1][1] if known and known[-1][0] is index.axes[-1][0] else 0
            position = total(known, view.offset)
            if first is not None and apart:
                return self.spread(position, apart)
            return self.code.vector(INT, position)
        if first is not None and len(index.stack) == len(view.shape) == 1:
            return self.spread(mapped(view, first), view.strides[0])
        before = index._replace(stack=index.stack[:-1], own=False)
        positions: Value = mapped(view, self.lanes(before))
        return positions

    def spread(self, first: Whole, apart: int) -> Value:
        """Return the positions of four lanes that are `apart`, from `first` on.

        NVIDIA's OpenGL driver (580.159) reads zeros at `7 - (first + (0, 1, 2, 3))` if the column
        is a constant, but not if the lanes are added last.
        """
        lanes = self.code.printer.multiples(apart)
        return self.code.printer.whole(first) + lanes

    def aligned_first(self, index: Index) -> Whole | None:
        """Return the position of lane 0 after the views.

        None is returned if the views do not map the lanes to neighbours from a multiple of 4 on.
        """
        return self.first(index) if self.is_aligned(index) else None

    def is_aligned(self, index: Index) -> bool:
        """Return True if the views map the lanes to neighbours from a multiple of 4 on."""
        return index.first is not None and all(map(keeps_texels, index.stack))

    def column_and_row(self, index: Index, row: int) -> tuple[Whole, Whole] | None:
        """Return column and row of an aligned texel in a texture of `row` texels per row.

        None is returned if the coordinates are not known, or if one changes both column and
        row.
        """
        if len(index.stack) > 1:
            return None
        view = index.stack[0] if index.stack else contiguous(tuple([n for _, n in index.axes]))
        known = by_axes(view, index.axes)
        if known is None:
            return None
        lengths, width = dict(index.axes), 4 * row
        across = [(name, step) for name, step in known if step % width]
        rows, columns = divmod(view.offset, width)
        last = columns + sum((lengths[name] - 1) * step for name, step in across)
        if last >= width or min((step for _, step in across), default=0) < 0:
            return None
        down = [(name, step // width) for name, step in known if step % width == 0]
        return total(across, columns) // 4, total(down, rows)

    def first(self, index: Index) -> Any:
        """Return the position of lane 0 after the views."""
        if not index.stack:
            return index.first
        key = (index, "first")
        position = self.code.known(key)
        if position is None:
            view, known = index.stack[-1], self._by_axes(index)
            if known is not None:
                position = total(known, view.offset)
            else:
                before = index._replace(stack=index.stack[:-1], own=False)
                position = mapped(view, self.first(before))
            position = self.code.let(position, "i")
            self.code.keep(key, position)
        return position

    def _by_axes(self, index: Index) -> list[tuple[Value, int]] | None:
        return by_axes(index.stack[0], index.axes) if len(index.stack) == 1 else None

    def coordinates(self, index: Index, shape: Shape, together: bool) -> list[Any]:
        """Return the coordinates in `shape` after the views, of lane 0 or of all lanes."""
        if index.axes and len(index.stack) <= 1 and (together or index.first is None):
            view = index.stack[0] if index.stack else contiguous(shape)
            known = by_axes(view, index.axes)
            if known is not None:
                lengths = dict(index.axes)
                along = View(
                    tuple(lengths[name] for name, _ in known),
                    tuple(step for _, step in known),
                    view.offset,
                )
                split = steps(along, shape)
                if split is not None:
                    start, per_axis = split
                    names = [name for name, _ in known]
                    return [
                        total(
                            zip(names, [step[axis] for step in per_axis], strict=True), start[axis]
                        )
                        for axis in range(len(shape))
                    ]
        position = self.first(index) if together else self.lanes(index)
        return [coordinate(position, shape, axis) for axis in range(len(shape))]

    def splat(self, index: Index) -> Whole | None:
        """Return the position that all lanes read after the views, or None if they differ."""
        let = self.code.let
        if index.is_splat:
            return let(self.lanes(index).lane("x"), "i")
        for depth, view in enumerate(index.stack):
            if view.is_constant:
                position: Whole = view.offset
            elif index.first is not None and splats(view):
                position = self.first(index._replace(stack=index.stack[: depth + 1], own=False))
            elif keeps_texels(view):
                continue
            else:
                return None
            for later in index.stack[depth + 1 :]:
                position = mapped(later, let(position, "i"))
            return let(position, "i")
        return None
