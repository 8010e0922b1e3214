"""Print functions and formulas of the language in WGSL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from .printer import BITWISE, SUM, UNARY, Printer, Value, inside


class WgslPrinter(Printer):
    """Printer of WGSL. A function for several kinds has one name for each, such as `pt_f_i`."""

    types: ClassVar = {
        **{("f", 4): "vec4<f32>", ("i", 4): "vec4<i32>", ("u", 4): "vec4<u32>"},
        **{("b", 4): "vec4<bool>", ("m", 4): "vec4<u32>"},
        **{("f", 1): "f32", ("i", 1): "i32", ("u", 1): "u32"},
    }
    native_names: ClassVar = {}
    exceptions: ClassVar = {
        # Constant expressions may be neither infinite nor NaN, so the bits are variables.
        "PT_NAN": "var<private> PT_NAN_BITS: u32 = 0x7fc00000u;\n"
        "fn PT_NAN() -> f32 { return bitcast<f32>(PT_NAN_BITS); }",
        "PT_INF": "var<private> PT_INF_BITS: u32 = 0x7f800000u;\n"
        "fn PT_INF() -> f32 { return bitcast<f32>(PT_INF_BITS); }",
        # Two elements are packed at once.
        "pt_half_bits": """fn pt_half_bits(x: vec4<f32>) -> vec4<u32> {
  let p = pack2x16float(x.xy);
  let q = pack2x16float(x.zw);
  return vec4<u32>(p & 0xffffu, p >> 16u, q & 0xffffu, q >> 16u);
}""",
        "pt_from_half_bits": """fn pt_from_half_bits(n: vec4<u32>) -> vec4<f32> {
  return vec4<f32>(unpack2x16float(n.x | (n.y << 16u)), unpack2x16float(n.z | (n.w << 16u)));
}""",
    }
    mixes = False
    special = "{}()"
    further = "*{}"

    def compared(self, sign: str, a: Value, b: Value) -> Value:
        if sign == "!=" and a.kind == "f":
            # Chromium's compiler makes a comparison of it that is false if an operand is NaN.
            return self.inverse(self.compared("==", a, b))
        left, right = (inside(self.spread(value), SUM) for value in (a, b))
        return Value(f"{left} {sign} {right}", "b", 4, BITWISE)

    def chosen(self, condition: str, a: Value, b: Value) -> Value:
        return Value(f"select({b.text}, {a.text}, {condition})", a.kind)

    def joined(self, sign: str, values: list[Value]) -> Value:
        texts = [inside(self.of_kind(value, "b"), UNARY) for value in values]
        return Value(f" {sign} ".join(texts), "b", 4, BITWISE)

    def inverse(self, condition: Value) -> Value:
        return Value(f"!{inside(condition, UNARY)}", "b", 4, UNARY)

    def shifted(self, a: Value, sign: str, count: Value) -> str:
        if count.kind == "n":
            count = self.of_kind(count, "u")
        if not (count.kind == "u" and count.lanes == a.lanes):
            count = Value(f"{self.types['u', a.lanes]}({count.text})", "u", a.lanes)
        return f"{inside(a, UNARY)} {sign} {inside(count, UNARY)}"

    def bits(self, kind: str, value: Value) -> str:
        return f"bitcast<{self.types[kind, 4]}>({self.spread(value).text})"

    def declared(self, name: str, value: Value) -> str:
        return f"var {name} = {value.text};"

    def loop(self, counter: str, start: int, stop: int) -> str:
        return f"for (var {counter} = {start}; {counter} < {stop}; {counter}++)"

    def called(self, name: str, kind: str) -> str:
        return f"pt_{name}_{kind}" if kind else f"pt_{name}"

    def head(self, name: str, parameters: list[tuple[str, str]], results: Sequence[str]) -> str:
        texts = [f"{own}: {self.types[kind, 4]}" for own, kind in parameters]
        texts += [
            f"result{at}: ptr<function, {self.types[kind, 4]}>"
            for at, kind in enumerate(results)
            if at
        ]
        return f"fn {name}({', '.join(texts)}) -> {self.types[results[0], 4]}"

    def received(self, name: str, kind: str) -> tuple[str, str]:
        return f"var {name}: {self.types[kind, 4]};", f"&{name}"

    def constant(self, name: str, kind: str, numbers: Sequence[str]) -> str:
        scalar = self.types[kind, 1]
        if len(numbers) == 1:
            return f"const {name}: {scalar} = {numbers[0]};"
        return f"const {name} = array<{scalar}, {len(numbers)}>({', '.join(numbers)});"


WGSL = WgslPrinter()
