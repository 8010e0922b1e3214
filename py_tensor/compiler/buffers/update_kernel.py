"""Generate kernels that replace rows of a value: `where` with a condition for each row.

Input: a map kernel. Output: its statements, with a branch for each row. The other rows are copied
if the result does not have the memory of the value, which the program may have given to it.
"""

from __future__ import annotations

from contextlib import ExitStack

from ...language.tree import INT, TRUTH, Value
from ...ops.index_map import broadcast_view
from ...ops.op_def import Where
from ..codegen.kernel_nodes import KernelNodes
from ..codegen.positions import Axes
from .buffer_writer import BufferWriter
from .nest import places_of, view_along

SHORTEST = 16
"""Elements of a row for which a branch takes less time than choosing each element."""


def updated_input(nodes: KernelNodes, lengths: tuple[int, ...]) -> int | None:
    """Return the number of the input of which a kernel replaces rows, or None.

    The kernel's loops have these lengths. The last one is the length of a row.
    """
    kernel = nodes.kernel
    if len(kernel.outputs) > 1 or not isinstance(nodes.op(kernel.output), Where):
        return None
    call, (condition, new, old) = nodes.calls[kernel.output], nodes.edges[kernel.output]
    if old not in kernel.inputs or lengths[-1] < SHORTEST:
        return None
    if call.specs[2] != call.spec or call.specs[1].dtype is not call.spec.dtype:
        return None
    shown = broadcast_view(call.specs[0].shape, call.spec.shape)
    for _, views in places_of(nodes, condition, (shown,)):
        view = view_along(views, tuple(enumerate(lengths)))
        if view is None or view.strides[-1]:
            return None
    return None if _reaches(nodes, (condition, new), old) else kernel.inputs.index(old)


def _reaches(nodes: KernelNodes, starts: tuple[int, ...], old: int) -> bool:
    """Return True if one of some nodes is computed from a node."""
    todo, seen = [*starts], set[int]()
    while todo:
        at = todo.pop()
        if at not in seen:
            seen.add(at)
            todo += nodes.edges[at]
    return old in seen


def write_update(writer: BufferWriter, lengths: tuple[int, ...], slot: int) -> None:
    """Write the loops of a kernel that replaces rows of an input."""
    code, nodes, (*outer, length) = writer.code, writer.nodes, lengths
    call = nodes.calls[writer.kernel.output]
    condition, *operands = nodes.edges[writer.kernel.output]
    writer.updates = slot
    with ExitStack() as loops:
        row: Axes = tuple([(loops.enter_context(code.loop(0, n)), n) for n in outer])
        index = writer.index(call.spec.size, (*row, (code.vector(INT, 0), length)))
        index = index.spread(call.specs[0].shape, call.spec.shape)
        is_new: Value = code.let(writer.value(condition, index).lane("x"))
        copies = f"{is_new.text} i32.eqz in{slot} out0 i32.ne i32.and"
        tests = [is_new, code.value(copies, TRUTH, 1, uses=is_new.uses)]
        for test, at, spec in zip(tests, operands, call.specs[1:], strict=True):
            with code.when(test):
                for _, lanes, count in writer.groups(length):
                    axes = (*row, (lanes, length))
                    own = writer.index(call.spec.size, axes).spread(spec.shape, call.spec.shape)
                    writer.store(0, writer.value(at, own), axes, count)
