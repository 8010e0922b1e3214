"""Functions of the user that become functions of the shader.

Input: a function, and the values of its parameters. Output: a function of the program, and a call
of it. Its parameters are variables and floats. Integers and truth values of Python stay constants,
because loops and tuples need them, and because they adopt the dtype of other operands.
"""

from __future__ import annotations

from types import BuiltinFunctionType, FunctionType

from ..dtypes import DType, bool_
from .builder import NUMBERS, Operand, Truth, dtype_of, typed
from .locals import Locals, leaves, mapped
from .program import Atom, Number, ProgramFunction, Var, needed_part
from .reading import FunctionKey, Reading
from .source import FunctionSource
from .statements import read_function
from .values import Vector


def function_key(source: FunctionSource, values: dict[str, object]) -> FunctionKey | None:
    """Return what a function's body depends on, or None if it cannot be one of the shader."""
    parts, tree = [_part_key(value) for value in values.values()], source.tree
    return None if None in parts else (source.function, tree.lineno, tree.col_offset, *parts)


def _part_key(value: object) -> object:
    if isinstance(value, tuple):
        parts = [_part_key(part) for part in value]
        return None if None in parts else (isinstance(value, Vector), *parts)
    if isinstance(value, Var | Number | float):
        return dtype_of(value)
    if isinstance(value, (*NUMBERS, str)):
        return type(value), value
    known = isinstance(value, FunctionType | BuiltinFunctionType | DType)
    return ("of Python", value) if known else None


def called(
    reading: Reading,
    key: FunctionKey,
    source: FunctionSource,
    values: dict[str, object],
    around: Locals | None,
) -> object:
    """Return the result of a call of a function of the shader.

    The last operand is true for elements that run the call, on which loops of the function depend.
    """
    build = reading.builder
    if key not in reading.shared_functions:
        reading.shared_functions[key] = SharedFunction(reading, source, values, around)
    shared = reading.shared_functions[key]
    mask: Truth = True
    for condition in reading.masks:
        mask = build.both(mask, condition)
    numbers = [
        typed(part, dtype_of(part))
        for part in leaves(tuple(values.values()))
        if isinstance(part, Var | Number | float)
    ]
    operands: list[Atom] = [*numbers, typed(mask, bool_)]
    used = [operands[number] for number in shared.used]
    results = dict(
        zip(shared.function.results, build.call(shared.function, tuple(used)), strict=True)
    )
    return mapped(lambda part: results[part] if isinstance(part, Var) else part, shared.result)


class SharedFunction:
    """A function of the shader, with the numbers of the operands that it uses, and its result.

    `result` has the function's results as variables; other parts are constants.
    """

    def __init__(
        self,
        reading: Reading,
        source: FunctionSource,
        values: dict[str, object],
        around: Locals | None,
    ) -> None:
        build, parameters = reading.builder, []

        def parameter(value: Operand) -> Operand:
            if not isinstance(value, Var | Number | float):
                return value
            parameters.append(build.var(dtype_of(value)))
            return parameters[-1]

        inside = {name: mapped(parameter, value) for name, value in values.items()}
        mask = build.var(bool_)
        masks, reading.masks = reading.masks, [mask]
        with build.function() as body:
            self.result = read_function(reading, source.tree, inside, around)
        reading.masks = masks
        results = tuple(dict.fromkeys(x for x in leaves(self.result) if isinstance(x, Var)))
        needed: set[Atom] = {*results}
        kept = needed_part(body, needed)
        parameters.append(mask)
        self.used = [number for number, var in enumerate(parameters) if var in needed]
        own = tuple([parameters[number] for number in self.used])
        self.function = ProgramFunction(source.name, own, kept, results)
