"""The text of a kernel's shader, with what a draw must know of it."""

from __future__ import annotations

from typing import NamedTuple


class Shader(NamedTuple):
    """Fragment shader, with the scalars that a draw passes in its uniform arrays."""

    name: str
    source: str
    uniforms: tuple[tuple[int, ...], ...]
    """For each element of F, I and U, the position among the kernel's scalars."""
    sizes: tuple[tuple[float, ...], ...]
    """Elements of F, I and U after these."""
    modes: tuple[str, ...]
    """Read modes of each input, joined by a plus; `fetches` describes them."""
