"""ONNX Runtime's operators on weights of a few bits, of the domain com.microsoft.

The weights stay packed: kernels of products and of gathers read their bytes.
"""

from __future__ import annotations

import math

from .... import functions as F
from ....functions.arguments import one_axis
from ....nn.quantization import BitPlane, PackedMatrix, Packing, plane_elements
from ....nn.split_matrix import SplitMatrix, rows_at
from ....tensor import Tensor
from .quantization import dequantize
from .shared import NARROW_INTEGERS, Operator, unsupported

FLOAT_LEVELS = (0.0, 1 / 192, 2 / 3, 1.0, 1 / 3, 1 / 2, 1 / 6, 1 / 4)
NORMAL_LEVELS = (
    *(-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453),
    *(-0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0.0),
    *(0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224),
    *(0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0),
)
LEVELS = ((*FLOAT_LEVELS, *(-level for level in FLOAT_LEVELS)), NORMAL_LEVELS)
"""Numbers of 4 bits by their type: FP4 and NF4 of bitsandbytes.

Source: Dettmers et al. 2023, arXiv:2305.14314, appendix E, and csrc/kernels.cu of bitsandbytes.
"""


def matmul_n_bits(
    a: Tensor,
    b: Tensor | SplitMatrix,
    scales: Tensor,
    zeros: Tensor | None = None,
    order: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    K: int,
    N: int,
    bits: int = 4,
    block_size: int,
    accuracy_level: int = 0,
    weight_prepacked: int = 0,
) -> Tensor:
    """Multiply by weights of 2, 4 or 8 bits in blocks: (outputs, blocks, bytes).

    `order` is the block of each row, for the scales and zero points.
    """
    blocks = math.ceil(K / block_size)
    plane = BitPlane(bits, 1)
    if zeros is not None:
        zeros = zeros.reshape((N, -1))
        if zeros.dtype.kind != "f":
            zeros = plane_elements(zeros, plane)
        zeros = zeros[:, :blocks]
    scales = scales.reshape((N, blocks))
    if order is not None:
        block_size, rows = 1, order.reshape((-1,))[:K]
        scales = F.take(scales, rows, axis=1)
        zeros = None if zeros is None else F.take(zeros, rows, axis=1)
    packing = Packing(block_size, (plane,), 1 << (bits - 1))
    matrices, first = [], 0
    for codes in [b] if isinstance(b, Tensor) else b.blocks:
        last = first + codes.size * N // b.size
        own = None if zeros is None else zeros[first:last]
        data = codes.reshape((last - first, -1))
        matrices.append(PackedMatrix([data], scales[first:last], packing, K, zeros=own))
        first = last
    y: Tensor = a @ (matrices[0].T if len(matrices) == 1 else SplitMatrix(matrices).T)
    return y if bias is None else y + bias


def matmul_bnb4(
    a: Tensor,
    b: Tensor,
    scales: Tensor,
    *,
    K: int,
    N: int,
    block_size: int,
    quant_type: int,
    training_mode: int = 0,
    transB: int = 1,
) -> Tensor:
    """Multiply by weights of bitsandbytes: (outputs, inputs), of which blocks share a factor."""
    packing = Packing(block_size, (BitPlane(4, 1, descending=True),), levels=LEVELS[quant_type])
    if K % block_size:
        # Blocks continue in the next row.
        missing = scales.size * block_size // 2 - b.size
        rows = F.pad(b.reshape((1, -1)), [(0, 0), (0, missing)])
        flat = PackedMatrix([rows], scales.reshape((1, -1)), packing, N * K)
        weights = flat.unpacked().reshape((N, K))
        y = a @ (weights.mT if transB else weights).astype(a.dtype)
    else:
        parts = b.reshape((N, -1)), scales.reshape((N, -1))
        y = a @ PackedMatrix(parts[:1], parts[1], packing, K, transposed=bool(transB))
    result: Tensor = y.astype(a.dtype, copy=False)
    return result


def gather_block_quantized(
    data: Tensor | SplitMatrix,
    indices: Tensor,
    scales: Tensor,
    zeros: Tensor | None = None,
    *,
    bits: int = 4,
    block_size: int = 128,
    gather_axis: int = 0,
    quantize_axis: int = 1,
    data_dtype: int = 0,
) -> Tensor:
    """Gather slices of integers, and dequantize them; positions outside give zeros.

    `data_dtype` is ONNX's number of a dtype of narrow integers, which the reader has unpacked.
    """
    if data.dtype.kind == "f":
        raise unsupported("GatherBlockQuantized of floating numbers")
    axis = one_axis("gather", gather_axis, data.ndim)
    length = data.shape[axis]
    inside = (indices >= -length) & (indices < length)
    places = F.where(inside, F.where(indices < 0, indices + length, indices), 0)
    if axis:
        data = data if isinstance(data, Tensor) else data.unpacked()
        values = F.take(data, places, axis=axis)
    else:
        values = rows_at(data, places)
    factors = F.take(scales, places, axis=axis)
    middle = None if zeros is None else F.take(zeros, places, axis=axis)
    if data_dtype not in NARROW_INTEGERS and data.dtype.name == "uint8":
        count = scales.shape[-1]
        values = _unpacked(values, bits)
        if middle is None:
            middle = F.full(factors.shape, 1 << (bits - 1), dtype="int32")
        else:
            middle = _unpacked(middle, bits)[..., :count]
    axis_of_blocks = one_axis("gather", quantize_axis, data.ndim)
    if axis_of_blocks > axis:
        axis_of_blocks += indices.ndim - 1
    y = dequantize(values, factors, middle, axis=axis_of_blocks, block_size=block_size)
    rest = (1,) * (y.ndim - axis - indices.ndim)
    return F.where(inside.reshape((*indices.shape, *rest)), y, 0.0).astype(scales.dtype)


def _unpacked(x: Tensor, bits: int) -> Tensor:
    """Return integers that are packed along the last axis, the lowest bits first."""
    flat = plane_elements(x.reshape((-1, x.shape[-1])), BitPlane(bits, 1))
    return flat.reshape((*x.shape[:-1], -1)).astype("int32")


BITS = (2, 4, 8)

OPERATORS = {
    "com.microsoft.GatherBlockQuantized": Operator(
        gather_block_quantized, accepts={"bits": BITS}, split=("data",)
    ),
    "com.microsoft.MatMulBnb4": Operator(matmul_bnb4, accepts={"quant_type": (0, 1)}),
    "com.microsoft.MatMulNBits": Operator(
        matmul_n_bits, accepts={"bits": BITS, "weight_prepacked": (0,)}, split=("b",)
    ),
}
