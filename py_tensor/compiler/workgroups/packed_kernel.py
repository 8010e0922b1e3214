"""Generate matrix products of 8-bit integers with 32-bit results, blocked through shared memory.

A word holds four neighbours along the inner axis, and one instruction adds the products of two
words. Panels of words of both operands are loaded into shared memory, and each invocation computes
four rows by four columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...language.tree import INT, Value
from ..codegen.positions import total
from .workgroup_writer import WorkgroupWriter

SIDE = 16
"""Invocations of a workgroup along rows and along columns; half of them for small results."""
BUSY = 64
"""Workgroups that occupy a GPU."""
WORDS = 16
"""Words of the inner axis in a panel, a multiple of 4."""
TRANSPOSED = """fn pt_words(a: u32, b: u32, c: u32, d: u32) -> vec4<u32> {
  let shifts = vec4<u32>(0u, 8u, 16u, 24u);
  let low = vec4<u32>(255u);
  return ((vec4<u32>(a) >> shifts) & low)
    | (((vec4<u32>(b) >> shifts) & low) << vec4<u32>(8u))
    | (((vec4<u32>(c) >> shifts) & low) << vec4<u32>(16u))
    | ((vec4<u32>(d) >> shifts) << vec4<u32>(24u));
}"""
"""Function that transposes four words of four bytes."""


class PackedProduct(NamedTuple):
    """Static argument of a matrix product of operands of 8-bit integers with 32-bit results."""


def write_packed(writer: WorkgroupWriter) -> None:
    """Write the statements of a product of 8-bit integers."""
    _Packed(writer).write()


class _Packed:
    """Writer of the block of one product."""

    def __init__(self, writer: WorkgroupWriter) -> None:
        nodes, root = writer.nodes, writer.kernel.root
        self.writer = writer
        self.code = writer.code
        self.nodes = nodes
        self.call = nodes.calls[root]
        self.operands = nodes.edges[root]
        self.groups, self.rows, self.columns = self.call.spec.shape
        self.inner = self.call.specs[0].shape[2]
        is_signed = self.call.specs[0].dtype.kind == "i"
        self.dot = "dot4I8Packed({}, {})" if is_signed else "i32(dot4U8Packed({}, {}))"
        blocks = self.groups * -(-self.rows // 64) * -(-self.columns // 64)
        self.side = SIDE if blocks >= BUSY else SIDE // 2

    def size(self, number: int) -> str:
        return self.code.printer.size(number)

    def write(self) -> None:
        """Write the kernel."""
        writer, edge = self.writer, 4 * self.side
        self._define("pt_left", 0, "gmk", 1)
        self._define("pt_right", 1, "gkn", 4)
        self._keep()
        writer.workgroup = (self.side**2,)
        writer.grid = (-(-self.columns // edge), -(-self.rows // edge), self.groups)
        writer.main = "\n".join([f"  {line}" for line in self._main()])

    # --- words ----------------------------------------------------------------------------------

    def _word(self, operand: int, first: Value, step: int) -> str:
        """Return the text of a word of four elements that are `step` apart."""
        slot = self.writer.kernel.inputs.index(self.nodes.strides(self.operands[operand])[0])
        parts = []
        for n in range(4):
            element = self.writer.fetches.element(slot, first + n * step).text
            is_inside = f"k + {n} < {self.size(self.inner)}"
            part = f"((u32({element}) & 255u) << {8 * n}u)"
            parts.append(f"select(0u, {part}, {is_inside})" if self.inner % 4 else part)
        return " | ".join(parts)

    def _define(self, name: str, operand: int, names: str, words: int) -> None:
        """Define the function of a word of an operand, or of the words of four columns.

        `k` is a position on the inner axis, a multiple of 4.
        """
        base, strides, offset = self.nodes.strides(self.operands[operand])
        assert strides is not None
        slot = self.writer.kernel.inputs.index(base)
        axis = names.index("k")
        step, across = strides[axis], strides[3 - axis]
        terms = [
            (self.code.value(own, INT, 1), apart)
            for own, apart in zip(names, strides, strict=True)
            if own != "g" or self.groups > 1
        ]
        position = self.code.printer.whole(total(terms, offset))
        p = self.code.value("p", INT, 1)
        is_whole = self.inner % 4 == 0 and all(n % 4 == 0 for n in (strides[0], offset))
        lines = [f"let p = {position.text};"]
        if is_whole and words == 4 and across == 1 and step % 4 == 0:
            texts = [f"x{slot}[{(p + n * step).inside(5)} >> 2u]" for n in range(4)]
            lines.append(f"let v = pt_words({', '.join(texts)});")
            self.writer.definitions.append(TRANSPOSED)
        else:
            firsts = [p + n * across for n in range(words)]
            if is_whole and step == 1 and across % 4 == 0:
                texts = [f"x{slot}[{first.inside(5)} >> 2u]" for first in firsts]
            else:
                texts = [self._word(operand, first, step) for first in firsts]
            text = f"vec4<u32>({', '.join(texts)})" if words == 4 else texts[0]
            lines.append(f"let v = {text};")
        kind = "vec4<u32>" if words == 4 else "u32"
        zero = "vec4<u32>(0u)" if words == 4 else "0u"
        lines.append(f"return select({zero}, v, k < {self.size(self.inner)});")
        parameters = ", ".join([f"{own}: i32" for own in names])
        head = f"fn {name}({parameters}) -> {kind} {{"
        text = "\n".join([head, *[f"  {line}" for line in lines], "}"])
        self.writer.definitions.append(text)

    # --- results --------------------------------------------------------------------------------

    def _keep(self) -> None:
        """Write the function that stores four results, after the epilogue."""
        code, writer = self.code, self.writer
        m, n, v = (code.value(name, INT, lanes) for name, lanes in (("m", 1), ("n", 1), ("v", 4)))
        first = code.let(total([(m, self.columns), (n, 1)], 0), "e")
        number = code.let(first // 4, "t")
        writer.positions.numbers[first] = number
        writer.fetches.number = number
        writer.fixed[writer.kernel.root] = v
        count = self.call.spec.size // self.columns
        axes = ((m, count), (n, self.columns)) if count > 1 else ((n, self.columns),)
        writer.result(first, axes)
        writer.head = "fn pt_keep(m: i32, n: i32, v: vec4<i32>) {"

    def _main(self) -> Iterator[str]:
        side, pitch = self.side, WORDS // 4 | 1
        left, right = "panel0", "panel1"
        edge = 4 * side
        self.writer.shared += [
            f"var<workgroup> {left}: array<vec4<u32>, {edge * pitch}>;",
            f"var<workgroup> {right}: array<vec4<u32>, {side * WORDS}>;",
        ]
        yield f"let across = l % {side};"
        yield f"let down = l / {side};"
        yield f"let row = i32(W.y) * {edge};"
        yield f"let column = i32(W.x) * {edge};"
        yield "let g = i32(W.z);"
        yield from (f"var s{row} = vec4<i32>();" for row in range(4))
        yield f"for (var start = 0; start < {self.size(self.inner)}; start += {4 * WORDS}) {{"
        yield f"  for (var t = l; t < {edge * WORDS // 4}; t += {side * side}) {{"
        yield f"    let i = t / {WORDS // 4};"
        yield f"    let k = t % {WORDS // 4};"
        yield "    let p = start + k * 16;"
        loads = ", ".join([f"pt_left(g, row + i, p + {4 * n})" for n in range(4)])
        yield f"    {left}[i * {pitch} + k] = vec4<u32>({loads});"
        yield "  }"
        yield f"  for (var t = l; t < {side * WORDS}; t += {side * side}) {{"
        load = f"pt_right(g, start + t / {side} * 4, column + t % {side} * 4)"
        yield f"    {right}[t] = {load};"
        yield "  }"
        yield "  workgroupBarrier();"
        yield f"  for (var k = 0; k < {WORDS // 4}; k++) {{"
        for row in range(4):
            yield f"    let a{row} = {left}[({row * side} + down) * {pitch} + k];"
        for word, name in enumerate("xyzw"):
            yield f"    let b{word} = {right}[(k * 4 + {word}) * {side} + across];"
            for row in range(4):
                dots = [self.dot.format(f"a{row}.{name}", f"b{word}.{lane}") for lane in "xyzw"]
                yield f"    s{row} += vec4<i32>({', '.join(dots)});"
        yield "  }"
        yield "  workgroupBarrier();"
        yield "}"
        yield "let n = column + across * 4;"
        yield f"if (n < {self.size(self.columns)}) {{"
        for row in range(4):
            yield f"  {{ let m = row + {row * side} + down;"
            place = f"g * {self.size(self.rows)} + m" if self.groups > 1 else "m"
            yield f"    if (m < {self.size(self.rows)}) {{ pt_keep({place}, n, s{row}); }} }}"
        yield "}"
