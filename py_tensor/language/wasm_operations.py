"""Print operators, native functions and conversions as instructions of WebAssembly.

Input: values. Output: values whose texts are those of `wasm_text`, operands first.
"""

from __future__ import annotations

import ast
import struct
from collections.abc import Sequence
from typing import ClassVar

from .printer import Printer
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
TRUTHS = (TRUTH, MASK)


def shuffle(lanes: Sequence[int]) -> str:
    """Return the instruction that picks four of the eight lanes of two vectors."""
    numbers = [str(4 * lane + byte) for lane in lanes for byte in range(4)]
    return f"i8x16.shuffle:{','.join(numbers)}"


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
            text = f"{self.text} {TYPES[self.kind]}x4.extract_lane:{lanes[0]}"
            if self.kind in TRUTHS:
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


TYPES = {FLOAT: "f32", INT: "i32", UINT: "i32", TRUTH: "i32", MASK: "i32", LITERAL: "i32"}
"""Type of one element of each kind."""


class WasmOperations(Printer):
    """Printer of the expressions of WebAssembly, without functions and statements."""

    types: ClassVar = {
        **{(kind, 4): "v128" for kind in TYPES},
        **{(kind, 1): name for kind, name in TYPES.items()},
    }
    expression = StackValue

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
        text = f"{number.value!r}" if isinstance(number, ast.Constant) else f"PT_{name}"
        return Value(text, UINT, 0)

    special = "{}"

    def spread(self, value: Value) -> Value:
        if value.lanes == self.lanes:
            return value
        text = self._constant(value)
        if text is None:
            sign = "i32.const:0 {} i32.sub" if value.kind in TRUTHS else "{}"
            text = f"{sign.format(value.text)} {TYPES[value.kind]}x4.splat"
        return self.value(text, value.kind, self.lanes, uses=value.uses)

    def _constant(self, value: Value) -> str | None:
        """Return a constant with all lanes, or None if a value is not constant."""
        number = value.text.removeprefix(f"{TYPES[value.kind]}.const:")
        if value.lanes and (" " in number or number == value.text):
            return None
        number = {"true": "1", "false": "0"}.get(number, number).replace("PT_", "")
        if self.lanes == 1:
            return f"{TYPES[value.kind]}.const:{number}"
        if value.kind in TRUTHS and number != "0":
            number = "-1"
        return f"{TYPES[value.kind]}x4.const:{number}"

    def of_kind(self, value: Value, kind: ValueKind) -> Value:
        if value.kind == kind:
            return value
        if value.kind == LITERAL:
            number = int(value.text, 0)
            return self.value(f"{number}", kind, value.lanes)
        if {value.kind, kind} == {TRUTH, MASK}:
            return value.of(kind)
        if value.kind == UINT and kind in TRUTHS:
            value = self.spread(value)
            zero = self.spread(Value("0", UINT, 0))
            return self.value(
                f"{value.text} {zero.text} {self._prefix(UINT, value.lanes)}.ne",
                kind,
                value.lanes,
                uses=value.uses,
            )
        if kind == UINT and value.kind in TRUTHS:
            return self.converted(self.spread(value), kind)
        raise TypeError(f"{value.text} is of kind {value.kind}, not {kind}")

    @staticmethod
    def _prefix(kind: ValueKind, lanes: int) -> str:
        return f"{TYPES[kind]}x4" if lanes == 4 else TYPES[kind]

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
        a, b = map(self._at_least_one, (a, b))
        value = self.operation(sign, LOGICAL, a, b, False)
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
        if sign == "!" or kind in TRUTHS:
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
        if value.kind in TRUTHS:
            if lanes == 4:
                text += f" {TYPES[kind]}x4.const:1 v128.and"
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
        return Value(f"{condition.text} i32x4.bitmask", TRUTH, 1, uses=condition.uses)

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
