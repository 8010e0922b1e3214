"""Join kernels whose reductions combine the elements of the same rows.

A softmax takes the maximum of each row, then the sum of the exponentials, then their quotients. One
kernel computes all three if a team of invocations computes a row: the result of a reduction is
known to the whole team. Kernels join if each reads, of values that the other computes, only
elements of the row that it computes itself.
Input: kernels in order of execution. Output: the same, in which row kernels replace several.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from ...ir.node import OpInstance
from ...ops.index_map import ViewStack, broadcast_view, make_view, push
from ...ops.op_def import Elementwise, Reduction, ViewOp
from ..kernel import Kernel, KernelKind
from ..lowered_graph import LoopItem, LoweredGraph, LoweredNodes
from ..target import Target

LONGEST = 192
"""Operations of a row kernel."""
_JOINED = (KernelKind.MAP, KernelKind.REDUCE, KernelKind.ROWS)
_NONE: frozenset[int] = frozenset()


class RowFrame(NamedTuple):
    """Rows of the operand of a reduction, whose elements are neighbours in row-major order."""

    rows: int
    length: int

    @property
    def size(self) -> int:
        return self.rows * self.length

    def reads_own(self, stack: ViewStack) -> bool:
        """Return True if views map each element to the result of its row."""
        return stack == (make_view(self, (1, 0)),)


def row_frame(nodes: LoweredNodes, at: int) -> RowFrame | None:
    """Return the rows that a node reduces, or None if it is no reduction of rows."""
    call = nodes.calls[at]
    if type(call) is not OpInstance or not isinstance(call.op, Reduction):
        return None
    return row_frame_of(call, nodes.lane_axis(nodes.edges[at][0]))


def row_frame_of(call: OpInstance, lane_axis: int | None) -> RowFrame | None:
    """Return the rows that a reduction combines, given the axis along which memory is contiguous.

    None is returned if the elements of a row are no neighbours.
    """
    shape, axes = call.specs[0].shape, call.arg
    if type(axes) is not tuple or lane_axis not in axes:
        return None
    reduced = [axis for axis in axes if shape[axis] != 1]
    kept = [axis for axis, n in enumerate(shape) if n != 1 and axis not in axes]
    if not reduced or not math.prod(shape) or (kept and kept[-1] > reduced[0]):
        return None
    rows, length = (math.prod(shape[axis] for axis in some) for some in (kept, reduced))
    return RowFrame(rows, length)


def with_rows(
    lowered: LoweredGraph, target: Target, kernels: Sequence[Kernel], kept: Collection[int]
) -> list[Kernel]:
    """Return the kernels, of which some are joined to row kernels. `kept` are results."""
    joining = _Joining(lowered, target, {*kept, *lowered.materialized})
    return joining.joined(kernels)


class _Step(NamedTuple):
    """A row kernel, and the kernel that was joined last."""

    together: Kernel
    joined: Kernel


class _Order:
    """Kernels in order of execution, which are found by the nodes that they read and write."""

    def __init__(self, joining: _Joining) -> None:
        self.joining = joining
        self.kernels: list[Kernel | None] = []
        """None replaces those that moved."""
        self.written: dict[int, set[int]] = {}
        self.read: dict[int, set[int]] = {}
        self.steps: dict[int, list[_Step]] = {}
        """Steps in which each row kernel was made, by its root."""

    def last_of(self, positions: dict[int, set[int]], nodes: Iterable[int]) -> int:
        """Return the last position of kernels that read, or write, nodes; -1 without any."""
        return max([max(positions[at]) for at in nodes if positions.get(at)], default=-1)

    def append(self, kernel: Kernel) -> None:
        self.kernels.append(kernel)
        self._mark(len(self.kernels) - 1)

    def replace(self, index: int, step: _Step) -> None:
        """Put a row kernel in the position of the first kernel that it consists of."""
        self._join(index, step)
        self.kernels[index] = step.together
        self._mark(index)

    def move(self, index: int, step: _Step) -> None:
        """Put a row kernel at the end."""
        self._join(index, step)
        self.kernels[index] = None
        self.append(step.together)

    def _mark(self, index: int) -> None:
        for positions, nodes in self._nodes(index):
            for at in nodes:
                positions.setdefault(at, set()).add(index)

    def _join(self, index: int, step: _Step) -> None:
        for positions, nodes in self._nodes(index):
            for at in nodes:
                positions[at].discard(index)
        first = self.kernels[index]
        assert first is not None
        before = self.steps.pop(first.root) if first.kind is KernelKind.ROWS else []
        self.steps[step.together.root] = [*before, step]

    def _nodes(self, index: int) -> Iterator[tuple[dict[int, set[int]], Iterable[int]]]:
        kernel = self.kernels[index]
        assert kernel is not None
        yield self.written, kernel.outputs
        yield self.read, {*self.joining.reads([kernel])}


class _Joining:
    """Joins kernels. `alone` are the outputs of kernels that cannot join any."""

    def __init__(self, lowered: LoweredGraph, target: Target, kept: set[int]) -> None:
        self.lowered = lowered
        self.target = target
        self.kept = kept
        self.alone: set[int] = set()
        self.frames: dict[int, RowFrame | None] = {}
        """Rows that nodes reduce, as far as they were asked for."""

    def joined(self, kernels: Sequence[Kernel]) -> list[Kernel]:
        """Return the kernels, also those of loops, with row kernels."""
        kernels = [
            kernel._replace(body=tuple(self.joined(kernel.body))) if kernel.body else kernel
            for kernel in kernels
        ]
        while True:
            order = _Order(self)
            for kernel in kernels:
                if not self._merge(order, kernel):
                    order.append(kernel)
            result = [kernel for kernel in order.kernels if kernel is not None]
            uses = Counter(self.reads(result))
            result = [self._finished(kernel, uses) for kernel in result]
            refused = [kernel for kernel in result if not self._fits(kernel)]
            if not refused:
                return result
            for kernel in refused:
                self.alone.update(self._too_many(order.steps[kernel.root], uses))

    def _too_many(self, steps: Sequence[_Step], uses: Counter[int]) -> Iterator[int]:
        """Yield the outputs of the last kernels of a row kernel without which it fits."""
        uses = uses.copy()
        for step, before in zip(reversed(steps), [*steps[-2::-1], None], strict=True):
            yield step.joined.output
            uses.update(self.reads([step.joined]))
            if before is not None and self._fits(self._finished(before.together, uses)):
                return

    def reads(self, kernels: Sequence[Kernel]) -> Iterator[int]:
        """Yield the nodes that kernels, or those of their loops, read."""
        for kernel in kernels:
            for at in kernel.inputs:
                yield at
                if type(self.lowered.calls[at]) is LoopItem:
                    yield from self.lowered.edges[at]
            if kernel.kind is KernelKind.LOOP:
                # Its body reads the first carries as leaves.
                yield from self.lowered.edges[kernel.output]
            yield from self.reads(kernel.body)

    # --- choose kernels -------------------------------------------------------------------------

    def _merge(self, order: _Order, kernel: Kernel) -> bool:
        """Join a kernel with one before it; return False if there is none."""
        if kernel.kind not in _JOINED or kernel.output in self.alone:
            return False
        needed = order.last_of(order.written, self.reads([kernel]))
        for index in self._related(order, kernel):
            other = order.kernels[index]
            assert other is not None
            together = self._together(other, kernel)
            if together is None:
                continue
            if needed <= index:
                order.replace(index, _Step(together, kernel))
            elif order.last_of(order.read, other.outputs) <= index:
                order.move(index, _Step(together, kernel))
            else:
                continue
            return True
        return False

    def _related(self, order: _Order, kernel: Kernel) -> list[int]:
        """Return the positions of kernels that may be related to one, the last one first.

        A plan of a deep network has hundreds of kernels, so that pairs are not compared.
        """
        frame = None if kernel.kind is KernelKind.MAP else self._frame(kernel.root)
        found: set[int] = set()
        for at in kernel.inputs:
            found |= order.written.get(at, _NONE)
            if frame is not None and self.lowered.spec(at).size >= frame.size:
                found |= order.read.get(at, _NONE)
        return sorted(found, reverse=True)

    def _together(self, first: Kernel, then: Kernel) -> Kernel | None:
        """Return a kernel that computes the results of two kernels, or None."""
        if first.kind not in _JOINED or first.output in self.alone:
            return None
        roots = [one.root for one in (first, then) if one.kind is not KernelKind.MAP]
        if not roots:
            return None
        frame = self._frame(roots[0])
        if frame is None or frame != self._frame(roots[-1]):
            return None
        if not self._is_related(first, then, frame):
            return None
        if first.kind is not KernelKind.ROWS and not self._is_by_rows(first, frame, ()):
            return None
        if not self._is_by_rows(then, frame, first.outputs):
            return None
        inputs = dict.fromkeys((*first.inputs, *then.inputs))
        return Kernel(
            KernelKind.ROWS,
            (*first.outputs, *then.outputs),
            roots[0],
            tuple([at for at in inputs if at not in first.outputs]),
            frozenset(),
            tuple(sorted({*first.scalars, *then.scalars})),
        )

    def _frame(self, at: int) -> RowFrame | None:
        if at not in self.frames:
            self.frames[at] = row_frame(self.lowered, at)
        return self.frames[at]

    def _is_related(self, first: Kernel, then: Kernel, frame: RowFrame) -> bool:
        """Return True if joining spares a read: of a result, or of a large input of reductions."""
        if not {*first.outputs}.isdisjoint(then.inputs):
            return True
        common = {*first.inputs}.intersection(then.inputs)
        return KernelKind.MAP not in (first.kind, then.kind) and any(
            self.lowered.spec(at).size >= frame.size for at in common
        )

    # --- check rows -----------------------------------------------------------------------------

    def _is_by_rows(self, kernel: Kernel, frame: RowFrame, made: Collection[int]) -> bool:
        """Return True if a kernel reads reductions and values in `made` in its own row only."""
        lowered, spec, inputs = self.lowered, self.lowered.spec, {*kernel.inputs}.difference(made)
        if any(spec(at).size not in (frame.rows, frame.size) for at in kernel.outputs):
            return False
        todo: list[tuple[int, ViewStack, bool]]
        todo = [(at, (), spec(at).size == frame.size) for at in kernel.outputs]
        seen = {*todo}
        while todo:
            at, stack, is_element = todo.pop()
            op, call = lowered.op(at), lowered.calls[at]
            below: list[tuple[int, ViewStack, bool]] = []
            if at in inputs or op is None:
                continue
            if at in made or isinstance(op, Reduction):
                is_whole = spec(at).size == frame.size
                if is_element and not is_whole:
                    if spec(at).size != frame.rows or not frame.reads_own(stack):
                        return False
                elif stack or is_element != is_whole:
                    return False
                if at not in made:
                    if self._frame(at) != frame:
                        return False
                    below = [(lowered.edges[at][0], (), True)]
            elif isinstance(op, Elementwise):
                below = [
                    (src, push(stack, broadcast_view(own.shape, call.spec.shape)), is_element)
                    for src, own in zip(lowered.edges[at], call.specs, strict=True)
                ]
            elif isinstance(op, ViewOp):
                view = op.view(call.specs[0].shape, call.arg)[1]
                below = [(lowered.edges[at][0], push(stack, view), is_element)]
            elif self._reaches(at, kernel, made):
                return False
            todo += [one for one in below if one not in seen]
            seen.update(below)
        return True

    def _reaches(self, at: int, kernel: Kernel, made: Collection[int]) -> bool:
        """Return True if a node depends on a reduction, or on `made`, within a kernel."""
        return any(
            src in made or isinstance(self.lowered.op(src), Reduction)
            for src in self._computed(at, kernel, made)
        )

    def _computed(self, at: int, kernel: Kernel, made: Collection[int] = ()) -> set[int]:
        """Return the nodes from which a kernel computes a node, with itself."""
        nodes: set[int] = set()
        todo = [at]
        while todo:
            src = todo.pop()
            if src not in nodes and (src not in kernel.inputs or src in made):
                nodes.add(src)
                todo += () if src in made else self.lowered.edges[src]
        return nodes

    # --- finish ---------------------------------------------------------------------------------

    def _finished(self, kernel: Kernel, uses: Counter[int]) -> Kernel:
        """Return a kernel; a row kernel stores only those values that are needed after it.

        `uses` has the number of times that all kernels read a node.
        """
        if kernel.kind is not KernelKind.ROWS:
            return kernel
        own = Counter(self.reads([kernel]))
        needed = [at for at in kernel.outputs if uses[at] > own[at] or at in self.kept]
        return kernel._replace(outputs=tuple(needed))

    def _fits(self, kernel: Kernel) -> bool:
        """Return False for row kernels that are too large for the target."""
        if kernel.kind is not KernelKind.ROWS:
            return True
        frame, limits = self._frame(kernel.root), self.target.limits
        assert frame is not None
        computed = set[int]().union(*(self._computed(at, kernel) for at in kernel.outputs))
        specs = [self.lowered.spec(at) for at in kernel.outputs]
        return (
            len(kernel.inputs) + len(kernel.outputs) <= limits.inputs + self.target.outputs
            and len(kernel.scalars) <= limits.scalars
            and len(computed) <= LONGEST
            and self.target.stores_rows(frame, specs)
        )
