"""Print functions and formulas of the language as WebAssembly, in the text of `wasm_text`.

Instructions take their operands from a stack, so that a text is that of the operands, followed by
an instruction, and needs no parentheses. Four elements are a vector of 128 bits. Truth values of
vectors have all bits set or none, those of one element are 1 or 0.
"""

from __future__ import annotations

import ast
import struct
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from .printer import ONE, Parameters, Printer
from .tree import (
    FLOAT,
    INT,
    LITERAL,
    LOGICAL,
    MASK,
    PRODUCT,
    SUM,
    TRUTH,
    UINT,
    Value,
    ValueKind,
    Whole,
)

_SIGNS = {
    **{"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "rem"},
    **{"&": "and", "|": "or", "^": "xor", "&&": "and", "||": "or"},
    **{"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"},
}
"""Instruction of each operator, without the type."""
_BITWISE = {"&", "|", "^", "&&", "||"}
_SIGNED = {"/", "%", "<", "<=", ">", ">="}
"""Operators whose instructions differ for signed and unsigned integers."""
_INSTRUCTIONS = {
    **{"abs": "abs", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "round": "nearest"},
    **{"sqrt": "sqrt", "min": "min", "max": "max"},
}
"""Functions that are instructions."""
_TRUTHS = (TRUTH, MASK)
LOW = "i8x16.shuffle:0,1,2,3,4,5,6,7,16,17,18,19,20,21,22,23"
"""Instruction that joins the first two lanes of two vectors."""
_HIGH = "i8x16.shuffle:8,9,10,11,12,13,14,15,8,9,10,11,12,13,14,15"


def shuffle(lanes: Sequence[int]) -> str:
    """Return the instruction that picks four of the eight lanes of two vectors."""
    numbers = [str(4 * lane + byte) for lane in lanes for byte in range(4)]
    return f"i8x16.shuffle:{','.join(numbers)}"


def _by_lanes(name: str, instruction: str) -> str:
    """Return a function that applies an instruction of two numbers to each lane."""
    parts = [
        f"x i32x4.extract_lane:{lane} n i32x4.extract_lane:{lane} {instruction} "
        + (f"i32x4.replace_lane:{lane}" if lane else "i32x4.splat")
        for lane in range(4)
    ]
    return "\n".join([f".func:{name} x:v128 n:v128 -> v128", *parts])


def _by_doubles(name: str, sign: str) -> str:
    """Return a function that divides integers, whose quotients are exact in 53 bits."""
    convert = f"f64x2.convert_low_i32x4_{sign}"
    return f"""\
.func:{name} x:v128 n:v128 -> v128
x {convert} n {convert} f64x2.div i32x4.trunc_sat_f64x2_{sign}_zero
x x {_HIGH} {convert} n n {_HIGH} {convert} f64x2.div i32x4.trunc_sat_f64x2_{sign}_zero
{LOW}"""


class StackValue(Value):
    """Value whose operators are printed after their operands."""

    __slots__ = ()

    def inside(self, level: int) -> str:
        return self.text

    def __add__(self, other: Whole) -> Value:
        return self.binary("+", other, SUM) if other != 0 else self

    __radd__ = __add__

    def __mul__(self, other: Whole) -> Whole:
        if isinstance(other, int) and 0 <= other <= 1:
            return self if other else 0
        return self.binary("*", other, PRODUCT)

    __rmul__ = __mul__

    def __and__(self, other: Whole) -> Value:
        return self.binary("&", other, LOGICAL)

    def binary(
        self, sign: str, other: Whole, level: int, left: int | None = None, right: int | None = None
    ) -> Value:
        printer = self.printer
        operand = printer.whole(other, self.kind)
        value = printer.operation(sign, level, self, operand, False)
        uses = self.uses | operand.uses
        return type(self)(value.text, value.kind, value.lanes, uses=uses)

    def lane(self, names: str) -> Value:
        lanes = ["xyzw".index(name) for name in names]
        if len(lanes) == 1:
            text = f"{self.text} {_TYPES[self.kind]}x4.extract_lane:{lanes[0]}"
            if self.kind in _TRUTHS:
                text += " i32.const:1 i32.and"
        else:
            text = f"{self.text} {self.text} {shuffle((*lanes, 0, 0)[:4])}"
        return type(self)(text, self.kind, len(lanes), uses=self.uses)

    def __getitem__(self, index: Whole) -> Value:
        if isinstance(index, int):
            return self.lane("xyzw"[index])
        # The bytes of lane n are 4 n to 4 n + 3.
        offsets = f"{index.text} i32.const:0x04040404 i32.mul i32.const:0x03020100 i32.add"
        text = f"{self.text} {offsets} i32x4.splat i8x16.swizzle"
        return type(self)(text, self.kind, 4, uses=self.uses | index.uses).lane("x")


_TYPES = {FLOAT: "f32", INT: "i32", UINT: "i32", TRUTH: "i32", MASK: "i32", LITERAL: "i32"}
"""Type of one element of each kind."""


class WasmPrinter(Printer):
    """Printer of WebAssembly. A function for several kinds has one name for each."""

    types: ClassVar = {
        **{(kind, 4): "v128" for kind in _TYPES},
        **{(kind, 1): name for kind, name in _TYPES.items()},
    }
    expression = StackValue
    modules = ("functions.py", "elementary.py")
    names_operands = True
    exceptions: ClassVar = {
        # There are no instructions for them.
        "pt_shl": _by_lanes("pt_shl", "i32.shl"),
        "pt_shr_s": _by_lanes("pt_shr_s", "i32.shr_s"),
        "pt_shr_u": _by_lanes("pt_shr_u", "i32.shr_u"),
        "pt_div_s": _by_doubles("pt_div_s", "s"),
        "pt_div_u": _by_doubles("pt_div_u", "u"),
        "pt_rem_s": ".func:pt_rem_s x:v128 n:v128 -> v128\n"
        "x x n .call:pt_div_s n i32x4.mul i32x4.sub",
        "pt_rem_u": ".func:pt_rem_u x:v128 n:v128 -> v128\n"
        "x x n .call:pt_div_u n i32x4.mul i32x4.sub",
        # One instruction chooses bits.
        "pt_copysign": ".func:pt_copysign x:v128 s:v128 -> v128\n"
        "x s i32x4.const:0x7fffffff v128.bitselect",
        # (x + 0.5) / n differs from whole numbers by more than the error of a double.
        "pt_quotient": f"""\
.func:pt_quotient x:v128 r:f64 -> v128
.local:h:v128 .local:f:v128
f64.const:0.5 f64x2.splat .set:h r f64x2.splat .set:f
x f64x2.convert_low_i32x4_s h f64x2.add f f64x2.mul i32x4.trunc_sat_f64x2_s_zero
x x {_HIGH} f64x2.convert_low_i32x4_s h f64x2.add f f64x2.mul i32x4.trunc_sat_f64x2_s_zero
{LOW}""",
    }

    def __init__(self, uniform_sizes: bool = False) -> None:
        super().__init__(uniform_sizes)

    @cached_property
    def constant_sizes(self) -> Printer:
        return self

    @cached_property
    def of_one(self) -> Printer:
        return _OneLane()

    # --- numbers --------------------------------------------------------------------------------

    def number(self, value: bool | int | float, kind: ValueKind) -> str:
        if kind == FLOAT:
            (rounded,) = struct.unpack("f", struct.pack("f", value))
            return f"f32.const:{rounded!r}"
        return f"i32.const:{int(value)}"

    def size(self, number: int, kind: ValueKind = INT) -> str:
        return self.number(number, kind)

    def named(self, name: str) -> Value:
        tree = ast.parse(self.blocks[name]).body[0]
        assert isinstance(tree, ast.AnnAssign)
        number = tree.value
        text = f"{number.value}" if isinstance(number, ast.Constant) else f"PT_{name}"
        return Value(text, UINT, 0)

    special = "{}"

    def spread(self, value: Value) -> Value:
        if value.lanes == self.lanes:
            return value
        text = self._constant(value)
        if text is None:
            sign = "i32.const:0 {} i32.sub" if value.kind in _TRUTHS else "{}"
            text = f"{sign.format(value.text)} {_TYPES[value.kind]}x4.splat"
        return self.value(text, value.kind, self.lanes, uses=value.uses)

    def _constant(self, value: Value) -> str | None:
        """Return a constant with all lanes, or None if a value is not constant."""
        number = value.text.removeprefix(f"{_TYPES[value.kind]}.const:")
        if value.lanes and (" " in number or number == value.text):
            return None
        number = {"true": "1", "false": "0"}.get(number, number).replace("PT_", "")
        if self.lanes == 1:
            return f"{_TYPES[value.kind]}.const:{number}"
        if value.kind in _TRUTHS and number != "0":
            number = "-1"
        return f"{_TYPES[value.kind]}x4.const:{number}"

    def of_kind(self, value: Value, kind: ValueKind) -> Value:
        if value.kind == kind:
            return value
        if value.kind == LITERAL:
            number = int(value.text, 0)
            return self.value(f"{number}", kind, value.lanes)
        if {value.kind, kind} == {TRUTH, MASK}:
            return value.of(kind)
        if value.kind == UINT and kind in _TRUTHS:
            value = self.spread(value)
            zero = self.spread(Value("0", UINT, 0))
            return self.value(
                f"{value.text} {zero.text} {self._prefix(UINT, value.lanes)}.ne",
                kind,
                value.lanes,
                uses=value.uses,
            )
        if kind == UINT and value.kind in _TRUTHS:
            return self.converted(self.spread(value), kind)
        raise TypeError(f"{value.text} is of kind {value.kind}, not {kind}")

    @staticmethod
    def _prefix(kind: ValueKind, lanes: int) -> str:
        return f"{_TYPES[kind]}x4" if lanes == 4 else _TYPES[kind]

    # --- operations -----------------------------------------------------------------------------

    def operation(self, sign: str, level: int, a: Value, b: Value, is_chained: bool) -> Value:
        lanes = max(a.lanes, b.lanes) or self.lanes
        four = self if lanes == self.lanes else self.of_one
        a, b = (value if value.lanes == lanes else four.spread(value) for value in (a, b))
        name, kind = _SIGNS[sign], a.kind
        if sign in _BITWISE:
            text = f"v128.{name}" if lanes == 4 else f"i32.{name}"
        elif kind == FLOAT or sign not in _SIGNED:
            text = f"{self._prefix(kind, lanes)}.{name}"
        else:
            suffix = "s" if kind == INT else "u"
            whole = sign in ("/", "%")
            prefix = ".call:pt_" if whole and lanes == 4 else f"{self._prefix(kind, lanes)}."
            text = f"{prefix}{name}_{suffix}"
        return Value(f"{a.text} {b.text} {text}", kind, lanes, uses=a.uses | b.uses)

    def compared(self, sign: str, a: Value, b: Value) -> Value:
        value = self.operation(sign, LOGICAL, *map(self._at_least_one, (a, b)), False)
        return value.of(TRUTH)

    def _at_least_one(self, value: Value) -> Value:
        return value if value.lanes else self.spread(value)

    def chosen(self, condition: str, a: Value, b: Value) -> Value:
        for sign, name in (("gt", "pmin"), ("lt", "pmax")):
            if condition == f"{b.text} {a.text} f32x4.{sign}":
                return Value(f"{b.text} {a.text} f32x4.{name}", a.kind)
        choose = "v128.bitselect" if self.lanes == 4 else ".select"
        return Value(f"{a.text} {b.text} {condition} {choose}", a.kind, self.lanes)

    def joined(self, sign: str, values: list[Value]) -> Value:
        total, *others = [self.of_kind(value, TRUTH) for value in values]
        for value in others:
            total = self.operation(sign, LOGICAL, total, value, True)
        return total

    def inverse(self, condition: Value) -> Value:
        return self.unary("!", condition)

    def unary(self, sign: str, value: Value) -> Value:
        if sign == "-" and not value.lanes:
            return Value(f"-{value.text}", value.kind, 0)
        value = self._at_least_one(value)
        kind, lanes = value.kind, value.lanes
        if sign == "!" or kind in _TRUTHS:
            text = "v128.not" if lanes == 4 else "i32.eqz"
        elif sign == "~":
            text = "v128.not" if lanes == 4 else "i32.const:-1 i32.xor"
        elif lanes == 4 or kind == FLOAT:
            text = f"{self._prefix(kind, lanes)}.neg"
        else:
            text = "i32.const:-1 i32.mul"
        return Value(f"{value.text} {text}", kind, lanes, uses=value.uses)

    def shifted(self, a: Value, sign: str, count: Value) -> Value:
        a = self._at_least_one(a)
        if not count.lanes:
            count = self.value(f"i32.const:{int(count.text, 0)}", INT, 1)
        name = "shl" if sign == "<<" else "shr_s" if a.kind == INT else "shr_u"
        if count.lanes == 4:
            a, prefix = self.spread(a), ".call:pt_"
        else:
            prefix = f"{self._prefix(INT, a.lanes)}."
        text = f"{a.text} {count.text} {prefix}{name}"
        return self.value(text, a.kind, a.lanes, uses=a.uses | count.uses)

    def bits(self, kind: ValueKind, value: Value) -> str:
        text = self.spread(value).text
        if self.lanes == 4:
            return text
        name = "i32.reinterpret_f32" if kind == UINT else "f32.reinterpret_i32"
        return f"{text} {name}"

    def converted(self, value: Value, kind: ValueKind) -> Value:
        value = self._at_least_one(value)
        lanes, text = value.lanes, value.text
        if value.kind in _TRUTHS:
            if lanes == 4:
                text += f" {_TYPES[kind]}x4.const:1 v128.and"
            elif kind == FLOAT:
                text += " f32.convert_i32_u"
        elif FLOAT in (value.kind, kind) and value.kind != kind:
            whole, to_float = (value.kind, True) if kind == FLOAT else (kind, False)
            name = "convert" if to_float else "trunc_sat"
            a, b = ("f32", "i32") if to_float else ("i32", "f32")
            four = "x4" if lanes == 4 else ""
            text += f" {a}{four}.{name}_{b}{four}_{'s' if whole == INT else 'u'}"
        return self.value(text, kind, lanes, uses=value.uses)

    def any(self, condition: Value) -> Value:
        if condition.lanes == 1:
            return condition
        return Value(f"{condition.text} v128.any_true", TRUTH, 1, uses=condition.uses)

    def divided(self, a: Value, b: Value) -> Value:
        return self.operation("/", PRODUCT, a, b, False)

    def native(self, name: str, values: Sequence[Value]) -> Value:
        kind, lanes = values[0].kind, self.lanes
        texts = " ".join([value.text for value in values])
        uses = 0
        for value in values:
            uses |= value.uses
        instruction = _INSTRUCTIONS.get(name)
        if kind != FLOAT:
            text = self._of_integers(name, kind, values)
        elif instruction is None:
            function = self.function(name)
            of = FLOAT if function and function.kinds else None
            text = f"{texts} .call:{self.called(name, of)}"
        else:
            text = f"{texts} {self._prefix(FLOAT, lanes)}.{instruction}"
        return Value(text, kind, lanes, uses=uses)

    def _of_integers(self, name: str, kind: ValueKind, values: Sequence[Value]) -> str:
        """Return the text of a native function of integers."""
        texts = " ".join([value.text for value in values])
        suffix = "s" if kind == INT else "u"
        if name == "sign":
            high, low = (self.spread(Value(number, kind, 0)) for number in ("1", "-1"))
            bounded = self.value(self._of_integers("min", kind, [values[0], high]), kind)
            return self._of_integers("max", kind, [bounded, low])
        if self.lanes == 4:
            return f"{texts} i32x4.{name}{'' if name == 'abs' else '_' + suffix}"
        if name == "abs":
            zero = f"i32.const:0 {texts} i32.sub"
            return f"{texts} {zero} {texts} i32.const:0 i32.ge_s .select"
        sign = "lt" if name == "min" else "gt"
        return f"{texts} {texts} i32.{sign}_{suffix} .select"

    def bounded(self, name: str, a: Value, b: Whole) -> Value:
        four = self if a.lanes == self.lanes else self.of_one
        value = four.native(name, [a, four.spread(four.whole(b, a.kind))])
        return self.value(value.text, value.kind, value.lanes, uses=value.uses)

    def invoked(self, name: str, operands: Sequence[str], further: Sequence[str] = ()) -> str:
        return " ".join([*operands, f".call:{name}", *reversed(further)])

    def element(self, table: Value, index: Value) -> Value:
        if self.lanes == 1:
            return Value(f"{index.text} .call:{table.text}", table.kind, 1)
        index = self.spread(index)
        texts = [
            f"{index.text} i32x4.extract_lane:{lane} .call:{table.text} "
            + (f"i32x4.replace_lane:{lane}" if lane else "i32x4.splat")
            for lane in range(4)
        ]
        return Value(" ".join(texts), table.kind, 4)

    # --- lanes ----------------------------------------------------------------------------------

    def vector(self, kind: ValueKind, parts: Sequence[Whole]) -> Value:
        values = [
            self.value(self.number(part, kind), kind, 1) if isinstance(part, int) else part
            for part in parts
        ]
        uses = 0
        for value in values:
            uses |= value.uses
        if len(values) == 1:
            value = values[0]
            value = value if value.kind == kind else self.converted(value, kind)
            return self.spread(value)
        if len({value.text for value in values}) == 1 and values[0].lanes == 1:
            return self.spread(values[0].of(kind))
        text, count, name = "", 0, _TYPES[kind]
        for value in values:
            own = value.text
            if value.lanes > 1:
                lanes = [n if n < count else 4 + n - count for n in range(4)]
                text = f"{text} {own} {shuffle(lanes)}" if text else own
            else:
                own = f"i32.const:0 {own} i32.sub" if kind in _TRUTHS else own
                place = f"{name}x4.replace_lane:{count}" if text else f"{name}x4.splat"
                text = f"{text} {own} {place}" if text else f"{own} {place}"
            count += value.lanes
        return self.value(text, kind, 4, uses=uses)

    def shuffled(self, a: Value, b: Value, lanes: Sequence[int]) -> Value:
        """Return four lanes of two vectors; those of the second one are numbered from 4 on."""
        text = f"{a.text} {b.text} {shuffle(lanes)}"
        return self.value(text, a.kind, 4, uses=a.uses | b.uses)

    def sum(self, terms: Sequence[tuple[Value, int]], offset: int) -> Value:
        # Numbers come before vectors, so that they are added up once.
        total: Value | None = None
        for term, step in sorted(terms, key=lambda part: part[0].lanes):
            product = term * step
            assert isinstance(product, Value)
            total = product if total is None else total + product
            if offset and total.lanes == 1:
                total, offset = total + offset, 0
        assert total is not None
        return total + offset

    def _multiples(self, step: int) -> Value:
        numbers = ",".join([str(lane * step) for lane in range(4)])
        return self.value(f"i32x4.const:{numbers}", INT)

    def quotient(self, value: Value, divisor: int) -> Value:
        if not divisor & (divisor - 1):
            return value >> divisor.bit_length() - 1
        if value.lanes == 1:
            return self._of_position("div", value, divisor)
        text = f"{value.text} f64.const:{1.0 / divisor!r} .call:pt_quotient"
        return self.value(text, INT, 4, uses=value.uses)

    def remainder(self, value: Value, divisor: int) -> Value:
        if not divisor & (divisor - 1):
            return value & divisor - 1
        if value.lanes == 1:
            return self._of_position("rem", value, divisor)
        return value - self.quotient(value, divisor) * divisor

    def _of_position(self, name: str, value: Value, divisor: int) -> Value:
        """Return an operation of a position, which is not negative, and a number."""
        text = f"{value.text} i32.const:{divisor} i32.{name}_u"
        return self.value(text, INT, 1, uses=value.uses)

    # --- functions ------------------------------------------------------------------------------

    def called(self, name: str, kind: ValueKind | None) -> str:
        return f"pt_{name}_{kind}" if kind else f"pt_{name}"

    def head(self, name: str, parameters: Parameters, results: Sequence[ValueKind]) -> str:
        texts = [f"{own}:{self.types[kind, self.lanes]}" for own, kind in parameters]
        kinds = [self.types[kind, self.lanes] for kind in results]
        return f".func:{name} {' '.join(texts)} -> {' '.join(kinds)}"

    def function_text(self, head: str, lines: Sequence[str]) -> str:
        return "\n".join([head, *lines])

    def returned(self, values: Sequence[str]) -> Sequence[str]:
        return [" ".join([*values, ".return"])]

    def received(self, name: str, kind: ValueKind) -> tuple[str, str]:
        return f".local:{name}:{self.types[kind, self.lanes]}", f".set:{name}"

    def constant(self, name: str, kind: ValueKind, numbers: Sequence[str]) -> str:
        if len(numbers) == 1:
            return ""
        *others, text = [f"i32.const:{number}" for number in numbers]
        for index, number in reversed([*enumerate(others)]):
            text = f"{number} {text} i i32.const:{index} i32.eq .select"
        return f".func:{name} i:i32 -> i32\n{text}"

    # --- statements -----------------------------------------------------------------------------

    def declared(self, name: str, value: Value) -> str:
        return f"{value.text} .local:{name}:{self.types[value.kind, value.lanes]} .set:{name}"

    def assigned(self, target: Value, value: Value, sign: str = "=") -> str:
        return f"{value.text} .set:{target.text}"

    def branch(self, condition: Value | None) -> tuple[str, str]:
        return ("", "") if condition is None else (f"{condition.text} .if", ".end")

    def repeat(
        self, label: str, counter: Value, start: Value, stop: Value, step: int = 1
    ) -> tuple[str, str]:
        name, again = counter.text, f"{stop.text} i32.lt_s"
        head = f"{start.text} .local:{name}:i32 .tee:{name} {again}"
        head = f".block:out_{label} {head} .if .loop:{label} .block:next_{label}"
        end = f".end {name} i32.const:{step} i32.add .tee:{name} {again} .br_if:{label}"
        return head, f"{end} .end .end .end"

    def endless(self, label: str) -> tuple[str, str]:
        head = f".block:out_{label} .loop:{label} .block:next_{label}"
        return head, f".end .br:{label} .end .end"

    def leave(self, how: str, label: str) -> str:
        return f".br:{'out' if how == 'break' else 'next'}_{label}"

    def leave_if(self, condition: Value, how: str, label: str) -> str:
        return f"{condition.text} {self.leave(how, label).replace('.br', '.br_if')}"

    def either(self, condition: str, a: str, b: str) -> str:
        return f"{a} {b} {condition} .select"


class _OneLane(WasmPrinter):
    """Printer of WebAssembly for one element."""

    lanes = 1
    exceptions: ClassVar = {}

    def called(self, name: str, kind: ValueKind | None) -> str:
        return super().called(name, kind) + ONE

    @cached_property
    def of_one(self) -> Printer:
        return self


WASM = WasmPrinter()
