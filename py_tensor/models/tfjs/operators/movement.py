"""Operators that move elements without computing."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from .... import functions as F, nn
from ....functions.arguments import one_axis
from ....tensor import Tensor
from ... import common, folding
from ...common import Known
from ...execution import Operator, fits, small
from ...graph import ModelConstant
from ...layouts import as_tensor
from ...options import Ints, single, unsupported
from .images import channels_last, like

LARGEST = 1 << 14
"""Maximum width of padding that repeats elements."""


def joined(*xs: Known) -> Tensor | ModelConstant:
    """Concatenate tensors along the axis that the last input is."""
    axis = int(xs[-1].tolist())
    if all(map(small, xs[:-1])):
        known = [x for x in xs[:-1] if isinstance(x, ModelConstant)]
        if fits(sum(x.size for x in known), known[0].dtype):
            return folding.concat(*known, axis=axis)
    return F.concat([as_tensor(x) for x in xs[:-1]], axis=axis)


def joined_first(axis: Known, *xs: Known) -> Tensor | ModelConstant:
    return joined(*xs, axis)


def pack(*xs: Tensor, axis: int = 0) -> Tensor:
    return F.stack(xs, axis=axis)


def folded_pack(*xs: ModelConstant, axis: int = 0) -> ModelConstant | None:
    if not fits(sum(x.size for x in xs), xs[0].dtype):
        return None
    return folding.concat(*(folding.unsqueeze(x, [axis]) for x in xs), axis=axis)


def unpack(x: Tensor, *, axis: int = 0) -> tuple[Tensor, ...]:
    return F.unstack(x, axis=axis)


def folded_unpack(x: ModelConstant, *, axis: int = 0) -> list[ModelConstant]:
    n = x.shape[axis]
    parts = folding.split(x, [1] * n, results=n, axis=axis)
    return [folding.squeeze(part, [axis]) for part in parts]


def reshape(x: Tensor, shape: Ints) -> Tensor:
    return x.reshape(folding.reshaped(x.shape, shape, 1))


def folded_reshape(x: ModelConstant, shape: Ints) -> ModelConstant:
    return folding.reshape(x, shape, allowzero=1)


def ensure_shape(x: Tensor, *, shape: tuple[int | None, ...] | None) -> Tensor:
    if shape is not None and (
        len(shape) != x.ndim or any(n not in (None, m) for n, m in zip(shape, x.shape, strict=True))
    ):
        raise ValueError(f"shape {list(x.shape)} is not {list(shape)}")
    return x


def expand_dims(x: Tensor, axis: int | Ints) -> Tensor:
    return F.expand_dims(x, axis=single(axis))


def folded_expand_dims(x: ModelConstant, axis: int | Ints) -> ModelConstant:
    return folding.unsqueeze(x, [single(axis)])


def squeeze(x: Tensor, *, squeeze_dims: Ints | None = None, axis: Ints | None = None) -> Tensor:
    return F.squeeze(x, squeeze_dims or axis or None)


def folded_squeeze(
    x: ModelConstant, *, squeeze_dims: Ints | None = None, axis: Ints | None = None
) -> ModelConstant:
    return folding.squeeze(x, squeeze_dims or axis or None)


def transpose(x: Tensor, perm: Ints) -> Tensor:
    return F.permute_dims(x, perm)


def folded_transpose(x: ModelConstant, perm: Ints) -> ModelConstant:
    return folding.transpose(x, perm=perm)


def cut(x: Tensor, begin: Ints, size: Ints) -> Tensor:
    _check_cut(x.shape, begin, size)
    return x[
        tuple(slice(at, None if n == -1 else at + n) for at, n in zip(begin, size, strict=True))
    ]


def folded_cut(x: ModelConstant, begin: Ints, size: Ints) -> ModelConstant:
    _check_cut(x.shape, begin, size)
    ends = [m if n == -1 else at + n for at, n, m in zip(begin, size, x.shape, strict=True)]
    return folding.cut(x, begin, ends)


def _check_cut(shape: tuple[int, ...], begin: Ints, size: Ints) -> None:
    for m, at, n in zip(shape, begin, size, strict=True):
        if at < 0 or n < -1 or at + max(n, 0) > m:
            raise ValueError(f"slice from {at} of length {n} along an axis of length {m}")


def split(axis: int | Ints, x: Known, *, num_split: int = 1) -> Any:
    along = one_axis("split", single(axis), len(x.shape))
    n = x.shape[along]
    if num_split < 1 or n % num_split:
        raise ValueError(f"{num_split} parts of an axis of length {n}")
    return split_by(x, [n // num_split] * num_split, along)


def split_by(x: Known, lengths: Ints, axis: int | Ints, *, num_split: int = 1) -> Any:
    along = one_axis("split", single(axis), len(x.shape))
    known = sum(length for length in lengths if length != -1)
    lengths = [x.shape[along] - known if length == -1 else length for length in lengths]
    if sum(lengths) != x.shape[along] or min(lengths, default=0) < 0:
        raise ValueError(f"lengths {lengths} along an axis of length {x.shape[along]}")
    if isinstance(x, ModelConstant) and small(x):
        return folding.split(x, lengths, results=len(lengths), axis=along)
    before = (slice(None),) * along
    tensor = as_tensor(x)
    return tuple(
        tensor[(*before, slice(end - n, end))]
        for n, end in zip(lengths, accumulate(lengths), strict=True)
    )


def tile(x: Tensor, repeats: Ints) -> Tensor:
    return F.tile(x, repeats)


def broadcast_to(x: Tensor, shape: Ints) -> Tensor:
    return F.broadcast_to(x, tuple(shape))


def broadcast_args(a: Ints, b: Ints) -> ModelConstant:
    found = F.broadcast_shapes(tuple(a), tuple(b))
    return folding.made(list(found), (len(found),))


def pad(x: Tensor, widths: list[Ints], value: float = 0) -> Tensor:
    return F.pad(x, widths, constant_values=value)


def mirror_pad(x: Tensor, widths: list[Ints], *, mode: str) -> Tensor:
    if any(width > LARGEST for pair in widths for width in pair):
        raise ValueError(f"widths {widths}; at most {LARGEST} is supported")
    return F.pad(x, widths, mode=mode.lower())


def reverse(x: Tensor, dims: list[bool]) -> Tensor:
    return F.flip(x, axis=tuple(axis for axis, chosen in enumerate(dims) if chosen))


def reverse_axes(x: Tensor, axes: Ints) -> Tensor:
    return F.flip(x, axis=tuple(axes))


def space_to_batch(x: Tensor, block: Ints, paddings: list[Ints]) -> Tensor:
    return nn.space_to_batch(x, block, paddings)


def batch_to_space(x: Tensor, block: Ints, crops: list[Ints]) -> Tensor:
    return nn.batch_to_space(x, block, crops)


def depth_to_space(x: Tensor, *, block_size: int, data_format: str = "NHWC") -> Tensor:
    _check_format(data_format)
    return like(nn.depth_to_space(channels_last(x, data_format), block_size), data_format)


def space_to_depth(x: Tensor, *, block_size: int, data_format: str = "NHWC") -> Tensor:
    _check_format(data_format)
    return like(nn.space_to_depth(channels_last(x, data_format), block_size), data_format)


def _check_format(data_format: str) -> None:
    if data_format not in ("NHWC", "NCHW"):
        raise unsupported(f"images of the format {data_format}")


OPERATORS = {
    "BatchToSpaceND": Operator(batch_to_space, host=("block", "crops")),
    "BroadcastArgs": Operator(broadcast_args, host=("a", "b")),
    "BroadcastTo": Operator(broadcast_to, host=("shape",), fold=folding.expand),
    "Concat": Operator(joined_first, raw=True),
    "ConcatV2": Operator(joined, raw=True),
    "DepthToSpace": Operator(depth_to_space),
    "EnsureShape": Operator(ensure_shape),
    "ExpandDims": Operator(expand_dims, host=("axis",), fold=folded_expand_dims),
    "MirrorPad": Operator(mirror_pad, host=("widths",)),
    "Pack": Operator(pack, fold=folded_pack),
    "Pad": Operator(pad, host=("widths",)),
    "PadV2": Operator(pad, host=("widths", "value")),
    "Reshape": Operator(reshape, host=("shape",), fold=folded_reshape),
    "Reverse": Operator(reverse, host=("dims",)),
    "ReverseV2": Operator(reverse_axes, host=("axes",)),
    "Slice": Operator(cut, host=("begin", "size"), fold=folded_cut),
    "SpaceToBatchND": Operator(space_to_batch, host=("block", "paddings")),
    "SpaceToDepth": Operator(space_to_depth),
    "Split": Operator(split, host=("axis",), raw=True),
    "SplitV": Operator(split_by, host=("lengths", "axis"), raw=True),
    "Squeeze": Operator(squeeze, fold=folded_squeeze),
    "StridedSlice": Operator(
        common.strided_slice,
        host=("begin", "end", "strides"),
        fold=common.strided_slice_constant,
    ),
    "Tile": Operator(tile, host=("repeats",), fold=folding.tile),
    "Transpose": Operator(transpose, host=("perm",), fold=folded_transpose),
    "Unpack": Operator(unpack, fold=folded_unpack),
}
