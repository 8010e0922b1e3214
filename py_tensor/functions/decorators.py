"""Decorators of the public functions: caches of checked calls, and names in errors.

Checking operands and reading axes, paddings and other arguments takes longer than creating nodes.
`ufunc` stores the op instances of elementwise functions, `remembered` those of composite functions.
`named` makes errors of composite functions name the function that the user called.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from functools import partial, wraps
from importlib import import_module
from inspect import iscoroutinefunction
from typing import Any, cast

from ..dtypes import DType, bool_, float32
from ..errors import ArgumentError, DTypeError, FormatError, ShapeError, TensorError
from ..ir.bounded_cache import BoundedCache
from ..ir.node import AGE, OpInstance, OpNode, node_of
from ..ir.tracer import ScalarTracer
from ..ops import OP_DEFS
from ..ops.elementwise import CAST
from ..ops.op_def import Elementwise
from ..runtime.scopes import state
from ..settings import settings
from ..tensor import Tensor, as_tensor, node_behind

OF_OPERANDS = (DTypeError, ShapeError, ArgumentError, FormatError)
"""Errors about arguments, which hold for the composite function too. Errors about lifetimes or
traces keep their text."""


def named[Function: Callable[..., Any]](function: Function) -> Function:
    """Decorate a function so that its errors about arguments begin with its own name."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except OF_OPERANDS as error:
            rename(error, function.__name__)
            raise

    @wraps(function)
    async def call_async(*args: Any, **kwargs: Any) -> Any:
        try:
            return await function(*args, **kwargs)
        except OF_OPERANDS as error:
            rename(error, function.__name__)
            raise

    return cast("Function", call_async if iscoroutinefunction(function) else call)


def rename(error: TensorError, name: str) -> None:
    """Replace the operation name at the start of an error's text."""
    inner, _, wrong = str(error).partition(": ")
    if inner != name:
        error.args = (f"{name}: {wrong}",)


LIMIT = 1024
"""Number of calls that a function caches; the cache is cleared when it is full."""


_PLAIN = (int, bool, str, DType, type(None))


CallRecipe = tuple[list[OpNode], list[tuple[OpInstance, tuple[int, ...]]]]
"""Scalar nodes, then op instances with the positions of their operands. Positions count the call's
tensors first, then the scalars, then the preceding operations."""


def remembered[Function: Callable[..., Any]](function: Function) -> Function:
    """Cache a function's nodes by its arguments: tensors, integers, names and shapes."""
    recipes: BoundedCache[tuple[Any, ...], CallRecipe] = BoundedCache(LIMIT)
    own = named(function)

    @wraps(function)
    def recalled(*args: Any, **kwargs: Any) -> Any:
        # Some functions choose constants by the range of stored numbers.
        key: list[Any] = [settings.float16_storage]
        nodes: list[Any] = []
        for value in (*args, *kwargs, *kwargs.values()) if kwargs else args:
            kind = value.__class__
            if kind is Tensor:
                node = value._node
                # One tensor given twice is a different call from two tensors of one spec.
                key.append(nodes.index(node) if node in nodes else node.spec)
                nodes.append(node)
            else:
                key.append(_types(value) if kind is tuple else kind)
                key.append(value)
        try:
            recipe = recipes.get(tuple(key))
        except TypeError:  # a list, for example, is not hashable
            return own(*args, **kwargs)
        if recipe is None or state.observed:
            result = own(*args, **kwargs)
            if not state.observed and all(map(_is_plain, (*args, *kwargs.values()))):
                recipe = _recipe(result, nodes)
                if recipe is not None:
                    recipes[tuple(key)] = recipe
            return result
        scalars, operations = recipe
        nodes += scalars
        state.pending += len(operations) - 1
        for call, places in operations:
            nodes.append(OpNode(call, tuple([nodes[place] for place in places]), call.spec))
        return Tensor(nodes[-1])

    return cast("Function", recalled)


