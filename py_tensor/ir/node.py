"""Nodes of the graph, and the key that identifies equal graphs.

Input: op definitions and operands. Output: `OpNode`s, and an `OpGraph` with its key. Shapes and
dtypes are checked when a node is made, once for each combination of operation, operand specs and
static argument. The checked combination is an `OpInstance`. There is one object per combination, so
that it serves as its own key.
"""

from __future__ import annotations

import math
from _thread import RLock
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import accumulate, count, pairwise
from operator import attrgetter
from typing import Any, NamedTuple, Protocol
from weakref import WeakValueDictionary, ref

from ..dtypes import DTYPES, EXTENDED, DType, float32
from ..ops.elementwise import CAST
from ..ops.op_def import ComplexRule, OpDef, Shape

lock = RLock()
"""Held while a thread changes what all threads share: caches, and which nodes are computed.

Python switches threads between calls and between the iterations of a loop, so reading two
attributes of a node, or an entry of a dictionary, needs no lock.
"""


class BoundedCache[Key, Value](dict[Key, Value]):
    """Dictionary of at most `limit` entries.

    Adding one more drops the entry that was added first. Looking up costs what it costs in a
    dictionary, which matters more here than keeping what was used last.
    """

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit

    def __setitem__(self, key: Key, value: Value) -> None:
        with lock:
            if len(self) >= self.limit and key not in self:
                del self[next(iter(self))]
            super().__setitem__(key, value)


class TensorSpec:
    """Shape and dtype of a value. There is one object for each pair, so equality is identity."""

    __slots__ = ("__weakref__", "dtype", "nbytes", "shape", "size")

    def __init__(self, shape: Shape, dtype: DType) -> None:
        self.shape = shape
        self.dtype = dtype
        self.size = math.prod(shape)
        self.nbytes = self.size * dtype.itemsize

    def __repr__(self) -> str:
        return f"{self.dtype.name}{list(self.shape)}"


class OpInstance:
    """Operation applied to operands of known specs, without their values.

    `rule` is the complex rule of the op definition if operands or the result are complex, else
    None. The node is then built by that rule, or from `recipe`, the cached result of the rule.
    """

    __slots__ = ("arg", "op", "operands", "recipe", "rule", "spec", "specs")

    def __init__(
        self,
        op: OpDef,
        arg: Any,
        specs: tuple[TensorSpec, ...],
        spec: TensorSpec,
        operands: tuple[DType, ...],
    ) -> None:
        self.op = op
        self.arg = arg
        self.specs = specs
        self.spec = spec
        self.operands = operands
        self.rule: ComplexRule | None = None
        self.recipe: NodeRecipe | None = None
        if op.complex is not None and "c" in [part.dtype.kind for part in (spec, *specs)]:
            self.rule = op.complex

    def __repr__(self) -> str:
        argument = "" if self.arg is None else f", {self.arg}"
        return f"{self.op.name}({', '.join(map(repr, self.specs))}{argument}) -> {self.spec!r}"


NodeRecipe = list[tuple[OpInstance, tuple[int, ...]]]
"""Steps that build a node: op instances with the positions of their operands.

Positions count the given operands first and then the results of the steps.
"""


class Scalar:
    """Entry of a graph's key for a Python scalar, whose value is a uniform and not in the key."""

    __slots__ = ("spec",)

    def __init__(self, spec: TensorSpec) -> None:
        self.spec = spec

    def __repr__(self) -> str:
        return f"scalar {self.spec.dtype}"


_next_age = count().__next__
AGE = attrgetter("age")


class NodeBuffer(Protocol):
    """Computed value of a node: a `Buffer` of the runtime, or an argument of a traced function."""

    users: int


class NodeTape(Protocol):
    """Tape of a differentiation, see `transforms.autodiff.tape`."""

    @property
    def made(self) -> Mapping[int, tuple[OpNode, OpInstance, tuple[OpNode, ...]]]: ...
    def keep(self, pending: list[OpNode], /) -> None: ...


