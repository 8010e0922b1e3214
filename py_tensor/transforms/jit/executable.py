"""The executable of a traced function: a plan with the sources of its inputs and results.

Input: the `TraceResult` of a function that ran on tracers. Output: an `Executable`, which computes
the same for other arguments. Arguments and results are identified by their leaf numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, NamedTuple

from ...errors import ArgumentError, DisposedError
from ...ir.node import (
    OpGraph,
    OpNode,
    TensorSpec,
    linearize,
    lock,
    pending_for,
    pending_handles,
    recorded_tapes,
)
from ...ir.pytree import Structure
from ...ir.tracer import ArgumentBuffer, ScalarTape, ScalarTracer
from ...runtime import scopes
from ...runtime.backends.base import Backend, Buffer
from ...runtime.executor import backend, runner, runtime
from ...tensor import Tensor, end_handles, new_handles, realize_pending


class Origin(Enum):
    """Origin of a node; the value that goes with it is named in parentheses."""

    PLAN = "plan (number of the output)"
    ARGUMENT = "argument (number of the leaf)"
    CAPTURED = "captured (the node)"


class ResultKind(Enum):
    """Kind of a result leaf; the value that goes with it is named in parentheses."""

    HANDLE = "new tensor (number of the handle)"
    ARGUMENT = "argument (number of the leaf)"
    NUMBER = "Python number (slot on the tape)"
    CONSTANT = "constant (the value)"


class NodeSource(NamedTuple):
    """Origin of a node, with the number or node that goes with it."""

    origin: Origin
    value: Any


class LeafResult(NamedTuple):
    """Kind of a result leaf, with the number or value that goes with it."""

    kind: ResultKind
    value: Any


@dataclass(frozen=True)
class TraceResult:
    """Results of a function that ran on tracers, before compilation."""

    name: str
    structure: Structure
    results: list[LeafResult]
    handles: list[OpNode]
    """Nodes of the result's new tensors, by handle number."""
    moved: list[tuple[int, OpNode]]
    """Argument leaves that were assigned to in place, with their new nodes."""
    donated: list[int]
    numbers: list[tuple[int, int]]
    """(slot on the tape, argument leaf) of each Python number."""
    tape: ScalarTape


class Preparation:
    """Values that depend on captured ones alone: they are computed once, before the first run."""

    def __init__(
        self, engine: Backend, graph: OpGraph, plan: Any, leaves: list[Buffer], scalars: list[Any]
    ) -> None:
        self.engine = engine
        self.graph = graph
        self.plan = plan
        self.leaves = leaves
        self.scalars = scalars
        self.values: list[Buffer] = []

    def run(self) -> list[Buffer]:
        """Return the buffers of the values; compute them if they are not on the device.

        Captured values that only the device has are freed then: if it loses the results, it has
        lost them, too.
        """
        if self.plan is None or (self.values and not self.engine.is_lost(self.values[0])):
            return self.values
        run = runner(self.engine, self.graph)
        self.values = [buffer for _, buffer in run(self.plan, self.leaves, self.scalars)]
        if any(buffer.host is None for buffer in self.leaves):
            self.plan, self.leaves = None, []
        return self.values


