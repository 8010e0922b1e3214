"""Matrices whose elements have a few bits, and the quantization of modules.

Input: modules with floating weights, or the parts of a packed matrix in a file. Output: a
`PackedMatrix`, which replaces a weight. Its values are computed from its parts by operations on
views. The compiler fuses them into the sums of a product, so that the kernel of a product reads the
packed elements, and the matrix is stored nowhere else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from .. import functions as F
from ..dtypes import float16, float32, int8, int32, uint8, uint16, uint32, wrong_type
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import flag, integer
from ..ir.pytree import tree_leaves
from ..ops.elementwise import ELEMENTWISE
from ..tensor import Tensor, apply, as_tensor, from_host, realize
from ..typing import ArrayLike
from .layers.feed_forward import MATRICES, MixtureOfExperts
from .layers.linear import Dense, Embedding
from .module import Module, buffer_field, named_modules, static_field
from .split_matrix import SplitMatrix

FEW_ROWS = 4
"""Rows of an operand up to which a product unpacks the matrix for each, and does not store it."""
UNPACKED = 1 << 24
"""Elements of a packed matrix that a product of more rows stores at a time."""
BITS = (2, 4, 8)
"""Numbers of bits of `quantize`, which divide a byte."""


class BitPlane(NamedTuple):
    """Some bits of each element of a matrix, in bytes.

    `span` neighbouring bytes hold span * 8 / bits elements: first one in the lowest bits of each
    byte, then one in the next bits of each byte, and so on. If `descending`, the highest bits come
    first. A plane of 16 bits has numbers of bfloat16 instead.
    """

    bits: int
    span: int
    descending: bool = False


class Packing(NamedTuple):
    """Layout of the elements of a row. `planes` hold their bits, the lowest ones first.

    An element is (integer - zero) * scale + offset. `block` neighbours share a scale and an offset.
    With `levels`, an integer is the position of a number there, which replaces it.
    """

    block: int
    planes: tuple[BitPlane, ...]
    zero: int = 0
    levels: tuple[float, ...] = ()


BFLOAT16 = Packing(1, (BitPlane(16, 1),))
"""Layout of matrices of bfloat16, which have no scales."""


class PackedMatrix(Module):
    """A matrix of integers of a few bits with a scale for each block of neighbours in a row.

    Its elements may also be numbers of bfloat16, without scales. It replaces the weight of a
    `Dense` or an `Embedding`: `x @ packed` is the product, and `packed.take(indices)` are rows.
    `quantize` and the readers of model files make it.

    Args:
        planes: Tensors of shape (rows, bytes), uint8, or int8 if the elements have eight bits and
            a sign: one for each plane of `packing`. bfloat16 is the bits in uint16.
        scales: Tensor of shape (rows, blocks) and a floating or integer dtype; None for bfloat16.
        packing: Layout of the elements.
        columns: Number of columns, at most blocks * `packing.block`.
        offsets: Numbers that are added to the elements of each block, (rows, blocks); None
            (default) for none.
        zeros: Integers of the value 0 for each block, (rows, blocks), if they differ from
            `packing.zero`; None (default) if they do not.
        outer_scales: Factors of `scales`, (rows, groups of blocks); None (default) for 1.
        outer_offsets: Factors of `offsets`, (rows, groups of blocks); None (default) for 1.
        transposed: The matrix is used as its transpose, of shape (columns, rows); default False.

    >>> import py_tensor as pt
    >>> layer = pt.quantize(pt.nn.Dense(64, 8), bits=8)
    >>> layer.weight.shape, layer(pt.ones((3, 64))).shape
    ((64, 8), (3, 8))
    """

    planes: tuple[Tensor, ...] = buffer_field()
    scales: Tensor | None = buffer_field()
    offsets: Tensor | None = buffer_field()
    zeros: Tensor | None = buffer_field()
    outer_scales: Tensor | None = buffer_field()
    outer_offsets: Tensor | None = buffer_field()
    packing: Packing = static_field()
    columns: int = static_field()
    transposed: bool = static_field()

    def __init__(
        self,
        planes: Sequence[Tensor],
        scales: Tensor | None,
        packing: Packing,
        columns: int,
        *,
        offsets: Tensor | None = None,
        zeros: Tensor | None = None,
        outer_scales: Tensor | None = None,
        outer_offsets: Tensor | None = None,
        transposed: bool = False,
    ) -> None:
        self.planes, self.scales, self.packing = tuple(planes), scales, packing
        self.offsets, self.zeros = offsets, zeros
        self.outer_scales, self.outer_offsets = outer_scales, outer_offsets
        self.columns, self.transposed = columns, transposed

    def facts(self) -> str:
        bits = sum(plane.bits for plane in self.packing.planes)
        return f"{self.shape[0]} x {self.shape[1]}, {bits} bits"

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        rows = self.planes[0].shape[0]
        return (self.columns, rows) if self.transposed else (rows, self.columns)

    @property
    def nbytes(self) -> int:
        """Bytes of all parts."""
        return sum(part.nbytes for part in self.state_dict().values())

    @property
    def T(self) -> PackedMatrix:
        """Transpose, which has the same parts."""
        return self._of_parts(lambda part: part, transposed=not self.transposed)

    def unpacked(self) -> Tensor:
        """Return the values.

        Returns:
            float32 tensor of the matrix's shape.

        >>> import py_tensor as pt
        >>> table = pt.quantize(pt.nn.Embedding(4, 32, weight_init=pt.nn.initializers.ones))
        >>> float(table.weight.unpacked().max())
        1.0
        """
        values = _values(self)
        return values.mT if self.transposed else values

    def take(self, indices: ArrayLike) -> Tensor:
        """Return rows at integers, as `pt.nn.embedding` does.

        Args:
            indices: Integers of any shape.

        Returns:
            float32 tensor of shape (*indices.shape, columns).

        >>> import py_tensor as pt
        >>> pt.quantize(pt.nn.Embedding(4, 32)).weight.take([3, 1]).shape
        (2, 32)
        """
        if self.transposed:
            return F.take(self.unpacked(), indices, axis=0)
        places = as_tensor("take", indices)
        flat = places.reshape((-1,))
        rows = self._of_parts(lambda part: F.take(part, flat, axis=0))
        return _values(rows).reshape((*places.shape, self.columns))

    def rows(self, first: int, last: int) -> PackedMatrix:
        """Return rows of the matrix as it is stored; the result is not transposed.

        Args:
            first: Number of the first row.
            last: Number after that of the last row.

        Returns:
            `PackedMatrix`.

        >>> import py_tensor as pt
        >>> pt.quantize(pt.nn.Embedding(4, 32)).weight.rows(1, 3)
        PackedMatrix(2 x 32, 4 bits)
        """
        return self._of_parts(lambda part: part[first:last])

    def group(self, number: Tensor, count: int) -> PackedMatrix:
        """Return one of groups of rows, as the matrices of experts are stored.

        Args:
            number: Number of the group, an integer tensor of shape ().
            count: Number of groups, a divisor of the number of rows as they are stored.

        Returns:
            `PackedMatrix`, which is not transposed.

        >>> import py_tensor as pt
        >>> table = pt.quantize(pt.nn.Embedding(6, 32)).weight
        >>> table.group(pt.asarray(1), 3)
        PackedMatrix(2 x 32, 4 bits)
        """
        return self._of_parts(
            lambda part: F.take(part.reshape((count, -1, part.shape[1])), number, axis=0)
        )

    def _of_parts(self, change: Any, transposed: bool = False) -> PackedMatrix:
        """Return a matrix whose parts are results of a function of these parts."""
        optional = ("scales", "offsets", "zeros", "outer_scales", "outer_offsets")
        parts = {name: getattr(self, name) for name in optional}
        return PackedMatrix(
            [change(plane) for plane in self.planes],
            packing=self.packing,
            columns=self.columns,
            transposed=transposed,
            **{name: None if part is None else change(part) for name, part in parts.items()},
        )

    def __rmatmul__(self, x: Tensor) -> Tensor:
        if not self.transposed:
            return x @ self.unpacked()
        if x.ndim < 1 or x.shape[-1] != self.columns:
            raise ShapeError(
                "matmul: numbers of elements along the inner axes differ; got shapes "
                f"{x.shape} and {self.shape}; use {self.columns} elements along the last axis"
            )
        flat = x.reshape((math.prod(x.shape[:-1]), self.columns))
        product = _product(flat, self).astype(x.dtype)
        return product.reshape((*x.shape[:-1], product.shape[1]))


def bfloat16_matrix(data: bytes | memoryview, rows: int, columns: int) -> PackedMatrix:
    """Return the matrix of the bytes of numbers of bfloat16."""
    plane = from_host(bytes(data), (rows, columns), uint16, "load_weights")
    return PackedMatrix([plane], None, BFLOAT16, columns)


def _product(x: Tensor, matrix: PackedMatrix) -> Tensor:
    """Return x @ matrix.T for rows x."""
    if x.shape[0] <= FEW_ROWS:
        return F.sum(x[:, None, :] * _values(matrix), axis=-1, dtype=float32)
    rows, step = matrix.planes[0].shape[0], max(UNPACKED // max(matrix.columns, 1), 1)
    results = []
    for first in range(0, rows, step):
        part = matrix.rows(first, first + step)
        results.append(x @ _values(part).mT)
    return results[0] if len(results) == 1 else F.concat(results, axis=1)


def _values(matrix: PackedMatrix) -> Tensor:
    """Return the values in the order in which they are stored, (rows, columns)."""
    integers: Any = 0
    factor = 1.0
    for data, plane in zip(matrix.planes, matrix.packing.planes, strict=True):
        part = plane_elements(data, plane)
        integers = part if factor == 1.0 else integers + part * factor
        factor *= 1 << plane.bits
    if matrix.packing.levels:
        integers = F.take(F.asarray(list(matrix.packing.levels)), integers.astype(int32))
    if matrix.scales is None:
        numbers: Tensor = integers
        return numbers
    rows, blocks = matrix.scales.shape
    # The last byte of a row may have bits of no element.
    stored = integers[:, : blocks * matrix.packing.block]
    values = stored.reshape((rows, blocks, matrix.packing.block))
    if matrix.zeros is not None:
        values = values - _of_blocks(matrix.zeros, None)
    elif matrix.packing.zero:
        values = values - float(matrix.packing.zero)
    values = values * _of_blocks(matrix.scales, matrix.outer_scales)
    if matrix.offsets is not None:
        values = values + _of_blocks(matrix.offsets, matrix.outer_offsets)
    flat: Tensor = values.reshape((rows, blocks * matrix.packing.block))
    return flat[:, : matrix.columns]


def plane_elements(data: Tensor, plane: BitPlane) -> Tensor:
    """Return the numbers of one plane in float32, (rows, elements)."""
    if plane.bits == 16:
        return apply(ELEMENTWISE["from_bfloat16"], (data.astype(uint32),))
    if plane.bits == 8:
        return data.astype(float32)
    rows, count = data.shape
    groups = data.reshape((rows, count // plane.span, 1, plane.span))
    places = range(0, 8, plane.bits)[:: -1 if plane.descending else 1]
    # A processor's vectors have no shifts by several numbers; products by powers of two are exact.
    masks = F.asarray([[(1 << plane.bits) - 1 << place] for place in places], dtype=uint8)
    units = F.asarray([[2.0**-place] for place in places])
    bits = F.bitwise_and(groups, masks).astype(float32) * units
    return bits.reshape((rows, count * 8 // plane.bits))


def _of_blocks(numbers: Tensor, outer: Tensor | None) -> Tensor:
    """Return the scales or offsets of all blocks, (rows, blocks, 1)."""
    numbers = numbers.astype(float32)
    rows = numbers.shape[0]
    if outer is not None:
        groups = outer.shape[1]
        inner = numbers.reshape((rows, groups, -1))
        numbers = inner * outer.astype(float32).reshape((rows, groups, 1))
    return numbers.reshape((rows, -1, 1))


# --- quantization ---------------------------------------------------------------------------------


def quantize[M: Module](
    module: M, *, bits: int = 4, block: int = 32, symmetric: bool = True, skip: Sequence[str] = ()
) -> M:
    """Replace the weights of dense layers, embeddings and experts by packed matrices.

    Each block of neighbours that are added up in a product, or that are in a row of an embedding,
    has a scale in float16. With `symmetric`, an element is an integer times the scale; else the
    block has an offset, too, and all integers are used. The rounding is that of llama.cpp's types
    Q4_0 and Q4_1; with 8 bits, that of Q8_0. Biases and other parameters stay as they are, also
    the routers of `MixtureOfExperts`, which choose others if they are rounded. The packed weights
    are not trained.

    Args:
        module: Module, which is changed.
        bits: Bits of an element: 2, 4 (default) or 8.
        block: Elements that share a scale, a multiple of 16; default 32.
        symmetric: Blocks have no offsets; default True.
        skip: Starts of the names of layers that stay as they are, up to a dot or the end.

    Returns:
        The module.

    Raises:
        ArgumentError: If `bits` or `block` have other values.

    >>> import py_tensor as pt
    >>> model = pt.nn.Sequential(pt.nn.Dense(64, 32), pt.relu, pt.nn.Dense(32, 4))
    >>> model = pt.quantize(model, skip=["layers.2"])
    >>> model.layers[0].weight, model.layers[2].weight.shape
    (PackedMatrix(64 x 32, 4 bits), (32, 4))
    """
    if not isinstance(module, Module):
        raise wrong_type("quantize", "module", "a module", module, "a layer such as pt.nn.Dense")
    bits = integer("quantize", "bits", bits)
    if bits not in BITS:
        raise ArgumentError(f"quantize: number of bits is unknown; got {bits}; use 2, 4 or 8")
    block = integer("quantize", "block", block, 16)
    if block % 16:
        raise ArgumentError(
            f"quantize: block must be a multiple of 16; got {block}; use {-(-block // 16) * 16}"
        )
    symmetric = flag("quantize", "symmetric", symmetric)
    if not isinstance(skip, list | tuple) or not all(isinstance(start, str) for start in skip):
        raise wrong_type("quantize", "skip", "a list of names", skip)
    packed: dict[int, PackedMatrix] = {}

    def use_of(weight: Any, is_dense: bool) -> Any:
        if not isinstance(weight, Tensor):
            return weight
        matrix = packed.get(id(weight))
        if matrix is None:
            by_outputs = weight.mT if is_dense else weight
            matrix = packed[id(weight)] = _packed(by_outputs, bits, block, symmetric)
        return matrix.T if is_dense else matrix

    for layer in _layers(module, skip):
        weight: Any = layer.weight
        is_dense = isinstance(layer, Dense)
        use: Any = weight
        if isinstance(weight, SplitMatrix):
            use = weight.with_blocks(lambda part: use_of(part, False))
        elif isinstance(weight, Tensor):
            use = use_of(weight, is_dense)
        layer.weight = use
    for experts in _mixtures(module, skip):
        for name in MATRICES:
            own: Any = getattr(experts, name)
            if isinstance(own, Tensor):
                own = _packed(own.mT.reshape((-1, own.shape[1])), bits, block, symmetric)
            elif isinstance(own, SplitMatrix):
                own = own.with_blocks(lambda part: use_of(part, False))
            setattr(experts, name, own)
    return module


def dequantize[M: Module](module: M) -> M:
    """Replace the packed matrices of a module's layers by float32 tensors.

    Args:
        module: Module, which is changed.

    Returns:
        The module. Its weights are the rounded ones.

    >>> import py_tensor as pt
    >>> layer = pt.quantize(pt.nn.Dense(32, 4))
    >>> pt.dequantize(layer).weight.shape
    (32, 4)
    """
    if not isinstance(module, Module):
        raise wrong_type("dequantize", "module", "a module", module, "a layer such as pt.nn.Dense")
    for layer in _layers(module):
        weight: Any = layer.weight
        if isinstance(weight, PackedMatrix):
            layer.weight = weight.unpacked()
            realize(layer.weight)
        elif isinstance(weight, SplitMatrix):
            split: Any = weight.with_blocks(_unpacked)
            realize(*split.blocks)
            layer.weight = split
    for experts in _mixtures(module):
        for name in MATRICES:
            packed: Any = getattr(experts, name)
            if isinstance(packed, PackedMatrix):
                shape = (experts.router.outputs, -1, packed.columns)
                packed = packed.unpacked().reshape(shape).mT
            elif isinstance(packed, SplitMatrix):
                packed = packed.with_blocks(_unpacked)
            setattr(experts, name, packed)
            realize(*tree_leaves(packed))
    return module


def _unpacked(block: Any) -> Tensor:
    values: Tensor = block.unpacked() if isinstance(block, PackedMatrix) else block
    return values


def _layers(module: Module, skip: Sequence[str] = ()) -> list[Dense | Embedding]:
    """Return the layers in a module whose weights may be packed."""
    routers = {id(experts.router) for experts in _mixtures(module)}
    layers = _of_kind(module, Dense | Embedding, skip)
    return [layer for layer in layers if id(layer) not in routers]


def _mixtures(module: Module, skip: Sequence[str] = ()) -> list[MixtureOfExperts]:
    return _of_kind(module, MixtureOfExperts, skip)


def _of_kind(module: Module, kind: Any, skip: Sequence[str]) -> list[Any]:
    return [
        own
        for name, own in named_modules(module)
        if isinstance(own, kind) and not any(f"{name}.".startswith(f"{start}.") for start in skip)
    ]


def _packed(weight: Tensor, bits: int, block: int, symmetric: bool) -> PackedMatrix:
    """Return a packed matrix of the elements of a matrix."""
    rows, columns = weight.shape
    blocks = -(-columns // block)
    padded = F.pad(weight.astype(float32), [(0, 0), (0, blocks * block - columns)])
    values = padded.reshape((rows, blocks, block))
    highest, lowest = F.max(values, axis=2, keepdims=True), F.min(values, axis=2, keepdims=True)
    zero_point: Any = 0.0
    offsets, zero = None, 0
    if not symmetric:
        scales = _in_half((highest - lowest) / float((1 << bits) - 1))
        offsets = _in_half(lowest)
        zero_point, least, most = -offsets.astype(float32) / _divisor(scales), 0, (1 << bits) - 1
    elif bits == 8:
        scales = _in_half(F.maximum(highest, -lowest) / 127.0)
        least, most = -127, 127
    else:
        zero = 1 << (bits - 1)
        extreme = F.where(highest > -lowest, highest, lowest)
        scales = _in_half(extreme / -float(zero))
        zero_point, least, most = float(zero), 0, (1 << bits) - 1
    integers = F.clip(F.round(values / _divisor(scales) + zero_point), least, most)
    is_signed = symmetric and bits == 8
    plane = BitPlane(bits, 1 if bits == 8 else block * bits // 8)
    data = _bytes_of(integers.astype(int8 if is_signed else uint8), plane, rows)
    parts = [data, scales.reshape((rows, blocks))]
    if offsets is not None:
        parts.append(offsets.reshape((rows, blocks)))
    realize(*parts)
    return PackedMatrix(
        parts[:1], parts[1], Packing(block, (plane,), zero), columns, offsets=(*parts, None)[2]
    )


def _in_half(numbers: Tensor) -> Tensor:
    return F.clip(numbers, -65504.0, 65504.0).astype(float16)


def _divisor(scales: Tensor) -> Tensor:
    """Return the scales that are stored; 1 instead of 0."""
    stored = scales.astype(float32)
    return F.where(stored == 0.0, 1.0, stored)


def _bytes_of(integers: Tensor, plane: BitPlane, rows: int) -> Tensor:
    """Return the bytes of one plane, (rows, bytes)."""
    if plane.bits == 8:
        return integers.reshape((rows, -1))
    groups = integers.reshape((rows, -1, 8 // plane.bits, plane.span))
    data = groups[:, :, 0]
    for slot in range(1, 8 // plane.bits):
        shift = F.asarray(slot * plane.bits, dtype=uint8)
        data = F.bitwise_or(data, F.bitwise_left_shift(groups[:, :, slot], shift))
    return data.reshape((rows, -1))
