"""Operators that move elements without computing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from .... import functions as F, nn
from ....functions.arguments import one_axis
from ....ops.index_map import Shape
from ....tensor import Tensor
from ... import common, folding, movement
from ...common import Known
from ...execution import Operator, fits, small
from ...graph import ModelConstant
from ...layouts import as_tensor
from ...options import Ints, single, unsupported
from .images import channels_last, like


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


def reshaped(old: Shape, shape: Ints) -> Shape:
    return folding.reshaped(old, shape, allowzero=1)


def ensure_shape(x: Tensor, *, shape: tuple[int | None, ...] | None) -> Tensor:
    if shape is not None and (
        len(shape) != x.ndim or any(n not in (None, m) for n, m in zip(shape, x.shape, strict=True))
    ):
        raise ValueError(f"shape {list(x.shape)} is not {list(shape)}")
    return x


def squeezed(shape: Shape, *, squeeze_dims: Ints | None = None, axis: Ints | None = None) -> Shape:
    return folding.squeezed(shape, squeeze_dims or axis or None)


def split(axis: int | Ints, x: Known, *, num_split: int = 1) -> Any:
    along = one_axis("split", single(axis), len(x.shape))
    n = x.shape[along]
    return split_by(x, movement.equal_lengths(n, num_split), along)


def split_by(x: Known, lengths: Ints, axis: int | Ints, *, num_split: int = 1) -> Any:
    along = one_axis("split", single(axis), len(x.shape))
    lengths = movement.completed(lengths, x.shape[along])
    if isinstance(x, ModelConstant) and small(x):
        return folding.split(x, lengths, results=len(lengths), axis=along)
    return movement.parts(as_tensor(x), lengths, along)


def pad(x: Tensor, widths: list[Ints], value: float = 0) -> Tensor:
    return F.pad(x, widths, constant_values=value)


def mirror_pad(x: Tensor, widths: list[Ints], *, mode: str) -> Tensor:
    return movement.mirror_pad(x, widths, mode.lower())


def reverse(x: Tensor, dims: list[bool]) -> Tensor:
    return F.flip(x, axis=tuple(axis for axis, chosen in enumerate(dims) if chosen))


def space_to_batch(x: Tensor, block: Ints, paddings: list[Ints]) -> Tensor:
    return nn.space_to_batch(x, block, paddings)


def rearranged(
    function: Callable[[Tensor, int], Tensor],
    x: Tensor,
    *,
    block_size: int,
    data_format: str = "NHWC",
) -> Tensor:
    if data_format not in ("NHWC", "NCHW"):
        raise unsupported(f"images of the format {data_format}")
    return like(function(channels_last(x, data_format), block_size), data_format)


OPERATORS = {
    "BatchToSpaceND": Operator(nn.batch_to_space, host=("block", "crops")),
    "BroadcastArgs": Operator(movement.broadcast_args, host=("a", "b")),
    "BroadcastTo": Operator(F.broadcast_to, host=("shape",), fold=folding.expand),
    "Concat": Operator(joined_first, raw=True),
    "ConcatV2": Operator(joined, raw=True),
    "DepthToSpace": Operator(partial(rearranged, nn.depth_to_space)),
    "EnsureShape": Operator(ensure_shape),
    "ExpandDims": common.reshaping(movement.expanded, "axis"),
    "MirrorPad": Operator(mirror_pad, host=("widths",)),
    "Pack": Operator(movement.pack, fold=movement.folded_pack),
    "Pad": Operator(pad, host=("widths",)),
    "PadV2": Operator(pad, host=("widths", "value")),
    "Reshape": common.reshaping(reshaped, "shape"),
    "Reverse": Operator(reverse, host=("dims",)),
    "ReverseV2": Operator(F.flip, host=("axis",)),
    "Slice": Operator(movement.cut, host=("begin", "size"), fold=movement.folded_cut),
    "SpaceToBatchND": Operator(space_to_batch, host=("block", "paddings")),
    "SpaceToDepth": Operator(partial(rearranged, nn.space_to_depth)),
    "Split": Operator(split, host=("axis",), raw=True),
    "SplitV": Operator(split_by, host=("lengths", "axis"), raw=True),
    "Squeeze": common.reshaping(squeezed),
    "StridedSlice": Operator(
        common.strided_slice,
        host=("begin", "end", "strides"),
        fold=common.strided_slice_constant,
    ),
    "Tile": Operator(F.tile, host=("repetitions",), fold=folding.tile),
    "Transpose": Operator(F.permute_dims, host=("axes",), fold=movement.folded_transpose),
    "Unpack": Operator(F.unstack, fold=movement.folded_unpack),
}