class Executable:
    """A compiled function for one kind of arguments."""

    def __init__(self, traced: TraceResult) -> None:
        self.name = traced.name
        self.engine = backend()
        self.effects: list[Any] = []
        """Functions to call after a run, see `transforms.effects`."""
        self.build = traced.structure.builder()
        self.results = traced.results
        self.donated = traced.donated
        nodes: list[OpNode] = []
        positions: dict[int, int] = {}
        for node in (*traced.handles, *(node for _, node in traced.moved)):
            if id(node) not in positions:
                positions[id(node)] = len(nodes)
                nodes.append(node)
        self.handles = [positions[id(node)] for node in traced.handles]
        self.moved = [(leaf, positions[id(node)]) for leaf, node in traced.moved]
        wanted = [node for node in nodes if node.buffer is None]
        self.sources = [_source(node, wanted) for node in nodes]
        """Origin of the node of each handle and of each leaf assigned to."""
        self.specs = [node.spec for node in wanted]
        runs = list(range(len(wanted)))
        self.plain = (
            not self.moved
            and self.handles == runs
            and self.results == [LeafResult(ResultKind.HANDLE, number) for number in runs]
        )
        self.plan: Any = None
        self.graph: OpGraph | None = None
        self.fixed: tuple[list[int], list[int]] = [], []
        """Leaves and scalars of the graph that never change."""
        self.preparation: Preparation | None = None
        """Computes the last leaves of the plan, if any."""
        self.buffers: list[Buffer | None] = []
        """Buffers of the plan's other leaves: captured values, None for arguments."""
        self.leaves: list[TensorSpec] = []
        self.inputs: list[tuple[int, int]] = []
        """(position among the plan's leaves, argument leaf) of each argument the plan reads."""
        self.scalars: list[Any] = []
        """The plan's scalars, or their slots on the tape if there is one."""
        if wanted:
            self._compile(wanted)
        returned = {leaf for origin, leaf in self.sources if origin is Origin.ARGUMENT}
        self.reusable = [
            (position, at)
            for position, at in self.inputs
            if at in self.donated and at not in returned
        ]
        """Inputs whose textures the plan may reuse."""
        numbers = any(type(value) is ScalarTracer for value in self.scalars)
        self.tape: ScalarTape | None = None
        if (
            numbers
            or traced.tape.steps
            or any(kind is ResultKind.NUMBER for kind, _ in self.results)
        ):
            self.tape = traced.tape
            self.scalars = list(map(self.tape.slot, self.scalars))
        self.numbers = traced.numbers
        runtime.executables.add(self)

    def _compile(self, wanted: list[OpNode]) -> None:
        if self.engine.whole_programs:
            _share_scalars(wanted)
        linear = linearize(wanted)
        # Nodes that only the traced function's local handles share are not results of a call.
        self.graph = replace(linear.graph(), shared=())
        self.scalars = [node.value for node in linear.scalars]
        fixed = [n for n, value in enumerate(self.scalars) if type(value) is not ScalarTracer]
        leaves = linear.leaves
        constants = [n for n, node in enumerate(leaves) if type(node.buffer) is not ArgumentBuffer]
        self.fixed = constants, fixed
        parts = self.engine.compile_parts(self.graph, constants, fixed)
        self.plan = parts.plan
        for number in constants:
            leaves[number].buffer.users += 1
        if parts.preparation is not None:
            captured = [leaves[number].buffer for number in parts.constants]
            scalars = [0 if type(value) is ScalarTracer else value for value in self.scalars]
            self.preparation = Preparation(
                self.engine, self.graph, parts.preparation, captured, scalars
            )
        for position, number in enumerate(parts.leaves):
            node = leaves[number]
            self.leaves.append(node.spec)
            traced = type(node.buffer) is ArgumentBuffer
            self.buffers.append(None if traced else node.buffer)
            if traced:
                self.inputs.append((position, node.buffer.leaf))

    def __call__(self, leaves: list[Any]) -> Any:
        """Compute the function's result for a call with these leaves."""
        if self.donated or self.moved:
            self._refuse_twice(leaves)
        if self.tape is None:
            values, scalars = [], self.scalars
        else:
            values = self.tape.play([(slot, leaves[at]) for slot, at in self.numbers])
            scalars = [values[slot] for slot in self.scalars]
        made: list[OpNode] = []
        if self.plan is not None:
            buffers = self._gathered(leaves)
            donated = self._unshared(buffers) if self.reusable else ()
            outputs = runner(self.engine, self.graph)(self.plan, buffers, scalars, donated)
            specs = self.specs
            made = [OpNode(None, (), specs[at], made[1]) for at, made in enumerate(outputs)]
        result = self.build(
            new_handles(made) if self.plain else self._wrapped(leaves, made, values)
        )
        if self.donated:
            end_donated([leaves[at] for at in self.donated], self.name)
        return result

    def ready(self) -> tuple[int, int]:
        """Return the (compiled, total) programs of the plan."""
        plans = [self.plan] if self.preparation is None else [self.preparation.plan, self.plan]
        ready = [self.engine.ready(plan) for plan in plans if plan is not None]
        return sum(done for done, _ in ready), sum(total for _, total in ready)

    def compile_again(self) -> None:
        """Replace the plan, after a setting or a choice of the backend has changed."""
        assert self.graph is not None
        self.plan = self.engine.compile_parts(self.graph, *self.fixed).plan

    async def tune(self) -> None:
        """Let the backend choose the fastest kernels of the plan."""
        if await self.engine.tune(self.plan):
            self.compile_again()

    async def run_blank(self) -> None:
        """Run the plan once on blank arguments: drivers finish compiling at the first draw."""
        buffers = [
            self.engine.blank(spec.dtype, spec.size) if buffer is None else buffer
            for buffer, spec in zip(self.buffers, self.leaves, strict=True)
        ]
        if self.preparation is not None:
            buffers += self.preparation.run()
        samples = self.scalars if self.tape is None else [self.tape.values[s] for s in self.scalars]
        outputs = [buffer for _, buffer in self.engine.run(self.plan, buffers, samples)]
        await self.engine.read_async(min(outputs, key=lambda buffer: buffer.size))

    def _gathered(self, leaves: list[Any]) -> list[Any]:
        """Return the buffers of the plan's leaves, computing pending arguments."""
        buffers = self.buffers.copy()
        for position, at in self.inputs:
            buffer = leaves[at]._node.buffer
            if buffer is None:
                realize_pending([leaves[at]._node for _, at in self.inputs])
                buffer = leaves[at]._node.buffer
            buffers[position] = buffer
        if self.preparation is not None:
            buffers += self.preparation.run()
        return buffers

    def _wrapped(self, leaves: list[Any], made: list[OpNode], values: list[Any]) -> list[Any]:
        """Return the result's leaves in the general case, and apply in-place assignments."""
        nodes = [
            made[value]
            if origin is Origin.PLAN
            else leaves[value]._node
            if origin is Origin.ARGUMENT
            else value
            for origin, value in self.sources
        ]
        for at, source in self.moved:
            leaves[at]._move(nodes[source])
        new = new_handles([nodes[source] for source in self.handles])
        pools: dict[ResultKind, Sequence[Any]] = {
            ResultKind.HANDLE: new,
            ResultKind.ARGUMENT: leaves,
            ResultKind.NUMBER: values,
        }
        return [pools[kind][value] if kind in pools else value for kind, value in self.results]

    def _refuse_twice(self, leaves: list[Any]) -> None:
        if len(set(map(id, leaves))) == len(leaves):
            return
        times = Counter(map(id, leaves))
        for verb, ats in (("donated", self.donated), ("assigned", [at for at, _ in self.moved])):
            for at in ats:
                if times[id(leaves[at])] > 1:
                    raise ArgumentError(
                        f"jit: an argument that is {verb} was passed twice; got {leaves[at]._spec} "
                        f"twice in {self.name}; pass pt.copy(x) once"
                    )

    def _unshared(self, buffers: list[Any]) -> list[int]:
        """Return the donated leaves of the plan that nothing but their own handles can read."""
        read = _buffers_to_be_read()
        return [
            position
            for position, _ in self.reusable
            if buffers[position].users == 1 and id(buffers[position]) not in read
        ]


