"""The operation that runs the graph of a loop's body.

Input: the nodes of a traced body, and its operands: constants, initial carries, and sequences of
which each iteration gets a slice. Output: one node for each carry, and for each value of the body
that is stacked. On the GPU the body is compiled once and drawn in every iteration. In backward
passes a second loop runs the iterations in reverse order. Backends with `whole_programs` also run
loops whose length is None: they end when no element of the first carry is True.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from weakref import ref

from .. import functions as F
from ..compiler.lowered_graph import LoweredGraph
from ..compiler.lowering.lower import inlined
from ..dtypes import int32
from ..errors import GradientError
from ..ir.node import BoundedCache, OpGraph, OpNode, TensorSpec, node_of, own_tapes, tensor_spec
from ..late import LateModule
from ..ops import OP_DEFS
from ..ops.gathers import TAKE
from ..ops.op_def import Decomposition, InferredResult, SourceOp
from ..ops.rule_types import Spec
from ..ops.views import CONCAT, RESHAPE
from ..runtime.backends.base import Buffer
from ..tensor import Tensor, handle_on
from .autodiff.backward import CustomVJP, pull_back
from .autodiff.tape import Tape, recording
from .subgraph import dependents, tracer, tracing

if TYPE_CHECKING:
    from ..runtime.backends import jax
else:
    jax = LateModule("runtime.backends.jax")

GROUP = 8
"""Values of iterations that one draw joins; a shader reads at most 16 textures."""


class KnownResults:
    """Results that several nodes of one operation have in common."""

    def __init__(self) -> None:
        self.known: tuple[list[Any], list[Any]] = ([], [])
        """Weak references to the arrays of the last run, and its results."""

    def forget(self) -> None:
        """Drop the results of the last run."""
        self.known = ([], [])


class LoopBody(KnownResults):
    """One iteration of a loop; there is one object for equal iterations.

    The leaves of `graph` are `consts` constants, `carries` carries and slices of sequences. Its
    outputs are the next carries and then values to stack.
    """

    def __init__(
        self, graph: OpGraph, consts: int, carries: int, length: int | None, reverse: bool
    ) -> None:
        super().__init__()
        self.graph = graph
        self.consts = consts
        self.carries = carries
        self.length = length
        self.reverse = reverse
        self.engine: Any = None
        self.plan: Any = None

    def __repr__(self) -> str:
        count = "unknown number of" if self.length is None else self.length
        backward = " in reverse" if self.reverse else ""
        return f"{count} iterations{backward} of {len(self.graph.calls)} nodes"

    @property
    def steps(self) -> int:
        """Number of iterations of a loop of fixed length."""
        assert self.length is not None, "a loop without limit stacks nothing and has no history"
        return self.length

    @property
    def leaves(self) -> list[TensorSpec]:
        return [call for call in self.graph.calls if type(call) is TensorSpec]

    @property
    def results(self) -> list[TensorSpec]:
        """Specs of the carries and of the stacked values."""
        outputs = [self.graph.spec(at) for at in self.graph.outputs]
        stacked = [tensor_spec((self.steps, *s.shape), s.dtype) for s in outputs[self.carries :]]
        return [*outputs[: self.carries], *stacked]


_bodies: BoundedCache[Hashable, LoopBody] = BoundedCache(1 << 10)


class TracedBody(NamedTuple):
    """Nodes of one traced iteration."""

    consts: list[OpNode]
    carries: list[OpNode]
    slices: list[OpNode]
    next_carries: list[OpNode]
    stacked: list[OpNode]

    @staticmethod
    def of(body: LoopBody, inputs: list[OpNode], outputs: list[OpNode]) -> TracedBody:
        """Split the leaves and outputs of a body's graph by their meaning."""
        first, count = body.consts, body.carries
        last = first + count
        return TracedBody(
            inputs[:first], inputs[first:last], inputs[last:], outputs[:count], outputs[count:]
        )

    @property
    def inputs(self) -> list[OpNode]:
        return [*self.consts, *self.carries, *self.slices]

    @property
    def outputs(self) -> list[OpNode]:
        return [*self.next_carries, *self.stacked]


