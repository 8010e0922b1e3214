"""Methods of NumPy's binary ufuncs: `pt.add.reduce`, `accumulate`, `reduceat`, `outer` and `at`.

Every function of two operands under `@ufunc` or `@composite` has them; they are imported when first
called.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from .. import functions as F
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import integer, one_axis, out_of_range, some_axes
from ..tensor import Tensor, as_tensor
from ..transforms.control_flow import associative_scan
from ..typing import ArrayLike, Axis, DTypeLike, IndexLike
from .outputs import stored

Binary = Callable[[Any, Any], Tensor]

_REDUCTIONS: dict[str, Callable[..., Tensor]] = {
    "add": F.sum,
    "multiply": F.prod,
    "maximum": F.max,
    "minimum": F.min,
    "logical_and": F.all,
    "logical_or": F.any,
}
_NEUTRAL: dict[str, Any] = {
    **dict.fromkeys(("bitwise_or", "bitwise_xor", "gcd", "hypot"), 0),
    **dict.fromkeys(("logaddexp", "logaddexp2"), -math.inf),
    **{"bitwise_and": -1, "lcm": 1, "logical_xor": False},
}
"""Neutral elements of functions that are not reductions of their own."""
_SCANS = {"add": F.cumulative_sum, "multiply": F.cumulative_prod}
_ASSOCIATIVE = {
    *("maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor"),
    *("logical_and", "logical_or", "logical_xor"),
}
_SEGMENTS: dict[str, Callable[..., Tensor]] = {
    "add": F.segment_sum,
    "multiply": F.segment_prod,
    "maximum": F.segment_max,
    "minimum": F.segment_min,
}
_UPDATES = {
    "add": "add",
    "multiply": "multiply",
    "divide": "divide",
    "maximum": "max",
    "minimum": "min",
}


def reduce(
    function: Binary,
    array: ArrayLike,
    axis: Axis = 0,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: ArrayLike = True,
) -> Tensor:
    """Combine the elements along axes by a function of two operands, from the first to the last.

    Sums, products, extrema, `logical_and` and `logical_or` are reductions on the device. Other
    functions are called once for each element of the axis.

    Args:
        function: Elementwise function, for example `pt.add`.
        array: Tensor or array-like.
        axis: Axis or tuple of axes; None for all; 0 by default.
        dtype: Dtype to convert the array to first; None (default) keeps it.
        out: Tensor to write the result to; None (default) for a new one.
        keepdims: Keep reduced axes with length 1; False by default.
        initial: Value that the first element is combined with; None (default) for none.
        where: Mask of the elements to combine, which broadcasts; True (default) for all. Functions
            without a neutral element need `initial`, too.

    Returns:
        Tensor without the reduced axes.

    Raises:
        ShapeError: If an axis does not exist, or has no elements and the function no neutral one.

    >>> import py_tensor as pt
    >>> pt.add.reduce([[1, 2], [3, 4]]).tolist(), pt.subtract.reduce([9, 2, 3]).item()
    ([4, 6], 4)
    """
    name = f"{function.__name__}.reduce"
    if out is not None:
        return stored(
            name, out, reduce(function, array, axis, dtype, None, keepdims, initial, where)
        )
    x = as_tensor(name, array)
    x = x if dtype is None else F.astype(x, dtype)
    axes = some_axes(name, axis, x.ndim)
    known = _REDUCTIONS.get(function.__name__)
    if known is not None:
        masked = {} if where is True else {"where": where}
        if known in (F.max, F.min):
            return known(x, axis=axes, keepdims=keepdims, initial=initial, **masked)
        result = known(x, axis=axes, keepdims=keepdims, **masked)
        return result if initial is None else function(result, initial)
    parts = _rows(x, axes)
    masks = [True] * len(parts) if where is True else _rows(F.broadcast_to(where, x.shape), axes)
    if initial is None and (not parts or where is not True):
        initial = _NEUTRAL.get(function.__name__)
    if initial is not None:
        result = F.full(
            tuple(n for at, n in enumerate(x.shape) if at not in axes), initial, x.dtype
        )
    elif parts and where is True:
        result = parts.pop(0)
    else:
        raise ShapeError(
            f"{name}: no elements along axis {axes}; got shape {x.shape}; use at least one "
            "element, or initial"
        )
    for part, mask in zip(parts, masks, strict=False):
        combined = function(result, part)
        result = combined if mask is True else F.where(mask, combined, result)
    return F.expand_dims(result, axis=axes) if keepdims and axes else result


def _rows(x: Tensor, axes: tuple[int, ...]) -> list[Any]:
    """Return the slices along axes, as if these were one axis."""
    rest = tuple(at for at in range(x.ndim) if at not in axes)
    count: int = math.prod([x.shape[at] for at in axes])
    rows = F.reshape(F.permute_dims(x, (*axes, *rest)), (count, *(x.shape[at] for at in rest)))
    return [rows[at] for at in range(count)]


def accumulate(
    function: Binary,
    array: ArrayLike,
    axis: int = 0,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Combine each element with all before it along an axis by a function of two operands.

    Cumulative sums and products are scans on the device. Extrema, bitwise and logical functions are
    called about 2 log2(n) times for n elements along the axis, other functions n - 1 times.

    Args:
        function: Elementwise function, for example `pt.add`.
        array: Tensor or array-like.
        axis: Axis to go along; 0 by default.
        dtype: Dtype to convert the array to first; None (default) keeps it.
        out: Tensor to write the result to; None (default) for a new one.

    Returns:
        Tensor of the shape of the array.

    Raises:
        ShapeError: If the axis does not exist.

    >>> import py_tensor as pt
    >>> pt.maximum.accumulate([3, 1, 4, 2]).tolist()
    [3, 3, 4, 4]
    """
    name = f"{function.__name__}.accumulate"
    if out is not None:
        return stored(name, out, accumulate(function, array, axis, dtype))
    x = as_tensor(name, array)
    x = x if dtype is None else F.astype(x, dtype)
    along = one_axis(name, axis, x.ndim)
    scan = _SCANS.get(function.__name__)
    if scan is not None:
        return scan(x, axis=along)
    if function.__name__ in _ASSOCIATIVE and x.shape[along]:
        scanned: Tensor = associative_scan(function, x, axis=along)
        return scanned
    results = _rows(x, (along,))
    if not results:
        return x
    for at in range(1, len(results)):
        results[at] = function(results[at - 1], results[at])
    return F.stack(results, axis=along)