def _types(value: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the types in nested tuples: (1, 1) equals (1.0, True), which may be an error."""
    return tuple([_types(v) if v.__class__ is tuple else v.__class__ for v in value])


def _is_plain(value: Any) -> bool:
    """Return True for a tensor, or a value for which equality means the same call."""
    if isinstance(value, Tensor):
        node = value._node
        # A scalar tracer follows its own promotion rules.
        return node.spec is not None and (node.call is not None or node.buffer is not None)
    if isinstance(value, tuple):
        return all(_is_plain(item) and not isinstance(item, Tensor) for item in value)
    return isinstance(value, _PLAIN)


def _recipe(result: Any, given: list[OpNode]) -> CallRecipe | None:
    """Return the steps from the given nodes to the result; None if the result has other inputs."""
    if not isinstance(result, Tensor) or result._node in given:
        return None
    scalars: list[OpNode] = []
    order: list[OpNode] = []
    seen = set(map(id, given))
    stack = [result._node]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        stack += node.srcs
        if node.call is not None:
            order.append(node)
        elif node.buffer is None:
            scalars.append(node)
        else:
            return None
    # Creation order: the same call must give the same graph again.
    order.sort(key=AGE)
    place: dict[int, int] = {}
    for position, node in enumerate((*given, *scalars, *order)):
        place.setdefault(id(node), position)
    operations = [
        (node.call, tuple(place[id(src)] for src in node.srcs))
        for node in order
        if node.call is not None
    ]
    return scalars, operations


_ARRAYS = (list, tuple, bytes, bytearray, memoryview, array)
_OPERANDS = (bool, int, float, complex, Tensor, ScalarTracer, *_ARRAYS)


def can_convert(other: Any) -> bool:
    """Return True if an operator accepts a value; other values may define the operator."""
    return isinstance(other, _OPERANDS) or hasattr(other, "__array__")


_CONVERTED = {"floating": ("iub", float32), "boolean": ("iufc", bool_)}
"""Kinds of operands that are converted, and to which dtype, by the dtypes that an op takes."""


def _converted(op: Elementwise, x: Any) -> Any:
    """Convert an operand as NumPy does: integers of `sqrt` to float32, numbers of `logical_and`."""
    kinds, target = _CONVERTED.get(op.dtypes, ("", None))
    if not kinds or (target is float32 and type(x) in (bool, int, float, complex, ScalarTracer)):
        return x
    tensor = as_tensor(op.name, x)
    node = node_behind(op.name, tensor)
    return Tensor(node_of(CAST, (node,), target)) if node.spec.dtype.kind in kinds else tensor


def ufunc[Function: Callable[..., Tensor]](function: Function) -> Function:
    """Cache the op instances that an elementwise function of one or two operands has checked.

    The next call with the same tensor specs creates its node after one dictionary look-up.
    """
    op: Any = OP_DEFS[function.__name__]
    calls: BoundedCache[Any, OpInstance] = BoundedCache(LIMIT)

    def unary(x: Any, /) -> Tensor:
        if x.__class__ is Tensor:
            node = x._node
            call = calls.get(node.spec)
            if call is not None:
                return Tensor(OpNode(call, (node,), call.spec))
        operand = _converted(op, x)
        return remember(operand is x and x.__class__ is Tensor and x._node.spec, function(operand))

    def binary(checked: Callable[[Any, Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def call_of(x1: Any, x2: Any, /) -> Any:
            key: Any = None
            if x1.__class__ is Tensor and x2.__class__ is Tensor:
                a, b = x1._node, x2._node
                key = (a.spec, b.spec)
                call = calls.get(key)
                if call is not None:
                    return Tensor(OpNode(call, (a, b), call.spec))
            elif x1.__class__ is Tensor and x2.__class__ is float:
                a = x1._node
                key = (a.spec, float)
                call = calls.get(key)
                if call is not None:
                    scalar = OpNode(None, (), call.specs[1])
                    scalar.value = x2
                    return Tensor(OpNode(call, (a, scalar), call.spec))
            return checked(key, x1, x2)

        return call_of

    def as_function(key: Any, x1: Any, x2: Any) -> Tensor:
        first, second = _converted(op, x1), _converted(op, x2)
        return remember(key if first is x1 and second is x2 else None, function(first, second))

    def as_operator(key: Any, x1: Any, x2: Any) -> Any:
        return as_function(key, x1, x2) if can_convert(x2) else NotImplemented

    def remember(key: Any, result: Tensor) -> Tensor:
        # A node has no op instance after it has run at once (debug mode, pending limit). Operations
        # on complex numbers are replaced by other ops.
        call = result._node.call
        if key and call is not None and call.op is op:
            calls[key] = call
        return result

    if op.arity == 1:
        return cast("Function", wraps(function)(unary))
    decorated: Any = wraps(function)(binary(as_function))
    # An operator of its own saves a call of the function, which takes a tenth of `a + b`.
    decorated.operator = binary(as_operator)
    for name in ("reduce", "accumulate", "outer", "at"):
        setattr(decorated, name, partial(_ufunc_method, name, decorated))
    return cast("Function", decorated)


def _ufunc_method(name: str, function: Callable[..., Tensor], *args: Any, **kwargs: Any) -> Any:
    """Call a method of NumPy's ufuncs, whose module is imported when used."""
    module = import_module("py_tensor.numpy_functions.ufunc_methods")
    return getattr(module, name)(function, *args, **kwargs)