def _share_scalars(wanted: list[OpNode]) -> None:
    """Let the nodes of a trace use one node for equal scalars: the fewer, the faster is a call."""
    known: dict[object, OpNode] = {}

    def shared(node: OpNode) -> OpNode:
        if node.call is not None or node.buffer is not None:
            return node
        value = node.value
        own = value.slot if type(value) is ScalarTracer else (type(value), repr(value))
        return known.setdefault((node.spec, own), node)

    for node in pending_for(wanted):
        node.srcs = tuple(map(shared, node.srcs))


def _buffers_to_be_read() -> set[int]:
    """Return the identities of the buffers that pending work and backward passes may read."""
    with lock:
        wanted = pending_handles()
    for tape in recorded_tapes():
        for node, _, srcs in tape.made.values():
            wanted += (node, *srcs)
    operands = [src for node in pending_for(wanted) for src in node.srcs]
    return {id(node.buffer) for node in (*wanted, *operands)}


def _source(node: OpNode, wanted: list[OpNode]) -> NodeSource:
    if node.buffer is None:
        return NodeSource(Origin.PLAN, wanted.index(node))
    if type(node.buffer) is ArgumentBuffer:
        return NodeSource(Origin.ARGUMENT, node.buffer.leaf)
    node.buffer.users += 1
    return NodeSource(Origin.CAPTURED, node)


def end_donated(tensors: list[Tensor], name: str) -> None:
    """End the handles that were donated to a call of the named function."""
    line = scopes.user_line()
    end = scopes.End(
        DisposedError, f"was donated; got a tensor given to {name} at", "use the result of the call"
    )
    end_handles(tensors, line, end)