def reduceat(
    function: Binary,
    array: ArrayLike,
    indices: ArrayLike,
    axis: int = 0,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Combine the elements of several ranges along an axis by a function of two operands.

    Range number i is from indices[i] to indices[i + 1], and the last one to the end of the axis. It
    is the element at indices[i] alone if indices[i + 1] is not larger. Sums, products and extrema
    are computed at once, other functions range by range. The indices are read.

    Args:
        function: Elementwise function, for example `pt.add`.
        array: Tensor or array-like.
        indices: Vector of positions along the axis.
        axis: Axis to go along; 0 by default.
        dtype: Dtype to convert the array to first; None (default) keeps it.
        out: Tensor to write the result to; None (default) for a new one.

    Returns:
        Tensor of the shape of the array, with an element for each index along the axis.

    Raises:
        ShapeError: If the axis does not exist, or an index is out of range.

    >>> import py_tensor as pt
    >>> pt.add.reduceat([1, 2, 3, 4], [0, 1, 3, 1]).tolist()
    [1, 5, 4, 9]
    """
    name = f"{function.__name__}.reduceat"
    if out is not None:
        return stored(name, out, reduceat(function, array, indices, axis, dtype))
    x = as_tensor(name, array)
    x = F.moveaxis(x if dtype is None else F.astype(x, dtype), one_axis(name, axis, x.ndim), 0)
    length = x.shape[0]
    starts = [integer(name, "indices", at) for at in as_tensor(name, indices).tolist()]
    for at in starts:
        if not 0 <= at < length:
            raise out_of_range(name, at, axis, length)
    ends = [max(at + 1, end) for at, end in pairwise([*starts, length])]
    ranges = [range(at, end) for at, end in zip(starts, ends, strict=True)]
    segment = _SEGMENTS.get(function.__name__)
    if not ranges:
        result = x[:0]
    elif segment is not None and x.dtype.kind != "b":
        places = [at for positions in ranges for at in positions]
        ids = [i for i, positions in enumerate(ranges) for _ in positions]
        result = segment(F.take(x, places, axis=0), ids, len(ranges))
    else:
        result = F.stack([reduce(function, x[r.start : r.stop]) for r in ranges])
    return F.moveaxis(result, 0, axis)


def outer(function: Binary, a: ArrayLike, b: ArrayLike, /, **options: Any) -> Tensor:
    """Apply a function of two operands to each pair of an element of a and one of b.

    Args:
        function: Elementwise function, for example `pt.multiply`.
        a: Tensor or array-like.
        b: Tensor or array-like.
        options: Arguments of the function, for example `out`.

    Returns:
        Tensor of shape (*shape of a, *shape of b).

    >>> import py_tensor as pt
    >>> pt.subtract.outer([10, 20], [1, 2, 3]).tolist()
    [[9, 8, 7], [19, 18, 17]]
    """
    x, y = (as_tensor(f"{function.__name__}.outer", operand) for operand in (a, b))
    return function(F.reshape(x, (*x.shape, *(1,) * y.ndim)), y, **options)


def at(function: Binary, a: Tensor, indices: IndexLike, b: ArrayLike, /) -> None:
    """Update the selected elements of a tensor in place, once for each time they are selected.

    `pt.add`, `subtract`, `multiply`, `divide`, `maximum` and `minimum` update all at once. For
    other functions the positions are read, and one call updates those that were selected equally
    often before.

    Args:
        function: Elementwise function, for example `pt.add`.
        a: Tensor to change.
        indices: Index of its elements, as in a[indices].
        b: Second operand; it broadcasts with a[indices].

    Raises:
        ArgumentError: If `a` is no Tensor.

    >>> import py_tensor as pt
    >>> x = pt.asarray([1, 2, 3])
    >>> pt.add.at(x, [0, 0, 2], 10)
    >>> x.tolist()
    [21, 2, 13]
    """
    name = function.__name__
    if not isinstance(a, Tensor):
        raise ArgumentError(
            f"{name}.at: first argument is not a Tensor; got {type(a).__name__}; use pt.asarray"
        )
    if name == "subtract":
        name, b = "add", F.negative(F.astype(as_tensor("subtract.at", b), a.dtype))
    if name in _UPDATES and a.dtype.kind != "b":
        a[...] = getattr(a.at[indices], _UPDATES[name])(b)
        return
    positions = F.reshape(F.arange(a.size), a.shape)[indices]
    values = F.flatten(F.broadcast_to(as_tensor(f"{name}.at", b), positions.shape))
    rounds: list[list[int]] = []
    seen: Counter[int] = Counter()
    for number, position in enumerate(F.flatten(positions).tolist()):
        if seen[position] == len(rounds):
            rounds.append([])
        rounds[seen[position]].append(number)
        seen[position] += 1
    flat, positions = F.flatten(a), F.flatten(positions)
    for numbers in rounds:
        where = F.take(positions, numbers)
        flat[where] = function(F.take(flat, where), F.take(values, numbers))
    a[...] = F.reshape(flat, a.shape)