class OpNode:
    """Value computed from `srcs` by `call`, or stored in `buffer`, or a Python scalar `value`.

    `age` numbers nodes in the order of their creation.
    """

    __slots__ = ("age", "buffer", "call", "origin", "spec", "srcs", "value")
    value: Any
    origin: Any
    """Set by `torch.autograd` only: how to propagate gradients through the node, also once it is
    computed; see there."""
    buffer: Any
    """A `NodeBuffer`, or None; the packages above know which one."""

    def __init__(
        self,
        call: OpInstance | None,
        srcs: tuple[OpNode, ...],
        spec: TensorSpec,
        buffer: NodeBuffer | None = None,
    ) -> None:
        self.call = call
        self.srcs = srcs
        self.spec = spec
        self.buffer = buffer
        self.age = _next_age()

    def settle(self, buffer: NodeBuffer) -> None:
        """Attach the computed value and drop the references to the operands."""
        self.buffer = buffer
        self.call = None
        self.srcs = ()


# A spec that is in use must stay the only one, so specs go when nothing refers to them.
_specs: WeakValueDictionary[tuple[Shape, DType], TensorSpec] = WeakValueDictionary()
_calls: BoundedCache[tuple[Any, ...], OpInstance] = BoundedCache(1 << 14)


def tensor_spec(shape: Shape, dtype: DType) -> TensorSpec:
    """Return the unique TensorSpec of a shape and a dtype."""
    spec = _specs.get((shape, dtype))
    if spec is None:
        with lock:
            spec = _specs.setdefault((shape, dtype), TensorSpec(shape, dtype))
    return spec


SCALARS = {dtype: Scalar(tensor_spec((), dtype)) for dtype in (*DTYPES, *EXTENDED)}
"""The only Scalar of each dtype."""


def op_instance(op: OpDef, specs: tuple[TensorSpec, ...], arg: Hashable = None) -> OpInstance:
    """Return the unique OpInstance of an operation, operand specs and static argument.

    Errors in shapes and dtypes are raised here, by `OpDef.infer`.
    """
    key = (op, specs, arg)
    call = _calls.get(key)
    if call is None:
        result = op.infer(specs, arg)
        spec = tensor_spec(result.shape, result.dtype)
        call = OpInstance(op, arg, specs, spec, result.operands)
        with lock:
            known = _calls.get(key)
            if known is not None:
                return known
            _calls[key] = call
    return call


def node_of(op: OpDef, srcs: tuple[OpNode, ...], arg: Hashable = None) -> OpNode:
    """Make a node for `op` applied to `srcs`."""
    call = op_instance(op, tuple([src.spec for src in srcs]), arg)
    if call.rule is not None:
        return by_rule(call, srcs)
    return OpNode(call, srcs, call.spec)


def by_rule(call: OpInstance, srcs: tuple[OpNode, ...]) -> OpNode:
    """Make the node of an operation on complex numbers from real operations.

    The rule runs once on leaf nodes, and its steps are cached in `call.recipe`. It therefore cannot
    depend on how the operands were computed. If it asked for an operand's value, it is not cached.
    """
    if call.recipe is None:
        tracers = tuple([OpNode(None, (), spec) for spec in call.specs])
        result, value_read = _ruled(call, tracers)
        call.recipe = [] if value_read else _recipe(result, tracers)
    if not call.recipe:
        return _ruled(call, srcs)[0]
    nodes = [*srcs]
    for made, positions in call.recipe:
        nodes.append(OpNode(made, tuple([nodes[position] for position in positions]), made.spec))
    return nodes[-1]


def _recipe(result: OpNode, operands: tuple[OpNode, ...]) -> NodeRecipe:
    """Return the steps that build `result` from the given nodes; equal steps occur once."""
    position = {id(node): number for number, node in enumerate(operands)}
    known: dict[tuple[OpInstance, tuple[int, ...]], int] = {}
    stack = [result]
    while stack:
        node = stack[-1]
        missing = [src for src in node.srcs if id(src) not in position]
        if missing:
            stack += missing
            continue
        stack.pop()
        if id(node) not in position and node.call is not None:
            step = (node.call, tuple([position[id(src)] for src in node.srcs]))
            position[id(node)] = known.setdefault(step, len(operands) + len(known))
    return list(known)


