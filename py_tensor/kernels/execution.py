"""Run a program on whole arrays: on arrays of NumPy, on lists of numbers, and on tensors.

Input: a program and the values of its inputs. Output: the values of the result. All elements run
together, and masks select those to which a statement applies.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol, Self

from ..dtypes import DType
from ..errors import GradientError
from ..functions.creation import full
from ..functions.elementwise import astype
from ..ops.elementwise import CAST
from ..ops.index_map import row_major
from ..ops.op_def import Elementwise, Shape
from ..runtime.evaluators import HostValues, cast
from ..tensor import Tensor, apply
from ..transforms.autodiff.custom_vjp import stop_gradient
from .builder import PythonNumber
from .program import (
    WHERE,
    Atom,
    Branch,
    FunctionCall,
    Number,
    Program,
    Read,
    Repeat,
    Statement,
    Step,
    Var,
)

UNROLLED = 256
"""Number of iterations up to which loops are differentiated; each becomes separate operations."""


class ProgramArray(Protocol):
    """Array of any namespace on which programs run."""

    @property
    def dtype(self) -> object: ...
    def astype(self, dtype: str, *, copy: bool = ...) -> Self: ...
    def reshape(self, size: int) -> Self: ...
    def any(self) -> object: ...
    def __getitem__(self, position: Any) -> Self: ...
    def __floordiv__(self, size: int) -> Self: ...
    def __mod__(self, size: int) -> Self: ...


class ProgramNamespace(Protocol):
    """Functions of arrays that programs use besides those of their operations."""

    @property
    def int32(self) -> Any: ...
    def asarray(self, value: object, *, dtype: Any = ...) -> ProgramArray: ...
    def arange(self, stop: int, /, *, dtype: Any) -> ProgramArray: ...
    def broadcast_to(self, array: Any, shape: Shape, /) -> ProgramArray: ...


class ValueAlgebra[Value](Protocol):
    """Operations on the values that a program runs on."""

    def number(self, value: PythonNumber, dtype: DType) -> Value: ...
    def step(self, definition: Elementwise, operands: Sequence[Value], dtype: DType) -> Value: ...


class KnownAlgebra[Value](ValueAlgebra[Value], Protocol):
    """Operations on values that a run can read and test."""

    def read(self, values: Value, position: Value) -> Value: ...
    def any(self, mask: Value) -> bool: ...


class ArrayAlgebra:
    """Values are arrays of an array namespace."""

    def __init__(self, xp: ProgramNamespace) -> None:
        self.xp = xp

    def number(self, value: PythonNumber, dtype: DType) -> ProgramArray:
        return self.xp.asarray(value, dtype=dtype.name)

    def step(
        self, definition: Elementwise, operands: Sequence[ProgramArray], dtype: DType
    ) -> ProgramArray:
        if definition is CAST:
            return operands[0].astype(dtype.name)
        result = self.function(definition, operands)(*operands)
        return self.xp.asarray(result).astype(dtype.name, copy=False)

    def function(
        self, definition: Elementwise, operands: Sequence[ProgramArray]
    ) -> Callable[..., object]:
        """Return the function of arrays that computes an operation."""
        reference = definition.reference or definition.name
        return partial(reference, self.xp) if callable(reference) else getattr(self.xp, reference)

    def read(self, values: ProgramArray, position: ProgramArray) -> ProgramArray:
        return values.reshape(-1)[position]

    def any(self, mask: ProgramArray) -> bool:
        return bool(mask.any())


class ListAlgebra:
    """Values are lists of Python numbers, all of one length."""

    def __init__(self, size: int) -> None:
        self.size = size

    def number(self, value: PythonNumber, dtype: DType) -> HostValues:
        return cast([value], dtype) * self.size

    def step(
        self, definition: Elementwise, operands: Sequence[HostValues], dtype: DType
    ) -> HostValues:
        return cast(map(definition.host(dtype), *operands), dtype)

    def read(self, values: HostValues, position: HostValues) -> HostValues:
        return [values[index] for index in position]

    def any(self, mask: HostValues) -> bool:
        return any(mask)


def coordinates_of(xp: ProgramNamespace, shape: Shape) -> list[ProgramArray]:
    """Return the index along each axis of all elements of a shape, in row-major order."""
    return [
        (xp.arange(math.prod(shape), dtype=xp.int32) // step % n).astype("int32")
        for n, step in zip(shape, row_major(shape), strict=True)
    ]


class TensorAlgebra:
    """Values are tensors, so that a program is differentiated like any other function."""

    def number(self, value: PythonNumber, dtype: DType) -> Tensor:
        return full((), value, dtype=dtype)

    def step(self, definition: Elementwise, operands: Sequence[Tensor], dtype: DType) -> Tensor:
        if definition is CAST:
            return astype(operands[0], dtype)
        return apply(definition, tuple(operands))


class Execution[Value]:
    """One run of a program; subclasses know how to read tensors and how to run loops."""

    def __init__(
        self, algebra: ValueAlgebra[Value], values: dict[Var, Value] | None = None
    ) -> None:
        self.algebra = algebra
        self.values = values or {}

    def result(
        self, program: Program, inputs: Sequence[Value], coordinates: Sequence[Value] = ()
    ) -> Value:
        """Return the value of a program's result for the values of its inputs and coordinates."""
        self.values |= zip([operand.var for operand in program.inputs], inputs, strict=True)
        self.values |= zip(program.coordinates, coordinates, strict=True)
        self.run(program.body)
        return self.atom(program.result)

    def atom(self, atom: Atom) -> Value:
        if isinstance(atom, Number):
            return self.algebra.number(atom.value, atom.dtype)
        return self.values[atom]

    def run(self, body: Sequence[Statement]) -> None:
        for statement in body:
            if isinstance(statement, Step):
                operands = [self.atom(operand) for operand in statement.operands]
                dtype = statement.result.dtype
                self.values[statement.result] = self.algebra.step(statement.op, operands, dtype)
            elif isinstance(statement, FunctionCall):
                self.call(statement)
            elif isinstance(statement, Read):
                self.read(statement)
            elif isinstance(statement, Branch):
                self.branch(statement)
            elif isinstance(statement, Repeat):
                self.loop(statement)

    def read(self, read: Read) -> None:
        raise NotImplementedError

    def call(self, call: FunctionCall) -> None:
        operands = [self.atom(operand) for operand in call.operands]
        self.values |= zip(call.function.parameters, operands, strict=True)
        self.run(call.function.body)
        results = [self.values[result] for result in call.function.results]
        self.values |= zip(call.results, results, strict=True)

    def branch(self, branch: Branch) -> None:
        self.run(branch.body)
        for outer, inner in branch.exports:
            self.values[outer] = self.atom(inner)

    def loop(self, loop: Repeat) -> None:
        raise NotImplementedError

    def advance(self, loop: Repeat) -> None:
        """Give the carries their values after an iteration, for active elements."""
        following = [self.atom(carry.following) for carry in loop.carries]
        if loop.active is not None:
            mask = self.atom(loop.active)
            following = [
                self.algebra.step(WHERE, (mask, value, self.values[carry.inner]), carry.inner.dtype)
                for carry, value in zip(loop.carries, following, strict=True)
            ]
        for carry, value in zip(loop.carries, following, strict=True):
            self.values[carry.inner] = value


