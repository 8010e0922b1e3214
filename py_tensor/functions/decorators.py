"""Decorators of the public functions: names in errors, caches of checked calls, and contracts.

`named` makes errors of composite functions name the function that the user called. Checking
operands and reading axes, paddings and other arguments takes longer than creating nodes: `ufunc`
stores the op instances of elementwise functions, `remembered` those of composite functions.
`documented` adds a contract, which is stated once, to the docstrings of many functions.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from functools import cache, partial, update_wrapper, wraps
from inspect import cleandoc, iscoroutinefunction, unwrap
from typing import TYPE_CHECKING, Any, cast, overload

from ..dtypes import DType, bool_, float32
from ..errors import ArgumentError, DTypeError, FormatError, ShapeError, TensorError
from ..ir.node import (
    AGE,
    BoundedCache,
    OpInstance,
    OpNode,
    TensorSpec,
    lock,
    node_of,
    own_tapes,
)
from ..ir.tracer import ScalarTracer, kind_of
from ..late import LateModule
from ..ops.elementwise import CAST, ELEMENTWISE
from ..ops.op_def import Elementwise
from ..runtime.scopes import state
from ..settings import settings
from ..tensor import Tensor, apply, as_tensor, node_behind, operand_of
from ..typing import ArrayLike, DTypeLike

if TYPE_CHECKING:
    from ..numpy_functions import outputs, ufunc_methods
    from .ufunc_types import BinaryFunction, UnaryFunction
else:
    outputs = LateModule("numpy_functions.outputs")
    ufunc_methods = LateModule("numpy_functions.ufunc_methods")

OF_OPERANDS = (DTypeError, ShapeError, ArgumentError, FormatError)
"""Errors about arguments, which hold for the composite function too. Errors about lifetimes or
traces keep their text."""


def named[Function: Callable[..., Any]](function: Function) -> Function:
    """Decorate a function so that its errors about arguments begin with its own name.

    A parameter `out` is a tensor to which the result is written.
    """
    position = _position_of_out(function)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if (
            position < _NO_OUT
            and (args[position] if len(args) > position else kwargs.get("out")) is not None
        ):
            return outputs.written(call, position, args, kwargs)
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


_NO_OUT = 1 << 16


def _position_of_out(function: Callable[..., Any]) -> int:
    """Return the position of the parameter `out`: a large number if only its name can give it.

    The largest number, _NO_OUT, stands for a function without the parameter.
    """
    names, count = _parameters(function), unwrap(function).__code__.co_argcount
    position = names.index("out") if "out" in names else _NO_OUT
    return position if position < count or position == _NO_OUT else _NO_OUT - 1


def rename(error: TensorError, name: str) -> None:
    """Replace the operation name at the start of an error's text."""
    inner, _, wrong = str(error).partition(": ")
    if inner != name:
        error.args = (f"{name}: {wrong}",)


autocast_dtype: ContextVar[DType | None] = ContextVar("py_tensor_autocast", default=None)
"""Dtype of the operands of contractions in the running task; None outside `autocast`."""
LIMIT = 1024
"""Number of calls that a function caches; the cache is cleared when it is full."""


_PLAIN = (int, bool, str, DType, type(None))


CallRecipe = tuple[list[OpNode], list[tuple[OpInstance, tuple[int, ...]]]]
"""Scalar nodes, then op instances with the positions of their operands. Positions count the call's
tensors first, then the scalars, then the preceding operations."""


