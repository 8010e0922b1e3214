"""Dropout as a function."""

from __future__ import annotations

from .. import random
from ..errors import ArgumentError
from ..functions.arguments import flag, floating, number
from ..functions.elementwise import where
from ..random import Key
from ..tensor import Tensor
from ..typing import ArrayLike


def dropout(
    x: ArrayLike, rate: float, /, *, training: bool = True, key: Key | None = None
) -> Tensor:
    """Set elements to 0 with probability `rate`, and divide the others by 1 - rate.

    The division keeps the expected value. Source: Srivastava et al. 2014, "Dropout", JMLR 15.

    Args:
        x: Tensor of any shape and a floating dtype.
        rate: Probability from 0 to 1.
        training: Drop elements; if False, return x unchanged. Default True.
        key: Key of `pt.random`; None (default) for the next one.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        ArgumentError: If `rate` is not from 0 to 1.
        DTypeError: If `x` is not floating.

    >>> import py_tensor as pt
    >>> pt.nn.dropout(pt.asarray([1.0, 2.0]), 0.5, training=False).tolist()
    [1.0, 2.0]
    >>> dropped = pt.nn.dropout(pt.ones(100), 0.5).tolist()
    >>> sorted(set(dropped))
    [0.0, 2.0]
    """
    tensor = floating("dropout", x)
    rate = check_rate("dropout", rate)
    if not flag("dropout", "training", training) or rate == 0:
        return tensor
    kept = random.uniform(tensor.shape, key=key) >= rate
    return where(kept, tensor * (1.0 / (1.0 - rate) if rate < 1 else 0.0), 0.0)


def check_rate(operation: str, rate: float) -> float:
    """Return the rate; raise ArgumentError unless it is a probability."""
    share = number(operation, "rate", rate)
    if not 0 <= share <= 1:
        raise ArgumentError(
            f"{operation}: rate must be a probability; got {share}; use a number from 0 to 1"
        )
    return share
