"""Writer of the statements of one kernel, used by the modules of the kinds of kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ...ir.node import OpInstance, Scalar
from ...ops.op_def import OpDef, entry_of
from ..lowered_graph import Constant
from .cancellation import Sums
from .fetches import Fetches
from .indices import Index, LanePositions
from .integers import quotient, remainder
from .kernel_nodes import KernelNodes
from .statements import Statements
from .types import UNIFORM, VECTOR, kept, literal

NodeAtIndex = tuple[int, Index]


class Expression(NamedTuple):
    """Functions that write the value of a node at an index.

    `write(writer, at, index, *names)` returns the name of the value. `operands(writer, at, index)`
    returns the operands that must be written before, whose names `write` gets. Kinds without it
    write their operands themselves, for example in a block.
    """

    write: Callable[..., str]
    operands: Callable[[Writer, int, Index], list[NodeAtIndex]] = lambda writer, at, index: []


class Writer:
    """Writer of the values of nodes; each value at an index is computed once.

    `expressions` has the expression of each kind of operation that a kernel can inline.
    """

    def __init__(self, nodes: KernelNodes, expressions: Mapping[type[OpDef], Expression]) -> None:
        self.nodes = nodes
        self.kernel = nodes.kernel
        self.expressions = expressions
        self.code = Statements()
        self.positions = LanePositions(self.code)
        self.fetches = Fetches(nodes, self.code, self.positions)
        self.sums = Sums()
        self.uniforms: dict[str, list[int]] = {"F": [], "I": [], "U": []}
        self.functions: list[str] = []
        """Lines before `main`."""
        self.source = ""
        """Text of the user after these lines."""
        self.fixed: dict[int, str] = {}
        """Names of nodes that the kernel computes in a loop of its own."""

    def own_texel(self) -> None:
        """Declare the number `t` of the fragment's texel and its first element's position `e`."""
        # A product takes half as long as a shift in a software renderer.
        row = self.nodes.texture_row(self.kernel.output)
        self.code.offer("int", "t", f"P.y * {row} + P.x")
        self.code.keep(("int", quotient("t", row)), "P.y")
        self.code.keep(("int", remainder("t", row)), "P.x")
        self.code.offer("int", "e", "t * 4")
        self.fetches.texels["e"] = "t"

    def result(self) -> None:
        """Assign the fragment's texel of each output to y0, y1, ..., as the last statements."""
        for number, output in enumerate(self.kernel.outputs):
            spec = self.nodes.spec(output)
            value = self.value(output, Index(spec.size, first="e", own=True))
            self.code.line(f"y{number} = {kept(value, spec.dtype)};")
        self.code.prune()

    def value(self, at: int, index: Index) -> str:
        """Return the name of the four lanes of node `at` at `index`; write what is missing."""
        known = self.code.known
        order: list[tuple[NodeAtIndex, list[NodeAtIndex]]] = [((at, index), [])]
        # Operands come first. A recursive function would exceed Python's recursion limit.
        while order:
            place, operands = order.pop()
            if known(place) is None:
                expression = self._expression(place[0])
                if not operands and (operands := expression.operands(self, *place)):
                    order.append((place, operands))
                    order += [(operand, []) for operand in reversed(operands)]
                else:
                    self.code.keep(place, expression.write(self, *place, *map(known, operands)))
        name = known((at, index))
        assert name is not None
        return name

    def texel(self, at: int, number: str) -> str:
        """Return the name of four lanes of node `at` that start a texel, given its number."""
        first = self.code.known(("start", number))
        if first is None:
            first = self.code.name("e")
            self.code.offer("int", first, f"{number} * 4")
            self.code.keep(("start", number), first)
            self.fetches.texels[first] = number
        return self.value(at, Index(self.nodes.spec(at).size, first=first))

    def _expression(self, at: int) -> Expression:
        call = self.nodes.calls[at]
        if at in self.fixed or type(call) is not OpInstance:
            return _LEAF
        return entry_of(self.expressions, call.op)  # type: ignore[no-any-return]

    def leaf(self, at: int, index: Index) -> str:
        """Return the name of a node that the kernel reads instead of computing it."""
        call = self.nodes.calls[at]
        if at in self.fixed:
            return self.fixed[at]
        if type(call) is Scalar:
            return self._scalar(at, call)
        if type(call) is Constant:
            dtype = call.spec.dtype
            return f"{VECTOR[dtype.kind]}({literal(call.value, dtype)})"
        return self.fetches.fetch(at, index)

    def _scalar(self, at: int, call: Scalar) -> str:
        kind = call.spec.dtype.kind
        uniform = UNIFORM[kind]
        slots = self.uniforms[uniform]
        position = self.kernel.scalars.index(at)
        if position not in slots:
            slots.append(position)
        return f"{VECTOR[kind]}({uniform}[{slots.index(position)}])"


_LEAF = Expression(Writer.leaf)
