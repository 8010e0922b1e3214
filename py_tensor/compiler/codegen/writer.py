"""Writer of the statements of one kernel, used by the modules of the kinds of kernels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import NamedTuple

from ...ir.node import OpInstance, Scalar
from ...language.printer import Printer
from ...language.sizes import ARRAYS
from ...language.statements import Statements
from ...language.tree import INT, Value, ValueKind
from ...ops.op_def import OpDef, entry_of
from ..lowered_graph import Constant
from .cancellation import Sums
from .indices import Index, LanePositions
from .kernel_nodes import KernelNodes
from .types import KIND, UNIFORM, literal

NodeAtIndex = tuple[int, Index]


class Expression(NamedTuple):
    """Functions that write the value of a node at an index.

    `write(writer, at, index, *values)` returns the value. `operands(writer, at, index)` returns the
    operands that must be written before, whose values `write` gets. Kinds without it write their
    operands themselves, for example in a block.
    """

    write: Callable[..., Value]
    operands: Callable[[Writer, int, Index], list[NodeAtIndex]] = lambda writer, at, index: []


class Writer:
    """Writer of the values of nodes; each value at an index is computed once.

    `expressions` has the expression of each kind of operation that a kernel can inline. Subclasses
    for each kind of target read the kernel's inputs and store its results.
    """

    def __init__(
        self, nodes: KernelNodes, expressions: Mapping[type[OpDef], Expression], printer: Printer
    ) -> None:
        self.nodes = nodes
        self.kernel = nodes.kernel
        self.expressions = expressions
        self.code = Statements(printer)
        self.positions = LanePositions(self.code)
        self.sums = Sums()
        self.uniforms: dict[ValueKind, list[int]] = {kind: [] for kind in ARRAYS}
        """Positions among the kernel's scalars of the elements of each array of uniforms."""
        self.definitions: list[str] = []
        """Lines before the kernel."""
        self.functions: dict[Hashable, str] = {}
        """Names of the functions of the user that the definitions have."""
        self.own = ""
        """Text of the user after these lines."""
        self.fixed: dict[int, Value] = {}
        """Values of nodes that the kernel computes in a loop of its own."""
        zero = self.code.vector(INT, 0)
        self.only = Index(1, lanes=zero)
        """Index of the only element of a value."""

    def read(self, at: int, index: Index) -> Value:
        """Return the four lanes of an input of the kernel at an index."""
        raise NotImplementedError

    def value(self, at: int, index: Index) -> Value:
        """Return the four lanes of node `at` at `index`; write what is missing."""
        values, keep = self.code.values, self.code.keep
        order: list[tuple[NodeAtIndex, Expression | None, list[NodeAtIndex]]]
        order = [((at, index), None, [])]
        # Operands come first. A recursive function would exceed Python's recursion limit.
        while order:
            key, expression, operands = order.pop()
            if key in values:
                continue
            if expression is None:
                expression = self._expression(key[0])
                operands = expression.operands(self, *key)
                if operands:
                    order.append((key, expression, operands))
                    order += [(operand, None, []) for operand in reversed(operands)]
                    continue
            keep(key, expression.write(self, *key, *[values[operand] for operand in operands]))
        value: Value = values[at, index]
        return value

    def coordinates(self, at: int, index: Index) -> list[Value] | None:
        """Return the coordinates of four elements of a node, or None if they take arithmetic."""
        return None

    def run_of(self, lanes: Value) -> Value | None:
        """Return the first of four neighbours if any four neighbours can be read at once."""
        return None

    def texel(self, at: int, number: Value) -> Value:
        """Return the four lanes of a group of node `at`, given its number, a variable."""
        first = self.code.let(number * 4, "e")
        self.positions.numbers[first] = number
        return self.value(at, Index(self.nodes.spec(at).size, first))

    def _expression(self, at: int) -> Expression:
        call = self.nodes.calls[at]
        if at in self.fixed or type(call) is not OpInstance:
            return _LEAF
        kinds = self.expressions
        return kinds.get(type(call.op)) or entry_of(kinds, call.op)

    def leaf(self, at: int, index: Index) -> Value:
        """Return a node that the kernel reads instead of computing it."""
        call = self.nodes.calls[at]
        if at in self.fixed:
            return self.fixed[at]
        if type(call) is Scalar:
            return self._scalar(at, call)
        if type(call) is Constant:
            return literal(self.code, call.value, call.spec.dtype)
        return self.code.let(self.read(at, index))

    def _scalar(self, at: int, call: Scalar) -> Value:
        kind = call.spec.dtype.kind
        uniform = UNIFORM[kind]
        slots = self.uniforms[uniform]
        position = self.kernel.scalars.index(at)
        if position not in slots:
            slots.append(position)
        code = self.code
        text = self.uniform(ARRAYS[uniform], slots.index(position))
        return code.printer.spread(code.value(text, KIND[kind], 1))

    def uniform(self, array: str, number: int) -> str:
        """Return the text that reads one scalar of an array of uniforms."""
        return f"{array}[{number}]"


_LEAF = Expression(Writer.leaf)
