"""Operators that run graphs: conditions and loops.

Under pt.jit, loops are unrolled; a condition that depends on an input's values is not compiled.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...common import call
from ...execution import GraphFunction, ModelValue, as_numbers
from .shared import QUANTIZATION, Ints, Operator, single


def choose(
    condition: bool | Ints,
    *inputs: ModelValue,
    then_branch: GraphFunction,
    else_branch: GraphFunction,
) -> Sequence[ModelValue]:
    return (then_branch if single(condition) else else_branch)(*inputs)


def repeat(
    *inputs: ModelValue, condition: GraphFunction, body: GraphFunction
) -> Sequence[ModelValue]:
    state: Sequence[ModelValue] = inputs
    while True:
        [going] = condition(*state)
        if not single(as_numbers(going)):
            return state
        state = body(*state)


OPERATORS = {
    "CALL": Operator(call, raw=True, runs_once=True, ignored=QUANTIZATION),
    "IF": Operator(choose, host=("condition",), raw=True, runs_once=True, ignored=QUANTIZATION),
    "WHILE": Operator(repeat, raw=True, ignored=QUANTIZATION),
}