def remembered[Function: Callable[..., Any]](function: Function) -> Function:
    """Cache a function's nodes by its arguments: tensors, integers, names and shapes.

    A parameter `out` is a tensor to which the result is written.
    """
    recipes: BoundedCache[tuple[Any, ...], CallRecipe] = BoundedCache(LIMIT)
    own = named(function)
    position = _position_of_out(function)

    @wraps(function)
    def recalled(*args: Any, **kwargs: Any) -> Any:
        if (
            position < _NO_OUT
            and (args[position] if len(args) > position else kwargs.get("out")) is not None
        ):
            return outputs.written(recalled, position, args, kwargs)
        # Some functions choose constants by the range of stored numbers.
        key: list[Any] = [settings.float16_storage, autocast_dtype.get()]
        nodes: list[Any] = []
        for value in (*args, *kwargs, *kwargs.values()) if kwargs else args:
            kind = value.__class__
            if kind is Tensor:
                node = value._node
                # One tensor given twice is a different call from two tensors of one spec.
                key.append(nodes.index(node) if node in nodes else node.spec)
                nodes.append(node)
            else:
                types = _types(value) if kind is tuple else kind
                if types is None:
                    return own(*args, **kwargs)
                key.append(types)
                key.append(value)
        try:
            recipe = recipes.get(tuple(key))
        except TypeError:  # a list, for example, is not hashable
            return own(*args, **kwargs)
        if recipe is None or state.observed:
            result = own(*args, **kwargs)
            if not state.observed and all(map(_is_plain, (*args, *kwargs.values()))):
                with lock:
                    recipe = _recipe(result, nodes)
                if recipe is not None:
                    recipes[tuple(key)] = recipe
            return result
        scalars, operations = recipe
        nodes += scalars
        state.pending += len(operations) - 1
        for call, places in operations:
            nodes.append(OpNode(call, tuple([nodes[position] for position in places]), call.spec))
        return Tensor(nodes[-1])

    return cast("Function", recalled)


def remembered_without_gradients[Function: Callable[..., Any]](function: Function) -> Function:
    """Cache a function's nodes, as `remembered` does, unless its own gradient may be needed."""
    own, recalled = named(function), remembered(function)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return own(*args, **kwargs) if own_tapes() else recalled(*args, **kwargs)

    return cast("Function", call)


