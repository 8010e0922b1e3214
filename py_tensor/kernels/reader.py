"""Read a function's syntax tree into a program.

Input: a `Source` and the arguments' dtypes and ranks. Output: a `Program` for each result, and the
constants of the enclosing scope that it depends on. Branches become selections by masks; `return`,
`break` and `continue` clear the mask of the statements after them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ..dtypes import OF_PYTHON, DType
from ..errors import KernelError
from .builder import ATOMS, common, dtype_of, typed
from .expressions import DTYPES, ExpressionReader, State, mapped, rebuilt
from .program import Carry, Input, Loop, Number, Program, Var

ALIVE, RETURNED, RESULT, COUNTER = ".alive", ".returned", ".result", ".counter"
"""Names of values that a loop carries besides the user's variables."""


class Reader(ExpressionReader):
    """Reader of one kernel for arguments of given dtypes and ranks."""

    # --- the whole function ---------------------------------------------------------------------

    def input(self, kind: str, place: int, axis: int, dtype: DType, name: str) -> Input:
        """Append an operand of the kernel."""
        given = Input(kind, place, axis, self.builder.var(dtype), name)
        self.inputs.append(given)
        return given

    def read(self, names: dict[str, Any]) -> tuple[bool, list[Program]]:
        """Return True if the function returns a tuple, and a program for each result."""
        tree = self.source.tree
        result = self.function(tree, names)
        several = isinstance(result, tuple)
        results = result if several else (result,)
        for part in results:
            if not isinstance(part, ATOMS):
                raise self.error(tree, "the result is not a number", "return numbers")
        with self.at(tree):
            return several, self.builder.finished(self.inputs, self.coordinates, results)

    def function(self, tree: ast.FunctionDef, names: dict[str, Any]) -> Any:
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
            raise self.error(
                last, "the function may end without a result", "add a return at its end"
            )
        return state.result

    # --- statements -----------------------------------------------------------------------------

    def block(self, statements: Sequence[ast.stmt], state: State) -> None:
        for number, statement in enumerate(statements):
            self.statement(statement, state)
            rest = statements[number + 1 :]
            if state.live is False or not rest:
                return
            if state.live is not True:

                def run(inner: State, rest: Sequence[ast.stmt] = rest) -> None:
                    self.block(rest, inner)

                self.branch(state.live, run, state)
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
                own = build.both(start.get(ALIVE, True), head(inner))
                active = build.both(mask, own)
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
                        name: zipped(
                            lambda v, f: build.promoted(f, v.dtype), start[name], end[name]
                        )
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
        active, own = (None if each is True else each for each in (active, own))
        build.add(Loop(carries, first, active, own, rest, limit, trips))
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
        nested = isinstance(before, tuple) or isinstance(after, tuple)
        if nested and (type(before) is not type(after) or len(before) != len(after)):
            raise self.error(node, f"{name} changes its kind in a loop", "use another name")
        if isinstance(before, tuple):
            parts = [
                self.widened(node, name, *part) for part in zip(value, before, after, strict=True)
            ]
            if all(part is None for part in parts):
                return None
            pairs = zip(value, parts, strict=True)
            return rebuilt(value, [v if part is None else part for v, part in pairs])
        self.check_number(node, name, after)
        with self.at(node):
            dtype = common((before, after))
            return None if dtype is before.dtype else self.builder.promoted(plain(value), dtype)


def plain(value: Any) -> Any:
    """Return the Python number of a constant."""
    return value.value if isinstance(value, Number) else value


def zipped(function: Callable[..., Any], first: Any, *others: Any) -> Any:
    """Apply a function to the corresponding numbers of nested tuples."""
    if isinstance(first, tuple):
        parts = [zipped(function, *parts) for parts in zip(first, *others, strict=True)]
        return rebuilt(first, parts)
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
