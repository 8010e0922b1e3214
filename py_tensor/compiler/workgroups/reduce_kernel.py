"""Generate reductions, in which a team of invocations combines the elements of a result.

Each invocation combines every n-th group of elements; then the n partial results are combined in
shared memory, in halves. Lanes run along the axis that is contiguous in the operand. They are four
results, or, if that axis is reduced, four elements of one result. Part i of a split reduction
combines every n-th share of the elements from i on.
"""

from __future__ import annotations

from ...language.tree import INT, TRUTH, Value, Whole
from ..codegen.positions import Axes
from ..codegen.reductions import ReductionLoop
from ..fusion.rows import row_frame
from .row_kernel import can_store, write_rows
from .workgroup_writer import WorkgroupWriter

MOST = 256
"""Invocations of a workgroup that combine elements together; devices allow 256 at least."""
STEPS = 4
"""Steps of a loop that are written after each other if they divide it. Sums of 16 M elements took
71 us on an H100 without that."""
LINE = 16
"""Neighbouring groups of results that a workgroup computes at least, so that reads coalesce."""

SHORTEST_ROW = 16
"""Shortest rows for which teams are written as in row kernels."""


def write_reduce(writer: WorkgroupWriter) -> None:
    """Write the statements of a reduce kernel."""
    specs = [writer.nodes.spec(at) for at in writer.kernel.outputs]
    frame = row_frame(writer.nodes, writer.kernel.root)
    if frame is not None and frame.length >= SHORTEST_ROW and can_store(frame, specs):
        write_rows(writer)
        return
    loop = _Loop(writer)
    is_alone = writer.target.on_processor and not loop.parts
    if loop.length == 0 or is_alone:
        first = writer.own_group()
        way = loop.lanes_along if loop.along else loop.lanes_across
        writer.fixed[writer.kernel.root] = way(first) if loop.length else loop.nothing()
        writer.result(first)
    elif loop.along:
        loop.team_along()
    else:
        loop.team_across()


def _power(n: int) -> int:
    """Return the largest power of two that is at most n, and at least 1."""
    return 1 << max(n, 1).bit_length() - 1


