"""Reads of groups and elements of a kernel's input buffers.

Input: numbers and positions. Output: values.
"""

from __future__ import annotations

from ...language.tree import PRIMARY, Value, Whole
from ...language.wgsl import STORED, StoredArray
from ..codegen.fetches import GroupReads


class BufferReads(GroupReads):
    """Reads of a kernel's input buffers; `number` is that of the group of the invocation."""

    number: Value

    def array(self, slot: int) -> StoredArray:
        """Return the array of an input."""
        return STORED[self.nodes.spec(self.kernel.inputs[slot]).dtype.name]

    def own(self, slot: int) -> Value:
        return self.texel(slot, self.number)

    def texel(self, slot: int, number: Whole) -> Value:
        text, uses = self._text(number)
        text = self.array(slot).load.format(f"x{slot}[{text}]")
        return self.code.value(text, self.kinds[slot], uses=uses)

    def element(self, slot: int, position: Whole) -> Value:
        text, uses = self._text(position)
        text = self.array(slot).element.format(f"x{slot}", text)
        return self.code.value(text, self.kinds[slot], 1, uses=uses)

    def _text(self, number: Whole) -> tuple[str, int]:
        value = self.code.printer.whole(number)
        return value.inside(PRIMARY), value.uses
