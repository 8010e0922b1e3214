"""Read the loops of a kernel's function.

Input: `for` and `while` statements. Output: `Repeat` statements of the program. Loops over tuples
are unrolled.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ..dtypes import DType
from .builder import ATOMS, Operand, Truth, common, dtype_of, typed
from .locals import Locals, SharedArgument, TensorArgument, leaves, mapped, rebuilt, zipped
from .program import Atom, Carry, Number, Repeat, Statement, Var
from .reading import Reading
from .source import own_nodes, stored_names
from .statements import assign

ALIVE, RETURNED, RESULT, COUNTER = ".alive", ".returned", ".result", ".counter"
"""Names of values that a loop carries besides the user's variables."""
_Loop = ast.For | ast.While


def read_while(reading: Reading, node: ast.While, local: Locals) -> None:
    _no_else(reading, node)
    loop = _LoopReader(
        reading,
        node,
        lambda inner: reading.truth(node.test, inner),
        lambda inner: reading.block(node.body, inner),
    )
    loop.read(local, reading.max_steps, None)


def read_for(reading: Reading, node: ast.For, local: Locals) -> None:
    _no_else(reading, node)
    call = node.iter
    if isinstance(call, ast.Call) and reading.value(call.func, local) is range:
        _counted(reading, node, call, local)
        return
    values = reading.value(call, local)
    values = tuple(values) if isinstance(values, dict) else values
    if not isinstance(values, tuple):
        raise reading.error(call, "loops run over range or a tuple", "use range(...)")
    if values:
        reading.loops += 1
        _unrolled(reading, node, values, local)
        reading.loops -= 1
        local.live = reading.builder.inverse(local.returned)
        local.broken = local.returned


def read_comprehension(
    reading: Reading, node: ast.ListComp | ast.GeneratorExp, local: Locals
) -> tuple[object, ...]:
    """Return the values of a comprehension over tuples, as a tuple."""
    return tuple(_values(reading, node, node.generators, local.copy()))


def _values(
    reading: Reading,
    node: ast.ListComp | ast.GeneratorExp,
    generators: Sequence[ast.comprehension],
    local: Locals,
) -> Iterator[object]:
    if not generators:
        yield reading.value(node.elt, local)
        return
    first, *rest = generators
    values = reading.value(first.iter, local)
    values = tuple(values) if isinstance(values, dict) else values
    if not isinstance(values, tuple):
        raise reading.error(first.iter, "comprehensions run over a tuple", "use a for loop")
    for value in values:
        assign(reading, first.target, value, local)
        for test in first.ifs:
            truth = reading.truth(test, local)
            if not isinstance(truth, bool):
                raise reading.error(test, "the condition is not constant", "use a for loop with if")
            if not truth:
                break
        else:
            yield from _values(reading, node, rest, local)


def _no_else(reading: Reading, node: _Loop) -> None:
    if node.orelse:
        raise reading.error(node.orelse[0], "else after a loop is not supported", "use a flag")


def _unrolled(reading: Reading, node: ast.For, values: Sequence[object], local: Locals) -> None:
    """Read the body of a loop over a tuple once for each value."""
    assign(reading, node.target, values[0], local)
    reading.block(node.body, local)
    # Elements that continue reach the next value.
    local.live = reading.builder.inverse(local.broken)
    rest = values[1:]
    if local.live is False or not rest:
        return
    if local.live is True:
        _unrolled(reading, node, rest, local)
    else:
        reading.branch(local.live, lambda inner: _unrolled(reading, node, rest, inner), local)


