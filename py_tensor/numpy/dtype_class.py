"""`np.dtype`, which is called with texts and types, and is the class of dtypes for `isinstance`."""

from __future__ import annotations

from typing import Any

from ..dtypes import DType, as_dtype, float32
from ..typing import DTypeLike


class _ClassOfDTypes(type):
    def __call__(cls, dtype: DTypeLike | None, align: bool = False, copy: bool = False) -> Any:
        return float32 if dtype is None else as_dtype(dtype)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, DType)


class dtype(metaclass=_ClassOfDTypes):
    """Convert a text, a Python type or a NumPy dtype to a dtype.

    Args:
        dtype: For example "f4", "float64" or int; None for the default dtype, float32.
        align: Ignored.
        copy: Ignored.

    Returns:
        DType, of which `isinstance(value, np.dtype)` is True.

    Raises:
        DTypeError: If there is no such dtype.

    >>> import py_tensor.numpy as np
    >>> np.dtype("i2"), isinstance(np.float32, np.dtype)
    (int16, True)
    """
