"""Convert a user's feed entries to the tensors that a session computes with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..errors import ArgumentError, ShapeError
from ..functions.joining import stack
from ..ops.op_def import Shape
from ..tensor import Tensor, as_tensor
from .graph import Graph
from .input_providers import BatchInputProvider, InputProvider
from .scopes import NDArrayMath
from .symbols import SymbolicTensor, tensor_of

Feed = dict[SymbolicTensor, Any]
"""Arrays and input providers by the tensor they feed."""

FeedEntries = Iterable[tuple[SymbolicTensor, Any]]
"""Feed entries, or equivalent pairs."""


class FeedEntry(NamedTuple):
    """Value for a tensor of a graph; a pair (tensor, data) is equivalent.

    Any tensor of a graph can be fed, and a placeholder must be. Inputs of a fed tensor are not
    computed.

    Args:
        tensor: Tensor of the graph.
        data: Array of the tensor's shape, or an `InputProvider` of such arrays.

    >>> import py_tensor as pt
    >>> x = pt.graph.Graph().placeholder("x", [2])
    >>> pt.graph.FeedEntry(x, [1.0, 2.0]).data
    [1.0, 2.0]
    """

    tensor: SymbolicTensor
    data: Any


def feed_of(operation: str, graph: Graph, entries: FeedEntries) -> Feed:
    """Return the entries by tensor.

    Raises ArgumentError for tensors of other graphs, and for a tensor that is fed twice.
    """
    feed: Feed = {}
    for entry in entries:
        if not isinstance(entry, tuple) or len(entry) != 2:
            raise ArgumentError(
                f"{operation}: feed must consist of FeedEntry objects; got {entry!r:.60}; pass "
                "FeedEntry(tensor, data)"
            )
        tensor = tensor_of(operation, graph, entry[0])
        if tensor in feed:
            raise ArgumentError(
                f"{operation}: tensor is fed twice; got two entries for {tensor!r}; pass only one"
            )
        feed[tensor] = entry[1]
    return feed


@contextmanager
def loaded(
    operation: str, feed: Feed, math: NDArrayMath, count: int | None = None
) -> Iterator[list[Tensor]]:
    """Yield the fed values in order: of one example, or of `count` along a new first axis.

    As in deeplearn.js, providers are asked for one example at a time, and get their copies back at
    the end. Raises ShapeError for values that differ in shape from their tensor.
    """
    copies: list[tuple[InputProvider, Any]] = []
    examples: dict[SymbolicTensor, list[Tensor]] = {}
    values: dict[SymbolicTensor, Tensor] = {}
    try:
        for tensor, data in feed.items():
            if count is not None and isinstance(data, BatchInputProvider):
                batch = data.get_next_batch(math, count)
                values[tensor] = _fitting(operation, tensor, batch, (count, *tensor.shape))
            elif isinstance(data, InputProvider):
                examples[tensor] = []
            else:
                values[tensor] = _fitting(operation, tensor, data, tensor.shape)
        for _ in range(1 if count is None else count):
            for tensor, of_tensor in examples.items():
                copy = feed[tensor].get_next_copy(math)
                copies.append((feed[tensor], copy))
                of_tensor.append(_fitting(operation, tensor, copy, tensor.shape))
        for tensor, of_tensor in examples.items():
            values[tensor] = of_tensor[0] if count is None else stack(of_tensor)
        yield [values[tensor] for tensor in feed]
    finally:
        for provider, copy in copies:
            provider.dispose_copy(math, copy)


def _fitting(operation: str, tensor: SymbolicTensor, data: Any, shape: Shape) -> Tensor:
    value = as_tensor(operation, data)
    if value.shape != shape:
        raise ShapeError(
            f"{operation}: value has the wrong shape; got {value.shape} for {tensor!r}; feed shape "
            f"{shape}"
        )
    return value
