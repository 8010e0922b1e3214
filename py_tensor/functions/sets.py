"""Set functions. What `unique_*` give has shapes that depend on values, so these are waited for.

Only marks of where a value begins are read, not the values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..dtypes import promote
from ..errors import DTypeError
from ..tensor import Tensor, as_tensor, asarray
from .complexes import imag, real
from .creation import zeros
from .cumulative import PUBLIC as CUMULATIVE
from .data_types import beside, is_number
from .elementwise import PUBLIC as ELEMENTWISE
from .elementwise import astype
from .indexing import take
from .joining import concat
from .manipulation import flatten, reshape
from .searching import flat_places
from .sorting import argsort, searchsorted, sort
from .utility import diff


class UniqueAll(NamedTuple):
    """What `unique_all` gives."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """What `unique_counts` gives."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """What `unique_inverse` gives."""

    values: Tensor
    inverse_indices: Tensor


class _Runs(NamedTuple):
    """A flattened tensor in order, and where equal elements begin."""

    order: Tensor
    ordered: Tensor
    begins: Tensor
    starts: Tensor


def _runs(operation: str, x: Tensor) -> _Runs:
    flat = flatten(x)
    order = _order(flat)
    ordered = take(flat, order, axis=0) if flat.size else flat
    first = ELEMENTWISE["equal"](zeros((min(flat.size, 1),), dtype="int32"), 0)
    begins = concat([first, ordered[1:] != ordered[:-1]])
    starts = asarray(flat_places(operation, begins), dtype="int32")
    return _Runs(order, ordered, begins, starts)


def _order(flat: Tensor) -> Tensor:
    """Places that bring equal elements beside each other; of complex numbers by both parts."""
    if flat.dtype.kind != "c" or not flat.size:
        return argsort(real(flat))
    order = argsort(imag(flat))
    return take(order, argsort(take(real(flat), order, axis=0)), axis=0)


def _values(runs: _Runs) -> Tensor:
    return take(runs.ordered, runs.starts, axis=0) if runs.ordered.size else runs.ordered


def _counts(runs: _Runs) -> Tensor:
    return diff(runs.starts, append=asarray([runs.ordered.size]))


def _inverse(runs: _Runs, x: Tensor) -> Tensor:
    number = CUMULATIVE["cumulative_sum"](astype(runs.begins, "int32")) - 1
    back = argsort(runs.order)
    return reshape(take(number, back, axis=0) if x.size else back, x.shape)


def unique_values(x: Any, /) -> Tensor:
    """The distinct elements, in order; each NaN by itself.

    A vector of the dtype of x, which may have any shape. Complex numbers are in the order of their
    real parts, then of the imaginary ones.

    >>> import py_tensor as pt
    >>> pt.unique_values(pt.asarray([3, 1, 3])).tolist()
    [1, 3]
    """
    return _values(_runs("unique_values", as_tensor("unique_values", x)))


def unique_counts(x: Any, /) -> UniqueCounts:
    """The distinct elements, in order, and how often each occurs.

    Two vectors, the counts int32; the order is that of `unique_values`.

    >>> import py_tensor as pt
    >>> pt.unique_counts(pt.asarray([3, 1, 3])).counts.tolist()
    [1, 2]
    """
    runs = _runs("unique_counts", as_tensor("unique_counts", x))
    return UniqueCounts(_values(runs), _counts(runs))


def unique_inverse(x: Any, /) -> UniqueInverse:
    """The distinct elements, in order, and for each element of x its place among them.

    The places are int32, in the shape of x; the order is that of `unique_values`.

    >>> import py_tensor as pt
    >>> pt.unique_inverse(pt.asarray([3, 1, 3])).inverse_indices.tolist()
    [1, 0, 1]
    """
    x = as_tensor("unique_inverse", x)
    runs = _runs("unique_inverse", x)
    return UniqueInverse(_values(runs), _inverse(runs, x))


def unique_all(x: Any, /) -> UniqueAll:
    """The distinct elements, in order, with where each first occurs, the inverse, and counts.

    `indices` are places in the flattened tensor, `inverse_indices` and `counts` as `unique_inverse`
    and `unique_counts` give them; the order is that of `unique_values`.

    >>> import py_tensor as pt
    >>> pt.unique_all(pt.asarray([3, 1, 3])).indices.tolist()
    [1, 0]
    """
    x = as_tensor("unique_all", x)
    runs = _runs("unique_all", x)
    indices = take(runs.order, runs.starts, axis=0) if x.size else runs.order
    return UniqueAll(_values(runs), indices, _inverse(runs, x), _counts(runs))


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Tensor:
    """For each element of x1, whether x2 has it; whether it has not, where `invert` is true.

    Either may be a number. NaN equals nothing. Raises DTypeError for complex numbers, and for truth
    values beside numbers.

    >>> import py_tensor as pt
    >>> pt.isin(pt.asarray([1, 2, 3]), pt.asarray([3, 1])).tolist()
    [True, False, True]
    """
    if is_number(x1):
        among = as_tensor("isin", x2)
        x = beside("isin", among, x1)
    else:
        x = as_tensor("isin", x1)
        among = beside("isin", x, x2)
    among = flatten(among)
    if (x.dtype.kind == "b") != (among.dtype.kind == "b"):
        raise DTypeError(
            f"isin: dtypes do not compare; got {x.dtype} and {among.dtype}; use .astype"
        )
    dtype = promote("isin", x.dtype, among.dtype)
    if dtype.kind == "c":
        raise DTypeError(
            f"isin: dtype {dtype} is not real; use pt.real(x), pt.imag(x) or pt.abs(x)"
        )
    # Truth values are compared as numbers, which can be sorted.
    target = astype(x, "uint8" if dtype.kind == "b" else dtype, copy=False)
    if not among.size:
        found = zeros(x.shape, dtype="bool")
    else:
        ordered = sort(astype(among, target.dtype, copy=False))
        place = searchsorted(ordered, target)
        found = ELEMENTWISE["equal"](take(ordered, place, axis=0), target)
    return ~found if invert else found


PUBLIC: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (isin, unique_all, unique_counts, unique_inverse, unique_values)
}
