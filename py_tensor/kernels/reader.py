"""Read a function's syntax tree into a program.

Input: a `Source` and the arguments' dtypes and ranks. Output: a `Program` for each result, and the
constants of the enclosing scope that it depends on. Branches become selections by masks; `return`,
`break` and `continue` clear the mask of the statements after them.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any

from ..dtypes import OF_PYTHON, DType, bool_, float32, int32, uint32
from ..errors import KernelError
from ..signatures import parameters_of
from .builder import ATOMS, NUMBERS, Builder, Mismatch, common, dtype_of, typed
from .intrinsics import INTRINSICS, power
from .program import Branch, Carry, Input, Loop, Number, Program, Var
from .source import MISSING, Source, resolve

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
ALIVE, RETURNED, RESULT, COUNTER = ".alive", ".returned", ".result", ".counter"
"""Names of values that a loop carries besides the user's variables."""


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
        self.live, self.broken, self.returned = map(
            change, (self.live, self.broken, self.returned)
        )


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """Apply a function to a number, or to the numbers of nested tuples; keep other values."""
    if isinstance(value, tuple):
        return tuple([mapped(function, part) for part in value])
    return function(value) if isinstance(value, ATOMS) else value


class Reader:
    """Reader of one kernel for arguments of given dtypes and ranks."""

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

    # --- the whole function ---------------------------------------------------------------------

    def input(self, kind: str, place: int, axis: int, dtype: DType, name: str) -> Input:
        """Append an operand of the kernel."""
        given = Input(kind, place, axis, self.builder.var(dtype), name)
        self.inputs.append(given)
        return given

    def read(self, names: dict[str, Any]) -> tuple[bool, list[Program]]:
        """Return True if the function returns a tuple, and a program for each result."""
        tree = self.source.tree
        result = self.function(tree, names, tree)
        several = isinstance(result, tuple)
        results = result if several else (result,)
        for part in results:
            if not isinstance(part, ATOMS):
                raise self.error(tree, "the result is not a number", "return numbers")
        finish = self.builder.finished
        with self.at(tree):
            return several, [finish(self.inputs, self.coordinates, part) for part in results]

    def function(self, tree: ast.FunctionDef, names: dict[str, Any], node: ast.AST) -> Any:
        """Return the result of a function's body."""
        state = State({})
        parameters = [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs]
        for parameter in parameters:
            value = names[parameter.arg]
            if parameter.annotation is not None:
                value = self.annotated(parameter.annotation, value)
            state.names[parameter.arg] = value
        self.block(tree.body, state)
        if state.live is not False or state.result is None:
            last = tree.body[-1]
            raise self.error(last, "the function may end without a result", "add a return at its end")
        return state.result

    def error(self, node: Any, problem: str, advice: str) -> KernelError:
        return self.calls[-1].error(node, problem, advice)

    @contextmanager
    def at(self, node: Any) -> Iterator[None]:
        """Add the place of a node to errors about operands."""
        try:
            yield
        except Mismatch as wrong:
            raise self.error(node, wrong.problem, wrong.advice) from None

    # --- statements -----------------------------------------------------------------------------

    def block(self, statements: Sequence[ast.stmt], state: State) -> None:
        for number, statement in enumerate(statements):
            self.statement(statement, state)
            rest = statements[number + 1 :]
            if state.live is False or not rest:
                return
            if state.live is not True:
                self.branch(state.live, lambda inner, rest=rest: self.block(rest, inner), state)
                return

    def statement(self, node: ast.stmt, state: State) -> None:
        match node:
            case ast.Assign():
                value = self.value(node.value, state)
                for target in node.targets:
                    self.assign(target, value, state)
            case ast.AugAssign():
                if not isinstance(node.target, ast.Name):
                    raise self.error(
                        node.target, "only names can be assigned", "return the new value"
                    )
                old = self.name(node.target, state)
                new = self.binary(node, node.op, old, self.value(node.value, state))
                self.assign(node.target, new, state)
            case ast.AnnAssign() if node.value is not None:
                value = self.annotated(node.annotation, self.value(node.value, state))
                self.assign(node.target, value, state)
            case ast.If():
                self.conditional(node, state)
            case ast.For():
                self.for_loop(node, state)
            case ast.While():
                self.while_loop(node, state)
            case ast.Return():
                if node.value is None:
                    raise self.error(node, "return has no value", "return a number")
                state.result = self.value(node.value, state)
                self.check_result(node.value, state.result)
                state.live, state.broken, state.returned = False, True, True
            case ast.Break():
                state.live, state.broken = False, True
            case ast.Continue():
                state.live = False
            case ast.Pass() | ast.AnnAssign():
                pass
            case ast.Expr(ast.Constant(str())):
                pass
            case ast.Expr(ast.Call(ast.Name("print"))):
                raise self.error(
                    node, "print is not supported", "run the function with kernel.python(...)"
                )
            case ast.Expr():
                raise self.error(node, "the value is not used", "assign it to a name, or remove it")
            case _:
                raise self.unsupported(node)

    def unsupported(self, node: Any) -> KernelError:
        problem, advice = _ADVICE.get(
            type(node), (f"{type(node).__name__} is not supported", "use what docs/kernels.md lists")
        )
        return self.error(node, problem, advice)

    def check_result(self, node: Any, value: Any) -> None:
        parts = value if isinstance(value, tuple) else (value,)
        for part in parts:
            if not isinstance(part, (*ATOMS, tuple)):
                raise self.error(node, "the result is not a number", "return numbers")

    def assign(self, target: Any, value: Any, state: State) -> None:
        match target:
            case ast.Name():
                state.names[target.id] = value
                state.unset.discard(target.id)
            case ast.Tuple():
                if any(isinstance(part, ast.Starred) for part in target.elts):
                    raise self.error(target, "* is not supported", "write the names one by one")
                parts = self.parts(target, value)
                if len(parts) != len(target.elts):
                    raise self.error(
                        target,
                        f"{len(parts)} values do not fit {len(target.elts)} names",
                        "give as many names",
                    )
                for name, part in zip(target.elts, parts, strict=True):
                    self.assign(name, part, state)
            case _:
                raise self.error(target, "only names can be assigned", "return the new value")

    def parts(self, node: Any, value: Any) -> tuple[Any, ...]:
        if not isinstance(value, tuple):
            raise self.error(node, "the value is not a tuple", "use one name")
        return value

    def annotated(self, annotation: ast.expr, value: Any) -> Any:
        """Convert a value to an annotated type, which may only widen it; ignore other types."""
        try:
            wanted = self.value(annotation, State({}))
        except KernelError:
            return value
        target = OF_PYTHON.get(wanted) if isinstance(wanted, type) else wanted
        if target not in DTYPES or not isinstance(value, ATOMS):
            return value
        dtype = dtype_of(value)
        if "biuf".index(dtype.kind) > "biuf".index(target.kind):
            raise self.error(
                annotation, f"a value of dtype {dtype} is not {target}", "convert it in the body"
            )
        with self.at(annotation):
            return self.builder.cast(value, target)

    # --- branches -------------------------------------------------------------------------------

    def conditional(self, node: ast.If, state: State) -> None:
        condition = self.truth(node.test, state)
        if isinstance(condition, bool):
            self.block(node.body if condition else node.orelse, state)
            return
        self.branch(
            condition,
            lambda inner: self.block(node.body, inner),
            state,
            (lambda inner: self.block(node.orelse, inner)) if node.orelse else None,
            node,
        )

    def branch(
        self,
        condition: Any,
        then: Callable[[State], None],
        state: State,
        otherwise: Callable[[State], None] | None = None,
        node: Any = None,
    ) -> None:
        """Run `then` for elements that fulfil a condition, and `otherwise` for the others.

        Without `otherwise`, the others keep their state: they have left the block if the condition
        is `state.live`.
        """
        yes, no = state.copy(), state.copy()
        self.part(condition, then, yes)
        if otherwise is not None:
            self.part(self.builder.inverse(condition), otherwise, no)
        elif condition is state.live:
            no.live, no.broken, no.returned = False, state.broken, state.returned
        self.merge(condition, yes, no, state, node or self.calls[-1].tree)

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

    def merge(self, condition: Any, yes: State, no: State, state: State, node: Any) -> None:
        select = self.builder.select
        result = State({})
        result.live = select(condition, yes.live, no.live)
        result.broken = select(condition, yes.broken, no.broken)
        result.returned = select(condition, yes.returned, no.returned)
        result.result = (
            self.chosen(condition, yes.result, no.result, node)
            if yes.result is not None and no.result is not None
            else no.result
            if yes.result is None
            else yes.result
        )
        left = yes.live is False or no.live is False
        stay = no if yes.live is False else yes
        if left and not self.loops:
            # Variables of elements that have returned are not read again.
            result.names, result.unset = stay.names, stay.unset
        else:
            result.unset = yes.unset | no.unset
            for name in yes.names | no.names:
                if name in yes.names and name in no.names:
                    a, b = yes.names[name], no.names[name]
                    result.names[name] = self.chosen(condition, a, b, node)
                elif left and name in stay.names:
                    # It is not carried by the loop that the others leave or continue.
                    result.names[name] = stay.names[name]
                else:
                    result.unset.add(name)
        state.become(result)

    def chosen(self, condition: Any, a: Any, b: Any, node: Any) -> Any:
        """Select between two values, also of nested tuples."""
        if a is b:
            return a
        if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
            return tuple(
                [self.chosen(condition, x, y, node) for x, y in zip(a, b, strict=True)]
            )
        if isinstance(a, ATOMS) and isinstance(b, ATOMS):
            with self.at(node):
                return self.builder.select(condition, a, b)
        raise self.error(
            node, "the branches give values of different kinds", "give numbers in both"
        )

    # --- loops ----------------------------------------------------------------------------------

    def for_loop(self, node: ast.For, state: State) -> None:
        if node.orelse:
            raise self.error(node.orelse[0], "else after a loop is not supported", "use a flag")
        call = node.iter
        if not (isinstance(call, ast.Call) and self.value(call.func, state) is range):
            values = self.value(call, state)
            if not isinstance(values, tuple):
                raise self.error(call, "loops run over range or a tuple", "use range(...)")
            self.unrolled(node, values, state)
            return
        if call.keywords or not 1 <= len(call.args) <= 3:
            raise self.error(call, "range takes one to three numbers", "use range(start, stop)")
        if not isinstance(node.target, ast.Name):
            raise self.error(node.target, "the target is not a name", "use one name")
        build = self.builder
        limits = [self.whole(arg, state) for arg in call.args]
        start, stop, step = (0, *limits, 1) if len(limits) == 1 else (*limits, 1)[:3]
        if type(step) is int and step == 0:
            raise self.error(call, "the step is zero", "use another step")
        trips = None
        if all(type(value) is int for value in (start, stop, step)):
            trips = len(range(start, stop, step))
            if not trips:
                state.unset |= _assigned(node) - state.names.keys()
                return

        def condition(inner: State) -> Any:
            counter = inner.names[COUNTER]
            if trips is not None:
                return True
            if type(step) is int:
                return build.apply("less" if step > 0 else "greater", counter, stop)
            up = build.both(build.apply("greater", step, 0), build.apply("less", counter, stop))
            down = build.both(build.apply("less", step, 0), build.apply("greater", counter, stop))
            return build.apply("logical_or", up, down)

        def body(inner: State) -> None:
            counter = inner.names[COUNTER]
            self.assign(node.target, counter, inner)
            self.block(node.body, inner)
            with self.at(call):
                inner.names[COUNTER] = build.apply("add", counter, step)

        with self.at(call):
            first = build.promoted(start, common((start, stop, step)))
            outer = state.names.get(COUNTER)
            state.names[COUNTER] = first
            self.loop(node, state, condition, body, trips, trips)
        del state.names[COUNTER]
        if outer is not None:
            state.names[COUNTER] = outer

    def while_loop(self, node: ast.While, state: State) -> None:
        if node.orelse:
            raise self.error(node.orelse[0], "else after a loop is not supported", "use a flag")
        self.loop(
            node,
            state,
            lambda inner: self.truth(node.test, inner),
            lambda inner: self.block(node.body, inner),
            self.max_steps,
            None,
        )

    def unrolled(self, node: ast.For, values: tuple[Any, ...], state: State) -> None:
        """Write the body of a loop over a tuple once for each value."""

        def run(inner: State, number: int) -> None:
            self.assign(node.target, values[number], inner)
            self.block(node.body, inner)
            # Elements that continue reach the next value.
            inner.live = self.builder.inverse(inner.broken)
            if inner.live is False or number + 1 == len(values):
                return
            if inner.live is True:
                run(inner, number + 1)
            else:
                self.branch(inner.live, lambda below: run(below, number + 1), inner)

        if values:
            self.loops += 1
            run(state, 0)
            self.loops -= 1
            state.live = self.builder.inverse(state.returned)
            state.broken = state.returned

    def loop(
        self,
        node: Any,
        state: State,
        head: Callable[[State], Any],
        body: Callable[[State], None],
        limit: int | None,
        trips: int | None,
    ) -> None:
        """Append a loop. Its body is read again until the dtypes of carried values are found."""
        build = self.builder
        mask: Any = True
        for condition in self.masks:
            mask = build.both(mask, condition)
        returns = any(isinstance(part, ast.Return) for part in _inside(node.body))
        assigned = _assigned(node)
        names = [COUNTER, *sorted(assigned)] if isinstance(node, ast.For) else sorted(assigned)
        carried = {name: state.names[name] for name in names if name in state.names}
        if returns or _breaks(node.body):
            carried[ALIVE] = True
        if returns:
            carried[RETURNED] = False
            if state.result is not None:
                carried[RESULT] = state.result
        for name, value in carried.items():
            self.check_number(node, name, value)
        self.loops += 1
        masks = self.masks
        while True:
            carried = {
                name: mapped(lambda v: typed(v, dtype_of(v)), value)
                for name, value in carried.items()
            }
            start = {
                name: mapped(lambda v: build.var(v.dtype), value) for name, value in carried.items()
            }
            inner = state.copy()
            inner.names |= start
            inner.result = inner.names.pop(RESULT, None)
            self.masks = []
            with build.block() as first:
                active = build.both(start.get(ALIVE, True), head(inner))
                active = build.both(mask, active)
                with build.block() as rest:
                    self.masks = [] if active is True else [active]
                    body(inner)
                    end = inner.names
                    end[ALIVE] = build.inverse(inner.broken)
                    end[RETURNED] = inner.returned
                    if returns and inner.result is not None:
                        if RESULT not in carried:
                            carried[RESULT] = mapped(_zero, inner.result)
                            continue
                        end[RESULT] = inner.result
                    wider = {
                        name: self.widened(node, name, value, start[name], end[name])
                        for name, value in carried.items()
                    }
                    following = {
                        name: zipped(lambda v, f: build.promoted(f, v.dtype), start[name], end[name])
                        for name in start
                        if wider[name] is None
                    }
            if len(following) == len(start):
                break
            carried |= {name: value for name, value in wider.items() if value is not None}
        self.masks = masks
        self.loops -= 1
        if active is False:
            state.unset |= assigned - state.names.keys()
            return
        carries: list[Carry] = []

        def finished(variable: Var, initial: Any, after: Any) -> Var:
            carries.append(Carry(variable, initial, after, build.var(variable.dtype)))
            return carries[-1].result

        results = {
            name: zipped(finished, start[name], carried[name], following[name]) for name in start
        }
        build.add(Loop(carries, first, None if active is True else active, rest, limit, trips))
        results.pop(ALIVE, None)
        state.returned = results.pop(RETURNED, False)
        state.broken, state.live = state.returned, build.inverse(state.returned)
        state.result = results.pop(RESULT, state.result)
        state.names |= results
        state.unset |= assigned - state.names.keys()

    def check_number(self, node: Any, name: str, value: Any) -> None:
        parts = value if isinstance(value, tuple) else (value,)
        for part in parts:
            if isinstance(part, tuple):
                self.check_number(node, name, part)
            elif not isinstance(part, ATOMS):
                raise self.error(
                    node, f"{name} is not a number but changes in a loop", "use another name"
                )

    def widened(self, node: Any, name: str, value: Any, before: Any, after: Any) -> Any:
        """Return the first value converted to the dtype that a loop needs; None if it has it."""
        same = isinstance(before, tuple) == isinstance(after, tuple)
        if not same or (isinstance(before, tuple) and len(before) != len(after)):
            raise self.error(node, f"{name} changes its kind in a loop", "use another name")
        if isinstance(before, tuple):
            parts = [self.widened(node, name, *part) for part in zip(value, before, after, strict=True)]
            if all(part is None for part in parts):
                return None
            return tuple([v if part is None else part for v, part in zip(value, parts, strict=True)])
        self.check_number(node, name, after)
        with self.at(node):
            dtype = common((before, after))
            return None if dtype is before.dtype else self.builder.promoted(plain(value), dtype)

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
            raise self.error(
                node, "a tensor is not a number", "read an element, as in x[i, j]"
            )
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
            raise self.error(node, f"{name} may have no value here", "assign it before, on all paths")
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
        left, right = getattr(node, "left", node), getattr(node, "right", node)
        a, b = self.as_number(left, a), self.as_number(right, b)
        with self.at(node):
            if isinstance(operator, ast.Pow):
                return power(self.builder, a, b)
            name = _BINARY.get(type(operator))
            if name is None:
                raise self.error(node, "@ is not supported", "write the sums of products")
            if type(a) in NUMBERS and type(b) in NUMBERS:
                try:
                    return _PYTHON[type(operator)](a, b)
                except (ArithmeticError, ValueError, TypeError) as error:
                    raise Mismatch(f"{error}", "use other numbers") from None
            return self.builder.apply(name, a, b)

    def unary(self, node: ast.UnaryOp, state: State) -> Any:
        build = self.builder
        if isinstance(node.op, ast.Not):
            return build.inverse(self.truth(node.operand, state))
        value = self.number(node.operand, state)
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
        return self.chosen(condition, *sides, node)

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
            raise self.error(
                node, f"{tensor.given.name} has {rank} axes", f"give {rank} indices"
            )
        position: Any = None
        inside: Any = True
        with self.at(node):
            for key, length in zip(keys, tensor.lengths, strict=True):
                place = build.cast(self.whole(key, state), int32)
                if self.border == "wrap":
                    place = build.apply("remainder", place, length)
                else:
                    if self.border == "zero":
                        inside = build.both(inside, build.apply("greater_equal", place, 0))
                        inside = build.both(inside, build.apply("less", place, length))
                    last = build.apply("subtract", length, 1)
                    place = build.apply("clip", place, 0, last)
                if position is not None:
                    place = build.apply("add", build.apply("multiply", position, length), place)
                position = place
            found = build.read(tensor.given, typed(position, int32), tensor.given.var.dtype)
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
        function = getattr(function, "__wrapped__", function)
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
        result = self.function(
            source.tree, {name: constant(value) for name, value in names.items()}, node
        )
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
        return tuple([constant(part) for part in value])
    if isinstance(value, bool | int | float) and type(value) not in NUMBERS:
        return next(kind(value) for kind in NUMBERS if isinstance(value, kind))
    if hasattr(value, "dtype") and hasattr(value, "item") and type(value).__module__ == "numpy":
        return value.item() if value.shape == () else value
    return value


def plain(value: Any) -> Any:
    """Return the Python number of a constant."""
    return value.value if isinstance(value, Number) else value


def zipped(function: Callable[..., Any], first: Any, *others: Any) -> Any:
    """Apply a function to the corresponding numbers of nested tuples."""
    if isinstance(first, tuple):
        return tuple([zipped(function, *parts) for parts in zip(first, *others, strict=True)])
    return function(first, *others)


def _zero(value: Any) -> Any:
    return typed(0, dtype_of(value))


def _inside(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for statement in body:
        yield from ast.walk(statement)


def _assigned(loop: Any) -> set[str]:
    """Return the names that a loop assigns, with its target."""
    return {
        part.id
        for part in ast.walk(loop)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


def _breaks(body: Iterable[Any]) -> bool:
    """Return True if a statement breaks this loop, not one inside of it."""
    for statement in body:
        if isinstance(statement, ast.Break):
            return True
        if isinstance(statement, ast.If) and _breaks([*statement.body, *statement.orelse]):
            return True
    return False
