"""Print functions and formulas of the language in GLSL ES 3.00."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from .forms import Parameters
from .printer import OneLane, Printer, ShaderParts
from .sizes import ARRAYS
from .tree import BITWISE, FLOAT, INT, LOGICAL, MASK, SUM, TRUTH, UINT, UNARY, Value, ValueKind

_COMPARED = {
    "==": "equal",
    "!=": "notEqual",
    "<": "lessThan",
    "<=": "lessThanEqual",
    ">": "greaterThan",
    ">=": "greaterThanEqual",
}


_HEAD = """#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp isampler2D;
precision highp usampler2D;
precision highp sampler2DArray;
precision highp isampler2DArray;
precision highp usampler2DArray;"""
NEW_LINE = "\n"


class GlslPrinter(Printer):
    """Printer of GLSL. Truth values are bvec4, or uvec4 of 0 and 1, which `&` and `|` need."""

    types: ClassVar = {
        **{(FLOAT, 4): "vec4", (INT, 4): "ivec4", (UINT, 4): "uvec4"},
        **{(TRUTH, 4): "bvec4", (MASK, 4): "uvec4"},
        **{(FLOAT, 1): "float", (INT, 1): "int", (UINT, 1): "uint"},
        **{(TRUTH, 1): "bool", (MASK, 1): "uint"},
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
        # compiler/codegen/cancellation.py gives the reason.
        "pt_opaque": """ivec4 pt_opaque(ivec4 x) { return x ^ (int(gl_FragCoord.x) >> 31); }
uvec4 pt_opaque(uvec4 x) { return x ^ uint(int(gl_FragCoord.x) >> 31); }
vec4 pt_opaque(vec4 x) {
  return intBitsToFloat(floatBitsToInt(x) ^ (int(gl_FragCoord.x) >> 31));
}""",
        "pt_opaque_1": """int pt_opaque_1(int x) { return x ^ (int(gl_FragCoord.x) >> 31); }
