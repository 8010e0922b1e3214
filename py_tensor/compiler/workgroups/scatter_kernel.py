"""Generate kernels that add up slices at indices: integers by atomic additions, floats in order.

Slices of floats come with pairs of an index and a position, sorted by index, and with the start of
the segment of each index. A team of invocations adds the slices of a segment, so that sums are the
same in every run.
"""

from __future__ import annotations

from typing import NamedTuple

from ...language.tree import INT, Value
from ...language.wgsl import STORED
from ..codegen.indices import Index
from ..codegen.positions import Axes, total
from ..codegen.shader import Shader
from ..codegen.types import KIND, converted, literal
from .workgroup_writer import INVOCATIONS, ROW, WorkgroupWriter


class AtomicSums(NamedTuple):
    """Static argument of a scatter of integer slices (before, count, after) by atomic additions."""

    length: int
    """Length of the result's axis, which replaces the slices' second one."""


class SegmentStarts(NamedTuple):
    """Static argument of a search for the start of the segment of each index in sorted pairs.

    The result has the end of the last segment, too.
    """

    length: int
    """Number of indices."""


class SegmentSums(NamedTuple):
    """Static argument of a scatter of float slices (before, count, after) by sums of segments.

    The further operands are the pairs and the starts of the segments. If a slice has one element,
    four neighbours along the result's axis are computed together, otherwise four of a slice. The
    last axis of the result is padded to whole groups of four.
    """

    length: int
    team: int
    """Invocations that add a segment, a power of two."""


def write_scatter(writer: WorkgroupWriter) -> None:
    """Write the statements of a kernel that adds up slices, or searches for segments."""
    arg = writer.nodes.calls[writer.kernel.root].arg
    if isinstance(arg, AtomicSums):
        _write_atomics(writer)
    elif isinstance(arg, SegmentStarts):
        _write_starts(writer)
    else:
        _Segments(writer).write()


