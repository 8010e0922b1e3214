"""What to compute, before anything runs: nodes, and the key under which a graph is seen again.

Comes in: rows of the op table and operands; goes out: `Node`s, and a `Graph` with its key. Shapes
and dtypes are checked when a node is made, once for each combination: `Call` is that checked
combination, and being one object it serves as its own key.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import accumulate, count, pairwise
from operator import attrgetter
from sys import getrefcount
from typing import Any, NamedTuple

from .dtypes import DTYPES, DType, float32
from .ops import ROWS
from .ops.algebra import Algebra, Parts, Real
from .ops.elementwise import CAST
from .ops.parts import COMPLEX, IMAG, REAL
from .ops.rows import Row, Rule, Shape
from .ops.sources import CONSTANT


class Spec:
    """Shape and dtype of a value; one object for each pair, so that identity is equality."""

    __slots__ = ("dtype", "nbytes", "shape", "size")

    def __init__(self, shape: Shape, dtype: DType) -> None:
        self.shape = shape
        self.dtype = dtype
        self.size = math.prod(shape)
        self.nbytes = self.size * dtype.itemsize

    def __repr__(self) -> str:
        return f"{self.dtype.name}{list(self.shape)}"


class Call:
    """A row applied to operands of known specs: what can be said before values are known.

    Where `rule` is given, complex numbers are in it, and its node is built by that rule of the row
    or by the `recipe` of what the rule has built before.
    """

    __slots__ = ("arg", "operands", "recipe", "row", "rule", "spec", "specs")

    def __init__(
        self,
        row: Row,
        arg: Any,
        specs: tuple[Spec, ...],
        spec: Spec,
        operands: tuple[DType, ...],
    ) -> None:
        self.row = row
        self.arg = arg
        self.specs = specs
        self.spec = spec
        self.operands = operands
        self.rule: Rule | None = None
        self.recipe: Recipe | None = None
        if row.complex is not None and "c" in [part.dtype.kind for part in (spec, *specs)]:
            self.rule = row.complex

    def __repr__(self) -> str:
        given = "" if self.arg is None else f", {self.arg}"
        return f"{self.row.name}({', '.join(map(repr, self.specs))}{given}) -> {self.spec!r}"


Recipe = list[tuple[Call, tuple[int, ...]]]
"""Operations with the places of their operands: first those given, then the operations before."""


class Scalar:
    """Stands in a graph's key for a Python scalar, whose value is a uniform and not in the key."""

    __slots__ = ("spec",)

    def __init__(self, spec: Spec) -> None:
        self.spec = spec

    def __repr__(self) -> str:
        return f"scalar {self.spec.dtype}"


_next_age = count().__next__


class Node:
    """A value: made from `srcs` by `call`, or realized in `buffer`, or a Python scalar `value`.

    `age` counts nodes as they are made.
    """

    __slots__ = ("age", "buffer", "call", "spec", "srcs", "value")
    value: Any

    def __init__(self, call: Call | None, srcs: tuple[Node, ...], spec: Spec) -> None:
        self.call = call
        self.srcs = srcs
        self.spec = spec
        self.buffer: Any = None
        self.age = _next_age()

    def settle(self, buffer: Any) -> None:
        """The value exists from now on; what it was made of is let go."""
        self.buffer = buffer
        self.call = None
        self.srcs = ()


_specs: dict[tuple[Shape, DType], Spec] = {}
_calls: dict[tuple[Any, ...], Call] = {}
_CACHE_LIMIT = 1 << 16


def spec_of(shape: Shape, dtype: DType) -> Spec:
    """The one Spec of a shape and a dtype."""
    spec = _specs.get((shape, dtype))
    if spec is None:
        spec = _specs[(shape, dtype)] = Spec(shape, dtype)
    return spec


_scalars = {dtype: Scalar(spec_of((), dtype)) for dtype in DTYPES}


def call_of(row: Row, specs: tuple[Spec, ...], arg: Hashable = None) -> Call:
    """The one Call of a row, operand specs and static argument; raises the row's error."""
    key = (row, specs, arg)
    call = _calls.get(key)
    if call is None:
        result = row.infer(specs, arg)
        spec = spec_of(result.shape, result.dtype)
        if len(_calls) >= _CACHE_LIMIT:
            _calls.clear()
        call = _calls[key] = Call(row, arg, specs, spec, result.operands)
    return call


