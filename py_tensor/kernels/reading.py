"""State of reading a kernel's function, and the tables of functions that read syntax nodes.

Input: nodes of a syntax tree. Output: values, and statements in a `Builder`. `reader` fills the
tables with one function for each kind of node.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import partial
from typing import Any, NamedTuple

from ..dtypes import DType, int32
from ..errors import KernelError
from ..tensor import Tensor
from .builder import ATOMS, Builder, Mismatch, Operand, Truth, dtype_of
from .calls import ArgumentType, type_inside
from .locals import Locals, SharedArgument, TensorArgument, constant, mapped, rebuilt
from .program import Atom, Branch, Input, InputKind, SharedArray, Site, Var, has_effects
from .source import FunctionSource

_ADVICE: dict[type[ast.AST], tuple[str, str]] = {
    ast.Dict: ("dicts are not supported", "use local variables"),
    ast.Set: ("sets are not supported", "use a tuple"),
    ast.SetComp: ("comprehensions are not supported", "use a for loop"),
    ast.DictComp: ("comprehensions are not supported", "use a for loop"),
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
ReadExpression = Callable[["Reading", Any, Locals], object]
ReadStatement = Callable[["Reading", Any, Locals], None]
EXPRESSION_READERS: dict[type[ast.expr], ReadExpression] = {}
"""Function that returns the value of an expression, by its kind."""
STATEMENT_READERS: dict[type[ast.stmt], ReadStatement] = {}
"""Function that changes the local variables as a statement does, by its kind."""


class Captured(NamedTuple):
    """A name of the enclosing scopes, with the function or object that it belongs to."""

    owner: object
    name: str
    value: object


FunctionKey = tuple[object, ...]
"""A function, with the dtypes of its numbers and the values of its constants."""


class FunctionUse(NamedTuple):
    """Number of a function's calls, and the length of its longest copy."""

    calls: int = 0
    length: int = 0


