"""Operators that run graphs: conditions and loops.

Under pt.jit, loops are unrolled; a condition that depends on an input's values is not compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...execution import Body, Value, as_numbers
from .shared import Ints, Operator, single


def choose(
    condition: bool | Ints,
    *inputs: Value,
    then_branch: Body,
    else_branch: Body,
    quantization: Any = None,
) -> Sequence[Value]:
    return (then_branch if single(condition) else else_branch)(*inputs)


def repeat(
    *inputs: Value, condition: Body, body: Body, quantization: Any = None
) -> Sequence[Value]:
    state: Sequence[Value] = inputs
    while True:
        [going] = condition(*state)
        if not single(as_numbers(going)):
            return state
        state = body(*state)


def call(*inputs: Value, body: Body, quantization: Any = None) -> Sequence[Value]:
    return body(*inputs)


OPERATORS = {
    "CALL": Operator(call, raw=True),
    "IF": Operator(choose, host=("condition",), raw=True),
    "WHILE": Operator(repeat, raw=True),
}
