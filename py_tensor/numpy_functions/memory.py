"""NumPy's view of a tensor's memory: dtypes and shapes of the same bytes, and strides."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..dtypes import as_dtype
from ..errors import ShapeError
from ..functions.manipulation import reshape
from ..functions.parts import Base, is_contiguous, strides_of
from ..ir.node import op_instance
from ..ops.views import RESHAPE
from ..runtime.scopes import state
from ..tensor import Tensor, from_host, node_behind, set_node
from ..typing import DTypeLike, ShapeLike


def view(x: Tensor, dtype: DTypeLike | None = None) -> Tensor:
    """Return a view of the elements, or the elements' bytes as those of another dtype.

    With a class derived from Tensor, the result is an instance of it with the same elements, which
    is a value of its own; `__array_finalize__` is called with this tensor if the class has it.

    With a dtype the elements are read, and the result is a value of its own: assigning to it does
    not change this tensor.

    Args:
        dtype: Dtype or class of the result; None (default) for a view of all elements.

    Returns:
        Tensor of this shape. If elements of `dtype` have another number of bytes, the last axis has
        another length.

    Raises:
        ShapeError: If the bytes of the last axis are not a whole number of elements.

    >>> import py_tensor as pt
    >>> pt.asarray([1.0, -2.0]).view("int32").tolist()
    [1065353216, -1073741824]
    """
    if dtype is None:
        return x[...]
    if isinstance(dtype, type) and issubclass(dtype, Tensor):
        return _instance_of(dtype, x)
    spec, target = node_behind("view", x).spec, as_dtype(dtype, "view")
    shape = spec.shape
    if target.itemsize != spec.dtype.itemsize:
        nbytes = shape[-1] * spec.dtype.itemsize if shape else 1
        if nbytes % target.itemsize or not shape:
            raise ShapeError(
                f"view: last axis does not fit elements of {target.itemsize} bytes; got {spec}; "
                "use a dtype whose size divides that of the last axis"
            )
        shape = (*shape[:-1], nbytes // target.itemsize)
    return from_host(bytes(x._bytes("view")), shape, target, "view")


def _instance_of(kind: type[Tensor], x: Tensor) -> Tensor:
    own = object.__new__(kind)
    Tensor.__init__(own, node_behind("view", x))
    finalize = getattr(own, "__array_finalize__", None)
    if finalize is not None:
        finalize(x)
    return own


def strides(x: Tensor) -> tuple[int, ...]:
    """Return the distances in bytes that NumPy's array would have along each axis."""
    return tuple(n * x.dtype.itemsize for n in strides_of(x))


class Flags(NamedTuple):
    """Facts about the memory that NumPy would use for a tensor."""

    c_contiguous: bool
    f_contiguous: bool
    owndata: bool
    writeable: bool = True


def flags(x: Tensor) -> Flags:
    """Return facts about the memory that NumPy would use for a tensor."""
    return Flags(is_contiguous(x), is_contiguous(x.T), x.base is None)


def set_shape(x: Tensor, shape: ShapeLike) -> None:
    """Change the shape of a tensor in place; views of it and its whole keep sharing elements."""
    new = reshape(x, shape, copy=False)
    if state.trace is not None:
        state.trace.refuse_move(x)
    links: Any = getattr(x, "_links", None)
    if links is not None and new is not x:
        own = new._links
        links._layout = own.layout(new.shape) if links.bases else None
        links.bases = tuple(base for base in own.bases if base.tensor() is not x)
        back = op_instance(RESHAPE, (new._spec,), x.shape)
        for part in [weak() for weak in links.parts]:
            if part is not None and part is not new:
                part._links.bases = tuple(
                    Base(base.tensor, (back, *base.calls)) if base.tensor() is x else base
                    for base in part._links.bases
                )
    set_node(x, new._node)
