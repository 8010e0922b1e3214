"""Read the parts of a tokenizer file by their type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import ModelError
from .regex import Pattern

DEPTH = 20
"""Largest number of sequences inside of each other."""


def malformed(wrong: str, got: str) -> ModelError:
    """Return the error of a file that is not valid."""
    return ModelError(
        f"load: not a valid tokenizer file: {wrong}; got {got}; download or save the file again"
    )


def made(
    kind: str, rows: Mapping[str, Callable[[Part], Any]], data: Any, depth: int = DEPTH
) -> Any:
    """Return the part that the row of a description's type makes; `kind` names such parts."""
    if not isinstance(data, dict) or not isinstance(data.get("type"), str):
        raise malformed(f"{kind} must be an object with a type", f"{data!r:.80}")
    row = rows.get(data["type"])
    if row is None or depth < 1:
        raise ModelError(
            f"load: {kind} is of an unknown type; got {data['type']!r:.40}; use a tokenizer with "
            f"{', '.join(rows)}"
        )
    return row(Part(kind, data, rows, depth))


class Part:
    """Fields of the description of a part, which are checked when they are read."""

    def __init__(
        self, kind: str, data: dict[str, Any], rows: Mapping[str, Any] | None = None, depth: int = 0
    ) -> None:
        self.kind = kind
        self.data = data
        self._rows = rows or {}
        self._depth = depth

    def get(self, name: str, form: type | tuple[type, ...], default: Any = ...) -> Any:
        """Return a field; raise ModelError if it has another form."""
        value = self.data.get(name)
        if value is None and default is not ...:
            return default
        forms = form if isinstance(form, tuple) else (form,)
        if not isinstance(value, form) or (isinstance(value, bool) and bool not in forms):
            raise malformed(
                f"{self.kind} {self.data.get('type', '')} has no valid {name}", f"{value!r:.60}"
            )
        return value

    def choice(self, name: str, choices: Mapping[str, Any] | tuple[str, ...], default: str) -> str:
        """Return a field that is one of some texts."""
        value: str = self.get(name, str, default)
        if value not in choices:
            raise malformed(
                f"{self.kind} {self.data.get('type', '')}: {name} must be one of "
                f"{', '.join(choices)}",
                f"{value!r:.60}",
            )
        return value

    def parts(self, name: str) -> list[Any]:
        """Return the parts of a sequence."""
        return [made(self.kind, self._rows, data, self._depth - 1) for data in self.get(name, list)]

    def pattern(self) -> Pattern:
        """Return the field `pattern`: a text or a regular expression."""
        data = self.get("pattern", dict)
        for key in ("Regex", "String"):
            if isinstance(data.get(key), str):
                return Pattern(data[key], key == "String")
        raise malformed(f"{self.kind} has no valid pattern", f"{data!r:.60}")
