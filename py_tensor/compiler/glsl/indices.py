"""Indices, and the names of the positions to which they map the lanes of a value.

An `Index` selects four elements by a base position for each lane, followed by views.
"""

from __future__ import annotations

from typing import NamedTuple

from ...ops.index_map import Shape, View, ViewStack, broadcast_view, contiguous, push, steps
from .integers import quotient
from .positions import Axes, by_axes, coordinate, keeps_texels, mapped, splats, total
from .statements import Statements


class Index(NamedTuple):
    """Four positions in a row-major space of `size` elements, mapped by the views in `stack`.

    `first` names an int with the position of lane 0. It is given if the lanes are neighbours and
    that position is a multiple of 4. `lanes` names an ivec4 of all positions. One of `first` and
    `lanes` is always given. `own` is True if the positions are the fragment's own texel.
    `axes` has the coordinates of the position as (name, length), outermost first, if they are
    known. The lanes of `first` are then neighbours along the last axis.
    `pair` names an int p, a multiple of 4, if the positions of the lanes are p / 2 twice and
    p / 2 + 1 twice, as for the parts of two complex numbers.
    `same` is True if all positions of `lanes` are equal.
    """

    size: int
    first: str = ""
    lanes: str = ""
    own: bool = False
    stack: ViewStack = ()
    axes: Axes = ()
    pair: str = ""
    same: bool = False

    def through(self, view: View) -> Index:
        return self if view.is_identity else self._replace(stack=push(self.stack, view))

    def spread(self, shape: Shape, out: Shape) -> Index:
        """Return the index at which an operand of `shape` is read for a result of shape `out`."""
        return self if shape == out else self.through(broadcast_view(shape, out))


class LanePositions:
    """Positions of indices in GLSL, whose names are declared at their first use."""

    def __init__(self, code: Statements) -> None:
        self.code = code

    def lanes(self, index: Index) -> str:
        """Return the name of an ivec4 of the positions after the views."""
        if index.lanes and not index.stack:
            return index.lanes
        view = index.stack[-1] if index.stack else None
        if view is None:
            text = _spread(index.first, 1)
        elif view.is_constant:
            text = f"ivec4({view.offset})"
        elif (known := self._by_axes(index)) is not None:
            apart = known[-1][1] if known and known[-1][0] == index.axes[-1][0] else 0
            text = total(known, view.offset)
            text = _spread(text, apart) if index.first and apart else f"ivec4({text})"
        elif index.first and len(index.stack) == len(view.shape) == 1:
            text = _spread(mapped(view, index.first), view.strides[0])
        else:
            before = index._replace(stack=index.stack[:-1], own=False)
            text = mapped(view, self.lanes(before))
        return self.code.let((index, "lanes"), "ivec4", "i", text)

    def aligned_first(self, index: Index) -> str | None:
        """Return the name of an int, the position of lane 0 after the views.

        None is returned if the views do not map the lanes to neighbours from a multiple of 4 on.
        """
        return self.first(index) if self.is_aligned(index) else None

    def is_aligned(self, index: Index) -> bool:
        """Return True if the views map the lanes to neighbours from a multiple of 4 on."""
        return bool(index.first) and all(map(keeps_texels, index.stack))

    def column_and_row(self, index: Index, row: int) -> tuple[str, str] | None:
        """Return GLSL for column and row of an aligned texel in a texture of `row` texels per row.

        None is returned if coordinates are not known, or one of them moves columns and rows.
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
        return quotient(total(across, columns), 4), total(down, rows)

    def first(self, index: Index) -> str:
        """Return the name of an int, the position of lane 0 after the views."""
        if not index.stack:
            return index.first
        view, known = index.stack[-1], self._by_axes(index)
        if known is not None:
            text = total(known, view.offset)
        else:
            text = mapped(view, self.first(index._replace(stack=index.stack[:-1], own=False)))
        return self.code.let((index, "first"), "int", "i", text)

    def _by_axes(self, index: Index) -> list[tuple[str, int]] | None:
        return by_axes(index.stack[0], index.axes) if len(index.stack) == 1 else None

    def coordinates(self, index: Index, shape: Shape, together: bool) -> list[str]:
        """Return GLSL for the coordinates in `shape` after the views, of lane 0 or of all lanes."""
        if index.axes and len(index.stack) <= 1 and (together or not index.first):
            view = index.stack[0] if index.stack else contiguous(shape)
            known = by_axes(view, index.axes)
            if known is not None:
                lengths = dict(index.axes)
                along = View(
                    tuple(lengths[name] for name, _ in known),
                    tuple(step for _, step in known),
                    view.offset,
                )
                found = steps(along, shape)
                if found is not None:
                    start, each = found
                    return [
                        total(
                            [(known[i][0], each[i][axis]) for i in range(len(known))], start[axis]
                        )
                        for axis in range(len(shape))
                    ]
        position = self.first(index) if together else self.lanes(index)
        return [coordinate(position, shape, axis) for axis in range(len(shape))]

    def splat(self, index: Index) -> str | None:
        """Return the position that all lanes read after the views, or None if they differ."""
        if index.same:
            return self.code.let((index, "splat"), "int", "i", f"{self.lanes(index)}.x")
        for depth, view in enumerate(index.stack):
            if view.is_constant:
                position = str(view.offset)
            elif index.first and splats(view):
                position = self.first(index._replace(stack=index.stack[: depth + 1], own=False))
            elif keeps_texels(view):
                continue
            else:
                return None
            for later in index.stack[depth + 1 :]:
                position = mapped(later, self.code.let((position,), "int", "i", position))
            known = position.isidentifier() or position.isdigit()
            return position if known else self.code.let((index, "splat"), "int", "i", position)
        return None


def _spread(first: str, apart: int) -> str:
    """Return GLSL for the positions of four lanes at a distance from each other.

    NVIDIA's OpenGL driver (580.159) reads zeros at `7 - (first + ivec4(0, 1, 2, 3))` if the column
    is a constant, but not if the lanes are added last.
    """
    return f"{first} + ivec4(0, {apart}, {2 * apart}, {3 * apart})"
