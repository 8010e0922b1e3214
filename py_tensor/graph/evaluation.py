"""Which part of a graph has to be computed, and the traced functions that compute it.

Comes in: the tensors that are wanted and those that are fed; goes out: functions of arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from ..autodiff import value_and_grad
from ..errors import ArgumentError, GradientError
from ..functions.elementwise import astype
from ..functions.manipulation import broadcast_to, reshape
from ..functions.statistical import PUBLIC as STATISTICAL
from ..jitting import jit
from ..tensor import Tensor
from .optimizers import Optimizer
from .symbols import OperationNode, PlaceholderNode, SymbolicTensor, VariableNode

Values = dict[SymbolicTensor, Tensor]
"""Values with a leading axis of examples."""


class Evaluation:
    """The tensors behind some results, operands first, up to those that are fed."""

    def __init__(
        self, operation: str, results: Sequence[SymbolicTensor], fed: Collection[SymbolicTensor]
    ) -> None:
        self.order = _ordered(results, fed)
        self.variables = [t for t in self.order if isinstance(t.node, VariableNode)]
        for tensor in self.order:
            if isinstance(tensor.node, PlaceholderNode):
                given = ", ".join(map(repr, fed)) or "nothing"
                raise ArgumentError(
                    f"{operation}: placeholder is not fed; got a feed of {given} without "
                    f"{tensor!r}; add a FeedEntry for it"
                )

    def run(self, values: Values) -> None:
        """Adds the values of all tensors that have none."""
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
    """The node of a variable's tensor."""
    node = tensor.node
    assert isinstance(node, VariableNode)
    return node


def present(variables: Sequence[SymbolicTensor]) -> list[Tensor]:
    """The data of variables."""
    return [variable_node(tensor).data for tensor in variables]


def evaluating(
    evaluation: Evaluation, wanted: Sequence[SymbolicTensor], fed: Sequence[SymbolicTensor]
) -> Callable[..., list[Tensor]]:
    """A function from the variables' data, and what is fed, to the values that are wanted."""
    variables = evaluation.variables

    def evaluate(data: list[Tensor], values: list[Tensor]) -> list[Tensor]:
        known = _alone(variables, data) | _alone(fed, values)
        evaluation.run(known)
        return [reshape(known[tensor], tensor.shape) for tensor in wanted]

    compiled: Callable[..., list[Tensor]] = jit(evaluate)
    return compiled


def stepping(
    evaluation: Evaluation,
    cost: SymbolicTensor,
    fed: Sequence[SymbolicTensor],
    variables: Sequence[SymbolicTensor],
    others: Sequence[SymbolicTensor],
    batch_size: int,
    reduction: str,
    optimizer: Optimizer,
) -> Callable[..., tuple[list[Tensor], list[list[Tensor]], Tensor | None]]:
    """A function from variables, slots, numbers and a batch to new variables, slots and the cost.

    Raises GradientError where an operation between has no gradient.
    """
    for tensor in evaluation.order:
        if isinstance(tensor.node, OperationNode) and not tensor.node.has_gradient:
            raise GradientError(
                f"train: operation has no gradient; got {tensor!r} behind the cost {cost!r}; "
                "use softmax_cross_entropy_cost or mean_squared_cost"
            )
    updated = type(optimizer).updated

    def total(trained: list[Tensor], fixed: list[Tensor], values: list[Tensor]) -> Tensor:
        known = _alone(variables, trained) | _alone(others, fixed)
        known |= dict(zip(fed, map(_floating, values), strict=True))
        evaluation.run(known)
        # A cost that is the same for all examples counts for each of them.
        costs = broadcast_to(reshape(known[cost], (known[cost].shape[0],)), (batch_size,))
        return STATISTICAL["sum"](costs)

    def step(
        trained: list[Tensor],
        fixed: list[Tensor],
        slots: list[list[Tensor]],
        numbers: list[Any],
        values: list[Tensor],
    ) -> tuple[list[Tensor], list[list[Tensor]], Tensor | None]:
        cost_of_batch, gradients = value_and_grad(total)(trained, fixed, values)
        news = [
            updated(numbers, variable, gradient, *remembered)
            for variable, gradient, remembered in zip(trained, gradients, slots, strict=True)
        ]
        given = {"NONE": None, "SUM": cost_of_batch, "MEAN": cost_of_batch / batch_size}
        return [new[0] for new in news], [new[1:] for new in news], given[reduction]

    compiled: Callable[..., Any] = jit(step)
    return compiled


def _alone(tensors: Sequence[SymbolicTensor], values: Sequence[Tensor]) -> Values:
    """Values of one example, or the same for all, with the leading axis."""
    return {
        tensor: reshape(_floating(value), (1, *tensor.shape))
        for tensor, value in zip(tensors, values, strict=True)
    }


def _floating(value: Tensor) -> Tensor:
    return value if value.dtype.kind == "f" else astype(value, "float32")
