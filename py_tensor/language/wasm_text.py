"""Assemble WebAssembly modules from text.

Input: the text of functions, one word for each instruction, operands first. Output: the bytes of a
module that imports a memory and exports its last function, or its text in WebAssembly's own format.
A module that calls functions by their numbers imports their table, too.

A word is the name of an instruction, with its constant after a colon (`v128.load:16`). The name of
a local variable reads it. Words that start with a dot are about variables, functions and blocks:
`.func:name x:v128 -> v128`, `.local:x:v128`, `.set:x`, `.tee:x`, `.call:name`, `.block:label`,
`.loop:label`, `.br:label`, `.br_if:label`, `.if`, `.if:v128` (with a result), `.else`, `.end`,
`.return`, `.drop` and `.select`. `.call_indirect:i32,i32` calls the function of the table whose
number is on the stack, with parameters of these types and no result. `f32x4.const:0.5` and
`i32x4.const:1` have four equal lanes, or four numbers separated by commas.

Source: WebAssembly Core Specification 2.0, Binary Format, and the relaxed SIMD proposal.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Container, Iterable
from functools import lru_cache
from itertools import groupby

TYPES = {"i32": 0x7F, "i64": 0x7E, "f32": 0x7D, "f64": 0x7C, "v128": 0x7B}
"""Encoding of each type of values."""
MEMORY = ("env", "memory")
"""Module and name of the imported memory."""
TABLE = ("env", "table")
"""Module and name of the imported table of functions."""
EXPORT = "kernel"
"""Name of the exported function."""


def _numbered(first: int, prefix: str, names: str) -> dict[str, int]:
    """Return consecutive opcodes; a dash skips one."""
    words = enumerate(names.split(), first)
    return {f"{prefix}.{name}": code for code, name in words if name != "-"}


_INTEGER = "eqz eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u"
_INTEGER_MATH = "clz ctz popcnt add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u"
_FLOAT = "eq ne lt gt le ge"
_FLOAT_MATH = "abs neg ceil floor trunc nearest sqrt add sub mul div min max copysign"
_NARROW = "eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u"

_PLAIN = {
    **_numbered(0x45, "i32", _INTEGER),
    **_numbered(0x50, "i64", _INTEGER),
    **_numbered(0x5B, "f32", _FLOAT),
    **_numbered(0x61, "f64", _FLOAT),
    **_numbered(0x67, "i32", _INTEGER_MATH),
    **_numbered(0x79, "i64", _INTEGER_MATH),
    **_numbered(0x8B, "f32", _FLOAT_MATH),
    **_numbered(0x99, "f64", _FLOAT_MATH),
    **{"i32.wrap_i64": 0xA7, "i64.extend_i32_s": 0xAC, "i64.extend_i32_u": 0xAD},
    **_numbered(0xB2, "f32", "convert_i32_s convert_i32_u convert_i64_s convert_i64_u demote_f64"),
    **_numbered(0xB7, "f64", "convert_i32_s convert_i32_u convert_i64_s convert_i64_u promote_f32"),
    **{"i32.reinterpret_f32": 0xBC, "f32.reinterpret_i32": 0xBE},
    **{"i32.extend8_s": 0xC0, "i32.extend16_s": 0xC1},
    **{".else": 0x05, ".return": 0x0F, ".drop": 0x1A, ".select": 0x1B, "unreachable": 0x00},
}
"""Instructions of one byte."""
_SATURATING = _numbered(0, "i32", "trunc_sat_f32_s trunc_sat_f32_u trunc_sat_f64_s trunc_sat_f64_u")
"""Instructions after the byte 0xfc."""
_BYTES_MATH = (
    "abs neg popcnt all_true bitmask narrow_i16x8_s narrow_i16x8_u - - - - shl shr_s shr_u add "
    "add_sat_s add_sat_u sub sub_sat_s sub_sat_u - - min_s min_u max_s max_u - avgr_u"
)
_SHORTS_MATH = (
    "abs neg q15mulr_sat_s all_true bitmask narrow_i32x4_s narrow_i32x4_u extend_low_i8x16_s "
    "extend_high_i8x16_s extend_low_i8x16_u extend_high_i8x16_u shl shr_s shr_u add add_sat_s "
    "add_sat_u sub sub_sat_s sub_sat_u - mul min_s min_u max_s max_u - avgr_u "
    "extmul_low_i8x16_s extmul_high_i8x16_s extmul_low_i8x16_u extmul_high_i8x16_u"
)
_WORDS_MATH = (
    "abs neg - all_true bitmask - - extend_low_i16x8_s extend_high_i16x8_s extend_low_i16x8_u "
    "extend_high_i16x8_u shl shr_s shr_u add - - sub - - - mul min_s min_u max_s max_u dot_i16x8_s "
    "- extmul_low_i16x8_s extmul_high_i16x8_s extmul_low_i16x8_u extmul_high_i16x8_u"
)
_LONGS_MATH = (
    "abs neg - all_true bitmask - - extend_low_i32x4_s extend_high_i32x4_s extend_low_i32x4_u "
    "extend_high_i32x4_u shl shr_s shr_u add - - sub - - - mul eq ne lt_s gt_s le_s ge_s "
    "extmul_low_i32x4_s extmul_high_i32x4_s extmul_low_i32x4_u extmul_high_i32x4_u"
)
_SIMD = {
    **{"i8x16.swizzle": 14},
    **_numbered(15, "i8x16", "splat"),
    **_numbered(16, "i16x8", "splat"),
    **_numbered(17, "i32x4", "splat"),
    **_numbered(18, "i64x2", "splat"),
    **_numbered(19, "f32x4", "splat"),
    **_numbered(20, "f64x2", "splat"),
    **_numbered(35, "i8x16", _NARROW),
    **_numbered(45, "i16x8", _NARROW),
    **_numbered(55, "i32x4", _NARROW),
    **_numbered(65, "f32x4", _FLOAT),
    **_numbered(71, "f64x2", _FLOAT),
    **_numbered(77, "v128", "not and andnot or xor bitselect any_true"),
    **{"f32x4.demote_f64x2_zero": 94, "f64x2.promote_low_f32x4": 95},
    **_numbered(96, "i8x16", _BYTES_MATH),
    **_numbered(103, "f32x4", "ceil floor trunc nearest"),
    **{"f64x2.ceil": 116, "f64x2.floor": 117, "f64x2.trunc": 122, "f64x2.nearest": 148},
    **_numbered(124, "i16x8", "extadd_pairwise_i8x16_s extadd_pairwise_i8x16_u"),
    **_numbered(126, "i32x4", "extadd_pairwise_i16x8_s extadd_pairwise_i16x8_u"),
    **_numbered(128, "i16x8", _SHORTS_MATH),
    **_numbered(160, "i32x4", _WORDS_MATH),
    **_numbered(192, "i64x2", _LONGS_MATH),
    **_numbered(224, "f32x4", "abs neg - sqrt add sub mul div min max pmin pmax"),
    **_numbered(236, "f64x2", "abs neg - sqrt add sub mul div min max pmin pmax"),
    **{"i32x4.trunc_sat_f32x4_s": 248, "i32x4.trunc_sat_f32x4_u": 249},
    **{"f32x4.convert_i32x4_s": 250, "f32x4.convert_i32x4_u": 251},
    **{"i32x4.trunc_sat_f64x2_s_zero": 252, "i32x4.trunc_sat_f64x2_u_zero": 253},
    **{"f64x2.convert_low_i32x4_s": 254, "f64x2.convert_low_i32x4_u": 255},
    **{"f32x4.relaxed_madd": 0x105, "f32x4.relaxed_nmadd": 0x106},
}
"""Instructions after the byte 0xfd."""
_LANES = {
    **_numbered(21, "i8x16", "extract_lane_s extract_lane_u replace_lane"),
    **_numbered(24, "i16x8", "extract_lane_s extract_lane_u replace_lane"),
    **_numbered(27, "i32x4", "extract_lane replace_lane"),
    **_numbered(29, "i64x2", "extract_lane replace_lane"),
    **_numbered(31, "f32x4", "extract_lane replace_lane"),
    **_numbered(33, "f64x2", "extract_lane replace_lane"),
}
"""Instructions after the byte 0xfd whose constant is the number of a lane."""
_ACCESS = {
    **{"i32.load": 0x28, "i64.load": 0x29, "f32.load": 0x2A, "f64.load": 0x2B},
    **_numbered(0x2C, "i32", "load8_s load8_u load16_s load16_u"),
    **{"i32.store": 0x36, "i64.store": 0x37, "f32.store": 0x38, "f64.store": 0x39},
    **{"i32.store8": 0x3A, "i32.store16": 0x3B},
}
"""Instructions of one byte whose constant is an offset, 0 by default."""
_SIMD_ACCESS = {
    **_numbered(0, "v128", "load load8x8_s load8x8_u load16x4_s load16x4_u load32x2_s load32x2_u"),
    **_numbered(7, "v128", "load8_splat load16_splat load32_splat load64_splat store"),
    **{"v128.load32_zero": 92, "v128.load64_zero": 93},
}
"""Instructions after the byte 0xfd whose constant is an offset, 0 by default."""
_LANE_ACCESS = _numbered(
    84,
    "v128",
    "load8_lane load16_lane load32_lane load64_lane store8_lane store16_lane store32_lane "
    "store64_lane",
)
"""Instructions after the byte 0xfd whose constants are a lane and an offset (`:2` or `:2:16`)."""


def unsigned(number: int) -> bytes:
    """Encode a number that is not negative (LEB128)."""
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def signed(number: int) -> bytes:
    """Encode a number (signed LEB128)."""
    encoded = bytearray()
    while not -0x40 <= number < 0x40:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number & 0x7F)
    return bytes(encoded)


def _four(text: str, code: str, parse: Callable[[str], float]) -> bytes:
    """Encode the constant of four lanes, given one number or four."""
    numbers = [parse(part) for part in text.split(",")]
    return b"\xfd\x0c" + struct.pack(f"<4{code}", *(numbers * 4)[:4])


def _word(text: str) -> int:
    """Return a 32-bit integer, signed or not, as a signed one."""
    return (int(text, 0) + (1 << 31)) % (1 << 32) - (1 << 31)


def _long(text: str) -> int:
    return (int(text, 0) + (1 << 63)) % (1 << 64) - (1 << 63)


_CONSTANTS: dict[str, Callable[[str], bytes]] = {
    "i32.const": lambda text: b"\x41" + signed(_word(text)),
    "i64.const": lambda text: b"\x42" + signed(_long(text)),
    "f32.const": lambda text: b"\x43" + struct.pack("<f", float(text)),
    "f64.const": lambda text: b"\x44" + struct.pack("<d", float(text)),
    "f32x4.const": lambda text: _four(text, "f", float),
    "i32x4.const": lambda text: _four(text, "i", _word),
    "i8x16.const": lambda text: b"\xfd\x0c" + bytes(map(int, text.split(","))),
    "i8x16.shuffle": lambda text: b"\xfd\x0d" + bytes(map(int, text.split(","))),
    ".if": lambda text: bytes([0x04, TYPES[text]]),
}
"""Functions that encode instructions with constants of their own."""


@lru_cache(1 << 12)
def encoded(word: str) -> bytes:
    """Encode an instruction that means the same in every function."""
    if word in _PLAIN:
        return bytes([_PLAIN[word]])
    if word in _SIMD:
        return b"\xfd" + unsigned(_SIMD[word])
    name, *numbers = word.split(":")
    if name in _CONSTANTS and numbers:
        return _CONSTANTS[name](numbers[0])
    if name in _SATURATING:
        return b"\xfc" + unsigned(_SATURATING[name])
    if name in _LANES:
        return b"\xfd" + unsigned(_LANES[name]) + bytes([int(numbers[0])])
    if name in _LANE_ACCESS:
        lane, *offset = map(int, numbers)
        return (
            b"\xfd"
            + unsigned(_LANE_ACCESS[name])
            + b"\0"
            + unsigned(*offset or (0,))
            + bytes([lane])
        )
    offset_bytes = b"\0" + unsigned(int(numbers[0]) if numbers else 0)
    if name in _ACCESS:
        return bytes([_ACCESS[name]]) + offset_bytes
    return b"\xfd" + unsigned(_SIMD_ACCESS[name]) + offset_bytes


class _Function:
    """Function whose words are encoded one after the other."""

    def __init__(
        self, head: list[str], numbers: dict[str, int], types: dict[tuple[bytes, bytes], int]
    ) -> None:
        name, *signature = head
        arrow = signature.index("->")
        self.name = name.removeprefix(".func:")
        parameters = [parameter.split(":") for parameter in signature[:arrow]]
        self.numbers = numbers
        self.types = types
        self.type = self._type([kind for _, kind in parameters], signature[arrow + 1 :])
        self.known: dict[str, bytes] = {}
        """Codes of the words about variables."""
        self.count = 0
        """Number of variables, of which parameters are the first."""
        for own, _ in parameters:
            self._name(own)
        self.declared = bytearray()
        self.labels: list[str] = []
        self.code: list[bytes] = []

    def _type(self, parameters: Iterable[str], results: Iterable[str]) -> int:
        """Return the number of a type of functions in the module."""
        key = bytes(map(TYPES.__getitem__, parameters)), bytes(map(TYPES.__getitem__, results))
        return self.types.setdefault(key, len(self.types))

    def _name(self, own: str) -> None:
        """Give a variable the next number."""
        number = unsigned(self.count)
        self.known[own] = b"\x20" + number
        self.known[f".set:{own}"] = b"\x21" + number
        self.known[f".tee:{own}"] = b"\x22" + number
        self.count += 1

    def add(self, words: Iterable[str]) -> None:
        """Encode words."""
        known, append = self.known.get, self.code.append
        for word in words:
            code = known(word)
            if code is not None:
                append(code)
            elif word[0] == ".":
                self._structure(word)
            else:
                append(encoded(word))

    def _structure(self, word: str) -> None:
        """Encode a word about functions or blocks, or declare a variable."""
        name, _, text = word.partition(":")
        if name == ".local":
            own, _, kind = text.partition(":")
            if own not in self.known:
                self._name(own)
                self.declared.append(TYPES[kind])
        elif name == ".call":
            self.code.append(b"\x10" + unsigned(self.numbers[text]))
        elif name == ".call_indirect":
            self.code.append(b"\x11" + unsigned(self._type(text.split(","), ())) + b"\0")
        elif name in (".block", ".loop"):
            self.labels.append(text)
            self.code.append(b"\x02\x40" if name == ".block" else b"\x03\x40")
        elif name in (".br", ".br_if"):
            depth = self.labels[::-1].index(text)
            self.code.append((b"\x0c" if name == ".br" else b"\x0d") + unsigned(depth))
        elif name == ".if":
            self.labels.append("")
            self.code.append(encoded(word) if text else b"\x04\x40")
        elif name == ".end":
            self.labels.pop()
            self.code.append(b"\x0b")
        else:
            self.code.append(encoded(word))

    @property
    def body(self) -> bytes:
        """The function in the section of code."""
        runs = [(kind, len([*same])) for kind, same in groupby(self.declared)]
        declared = _vector([unsigned(length) + bytes([kind]) for kind, length in runs])
        body = declared + b"".join(self.code) + b"\x0b"
        return unsigned(len(body)) + body


def _vector(items: Iterable[bytes]) -> bytes:
    parts = list(items)
    return unsigned(len(parts)) + b"".join(parts)


def _named(text: str) -> bytes:
    name = text.encode()
    return unsigned(len(name)) + name


def _section(number: int, content: bytes) -> bytes:
    return bytes([number]) + unsigned(len(content)) + content


def assemble(text: str) -> bytes:
    """Return the bytes of a module with the functions of a text, of which it exports the last."""
    numbers: dict[str, int] = {}
    types: dict[tuple[bytes, bytes], int] = {}
    functions: list[_Function] = []
    for line in text.splitlines():
        words = line.split()
        if words and words[0].startswith(".func:"):
            functions.append(_Function(words, numbers, types))
            numbers[functions[-1].name] = len(numbers)
        elif functions:
            functions[-1].add(words)
    kinds = [b"\x60" + unsigned(len(a)) + a + unsigned(len(b)) + b for a, b in types]
    imports = [b"".join(map(_named, MEMORY)) + b"\x02\x00\x00"]
    if ".call_indirect" in text:
        imports.append(b"".join(map(_named, TABLE)) + b"\x01\x70\x00\x00")
    return b"\0asm\1\0\0\0" + b"".join(
        [
            _section(1, _vector(kinds)),
            _section(2, _vector(imports)),
            _section(3, _vector([unsigned(function.type) for function in functions])),
            _section(7, _vector([_named(EXPORT) + b"\0" + unsigned(len(functions) - 1)])),
            _section(10, _vector([function.body for function in functions])),
        ]
    )


_LISTED = {
    **{".set": "local.set ${}", ".tee": "local.tee ${}", ".call": "call ${}"},
    **{".block": "block ${}", ".loop": "loop ${}", ".br": "br ${}", ".br_if": "br_if ${}"},
    **{"f32x4.const": "v128.const f32x4 {}", "i32x4.const": "v128.const i32x4 {}"},
    **{"i8x16.const": "v128.const i8x16 {}", ".call_indirect": "call_indirect (param {})"},
    ".if": "if (result {})",
}
"""Words of WebAssembly's own text format for words with a constant."""