class KnownExecution[Value](Execution[Value]):
    """A run on values that are known, so that loops stop when no element is active."""

    algebra: KnownAlgebra[Value]

    def __init__(self, algebra: KnownAlgebra[Value]) -> None:
        super().__init__(algebra)

    def read(self, read: Read) -> None:
        values, position = self.values[read.tensor.var], self.atom(read.position)
        self.values[read.result] = self.algebra.read(values, position)

    def loop(self, loop: Repeat) -> None:
        for carry in loop.carries:
            self.values[carry.inner] = self.atom(carry.initial)
        count = 0
        while loop.limit is None or count < loop.limit:
            self.run(loop.head)
            if loop.active is not None and not self.algebra.any(self.atom(loop.active)):
                break
            self.run(loop.body)
            self.advance(loop)
            count += 1
        for carry in loop.carries:
            self.values[carry.result] = self.values[carry.inner]


class TensorExecution(Execution[Tensor]):
    """A run on tensors, whose values are not known; each loop has a known number of iterations.

    `name` is the kernel's name in errors.
    """

    def __init__(self, name: str, values: dict[Var, Tensor] | None = None) -> None:
        super().__init__(TensorAlgebra(), values)
        self.name = name

    def branch(self, branch: Branch) -> None:
        inside = TensorExecution(self.name, self.guarded(branch.condition))
        inside.run(branch.body)
        for outer, inner in branch.exports:
            self.values[outer] = inside.atom(inner)

    def guarded(self, condition: Atom) -> dict[Var, Tensor]:
        """Return the values with cotangents dropped where a condition is false.

        Elements outside of the mask may have infinite derivatives, whose product with a cotangent
        of 0 would be NaN.
        """
        if isinstance(condition, Number):
            return dict(self.values)
        mask = self.values[condition]
        return {
            var: apply(WHERE, (mask, value, stop_gradient(value)))
            if value.dtype.kind == "f"
            else value
            for var, value in self.values.items()
        }

    def loop(self, loop: Repeat) -> None:
        if loop.trips is None:
            raise GradientError(
                f"{self.name}: no gradient of a loop whose number of steps is not constant; got a "
                "while loop or a range of arguments; give a rule with kernel.gradient"
            )
        if loop.trips > UNROLLED:
            raise GradientError(
                f"{self.name}: no gradient of a long loop; got {loop.trips} steps of at most "
                f"{UNROLLED}; give a rule with kernel.gradient"
            )
        carried = [self.atom(carry.initial) for carry in loop.carries]
        outer = dict(self.values)

        def iterate(carried: list[Tensor]) -> list[Tensor]:
            inside = TensorExecution(self.name, dict(outer))
            for carry, value in zip(loop.carries, carried, strict=True):
                inside.values[carry.inner] = value
            inside.run(loop.head)
            if loop.active is not None:
                body = TensorExecution(self.name, inside.guarded(loop.active))
                body.run(loop.body)
                inside.values = {**body.values, **inside.values}
            else:
                inside.run(loop.body)
            inside.advance(loop)
            return [inside.values[carry.inner] for carry in loop.carries]

        for _ in range(loop.trips):
            carried = iterate(carried)
        for carry, value in zip(loop.carries, carried, strict=True):
            self.values[carry.result] = value
