"""Set functions.

The shapes of `unique_*` results depend on values. Only the marks of first occurrences are read back
from the device, not the values.
"""

from __future__ import annotations

from typing import NamedTuple

from ..dtypes import bool_, promote
from ..errors import DTypeError
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike
from .arguments import flag
from .conversion import asarray
from .creation import zeros
from .data_types import as_second_operand, is_number
from .elementwise import astype, equal
from .host_memory import computed_here, of_array
from .indexing import take
from .joining import concat
from .manipulation import flatten, reshape
from .searching import flat_places, searchsorted
from .sorting import argsort, sort
from .statistical import cumulative_sum
from .utility import diff


class UniqueAll(NamedTuple):
    """Distinct elements, indices, inverse indices and counts, made by `unique_all`."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """Distinct elements and counts, made by `unique_counts`."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """Distinct elements and inverse indices, made by `unique_inverse`."""

    values: Tensor
    inverse_indices: Tensor


class _Runs(NamedTuple):
    """A sorted flattened tensor, and the starts of its runs of equal elements."""

    ordered: Tensor
    begins: Tensor
    starts: Tensor


def _runs(operation: str, ordered: Tensor) -> _Runs:
    begins = _is_first(ordered)
    return _Runs(ordered, begins, flat_places(operation, begins))


def _ordered_runs(operation: str, x: Tensor) -> tuple[Tensor, _Runs]:
    """Return the positions that sort the elements, too."""
    flat = flatten(x)
    order = argsort(flat)
    return order, _runs(operation, take(flat, order, axis=0) if flat.size else flat)


def _values(runs: _Runs) -> Tensor:
    return take(runs.ordered, runs.starts, axis=0) if runs.ordered.size else runs.ordered


def _is_first(ordered: Tensor) -> Tensor:
    first = equal(zeros((min(ordered.size, 1),), dtype="int32"), 0)
    return concat([first, ordered[1:] != ordered[:-1]])


def _counts(runs: _Runs) -> Tensor:
    return diff(runs.starts, append=asarray([runs.ordered.size]))


def _inverse(order: Tensor, runs: _Runs, x: Tensor) -> Tensor:
    number = cumulative_sum(astype(runs.begins, "int32")) - 1
    back = argsort(order)
    return reshape(take(number, back, axis=0) if x.size else back, x.shape)


def unique_values(x: ArrayLike, /) -> Tensor:
    """Return the distinct elements in ascending order; every NaN is distinct.

    Args:
        x: Tensor or array-like of any shape and dtype. Complex numbers are sorted by their real
            parts, then by their imaginary parts.

    Returns:
        Vector of the dtype of x.

    >>> import py_tensor as pt
    >>> pt.unique_values(pt.asarray([3, 1, 3])).tolist()
    [1, 3]
    """
    ordered = sort(as_tensor("unique_values", x), axis=None)
    is_first = _is_first(ordered)
    distinct: Tensor | None = computed_here(
        lambda np, x, mask: of_array("unique_values", x[mask], ordered.dtype), ordered, is_first
    )
    return ordered[is_first] if distinct is None else distinct


def unique_counts(x: ArrayLike, /) -> UniqueCounts:
    """Return the distinct elements in ascending order, and their counts.

    Args:
        x: Tensor or array-like of any shape and dtype, sorted as in `unique_values`.

    Returns:
        UniqueCounts of two vectors: `values` in the dtype of x, and `counts`, int32.

    >>> import py_tensor as pt
    >>> pt.unique_counts(pt.asarray([3, 1, 3])).counts.tolist()
    [1, 2]
    """
    runs = _runs("unique_counts", sort(as_tensor("unique_counts", x), axis=None))
    return UniqueCounts(_values(runs), _counts(runs))


def unique_inverse(x: ArrayLike, /) -> UniqueInverse:
    """Return the distinct elements in ascending order, and each element's index among them.

    Args:
        x: Tensor or array-like of any shape and dtype, sorted as in `unique_values`.

    Returns:
        UniqueInverse of `values`, a vector in the dtype of x, and `inverse_indices`, int32, in the
        shape of x.

    >>> import py_tensor as pt
    >>> pt.unique_inverse(pt.asarray([3, 1, 3])).inverse_indices.tolist()
    [1, 0, 1]
    """
    x = as_tensor("unique_inverse", x)
    order, runs = _ordered_runs("unique_inverse", x)
    return UniqueInverse(_values(runs), _inverse(order, runs, x))


def unique_all(x: ArrayLike, /) -> UniqueAll:
    """Return the distinct elements in ascending order, first positions, inverse and counts.

    Args:
        x: Tensor or array-like of any shape and dtype, sorted as in `unique_values`.

    Returns:
        UniqueAll of `values`; `indices`, the positions of first occurrences in the flattened
        tensor; `inverse_indices`, in the shape of x; and `counts`. All but the values are
        int32.

    >>> import py_tensor as pt
    >>> pt.unique_all(pt.asarray([3, 1, 3])).indices.tolist()
    [1, 0]
    """
    x = as_tensor("unique_all", x)
    order, runs = _ordered_runs("unique_all", x)
    indices = take(order, runs.starts, axis=0) if x.size else order
    return UniqueAll(_values(runs), indices, _inverse(order, runs, x), _counts(runs))


def isin(
    x1: ArrayLike, x2: ArrayLike, /, assume_unique: bool = False, invert: bool = False
) -> Tensor:
    """Test for each element of x1 if x2 contains it; NaN equals nothing.

    Args:
        x1: Tensor or number.
        x2: Tensor or number.
        assume_unique: Ignored; False by default.
        invert: Test if x2 does not contain it; False by default.

    Returns:
        Tensor of the shape of x1; bool.

    Raises:
        DTypeError: If only one of the operands is bool.

    >>> import py_tensor as pt
    >>> pt.isin(pt.asarray([1, 2, 3]), pt.asarray([3, 1])).tolist()
    [True, False, True]
    """
    if is_number(x1):
        among = as_tensor("isin", x2)
        x = as_second_operand("isin", among, x1)
    else:
        x = as_tensor("isin", x1)
        among = as_second_operand("isin", x, x2)
    among = flatten(among)
    if (x.dtype.kind == "b") != (among.dtype.kind == "b"):
        raise DTypeError(
            f"isin: dtypes cannot be compared; got {x.dtype} and {among.dtype}; use .astype"
        )
    dtype = promote("isin", x.dtype, among.dtype)
    # Truth values are compared as numbers, which can be sorted.
    target = astype(x, "uint8" if dtype.kind == "b" else dtype, copy=False)
    among = astype(among, target.dtype, copy=False)
    contained = None
    if not among.size:
        contained = zeros(x.shape, dtype="bool")
    elif dtype.kind != "f":
        # NumPy looks up integers in a table, if their range is small.
        contained = computed_here(
            lambda np, a, b: of_array("isin", np.isin(a, b), bool_), target, among
        )
    if contained is None:
        ordered = sort(among)
        position = searchsorted(ordered, target)
        contained = equal(take(ordered, position, axis=0), target)
    return ~contained if flag("isin", "invert", invert) else contained
