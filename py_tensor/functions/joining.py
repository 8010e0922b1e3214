"""Joining functions: several tensors become one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import ShapeError
from ..nodes import Node, node_of
from ..ops.views import CONCAT, RESHAPE
from ..tensor import Tensor, as_tensor, node_behind
from .axes import one_axis
from .manipulation import expand_dims
from .naming import named

_AT_ONCE = 8
"""Operands one kernel joins; more would not leave texture units for what is fused with them."""


def concat(arrays: Sequence[Any], /, *, axis: int | None = 0) -> Tensor:
    """Tensors joined along an axis, or flattened first where `axis` is None.

    Raises ShapeError where shapes differ beside that axis.

    >>> import py_tensor as pt
    >>> pt.concat([pt.asarray([1, 2]), pt.asarray([3])]).tolist()
    [1, 2, 3]
    """
    nodes = [node_behind("concat", as_tensor("concat", x)) for x in arrays]
    if not nodes:
        raise ShapeError("concat: nothing to join; got an empty sequence; give at least one tensor")
    if axis is None:
        nodes = [node_of(RESHAPE, (node,), (node.spec.size,)) for node in nodes]
        axis = 0
    place = one_axis("concat", axis, len(nodes[0].spec.shape))
    return Tensor(_join(nodes, place))


def _join(nodes: list[Node], axis: int) -> Node:
    while len(nodes) > _AT_ONCE:
        nodes = [_join(nodes[i : i + _AT_ONCE], axis) for i in range(0, len(nodes), _AT_ONCE)]
    return node_of(CONCAT, tuple(nodes), axis)


@named
def stack(arrays: Sequence[Any], /, *, axis: int = 0) -> Tensor:
    """Tensors of one shape joined along a new axis.

    The result has the promoted dtype. Raises ShapeError for no tensors, for shapes that differ, and
    for an axis that does not exist.

    >>> import py_tensor as pt
    >>> pt.stack([pt.asarray([1, 2]), pt.asarray([3, 4])]).tolist()
    [[1, 2], [3, 4]]
    """
    tensors = [as_tensor("stack", x) for x in arrays]
    if not tensors:
        raise ShapeError("stack: nothing to join; got an empty sequence; give at least one tensor")
    shapes = {x.shape for x in tensors}
    if len(shapes) > 1:
        raise ShapeError(
            f"stack: shapes differ; got {', '.join(map(str, sorted(shapes)))}; "
            "make all shapes equal"
        )
    place = one_axis("stack", axis, tensors[0].ndim + 1)
    return concat([expand_dims(x, axis=place) for x in tensors], axis=place)


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The slices along an axis, each without it.

    Raises ShapeError for an axis that does not exist.

    >>> import py_tensor as pt
    >>> [part.tolist() for part in pt.unstack(pt.asarray([[1, 2], [3, 4]]))]
    [[1, 2], [3, 4]]
    """
    x = as_tensor("unstack", x)
    place = one_axis("unstack", axis, x.ndim)
    before: tuple[slice, ...] = (slice(None),) * place
    return tuple(x[(*before, at)] for at in range(x.shape[place]))


PUBLIC: dict[str, Callable[..., Any]] = {"concat": concat, "stack": stack, "unstack": unstack}
