"""Print functions and formulas of the language, for four elements at once or for one.

Input: the text of Python functions. Output: the text of functions and expressions of a shader.
Values have a number for each element, except for the counters of loops. Conditional expressions
compute both values and choose, so that an undefined result may be computed, but is not chosen.
"""

from __future__ import annotations

import ast
import math
import operator
import pkgutil
import re
import struct
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import Any, ClassVar, NamedTuple

from .forms import LanguageForms
from .sizes import SMALL
from .tree import (
    BITWISE,
    FLOAT,
    INT,
    LITERAL,
    MASK,
    PRIMARY,
    PRODUCT,
    SUM,
    TRUTH,
    UINT,
    Value,
    ValueKind,
)

_SIGNS: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: ("+", SUM),
    ast.Sub: ("-", SUM),
    ast.Mult: ("*", PRODUCT),
    ast.Div: ("/", PRODUCT),
    ast.FloorDiv: ("/", PRODUCT),
    ast.Mod: ("%", PRODUCT),
    ast.BitAnd: ("&", BITWISE),
    ast.BitOr: ("|", BITWISE),
    ast.BitXor: ("^", BITWISE),
    ast.LShift: ("<<", BITWISE),
    ast.RShift: (">>", BITWISE),
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
Kinds = tuple[ValueKind, ...]
"""Kinds of a parameter or result; a function with several is printed for each."""
_KINDS: dict[str, Kinds] = {
    "float32": (FLOAT,),
    "int32": (INT,),
    "uint32": (UINT,),
    "bool": (TRUTH,),
    "Integer": (INT, UINT),
    "Number": (FLOAT, INT, UINT),
}
_DIVIDED: dict[type[ast.operator], ValueKind] = {
    ast.Div: FLOAT,
    ast.FloorDiv: UINT,
    ast.Mod: UINT,
}
"""Kinds for which the operators of shaders have Python's meaning."""
_OF_TRUTHS = {"&": "&&", "|": "||", "^": "!="}
"""Operators of the truth values of one element."""
_FOLDED = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_NATIVE = {"abs", "min", "max", "round", "floor", "ceil", "trunc"}
"""Functions whose results are exact in every driver."""
_DEFINED = re.compile(r"(?:def )?(\w+)[:(]")


@cache
def texts_of(module: str) -> dict[str, str]:
    """Return the texts of the functions and constants of a module of this package by name."""
    blocks = (pkgutil.get_data(__package__, module) or b"").decode().split("\n\n\n")
    return {head[1]: block for block in blocks if (head := _DEFINED.match(block))}


ONE = "_1"
"""End of the names of functions for one element."""
_USED = re.compile(r"\b(?:pt|PT)_\w+")


class PrintedFormula(NamedTuple):
    """Formula in a shader's language, whose text has the fields {0}, {1}, ... for operands."""

    text: str
    level: int
    lanes: int
    needs: dict[str, None]
    """Names of the functions that it calls."""


class InputTexture(NamedTuple):
    """Texture that a shader reads."""

    kind: ValueKind
    width: int | None
    """Width in texels; None for tile layout, whose texture has layers."""


class ShaderParts(NamedTuple):
    """A kernel, of which a printer makes the text of a shader.

    `uniforms` are the lengths of the arrays of uniforms by kind, and `outputs` are kinds. `needs`
    are the functions that the kernel calls, and `reads` define those that read inputs by number.
    `definitions` are lines before the kernel, and after them `own` is text of the user, whose lines
    errors count from 1.
    """

    inputs: Sequence[InputTexture]
    uniforms: Mapping[ValueKind, int]
    outputs: Sequence[ValueKind]
    needs: Collection[str]
    reads: str
    body: str
    definitions: Sequence[str] = ()
    own: str = ""


