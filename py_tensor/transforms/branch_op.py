"""The operation that computes one of several graphs, chosen by a number.

Input: the nodes of the branches' results, and the position of the branch to compute. Output: one
node for each result. Only backends with `whole_programs` compute it. Elsewhere, in `vmap` and in
exported models, all branches are computed and `chosen_result` chooses element by element.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from .. import functions as F
from ..ir.node import AGE, BoundedCache, OpGraph, OpInstance, OpNode, TensorSpec, node_of
from ..late import LateModule
from ..ops.op_def import InferredResult, OpDef
from ..ops.rule_types import Spec
from ..tensor import Tensor, handle_on
from .autodiff.backward import pull_back
from .autodiff.tape import Tape, recording
from .loop_op import KnownResults, graph_of, once, rebuilt
from .subgraph import tracer, tracing

if TYPE_CHECKING:
    from ..runtime.backends import jax
else:
    jax = LateModule("runtime.backends.jax")


class Branches(KnownResults):
    """Graphs with equal leaves and results; there is one object for equal graphs."""

    def __init__(self, graphs: tuple[OpGraph, ...]) -> None:
        super().__init__()
        self.graphs = graphs

    def __repr__(self) -> str:
        return f"{len(self.graphs)} branches"

    def result(self, which: int) -> TensorSpec:
        """Return the spec of a result."""
        graph = self.graphs[0]
        return graph.spec(graph.outputs[which])


_branches: BoundedCache[tuple[OpGraph, ...], Branches] = BoundedCache(1 << 10)


def branches_of(
    results: Sequence[Sequence[OpNode]], before: OpNode, leaves: Sequence[OpNode] = ()
) -> tuple[Branches, list[OpNode]]:
    """Return the branches of the given results, and the nodes that are their operands.

    The branches have the nodes that are younger than `before`; `leaves` are the first operands.
    """
    operands = {id(node): node for node in leaves}
    orders = []
    for outputs in results:
        inside: dict[int, OpNode] = {}
        stack = [*outputs]
        while stack:
            node = stack.pop()
            if id(node) in inside or id(node) in operands:
                continue
            if node.call is None or node.age <= before.age:
                operands[id(node)] = node
            else:
                inside[id(node)] = node
                stack += node.srcs
        orders.append(sorted(inside.values(), key=AGE))
    all_operands = list(operands.values())
    graphs = tuple(
        graph_of(all_operands, order, outputs)
        for order, outputs in zip(orders, results, strict=True)
    )
    branches = _branches.get(graphs)
    if branches is None:
        branches = _branches[graphs] = Branches(graphs)
    return branches, all_operands


def branch_results(choice: OpNode, results: Sequence[Sequence[OpNode]]) -> list[Tensor]:
    """Return the results of the branch at `place`; their nodes are younger than `place`."""
    branches, operands = branches_of(results, choice)
    return [
        Tensor(node_of(BRANCH_OP, (choice, *operands), (branches, which)))
        for which in range(len(results[0]))
    ]


def chosen_result(call: OpInstance, srcs: Sequence[OpNode]) -> OpNode:
    """Return the result of an instance of the operation, computed by all branches and a choice."""
    branches, which = cast(tuple[Branches, int], call.arg)
    choice = handle_on(srcs[0])
    *preceding, chosen = [handle_on(rebuilt(graph, srcs[1:])[which]) for graph in branches.graphs]
    for at, result in reversed(list(enumerate(preceding))):
        chosen = F.where(choice <= at, result, chosen)
    node: OpNode = chosen._node
    return node


# --- the op definition ----------------------------------------------------------------------------


class BranchOp(OpDef):
    """Choice of a graph; the static argument is (branches, number of the result)."""

    def infer(self, specs: Sequence[Spec], arg: Hashable) -> InferredResult:
        branches, which = cast(tuple[Branches, int], arg)
        spec = branches.result(which)
        return InferredResult(spec.shape, spec.dtype, tuple(spec.dtype for spec in specs))


def _gradient(pt: Any, g: Tensor, value: Tensor, choice: Tensor, *rest: Any) -> Tensor:
    """Return the cotangent of an operand: that of the branch that was computed."""
    *operands, at, (branches, which) = rest
    backward, more = _backward_of(branches, which)
    number = sum(x.dtype.kind in "cf" for x in operands[: at - 1])
    srcs = (choice._node, *(x._node for x in (*operands, g)), *more)
    return Tensor(node_of(BRANCH_OP, srcs, (backward, number)))


@lru_cache(256)
def _backward_of(branches: Branches, which: int) -> tuple[Branches, list[OpNode]]:
    """Return the branches of the backward pass of a result, and nodes that they use as constants.

    They return the cotangents of the floating operands. Their own operands are, in this order: the
    operands of the given branches, the cotangent of the result, and the constants.
    """
    graph = branches.graphs[0]
    with tracing("cond"):
        inputs = [tracer(call)._node for call in graph.calls if type(call) is TensorSpec]
        wanted = [node for node in inputs if node.spec.dtype.kind in "cf"]
        cotangent = tracer(branches.result(which))
        results = []
        for branch in branches.graphs:
            tape = Tape(wanted)
            with recording(tape):
                output = rebuilt(branch, inputs)[which]
            parts = pull_back(tape, [output], [cotangent], wanted)
            results.append(
                [
                    (F.zeros(node.spec.shape, dtype=node.spec.dtype) if part is None else part)
                    for node, part in zip(wanted, parts, strict=True)
                ]
            )
        leaves = [*inputs, cotangent._node]
        nodes = [[part._node for part in parts] for parts in results]
        backward, operands = branches_of(nodes, leaves[-1], leaves)
    return backward, operands[len(leaves) :]


def _computed(branches: Branches, arrays: list[Any]) -> list[Any]:
    return jax.switch(branches.graphs, arrays[0], arrays[1:])


BRANCH_OP = BranchOp(
    name="cond",
    jax=lambda *operands: once(_computed, operands),
    gradient=_gradient,
    public=False,
    doc="Return a result of one of several branches.",
)
