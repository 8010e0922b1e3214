"""Write the text of contractions: matrix products and convolutions.

Input: a contraction and the strides of its operands in memory. Output: the text of a function body
and the bytes of scratch memory that it needs.
"""

from __future__ import annotations

from ...ir.node import OpInstance
from ...ops.contractions import CONVOLVE
from .body import FunctionText
from .convolutions import Convolution, Depthwise
from .elements import Matrix, Operand
from .products import Epilogue, Product, ProductWriter, identity, packed, write_rows


def write_contraction(
    call: OpInstance,
    left: Operand,
    right: Operand,
    out: Operand,
    scratch: str,
    *,
    epilogue: Epilogue = identity,
    prefix: str = "p",
    fused: bool = False,
) -> tuple[str, int]:
    """Return the text that computes a contraction, and the bytes of scratch memory.

    `out` has the axes (groups, rows, columns) of the result, in any strides, and the dtype that is
    stored. `scratch` is a local with an address that is a multiple of 16. `epilogue` is called with
    the `ResultLanes` of four neighbouring results and a local that has them: float32 for floating
    dtypes, else 32-bit integers wrapped to the result's dtype. It returns the text of a vector of
    32-bit lanes to store. If `fused`, floats use fused multiply-add of relaxed SIMD.
    """
    body = FunctionText(prefix)
    if not call.spec.size:
        return "", 0
    writer = ProductWriter(body, call.spec.dtype, scratch, epilogue, fused)
    if call.op is not CONVOLVE:
        _write_dot(writer, call, left, right, out)
    elif call.specs[1].shape[2] == 1 and call.spec.shape[0] >= max(2, call.spec.shape[2]):
        Depthwise(writer, call, left, right, out).write()
    else:
        Convolution(writer, call, left, right, out).write()
    return body.text, writer.used


def _write_dot(
    writer: ProductWriter, call: OpInstance, left: Operand, right: Operand, out: Operand
) -> None:
    body, (groups, rows, columns) = writer.body, call.spec.shape
    shape = (rows, call.specs[0].shape[2], columns)
    shared: Matrix | None = None
    if groups > 1 and not right.strides[0]:
        shared = packed(writer, right.matrix(body), shape)
    with body.loop(groups) as g:
        a, b, o = (x.matrix(body, (g, 0)) for x in (left, right, out))
        write_rows(writer, Product(shape, a, shared or b, o, g))
