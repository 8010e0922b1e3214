"""Read and write single elements of tensors whose values are in host memory.

Loops over elements take most of their time in `x[i, j]` and `x[i, j] = v`. If the values are on the
host, an element is read without a plan, and written in place if nothing else uses the value.
"""

from __future__ import annotations

from struct import error as StructError, pack_into, unpack_from
from typing import Any

from ..dtypes import DType
from ..ir.node import OpNode, leaf_node, tapes, tensor_spec
from ..runtime.backends.base import Buffer
from ..runtime.executor import backend
from ..runtime.scopes import state
from ..tensor import Tensor
from .host_memory import own_memory, peeked
from .parts import place_in, renew_parts, root_of

_KINDS = {"f": (float, int), "i": (int,), "u": (int,), "b": (bool, int)}
"""Types of Python numbers that are stored without further checks, by the kind of dtype."""
_LARGEST = 1 << 24
"""Integers up to which float32 is exact; larger ones take the way that checks them."""


def element(self: Tensor, key: Any) -> Tensor | None:
    """Return the element at integer positions; None if it takes the general way."""
    node = self._node
    place = _place(key, node)
    if place is None:
        return None
    # A kernel may compute a single element of a pending value.
    data = peeked(node, compute=not backend().compiles)
    if data is None:
        return None
    dtype = node.spec.dtype
    size = dtype.itemsize
    value = bytes(data[place * size : (place + 1) * size])
    return Tensor(leaf_node(Buffer(dtype, 1, value), tensor_spec((), dtype)))


def set_element(self: Tensor, key: Any, value: Any) -> bool:
    """Write an element at integer positions; return False if it takes the general way."""
    node = self._node
    place = _place(key, node)
    if place is None:
        return False
    dtype = node.spec.dtype
    number = _number(value, dtype)
    if number is None:
        return False
    del node
    if not hasattr(self, "_links"):
        return _write(self, place, number)
    whole, calls = root_of(self)
    if whole is not self and not _write(whole, place_in(whole, calls, self.shape, place), number):
        return False
    written = _write(self, place, number)
    if written:
        renew_parts(whole, self)
    return written


def _place(key: Any, node: OpNode) -> int | None:
    """Return the row-major position of an element, if the key has an integer for each axis."""
    if tapes or state.traces or node.spec is None:
        return None
    shape = node.spec.shape
    keys = key if key.__class__ is tuple else (key,)
    if len(keys) != len(shape):
        return None
    place = 0
    for at, length in zip(keys, shape, strict=True):
        if at.__class__ is not int or not -length <= at < length:
            return None
        place = place * length + (at if at >= 0 else at + length)
    return place


def _number(value: Any, dtype: DType) -> Any:
    """Return a Python number that fits a dtype and needs no check; None if there is none."""
    if value.__class__ is Tensor:
        node = value._node
        if node.spec is None or node.spec.dtype is not dtype or node.spec.shape:
            return None
        data = peeked(node)
        return None if data is None or dtype.kind == "c" else unpack_from(f"={dtype.code}", data)[0]
    if value.__class__ not in _KINDS.get(dtype.kind, ()):
        return None
    if dtype.kind == "f" and value.__class__ is int and not -_LARGEST < value < _LARGEST:
        return None
    return value


def _write(tensor: Tensor, place: int, number: Any) -> bool:
    memory = own_memory(tensor)
    if memory is None:
        return False
    dtype = tensor.dtype
    try:
        pack_into(f"={dtype.code}", memory, place * dtype.itemsize, number)
    except StructError:
        return False
    return True
