"""Sessions, which evaluate and train graphs.

Input: a graph and a feed. Output: values and trained variables. A batch is one pass over the
graph, traced once by `pt.jit`; each further step runs one plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Any

from ..diagnostics.memory import keep
from ..errors import ArgumentError, TraceError
from ..functions.conversion import asarray
from ..functions.creation import zeros
from ..runtime.scopes import state
from ..tensor import Tensor
from .evaluation import (
    GraphEvaluation,
    current_data,
    evaluation_function,
    training_step,
    variable_node,
)
from .feeds import Feed, FeedEntries, feed_of, loaded
from .graph import Graph
from .input_providers import InputProvider
from .optimizers import Optimizer
from .scopes import NDArrayMath, math as default_math
from .symbols import SymbolicTensor, tensor_of


class CostReduction(Enum):
    """Result of `Session.train`: 0 (NONE), or the SUM or MEAN of a batch's costs.

    >>> import py_tensor as pt
    >>> [reduction.name for reduction in pt.graph.CostReduction]
    ['NONE', 'SUM', 'MEAN']
    """

    NONE = 0
    SUM = 1
    MEAN = 2


class Session:
    """Evaluate tensors of a graph and train its variables.

    Args:
        graph: Graph to evaluate.
        math: `NDArrayMath`; None (default) for `pt.graph.math`. In its safe mode, `eval`,
            `eval_all` and `train` raise ScopeError outside of scopes.

    >>> import py_tensor as pt
    >>> graph = pt.graph.Graph()
    >>> x, label = graph.placeholder("x", [2]), graph.placeholder("label", [1])
    >>> y = graph.matmul(graph.variable("w", pt.zeros((1, 2))), x)
    >>> cost = graph.mean_squared_cost(label, y)
    >>> examples = [[[1.0, 0.0], [0.0, 1.0]], [[2.0], [3.0]]]
    >>> builder = pt.graph.InGPUMemoryShuffledInputProviderBuilder(examples, seed=0)
    >>> feed = list(zip([x, label], builder.get_input_providers()))
    >>> session, optimizer = pt.graph.Session(graph), pt.graph.SGDOptimizer(1.0)
    >>> for _ in range(30):
    ...     last = session.train(cost, feed, 2, optimizer, pt.graph.CostReduction.MEAN)
    >>> [round(value, 3) for value in session.eval(y, [(x, [10.0, 1.0])]).tolist()]
    [23.0]
    """

    def __init__(self, graph: Graph, math: NDArrayMath | None = None) -> None:
        self.graph = graph
        self.math = default_math if math is None else math
        self._evaluations: dict[tuple[Any, ...], GraphEvaluation] = {}
        self._functions: dict[tuple[Any, ...], Callable[..., Any]] = {}
        self._latest: tuple[Feed, bool] | None = None
        """Latest feed, and True if it was a batch."""

    def dispose(self) -> None:
        """Free the session's traces and its latest feed. Variables keep their values."""
        self._evaluations.clear()
        self._functions.clear()
        self._latest = None

    @property
    def activation_array_map(self) -> TensorArrayMap:
        """Values that tensors had in the latest evaluation (activationArrayMap)."""
        return TensorArrayMap(self)

    # --- evaluating -----------------------------------------------------------------------------

    def eval(self, tensor: SymbolicTensor, feed_entries: FeedEntries = ()) -> Tensor:
        """Return the value of a tensor for one example.

        Args:
            tensor: Tensor of the graph.
            feed_entries: `FeedEntry` objects or pairs (tensor, data), as for `eval_all`.

        Returns:
            Tensor of the symbolic tensor's shape.

        Raises:
            ArgumentError: If a tensor is of another graph, or a placeholder is not fed.
            ShapeError: If data has another shape.
            ScopeError: In safe mode outside of scopes.

        >>> import py_tensor as pt
        >>> graph = pt.graph.Graph()
        >>> x = graph.placeholder("x", [2])
        >>> pt.graph.Session(graph).eval(graph.exp(x), [(x, [0.0, 0.0])]).tolist()
        [1.0, 1.0]
        """
        return self._evaluated("eval", [tensor], feed_entries)[0]

    def eval_all(
        self, tensors: Sequence[SymbolicTensor], feed_entries: FeedEntries = ()
    ) -> list[Tensor]:
        """Return the values of several tensors for one example (evalAll).

        Args:
            tensors: Tensors of the graph.
            feed_entries: `FeedEntry` objects or pairs (tensor, data). Data is an array of the
                tensor's shape, or an input provider, which is asked for one example. Values that
                are not floating are converted to float32.

        Returns:
            List of tensors of the symbolic tensors' shapes.

        Raises:
            ArgumentError: If a tensor is of another graph, or a placeholder is not fed.
            ShapeError: If data has another shape.
            ScopeError: In safe mode outside of scopes.

        >>> import py_tensor as pt
        >>> graph = pt.graph.Graph()
        >>> x = graph.placeholder("x", [2])
        >>> wanted = [graph.square(x), graph.reduce_sum(x)]
        >>> found = pt.graph.Session(graph).eval_all(wanted, [(x, [1.0, 2.0])])
        >>> [value.tolist() for value in found]
        [[1.0, 4.0], 3.0]
        """
        return self._evaluated("eval_all", tensors, feed_entries)

    def _evaluated(
        self, operation: str, tensors: Sequence[SymbolicTensor], entries: FeedEntries
    ) -> list[Tensor]:
        self.math.require_scope(operation)
        feed = feed_of(operation, self.graph, entries)
        wanted = [tensor_of(operation, self.graph, tensor) for tensor in tensors]
        with loaded(operation, feed, self.math) as values:
            self._keep_feed(feed, values, batch=False)
            return self._computed(operation, wanted, feed, values)

    def _computed(
        self,
        operation: str,
        wanted: Sequence[SymbolicTensor],
        feed: Iterable[SymbolicTensor],
        values: Sequence[Tensor],
    ) -> list[Tensor]:
        fed = [*feed]
        key = (*wanted, None, *fed)
        evaluation = self._evaluation(operation, key, wanted, fed)
        if key not in self._functions:
            self._functions[key] = evaluation_function(evaluation, wanted, fed)
        results: list[Tensor] = self._functions[key](current_data(evaluation.variables), [*values])
        return results

    def _evaluation(
        self,
        operation: str,
        key: tuple[Any, ...],
        wanted: Sequence[SymbolicTensor],
        fed: Sequence[SymbolicTensor],
    ) -> GraphEvaluation:
        if key not in self._evaluations:
            self._evaluations[key] = GraphEvaluation(operation, wanted, fed)
        return self._evaluations[key]

    def _keep_feed(self, feed: Feed, values: Sequence[Tensor], batch: bool) -> None:
        handles = [keep(asarray(value, copy=True)) for value in values]
        self._latest = dict(zip(feed, handles, strict=True)), batch

    # --- training -------------------------------------------------------------------------------

    def train(
        self,
        cost_tensor: SymbolicTensor,
        feed_entries: FeedEntries,
        batch_size: int,
        optimizer: Optimizer,
        cost_reduction: CostReduction = CostReduction.NONE,
    ) -> Tensor:
        """Train the variables for one batch, and return its cost.

        The gradients of the examples' costs are summed. The optimizer divides its step by the batch
        size.

        Args:
            cost_tensor: Tensor of a single element to minimize.
            feed_entries: `FeedEntry` objects or pairs (tensor, input provider). Each provider is
                asked for `batch_size` examples.
            batch_size: Number of examples, at least 1.
            optimizer: `pt.graph.Optimizer` that updates the variables.
            cost_reduction: `CostReduction.NONE` (default), SUM or MEAN.

        Returns:
            Tensor of shape (): the sum or the mean of the costs before the step, or 0 for NONE.

        Raises:
            ArgumentError: If an array is fed instead of a provider, a placeholder is not fed, or
                the cost depends on no variable.
            GradientError: If the cost depends on argmax or argmax_equals.
            ScopeError: In safe mode outside of scopes.
            TraceError: Inside of `pt.jit`.

        >>> import py_tensor as pt
        >>> graph = pt.graph.Graph()
        >>> w = graph.variable("w", 3.0)
        >>> session, optimizer = pt.graph.Session(graph), pt.graph.SGDOptimizer(0.25)
        >>> cost = session.train(graph.square(w), [], 1, optimizer, pt.graph.CostReduction.SUM)
        >>> cost.item(), w.node.data.item()
        (9.0, 1.5)
        """
        self.math.require_scope("train")
        cost = tensor_of("train", self.graph, cost_tensor)
        feed = feed_of("train", self.graph, feed_entries)
        self._check_training(cost, feed, batch_size)
        reduction = CostReduction(cost_reduction)
        fed = [*feed]
        evaluation = self._evaluation("train", (cost, None, *fed), [cost], fed)
        variables = optimizer.variables_among(evaluation.variables)
        constants = [tensor for tensor in evaluation.variables if tensor not in variables]
        key = (cost, *fed, None, *variables, batch_size, reduction, type(optimizer))
        if key not in self._functions:
            self._functions[key] = training_step(
                evaluation, cost, fed, variables, constants, batch_size, reduction.name, optimizer
            )
        nodes = [variable_node(tensor) for tensor in variables]
        with loaded("train", feed, self.math, batch_size) as values:
            self._keep_feed(feed, values, batch=True)
            updated, slots, total = self._functions[key](
                current_data(variables),
                current_data(constants),
                optimizer.remembered(nodes),
                optimizer.numbers(batch_size),
                values,
            )
        for node, tensor in zip(nodes, updated, strict=True):
            node.data = tensor
        optimizer.remember(nodes, slots)
        return zeros(()) if total is None else total

    def _check_training(self, cost: SymbolicTensor, feed: Feed, batch_size: int) -> None:
        if state.trace is not None:
            raise TraceError(
                f"train: sessions cannot be trained inside jit; got a call in {state.trace.name}; "
                "call it outside; its steps are already compiled"
            )
        if cost.size != 1:
            raise ArgumentError(
                f"train: cost must be a single number; got {cost!r}; use reduce_sum"
            )
        if not isinstance(batch_size, int) or batch_size < 1:
            raise ArgumentError(
                f"train: batch_size is invalid; got {batch_size!r}; use an integer of at least 1"
            )
        for tensor, data in feed.items():
            if not isinstance(data, InputProvider):
                raise ArgumentError(
                    f"train: data must be an input provider; got {type(data).__name__} for "
                    f"{tensor!r}; use InCPUMemoryShuffledInputProviderBuilder or an object with "
                    "get_next_copy and dispose_copy"
                )