def wat(text: str) -> str:
    """Return the module of a text in WebAssembly's own text format, with the same lines."""
    imports = [f'  (import "{MEMORY[0]}" "{MEMORY[1]}" (memory 0))']
    if ".call_indirect" in text:
        imports.append(f'  (import "{TABLE[0]}" "{TABLE[1]}" (table 0 funcref))')
    functions = [_function_listing(part) for part in text.split(".func:")[1:]]
    name = text.rpartition(".func:")[2].split()[0]
    export = f'  (export "{EXPORT}" (func ${name}))'
    return "\n".join(["(module", *imports, *functions, f"{export})"])


def _function_listing(text: str) -> str:
    """Return a function, whose local variables are declared at its start."""
    head, *lines = text.splitlines()
    (name, *parameters), results = map(str.split, head.split("->"))
    own = dict(parameter.split(":") for parameter in parameters)
    declared = dict(word.split(":")[1:] for word in text.split() if word.startswith(".local:"))
    signature = [f"(param ${variable} {kind})" for variable, kind in own.items()]
    signature += [f"(result {kind})" for kind in results]
    variables = " ".join([f"(local ${variable} {kind})" for variable, kind in declared.items()])
    listed = [f"  (func ${name} {' '.join(signature)}", f"    {variables}"]
    for line in lines:
        words = [word for word in line.split() if not word.startswith(".local:")]
        indent = line[: len(line) - len(line.lstrip())]
        known = own | declared
        listed.append(f"  {indent}{' '.join([_listed(word, known) for word in words])}")
    return "\n".join([*[line for line in listed if line.strip()], "  )"])


def _listed(word: str, variables: Container[str]) -> str:
    """Return a word of a function in WebAssembly's own text format."""
    if word in variables:
        return f"local.get ${word}"
    name, _, text = word.partition(":")
    if not text:
        return word.removeprefix(".")
    if name in ("f32x4.const", "i32x4.const") and "," not in text:
        text = ",".join([text] * 4)
    numbers = text.replace(",", " ").lower() if ".const" in name else text.replace(",", " ")
    if name in _LISTED:
        return _LISTED[name].format(numbers)
    if name in _LANE_ACCESS:
        lane, _, offset = text.partition(":")
        return f"{name} offset={offset or 0} {lane}"
    if name in _ACCESS or name in _SIMD_ACCESS:
        return name if text == "0" else f"{name} offset={text}"
    return f"{name} {numbers}"
