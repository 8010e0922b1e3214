"""Matrices whose rows are stored in several tensors.

A texture of a GPU has an upper limit of elements, which the table of a large vocabulary exceeds.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from .. import functions as F
from ..dtypes import DType, float32, int32
from ..errors import SizeError
from ..functions.arguments import check_known_indices
from ..ir.pytree import tree_leaves, tree_map
from ..ops.op_def import Shape
from ..runtime.executor import backend
from ..tensor import Tensor, as_tensor, realize
from ..typing import ArrayLike
from .embedding import check_integers
from .module import Module, static_field

HALVINGS = 8
"""Largest number of times that rows are halved: a matrix has at most 256 blocks."""


class SplitMatrix(Module):
    """A matrix whose rows are stored in blocks, because the GPU cannot store it as one tensor.

    It replaces the weight of a `Dense` or an `Embedding`: `x @ matrix` is the product, and
    `matrix.take(indices)` are rows. `Dense`, `Embedding`, `MixtureOfExperts` and readers of files
    make it of matrices that are too large.

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
    def ndim(self) -> int:
        """Number of axes, 2."""
        return 2

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.shape[0] * self.shape[1]

    @property
    def dtype(self) -> DType:
        """Data type of the elements; float32 of packed blocks."""
        return getattr(self.blocks[0], "dtype", float32)

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

    def group(self, number: Tensor, count: int) -> SplitMatrix:
        """Return one of groups of rows, as the matrices of experts are stored.

        Args:
            number: Number of the group, an integer tensor of shape ().
            count: Number of groups; each block has the rows of several.

        Returns:
            `SplitMatrix` of one block, which is not transposed.

        >>> import py_tensor as pt
        >>> table = pt.nn.SplitMatrix([pt.ones((2, 3)), pt.zeros((1, 3))])
        >>> table.group(pt.asarray(2), 3).unpacked().tolist()
        [[0.0, 0.0, 0.0]]
        """
        size = sum(block.shape[0] for block in self.blocks) // count
        result, first = None, 0
        for block in self.blocks:
            own = block.shape[0] // size
            part = _group(block, F.clip(number - first, 0, own - 1), own)
            result = part if result is None else F.where(number >= first, part, result)
            first += own
        return SplitMatrix([result])

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
        result = rows_at(self.blocks[0], places)
        first = self.blocks[0].shape[0]
        for block in self.blocks[1:]:
            # Every block is read, at its nearest row, so that one kernel computes all rows.
            own = rows_at(block, F.maximum(places - first, 0))
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


def _group(block: Any, number: Tensor, count: int) -> Tensor:
    if isinstance(block, Tensor):
        return F.take(block.reshape((count, -1, block.shape[1])), number, axis=0)
    values: Tensor = block.group(number, count).unpacked()
    return values


def in_blocks(make: Callable[[int, int], Any], first: int, last: int) -> Any:
    """Return what `make` makes of neighbouring rows, or a `SplitMatrix` of several results.

    Rows that are too large together for the backend in use are halved until they fit, up to
    `HALVINGS` times.

    Args:
        make: Function of the numbers of the first row and that after the last one.
        first: Number of the first row.
        last: Number after that of the last row.

    Raises:
        SizeError: If a row is too large, or all rows are.
    """
    blocks = _blocks(make, first, last, HALVINGS)
    return blocks[0] if len(blocks) == 1 else SplitMatrix(blocks)


def _blocks(make: Callable[[int, int], Any], first: int, last: int, halvings: int) -> list[Any]:
    try:
        return [make(first, last)]
    except SizeError:
        if last - first < 2 or not halvings:
            raise
    middle = first + -(-(last - first) // 2)
    parts = (first, middle), (middle, last)
    return [block for part in parts for block in _blocks(make, *part, halvings - 1)]


def joined_rows(matrices: Sequence[Any]) -> Any:
    """Return the rows of matrices of one kind as one matrix, or as a `SplitMatrix`."""

    def joined(*parts: Tensor) -> Tensor:
        shape = (sum(part.shape[0] for part in parts), *parts[0].shape[1:])
        backend().check_size("joined_rows", shape, parts[0].dtype)
        return F.concat(parts, axis=0)

    def make(first: int, last: int) -> Any:
        whole = tree_map(joined, *matrices[first:last])
        realize(*tree_leaves(whole))
        return whole

    return in_blocks(make, 0, len(matrices))


def matrix_of_rows(make: Callable[[Shape, memoryview], Any], shape: Shape, data: memoryview) -> Any:
    """Return the tensor that `make` returns, or a `SplitMatrix` of such tensors.

    Matrices along a first axis of several are split between matrices, and become one matrix of all
    rows.

    Args:
        make: Function of a shape and the bytes of its elements.
        shape: Shape of the tensor.
        data: Bytes of all elements.

    Raises:
        SizeError: If a row or one of several matrices is too large, or a tensor of other axes.
    """
    if len(shape) not in (2, 3) or not shape[0]:
        return make(shape, data)
    step = len(data) // shape[0]

    def rows(first: int, last: int) -> Any:
        made = make((last - first, *shape[1:]), data[first * step : last * step])
        is_part = isinstance(made, Tensor) and last - first < shape[0]
        return made.reshape((-1, shape[-1])) if is_part else made

    return in_blocks(rows, 0, shape[0])


def group_at(matrix: Any, number: Tensor, count: int) -> Tensor:
    """Return one of so many matrices along the first axis of a tensor, or in a split matrix."""
    if isinstance(matrix, Tensor):
        return F.take(matrix, number, axis=0)
    values: Tensor = matrix.group(number, count).unpacked()
    return values


def rows_at(matrix: Any, indices: ArrayLike) -> Tensor:
    """Return rows of a tensor, or of a packed or split matrix."""
    rows: Tensor = (
        F.take(matrix, indices, axis=0) if isinstance(matrix, Tensor) else matrix.take(indices)
    )
    return rows
