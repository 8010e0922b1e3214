"""Generate row kernels, in which a team of invocations computes a row.

Each reduction combines the elements of the row; then all members of the team combine the results of
the others in shared memory, so that all know the result. The statements after it use it like a
constant. A member of a short row keeps its elements in registers; otherwise each reduction reads
them again, from the cache.

If the length of a row is a multiple of four, each member reads every n-th group of four elements.
Otherwise four lanes are elements that are as far apart as the team is long, so that its members
read neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import NamedTuple

from ...dtypes import int32
from ...ir.node import TensorSpec
from ...language.tree import INT, MASK, TRUTH, UINT, Value, ValueKind, Whole
from ...ops.index_map import row_major
from ...ops.op_def import Reduction, for_dtype
from ..codegen.indices import Index
from ..codegen.positions import Axes
from ..codegen.types import KIND, converted, literal
from ..fusion.rows import RowFrame, row_frame
from .workgroup_writer import INVOCATIONS, WorkgroupWriter

MOST = 256
"""Invocations of a team; devices allow 256 at least."""
ITEMS = 4
"""Groups of four elements that a member keeps in registers."""
COALESCED = 16
"""Members that read neighbouring groups at least, if a row has as many."""
BUSY = 1 << 15
"""Invocations that occupy a GPU."""
BUSY_PROCESSOR = 1 << 9
"""Invocations that occupy the processor under a software renderer."""
ROWS_ON_PROCESSOR = 8
"""Rows from which on invocations under a software renderer compute them alone."""
UNROLLED = 256
"""Operations on the elements of a member up to which they are kept in registers."""


def can_store(frame: tuple[int, int], specs: Sequence[TensorSpec]) -> bool:
    """Return True if teams can store elements of these values.

    Elements that are stored one by one need four bytes.
    """
    rows, length = frame
    return all(spec.dtype.itemsize == 4 or (spec.size > rows and length % 4 == 0) for spec in specs)


def write_rows(writer: WorkgroupWriter) -> None:
    """Write the statements of a row kernel."""
    frame = row_frame(writer.nodes, writer.kernel.root)
    assert frame is not None
    team = _Team(writer, frame)
    for at in _reductions(writer):
        writer.fixed[at] = team.reduced(at)
    team.store()


def _reductions(writer: WorkgroupWriter) -> list[int]:
    """Return the reductions of a kernel, operands first."""
    nodes, order = writer.nodes, dict.fromkeys(writer.kernel.inputs)
    todo = [(at, False) for at in reversed(writer.kernel.outputs)]
    while todo:
        at, is_ready = todo.pop()
        if is_ready:
            order[at] = None
        elif at not in order:
            todo.append((at, True))
            todo += [(src, False) for src in nodes.edges[at]]
    return [
        at for at in order if at not in writer.kernel.inputs and isinstance(nodes.op(at), Reduction)
    ]


def _power(n: int) -> int:
    """Return the smallest power of two that is at least n."""
    return 1 << max(n - 1, 0).bit_length()


class _Elements(NamedTuple):
    """Four elements of a row that a member computes at once."""

    lanes: Index
    columns: Value
    """Column of each lane."""
    group: Value | None
    """Number of their group in storage; None if they are no neighbours."""
    inside: Value | None
    """True for elements of the row: for each lane, or for a group. None if all are."""


class _Team:
    """Writer of the work of a team. `team` is the number of members, each with `items` groups."""

    def __init__(self, writer: WorkgroupWriter, frame: RowFrame) -> None:
        self.writer = writer
        self.code = code = writer.code
        self.frame = frame
        self.is_grouped = frame.length % 4 == 0
        self.groups = groups = -(-frame.length // 4)
        wanted = min(ITEMS, max(1, frame.rows * groups // BUSY))
        # Barriers take long under a software renderer.
        is_alone = writer.target.on_processor and frame.rows >= ROWS_ON_PROCESSOR
        most = 1 if is_alone else MOST
        self.team = min(most, max(_power(-(-groups // wanted)), min(_power(groups), COALESCED)))
        self.items = -(-groups // self.team)
        self.teams = max(1, INVOCATIONS // self.team)
        self.is_unrolled = self.items == 1 or (
            self.items <= ITEMS and len(writer.nodes.calls) * self.items <= UNROLLED
        )
        self.arrays: dict[ValueKind, list[str]] = {}
        workgroup = writer.launch(self.team * self.teams, -(-frame.rows // self.teams))
        # Sizes that are multiplied with the number of a row are no constants.
        self.member, row = writer.local, code.value(workgroup.text, INT, 1)
        if self.teams > 1:
            self.member = code.let(self._whole(writer.local % self.team), "m")
            row = code.let(workgroup * self.teams + writer.local // self.team, "o")
        (across, down, _), self.inside = writer.grid, None
        if across * down * self.teams > frame.rows:
            # Rows after the last one are computed, too: all invocations meet at barriers.
            self.inside = code.let(row < frame.rows, "b")
            row = code.let(code.printer.bounded("min", row, frame.rows - 1), "o")
        self.row = row
        call = writer.nodes.calls[writer.kernel.root]
        shape = call.specs[0].shape
        self.lengths = [shape[axis] for axis in call.arg if shape[axis] != 1]
        kept = [n for axis, n in enumerate(shape) if n != 1 and axis not in call.arg]
        self.kept = self._coordinates(kept, row)

    def _whole(self, number: Whole) -> Value:
        return self.code.printer.whole(number)

    def _coordinates(self, lengths: list[int], position: Value) -> Axes:
        """Return the coordinates of a row-major position, as variables."""
        coordinates = []
        for axis, (n, step) in enumerate(zip(lengths, row_major(tuple(lengths)), strict=True)):
            c = position // step
            coordinates.append((self.code.let(self._whole(c % n if axis else c), "k"), n))
        return tuple(coordinates)

    # --- elements -------------------------------------------------------------------------------

    @contextmanager
    def _each(self) -> Iterator[list[_Elements]]:
        """Yield the elements of a member: all of them, or those of an iteration of a loop."""
        if not self.is_unrolled:
            with self.code.loop(0, self.groups, self.team) as k:
                yield [self._elements(k, is_last=True)]
            return
        yield [
            self._elements(item * self.team, is_last=item == self.items - 1)
            for item in range(self.items)
        ]

    def _elements(self, before: Whole, is_last: bool) -> _Elements:
        """Return four elements of a member, given the number of groups of the team before them.

        Only the last ones may be after the end of the row.
        """
        code, writer, (count, length) = self.code, self.writer, self.frame
        if not self.is_grouped:
            apart = code.printer.constant_sizes.multiples(self.team)
            start = code.let(self._after(before * 4), "c")
            columns = code.let(start + apart, "c")
            lanes = code.let(self._whole(self.row * length) + columns, "i")
            axes = (*self.kept, (columns, length)) if len(self.lengths) == 1 else ()
            index = Index(count * length, lanes=lanes, axes=axes)
            ends = code.apply("x < y", TRUTH, columns, code.vector(INT, length))
            return _Elements(index, columns, None, code.let(ends, "b") if is_last else None)
        place = code.let(self._after(before), "g")
        group = code.let(self._whole(self.row * self.groups) + place, "t")
        first = code.let(self._whole(group * 4), "e")
        writer.positions.numbers[first] = group
        column = code.let(self._whole(place * 4), "c")
        axes = ()
        if self.lengths[-1] % 4 == 0:
            axes = (*self.kept, *self._coordinates(self.lengths, column))
        columns = code.let(writer.positions.spread(column, 1), "c")
        is_ragged = is_last and self.groups % self.team
        inside = code.let(place < self.groups, "b") if is_ragged else None
        return _Elements(Index(count * length, first, axes=axes), columns, group, inside)

    def _after(self, number: Whole) -> Value:
        """Return the position of a member, whose team begins at a number."""
        if isinstance(number, int):
            number = self.code.printer.constant_sizes.whole(number)
            return self.member if number.text == "0" else self.member + number
        return number + self.member

    # --- reductions -----------------------------------------------------------------------------

    def reduced(self, at: int) -> Value:
        """Write a reduction; return its result, in all lanes."""
        code, writer = self.code, self.writer
        reduction = _Reduction(writer, at)
        best = reduction.start(self.frame.length)
        with self._each() as parts:
            for part in parts:
                value = writer.value(writer.nodes.edges[at][0], part.lanes)
                value = converted(code, value, reduction.source, reduction.dtype)
                if part.inside is not None:
                    value = code.pick(part.inside, value, reduction.identity)
                reduction.join(best, [code.let(value), part.columns])
        with code.printed_by(code.printer.of_one.constant_sizes):
            # Truth values are numbers in shared memory.
            kinds = [UINT if value.kind == MASK else value.kind for value in best]
            lanes = [value.of(kind) for value, kind in zip(best, kinds, strict=True)]
            one = [code.variable(value.lane("x")) for value in lanes]
            for lane in "yzw":
                reduction.join(one, [value.lane(lane) for value in lanes])
            if self.team > 1:
                one = self._combined(reduction, one)
        result = code.let(code.printer.spread(one[-1]))
        return result.of(best[-1].kind)

    def _combined(self, reduction: _Reduction, own: list[Value]) -> list[Value]:
        """Combine the results of all members: in one step, or in two that take few reads."""
        code, writer = self.code, self.writer
        first = None
        if self.teams > 1:
            first = code.let(writer.local - self.member, "a")
        arrays = self._put(own)
        writer.wait()
        count = self.team
        if count > COALESCED:
            count = 1 << (self.team.bit_length() // 2)
            with code.when(self.member < count):
                with code.loop(count, self.team, count) as k:
                    reduction.join(own, self._got(arrays, own, writer.local + k))
                arrays = self._put(own)
            writer.wait()
        best = self._got(arrays, own, self._whole(0) if first is None else first)
        with code.loop(1, count) as k:
            reduction.join(best, self._got(arrays, own, k if first is None else first + k))
        return best

    def _put(self, values: list[Value]) -> list[str]:
        """Store values in shared arrays, in turns one of two of each kind; return their names.

        So a barrier is between the reads of an array and the next writes to it.
        """
        names = []
        for value in values:
            arrays = self.arrays.setdefault(value.kind, [])
            if len(arrays) < 2:
                invocations = self.team * self.teams
                arrays.append(self.writer.share(value.kind, invocations, lanes=1))
            else:
                arrays.append(arrays.pop(0))
            names.append(arrays[-1])
            self.code.line(f"{names[-1]}[l] = {value.text};", value.uses)
        return names

    def _got(self, names: list[str], like: list[Value], number: Value) -> list[Value]:
        code = self.code
        return [
            code.variable(code.value(f"{name}[{number.text}]", value.kind, 1, uses=number.uses))
            for name, value in zip(names, like, strict=True)
        ]

    # --- results --------------------------------------------------------------------------------

    def store(self) -> None:
        """Store the results of a row."""
        writer, code = self.writer, self.code
        outputs = [*enumerate(writer.kernel.outputs)]
        sizes = [writer.nodes.spec(at).size for _, at in outputs]
        if self.frame.size in sizes:
            with self._each() as parts:
                for part in parts:
                    for (number, at), size in zip(outputs, sizes, strict=True):
                        if size == self.frame.size:
                            self._store(number, part, writer.value(at, part.lanes))
        if self.frame.rows not in sizes:
            return
        lanes = code.let(code.vector(INT, self.row), "i")
        index = Index(self.frame.rows, lanes=lanes, axes=self.kept, is_splat=True)
        condition = self.inside
        if self.team > 1:
            is_first = self.member.equals(0)
            condition = is_first if condition is None else is_first & condition
        for (number, at), size in zip(outputs, sizes, strict=True):
            if size == self.frame.rows:
                value = writer.value(at, index)
                with self._when(condition):
                    writer.store_one(number, self.row, value)

    def _store(self, number: int, part: _Elements, value: Value) -> None:
        """Store four elements that are in the row."""
        writer = self.writer
        if part.group is not None:
            condition = part.inside
            if self.inside is not None:
                condition = self.inside if condition is None else condition & self.inside
            with self._when(condition):
                writer.store(number, part.group, value)
            return
        with self._when(self.inside):
            for lane in "xyzw":
                with self._when(part.inside and part.inside.lane(lane)):
                    assert part.lanes.lanes is not None
                    writer.store_one(number, part.lanes.lanes.lane(lane), value.lane(lane))

    def _when(self, condition: Value | None) -> AbstractContextManager[object]:
        return nullcontext() if condition is None else self.code.when(condition)


class _Reduction:
    """One reduction of a row kernel: how results are combined."""

    def __init__(self, writer: WorkgroupWriter, at: int) -> None:
        call = writer.nodes.calls[at]
        self.code = writer.code
        self.op: Reduction = call.op
        self.source = call.specs[0].dtype
        self.dtype = call.operands[0]
        self.kind = KIND[self.dtype.kind]
        self.identity = literal(self.code, self.op.identity(self.dtype), self.dtype)
        self.combine = for_dtype(self.op.combine, int32 if self.op.index else self.dtype)

    def start(self, length: int) -> list[Value]:
        """Declare the result of no elements, and the position after all in a search for one."""
        code = self.code
        best = [code.variable(self.identity, "s")]
        if self.op.index:
            best.append(code.variable(code.vector(INT, length), "w"))
        return best

    def join(self, best: list[Value], values: list[Value]) -> None:
        """Combine the best value, and its position, with another one."""
        code, value = self.code, values[0]
        if not self.op.index:
            code.assign(best[0], code.apply(self.combine, best[0].kind, best[0], value))
            return
        better = code.variable(code.apply(self.combine, TRUTH, *values, *best), "b")
        for own, other in zip(best, values, strict=True):
            code.assign(own, code.pick(better, other, own))