def _ruled(call: OpInstance, srcs: tuple[OpNode, ...]) -> tuple[OpNode, bool]:
    """Make a node by the rule itself; the second result is True if the rule read a value."""
    # Programs without complex numbers need none of these.
    from ..ops.complex_algebra import ComplexParts
    from ..ops.complex_parts import COMPLEX, IMAG, REAL
    from ..ops.graph_value import Algebra, GraphValue, NodeGraph

    graph, algebra = NodeGraph(node_of), Algebra()

    def parts(node: OpNode) -> ComplexParts:
        dtype = node.spec.dtype
        if dtype.kind == "c":
            return ComplexParts(*(GraphValue(graph, node_of(op, (node,))) for op in (REAL, IMAG)))
        real = node if dtype is float32 else node_of(CAST, (node,), float32)
        return ComplexParts(GraphValue(graph, real))

    assert call.rule is not None
    static = () if call.arg is None else (call.arg,)
    result = call.rule(algebra, *map(parts, srcs), *static)
    if type(result) is GraphValue:
        return result.at, algebra.value_read
    re, im = (part.at if type(part) is GraphValue else graph.constant(part) for part in result)
    return node_of(COMPLEX, (re, im), call.op.name), algebra.value_read


def scalar_node(value: complex, dtype: DType = float32) -> OpNode:
    """Make a node for a Python scalar, passed to the shader as one uniform, or two if complex."""
    if dtype.kind == "c":
        from ..ops.complex_parts import COMPLEX

        return node_of(COMPLEX, (scalar_node(value.real), scalar_node(value.imag)))
    node = OpNode(None, (), tensor_spec((), dtype))
    node.value = value
    return node


def leaf_node(buffer: NodeBuffer, spec: TensorSpec) -> OpNode:
    """Make a node for a value that is already computed."""
    return OpNode(None, (), spec, buffer)


tapes: list[NodeTape] = []
"""Tapes of the active differentiations of all tasks, see `transforms.autodiff.tape`."""
pullbacks: set[ref[NodeTape]] = set()
"""Complete tapes of living functions that `vjp` returned."""
tracking: list[bool] = []
"""Not empty once `torch.autograd` has set the `origin` of a node."""
task_tapes: ContextVar[tuple[Any, ...]] = ContextVar("py_tensor_tapes", default=())
"""Tapes that the running task has begun; some may have ended."""


def own_tapes() -> tuple[Any, ...]:
    """Return the tapes of the running task's differentiations, the innermost last.

    A new task starts with its parent's.
    """
    return tuple([tape for tape in task_tapes.get() if tape in tapes]) if tapes else ()


fresh: dict[int, OpNode] = {}
"""Nodes of living tensors that may be pending, by the tensor's identity."""
settled: dict[int, OpNode] = {}
"""Nodes of all other living tensors, which `pending_handles` moved here."""


def living() -> dict[int, OpNode]:
    """Return the node of every living tensor, by the tensor's identity."""
    return {**settled, **fresh}


def pending_handles() -> list[OpNode]:
    """Return the pending nodes of living tensors; callers hold `lock` if there are threads."""
    pending = []
    for identity, node in [*fresh.items()]:
        if node.buffer is None:
            pending.append(node)
            continue
        settled[identity] = node
        node.buffer.users += 1
        popped = fresh.pop(identity, None)
        if popped is not node:
            # The tensor has just ended. Another one may have its identity now.
            forget(identity)
            if popped is not None:
                fresh[identity] = popped
    return pending


def forget(identity: int) -> None:
    """Remove a tensor that ended or refers to another node now."""
    if fresh.pop(identity, None) is None:
        node = settled.pop(identity, None)
        if node is not None:
            node.buffer.users -= 1


def recorded_tapes() -> list[NodeTape]:
    """Return the tapes that backward passes are going to read."""
    return [*tapes, *(tape for tape in [weak() for weak in [*pullbacks]] if tape is not None)]


def usable_nodes(nodes: list[OpNode], is_lost: Callable[[Any], bool]) -> list[OpNode]:
    """Return the pending nodes that do not depend on a lost buffer."""
    unusable: set[int] = set()
    for node in pending_for(nodes):
        if any(id(s) in unusable or (s.buffer and is_lost(s.buffer)) for s in node.srcs):
            unusable.add(id(node))
    return [node for node in nodes if id(node) not in unusable]


def with_family(wanted: Sequence[OpNode]) -> list[OpNode]:
    """Return the wanted nodes, and pending results of living tensors that one draw computes too."""
    results = [
        node
        for node in [*fresh.values()]
        if node.call is not None and node.call.op.family is not None
    ]
    if not results:
        return [*wanted]
    pending = set(pending_for(wanted))
    computed = {_family(node) for node in pending}
    return [*wanted, *(n for n in results if n not in pending and _family(n) in computed)]