class Reading:
    """State of reading one kernel for arguments of given dtypes and ranks."""

    def __init__(
        self,
        source: FunctionSource,
        border: str,
        max_steps: int,
        workgroup: tuple[int, ...] = (),
    ) -> None:
        self.border = border
        self.max_steps = max_steps
        self.builder = Builder()
        self.inputs: list[Input] = []
        self.coordinates: list[Var] = []
        self.captured: list[Captured] = []
        """Values of the enclosing scopes on which the program depends."""
        self.arguments = 0
        """Number of arguments of the kernel."""
        self.tensors: list[Captured] = []
        """Tensors of the enclosing scopes, which are operands after the arguments."""
        self.operands: list[object] = []
        """The value of each of them in the function."""
        self.masks: list[Truth] = []
        """Conditions of the branches around the current statement, up to the innermost loop."""
        self.calls = [source]
        """The kernel's function and the helper functions that are being read, innermost last."""
        self.sources = {source.function: source}
        self.frames: list[Locals] = []
        """Local variables of each of them but the innermost, when it called the next one."""
        self.loops = 0
        """Number of loops around the current statement in its function."""
        self.workgroup = workgroup
        """Lengths of a group along the axes of the index space."""
        self.local: tuple[Operand, ...] = ()
        """Indices of the element in its group."""
        self.shared: list[SharedArray] = []
        self.shared_functions: dict[FunctionKey, Any] = {}
        """Functions of the shader, by what their body depends on."""
        self.uses: dict[FunctionKey, FunctionUse] = {}
        """Calls of functions that could be functions of the shader."""
        self.keeps: Collection[FunctionKey] = ()
        """The functions that become functions of the shader; others are inlined."""
        self.outside_reads = 0
        """Uses so far of anything that functions of a shader lack, for example of tensors."""
        self.accesses: dict[Input, set[str]] = {}
        """For each tensor, whether it is "read" or "written"."""

    def input(self, kind: InputKind, argument: int, axis: int, dtype: DType, name: str) -> Input:
        """Append an operand of the kernel."""
        self.inputs.append(Input(kind, argument, axis, self.builder.var(dtype), name))
        return self.inputs[-1]

    def argument(self, position: int, name: str, of: ArgumentType) -> object:
        """Append the operands of an argument, and return it as the function sees it."""
        kind = InputKind.TENSOR if of.rank else InputKind.VALUE
        operand = self.input(kind, position, 0, of.dtype, name)
        lengths = [
            self.input(InputKind.LENGTH, position, axis, int32, name).var for axis in range(of.rank)
        ]
        return TensorArgument(operand, tuple(lengths)) if of.rank else operand.var

    def outside(self, owner: object, name: str, value: object) -> object:
        """Return a value of the enclosing scopes, and remember that the program depends on it.

        A tensor is an operand, like an argument.
        """
        if isinstance(value, Tensor) and (not value.ndim or self.coordinates):
            self.outside_reads += 1
            for number, known in enumerate(self.tensors):
                if known.value is value:
                    return self.operands[number]
            of = type_inside(name, value)
            position = self.arguments + len(self.tensors)
            self.operands.append(self.argument(position, name, of))
            self.tensors.append(Captured(owner, name, value))
            self.captured.append(Captured(owner, name, of))
            return self.operands[-1]
        value = constant(value)
        self.captured.append(Captured(owner, name, value))
        return value

    # --- errors ---------------------------------------------------------------------------------

    def error(self, node: ast.expr | ast.stmt, problem: str, advice: str) -> KernelError:
        return self.calls[-1].error(node, problem, advice)

    def site(self, node: ast.expr | ast.stmt) -> Site:
        """Return the place of a node, for errors about the program."""
        source = copy(self.calls[-1])
        # Cached plans keep programs; the function would keep the tensors of its scopes alive.
        del source.function
        return Site(partial(source.error, node))

    @contextmanager
    def located(self, node: ast.expr | ast.stmt) -> Iterator[None]:
        """Add the line of a node to errors about operands."""
        try:
            yield
        except Mismatch as mismatch:
            raise self.error(node, mismatch.problem, mismatch.advice) from None

    def unsupported(self, node: ast.expr | ast.stmt) -> KernelError:
        problem, advice = _ADVICE.get(
            type(node),
            (f"{type(node).__name__} is not supported", "use what docs/kernels.md lists"),
        )
        return self.error(node, problem, advice)

    # --- values ---------------------------------------------------------------------------------

    def value(self, node: ast.expr, local: Locals) -> object:
        """Return the value of an expression."""
        read = EXPRESSION_READERS.get(type(node))
        if read is None:
            raise self.unsupported(node)
        return read(self, node, local)

    def number(self, node: ast.expr, local: Locals) -> Operand:
        """Return the value of an expression, which must be a number."""
        return self.as_number(node, self.value(node, local))

    def as_number(self, node: ast.expr | ast.stmt, value: object) -> Operand:
        if isinstance(value, ATOMS):
            return value
        if isinstance(value, TensorArgument | SharedArgument):
            raise self.error(node, "a tensor is not a number", "read an element, as in x[i, j]")
        if isinstance(value, tuple):
            raise self.error(node, "a tuple is not a number", "use its parts")
        kind = type(value).__name__
        advice = "pass it as an argument" if hasattr(value, "shape") else "use a number"
        raise self.error(node, f"{kind} is not a number", advice)

    def plain(self, node: ast.expr, local: Locals) -> object:
        """Return the value of an expression, which may be a text."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        return self.value(node, local)

    def parts(self, nodes: Iterable[ast.expr], local: Locals) -> list[object]:
        """Return the values of expressions, and the parts of tuples with a star."""
        values: list[object] = []
        for node in nodes:
            if not isinstance(node, ast.Starred):
                values.append(self.plain(node, local))
                continue
            value = self.value(node.value, local)
            if not isinstance(value, tuple):
                raise self.error(node, "the value is not a tuple", "write the values one by one")
            values += value
        return values

    def truth(self, node: ast.expr, local: Locals) -> Truth:
        value = self.number(node, local)
        with self.located(node):
            return self.builder.truth(value)

    def whole(self, node: ast.expr, local: Locals) -> Operand:
        """Return the value of an expression, which must be an integer; bool is converted."""
        value = self.number(node, local)
        kind = dtype_of(value).kind
        if kind == "f":
            raise self.error(node, "a float is not an integer", "use int(...) or //")
        with self.located(node):
            return self.builder.cast(value, int32) if kind == "b" else value

    # --- statements and branches ----------------------------------------------------------------

    def block(self, statements: Sequence[ast.stmt], local: Locals) -> None:
        """Read statements. After one that some elements leave by, the rest is a branch."""
        for number, statement in enumerate(statements):
            read = STATEMENT_READERS.get(type(statement))
            if read is None:
                raise self.unsupported(statement)
            read(self, statement, local)
            rest = statements[number + 1 :]
            if local.live is False or not rest:
                return
            if local.live is not True:
                self.branch(local.live, partial(self.block, rest), local)
                return

    def side(self, condition: Truth, run: Callable[[Locals], None], local: Locals) -> None:
        """Read one side of a branch; its values are exported under new names."""
        builder = self.builder
        before = builder.last
        self.masks.append(condition)
        with builder.block() as body:
            run(local)
        self.masks.pop()
        exports: dict[Var, Var] = {}

        def exported(value: Operand) -> Operand:
            if isinstance(value, Var) and value.number > before:
                if value not in exports:
                    exports[value] = builder.var(value.dtype)
                return exports[value]
            return value

        local.names = {name: mapped(exported, value) for name, value in local.names.items()}
        local.result = mapped(exported, local.result)
        masks = local.live, local.broken, local.returned
        local.live, local.broken, local.returned = [builder.truth(exported(m)) for m in masks]
        if exports or has_effects(body):
            assert isinstance(condition, Var)
            pairs: list[tuple[Var, Atom]] = [(outer, inner) for inner, outer in exports.items()]
            builder.add(Branch(condition, body, pairs))

    def chosen(self, condition: Truth, a: object, b: object, node: ast.expr | ast.stmt) -> object:
        """Select between two numbers, or between the numbers of nested tuples."""
        if a is b:
            return a
        if isinstance(a, tuple) and isinstance(b, tuple):
            if type(a) is type(b) and len(a) == len(b):
                parts = [self.chosen(condition, x, y, node) for x, y in zip(a, b, strict=True)]
                return rebuilt(a, parts)
        elif isinstance(a, ATOMS) and isinstance(b, ATOMS):
            with self.located(node):
                return self.builder.select(condition, a, b)
        raise self.error(
            node, "the branches give values of different kinds", "give numbers in both"
        )

    def branch(
        self,
        condition: Truth,
        then: Callable[[Locals], None],
        local: Locals,
        otherwise: Callable[[Locals], None] | None = None,
        node: ast.stmt | None = None,
    ) -> None:
        """Run `then` for elements that fulfil a condition, and `otherwise` for the remaining ones.

        Without `otherwise` the remaining elements keep their values. If the condition is
        `local.live`, they have already left the block.
        """
        yes, no = local.copy(), local.copy()
        self.side(condition, then, yes)
        if otherwise is not None:
            self.side(self.builder.inverse(condition), otherwise, no)
        elif condition is local.live:
            no.live, no.broken, no.returned = False, local.broken, local.returned
        local.become(self._merged(condition, yes, no, node or self.calls[-1].tree))

    def _merged(self, condition: Truth, yes: Locals, no: Locals, node: ast.stmt) -> Locals:
        """Return the variables after a branch, from those after its two sides."""
        select = self.builder.select_truth
        merged = no.copy()
        merged.names, merged.unset = {}, set()
        merged.live = select(condition, yes.live, no.live)
        merged.broken = select(condition, yes.broken, no.broken)
        merged.returned = select(condition, yes.returned, no.returned)
        merged.result = no.result if yes.result is None else yes.result
        if yes.result is not None and no.result is not None:
            merged.result = self.chosen(condition, yes.result, no.result, node)
        leaves = yes.live is False or no.live is False
        staying = no if yes.live is False else yes
        if leaves and not self.loops:
            # Variables of elements that have returned are not read again.
            merged.names, merged.unset = staying.names, staying.unset
            return merged
        merged.unset = yes.unset | no.unset
        for name in yes.names | no.names:
            if name in yes.names and name in no.names:
                value = self.chosen(condition, yes.names[name], no.names[name], node)
                merged.names[name] = value
            elif leaves and name in staying.names:
                # The loop that the leaving elements continue or break does not carry it.
                merged.names[name] = staying.names[name]
            else:
                merged.unset.add(name)
        return merged
