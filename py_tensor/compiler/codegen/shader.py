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
    """Kernel without inputs and scalars that runs before it, on the same outputs."""
    contraction: Any = None
    """`BlockedSize` of a contraction that could be computed in other blocks, too."""
