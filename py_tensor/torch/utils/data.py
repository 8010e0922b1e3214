"""Data sets and loaders of batches: `torch.utils.data`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from .. import random
from ..methods import FUNCTIONS, tensor
from ..tensor import Tensor


class Dataset:
    """Base class of sets of samples that are found by their number.

    >>> import py_tensor.torch as torch
    >>> class Squares(torch.utils.data.Dataset):
    ...     def __len__(self):
    ...         return 4
    ...     def __getitem__(self, at):
    ...         return torch.tensor(at * at)
    >>> [batch.tolist() for batch in torch.utils.data.DataLoader(Squares(), batch_size=2)]
    [[0, 1], [4, 9]]
    """

    def __class_getitem__(cls, item: object) -> type[Dataset]:
        return cls

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__}: __len__ is missing; define it")

    def __add__(self, other: Dataset) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """Base class of sets of samples that are iterated over."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError


class TensorDataset(Dataset):
    """Samples that are rows of tensors."""

    def __init__(self, *tensors: Tensor) -> None:
        if len({len(tensor) for tensor in tensors}) > 1:
            raise AssertionError(
                f"Size mismatch between tensors; got {[len(tensor) for tensor in tensors]}"
            )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return len(self.tensors[0])


class Subset(Dataset):
    """Samples of a set at positions."""

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> Any:
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


class ConcatDataset(Dataset):
    """Samples of several sets, one after another."""

    def __init__(self, datasets: Sequence[Any]) -> None:
        self.datasets = list(datasets)
        self.places = [(data, at) for data in self.datasets for at in range(len(data))]

    def __getitem__(self, index: int) -> Any:
        data, at = self.places[index]
        return data[at]

    def __len__(self) -> int:
        return len(self.places)


def random_split(dataset: Any, lengths: Sequence[float], generator: Any = None) -> list[Subset]:
    """Divide a set at random into subsets of lengths, or of fractions that add up to 1."""
    sizes = [int(length) for length in lengths]
    if math.isclose(sum(lengths), 1):
        sizes = [math.floor(len(dataset) * share) for share in lengths]
        for at in range(len(dataset) - sum(sizes)):
            sizes[at % len(sizes)] += 1
    if sum(sizes) != len(dataset):
        raise ValueError(
            "Sum of input lengths does not equal the length of the input dataset; got "
            f"{list(lengths)} for {len(dataset)}"
        )
    order = iter(random.permutation(len(dataset), generator).tolist())
    return [Subset(dataset, list(islice(order, size))) for size in sizes]


class SequentialSampler:
    """Positions in order."""

    def __init__(self, data_source: Any, generator: Any = None) -> None:
        self.data_source, self.generator = data_source, generator

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(SequentialSampler):
    """Positions in a random order."""

    def __iter__(self) -> Iterator[int]:
        return iter(random.permutation(len(self.data_source), self.generator).tolist())


def default_collate(batch: Sequence[Any]) -> Any:
    """Stack the tensors and numbers of samples, which may be in tuples, lists and dicts."""
    first = batch[0]
    if isinstance(first, Tensor):
        return FUNCTIONS["stack"](batch)
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return {name: default_collate([sample[name] for sample in batch]) for name in first}
    if isinstance(first, tuple | list):
        parts = [default_collate(column) for column in zip(*batch, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else parts
    return tensor(list(batch))


class DataLoader:
    """Iterate over batches of a set.

    Samples are loaded one after another: `num_workers` and the like are ignored.
    """

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = False,
        sampler: Any = None, batch_sampler: Any = None, num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None, pin_memory: bool = False,
        drop_last: bool = False, *args: Any, generator: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        kind = RandomSampler if shuffle else SequentialSampler
        self.sampler = kind(dataset, generator) if sampler is None else sampler
        self.batch_sampler, self.collate_fn = batch_sampler, collate_fn or default_collate

    def _batches(self, numbers: Iterable[Any]) -> Iterator[list[Any]]:
        numbers, size = iter(numbers), self.batch_size or 1
        while batch := list(islice(numbers, size)):
            if len(batch) == size or not self.drop_last:
                yield batch

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self.dataset, IterableDataset):
            yield from map(self.collate_fn, self._batches(self.dataset))
        elif self.batch_size is None and self.batch_sampler is None:
            yield from (self.dataset[at] for at in self.sampler)
        else:
            for batch in self.batch_sampler or self._batches(self.sampler):
                if isinstance(self.dataset, TensorDataset) and self.collate_fn is default_collate:
                    # Rows are taken at once, which is one operation instead of one for each.
                    yield [values[tensor(batch)] for values in self.dataset.tensors]
                else:
                    yield self.collate_fn([self.dataset[at] for at in batch])

    def __len__(self) -> int:
        if self.batch_sampler is not None:
            return len(self.batch_sampler)
        count, size = len(self.sampler), self.batch_size or 1
        return count // size if self.drop_last else -(-count // size)
