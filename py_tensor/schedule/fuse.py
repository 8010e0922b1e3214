"""Decides which nodes are stored; everything else melts into the kernels that read it.

A node is stored when it is asked for, when a contraction reads it, when kernels that would each
recompute it outweigh one that stores it, or when a shader would exceed the context's limits. A
reduction takes the elementwise work behind it as its epilogue.
Comes in: a Program; goes out: a Schedule.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..nodes import Call, Scalar
from ..ops.loops import Loop
from ..ops.rows import Concat, Contraction, Elementwise, Gather, Pad, Reduction, Scan, ViewRow
from .kernel import Kernel, Schedule
from .program import Partial, Piece, Program

CHEAP = 20
"""Operations and reads an element that may be done, over all places, instead of storing once."""
TILED = 8
"""Operations that reading an element of a contraction counts as."""
REPEATED = 1 << 22
"""Operations, of all elements that read one through views, that take longer than a draw."""
FEW_PARTS = 64
"""Parts of a sum that a kernel may add up in front of its own loop."""
LONGEST = 256
"""Operations in one shader; longer ones take drivers seconds to compile."""


@dataclass(frozen=True)
class Limits:
    """What a context allows one shader."""

    inputs: int = 14
    scalars: int = 96


Label = tuple[int, object]
"""Where a node is computed: (the kernel's output, the view or reduction it is seen through)."""


class Fusion:
    """The state of one pass over a program, last node first."""

    def __init__(self, program: Program, limits: Limits) -> None:
        self.program = program
        self.limits = limits
        count = len(program.calls)
        self.consumers: list[list[int]] = [[] for _ in range(count)]
        for at, edges in enumerate(program.edges):
            for src in edges:
                self.consumers[src].append(at)
        self.stored: set[int] = set()
        self.labels: list[frozenset[Label]] = [frozenset()] * count
        self.root: dict[int, int] = {}
        self.weight = [0.0] * count
        self.reads: list[frozenset[int]] = [frozenset()] * count
        self.inner_reads: dict[int, frozenset[int]] = {}
        self.keep: dict[int, int] = {}
        self.asked: list[tuple[int, int]] = []

    def run(self) -> Schedule:
        self._require()
        self._bound()
        for at in range(len(self.program.calls) - 1, -1, -1):
            self._place(at)
        return Schedule(tuple(self._kernels()), self.keep)

    def _require(self) -> None:
        """Marks what must be stored, outputs and forced nodes; notes what may be asked for."""
        program, graph = self.program, self.program.graph
        for position in graph.outputs:
            target = self._target(program.origin[position])
            self.keep[position] = target
            self._store(target)
        graph_position = {at: position for position, at in enumerate(program.origin)}
        for position in graph.shared:
            at = self._target(program.origin[position])
            base, _ = program.view(at)
            if base != at and base in graph_position:
                position, at = graph_position[base], base
            if not program.is_leaf(at) and not program.is_leaf(base):
                self.asked.append((position, at))
        for at in program.forced:
            self._store(at)

    def _target(self, at: int) -> int:
        """The node whose buffer serves `at`: the base of a view that keeps elements in place."""
        base, stack = self.program.view(at)
        plain = not stack and self.program.spec(base).size == self.program.spec(at).size
        return base if plain and type(self.program.calls[base]) is not Scalar else at

    def _store(self, at: int) -> None:
        if not self.program.is_buffer(at):
            self.stored.add(at)

    def _bound(self) -> None:
        """Forward: weights and reads of each node if inlined; stores what would be too much."""
        program = self.program
        length = [0.0] * len(program.calls)
        scalars: list[frozenset[int]] = [frozenset()] * len(program.calls)
        for at, call in enumerate(program.calls):
            if type(call) is not Call:
                if program.is_buffer(at):
                    self.reads[at] = frozenset((at,))
                    self.weight[at] = 1
                elif type(call) is Scalar:
                    scalars[at] = frozenset((at,))
                continue
            srcs = set(program.edges[at])
            while True:
                reads = frozenset().union(*(self.reads[src] for src in srcs))
                uniforms = frozenset().union(*(scalars[src] for src in srcs))
                total = call.row.length + sum(
                    length[src] / max(1, len(self.consumers[src])) for src in srcs
                )
                fits = (
                    len(reads) <= self.limits.inputs
                    and len(uniforms) <= self.limits.scalars
                    and total <= LONGEST
                )
                loose = [s for s in srcs if type(program.calls[s]) is Call and s not in self.stored]
                if fits or not loose:
                    break
                heavy = max(loose, key=lambda s: (len(self.reads[s]) + len(scalars[s]), length[s]))
                self._store(heavy)
                self._seal(heavy, length, scalars)
            self.reads[at], scalars[at], length[at] = reads, uniforms, total
            self.weight[at] = call.row.weight + sum(self.weight[src] for src in srcs)
            if at in self.stored or call.row.root:
                self._seal(at, length, scalars)
        for position, at in self.asked:
            again = self._cheap(at, places=5) and all(map(program.is_buffer, self.reads[at]))
            if at in self.stored or not again:
                self._store(at)
                self.keep[position] = at

    def _seal(self, at: int, length: list[float], scalars: list[frozenset[int]]) -> None:
        self.inner_reads[at] = self.reads[at]
        self.reads[at] = frozenset((at,))
        scalars[at] = frozenset()
        length[at] = 0.0
        # Finding an element among tiles takes arithmetic of its own.
        self.weight[at] = TILED if isinstance(self.program.row(at), Contraction) else 1

    def _cheap(self, at: int, places: int) -> bool:
        """Computing in so many places costs little and reads hardly more than the result."""
        spec = self.program.spec
        own = spec(at).nbytes
        nbytes = sum(min(own, spec(src).nbytes) for src in self.reads[at])
        return places * self.weight[at] <= CHEAP and nbytes <= 1.5 * own + 64

    def _place(self, at: int) -> None:
        """Backward: in which kernels a node is computed, or that it is stored."""
        program = self.program
        if program.is_leaf(at):
            return
        row = self.program.row(at)
        labels: set[Label] = set()
        for consumer in self.consumers[at]:
            labels |= self._labels_through(at, consumer)
        if not labels and at not in self.stored:
            return
        assert row is not None
        if row.tiled:
            self.labels[at] = frozenset(((at, "tiles"),))
            return
        if isinstance(row, Reduction):
            self._place_reduction(at, labels)
            return
        # What a border is put around can be stored instead, without the border.
        weight = row.weight if isinstance(row, Pad) else self.weight[at]
        again = isinstance(row, ViewRow) or (
            (len(labels) == 1 or self._cheap(at, len(labels)))
            and (2 * weight <= CHEAP or not (self._expands(at) or self._reads_again(labels)))
        )
        if at in self.stored or not (
            at in program.melted or (again and not self._spares_a_store(at, labels))
        ):
            self.stored.add(at)
            labels = {(at, None)}
        self.labels[at] = frozenset(labels)

    def _spares_a_store(self, at: int, labels: set[Label]) -> bool:
        """A reduction below finds its epilogue here, or would be stored as well.

        So sums of many reductions are added up as those are computed, not kept until the last.
        """
        if not isinstance(self.program.row(at), Elementwise):
            return False
        for src in self.program.edges[at]:
            base, stack = self.program.view(src)
            if (
                isinstance(self.program.row(base), Reduction)
                and not stack
                and len(self.consumers[src]) == len(self.consumers[base]) == 1
                and self.program.spec(base).size == self.program.spec(at).size
                and not self._has_epilogue(base, labels)
            ):
                return True
        return False

    def _labels_through(self, at: int, consumer: int) -> set[Label]:
        row = self.program.row(consumer)
        assert row is not None
        if row.root:
            return {(out, consumer) for out, _ in self.labels[consumer]}
        in_order = isinstance(row, Elementwise)
        if isinstance(row, Gather):
            in_order = self.program.edges[consumer][0] != at
        if isinstance(row, ViewRow):
            call = self.program.calls[consumer]
            in_order = row.view(call.specs[0].shape, call.arg)[1].is_identity
        if in_order and self.program.spec(at).size == self.program.spec(consumer).size:
            return set(self.labels[consumer])
        return {(out, (via, consumer)) for out, via in self.labels[consumer]}

    def _expands(self, at: int) -> bool:
        """Some consumer reads each element many times."""
        size = self.program.spec(at).size
        for consumer in self._spreaders(at):
            row, own = self.program.row(consumer), self.program.spec(consumer).size
            if isinstance(row, Pad) and consumer not in self.stored:
                found = self._expands(consumer)
            else:
                widest = self._widest(consumer)
                found = own > 2 * size or widest > max(2 * size, REPEATED / self.weight[at])
            if found:
                return True
        return False

    def _widest(self, at: int) -> int:
        """Elements of the largest of what reads a view, maybe through more of them."""
        if at in self.stored or not isinstance(self.program.row(at), ViewRow):
            return 0
        sizes = (
            max(self.program.spec(consumer).size, self._widest(consumer))
            for consumer in self._spreaders(at)
        )
        return max(sizes, default=0)

    def _spreaders(self, at: int) -> list[int]:
        """Consumers whose size tells how often they read an element."""
        counted = (Concat, Reduction, Contraction)
        return [c for c in self.consumers[at] if not isinstance(self.program.row(c), counted)]

    def _reads_again(self, labels: set[Label]) -> bool:
        """In a scan whose fragments read what others have read."""
        pieces = [self.program.calls[out].arg for out, _ in labels]
        return any(isinstance(arg, Piece) and not arg.alone for arg in pieces)

    def _place_reduction(self, at: int, labels: set[Label]) -> None:
        """In the kernel of the elementwise node behind it, its epilogue; else in one of its own.

        Or in front of the loops of those that read it: adding up a few parts takes less there than
        waiting for a draw that does.
        """
        program = self.program
        call, parts = program.calls[at], program.view(program.edges[at][0])[0]
        few = call.specs[0].size <= FEW_PARTS * call.spec.size and self._is_partial(parts)
        again = few and at in program.hoisted and at not in self.stored
        if again and all(self._is_partial(out) for out, _ in labels):
            self.labels[at] = frozenset(labels)
            return
        if at in self.stored or not self._has_epilogue(at, labels):
            self.stored.add(at)
            labels = {(at, None)}
        ((out, _),) = labels
        self.root[out] = at
        self.labels[at] = frozenset(labels)

    def _is_partial(self, at: int) -> bool:
        return isinstance(getattr(self.program.calls[at], "arg", None), Partial)

    def _has_epilogue(self, at: int, labels: set[Label]) -> bool:
        if len(labels) > 1:
            return False
        ((out, via),) = labels
        return (
            via is None
            and self.program.spec(out).size == self.program.spec(at).size
            and out not in self.root
            and not self.program.calls[out].row.root
            and len(self.reads_of(at) | self.reads_of(out)) <= self.limits.inputs
        )

    def reads_of(self, at: int) -> frozenset[int]:
        return self.inner_reads.get(at, self.reads[at])

    def _kernels(self) -> list[Kernel]:
        kernels: list[Kernel] = []
        tiled = {
            at
            for at, labels in enumerate(self.labels)
            if labels and (row := self.program.row(at)) is not None and row.tiled
        }
        for at in range(len(self.program.calls)):
            if at in tiled:
                kind, tops = "scan", self.program.edges[at]
                if not isinstance(self.program.row(at), Scan):
                    # Contractions read below views, even where those are stored for others.
                    kind, tops = "contract", tuple(self.program.view(src)[0] for src in tops)
                kernels.append(self._collect(kind, at, at, tops, tiled))
            if isinstance(self.program.row(at), Loop):
                kernels = self._looped(at, kernels)
            elif at in self.stored and not self.program.is_buffer(at):
                root = self.root.get(at, -1)
                kind = "map" if root < 0 else "reduce"
                kernels.append(self._collect(kind, at, root, (at,), tiled))
        return kernels

    def _looped(self, at: int, kernels: list[Kernel]) -> list[Kernel]:
        """The kernels so far, where those that differ from turn to turn are a loop's body."""
        changing = self.program.dependents(self.program.calls[at].arg)
        body = tuple(kernel for kernel in kernels if kernel.output in changing)
        before = [kernel for kernel in kernels if kernel.output not in changing]
        return [*before, Kernel("loop", at, at, (), frozenset(), (), body)]

    def _collect(
        self, kind: str, out: int, root: int, tops: tuple[int, ...], tiled: set[int]
    ) -> Kernel:
        """The kernel that computes `out`: walks from `tops` down to stored nodes with elements."""
        inputs: list[int] = []
        scalars: list[int] = []
        tiles: set[int] = set()
        seen: set[int] = set()
        stack = list(reversed(tops))
        while stack:
            at = stack.pop()
            if at in seen or not self.program.spec(at).size:
                continue
            seen.add(at)
            call = self.program.calls[at]
            if type(call) is Scalar:
                scalars.append(at)
            elif self.program.is_buffer(at) or (at in self.stored and at != out):
                inputs.append(at)
            elif at in tiled:
                inputs.append(at)
                tiles.add(at)
            elif type(call) is Call:
                stack.extend(reversed(self.program.edges[at]))
        return Kernel(kind, out, root, tuple(inputs), frozenset(tiles), tuple(sorted(scalars)))


def fuse(program: Program, limits: Limits) -> Schedule:
    """The kernels that compute a program's outputs."""
    return Fusion(program, limits).run()
