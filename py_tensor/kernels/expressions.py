"""Read the expressions of a kernel's function: typed values, reads of tensors and calls.

Input: nodes of a syntax tree. Output: values, and the statements that compute them.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any

from ..dtypes import bool_, float32, int32, uint32
from ..errors import KernelError
from ..signatures import parameters_of
from .builder import ATOMS, NUMBERS, Builder, Mismatch, dtype_of, typed
from .intrinsics import INTRINSICS, arithmetic, power, product
from .program import Branch, Input, Var
from .source import MISSING, Source, resolve
from .values import AXES, Vector

DTYPES = (float32, int32, uint32, bool_)
_BINARY = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
    ast.LShift: "bitwise_left_shift",
    ast.RShift: "bitwise_right_shift",
}
_PYTHON = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_COMPARE = {
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
}
_SIGNS = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}
_ADVICE: dict[type, tuple[str, str]] = {
    ast.List: ("lists are not supported", "use a tuple"),
    ast.Dict: ("dicts are not supported", "use local variables"),
    ast.Set: ("sets are not supported", "use a tuple"),
    ast.ListComp: ("comprehensions are not supported", "use a for loop"),
    ast.GeneratorExp: ("generators are not supported", "use a for loop"),
    ast.SetComp: ("comprehensions are not supported", "use a for loop"),
    ast.DictComp: ("comprehensions are not supported", "use a for loop"),
    ast.Lambda: ("lambdas are not supported", "define a function outside of the kernel"),
    ast.FunctionDef: ("nested functions are not supported", "define it outside of the kernel"),
    ast.ClassDef: ("classes are not supported", "use local variables"),
    ast.JoinedStr: ("text is not supported", "use numbers"),
    ast.NamedExpr: (":= is not supported", "assign in a statement of its own"),
    ast.Starred: ("* is not supported", "write the values one by one"),
    ast.Slice: ("slices are not supported", "read one element at a time"),
    ast.Try: ("try is not supported", "use if"),
    ast.With: ("with is not supported", "remove it"),
    ast.Raise: ("raise is not supported", "return a number that marks the error"),
    ast.Assert: ("assert is not supported", "check the arguments before the call"),
    ast.Import: ("imports are not supported here", "import outside of the kernel"),
    ast.ImportFrom: ("imports are not supported here", "import outside of the kernel"),
    ast.Global: ("global is not supported", "return the value"),
    ast.Nonlocal: ("nonlocal is not supported", "return the value"),
    ast.Delete: ("del is not supported", "remove it"),
    ast.Match: ("match is not supported", "use if and elif"),
    ast.Await: ("await is not supported", "remove it"),
    ast.Yield: ("yield is not supported", "use return"),
    ast.YieldFrom: ("yield is not supported", "use return"),
}
DEPTH = 32
"""Largest depth of calls of helper functions."""


class TensorArgument:
    """A tensor that a kernel reads at positions."""

    def __init__(self, given: Input, lengths: tuple[Var, ...]) -> None:
        self.given = given
        self.lengths = lengths


class State:
    """Local variables, and what is known about the elements that run the current statement.

    `live` is the truth value of elements that reach the next statement, `broken` of those that have
    left the loop, `returned` of those that have left the function, whose results are `result`.
    """

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        self.unset: set[str] = set()
        self.live: Any = True
        self.broken: Any = False
        self.returned: Any = False
        self.result: Any = None

    def copy(self) -> State:
        """Return a state for the elements that take a branch."""
        other = State(dict(self.names))
        other.unset = set(self.unset)
        other.result = self.result
        return other

    def become(self, other: State) -> None:
        self.__dict__.update(other.__dict__)

    def replace(self, change: Callable[[Any], Any]) -> None:
        """Apply a function to all values."""
        self.names = {name: mapped(change, value) for name, value in self.names.items()}
        self.result = mapped(change, self.result)
        self.live, self.broken, self.returned = map(change, (self.live, self.broken, self.returned))


def rebuilt(like: tuple[Any, ...], parts: list[Any]) -> tuple[Any, ...]:
    """Return parts as a tuple, or as a vector if `like` is one."""
    return Vector(parts) if isinstance(like, Vector) else tuple(parts)


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """Apply a function to a number, or to the numbers of nested tuples; keep other values."""
    if isinstance(value, tuple):
        return rebuilt(value, [mapped(function, part) for part in value])
    return function(value) if isinstance(value, ATOMS) else value


class ExpressionReader:
    """Reader of expressions; `function`, which reads statements, is added by `reader.Reader`."""

    def __init__(self, source: Source, border: str, max_steps: int) -> None:
        self.source = source
        self.border = border
        self.max_steps = max_steps
        self.builder = Builder()
        self.inputs: list[Input] = []
        self.coordinates: list[Var] = []
        self.captured: list[tuple[Any, str, Any]] = []
        """Names of the enclosing scopes: their functions or modules, names and values."""
        self.masks: list[Any] = []
        """Conditions of the branches around the current statement, up to the innermost loop."""
        self.calls: list[Source] = [source]
        self.loops = 0
        """Number of loops around the current statement in its function."""

    def error(self, node: Any, problem: str, advice: str) -> KernelError:
        return self.calls[-1].error(node, problem, advice)

    @contextmanager
    def at(self, node: Any) -> Iterator[None]:
        """Add the place of a node to errors about operands."""
        try:
            yield
        except Mismatch as wrong:
            raise self.error(node, wrong.problem, wrong.advice) from None

    def function(self, tree: ast.FunctionDef, names: dict[str, Any]) -> Any:
        """Return the result of a function's body for the values of its parameters."""
        raise NotImplementedError

    def unsupported(self, node: Any) -> KernelError:
        problem, advice = _ADVICE.get(
            type(node),
            (f"{type(node).__name__} is not supported", "use what docs/kernels.md lists"),
        )
        return self.error(node, problem, advice)

    # --- branches -------------------------------------------------------------------------------

    def part(self, condition: Any, run: Callable[[State], None], state: State) -> None:
        """Run one side of a branch; its values are exported under new names."""
        builder = self.builder
        mark = builder.last
        self.masks.append(condition)
        with builder.block() as body:
            run(state)
        self.masks.pop()
        exports: dict[Any, Var] = {}

        def exported(value: Any) -> Any:
            if isinstance(value, Var) and value.number > mark:
                if value not in exports:
                    exports[value] = builder.var(value.dtype)
                return exports[value]
            return value

        state.replace(exported)
        if exports:
            pairs = [(outer, inner) for inner, outer in exports.items()]
            builder.add(Branch(condition, body, pairs))

    def chosen(self, condition: Any, a: Any, b: Any, node: Any) -> Any:
        """Select between two values, also of nested tuples."""
        if a is b:
            return a
        if isinstance(a, tuple) and type(a) is type(b) and len(a) == len(b):
            parts = [self.chosen(condition, x, y, node) for x, y in zip(a, b, strict=True)]
            return rebuilt(a, parts)
        if isinstance(a, ATOMS) and isinstance(b, ATOMS):
            with self.at(node):
                return self.builder.select(condition, a, b)
        raise self.error(
            node, "the branches give values of different kinds", "give numbers in both"
        )

    # --- expressions ----------------------------------------------------------------------------

    def value(self, node: Any, state: State) -> Any:
        match node:
            case ast.Constant():
                if type(node.value) in NUMBERS:
                    return node.value
                kinds = {str: "text", bytes: "text", complex: "a complex number"}
                what = kinds.get(type(node.value), repr(node.value))
                raise self.error(node, f"{what} is not supported", "use numbers")
            case ast.Name():
                return self.name(node, state)
            case ast.Tuple():
                return tuple([self.value(part, state) for part in node.elts])
            case ast.BinOp():
                left, right = self.value(node.left, state), self.value(node.right, state)
                return self.binary(node, node.op, left, right)
            case ast.UnaryOp():
                return self.unary(node, state)
            case ast.Compare():
                return self.comparison(node, state)
            case ast.BoolOp():
                return self.logical(node, node.values, state)
            case ast.IfExp():
                return self.either(node, state)
            case ast.Call():
                return self.call(node, state)
            case ast.Attribute():
                return self.attribute(node, state)
            case ast.Subscript():
                return self.subscript(node, state)
        raise self.unsupported(node)

    def number(self, node: Any, state: State) -> Any:
        """Return the value of an expression, which must be a number."""
        return self.as_number(node, self.value(node, state))

    def as_number(self, node: Any, value: Any) -> Any:
        if isinstance(value, ATOMS):
            return value
        if isinstance(value, TensorArgument):
            raise self.error(node, "a tensor is not a number", "read an element, as in x[i, j]")
        if isinstance(value, tuple):
            raise self.error(node, "a tuple is not a number", "use its parts")
        kind = type(value).__name__
        advice = "pass it as an argument" if hasattr(value, "shape") else "use a number"
        raise self.error(node, f"{kind} is not a number", advice)

    def truth(self, node: Any, state: State) -> Any:
        value = self.number(node, state)
        with self.at(node):
            return self.builder.truth(value)

    def whole(self, node: Any, state: State) -> Any:
        """Return an integer; bool counts as one."""
        value = self.number(node, state)
        kind = dtype_of(value).kind
        if kind == "f":
            raise self.error(node, "a float is not an integer", "use int(...) or //")
        with self.at(node):
            return self.builder.cast(value, int32) if kind == "b" else value

    def name(self, node: Any, state: State) -> Any:
        name = node.id
        if name in state.names:
            return state.names[name]
        if name in state.unset:
            raise self.error(
                node, f"{name} may have no value here", "assign it before, on all paths"
            )
        source = self.calls[-1]
        if name in source.function.__code__.co_varnames:
            raise self.error(node, f"{name} has no value yet", "assign it before")
        value = resolve(source.function, name)
        if value is MISSING:
            raise self.error(node, f"{name} is not defined", "define it, or pass it as an argument")
        return self.outside(source.function, name, value)

    def outside(self, owner: Any, name: str, value: Any) -> Any:
        """Return a value of the enclosing scopes, and remember that the program depends on it."""
        self.captured.append((owner, name, value))
        return constant(value)

    def binary(self, node: Any, operator: ast.operator, a: Any, b: Any) -> Any:
        if isinstance(a, Vector) or isinstance(b, Vector):
            return self.of_vectors(node, operator, a, b)
        left, right = getattr(node, "left", node), getattr(node, "right", node)
        a, b = self.as_number(left, a), self.as_number(right, b)
        with self.at(node):
            if isinstance(operator, ast.Pow):
                return power(self.builder, a, b)
            name = _BINARY.get(type(operator))
            if name is None:
                raise Mismatch("@ takes vectors", "make them with py_tensor.kernels.vec")
            if type(a) in NUMBERS and type(b) in NUMBERS:
                try:
                    return _PYTHON[type(operator)](a, b)
                except (ArithmeticError, ValueError, TypeError) as error:
                    raise Mismatch(f"{error}", "use other numbers") from None
            return self.builder.apply(name, a, b)

    def of_vectors(self, node: Any, operator: ast.operator, a: Any, b: Any) -> Any:
        with self.at(node):
            if isinstance(operator, ast.MatMult):
                return product(self.builder, a, b)
            name = _BINARY.get(type(operator))
            if name not in ("add", "subtract", "multiply", "divide"):
                raise Mismatch("vectors have + - * / and @ alone", "write out the parts")
            return arithmetic(self.builder, name, a, b)

    def unary(self, node: ast.UnaryOp, state: State) -> Any:
        build = self.builder
        if isinstance(node.op, ast.Not):
            return build.inverse(self.truth(node.operand, state))
        value = self.value(node.operand, state)
        if isinstance(value, Vector) and isinstance(node.op, ast.USub):
            return self.of_vectors(node, ast.Mult(), value, -1)
        value = self.as_number(node.operand, value)
        with self.at(node):
            if isinstance(node.op, ast.Invert):
                if dtype_of(value) is bool_:
                    raise Mismatch("~ takes integers", "use not")
                return ~value if type(value) is int else build.apply("bitwise_invert", value)
            if type(value) in NUMBERS:
                return -value if isinstance(node.op, ast.USub) else +value
            if dtype_of(value) is bool_:
                value = build.cast(value, int32)
            return build.apply("negative", value) if isinstance(node.op, ast.USub) else value

    def comparison(self, node: ast.Compare, state: State) -> Any:
        build = self.builder
        left = self.number(node.left, state)
        result: Any = True
        for sign, other in zip(node.ops, node.comparators, strict=True):
            name = _COMPARE.get(type(sign))
            if name is None:
                raise self.error(node, "is and in are not supported", "use ==")
            right = self.number(other, state)
            with self.at(node):
                if type(left) in NUMBERS and type(right) in NUMBERS:
                    found = _SIGNS[name](left, right)
                else:
                    found = build.apply(name, left, right)
                result = build.both(result, found)
            left = right
        return result

    def logical(self, node: ast.BoolOp, values: Sequence[ast.expr], state: State) -> Any:
        """Return the value of `and` or `or`, which is that of one of the operands, as in Python."""
        first = self.number(values[0], state)
        if len(values) == 1:
            return first
        build = self.builder
        with self.at(node):
            known = build.truth(first)
        stops = known if isinstance(node.op, ast.Or) else build.inverse(known)
        if isinstance(stops, bool):
            return first if stops else self.logical(node, values[1:], state)
        rest = state.copy()

        def run(inner: State) -> None:
            inner.result = self.logical(node, values[1:], inner)

        self.part(build.inverse(stops), run, rest)
        if dtype_of(first) is bool_ and dtype_of(rest.result) is bool_:
            first = isinstance(node.op, ast.Or)
        return self.chosen(stops, first, rest.result, node)

    def either(self, node: ast.IfExp, state: State) -> Any:
        condition = self.truth(node.test, state)
        if isinstance(condition, bool):
            return self.value(node.body if condition else node.orelse, state)
        sides = []
        for mask, side in (
            (condition, node.body),
            (self.builder.inverse(condition), node.orelse),
        ):
            inner = state.copy()

            def run(inner: State, side: ast.expr = side) -> None:
                inner.result = self.value(side, inner)

            self.part(mask, run, inner)
            sides.append(inner.result)
        yes, no = sides
        return self.chosen(condition, yes, no, node)

    def attribute(self, node: ast.Attribute, state: State) -> Any:
        owner = self.value(node.value, state)
        if isinstance(owner, TensorArgument):
            if node.attr == "shape":
                return owner.lengths
            if node.attr == "ndim":
                return len(owner.lengths)
            raise self.error(
                node, f"tensors in kernels have no {node.attr}", "use shape, ndim or an element"
            )
        if isinstance(owner, Vector) and node.attr in AXES[: len(owner)]:
            return owner[AXES.index(node.attr)]
        if isinstance(owner, (*ATOMS, tuple)):
            raise self.error(node, f"numbers have no {node.attr}", "use a function")
        value = getattr(owner, node.attr, MISSING)
        if value is MISSING:
            raise self.error(node, f"there is no {node.attr}", "correct the name")
        return self.outside(owner, node.attr, value)

    def subscript(self, node: ast.Subscript, state: State) -> Any:
        owner = self.value(node.value, state)
        if isinstance(owner, TensorArgument):
            return self.element(node, owner, state)
        if not isinstance(owner, tuple):
            self.as_number(node.value, owner)
            raise self.error(
                node,
                "a number has no elements",
                "use pt.kernel(shape=...) for a kernel that reads tensors at positions",
            )
        place = self.whole(node.slice, state)
        if type(place) is int:
            if not -len(owner) <= place < len(owner):
                raise self.error(node, f"the tuple has {len(owner)} parts", "use a smaller index")
            return owner[place]
        with self.at(node):
            place = self.builder.select(
                self.builder.apply("less", place, 0),
                self.builder.apply("add", place, len(owner)),
                place,
            )
        result = owner[0]
        for number, part in enumerate(owner[1:], 1):
            with self.at(node):
                is_it = self.builder.apply("equal", place, number)
            result = self.chosen(is_it, part, result, node)
        return result

    def element(self, node: ast.Subscript, tensor: TensorArgument, state: State) -> Any:
        """Return an element of a tensor; the border mode decides at positions outside."""
        build = self.builder
        keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        rank = len(tensor.lengths)
        if len(keys) != rank:
            raise self.error(node, f"{tensor.given.name} has {rank} axes", f"give {rank} indices")
        position: Any = 0
        inside: Any = True
        with self.at(node):
            for axis, (key, length) in enumerate(zip(keys, tensor.lengths, strict=True)):
                given = place = build.cast(self.whole(key, state), int32)
                if self.border == "wrap":
                    place = build.apply("remainder", place, length)
                else:
                    if self.border == "zero":
                        inside = build.both(inside, build.apply("greater_equal", place, 0))
                        inside = build.both(inside, build.apply("less", place, length))
                    last = build.apply("subtract", length, 1)
                    place = build.apply("clip", place, 0, last)
                row = build.apply("multiply", position, length) if axis else 0
                position = build.apply("add", row, place) if axis else place
            whole, start = typed(position, int32), typed(row, int32)
            dtype = tensor.given.var.dtype
            found = build.read(tensor.given, whole, dtype, start, given, self.border)
            return build.select(inside, found, typed(0, found.dtype))

    # --- calls ----------------------------------------------------------------------------------

    def call(self, node: ast.Call, state: State) -> Any:
        function = self.value(node.func, state)
        if any(isinstance(arg, ast.Starred) for arg in node.args):
            raise self.error(node, "* is not supported", "write the arguments one by one")
        args = [self.argument(arg, state) for arg in node.args]
        keywords = {key.arg: self.argument(key.value, state) for key in node.keywords if key.arg}
        if len(keywords) < len(node.keywords):
            raise self.error(node, "** is not supported", "write the arguments one by one")
        if function is len and len(args) == 1 and not keywords:
            return self.length(node, args[0])
        try:
            intrinsic = INTRINSICS.get(function)
        except TypeError:
            intrinsic = None
        if intrinsic is not None:
            try:
                with self.at(node):
                    return intrinsic(self.builder, *args, **keywords)
            except (TypeError, AttributeError) as error:
                if isinstance(error, KernelError):
                    raise
                raise self.error(
                    node, f"wrong arguments of {ast.unparse(node.func)}", "give numbers"
                ) from None
        # Kernels have this attribute; other callables can do anything when they are called.
        function = getattr(function, "elementwise_function", function)
        if isinstance(function, FunctionType):
            return self.helper(node, function, args, keywords)
        raise self.error(
            node,
            f"{ast.unparse(node.func)} cannot be called here",
            "use functions of math, elementwise functions of py_tensor, or your own",
        )

    def argument(self, node: ast.expr, state: State) -> Any:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        return self.value(node, state)

    def length(self, node: ast.Call, value: Any) -> Any:
        if isinstance(value, TensorArgument):
            return value.lengths[0]
        if isinstance(value, tuple):
            return len(value)
        raise self.error(node, "a number has no length", "use a tensor or a tuple")

    def helper(
        self, node: ast.Call, function: FunctionType, args: list[Any], keywords: dict[str, Any]
    ) -> Any:
        """Return the result of a function of the enclosing scopes, whose body is read in place."""
        if any(source.function is function for source in self.calls):
            raise self.error(node, f"{function.__name__} calls itself", "use a loop")
        if len(self.calls) == DEPTH:
            raise self.error(node, f"more than {DEPTH} nested calls", "use fewer functions")
        if hasattr(function, "__wrapped__"):
            raise self.error(
                node, f"{function.__name__} is decorated", "call the function without decorator"
            )
        parameters = parameters_of(function)
        assert parameters is not None
        if parameters.has_varargs or parameters.has_varkw:
            raise self.error(node, "the function takes * or **", "name its parameters")
        names = bound(function, args, keywords)
        if isinstance(names, str):
            raise self.error(node, names, "give one value for each parameter")
        source = Source(function)
        self.calls.append(source)
        loops, self.loops = self.loops, 0
        result = self.function(source.tree, {k: constant(value) for k, value in names.items()})
        self.loops = loops
        self.calls.pop()
        return result