def _types(value: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Return the types in nested tuples: (1, 1) equals (1.0, True), which may be an error.

    Return None if there is a tensor, which would be read for its hash.
    """
    types = [_types(v) if v.__class__ is tuple else v.__class__ for v in value]
    return None if Tensor in types or None in types else tuple(types)


def _is_plain(value: Any) -> bool:
    """Return True for a tensor, or a value for which equality means the same call."""
    if isinstance(value, Tensor):
        node = value._node
        # A scalar tracer follows its own promotion rules.
        return node.spec is not None and (node.call is not None or node.buffer is not None)
    if isinstance(value, tuple):
        return all(_is_plain(item) and not isinstance(item, Tensor) for item in value)
    return isinstance(value, _PLAIN)


def _recipe(result: Any, inputs: list[OpNode]) -> CallRecipe | None:
    """Return the steps from the given nodes to the result; None if the result has other inputs."""
    if not isinstance(result, Tensor) or result._node in inputs:
        return None
    scalars: list[OpNode] = []
    order: list[OpNode] = []
    seen = set(map(id, inputs))
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
    position_of: dict[int, int] = {}
    for position, node in enumerate((*inputs, *scalars, *order)):
        position_of.setdefault(id(node), position)
    operations = [
        (node.call, tuple(position_of[id(src)] for src in node.srcs))
        for node in order
        if node.call is not None
    ]
    return scalars, operations


type _Sections = dict[str, dict[str, str]]
"""Entries by section, and by the name of the parameter or error; a result has one, without name."""

_SECTION = re.compile(r"^(Args|Returns|Raises):\n", re.MULTILINE)
_ENTRY = re.compile(r"^    (?=\S)", re.MULTILINE)


def documented[Documented: Callable[..., Any]](
    *contracts: str,
) -> Callable[[Documented], Documented]:
    """Decorate a function or class: add shared contracts to its docstring, before its example.

    An entry of the docstring itself replaces the contract's. Parameters are in the order of the
    signature. The contract may describe parameters that a function lacks; they are left out.

    >>> @documented("Args:\\n    x: A tensor.\\n    y: Not used.\\n\\nReturns:\\n    Tensor.\\n")
    ... def identity(x):
    ...     '''Return x.'''
    ...     return x
    >>> print(identity.__doc__)
    Return x.
    <BLANKLINE>
    Args:
        x: A tensor.
    <BLANKLINE>
    Returns:
        Tensor.
    """

    def complete(function: Documented) -> Documented:
        if function.__doc__:  # Python leaves docstrings out with -OO
            function.__doc__ = _completed(function.__doc__, _parameters(function), contracts)
        return function

    return complete


def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    called: Any = function
    code = unwrap(called.__init__ if isinstance(function, type) else called).__code__
    names: tuple[str, ...] = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return names


def _completed(text: str, parameters: Iterable[str], contracts: Iterable[str]) -> str:
    text, mark, example = cleandoc(text).partition(">>> ")
    introduction, sections = _parsed(text)
    for contract in contracts:
        for section, entries in _shared(contract).items():
            own = sections.setdefault(section, {})
            sections[section] = own | entries | own
    args = sections.get("Args", {})
    variable = [name for name in args if name.startswith("*")]
    sections["Args"] = {name: args[name] for name in (*parameters, *variable) if name in args}
    parts = [introduction]
    parts += [
        f"{section}:\n" + "\n".join(f"    {entry}" for entry in sections[section].values())
        for section in ("Args", "Returns", "Raises")
        if sections.get(section)
    ]
    return "\n\n".join([*parts, mark + example] if mark else parts)


def _parsed(text: str) -> tuple[str, _Sections]:
    """Return the text before the sections of a docstring, and the entries of the sections."""
    introduction, *parts = _SECTION.split(text)
    sections: _Sections = {}
    for section, content in zip(parts[::2], parts[1::2], strict=True):
        entries = [content.strip()] if section == "Returns" else _ENTRY.split(content)[1:]
        sections[section] = {
            "" if section == "Returns" else entry.partition(":")[0]: entry.rstrip()
            for entry in entries
        }
    return introduction.rstrip(), sections


@cache
def _shared(contract: str) -> _Sections:
    return _parsed(cleandoc(contract))[1]


_REAL_OPERANDS = {
    "numeric": "tensor or number of integer or floating dtype",
    "floating": "real tensor or number; integers and bool count as float32",
    "integer": "tensor or number of integer dtype",
    "boolean": "tensor or number; numbers are true unless they are zero",
    "integer or boolean": "tensor or number of integer or bool dtype",
}
_COMPLEX_OPERANDS = {
    "numeric": "tensor or number of integer, floating or complex dtype",
    "floating": "tensor or number; integers and bool count as float32",
    "all": "tensor or number of any dtype",
}
"""Texts about operands, by the dtypes that an operation accepts."""
_RESULTS = {
    "same": "Tensor of the shape of x, in its dtype.",
    "bool": "Tensor of the shape of x; bool.",
    "real": "Tensor of the shape of x, in its dtype; float32 for complex operands.",
}
OPTIONS = """
    out: Tensor to write the result to, which is returned; None (default) for a new one.
    where: Mask of the elements to compute, which broadcasts; the others of `out` stay as they are,
        and are 0 without `out`. True (default) for all.
    dtype: Dtype to convert operands to first; None (default) for the promoted one.
    casting: "unsafe" for conversions to any dtype of `out` or `dtype`; "same_kind" by default."""
"""Descriptions of NumPy's arguments of elementwise functions."""
_RESULTS_OF_TWO = {
    "same": "Tensor of the shape that the operands broadcast to, in their promoted dtype.",
    "bool": "Tensor of the shape that the operands broadcast to; bool.",
}


def elementwise_contract(name: str) -> str:
    """Return the contract of an elementwise function of one or two operands."""
    op = ELEMENTWISE[name]
    takes_complex = op.complex is not None or op.partwise
    operand = (_COMPLEX_OPERANDS if takes_complex else _REAL_OPERANDS)[op.dtypes]
    if op.arity == 1:
        return f"""\
Args:
    x: Operand of any shape: {operand}.{OPTIONS}

Returns:
    {_RESULTS[op.result]}

Raises:
    DTypeError: If x has another dtype.
"""
    other_dtype = "" if op.dtypes == "all" else "an operand has another dtype, or "
    return f"""\
Args:
    x1: First operand: {operand}.
    x2: Second operand; its dtype is as for x1, and the shapes broadcast together.{OPTIONS}

Returns:
    {_RESULTS_OF_TWO[op.result]}

Raises:
    DTypeError: If {other_dtype}the operands have no common dtype.
    ShapeError: If the shapes do not broadcast.
"""


_ARRAYS = (list, tuple, bytes, bytearray, memoryview, array)
_OPERANDS = (bool, int, float, complex, Tensor, ScalarTracer, *_ARRAYS)


def can_convert(other: Any) -> bool:
    """Return True if an operator accepts a value; other values may define the operator.

    Classes that wrap arrays, such as tables, have `__array_ufunc__`, but no memory of their own.
    """
    if isinstance(other, _OPERANDS):
        return True
    wraps_arrays = hasattr(other, "__array_ufunc__") and not hasattr(other, "__array_interface__")
    return hasattr(other, "__array__") and not wraps_arrays


_CONVERTED = {"floating": ("iub", float32), "boolean": ("iufc", bool_)}
"""Kinds of operands that are converted, and to which dtype, by the dtypes that an op takes."""


_OF_BOOLS = {
    **{"add": "logical_or", "multiply": "logical_and"},
    **{"maximum": "logical_or", "minimum": "logical_and"},
    **{name: name for name in ("less", "less_equal", "greater", "greater_equal")},
}
"""Names of the operations of two bool operands, as in NumPy."""


def _converted(op: Elementwise, x: Any) -> Any:
    """Convert an operand as NumPy does: integers of `sqrt` to float32, numbers of `logical_and`."""
    kinds, target = _CONVERTED.get(op.dtypes, ("", None))
    if not kinds or (target is float32 and type(x) in (bool, int, float, complex, ScalarTracer)):
        return x
    tensor = as_tensor(op.name, x)
    node = node_behind(op.name, tensor)
    return Tensor(node_of(CAST, (node,), target)) if node.spec.dtype.kind in kinds else tensor


@overload
def ufunc(function: Callable[[ArrayLike], Tensor]) -> UnaryFunction: ...
@overload
def ufunc(function: Callable[[ArrayLike, ArrayLike], Tensor]) -> BinaryFunction: ...
def ufunc(function: Any) -> Any:
    """Apply the op of an elementwise function's name to its one or two operands.

    The function itself has no body. The op instances of checked operands are cached: the next call
    with the same tensor specs creates its node after one dictionary look-up. The contract of
    elementwise functions is added to the docstring.
    """
    op = ELEMENTWISE[function.__name__]
    if function.__doc__:
        # No section to merge with: joining texts takes a fifth of the time of `documented`.
        summary, mark, example = cleandoc(function.__doc__).partition(">>> ")
        function.__doc__ = f"{summary}{elementwise_contract(op.name)}\n{mark}{example}"
    if op.arity == 1:
        return _with_options(function, _unary(op))
    plain, operator = _binary(op)
    decorated = _with_options(function, plain)
    # An operator of its own saves a call of the function, which takes a tenth of `a + b`.
    decorated.operator = operator
    return decorated


@overload
def composite(function: Callable[[ArrayLike], Tensor]) -> UnaryFunction: ...
@overload
def composite(function: Callable[[ArrayLike, ArrayLike], Tensor]) -> BinaryFunction: ...
@overload
def composite[F: Callable[..., tuple[Tensor, Tensor]]](function: F) -> F: ...
def composite(function: Any) -> Any:
    """Decorate an elementwise function that is composed of others, as `named` and `ufunc` do."""
    if function.__doc__:
        names = (*_parameters(function), "out", "where", "dtype", "casting")
        function.__doc__ = _completed(function.__doc__, names, (f"\nArgs:{OPTIONS}",))
    return _with_options(function, named(function))


def _with_options(function: Any, plain: Any) -> Any:
    """Add NumPy's arguments and methods of ufuncs to a function of one or two operands.

    The arguments may be given by position, because keyword-only ones would take 30 ns of each call.
    """
    name = function.__name__
    decorated: Any
    if function.__code__.co_argcount == 1:

        def unary(
            x: ArrayLike,
            /,
            out: Tensor | None = None,
            where: ArrayLike = True,
            dtype: DTypeLike | None = None,
            casting: str = "same_kind",
        ) -> Any:
            if out is None and where is True and dtype is None:
                return plain(x)
            return outputs.elementwise(plain, name, (x,), out, where, dtype, casting)

        decorated = unary
    else:

        def binary(
            x1: ArrayLike,
            x2: ArrayLike,
            /,
            out: Tensor | None = None,
            where: ArrayLike = True,
            dtype: DTypeLike | None = None,
            casting: str = "same_kind",
        ) -> Any:
            if out is None and where is True and dtype is None:
                return plain(x1, x2)
            return outputs.elementwise(plain, name, (x1, x2), out, where, dtype, casting)

        decorated = binary
        for method in ("reduce", "accumulate", "reduceat", "outer", "at"):
            setattr(decorated, method, partial(getattr(ufunc_methods, method), decorated))
    update_wrapper(decorated, function, ("__module__", "__name__", "__qualname__", "__doc__"))
    del decorated.__wrapped__  # its signature lacks the arguments
    decorated.nin = function.__code__.co_argcount
    return decorated


type _Calls = BoundedCache[tuple[TensorSpec | type, ...] | TensorSpec, OpInstance]


def _scalar(number: Any, spec: TensorSpec) -> OpNode | None:
    """Make the node of a Python number that fits; None for others, which are checked."""
    kind = number.__class__
    if kind is int:
        if not (-_FITS < number < _FITS if spec.dtype is float32 else 0 <= number < 128):
            return None
    elif kind is not float and kind is not bool:
        return None
    node = OpNode(None, (), spec)
    node.value = number
    return node


_FITS = 1 << 24
"""Integers below are exact in float32."""


def _is_bool(operation: str, x: Any) -> bool:
    """Return True for a bool, traced or not, or a tensor of them."""
    if not isinstance(x, Tensor):
        return kind_of(x) is bool
    return node_behind(operation, x).spec.dtype is bool_


def _remember(calls: _Calls, op: Elementwise, key: Any, result: Tensor) -> None:
    # A node has no op instance after it has run at once (debug mode, pending limit). Operations on
    # complex numbers are replaced by other ops.
    call = result._node.call
    if call is not None and call.op is op:
        calls[key] = call


def _unary(op: Elementwise) -> Callable[[Any], Tensor]:
    calls: _Calls = BoundedCache(LIMIT)
    find = calls.get

    def call_of(x: Any, /) -> Tensor:
        if x.__class__ is Tensor:
            node = x._node
            call = find(node.spec)
            if call is not None:
                return Tensor(OpNode(call, (node,), call.spec))
        operand = _converted(op, x)
        result = apply(op, (operand,))
        if operand is x and x.__class__ is Tensor:
            _remember(calls, op, x._node.spec, result)
        return result

    return call_of


type _Binary = Callable[[Any, Any], Any]


def _binary(op: Elementwise) -> tuple[_Binary, _Binary]:
    """Return the function and the operator."""
    calls: _Calls = BoundedCache(LIMIT)
    find = calls.get

    def cached(checked: Callable[[Any, Any, Any], Any]) -> _Binary:
        def call_of(x1: Any, x2: Any, /) -> Any:
            key: Any = None
            if x1.__class__ is Tensor and x2.__class__ is Tensor:
                a, b = x1._node, x2._node
                key = (a.spec, b.spec)
                call = find(key)
                if call is not None:
                    return Tensor(OpNode(call, (a, b), call.spec))
            elif x1.__class__ is Tensor:
                key = (x1._node.spec, x2.__class__)
                call = find(key)
                scalar = None if call is None else _scalar(x2, call.specs[1])
                if call is not None and scalar is not None:
                    return Tensor(OpNode(call, (x1._node, scalar), call.spec))
            elif x2.__class__ is Tensor:
                key = (x1.__class__, x2._node.spec)
                call = find(key)
                scalar = None if call is None else _scalar(x1, call.specs[0])
                if call is not None and scalar is not None:
                    return Tensor(OpNode(call, (scalar, x2._node), call.spec))
            return checked(key, x1, x2)

        return call_of

    of_bools = _OF_BOOLS.get(op.name, "")

    def as_function(key: Any, x1: Any, x2: Any) -> Tensor:
        first, second = _converted(op, x1), _converted(op, x2)
        operands: tuple[Any, ...] = (first, second)
        chosen = op
        if of_bools:
            operands = operand_of(op.name, first), operand_of(op.name, second)
            if all(_is_bool(op.name, x) for x in operands):
                chosen = ELEMENTWISE[of_bools]
                if chosen is op:  # compared as numbers
                    operands = tuple(x + 0 for x in operands)
        result = apply(chosen, operands)
        if key and operands[0] is x1 and operands[1] is x2:
            _remember(calls, chosen, key, result)
        return result

    def as_operator(key: Any, x1: Any, x2: Any) -> Any:
        return as_function(key, x1, x2) if can_convert(x2) else NotImplemented

    return cached(as_function), cached(as_operator)
