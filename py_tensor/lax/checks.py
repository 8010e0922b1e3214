"""Check arguments by the annotations of parameters, and name functions in their errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, cast

from ..errors import ArgumentError, ShapeError
from ..functions.arguments import flag, function_of, integer, items
from ..functions.decorators import named

Axes = Sequence[int]
Padding = str | Sequence[tuple[int, int]]
Config = Sequence[tuple[int, int, int]]
Combine = Callable[[Any, Any], Any]


def integers(operation: str, name: str, value: Any) -> tuple[int, ...]:
    """Return the integers of a sequence."""
    numbers = value if value.__class__ is tuple else items(operation, name, value)
    return tuple([n if n.__class__ is int else integer(operation, name, n) for n in numbers])


def _tuples(operation: str, name: str, value: Any, length: int) -> list[tuple[int, ...]]:
    rows = [integers(operation, name, row) for row in items(operation, name, value)]
    for row in rows:
        if len(row) != length:
            raise ArgumentError(
                f"{operation}: {name} must be a sequence of tuples; got {row}; give {length} "
                "numbers for each axis"
            )
    return rows


def _padding(operation: str, name: str, value: Any) -> Any:
    return value if isinstance(value, str) else _tuples(operation, name, value, 2)


def _config(operation: str, name: str, value: Any) -> Any:
    return _tuples(operation, name, value, 3)


def per_axis[Values: Sequence[Any]](
    operation: str, name: str, values: Values, count: int, least: int | None = None
) -> Values:
    """Return values, of which there must be `count`, and which must not be below `least`."""
    if len(values) != count:
        raise ShapeError(
            f"{operation}: {name} does not fit; got {len(values)} values; give {count}"
        )
    for value in () if least is None else values:
        integer(operation, name, value, least)
    return values


_READERS: dict[str, Callable[[str, str, Any], Any]] = {
    "int": integer,
    "bool": flag,
    "Axes": integers,
    "Padding": _padding,
    "Config": _config,
    "Combine": function_of,
    "Sequence[ArrayLike]": items,
}
"""Function that reads an argument, by the annotation of its parameter."""


def checked[Function: Callable[..., Any]](function: Function) -> Function:
    """Decorate a function so that it reads integers, flags, functions and sequences.

    An annotation that ends with "| None" allows None. Other arguments are passed as they are.
    """
    code, operation, own = function.__code__, function.__name__, named(function)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    readers = []
    for position, name in enumerate(names):
        kind, optional, _ = function.__annotations__[name].partition(" | None")
        if kind in _READERS:
            readers.append((position, name, _READERS[kind], bool(optional)))

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        values = list(args)
        for position, name, read, optional in readers:
            if position < len(values):
                if values[position] is not None or not optional:
                    values[position] = read(operation, name, values[position])
            elif name in kwargs and (kwargs[name] is not None or not optional):
                kwargs[name] = read(operation, name, kwargs[name])
        return own(*values, **kwargs)

    return cast("Function", call)