class TensorArrayMap:
    """Values of a graph's tensors for the latest feed of a session.

    Values are computed on request, with the variables' current data. After `train`, they
    belong to the batch's last example.

    >>> import py_tensor as pt
    >>> graph = pt.graph.Graph()
    >>> x = graph.placeholder("x", [2])
    >>> inner = graph.square(x)
    >>> session = pt.graph.Session(graph)
    >>> y = session.eval(graph.reduce_sum(inner), [(x, [1.0, 2.0])])
    >>> session.activation_array_map.get(inner).tolist()
    [1.0, 4.0]
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def get(self, tensor: SymbolicTensor) -> Tensor:
        """Return the value of a tensor.

        Args:
            tensor: Tensor of the session's graph.

        Returns:
            Tensor of the symbolic tensor's shape.

        Raises:
            ArgumentError: Before the first evaluation, or if the tensor depends on a placeholder
                that the latest feed lacks.

        >>> import py_tensor as pt
        >>> graph = pt.graph.Graph()
        >>> x = graph.square(graph.constant(3.0))
        >>> session = pt.graph.Session(graph)
        >>> y = session.eval(graph.exp(x))
        >>> session.activation_array_map.get(x).item()
        9.0
        """
        session = self._session
        if session._latest is None:
            raise ArgumentError(
                f"activation_array_map: the tensor has not been evaluated; got {tensor!r}; call "
                "eval or train first"
            )
        feed, batch = session._latest
        wanted = [tensor_of("activation_array_map", session.graph, tensor)]
        values = [value[-1] if batch else value for value in feed.values()]
        return session._computed("activation_array_map", wanted, feed, values)[0]
