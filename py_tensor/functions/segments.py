"""Reductions of segments, and updates of selected elements: `x.at[...]`.

Input: values with the segment or the position that each belongs to. Output: one result for each
segment, or a tensor with updated elements. Elements that are selected several times count each
time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, TypedDict, Unpack

from ..errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from ..ir.node import node_of
from ..ops.gathers import SCATTER_ADD
from ..tensor import Tensor, as_tensor, node_behind
from ..typing import ArrayLike, IndexLike
from . import elementwise, indexing, manipulation, statistical
from .advanced_indexing import is_advanced
from .arguments import MOST_ELEMENTS, integer
from .creation import arange, full


def _operands(
    operation: str, data: ArrayLike, segment_ids: ArrayLike, num_segments: int | None
) -> tuple[Tensor, Tensor, int]:
    values, ids = as_tensor(operation, data), as_tensor(operation, segment_ids)
    if ids.dtype.kind not in "iu":
        raise DTypeError(
            f"{operation}: segment_ids are not integers; got dtype {ids.dtype}; "
            'use segment_ids.astype("int32")'
        )
    if ids.ndim != 1 or values.shape[:1] != ids.shape:
        raise ShapeError(
            f"{operation}: segment_ids do not fit; got shape {ids.shape} for data of shape "
            f"{values.shape}; give one integer for each slice along the first axis"
        )
    if num_segments is None:
        num_segments = max(int(statistical.max(ids)) + 1, 0) if ids.size else 0
    count = integer(operation, "num_segments", num_segments, 0, MOST_ELEMENTS)
    return values, elementwise.astype(ids, "int32", copy=False), count


def segment_sum(data: ArrayLike, segment_ids: ArrayLike, num_segments: int | None = None) -> Tensor:
    """Return the sum of the slices of each segment.

    Args:
        data: Tensor or array-like; its slices along the first axis are summed.
        segment_ids: Integer for each slice, the number of its segment. Slices with numbers out of
            range are left out.
        num_segments: Number of segments; None (default) for the largest number plus 1, which is
            read back.

    Returns:
        Tensor with one slice for each segment, 0 for segments without slices.

    Raises:
        DTypeError: If `segment_ids` are not integers.
        ShapeError: If `segment_ids` do not fit the data.

    >>> import py_tensor as pt
    >>> pt.segment_sum([1.0, 2.0, 4.0], [0, 2, 0], 3).tolist()
    [5.0, 0.0, 2.0]
    """
    values, ids, count = _operands("segment_sum", data, segment_ids, num_segments)
    return _summed(values, ids, count)


def _summed(values: Tensor, ids: Tensor, count: int) -> Tensor:
    if values.dtype.kind == "b":
        values = elementwise.astype(values, "int32")
    return Tensor(node_of(SCATTER_ADD, (values._node, ids._node), (0, count)))


def segment_mean(
    data: ArrayLike, segment_ids: ArrayLike, num_segments: int | None = None
) -> Tensor:
    """Return the mean of the slices of each segment.

    Args:
        data: Floating tensor or array-like with slices along the first axis.
        segment_ids: Integer for each slice; see `segment_sum`.
        num_segments: Number of segments; see `segment_sum`.

    Returns:
        Tensor with one slice for each segment, 0 for segments without slices.

    Raises:
        DTypeError, ShapeError: See `segment_sum`.

    >>> import py_tensor as pt
    >>> pt.segment_mean([1.0, 2.0, 4.0], [0, 2, 0], 3).tolist()
    [2.5, 0.0, 2.0]
    """
    values, ids, count = _operands("segment_mean", data, segment_ids, num_segments)
    sizes = _summed(manipulation.broadcast_to(1.0, ids.shape), ids, count)
    sizes = manipulation.reshape(sizes, (count, *(1,) * (values.ndim - 1)))
    sizes = elementwise.astype(elementwise.maximum(sizes, 1.0), values.dtype, copy=False)
    return _summed(values, ids, count) / sizes


def _reduced(
    reduce: Callable[..., Tensor], values: Tensor, ids: Tensor, count: int, neutral: Any
) -> Tensor:
    """Reduce all slices once for each segment, with the neutral element instead of others."""
    ones = (1,) * (values.ndim - 1)
    own = manipulation.reshape(ids, (1, -1, *ones)) == manipulation.reshape(
        arange(count), (count, 1, *ones)
    )
    if not values.shape[0]:
        return full((count, *values.shape[1:]), neutral, dtype=values.dtype)
    return reduce(elementwise.where(own, values, neutral), axis=1)


def segment_prod(
    data: ArrayLike, segment_ids: ArrayLike, num_segments: int | None = None
) -> Tensor:
    """Return the product of the slices of each segment.

    Time grows with the number of slices times the number of segments.

    Args:
        data: Tensor or array-like with slices along the first axis.
        segment_ids: Integer for each slice; see `segment_sum`.
        num_segments: Number of segments; see `segment_sum`.

    Returns:
        Tensor with one slice for each segment, 1 for segments without slices.

    Raises:
        DTypeError, ShapeError: See `segment_sum`.

    >>> import py_tensor as pt
    >>> pt.segment_prod([3.0, 2.0, 4.0], [0, 2, 0], 3).tolist()
    [12.0, 1.0, 2.0]
    """
    values, ids, count = _operands("segment_prod", data, segment_ids, num_segments)
    return _reduced(statistical.prod, values, ids, count, 1)


def segment_max(data: ArrayLike, segment_ids: ArrayLike, num_segments: int | None = None) -> Tensor:
    """Return the largest elements of the slices of each segment.

    Time grows with the number of slices times the number of segments.

    Args:
        data: Tensor or array-like with slices along the first axis.
        segment_ids: Integer for each slice; see `segment_sum`.
        num_segments: Number of segments; see `segment_sum`.

    Returns:
        Tensor with one slice for each segment; segments without slices give -inf, or the smallest
        integer.

    Raises:
        DTypeError, ShapeError: See `segment_sum`.

    >>> import py_tensor as pt
    >>> pt.segment_max([3.0, 2.0, 4.0], [0, 1, 0], 2).tolist()
    [4.0, 2.0]
    """
    values, ids, count = _operands("segment_max", data, segment_ids, num_segments)
    neutral = -math.inf if values.dtype.kind == "f" else values.dtype.lowest
    return _reduced(statistical.max, values, ids, count, neutral)


def segment_min(data: ArrayLike, segment_ids: ArrayLike, num_segments: int | None = None) -> Tensor:
    """Return the smallest elements of the slices of each segment.

    Time grows with the number of slices times the number of segments.

    Args:
        data: Tensor or array-like with slices along the first axis.
        segment_ids: Integer for each slice; see `segment_sum`.
        num_segments: Number of segments; see `segment_sum`.

    Returns:
        Tensor with one slice for each segment; segments without slices give inf, or the largest
        integer.

    Raises:
        DTypeError, ShapeError: See `segment_sum`.

    >>> import py_tensor as pt
    >>> pt.segment_min([3.0, 2.0, 4.0], [0, 1, 0], 2).tolist()
    [3.0, 2.0]
    """
    values, ids, count = _operands("segment_min", data, segment_ids, num_segments)
    neutral = math.inf if values.dtype.kind == "f" else values.dtype.highest
    return _reduced(statistical.min, values, ids, count, neutral)


class IndexUpdater:
    """Result of `x.at`: select elements by an index."""

    __slots__ = ("_tensor",)

    def __init__(self, tensor: Tensor) -> None:
        self._tensor = tensor

    def __getitem__(self, key: IndexLike) -> IndexUpdate:
        return IndexUpdate(self._tensor, key)


class IndexHints(TypedDict, total=False):
    """Options of the methods of `IndexUpdate`; the hints change nothing."""

    indices_are_sorted: bool
    unique_indices: bool
    mode: str | None


class FillHints(IndexHints, total=False):
    """Options of `IndexUpdate.get`."""

    fill_value: float | None


class IndexUpdate:
    """Result of `x.at[key]`, whose methods return copies of x with updated elements.

    If a key selects an element several times, all its updates are applied; with `set` and `power`
    only one of them. An index out of range in a tensor selects the nearest element, because the
    tensor is not read; one in a number, list or array of NumPy raises ShapeError. With the option
    `mode="clip"`, each selects the nearest element; with "drop" it changes nothing, and `get`
    returns `fill_value` there, as with "fill". "promise_in_bounds" is the same as no mode. The
    options `indices_are_sorted` and `unique_indices` of JAX change nothing.

    >>> import py_tensor as pt
    >>> x = pt.asarray([1.0, 2.0, 3.0])
    >>> x.at[0].set(9.0).tolist(), x.at[[1, 1]].add(10.0).tolist(), x.tolist()
    ([9.0, 2.0, 3.0], [1.0, 22.0, 3.0], [1.0, 2.0, 3.0])
    """

    __slots__ = ("_key", "_tensor")

    def __init__(self, tensor: Tensor, key: IndexLike) -> None:
        self._tensor = tensor
        self._key = key

    def get(self, **options: Unpack[FillHints]) -> Tensor:
        """Return the selected elements, `x[key]`.

        For indices out of range, mode="fill" gives `fill_value`: by default NaN, the lowest number
        of a signed dtype, or the highest of an unsigned one.

        >>> import py_tensor as pt
        >>> pt.asarray([1, 2, 3]).at[1:].get().tolist()
        [2, 3]
        >>> pt.asarray([1, 2, 3]).at[[0, 9]].get(mode="fill", fill_value=-1).tolist()
        [1, -1]
        """
        if options:
            fill = options.pop("fill_value", None)
            return self._limited(options, lambda at: at.get(), fill, cut=False)
        return indexing.get(self._tensor, self._key)

    def set(self, values: ArrayLike, **options: Unpack[IndexHints]) -> Tensor:
        """Return a copy with the selected elements replaced.

        >>> import py_tensor as pt
        >>> pt.asarray([1, 2, 3]).at[1:].set(0).tolist()
        [1, 0, 0]
        """
        if options:
            return self._limited(options, lambda at: at.set(values))
        mask = self._mask()
        if mask is not None and not as_tensor("at", values).shape:
            return self._where(mask, values)
        return indexing.assigned(self._tensor, self._key, values)

    def add(self, values: ArrayLike, **options: Unpack[IndexHints]) -> Tensor:
        """Return a copy with values added to the selected elements.

        >>> import py_tensor as pt
        >>> pt.asarray([1, 2, 3]).at[[0, 0]].add(5).tolist()
        [11, 2, 3]
        """
        if options:
            return self._limited(options, lambda at: at.add(values))
        return self._updated(elementwise.add, _summed, values)

    def multiply(self, values: ArrayLike, **options: Unpack[IndexHints]) -> Tensor:
        """Return a copy with the selected elements multiplied by values.

        >>> import py_tensor as pt
        >>> pt.asarray([1, 2, 3]).at[[2, 2]].multiply(5).tolist()
        [1, 2, 75]
        """
        if options:
            return self._limited(options, lambda at: at.multiply(values))
        return self._updated(elementwise.multiply, _reduction(statistical.prod, 1), values)

    def divide(self, values: ArrayLike, **options: Unpack[IndexHints]) -> Tensor:
        """Return a copy with the selected elements divided by values.

        >>> import py_tensor as pt
        >>> pt.asarray([1.0, 2.0]).at[1].divide(4.0).tolist()
        [1.0, 0.5]
        """
        if options:
            return self._limited(options, lambda at: at.divide(values))
        return self._updated(elementwise.divide, _reduction(statistical.prod, 1), values)

    def min(self, values: ArrayLike, **options: Unpack[IndexHints]) -> Tensor:
        """Return a copy with the smaller of the selected elements and values.

        >>> import py_tensor as pt
        >>> pt.asarray([1.0, 5.0]).at[:].min(3.0).tolist()
        [1.0, 3.0]
        """
        if options:
            return self._limited(options, lambda at: at.min(values))
        return self._updated(elementwise.minimum, _reduction(statistical.min, None), values)

    def max(self, values: ArrayLike, **options: Unpack[IndexHints]) -> Tensor:
        """Return a copy with the larger of the selected elements and values.

        >>> import py_tensor as pt
        >>> pt.asarray([1.0, 5.0]).at[:].max(3.0).tolist()
        [3.0, 5.0]
        """
        if options:
            return self._limited(options, lambda at: at.max(values))
        return self._updated(elementwise.maximum, _reduction(statistical.max, None), values)

    def power(self, values: ArrayLike, **options: Unpack[IndexHints]) -> Tensor:
        """Return a copy with the selected elements raised to the power of values.

        >>> import py_tensor as pt
        >>> pt.asarray([2.0, 3.0]).at[1].power(2.0).tolist()
        [2.0, 9.0]
        """
        if options:
            return self._limited(options, lambda at: at.power(values))
        return self._changed(elementwise.pow, values)

    def apply(self, ufunc: Callable[[Tensor], Tensor], **options: Unpack[IndexHints]) -> Tensor:
        """Return a copy with a function applied to the selected elements.

        >>> import py_tensor as pt
        >>> pt.asarray([4.0, 9.0]).at[1].apply(pt.sqrt).tolist()
        [4.0, 3.0]
        """
        if options:
            return self._limited(options, lambda at: at.apply(ufunc))
        return self._changed(lambda chosen, _: ufunc(chosen), 0)

    def _limited(
        self,
        options: Any,
        function: Callable[[IndexUpdate], Tensor],
        fill: float | None = 0,
        cut: bool = True,
    ) -> Tensor:
        """Apply a method for a mode: indices out of range select an element added at the end."""
        mode = options.pop("mode", None)
        unknown = options.keys() - {"indices_are_sorted", "unique_indices"}
        if unknown:
            raise ArgumentTypeError(f"at: unknown option; got {sorted(unknown)}; see x.at[...].get")
        if mode in (None, "promise_in_bounds"):
            return function(self)
        if mode not in ("clip", "drop", "fill"):
            raise ArgumentError(
                f"at: mode does not exist; got {mode!r}; use clip, drop, fill or promise_in_bounds"
            )
        x = self._tensor
        widths, key = [(0, 0)] * x.ndim, []
        for axis, part in _axes_of(self._key, x.ndim):
            if axis is not None:
                if mode != "clip":
                    widths[axis] = (0, 1)
                part = _limited_index(part, x.shape[axis], mode == "clip")
            key.append(part)
        if fill is None:
            fill = math.nan
            if x.dtype.kind not in "fc":
                fill = {"i": x.dtype.lowest, "u": x.dtype.highest}.get(x.dtype.kind, True)
        padded = manipulation.pad(x, widths, constant_values=fill) if mode != "clip" else x
        result = function(IndexUpdate(padded, tuple(key)))
        return indexing.selected(result, tuple(map(slice, x.shape))) if cut and x.ndim else result

    def _mask(self) -> Tensor | None:
        """Return the key if it is a mask of all elements, which need not be read."""
        key: Any = self._key
        is_mask = isinstance(key, Tensor) and key.dtype.kind == "b"
        return key if is_mask and key.shape == self._tensor.shape else None

    def _where(self, mask: Tensor, values: Any) -> Tensor:
        x = self._tensor
        return elementwise.astype(elementwise.where(mask, values, x), x.dtype, copy=False)

    def _changed(self, function: Callable[..., Tensor], values: ArrayLike) -> Tensor:
        """Apply a function to the selected elements and assign its result."""
        mask = self._mask()
        if mask is not None and not as_tensor("at", values).shape:
            return self._where(mask, function(self._tensor, values))
        result = function(self.get(), values)
        result = elementwise.astype(result, self._tensor.dtype, copy=False)
        return indexing.assigned(self._tensor, self._key, result)

    def _updated(
        self,
        function: Callable[..., Tensor],
        reduction: Callable[[Tensor, Tensor, int], Tensor],
        values: ArrayLike,
    ) -> Tensor:
        x = self._tensor
        if self._mask() is not None or not is_advanced(self._key):
            return self._changed(function, values)
        # Several values may belong to one element: reduce them first.
        shape = node_behind("at", x).spec.shape
        places = indexing.get(manipulation.reshape(arange(x.size), shape), self._key)
        new = as_tensor("at", values)
        spread = manipulation.broadcast_to(new, places.shape)
        spread = elementwise.astype(spread, x.dtype, copy=False)
        flat, where_to = (manipulation.reshape(tensor, (-1,)) for tensor in (spread, places))
        combined = manipulation.reshape(reduction(flat, where_to, x.size), shape)
        hit = _summed(manipulation.broadcast_to(1, where_to.shape), where_to, x.size)
        hit = manipulation.reshape(hit, shape) > 0
        safe = elementwise.where(hit, combined, 1 if x.dtype.kind != "b" else True)
        return elementwise.where(hit, elementwise.astype(function(x, safe), x.dtype, copy=False), x)


def _reduction(
    reduce: Callable[..., Tensor], neutral: int | None
) -> Callable[[Tensor, Tensor, int], Tensor]:
    def reduced(values: Tensor, places: Tensor, count: int) -> Tensor:
        initial = neutral
        if initial is None:
            dtype, low = values.dtype, reduce is statistical.max
            if dtype.kind == "f":
                return _reduced(reduce, values, places, count, -math.inf if low else math.inf)
            initial = dtype.lowest if low else dtype.highest
        return _reduced(reduce, values, places, count, initial)

    return reduced


def _axes_of(key: Any, ndim: int) -> Iterator[tuple[int | None, Any]]:
    """Iterate over a key's parts, each with the axis along which it has indices, if any."""
    parts = list(key) if isinstance(key, tuple) else [key]
    used = []
    for part in parts:
        if part is None or part is ...:
            used.append(0)
        else:
            mask = not isinstance(part, slice) and (t := as_tensor("at", part)).dtype.kind == "b"
            used.append(t.ndim if mask else 1)
    axis = 0
    for part, count in zip(parts, used, strict=True):
        has_indices = count == 1 and not isinstance(part, slice)
        yield (axis if has_indices and as_tensor("at", part).dtype.kind != "b" else None), part
        axis += ndim - sum(used) if part is ... else count


def _limited_index(index: Any, length: int, nearest: bool) -> Any:
    """Replace indices out of range by the nearest one, or by the one after the last."""
    if isinstance(index, int):
        index = index + length if index < 0 else index
        if nearest:
            return min(max(index, 0), length - 1)
        return index if 0 <= index < length else length
    index = as_tensor("at", index)
    index = elementwise.where(index < 0, index + length, index)
    if nearest:
        return elementwise.clip(index, 0, length - 1)
    return elementwise.where((index < 0) | (index >= length), length, index)
