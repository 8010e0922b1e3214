"""Elements become a batch: leaves in the same place of all elements are stacked to one tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import ShapeError
from ..functions.joining import stack
from ..tensor import Tensor, as_tensor, from_host, node_behind
from .nesting import map_leaves


def stacked(elements: Sequence[Any]) -> Any:
    """One element whose leaves have an axis more, in front: the elements', in their order.

    Numbers, lists, arrays and tensors become tensors, texts become lists. Raises ShapeError for
    leaves of different shapes, ArgumentError for different containers.

    >>> batch = stacked([(1.5, {"label": 2}), (2.5, {"label": 0})])
    >>> batch[0].tolist(), batch[1]["label"].tolist()
    ([1.5, 2.5], [2, 0])
    """
    return map_leaves("batch", _stack, *elements)


def _stack(*leaves: Any) -> Any:
    if isinstance(leaves[0], str):
        return list(leaves)
    if all(isinstance(leaf, (bool, int, float)) for leaf in leaves):
        return as_tensor("batch", leaves)
    tensors = [as_tensor("batch", leaf) for leaf in leaves]
    shapes = {tensor.shape for tensor in tensors}
    if len(shapes) > 1:
        raise ShapeError(
            f"batch: elements differ in shape; got {', '.join(map(str, sorted(shapes)))}; "
            "pad or crop them to one shape by map"
        )
    dtype = tensors[0].dtype
    parts = [_host_bytes(tensor) for tensor in tensors if tensor.dtype is dtype]
    if len(parts) < len(tensors) or None in parts:
        return stack(tensors)
    return from_host(b"".join(parts), (len(parts), *tensors[0].shape), dtype, "batch")


def _host_bytes(tensor: Tensor) -> Any:
    """The elements of a tensor that is on the host, None for others."""
    buffer = node_behind("batch", tensor).buffer
    return None if buffer is None else buffer.host
