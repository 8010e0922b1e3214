"""Functions to add to `array_api_compat/common/_helpers.py`, written like those for NumPy."""

from __future__ import annotations

from collections.abc import Hashable
from types import ModuleType
from typing import cast

from array_api_compat.common._helpers import _issubclass_fast


def is_py_tensor_array(x: object) -> bool:
    """
    Return True if `x` is a py_tensor array.

    This function does not import py_tensor if it has not already been imported
    and is therefore cheap to use.

    See Also
    --------

    array_namespace
    is_array_api_obj
    is_numpy_array
    """
    cls = cast(Hashable, type(x))
    return _issubclass_fast(cls, "py_tensor", "Tensor")


def is_py_tensor_namespace(xp: ModuleType) -> bool:
    """
    Return True if `xp` is a py_tensor namespace.

    See Also
    --------

    array_namespace
    is_numpy_namespace
    """
    return xp.__name__ == "py_tensor"