class Function:
    """A function of the language; `kinds` are those for which it is printed."""

    def __init__(self, tree: ast.FunctionDef) -> None:
        self.tree = tree
        self.parameters = [(arg.arg, _kinds(arg.annotation)) for arg in tree.args.args]
        returned: Any = tree.returns
        self.results = [_kinds(returned)]
        if isinstance(returned, ast.Subscript):
            parts: Any = returned.slice
            self.results = [*map(_kinds, parts.elts)]
        self.kinds = next((kinds for _, kinds in self.parameters if len(kinds) > 1), ())


def _kinds(annotation: Any) -> Kinds:
    """Return the kinds of an annotation; those of a table are its elements'."""
    name = annotation if isinstance(annotation, ast.Name) else annotation.slice.elts[0]
    return _KINDS[name.id]


def _name(node: Any) -> str:
    """Return the text of a name, which may be an attribute of `native`."""
    if isinstance(node, ast.Attribute):
        return f"{_name(node.value)}.{node.attr}"
    return str(node.id)


class Printer(LanguageForms):
    """Printer of a language of shaders; a subclass gives its forms.

    The functions and constants of the module `functions` are separated by two empty lines, and read
    when they are first used. A call of `name` means the function `name_f`,
    `name_i` or `name_u` for the kind of its first argument, if there is one.
    """

    exceptions: ClassVar[dict[str, str]]
    """Functions and constants that are written by hand, because the language cannot say them or
    because the shader needs another form."""
    modules: ClassVar[tuple[str, ...]] = ("functions.py",)
    """Files with the functions and constants; later ones replace those of earlier ones."""

    def __init__(self, uniform_sizes: bool = True) -> None:
        self.uniform_sizes = uniform_sizes
        """False if all sizes are constants."""
        members = {"__slots__": (), "printer": self}
        self.value: type[Value] = type("Expression", (self.expression,), members)
        """Class of the values."""
        self.function = lru_cache(None)(self._function)
        self.definition = lru_cache(None)(self._definition)
        self.needed = lru_cache(None)(self._needed)
        self.formula = lru_cache(None)(self._formula)
        self.included = lru_cache(1 << 10)(self._included)
        self.read = lru_cache(1 << 10)(self._read)
        self.multiples = lru_cache(1 << 10)(self._multiples)

    @property
    def of_one(self) -> Printer:
        """Printer of the same language for one element."""
        raise NotImplementedError

    # --- kernels --------------------------------------------------------------------------------

    def load(self, slot: int, *position: str) -> str:
        """Return the text of the texel of an input.

        The place is a variable, or column and row, followed by the layer in tile layout.
        """
        raise NotImplementedError

    def either(self, condition: str, a: str, b: str) -> str:
        """Return the text of one of two values, chosen by a number's comparison."""
        raise NotImplementedError

    def texel_function(self, name: str, kind: ValueKind, text: str) -> str:
        """Define a function of the number `t` of a texel."""
        raise NotImplementedError

    def element_function(self, name: str, kind: ValueKind, text: str) -> str:
        """Define a function of the position `i` of an element."""
        raise NotImplementedError

    def shader(self, source: ShaderParts) -> str:
        """Return the text of a fragment shader."""
        raise NotImplementedError

    # --- the module -----------------------------------------------------------------------------

    @cached_property
    def blocks(self) -> dict[str, str]:
        """Texts of the functions and constants by name."""
        return {k: text for module in self.modules for k, text in texts_of(module).items()}

    def _function(self, name: str) -> Function | None:
        if not self.blocks.get(name, "").startswith("def "):
            return None
        (tree,) = ast.parse(self.blocks[name]).body
        assert isinstance(tree, ast.FunctionDef)
        return Function(tree)

    def _included(self, text: str) -> list[str]:
        """Return the definitions of the functions that a text calls, directly or not, in order."""
        return [*map(self.definition, dict.fromkeys(self._all_needed(text)))]

    def _all_needed(self, text: str) -> list[str]:
        return [name for used in _USED.findall(text) for name in self.needed(used)]

    def _needed(self, name: str) -> tuple[str, ...]:
        """Return the names of the functions that a function calls, and its own name last."""
        text = self.definition(name)
        if not text:
            return ()
        used = [other for other in _USED.findall(text) if other != name]
        return (*(inner for other in used for inner in self.needed(other)), name)

    def _definition(self, name: str) -> str:
        """Return the definition of a function by its name in a shader, or an empty text."""
        if name in self.exceptions:
            return self.exceptions[name]
        if name.endswith(ONE):
            return self.of_one.definition(name.removesuffix(ONE))
        own, kind = name[3:], ""
        if own not in self.blocks:
            own, kind = own[:-2], own[-1:]
        function = self.function(own)
        if function is not None:
            kinds = (ValueKind(kind),) if kind else function.kinds or (None,)
            return "\n".join(Body(self, own, function, kind).text for kind in kinds)
        if own not in self.blocks:
            return ""
        tree = ast.parse(self.blocks[own]).body[0]
        assert isinstance(tree, ast.AnnAssign)
        parts = tree.value.elts if isinstance(tree.value, ast.Tuple) else [tree.value]
        (of,) = _kinds(tree.annotation)
        numbers = [self.of_kind(Expressions(self, {}).value(part), of).text for part in parts]
        return self.constant(name, of, numbers)

    def reads(
        self, inputs: Sequence[InputTexture], texels: Collection[int], elements: Collection[int]
    ) -> str:
        """Return the definitions of the functions that read inputs by number.

        `texels` and `elements` are the inputs of which texels and elements are read.
        """
        return "".join(
            [
                self.read(slot, kind, width, slot in elements)
                for slot, (kind, width) in enumerate(inputs)
                if slot in texels or slot in elements
            ]
        )

    def _read(self, slot: int, kind: ValueKind, width: int, by_element: bool) -> str:
        t, name = self.value("t", INT, 1), f"pt_texel{slot}"
        text = self.texel_function(name, kind, self.load(slot, str(t % width), str(t // width)))
        if by_element:
            text += "\n" + self.element_function(f"pt_at{slot}", kind, f"{name}(i >> 2)[i & 3]")
        return text + "\n"

    # --- formulas -------------------------------------------------------------------------------

    def _formula(self, text: str, kinds: Kinds, result: ValueKind) -> PrintedFormula:
        """Return the value of a formula of operands x, y, z and w.

        Operands are names or calls. `kinds` has a kind for each operand, and `result` is the kind
        of the value.
        """
        named = enumerate(zip("xyzw", kinds, strict=False))
        names = {name: Value(f"{{{n}}}", kind, self.lanes) for n, (name, kind) in named}
        value = Expressions(self, names).of_kind(ast.parse(text, mode="eval").body, result)
        if not value.lanes:
            value = self.spread(value)
        needs: dict[str, None] = dict.fromkeys(_USED.findall(value.text))
        return PrintedFormula(value.text, value.level, value.lanes, needs)

    def _multiples(self, step: int) -> Value:
        """Return the positions of four lanes relative to the first, given their distance."""
        steps = ", ".join([self.size(lane * step) for lane in range(4)])
        return self.value(f"{self.types[INT, 4]}({steps})", INT)

    # --- sizes ----------------------------------------------------------------------------------

    @cached_property
    def constant_sizes(self) -> Printer:
        """Printer of the same language in which all sizes are constants."""
        return type(self)(uniform_sizes=False)

    def size(self, number: int, kind: ValueKind = INT) -> str:
        """Return the text of a whole number of a kind, a field if it is a size."""
        if abs(number) <= SMALL or not self.uniform_sizes:
            return str(number) if kind == INT else f"{number}u"
        return f"${number}" if kind == INT else f"{self.types[kind, 1]}(${number})"

    def quotient(self, value: Value, divisor: int) -> Value:
        """Divide positions by more than 1: by a shift, or by multiplication with the reciprocal."""
        if not divisor & (divisor - 1):
            count = divisor.bit_length() - 1
            if divisor <= SMALL or not self.uniform_sizes:
                return value >> count
            return self.shifted(value, ">>", self.value(f"${count}", INT, 1))
        return self._divided("quotient", "/", value, divisor)

    def remainder(self, value: Value, divisor: int) -> Value:
        """Return the remainder of positions divided by more than 1."""
        if not divisor & (divisor - 1):
            return value & divisor - 1
        return self._divided("modulo", "%", value, divisor)

    def _divided(self, name: str, sign: str, value: Value, divisor: int) -> Value:
        if divisor <= SMALL or not self.uniform_sizes:
            return value.binary(sign, divisor, PRODUCT)
        numbers = f"$/{divisor}" if sign == "/" else f"${divisor}, $/{divisor}"
        text = f"pt_{name}{'' if value.lanes == 1 else value.lanes}({value.text}, {numbers})"
        return self.value(text, INT, value.lanes, PRIMARY, value.uses)

    def number(self, value: bool | int | float, kind: ValueKind) -> str:
        """Return a constant of one lane with exactly that value."""
        if kind == FLOAT:
            value = struct.unpack("f", struct.pack("f", value))[0]
            if math.isfinite(value):
                return repr(float(value))
            name = self.special.format("PT_NAN" if math.isnan(value) else "PT_INF")
            return f"-{name}" if value < 0 else name
        if kind in "um":
            return f"{int(value)}u"
        return str(int(value)) if value >= 0 else f"({int(value) + 1} - 1)"


class OneLane(Printer):
    """Printer for one element, whose truth values have the type bool; it is mixed into another."""

    lanes = 1

    def called(self, name: str, kind: ValueKind | None) -> str:
        return super().called(name, kind) + ONE

    def spread(self, value: Value) -> Value:
        return self.value(value.text, value.kind, 1, value.level, value.uses)

    def number(self, value: bool | int | float, kind: ValueKind) -> str:
        return str(bool(value)).lower() if kind == MASK else super().number(value, kind)


class Expressions:
    """Printer of expressions of the variables in `names`."""

    def __init__(self, printer: Printer, names: dict[str, Value]) -> None:
        self.printer = printer
        self.names = names

    def value(self, node: Any) -> Value:
        value: Value = self.form(node)(node)
        return value

    def form(self, node: ast.AST) -> Callable[[Any], Any]:
        """Return the method that prints a kind of node."""
        method: Callable[[Any], Any] | None = getattr(self, type(node).__name__, None)
        if method is None:
            raise TypeError(f"{ast.unparse(node)}: {type(node).__name__} is not in the language")
        return method

    def of_kind(self, node: ast.expr, kind: ValueKind) -> Value:
        return self.printer.of_kind(self.value(node), kind)

    def together(self, *nodes: ast.expr) -> list[Value]:
        """Return values of one kind."""
        values = [self.value(node) for node in nodes]
        kind = next((value.kind for value in values if value.kind != LITERAL), LITERAL)
        return [self.printer.of_kind(value, kind) for value in values]

    def Constant(self, node: ast.Constant) -> Value:
        number: Any = node.value
        if isinstance(number, float):
            return Value(repr(number), FLOAT, 0)
        if isinstance(number, bool):
            return Value(self.printer.number(number, MASK), MASK, 0)
        return Value(str(number) if number < 256 else hex(number), LITERAL, 0)

    def Name(self, node: ast.Name) -> Value:
        if node.id in self.names:
            return self.names[node.id]
        if node.id in ("NAN", "INF"):
            return Value(self.printer.special.format(f"PT_{node.id}"), FLOAT, 0)
        if node.id not in self.printer.blocks:
            raise NameError(f"{node.id} has no value")
        return self.printer.named(node.id)

    def BinOp(self, node: ast.BinOp) -> Value:
        sign, level = _SIGNS[type(node.op)]
        chained = level == BITWISE and type(getattr(node.left, "op", None)) is type(node.op)
        if sign in ("<<", ">>"):
            a, b = self.value(node.left), self.value(node.right)
            return self.printer.shifted(a, sign, b)
        a, b = self.together(node.left, node.right)
        if a.kind == LITERAL:
            return Value(f"{_FOLDED[sign](int(a.text, 0), int(b.text, 0))}", LITERAL, 0)
        if a.kind != _DIVIDED.get(type(node.op), a.kind):
            raise TypeError(f"{ast.unparse(node)}: integers are divided by floor_divide, remainder")
        if a.kind == MASK and self.printer.lanes == 1:
            sign = _OF_TRUTHS[sign]
        return self.printer.operation(sign, level, a, b, chained)

    def UnaryOp(self, node: ast.UnaryOp) -> Value:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not) or value.kind == MASK:
            if value.lanes == 1:
                return self.printer.unary("!", value)
            if value.kind == MASK:
                # 1u - x would be the same, but see docs/drivers.md.
                return self.BinOp(ast.BinOp(node.operand, ast.BitXor(), ast.Constant(True)))
            return self.printer.inverse(value)
        return self.printer.unary("-" if isinstance(node.op, ast.USub) else "~", value)

    def Compare(self, node: ast.Compare) -> Value:
        ends = [node.left, *node.comparators]
        return self._joined(
            "&",
            [
                self.printer.compared(_COMPARISONS[type(sign)], *self.together(a, b))
                for a, sign, b in zip(ends, node.ops, ends[1:], strict=False)
            ],
        )

    def BoolOp(self, node: ast.BoolOp) -> Value:
        sign = "&" if isinstance(node.op, ast.And) else "|"
        return self._joined(sign, [self.value(part) for part in node.values])

    def _joined(self, sign: str, values: list[Value]) -> Value:
        return values[0] if len(values) == 1 else self.printer.joined(sign, values)

    def IfExp(self, node: ast.IfExp) -> Value:
        a, b = map(self.printer.spread, self.together(node.body, node.orelse))
        return self.printer.chosen(self.of_kind(node.test, TRUTH).text, a, b)

    def Subscript(self, node: ast.Subscript) -> Value:
        """Read an element of a table for each lane."""
        return self.printer.element(self.value(node.value), self.value(node.slice))

    def Call(self, node: ast.Call) -> Value:
        printer, name = self.printer, _name(node.func)
        own = name.removeprefix("native.")
        if name in _KINDS:
            value, (kind,) = self.value(node.args[0]), _KINDS[name]
            if value.kind in (kind, LITERAL):
                return printer.of_kind(value, kind)
            return printer.converted(value, kind)
        if name in ("bits", "from_bits"):
            kind, source = (UINT, FLOAT) if name == "bits" else (FLOAT, UINT)
            text = printer.bits(kind, self.of_kind(node.args[0], source))
            return Value(text, kind, printer.lanes)
        if name == "any_element":
            return printer.any(self.of_kind(node.args[0], TRUTH))
        if name == "native.divide":
            return printer.divided(*self.together(*node.args))
        if name in _NATIVE or name != own:
            return printer.native(own, [*map(printer.spread, self.together(*node.args))])
        return self.call(node)

    def call(self, node: ast.Call, *further: str) -> Value:
        """Call a function of the language; `further` are the arguments for further results."""
        printer, name = self.printer, _name(node.func)
        values = [*map(self.value, node.args)]
        own = f"{name}_{values[0].kind}"
        name = own if printer.function(own) else name
        function = printer.function(name)
        if function is None:
            raise NameError(f"{name} is no function of the language")
        kind: ValueKind | None = None
        texts = []
        for (_, kinds), value in zip(function.parameters, values, strict=True):
            if len(kinds) > 1:
                kind = kind or value.kind
            texts.append(printer.spread(printer.of_kind(value, _of(kinds, kind))).text)
        text = printer.invoked(printer.called(name, kind), texts, further)
        return Value(text, _of(function.results[0], kind), printer.lanes)


def _of(kinds: Kinds, kind: ValueKind | None) -> ValueKind:
    """Return the kind of a parameter or result in a function printed for one kind."""
    return kinds[0] if kind is None or len(kinds) == 1 else kind


class Body(Expressions):
    """Printer of a function for one kind, or None if it has no choice of kinds."""

    def __init__(
        self, printer: Printer, name: str, function: Function, kind: ValueKind | None
    ) -> None:
        parameters = [(own, _of(kinds, kind)) for own, kinds in function.parameters]
        super().__init__(printer, {own: Value(own, k, printer.lanes) for own, k in parameters})
        self.fixed = dict(parameters)
        self.results = [_of(kinds, kind) for kinds in function.results]
        self.lines: list[str] = []
        self.depth = 1
        self.statements(function.tree.body)
        head = printer.head(printer.called(name, kind), parameters, self.results)
        self.text = printer.function_text(head, self.lines)

    def line(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def statements(self, nodes: Sequence[ast.stmt]) -> None:
        for node in nodes:
            self.form(node)(node)

    def block(self, around: tuple[str, str], nodes: Sequence[ast.stmt]) -> None:
        """Print statements of a block; variables that they declare are unknown after them."""
        head, end = around
        self.line(head)
        self.depth += 1
        before, self.names = self.names, dict(self.names)
        self.statements(nodes)
        self.names = before
        self.depth -= 1
        self.line(end)

    def Expr(self, node: ast.Expr) -> None:
        """Skip a docstring."""

    def assign(self, name: str, value: Value) -> None:
        if name in self.fixed:
            raise TypeError(f"{name} is a parameter, which cannot be assigned")
        if name in self.names:
            known = self.names[name]
            value = self.printer.spread(self.printer.of_kind(value, known.kind))
            self.line(self.printer.assigned(known, value))
            return
        if value.kind == MASK:
            value = self.printer.of_kind(value, TRUTH)
        if not value.lanes:
            value = self.printer.spread(value)
        self.line(self.printer.declared(name, value))
        self.names[name] = Value(name, value.kind, value.lanes)

    def Assign(self, node: ast.Assign) -> None:
        (target,) = node.targets
        if isinstance(target, ast.Name):
            self.assign(target.id, self.value(node.value))
            return
        assert isinstance(target, ast.Tuple)
        assert isinstance(node.value, ast.Call)
        function = self.printer.function(_name(node.value.func))
        assert function is not None
        first, *names = [_name(part) for part in target.elts]
        further = []
        for name, (kind,) in zip(names, function.results[1:], strict=True):
            declaration, argument = self.printer.received(name, kind)
            self.line(declaration)
            self.names[name] = Value(name, kind, self.printer.lanes)
            further.append(argument)
        self.assign(first, self.call(node.value, *further))

    def AnnAssign(self, node: ast.AnnAssign) -> None:
        assert node.value is not None
        self.assign(_name(node.target), self.of_kind(node.value, _kinds(node.annotation)[0]))

    def AugAssign(self, node: ast.AugAssign) -> None:
        load = ast.Name(_name(node.target))
        self.assign(load.id, self.BinOp(ast.BinOp(load, node.op, node.value)))

    def If(self, node: ast.If) -> None:
        condition = self.value(node.test)
        if condition.lanes != 1 or node.orelse:
            raise TypeError("if takes any_element(...), and no else; use a conditional expression")
        self.block(self.printer.branch(condition), node.body)

    def For(self, node: ast.For) -> None:
        name = _name(node.target).replace("_", "k")
        if isinstance(node.iter, ast.Tuple):
            for number in node.iter.elts:
                self.names[name] = self.value(number)
                self.statements(node.body)
            del self.names[name]
            return
        assert isinstance(node.iter, ast.Call)
        ends = [0, *[ast.literal_eval(arg) for arg in node.iter.args]][-2:]
        counter = self.names[name] = Value(name, INT, 1)
        start, stop = (self.printer.constant_sizes.whole(end) for end in ends)
        self.block(self.printer.repeat(name, counter, start, stop), node.body)
        del self.names[name]

    def Return(self, node: ast.Return) -> None:
        value: Any = node.value
        results = value.elts if isinstance(value, ast.Tuple) else [value]
        values = [
            self.printer.spread(self.of_kind(part, kind)).text
            for part, kind in zip(results, self.results, strict=True)
        ]
        for line in self.printer.returned(values):
            self.line(line)
