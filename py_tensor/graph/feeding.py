"""What is fed: entries as the user gives them, and the tensors that are computed with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..errors import ArgumentError, ShapeError
from ..functions.joining import stack
from ..ops.rows import Shape
from ..tensor import Tensor, as_tensor
from .graph import Graph
from .input_providers import BatchInputProvider, InputProvider
from .scopes import NDArrayMath
from .symbols import SymbolicTensor, tensor_of

Feed = dict[SymbolicTensor, Any]
"""Arrays and input providers, by the tensors that they feed."""

Entries = Iterable[tuple[SymbolicTensor, Any]]
"""Feed entries, or such pairs."""


class FeedEntry(NamedTuple):
    """What feeds a tensor of a graph: an array of its shape, or an `InputProvider` of such.

    A pair (tensor, data) is as good. Any tensor of the graph can be fed, a placeholder must be:
    what a fed tensor would be computed from is not looked at.

    >>> import py_tensor as pt
    >>> x = pt.graph.Graph().placeholder("x", [2])
    >>> pt.graph.FeedEntry(x, [1.0, 2.0]).data
    [1.0, 2.0]
    """

    tensor: SymbolicTensor
    data: Any


def feed_of(operation: str, graph: Graph, entries: Entries) -> Feed:
    """The entries by their tensors. Raises ArgumentError for tensors not of the graph, or twice."""
    feed: Feed = {}
    for entry in entries:
        if not isinstance(entry, tuple) or len(entry) != 2:
            raise ArgumentError(
                f"{operation}: no feed entry; got {entry!r:.60}; give FeedEntry(tensor, data)"
            )
        tensor = tensor_of(operation, graph, entry[0])
        if tensor in feed:
            raise ArgumentError(
                f"{operation}: tensor is fed twice; got two entries for {tensor!r}; give one"
            )
        feed[tensor] = entry[1]
    return feed


@contextmanager
def loaded(
    operation: str, feed: Feed, math: NDArrayMath, count: int | None = None
) -> Iterator[list[Tensor]]:
    """The values fed, in their order: of one example, or of `count` along a new first axis.

    Providers are asked as deeplearn.js asks them, example by example, and get their copies back in
    the end. Raises ShapeError for values that have not their tensor's shape.
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
            for tensor, found in examples.items():
                copy = feed[tensor].get_next_copy(math)
                copies.append((feed[tensor], copy))
                found.append(_fitting(operation, tensor, copy, tensor.shape))
        for tensor, found in examples.items():
            values[tensor] = found[0] if count is None else stack(found)
        yield [values[tensor] for tensor in feed]
    finally:
        for provider, copy in copies:
            provider.dispose_copy(math, copy)


def _fitting(operation: str, tensor: SymbolicTensor, data: Any, shape: Shape) -> Tensor:
    value = as_tensor(operation, data)
    if value.shape != shape:
        raise ShapeError(
            f"{operation}: value fed has another shape; got {value.shape} for {tensor!r}; "
            f"feed shape {shape}"
        )
    return value