def _zeros(nbytes: int) -> Shader:
    """Return the kernel that sets a buffer to zero."""
    source = f"""@group(0) @binding(0) var<storage, read_write> y0: array<vec4<u32>>;
@compute @workgroup_size({INVOCATIONS}) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {{
  let t = (W.x + W.y * {ROW}u) * {INVOCATIONS}u + L;
  if (t < arrayLength(&y0)) {{ y0[t] = vec4<u32>(0u); }}
}}
"""
    groups = -(-nbytes // (16 * INVOCATIONS))
    grid = (min(groups, ROW), -(-groups // ROW), 1)
    return Shader("zeros", source, ((), (), ()), ((), (), ()), (), grid=grid)


def _write_atomics(writer: WorkgroupWriter) -> None:
    """Write the atomic additions of four elements of the slices."""
    code, nodes, root = writer.code, writer.nodes, writer.kernel.root
    call, (slices, indices) = nodes.calls[root], nodes.edges[root]
    before, count, after = call.specs[0].shape
    size, length = before * count * after, call.arg.length
    dtype = call.spec.dtype
    array = STORED[dtype.name]
    writer.outputs = [array._replace(type=f"atomic<{code.printer.types[array.kind, 1]}>")]
    writer.before = _zeros(4 * call.spec.size)
    groups = -(-size // 4)
    workgroup = writer.launch(INVOCATIONS, -(-groups // INVOCATIONS))
    number = code.let(workgroup * INVOCATIONS + writer.local, "t")
    writer.leave(number >= groups)
    first = writer.first_of(number)
    value = writer.value(slices, Index(size, first))
    value = code.let(converted(code, value, call.specs[0].dtype, dtype))
    lanes = code.let(writer.positions.spread(first, 1), "i")
    if after == 1 and count % 4 == 0:
        index = Index(count, code.let(code.printer.whole(first % count), "n"))
    else:
        slot = code.vector(INT, lanes // after % count)
        index = Index(count, lanes=code.let(slot, "n"))
    own = code.let(writer.value(indices, index), "j")
    terms = [(own, after), (lanes % after, 1)]
    if before > 1:
        terms.append((lanes // (count * after), length * after))
    place = code.let(code.printer.spread(total(terms, 0)), "q")
    for name in "xyzw":
        is_inside = f"u32({own.text}.{name}) < u32({code.printer.size(length)})"
        if size % 4:
            is_inside += f" && {lanes.text}.{name} < {code.printer.size(size)}"
        text = f"atomicAdd(&y0[{place.text}.{name}], {value.text}.{name});"
        uses = own.uses | place.uses | value.uses | lanes.uses
        code.line(f"if ({is_inside}) {{ {text} }}", uses)


def _write_starts(writer: WorkgroupWriter) -> None:
    """Write a binary search for the starts of four segments."""
    code = writer.code
    (pairs,) = writer.nodes.edges[writer.kernel.root]
    count = writer.nodes.spec(pairs).shape[1]
    first, size = writer.own_group(), code.printer.size(count)
    most = code.printer.size(1 << count.bit_length() - 1)
    writer.definitions.append(
        "fn pt_key(i: i32) -> u32 { return x0[i >> 1u][(i & 1) * 2]; }",
    )
    code.line(
        f"let targets = vec4<u32>(u32({first.text})) + vec4<u32>(0u, 1u, 2u, 3u);", first.uses
    )
    keys = ", ".join([f"pt_key(last.{name})" for name in "xyzw"])
    for line in (
        "var start = vec4<i32>(0);",
        f"for (var step = {most}; step > 0; step >>= 1u) {{",
        "  let next = start + step;",
        f"  let last = min(next, vec4<i32>({size})) - 1;",
        f"  let is_before = vec4<u32>({keys}) < targets;",
        f"  start = select(start, next, is_before & (next <= vec4<i32>({size})));",
        "}",
    ):
        code.line(line)
    writer.store(0, writer.fetches.number, code.value("start", INT))


class _Segments:
    """Writer of the sums of segments."""

    def __init__(self, writer: WorkgroupWriter) -> None:
        self.writer = writer
        self.code = writer.code
        nodes, root = writer.nodes, writer.kernel.root
        self.call = nodes.calls[root]
        self.slices, pairs, starts = nodes.edges[root]
        self.pairs = writer.kernel.inputs.index(pairs)
        self.starts = writer.kernel.inputs.index(starts)
        self.before, self.count, self.after = self.call.specs[0].shape
        self.size = self.call.specs[0].size
        self.length = self.call.arg.length
        self.team = self.call.arg.team
        self.dtype = self.call.spec.dtype
        self.kind = KIND[self.dtype.kind]

    def write(self) -> None:
        code, writer, team = self.code, self.writer, self.team
        groups = -(-self.call.spec.size // 4)
        count = max(1, INVOCATIONS // team)
        workgroup = writer.launch(team * count, -(-groups // count))
        member = code.let(code.printer.whole(writer.local // count), "m")
        number = code.let(workgroup * count + writer.local % count, "t")
        if team == 1:
            writer.leave(number >= groups)
        own = code.let(code.printer.bounded("min", number, groups - 1), "o")
        sums = code.variable(literal(code, 0, self.dtype), "s")
        add = self._neighbours if self.after == 1 else self._columns
        add(own, member, sums)
        if team > 1:
            self._combine(sums, member, count)
            writer.leave((member >= 1) | (number >= groups))
        writer.store(0, number, sums)

    def _columns(self, own: Value, member: Value, sums: Value) -> None:
        """Add four columns of the slices of an index."""
        code, writer = self.code, self.writer
        fours = -(-self.after // 4)
        column = code.let(code.printer.whole(own % fours * 4), "c")
        row = code.let(own // fours, "r")
        place = code.let(code.printer.whole(row % self.length), "j")
        group = code.let(row // self.length, "b")
        start, stop = self._start(place), self._start(place + 1)
        with code.loop(code.let(start + member, "p"), stop, self.team) as k:
            at = code.let(self._pair(k, 1), "n")
            terms = [(at, self.after), (column, 1)]
            if self.before > 1:
                terms.append((group, self.count * self.after))
            position = code.let(total(terms, 0), "q")
            if self.after % 4:
                index = Index(self.size, lanes=code.let(writer.positions.spread(position, 1), "q"))
            else:
                axes: Axes = ((group, self.before), (at, self.count), (column, self.after))
                known = tuple([(name, n) for name, n in axes if n > 1])
                index = Index(self.size, position, axes=known)
            self._add(sums, self._value(index))

    def _neighbours(self, own: Value, member: Value, sums: Value) -> None:
        """Add the elements of four neighbouring indices."""
        code = self.code
        fours = -(-self.length // 4)
        first = code.let(code.printer.whole(own % fours * 4), "j")
        group = code.let(own // fours, "b")
        end = code.let(code.printer.bounded("min", first + 4, self.length), "e")
        with code.loop(
            code.let(self._start(first) + member, "p"), self._start(end), self.team
        ) as k:
            lane = code.let(self._pair(k, 0) - first, "a")
            at = code.let(total([(group, self.count), (self._pair(k, 1), 1)], 0), "n")
            index = Index(self.size, lanes=code.let(code.vector(INT, at), "q"), is_splat=True)
            chosen = f"vec4<i32>({lane.text}) == vec4<i32>(0, 1, 2, 3)"
            zero = literal(code, 0, self.dtype)
            value = self._value(index)
            text = f"select({zero.text}, {value.text}, {chosen})"
            self._add(sums, code.value(text, self.kind, uses=value.uses | lane.uses))

    def _value(self, index: Index) -> Value:
        value = self.writer.value(self.slices, index)
        return converted(self.code, value, self.call.specs[0].dtype, self.dtype)

    def _add(self, sums: Value, value: Value) -> None:
        self.code.assign(sums, value, "+=")

    def _start(self, place: Value) -> Value:
        """Return the start of the segment of an index."""
        return self.code.let(self.writer.fetches.element(self.starts, self.code.let(place, "j")))

    def _pair(self, k: Value, part: int) -> Value:
        """Return the index (part 0) or the position of a slice."""
        place = self.code.let(self.code.printer.whole(k * 2 + part), "p")
        value = self.writer.fetches.element(self.pairs, place)
        return self.code.value(f"i32({value.text})", INT, 1, uses=value.uses)

    def _combine(self, sums: Value, member: Value, count: int) -> None:
        """Add the sums of the members of a team in shared memory, in halves."""
        code, writer = self.code, self.writer
        name = writer.share(self.kind, self.team * count)
        code.line(f"{name}[l] = {sums.text};", sums.uses)
        writer.wait()
        half = self.team // 2
        while half:
            with code.when(member < half):
                other = code.value(f"{name}[l + {half * count}]", self.kind)
                self._add(sums, code.variable(other))
                code.line(f"{name}[l] = {sums.text};", sums.uses)
            writer.wait()
            half //= 2