def body_of(traced: TracedBody, length: int | None, reverse: bool) -> tuple[LoopBody, list[OpNode]]:
    """Return the body of traced nodes, and the nodes that it uses as constants.

    The constants are `traced.consts` and all nodes from outside of the trace.
    """
    known = {id(node): node for node in traced.inputs}
    own = [*traced.carries, *traced.slices, *traced.consts]
    oldest = min((node.age for node in own), default=0)
    order = dependents(traced.outputs, known, oldest)
    consts = {id(node): node for node in traced.consts}
    inside = {id(node) for node in order} | known.keys()
    for node in (*(src for made in order for src in made.srcs), *traced.outputs):
        if id(node) not in inside:
            consts[id(node)] = node
    leaves = [*consts.values(), *traced.carries, *traced.slices]
    graph = graph_of(leaves, order, traced.outputs)
    count = len(traced.carries)
    return _body(graph, len(consts), count, length, reverse), list(consts.values())


def graph_of(
    leaves: Sequence[OpNode], order: Sequence[OpNode], outputs: Sequence[OpNode]
) -> OpGraph:
    """Return the graph of the nodes `order`, whose operands are `leaves` and earlier nodes."""
    positions = {id(node): at for at, node in enumerate((*leaves, *order))}
    calls = [node.spec for node in leaves] + [node.call for node in order]
    edges = [()] * len(leaves) + [
        tuple([positions[id(src)] for src in node.srcs]) for node in order
    ]
    return OpGraph(tuple(calls), tuple(edges), tuple([positions[id(node)] for node in outputs]), ())


def _body(graph: OpGraph, consts: int, carries: int, length: int | None, reverse: bool) -> LoopBody:
    key = (graph, consts, carries, length, reverse)
    body = _bodies.get(key)
    if body is None:
        body = _bodies[key] = LoopBody(*key)
    return body


def rebuilt(graph: OpGraph, inputs: Sequence[OpNode]) -> list[OpNode]:
    """Make the nodes of a graph for other leaves; return the outputs."""
    remaining = iter(inputs)
    loops: dict[object, LoopNodes] = {}
    nodes: list[OpNode] = []
    for call, edges in zip(graph.calls, graph.edges, strict=True):
        srcs = tuple([nodes[at] for at in edges])
        if type(call) is TensorSpec:
            nodes.append(next(remaining))
        elif call.op is LOOP_OP:
            inner, which = call.arg
            key = (inner, edges)
            loops[key] = loops.get(key) or LoopNodes(inner, srcs)
            nodes.append(loops[key].result(which))
        else:
            nodes.append(OpNode(call, srcs, call.spec))
    return [nodes[at] for at in graph.outputs]


class LoopNodes:
    """Result nodes of a loop. During differentiation the tapes record their gradient.

    `run` is the body that is executed: `body`, or one that returns further values and has the
    outputs of `body` at `positions`.
    """

    def __init__(
        self,
        body: LoopBody,
        srcs: tuple[OpNode, ...],
        backward: Backward | None = None,
        run: LoopBody | None = None,
        positions: Sequence[int] = (),
    ) -> None:
        self.body = body
        self.srcs = srcs
        kept = own_tapes() and body.length is not None
        self.run = run or (with_history(body) if kept else body)
        self.positions = positions or range(len(body.graph.outputs))
        self.nodes: dict[int, OpNode] = {}
        if own_tapes():
            floating = tuple(node for node in self.results() if _is_floating(node.spec))
            inputs = tuple(node for node in srcs if _is_floating(node.spec))
            if floating and inputs:
                CustomVJP(floating, inputs, partial(self._pull, backward)).record()

    def result(self, which: int) -> OpNode:
        if which not in self.nodes:
            self.nodes[which] = node_of(LOOP_OP, self.srcs, (self.run, self.positions[which]))
        return self.nodes[which]

    def results(self) -> list[OpNode]:
        return [self.result(which) for which in range(len(self.body.graph.outputs))]

    def _history(self) -> list[OpNode]:
        """Return the carries at the start of each iteration, stacked."""
        count = self.body.carries
        first = len(self.run.graph.outputs) - count
        positions = [*range(count), *range(first, first + count)]
        nodes = LoopNodes(history_of(self.body), self.srcs, None, self.run, positions)
        return nodes.results()[count:]

    def _pull(self, backward: Backward | None, cotangents: list[Tensor]) -> list[Tensor | None]:
        """Return the cotangents of the floating operands, by a loop in reverse order."""
        if self.body.length is None:
            raise without_gradient()
        backward = backward or backward_of(self.body)
        first, last = self.body.consts, self.body.consts + self.body.carries
        split = sum(_is_floating(node.spec) for node in self.srcs[first:last])
        cotangent_nodes = [g._node for g in cotangents]
        sums = [
            F.zeros(node.spec.shape, dtype=node.spec.dtype)._node
            for node in self.srcs[:first]
            if _is_floating(node.spec)
        ]
        operands = (
            *(self.srcs[const] if isinstance(const, int) else const for const in backward.consts),
            *(*cotangent_nodes[:split], *sums),
            *(*self._history(), *self.srcs[last:], *cotangent_nodes[split:]),
        )
        results = LoopNodes(backward.body, operands).results()
        totals = results[split : split + len(sums)]
        parts = (*totals, *results[:split], *results[split + len(sums) :])
        return [Tensor(node) for node in parts]


