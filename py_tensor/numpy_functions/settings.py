"""NumPy's settings of floating-point errors and memory, which have no effect here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

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
    """Return False: assigning to a tensor never changes another one.

    Args:
        a: Any object.
        b: Any object.

    Returns:
        False.

    >>> import py_tensor as pt
    >>> x = pt.ones(3)
    >>> pt.shares_memory(x, x[1:])
    False
    """
    return False


may_share_memory = shares_memory
