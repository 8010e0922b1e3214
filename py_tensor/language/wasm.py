"""Print functions and formulas of the language as WebAssembly, in the text of `wasm_text`.

Input: values, functions and formulas. Output: their text, in words of `wasm_text`.
Instructions take their operands from a stack, so that a text is that of the operands, followed by
an instruction, and needs no parentheses. Four elements are a vector of 128 bits. Truth values of
vectors have all bits set or none, those of one element are 1 or 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from .forms import Parameters
from .printer import ONE, Printer
from .tree import INT, Value, ValueKind, Whole
from .wasm_operations import TRUTHS, TYPES, WasmOperations, shuffle

LOW = "i8x16.shuffle:0,1,2,3,4,5,6,7,16,17,18,19,20,21,22,23"
"""Instruction that joins the first two lanes of two vectors."""
_HIGH = "i8x16.shuffle:8,9,10,11,12,13,14,15,8,9,10,11,12,13,14,15"


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


class WasmPrinter(WasmOperations):
    """Printer of WebAssembly. A function for several kinds has one name for each."""

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
        text, count, name = "", 0, TYPES[kind]
        for value in values:
            own = value.text
            if value.lanes > 1:
                lanes = [n if n < count else 4 + n - count for n in range(4)]
                text = f"{text} {own} {shuffle(lanes)}" if text else own
            else:
                own = f"i32.const:0 {own} i32.sub" if kind in TRUTHS else own
                place = f"{name}x4.replace_lane:{count}" if text else f"{name}x4.splat"
                text = f"{text} {own} {place}" if text else f"{own} {place}"
            count += value.lanes
        return self.value(text, kind, 4, uses=uses)

    def shuffled(self, a: Value, b: Value, lanes: Sequence[int]) -> Value:
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
