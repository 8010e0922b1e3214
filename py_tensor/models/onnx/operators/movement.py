"""Operators that move elements without computing."""

from __future__ import annotations

from collections.abc import Callable

from .... import functions as F, nn
from ....functions.arguments import one_axis
from ....nn.split_matrix import SplitMatrix
from ....ops.index_map import Shape
from ....tensor import Tensor
from ... import common, folding, layouts, movement
from .shared import Ints, Operator, single, unsupported


def center_crop_pad(x: Tensor, shape: Ints, *, axes: Ints | None = None) -> Tensor:
    for axis, target in zip(axes or range(x.ndim), shape, strict=True):
        n = x.shape[axis]
        parts, around = [slice(None)] * x.ndim, [(0, 0)] * x.ndim
        if target < n:
            start = (n - target) // 2
            parts[axis] = slice(start, start + target)
            x = x[tuple(parts)]
        else:
            before = (target - n) // 2
            around[axis] = (before, target - n - before)
            x = F.pad(x, around)
    return x


def concat(*xs: Tensor, axis: int) -> Tensor:
    return F.concat(xs, axis=axis)


def depth_to_space(x: Tensor, *, blocksize: int, mode: str = "DCR") -> Tensor:
    return (nn.depth_to_space if mode == "DCR" else nn.pixel_shuffle)(x, blocksize)


def space_to_depth(x: Tensor, *, blocksize: int, mode: str = "DCR") -> Tensor:
    n, h, w, c = x.shape
    b = blocksize
    parts = x.reshape((n, h // b, b, w // b, b, c))
    order = (0, 1, 3, 2, 4, 5) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    return F.permute_dims(parts, order).reshape((n, h // b, w // b, c * b * b))


def expand(x: Tensor, shape: Ints) -> Tensor:
    return F.broadcast_to(x, F.broadcast_shapes(x.shape, tuple(shape)))


def pad(
    x: Tensor,
    pads: Ints,
    value: float | None = None,
    axes: Ints | None = None,
    *,
    mode: str = "constant",
) -> Tensor:
    along = range(x.ndim) if axes is None else axes
    widths = [(0, 0)] * x.ndim
    for at, axis in enumerate(along):
        widths[axis] = (pads[at], pads[at + len(along)])
    wide = [(max(0, before), max(0, after)) for before, after in widths]
    if mode == "constant":
        x = F.pad(x, wide, constant_values=0 if value is None else value)
    elif mode in ("edge", "reflect", "wrap"):
        x = movement.mirror_pad(x, wide, mode)
    else:
        raise unsupported(f"Pad in mode {mode}")
    if wide == widths:
        return x
    # Negative widths remove elements.
    return x[
        tuple(
            slice(max(0, -low), n - max(0, -high))
            for n, (low, high) in zip(x.shape, widths, strict=True)
        )
    ]


def cut(
    x: Tensor, starts: Ints, ends: Ints, axes: Ints | None = None, steps: Ints | None = None
) -> Tensor:
    along = range(len(starts)) if axes is None else axes
    by = [1] * len(along) if steps is None else steps
    parts = [slice(None)] * x.ndim
    for axis, start, end, step in zip(along, starts, ends, by, strict=True):
        parts[axis] = slice(*_limited(x.shape[axis], start, end, step), step)
    return x[tuple(parts)]


def _limited(length: int, start: int, end: int, step: int) -> tuple[int, int | None]:
    """Return the start and end of a slice, which may have 64 bits, near the axis."""
    start, end, _ = slice(start, end, step).indices(length)
    return start, None if end < 0 else end


def split(
    x: Tensor,
    split: Ints | None = None,
    *,
    results: int,
    axis: int = 0,
    num_outputs: int | None = None,
) -> tuple[Tensor, ...]:
    axis = one_axis("split", axis, x.ndim)
    return movement.parts(x, folding.split_lengths(x.shape[axis], split, results), axis)


def transpose(x: Tensor | SplitMatrix, *, perm: Ints | None = None) -> Tensor | SplitMatrix:
    if isinstance(x, SplitMatrix):
        return x if perm == [0, 1] else x.T
    return F.transpose(x, perm)


def triangle(x: Tensor, k: int | Ints | None = None, *, upper: int = 1) -> Tensor:
    return (F.triu if upper else F.tril)(x, k=0 if k is None else single(k))


def _regrouped(shape: Callable[..., Shape], *host: str) -> Operator:
    return common.reshaping(shape, *host, layout=layouts.regrouped(shape))


_ROWS = {
    "CenterCropPad": Operator(center_crop_pad, host=("shape",)),
    "Concat": Operator(concat, fold=folding.concat, layout=layouts.along),
    "DepthToSpace": Operator(depth_to_space, layout=layouts.images),
    "Expand": Operator(expand, host=("shape",), fold=folding.expand),
    "Flatten": _regrouped(folding.flattened),
    "Pad": Operator(pad, host=("pads", "value", "axes"), layout=layouts.on_axes),
    "Reshape": _regrouped(folding.reshaped, "shape"),
    "Slice": Operator(
        cut,
        host=("starts", "ends", "axes", "steps"),
        fold=folding.cut,
        layout=layouts.on_axes,
    ),
    "SpaceToDepth": Operator(space_to_depth, layout=layouts.images),
    "Split": Operator(split, host=("split",), fold=folding.split, layout=layouts.along),
    "Squeeze": _regrouped(folding.squeezed, "axes"),
    "Tile": Operator(F.tile, host=("repetitions",), fold=folding.tile),
    "Transpose": Operator(
        transpose, fold=folding.transpose, layout=layouts.transpose, split=("x",)
    ),
    "Trilu": Operator(triangle, host=("k",)),
    "Unsqueeze": _regrouped(folding.unsqueezed, "axes"),
}
OPERATORS = {name: row._replace(folds=True) if row.fold else row for name, row in _ROWS.items()}