def node_of(row: Row, srcs: tuple[Node, ...], arg: Hashable = None) -> Node:
    """A node for `row` applied to `srcs`."""
    call = call_of(row, tuple([src.spec for src in srcs]), arg)
    if call.rule is not None:
        return by_rule(call, srcs)
    return Node(call, srcs, call.spec)


def by_rule(call: Call, srcs: tuple[Node, ...]) -> Node:
    """The node of an operation on complex numbers, out of real operations.

    What an operand was made of is never looked at: a remembered call has other ones in its place.
    """
    if call.recipe is None:
        stand_ins = tuple([Node(None, (), spec) for spec in call.specs])
        _ALGEBRA.asked = False
        result = _ruled(call, stand_ins)
        call.recipe = [] if _ALGEBRA.asked else _recipe(result, stand_ins)
    if not call.recipe:
        return _ruled(call, srcs)
    nodes = [*srcs]
    for made, places in call.recipe:
        nodes.append(Node(made, tuple([nodes[place] for place in places]), made.spec))
    return nodes[-1]


def _recipe(result: Node, given: tuple[Node, ...]) -> Recipe:
    """How a node is made of the given ones; the same is computed once."""
    place = {id(node): at for at, node in enumerate(given)}
    known: dict[tuple[Call, tuple[int, ...]], int] = {}
    stack = [result]
    while stack:
        node = stack[-1]
        missing = [src for src in node.srcs if id(src) not in place]
        if missing:
            stack += missing
            continue
        stack.pop()
        if id(node) not in place and node.call is not None:
            step = (node.call, tuple([place[id(src)] for src in node.srcs]))
            place[id(node)] = known.setdefault(step, len(given) + len(known))
    return list(known)


def _ruled(call: Call, srcs: tuple[Node, ...]) -> Node:
    assert call.rule is not None
    static = () if call.arg is None else (call.arg,)
    result = call.rule(_ALGEBRA, *map(_parts, srcs), *static)
    if type(result) is Real:
        return result.node  # type: ignore[no-any-return]
    re, im = (
        part.node if type(part) is Real else node_of(CONSTANT, (), float(part)) for part in result
    )
    return node_of(COMPLEX, (re, im), call.row.name)


def _parts(node: Node) -> Parts:
    dtype = node.spec.dtype
    if dtype.kind == "c":
        return Parts(*(Real(_ALGEBRA, node_of(row, (node,))) for row in (REAL, IMAG)))
    return Parts(
        Real(_ALGEBRA, node if dtype is float32 else node_of(CAST, (node,), float32)), None
    )


_ALGEBRA = Algebra(ROWS, node_of, lambda value: node_of(CONSTANT, (), float(value)))


def scalar_node(value: complex, dtype: DType = float32) -> Node:
    """A node for a Python scalar; passed to the shader as a uniform, or as two."""
    if dtype.kind == "c":
        return node_of(COMPLEX, (scalar_node(value.real), scalar_node(value.imag)))
    node = Node(None, (), spec_of((), dtype))
    node.value = value
    return node


def leaf_node(buffer: Any, spec: Spec) -> Node:
    """A node for a value that exists already."""
    node = Node(None, (), spec)
    node.buffer = buffer
    return node


class Tape:
    """What nodes were made of, kept from where a function's differentiation begins to its end.

    A node that gets its value forgets it. `custom` and `regions` say, by a node's identity, where
    differentiation goes another way than through the rows; `autodiff` fills and reads them.
    """

    def __init__(self) -> None:
        self.made: dict[int, tuple[Node, Call, tuple[Node, ...]]] = {}
        self.custom: dict[int, Any] = {}
        self.regions: dict[int, Any] = {}

    def keep(self, nodes: Sequence[Node]) -> None:
        """Notes all pending nodes that the given ones need."""
        stack = [*nodes]
        while stack:
            node = stack.pop()
            if node.call is not None and id(node) not in self.made:
                self.made[id(node)] = (node, node.call, node.srcs)
                stack += node.srcs

    def origin(self, node: Node) -> tuple[Call, tuple[Node, ...]] | None:
        """What the node was made of; None for leaves."""
        if node.call is not None:
            return node.call, node.srcs
        made = self.made.get(id(node))
        return None if made is None else made[1:]