uint pt_opaque_1(uint x) { return x ^ uint(int(gl_FragCoord.x) >> 31); }
float pt_opaque_1(float x) {
  return intBitsToFloat(floatBitsToInt(x) ^ (int(gl_FragCoord.x) >> 31));
}""",
        # Divisions of positions, of which sizes.py shows that they are exact.
        "pt_quotient": "int pt_quotient(int x, float r) { return int((float(x) + 0.5) * r); }",
        "pt_quotient4": "ivec4 pt_quotient4(ivec4 x, float r) "
        "{ return ivec4((vec4(x) + 0.5) * r); }",
        "pt_modulo": "int pt_modulo(int x, int n, float r) { return x - pt_quotient(x, r) * n; }",
        "pt_modulo4": "ivec4 pt_modulo4(ivec4 x, int n, float r) "
        "{ return x - pt_quotient4(x, r) * n; }",
        # Two elements are packed at once.
        "pt_half_bits": """uvec4 pt_half_bits(vec4 x) {
  uvec2 p = uvec2(packHalf2x16(x.xy), packHalf2x16(x.zw));
  return uvec4(p.x & 0xffffu, p.x >> 16, p.y & 0xffffu, p.y >> 16);
}""",
        "pt_from_half_bits": """vec4 pt_from_half_bits(uvec4 n) {
  return vec4(unpackHalf2x16(n.x | n.y << 16), unpackHalf2x16(n.z | n.w << 16));
}""",
        "pt_half_bits_1": "uint pt_half_bits_1(float x) { return packHalf2x16(vec2(x, 0.0)); }",
        "pt_from_half_bits_1": "float pt_from_half_bits_1(uint n) { return unpackHalf2x16(n).x; }",
    }

    def compared(self, sign: str, a: Value, b: Value) -> Value:
        return Value(f"{_COMPARED[sign]}({self.spread(a).text}, {self.spread(b).text})", TRUTH)

    def chosen(self, condition: str, a: Value, b: Value) -> Value:
        if a.kind == FLOAT:
            return Value(f"mix({b.text}, {a.text}, {condition})", FLOAT)
        return Value(f"pt_pick({condition}, {a.text}, {b.text})", a.kind)

    def joined(self, sign: str, values: list[Value]) -> Value:
        texts = [self.of_kind(value, MASK).inside(UNARY) for value in values]
        return Value(f" {sign} ".join(texts), MASK, 4, BITWISE)

    def inverse(self, condition: Value) -> Value:
        return Value(f"not({condition.text})", TRUTH)

    def shifted(self, a: Value, sign: str, count: Value) -> Value:
        text = f"{a.inside(UNARY)} {sign} {count.inside(UNARY)}"
        return self.value(text, a.kind, a.lanes, BITWISE, a.uses | count.uses)

    def bits(self, kind: ValueKind, value: Value) -> str:
        name = "floatBitsToUint" if kind == UINT else "uintBitsToFloat"
        return f"{name}({self.spread(value).text})"

    @cached_property
    def of_one(self) -> Printer:
        return _OneLane()

    def declared(self, name: str, value: Value) -> str:
        return f"{self.types[value.kind, value.lanes]} {name} = {value.text};"

    def array(self, name: str, kind: ValueKind, length: int) -> str:
        return f"{self.types[kind, 4]} {name}[{length}];"

    def loop(self, counter: str, start: str, stop: str, step: int = 1) -> str:
        more = f" += {self.size(step)}" if step > 1 else "++"
        return f"for (int {counter} = {start}; {counter} < {stop}; {counter}{more})"

    def called(self, name: str, kind: ValueKind | None) -> str:
        return f"pt_{name}"

    def head(self, name: str, parameters: Parameters, results: Sequence[ValueKind]) -> str:
        texts = [f"{self.types[kind, self.lanes]} {own}" for own, kind in parameters]
        texts += [
            f"out {self.types[kind, self.lanes]} result{at}"
            for at, kind in enumerate(results)
            if at
        ]
        return f"{self.types[results[0], self.lanes]} {name}({', '.join(texts)})"

    def received(self, name: str, kind: ValueKind) -> tuple[str, str]:
        return f"{self.types[kind, self.lanes]} {name};", name

    def constant(self, name: str, kind: ValueKind, numbers: Sequence[str]) -> str:
        if len(numbers) == 1:
            return f"#define {name} {numbers[0]}"
        array = f"{self.types[kind, 1]}[{len(numbers)}]"
        return f"const {array} {name} = {array}({', '.join(numbers)});"

    def load(self, slot: int, *position: str) -> str:
        if len(position) > 1:
            position = (f"ivec{len(position)}({', '.join(position)})",)
        return f"texelFetch(x{slot}, {position[0]}, 0)"

    def either(self, condition: str, a: str, b: str) -> str:
        return f"{condition} ? {a} : {b}"

    def texel_function(self, name: str, kind: ValueKind, text: str) -> str:
        return f"{self.types[kind, 4]} {name}(int t) {{ return {text}; }}"

    def element_function(self, name: str, kind: ValueKind, text: str) -> str:
        return f"{self.types[kind, 1]} {name}(int i) {{ return {text}; }}"

    def shader(self, source: ShaderParts) -> str:
        lines = [_HEAD]
        for slot, texture in enumerate(source.inputs):
            kind = texture.kind
            sampler = {FLOAT: "", INT: "i"}.get(kind, "u") + "sampler2D"
            lines.append(f"uniform {sampler}{'Array' if texture.width is None else ''} x{slot};")
        for kind, length in source.uniforms.items():
            lines.append(f"uniform {self.types[kind, 1]} {ARRAYS[kind]}[{length}];")
        for location, kind in enumerate(source.outputs):
            lines.append(f"layout(location = {location}) out {self.types[kind, 4]} y{location};")
        lines += [
            *self.included(" ".join(source.needs)),
            *source.reads.splitlines(),
            *source.definitions,
        ]
        if source.own:
            lines.append(f"#line 1 1\n{source.own}")
            lines.append(f"#line {sum(line.count(NEW_LINE) + 1 for line in lines) + 2} 0")
        lines += [
            "",
            "void main() {",
            "  ivec2 P = ivec2(gl_FragCoord.xy);",
            source.body,
            "}",
            "",
        ]
        return NEW_LINE.join(lines)


class _OneLane(OneLane, GlslPrinter):
    """Printer of GLSL for one element."""

    types: ClassVar = {**GlslPrinter.types, (MASK, 1): "bool"}

    def compared(self, sign: str, a: Value, b: Value) -> Value:
        return Value(f"{a.inside(SUM)} {sign} {b.inside(SUM)}", TRUTH, 1, LOGICAL)

    def chosen(self, condition: str, a: Value, b: Value) -> Value:
        if a.kind == FLOAT:
            # With `?:`, SwiftShader compiles some long shaders for minutes; see docs/drivers.md.
            return Value(f"mix({b.text}, {a.text}, {condition})", FLOAT, 1)
        return Value(f"({condition} ? {a.text} : {b.text})", a.kind, 1)

    def joined(self, sign: str, values: list[Value]) -> Value:
        texts = [self.of_kind(value, TRUTH).inside(UNARY) for value in values]
        return Value(f" {sign}{sign} ".join(texts), TRUTH, 1, LOGICAL)


GLSL = GlslPrinter()
