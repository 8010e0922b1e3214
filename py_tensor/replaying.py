"""One trace of a function: a plan, with what feeds it and what becomes of its outputs.

Comes in: the results of a function that ran on stand-ins; goes out: a `Trace`, which computes the
same for other arguments. Arguments and results are known by the numbers of their leaves.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from sys import getrefcount
from typing import Any

from . import lifetime
from .errors import ArgumentError, DisposedError
from .lifetime import state
from .nodes import BASE_COUNT, Graph, Node, Spec, leaf_node, linearise
from .pytree import Structure
from .runtime import backend, runtime
from .tensor import Tensor, realize_pending
from .tracing import Tape, TracedBuffer, TracedNumber

Source = tuple[str, Any]
"""Where a node comes from: ("run", output of the plan), ("given", leaf) or ("kept", node)."""
Result = tuple[str, Any]
"""A leaf of the result: ("new", handle), ("same", leaf), ("number", slot) or ("constant", it)."""


@dataclass(frozen=True)
class Traced:
    """What a function gave for stand-ins, before there is a plan."""

    name: str
    structure: Structure
    results: list[Result]
    handles: list[Node]
    """The nodes of the tensors to make, by number of the handle."""
    moved: list[tuple[int, Node]]
    """Leaves that were assigned to, with their new nodes."""
    donated: list[int]
    numbers: list[tuple[int, int]]
    """(slot of the tape, leaf) of each Python number."""
    tape: Tape


class Trace:
    """A traced function for arguments of one kind."""

    def __init__(self, traced: Traced) -> None:
        self.name = traced.name
        self.engine = backend()
        self.build = traced.structure.builder()
        self.results = traced.results
        self.donated = traced.donated
        nodes: list[Node] = []
        place: dict[int, int] = {}
        for node in (*traced.handles, *(node for _, node in traced.moved)):
            if id(node) not in place:
                place[id(node)] = len(nodes)
                nodes.append(node)
        self.handles = [place[id(node)] for node in traced.handles]
        self.moved = [(leaf, place[id(node)]) for leaf, node in traced.moved]
        wanted = [node for node in nodes if node.buffer is None]
        self.sources = [_source(node, wanted) for node in nodes]
        """Where the node of each handle, and of each leaf assigned to, comes from."""
        self.specs = [node.spec for node in wanted]
        runs = list(range(len(wanted)))
        self.plain = (
            not self.moved and self.handles == runs and self.results == [("new", at) for at in runs]
        )
        self.plan: Any = None
        self.graph: Graph | None = None
        self.buffers: list[Any] = []
        """The plan's leaves: buffers that the function captured, None for arguments."""
        self.leaves: list[Spec] = []
        self.inputs: list[tuple[int, int]] = []
        """(position among the plan's leaves, leaf) of each argument that it reads."""
        self.scalars: list[Any] = []
        """The plan's scalars, or where they lie on the tape, if there is one."""
        if wanted:
            self._compile(wanted)
        returned = {at for kind, at in self.sources if kind == "given"}
        self.gifts = [
            (position, at)
            for position, at in self.inputs
            if at in self.donated and at not in returned
        ]
        """Inputs whose textures the plan may take."""
        numbers = any(type(value) is TracedNumber for value in self.scalars)
        self.tape: Tape | None = None
        if numbers or traced.tape.steps or any(kind == "number" for kind, _ in self.results):
            self.tape = traced.tape
            self.scalars = list(map(self.tape.slot, self.scalars))
        self.numbers = traced.numbers
        runtime.traces.add(self)

    def _compile(self, wanted: list[Node]) -> None:
        linear = linearise(wanted)
        # Handles of the traced function's own still refer to nodes that no call will ask for.
        self.graph = replace(linear.graph(), shared=())
        for position, node in enumerate(linear.leaves):
            self.leaves.append(node.spec)
            traced = type(node.buffer) is TracedBuffer
            self.buffers.append(None if traced else node.buffer)
            if traced:
                self.inputs.append((position, node.buffer.leaf))
        self.scalars = [node.value for node in linear.scalars]
        self.plan = self.engine.compile(self.graph)

    def __call__(self, leaves: list[Any]) -> Any:
        """The function's result for a call with these leaves."""
        if self.donated or self.moved:
            self._refuse_twice(leaves)
        if self.tape is None:
            values, scalars = [], self.scalars
        else:
            values = self.tape.play([(slot, leaves[at]) for slot, at in self.numbers])
            scalars = [values[slot] for slot in self.scalars]
        made: list[Node] = []
        if self.plan is not None:
            if runtime.on_plan is not None:
                runtime.on_plan(self.plan)
            buffers = self._gathered(leaves)
            donated = self._unshared(leaves, buffers) if self.gifts else ()
            outputs = self.engine.run(self.plan, buffers, scalars, donated)
            made = [
                leaf_node(buffer, spec)
                for (_, buffer), spec in zip(outputs, self.specs, strict=True)
            ]
        result = self.build(
            list(map(Tensor, made)) if self.plain else self._wrapped(leaves, made, values)
        )
        # Pending work is counted by new handles, and these have their values.
        state.pending -= len(self.handles)
        if self.donated:
            end_donated([leaves[at] for at in self.donated], self.name)
        return result

    def ready(self) -> tuple[int, int]:
        """How many of the programs it needs are compiled, and of how many."""
        return (0, 0) if self.plan is None else self.engine.ready(self.plan)

    async def rehearse(self) -> None:
        """Runs the plan on blank arguments: drivers finish a program at its first draw only."""
        buffers = [
            self.engine.blank(spec.dtype, spec.size) if buffer is None else buffer
            for buffer, spec in zip(self.buffers, self.leaves, strict=True)
        ]
        samples = self.scalars if self.tape is None else [self.tape.values[s] for s in self.scalars]
        outputs = [buffer for _, buffer in self.engine.run(self.plan, buffers, samples)]
        await self.engine.read_async(min(outputs, key=lambda buffer: buffer.size))

    def _gathered(self, leaves: list[Any]) -> list[Any]:
        """The buffers of the plan's leaves; runs what is pending for them."""
        buffers = self.buffers.copy()
        for position, at in self.inputs:
            buffer = leaves[at]._node.buffer
            if buffer is None:
                realize_pending([leaves[at]._node for _, at in self.inputs])
                buffer = leaves[at]._node.buffer
            buffers[position] = buffer
        return buffers

    def _wrapped(self, leaves: list[Any], made: list[Node], values: list[Any]) -> list[Any]:
        """The leaves of a result that is more than new tensors, each once."""
        nodes = [
            made[at] if kind == "run" else leaves[at]._node if kind == "given" else at
            for kind, at in self.sources
        ]
        for at, source in self.moved:
            leaves[at]._move(nodes[source])
        new = [Tensor(nodes[source]) for source in self.handles]
        pools = {"new": new, "same": leaves, "number": values}
        return [pools[kind][at] if kind in pools else at for kind, at in self.results]

    def _refuse_twice(self, leaves: list[Any]) -> None:
        times = Counter(map(id, leaves))
        for verb, ats in (("donated", self.donated), ("assigned", [at for at, _ in self.moved])):
            for at in ats:
                if times[id(leaves[at])] > 1:
                    raise ArgumentError(
                        f"jit: an argument was passed twice, of which one is {verb}; "
                        f"got {leaves[at]._spec} twice in {self.name}; pass pt.copy(x) in one place"
                    )

    def _unshared(self, leaves: list[Any], buffers: list[Any]) -> list[int]:
        """Which of the plan's leaves are donated and known to nobody but their handle."""
        nodes = [leaves[at]._node for _, at in self.gifts]
        given = [buffers[position] for position, _ in self.gifts]
        # Besides the list counted: a node's handle and `live`; a buffer's node and `buffers`.
        return [
            position
            for (position, _), of_node, of_buffer in zip(
                self.gifts, map(getrefcount, nodes), map(getrefcount, given), strict=True
            )
            if of_node == of_buffer == BASE_COUNT + 2
        ]


def _source(node: Node, wanted: list[Node]) -> Source:
    if node.buffer is None:
        return "run", wanted.index(node)
    if type(node.buffer) is TracedBuffer:
        return "given", node.buffer.leaf
    return "kept", node


def end_donated(tensors: list[Tensor], name: str) -> None:
    """Ends the handles that a call of the function of that name was given for good."""
    place = lifetime.user_line()
    end = lifetime.End(
        DisposedError, f"was donated; got a tensor given to {name} at", "use what it returned"
    )
    for tensor in tensors:
        tensor._end(place, end)