tapes: list[Tape] = []
"""Those of the differentiations under way, the innermost last."""


@dataclass(frozen=True)
class Graph:
    """The pending part of a graph in order of computation, without values.

    `calls[i]` is the Call of node i, or the Spec of a buffer, or a Scalar; `edges[i]` are the
    positions of its operands. `outputs` must be kept; `shared` are pending nodes that something
    outside this graph still refers to (a tensor, or a node nobody asked for yet).
    """

    calls: tuple[Any, ...]
    edges: tuple[tuple[int, ...], ...]
    outputs: tuple[int, ...]
    shared: tuple[int, ...]

    def spec(self, position: int) -> Spec:
        call = self.calls[position]
        return call if type(call) is Spec else call.spec


class Linear(NamedTuple):
    """A graph just linearised: its `key`, and its nodes in the same order as the key's."""

    key: tuple[Any, ...]
    nodes: list[Node]
    leaves: list[Node]
    scalars: list[Node]

    def graph(self) -> Graph:
        calls, flat, outputs, shared = self.key
        ends = accumulate(len(node.srcs) for node in self.nodes)
        edges = tuple(flat[start:end] for start, end in pairwise((0, *ends)))
        return Graph(calls, edges, outputs, shared)


AGE = attrgetter("age")


def linearise(wanted: Sequence[Node]) -> Linear:
    """The pending nodes that `wanted` need, with their key, in the order in which they were made.

    So operands come first, and what a program computes early and lets go soon is not kept longer:
    a weight's gradient is computed before the backward pass moves on. The key holds operations,
    edges, shapes, dtypes and static arguments, never values. Which nodes are shared is read off
    CPython's reference counts: a reference that is neither an edge of this graph nor held by this
    function belongs to someone who may ask for the value later.
    """
    for tape in tapes:
        tape.keep(wanted)
    pending: list[Node] = []
    seen: set[int] = set()
    stack: list[Node] = [*wanted]
    while stack:
        node = stack.pop()
        if node.call is not None and id(node) not in seen:
            seen.add(id(node))
            pending.append(node)
            stack += node.srcs
    pending.sort(key=AGE)
    index: dict[int, int] = {}
    nodes: list[Node] = []
    calls: list[Any] = []
    edges: list[int] = []
    uses: list[int] = []
    leaves: list[Node] = []
    scalars: list[Node] = []

    def placed(leaf: Node) -> int:
        if leaf.buffer is None:
            scalars.append(leaf)
            calls.append(_scalars[leaf.spec.dtype])
        else:
            leaves.append(leaf)
            calls.append(leaf.spec)
        nodes.append(leaf)
        uses.append(BASE_COUNT)
        index[id(leaf)] = len(uses) - 1
        return len(uses) - 1

    for node in pending:
        for src in node.srcs:
            position = index.get(id(src))
            if position is None:
                position = placed(src)
            edges.append(position)
            uses[position] += 1
        index[id(node)] = len(nodes)
        nodes.append(node)
        calls.append(node.call)
        uses.append(BASE_COUNT)
    outputs = [index[id(node)] if id(node) in index else placed(node) for node in wanted]
    pending.clear()  # neither it nor variables must count as references
    node = src = None  # type: ignore[assignment]
    kept = set(outputs)
    shared = [
        position
        for position, found in enumerate(map(getrefcount, nodes))
        if found > uses[position] and type(calls[position]) is Call and position not in kept
    ]
    key = (tuple(calls), tuple(edges), tuple(outputs), tuple(shared))
    return Linear(key, nodes, leaves, scalars)


def _base_count() -> int:
    nodes = [Node(None, (), spec_of((), float32))]
    return next(map(getrefcount, nodes))


BASE_COUNT = _base_count()
"""What `map(getrefcount, items)` gives for an item that only the list refers to."""
