"""Writer of the statements of a compute shader, whose invocations store groups of four elements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...language.printer import Printer
from ...language.tree import INT, MASK, TRUTH, UINT, Value, ValueKind, Whole
from ...language.wgsl import STORED
from ...ops.op_def import OpDef
from ..codegen.indices import Index
from ..codegen.kernel_nodes import KernelNodes
from ..codegen.positions import Axes
from ..codegen.shader import Shader
from ..codegen.types import kept
from ..codegen.writer import Expression, Writer
from .reads import BufferReads

INVOCATIONS = 64
"""Invocations of the workgroup of a kernel without shared memory."""
ROW = 1 << 15
"""Workgroups along the first axis of a grid if it is folded into several rows."""
MOST_GROUPS = 65535
"""Workgroups along an axis of a grid that every device allows."""


class SharedElements(NamedTuple):
    """Array of elements that invocations write one by one."""

    name: str
    kind: ValueKind
    atomic: bool
    """True if several invocations may change an element at once."""


class WorkgroupWriter(Writer):
    """Writer of values that are read from buffers. `workgroup` are the sizes of a workgroup."""

    def __init__(
        self,
        nodes: KernelNodes,
        expressions: Mapping[type[OpDef], Expression],
        printer: Printer,
        target: Any,
    ) -> None:
        super().__init__(nodes, expressions, printer)
        self.target = target
        """`WorkgroupTarget` that runs the kernel."""
        self.fetches = BufferReads(nodes, self.code, self.positions)
        self.workgroup: tuple[int, ...] = (INVOCATIONS,)
        self.grid = (1, 1, 1)
        self.shared: list[str] = []
        """Declarations of arrays that the invocations of a workgroup share."""
        self.head = ""
        """Head of the function that the statements are, if they are not the kernel's own."""
        self.main = ""
        """Text of the kernel then."""
        self.outputs = [STORED[nodes.spec(at).dtype.name] for at in self.kernel.outputs]
        """Arrays of the outputs."""
        self.before: Shader | None = None
        """Kernel that runs before it."""
        self.contraction: Any = None
        """`BlockedSize` of a contraction."""
        constants = printer.constant_sizes
        self.local: Value = constants.value("l", INT, 1)
        """Number of the invocation in its workgroup. Sizes of workgroups are constants."""

    def read(self, at: int, index: Index) -> Value:
        """Return the four lanes of an input at an index, read in the cheapest way."""
        return self.fetches.read(at, index)

    # --- workgroups -----------------------------------------------------------------------------

    def launch(self, invocations: int, groups: int) -> Value:
        """Choose the size of a workgroup and of a line of workgroups; return a workgroup's number.

        Numbers beyond the last one occur if the line is folded into several rows.
        """
        self.workgroup = (invocations,)
        self.grid = (min(groups, ROW), -(-groups // ROW), 1)
        text = "W.x" if groups <= ROW else f"W.x + W.y * {ROW}u"
        self.code.line(f"let w = i32({text});")
        number: Value = self.local.__class__("w", INT, 1)
        return number

    def share(self, kind: ValueKind, length: int, lanes: int = 4, *, atomic: bool = False) -> str:
        """Declare an array that the invocations of a workgroup share; return its name."""
        name = f"shared{len(self.shared)}"
        of = self.code.printer.types[UINT if kind in (MASK, TRUTH) else kind, lanes]
        of = f"atomic<{of}>" if atomic else of
        self.shared.append(f"var<workgroup> {name}: array<{of}, {length}>;")
        return name

    def share_elements(self, kind: ValueKind, length: int, *, atomic: bool) -> SharedElements:
        """Declare an array of elements that the invocations of a workgroup share."""
        name = self.share(kind, length, lanes=1, atomic=atomic)
        return SharedElements(name, UINT if kind in (MASK, TRUTH) else kind, atomic)

    def output_elements(self, number: int, *, atomic: bool) -> SharedElements:
        """Return the array of the elements of an output, which have four bytes."""
        array = self.outputs[number].of_single
        if atomic:
            array = array._replace(type=f"atomic<{array.type}>")
        self.outputs[number] = array
        return SharedElements(f"y{number}", array.kind, atomic)

    def load_element(self, array: SharedElements, position: Value) -> Value:
        """Return the present value of an element of an array that invocations write."""
        text = f"{array.name}[{position.text}]"
        text = f"atomicLoad(&{text})" if array.atomic else text
        return self.code.variable(self.code.value(text, array.kind, 1, uses=position.uses))

    def store_element(self, array: SharedElements, position: Value, value: Value) -> None:
        text = f"{array.name}[{position.text}]"
        text = f"atomicStore(&{text}, {value.text})" if array.atomic else f"{text} = {value.text}"
        self.code.line(f"{text};", position.uses | value.uses)

    def add_to_element(self, array: SharedElements, position: Value, value: Value) -> None:
        text = f"{array.name}[{position.text}]"
        text = f"atomicAdd(&{text}, {value.text})" if array.atomic else f"{text} += {value.text}"
        self.code.line(f"{text};", position.uses | value.uses)

    def wait(self) -> None:
        """Wait until all invocations of the workgroup have written what they share."""
        self.code.line("workgroupBarrier();")

    def leave(self, condition: Value) -> None:
        """End the invocation on a condition; no barrier may follow."""
        self.code.line(f"if ({condition.text}) {{ return; }}", condition.uses)

    # --- results --------------------------------------------------------------------------------

    def own_group(self) -> Value:
        """Let each invocation compute a group; return the position of its first element."""
        code = self.code
        groups = -(-self.nodes.spec(self.kernel.output).size // 4)
        workgroup = self.launch(INVOCATIONS, -(-groups // INVOCATIONS))
        number = code.let(workgroup * INVOCATIONS + self.local, "t")
        self.leave(number >= self.count(groups))
        return self.first_of(number)

    def count(self, number: int) -> Value:
        """Return a number that is a uniform even if it is small, so that sizes share a kernel."""
        printer = self.code.printer
        return self.code.value(f"${number}" if printer.uniform_sizes else str(number), INT, 1)

    def first_of(self, number: Any) -> Value:
        """Return the position of the first element of a group that the invocation computes."""
        self.fetches.number = number
        first: Value = self.code.let(number * 4, "e")
        self.positions.numbers[first] = number
        return first

    def result(self, first: Value, axes: Axes = ()) -> None:
        """Store the group of each output from a position on, which may have known coordinates."""
        for number, output in enumerate(self.kernel.outputs):
            spec = self.nodes.spec(output)
            value = self.value(output, Index(spec.size, first, own=True, axes=axes))
            self.store(number, self.fetches.number, value)

    def store(self, number: int, group: Whole, value: Value) -> None:
        """Store a group of an output."""
        code, dtype = self.code, self.nodes.spec(self.kernel.outputs[number]).dtype
        array = self.outputs[number]
        value = kept(code, code.printer.of_kind(value, array.kind), dtype)
        at = code.printer.whole(group)
        text = f"y{number}[{at.text}] = {array.store.format(value.text)};"
        code.line(text, at.uses | value.uses)

    def store_one(self, number: int, position: Whole, value: Value) -> None:
        """Store an element of an output whose elements have four bytes, the first lane."""
        array = self.outputs[number] = self.outputs[number].of_single
        value = self.code.printer.of_kind(value, array.kind)
        at = self.code.printer.whole(position)
        text = value.text if value.lanes == 1 else value.lane("x").text
        self.code.line(f"y{number}[{at.text}] = {text};", at.uses | value.uses)
