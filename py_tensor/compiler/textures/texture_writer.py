"""Writer of the statements of a fragment shader, which draws a texel of each output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...language.printer import Printer
from ...language.tree import INT, Value
from ...ops.op_def import OpDef
from ..codegen.indices import Index
from ..codegen.kernel_nodes import KernelNodes
from ..codegen.types import kept
from ..codegen.writer import Expression, Writer
from .fetches import Fetches
from .texture_layout import texture_row


class TextureWriter(Writer):
    """Writer of values that are read from textures; `P` is the position of the fragment."""

    def __init__(
        self, nodes: KernelNodes, expressions: Mapping[type[OpDef], Expression], printer: Printer
    ) -> None:
        super().__init__(nodes, expressions, printer)
        self.fetches = Fetches(nodes, self.code, self.positions)
        self.column, self.row = map(self.code.value("P", INT, 2).lane, "xy")
        """Column and row of the fragment's texel."""

    def read(self, at: int, index: Index) -> Value:
        """Return the four lanes of an input at an index, read in the cheapest way."""
        return self.fetches.read(at, index)

    def own_texel(self) -> Value:
        """Return the position of the first element of the fragment's texel."""
        # A product takes half as long as a shift in a software renderer.
        code, row = self.code, texture_row(self.nodes, self.kernel.output)
        number: Any = code.let(self.row * row + self.column, "t")
        code.keep((number // row).text, self.row)
        code.keep(str(number % row), self.column)
        first: Value = code.let(number * 4, "e")
        self.positions.numbers[first] = number
        return first

    def result(self, first: Value) -> None:
        """Write the fragment's texel of each output, given the position of its first element."""
        for number, output in enumerate(self.kernel.outputs):
            spec = self.nodes.spec(output)
            value = self.value(output, Index(spec.size, first, own=True))
            self.code.output(number, kept(self.code, value, spec.dtype))