def without_gradient() -> GradientError:
    """Return the error of a backward pass through a loop without limit."""
    return GradientError(
        "while_loop: a loop without limit has no gradient; got a backward pass through it; "
        "give max_steps, or use fori_loop or scan"
    )


class Backward(NamedTuple):
    """Body of a loop's backward pass, and its constants.

    A constant is a node, or the position of a constant of the loop itself.
    """

    body: LoopBody
    consts: list[OpNode | int]


def _is_floating(spec: TensorSpec) -> bool:
    return spec.dtype.kind in "cf"


def with_history(body: LoopBody) -> LoopBody:
    """Return a body that also stacks the carries at the start of each iteration."""
    return _with_outputs(body, body.graph.outputs)


def history_of(body: LoopBody) -> LoopBody:
    """Return a body that stacks only the carries at the start of each iteration."""
    return _with_outputs(body, body.graph.outputs[: body.carries])


def _with_outputs(body: LoopBody, outputs: tuple[int, ...]) -> LoopBody:
    first = body.consts
    outputs = (*outputs, *range(first, first + body.carries))
    graph = OpGraph(body.graph.calls, body.graph.edges, outputs, ())
    return _body(graph, first, body.carries, body.length, body.reverse)


@lru_cache(256)
def backward_of(body: LoopBody) -> Backward:
    """Return the backward pass of a loop, derived from the graph of its body."""
    with tracing("scan"):
        inputs = [tracer(spec)._node for spec in body.leaves]
        tape = Tape([node for node in inputs if _is_floating(node.spec)])
        with recording(tape):
            outputs = rebuilt(body.graph, inputs)
        return backward_body(TracedBody.of(body, inputs, outputs), tape, body)


def backward_body(traced: TracedBody, tape: Tape, body: LoopBody) -> Backward:
    """Return the backward pass of a traced body, whose operations are recorded on a tape.

    Its carries are the cotangents of the carries, and the summed cotangents of the constants.
    """
    results = [node for node in traced.outputs if _is_floating(node.spec)]
    cotangents = [tracer(node.spec) for node in results]
    wanted = [node for node in traced.inputs if _is_floating(node.spec)]
    parts = dict(zip(map(id, wanted), pull_back(tape, results, cotangents, wanted), strict=True))

    def gradient(node: OpNode) -> OpNode:
        cotangent = parts[id(node)]
        if cotangent is None:
            cotangent = F.zeros(node.spec.shape, dtype=node.spec.dtype)
        result: OpNode = cotangent._node
        return result

    consts = [node for node in traced.consts if _is_floating(node.spec)]
    sums = [tracer(node.spec) for node in consts]
    split = sum(_is_floating(node.spec) for node in traced.next_carries)
    cotangent_nodes = [g._node for g in cotangents]
    backward = TracedBody(
        traced.consts,
        [*cotangent_nodes[:split], *(total._node for total in sums)],
        [*traced.carries, *traced.slices, *cotangent_nodes[split:]],
        [
            *(gradient(node) for node in traced.carries if _is_floating(node.spec)),
            *(
                (total + handle_on(gradient(node)))._node
                for total, node in zip(sums, consts, strict=True)
            ),
        ],
        [gradient(node) for node in traced.slices if _is_floating(node.spec)],
    )
    backward_loop, nodes = body_of(backward, body.length, not body.reverse)
    positions = {id(node): at for at, node in enumerate(traced.consts)}
    return Backward(backward_loop, [positions.get(id(node), node) for node in nodes])


# --- the op definition ----------------------------------------------------------------------------


class LoopOp(Decomposition):
    """Loop; the static argument is (body, number of the result)."""

    def infer(self, specs: Sequence[Spec], arg: Hashable) -> InferredResult:
        body, which = cast(tuple[LoopBody, int], arg)
        spec = body.results[which]
        return InferredResult(spec.shape, spec.dtype, tuple(spec.dtype for spec in specs))