def _counted(reading: Reading, node: ast.For, call: ast.Call, local: Locals) -> None:
    """Read a loop over a range."""
    if call.keywords or not 1 <= len(call.args) <= 3:
        raise reading.error(call, "range takes one to three numbers", "use range(start, stop)")
    target, build = node.target, reading.builder
    if not isinstance(target, ast.Name):
        raise reading.error(target, "the target is not a name", "use one name")
    limits = [reading.whole(arg, local) for arg in call.args]
    start, stop, step = (0, *limits, 1) if len(limits) == 1 else (*limits, 1)[:3]
    if type(step) is int and step == 0:
        raise reading.error(call, "the step is zero", "use another step")
    trips = None
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        trips = len(range(start, stop, step))
        if not trips:
            local.unset |= stored_names(node, False) - local.names.keys()
            return

    def counter_of(inner: Locals) -> Operand:
        return reading.as_number(target, inner.names[COUNTER])

    def condition(inner: Locals) -> Truth:
        counter = counter_of(inner)
        if trips is not None:
            return True
        if isinstance(step, int):
            return build.truth(build.apply("less" if step > 0 else "greater", counter, stop))
        up, down = (
            build.both(
                build.truth(build.apply(sign, step, 0)),
                build.truth(build.apply(ahead, counter, stop)),
            )
            for sign, ahead in (("greater", "less"), ("less", "greater"))
        )
        return build.truth(build.apply("logical_or", up, down))

    def body(inner: Locals) -> None:
        counter = counter_of(inner)
        assign(reading, target, counter, inner)
        reading.block(node.body, inner)
        with reading.located(call):
            inner.names[COUNTER] = build.apply("add", counter, step)

    with reading.located(call):
        outer = local.names.get(COUNTER)
        local.names[COUNTER] = build.promoted(start, common((start, stop, step)))
        _LoopReader(reading, node, condition, body).read(local, trips, trips)
    del local.names[COUNTER]
    if outer is not None:
        local.names[COUNTER] = outer


@dataclass
class _Attempt:
    """A reading of a loop's body with carried values of some dtypes.

    `start` are the carried values in the body, and `following` those after it. `wider` are the
    dtypes of values that need a wider one; if there are any, the body is read again.
    """

    start: dict[str, object]
    following: dict[str, object] = field(default_factory=dict)
    wider: dict[str, object] = field(default_factory=dict)
    active: Truth = True
    own: Truth = True
    head: list[Statement] = field(default_factory=list)
    body: list[Statement] = field(default_factory=list)


