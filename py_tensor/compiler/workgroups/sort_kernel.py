"""Generate kernels that sort lines: they sort blocks in shared memory, and merge sorted blocks.

The elements of a line are pairs of a key and a position. Keys are numbers of 32 bits whose unsigned
order is that of the values. In a block, each invocation sorts some neighbours in registers; then
runs are merged, each twice as long as the one before. An invocation finds by binary search where
its share of the merged run begins in both runs (Green, McColl and Bader 2012, GPU Merge Path). In
the same way, a workgroup finds its share of two sorted blocks in memory. Equal keys keep their
order. Lines are padded with pairs that come last.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...dtypes import DType
from ...language.tree import Value
from ..codegen.indices import Index
from ..codegen.types import KIND
from .workgroup_writer import WorkgroupWriter

BLOCK = 1 << 10
"""Elements that a workgroup sorts, or merges of two blocks."""
ITEMS = 8
"""Elements that an invocation sorts, or merges, in registers."""
LEAST = 1 << 9
"""Elements of a workgroup that sorts short lines."""


class SortedBlocks(NamedTuple):
    """Static argument of a sort of the blocks of an operand (lines, length).

    The result is an array (lines, length, 2) of pairs, whose length is padded to whole blocks, or
    an array (lines, length) of positions of whole groups of four, if there is one block in a line.
    """

    block: int
    """Elements of a block, a power of two and at least 4."""
    descending: bool
    has_pairs: bool


class MergedBlocks(NamedTuple):
    """Static argument of a merge of neighbouring blocks of pairs.

    The second operand is the number of elements of a block. The result is as in `SortedBlocks`.
    """

    has_pairs: bool


def write_sort(writer: WorkgroupWriter) -> None:
    """Write the statements of a kernel that sorts blocks or merges sorted ones."""
    arg = writer.nodes.calls[writer.kernel.root].arg
    if isinstance(arg, MergedBlocks):
        _Merge(writer).write()
    else:
        _Blocks(writer).write()


_KEYS = {
    "f": (
        "let bits = bitcast<vec4<u32>>(v);",
        "let size = bits & vec4<u32>(0x7fffffffu);",
        "let order = select(bits | vec4<u32>(0x80000000u), ~bits, bits > size);",
        "let number = select(order, vec4<u32>(0x80000000u), size == vec4<u32>(0u));",
        "let k = select(number, vec4<u32>(0xffffffffu), size > vec4<u32>(0x7f800000u));",
    ),
    "i": ("let k = bitcast<vec4<u32>>(v) ^ vec4<u32>(0x80000000u);",),
    "u": ("let k = v;",),
    "b": ("let k = v;",),
}
"""Statements that compute the keys of four values, by the kind of their dtype. Zeros of both signs
are equal, and NaN is the largest number."""
_ORDERED = """fn pt_order(a: ptr<function, vec2<u32>>, b: ptr<function, vec2<u32>>) {
  let x = *a;
  let y = *b;
  let swaps = y.x < x.x || (y.x == x.x && y.y < x.y);
  *a = select(x, y, swaps);
  *b = select(y, x, swaps);
}"""
_BANK = """fn pt_bank(i: i32) -> i32 {
  return i + (i >> 3u);
}"""
"""Place in shared memory, with gaps so that the invocations use different banks."""
_SPLIT = """fn pt_split(a: i32, b: i32, c: i32, d: i32) -> i32 {
  var low = max(0, d - (c - b));
  var high = min(d, b - a);
  while (low < high) {
    let middle = (low + high) >> 1u;
    if (pt_own_key(a + middle) <= pt_own_key(b + d - 1 - middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}"""
"""Number of elements of the run from a to b among the first d of its merge with that to c."""

_SPLIT_IN_MEMORY = """fn pt_split_of_blocks(a: i32, b: i32, c: i32, d: i32) -> i32 {
  var low = max(0, d - (c - b));
  var high = min(d, b - a);
  while (low < high) {
    let part = (high - low) >> 2u;
    var count = 0;
    for (var n = 1; n < 4; n++) {
      let at = low + n * part;
      count += select(0, 1, pt_key(a + at) <= pt_key(b + d - 1 - at));
    }
    high = select(low + (count + 1) * part, high, count == 3);
    low = select(low, low + count * part + 1, count > 0);
  }
  return low;
}"""
"""The same for blocks in memory. Three reads at once take as long as one."""


def exchanges(count: int) -> Iterator[tuple[int, int]]:
    """Yield the comparisons of Batcher's odd-even merge sort (1968); `count` is a power of two."""
    p = 1
    while p < count:
        k = p
        while k:
            for j in range(k % p, count - k, 2 * k):
                for i in range(min(k, count - j - k)):
                    if (i + j) // (2 * p) == (i + j + k) // (2 * p):
                        yield i + j, i + j + k
            k //= 2
        p *= 2


class _Sort:
    """Writer of a kernel that sorts; `items` are the elements of an invocation."""

    def __init__(self, writer: WorkgroupWriter) -> None:
        self.writer = writer
        self.code = writer.code
        self.nodes = writer.nodes
        self.call = self.nodes.calls[writer.kernel.root]
        self.operands = self.nodes.edges[writer.kernel.root]
        self.items = ITEMS

    def size(self, number: int) -> str:
        return self.code.printer.size(number)

    def lines(self, *lines: str) -> None:
        for line in lines:
            self.code.line(line)

    def share(self, elements: int) -> None:
        """Declare the pairs that the invocations of a workgroup share."""
        length = elements + elements // 8
        self.writer.shared.append(f"var<workgroup> pairs: array<vec2<u32>, {length}>;")
        key = "fn pt_own_key(i: i32) -> u32 { return pairs[pt_bank(i)].x; }"
        self.writer.definitions += [_BANK, key, _SPLIT]

    def merge(self, a: str, b: str, c: str, place: str) -> None:
        """Merge the elements of the invocation from two runs in shared memory."""
        self.lines(
            "{",
            f"  let a = {a};",
            f"  let b = {b};",
            f"  let c = {c};",
            f"  var i = a + pt_split(a, b, c, {place} - a);",
            f"  var j = b + {place} - i;",
            "  var x = pairs[pt_bank(i)];",
            "  var y = pairs[pt_bank(j)];",
            "  var first = true;",
        )
        for item in range(self.items):
            self.lines(
                "  first = j >= c || (i < b && x.x <= y.x);",
                f"  item{item} = select(y, x, first);",
            )
            if item < self.items - 1:
                self.lines(
                    "  i += select(0, 1, first);",
                    "  j += select(1, 0, first);",
                    f"  let next{item} = pairs[pt_bank(select(j, i, first))];",
                    f"  x = select(x, next{item}, first);",
                    f"  y = select(next{item}, y, first);",
                )
        self.lines("}")

    def keep(self, inside: str, line: str, column: str, length: int) -> None:
        """Store the pairs, or the positions, of the invocation from a column of a line on."""
        has_pairs = self.call.arg.has_pairs
        self.lines(
            f"if ({inside}) {{",
            f"  let start = ({line}) * {self.size(length)} + {column};",
        )
        for item in range(0, self.items, 2 if has_pairs else 4):
            if has_pairs:
                text = f"vec4<u32>(item{item}, item{item + 1})"
                self.lines(f"  y0[(start + {item}) >> 1u] = {text};")
                continue
            parts = ", ".join([f"item{item + n}.y" for n in range(4)])
            store = f"y0[(start + {item}) >> 2u] = vec4<i32>(vec4<u32>({parts}));"
            self.lines(f"  if ({column} + {item} < {self.size(length)}) {{ {store} }}")
        self.lines("}")


class _Blocks(_Sort):
    """Writer of a kernel that sorts blocks; short lines are several blocks of a workgroup."""

    def write(self) -> None:
        writer, code, arg = self.writer, self.code, self.call.arg
        lines, length = self.call.specs[0].shape
        block = arg.block
        self.items = min(ITEMS, block)
        elements = max(LEAST, block)
        blocks = -(-length // block)
        team, count = block // self.items, elements // block
        workgroup = writer.launch(elements // self.items, -(-lines * blocks // count))
        number = code.let(workgroup * count + writer.local // team, "n")
        line, first = number, code.printer.whole(writer.local % team * self.items)
        if blocks > 1:
            line = code.let(number // blocks, "o")
            first = code.printer.whole(number % blocks * block) + first
        first = code.let(first, "f")
        self._load(code.let(code.printer.bounded("min", line, lines - 1), "o"), first)
        writer.definitions.append(_ORDERED)
        for i, j in exchanges(self.items):
            self.lines(f"pt_order(&item{i}, &item{j});")
        if team > 1:
            self._merges(elements)
        code.line(f"let block = {number.text};", number.uses)
        code.line(f"let line = {line.text};", line.uses)
        code.line(f"let column = {first.text};", first.uses)
        columns = self.call.spec.shape[1]
        self.keep(f"block < {self.size(lines * blocks)}", "line", "column", columns)

    def _load(self, line: Value, first: Value) -> None:
        """Write the variables of the elements of the invocation."""
        code, writer = self.code, self.writer
        lines, length = self.call.specs[0].shape
        dtype: DType = self.call.specs[0].dtype
        kind = code.printer.types[KIND[dtype.kind], 4]
        flip = "~k" if self.call.arg.descending else "k"
        head = f"fn pt_key(v: {kind}) -> vec4<u32> {{"
        text = [head, *[f"  {line}" for line in _KEYS[dtype.kind]], f"  return {flip};", "}"]
        writer.definitions.append("\n".join(text))
        for item in range(0, self.items, 4):
            column = code.let(first + item, "c")
            position = code.let(line * length + column, "p")
            if length % 4:
                index = Index(lines * length, lanes=code.let(writer.positions.spread(position, 1)))
            else:
                axes = ((line, lines), (column, length)) if lines > 1 else ((column, length),)
                index = Index(lines * length, position, axes=axes)
            value = code.let(writer.value(self.operands[0], index))
            uses = value.uses | column.uses
            code.line(f"let place{item} = vec4<u32>({column.text} + vec4<i32>(0, 1, 2, 3));", uses)
            exists = f"place{item} < vec4<u32>(u32({self.size(length)}))"
            absent = "vec4<u32>(0xffffffffu)"
            key = f"select({absent}, pt_key({value.text}), {exists})"
            code.line(f"let key{item} = {key};", value.uses)
            for lane, name in enumerate("xyzw"):
                pair = f"vec2<u32>(key{item}.{name}, place{item}.{name})"
                self.lines(f"var item{item + lane} = {pair};")

    def _merges(self, elements: int) -> None:
        """Merge runs until they are blocks."""
        self.share(elements)
        self.lines(
            f"let own = l * {self.items};",
            f"for (var run = {self.items}; run < {self.call.arg.block}; run <<= 1u) {{",
        )
        self.lines(*[f"  pairs[pt_bank(own + {n})] = item{n};" for n in range(self.items)])
        self.lines("  workgroupBarrier();", "  let start = own & ~(2 * run - 1);")
        self.merge("start", "start + run", "start + 2 * run", "own")
        self.lines("  workgroupBarrier();", "}")


class _Merge(_Sort):
    """Writer of a kernel that merges neighbouring blocks."""

    def write(self) -> None:
        writer, code = self.writer, self.code
        pairs, width = self.operands
        lines, length, _ = self.nodes.spec(pairs).shape
        tiles, invocations = length // BLOCK, BLOCK // ITEMS
        writer.launch(invocations, lines * tiles)
        self.share(BLOCK)
        slot = writer.kernel.inputs.index(pairs)
        writer.definitions += [
            f"fn pt_pair(i: i32) -> vec2<u32> {{ let q = x{slot}[i >> 1u]; "
            "return select(q.xy, q.zw, (i & 1) == 1); }",
            "fn pt_key(i: i32) -> u32 { return pt_pair(i).x; }",
            _SPLIT_IN_MEMORY,
            "var<workgroup> splits: array<i32, 2>;",
        ]
        run = writer.value(width, writer.only).lane("x")
        code.line(f"let run = {run.text};", run.uses)
        self.lines(
            f"let line = w / {self.size(tiles)};",
            f"let column = w % {self.size(tiles)} * {BLOCK};",
            f"let origin = line * {self.size(length)};",
            "let begin = column & ~(2 * run - 1);",
            f"let middle = min(begin + run, {self.size(length)});",
            f"let end = min(begin + 2 * run, {self.size(length)});",
            "if (l < 2) {",
            f"  let d = column - begin + l * {BLOCK};",
            "  splits[l] = pt_split_of_blocks(origin + begin, origin + middle, origin + end, d);",
            "}",
            "workgroupBarrier();",
            "let count = splits[1] - splits[0];",
            "let left = origin + begin + splits[0];",
            "let right = origin + middle + column - begin - splits[0] - count;",
        )
        for item in range(ITEMS):
            self.lines(
                f"{{ let n = l + {item * invocations};",
                "  pairs[pt_bank(n)] = pt_pair(n + select(right, left, n < count)); }",
            )
        self.lines(*[f"var item{n} = vec2<u32>(0u);" for n in range(ITEMS)])
        self.lines("workgroupBarrier();", f"let own = l * {ITEMS};")
        self.merge("0", "count", str(BLOCK), "own")
        columns = self.call.spec.shape[1]
        self.keep(f"w < {self.size(lines * tiles)}", "line", "(column + own)", columns)
