"""Reductions and cumulative sums that mean the same in several formats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..tensor import Tensor
from . import folding
from .graph import ModelConstant
from .options import Ints, several, single

type Reduction = Callable[..., Tensor]


def reduced(function: Reduction, x: Tensor, axes: int | Ints, *, keep_dims: bool = False) -> Tensor:
    """Reduce axes; the result has the dtype of the input."""
    result = function(x, axis=tuple(several(axes)), keepdims=keep_dims)
    return result.astype(x.dtype, copy=False)


def folded(on_numbers: Callable[[list[Any]], Any]) -> Callable[..., ModelConstant | None]:
    """Return `reduced` for constants, given the function of a list of numbers."""
    fold = folding.reduction(on_numbers)

    def run(x: ModelConstant, axes: int | Ints, *, keep_dims: bool = False) -> ModelConstant | None:
        return fold(x, several(axes), keepdims=keep_dims, noop_with_empty_axes=True)

    return run


def running(
    function: Reduction,
    x: Tensor,
    axis: int | Ints,
    *,
    exclusive: int = 0,
    reverse: int = 0,
) -> Tensor:
    """Compute cumulative sums or products."""
    return function(x, axis=single(axis), exclusive=bool(exclusive), reverse=bool(reverse))