@dataclass
class _LoopReader:
    """Reader of one loop: of its condition `head` and its body."""

    reading: Reading
    node: _Loop
    head: Callable[[Locals], Truth]
    body: Callable[[Locals], None]

    def __post_init__(self) -> None:
        self.assigned = stored_names(self.node)
        self.returns = any(isinstance(part, ast.Return) for part in own_nodes(self.node))

    def read(self, local: Locals, limit: int | None, trips: int | None) -> None:
        """Append the loop. The body is read again until the dtypes of carried values fit."""
        reading, build = self.reading, self.reading.builder
        masks = reading.masks
        mask: Truth = True
        for condition in masks:
            mask = build.both(mask, condition)
        carried = self.carried(local)
        reading.loops += 1
        uses = dict(reading.uses)
        while True:
            reading.uses = dict(uses)
            carried = {name: mapped(_typed, value) for name, value in carried.items()}
            attempt = self.attempt(local, mask, carried)
            if not attempt.wider:
                break
            with reading.located(self.node):
                for name, dtypes in attempt.wider.items():
                    carried[name] = (
                        zipped(self.converted, dtypes, carried[name])
                        if name in carried
                        else zipped(lambda dtype: typed(0, dtype), dtypes)
                    )
        reading.masks = masks
        reading.loops -= 1
        local.unset |= stored_names(self.node, False) - local.names.keys()
        if attempt.active is not False:
            self.append(local, attempt, carried, limit, trips)

    def carried(self, local: Locals) -> dict[str, object]:
        """Return the initial values of the variables that the loop carries."""
        names = sorted(self.assigned)
        if isinstance(self.node, ast.For):
            names.insert(0, COUNTER)
        carried = {name: local.names[name] for name in names if name in local.names}
        for name in self.assigned:
            if isinstance(carried.get(name), TensorArgument | SharedArgument):
                # The loop writes its elements.
                del carried[name]
        if self.returns or _breaks(self.node.body):
            carried[ALIVE] = True
        if self.returns:
            carried[RETURNED] = False
            if local.result is not None:
                carried[RESULT] = local.result
        for name, value in carried.items():
            for part in leaves(value):
                self.number(name, part)
        return carried

    def attempt(self, local: Locals, mask: Truth, carried: dict[str, object]) -> _Attempt:
        """Read the condition and the body once."""
        reading, build = self.reading, self.reading.builder
        attempt = _Attempt(
            {
                name: mapped(lambda first: build.var(dtype_of(first)), value)
                for name, value in carried.items()
            }
        )
        inner = local.copy()
        inner.names |= attempt.start
        inner.result = inner.names.pop(RESULT, None)
        reading.masks = []
        with build.block() as attempt.head:
            alive = build.truth(reading.as_number(self.node, attempt.start.get(ALIVE, True)))
            attempt.own = build.both(alive, self.head(inner))
            attempt.active = build.both(mask, attempt.own)
            with build.block() as attempt.body:
                reading.masks = [] if attempt.active is True else [attempt.active]
                self.body(inner)
                after = {**inner.names, ALIVE: build.inverse(inner.broken)}
                after |= {RETURNED: inner.returned, RESULT: inner.result}
                if self.returns and inner.result is not None and RESULT not in carried:
                    attempt.wider[RESULT] = mapped(dtype_of, inner.result)
                    return attempt
                for name, variable in attempt.start.items():
                    dtypes = self.dtypes(name, variable, after[name])
                    if dtypes != mapped(dtype_of, variable):
                        attempt.wider[name] = dtypes
                    else:
                        attempt.following[name] = zipped(build.promoted, after[name], dtypes)
        return attempt

    def converted(self, dtype: DType, first: Operand) -> Atom:
        """Return the first value of a carried one in a wider dtype."""
        number = first.value if isinstance(first, Number) else first
        return self.reading.builder.promoted(number, dtype)

    def append(
        self,
        local: Locals,
        attempt: _Attempt,
        carried: dict[str, object],
        limit: int | None,
        trips: int | None,
    ) -> None:
        """Append the loop as it was read last; the local variables get its results."""
        build = self.reading.builder
        carries: list[Carry] = []

        def finished(variable: Var, initial: Atom, following: Atom) -> Var:
            result = build.var(variable.dtype)
            carries.append(Carry(variable, initial, following, result))
            return result

        results = {
            name: zipped(finished, variable, carried[name], attempt.following[name])
            for name, variable in attempt.start.items()
        }
        active, own = [x if isinstance(x, Var) else None for x in (attempt.active, attempt.own)]
        head, body = attempt.head, attempt.body
        build.add(Repeat(carries, head, active, own, body, limit, trips))
        results.pop(ALIVE, None)
        returned = self.reading.as_number(self.node, results.pop(RETURNED, False))
        local.returned = local.broken = build.truth(returned)
        local.live = build.inverse(local.returned)
        local.result = results.pop(RESULT, local.result)
        local.names |= results

    def dtypes(self, name: str, before: object, after: object) -> object:
        """Return the dtypes that a carried value needs, from those before and after the body."""
        if isinstance(before, tuple) and isinstance(after, tuple):
            if type(before) is type(after) and len(before) == len(after):
                pairs = zip(before, after, strict=True)
                return rebuilt(before, [self.dtypes(name, *pair) for pair in pairs])
        elif not isinstance(before, tuple) and not isinstance(after, tuple):
            numbers = [self.reading.as_number(self.node, before), self.number(name, after)]
            with self.reading.located(self.node):
                return common(numbers)
        raise self.reading.error(
            self.node, f"{name} changes its kind in a loop", "use another name"
        )

    def number(self, name: str, value: object) -> Operand:
        if isinstance(value, ATOMS):
            return value
        raise self.reading.error(
            self.node, f"{name} is not a number but changes in a loop", "use another name"
        )


def _typed(value: Operand) -> Atom:
    return typed(value, dtype_of(value))


def _breaks(body: Iterable[ast.stmt]) -> bool:
    """Return True if a statement breaks this loop, not one inside of it."""
    for statement in body:
        if isinstance(statement, ast.Break):
            return True
        if isinstance(statement, ast.If) and _breaks([*statement.body, *statement.orelse]):
            return True
    return False
