"""Write into the memory of values that are on the host, if nothing else uses them."""

from __future__ import annotations

from sys import getrefcount
from typing import TYPE_CHECKING, Any

from ..dtypes import float32
from ..ir.node import OpNode, leaf_node, pullbacks, tapes, tensor_spec
from ..late import imported
from ..runtime.backends.base import Buffer
from ..runtime.executor import backend, realize_nodes
from ..runtime.scopes import state
from ..tensor import Tensor, handle_on, set_node

if TYPE_CHECKING:
    from ..ops.op_def import Shape


def peeked(node: OpNode, compute: bool = True) -> memoryview | None:
    """Return a node's elements as bytes if they are in host memory; compute them if allowed."""
    buffer = node.buffer
    if buffer is None:
        if not compute or not backend().host_memory or node.call is None:
            return None
        realize_nodes([node])
        buffer = node.buffer
    return backend().peek(buffer)


def _is_followed() -> bool:
    """Return True if a trace or derivatives may need the values that tensors have now."""
    return bool(tapes or state.traces or pullbacks)


def own_memory(tensor: Tensor) -> bytearray | None:
    """Return the elements to write to, after copying them if anything else uses them.

    None is returned if they are not in host memory, or if derivatives may need their value.
    """
    if _is_followed() or peeked(tensor._node) is None:
        return None
    if not _is_own(tensor):
        node = tensor._node
        data = bytearray(peeked(node) or b"")
        spec = node.spec
        del node
        set_node(tensor, leaf_node(Buffer(spec.dtype, spec.size, data), spec))
    memory: bytearray = tensor._node.buffer.host
    return memory


def write_strided(
    tensor: Tensor, strides: tuple[int, ...], offset: int, shape: Shape, value: OpNode
) -> bool:
    """Write a value, broadcast to a shape, to elements at distances along each axis, with NumPy.

    Return False if NumPy does not compute here; then nothing is written.
    """
    np: Any = imported("numpy")
    if np is None or backend().compiles or not value.spec.dtype.code or _is_followed():
        return False
    dtype, size = np.dtype(value.spec.dtype.name), value.spec.dtype.itemsize
    if value.call is None and value.buffer is None:
        source = np.asarray(value.value).astype(dtype)
    else:
        data = peeked(value)
        if data is None:
            return False
        source = np.frombuffer(data, dtype).reshape(value.spec.shape)
    memory = own_memory(tensor)
    if memory is None:
        return False
    if all(shape):
        steps = [stride * size for stride in strides]
        np.ndarray(shape, dtype, memory, offset * size, steps)[...] = source
    return True


def _is_own(tensor: Tensor) -> bool:
    """Return True if nothing but this tensor refers to its value, which is a writable copy."""
    return (
        tensor._node.buffer.host.__class__ is bytearray
        and tensor._node.buffer.handle is None
        and _references(tensor) == _ALONE
    )


def _references(tensor: Tensor) -> tuple[int, int, int]:
    """Return the numbers of references to a tensor's node, its buffer and its bytes."""
    return (
        getrefcount(tensor._node),
        getrefcount(tensor._node.buffer),
        getrefcount(tensor._node.buffer.host),
    )


_ALONE = _references(
    handle_on(leaf_node(Buffer(float32, 1, bytearray(4)), tensor_spec((1,), float32)))
)
"""References if there is one tensor; the interpreter's version decides how it counts its own."""
