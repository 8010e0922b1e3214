"""Rows between complex numbers and real ones; all else on complex operands is built of these."""

from __future__ import annotations

from typing import Any

from .rows import Interleave, Join, Part


def _joined(xp: Any, re: Any, im: Any, arg: None) -> Any:
    result = xp.empty(xp.broadcast_shapes(re.shape, im.shape), xp.complex64)
    # Re + 1j * im would make NaN of infinities.
    result.real, result.imag = re, im
    return result


# fmt: off
COMPLEX = Join(name="complex", reference=_joined, gradient=(lambda pt, g, y, re, im, arg: pt.real(g), lambda pt, g, y, re, im, arg: pt.imag(g)), public=False, doc="Complex numbers of real and imaginary parts.")
REAL = Part(name="real", part=0, reference=lambda xp, z, arg: z.real, gradient=(lambda pt, g, y, z, arg: pt.apply(COMPLEX, (g, 0.0)),), public=False, doc="Real parts.")
IMAG = Part(name="imag", part=1, reference=lambda xp, z, arg: z.imag, gradient=(lambda pt, g, y, z, arg: pt.apply(COMPLEX, (0.0, g)),), public=False, doc="Imaginary parts.")
INTERLEAVE = Interleave(name="interleave", reference=lambda xp, re, im, arg: xp.stack([re, im], axis=-1), gradient=(lambda pt, g, y, re, im, arg: g[..., 0], lambda pt, g, y, re, im, arg: g[..., 1]), public=False, doc="Real and imaginary parts in turn, along one more axis.")

ROWS = (COMPLEX, REAL, IMAG, INTERLEAVE)
