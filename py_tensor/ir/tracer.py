"""Tracers: the values that a function sees while it is traced, and the recording of the trace.

Input: the kinds of the arguments of a call. Output: `ArgumentBuffer`s for tensors, `ScalarTracer`s
for Python numbers, and a `ScalarTape` of the arithmetic on those numbers. Every call replays the
tape on the host, so `1 - beta**step` is as exact as in Python.
"""

from __future__ import annotations

import math
import operator
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from ..dtypes import FLOAT_END, OF_PYTHON, DType, does_not_fit, limited, of_scalar
from ..errors import ArgumentError, TraceError
from .node import OpNode, node_of, scalar_node

_ADVICE = "use pt.where, or make the argument static with static_argnums"


def unknown(kind: str, got: object) -> TraceError:
    """Return the error for reading the value of a traced tensor or number."""
    return TraceError(f"jit: the value of a traced {kind} is unknown; got {got}; {_ADVICE}")


class ArgumentBuffer:
    """Buffer of a tensor argument of a traced function; `leaf` is its position among the leaves."""

    __slots__ = ("leaf", "users")

    def __init__(self, leaf: int) -> None:
        self.leaf = leaf
        self.users = 0


def is_traced(node: OpNode) -> bool:
    """Return True if a node's value depends on the arguments of a traced function."""
    stack, seen = [node], {id(node)}
    while stack:
        node = stack.pop()
        if type(node.buffer) is ArgumentBuffer:
            return True
        if node.buffer is None and node.call is None and isinstance(node.value, ScalarTracer):
            return True
        for src in node.srcs:
            if id(src) not in seen:
                seen.add(id(src))
                stack.append(src)
    return False


class Recording:
    """Active trace: its tape, and all tensors made since it began."""

    hides = False
    """True if diagnostics do not see the tensors of the trace."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tape = ScalarTape(name)
        self.made: dict[int, weakref.ref[Any]] = {}
        self.effects: list[tuple[Any, list[Any]]] = []
        """Functions to call with values of the trace, see `transforms.effects`."""

    def note(self, tensor: Any) -> None:
        self.made[id(tensor)] = weakref.ref(tensor)

    def refuse_move(self, tensor: Any) -> None:
        """Raise TraceError for assignment in place to a tensor that was made outside the trace."""
        if id(tensor) not in self.made:
            raise TraceError(
                f"jit: cannot assign in place to a tensor from outside {self.name}; got "
                f"{tensor._spec}; pass it as an argument, or return the new value"
            )


class TapeStep(NamedTuple):
    """Function of the values in some slots, whose result fills another slot."""

    slot: int
    function: Callable[..., Any]
    operands: tuple[int, ...]


class ScalarTape:
    """Host arithmetic that each call replays: slots for values, and the steps that fill them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.values: list[Any] = []
        self.steps: list[TapeStep] = []
        self.closed = False
        self.constants: dict[tuple[type, str], int] = {}
        self.results: dict[Any, ScalarTracer] = {}
        """Results of functions without side effects, by function and operands."""

    def number(self, kind: type) -> ScalarTracer:
        """Make a tracer for a new slot, which holds a sample value of that kind."""
        return ScalarTracer(self, kind, self._new_slot(_SAMPLES.get(kind)))

    def slot(self, value: Any) -> int:
        """Return the slot of a number of this tape, or of a constant."""
        if type(value) is ScalarTracer:
            value.check()
            return value.slot
        if type(value) not in _SAMPLES:
            return self._new_slot(value)
        # The text tells 0.0 from -0.0.
        key = type(value), repr(value)
        if key not in self.constants:
            self.constants[key] = self._new_slot(value)
        return self.constants[key]

    def _new_slot(self, value: Any) -> int:
        self.values.append(value)
        return len(self.values) - 1

    def record(self, kind: type, function: Callable[..., Any], *operands: Any) -> ScalarTracer:
        """Append a step and return the tracer of its result, which has the given kind."""
        slots = tuple(map(self.slot, operands))
        result = self.number(kind)
        self.steps.append(TapeStep(result.slot, function, slots))
        return result

    def computed(self, kind: type, function: Callable[..., Any], *operands: Any) -> ScalarTracer:
        """Return the tracer of a function without side effects; equal steps are played once."""
        key = _identity(function), *map(self.slot, operands)
        if key not in self.results:
            self.results[key] = self.record(kind, function, *operands)
        return self.results[key]

    def play(self, arguments: list[tuple[int, Any]]) -> list[Any]:
        """Compute the values of all slots from (slot, value) pairs of the arguments."""
        values = self.values.copy()
        for slot, value in arguments:
            values[slot] = value
        for slot, function, operands in self.steps:
            values[slot] = function(*[values[operand] for operand in operands])
        return values


