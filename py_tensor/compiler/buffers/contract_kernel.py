"""Generate kernels of contractions, whose results go through an elementwise epilogue to memory.

Input: a kernel whose root is a matrix product or a convolution. Output: its statements.
"""

from __future__ import annotations

from ...language.tree import INT, TRUTH, Value
from ...ops.index_map import row_major
from ..codegen.positions import Axes
from ..codegen.types import KIND, literal
from .buffer_writer import BufferWriter
from .contractions import write_contraction
from .elements import Operand
from .map_kernel import write_map
from .products import ResultLanes
from .storage import GROUP


def write_contract(writer: BufferWriter) -> None:
    """Write the statements of a contraction."""
    nodes, kernel = writer.nodes, writer.kernel
    call = nodes.calls[kernel.root]
    if not min(spec.size for spec in call.specs):
        writer.fixed[kernel.root] = literal(writer.code, 0, call.spec.dtype)
        write_map(writer)
        return
    left, right = (_operand(writer, at) for at in nodes.edges[kernel.root])
    out = Operand("out0", nodes.spec(kernel.output).dtype, row_major(call.spec.shape))
    epilogue = _Epilogue(writer)
    text, writer.scratch = write_contraction(
        call, left, right, out, "scratch", epilogue=epilogue.write, fused=writer.has_fma
    )
    # Its statements use variables that the epilogue declares before it.
    writer.code.line(text, uses=-1)


def _operand(writer: BufferWriter, at: int) -> Operand:
    base, strides, offset = writer.nodes.strides(at)
    assert strides is not None
    dtype = writer.nodes.spec(base).dtype
    return Operand(f"in{writer.kernel.inputs.index(base)}", dtype, strides, offset)


class _Epilogue:
    """Writer of the elementwise operations on four results of a contraction."""

    def __init__(self, writer: BufferWriter) -> None:
        self.writer = writer
        self.root = writer.kernel.root
        self.shape = writer.nodes.spec(self.root).shape

    def write(self, place: ResultLanes, value: str) -> str:
        """Return the text of the vector to store, given the place and the variable of results."""
        writer, root = self.writer, self.root
        output = writer.kernel.output
        kind = KIND[writer.nodes.spec(root).dtype.kind]
        with writer.code.separate() as chunk:
            texts = (place.group, place.row, place.column)
            coordinates = [self._coordinate(place, axis, text) for axis, text in enumerate(texts)]
            axes: Axes = tuple(zip(coordinates, self.shape, strict=True))
            writer.fixed[root] = writer.code.local(value, kind, GROUP)
            index = writer.index(writer.nodes.spec(output).size, axes)
            result = writer.value(output, index)
            del writer.fixed[root]
            if writer.nodes.spec(output).dtype.kind == "b":
                result = writer.code.printer.converted(result.of(TRUTH), INT)
            chunk.finish(result)
        return chunk.text

    def _coordinate(self, place: ResultLanes, axis: int, text: str) -> Value:
        """Return the coordinate of the results along an axis, a vector along that of the lanes."""
        code, writer = self.writer.code, self.writer
        first = code.local(text or "i32.const:0", INT, 1)
        if axis != place.axis:
            return first
        if place.lanes == GROUP:
            return writer.neighbours(first)
        last = code.value(f"i32.const:{self.shape[axis] - 1}", INT, 1)
        lanes = code.printer.bounded("min", writer.positions.spread(first, 1), last)
        return code.let(lanes, "i")
