"""The text of a kernel, with what a call must know of it."""

from __future__ import annotations

from typing import Any, NamedTuple


class Shader(NamedTuple):
    """Text of a kernel in its target's language, with the scalars that a call passes in arrays."""

    name: str
    source: str
    uniforms: tuple[tuple[int, ...], ...]
    """For each element of F, I and U, the position among the kernel's scalars."""
    sizes: tuple[tuple[float, ...], ...]
    """Elements of F, I and U after these."""
    modes: tuple[str, ...]
    """Read modes of each input, joined by a plus, which `pt.explain` prints."""
    scratch: int = 0
    """Bytes of memory that a call needs besides inputs and outputs."""
    grid: tuple[int, int, int] = (1, 1, 1)
    """Workgroups of a call along each axis, for targets that have workgroups."""
    before: Shader | None = None
    """Kernel that runs before it, with some of the same inputs and outputs."""
    reads: tuple[int, ...] | None = None
    """Numbers of the kernel's inputs that a call passes, if not all."""
    writes: tuple[int, ...] | None = None
    """Numbers of the kernel's outputs that a call passes, if not all."""
    updates: int | None = None
    """Number of the input whose memory the first output may have, although the kernel reads it."""
    contraction: Any = None
    """`BlockedSize` of a contraction that could be computed in other blocks, too."""

    @property
    def in_order(self) -> list[Shader]:
        """The kernels that run before it, and itself."""
        return [*(self.before.in_order if self.before is not None else ()), self]
