"""Generate kernels that sort the elements of lines and store their indices.

Input: a kernel whose root is a sort. Output: its statements.
Keys are numbers of 32 bits whose unsigned order is that of the values. In short lines, the rank of
an element is the number of elements before it. The elements of others are pairs of an index and a
key, which are ordered by their digits, the lowest first (Knuth, The Art of Computer Programming 3,
5.2 and 5.2.5). Equal elements keep their order.
"""

from __future__ import annotations

from contextlib import ExitStack

from ...dtypes import DType
from ...language.statements import Statements
from ...language.tree import INT, UINT, Value
from ...language.wasm_operations import shuffle
from ..codegen.positions import Axes
from .body import FunctionText, total
from .buffer_writer import BufferWriter
from .storage import GROUP

WORD = 4
"""Bytes of a key or an index."""
PAIR = 8
"""Bytes of an index and a key."""
RANKED = 64
"""Elements up to which counting all elements before each one is faster."""
LONG = 1 << 11
"""Elements from which three digits of 11 bits are faster than four of 8 bits."""


def write_sort(writer: BufferWriter) -> None:
    """Write the statements of a kernel that sorts."""
    call = writer.nodes.calls[writer.kernel.root]
    axis, descending = call.arg
    shape, dtype = call.specs[0].shape, call.specs[0].dtype
    length = shape[axis]
    code, (src,) = writer.code, writer.nodes.edges[writer.kernel.root]
    bits = 32 if dtype.kind == "f" else dtype.bits
    padded = -(-length // GROUP) * GROUP
    sort = FunctionText("s")
    ranks = length <= RANKED
    writer.scratch = _write_ranks(sort, padded) if ranks else _write_digits(sort, length, bits)
    with ExitStack() as loops:
        counters = {
            number: loops.enter_context(code.loop(0, n))
            for number, n in enumerate(shape)
            if number != axis
        }

        def axes(lanes: Value) -> Axes:
            return tuple([(counters.get(number, lanes), n) for number, n in enumerate(shape)])

        for first, lanes, count in writer.groups(length):
            value = writer.value(src, writer.index(call.specs[0].size, axes(lanes)))
            key = _key(code, value, dtype, bits, descending)
            address = code.value("scratch", INT, 1) + first * (WORD if ranks else PAIR)
            uses = address.uses | lanes.uses | key.uses
            if ranks:
                code.line(f"{address.text} {_after(key.text, count)} v128.store", uses)
                continue
            for half, order in enumerate(((0, 4, 1, 5), (2, 6, 3, 7))):
                text = f"{address.text} {lanes.text} {key.text} {shuffle(order)}"
                code.line(f"{text} v128.store:{16 * half}", uses)
        code.line(sort.text, uses=-1)
        for first, lanes, count in writer.groups(length):
            at = code.value("s_order", INT, 1) + first * (WORD if ranks else PAIR)
            text = f"{at.text} v128.load"
            if not ranks:
                text += f" {at.text} v128.load:16 {shuffle((0, 2, 4, 6))}"
            writer.store(0, code.value(text, INT, uses=at.uses), axes(lanes), count)


def _after(key: str, count: int) -> str:
    """Return keys of which only the first ones exist; the others are larger than all."""
    if count == GROUP:
        return key
    absent = ",".join(["0"] * count + ["-1"] * (GROUP - count))
    return f"{key} i32x4.const:{absent} v128.or"


def _key(code: Statements, value: Value, dtype: DType, bits: int, descending: bool) -> Value:
    """Return numbers of `bits` bits whose unsigned order is that of the values."""
    if dtype.kind == "f":
        # Adding zero makes -0.0 equal to 0.0. NaN becomes the largest number.
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


def _write_ranks(body: FunctionText, padded: int) -> int:
    """Write the sort of the keys of a line in scratch memory, and its order to `s_order`.

    The bytes of scratch memory are returned.
    """
    order = body.let(f"scratch i32.const:{WORD * padded} i32.add", name="order")
    body.add(".local:s_own:v128 .local:s_key:v128 .local:s_rank:v128")

    def count(start: str | int, stop: str | int, compare: str) -> None:
        with body.loop(stop, GROUP, start) as j:
            at = body.let(total("scratch", (j, WORD)), name="at")
            keys = (f"{at} v128.load32_splat:{WORD * lane}" for lane in range(GROUP))
            body.add(*[f"s_rank {key} s_own {compare} i32x4.sub .set:s_rank" for key in keys])

    with body.loop(padded, GROUP) as i:
        own = body.let(total("scratch", (i, WORD)), name="first")
        body.add(f"{own} v128.load .set:s_own i32x4.const:0 .set:s_rank")
        if i:
            count(0, i, "i32x4.le_u")
        for lane in range(GROUP):
            later = ",".join([str(-(other > lane)) for other in range(GROUP)])
            body.add(f"s_rank {own} v128.load32_splat:{WORD * lane} .tee:s_key s_own i32x4.lt_u")
            body.add(f"s_key s_own i32x4.eq i32x4.const:{later} v128.and v128.or i32x4.sub")
            body.add(".set:s_rank")
        if i:
            following = body.let(total(i, constant=GROUP), name="next")
            count(following, f"i32.const:{padded}", "i32x4.lt_u")
        for lane in range(GROUP):
            rank = f"s_rank i32x4.extract_lane:{lane}"
            body.add(f"{total(order, (rank, WORD))} {total(i, constant=lane)} i32.store")
    return 2 * WORD * padded


def _write_digits(body: FunctionText, length: int, bits: int) -> int:
    """Write the sort of the pairs of a line in scratch memory, whose address is then in `s_order`.

    Each pass orders them by one digit. Its table has for each digit first how many pairs have it,
    then the address of the next of them. The bytes of scratch memory are returned.
    """
    size = -(-length // GROUP) * GROUP * PAIR
    digit = 11 if bits == 32 and length >= LONG else 8
    table = 4 << digit
    shifts = range(0, bits, digit)
    body.add(".local:s_at:i32 .local:s_own:i64 .local:s_count:i32 .local:s_next:i32")
    body.let("scratch", name="order")
    other = body.let(f"scratch i32.const:{size} i32.add", name="other")
    tables = body.let(f"scratch i32.const:{2 * size} i32.add", name="tables")

    def entry(shift: int) -> str:
        """Return the text of the address of the entry of the pair `s_own`, 4 bytes per digit."""
        number = f"s_own i64.const:{30 + shift} i64.shr_u i32.wrap_i64"
        return f"{tables} {number} i32.const:{table - 4} i32.and i32.add"

    with body.loop(len(shifts) * table, 16) as i:
        body.add(f"{tables} {i} i32.add i32x4.const:0 v128.store")
    pair = f"s_order {{}} i32.const:{PAIR} i32.mul i32.add i64.load .set:s_own"
    with body.loop(length) as i:
        body.add(pair.format(i))
        for number, shift in enumerate(shifts):
            at = f":{number * table}"
            one = f"s_at i32.load{at} i32.const:1 i32.add i32.store{at}"
            body.add(f"{entry(shift)} .tee:s_at {one}")
    for number, shift in enumerate(shifts):
        at = f":{number * table}"
        # The pairs stay in order if all have the same digit.
        body.add(f".block:s_skip s_order i64.load .set:s_own {entry(shift)} i32.load{at}")
        body.add(f"i32.const:{length} i32.eq .br_if:s_skip {other} .set:s_next")
        with body.loop(table, 4) as i:
            body.add(f"{tables} {i} i32.add .tee:s_at i32.load{at} .set:s_count")
            body.add(f"s_at s_next i32.store{at}")
            body.add(f"s_next s_count i32.const:{PAIR} i32.mul i32.add .set:s_next")
        with body.loop(length) as i:
            body.add(pair.format(i))
            body.add(f"{entry(shift)} .tee:s_at i32.load{at} .tee:s_next s_own i64.store")
            body.add(f"s_at s_next i32.const:{PAIR} i32.add i32.store{at}")
        body.add(f"{other} s_order .set:s_other .set:s_order .end")
    return 2 * size + len(shifts) * table
