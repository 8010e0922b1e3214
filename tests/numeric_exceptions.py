"""Results that may differ from the reference by more than the op's tolerance, and the reasons."""

from __future__ import annotations

import numpy as np

ABSOLUTE = {
    "logaddexp": (
        1e-6,
        "max + log1p(...) cancels where the result is near 0, in NumPy's float32 too",
    ),
    "lgamma": (
        5e-7,
        "terms near 1 cancel at the zeros; measured 1.8e-7 at -2.5 on SwiftShader",
    ),
    "digamma": (
        7e-7,
        "terms near 1 cancel at the zeros; measured 1.3e-7 at -0.5 on SwiftShader, and 6.0e-7 at "
        "1.47 with XLA on a processor",
    ),
}
"""Absolute error allowed in addition to the op's relative one, by operation."""


SIGN_OF_ZERO = {
    "maximum": "the standard leaves open which of 0.0 and -0.0 is larger, and GPUs differ",
    "minimum": "as for maximum",
}
"""Operations whose zeros may have either sign if the operands are zeros of both signs."""


def absolute(name: str) -> float:
    """Absolute error allowed for an operation."""
    return ABSOLUTE.get(name, (0.0, ""))[0]


def flushed(values: np.ndarray, backend: str) -> np.ndarray:
    """Replace subnormal numbers by zero on JAX and WebGPU.

    XLA's arithmetic does so on a processor. WGSL allows it, and SwiftShader does it.
    """
    small = np.abs(values) < np.finfo(values.dtype).tiny
    return np.where(small & (backend in ("jax", "webgpu")), np.copysign(0, values), values)


def between_graphs(backend: str) -> float:
    """Absolute error allowed between the same operations on numbers near 1 in two graphs.

    XLA compiles a graph as a whole and may round the same operations differently in another one;
    measured 1.2e-7 in normalizations, and 2.4e-7 in a transformer.
    """
    return 5e-7 if backend == "jax" else 0.0
