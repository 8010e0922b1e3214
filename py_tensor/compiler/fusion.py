"""Fusion: choose the nodes to materialize, and inline all others into the kernels that read them.

A node is materialized if it is an output, if a contraction reads it, if recomputing it in every
consumer costs more than storing it once, or if a shader would exceed the limits of the context. A
reduction takes the elementwise operations after it as its epilogue. Kernels that compute several
results of one function become one kernel with several outputs.
Input: a `LoweredGraph`. Output: a `KernelSchedule`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..ir.node import OpInstance, Scalar
from ..ops.loops import Loop
from ..ops.op_def import Concat, Contraction, Elementwise, Gather, Pad, Reduction, Scan, ViewOp
from .kernel import Kernel, KernelSchedule
from .lowered_graph import LoopItem, LoweredGraph, ScanBlock, SplitReduction

CHEAP = 20
"""Cost per element, summed over consumers, up to which recomputing is cheaper than materializing.

Operations and reads are counted.
"""
TILED = 8
"""Cost, in operations, of reading an element in tile layout."""
REPEATED = 1 << 22
"""Operations, over all elements that read a node through views, that take longer than a draw."""
FEW_PARTS = 64
"""Parts of a split reduction that a kernel may combine before its own loop."""
LONGEST = 256
"""Operations in one shader; drivers take seconds to compile longer ones."""


class FusionLimits(NamedTuple):
    """Limits of the context for one shader: textures read, and scalar uniforms."""

    inputs: int = 14
    scalars: int = 96


class FusionGroup(NamedTuple):
    """Place where a node is computed: in the kernel of `output`, read through `via` or directly."""

    output: int
    via: object = None


class Fusion:
    """State of the fusion of a lowered graph."""

    def __init__(self, lowered: LoweredGraph, limits: FusionLimits) -> None:
        self.lowered = lowered
        self.limits = limits
        count = len(lowered.calls)
        self.ops = list(map(lowered.op, range(count)))
        self.specs = list(map(lowered.spec, range(count)))
        self.consumers: list[list[int]] = [[] for _ in range(count)]
        for at, edges in enumerate(lowered.edges):
            for src in () if self.ops[at] is None else edges:
                self.consumers[src].append(at)
        self.materialized: set[int] = set()
        self.fusion_groups: list[frozenset[FusionGroup]] = [frozenset()] * count
        self.root: dict[int, int] = {}
        self.tiled: set[int] = set()
        self.functions = [
            None if op is None or op.family is None else (op.family, edges)
            for op, edges in zip(self.ops, lowered.edges, strict=True)
        ]
        """Function with several results, and its operands, that each node belongs to, or None."""
        self.results: Counter[object] = Counter(each for each in self.functions if each)
        self.families: dict[int, set[object]] = {}
        self.weight = [0.0] * count
        self.length = [0.0] * count
        self.reads: list[frozenset[int]] = [frozenset()] * count
        self.scalars: list[frozenset[int]] = [frozenset()] * count
        self.inner_reads: dict[int, frozenset[int]] = {}
        self.keep: dict[int, int] = {}
        self.shared: list[tuple[int, int]] = []

    def run(self) -> KernelSchedule:
        self._require()
        while True:
            before = len(self.materialized)
            self._bound()
            for at in range(len(self.lowered.calls) - 1, -1, -1):
                self._place(at)
            self.families = self._families()
            kernels = self._joined(self._kernels())
            # Nodes that are materialized for several consumers may add reads to a shader.
            if len(self.materialized) == before or not any(map(self._reads_too_many, kernels)):
                return KernelSchedule(tuple(kernels), self.keep)
            self.root.clear()
            self.tiled.clear()

    def _reads_too_many(self, kernel: Kernel) -> bool:
        return len(kernel.inputs) > self.limits.inputs or any(
            map(self._reads_too_many, kernel.body)
        )

    def _require(self) -> None:
        """Materialize outputs and required nodes; collect shared nodes that may be needed later."""
        lowered, graph = self.lowered, self.lowered.graph
        for position in graph.outputs:
            target = lowered.in_order(lowered.origin[position])
            self.keep[position] = target
            self._store(target)
        graph_position = {at: position for position, at in lowered.origin.items()}
        for position in graph.shared:
            at = lowered.in_order(lowered.origin[position])
            base, _ = lowered.view(at)
            if base != at and base in graph_position:
                position, at = graph_position[base], base
            if self.ops[at] is not None and self.ops[base] is not None:
                self.shared.append((position, at))
        for at in lowered.materialized:
            self._store(at)

    def _store(self, at: int) -> None:
        if not self.lowered.is_buffer(at):
            self.materialized.add(at)

    def _bound(self) -> None:
        """Compute cost and reads of each inlined node, operands first.

        Operands are materialized if inlining them would exceed the limits of a shader.
        """
        lowered = self.lowered
        for at, call in enumerate(lowered.calls):
            if type(call) is not OpInstance:
                if lowered.is_buffer(at):
                    self.reads[at] = frozenset((at,))
                    self.weight[at] = 1
                elif type(call) is Scalar:
                    self.scalars[at] = frozenset((at,))
                continue
            srcs = set(lowered.edges[at])
            while True:
                self._inline(at)
                fits = (
                    len(self.reads[at]) <= self.limits.inputs
                    and len(self.scalars[at]) <= self.limits.scalars
                    and self.length[at] <= LONGEST
                )
                loose = [
                    s
                    for s in srcs
                    if type(lowered.calls[s]) is OpInstance and s not in self.materialized
                ]
                if fits or not loose:
                    break
                path = self._below_views(max(loose, key=self._burden))
                self._store(path[-1])
                self._seal(path[-1])
                for between in reversed(path[:-1]):
                    self._inline(between)
            if at in self.materialized or call.op.root:
                self._seal(at)
        for position, at in self.shared:
            again = self._cheap(at, places=5) and all(map(lowered.is_buffer, self.reads[at]))
            if at in self.materialized or not again:
                self._store(at)
                self.keep[position] = at

    def _burden(self, at: int) -> tuple[int, float]:
        """Return a key that orders nodes by the share of a shader's limits that they take."""
        return len(self.reads[at]) + len(self.scalars[at]), self.length[at]

    def _inline(self, at: int) -> None:
        """Compute cost and reads of a node that is inlined, given those of its operands."""
        op, srcs = self.lowered.calls[at].op, set(self.lowered.edges[at])
        self.reads[at] = frozenset().union(*[self.reads[src] for src in srcs])
        self.scalars[at] = frozenset().union(*[self.scalars[src] for src in srcs])
        self.weight[at] = op.weight + sum([self.weight[src] for src in srcs])
        self.length[at] = op.length + sum([self.length[s] / len(self.consumers[s]) for s in srcs])

    def _below_views(self, at: int) -> list[int]:
        """Return the nodes from `at` down to the best one to materialize for it.

        That is the operand of its views and pads, which may repeat elements, unless it is larger.
        """
        path = [at]
        while isinstance(self.ops[path[-1]], (ViewOp, Pad)):
            path.append(self.lowered.edges[path[-1]][0])
        base = path[-1]
        stored = self.ops[base] is None or base in self.inner_reads
        return [at] if stored or self.specs[base].size > self.specs[at].size else path

    def _seal(self, at: int) -> None:
        self.inner_reads[at] = self.reads[at]
        self.reads[at] = frozenset((at,))
        self.scalars[at] = frozenset()
        self.length[at] = 0.0
        # Computing the position of an element in tile layout takes arithmetic of its own.
        self.weight[at] = TILED if isinstance(self.ops[at], Contraction) else 1

    def _cheap(self, at: int, places: int) -> bool:
        """Return True if computing in `places` kernels costs little and reads few extra bytes."""
        own = self.specs[at].nbytes
        nbytes = sum([min(own, self.specs[src].nbytes) for src in self.reads[at]])
        return places * self.weight[at] <= CHEAP and nbytes <= 1.5 * own + 64

    def _place(self, at: int) -> None:
        """Choose the kernels that compute a node, or materialize it; consumers come first."""
        op = self.ops[at]
        if op is None:
            return
        fusion_groups: set[FusionGroup] = set()
        for consumer in self.consumers[at]:
            fusion_groups |= self._groups_through(at, consumer)
        if not fusion_groups and at not in self.materialized:
            return
        if op.tiled:
            self.tiled.add(at)
            self.fusion_groups[at] = frozenset((FusionGroup(at, "tiles"),))
            return
        if isinstance(op, Reduction):
            self._place_reduction(at, fusion_groups)
            return
        # The operand of a pad can be materialized instead, without the border.
        weight = op.weight if isinstance(op, Pad) else self.weight[at]
        again = isinstance(op, ViewOp) or (
            (len(fusion_groups) == 1 or self._cheap(at, len(fusion_groups)))
            and (2 * weight <= CHEAP or not (self._expands(at) or self._reads_again(fusion_groups)))
        )
        again = again and not self._separates_family(at, fusion_groups)
        if at in self.materialized or not (
            at in self.lowered.always_inline
            or (again and not self._spares_a_store(at, fusion_groups))
        ):
            self.materialized.add(at)
            fusion_groups = {FusionGroup(at)}
        self.fusion_groups[at] = frozenset(fusion_groups)

    def _separates_family(self, at: int, fusion_groups: set[FusionGroup]) -> bool:
        """Return True if inlining computes results of one function separately, as in a join."""
        several = self.weight[at] > CHEAP and self.results[self.functions[at]] > 1
        return several and any(via is not None for _, via in fusion_groups)

    def _spares_a_store(self, at: int, fusion_groups: set[FusionGroup]) -> bool:
        """Return True if materializing the node lets it be the epilogue of a reduction below it.

        Otherwise the reduction would be materialized, too. A sum of many reductions is thus added
        up as they are computed, instead of keeping all of them until the last.
        """
        if not isinstance(self.ops[at], Elementwise):
            return False
        for src in self.lowered.edges[at]:
            base, stack = self.lowered.view(src)
            if (
                isinstance(self.ops[base], Reduction)
                and not stack
                and len(self.consumers[src]) == len(self.consumers[base]) == 1
                and self.specs[base].size == self.specs[at].size
                and not self._has_epilogue(base, fusion_groups)
            ):
                return True
        return False

    def _groups_through(self, at: int, consumer: int) -> set[FusionGroup]:
        op = self.ops[consumer]
        assert op is not None
        if op.root:
            return {FusionGroup(out, consumer) for out, _ in self.fusion_groups[consumer]}
        in_order = isinstance(op, Elementwise)
        if isinstance(op, Gather):
            in_order = self.lowered.edges[consumer][0] != at
        if isinstance(op, ViewOp):
            call = self.lowered.calls[consumer]
            in_order = op.view(call.specs[0].shape, call.arg)[1].is_identity
        if in_order and self.specs[at].size == self.specs[consumer].size:
            return set(self.fusion_groups[consumer])
        return {FusionGroup(out, (via, consumer)) for out, via in self.fusion_groups[consumer]}

    def _expands(self, at: int) -> bool:
        """Return True if some consumer reads each element many times."""
        size = self.specs[at].size
        for consumer in self._spreaders(at):
            op, own = self.ops[consumer], self.specs[consumer].size
            if self._rereads(consumer):
                found = True
            elif isinstance(op, Pad) and consumer not in self.materialized:
                found = self._expands(consumer)
            else:
                widest = self._widest(consumer)
                found = own > 2 * size or widest > max(2 * size, REPEATED / self.weight[at])
            if found:
                return True
        return False

    def _rereads(self, at: int) -> bool:
        """Return True if an operation, or one that reads its view, reads elements many times."""
        op = self.ops[at]
        if isinstance(op, ViewOp) and at not in self.materialized:
            return any(map(self._rereads, self.consumers[at]))
        return op is not None and op.rereads

    def _widest(self, at: int) -> int:
        """Return the size of the largest node that reads a view or pad, also through others."""
        if at in self.materialized or not isinstance(self.ops[at], (ViewOp, Pad)):
            return 0
        sizes = (
            max(self.specs[consumer].size, self._widest(consumer))
            for consumer in self._spreaders(at)
        )
        return max(sizes, default=0)

    def _spreaders(self, at: int) -> list[int]:
        """Return the consumers whose size tells how often they read an element."""
        counted = (Concat, Reduction, Contraction)
        return [c for c in self.consumers[at] if not isinstance(self.ops[c], counted)]

    def _reads_again(self, fusion_groups: set[FusionGroup]) -> bool:
        """Return True if a scan reads the node whose fragments read elements more than once."""
        args = [self.lowered.calls[out].arg for out, _ in fusion_groups]
        return any(isinstance(arg, ScanBlock) and not arg.alone for arg in args)

    def _place_reduction(self, at: int, fusion_groups: set[FusionGroup]) -> None:
        """Place a reduction in the kernel of its epilogue, in its own, or before consumers' loops.

        The epilogue is the elementwise node that reads the reduction. A reduction of a few parts is
        repeated before the loops of its consumers, since that takes less time than a draw.
        """
        lowered = self.lowered
        call, parts = lowered.calls[at], lowered.view(lowered.edges[at][0])[0]
        few = call.specs[0].size <= FEW_PARTS * call.spec.size and self._is_partial(parts)
        again = few and at in lowered.loop_invariant and at not in self.materialized
        if again and all(self._is_partial(out) for out, _ in fusion_groups):
            self.fusion_groups[at] = frozenset(fusion_groups)
            return
        if at in self.materialized or not self._has_epilogue(at, fusion_groups):
            self.materialized.add(at)
            fusion_groups = {FusionGroup(at)}
        ((out, _),) = fusion_groups
        self.root[out] = at
        self.fusion_groups[at] = frozenset(fusion_groups)

    def _is_partial(self, at: int) -> bool:
        return isinstance(getattr(self.lowered.calls[at], "arg", None), SplitReduction)

    def _has_epilogue(self, at: int, fusion_groups: set[FusionGroup]) -> bool:
        if len(fusion_groups) > 1:
            return False
        ((out, via),) = fusion_groups
        return (
            via is None
            and self.specs[out].size == self.specs[at].size
            and out not in self.root
            and not self.lowered.calls[out].op.root
            and len(self.reads_of(at) | self.reads_of(out)) <= self.limits.inputs
        )

    def reads_of(self, at: int) -> frozenset[int]:
        return self.inner_reads.get(at, self.reads[at])

    def _kernels(self) -> list[Kernel]:
        kernels: list[Kernel] = []
        for at in range(len(self.lowered.calls)):
            if at in self.tiled:
                kind, tops = "scan", self.lowered.edges[at]
                if not isinstance(self.ops[at], Scan):
                    # Contractions read below views, even if the views are materialized for others.
                    kind, tops = "contract", tuple(self.lowered.view(src)[0] for src in tops)
                kernels.append(self._collect(kind, at, at, tops))
            if isinstance(self.ops[at], Loop):
                kernels = self._looped(at, kernels)
            elif at in self.materialized and not self.lowered.is_buffer(at):
                kind = "reduce" if at in self.root else "map"
                kernels.append(self._collect(kind, at, self.root.get(at, at), (at,)))
        return kernels

    def _looped(self, at: int, kernels: list[Kernel]) -> list[Kernel]:
        """Move the kernels that differ between iterations into the body of a loop."""
        changing = self.lowered.dependents(at)
        body = tuple(kernel for kernel in kernels if kernel.output in changing)
        before = [kernel for kernel in kernels if kernel.output not in changing]
        return [*before, Kernel("loop", (at,), at, (), frozenset(), (), body)]

    def _families(self) -> dict[int, set[object]]:
        """Return the families whose results each kernel computes in order, by its output."""
        found: dict[int, set[object]] = {}
        for function, groups in zip(self.functions, self.fusion_groups, strict=True):
            for out, via in groups if function is not None else ():
                if via is None:
                    found.setdefault(out, set()).add(function)
        return found

    def _joined(self, kernels: Sequence[Kernel]) -> list[Kernel]:
        """Merge kernels that compute results of one function into kernels of several outputs."""
        joined: list[Kernel] = []
        for kernel in kernels:
            if kernel.body:
                kernel = kernel._replace(body=tuple(self._joined(kernel.body)))
            if not self._merge(joined, kernel):
                joined.append(kernel)
        return joined

    def _merge(self, kernels: list[Kernel], kernel: Kernel) -> bool:
        """Let a kernel before this one do the work of both.

        False is returned if no kernel has the same layout and a result of the same function, or if
        this one reads something that is computed later.
        """
        lowered, mine = self.lowered, self.families.get(kernel.output)
        if mine is None or kernel.kind != "map":
            return False
        needed = {
            lowered.edges[at][0] if type(lowered.calls[at]) is LoopItem else at
            for at in kernel.inputs
        }
        for place, other in reversed([*enumerate(kernels)]):
            if not needed.isdisjoint(other.outputs):
                return False
            if other.kind != "map" or mine.isdisjoint(self.families.get(other.output, ())):
                continue
            together = other._replace(
                outputs=(*other.outputs, *kernel.outputs),
                inputs=tuple(dict.fromkeys((*other.inputs, *kernel.inputs))),
                scalars=tuple(sorted({*other.scalars, *kernel.scalars})),
            )
            if (
                self.specs[other.output].size == self.specs[kernel.output].size
                and len(together.outputs) <= lowered.draw_buffers
                and len(together.inputs) <= self.limits.inputs
                and len(together.scalars) <= self.limits.scalars
            ):
                kernels[place] = together
                return True
        return False

    def _collect(self, kind: str, out: int, root: int, tops: tuple[int, ...]) -> Kernel:
        """Make the kernel that computes `out`, with the materialized nodes reached from `tops`."""
        inputs: list[int] = []
        scalars: list[int] = []
        tiles: set[int] = set()
        seen: set[int] = set()
        stack = list(reversed(tops))
        while stack:
            at = stack.pop()
            if at in seen or not self.specs[at].size:
                continue
            seen.add(at)
            call = self.lowered.calls[at]
            if type(call) is Scalar:
                scalars.append(at)
            elif self.lowered.is_buffer(at) or (at in self.materialized and at != out):
                inputs.append(at)
            elif at in self.tiled:
                inputs.append(at)
                tiles.add(at)
            elif type(call) is OpInstance:
                stack.extend(reversed(self.lowered.edges[at]))
        return Kernel(kind, (out,), root, tuple(inputs), frozenset(tiles), tuple(sorted(scalars)))


def fuse(lowered: LoweredGraph, limits: FusionLimits) -> KernelSchedule:
    """Return the kernels that compute the outputs of a lowered graph."""
    return Fusion(lowered, limits).run()
