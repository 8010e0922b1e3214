"""Operators that run graphs: conditions, loops, and functions of the file.

Under pt.jit, loops are unrolled; a condition that depends on an input's values is not compiled.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...common import call
from ...execution import GraphFunction, ModelValue, Operator, as_numbers
from ...options import Ints, single


def choose(
    condition: bool | Ints,
    *inputs: ModelValue,
    then_branch: GraphFunction,
    else_branch: GraphFunction,
) -> Sequence[ModelValue]:
    return (then_branch if single(condition) else else_branch)(*inputs)


def loop(*state: ModelValue, cond: GraphFunction, body: GraphFunction) -> Sequence[ModelValue]:
    values: Sequence[ModelValue] = state
    while single(as_numbers(cond(*values)[0])):
        values = body(*values)
    return values


def call_function(*inputs: ModelValue, f: GraphFunction) -> Sequence[ModelValue]:
    return call(*inputs, body=f)


OPERATORS = {
    "If": Operator(choose, host=("condition",), raw=True, runs_once=True),
    "PartitionedCall": Operator(call_function, raw=True, runs_once=True),
    "StatefulPartitionedCall": Operator(call_function, raw=True, runs_once=True),
    "StatelessIf": Operator(choose, host=("condition",), raw=True, runs_once=True),
    "StatelessWhile": Operator(loop, raw=True),
    "While": Operator(loop, raw=True),
}
