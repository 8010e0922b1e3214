"""Operators that move elements without computing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from .... import functions as F, nn
from ....functions.arguments import one_axis
from ....tensor import Tensor
from ... import common, folding
from ...graph import ModelConstant
from .shared import Ints, Operator, Quantization, Scales, at, moved, single

LARGEST = 1 << 14
"""Maximum width of padding."""


def broadcast_to(x: Tensor, shape: Ints) -> Tensor:
    return F.broadcast_to(x, tuple(shape))


def broadcast_args(a: Ints, b: Ints) -> ModelConstant:
    lengths = list(F.broadcast_shapes(tuple(a), tuple(b)))
    return folding.made(lengths, (len(lengths),))


def concatenation(*xs: Tensor, axis: int = 0) -> Tensor:
    return F.concat(xs, axis=axis)


def concatenation_constant(*xs: ModelConstant, axis: int = 0) -> ModelConstant:
    return folding.concat(*xs, axis=axis)


def expand_dims(x: Tensor, axis: int | Ints) -> Tensor:
    return F.expand_dims(x, axis=single(axis))


def expand_dims_constant(x: ModelConstant, axis: int | Ints) -> ModelConstant:
    return folding.unsqueeze(x, [single(axis)])


def pack(*xs: Tensor, axis: int = 0) -> Tensor:
    return F.stack(xs, axis=axis)


def pack_constant(*xs: ModelConstant, axis: int = 0) -> ModelConstant:
    return folding.concat(*(folding.unsqueeze(x, [axis]) for x in xs), axis=axis)


def unpack(x: Tensor, *, axis: int = 0) -> tuple[Tensor, ...]:
    return tuple(F.unstack(x, axis=axis))


def unpack_constant(x: ModelConstant, *, axis: int = 0) -> list[ModelConstant]:
    along = one_axis("unpack", axis, len(x.shape))
    return [
        folding.squeeze(folding.picked(x, [place], along), [along])
        for place in range(x.shape[along])
    ]


def pad(
    x: Tensor,
    widths: list[Ints],
    value: Tensor | None = None,
    *,
    quantization: Quantization | None = None,
) -> Tensor:
    if any(width > LARGEST for pair in widths for width in pair):
        raise ValueError(f"widths {widths}; at most {LARGEST} is supported")
    scales: Scales | None = None if quantization is None else at(quantization.inputs, 0)
    fill: Any = 0 if scales is None else scales.zero[0]
    if value is not None:
        fill = value.reshape(())
    if isinstance(fill, int):
        return F.pad(x, widths, constant_values=fill)
    inside = F.pad(F.ones(x.shape, dtype="bool"), widths, constant_values=False)
    return F.where(inside, F.pad(x, widths), fill)


def mirror_pad(x: Tensor, widths: list[Ints], *, mode: int = 0) -> Tensor:
    for axis, (before, after) in enumerate(widths):
        if before or after:
            n = x.shape[axis]
            if max(before, after) > n - 1 + mode:
                raise ValueError(f"widths {before} and {after} for an axis of length {n}")
            # Mode 0 leaves the edge out, mode 1 repeats it.
            places = [
                *range(before - mode, -mode, -1),
                *range(n),
                *range(n - 2 + mode, n - 2 + mode - after, -1),
            ]
            x = F.take(x, F.asarray(places, dtype="int32"), axis=axis)
    return x


def reshape(x: Tensor, shape: Ints | None = None, *, new_shape: Ints | None = None) -> Tensor:
    return x.reshape(_reshaped(x.shape, shape, new_shape))


def reshape_constant(
    x: ModelConstant, shape: Ints | None = None, *, new_shape: Ints | None = None
) -> ModelConstant:
    return folding.made(x.numbers, _reshaped(x.shape, shape, new_shape), x.dtype)


def _reshaped(old: tuple[int, ...], shape: Ints | None, new_shape: Ints | None) -> Sequence[int]:
    wanted = new_shape or [] if shape is None else shape
    # Old files write no axes as one axis of length 0.
    wanted = [] if wanted == [0] and math.prod(old) == 1 else wanted
    return folding.reshaped(old, wanted, allowzero=1)


def cut(x: Tensor, begin: Ints, size: Ints) -> Tensor:
    return x[tuple(slice(start, end) for start, end in _ranges(x.shape, begin, size))]


def cut_constant(x: ModelConstant, begin: Ints, size: Ints) -> ModelConstant:
    for axis, (start, end) in enumerate(_ranges(x.shape, begin, size)):
        x = folding.picked(x, range(start, end), axis)
    return x


def _ranges(shape: Sequence[int], begin: Ints, size: Ints) -> list[tuple[int, int]]:
    found = []
    for n, start, length in zip(shape, begin, size, strict=True):
        end = n if length == -1 else start + length
        if not 0 <= start <= end <= n:
            raise ValueError(f"elements {start} to {end} of an axis of length {n}")
        found.append((start, end))
    return found


def split(axis: int | Ints, x: Tensor, *, results: int) -> tuple[Tensor, ...]:
    along = one_axis("split", single(axis), x.ndim)
    if x.shape[along] % results:
        raise ValueError(f"{results} parts of an axis of length {x.shape[along]}")
    return _parted(x, [x.shape[along] // results] * results, along)


def split_constant(axis: int | Ints, x: ModelConstant, *, results: int) -> list[ModelConstant]:
    return folding.split(x, results=results, axis=single(axis))


def split_lengths(
    x: Tensor, lengths: Ints, axis: int | Ints, *, results: int
) -> tuple[Tensor, ...]:
    along = one_axis("split", single(axis), x.ndim)
    return _parted(x, _completed(lengths, x.shape[along]), along)


def split_lengths_constant(
    x: ModelConstant, lengths: Ints, axis: int | Ints, *, results: int
) -> list[ModelConstant]:
    along = one_axis("split", single(axis), len(x.shape))
    return folding.split(x, _completed(lengths, x.shape[along]), results=results, axis=along)


def _completed(lengths: Ints, total: int) -> Ints:
    """Compute the length that is -1."""
    rest = total - sum(n for n in lengths if n != -1)
    return [rest if n == -1 else n for n in lengths]


def _parted(x: Tensor, lengths: Ints, axis: int) -> tuple[Tensor, ...]:
    before = (slice(None),) * axis
    ends = accumulate(lengths)
    return tuple(x[(*before, slice(end - n, end))] for n, end in zip(lengths, ends, strict=True))


def squeeze(x: Tensor, *, squeeze_dims: Ints | None = None) -> Tensor:
    return F.squeeze(x, _squeezed(x.shape, squeeze_dims))


def squeeze_constant(x: ModelConstant, *, squeeze_dims: Ints | None = None) -> ModelConstant:
    return folding.squeeze(x, squeeze_dims or None)


def _squeezed(shape: Sequence[int], axes: Ints | None) -> tuple[int, ...]:
    return tuple(axes or [axis for axis, n in enumerate(shape) if n == 1])


def tile(x: Tensor, repeats: Ints) -> Tensor:
    return F.tile(x, repeats)


def transpose(x: Tensor, order: Ints) -> Tensor:
    return F.permute_dims(x, tuple(order))


def transpose_constant(x: ModelConstant, order: Ints) -> ModelConstant:
    return folding.transpose(x, perm=order)


def batch_to_space(x: Tensor, block: Ints, crops: list[Ints]) -> Tensor:
    return nn.batch_to_space(x, block, crops)


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


def reverse(x: Tensor, axes: Ints) -> Tensor:
    return F.flip(x, axis=tuple(axes))


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
    key = tuple(
        slice(first, first + m)
        for first, n, m in zip(
            [min(max(at, 0), n - m) for at, n, m in zip(start, x.shape, update.shape, strict=True)],
            x.shape,
            update.shape,
            strict=True,
        )
    )
    x = F.copy(x)
    x[key] = update
    return x


def _moves(
    function: Callable[..., Any], *host: str, fold: Callable[..., Any] | None = None
) -> Operator:
    return Operator(function, host=host, fold=fold, wrapper=moved)


OPERATORS = {
    "BATCH_TO_SPACE_ND": _moves(batch_to_space, "block", "crops"),
    "BROADCAST_ARGS": Operator(broadcast_args, host=("a", "b")),
    "BROADCAST_TO": _moves(broadcast_to, "shape", fold=folding.expand),
    "CONCATENATION": _moves(concatenation, fold=concatenation_constant),
    "DEPTH_TO_SPACE": _moves(depth_to_space),
    "DILATE": _moves(dilate, "steps"),
    "DYNAMIC_UPDATE_SLICE": _moves(dynamic_update_slice, "start"),
    "EXPAND_DIMS": _moves(expand_dims, "axis", fold=expand_dims_constant),
    "MIRROR_PAD": _moves(mirror_pad, "widths"),
    "PACK": _moves(pack, fold=pack_constant),
    "PAD": _moves(pad, "widths"),
    "PADV2": _moves(pad, "widths"),
    "RESHAPE": _moves(reshape, "shape", fold=reshape_constant),
    "REVERSE_V2": _moves(reverse, "axes"),
    "SLICE": _moves(cut, "begin", "size", fold=cut_constant),
    "SPACE_TO_BATCH_ND": _moves(space_to_batch, "block", "widths"),
    "SPACE_TO_DEPTH": _moves(space_to_depth),
    "SPLIT": _moves(split, "axis", fold=split_constant),
    "SPLIT_V": _moves(split_lengths, "lengths", "axis", fold=split_lengths_constant),
    "SQUEEZE": _moves(squeeze, fold=squeeze_constant),
    "STRIDED_SLICE": _moves(
        common.strided_slice, "begin", "end", "strides", fold=common.strided_slice_constant
    ),
    "TILE": _moves(tile, "repeats", fold=folding.tile),
    "TRANSPOSE": _moves(transpose, "order", fold=transpose_constant),
    "UNPACK": _moves(unpack, fold=unpack_constant),
}