def _lower(lowered: LoweredGraph, *operands: Any) -> int:
    srcs, (body, which) = operands[:-1], operands[-1]
    n, m = body.consts, body.carries
    key = (body, *srcs)
    if not body.length:
        position: int = srcs[n + which]
        return position
    if ("loop", *key) not in lowered.seen:
        for at in (*srcs[:n], *srcs[n + m :]):
            # Iterations should not compute again what is the same in all of them.
            base = lowered.view(at)[0]
            op = lowered.op(base)
            if op is not None and not isinstance(op, SourceOp) and lowered.spec(base).size > 1:
                lowered.materialized.add(base)
        initial = [
            lowered.copied(at) if lowered.is_leaf(at) and not lowered.is_buffer(at) else at
            for at in srcs[n : n + m]
        ]

        def iteration(carries: tuple[int, ...], number: int) -> list[int]:
            if body.reverse:
                last = lowered.constant(body.steps - 1, int32)
                number = lowered.add(OP_DEFS["subtract"], (last, number))
            slices = [lowered.add(TAKE, (at, number), 0) for at in srcs[n + m :]]
            return inlined(lowered, body.graph, (*srcs[:n], *carries, *slices))

        loop, values = lowered.loop(initial, body.steps, iteration)
        lowered.seen["loop", *key] = loop
        for number, value in enumerate(values):
            lowered.seen["value", number, *key] = value
    loop, value = lowered.seen["loop", *key], lowered.seen["value", which, *key]
    if which < m:
        return lowered.item(loop, value, body.steps - 1)
    order = range(body.steps)
    items = [lowered.item(loop, value, at) for at in (reversed(order) if body.reverse else order)]
    shape = (1, *lowered.spec(value).shape)
    return _joined(lowered, [lowered.add(RESHAPE, (at,), shape) for at in items])


def _joined(lowered: LoweredGraph, parts: list[int]) -> int:
    """Concatenate along the first axis, in several draws if there are many parts."""
    while len(parts) > 1:
        groups = [parts[start : start + GROUP] for start in range(0, len(parts), GROUP)]
        parts = [lowered.add(CONCAT, group, 0) if len(group) > 1 else group[0] for group in groups]
        lowered.materialized.update(at for at in parts if lowered.op(at) is CONCAT)
    return parts[0]


def once(run: Callable[..., Any], operands: Sequence[Any]) -> Any:
    """Return one of several results, which `run` computes together.

    `given` are arrays and the static argument: (`KnownResults`, number of the result).
    """
    *arrays, (body, which) = operands
    references, results = body.known
    unchanged = len(references) == len(arrays) and all(
        weak() is array for weak, array in zip(references, arrays, strict=True)
    )
    if not unchanged or not arrays:
        results = run(body, arrays)
        # The results are kept only while the operands are.
        references = [ref(array, lambda _: body.forget()) for array in arrays]
        body.known = (references, results)
    return results[which]


def _compiled(body: LoopBody, arrays: list[Any]) -> list[Any]:
    n, m = body.consts, body.carries
    consts, carries, sequences = arrays[:n], arrays[n : n + m], arrays[n + m :]
    if body.length is None:
        return jax.while_loop(body.graph, consts, carries)
    return jax.scan(body.graph, consts, carries, sequences, body.length, body.reverse)


def _run(xp: Any, body: LoopBody, arrays: list[Any]) -> list[Any]:
    if body.engine is None:
        from ..runtime.backends.numpy import NumpyBackend

        body.engine = NumpyBackend()
        body.plan = body.engine.compile(body.graph)
    n, m = body.consts, body.carries
    outputs = [body.graph.spec(at) for at in body.graph.outputs]
    carries = list(arrays[n : n + m])
    stacked = [xp.empty((body.steps, *s.shape), s.dtype.name) for s in outputs[m:]]
    order = range(body.steps)
    for at in reversed(order) if body.reverse else order:
        slices = [array[at] for array in arrays[n + m :]]
        leaves = [
            Buffer(spec.dtype, spec.size, xp.ascontiguousarray(array).reshape(-1))
            for spec, array in zip(body.leaves, (*arrays[:n], *carries, *slices), strict=True)
        ]
        flat = [buffer.host for _, buffer in body.engine.run(body.plan, leaves, ())]
        values = [x.reshape(s.shape) for x, s in zip(flat, outputs, strict=True)]
        carries = values[:m]
        for into, value in zip(stacked, values[m:], strict=True):
            into[at] = value
    return [*carries, *stacked]


LOOP_OP = LoopOp(
    name="scan",
    shape=lambda *shapes: (),
    lowering=_lower,
    jax=lambda *operands: once(_compiled, operands),
    reference=lambda xp, *operands: once(partial(_run, xp), operands),
    public=False,
    doc="Return a carry or the stacked values of a loop.",
)
