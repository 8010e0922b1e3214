"""Generate the tiled kernel of matrix products and convolutions.

Each fragment computes a block of rows by columns in registers and writes it to as many draw buffers
as the block has texels. Every texel fetched from one operand is multiplied with several texels of
the other. Products and convolutions differ only in the positions of the texels that they fetch.
"""

from __future__ import annotations

from itertools import product

from ...dtypes import DType, float32
from ...ops.contractions import CONVOLVE, Window
from ..kernel import Kernel
from .integers import quotient, remainder
from .kernel_nodes import KernelNodes
from .operands import OperandMatrix, across_rows, along_rows
from .tile_heuristics import layout, taps_of
from .tiles import Tiling
from .types import VECTOR, converted, wrapped
from .writer import Writer

LANES = "xyzw"


def tile_dtype(dtype: DType) -> DType:
    """Return the dtype of a tiled result; float16 results are accumulated and stored as float32."""
    return float32 if dtype.kind == "f" else dtype


def write_contract(writer: Writer) -> None:
    """Write the statements of a contraction, which assign the block to y0, y1, ..."""
    nodes, kernel = writer.nodes, writer.kernel
    tiling, call = nodes.tilings[kernel.root], nodes.calls[kernel.root]
    for text in tiling.place("P.x", "P.y"):
        writer.code.line(text)
    vector = VECTOR[call.spec.dtype.kind]
    for row, texel in product(range(tiling.height), range(tiling.texels)):
        writer.code.line(f"{vector} s{row}{texel} = {vector}(0);")
    if call.op is CONVOLVE:
        _convolve(nodes, kernel, tiling, writer)
    else:
        _dot(nodes, kernel, tiling, writer)
    for row, texel in product(range(tiling.height), range(tiling.texels)):
        value = wrapped(f"s{row}{texel}", call.spec.dtype)
        writer.code.line(f"y{row * tiling.texels + texel} = {value};")


def _texel(nodes: KernelNodes, kernel: Kernel, at: int, base: int, position: str) -> str:
    """Return GLSL for a texel of operand `base` in the product's dtype."""
    texel = f"pt_texel{kernel.inputs.index(base)}({position})"
    return converted(texel, nodes.spec(at).dtype, nodes.calls[kernel.root].spec.dtype)


def _multiply(writer: Writer, tiling: Tiling, first: list[str], inner: int = 4) -> None:
    """Add the products of each row's vector in `first` with the vectors b{inner}{texel}."""
    for row, texel in product(range(tiling.height), range(tiling.texels)):
        terms = " + ".join([f"{first[row]}.{LANES[k]} * b{k}{texel}" for k in range(inner)])
        writer.code.line(f"s{row}{texel} += {terms};")


def _dot(nodes: KernelNodes, kernel: Kernel, tiling: Tiling, writer: Writer) -> None:
    line = writer.code.line
    call = nodes.calls[kernel.root]
    vector = VECTOR[call.spec.dtype.kind]
    a, b = nodes.edges[kernel.root]
    groups, _, inner = call.specs[0].shape
    height, texels, step = tiling.height, tiling.texels, tiling.step

    def matrix(at: int) -> tuple[OperandMatrix, int, bool]:
        """Return the operand in texels, the stored node, and True if its columns are contiguous."""
        base, (group, rows, columns), offset = layout(nodes, at)
        slot, width = kernel.inputs.index(base), nodes.texture_row(base)
        group = group // 4 if groups > 1 else 0
        upright = columns == 1
        row, length = rows if upright else columns, nodes.spec(at).shape[2 if upright else 1]
        return OperandMatrix(slot, offset // 4, group, row // 4, length // 4, width), base, upright

    def fetch(name: str, at: int, texel: str) -> None:
        line(f"{vector} {name} = {converted(texel, nodes.spec(at).dtype, call.spec.dtype)};")

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
    with writer.code.block(f"for (int k = 0; k < {inner // 4}; k++)"):
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


def _convolve(nodes: KernelNodes, kernel: Kernel, tiling: Tiling, writer: Writer) -> None:
    line = writer.code.line
    call = nodes.calls[kernel.root]
    vector = VECTOR[call.spec.dtype.kind]
    x, w = nodes.edges[kernel.root]
    base_x, base_w = nodes.view(x)[0], nodes.view(w)[0]
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
    taps, parts = taps_of(tiling.height, window)
    reach = (ow - 1) * sw + (kw - 1) * dw - pw
    sides = pw > 0 or reach >= width
    ends = ph > 0 or (oh - 1) * sh + (kh - 1) * dh - ph >= height

    def columns(shift: str) -> None:
        for at, tap in enumerate(taps if sides else ()):
            inside = f"ix0 + {tap}{shift} >= 0 && ix0 + {tap}{shift} < {width}"
            line(f"bool in{at} = {inside};")

    def inner() -> None:
        if each >= 4:
            with writer.code.block(f"for (int c = 0; c < {each // 4}; c++)"):
                channel_texel("c", 4)
        if each % 4:
            with writer.code.block(""):
                channel_texel(str(each // 4), each % 4)

    def channel_texel(c: str, lanes: int) -> None:
        for part in parts or [range(1)]:
            products(c, lanes, part)

    def products(c: str, lanes: int, part: range) -> None:
        rows = [[row * sw + kx * dw for row in range(tiling.height)] for kx in part]
        for tap in sorted({tap for each in rows for tap in each}):
            at = taps.index(tap)
            value = _texel(nodes, kernel, x, base_x, f"tx + {tap * channels // 4} + {c}")
            value = f"in{at} ? {value} : {vector}(0)" if sides else value
            line(f"{vector} a{at} = {value};")
        for kx, row in zip(part, rows, strict=True):
            with writer.code.block(""):
                for k, i in product(range(lanes), range(tiling.texels)):
                    start = (kx * each + k) * outs // 4 + i * tiling.step
                    value = _texel(nodes, kernel, w, base_w, f"tw + {start} + {c} * {outs}")
                    line(f"{vector} b{k}{i} = {value};")
                _multiply(writer, tiling, [f"a{taps.index(tap)}" for tap in row], lanes)

    if parts:
        columns("")
    with writer.code.block(f"for (int ky = 0; ky < {kh}; ky++)"):
        line(f"int iy = iy0 + ky * {dh};")
        if ends:
            line(f"if (iy < 0 || iy >= {height}) continue;")
        line(f"int tx = tx0 + iy * {width * channels // 4};")
        line(f"int tw = tw0 + ky * {kw * each * outs // 4};")
        if parts:
            inner()
        else:
            with writer.code.block(f"for (int kx = 0; kx < {kw}; kx++)"):
                columns(f" + kx * {dw}")
                inner()
                line(f"tx += {dw * channels // 4}; tw += {each * outs // 4};")
