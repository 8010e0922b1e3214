"""Name the tensors that hold the most memory, for errors and warnings about memory.

Input: living tensors and, while `pt.memory_trace` records, the lines that made them. Output: text.
"""

from __future__ import annotations

from ..dtypes import shown
from ..ir.node import living

NAMED = 3
"""Groups of tensors that a text names."""

lines: dict[int, tuple[str, float]] = {}
"""Line and time at which each recorded tensor was made, by the tensor's identity."""


def largest_holders() -> str:
    """Describe the tensors that hold the most memory, by line if recorded, else by shape."""
    groups: dict[str, tuple[int, int]] = {}
    values = {id(node): (at, node) for at, node in living().items() if node.buffer}
    for at, node in values.values():
        made = lines.get(at)
        name = f"of shape {shown(node.spec.shape)}" if made is None else f"from {made[0]}"
        count, nbytes = groups.get(name, (0, 0))
        groups[name] = count + 1, nbytes + node.spec.nbytes
    largest = sorted(groups.items(), key=lambda item: -item[1][1])[:NAMED]
    texts = [
        f"{count} tensor{'s' * (count > 1)} {name} ({nbytes / 2**20:.1f} MiB)"
        for name, (count, nbytes) in largest
    ]
    if texts and not lines:
        texts[-1] += " (pt.memory_trace(True) records their lines)"
    return ", ".join(texts) or "no tensors"
