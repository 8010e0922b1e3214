"""The tiled kernel of matrix products and convolutions.

Each fragment computes a block of rows by columns in registers and writes it to as many draw buffers
as the block has texels: every texel fetched from one operand meets several of the other. A rule
says where the operands' texels are; the loop and the arithmetic are the same for both.
"""

from __future__ import annotations

from itertools import product

from ..dtypes import DType, float32
from ..ops.contractions import CONVOLVE, Window
from ..schedule.kernel import Kernel
from ..schedule.program import Program
from .expressions import Writer
from .integers import quotient, remainder
from .operands import Matrix, across_rows, along_rows
from .tile_choice import layout, offsets
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
    for text in tiling.place("P.x", "P.y"):
        writer.line(text)
    vector = VECTOR[call.spec.dtype.kind]
    for row, texel in product(range(tiling.height), range(tiling.texels)):
        writer.line(f"{vector} s{row}{texel} = {vector}(0);")
    if call.row is CONVOLVE:
        _convolve(program, kernel, tiling, writer)
    else:
        _dot(program, kernel, tiling, writer)
    for row, texel in product(range(tiling.height), range(tiling.texels)):
        value = wrapped(f"s{row}{texel}", call.spec.dtype)
        writer.line(f"y{row * tiling.texels + texel} = {value};")
    return writer


def _texel(program: Program, kernel: Kernel, at: int, base: int, position: str) -> str:
    """GLSL for a texel of operand `base` in the product's dtype."""
    texel = f"pt_texel{kernel.inputs.index(base)}({position})"
    return converted(texel, program.spec(at).dtype, program.calls[kernel.root].spec.dtype)


def _multiply(writer: Writer, tiling: Tiling, first: list[str], inner: int = 4) -> None:
    """Adds the products of each row's inner positions in `first` and b{inner}{texel}."""
    for row, texel in product(range(tiling.height), range(tiling.texels)):
        terms = " + ".join(f"{first[row]}.{LANES[k]} * b{k}{texel}" for k in range(inner))
        writer.line(f"s{row}{texel} += {terms};")


