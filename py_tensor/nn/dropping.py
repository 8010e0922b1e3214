"""Dropout."""

from __future__ import annotations

from typing import Any

from .. import random
from ..errors import ArgumentError
from ..functions.elementwise import PUBLIC as ELEMENTWISE
from ..functions.floating import floating
from ..random import Key
from ..tensor import Tensor


def dropout(x: Any, rate: float, /, *, training: bool = True, key: Key | None = None) -> Tensor:
    """x with each element 0 with probability `rate`, else divided by 1 - rate; x if not training.

    So the expected value is x. Floating dtypes. Raises ArgumentError for rates out of 0 .. 1.
    (Srivastava et al. 2014, "Dropout", JMLR 15.)

    >>> import py_tensor as pt
    >>> pt.nn.dropout(pt.asarray([1.0, 2.0]), 0.5, training=False).tolist()
    [1.0, 2.0]
    """
    given = floating("dropout", x)
    check_rate("dropout", rate)
    if not training or rate == 0:
        return given
    kept = random.uniform(given.shape, key=key) >= rate
    return ELEMENTWISE["where"](kept, given * (1.0 / (1.0 - rate) if rate < 1 else 0.0), 0.0)


def check_rate(operation: str, rate: float) -> None:
    """Raises ArgumentError for what is no probability."""
    if not 0 <= rate <= 1:
        raise ArgumentError(
            f"{operation}: rate is no probability; got {rate}; give one from 0 to 1"
        )
