"""Building blocks of neural networks that are neither convolution nor pooling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..nodes import node_of
from ..ops.views import STOP_GRADIENT
from ..tensor import Tensor
from .axes import one_axis
from .elementwise import PUBLIC as ELEMENTWISE
from .floating import floating
from .remembering import remembered
from .statistical import PUBLIC as STATISTICAL


@remembered
def softmax(x: Any, /, *, axis: int = -1) -> Tensor:
    """exp(x) over its sum along an axis, shifted by the maximum so that nothing overflows.

    Shape and dtype are those of x. Raises DTypeError for dtypes that are not floating, ShapeError
    for an axis that does not exist.

    >>> import py_tensor as pt
    >>> pt.softmax(pt.asarray([0.0, 0.0])).tolist()
    [0.5, 0.5]
    """
    given = floating("softmax", x)
    place = one_axis("softmax", axis, given.ndim)
    if given.shape[place] == 0:
        return given
    highest = STATISTICAL["max"](given, axis=place, keepdims=True)._node
    # The shift cancels out, in the gradient too.
    shift = Tensor(node_of(STOP_GRADIENT, (highest,), highest.spec.shape))
    powers = ELEMENTWISE["exp"](given - shift)
    return powers / STATISTICAL["sum"](powers, axis=place, keepdims=True)


PUBLIC: dict[str, Callable[..., Tensor]] = {"softmax": softmax}