def bound(function: Any, args: Sequence[Any], keywords: dict[str, Any]) -> dict[str, Any] | str:
    """Return the value of each parameter of a function, or what is wrong with the arguments."""
    parameters = parameters_of(function)
    assert parameters is not None
    names = parameters.positional
    if len(args) > len(names):
        return f"{function.__name__} takes {len(names)} arguments"
    found = dict(zip(names, args, strict=False))
    for name, value in keywords.items():
        if name in found or name not in (*names, *parameters.keyword_only):
            return f"{function.__name__} has no further parameter {name}"
        found[name] = value
    defaults = function.__defaults__ or ()
    given = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    found = {**given, **(function.__kwdefaults__ or {}), **found}
    for name in (*names, *parameters.keyword_only):
        if name not in found:
            return f"{function.__name__} needs {name}"
    return found


def constant(value: Any) -> Any:
    """Convert a number of NumPy, and numbers in tuples, to numbers of Python."""
    if isinstance(value, tuple):
        return rebuilt(value, [constant(part) for part in value])
    if isinstance(value, bool | int | float) and type(value) not in NUMBERS:
        return next(kind(value) for kind in NUMBERS if isinstance(value, kind))
    if hasattr(value, "dtype") and hasattr(value, "item") and type(value).__module__ == "numpy":
        return value.item() if value.shape == () else value
    return value
