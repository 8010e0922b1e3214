"""Name the tensors that hold the most memory, for errors and warnings about memory.

Input: living tensors and, for those that were recorded, the lines that made them. Output: text.
"""

from __future__ import annotations

from typing import Any

from ..dtypes import shown
from ..ir.node import living
from . import scopes

NAMED = 3
"""Groups of tensors that a text names."""

lines: dict[int, tuple[str, float]] = {}
"""Line and time at which each recorded tensor was made, by the tensor's identity."""

_large: dict[int, str] = {}
"""Line of each large tensor that was made while much memory was in use."""

LARGE = 1 << 20
"""Bytes of the smallest tensor whose line is recorded while much memory is in use."""


def record_large(on: bool) -> None:
    """Begin or end recording the lines that make large tensors."""
    if on:
        scopes.watch(_note_large)
    elif _note_large in scopes.state.watchers:
        scopes.unwatch(_note_large)
        _large.clear()


def _note_large(tensor: Any) -> None:
    if tensor._node.spec.nbytes >= LARGE:
        _large[id(tensor)] = scopes.user_line()


def largest_holders() -> str:
    """Describe the tensors that hold the most memory, by line if recorded, else by shape."""
    groups: dict[str, tuple[int, int]] = {}
    values = {id(node): (at, node) for at, node in living().items() if node.buffer}
    for at, node in values.values():
        made = lines[at][0] if at in lines else _large.get(at)
        name = f"of shape {shown(node.spec.shape)}" if made is None else f"from {made}"
        count, nbytes = groups.get(name, (0, 0))
        groups[name] = count + 1, nbytes + node.spec.nbytes
    largest = sorted(groups.items(), key=lambda item: -item[1][1])[:NAMED]
    texts = [
        f"{count} tensor{'s' * (count > 1)} {name} ({nbytes / 2**20:.1f} MiB)"
        for name, (count, nbytes) in largest
    ]
    if any(name.startswith("of shape") for name, _ in largest):
        texts[-1] += " (pt.memory_trace(True) records their lines)"
    return ", ".join(texts) or "no tensors"