def _identity(function: Any) -> tuple[int, ...]:
    """Return a key that is equal for a function, and for its partials of the same objects."""
    if type(function) is not partial or function.keywords:
        return (id(function),)
    return (id(function.func), *map(id, function.args))


_SAMPLES: dict[type, Any] = {bool: True, int: 1, float: 1.0, complex: 1j}


class ScalarTracer:
    """Tracer of a Python number: an argument of a traced function, or computed from arguments.

    Arithmetic on it returns further tracers. Like a Python number, it takes the dtype of the tensor
    that it is combined with.
    """

    __slots__ = ("kind", "slot", "tape")
    __array_ufunc__ = None

    @property
    def real(self) -> Any:
        """Real part, as of Python numbers."""
        return on_host(operator.attrgetter("real"), self)

    @property
    def imag(self) -> Any:
        """Imaginary part, as of Python numbers."""
        return on_host(operator.attrgetter("imag"), self)

    def __init__(self, tape: ScalarTape, kind: type, slot: int) -> None:
        self.tape = tape
        self.kind = kind
        self.slot = slot

    def check(self) -> None:
        """Raise TraceError if the trace that the tracer belongs to has ended."""
        if self.tape.closed:
            raise TraceError(
                f"jit: a traced number was used after its trace; got a {self.kind.__name__} made "
                f"in {self.tape.name}; return it from the function"
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
    """Return the type of a Python number, traced or not."""
    return value.kind if type(value) is ScalarTracer else type(value)


def sample(value: Any) -> Any:
    """Return a Python number of a tracer's type; any other value is returned unchanged."""
    return _SAMPLES[value.kind] if type(value) is ScalarTracer else value


def fitting(operation: str, value: Any, dtype: DType) -> Any:
    """Convert a number to an operand of a dtype; for tracers, each call checks that it fits."""
    if type(value) is ScalarTracer:
        return _traced(operation, value, dtype)
    return _limited(value) if type(value) is int and dtype.kind in "cf" else value


def _traced(operation: str, value: ScalarTracer, dtype: DType) -> Any:
    value.check()
    if dtype.kind in "cf":
        return on_host(_limited, value) if value.kind is int else value
    if value.kind is bool:
        return value
    if dtype.kind == "b":
        return on_host(bool, value)
    return on_host(partial(whole, operation, dtype), value)


def traced_node(operation: str, value: ScalarTracer, dtype: DType | None) -> OpNode:
    """Make the node of a tensor without axes from a tracer, whose value each call passes."""
    from ..ops.views import BROADCAST

    target = dtype or OF_PYTHON[value.kind]
    number = _traced(operation, value, target)
    return node_of(BROADCAST, (scalar_node(number, target),), ())


def whole(operation: str, dtype: DType, value: float) -> int:
    """Convert a number to an element of an integer dtype; raise DTypeError if it does not fit."""
    if isinstance(value, float) and not math.isfinite(value):
        raise does_not_fit(operation, value, dtype)
    number = int(value)
    of_scalar(operation, number, dtype)
    return number


def element(operation: str, value: Any, dtype: DType) -> Any:
    """Convert a real number to an element of a dtype; raise DTypeError if it does not fit."""
    if type(value) is ScalarTracer or dtype.kind in "cf":
        return fitting(operation, value, dtype)
    return bool(value) if dtype.kind == "b" else whole(operation, dtype, value)


def _limited(value: int) -> float:
    """Convert an integer to a float; beyond the range of float32 it is infinite, as floats are.

    Python raises OverflowError for integers that are too large for a float.
    """
    return limited(value, FLOAT_END)


def on_host(function: Callable[..., Any], *operands: Any) -> Any:
    """Apply `function` to Python numbers now, or at each call if one of them is a tracer."""
    tape = next((value.tape for value in operands if type(value) is ScalarTracer), None)
    if tape is None:
        return function(*operands)
    kind = type(function(*map(sample, operands)))
    return tape.computed(kind, partial(_power, kind) if function is pow else function, *operands)


def _power(kind: type, base: Any, exponent: Any) -> Any:
    result = base**exponent
    if type(result) is not kind:
        raise ArgumentError(
            f"pow: the result's type depends on the values; got {base} ** {exponent} = {result}, "
            f"and {kind.__name__} when traced; make one of them a float, or static"
        )
    return result


def _methods(function: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return a method of ScalarTracer for a function of numbers, and its reflected method."""

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
    setattr(ScalarTracer, f"__{_name}__", _forward)
    setattr(ScalarTracer, f"__r{_name}__", _reflected)
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "neg", "pos", "abs", "invert"):
    setattr(ScalarTracer, f"__{_name}__", _methods(getattr(operator, f"__{_name}__"))[0])
ScalarTracer.__round__ = _methods(round)[0]  # type: ignore[attr-defined]
