"""Find the part of a graph to compute, and build the jitted functions that compute it.

Input: the tensors wanted and the tensors fed. Output: functions of arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from .. import functions as F
from ..errors import ArgumentError, GradientError
from ..tensor import Tensor
from ..transforms.autodiff import value_and_grad
from ..transforms.jit.api import jit
from .optimizers import Optimizer
from .symbols import OperationNode, PlaceholderNode, SymbolicTensor, VariableNode

GraphValues = dict[SymbolicTensor, Tensor]
"""Values with a leading axis of examples."""


class GraphEvaluation:
    """Tensors needed for some results, in topological order, excluding tensors that are fed."""

    def __init__(
        self, operation: str, results: Sequence[SymbolicTensor], fed: Collection[SymbolicTensor]
    ) -> None:
        self.order = _ordered(results, fed)
        self.variables = [t for t in self.order if isinstance(t.node, VariableNode)]
        for tensor in self.order:
            if isinstance(tensor.node, PlaceholderNode):
                fed_names = ", ".join(map(repr, fed)) or "nothing"
                raise ArgumentError(
                    f"{operation}: placeholder is not fed; got a feed of {fed_names} without "
                    f"{tensor!r}; add a FeedEntry for it"
                )

    def run(self, values: GraphValues) -> None:
        """Compute the values of all tensors that have none yet."""
        for tensor in self.order:
            if tensor not in values:
                inputs = tensor.node.inputs.values()
                values[tensor] = tensor.node.compute(*[values[source] for source in inputs])


def _ordered(
    results: Sequence[SymbolicTensor], fed: Collection[SymbolicTensor]
) -> list[SymbolicTensor]:
    order: list[SymbolicTensor] = []
    seen = set(fed)
    stack = [*reversed(results)]
    while stack:
        tensor = stack[-1]
        missing = [source for source in tensor.node.inputs.values() if source not in seen]
        if tensor in seen:
            stack.pop()
        elif missing:
            stack += missing
        else:
            stack.pop()
            seen.add(tensor)
            order.append(tensor)
    return order


def variable_node(tensor: SymbolicTensor) -> VariableNode:
    """Return the node of a variable's tensor."""
    node = tensor.node
    assert isinstance(node, VariableNode)
    return node


def current_data(variables: Sequence[SymbolicTensor]) -> list[Tensor]:
    """Return the current data of variables."""
    return [variable_node(tensor).data for tensor in variables]


def evaluation_function(
    evaluation: GraphEvaluation, wanted: Sequence[SymbolicTensor], fed: Sequence[SymbolicTensor]
) -> Callable[..., list[Tensor]]:
    """Return a jitted function of variables' data and fed values that returns the wanted values."""
    variables = evaluation.variables

    def evaluate(data: list[Tensor], values: list[Tensor]) -> list[Tensor]:
        known = _with_example_axis(variables, data) | _with_example_axis(fed, values)
        evaluation.run(known)
        return [F.reshape(known[tensor], tensor.shape) for tensor in wanted]

    compiled: Callable[..., list[Tensor]] = jit(evaluate)
    return compiled


def training_step(
    evaluation: GraphEvaluation,
    cost: SymbolicTensor,
    fed: Sequence[SymbolicTensor],
    variables: Sequence[SymbolicTensor],
    kept: Sequence[SymbolicTensor],
    batch_size: int,
    reduction: str,
    optimizer: Optimizer,
) -> Callable[..., tuple[list[Tensor], list[list[Tensor]], Tensor | None]]:
    """Return a jitted training step.

    It maps variables, slots, settings and a batch to new variables, new slots and the cost. Raises
    GradientError if an operation on the way to the cost has no gradient.
    """
    for tensor in evaluation.order:
        if isinstance(tensor.node, OperationNode) and not tensor.node.has_gradient:
            raise GradientError(
                f"train: operation has no gradient; got {tensor!r} on the path to the cost "
                f"{cost!r}; use softmax_cross_entropy_cost or mean_squared_cost"
            )
    updated = type(optimizer).updated

    def total(trained: list[Tensor], fixed: list[Tensor], values: list[Tensor]) -> Tensor:
        known = _with_example_axis(variables, trained) | _with_example_axis(kept, fixed)
        known |= dict(zip(fed, map(_floating, values), strict=True))
        evaluation.run(known)
        # A cost that does not depend on the example counts once per example.
        costs = F.broadcast_to(F.reshape(known[cost], (known[cost].shape[0],)), (batch_size,))
        return F.sum(costs)

    def step(
        trained: list[Tensor],
        fixed: list[Tensor],
        slots: list[list[Tensor]],
        numbers: list[Any],
        values: list[Tensor],
    ) -> tuple[list[Tensor], list[list[Tensor]], Tensor | None]:
        cost_of_batch, gradients = value_and_grad(total)(trained, fixed, values)
        news = [
            updated(numbers, variable, gradient, *variable_slots)
            for variable, gradient, variable_slots in zip(trained, gradients, slots, strict=True)
        ]
        reduced = {"NONE": None, "SUM": cost_of_batch, "MEAN": cost_of_batch / batch_size}
        return [new[0] for new in news], [new[1:] for new in news], reduced[reduction]

    compiled: Callable[..., Any] = jit(step)
    return compiled


def _with_example_axis(tensors: Sequence[SymbolicTensor], values: Sequence[Tensor]) -> GraphValues:
    """Map tensors to values with a leading axis of length 1, for values shared by all examples."""
    return {
        tensor: F.reshape(_floating(value), (1, *tensor.shape))
        for tensor, value in zip(tensors, values, strict=True)
    }


def _floating(value: Tensor) -> Tensor:
    return value if value.dtype.kind == "f" else F.astype(value, "float32")
