"""Read the calls in a kernel's function: intrinsics, and helper functions, which are inlined.

Input: a call and the values of its arguments. Output: the value of the result.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from types import FunctionType

from ..errors import KernelError
from ..signatures import parameters_of
from .effects import GROUP_CALLS
from .intrinsics import INTRINSICS
from .locals import Locals, SharedArgument, TensorArgument, constant
from .reading import Reading
from .source import FunctionSource
from .statements import read_function

DEPTH = 32
"""Largest depth of calls of helper functions."""


def read_call(reading: Reading, node: ast.Call, local: Locals) -> object:
    function = reading.value(node.func, local)
    if any(isinstance(arg, ast.Starred) for arg in node.args):
        raise reading.error(node, "* is not supported", "write the arguments one by one")
    args = [_argument(reading, arg, local) for arg in node.args]
    keywords = {key.arg: _argument(reading, key.value, local) for key in node.keywords if key.arg}
    if len(keywords) < len(node.keywords):
        raise reading.error(node, "** is not supported", "write the arguments one by one")
    if function is len and len(args) == 1 and not keywords:
        return _length(reading, node, args[0])
    try:
        intrinsic, of_groups = INTRINSICS.get(function), GROUP_CALLS.get(function)
    except TypeError:
        intrinsic = of_groups = None
    if of_groups is not None:
        return of_groups(reading, node, args, keywords)
    if intrinsic is not None:
        try:
            with reading.located(node):
                return intrinsic(reading.builder, *args, **keywords)
        except (TypeError, AttributeError) as error:
            if isinstance(error, KernelError):
                raise
            raise reading.error(
                node, f"wrong arguments of {ast.unparse(node.func)}", "give numbers"
            ) from None
    # Kernels have this attribute; other callables can do anything when they are called.
    function = getattr(function, "elementwise_function", function)
    if isinstance(function, FunctionType):
        return _inlined(reading, node, function, args, keywords)
    raise reading.error(
        node,
        f"{ast.unparse(node.func)} cannot be called here",
        "use functions of math, elementwise functions of py_tensor, or your own",
    )


def _argument(reading: Reading, node: ast.expr, local: Locals) -> object:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return reading.value(node, local)


def _length(reading: Reading, node: ast.Call, value: object) -> object:
    if isinstance(value, TensorArgument | SharedArgument):
        return value.lengths[0]
    if isinstance(value, tuple):
        return len(value)
    raise reading.error(node, "a number has no length", "use a tensor or a tuple")


def _inlined(
    reading: Reading,
    node: ast.Call,
    function: FunctionType,
    args: Sequence[object],
    keywords: dict[str, object],
) -> object:
    """Return the result of a function of the enclosing scopes by reading its body."""
    if any(source.function is function for source in reading.calls):
        raise reading.error(node, f"{function.__name__} calls itself", "use a loop")
    if len(reading.calls) == DEPTH:
        raise reading.error(node, f"more than {DEPTH} nested calls", "use fewer functions")
    if hasattr(function, "__wrapped__"):
        raise reading.error(
            node, f"{function.__name__} is decorated", "call the function without decorator"
        )
    parameters = parameters_of(function)
    assert parameters is not None
    if parameters.has_varargs or parameters.has_varkw:
        raise reading.error(node, "the function takes * or **", "name its parameters")
    names = bound(function, args, keywords)
    if isinstance(names, str):
        raise reading.error(node, names, "give one value for each parameter")
    source = FunctionSource(function)
    reading.calls.append(source)
    loops, reading.loops = reading.loops, 0
    values = {name: constant(value) for name, value in names.items()}
    result = read_function(reading, source.tree, values)
    reading.loops = loops
    reading.calls.pop()
    return result


def bound(
    function: FunctionType, args: Sequence[object], keywords: Mapping[str, object]
) -> dict[str, object] | str:
    """Return the value of each parameter of a function, or what is wrong with the arguments."""
    parameters = parameters_of(function)
    assert parameters is not None
    names = parameters.positional
    if len(args) > len(names):
        return f"{function.__name__} takes {len(names)} arguments"
    values = dict(zip(names, args, strict=False))
    for name, value in keywords.items():
        if name in values or name not in (*names, *parameters.keyword_only):
            return f"{function.__name__} has no further parameter {name}"
        values[name] = value
    defaults = function.__defaults__ or ()
    of_positional = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    values = {**of_positional, **(function.__kwdefaults__ or {}), **values}
    for name in (*names, *parameters.keyword_only):
        if name not in values:
            return f"{function.__name__} needs {name}"
    return values
