"""Op definitions that convert between complex and real numbers.

All other operations on complex operands are built from these and real operations.
"""

from __future__ import annotations

from typing import Any

from .op_def import ComplexJoin, ComplexPart, Interleave
from .rule_types import ArrayNamespace


def _joined(xp: ArrayNamespace, re: Any, im: Any, arg: None) -> Any:
    result = xp.empty(xp.broadcast_shapes(re.shape, im.shape), xp.complex64)
    # Re + 1j * im would make NaN of infinities.
    result.real, result.imag = re, im
    return result


# fmt: off
COMPLEX = ComplexJoin(name="complex", jax="complex_", reference=_joined, gradient=(lambda pt, g, y, re, im, arg: pt.real(g), lambda pt, g, y, re, im, arg: pt.imag(g)), public=False, doc="Return complex numbers with the given real and imaginary parts.")
REAL = ComplexPart(name="real", part=0, reference=lambda xp, z, arg: z.real, gradient=(lambda pt, g, y, z, arg: pt.apply(COMPLEX, (g, 0.0)),), public=False, doc="Return the real part of each element.")
IMAG = ComplexPart(name="imag", part=1, reference=lambda xp, z, arg: z.imag, gradient=(lambda pt, g, y, z, arg: pt.apply(COMPLEX, (0.0, g)),), public=False, doc="Return the imaginary part of each element.")
INTERLEAVE = Interleave(name="interleave", reference=lambda xp, re, im, arg: xp.stack([re, im], axis=-1), gradient=(lambda pt, g, y, re, im, arg: g[..., 0], lambda pt, g, y, re, im, arg: g[..., 1]), public=False, doc="Return real and imaginary parts, stacked along a new last axis.")

OP_DEFS = (COMPLEX, REAL, IMAG, INTERLEAVE)
