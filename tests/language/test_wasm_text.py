"""Modules that `assemble` makes are valid, and instructions do what their names say."""

import struct

import pytest

from py_tensor.language import wasm_text
from py_tensor.language.wasm_text import assemble, encoded, signed, unsigned, wat

wasmtime = pytest.importorskip("wasmtime")


def run(text, *arguments):
    """Run the last function of a text, as assembled and as wasmtime reads its listing."""
    results = []
    for code in (assemble(text), wat(text)):
        store = wasmtime.Store()
        memory = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(1, None)))
        module = wasmtime.Module(store.engine, code)
        instance = wasmtime.Instance(store, module, [memory])
        results.append(instance.exports(store)["kernel"](store, *arguments))
    assert results[0] == results[1]
    return results[0]


@pytest.mark.parametrize("number", [0, 1, 63, 64, 127, 128, 300, 2**31 - 1, 2**32 - 1])
def test_leb128_of_numbers(number):
    size = unsigned(number)
    assert sum((byte & 0x7F) << 7 * n for n, byte in enumerate(size)) == number
    assert signed(-1) == b"\x7f"
    assert signed(64) == b"\xc0\x00"


def test_functions_call_each_other():
    text = """
    .func:twice x:f32 -> f32
    x x f32.add
    .func:kernel x:f32 -> f32
    x .call:twice .call:twice
    """
    assert run(text, 1.5) == 6.0


def test_loops_and_labels():
    text = """
    .func:kernel n:i32 -> i32
    .local:k:i32 .local:s:i32
    i32.const:0 .set:k
    .block:out
    .loop:again
    k n i32.ge_s .br_if:out
    s k i32.add .set:s
    k i32.const:3 i32.eq .if s i32.const:100 i32.add .set:s .end
    k i32.const:1 i32.add .set:k
    .br:again
    .end
    .end
    s
    """
    assert run(text, 5) == 110


def test_vectors_in_memory():
    text = """
    .func:kernel -> i32
    i32.const:32 f32x4.const:1.0,2.0,3.0,4.0 f32x4.const:0.5 f32x4.mul v128.store
    i32.const:32 f32.load:12 i32.trunc_sat_f32_s
    """
    assert run(text) == 2


def test_functions_of_a_table_are_called_by_number():
    store = wasmtime.Store()
    memory = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(1, None)))
    reference = wasmtime.ValType.funcref()
    table = wasmtime.Table(store, wasmtime.TableType(reference, wasmtime.Limits(2, None)), None)
    stores = ".func:kernel A:i32 S:i32 ->\nA S i32.store"
    module = wasmtime.Module(store.engine, assemble(stores))
    table.set(store, 1, wasmtime.Instance(store, module, [memory]).exports(store)["kernel"])
    calls = ".func:kernel n:i32 ->\ni32.const:8 i32.const:77 n .call_indirect:i32,i32"
    module = wasmtime.Module(store.engine, assemble(calls))
    instance = wasmtime.Instance(store, module, [memory, table])
    instance.exports(store)["kernel"](store, 1)
    assert memory.read(store, 8, 12) == b"\x4d\0\0\0"


VECTOR = "i32x4.const:1"
OPERANDS = {
    "f32": "f32.const:1.0",
    "f64": "f64.const:1.0",
    "i32": "i32.const:1",
    "i64": "i64.const:1",
}


def _candidates():
    names = [*wasm_text._PLAIN, *wasm_text._SIMD, *wasm_text._SATURATING]
    names += [f"{name}:0" for name in (*wasm_text._LANES, *wasm_text._ACCESS)]
    names += [f"{name}:0" for name in (*wasm_text._SIMD_ACCESS, *wasm_text._LANE_ACCESS)]
    return [name for name in names if name[0] != "." and name != "unreachable"]


@pytest.mark.parametrize("word", _candidates())
def test_every_instruction_is_the_one_of_its_name(word):
    """wasmtime's own parser of the text format makes the same bytes."""
    name = word.partition(":")[0]
    body = name
    if name in wasm_text._LANES or name in wasm_text._LANE_ACCESS:
        body += " 0"
    listing = f"(module (memory 1) (func unreachable {body} unreachable))"
    if name.startswith("v128.") and "lane" in name:
        listing = f"(module (memory 1) (func unreachable {name} align=1 0 unreachable))"
    elif name in wasm_text._ACCESS or name in wasm_text._SIMD_ACCESS:
        listing = f"(module (memory 1) (func unreachable {name} align=1 unreachable))"
    expected = wasmtime.wat2wasm(listing)
    assert b"\0" + encoded(word) + b"\0\x0b" in bytes(expected), word


def test_constants_have_exact_bits():
    assert encoded("f32.const:0.1") == b"\x43" + struct.pack("<f", 0.1)
    assert encoded("i32.const:4294967295") == encoded("i32.const:-1")
    assert encoded("i32x4.const:1,2,3,4") == b"\xfd\x0c" + struct.pack("<4i", 1, 2, 3, 4)


def test_listings_have_labels_constants_and_results():
    text = """
    .func:kernel n:i32 -> i32
    .local:v:v128
    .block:out
    f32x4.const:0.5 i32x4.const:1,2,3,4 i8x16.shuffle:0,1,2,3,4,5,6,7,16,17,18,19,20,21,22,23 .set:v
    i32.const:64 v v128.store32_lane:2:16
    n .br_if:out
    i32.const:80 i32.const:7 i32.store
    .end
    n .if:i32 i32.const:80 i32.load .else i32.const:0 i32.load:80 .end
    """
    assert run(text, 0) == 7
    assert run(text, 1) == 1


def test_listings_of_calls_by_number():
    text = ".func:kernel n:i32 ->\ni32.const:8 i32.const:77 n .call_indirect:i32,i32"
    assert b"table" in bytes(wasmtime.wat2wasm(wat(text)))
