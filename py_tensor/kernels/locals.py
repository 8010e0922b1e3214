"""Local variables of a kernel's function while it is read, and functions of nested tuples.

A value is a number (`Operand`), a tuple or vector of values, a tensor that is read at positions,
or any other object of Python, for example a function. Lists are read as tuples.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .builder import ATOMS, NUMBERS, Operand, Truth
from .program import Input, SharedArray
from .values import Vector

MOST_CONSTANTS = 1024
"""Parts of a list, dict or array of the enclosing scopes, up to which its numbers are constants."""


class TensorArgument:
    """A tensor that a kernel reads at positions."""

    def __init__(self, operand: Input, lengths: tuple[Operand, ...]) -> None:
        self.operand = operand
        self.lengths = lengths


class SharedArgument:
    """An array that the elements of a group share; `lengths` are those of its axes."""

    def __init__(self, array: SharedArray) -> None:
        self.array = array
        self.lengths: tuple[Operand, ...] = array.shape


@dataclass(frozen=True, eq=False)
class LocalFunction:
    """A function that is defined in a function: `depth` is the number of calls around that one.

    `defaults` are the values of parameters that a call may leave out.
    """

    tree: ast.FunctionDef
    depth: int
    defaults: dict[str, object]


class Locals:
    """Local variables, and masks of the elements that run the current statement.

    `around` has the local variables of the enclosing function, and `own` the names that this
    function assigns.
    `unset` are names that have a value for some elements only. `live` is true for elements that
    reach the next statement, `broken` for those that have left the loop, and `returned` for those
    that have left the function. Their results are `result`.
    """

    def __init__(self, names: dict[str, object]) -> None:
        self.names = names
        self.unset: set[str] = set()
        self.live: Truth = True
        self.broken: Truth = False
        self.returned: Truth = False
        self.result: object = None
        self.around: Locals | None = None
        self.own: frozenset[str] = frozenset()

    def copy(self) -> Locals:
        """Return the variables of the elements that take a branch."""
        copied = Locals(dict(self.names))
        copied.unset = set(self.unset)
        copied.result = self.result
        copied.around, copied.own = self.around, self.own
        return copied

    def become(self, after: Locals) -> None:
        self.__dict__.update(after.__dict__)


def rebuilt(like: tuple[object, ...], parts: list[object]) -> tuple[object, ...]:
    """Return parts as a tuple, or as a vector if `like` is one."""
    return Vector(parts) if isinstance(like, Vector) else tuple(parts)


def mapped(function: Callable[[Operand], object], value: object) -> object:
    """Apply a function to a number, or to the numbers of nested tuples; keep other values."""
    if isinstance(value, tuple):
        return rebuilt(value, [mapped(function, part) for part in value])
    return function(value) if isinstance(value, ATOMS) else value


def zipped(function: Callable[..., object], first: object, *more: object) -> object:
    """Apply a function to the corresponding numbers of equal nested tuples."""
    if not isinstance(first, tuple):
        return function(first, *more)
    tuples = [value for value in more if isinstance(value, tuple)]
    parts = [zipped(function, *parts) for parts in zip(first, *tuples, strict=True)]
    return rebuilt(first, parts)


def leaves(value: object) -> Iterator[object]:
    """Return the values that are not tuples of nested tuples."""
    if isinstance(value, tuple):
        for part in value:
            yield from leaves(part)
    else:
        yield value


def constant(value: object) -> object:
    """Convert numbers of NumPy to Python's, lists to tuples, and arrays of NumPy to vectors."""
    if isinstance(value, tuple):
        parts = [constant(part) for part in value]
        # The same object is compared with itself at each call of a kernel.
        return value if all(map(operator.is_, parts, value)) else rebuilt(value, parts)
    if isinstance(value, list | dict) and len(value) <= MOST_CONSTANTS:
        if isinstance(value, list):
            return tuple([constant(part) for part in value])
        return {key: constant(part) for key, part in value.items()}
    if isinstance(value, NUMBERS) and type(value) not in NUMBERS:
        return next(kind(value) for kind in NUMBERS if isinstance(value, kind))
    if type(value).__module__ == "numpy" and hasattr(value, "dtype"):
        array: Any = value
        return array if array.size > MOST_CONSTANTS else _vectors(array.tolist())
    return value


def _vectors(value: object) -> object:
    return Vector(map(_vectors, value)) if isinstance(value, list) else value


def is_same(a: object, b: object) -> bool:
    """Return True if two constants are equal, also in their types and the signs of zeros."""
    if a is b or type(a) is not type(b):
        return a is b
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(is_same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return [*a] == [*b] and all(map(is_same, a.values(), b.values()))
    return isinstance(a, (*NUMBERS, str)) and repr(a) == repr(b)
