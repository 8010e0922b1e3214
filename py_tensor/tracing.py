"""What a traced function sees in the place of values, and the notes taken while it runs.

Comes in: the kinds of a call's arguments; goes out: `TracedBuffer`s for the elements of tensors,
`TracedNumber`s for Python numbers, and the `Tape` of what the function did with those numbers,
which every call plays anew on the host: so 1 - beta**step is as exact as Python makes it.
"""

from __future__ import annotations

import math
import operator
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

from .dtypes import FLOAT_END, DType, limited, of_scalar
from .errors import ArgumentError, DTypeError, TraceError
from .nodes import Node

_ADVICE = "use pt.where, or make the argument static with static_argnums"


def unknown(kind: str, got: object) -> TraceError:
    """The error for asking a traced tensor or number for its value."""
    return TraceError(f"jit: the value of a traced {kind} is not known; got {got}; {_ADVICE}")


class TracedBuffer:
    """Stands for the elements of a traced function's argument, by the number of its leaf."""

    __slots__ = ("leaf",)

    def __init__(self, leaf: int) -> None:
        self.leaf = leaf


def is_traced(node: Node) -> bool:
    """Whether a node's value depends on the arguments of a traced function."""
    stack, seen = [node], {id(node)}
    while stack:
        node = stack.pop()
        if type(node.buffer) is TracedBuffer:
            return True
        if node.buffer is None and node.call is None and isinstance(node.value, TracedNumber):
            return True
        for src in node.srcs:
            if id(src) not in seen:
                seen.add(id(src))
                stack.append(src)
    return False


class Recording:
    """A trace under way: its tape, and all handles made since it began."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tape = Tape(name)
        self.made: dict[int, weakref.ref[Any]] = {}

    def note(self, tensor: Any) -> None:
        self.made[id(tensor)] = weakref.ref(tensor)

    def refuse_move(self, tensor: Any) -> None:
        """Raises TraceError for assignment to a handle made elsewhere."""
        if id(tensor) not in self.made:
            raise TraceError(
                f"jit: assignment in place to a tensor from outside of {self.name}; "
                f"got {tensor._spec}; pass it as an argument, or return the new value"
            )


class Tape:
    """Host arithmetic that each call plays anew: slots for values, and the steps that fill them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.values: list[Any] = []
        self.steps: list[tuple[int, Callable[..., Any], tuple[int, ...]]] = []
        self.closed = False

    def number(self, kind: type) -> TracedNumber:
        """A number in a new slot, which holds a sample until the tape is played."""
        return TracedNumber(self, kind, self.slot(_SAMPLES.get(kind)))

    def slot(self, value: Any) -> int:
        """Where a constant, or a number of this tape, lies."""
        if type(value) is TracedNumber:
            value.check()
            return value.slot
        self.values.append(value)
        return len(self.values) - 1

    def record(self, kind: type, function: Callable[..., Any], *operands: Any) -> TracedNumber:
        """A number of that kind, computed from numbers and constants at each call."""
        slots = tuple(map(self.slot, operands))
        result = self.number(kind)
        self.steps.append((result.slot, function, slots))
        return result

    def play(self, given: list[tuple[int, Any]]) -> list[Any]:
        """The values of all slots, where those of the arguments are given."""
        values = self.values.copy()
        for slot, value in given:
            values[slot] = value
        for slot, function, operands in self.steps:
            values[slot] = function(*[values[operand] for operand in operands])
        return values


_SAMPLES: dict[type, Any] = {bool: True, int: 1, float: 1.0, complex: 1j}


