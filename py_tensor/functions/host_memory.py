"""Write into the memory of values that are on the host, if nothing else uses them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from sys import getrefcount
from typing import TYPE_CHECKING, Any

from ..dtypes import DType, float32
from ..ir.node import OpNode, leaf_node, pullbacks, tapes, tensor_spec
from ..late import imported
from ..runtime.backends.base import Buffer
from ..runtime.executor import backend, realize_nodes
from ..runtime.scopes import state
from ..tensor import Tensor, from_host, handle_on, set_node

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


def numpy_here() -> Any:
    """Return NumPy if values may be read and written with it now, else None."""
    return None if backend().compiles or _is_followed() else imported("numpy")


def array_of(np: Any, node: OpNode) -> Any:
    """Return a node's elements as an array; None if they are not in host memory."""
    dtype = np.dtype(node.spec.dtype.name)
    if node.call is None and node.buffer is None:
        return np.asarray(node.value).astype(dtype)
    data = peeked(node)
    return None if data is None else np.frombuffer(data, dtype).reshape(node.spec.shape)


def computed_here(function: Callable[..., Any], *tensors: Tensor) -> Any:
    """Return the result of a function of NumPy and of tensors' elements as arrays.

    None is returned, and nothing computed, if NumPy does not compute here.
    """
    np = numpy_here()
    arrays = [] if np is None else [array_of(np, tensor._node) for tensor in tensors]
    if np is None or any(array is None for array in arrays):
        return None
    return function(np, *arrays)


def of_array(operation: str, array: Any, dtype: DType) -> Tensor:
    """Return a tensor of a new array's elements, converted to a dtype."""
    flat = array.astype(dtype.name, copy=False).reshape(-1)
    return from_host(memoryview(flat.view("uint8")), array.shape, dtype, operation)


def write_strided(
    tensor: Tensor,
    strides: tuple[int, ...],
    offset: int,
    shape: Shape,
    value: OpNode,
    keys: Sequence[Any] = (...,),
) -> bool:
    """Write a value to elements at distances along each axis, with NumPy.

    The elements form an array of a shape; `keys` select from it, one after the other. The value is
    broadcast. Return False if NumPy does not compute here, or rejects the keys or the value; then
    nothing is written.
    """
    np = numpy_here()
    if np is None or not value.spec.dtype.code:
        return False
    source = array_of(np, value)
    memory = None if source is None else own_memory(tensor)
    if memory is None:
        return False
    if all(shape):
        size = source.itemsize
        steps = [stride * size for stride in strides]
        target = np.ndarray(shape, source.dtype, memory, offset * size, steps)
        for key in keys[:-1]:
            target = target[key]
        try:
            target[keys[-1]] = source
        except (IndexError, ValueError):
            return False
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
