"""NumPy's hierarchy of dtypes, and questions about dtypes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import functions as F
from ..dtypes import BY_NAME, DType, as_dtype, float32
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, DTypeLike


@dataclass(frozen=True)
class DTypeKind:
    """Abstract type of NumPy's hierarchy, such as `pt.floating`, for `pt.issubdtype`.

    Tensors without axes are instances of the kinds of their dtype, as NumPy's scalars are.

    >>> import py_tensor as pt
    >>> pt.issubdtype(pt.float16, pt.floating)
    True
    """

    name: str
    kinds: str

    def __repr__(self) -> str:
        return self.name

    def __instancecheck__(self, value: Any) -> bool:
        return isinstance(value, Tensor) and value.shape == () and value.dtype.kind in self.kinds


generic = DTypeKind("generic", "buifc")
number = DTypeKind("number", "uifc")
integer = DTypeKind("integer", "ui")
signedinteger = DTypeKind("signedinteger", "i")
unsignedinteger = DTypeKind("unsignedinteger", "u")
inexact = DTypeKind("inexact", "fc")
floating = DTypeKind("floating", "f")
complexfloating = DTypeKind("complexfloating", "c")


def issubdtype(arg1: DTypeLike, arg2: DTypeLike) -> bool:
    """Test if a dtype or kind belongs to another one.

    Args:
        arg1: Dtype or kind.
        arg2: Dtype or kind, for example `pt.integer`.

    Returns:
        True or False.

    Raises:
        DTypeError: If an argument is neither.

    >>> import py_tensor as pt
    >>> pt.issubdtype(pt.int8, pt.integer), pt.issubdtype(pt.int8, pt.int16)
    (True, False)
    """
    if isinstance(arg2, DTypeKind):
        own = arg1.kinds if isinstance(arg1, DTypeKind) else as_dtype(arg1, "issubdtype").kind
        return set(own) <= set(arg2.kinds)
    return not isinstance(arg1, DTypeKind) and as_dtype(arg1) is as_dtype(arg2, "issubdtype")


def common_type(*arrays: ArrayLike) -> DType:
    """Return the floating or complex dtype that arrays promote to; integers count as float32.

    Args:
        arrays: Tensors or array-likes.

    Returns:
        DType.

    >>> import py_tensor as pt
    >>> pt.common_type([1, 2])
    float32
    """
    dtypes = [as_tensor("common_type", x).dtype for x in arrays]
    floats = [dtype if dtype.kind in "fc" else float32 for dtype in dtypes]
    return F.result_type(*floats)


def min_scalar_type(a: ArrayLike) -> DType:
    """Return the smallest dtype that holds a number; tensors keep their dtype.

    Args:
        a: Python number or tensor.

    Returns:
        DType.

    Raises:
        DTypeError: If the number is an integer that no dtype holds.

    >>> import py_tensor as pt
    >>> pt.min_scalar_type(300), pt.min_scalar_type(-1)
    (uint16, int8)
    """
    if isinstance(a, Tensor) or not isinstance(a, bool | int | float | complex):
        return as_tensor("min_scalar_type", a).dtype
    if isinstance(a, bool):
        return BY_NAME["bool"]
    if isinstance(a, int):
        names = ("int8", "int16", "int32") if a < 0 else ("uint8", "uint16", "uint32")
        for name in names:
            if BY_NAME[name].lowest <= a <= BY_NAME[name].highest:
                return BY_NAME[name]
        return as_tensor("min_scalar_type", a).dtype
    if isinstance(a, float):
        return BY_NAME[
            "float16" if abs(a) < 65504 or a != a or abs(a) == float("inf") else "float32"
        ]
    return BY_NAME["complex64"]
