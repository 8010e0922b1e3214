"""Read the calls in a kernel's function: intrinsics, and helper functions, which are inlined.

Input: a call and the values of its arguments. Output: the value of the result.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from copy import copy
from types import FunctionType
from typing import Any

from ..errors import KernelError
from ..signatures import parameters_of
from .effects import GROUP_CALLS
from .intrinsics import INTRINSICS
from .locals import LocalFunction, Locals, SharedArgument, TensorArgument, constant
from .program import length_of
from .reading import FunctionUse, Reading
from .shader_functions import called, function_key
from .source import FunctionSource
from .statements import read_function

DEPTH = 32
"""Largest depth of calls of helper functions."""


def read_call(reading: Reading, node: ast.Call, local: Locals) -> object:
    function = reading.value(node.func, local)
    args = reading.parts(node.args, local)
    keywords = {key.arg: reading.plain(key.value, local) for key in node.keywords if key.arg}
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
        except (TypeError, AttributeError, ValueError) as error:
            if isinstance(error, KernelError):
                raise
            raise reading.error(
                node, f"wrong arguments of {ast.unparse(node.func)}", "give numbers"
            ) from None
    if isinstance(function, LocalFunction):
        return _call_local(reading, node, function, args, keywords, local)
    if isinstance(getattr(function, "__self__", None), dict):
        return _of_dict(reading, node, function, args)
    # Kernels have this attribute; other callables can do anything when they are called.
    function = getattr(function, "elementwise_function", function)
    if isinstance(function, FunctionType):
        return _call_function(reading, node, function, args, keywords, local)
    raise reading.error(
        node,
        f"{ast.unparse(node.func)} cannot be called here",
        "use functions of math, elementwise functions of py_tensor, or your own",
    )


def _length(reading: Reading, node: ast.Call, value: object) -> object:
    if isinstance(value, TensorArgument | SharedArgument):
        return value.lengths[0]
    if isinstance(value, tuple | dict):
        return len(value)
    raise reading.error(node, "a number has no length", "use a tensor or a tuple")


def _of_dict(reading: Reading, node: ast.Call, method: Any, args: Sequence[object]) -> object:
    """Return the result of a method of a constant dict."""
    try:
        result = method(*args)
    except TypeError:
        raise reading.error(node, "wrong arguments", "give constants") from None
    return result if method.__name__ == "get" else tuple(result)


def _call_local(
    reading: Reading,
    node: ast.Call,
    function: LocalFunction,
    args: Sequence[object],
    keywords: dict[str, object],
    local: Locals,
) -> object:
    """Return the result of a function that is defined in a function."""
    tree, depth = function.tree, function.depth
    positional = [own.arg for own in (*tree.args.posonlyargs, *tree.args.args)]
    keyword_only = [own.arg for own in tree.args.kwonlyargs]
    names = _named(tree.name, positional, keyword_only, function.defaults, args, keywords)
    source = copy(reading.calls[depth])
    source.tree, source.name = tree, tree.name
    around = local if depth == len(reading.frames) else reading.frames[depth]
    return _inlined(reading, node, source, names, local, around)


def _call_function(
    reading: Reading,
    node: ast.Call,
    function: FunctionType,
    args: Sequence[object],
    keywords: dict[str, object],
    local: Locals,
) -> object:
    """Return the result of a function of the enclosing scopes."""
    if hasattr(function, "__wrapped__"):
        raise reading.error(
            node, f"{function.__name__} is decorated", "call the function without decorator"
        )
    parameters = parameters_of(function)
    assert parameters is not None
    if parameters.has_varargs or parameters.has_varkw:
        raise reading.error(node, "the function takes * or **", "name its parameters")
    names = bound(function, args, keywords)
    source = reading.sources.get(function)
    if source is None:
        source = reading.sources[function] = FunctionSource(function)
    return _inlined(reading, node, source, names, local)


def _inlined(
    reading: Reading,
    node: ast.Call,
    source: FunctionSource,
    names: dict[str, object] | str,
    local: Locals,
    around: Locals | None = None,
) -> object:
    """Return the result of a function by reading its body for values of its parameters."""
    if any(outer.tree is source.tree for outer in reading.calls):
        raise reading.error(node, f"{source.name} calls itself", "use a loop")
    if len(reading.calls) == DEPTH:
        raise reading.error(node, f"more than {DEPTH} nested calls", "use fewer functions")
    if isinstance(names, str):
        raise reading.error(node, names, "give one value for each parameter")
    reading.calls.append(source)
    reading.frames.append(local)
    loops, reading.loops = reading.loops, 0
    values = {name: constant(value) for name, value in names.items()}
    key = function_key(source, values)
    if key is not None and key in reading.keeps:
        result = called(reading, key, source, values, around)
    else:
        build, before = reading.builder, reading.outside_reads
        start = len(build.blocks[-1])
        result = read_function(reading, source.tree, values, around)
        if key is not None and reading.outside_reads == before:
            use = reading.uses.get(key, FunctionUse())
            length = max(use.length, length_of(build.blocks[-1][start:]))
            reading.uses[key] = FunctionUse(use.calls + 1, length)
    reading.loops = loops
    reading.frames.pop()
    reading.calls.pop()
    return result


def bound(
    function: FunctionType, args: Sequence[object], keywords: Mapping[str, object]
) -> dict[str, object] | str:
    """Return the value of each parameter of a function, or what is wrong with the arguments."""
    parameters = parameters_of(function)
    assert parameters is not None
    names, defaults = parameters.positional, function.__defaults__ or ()
    given = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    given |= function.__kwdefaults__ or {}
    return _named(function.__name__, names, parameters.keyword_only, given, args, keywords)


def _named(
    function: str,
    positional: Sequence[str],
    keyword_only: Sequence[str],
    defaults: Mapping[str, object],
    args: Sequence[object],
    keywords: Mapping[str, object],
) -> dict[str, object] | str:
    """Return the value of each parameter by name, or what is wrong with the arguments."""
    if len(args) > len(positional):
        return f"{function} takes {len(positional)} arguments"
    values = dict(zip(positional, args, strict=False))
    for name, value in keywords.items():
        if name in values or name not in (*positional, *keyword_only):
            return f"{function} has no further parameter {name}"
        values[name] = value
    values = {**defaults, **values}
    for name in (*positional, *keyword_only):
        if name not in values:
            return f"{function} needs {name}"
    return values