class TracedNumber:
    """Stands for a Python number among a traced function's arguments, or one computed from them.

    Arithmetic gives further ones. Like a Python number it leaves the dtype to the tensor beside it.
    """

    __slots__ = ("kind", "slot", "tape")
    __array_ufunc__ = None

    @property
    def real(self) -> Any:
        """The real part, as Python's numbers have it."""
        return on_host(operator.attrgetter("real"), self)

    @property
    def imag(self) -> Any:
        """The imaginary part."""
        return on_host(operator.attrgetter("imag"), self)

    def __init__(self, tape: Tape, kind: type, slot: int) -> None:
        self.tape = tape
        self.kind = kind
        self.slot = slot

    def check(self) -> None:
        """Raises TraceError where the trace it belongs to has ended."""
        if self.tape.closed:
            raise TraceError(
                f"jit: a traced number outlived its trace; got a {self.kind.__name__} made in "
                f"{self.tape.name}; return it from there"
            )

    def __repr__(self) -> str:
        return f"traced {self.kind.__name__}"

    def __format__(self, format_spec: str) -> str:
        return self._refuse() if format_spec else repr(self)

    def _refuse(self, *_: Any) -> Any:
        self.check()
        raise unknown("number", f"a {self.kind.__name__}")

    __bool__ = __int__ = __float__ = __complex__ = __index__ = __hash__ = item = _refuse


def kind_of(value: Any) -> type:
    """The type of a Python number, traced or not."""
    return value.kind if type(value) is TracedNumber else type(value)


def sample(value: Any) -> Any:
    """A Python number of the same type as a traced one; any other value as it is."""
    return _SAMPLES[value.kind] if type(value) is TracedNumber else value


def fitting(operation: str, value: Any, dtype: DType) -> Any:
    """A number as an operand of that dtype; if traced, each call checks that an integer fits."""
    if type(value) is not TracedNumber:
        return _limited(value) if type(value) is int and dtype.kind in "cf" else value
    value.check()
    if dtype.kind in "cf":
        return on_host(_limited, value) if value.kind is int else value
    if value.kind is bool:
        return value
    if dtype.kind == "b":
        return on_host(bool, value)
    return on_host(partial(whole, operation, dtype), value)


def whole(operation: str, dtype: DType, value: float) -> int:
    """A number as an element of an integer dtype. Raises DTypeError where it does not fit."""
    if isinstance(value, float) and not math.isfinite(value):
        raise DTypeError(
            f"{operation}: value does not fit dtype {dtype}; got {value}; "
            f"{dtype} holds {dtype.lowest} to {dtype.highest}"
        )
    number = int(value)
    of_scalar(operation, number, dtype)
    return number


def _limited(value: int) -> float:
    """Infinite where no float32 is, as floats become; Python has no float for large integers."""
    return limited(value, FLOAT_END)


def on_host(function: Callable[..., Any], *operands: Any) -> Any:
    """`function` of Python numbers: now, or where one of them is traced, at each call."""
    tape = next((value.tape for value in operands if type(value) is TracedNumber), None)
    if tape is None:
        return function(*operands)
    kind = type(function(*map(sample, operands)))
    return tape.record(kind, partial(_power, kind) if function is pow else function, *operands)


def _power(kind: type, base: Any, exponent: Any) -> Any:
    result = base**exponent
    if type(result) is not kind:
        raise ArgumentError(
            f"pow: the result's type depends on the values; got {base} ** {exponent} = {result}, "
            f"and {kind.__name__} when traced; make one of them a float, or static"
        )
    return result


def _methods(function: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """A method of TracedNumber for a function of numbers, and the reflected one."""

    def method(*operands: Any) -> Any:
        if not all(kind_of(operand) in _SAMPLES for operand in operands):
            return NotImplemented
        return on_host(function, *operands)

    return method, lambda self, other: method(other, self)


_BINARY = (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "lshift",
    "rshift",
    "and",
    "or",
    "xor",
)
for _name in (*_BINARY, "pow"):
    _forward, _reflected = _methods(pow if _name == "pow" else getattr(operator, f"__{_name}__"))
    setattr(TracedNumber, f"__{_name}__", _forward)
    setattr(TracedNumber, f"__r{_name}__", _reflected)
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "neg", "pos", "abs", "invert"):
    setattr(TracedNumber, f"__{_name}__", _methods(getattr(operator, f"__{_name}__"))[0])
TracedNumber.__round__ = _methods(round)[0]  # type: ignore[attr-defined]
