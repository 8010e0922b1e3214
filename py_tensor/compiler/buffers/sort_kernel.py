"""Generate kernels that sort the elements of lines and store their indices.

An element is a pair of words: its index, and a key whose unsigned order is that of the values.
Pairs are never equal, so equal values keep their order. Short lines are sorted by insertion, others
by their digits, the lowest first (Knuth, The Art of Computer Programming 3, 5.2.1 and 5.2.5).
"""

from __future__ import annotations

from contextlib import ExitStack

from ...dtypes import DType
from ...language.statements import Statements
from ...language.tree import INT, UINT, Value, Whole
from ...language.wasm import shuffle
from ..codegen.positions import Axes
from .body import FunctionText
from .buffer_writer import BufferWriter
from .storage import GROUP

PAIR = 8
"""Bytes of an index and a key."""
START = 16
"""Position of the first pair in scratch memory; a pair of zeros is before it."""
INSERTED = 48
"""Elements up to which insertion is faster."""
LONG = 1 << 12
"""Elements from which three digits of 11 bits are faster than four of 8 bits."""


def write_sort(writer: BufferWriter) -> None:
    """Write the statements of a kernel that sorts."""
    call = writer.nodes.calls[writer.kernel.root]
    axis, descending = call.arg
    shape, dtype = call.specs[0].shape, call.specs[0].dtype
    length = shape[axis]
    code, (src,) = writer.code, writer.nodes.edges[writer.kernel.root]
    bits = 32 if dtype.kind == "f" else dtype.bits
    sort = FunctionText("s")
    writer.scratch = _write_line(sort, length, bits)
    with ExitStack() as loops:
        counters: list[Whole] = [
            0 if number == axis else loops.enter_context(code.loop(0, n))
            for number, n in enumerate(shape)
        ]

        def axes(lanes: Value) -> Axes:
            own = [lanes if number == axis else c for number, c in enumerate(counters)]
            return tuple(zip(own, shape, strict=True))

        for first, lanes, _ in writer.groups(length):
            value = writer.value(src, writer.index(call.specs[0].size, axes(lanes)))
            key = _key(code, value, dtype, bits, descending)
            _store_pairs(code, first, lanes, key)
        code.line(sort.text, uses=-1)
        for first, lanes, count in writer.groups(length):
            pairs = code.value("s_pairs", INT, 1) + first * PAIR
            both = f"{pairs.text} v128.load {pairs.text} v128.load:16 {shuffle((0, 2, 4, 6))}"
            value = code.value(both, INT, uses=pairs.uses)
            writer.store(0, value, axes(lanes), count)


def _key(code: Statements, value: Value, dtype: DType, bits: int, descending: bool) -> Value:
    """Return numbers of `bits` bits whose unsigned order is that of the values."""
    if dtype.kind == "f":
        # Adding zero turns -0.0 into 0.0. NaN becomes the largest number.
        value = code.let(code.apply("x + 0.0", value.kind, value))
        numbers = f"{value.text} i32x4.const:0x7fffffff {value.text} {value.text} f32x4.eq"
        value = code.let(code.value(f"{numbers} v128.bitselect", UINT, uses=value.uses))
        text = f"{value.text} i32.const:31 i32x4.shr_s i32x4.const:0x80000000 v128.or"
        text = f"{value.text} {text} v128.xor"
    elif dtype.kind == "i":
        text = f"{value.text} i32x4.const:{1 << (bits - 1)} i32x4.add"
    else:
        text = f"{value.text} i32x4.const:1 v128.and" if dtype.kind == "b" else value.text
    if descending:
        text += f" i32x4.const:{(1 << bits) - 1} v128.xor"
    return code.let(code.value(text, UINT, uses=value.uses))


def _store_pairs(code: Statements, first: Whole, indices: Value, keys: Value) -> None:
    address = code.value("scratch", INT, 1) + first * PAIR
    for half, lanes in enumerate(((0, 4, 1, 5), (2, 6, 3, 7))):
        text = f"{address.text} {indices.text} {keys.text} {shuffle(lanes)}"
        uses = address.uses | indices.uses | keys.uses
        code.line(f"{text} v128.store:{START + 16 * half}", uses)


