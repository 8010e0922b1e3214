"""Dtypes of structured arrays."""

from __future__ import annotations

from typing import Any

from ..dtypes import as_dtype
from ..functions.arguments import a_shape


class StructuredDType:
    """Names, dtypes and shapes of the fields of a structured array."""

    kind = "V"

    def __init__(self, fields: Any) -> None:
        self.fields: dict[str, tuple[Any, tuple[int, ...]]] = {}
        for name, dtype, *rest in fields:
            inner = StructuredDType(dtype) if isinstance(dtype, list) else as_dtype(dtype)
            self.fields[name] = (inner, a_shape("dtype", rest[0]) if rest else ())

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the fields."""
        return tuple(self.fields)

    def __getitem__(self, name: str) -> Any:
        return self.fields[name][0]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StructuredDType) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        parts = [(n, d, s) if s else (n, d) for n, (d, s) in self.fields.items()]
        return f"dtype({parts})"


def is_structured(dtype: Any) -> bool:
    """Return True for a structured dtype, or the list of its fields."""
    return isinstance(dtype, StructuredDType) or (
        isinstance(dtype, list) and all(isinstance(field, tuple) for field in dtype)
    )
