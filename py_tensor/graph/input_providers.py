"""Where examples come from: providers, which give one after another to a session."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Protocol, runtime_checkable

from ..accounting import keep
from ..dtypes import DType
from ..errors import ArgumentError, ShapeError
from ..functions.indexing import take
from ..functions.joining import stack
from ..functions.manipulation import reshape
from ..ops.rows import Shape
from ..tensor import Tensor, as_tensor, asarray, from_host
from .scopes import NDArrayMath


@runtime_checkable
class InputProvider(Protocol):
    """What feeds a tensor with examples: anything with these methods.

    One that also has `get_next_batch(math, count)` is asked for all examples of a batch at once, as
    one tensor with an axis of `count` in front of the shape of an example.

    >>> import py_tensor as pt
    >>> class Counter:
    ...     count = 0
    ...     def get_next_copy(self, math):
    ...         self.count += 1
    ...         return pt.asarray(float(self.count))
    ...     def dispose_copy(self, math, copy):
    ...         copy.dispose()
    >>> isinstance(Counter(), pt.graph.InputProvider)
    True
    """

    def get_next_copy(self, math: NDArrayMath) -> Any:
        """The next example, for the session alone (getNextCopy)."""
        ...

    def dispose_copy(self, math: NDArrayMath, copy: Any) -> None:
        """Called with what `get_next_copy` gave when it is no longer needed (disposeCopy)."""
        ...


@runtime_checkable
class BatchInputProvider(InputProvider, Protocol):
    """An input provider that gives many examples at once, too.

    >>> import py_tensor as pt
    >>> builder = pt.graph.InCPUMemoryShuffledInputProviderBuilder([[1.0, 2.0]])
    >>> isinstance(builder.get_input_provider(0), pt.graph.BatchInputProvider)
    True
    """

    def get_next_batch(self, math: NDArrayMath, count: int) -> Tensor:
        """The next `count` examples, along the first axis."""
        ...


class _ShuffledInputProvider:
    """One input of a builder: its examples in the builder's order, again and again."""

    def __init__(self, builder: InMemoryShuffledInputProviderBuilder, input_id: int) -> None:
        self._builder = builder
        self._input_id = input_id

    def get_next_copy(self, math: NDArrayMath) -> Tensor:
        batch = self.get_next_batch(math, 1)
        return reshape(batch, batch.shape[1:])

    def get_next_batch(self, math: NDArrayMath, count: int) -> Tensor:
        places = self._builder._next_places(self._input_id, count)
        return self._builder._examples[self._input_id].gathered(places)

    def dispose_copy(self, math: NDArrayMath, copy: Tensor) -> None:
        copy.dispose()


class _Examples(Protocol):
    """All examples of an input, somewhere."""

    count: int

    def gathered(self, places: list[int]) -> Tensor: ...


class InMemoryShuffledInputProviderBuilder:
    """Base of the builders below: inputs in one shuffled order, which stays over all epochs.

    `inputs` has for each input all of its examples: a list of tensors, arrays or nested lists of
    one shape, or one tensor or array whose first axis counts them. Each provider has a place of its
    own in the order, so those that are asked equally often stay in step. `seed` makes the order the
    same each time. Raises ShapeError where inputs differ in length or examples in shape.
    """

    def __init__(self, inputs: Sequence[Any], *, seed: int | None = None) -> None:
        name = type(self).__name__
        if not len(inputs):
            raise ArgumentError(f"{name}: no inputs; got an empty sequence; give at least one")
        counts = {len(examples) for examples in inputs}
        if len(counts) > 1 or 0 in counts:
            raise ShapeError(
                f"{name}: numbers of examples do not fit; got {[len(x) for x in inputs]}; "
                "give as many of each input, at least one"
            )
        self._count = counts.pop()
        self._examples = [self._stored(_stacked(name, examples)) for examples in inputs]
        self._order = list(range(self._count))
        Random(seed).shuffle(self._order)
        self._given = [0] * len(self._examples)

    def _stored(self, examples: Tensor) -> _Examples:
        raise NotImplementedError

    def _next_places(self, input_id: int, count: int) -> list[int]:
        first = self._given[input_id]
        self._given[input_id] += count
        return [self._order[at % self._count] for at in range(first, first + count)]

    def get_epoch(self) -> int:
        """How often every input has given all of its examples (getEpoch).

        >>> import py_tensor as pt
        >>> builder = pt.graph.InCPUMemoryShuffledInputProviderBuilder([[1.0, 2.0]], seed=0)
        >>> batch = builder.get_input_provider(0).get_next_batch(pt.graph.math, 5)
        >>> builder.get_epoch()
        2
        """
        return min(self._given) // self._count

    def get_input_provider(self, input_id: int) -> BatchInputProvider:
        """The provider of one input, by its number from 0 on (getInputProvider).

        Raises ArgumentError for other numbers.

        >>> import py_tensor as pt
        >>> builder = pt.graph.InCPUMemoryShuffledInputProviderBuilder([[1.0, 2.0]], seed=0)
        >>> sorted(builder.get_input_provider(0).get_next_batch(pt.graph.math, 2).tolist())
        [1.0, 2.0]
        """
        if not 0 <= input_id < len(self._examples):
            raise ArgumentError(
                f"{type(self).__name__}: no such input; got {input_id}; "
                f"use 0 to {len(self._examples) - 1}"
            )
        return _ShuffledInputProvider(self, input_id)

    def get_input_providers(self) -> list[BatchInputProvider]:
        """A provider for each input, in their order (getInputProviders).

        >>> import py_tensor as pt
        >>> builder = pt.graph.InCPUMemoryShuffledInputProviderBuilder([[1.0, 2.0]], seed=0)
        >>> len(builder.get_input_providers())
        1
        """
        return [self.get_input_provider(at) for at in range(len(self._examples))]


