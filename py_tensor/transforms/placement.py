"""Define `device_put`, `device_get`, `block_until_ready` and others under JAX's names.

Tensors are on the one device of the backend, or on a mesh of devices, see `sharding`.
"""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentError
from ..ir.pytree import tree_map
from ..runtime.executor import backend
from ..sharding import shard
from ..tensor import Tensor, as_tensor

__all__ = [
    "block_until_ready",
    "default_backend",
    "device_count",
    "device_get",
    "device_put",
    "devices",
    "local_device_count",
    "local_devices",
]


def device_put(x: object, device: object = None) -> Any:
    """Return a tree of arrays and numbers as tensors.

    Args:
        x: Tree of tensors, arrays and numbers.
        device: None (default), an element of `pt.devices()`, or a `jax.sharding.NamedSharding`, for
            which `pt.sharding.shard` is called.

    Raises:
        ArgumentError: If `device` is another device.

    >>> import py_tensor as pt
    >>> pt.device_put({"a": 1.0})["a"].item()
    1.0
    """
    mesh = getattr(device, "mesh", None)
    if mesh is not None:
        return shard(x, mesh, getattr(device, "spec", ()))
    if device is not None and not (isinstance(device, str) and device in devices()):
        raise ArgumentError(
            f"device_put: device is not in use; got {device!r:.60}; use one of pt.devices(), or "
            "pt.sharding.shard for several devices"
        )
    return tree_map(lambda leaf: as_tensor("device_put", leaf), x)


def device_get(x: object) -> Any:
    """Return a tree of tensors as arrays of NumPy.

    Args:
        x: Tree of tensors; other leaves are unchanged.

    Raises:
        TraceError: If a tensor is traced.

    >>> import py_tensor as pt
    >>> pt.device_get({"a": pt.ones(2)})["a"].sum().item()
    2.0
    """
    return tree_map(lambda leaf: leaf.numpy() if isinstance(leaf, Tensor) else leaf, x)


def block_until_ready(x: object) -> Any:
    """Compute a tree of tensors now, and return it; see `Tensor.block_until_ready`.

    Args:
        x: Tree of tensors; other leaves are unchanged.

    >>> import py_tensor as pt
    >>> pt.block_until_ready([pt.ones(2), 3])[0].tolist()
    [1.0, 1.0]
    """
    return tree_map(lambda leaf: leaf.block_until_ready() if isinstance(leaf, Tensor) else leaf, x)


def default_backend() -> str:
    """Return the name of the backend in use, see `pt.get_backend`.

    >>> import py_tensor as pt
    >>> pt.default_backend() == pt.get_backend()
    True
    """
    return backend().name


def devices() -> list[str]:
    """Return the devices that tensors are on without a mesh: the name of the backend.

    >>> import py_tensor as pt
    >>> pt.devices() == [pt.get_backend()]
    True
    """
    return [backend().name]


def device_count() -> int:
    """Return the length of `devices()`.

    >>> import py_tensor as pt
    >>> pt.device_count()
    1
    """
    return len(devices())


local_devices = devices
local_device_count = device_count