class _Loop(ReductionLoop):
    """Writer of the loops of one reduction.

    `team` is the number of invocations that combine the elements of a result, and `count` the
    number of groups of four results of a workgroup.
    """

    writer: WorkgroupWriter

    def __init__(self, writer: WorkgroupWriter) -> None:
        super().__init__(writer)
        self.share = -(-self.length // max(self.parts, 1))
        """Elements of a result that a team combines."""
        self.totals = self.results * max(self.parts, 1)
        self.groups = -(-self.totals // 4)

    # --- loops ----------------------------------------------------------------------------------

    def team_along(self) -> None:
        """Write a loop over the elements of a result, four at once."""
        code, writer = self.code, self.writer
        rows = 4 if self.totals > 1 else 1
        self.team = min(
            _power(-(-self.share // 4)), 1 if writer.target.on_processor else MOST // rows
        )
        self.count = max(1, min(64 // (rows * self.team), self.groups))
        self.workgroup = writer.launch(rows * self.team * self.count, -(-self.groups // self.count))
        member = code.let(self._number(writer.local % self.team), "m")
        slot = code.let(writer.local // self.team, "n")
        own = code.let(self.workgroup * (self.count * 4) + slot if rows == 4 else slot, "o")
        # Lines after the last one are read, too; their results are not stored.
        own = code.let(code.printer.bounded("min", own, self.totals - 1), "o")
        result, start = own, member * 4
        if self.parts:
            result = code.let(own // self.parts, "o")
            start = code.let((own % self.parts) * (self.team * 4) + member * 4, "p")
        kept = self.coordinates(self.kept, "o", result)
        self.start()
        step = 4 * self.team * max(self.parts, 1)
        steps = self._steps(step)
        with code.loop(code.let(self._number(start), "p"), self.length, step * steps) as first:
            for turn in range(steps):
                k = code.let(first + turn * step, "k")
                position = writer.positions.spread(k, 1) if self.op.index else None
                self.step(self.neighbours(result, kept, k), position)
        for swap in ("zwxy", "yxwz"):
            self._combine([code.variable(value.lane(swap)) for value in self._pair()])
        arrays = self._combined(member, 1)
        number = self._number_of()
        start = self._number(writer.local * (rows * self.team))
        firsts = [code.let(start + row * self.team, "a") for row in range(rows)]
        for value, name in zip(self._pair(), arrays, strict=True):
            parts = [
                code.value(f"{name}[{at.text}].x", value.kind, 1, uses=at.uses) for at in firsts
            ]
            code.assign(value, code.vector(value.kind, *parts))
        self._keep(number)

    def team_across(self) -> None:
        """Write a loop over the elements of four neighbouring results, one of each at once."""
        code, writer = self.code, self.writer
        self.count = min(_power(self.groups), LINE if self.share > 4 else 64)
        self.team = min(_power(self.share), MOST // self.count)
        if writer.target.on_processor:
            self.team = 1
        if self.team > 1:
            # Half of the team, each with two elements, takes fewer steps in shared memory.
            self.team = max(1, min(self.team, _power(self.share // 2)))
        while self.team * self.count < 64 and self.count < self.groups:
            self.count *= 2
        self.workgroup = writer.launch(self.team * self.count, -(-self.groups // self.count))
        line = code.let(self._number(writer.local % self.count), "n")
        member = code.let(self._number(writer.local // self.count), "m")
        number = code.let(self.workgroup * self.count + line, "t")
        own = code.let(number * 4, "e")
        writer.positions.numbers[own] = number
        if self.results % 4:
            own = code.let(writer.positions.spread(own, 1), "i")
        result, part = own, None
        if self.parts:
            result = code.let(self.whole(own % self.results, own), "o")
            part = code.let(own // self.results, "p")
        kept = self.coordinates(self.kept, "o", result)
        self.start()
        self._some(member, result, part, kept)
        if self.team == 1:
            # An invocation computes its results alone.
            writer.leave(number >= self.groups)
            self._keep(number)
            return
        self._combined(member, self.count)
        self._keep(self._number_of())

    def _some(self, member: Value, result: Value, part: Value | None, kept: Axes) -> None:
        """Write a loop over every n-th element of four results, or of a part of each.

        Neighbours in a team read neighbouring elements.
        """
        code, guard, step = self.code, None, self.team * max(self.parts, 1)
        start = member if part is None else code.let(part * self.team + member, "p")
        own = code.printer.whole(0) if start.lanes == 4 else start
        steps = 1 if start.lanes == 4 else self._steps(step)
        with code.loop(own, self.length, step * steps) as n:
            for turn in range(steps):
                k = code.let(n + turn * step, "k")
                if start.lanes == 4:
                    # The four lanes are of several parts.
                    k = code.let(n + start, "k")
                    bound = code.vector(INT, self.length)
                    guard = code.apply("x < y", TRUTH, k, bound)
                reduced = self.coordinates(self.axes, "k", k)
                order, position = self.axes + self.kept, k * self.results + result
                index = self.index(order, position, reduced + kept)
                position = self._lanes(k) if self.op.index else None
                self.step(self.writer.value(self.src, index), position, guard)

    def _steps(self, step: int) -> int:
        """Return how many steps an iteration has: several keep more reads in flight."""
        return STEPS if self.length % (STEPS * step) == 0 else 1

    def _lanes(self, k: Value) -> Value:
        return k if k.lanes == 4 else self.code.vector(INT, k)

    # --- shared memory --------------------------------------------------------------------------

    def _pair(self) -> list[Value]:
        """Return the result so far, and its position in a search for one."""
        return [self.acc, self.place] if self.op.index else [self.acc]

    def _combine(self, others: list[Value]) -> None:
        code = self.code
        if self.op.index:
            self.choose(*others)
        else:
            code.assign(self.acc, code.apply(self.combine, self.kind, self.acc, others[0]))

    def _combined(self, member: Value, apart: int) -> list[str]:
        """Combine the results of the invocations of a team in halves; return the shared arrays.

        Neighbours in a team are `apart` in the workgroup.
        """
        code, writer = self.code, self.writer
        (invocations,) = writer.workgroup
        arrays = [writer.share(value.kind, invocations) for value in self._pair()]
        self._put(arrays)
        writer.wait()
        half = self.team // 2
        while half:
            with code.when(member < half):
                self._combine(
                    [
                        code.variable(code.value(f"{name}[l + {half * apart}]", value.kind))
                        for value, name in zip(self._pair(), arrays, strict=True)
                    ]
                )
                self._put(arrays)
            writer.wait()
            half //= 2
        return arrays

    def _put(self, arrays: list[str]) -> None:
        for value, name in zip(self._pair(), arrays, strict=True):
            self.code.line(f"{name}[l] = {value.text};", value.uses)

    def _number_of(self) -> Value:
        """Return the number of the group of results that an invocation stores; end the others."""
        writer = self.writer
        number: Value = self.code.let(self.workgroup * self.count + writer.local, "t")
        writer.leave((writer.local >= self.count) | (number >= self.groups))
        return number

    def _keep(self, number: Value) -> None:
        """Store a group of results, to which the epilogue is applied."""
        writer = self.writer
        writer.fixed[writer.kernel.root] = self.result
        writer.result(writer.first_of(number))

    def _number(self, number: Whole) -> Value:
        return self.code.printer.whole(number)
