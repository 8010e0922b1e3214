"""Data sets and loaders of batches: `torch.utils.data`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
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
        self.cumulative_sizes = list(accumulate(map(len, self.datasets)))

    def __getitem__(self, index: int) -> Any:
        index = index % len(self)
        for dataset, end in zip(self.datasets, self.cumulative_sizes, strict=True):
            if index < end:
                return dataset[index - end + len(dataset)]
        raise IndexError(index)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]


def random_split(dataset: Any, lengths: Sequence[float], generator: Any = None) -> list[Subset]:
    """Divide a set at random into subsets of lengths, or of fractions that add up to 1."""
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        sizes = [math.floor(len(dataset) * share) for share in lengths]
        for at in range(len(dataset) - sum(sizes)):
            sizes[at % len(sizes)] += 1
    else:
        sizes = [int(length) for length in lengths]
    if sum(sizes) != len(dataset):
        raise ValueError(
            "Sum of input lengths does not equal the length of the input dataset; got "
            f"{list(lengths)} for {len(dataset)}"
        )
    order = random.permutation(len(dataset), generator).tolist()
    ends = list(accumulate(sizes))
    return [Subset(dataset, order[end - n : end]) for n, end in zip(sizes, ends, strict=True)]


class SequentialSampler:
    """Positions in order."""

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(SequentialSampler):
    """Positions in a random order."""

    def __init__(self, data_source: Any, generator: Any = None) -> None:
        super().__init__(data_source)
        self.generator = generator

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
        kind = RandomSampler(dataset, generator) if shuffle else SequentialSampler(dataset)
        self.sampler = kind if sampler is None else sampler
        self.batch_sampler = batch_sampler
        self.collate_fn = default_collate if collate_fn is None else collate_fn
        self.own_collate = collate_fn is not None

    def _batches(self) -> Iterator[list[Any]]:
        if self.batch_sampler is not None:
            yield from self.batch_sampler
            return
        numbers = iter(self.sampler)
        size = self.batch_size or 1
        while batch := list(islice(numbers, size)):
            if len(batch) == size or not self.drop_last:
                yield batch

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self.dataset, IterableDataset):
            samples = iter(self.dataset)
            while batch := list(islice(samples, self.batch_size or 1)):
                yield self.collate_fn(batch)
        elif self.batch_size is None and self.batch_sampler is None:
            yield from (self.dataset[at] for at in self.sampler)
        elif isinstance(self.dataset, TensorDataset) and not self.own_collate:
            # Rows are taken at once, which is one operation instead of one for each.
            for batch in self._batches():
                yield [values[tensor(batch)] for values in self.dataset.tensors]
        else:
            for batch in self._batches():
                yield self.collate_fn([self.dataset[at] for at in batch])

    def __len__(self) -> int:
        if self.batch_sampler is not None:
            return len(self.batch_sampler)
        count, size = len(self.sampler), self.batch_size or 1
        return count // size if self.drop_last else -(-count // size)
