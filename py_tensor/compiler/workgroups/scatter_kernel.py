"""Generate kernels that add up slices at indices: integers by atomic additions, floats in order.

Slices of floats come with pairs of an index and a position, sorted by index, and with the start of
the segment of each index. A team of invocations adds the slices of a segment, so that sums are the
same in every run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...language.tree import INT, TRUTH, Value, Whole
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


class ChunkSums(NamedTuple):
    """Static argument of sums of every `chunk` neighbours among sorted slices.

    The second operand are the pairs. Only the sums of chunks with one index are right. So a long
    segment does not take long, though one team adds its parts. The result is (before, chunks,
    after), whose last axis is padded to whole groups of four, or (before, chunks, 1), whose chunks
    are padded.
    """

    chunk: int
    """A power of two."""


class SegmentSums(NamedTuple):
    """Static argument of a scatter of float slices (before, count, after) by sums of segments.

    The further operands are the pairs and the starts of the segments. If a slice has one element,
    four neighbours along the result's axis are computed together, otherwise four of a slice. The
    last axis of the result is padded to whole groups of four.
    """

    length: int
    team: int
    """Invocations that add a segment, a power of two."""
    chunk: int
    """Slices of a chunk, whose sums are the last operand; 0 without sums of chunks."""


def write_scatter(writer: WorkgroupWriter) -> None:
    """Write the statements of a kernel that adds up slices, or searches for segments."""
    arg = writer.nodes.calls[writer.kernel.root].arg
    if isinstance(arg, AtomicSums):
        _write_atomics(writer)
    elif isinstance(arg, SegmentStarts):
        _write_starts(writer)
    elif isinstance(arg, ChunkSums):
        _Chunks(writer).write()
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
    none = (), (), ()
    return Shader("zeros", source, none, none, (), grid=grid, reads=(), writes=(0,))


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


class _SortedSlices:
    """Writer of a kernel that adds up slices (before, count, after), sorted by index."""

    def __init__(self, writer: WorkgroupWriter) -> None:
        self.writer = writer
        self.code = writer.code
        nodes, root = writer.nodes, writer.kernel.root
        self.call = nodes.calls[root]
        self.operands = nodes.edges[root]
        self.slots = {at: slot for slot, at in enumerate(writer.kernel.inputs)}
        self.before, self.count, self.after = self.call.specs[0].shape
        self.size = self.call.specs[0].size
        self.fours = -(-self.after // 4)
        self.groups = -(-self.call.spec.size // 4)
        self.dtype = self.call.spec.dtype
        self.kind = KIND[self.dtype.kind]
        self.zero = literal(self.code, 0, self.dtype)

    def pair(self, k: Value, part: int) -> Value:
        """Return the index (part 0) or the position of a slice."""
        place = self.code.let(self.code.printer.whole(k * 2 + part), "p")
        value = self.writer.fetches.element(self.slots[self.operands[1]], place)
        return self.code.value(f"i32({value.text})", INT, 1, uses=value.uses)

    def slice(self, group: Value, k: Value, column: Value | None) -> Value:
        """Return four columns of slice k of a group, or its only element in all lanes."""
        code, writer = self.code, self.writer
        at = code.let(self.pair(k, 1), "n")
        terms = [(group, self.count * self.after)] if self.before > 1 else []
        terms.append((at, self.after))
        if column is None:
            lanes = code.let(code.vector(INT, total(terms, 0)), "q")
            index = Index(self.size, lanes=lanes, is_splat=True)
        else:
            position = code.let(total([*terms, (column, 1)], 0), "q")
            if self.after % 4:
                index = Index(self.size, lanes=code.let(writer.positions.spread(position, 1), "q"))
            else:
                axes: Axes = ((group, self.before), (at, self.count), (column, self.after))
                known = tuple([(name, n) for name, n in axes if n > 1])
                index = Index(self.size, position, axes=known)
        value = writer.value(self.operands[0], index)
        return converted(code, value, self.call.specs[0].dtype, self.dtype)

    def is_uniform(self, first: Value, chunk: int) -> Value:
        """Return True if the slices of a chunk have one index."""
        last = self.code.let(first + (chunk - 1), "p")
        return self.code.let(self.pair(first, 0).equals(self.code.let(self.pair(last, 0), "a")))

    def add(self, sums: Value, value: Value) -> None:
        self.code.assign(sums, value, "+=")

    def whole(self, number: Whole, prefix: str) -> Value:
        return self.code.let(self.code.printer.whole(number), prefix)


class _Chunks(_SortedSlices):
    """Writer of the sums of chunks."""

    def write(self) -> None:
        code, writer, chunk = self.code, self.writer, self.call.arg.chunk
        own = writer.launch(INVOCATIONS, -(-self.groups // INVOCATIONS)) * INVOCATIONS
        number = code.let(own + writer.local, "t")
        writer.leave(number >= self.groups)
        sums = code.variable(self.zero, "s")
        if self.after > 1:
            column = self.whole(number % self.fours * 4, "c")
            row, chunks = code.let(number // self.fours, "r"), self.count // chunk
            first = self.whole(row % chunks * chunk, "p")
            group = code.let(row // chunks, "b")
            with code.when(self.is_uniform(first, chunk)), code.loop(0, chunk) as k:
                self.add(sums, self.slice(group, code.let(first + k, "p"), column))
        else:
            fours = -(-self.call.spec.shape[1] // 4)
            group, start = code.let(number // fours, "b"), self.whole(number % fours * 4, "q")
            for lane, name in enumerate("xyzw"):
                first = self.whole((start + lane) * chunk, "p")
                with code.when(self.is_uniform(first, chunk)), code.loop(0, chunk) as k:
                    value = self.slice(group, code.let(first + k, "p"), None)
                    self.add(sums.lane(name), value.lane(name))
        writer.store(0, number, sums)


class _Segments(_SortedSlices):
    """Writer of the sums of segments."""

    def __init__(self, writer: WorkgroupWriter) -> None:
        super().__init__(writer)
        self.length, self.team, self.chunk = self.call.arg

    def write(self) -> None:
        code, writer, team = self.code, self.writer, self.team
        count = max(1, INVOCATIONS // team)
        workgroup = writer.launch(team * count, -(-self.groups // count))
        self.member = self.whole(writer.local // count, "m")
        number = code.let(workgroup * count + writer.local % count, "t")
        if team == 1:
            writer.leave(number >= self.groups)
        own = code.let(code.printer.bounded("min", number, self.groups - 1), "o")
        self.sums = code.variable(self.zero, "s")
        if self.after > 1:
            self._columns(own)
        else:
            self._neighbours(own)
        if team > 1:
            self._combine(count)
            writer.leave((self.member >= 1) | (number >= self.groups))
        writer.store(0, number, self.sums)

    def _columns(self, own: Value) -> None:
        """Add four columns of the slices of an index."""
        code = self.code
        four = self.whole(own % self.fours, "c")
        column, row = self.whole(four * 4, "c"), code.let(own // self.fours, "r")
        place = self.whole(row % self.length, "j")
        group = code.let(row // self.length, "b")
        start, stop = self._start(place), self._start(place + 1)

        def add(k: Value) -> None:
            self.add(self.sums, self.slice(group, k, column))

        def add_chunk(q: Value) -> None:
            terms = [(q, self.fours), (four, 1)]
            if self.before > 1:
                terms.append((group, self.count // self.chunk * self.fours))
            place = code.let(total(terms, 0), "q")
            self.add(self.sums, self.writer.fetches.texel(self.slots[self.operands[3]], place))

        self._walk(start, stop, add, add_chunk)

    def _neighbours(self, own: Value) -> None:
        """Add the elements of four neighbouring indices."""
        code = self.code
        fours = -(-self.length // 4)
        first = self.whole(own % fours * 4, "j")
        group = code.let(own // fours, "b")
        end = code.let(code.printer.bounded("min", first + 4, self.length), "e")

        def add(k: Value, value: Value | None = None) -> None:
            lane = code.let(self.pair(k, 0) - first, "a")
            value = self.slice(group, k, None) if value is None else value
            chosen = f"vec4<i32>({lane.text}) == vec4<i32>(0, 1, 2, 3)"
            text = f"select({self.zero.text}, {value.text}, {chosen})"
            self.add(self.sums, code.value(text, self.kind, uses=value.uses | lane.uses))

        def add_chunk(q: Value) -> None:
            k = self.whole(q * self.chunk, "p")
            is_uniform = self.is_uniform(k, self.chunk)
            with code.when(is_uniform):
                chunks = self.writer.nodes.spec(self.operands[3]).shape[1]
                terms = [(group, chunks), (q, 1)] if self.before > 1 else [(q, 1)]
                place = code.let(total(terms, 0), "q")
                slot = self.slots[self.operands[3]]
                sums = self.writer.fetches.element(slot, place)
                add(k, code.let(code.vector(self.kind, sums)))
            others = code.value(f"!{is_uniform.text}", TRUTH, 1, uses=is_uniform.uses)
            end = code.let(k + self.chunk, "p")
            with code.when(others), code.loop(k, end) as each:
                add(each)

        self._walk(self._start(first), self._start(end), add, add_chunk)

    def _walk(
        self,
        start: Value,
        stop: Value,
        add: Callable[[Value], None],
        add_chunk: Callable[[Value], None],
    ) -> None:
        """Add the slices from `start` to `stop`, whole chunks of them by their sums."""
        code, chunk = self.code, self.chunk
        if chunk:
            # `middle` and `end` are the first and the last bound of a chunk between them.
            above = code.let((start + (chunk - 1)) // chunk, "p")
            middle = code.let(code.printer.bounded("min", self.whole(above * chunk, "p"), stop))
            below = self.whole(stop // chunk * chunk, "p")
            end = code.let(code.printer.bounded("max", below, middle))
            with code.loop(code.let(start + self.member, "p"), middle, self.team) as k:
                add(k)
            first = code.let(above + self.member, "p")
            with code.loop(first, code.let(stop // chunk, "p"), self.team) as q:
                add_chunk(q)
            start = end
        with code.loop(code.let(start + self.member, "p"), stop, self.team) as k:
            add(k)

    def _start(self, place: Value) -> Value:
        """Return the start of the segment of an index."""
        slot = self.slots[self.operands[2]]
        return self.code.let(self.writer.fetches.element(slot, self.code.let(place, "j")))

    def _combine(self, count: int) -> None:
        """Add the sums of the members of a team in shared memory, in halves."""
        code, writer, sums = self.code, self.writer, self.sums
        name = writer.share(self.kind, self.team * count)
        code.line(f"{name}[l] = {sums.text};", sums.uses)
        writer.wait()
        half = self.team // 2
        while half:
            with code.when(self.member < half):
                self.add(sums, code.variable(code.value(f"{name}[l + {half * count}]", self.kind)))
                code.line(f"{name}[l] = {sums.text};", sums.uses)
            writer.wait()
            half //= 2
