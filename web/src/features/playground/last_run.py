"""Describe the variables that the last run left, without keeping their values in memory."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType, ModuleType, NoneType

import py_tensor as pt

SHOWN = 60
"""Characters of a value's text."""
MANY = 200
"""Names, keys and attributes that are kept."""


@dataclass(frozen=True)
class Left:
    """A name after a run.

    Attributes:
        value: Module, function or class that is importable; None for others.
        kind: Class of the value, or the name of a class of the program.
        text: Short text of the value.
        keys: Keys of a dictionary that are texts.
        attributes: Attributes of the object itself.
    """

    value: object = None
    kind: type | str = object
    text: str = ""
    keys: tuple[str, ...] = ()
    attributes: dict[str, Left] = field(default_factory=dict)


names: dict[str, Left] = {}
"""Names of the last program that was run."""


def remember(program: dict[str, object]) -> None:
    """Replace the names by those of a program that has ended."""
    names.clear()
    names.update(_left_of(program, with_attributes=True))


def _left_of(values: dict[str, object], with_attributes: bool) -> dict[str, Left]:
    public = [(name, values[name]) for name in list(values) if not str(name).startswith("__")]
    return {name: _left(value, with_attributes) for name, value in public[:MANY]}


def _left(value: object, with_attributes: bool) -> Left:
    kind = type(value)
    if isinstance(value, ModuleType) or _is_importable(value):
        return Left(value=value, kind=kind)
    attributes = None
    if with_attributes:
        with suppress(Exception):  # objects without, and classes that look attributes up themselves
            attributes = object.__getattribute__(value, "__dict__")
    return Left(
        kind=kind if _is_importable(kind) else kind.__name__,
        text=_text(value),
        keys=tuple(_keys(value)) if isinstance(value, dict) and kind is dict else (),
        attributes=_left_of(attributes, False) if type(attributes) is dict else {},
    )


def _is_importable(value: object) -> bool:
    """Return whether a module has this class or function; one of the program holds its values."""
    if not isinstance(value, type | FunctionType | BuiltinFunctionType):
        return False
    module = sys.modules.get(value.__module__ or "")
    return vars(module).get(value.__name__) is value if module else False


def _keys(value: dict[object, object]) -> list[str]:
    return [key for key in list(value)[:MANY] if isinstance(key, str)]


def _text(value: object) -> str:
    """Return a short text of a value whose methods are not the program's own."""
    if type(value) is pt.Tensor:
        return f"shape {value.shape}, {value.dtype}"
    # Texts of long numbers take long.
    if type(value) in (bool, float, complex, NoneType) or (
        type(value) is int and abs(value) < 10**SHOWN
    ):
        return repr(value)
    if type(value) is str:
        return repr(value[:SHOWN]) + "…" * (len(value) > SHOWN)
    if type(value) in (list, tuple, dict, set):
        count = len(value)  # type: ignore[arg-type]
        return f"{count} elements" if count != 1 else "1 element"
    return ""
