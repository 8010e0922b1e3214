"""Methods of NumPy's binary ufuncs: `pt.add.reduce`, `accumulate`, `outer` and `at`.

Every function of two operands under `@ufunc` has them; they are imported when first called.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from .. import functions as F
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import no_out, one_axis, some_axes
from ..tensor import Tensor, as_tensor
from ..transforms.control_flow import associative_scan
from ..typing import ArrayLike, Axis, DTypeLike, IndexLike

Binary = Callable[[Any, Any], Tensor]

_REDUCTIONS: dict[str, Callable[..., Tensor]] = {
    "add": F.sum,
    "multiply": F.prod,
    "maximum": F.max,
    "minimum": F.min,
    "logical_and": F.all,
    "logical_or": F.any,
}
_SCANS = {"add": F.cumulative_sum, "multiply": F.cumulative_prod}
_ASSOCIATIVE = {
    *("maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor"),
    *("logical_and", "logical_or", "logical_xor"),
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
    out: None = None,
    keepdims: bool = False,
    initial: Any = None,
) -> Tensor:
    """Combine the elements along axes by a function of two operands, from the first to the last.

    Sums, products, extrema, `logical_and` and `logical_or` are reductions on the device. Other
    functions are called once for each element of the axis.

    Args:
        function: Elementwise function, for example `pt.add`.
        array: Tensor or array-like.
        axis: Axis or tuple of axes; None for all; 0 by default.
        dtype: Dtype to convert the array to first; None (default) keeps it.
        out: None; NumPy's argument is not supported.
        keepdims: Keep reduced axes with length 1; False by default.
        initial: Value that the first element is combined with; None (default) for none.

    Returns:
        Tensor without the reduced axes.

    Raises:
        ShapeError: If an axis does not exist, or has no elements and the function no neutral one.

    >>> import py_tensor as pt
    >>> pt.add.reduce([[1, 2], [3, 4]]).tolist(), pt.subtract.reduce([9, 2, 3]).item()
    ([4, 6], 4)
    """
    name = f"{function.__name__}.reduce"
    no_out(name, out)
    x = as_tensor(name, array)
    x = x if dtype is None else F.astype(x, dtype)
    axes = some_axes(name, axis, x.ndim)
    count: int = prod([x.shape[at] for at in axes])
    known = _REDUCTIONS.get(function.__name__)
    if known is not None and (initial is None or count):
        result = known(x, axis=axes, keepdims=keepdims)
        return result if initial is None else function(result, initial)
    rest = tuple(at for at in range(x.ndim) if at not in axes)
    shape = tuple(x.shape[at] for at in rest)
    rows = F.reshape(F.permute_dims(x, (*axes, *rest)), (count, *shape))
    parts = [rows[at] for at in range(rows.shape[0])]
    if initial is not None:
        parts.insert(0, F.full(shape, initial, dtype=x.dtype))
    if not parts:
        raise ShapeError(
            f"{name}: no elements along axis {axes}; got shape {x.shape}; use at least one "
            "element, or initial"
        )
    result = _folded(function, parts)[-1]
    return F.expand_dims(result, axis=axes) if keepdims and axes else result


def accumulate(
    function: Binary,
    array: ArrayLike,
    axis: int = 0,
    dtype: DTypeLike | None = None,
    out: None = None,
) -> Tensor:
    """Combine each element with all before it along an axis by a function of two operands.

    Cumulative sums and products are scans on the device. Extrema, bitwise and logical functions are
    called about 2 log2(n) times for n elements along the axis, other functions n - 1 times.

    Args:
        function: Elementwise function, for example `pt.add`.
        array: Tensor or array-like.
        axis: Axis to go along; 0 by default.
        dtype: Dtype to convert the array to first; None (default) keeps it.
        out: None; NumPy's argument is not supported.

    Returns:
        Tensor of the shape of the array.

    Raises:
        ShapeError: If the axis does not exist.

    >>> import py_tensor as pt
    >>> pt.maximum.accumulate([3, 1, 4, 2]).tolist()
    [3, 3, 4, 4]
    """
    name = f"{function.__name__}.accumulate"
    no_out(name, out)
    x = as_tensor(name, array)
    x = x if dtype is None else F.astype(x, dtype)
    along = one_axis(name, axis, x.ndim)
    scan = _SCANS.get(function.__name__)
    if scan is not None:
        return scan(x, axis=along)
    if function.__name__ in _ASSOCIATIVE and x.shape[along]:
        scanned: Tensor = associative_scan(function, x, axis=along)
        return scanned
    rows = F.moveaxis(x, along, 0)
    if not rows.shape[0]:
        return x
    return F.stack(_folded(function, [rows[at] for at in range(rows.shape[0])]), axis=along)


def _folded(function: Binary, parts: list[Tensor]) -> list[Tensor]:
    results = parts[:1]
    for part in parts[1:]:
        results.append(function(results[-1], part))
    return results


def outer(function: Binary, a: ArrayLike, b: ArrayLike) -> Tensor:
    """Apply a function of two operands to each pair of an element of a and one of b.

    Args:
        function: Elementwise function, for example `pt.multiply`.
        a: Tensor or array-like.
        b: Tensor or array-like.

    Returns:
        Tensor of shape (*shape of a, *shape of b).

    >>> import py_tensor as pt
    >>> pt.subtract.outer([10, 20], [1, 2, 3]).tolist()
    [[9, 8, 7], [19, 18, 17]]
    """
    x, y = (as_tensor(f"{function.__name__}.outer", operand) for operand in (a, b))
    return function(F.reshape(x, (*x.shape, *(1,) * y.ndim)), y)


def at(function: Binary, a: Tensor, indices: IndexLike, b: ArrayLike) -> None:
    """Update the selected elements of a tensor in place, once for each time they are selected.

    Args:
        function: `pt.add`, `subtract`, `multiply`, `divide`, `maximum` or `minimum`.
        a: Tensor to change.
        indices: Index of its elements, as in a[indices].
        b: Second operand; it broadcasts with a[indices].

    Raises:
        ArgumentError: If the function is another one, or `a` is no Tensor.

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
    if name not in _UPDATES:
        raise ArgumentError(
            f"{name}.at: order of repeated updates is not defined; got {name}; use subtract, "
            f"{', '.join(_UPDATES)}"
        )
    a[...] = getattr(a.at[indices], _UPDATES[name])(b)
