"""Tensors as arrays of NumPy, JAX and other libraries, and as buffers; methods of `Tensor`."""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentError
from ..ir.tracer import is_traced
from ..late import imported
from ..runtime import host_data
from ..runtime.executor import backend, check_device, read_async
from ..runtime.scopes import state
from ..tensor import Tensor, node_behind
from ..typing import DTypeLike


def numpy(x: Tensor) -> Any:
    """Return the values as a new NumPy array; blocks until they are computed.

    Returns:
        numpy.ndarray of the tensor's shape and dtype.

    Raises:
        ImportError: If NumPy is not installed.

    >>> import py_tensor as pt
    >>> pt.ones(3).numpy().shape
    (3,)
    """
    try:
        import numpy as np
    except ImportError:
        raise ImportError(
            "numpy: NumPy is not installed; got no module numpy; use tolist() or memoryview(t)"
        ) from None
    spec = node_behind("numpy", x).spec
    flat = np.frombuffer(bytearray(x._bytes("numpy")), dtype=spec.dtype.name)
    return flat.reshape(spec.shape)


def element_hash(x: Tensor) -> int:
    """Return the hash of an element's number; raise TypeError for tensors that have axes."""
    node = node_behind("hash", x)
    if node.spec.shape or (state.traces and is_traced(node)):
        raise TypeError(
            f"hash: tensor is unhashable; got {node.spec}; use x.item(), x.tolist() or id(x)"
        )
    return hash(x._first("hash"))


async def data(x: Tensor) -> memoryview:
    """Read the values without blocking the page: `values = await x.data()`.

    Returns:
        memoryview of the tensor's shape and dtype. Python has no complex format: complex
        tensors give an additional last axis of length 2 for real and imaginary parts. Empty
        tensors give a flat view.

    Raises:
        DisposedError: If the tensor has been disposed.
        TraceError: If the tensor is a tracer inside `jit`.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> asyncio.run(pt.asarray([1, 2]).data()).tolist()
    [1, 2]
    """
    spec = node_behind("data", x).spec
    values = await read_async(x._read_buffer("data"))
    return host_data.shaped(values, spec.dtype, spec.shape if spec.size else (0,))


def to_device(x: Tensor, device: str, /, *, stream: None = None) -> Tensor:
    """Return this tensor; only the device in use is allowed.

    Args:
        device: Name of the backend in use, as `pt.get_backend` returns it.
        stream: None; streams are not supported.

    Returns:
        This tensor itself.

    Raises:
        ArgumentError: If `device` is another device, or `stream` is not None.

    >>> import py_tensor as pt
    >>> x = pt.ones(3)
    >>> x.to_device(pt.get_backend()) is x
    True
    """
    check_device("to_device", device)
    if stream is not None:
        raise ArgumentError("to_device: streams are not supported; got one; omit stream")
    return x


def block_until_ready(self: Tensor) -> Tensor:
    """Compute this tensor now, and return it; inside a trace, do nothing.

    On the JAX backend this waits for the device. A GPU may still be busy: reading a value waits.

    >>> import py_tensor as pt
    >>> x = pt.ones(3) + 1
    >>> x.block_until_ready() is x
    True
    """
    node = node_behind("block_until_ready", self)
    if not (state.traces and is_traced(node)):
        handle: Any = getattr(self._buffer("block_until_ready"), "handle", None)
        getattr(handle, "block_until_ready", lambda: None)()
    return self


def devices(self: Tensor) -> set[str]:
    """Return the set of devices that have this tensor: the name of the backend.

    >>> import py_tensor as pt
    >>> pt.ones(3).devices() == {pt.get_backend()}
    True
    """
    return {self.device}


def as_memoryview(x: Tensor, flags: int, /) -> memoryview:
    spec = node_behind("memoryview", x).spec
    if spec.dtype.kind == "c":
        # memoryview has no complex format, but can expose a complex NumPy array.
        try:
            return memoryview(numpy(x))
        except ImportError:
            raise BufferError(
                f"a tensor of {spec.dtype} has no memoryview without NumPy; use tolist(), "
                "pt.real(x) and pt.imag(x), or await x.data()"
            ) from None
    # NumPy makes an array of the buffer itself, which users may change.
    values = memoryview(bytearray(x._bytes("memoryview")))
    return host_data.shaped(values, spec.dtype, spec.shape)


def as_array(x: Tensor, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
    array = numpy(x)
    return array if dtype is None else array.astype(dtype)


def as_dlpack(
    x: Tensor,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """Return a DLPack capsule: the tensor's memory on JAX, else a copy, which needs NumPy."""
    return _shared_array(x, "dlpack").__dlpack__(
        stream=stream, max_version=max_version, dl_device=dl_device, copy=copy
    )


def dlpack_device(x: Tensor) -> tuple[int, int]:
    """Return DLPack's device type and number: the CPU except on JAX."""
    if backend().jax_arrays:
        device: tuple[int, int] = _shared_array(x, "dlpack").__dlpack_device__()
        return device
    return 1, 0


def as_jax_array(x: Tensor) -> Any:
    """Return an array of JAX, by which `jax.numpy` takes tensors; no copy on that backend."""
    jax: Any = imported("jax")
    return jax.numpy.asarray(_shared_array(x, "jax_array"))


def _shared_array(x: Tensor, operation: str) -> Any:
    """Return the values as an array of JAX on that backend, else as a new NumPy array."""
    engine: Any = backend()
    if not engine.jax_arrays:
        return numpy(x)
    buffer = x._buffer(operation)
    # Its memory is not donated, since others may use the array.
    buffer.users += 1
    return engine.array(buffer, x._spec)
