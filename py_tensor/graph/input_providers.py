"""Input providers, which give a session one example after another."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Protocol, runtime_checkable

from .. import functions as F
from ..diagnostics.memory import keep
from ..dtypes import DType
from ..errors import ArgumentError, ShapeError
from ..ops.op_def import Shape
from ..tensor import Tensor, as_tensor, from_host
from .scopes import NDArrayMath


@runtime_checkable
class InputProvider(Protocol):
    """Protocol of objects that feed a tensor with examples.

    If a provider also has `get_next_batch(math, count)`, a session calls that once per batch
    instead.

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
        """Return the next example, which belongs to the session (getNextCopy).

        Args:
            math: `NDArrayMath` of the session.

        Returns:
            Array or tensor of the fed tensor's shape.
        """
        ...

    def dispose_copy(self, math: NDArrayMath, copy: Any) -> None:
        """Take back an example that is no longer needed (disposeCopy).

        Args:
            math: `NDArrayMath` of the session.
            copy: Result of `get_next_copy`.
        """
        ...


@runtime_checkable
class BatchInputProvider(InputProvider, Protocol):
    """Input provider that can also return many examples at once.

    >>> import py_tensor as pt
    >>> builder = pt.graph.InCPUMemoryShuffledInputProviderBuilder([[1.0, 2.0]])
    >>> isinstance(builder.get_input_provider(0), pt.graph.BatchInputProvider)
    True
    """

    def get_next_batch(self, math: NDArrayMath, count: int) -> Tensor:
        """Return the next examples along a new first axis.

        Args:
            math: `NDArrayMath` of the session.
            count: Number of examples.

        Returns:
            Tensor of shape (count, *shape of an example).
        """
        ...


class _ShuffledInputProvider:
    """Provider of one input: its examples in the builder's order, repeated."""

    def __init__(self, builder: InMemoryShuffledInputProviderBuilder, input_id: int) -> None:
        self._builder = builder
        self._input_id = input_id

    def get_next_copy(self, math: NDArrayMath) -> Tensor:
        batch = self.get_next_batch(math, 1)
        return F.reshape(batch, batch.shape[1:])

    def get_next_batch(self, math: NDArrayMath, count: int) -> Tensor:
        indices = self._builder._next_indices(self._input_id, count)
        return self._builder._examples[self._input_id].gathered(indices)

    def dispose_copy(self, math: NDArrayMath, copy: Tensor) -> None:
        copy.dispose()


class _Examples(Protocol):
    """All examples of an input, on the host or on the device."""

    count: int

    def gathered(self, indices: list[int]) -> Tensor: ...


