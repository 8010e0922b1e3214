"""What the namespace says about itself: devices, dtypes and capabilities."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from ..dtypes import BY_NAME, DType, as_dtype
from ..errors import ArgumentError
from ..runtime import backend, check_device
from ..tensor import Tensor
from .data_types import isdtype

_DEFAULTS = {
    "real floating": "float32",
    "complex floating": "complex64",
    "integral": "int32",
    "indexing": "int32",
}


VERSION = "2025.12"
"""The version of the array API standard that the namespace follows."""

_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", VERSION)


def _namespace(self: Tensor, /, *, api_version: str | None = None) -> Any:
    """The namespace of the array API standard's functions: this package.

    Raises ArgumentError for versions of the standard that it does not know.
    """
    if api_version is not None and api_version not in _VERSIONS:
        raise ArgumentError(
            f"__array_namespace__: version is not known; got {api_version!r}; "
            f"use one of {', '.join(_VERSIONS)}"
        )
    return import_module(__package__.partition(".")[0])


class Info:
    """Answers to what array API programs ask: see each method."""

    def capabilities(self) -> dict[str, Any]:
        """Boolean masks and shapes that depend on data work: what they depend on is read."""
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": None,
        }

    def default_device(self) -> str:
        """The name of the backend in use."""
        return backend().name

    def devices(self) -> tuple[str, ...]:
        """The one backend in use: tensors move with it."""
        return (backend().name,)

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        """The dtypes of results where no dtype is given."""
        check_device("default_dtypes", device)
        return {kind: BY_NAME[name] for kind, name in _DEFAULTS.items() if name in BY_NAME}

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, DType]:
        """The standard's dtypes that exist here, by name; those of a kind as `isdtype` names it.

        64-bit integers and floats do not: WebGL has neither.
        """
        check_device("dtypes", device)
        return {
            name: dtype
            for name, dtype in BY_NAME.items()
            if name != "float16" and (kind is None or isdtype(as_dtype(dtype), kind))
        }


def __array_namespace_info__() -> Info:
    """What this namespace can: devices, dtypes, defaults and capabilities.

    >>> import py_tensor as pt
    >>> sorted(pt.__array_namespace_info__().dtypes(kind="unsigned integer"))
    ['uint16', 'uint32', 'uint8']
    """
    return Info()


OPERATORS: dict[str, Callable[..., Any]] = {"__array_namespace__": _namespace}
