"""`np.dtype`, which is called with texts and types, and is the class of dtypes for `isinstance`."""

from __future__ import annotations

from typing import Any

from ..dtypes import DType, as_dtype, float32
from ..typing import DTypeLike
from .structured import StructuredDType, is_structured


class _ClassOfDTypes(type):
    def __call__(
        cls, dtype: DTypeLike | list[Any] | None, align: bool = False, copy: bool = False
    ) -> Any:
        if is_structured(dtype):
            return dtype if isinstance(dtype, StructuredDType) else StructuredDType(dtype)
        return float32 if dtype is None else as_dtype(dtype)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, DType | StructuredDType)


class dtype(metaclass=_ClassOfDTypes):
    """Convert a text, a Python type or a NumPy dtype to a dtype.

    Args:
        dtype: For example "f4", "float64" or int, or a list of fields such as `[("x", "f4")]`; None
            for the default dtype, float32.
        align: Ignored.
        copy: Ignored.

    Returns:
        Dtype, of which `isinstance(value, np.dtype)` is True.

    Raises:
        DTypeError: If there is no such dtype.

    >>> import py_tensor.numpy as np
    >>> np.dtype("i2"), isinstance(np.float32, np.dtype)
    (int16, True)
    """