class InMemoryShuffledInputProviderBuilder:
    """Base class of the builders: all inputs share one random order, repeated in each epoch.

    Each provider has its own position in the order, so providers that are asked equally often stay
    in step.

    Args:
        inputs: For each input all of its examples: a list of tensors, arrays or nested lists of
            one shape, or one tensor or array whose first axis counts examples.
        seed: Seed that makes the order repeatable; None (default) for a different one each time.

    Raises:
        ArgumentError: If there are no inputs.
        ShapeError: If inputs differ in length, or examples of an input in shape or dtype.
    """

    def __init__(self, inputs: Sequence[Any], *, seed: int | None = None) -> None:
        name = type(self).__name__
        if not len(inputs):
            raise ArgumentError(
                f"{name}: at least one input is required; got an empty sequence; pass an input"
            )
        counts = {len(examples) for examples in inputs}
        if len(counts) > 1 or 0 in counts:
            raise ShapeError(
                f"{name}: inputs must have equal numbers of examples, at least one; got "
                f"{[len(x) for x in inputs]}; pass as many examples of each input"
            )
        self._count = counts.pop()
        self._examples = [self._stored(_stacked(name, examples)) for examples in inputs]
        self._order = list(range(self._count))
        Random(seed).shuffle(self._order)
        self._given = [0] * len(self._examples)

    def _stored(self, examples: Tensor) -> _Examples:
        raise NotImplementedError

    def _next_indices(self, input_id: int, count: int) -> list[int]:
        first = self._given[input_id]
        self._given[input_id] += count
        return [self._order[at % self._count] for at in range(first, first + count)]

    def get_epoch(self) -> int:
        """Return the number of times that every input has provided all of its examples (getEpoch).

        >>> import py_tensor as pt
        >>> builder = pt.graph.InCPUMemoryShuffledInputProviderBuilder([[1.0, 2.0]], seed=0)
        >>> batch = builder.get_input_provider(0).get_next_batch(pt.graph.math, 5)
        >>> builder.get_epoch()
        2
        """
        return min(self._given) // self._count

    def get_input_provider(self, input_id: int) -> BatchInputProvider:
        """Return the provider of one input (getInputProvider).

        Args:
            input_id: Index of the input, counted from 0.

        Raises:
            ArgumentError: If there is no such input.

        >>> import py_tensor as pt
        >>> builder = pt.graph.InCPUMemoryShuffledInputProviderBuilder([[1.0, 2.0]], seed=0)
        >>> sorted(builder.get_input_provider(0).get_next_batch(pt.graph.math, 2).tolist())
        [1.0, 2.0]
        """
        if not 0 <= input_id < len(self._examples):
            raise ArgumentError(
                f"{type(self).__name__}: unknown input; got {input_id}; use 0 to "
                f"{len(self._examples) - 1}"
            )
        return _ShuffledInputProvider(self, input_id)

    def get_input_providers(self) -> list[BatchInputProvider]:
        """Return a provider for each input, in order (getInputProviders).

        >>> import py_tensor as pt
        >>> builder = pt.graph.InCPUMemoryShuffledInputProviderBuilder([[1.0, 2.0]], seed=0)
        >>> len(builder.get_input_providers())
        1
        """
        return [self.get_input_provider(at) for at in range(len(self._examples))]


class InCPUMemoryShuffledInputProviderBuilder(InMemoryShuffledInputProviderBuilder):
    """Builder of providers whose examples stay in host memory and are uploaded when fed.

    Arguments and errors are those of `InMemoryShuffledInputProviderBuilder`.

    Args:
        inputs: For each input all of its examples.
        seed: Seed that makes the order repeatable; None (default).

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
    """Builder of providers whose examples stay on the GPU, one texture per input.

    It is faster than `InCPUMemoryShuffledInputProviderBuilder`, but uses GPU memory.

    Args:
        inputs: For each input all of its examples.
        seed: Seed that makes the order repeatable; None (default).

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

    def gathered(self, indices: list[int]) -> Tensor:
        size = len(self._bytes) // self.count
        data = b"".join([self._bytes[at * size : (at + 1) * size] for at in indices])
        return from_host(data, (len(indices), *self._shape), self._dtype, "get_next_batch")


class _OnDevice:
    """Examples as one tensor."""

    def __init__(self, examples: Tensor) -> None:
        self.count = examples.shape[0]
        self._tensor = keep(F.asarray(examples, copy=True))

    def gathered(self, indices: list[int]) -> Tensor:
        return F.take(self._tensor, F.asarray(indices), axis=0)


def _stacked(name: str, examples: Any) -> Tensor:
    """Stack all examples of an input to one tensor."""
    if not isinstance(examples, (list, tuple)):
        return as_tensor(name, examples)
    if not any(hasattr(example, "shape") for example in examples):
        return as_tensor(name, examples)
    tensors = [as_tensor(name, example) for example in examples]
    for tensor in tensors:
        if (tensor.shape, tensor.dtype) != (tensors[0].shape, tensors[0].dtype):
            raise ShapeError(
                f"{name}: examples of an input must have the same shape and dtype; got "
                f"{tensor._spec} and {tensors[0]._spec}; convert them"
            )
    buffers = [tensor._node.buffer for tensor in tensors]
    if any(buffer is None or buffer.host is None for buffer in buffers):
        return F.stack(tensors)
    data = b"".join([bytes(buffer.host) for buffer in buffers])
    shape = (len(tensors), *tensors[0].shape)
    return from_host(data, shape, tensors[0].dtype, name)
