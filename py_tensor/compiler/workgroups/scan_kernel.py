"""Generate scans of chunks, by teams of invocations or by one invocation for four neighbours.

If the scanned axis is the last one, a team scans a chunk of a line: each member scans groups of
four neighbours, and the totals of these groups are scanned in shared memory. Otherwise an
invocation walks along four neighbouring lines. Elements after the end of a line are read, too. They
come last, and their results are never read.
"""

from __future__ import annotations

from typing import Any

from ...language.tree import Value, Whole
from ...ops.op_def import Scan, for_dtype
from ..codegen.indices import Index
from ..codegen.types import KIND, converted, number
from ..lowered_graph import ScanBlock
from .workgroup_writer import INVOCATIONS, WorkgroupWriter

TEAM = 256
"""Most invocations of a team; devices allow 256 at least."""
ITEMS = 4
"""Groups of four that a member of a team combines."""
LINE = 4 * TEAM * ITEMS
"""Elements of a line that a team scans."""


def write_scan(writer: WorkgroupWriter) -> None:
    """Write the statements of a scan."""
    scan = _Chunk(writer)
    if scan.block.axis == 2:
        scan.along()
    else:
        scan.across()


class _Chunk:
    """Writer of the scan of a chunk. Results are stored in lines of whole groups."""

    def __init__(self, writer: WorkgroupWriter) -> None:
        nodes, root = writer.nodes, writer.kernel.root
        self.writer = writer
        self.code = writer.code
        call = nodes.calls[root]
        op: Scan = call.op
        self.block: ScanBlock = call.arg
        self.src = nodes.edges[root][0]
        self.source = call.specs[0].dtype
        self.dtype = call.operands[0]
        self.kind = KIND[self.dtype.kind]
        self.shape = call.specs[0].shape
        self.result = call.spec.shape
        self.size = call.specs[0].size
        self.formula = for_dtype(op.join.formula, self.dtype)
        self.identity = number(self.code, op.identity(self.dtype), self.dtype)
        self.chunks = -(-self.result[self.block.axis] // self.block.chunk)

    def _joined(self, a: Value, b: Value) -> Value:
        return self.code.apply(self.formula, self.kind, a, b)

    def _shifted(self, value: Value, by: int) -> Value:
        return self.code.vector(self.kind, *[self.identity] * by, value.lane("xyzw"[: 4 - by]))

    def _element(self, position: Whole) -> Value:
        """Return four neighbouring elements, in the dtype of the result."""
        code, positions = self.code, self.writer.positions
        if not self.size:
            return code.printer.spread(self.identity)
        position = code.let(code.printer.whole(position), "q")
        if self.shape[2] % 4 == 0:
            index = Index(self.size, position)
        else:
            index = Index(self.size, lanes=code.let(positions.spread(position, 1), "q"))
        return converted(code, self.writer.value(self.src, index), self.source, self.dtype)

    def _start(self) -> Value:
        return self.code.variable(self.code.printer.spread(self.identity), "s")

    # --- one invocation for four lines ------------------------------------------------------------

    def across(self) -> None:
        """Write a loop along four neighbouring lines."""
        code, writer = self.code, self.writer
        groups, rows, columns = self.result
        fours, chunk = columns // 4, min(self.block.chunk, rows)
        count = groups * self.chunks * fours
        workgroup = writer.launch(INVOCATIONS, -(-count // INVOCATIONS))
        own: Any = code.let(workgroup * INVOCATIONS + writer.local, "t")
        writer.leave(own >= count)
        rest, column = own // fours, code.let(self._whole(own % fours), "c")
        rest = code.let(rest, "r")
        line = code.let(rest // self.chunks, "o")
        first = code.let(self._whole(rest % self.chunks * chunk), "f")
        total = self._start()
        with code.loop(0, chunk) as k:
            row = code.let(first + k, "r")
            if chunk * self.chunks > rows:
                code.stop(row >= rows)
            place = code.let((line * rows + row) * fours + column, "p")
            if self.block.initial:
                writer.store(0, place, total)
            position = (line * self.shape[1] + row) * self.shape[2] + column * 4
            code.assign(total, self._joined(total, self._element(position)))
            if not self.block.initial:
                writer.store(0, place, total)

    # --- a team for a line ----------------------------------------------------------------------

    def along(self) -> None:
        """Write the scan of a chunk of a line by a team."""
        code, writer = self.code, self.writer
        _, lines, length = self.result
        chunk = min(self.block.chunk, length) // 4
        team = min(TEAM, 1 << (chunk - 1).bit_length())
        items = -(-chunk // team)
        count = max(1, INVOCATIONS // team)
        segments = lines * self.chunks
        workgroup = writer.launch(team * count, -(-segments // count))
        member = self._whole(writer.local % team)
        segment = code.let(workgroup * count + writer.local // team, "n")
        segment = code.let(code.printer.bounded("min", segment, segments - 1), "n")
        line = code.let(segment // self.chunks, "o")
        # Neighbours read neighbouring groups. Lane i of `totals` is the total of item i.
        first = self._whole(segment % self.chunks * chunk) + member
        first = code.let(first, "f")
        parts: list[Value] = []
        for item in range(items):
            value = self._element(line * self.shape[2] + (first + item * team) * 4)
            for by in (1, 2):
                value = code.variable(value)
                value = self._joined(self._shifted(value, by), value)
            parts.append(code.variable(value))
        lasts = [part.lane("w") for part in parts]
        totals = code.vector(self.kind, *lasts, *[self.identity] * (4 - items))
        before, total = self._before(code.variable(totals), member, team)
        carry = self._start()
        ends = chunk % (team * items) or self.chunks * chunk * 4 > length
        for item, (value, lane) in enumerate(zip(parts, "xyzw", strict=False)):
            start = self._joined(carry, before.lane(4 * lane))
            own = self._shifted(value, 1) if self.block.initial else value
            result = code.variable(self._joined(start, own))
            group = code.let(first + item * team, "g")
            place = code.let(line * (length // 4) + group, "p")
            if ends or count > 1:
                own_end = code.let(self._whole(segment % self.chunks * chunk) + chunk, "f")
                inside = (group < length // 4) & (group < own_end)
                with code.when(inside):
                    writer.store(0, place, result)
            else:
                writer.store(0, place, result)
            if item + 1 < items:
                code.assign(carry, self._joined(carry, total.lane(4 * lane)))

    def _before(self, totals: Value, member: Value, team: int) -> tuple[Value, Value]:
        """Return the combination of the totals of the members before, and that of all members."""
        code, writer = self.code, self.writer
        (invocations,) = writer.workgroup
        before = self._start()
        names = [writer.share(self.kind, invocations) for _ in range(1 + (team > 2))]
        code.line(f"{names[0]}[l] = {totals.text};", totals.uses)
        writer.wait()
        apart = 1
        while apart < team:
            with code.when(member >= apart):
                other = code.variable(code.value(f"{names[0]}[l - {apart}]", self.kind))
                code.assign(totals, self._joined(other, totals))
            names.reverse()
            if len(names) == 1:
                writer.wait()
            code.line(f"{names[0]}[l] = {totals.text};", totals.uses)
            writer.wait()
            apart *= 2
        with code.when(member >= 1):
            code.assign(before, code.value(f"{names[0]}[l - 1]", self.kind))
        return before, code.variable(code.value(f"{names[0]}[l | {team - 1}]", self.kind))

    def _whole(self, number: Whole) -> Value:
        return self.code.printer.whole(number)
