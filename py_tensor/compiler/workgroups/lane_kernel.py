"""Generate convolutions whose results are not whole groups of four channels for each pixel.

An invocation computes four neighbouring results, which may be of several pixels, and finds their
windows before the loops over taps. Examples are filters of images with one or three channels, and
convolutions to one channel.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...ir.node import OpInstance
from ...language.tree import INT, Value, Whole
from ...ops.contractions import Window
from ..codegen.positions import total
from .contract_kernel import BlockedContraction
from .convolve_kernel import leaves
from .workgroup_writer import INVOCATIONS, ROW, WorkgroupWriter

LANES = "xyzw"
UNROLLED = 8
"""Taps in a row of a kernel that are written one after the other."""


def is_by_lanes(window: Window, kernel: tuple[int, ...]) -> bool:
    """Return True if the kernel for single results computes a convolution with a kernel (HWIO)."""
    inputs, outs = kernel[2:]
    if window.groups == 1:
        return outs == 1
    return bool(inputs % 4 or outs // window.groups % 4)


class LaneConvolution(BlockedContraction):
    """Convolution of NHWC images with HWIO weights, whose lanes are separate results."""

    def __init__(self, writer: WorkgroupWriter, call: OpInstance) -> None:
        super().__init__(writer, call)
        self.window: Window = call.arg
        self.inputs, self.outs = call.specs[1].shape[2:]
        # Results are in one row: their groups of four are stored in order.
        self.columns = call.spec.size
        _, strides, self.offset = self.nodes.strides(self.operands[0])
        assert strides is not None
        self.strides = strides
        steps = (*strides[:3], self.offset)
        self.is_dot = self.outs == 1 and not any(step % 4 for step in (*steps, self.inputs))
        """True if four input channels are read at once."""

    def lanes(self, name: str) -> Value:
        """Return a variable with a position for each lane."""
        return self.code.value(name, INT)

    def lanes_of(self, number: Whole) -> str:
        """Return the text of a position for each lane."""
        return number.text if isinstance(number, Value) else self.code.vector(INT, number).text

    # --- text -----------------------------------------------------------------------------------

    def write(self) -> None:
        """Write the kernel."""
        writer = self.writer
        self._loads_of_lane()
        self._keep()
        groups = -(-self.call.spec.size // (4 * INVOCATIONS))
        writer.workgroup = (INVOCATIONS,)
        writer.grid = (min(groups, ROW), -(-groups // ROW), 1)
        writer.main = "\n".join([f"  {line}" for line in self._statements(groups)])

    def _loads_of_lane(self) -> None:
        """Define the functions that load an operand: one element, or four input channels."""
        p = self.number("p")
        for operand, name in enumerate(("pt_image", "pt_weight")):
            text = self.four_at(operand, p, 1 if self.is_dot else 0, self.is_dot)
            self.function(name, "p", [f"return {text};"])

    def _statements(self, groups: int) -> Iterator[str]:
        yield from self._position("W.x" if groups <= ROW else f"W.x + W.y * {ROW}u")
        yield f"var s = {self.zero};"
        rows, columns = self.window.kernel
        yield f"for (var y = 0; y < {self.size(rows)}; y++) {{"
        step = self._unrolled()
        loop = f"for (var first_x = 0; first_x < {self.size(columns)}; first_x += {step})"
        yield f"  {loop} {{" if step < columns else "  { let first_x = 0;"
        for number in range(step):
            yield f"    {{ let x = first_x + {number};"
            yield from (f"      {line}" for line in self._tap())
            yield "    }"
        yield "  }"
        yield "}"
        yield "pt_keep(0, t * 4, s);"

    def _unrolled(self) -> int:
        """Return how many taps of a row are written one after the other, to load them at once."""
        columns = self.window.kernel[1]
        if self.inputs > 1:
            return 1
        return columns if columns <= UNROLLED else 4 if columns % 4 == 0 else 1

    def _tap(self) -> Iterator[str]:
        """Yield the statements that add the products of a tap."""
        dilation, image = self.window.dilation, self.call.specs[0].shape
        y, x = self.number("y"), self.number("x")
        tests = []
        for axis, (number, start) in enumerate(((y, "v"), (x, "u"))):
            if leaves(self.window, image, axis):
                at = total([(number, dilation[axis])], 0)
                size = f"vec4<u32>(u32({self.size(image[axis + 1])}))"
                tests.append(f"(vec4<u32>({start} + {self.text(at)}) < {size})")
        if tests:
            yield f"let ok = {' & '.join(tests)};"
        terms = [(y, dilation[0] * self.strides[1]), (x, dilation[1] * self.strides[2])]
        yield f"let p = first + {self.text(total(terms, 0))};"
        tap = total([(y, self.window.kernel[1]), (x, 1)], 0)
        yield f"let k = {self.text(self.whole(tap) * (self.inputs * self.outs))};"
        yield from self._channels("ok" if tests else "")

    def _channels(self, condition: str) -> Iterator[str]:
        """Yield the statements that add the products of the channels of a tap."""
        step, i = (4, self.number("i")) if self.is_dot else (1, self.number("i"))
        yield f"for (var i = 0; i < {self.size(self.inputs)}; i += {step}) {{"
        images = [f"pt_image(p.{lane} + i)" for lane in LANES]
        weight = self.text(total([(self.number("k"), 1), (i, self.outs)], 0))
        if self.is_dot:
            yield f"  let w = pt_weight({weight});"
            values = [f"dot({image}, w)" for image in images]
            text = f"{self.four}({', '.join(values)})"
        else:
            lanes = [weight] if self.outs == 1 else [f"{weight} + n.{lane}" for lane in LANES]
            image = f"{self.four}({', '.join(f'{image}.x' for image in images)})"
            weights = [f"pt_weight({lane}).x" for lane in lanes]
            text = f"{image} * {self.four}({', '.join(weights)})"
        yield f"  s += {f'select({self.zero}, {text}, {condition})' if condition else text};"
        yield "}"

    def _position(self, workgroup: str) -> Iterator[str]:
        """Yield the statements that find the results of an invocation, and their windows."""
        (oh, ow), stride, pad = self.window.out, self.window.stride, self.window.pad
        o, m, line = self.lanes("o"), self.lanes("m"), self.lanes("line")
        size = self.call.spec.size
        yield f"let t = i32({workgroup}) * {INVOCATIONS} + l;"
        yield f"if (t >= {self.size(-(-size // 4))}) {{ return; }}"
        yield f"let o = t * 4 + {self.code.printer.multiples(1).text};"
        yield f"let n = {self.lanes_of(o % self.outs)};"
        yield f"let m = {self.lanes_of(o // self.outs)};"
        yield f"let line = {self.lanes_of(m // ow)};"
        yield f"let v = {self.lanes_of(self._start(line % oh, stride[0], pad[0]))};"
        yield f"let u = {self.lanes_of(self._start(m % ow, stride[1], pad[1]))};"
        terms: list[tuple[Whole, int]] = [(line // oh, self.strides[0])]
        terms += [(self.lanes("v"), self.strides[1]), (self.lanes("u"), self.strides[2])]
        if self.window.groups > 1:
            terms.append((self.lanes("n") // (self.outs // self.window.groups), self.inputs))
        yield f"let first = {self.lanes_of(total(terms, self.offset))};"

    def _start(self, place: Whole, stride: int, pad: int) -> Whole:
        return place * stride + -pad
