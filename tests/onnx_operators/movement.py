"""Operators that move elements and compute none."""

from __future__ import annotations

import math
from itertools import accumulate

import py_tensor as pt

from .kinds import Unsupported


def center_crop_pad(x, shape, *, axes=None):
    for axis, target in zip(axes or range(x.ndim), shape.tolist(), strict=True):
        n = x.shape[axis]
        parts, around = [slice(None)] * x.ndim, [(0, 0)] * x.ndim
        if target < n:
            start = (n - target) // 2
            parts[axis] = slice(start, start + target)
            x = x[tuple(parts)]
        else:
            before = (target - n) // 2
            around[axis] = (before, target - n - before)
            x = pt.pad(x, around)
    return x


def concat(*xs, axis):
    return pt.concat(xs, axis=axis)


def depth_to_space(x, *, blocksize, mode="DCR"):
    n, c, h, w = x.shape
    b, outs = blocksize, c // blocksize**2
    if mode == "DCR":
        parts = pt.permute_dims(x.reshape((n, b, b, outs, h, w)), (0, 3, 4, 1, 5, 2))
    else:
        parts = pt.permute_dims(x.reshape((n, outs, b, b, h, w)), (0, 1, 4, 2, 5, 3))
    return parts.reshape((n, outs, h * b, w * b))


def space_to_depth(x, *, blocksize, mode="DCR"):
    n, c, h, w = x.shape
    b = blocksize
    parts = x.reshape((n, c, h // b, b, w // b, b))
    order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    return pt.permute_dims(parts, order).reshape((n, c * b * b, h // b, w // b))


def expand(x, shape):
    return pt.broadcast_to(x, pt.broadcast_shapes(x.shape, tuple(shape.tolist())))


def flatten(x, *, axis=1):
    at = axis % x.ndim if axis < 0 else axis
    return x.reshape((math.prod(x.shape[:at]), math.prod(x.shape[at:])))


def pad(x, pads, value=None, axes=None, *, mode="constant"):
    if mode != "constant":
        raise Unsupported(f"padding in mode {mode}")
    along = range(x.ndim) if axes is None else axes.tolist()
    widths, each = [(0, 0)] * x.ndim, pads.tolist()
    for at, axis in enumerate(along):
        widths[axis] = (each[at], each[at + len(along)])
    return pt.pad(x, widths, constant_values=0 if value is None else value.item())


def reshape(x, shape, *, allowzero=0):
    lengths = shape.tolist()
    if not allowzero:
        lengths = [x.shape[at] if n == 0 else n for at, n in enumerate(lengths)]
    return x.reshape(lengths)


def cut(x, starts, ends, axes=None, steps=None):
    along = range(len(starts.tolist())) if axes is None else axes.tolist()
    by = [1] * len(along) if steps is None else steps.tolist()
    parts = [slice(None)] * x.ndim
    for axis, *part in zip(along, starts.tolist(), ends.tolist(), by, strict=True):
        parts[axis] = slice(*part)
    return x[tuple(parts)]


def split(x, lengths=None, *, axis=0, num_outputs):
    if lengths is None:
        whole = -(-x.shape[axis] // num_outputs)
        each = [whole] * (num_outputs - 1)
        each.append(x.shape[axis] - sum(each))
    else:
        each = lengths.tolist()
    ends = list(accumulate(each))
    before = (slice(None),) * (axis % x.ndim)
    return tuple(x[(*before, slice(end - n, end))] for n, end in zip(each, ends, strict=True))


def squeeze(x, axes=None):
    return pt.squeeze(x, None if axes is None else axes.tolist())


def tile(x, repeats):
    return pt.tile(x, repeats.tolist())


def transpose(x, *, perm=None):
    return pt.transpose(x, perm)


def triangle(x, k=None, *, upper=1):
    return (pt.triu if upper else pt.tril)(x, k=0 if k is None else k.item())


def unsqueeze(x, axes):
    return pt.expand_dims(x, axis=axes.tolist())


OPERATORS = {
    "CenterCropPad": center_crop_pad,
    "Concat": concat,
    "DepthToSpace": depth_to_space,
    "Expand": expand,
    "Flatten": flatten,
    "Pad": pad,
    "Reshape": reshape,
    "Slice": cut,
    "SpaceToDepth": space_to_depth,
    "Split": split,
    "Squeeze": squeeze,
    "Tile": tile,
    "Transpose": transpose,
    "Trilu": triangle,
    "Unsqueeze": unsqueeze,
}
