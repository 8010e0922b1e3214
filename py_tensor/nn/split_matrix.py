"""Matrices whose rows are stored in several tensors.

A texture of a GPU has an upper limit of elements, which the table of a large vocabulary exceeds.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from .. import functions as F
from ..dtypes import int32
from ..errors import SizeError
from ..functions.arguments import check_known_indices
from ..ops.op_def import Shape
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike
from .embedding import check_integers
from .module import Module, static_field


class SplitMatrix(Module):
    """A matrix whose rows are stored in blocks, because the GPU cannot store it as one tensor.

    It replaces the weight of a `Dense` or an `Embedding`: `x @ matrix` is the product, and
    `matrix.take(indices)` are rows. `pt.models.load_transformer` makes it of large tensors in
    files.

    Args:
        blocks: Neighbouring rows: tensors of shape (rows, columns), or packed matrices.
        transposed: The matrix is used as its transpose, of shape (columns, rows); default False.

    >>> import py_tensor as pt
    >>> table = pt.nn.SplitMatrix([pt.ones((2, 3)), pt.zeros((1, 3))])
    >>> table.shape, table.take([1, 2]).tolist()
    ((3, 3), [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    >>> (pt.ones((1, 3)) @ table.T).tolist()
    [[3.0, 3.0, 0.0]]
    """

    blocks: tuple[Any, ...]
    transposed: bool = static_field()

    def __init__(self, blocks: Sequence[Any], *, transposed: bool = False) -> None:
        self.blocks, self.transposed = tuple(blocks), transposed

    def facts(self) -> str:
        return f"{self.shape[0]} x {self.shape[1]} in {len(self.blocks)} blocks"

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        rows, columns = sum(block.shape[0] for block in self.blocks), self.blocks[0].shape[1]
        return (columns, rows) if self.transposed else (rows, columns)

    @property
    def T(self) -> SplitMatrix:
        """Transpose, which has the same blocks."""
        return SplitMatrix(self.blocks, transposed=not self.transposed)

    def with_blocks(self, change: Callable[[Any], Any]) -> SplitMatrix:
        """Return a matrix whose blocks are results of a function of these blocks.

        Args:
            change: Function of a block.

        Returns:
            `SplitMatrix`.

        >>> import py_tensor as pt
        >>> table = pt.nn.SplitMatrix([pt.ones((2, 3)), pt.zeros((1, 3))])
        >>> table.with_blocks(lambda block: block * 2).take([0]).tolist()
        [[2.0, 2.0, 2.0]]
        """
        return SplitMatrix([change(block) for block in self.blocks], transposed=self.transposed)

    def unpacked(self) -> Tensor:
        """Return the values as one tensor, which the GPU may not be able to store.

        Returns:
            Tensor of the matrix's shape.

        >>> import py_tensor as pt
        >>> pt.nn.SplitMatrix([pt.ones((2, 3)), pt.zeros((1, 3))]).unpacked().shape
        (3, 3)
        """
        blocks = [b if isinstance(b, Tensor) else b.unpacked() for b in self.blocks]
        values = F.concat(blocks, axis=0)
        return values.mT if self.transposed else values

    def rows(self, first: int, last: int) -> SplitMatrix:
        """Return rows of the matrix as it is stored; the result is not transposed.

        Args:
            first: Number of the first row.
            last: Number after that of the last row.

        Returns:
            `SplitMatrix`.

        >>> import py_tensor as pt
        >>> pt.nn.SplitMatrix([pt.ones((2, 3)), pt.zeros((2, 3))]).rows(1, 3)
        SplitMatrix(2 x 3 in 2 blocks)
        """
        blocks, start = [], 0
        for block in self.blocks:
            count = block.shape[0]
            low, high = max(first - start, 0), min(last - start, count)
            if low < high:
                is_tensor = isinstance(block, Tensor)
                blocks.append(block[low:high] if is_tensor else block.rows(low, high))
            start += count
        return SplitMatrix(blocks)

    def take(self, indices: ArrayLike) -> Tensor:
        """Return rows at integers, as `pt.nn.embedding` does.

        Args:
            indices: Integers of any shape.

        Returns:
            Tensor of shape (*indices.shape, columns) and the dtype of the blocks.

        Raises:
            DTypeError: If `indices` are not integers.
            ShapeError: If an index is out of range and `indices` is not a tensor.

        >>> import py_tensor as pt
        >>> table = pt.nn.SplitMatrix([pt.ones((2, 3)), pt.zeros((1, 3))])
        >>> table.take([[0], [-1]]).shape
        (2, 1, 3)
        """
        if self.transposed:
            return F.take(self.unpacked(), indices, axis=0)
        places = as_tensor("embedding", indices)
        check_integers("embedding", places)
        rows = self.shape[0]
        check_known_indices("embedding", indices, places, 0, rows)
        places = places.astype(int32)
        places = F.clip(F.where(places < 0, places + rows, places), 0, rows - 1)
        result = _rows_at(self.blocks[0], places)
        first = self.blocks[0].shape[0]
        for block in self.blocks[1:]:
            # Every block is read, at its nearest row, so that one kernel computes all rows.
            own = _rows_at(block, F.maximum(places - first, 0))
            result = F.where((places >= first)[..., None], own, result)
            first += block.shape[0]
        return result

    def __rmatmul__(self, x: Tensor) -> Tensor:
        if self.transposed:
            return F.concat([x @ block.T for block in self.blocks], axis=-1)
        products: list[Tensor] = []
        first = 0
        for block in self.blocks:
            last = first + block.shape[0]
            products.append(x[..., first:last] @ block)
            first = last
        return reduce(operator.add, products)


def _rows_at(block: Any, places: Tensor) -> Tensor:
    rows: Tensor = (
        F.take(block, places, axis=0) if isinstance(block, Tensor) else block.take(places)
    )
    return rows


def matrix_of_rows(make: Callable[[Shape, memoryview], Any], shape: Shape, data: memoryview) -> Any:
    """Return the tensor that `make` returns, or a `SplitMatrix` of such tensors.

    A matrix that is too large for the backend in use is split into blocks of as many rows as fit,
    by halving.

    Args:
        make: Function of a shape and the bytes of its elements.
        shape: Shape of the tensor.
        data: Bytes of all elements.

    Raises:
        SizeError: If a row is too large, or a tensor that has not two axes.
    """
    try:
        return make(shape, data)
    except SizeError:
        if len(shape) != 2 or shape[0] < 2:
            raise
    step = len(data) // shape[0]
    middle = -(-shape[0] // 2)
    blocks: list[Any] = []
    for rows, part in ((middle, data[: middle * step]), (shape[0] - middle, data[middle * step :])):
        half = matrix_of_rows(make, (rows, shape[1]), part)
        blocks += half.blocks if isinstance(half, SplitMatrix) else [half]
    return SplitMatrix(blocks)
