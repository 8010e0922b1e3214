"""Find, select, replace and partly sort elements.

Functions that change an argument, such as `put`, take a Tensor and assign to it; other handles of
the same value keep it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import functions as F
from ..dtypes import int32
from ..errors import ArgumentError, DTypeError, ShapeError
from ..functions.arguments import check_known_indices, flag, items, one_axis
from ..functions.decorators import named
from ..functions.host_memory import computed_here, of_array
from ..functions.sorting import order_by
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, DTypeLike
from .arithmetic import flat_or_along
from .grids import in_range


def _assignable(operation: str, a: Any) -> Tensor:
    if not isinstance(a, Tensor):
        raise DTypeError(
            f"{operation}: first argument is not a Tensor; got {type(a).__name__}; use pt.asarray"
        )
    return a


@named
def argwhere(a: ArrayLike) -> Tensor:
    """Return the indices of elements that are not zero, one row for each; they are read back.

    Args:
        a: Tensor or array-like.

    Returns:
        Matrix with a column for each axis; int32.

    >>> import py_tensor as pt
    >>> pt.argwhere([[0, 5], [6, 0]]).tolist()
    [[0, 1], [1, 0]]
    """
    x = as_tensor("argwhere", a)
    if not x.ndim:
        return F.zeros((int(bool(x != 0)), 0), dtype="int32")
    return F.stack(list(F.nonzero(x)), axis=1)


@named
def flatnonzero(a: ArrayLike) -> Tensor:
    """Return the positions in the flattened array of elements that are not zero.

    The elements are read back, since they determine the length.

    Args:
        a: Tensor or array-like.

    Returns:
        Vector of positions, int32.

    >>> import py_tensor as pt
    >>> pt.flatnonzero([[0, 5], [6, 0]]).tolist()
    [1, 2]
    """
    return F.nonzero(F.flatten(as_tensor("flatnonzero", a)))[0]


@named
def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: ArrayLike = 0) -> Tensor:
    """Choose each element from the array of the first condition that is true.

    Args:
        condlist: Sequence of conditions, of dtype bool.
        choicelist: Sequence of as many arrays; all shapes broadcast.
        default: Value if no condition is true; 0 by default.

    Returns:
        Tensor of the broadcast shape in the promoted dtype.

    Raises:
        ArgumentError: If the numbers of conditions and arrays differ, or there are none.

    >>> import py_tensor as pt
    >>> x = pt.arange(5)
    >>> pt.select([x < 2, x > 3], [x, x * 10], -1).tolist()
    [0, 1, -1, -1, 40]
    """
    condlist = items("select", "condlist", condlist)
    choicelist = items("select", "choicelist", choicelist)
    if len(condlist) != len(choicelist) or not condlist:
        raise ArgumentError(
            f"select: conditions and arrays do not pair; got {len(condlist)} and {len(choicelist)}"
        )
    result = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        result = F.where(condition, choice, result)
    return as_tensor("select", result)


@named
def piecewise(
    x: ArrayLike,
    condlist: Sequence[ArrayLike] | ArrayLike,
    funclist: Sequence[Any],
    *args: Any,
    **kw: Any,
) -> Tensor:
    """Evaluate functions where their conditions are true; the last true condition counts.

    Each function is called with all elements of x, since the number of selected ones would have to
    be read back.

    Args:
        x: Tensor or array-like.
        condlist: Condition or sequence of conditions in the shape of x.
        funclist: Functions or numbers, one for each condition; one more for all other elements,
            which are 0 otherwise.
        args: Further arguments of the functions.
        kw: Further named arguments of the functions.

    Returns:
        Tensor of the shape and dtype of x.

    Raises:
        ArgumentError: If the numbers of conditions and functions do not fit.

    >>> import py_tensor as pt
    >>> x = pt.asarray([-2.0, 3.0])
    >>> pt.piecewise(x, [x < 0, x >= 0], [lambda v: -v, 7]).tolist()
    [2.0, 7.0]
    """
    x = as_tensor("piecewise", x)
    single = not isinstance(condlist, list | tuple) or (
        len(condlist) > 0 and isinstance(condlist[0], bool) and x.ndim > 0
    )
    masks: Any = [condlist] if single else condlist
    conditions = [as_tensor("piecewise", c) for c in masks]
    functions = items("piecewise", "funclist", funclist)
    if len(functions) not in (len(conditions), len(conditions) + 1):
        raise ArgumentError(
            f"piecewise: functions do not fit; got {len(functions)} for {len(conditions)} "
            "conditions; give one for each, or one more"
        )

    def value(function: Any) -> Tensor:
        part = function(x, *args, **kw) if callable(function) else function
        return F.astype(as_tensor("piecewise", part), x.dtype, copy=False)

    rest = functions[-1] if len(functions) > len(conditions) else 0
    result = F.broadcast_to(value(rest), x.shape)
    for condition, function in zip(conditions, functions, strict=False):
        result = F.where(condition, value(function), result)
    return result


@named
def choose(
    a: ArrayLike, choices: Sequence[ArrayLike], out: Tensor | None = None, mode: str = "raise"
) -> Tensor:
    """Choose each element from the array of a number.

    Args:
        a: Tensor or array-like of integers: the numbers of arrays.
        choices: Sequence of arrays; all shapes broadcast.
        out: Tensor to write the result to; None (default) for a new one.
        mode: "raise" (default) checks the numbers, which reads them back; "wrap" takes them modulo
            the number of arrays; "clip" limits them.

    Returns:
        Tensor of the broadcast shape in the promoted dtype.

    Raises:
        ShapeError: If a number is out of range with mode "raise".

    >>> import py_tensor as pt
    >>> pt.choose([1, 0], [[10, 20], [30, 40]]).tolist()
    [30, 20]
    """
    arrays = [as_tensor("choose", choice) for choice in items("choose", "choices", choices)]
    numbers = in_range("choose", as_tensor("choose", a), len(arrays), mode)
    result = arrays[0]
    for at, array in enumerate(arrays[1:], 1):
        result = F.where(numbers == at, array, result)
    return F.broadcast_to(result, F.broadcast_shapes(result.shape, numbers.shape))


@named
def compress(
    condition: ArrayLike, a: ArrayLike, axis: int | None = None, out: Tensor | None = None
) -> Tensor:
    """Return the slices along an axis for which a condition is true; it is read back.

    Args:
        condition: Vector of truth values; missing ones at the end are false.
        a: Tensor or array-like.
        axis: Axis; None (default) for the flattened array.
        out: Tensor to write the result to; None (default) for a new one.

    Returns:
        Tensor of the dtype of a.

    Raises:
        ShapeError: If the condition is no vector or too long.

    >>> import py_tensor as pt
    >>> pt.compress([False, True], [[1, 2], [3, 4]], axis=0).tolist()
    [[3, 4]]
    """
    x, along = flat_or_along("compress", a, axis)
    mask = as_tensor("compress", condition)
    if mask.ndim != 1:
        raise ShapeError(f"compress: condition is no vector; got shape {mask.shape}; use flatten")
    (places,) = F.nonzero(mask)
    if places.size and mask.size > x.shape[along] and places[-1].item() >= x.shape[along]:
        raise ShapeError(
            f"compress: condition is too long; got {mask.size} for length {x.shape[along]}"
        )
    return F.take(x, places, axis=along)


@named
def extract(condition: ArrayLike, arr: ArrayLike) -> Tensor:
    """Return the elements for which a condition is true, as a vector; it is read back.

    Args:
        condition: Tensor or array-like of the size of `arr`.
        arr: Tensor or array-like.

    Returns:
        Vector of the dtype of `arr`.

    >>> import py_tensor as pt
    >>> pt.extract([True, False, True], [1, 2, 3]).tolist()
    [1, 3]
    """
    return compress(F.flatten(as_tensor("extract", condition)), arr)


def _assign_flat(a: Tensor, places: Tensor, values: Tensor) -> None:
    """Assign repeated values to positions in the flattened array."""
    if not places.size:
        return
    flat = F.copy(F.flatten(a))
    flat[places] = F.astype(F.take(values, F.arange(places.size) % values.size), a.dtype)
    a[...] = F.reshape(flat, a.shape)


@named
def put(a: ArrayLike, ind: ArrayLike, v: ArrayLike, mode: str = "raise") -> None:
    """Assign values to positions in the flattened array.

    Args:
        a: Tensor, which is changed.
        ind: Tensor or array-like of positions; negative ones count from the end.
        v: Values, which are repeated if there are too few.
        mode: "raise" (default) checks the positions, which reads them back; "wrap" takes them
            modulo the size; "clip" limits them.

    Raises:
        DTypeError: If a is not a Tensor.
        ShapeError: If a position is out of range with mode "raise".

    >>> import py_tensor as pt
    >>> x = pt.arange(4)
    >>> pt.put(x, [0, -1], [7, 8])
    >>> x.tolist()
    [7, 1, 2, 8]
    """
    target = _assignable("put", a)
    places = F.flatten(as_tensor("put", ind, int32 if isinstance(ind, list) and not ind else None))
    if isinstance(mode, str) and mode == "raise":
        places = F.where(places < 0, places + target.size, places)
    places = in_range("put", places, target.size, mode)
    values = F.flatten(as_tensor("put", v))
    if values.size:
        _assign_flat(target, places, values)


@named
def place(arr: ArrayLike, mask: ArrayLike, vals: ArrayLike) -> None:
    """Assign values to the elements for which a mask is true, in order; the mask is read back.

    Args:
        arr: Tensor, which is changed.
        mask: Tensor or array-like of the size of `arr`.
        vals: Values, which are repeated if there are too few.

    Raises:
        DTypeError: If `arr` is not a Tensor.

    >>> import py_tensor as pt
    >>> x = pt.arange(4)
    >>> pt.place(x, x > 1, [7])
    >>> x.tolist()
    [0, 1, 7, 7]
    """
    _assign_flat(_assignable("place", arr), flatnonzero(mask), F.flatten(as_tensor("place", vals)))


@named
def putmask(a: ArrayLike, mask: ArrayLike, values: ArrayLike) -> None:
    """Assign values to the elements for which a mask is true.

    If the shapes differ, element i gets value i modulo the number of values.

    Args:
        a: Tensor, which is changed.
        mask: Tensor or array-like of the shape of a.
        values: Values.

    Raises:
        DTypeError: If a is not a Tensor.

    >>> import py_tensor as pt
    >>> x = pt.arange(4)
    >>> pt.putmask(x, x > 1, [7, 8])
    >>> x.tolist()
    [0, 1, 7, 8]
    """
    target, replacements = _assignable("putmask", a), F.flatten(as_tensor("putmask", values))
    if replacements.size:
        repeated = F.take(replacements, F.arange(target.size) % replacements.size)
        new = F.astype(F.reshape(repeated, target.shape), target.dtype)
        target[...] = F.where(F.astype(as_tensor("putmask", mask), "bool"), new, target)


@named
def copyto(
    dst: Tensor, src: ArrayLike, casting: str = "same_kind", where: ArrayLike = True
) -> None:
    """Assign values to a tensor, optionally where a mask is true.

    Args:
        dst: Tensor, which is changed.
        src: Values, which broadcast to the shape of `dst`.
        casting: "same_kind" (default) rejects values of a higher kind; "unsafe" converts them.
        where: Mask that broadcasts; True by default.

    Raises:
        DTypeError: If `dst` is not a Tensor, or the dtype of `src` does not fit.

    >>> import py_tensor as pt
    >>> x = pt.zeros(3)
    >>> pt.copyto(x, 5.0, where=[True, False, True])
    >>> x.tolist()
    [5.0, 0.0, 5.0]
    """
    target, new = _assignable("copyto", dst), as_tensor("copyto", src)
    if isinstance(casting, str) and casting == "unsafe":
        new = F.astype(new, target.dtype, copy=False)
    replaced = F.copy(target)
    replaced[...] = new
    target[...] = replaced if where is True else F.where(where, replaced, target)


@named
def fill_diagonal(a: ArrayLike, val: ArrayLike, wrap: bool = False) -> None:
    """Assign values to the main diagonal.

    Args:
        a: Tensor of two or more axes, which is changed.
        val: Number or values, which are repeated if there are too few.
        wrap: Continue the diagonal of a tall matrix after a row in between; False by default.

    Raises:
        DTypeError: If a is not a Tensor.
        ShapeError: If there are fewer than two axes, or more than two of different lengths.

    >>> import py_tensor as pt
    >>> x = pt.zeros((2, 2))
    >>> pt.fill_diagonal(x, 5)
    >>> x.tolist()
    [[5.0, 0.0], [0.0, 5.0]]
    """
    x = _assignable("fill_diagonal", a)
    if x.ndim < 2 or (x.ndim > 2 and len(set(x.shape)) > 1):
        raise ShapeError(f"fill_diagonal: no diagonal; got shape {x.shape}; use equal lengths")
    end = x.size
    if x.ndim == 2:
        step = x.shape[1] + 1
        end = (
            x.size if flag("fill_diagonal", "wrap", wrap) else min(x.size, x.shape[1] * x.shape[1])
        )
    else:
        step, stride = 1, 1
        for length in x.shape[:0:-1]:
            stride *= length
            step += stride
    places = F.arange(0, end, step)
    _assign_flat(x, places, F.flatten(as_tensor("fill_diagonal", val)))


@named
def put_along_axis(
    arr: ArrayLike, indices: ArrayLike, values: ArrayLike, axis: int | None = -1
) -> None:
    """Assign values at an index along an axis for each position.

    Args:
        arr: Tensor, which is changed.
        indices: Tensor or array-like of integers with as many axes.
        values: Values, which broadcast to the shape of `indices`.
        axis: Axis; None for the flattened array; -1 by default.

    Raises:
        DTypeError: If `arr` is not a Tensor.
        ShapeError: If the numbers of axes differ, or an index is out of range and `indices` is not
            a tensor.

    >>> import py_tensor as pt
    >>> x = pt.zeros((2, 2))
    >>> pt.put_along_axis(x, [[1], [0]], 5.0, 1)
    >>> x.tolist()
    [[0.0, 5.0], [5.0, 0.0]]
    """
    target, places = _assignable("put_along_axis", arr), as_tensor("put_along_axis", indices)
    if axis is None:
        flat = F.copy(F.flatten(target))
        check_known_indices("put_along_axis", indices, places, 0, flat.size)
        flat[places] = values
        target[...] = F.reshape(flat, target.shape)
        return
    own = one_axis("put_along_axis", axis, target.ndim)
    if places.ndim != target.ndim:
        raise ShapeError(
            f"put_along_axis: numbers of axes differ; got {target.shape} and {places.shape}"
        )
    check_known_indices("put_along_axis", indices, places, own, target.shape[own])
    key = [
        places
        if at == own
        else F.reshape(F.arange(n), tuple(n if at == other else 1 for other in range(places.ndim)))
        for at, n in enumerate(target.shape)
    ]
    target[tuple(key)] = values


def _parted(operation: str, x: Tensor, kth: Any, axis: int) -> Tensor | None:
    """Return the result of NumPy; None if NumPy does not compute here or rejects the positions."""
    try:
        array = computed_here(lambda np, x: getattr(np, operation)(x, kth, axis), x)
    except (TypeError, ValueError):
        return None
    dtype = x.dtype if operation == "partition" else int32
    return None if array is None else of_array(operation, array, dtype)


@named
def partition(a: ArrayLike, kth: int | Sequence[int], axis: int | None = -1) -> Tensor:
    """Return the elements in an order that puts the k-th smallest one in its place.

    Args:
        a: Tensor or array-like.
        kth: Position or positions. All elements are sorted, except on the numpy backend, which only
            separates smaller from larger elements, as NumPy does.
        axis: Axis; None for the flattened array; -1 by default.

    Returns:
        Tensor of the dtype of a.

    >>> import py_tensor as pt
    >>> pt.partition([7, 1, 5], 1).tolist()
    [1, 5, 7]
    """
    x, along = flat_or_along("partition", a, axis)
    parted = _parted("partition", x, kth, along)
    return F.sort(x, axis=along) if parted is None else parted


@named
def argpartition(a: ArrayLike, kth: int | Sequence[int], axis: int | None = -1) -> Tensor:
    """Return indices in an order that puts the k-th smallest element in its place.

    Args:
        a: Tensor or array-like.
        kth: Position or positions. All elements are sorted, except on the numpy backend, which only
            separates smaller from larger elements, as NumPy does.
        axis: Axis; None for the flattened array; -1 by default.

    Returns:
        Tensor of indices, int32.

    >>> import py_tensor as pt
    >>> pt.argpartition([7, 1, 5], 1).tolist()
    [1, 2, 0]
    """
    x, along = flat_or_along("argpartition", a, axis)
    parted = _parted("argpartition", x, kth, along)
    return F.argsort(x, axis=along) if parted is None else parted


@named
def lexsort(keys: Sequence[ArrayLike] | ArrayLike, axis: int = -1) -> Tensor:
    """Return the indices that sort by several keys; the last key counts most.

    Args:
        keys: Sequence of tensors of one shape, or a tensor with the keys along its first axis.
        axis: Axis to sort along; -1 by default.

    Returns:
        Tensor of indices, int32.

    Raises:
        ShapeError: If the shapes differ.

    >>> import py_tensor as pt
    >>> pt.lexsort(([9, 4, 0], [1, 1, 0])).tolist()
    [2, 1, 0]
    """
    arrays = [as_tensor("lexsort", key) for key in items("lexsort", "keys", keys)]
    if not arrays or len({x.shape for x in arrays}) > 1:
        raise ShapeError("lexsort: keys differ in shape, or there are none; give equal shapes")
    return order_by(arrays, one_axis("lexsort", axis, arrays[0].ndim))


@named
def sort_complex(a: ArrayLike) -> Tensor:
    """Sort by real part, then by imaginary part, along the last axis.

    Args:
        a: Tensor or array-like.

    Returns:
        Tensor of the shape of a; complex64.

    >>> import py_tensor as pt
    >>> pt.sort_complex([2 + 1j, 1 + 5j, 2 - 1j]).tolist()
    [(1+5j), (2-1j), (2+1j)]
    """
    return F.sort(F.astype(as_tensor("sort_complex", a), "complex64", copy=False))


@named
def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False) -> Tensor:
    """Return the number of the interval that contains each element.

    Args:
        x: Tensor or array-like of a real dtype.
        bins: Sorted vector of limits, ascending or descending; its ends are read back.
        right: Let intervals include their right limits instead of the left ones; False by default.

    Returns:
        Tensor of the shape of x, int32: 0 before the first limit.

    Raises:
        ShapeError: If `bins` is no vector.

    >>> import py_tensor as pt
    >>> pt.digitize([0.5, 1.0, 9.0], [0.0, 1.0, 2.0]).tolist()
    [1, 2, 3]
    """
    limits = as_tensor("digitize", bins)
    if limits.ndim != 1:
        raise ShapeError(f"digitize: limits are no vector; got shape {limits.shape}; use flatten")
    side = "left" if flag("digitize", "right", right) else "right"
    x = as_tensor("digitize", x)
    if limits.size and bool(limits[0] > limits[-1]):
        return limits.size - F.searchsorted(F.flip(limits), x, side=side)
    return F.searchsorted(limits, x, side=side)


def vectorize(
    pyfunc: Callable[..., Any],
    otypes: str | Sequence[DTypeLike] | None = None,
    doc: str | None = None,
    **options: Any,
) -> Callable[..., Tensor]:
    """Return a function that calls `pyfunc` for each element; the elements are read back.

    Functions made of tensor operations need no `vectorize` and are much faster without.

    Args:
        pyfunc: Function of Python numbers that returns a number.
        otypes: Dtype of the result, or a sequence with it; None (default) for that of the values.
        doc: Docstring; None (default) for that of `pyfunc`.
        options: None of NumPy's other options is supported.

    Returns:
        Function of tensors or array-likes, whose shapes broadcast.

    Raises:
        ArgumentError: If there are other options.

    >>> import py_tensor as pt
    >>> pt.vectorize(lambda a, b: a if a > b else b)([1, 5], 3).tolist()
    [3, 5]
    """
    if options:
        raise ArgumentError(f"vectorize: options are not supported; got {', '.join(options)}")
    dtype: Any = otypes[0] if isinstance(otypes, list | tuple) else otypes

    def call(*args: Any) -> Tensor:
        arrays = F.broadcast_arrays(*args)
        rows = zip(*(F.flatten(x).tolist() for x in arrays), strict=True)
        values = [pyfunc(*row) for row in rows]
        return F.reshape(F.asarray(values, dtype=dtype), arrays[0].shape)

    call.__doc__ = pyfunc.__doc__ if doc is None else doc
    return call
