"""Stack elements to a batch: corresponding leaves become one tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import ShapeError
from ..functions.joining import stack
from ..ir.pytree import map_trees
from ..tensor import Tensor, as_tensor, from_host, node_behind


def is_leaf(value: object) -> bool:
    """Return True for a leaf of an element: anything but tuples and dicts, also a list."""
    return not isinstance(value, (dict, tuple))


def stacked(elements: Sequence[Any]) -> Any:
    """Stack the leaves of elements along a new first axis.

    Numbers, lists, arrays and tensors become tensors; strings become lists. Raises ShapeError if
    corresponding leaves differ in shape, and ArgumentError if containers differ.

    >>> batch = stacked([(1.5, {"label": 2}), (2.5, {"label": 0})])
    >>> batch[0].tolist(), batch[1]["label"].tolist()
    ([1.5, 2.5], [2, 0])
    """
    return map_trees("batch", _stack, is_leaf, *elements)


def _stack(*leaves: Any) -> Tensor | list[str]:
    if isinstance(leaves[0], str):
        return list(leaves)
    if all(isinstance(leaf, (bool, int, float)) for leaf in leaves):
        return as_tensor("batch", leaves)
    tensors = [as_tensor("batch", leaf) for leaf in leaves]
    shapes = {tensor.shape for tensor in tensors}
    if len(shapes) > 1:
        raise ShapeError(
            f"batch: elements must have the same shape; got {', '.join(map(str, sorted(shapes)))}; "
            "use map to pad or crop them to the same shape"
        )
    dtype = tensors[0].dtype
    parts = [_host_bytes(tensor) for tensor in tensors if tensor.dtype is dtype]
    if len(parts) < len(tensors) or None in parts:
        return stack(tensors)
    return from_host(b"".join(parts), (len(parts), *tensors[0].shape), dtype, "batch")


def _host_bytes(tensor: Tensor) -> Any:
    """Return a tensor's elements if they are on the host, else None."""
    buffer = node_behind("batch", tensor).buffer
    return None if buffer is None else buffer.host
