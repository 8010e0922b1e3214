"""Operators that move elements and mean the same in several formats, on tensors and on constants.

Functions with `folded` in their name are those of constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from .. import functions as F
from ..ops.index_map import Shape
from ..tensor import Tensor
from . import folding
from .execution import fits
from .graph import ModelConstant
from .options import LARGEST, Ints, single


def broadcast_args(a: Ints, b: Ints) -> ModelConstant:
    lengths = list(F.broadcast_shapes(tuple(a), tuple(b)))
    return folding.made(lengths, (len(lengths),))


def pack(*xs: Tensor, axis: int = 0) -> Tensor:
    return F.stack(xs, axis=axis)


def folded_pack(*xs: ModelConstant, axis: int = 0) -> ModelConstant | None:
    if not fits(sum(x.size for x in xs), xs[0].dtype):
        return None
    return folding.concat(*(folding.unsqueeze(x, [axis]) for x in xs), axis=axis)


def folded_unpack(x: ModelConstant, *, axis: int = 0) -> list[ModelConstant]:
    n = x.shape[axis]
    parts = folding.split(x, [1] * n, results=n, axis=axis)
    return [folding.squeeze(part, [axis]) for part in parts]


def expanded(shape: Shape, axis: int | Ints) -> Shape:
    return folding.unsqueezed(shape, [single(axis)])


def folded_transpose(x: ModelConstant, perm: Ints) -> ModelConstant:
    return folding.transpose(x, perm=perm)


def mirror_pad(x: Tensor, widths: Sequence[Sequence[int]], mode: str) -> Tensor:
    """Pad with elements of the tensor itself."""
    check_widths(widths)
    return F.pad(x, widths, mode=mode)


def check_widths(widths: Sequence[Sequence[int]]) -> None:
    if any(width > LARGEST for pair in widths for width in pair):
        raise ValueError(f"widths {widths}; at most {LARGEST} is supported")


def cut(x: Tensor, begin: Ints, size: Ints) -> Tensor:
    return x[tuple(slice(start, end) for start, end in _ranges(x.shape, begin, size))]


def folded_cut(x: ModelConstant, begin: Ints, size: Ints) -> ModelConstant:
    starts, ends = zip(*_ranges(x.shape, begin, size), strict=True) if x.shape else ((), ())
    return folding.cut(x, list(starts), list(ends))


def _ranges(shape: Shape, begin: Ints, size: Ints) -> list[tuple[int, int]]:
    """Return the start and end of a slice along each axis; size -1 reaches to the end."""
    ranges = []
    for n, start, length in zip(shape, begin, size, strict=True):
        end = n if length == -1 else start + length
        if not 0 <= start <= end <= n:
            raise ValueError(f"elements {start} to {end} of an axis of length {n}")
        ranges.append((start, end))
    return ranges


def equal_lengths(length: int, count: int) -> Ints:
    """Return the lengths of equal parts of an axis."""
    if count < 1 or length % count:
        raise ValueError(f"{count} parts of an axis of length {length}")
    return [length // count] * count


def completed(lengths: Ints, total: int) -> Ints:
    """Return the lengths of parts of an axis; one that is -1 is computed."""
    rest = total - sum(n for n in lengths if n != -1)
    lengths = [rest if n == -1 else n for n in lengths]
    if sum(lengths) != total or min(lengths, default=0) < 0:
        raise ValueError(f"lengths {lengths} along an axis of length {total}")
    return lengths


def parts(x: Tensor, lengths: Ints, axis: int) -> tuple[Tensor, ...]:
    """Split an axis that is not negative into parts."""
    before = (slice(None),) * axis
    ends = accumulate(lengths)
    return tuple(x[(*before, slice(end - n, end))] for n, end in zip(lengths, ends, strict=True))
