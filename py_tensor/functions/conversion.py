"""Convert Python values and other libraries' arrays to tensors, and copy tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..dtypes import as_dtype
from ..errors import ArgumentError
from ..ir.node import node_of
from ..ir.tracer import ScalarTracer
from ..late import LateModule
from ..ops.elementwise import CAST
from ..runtime import host_data
from ..runtime.executor import check_device
from ..tensor import Tensor, adopt, as_tensor, node_behind
from ..typing import ArrayLike, DTypeLike
from .decorators import named

if TYPE_CHECKING:
    from . import arguments
else:
    arguments = LateModule("functions.arguments")


def asarray(
    obj: ArrayLike,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: str | None = None,
    copy: bool | None = None,
) -> Tensor:
    """Convert numbers, nested sequences, a buffer or an array to a tensor.

    Args:
        obj: Number, nested lists or tuples, buffer, NumPy array or tensor. Sequences may contain
            tensors of one shape, which are joined and receive gradients.
        dtype: Data type of the result. None (default) gives bool, int32, float32 or complex64 for
            Python numbers, and the dtype of a buffer, array or tensor. 64-bit dtypes become the
            32-bit ones, complex128 becomes complex64; this holds for `dtype`, too.
        device: Name of the backend in use; None by default.
        copy: True for a new handle even if `obj` is a tensor of the same dtype; None (default)
            returns such a tensor itself. False raises ArgumentError for other input, except for
            arrays whose memory the JAX backend can share.

    Returns:
        Tensor with the shape of `obj`.

    Raises:
        ShapeError: If sequences are ragged.
        DTypeError: If a value does not fit the dtype, or the dtype does not exist.
        ArgumentError: If `device` is another device, or host data cannot be used without a copy.

    >>> import py_tensor as pt
    >>> pt.asarray([1, 2, 3]).dtype
    int32
    >>> pt.asarray([[0, 1], [2, 3]], dtype="float32").tolist()
    [[0.0, 1.0], [2.0, 3.0]]
    """
    check_device("asarray", device)
    if copy is not None and copy.__class__ is not bool:
        copy = arguments.flag("asarray", "copy", copy)
    target = None if dtype is None else as_dtype(dtype, "asarray")
    if isinstance(obj, Tensor):
        # An unchanged tensor is checked by the next operation, whose error names it better.
        if target is None and not copy:
            return obj
        node = node_behind("asarray", obj)
        if target is not None and target is not node.spec.dtype:
            return Tensor(node_of(CAST, (node,), target))
        return Tensor(node) if copy else obj
    if copy is False and not isinstance(obj, ScalarTracer):
        shared = adopt(obj, target)
        if shared is not None:
            return shared
        raise ArgumentError("asarray: host data is always copied; got copy=False; omit copy")
    return as_tensor("asarray", obj, target)


def copy(x: Tensor, /) -> Tensor:
    """Return a new handle on the value of x.

    Changing one of them in place leaves the other unchanged.

    Args:
        x: Tensor or array-like of any shape and dtype.

    Returns:
        Tensor of the shape and dtype of x.

    Raises:
        DisposedError: If x has been disposed of.

    >>> import py_tensor as pt
    >>> x = pt.asarray([1])
    >>> y = pt.copy(x)
    >>> x += 1
    >>> y.tolist()
    [1]
    """
    return Tensor(node_behind("copy", as_tensor("copy", x)))


@named
def from_dlpack(x: ArrayLike, /, *, device: str | None = None, copy: bool | None = None) -> Tensor:
    """Create a tensor from an array of another library that is stored in the CPU's memory.

    On the JAX backend the tensor shares the array's memory if its dtype exists here; arrays may
    then also be on the GPU. NumPy is needed if the array offers DLPack but no buffer.

    Args:
        x: Tensor, or object with DLPack or the buffer protocol.
        device: The backend in use, or None (default).
        copy: False raises an error if the array must be copied, as always except on JAX; True
            copies in any case; None by default.

    Returns:
        Tensor of the shape and dtype of x.

    Raises:
        ArgumentError: If `copy` is False and x must be copied.

    >>> import py_tensor as pt
    >>> pt.from_dlpack(pt.asarray([1, 2])).tolist()
    [1, 2]
    """
    check_device("from_dlpack", device)
    if isinstance(x, Tensor):
        return asarray(x, copy=copy)
    shared = None if copy else adopt(x)
    if shared is not None:
        return shared
    if copy is False:
        raise ArgumentError("from_dlpack: host data is always copied; got copy=False; omit copy")
    return as_tensor("from_dlpack", host_data.through_dlpack(x))
