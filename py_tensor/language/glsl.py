"""Print functions and formulas of the language in GLSL ES 3.00."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from .printer import BITWISE, UNARY, Printer, Value, inside

_COMPARED = {
    "==": "equal",
    "!=": "notEqual",
    "<": "lessThan",
    "<=": "lessThanEqual",
    ">": "greaterThan",
    ">=": "greaterThanEqual",
}


class GlslPrinter(Printer):
    """Printer of GLSL. Truth values are bvec4, or uvec4 of 0 and 1, which `&` and `|` need."""

    types: ClassVar = {
        **{("f", 4): "vec4", ("i", 4): "ivec4", ("u", 4): "uvec4"},
        **{("b", 4): "bvec4", ("m", 4): "uvec4"},
        **{("f", 1): "float", ("i", 1): "int", ("u", 1): "uint"},
    }
    native_names: ClassVar = {"round": "roundEven"}
    exceptions: ClassVar = {
        # A reading of bits, since GLSL has no literal for it.
        "PT_NAN": "#define PT_NAN uintBitsToFloat(0x7fc00000u)",
        "PT_INF": "#define PT_INF uintBitsToFloat(0x7f800000u)",
        # mix() with a bvec4 exists for floats only.
        "pt_pick": """vec4 pt_pick(bvec4 c, vec4 a, vec4 b) { return mix(b, a, c); }
ivec4 pt_pick(bvec4 c, ivec4 a, ivec4 b) {
  return ivec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w);
}
uvec4 pt_pick(bvec4 c, uvec4 a, uvec4 b) {
  return uvec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w);
}""",
        # Compilers cannot see through it: the sign bit of a fragment's position is never set.
        # compiler/glsl/cancellation.py gives the reason.
        "pt_opaque": """ivec4 pt_opaque(ivec4 x) { return x ^ (int(gl_FragCoord.x) >> 31); }
uvec4 pt_opaque(uvec4 x) { return x ^ uint(int(gl_FragCoord.x) >> 31); }
vec4 pt_opaque(vec4 x) {
  return intBitsToFloat(floatBitsToInt(x) ^ (int(gl_FragCoord.x) >> 31));
}""",
        # Two elements are packed at once.
        "pt_half_bits": """uvec4 pt_half_bits(vec4 x) {
  uvec2 p = uvec2(packHalf2x16(x.xy), packHalf2x16(x.zw));
  return uvec4(p.x & 0xffffu, p.x >> 16, p.y & 0xffffu, p.y >> 16);
}""",
        "pt_from_half_bits": """vec4 pt_from_half_bits(uvec4 n) {
  return vec4(unpackHalf2x16(n.x | n.y << 16), unpackHalf2x16(n.z | n.w << 16));
}""",
    }

    def compared(self, sign: str, a: Value, b: Value) -> Value:
        return Value(f"{_COMPARED[sign]}({self.spread(a).text}, {self.spread(b).text})", "b")

    def chosen(self, condition: str, a: Value, b: Value) -> Value:
        if a.kind == "f":
            return Value(f"mix({b.text}, {a.text}, {condition})", "f")
        return Value(f"pt_pick({condition}, {a.text}, {b.text})", a.kind)

    def joined(self, sign: str, values: list[Value]) -> Value:
        texts = [inside(self.of_kind(value, "m"), UNARY) for value in values]
        return Value(f" {sign} ".join(texts), "m", 4, BITWISE)

    def inverse(self, condition: Value) -> Value:
        return Value(f"not({condition.text})", "b")

    def shifted(self, a: Value, sign: str, count: Value) -> str:
        return f"{inside(a, UNARY)} {sign} {inside(count, UNARY)}"

    def bits(self, kind: str, value: Value) -> str:
        name = "floatBitsToUint" if kind == "u" else "uintBitsToFloat"
        return f"{name}({self.spread(value).text})"

    def declared(self, name: str, value: Value) -> str:
        return f"{self.types[value.kind, value.lanes]} {name} = {value.text};"

    def loop(self, counter: str, start: int, stop: int) -> str:
        return f"for (int {counter} = {start}; {counter} < {stop}; {counter}++)"

    def called(self, name: str, kind: str) -> str:
        return f"pt_{name}"

    def head(self, name: str, parameters: list[tuple[str, str]], results: Sequence[str]) -> str:
        texts = [f"{self.types[kind, 4]} {own}" for own, kind in parameters]
        texts += [f"out {self.types[kind, 4]} result{at}" for at, kind in enumerate(results) if at]
        return f"{self.types[results[0], 4]} {name}({', '.join(texts)})"

    def received(self, name: str, kind: str) -> tuple[str, str]:
        return f"{self.types[kind, 4]} {name};", name

    def constant(self, name: str, kind: str, numbers: Sequence[str]) -> str:
        if len(numbers) == 1:
            return f"#define {name} {numbers[0]}"
        kind = f"{self.types[kind, 1]}[{len(numbers)}]"
        return f"const {kind} {name} = {kind}({', '.join(numbers)});"


GLSL = GlslPrinter()
