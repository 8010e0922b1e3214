"""Run a kernel's function in plain Python, one element after the other.

Input: the function and its arguments. Output: tensors of the results. Breakpoints in the function
stop here, and `print` works.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

from ..dtypes import DType
from ..functions.manipulation import broadcast_arrays, reshape
from ..ops.index_map import row_major
from ..runtime.evaluators import cast
from ..runtime.host_data import packed
from ..tensor import Tensor, as_tensor, from_host
from .builder import PythonNumber
from .calls import KernelArgument


class ElementReader:
    """A tensor as a kernel's function sees it: its shape, and its elements at any position."""

    def __init__(self, tensor: Tensor, border: str) -> None:
        self.shape = tensor.shape
        self.ndim = tensor.ndim
        self._values: list[PythonNumber] = reshape(tensor, (-1,)).tolist()
        self._border = border

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: int | tuple[int, ...]) -> PythonNumber:
        keys = key if isinstance(key, tuple) else (key,)
        position = 0
        for index, length, step in zip(keys, self.shape, row_major(self.shape), strict=True):
            if self._border == "zero" and not 0 <= index < length:
                return type(self._values[0])()
            if self._border == "wrap":
                index %= length
            position += min(max(index, 0), length - 1) * step
        return self._values[position]


class ElementWriter(ElementReader):
    """A tensor that a kernel's function writes. Positions outside of it are ignored."""

    def __init__(self, tensor: Tensor) -> None:
        super().__init__(tensor, "clamp")
        self._dtype = tensor.dtype

    def __setitem__(self, key: int | tuple[int, ...], value: PythonNumber) -> None:
        keys = key if isinstance(key, tuple) else (key,)
        position = 0
        for index, length, step in zip(keys, self.shape, row_major(self.shape), strict=True):
            if not 0 <= index < length:
                return
            position += index * step
        self._values[position] = value

    def tensor(self) -> Tensor:
        """Return the tensor with the values that were written."""
        return _tensor(self._values, self._dtype, self.shape)


def run_plainly(
    function: Callable[..., object],
    values: Sequence[KernelArgument],
    shape: tuple[int, ...] | None,
    dtypes: Sequence[DType],
    border: str,
    keywords: Sequence[str],
    outputs: Sequence[int],
) -> list[Tensor]:
    """Return the results of calling a kernel's function for each element.

    `outputs` are the positions of the arguments that the function writes.
    """
    results: list[list[object]] = [[] for _ in dtypes]
    writers: dict[int, ElementWriter] = {}
    calls: Iterable[tuple[object, ...]]
    if shape is None:
        tensors = broadcast_arrays(*(as_tensor("python", value) for value in values))
        shape = tensors[0].shape
        calls = zip(*(reshape(tensor, (-1,)).tolist() for tensor in tensors), strict=True)
    else:
        operands = [
            (ElementReader(value, border) if value.ndim else value.item())
            if isinstance(value, Tensor)
            else value
            for value in values
        ]
        for output in outputs:
            written = values[output]
            assert isinstance(written, Tensor)
            operands[output] = writers[output] = ElementWriter(written)
        calls = ((*indices, *operands) for indices in product(*map(range, shape)))
    for arguments in calls:
        count = len(arguments) - len(keywords)
        named = dict(zip(keywords, arguments[count:], strict=True))
        result = function(*arguments[:count], **named)
        parts = result if isinstance(result, tuple) else (result,) * (result is not None)
        for part, elements in zip(parts, results, strict=True):
            elements.append(part.item() if isinstance(part, Tensor) else part)
    returned = [
        _tensor(elements, dtype, shape) for elements, dtype in zip(results, dtypes, strict=True)
    ]
    return [*returned, *[writer.tensor() for writer in writers.values()]]


def _tensor(elements: Sequence[Any], dtype: DType, shape: tuple[int, ...]) -> Tensor:
    data = packed(cast(elements, dtype), dtype)
    return reshape(from_host(data, (len(elements),), dtype, "python"), shape)