class InCPUMemoryShuffledInputProviderBuilder(InMemoryShuffledInputProviderBuilder):
    """Providers of examples that are kept in Python's memory, and uploaded when they are fed.

    >>> import py_tensor as pt
    >>> inputs, labels = [[1.0, 2.0], [3.0, 4.0]], [3.0, 7.0]
    >>> builder = pt.graph.InCPUMemoryShuffledInputProviderBuilder([inputs, labels], seed=0)
    >>> x, label = [p.get_next_copy(pt.graph.math) for p in builder.get_input_providers()]
    >>> sum(x.tolist()) == label.item()
    True
    """

    def _stored(self, examples: Tensor) -> _Examples:
        return _OnHost(examples)


class InGPUMemoryShuffledInputProviderBuilder(InMemoryShuffledInputProviderBuilder):
    """Providers of examples that are kept on the GPU, one texture an input, and gathered there.

    Quicker than InCPUMemoryShuffledInputProviderBuilder, for GPU memory.

    >>> import py_tensor as pt
    >>> builder = pt.graph.InGPUMemoryShuffledInputProviderBuilder([pt.ones((8, 2))], seed=0)
    >>> [provider] = builder.get_input_providers()
    >>> provider.get_next_batch(pt.graph.math, 4).shape
    (4, 2)
    """

    def _stored(self, examples: Tensor) -> _Examples:
        return _OnDevice(examples)


class _OnHost:
    """Examples as bytes."""

    def __init__(self, examples: Tensor) -> None:
        self.count, *rest = examples.shape
        self._shape: Shape = tuple(rest)
        self._dtype: DType = examples.dtype
        self._bytes = memoryview(bytes(examples))

    def gathered(self, places: list[int]) -> Tensor:
        size = len(self._bytes) // self.count
        data = b"".join([self._bytes[at * size : (at + 1) * size] for at in places])
        return from_host(data, (len(places), *self._shape), self._dtype, "get_next_batch")


class _OnDevice:
    """Examples as one tensor."""

    def __init__(self, examples: Tensor) -> None:
        self.count = examples.shape[0]
        self._tensor = keep(asarray(examples, copy=True))

    def gathered(self, places: list[int]) -> Tensor:
        return take(self._tensor, asarray(places), axis=0)


def _stacked(name: str, examples: Any) -> Tensor:
    """One tensor of all examples of an input."""
    if not isinstance(examples, (list, tuple)):
        return as_tensor(name, examples)
    if not any(hasattr(example, "shape") for example in examples):
        return as_tensor(name, examples)
    tensors = [as_tensor(name, example) for example in examples]
    for tensor in tensors:
        if (tensor.shape, tensor.dtype) != (tensors[0].shape, tensors[0].dtype):
            raise ShapeError(
                f"{name}: examples of an input differ; got {tensor._spec} beside "
                f"{tensors[0]._spec}; give one shape and dtype"
            )
    buffers = [tensor._node.buffer for tensor in tensors]
    if any(buffer is None or buffer.host is None for buffer in buffers):
        return stack(tensors)
    data = b"".join([bytes(buffer.host) for buffer in buffers])
    shape = (len(tensors), *tensors[0].shape)
    return from_host(data, shape, tensors[0].dtype, name)
