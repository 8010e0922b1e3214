"""Print functions and formulas of the language in WGSL."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import ClassVar, NamedTuple

from .forms import Parameters
from .printer import OneLane, Printer
from .sizes import ARRAYS
from .tree import BITWISE, FLOAT, INT, LITERAL, MASK, SUM, TRUTH, UINT, UNARY, Value, ValueKind

_SCALAR = re.compile(r"\b([FIU])\[(\d+)\]")
"""Element of an array of uniforms, which is a member of the structure of scalars."""


class StoredArray(NamedTuple):
    """Array of groups of four elements in a storage buffer.

    The templates take the text of a group, or of the array and of the position of an element.
    """

    kind: ValueKind
    type: str
    """Type of a group."""
    itemsize: int
    """Bytes of an element."""
    load: str = "{}"
    store: str = "{}"
    element: str = "{0}[{1} >> 2u][{1} & 3]"

    @property
    def of_single(self) -> StoredArray:
        """The same memory as an array of elements of four bytes, which are stored one by one."""
        return StoredArray(self.kind, self.type.removeprefix("vec4<").rstrip(">"), 4)


def _narrow(kind: ValueKind, name: str, itemsize: int, element: str, word: str) -> StoredArray:
    """Return the array of a type of one or two bytes, whose groups are words."""
    groups = f"pt_load_{name}({{}})", f"pt_store_{word}({{}})"
    return StoredArray(kind, "vec2<u32>" if itemsize == 2 else "u32", itemsize, *groups, element)


_BYTE = "{0}[{1} >> 2u]", "u32({1} & 3) * 8u, 8u"
_SHORT = "{0}[{1} >> 2u][({1} >> 1u) & 1]", "u32({1} & 1) * 16u, 16u"
_WORDS = {FLOAT: "vec4<f32>", INT: "vec4<i32>", UINT: "vec4<u32>"}
STORED = {
    "float32": StoredArray(FLOAT, _WORDS[FLOAT], 4),
    "complex64": StoredArray(FLOAT, _WORDS[FLOAT], 4),
    "int32": StoredArray(INT, _WORDS[INT], 4),
    "uint32": StoredArray(UINT, _WORDS[UINT], 4),
    "float16": _narrow(FLOAT, "f16", 2, f"unpack2x16float({_SHORT[0]})[{{1}} & 1]", "f16"),
    "int16": _narrow(INT, "i16", 2, f"extractBits(bitcast<i32>({_SHORT[0]}), {_SHORT[1]})", "i16"),
    "uint16": _narrow(UINT, "u16", 2, f"extractBits({_SHORT[0]}, {_SHORT[1]})", "u16"),
    "int8": _narrow(INT, "i8", 1, f"extractBits(bitcast<i32>({_BYTE[0]}), {_BYTE[1]})", "i8"),
    "uint8": _narrow(UINT, "u8", 1, f"extractBits({_BYTE[0]}, {_BYTE[1]})", "u8"),
    "bool": _narrow(MASK, "u8", 1, f"extractBits({_BYTE[0]}, {_BYTE[1]})", "u8"),
}
"""Arrays by the name of their dtype. Narrow types are stored narrow and computed in 32 bits."""


class ComputeParts(NamedTuple):
    """A kernel, of which the printer makes the text of a compute shader.

    `uniforms` are the numbers of scalars by kind, `definitions` lines before the kernel, and
    `workgroup` the numbers of invocations of a workgroup along its axes.
    """

    inputs: Sequence[StoredArray]
    uniforms: Mapping[ValueKind, int]
    outputs: Sequence[StoredArray]
    needs: Collection[str]
    body: str
    workgroup: tuple[int, ...]
    definitions: Sequence[str] = ()


class WgslPrinter(Printer):
    """Printer of WGSL. A function for several kinds has one name for each, such as `pt_f_i`."""

    types: ClassVar = {
        **{(FLOAT, 4): "vec4<f32>", (INT, 4): "vec4<i32>", (UINT, 4): "vec4<u32>"},
        **{(TRUTH, 4): "vec4<bool>", (MASK, 4): "vec4<u32>"},
        **{(FLOAT, 1): "f32", (INT, 1): "i32", (UINT, 1): "u32"},
        **{(TRUTH, 1): "bool", (MASK, 1): "u32"},
    }
    native_names: ClassVar = {}
    reserved: ClassVar = frozenset(("f16", "f32", "i32", "u32"))
    exceptions: ClassVar = {
        # Constant expressions may be neither infinite nor NaN, so the bits are variables.
        "PT_NAN": "var<private> PT_NAN_BITS: u32 = 0x7fc00000u;\n"
        "fn PT_NAN() -> f32 { return bitcast<f32>(PT_NAN_BITS); }",
        "PT_INF": "var<private> PT_INF_BITS: u32 = 0x7f800000u;\n"
        "fn PT_INF() -> f32 { return bitcast<f32>(PT_INF_BITS); }",
        # Zero, which compilers cannot know: no grid has so many workgroups. NVIDIA's compiler
        # knows how long arrays may be. compiler/codegen/cancellation.py gives the reason.
        "pt_hidden": "var<private> PT_GROUP: u32;\n"
        "fn pt_hidden() -> u32 { return PT_GROUP >> 30u; }",
        **{
            f"pt_opaque_{kind}{one}": f"fn pt_opaque_{kind}{one}(x: {type}) -> {type} "
            f"{{ return bitcast<{type}>(bitcast<{bits}>(x) ^ {bits}(pt_hidden())); }}"
            for one, lanes in (("", "vec4<{}>"), ("_1", "{}"))
            for kind, type in ((k, lanes.format(f"{k}32")) for k in "fiu")
            for bits in [lanes.format("u32")]
        },
        # Divisions of positions, of which sizes.py shows that they are exact.
        "pt_quotient": "fn pt_quotient(x: i32, r: f32) -> i32 { return i32((f32(x) + 0.5) * r); }",
        "pt_quotient4": "fn pt_quotient4(x: vec4<i32>, r: f32) -> vec4<i32> "
        "{ return vec4<i32>((vec4<f32>(x) + 0.5) * r); }",
        "pt_modulo": "fn pt_modulo(x: i32, n: i32, r: f32) -> i32 "
        "{ return x - pt_quotient(x, r) * n; }",
        "pt_modulo4": "fn pt_modulo4(x: vec4<i32>, n: i32, r: f32) -> vec4<i32> "
        "{ return x - pt_quotient4(x, r) * n; }",
        # Groups of four narrow elements, which are one or two words.
        "pt_load_f16": "fn pt_load_f16(p: vec2<u32>) -> vec4<f32> "
        "{ return vec4<f32>(unpack2x16float(p.x), unpack2x16float(p.y)); }",
        "pt_load_i16": "fn pt_load_i16(p: vec2<u32>) -> vec4<i32> "
        "{ return (bitcast<vec2<i32>>(p).xxyy << vec4<u32>(16u, 0u, 16u, 0u)) "
        ">> vec4<u32>(16u); }",
        "pt_load_u16": "fn pt_load_u16(p: vec2<u32>) -> vec4<u32> "
        "{ return (p.xxyy >> vec4<u32>(0u, 16u, 0u, 16u)) & vec4<u32>(0xffffu); }",
        "pt_load_i8": "fn pt_load_i8(p: u32) -> vec4<i32> "
        "{ return (vec4<i32>(bitcast<i32>(p)) << vec4<u32>(24u, 16u, 8u, 0u)) "
        ">> vec4<u32>(24u); }",
        "pt_load_u8": "fn pt_load_u8(p: u32) -> vec4<u32> "
        "{ return (vec4<u32>(p) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u); }",
        "pt_store_f16": "fn pt_store_f16(v: vec4<f32>) -> vec2<u32> "
        "{ let n = pt_half_bits(v); return n.xz | (n.yw << vec2<u32>(16u)); }",
        "pt_store_u16": "fn pt_store_u16(v: vec4<u32>) -> vec2<u32> "
        "{ return (v.xz & vec2<u32>(0xffffu)) | (v.yw << vec2<u32>(16u)); }",
        "pt_store_i16": "fn pt_store_i16(v: vec4<i32>) -> vec2<u32> "
        "{ return pt_store_u16(bitcast<vec4<u32>>(v)); }",
        "pt_store_u8": "fn pt_store_u8(v: vec4<u32>) -> u32 "
        "{ return (v.x & 255u) | ((v.y & 255u) << 8u) | ((v.z & 255u) << 16u) | (v.w << 24u); }",
        "pt_store_i8": "fn pt_store_i8(v: vec4<i32>) -> u32 "
        "{ return pt_store_u8(bitcast<vec4<u32>>(v)); }",
        # SwiftShader changes the second element that it packs if the first one is NaN.
        "pt_half_bits": """fn pt_half_bits(x: vec4<f32>) -> vec4<u32> {
  return vec4<u32>(
    pt_half_bits_1(x.x), pt_half_bits_1(x.y), pt_half_bits_1(x.z), pt_half_bits_1(x.w)
  );
}""",
        "pt_from_half_bits": """fn pt_from_half_bits(n: vec4<u32>) -> vec4<f32> {
  return vec4<f32>(unpack2x16float(n.x | (n.y << 16u)), unpack2x16float(n.z | (n.w << 16u)));
}""",
        "pt_half_bits_1": """fn pt_half_bits_1(x: f32) -> u32 {
  return pack2x16float(vec2<f32>(x, 0.0)) & 0xffffu;
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

    def either(self, condition: str, a: str, b: str) -> str:
        return f"select({b}, {a}, {condition})"

    def compute(self, source: ComputeParts) -> str:
        """Return the text of a compute shader."""
        lines = []
        for binding, array in enumerate(source.inputs):
            lines.append(_bound(binding, f"var<storage, read> x{binding}: array<{array.type}>"))
        for number, array in enumerate(source.outputs):
            binding = number + len(source.inputs)
            text = f"var<storage, read_write> y{number}: array<{array.type}>"
            lines.append(_bound(binding, text))
        members = [
            f"{ARRAYS[kind]}{number}: {self.types[kind, 1]}"
            for kind, length in source.uniforms.items()
            for number in range(length)
        ]
        if members:
            lines.append(f"struct Scalars {{ {', '.join(members)} }}")
            binding = len(source.inputs) + len(source.outputs)
            lines.append(_bound(binding, "var<uniform> S: Scalars"))
        body = _SCALAR.sub(r"S.\1\2", source.body)
        own = [_SCALAR.sub(r"S.\1\2", line) for line in source.definitions]
        lines += [*self.included("\n".join([" ".join(source.needs), body, *own])), *own]
        size = ", ".join(map(str, source.workgroup))
        lines.append(f"@compute @workgroup_size({size}) fn main(")
        lines.append(
            "  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>"
        )
        hidden = ["  PT_GROUP = W.x;"] if any("PT_GROUP" in line for line in lines) else []
        return "\n".join([*lines, ") {", *hidden, "  let l = i32(L);", body, "}", ""])


def _bound(binding: int, variable: str) -> str:
    return f"@group(0) @binding({binding}) {variable};"


class _OneLane(OneLane, WgslPrinter):
    """Printer of WGSL for one element."""

    types: ClassVar = {**WgslPrinter.types, (MASK, 1): "bool"}


WGSL = WgslPrinter()
