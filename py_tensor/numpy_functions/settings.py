"""NumPy's settings of floating-point errors and memory, which have no effect here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .. import functions as F
from ..functions.parts import viewed
from ..tensor import Tensor
from ..typing import ArrayLike

_IGNORED = {"divide": "ignore", "over": "ignore", "under": "ignore", "invalid": "ignore"}


@contextmanager
def errstate(**options: Any) -> Iterator[None]:
    """Do nothing: undefined results are infinite or NaN and never raise.

    Args:
        options: Ignored.

    Returns:
        Context manager.

    >>> import py_tensor as pt
    >>> with pt.errstate(divide="ignore"):
    ...     (pt.asarray(1.0) / 0.0).item()
    inf
    """
    yield


def seterr(**options: Any) -> dict[str, str]:
    """Do nothing: undefined results are infinite or NaN and never raise.

    Args:
        options: Ignored.

    Returns:
        The settings, all "ignore".

    >>> import py_tensor as pt
    >>> pt.seterr(all="warn")["divide"]
    'ignore'
    """
    return geterr()


def geterr() -> dict[str, str]:
    """Return the settings of floating-point errors, all "ignore".

    Returns:
        Dict of str to str.

    >>> import py_tensor as pt
    >>> pt.geterr()["over"]
    'ignore'
    """
    return dict(_IGNORED)


def shares_memory(a: ArrayLike, b: ArrayLike) -> bool:
    """Return True if assigning to an element of one tensor changes the other one.

    Args:
        a: Any object.
        b: Any object.

    Returns:
        bool. False if one is not a tensor.

    >>> import py_tensor as pt
    >>> x = pt.ones(3)
    >>> pt.shares_memory(x, x[1:]), pt.shares_memory(x, x + 1)
    (True, False)
    """
    if not (isinstance(a, Tensor) and isinstance(b, Tensor)):
        return False
    wholes = [x if x.base is None else x.base for x in (a, b)]
    if wholes[0] is not wholes[1]:
        return False
    places = F.reshape(F.arange(wholes[0].size), wholes[0].shape)
    return bool(F.any(F.isin(viewed(places, a), viewed(places, b))))


may_share_memory = shares_memory
