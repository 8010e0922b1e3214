"""Run a program on whole arrays: on arrays of NumPy, on lists of numbers, and on tensors.

Input: a program and the values of its inputs. Output: the values of the result. All elements run
together; masks tell which of them a statement applies to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..dtypes import DType
from ..errors import GradientError
from ..ops.elementwise import CAST
from ..ops.op_def import Elementwise
from ..runtime.evaluators import HostValues, cast
from ..transforms.autodiff.custom_vjp import stop_gradient
from .builder import op
from .program import Atom, Branch, Loop, Number, Program, Read, Step, Var

UNROLLED = 256
"""Iterations up to which loops are differentiated: each is written as operations of its own."""
WHERE = op("where")


class ArrayAlgebra:
    """Values are arrays of an array namespace."""

    def __init__(self, xp: Any) -> None:
        self.xp = xp

    def number(self, value: Any, dtype: DType) -> Any:
        return self.xp.asarray(value, dtype=dtype.name)

    def step(self, definition: Elementwise, operands: Sequence[Any], dtype: DType) -> Any:
        if definition is CAST:
            return operands[0].astype(dtype.name)
        reference = definition.reference or definition.name
        if callable(reference):
            result = reference(self.xp, *operands)
        else:
            result = getattr(self.xp, reference)(*operands)
        return self.xp.asarray(result).astype(dtype.name, copy=False)

    def read(self, values: Any, position: Any) -> Any:
        return values.reshape(-1)[position]

    def any(self, mask: Any) -> bool:
        return bool(mask.any())


class ListAlgebra:
    """Values are lists of Python numbers, all of one length."""

    def __init__(self, size: int) -> None:
        self.size = size

    def number(self, value: Any, dtype: DType) -> HostValues:
        return cast([value], dtype) * self.size

    def step(
        self, definition: Elementwise, operands: Sequence[HostValues], dtype: DType
    ) -> HostValues:
        return cast(map(definition.host(dtype), *operands), dtype)

    def read(self, values: HostValues, position: HostValues) -> HostValues:
        return [values[place] for place in position]

    def any(self, mask: HostValues) -> bool:
        return any(mask)


class TensorAlgebra:
    """Values are tensors, so that a program is differentiated like any other function.

    `pt` has the public functions and `apply`, as in gradient rules.
    """

    def __init__(self, pt: Any, name: str) -> None:
        self.pt = pt
        self.name = name

    def number(self, value: Any, dtype: DType) -> Any:
        return self.pt.full((), value, dtype=dtype)

    def step(self, definition: Elementwise, operands: Sequence[Any], dtype: DType) -> Any:
        if definition is CAST:
            return self.pt.astype(operands[0], dtype)
        return self.pt.apply(definition, tuple(operands))

    def guarded(self, mask: Any, value: Any) -> Any:
        """Return a value whose cotangents are dropped where a mask is false.

        Elements outside of the mask may have infinite derivatives, whose product with a cotangent
        of 0 would be NaN.
        """
        if value.dtype.kind != "f":
            return value
        return self.pt.apply(WHERE, (mask, value, stop_gradient(value)))


Values = dict[Var, Any]


class Execution:
    """One run of a program."""

    def __init__(self, algebra: Any, values: Values) -> None:
        self.algebra = algebra
        self.values = values

    def atom(self, atom: Atom) -> Any:
        if isinstance(atom, Number):
            return self.algebra.number(atom.value, atom.dtype)
        return self.values[atom]

    def run(self, body: Sequence[Any]) -> None:
        for statement in body:
            if isinstance(statement, Step):
                operands = [self.atom(given) for given in statement.operands]
                dtype = statement.result.dtype
                self.values[statement.result] = self.algebra.step(statement.op, operands, dtype)
            elif isinstance(statement, Read):
                values, position = self.values[statement.tensor.var], self.atom(statement.position)
                self.values[statement.result] = self.algebra.read(values, position)
            elif isinstance(statement, Branch):
                self.branch(statement)
            else:
                self.loop(statement)

    def branch(self, branch: Branch) -> None:
        self.run(branch.body)
        for outer, inner in branch.exports:
            self.values[outer] = self.atom(inner)

    def loop(self, loop: Loop) -> None:
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

    def advance(self, loop: Loop) -> None:
        """Let the carries have their values after an iteration, for active elements."""
        following = [self.atom(carry.following) for carry in loop.carries]
        if loop.active is not None:
            mask = self.atom(loop.active)
            following = [
                self.algebra.step(WHERE, (mask, value, self.values[carry.inner]), carry.inner.dtype)
                for carry, value in zip(loop.carries, following, strict=True)
            ]
        for carry, value in zip(loop.carries, following, strict=True):
            self.values[carry.inner] = value


class TensorExecution(Execution):
    """A run on tensors, whose values are not known; each loop has a known number of iterations."""

    def branch(self, branch: Branch) -> None:
        inside = TensorExecution(self.algebra, self.guarded(branch.condition))
        inside.run(branch.body)
        for outer, inner in branch.exports:
            self.values[outer] = inside.atom(inner)

    def guarded(self, condition: Atom) -> Values:
        """Return the values with cotangents dropped where a condition is false."""
        if isinstance(condition, Number):
            return dict(self.values)
        mask = self.values[condition]
        return {var: self.algebra.guarded(mask, value) for var, value in self.values.items()}

    def loop(self, loop: Loop) -> None:
        if loop.trips is None:
            raise GradientError(
                f"{self.algebra.name}: no gradient of a loop whose number of steps is not "
                "constant; got a while loop or a range of arguments; give a rule with "
                "kernel.gradient"
            )
        if loop.trips > UNROLLED:
            raise GradientError(
                f"{self.algebra.name}: no gradient of a long loop; got {loop.trips} steps of at "
                f"most {UNROLLED}; give a rule with kernel.gradient"
            )
        carried = [self.atom(carry.initial) for carry in loop.carries]
        outer = dict(self.values)

        def iterate(given: list[Any]) -> list[Any]:
            inside = TensorExecution(self.algebra, dict(outer))
            for carry, value in zip(loop.carries, given, strict=True):
                inside.values[carry.inner] = value
            inside.run(loop.head)
            if loop.active is not None:
                body = TensorExecution(self.algebra, inside.guarded(loop.active))
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


def evaluated(
    program: Program,
    algebra: Any,
    inputs: Sequence[Any],
    coordinates: Sequence[Any] = (),
    execution: Callable[..., Execution] = Execution,
) -> Any:
    """Return the value of a program's result for the values of its inputs and coordinates."""
    values: Values = {
        **dict(zip([given.var for given in program.inputs], inputs, strict=True)),
        **dict(zip(program.coordinates, coordinates, strict=True)),
    }
    run = execution(algebra, values)
    run.run(program.body)
    return run.atom(program.result)
