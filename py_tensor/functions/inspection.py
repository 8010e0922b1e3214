"""Inspection of the namespace: devices, dtypes and capabilities."""

from __future__ import annotations

from typing import Any

from .. import late
from ..dtypes import BY_NAME, DType, as_dtype
from ..errors import ArgumentError
from ..runtime.executor import backend, check_device
from ..tensor import Tensor
from .data_types import isdtype

_DEFAULTS = {
    "real floating": "float32",
    "complex floating": "complex64",
    "integral": "int32",
    "indexing": "int32",
}


__array_api_version__ = "2025.12"
"""The version of the array API standard that the namespace follows."""

_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", __array_api_version__)


def namespace(self: Tensor, /, *, api_version: str | None = None) -> Any:
    """Return the namespace of the array API standard's functions: this package.

    Args:
        api_version: Version of the standard; None (default) for the newest that is supported.

    Returns:
        The module `py_tensor`.

    Raises:
        ArgumentError: If the version is not supported.
    """
    if api_version is not None and api_version not in _VERSIONS:
        raise ArgumentError(
            f"__array_namespace__: unknown version; got {api_version!r}; use one of "
            f"{', '.join(_VERSIONS)}"
        )
    return late.namespace()


class Info:
    """Inspection methods of the array API standard, made by `__array_namespace_info__`."""

    def capabilities(self) -> dict[str, Any]:
        """Return the optional features; data-dependent shapes need a read of the operands."""
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": None,
        }

    def default_device(self) -> str:
        """Return the name of the backend in use."""
        return backend().name

    def devices(self) -> tuple[str, ...]:
        """Return the name of the backend in use, in a tuple; all tensors are on it."""
        return (backend().name,)

    def default_dtypes(self, *, device: str | None = None) -> dict[str, DType]:
        """Return the dtypes of results if no dtype is given."""
        check_device("default_dtypes", device)
        return {kind: BY_NAME[name] for kind, name in _DEFAULTS.items() if name in BY_NAME}

    def dtypes(
        self, *, device: str | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, DType]:
        """Return the standard's dtypes that exist here, by name.

        Only those of `kind`, as in `isdtype`, if it is given.

        64-bit dtypes are missing, since WebGL has none; their names stand for the 32-bit ones.
        """
        check_device("dtypes", device)
        return {
            name: dtype
            for name, dtype in BY_NAME.items()
            if name != "float16" and (kind is None or isdtype(as_dtype(dtype), kind))
        }


def __array_namespace_info__() -> Info:
    """Return an object with the devices, dtypes, defaults and capabilities of this namespace.

    Returns:
        Info object with the methods of the array API standard.

    >>> import py_tensor as pt
    >>> sorted(pt.__array_namespace_info__().dtypes(kind="unsigned integer"))
    ['uint16', 'uint32', 'uint8']
    """
    return Info()
