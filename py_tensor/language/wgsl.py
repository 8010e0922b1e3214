"""Print functions and formulas of the language in WGSL."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from .forms import Parameters
from .printer import OneLane, Printer, ShaderParts
from .sizes import ARRAYS
from .tree import BITWISE, FLOAT, INT, LITERAL, MASK, SUM, TRUTH, UINT, UNARY, Value, ValueKind


class WgslPrinter(Printer):
    """Printer of WGSL. A function for several kinds has one name for each, such as `pt_f_i`."""

    types: ClassVar = {
        **{(FLOAT, 4): "vec4<f32>", (INT, 4): "vec4<i32>", (UINT, 4): "vec4<u32>"},
        **{(TRUTH, 4): "vec4<bool>", (MASK, 4): "vec4<u32>"},
        **{(FLOAT, 1): "f32", (INT, 1): "i32", (UINT, 1): "u32"},
        **{(TRUTH, 1): "bool", (MASK, 1): "u32"},
    }
    native_names: ClassVar = {}
    exceptions: ClassVar = {
        # Constant expressions may be neither infinite nor NaN, so the bits are variables.
        "PT_NAN": "var<private> PT_NAN_BITS: u32 = 0x7fc00000u;\n"
        "fn PT_NAN() -> f32 { return bitcast<f32>(PT_NAN_BITS); }",
        "PT_INF": "var<private> PT_INF_BITS: u32 = 0x7f800000u;\n"
        "fn PT_INF() -> f32 { return bitcast<f32>(PT_INF_BITS); }",
        # Divisions of positions, of which sizes.py shows that they are exact.
        "pt_quotient": "fn pt_quotient(x: i32, r: f32) -> i32 { return i32((f32(x) + 0.5) * r); }",
        "pt_quotient4": "fn pt_quotient4(x: vec4<i32>, r: f32) -> vec4<i32> "
        "{ return vec4<i32>((vec4<f32>(x) + 0.5) * r); }",
        "pt_modulo": "fn pt_modulo(x: i32, n: i32, r: f32) -> i32 "
        "{ return x - pt_quotient(x, r) * n; }",
        "pt_modulo4": "fn pt_modulo4(x: vec4<i32>, n: i32, r: f32) -> vec4<i32> "
        "{ return x - pt_quotient4(x, r) * n; }",
        # Two elements are packed at once.
        "pt_half_bits": """fn pt_half_bits(x: vec4<f32>) -> vec4<u32> {
  let p = pack2x16float(x.xy);
  let q = pack2x16float(x.zw);
  return vec4<u32>(p & 0xffffu, p >> 16u, q & 0xffffu, q >> 16u);
}""",
        "pt_from_half_bits": """fn pt_from_half_bits(n: vec4<u32>) -> vec4<f32> {
  return vec4<f32>(unpack2x16float(n.x | (n.y << 16u)), unpack2x16float(n.z | (n.w << 16u)));
}""",
        "pt_half_bits_1": """fn pt_half_bits_1(x: f32) -> u32 {
  return pack2x16float(vec2<f32>(x, 0.0));
}""",
        "pt_from_half_bits_1": """fn pt_from_half_bits_1(n: u32) -> f32 {
  return unpack2x16float(n).x;
}""",
    }
    mixes = False
    special = "{}()"
    further = "*{}"

    def compared(self, sign: str, a: Value, b: Value) -> Value:
        if sign == "!=" and a.kind == FLOAT:
            # Chromium's compiler makes a comparison of it that is false if an operand is NaN.
            return self.inverse(self.compared("==", a, b))
        left, right = (self.spread(value).inside(SUM) for value in (a, b))
        return Value(f"{left} {sign} {right}", TRUTH, self.lanes, BITWISE)

    def chosen(self, condition: str, a: Value, b: Value) -> Value:
        return Value(f"select({b.text}, {a.text}, {condition})", a.kind, self.lanes)

    def joined(self, sign: str, values: list[Value]) -> Value:
        texts = [self.of_kind(value, TRUTH).inside(UNARY) for value in values]
        return Value(f" {sign} ".join(texts), TRUTH, self.lanes, BITWISE)

    def inverse(self, condition: Value) -> Value:
        return Value(f"!{condition.inside(UNARY)}", TRUTH, self.lanes, UNARY)

    def shifted(self, a: Value, sign: str, count: Value) -> Value:
        if count.kind == LITERAL:
            count = self.of_kind(count, UINT)
        if count.kind != UINT:
            text = f"{self.types[UINT, count.lanes]}({count.text})"
            count = Value(text, UINT, count.lanes, uses=count.uses)
        if a.lanes > 1:
            count = self.spread(count)
        text = f"{a.inside(UNARY)} {sign} {count.inside(UNARY)}"
        return self.value(text, a.kind, a.lanes, BITWISE, a.uses | count.uses)

    def bits(self, kind: ValueKind, value: Value) -> str:
        return f"bitcast<{self.types[kind, self.lanes]}>({self.spread(value).text})"

    @cached_property
    def of_one(self) -> Printer:
        return _OneLane()

    def declared(self, name: str, value: Value) -> str:
        return f"var {name} = {value.text};"

    def array(self, name: str, kind: ValueKind, length: int) -> str:
        return f"var {name}: array<{self.types[kind, 4]}, {length}>;"

    def loop(self, counter: str, start: str, stop: str, step: int = 1) -> str:
        more = f" += {self.size(step)}" if step > 1 else "++"
        return f"for (var {counter} = {start}; {counter} < {stop}; {counter}{more})"

    def called(self, name: str, kind: ValueKind | None) -> str:
        return f"pt_{name}_{kind}" if kind else f"pt_{name}"

    def head(self, name: str, parameters: Parameters, results: Sequence[ValueKind]) -> str:
        texts = [f"{own}: {self.types[kind, self.lanes]}" for own, kind in parameters]
        texts += [
            f"result{at}: ptr<function, {self.types[kind, self.lanes]}>"
            for at, kind in enumerate(results)
            if at
        ]
        return f"fn {name}({', '.join(texts)}) -> {self.types[results[0], self.lanes]}"

    def received(self, name: str, kind: ValueKind) -> tuple[str, str]:
        return f"var {name}: {self.types[kind, self.lanes]};", f"&{name}"

    def constant(self, name: str, kind: ValueKind, numbers: Sequence[str]) -> str:
        scalar = self.types[kind, 1]
        if len(numbers) == 1:
            return f"const {name}: {scalar} = {numbers[0]};"
        return f"const {name} = array<{scalar}, {len(numbers)}>({', '.join(numbers)});"

    def load(self, slot: int, *position: str) -> str:
        if len(position) > 1:
            position = (f"vec2<i32>({', '.join(position[:2])})", *position[2:])
        return f"textureLoad(x{slot}, {', '.join(position)}, 0)"

    def either(self, condition: str, a: str, b: str) -> str:
        return f"select({b}, {a}, {condition})"

    def texel_function(self, name: str, kind: ValueKind, text: str) -> str:
        return f"fn {name}(t: i32) -> {self.types[kind, 4]} {{ return {text}; }}"

    def element_function(self, name: str, kind: ValueKind, text: str) -> str:
        return f"fn {name}(i: i32) -> {self.types[kind, 1]} {{ return {text}; }}"

    def shader(self, source: ShaderParts) -> str:
        lines = []
        for slot, texture in enumerate(source.inputs):
            name = f"texture_2d{'_array' if texture.width is None else ''}"
            texel = self.types[texture.kind, 1]
            lines.append(f"@group(0) @binding({slot}) var x{slot}: {name}<{texel}>;")
        for binding, kind in enumerate(source.uniforms, len(source.inputs)):
            array = f"var<storage, read> {ARRAYS[kind]}: array<{self.types[kind, 1]}>"
            lines.append(f"@group(0) @binding({binding}) {array};")
        results = [f"y{number}" for number, _ in enumerate(source.outputs)]
        lines.append("struct Results {")
        for number, kind in enumerate(source.outputs):
            lines.append(f"  @location({number}) y{number}: {self.types[kind, 4]},")
        lines.append("}")
        for number, kind in enumerate(source.outputs):
            lines.append(f"var<private> y{number}: {self.types[kind, 4]};")
        lines += [*self.included(" ".join(source.needs)), source.reads]
        lines.append("@fragment fn main(@builtin(position) position: vec4<f32>) -> Results {")
        lines += ["  let P = vec2<i32>(position.xy);", source.body]
        return "\n".join([*lines, f"  return Results({', '.join(results)});", "}", ""])


class _OneLane(OneLane, WgslPrinter):
    """Printer of WGSL for one element."""

    types: ClassVar = {**WgslPrinter.types, (MASK, 1): "bool"}


WGSL = WgslPrinter()