def _write_line(body: FunctionText, length: int, bits: int) -> int:
    """Write the sort of the pairs of one line, whose address is then in `s_pairs`.

    The bytes of scratch memory are returned.
    """
    size = -(-length // GROUP) * GROUP * PAIR
    body.let(f"scratch i32.const:{START} i32.add", name="pairs")
    if length > INSERTED:
        return START + 2 * size + _write_digits(body, length, bits, size)
    if length > 1:
        _write_insertion(body, length)
    return START + size


def _write_insertion(body: FunctionText, length: int) -> None:
    before = START - PAIR
    body.add(f"scratch i64.const:0 i64.store:{before} .local:s_own:i64 .local:s_other:i64")
    with body.loop(length, start=1) as i:
        at = body.let(f"scratch {i} i32.const:{PAIR} i32.mul i32.add", name="at")
        body.add(f"{at} i64.load:{START} .set:s_own .block:s_found .loop:s_down")
        body.add(f"{at} i64.load:{before} .tee:s_other s_own i64.le_u .br_if:s_found")
        body.add(f"{at} s_other i64.store:{START}")
        body.step(at, -PAIR)
        body.add(f".br:s_down .end .end {at} s_own i64.store:{START}")


def _write_digits(body: FunctionText, length: int, bits: int, size: int) -> int:
    """Write passes that order pairs by one digit each; return the bytes of their tables.

    A table has for each digit first how many pairs have it, then the address of the next of them.
    """
    digit = 11 if bits == 32 and length >= LONG else 8
    table = 4 << digit
    shifts = range(0, bits, digit)
    body.add(".local:s_at:i32 .local:s_own:i64 .local:s_count:i32 .local:s_next:i32")
    other = body.let(f"scratch i32.const:{START + size} i32.add", name="other")
    tables = body.let(f"scratch i32.const:{START + 2 * size} i32.add", name="tables")

    def entry(shift: int) -> str:
        """Return the text of the address of the entry of the pair `s_own`, 4 bytes per digit."""
        number = f"s_own i64.const:{30 + shift} i64.shr_u i32.wrap_i64"
        return f"{tables} {number} i32.const:{table - 4} i32.and i32.add"

    with body.loop(len(shifts) * table, 16) as i:
        body.add(f"{tables} {i} i32.add i32x4.const:0 v128.store")
    pair = f"s_pairs {{}} i32.const:{PAIR} i32.mul i32.add i64.load .set:s_own"
    with body.loop(length) as i:
        body.add(pair.format(i))
        for number, shift in enumerate(shifts):
            at = f":{number * table}"
            one = f"s_at i32.load{at} i32.const:1 i32.add i32.store{at}"
            body.add(f"{entry(shift)} .tee:s_at {one}")
    for number, shift in enumerate(shifts):
        at = f":{number * table}"
        # The pairs stay in order if all have the same digit.
        body.add(f".block:s_skip s_pairs i64.load .set:s_own {entry(shift)} i32.load{at}")
        body.add(f"i32.const:{length} i32.eq .br_if:s_skip {other} .set:s_next")
        with body.loop(table, 4) as i:
            body.add(f"{tables} {i} i32.add .tee:s_at i32.load{at} .set:s_count")
            body.add(f"s_at s_next i32.store{at}")
            body.add(f"s_next s_count i32.const:{PAIR} i32.mul i32.add .set:s_next")
        with body.loop(length) as i:
            body.add(pair.format(i))
            body.add(f"{entry(shift)} .tee:s_at i32.load{at} .tee:s_next s_own i64.store")
            body.add(f"s_at s_next i32.const:{PAIR} i32.add i32.store{at}")
        body.add(f"{other} s_pairs .set:s_other .set:s_pairs .end")
    return len(shifts) * table