def _dot(program: Program, kernel: Kernel, tiling: Tiling, writer: Writer) -> None:
    line = writer.line
    call = program.calls[kernel.root]
    vector = VECTOR[call.spec.dtype.kind]
    a, b = program.edges[kernel.root]
    groups, _, inner = call.specs[0].shape
    height, texels, step = tiling.height, tiling.texels, tiling.step

    def matrix(at: int) -> tuple[Matrix, int, bool]:
        """The operand in texels, the node where it is stored, and whether its rows lie so."""
        base, (group, rows, columns), offset = layout(program, at)
        slot, width = kernel.inputs.index(base), program.texture_row(base)
        group = group // 4 if groups > 1 else 0
        upright = columns == 1
        row, length = rows if upright else columns, program.spec(at).shape[2 if upright else 1]
        return Matrix(slot, offset // 4, group, row // 4, length // 4, width), base, upright

    def fetch(name: str, at: int, texel: str) -> None:
        line(f"{vector} {name} = {converted(texel, program.spec(at).dtype, call.spec.dtype)};")

    left, base_a, a_upright = matrix(a)
    right, base_b, b_upright = matrix(b)
    if a_upright:
        first = along_rows("a", left, "m0", tiling.aligned, tiling.together)
    else:
        first = across_rows("a", left, quotient("m0", 4), height // 4)
    columns = texels * step
    if b_upright:
        second = across_rows("b", right, "n0", columns)
    else:
        second = along_rows("b", right, "n0 * 4", 4, 4 * columns if texels > 1 else 4)
    for text in (*first.before, *second.before):
        line(text)
    with writer.block(f"for (int k = 0; k < {inner // 4}; k++)"):
        for text in (*first.each, *second.each):
            line(text)
        if a_upright:
            for row in range(height):
                fetch(f"a{row}", base_a, first.texel(tiling.row(row)))
        else:
            for k, part in product(range(4), range(height // 4)):
                fetch(f"t{k}{part}", base_a, first.texel(k, part))
            for row in range(height):
                lanes = ", ".join(f"t{k}{row // 4}.{LANES[row % 4]}" for k in range(4))
                line(f"{vector} a{row} = {vector}({lanes});")
        if b_upright:
            for k, texel in product(range(4), range(texels)):
                fetch(f"b{k}{texel}", base_b, second.texel(k, texel * step))
        else:
            for texel, n in product(range(texels), range(4)):
                fetch(f"u{texel}{n}", base_b, second.texel(texel * step * 4 + n))
            for k, texel in product(range(4), range(texels)):
                lanes = ", ".join(f"u{texel}{n}.{LANES[k]}" for n in range(4))
                line(f"{vector} b{k}{texel} = {vector}({lanes});")
        _multiply(writer, tiling, [f"a{row}" for row in range(height)])


def _convolve(program: Program, kernel: Kernel, tiling: Tiling, writer: Writer) -> None:
    line = writer.line
    call = program.calls[kernel.root]
    vector = VECTOR[call.spec.dtype.kind]
    x, w = program.edges[kernel.root]
    base_x, base_w = program.view(x)[0], program.view(w)[0]
    window: Window = call.arg
    (kh, kw), (sh, sw), (ph, pw), (dh, dw), (oh, ow), groups = window
    batch, height, width, channels = call.specs[0].shape
    each, outs = call.specs[1].shape[2:]
    which = quotient("line", batch * oh)
    group = f" + {which} * {each // 4}" if groups > 1 else ""
    group_w = f" + {which} * {tiling.columns // 4}" if groups > 1 else ""
    picture = remainder(quotient("line", oh), batch) if batch > 1 else "0"
    line(f"int iy0 = {remainder('line', oh)} * {sh} - {ph}, ix0 = m0 * {sw} - {pw};")
    line(f"int tx0 = ({picture} * {height * width} + ix0) * {channels // 4}{group};")
    line(f"int tw0 = n0{group_w};")
    taps = offsets(tiling.height, window)
    shared = len(taps) > tiling.height
    reach = (ow - 1) * sw + (kw - 1) * dw - pw
    sides = pw > 0 or reach >= width
    ends = ph > 0 or (oh - 1) * sh + (kh - 1) * dh - ph >= height

    def columns(shift: str) -> None:
        for at, tap in enumerate(taps if sides else ()):
            inside = f"ix0 + {tap}{shift} >= 0 && ix0 + {tap}{shift} < {width}"
            line(f"bool in{at} = {inside};")

    def inner() -> None:
        if each >= 4:
            with writer.block(f"for (int c = 0; c < {each // 4}; c++)"):
                channel_texel("c", 4)
        if each % 4:
            with writer.block(""):
                channel_texel(str(each // 4), each % 4)

    def channel_texel(c: str, lanes: int) -> None:
        for at, tap in enumerate(taps):
            value = _texel(program, kernel, x, base_x, f"tx + {tap * channels // 4} + {c}")
            value = f"in{at} ? {value} : {vector}(0)" if sides else value
            line(f"{vector} a{at} = {value};")
        for kx in range(kw if shared else 1):
            with writer.block(""):
                for k, i in product(range(lanes), range(tiling.texels)):
                    start = (kx * each + k) * outs // 4 + i * tiling.step
                    value = _texel(program, kernel, w, base_w, f"tw + {start} + {c} * {outs}")
                    line(f"{vector} b{k}{i} = {value};")
                rows = (row * sw + kx * dw for row in range(tiling.height))
                _multiply(writer, tiling, [f"a{taps.index(row)}" for row in rows], lanes)

    if shared:
        columns("")
    with writer.block(f"for (int ky = 0; ky < {kh}; ky++)"):
        line(f"int iy = iy0 + ky * {dh};")
        if ends:
            line(f"if (iy < 0 || iy >= {height}) continue;")
        line(f"int tx = tx0 + iy * {width * channels // 4};")
        line(f"int tw = tw0 + ky * {kw * each * outs // 4};")
        if shared:
            inner()
        else:
            with writer.block(f"for (int kx = 0; kx < {kw}; kx++)"):
                columns(f" + kx * {dw}")
                inner()
                line(f"tx += {dw * channels // 4}; tw += {each * outs // 4};")
