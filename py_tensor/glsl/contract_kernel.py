"""The tiled kernel of matrix products and convolutions.

Each fragment computes a block of rows by columns in registers and writes it to as many draw buffers
as the block has texels: every texel fetched from one operand meets several of the other. A rule
says where the operands' texels are; the loop and the arithmetic are the same for both.
"""

from __future__ import annotations

from itertools import product

from ..dtypes import DType, float32
from ..indexing import row_major
from ..ops.contractions import CONVOLVE, Window
from ..schedule.kernel import Kernel
from ..schedule.program import Program
from .expressions import Writer
from .tiles import Tiling
from .types import VECTOR, converted, wrapped

LANES = "xyzw"


def tile_dtype(dtype: DType) -> DType:
    """float16 products add up, and wait for their epilogue, in float32."""
    return float32 if dtype.kind == "f" else dtype


def write_contract(program: Program, kernel: Kernel, tiling: Tiling) -> Writer:
    """The statements of a contraction; the block is in y0, y1, ..."""
    writer = Writer(program, kernel, {})
    call = program.calls[kernel.root]
    line = writer.line
    for text in tiling.corner:
        line(text)
    vector = VECTOR[call.spec.dtype.kind]
    for row, column in product(range(tiling.height), range(tiling.width // 4)):
        line(f"{vector} s{row}{column} = {vector}(0);")
    if call.row is CONVOLVE:
        _convolve(program, kernel, tiling, writer)
    else:
        _dot(program, kernel, tiling, writer)
    for row, column in product(range(tiling.height), range(tiling.width // 4)):
        layer = row * (tiling.width // 4) + column
        line(f"y{layer} = {wrapped(f's{row}{column}', call.spec.dtype)};")
    return writer


def _texel(program: Program, kernel: Kernel, at: int, base: int, position: str) -> str:
    """GLSL for a texel of operand `base`, in the dtype of the product."""
    call = program.calls[kernel.root]
    slot = kernel.inputs.index(base)
    return converted(f"pt_texel(x{slot}, {position})", program.spec(at).dtype, call.spec.dtype)


def _multiply(writer: Writer, tiling: Tiling) -> None:
    """Adds the products of a{row} (four inner positions each) and b{inner}{column}."""
    for row, column in product(range(tiling.height), range(tiling.width // 4)):
        terms = " + ".join(f"a{row}.{LANES[k]} * b{k}{column}" for k in range(4))
        writer.line(f"s{row}{column} += {terms};")


def _dot(program: Program, kernel: Kernel, tiling: Tiling, writer: Writer) -> None:
    line = writer.line
    call = program.calls[kernel.root]
    vector = VECTOR[call.spec.dtype.kind]
    a, b = program.edges[kernel.root]
    base_a, (ga, ma, ka), offset_a = _layout(program, a)
    base_b, (gb, kb, nb), offset_b = _layout(program, b)
    inner = call.specs[0].shape[2]
    line(f"int ta = {offset_a // 4} + g * {ga // 4};")
    line(f"int tb = {offset_b // 4} + g * {gb // 4};")
    with writer.block(f"for (int k = 0; k < {inner // 4}; k++)"):
        if ka == 1:
            for row in range(tiling.height):
                position = f"ta + (m0 + {row}) * {ma // 4} + k"
                line(f"{vector} a{row} = {_texel(program, kernel, a, base_a, position)};")
        else:
            for k, part in product(range(4), range(tiling.height // 4)):
                position = f"ta + (k * 4 + {k}) * {ka // 4} + m0 / 4 + {part}"
                line(f"{vector} t{k}{part} = {_texel(program, kernel, a, base_a, position)};")
            for row in range(tiling.height):
                lanes = ", ".join(f"t{k}{row // 4}.{LANES[row % 4]}" for k in range(4))
                line(f"{vector} a{row} = {vector}({lanes});")
        if nb == 1:
            for k, column in product(range(4), range(tiling.width // 4)):
                position = f"tb + (k * 4 + {k}) * {kb // 4} + n0 / 4 + {column}"
                line(f"{vector} b{k}{column} = {_texel(program, kernel, b, base_b, position)};")
        else:
            for n in range(tiling.width):
                position = f"tb + (n0 + {n}) * {nb // 4} + k"
                line(f"{vector} u{n} = {_texel(program, kernel, b, base_b, position)};")
            for k, column in product(range(4), range(tiling.width // 4)):
                lanes = ", ".join(f"u{column * 4 + n}.{LANES[k]}" for n in range(4))
                line(f"{vector} b{k}{column} = {vector}({lanes});")
        _multiply(writer, tiling)


def _layout(program: Program, at: int) -> tuple[int, tuple[int, ...], int]:
    """The stored operand and the strides by which it is read; exactly one inner stride is 1."""
    base, strides, offset = program.strides(at)
    assert strides is not None
    groups, outer, inner = strides
    shape = program.spec(at).shape
    if outer == 1 and inner == 1:
        # Both hold where one axis has length 1; prefer the innermost.
        outer = row_major(shape)[1]
    return base, (groups, outer, inner), offset


def _convolve(program: Program, kernel: Kernel, tiling: Tiling, writer: Writer) -> None:
    line = writer.line
    call = program.calls[kernel.root]
    vector = VECTOR[call.spec.dtype.kind]
    x, w = program.edges[kernel.root]
    base_x, base_w = program.view(x)[0], program.view(w)[0]
    window: Window = call.arg
    (kh, kw), (sh, sw), (ph, pw), (dh, dw), (oh, ow), groups = window
    _, height, width, channels = call.specs[0].shape
    each, outs = call.specs[1].shape[2:]
    for row in range(tiling.height):
        line(f"int m{row + 1} = min(m0 + {row}, {tiling.rows - 1});")
        line(f"int i{row} = m{row + 1} / {ow} % {oh} * {sh} - {ph};")
        line(f"int j{row} = m{row + 1} % {ow} * {sw} - {pw};")
        line(f"int q{row} = m{row + 1} / {oh * ow} * {height};")
    group = f" + g * {each // 4}" if groups > 1 else ""
    column_group = f" + g * {tiling.columns // 4}" if groups > 1 else ""
    with (
        writer.block(f"for (int ky = 0; ky < {kh}; ky++)"),
        writer.block(f"for (int kx = 0; kx < {kw}; kx++)"),
    ):
        for row in range(tiling.height):
            line(f"int iy{row} = i{row} + ky * {dh}, ix{row} = j{row} + kx * {dw};")
            inside = f"iy{row} >= 0 && iy{row} < {height} && ix{row} >= 0 && ix{row} < {width}"
            line(f"bool in{row} = {inside};")
            line(f"int t{row} = ((q{row} + iy{row}) * {width} + ix{row}) * {channels // 4}{group};")
        line(f"int tw = (ky * {kw} + kx) * {each * outs // 4} + n0 / 4{column_group};")
        with writer.block(f"for (int c = 0; c < {each // 4}; c++)"):
            for row in range(tiling.height):
                texel = _texel(program, kernel, x, base_x, f"t{row} + c")
                line(f"{vector} a{row} = in{row} ? {texel} : {vector}(0);")
            for k, column in product(range(4), range(tiling.width // 4)):
                position = f"tw + (c * 4 + {k}) * {outs // 4} + {column}"
                line(f"{vector} b{k}{column} = {_texel(program, kernel, w, base_w, position)};")
            _multiply(writer, tiling)
