"""Operators that move elements without computing."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from .... import functions as F, nn
from ....functions.arguments import one_axis
from ....ops.index_map import Shape
from ....tensor import Tensor
from ... import common, folding, movement
from ...graph import ModelConstant
from ...options import LARGEST
from .shared import Ints, Operator, Quantization, Scales, at, moved, single


def concatenation(*xs: Tensor, axis: int = 0) -> Tensor:
    return F.concat(xs, axis=axis)


def pad(
    x: Tensor,
    widths: list[Ints],
    value: Tensor | None = None,
    *,
    quantization: Quantization | None = None,
) -> Tensor:
    movement.check_widths(widths)
    scales: Scales | None = None if quantization is None else at(quantization.inputs, 0)
    fill: Any = 0 if scales is None else scales.zero[0]
    if value is not None:
        fill = value.reshape(())
    if isinstance(fill, int):
        return F.pad(x, widths, constant_values=fill)
    inside = F.pad(F.ones(x.shape, dtype="bool"), widths, constant_values=False)
    return F.where(inside, F.pad(x, widths), fill)


def mirror_pad(x: Tensor, widths: list[Ints], *, mode: int = 0) -> Tensor:
    for (before, after), n in zip(widths, x.shape, strict=True):
        if (before or after) and max(before, after) > n - 1 + mode:
            raise ValueError(f"widths {before} and {after} for an axis of length {n}")
    return movement.mirror_pad(x, widths, "symmetric" if mode else "reflect")


def split(axis: int | Ints, x: Tensor, *, results: int) -> tuple[Tensor, ...]:
    along = one_axis("split", single(axis), x.ndim)
    return movement.parts(x, movement.equal_lengths(x.shape[along], results), along)


def split_constant(axis: int | Ints, x: ModelConstant, *, results: int) -> list[ModelConstant]:
    return folding.split(x, results=results, axis=single(axis))


def split_lengths(
    x: Tensor, lengths: Ints, axis: int | Ints, *, results: int
) -> tuple[Tensor, ...]:
    along = one_axis("split", single(axis), x.ndim)
    return movement.parts(x, movement.completed(lengths, x.shape[along]), along)


def split_lengths_constant(
    x: ModelConstant, lengths: Ints, axis: int | Ints, *, results: int
) -> list[ModelConstant]:
    along = one_axis("split", single(axis), len(x.shape))
    lengths = movement.completed(lengths, x.shape[along])
    return folding.split(x, lengths, results=results, axis=along)


def reshaped(old: Shape, shape: Ints | None = None, *, new_shape: Ints | None = None) -> Shape:
    wanted = new_shape or [] if shape is None else shape
    # Old files write no axes as one axis of length 0.
    wanted = [] if wanted == [0] and math.prod(old) == 1 else wanted
    return folding.reshaped(old, wanted, allowzero=1)


def squeezed(shape: Shape, *, squeeze_dims: Ints | None = None) -> Shape:
    return folding.squeezed(shape, squeeze_dims or None)


def space_to_batch(
    x: Tensor, block: Ints, widths: list[Ints], *, quantization: Quantization | None = None
) -> Tensor:
    rest = [[0, 0]] * (x.ndim - 1 - len(widths))
    padded = pad(x, [[0, 0], *widths, *rest], quantization=quantization)
    return nn.space_to_batch(padded, block)


def depth_to_space(x: Tensor, *, block_size: int = 0) -> Tensor:
    return nn.depth_to_space(x, block_size)


def space_to_depth(x: Tensor, *, block_size: int = 0) -> Tensor:
    return nn.space_to_depth(x, block_size)


def dilate(x: Tensor, steps: Ints, value: Tensor) -> Tensor:
    for axis, step in enumerate(steps):
        n = x.shape[axis]
        if step > LARGEST or step < 1:
            raise ValueError(f"distances {steps}; 1 to {LARGEST} are supported")
        if step > 1:
            inner = F.broadcast_to(
                value.reshape(()), (*x.shape[: axis + 1], step - 1, *x.shape[axis + 1 :])
            )
            wide = F.concat([F.expand_dims(x, axis=axis + 1), inner], axis=axis + 1)
            wide = wide.reshape((*x.shape[:axis], n * step, *x.shape[axis + 1 :]))
            x = wide[(*(slice(None),) * axis, slice(max(0, (n - 1) * step + 1)))]
    return x


def dynamic_update_slice(x: Tensor, update: Tensor, start: Ints) -> Tensor:
    # A start that leaves no room is moved.
    lengths = zip(start, x.shape, update.shape, strict=True)
    starts = [min(max(first, 0), n - m) for first, n, m in lengths]
    key = tuple(slice(n, n + m) for n, m in zip(starts, update.shape, strict=True))
    x = F.copy(x)
    x[key] = update
    return x


def _moves(
    function: Callable[..., Any], *host: str, fold: Callable[..., Any] | None = None
) -> Operator:
    return Operator(function, host=host, fold=fold, wrapper=moved)


OPERATORS = {
    "BATCH_TO_SPACE_ND": _moves(nn.batch_to_space, "block", "crops"),
    "BROADCAST_ARGS": Operator(movement.broadcast_args, host=("a", "b")),
    "BROADCAST_TO": _moves(F.broadcast_to, "shape", fold=folding.expand),
    "CONCATENATION": _moves(concatenation, fold=partial(folding.concat, axis=0)),
    "DEPTH_TO_SPACE": _moves(depth_to_space),
    "DILATE": _moves(dilate, "steps"),
    "DYNAMIC_UPDATE_SLICE": _moves(dynamic_update_slice, "start"),
    "EXPAND_DIMS": common.reshaping(movement.expanded, "axis", wrapper=moved),
    "MIRROR_PAD": _moves(mirror_pad, "widths"),
    "PACK": _moves(movement.pack, fold=movement.folded_pack),
    "PAD": _moves(pad, "widths"),
    "PADV2": _moves(pad, "widths"),
    "RESHAPE": common.reshaping(reshaped, "shape", wrapper=moved),
    "REVERSE_V2": _moves(F.flip, "axis"),
    "SLICE": _moves(movement.cut, "begin", "size", fold=movement.folded_cut),
    "SPACE_TO_BATCH_ND": _moves(space_to_batch, "block", "widths"),
    "SPACE_TO_DEPTH": _moves(space_to_depth),
    "SPLIT": _moves(split, "axis", fold=split_constant),
    "SPLIT_V": _moves(split_lengths, "lengths", "axis", fold=split_lengths_constant),
    "SQUEEZE": common.reshaping(squeezed, wrapper=moved),
    "STRIDED_SLICE": _moves(
        common.strided_slice, "begin", "end", "strides", fold=common.strided_slice_constant
    ),
    "TILE": _moves(F.tile, "repetitions", fold=folding.tile),
    "TRANSPOSE": _moves(F.permute_dims, "axes", fold=movement.folded_transpose),
    "UNPACK": _moves(F.unstack, fold=movement.folded_unpack),
}
