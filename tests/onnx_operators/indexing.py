"""Operators that read and write at places that tensors name, and those that sort."""

from __future__ import annotations

import py_tensor as pt

from .kinds import Unsupported


def gather(x, indices, *, axis=0):
    return pt.take(x, indices, axis=axis)


def gather_elements(x, indices, *, axis=0):
    return x[_along(indices, axis)]


def gather_nd(x, indices, *, batch_dims=0):
    return x[_coordinates(indices, batch_dims)]


def scatter_elements(x, indices, updates, *, axis=0, reduction="none"):
    return _assigned(x, _along(indices, axis), updates, reduction)


def scatter_nd(x, indices, updates, *, reduction="none"):
    return _assigned(x, _coordinates(indices, 0), updates, reduction)


def _along(indices, axis):
    """A key whose places along an axis `indices` name; along others each stays where it is."""
    key = list(pt.meshgrid(*map(pt.arange, indices.shape), indexing="ij"))
    key[axis] = indices
    return tuple(key)


def _coordinates(indices, batch_dims):
    """A key made of the last axis of `indices`; leading axes go along with those of the tensor."""
    batch = indices.shape[:batch_dims]
    lead = [
        pt.arange(n).reshape([n if at == axis else 1 for at in range(indices.ndim - 1)])
        for axis, n in enumerate(batch)
    ]
    return (*lead, *pt.unstack(indices, axis=-1))


def _assigned(x, key, updates, reduction):
    if reduction != "none":
        raise Unsupported(f"assignment with reduction {reduction}")
    x = pt.copy(x)
    x[key] = updates
    return x


def compress(x, condition, *, axis=None):
    flat, along = (x.reshape((-1,)), 0) if axis is None else (x, axis)
    return pt.take(flat, pt.nonzero(condition)[0], axis=along)


def nonzero(x):
    return pt.stack(pt.nonzero(x))


def one_hot(indices, depth, values, *, axis=-1):
    n = int(depth.item())
    off, on = values.tolist()
    places = indices.astype("int32")
    places = pt.where(places < 0, places + n, places)
    hot = pt.nn.one_hot(places, n, on_value=on, off_value=off, dtype=values.dtype)
    return pt.moveaxis(hot, -1, axis)


def hardmax(x, *, axis=-1):
    hot = pt.nn.one_hot(pt.argmax(x, axis=axis), x.shape[axis], dtype=x.dtype)
    return pt.moveaxis(hot, -1, axis)


def reverse_sequence(x, lengths, *, batch_axis=1, time_axis=0):
    rows = pt.moveaxis(x, (batch_axis, time_axis), (0, 1))
    time, each = pt.arange(rows.shape[1]), lengths.reshape((-1, 1))
    back = pt.where(time < each, each - 1 - time, time)
    back = back.reshape((*back.shape, *(1,) * (x.ndim - 2)))
    reversed_ = pt.take_along_axis(rows, back, axis=1)
    return pt.moveaxis(reversed_, (0, 1), (batch_axis, time_axis))


def top_k(x, k, *, axis=-1, largest=1, sorted=1):
    return pt.topk(x, k.item(), axis=axis, largest=bool(largest))


def unique(x, *, axis=None, sorted=1):
    if axis is not None:
        raise Unsupported("distinct slices along an axis")
    found = pt.unique_all(x)
    values, first, inverse, counts = (
        found.values,
        found.indices,
        found.inverse_indices.reshape((-1,)),
        found.counts,
    )
    if sorted:
        return values, first, inverse, counts
    order = pt.argsort(first)
    return values[order], first[order], pt.argsort(order)[inverse], counts[order]


OPERATORS = {
    "Compress": compress,
    "Gather": gather,
    "GatherElements": gather_elements,
    "GatherND": gather_nd,
    "Hardmax": hardmax,
    "NonZero": nonzero,
    "OneHot": one_hot,
    "ReverseSequence": reverse_sequence,
    "Scatter": scatter_elements,
    "ScatterElements": scatter_elements,
    "ScatterND": scatter_nd,
    "TopK": top_k,
    "Unique": unique,
}