def _family(node: OpNode) -> tuple[object, tuple[OpNode, ...]]:
    assert node.call is not None
    return node.call.op.family, node.srcs


def pending_for(wanted: Sequence[OpNode]) -> list[OpNode]:
    """Return the pending nodes that `wanted` need, in order of creation."""
    pending: list[OpNode] = []
    seen: set[OpNode] = set()
    stack: list[OpNode] = [*wanted]
    while stack:
        node = stack.pop()
        if node.call is not None and node not in seen:
            seen.add(node)
            pending.append(node)
            stack += node.srcs
    if len(pending) > 1:
        pending.sort(key=AGE)
    return pending


@dataclass(frozen=True)
class OpGraph:
    """Pending part of a graph in order of computation, without values.

    `calls[i]` is the OpInstance of node i, the TensorSpec of a buffer, or a Scalar. `edges[i]` are
    the positions of its operands. The values of `outputs` must be kept. `shared` are pending nodes
    that a living tensor, a pending node outside the graph or a tape refers to.
    """

    calls: tuple[Any, ...]
    edges: tuple[tuple[int, ...], ...]
    outputs: tuple[int, ...]
    shared: tuple[int, ...]

    def spec(self, position: int) -> TensorSpec:
        call = self.calls[position]
        return call if type(call) is TensorSpec else call.spec


class LinearizedGraph(NamedTuple):
    """Linearized graph: its `key`, and its nodes in the order of the key."""

    key: tuple[Any, ...]
    nodes: list[OpNode]
    leaves: list[OpNode]
    scalars: list[OpNode]

    def graph(self) -> OpGraph:
        calls, flat, outputs, shared = self.key
        ends = accumulate(len(node.srcs) for node in self.nodes)
        edges = tuple(flat[start:end] for start, end in pairwise((0, *ends)))
        return OpGraph(calls, edges, outputs, shared)


def linearize(wanted: Sequence[OpNode]) -> LinearizedGraph:
    """Return the pending nodes that `wanted` need, in order of creation, with their key.

    In this order operands come first, and temporaries live no longer than in the user's code. The
    gradient of a weight, for example, is computed before the backward pass moves on. The key holds
    operations, edges, shapes, dtypes and static arguments, never values.

    Shared nodes are found from the living tensors and the tapes, not from reference counts, which
    debuggers and interactive shells change.
    """
    pending = pending_for(wanted)
    index: dict[OpNode, int] = {}
    nodes: list[OpNode] = []
    calls: list[Any] = []
    edges: list[int] = []
    leaves: list[OpNode] = []
    scalars: list[OpNode] = []

    outputs: list[int] = []
    for node in (*pending, None):
        srcs, positions = (wanted, outputs) if node is None else (node.srcs, edges)
        for src in srcs:
            position = index.get(src)
            if position is None:
                position = index[src] = len(nodes)
                nodes.append(src)
                if src.buffer is None:
                    scalars.append(src)
                    calls.append(SCALARS[src.spec.dtype])
                else:
                    leaves.append(src)
                    calls.append(src.spec)
            positions.append(position)
        if node is not None:
            index[node] = len(nodes)
            nodes.append(node)
            calls.append(node.call)
    shared = _shared(pending, index).difference(outputs)
    key = (tuple(calls), tuple(edges), tuple(outputs), tuple(sorted(shared)))
    return LinearizedGraph(key, nodes, leaves, scalars)


def _shared(pending: list[OpNode], index: dict[OpNode, int]) -> set[int]:
    """Return the positions of the pending nodes whose values may be needed again."""
    shared: set[int] = set()
    if tapes or pullbacks:
        for tape in [*tapes]:
            tape.keep(pending)
        for tape in recorded_tapes():
            shared.update(index[node] for node in pending if id(node) in tape.made)
    if tracking:
        shared.update(index[node] for node in pending if getattr(node, "origin", None) is not None)
    seen: set[OpNode] = set()
    stack = [node for node in pending_handles() if node.call is not None] if pending else []
    while stack:
        node = stack.pop()
        position = index.get(node)
        if position is not None:
            shared.add(position)
        # A node that is older than the graph cannot use one of the graph.
        elif node.age > pending[0].age and node not in seen:
            seen.add(node)
            stack += [src for src in node.srcs if src.call is not None]
    return shared
