"""Reads of texels and elements of a kernel's inputs, by number, or by column and row.

Input: positions. Output: values. The shader gets a function for each input that is read by number.
"""

from __future__ import annotations

from ...language.statements import Statements
from ...language.tree import Value, Whole
from ..codegen.kernel_nodes import KernelNodes
from ..codegen.types import KIND


class Reads:
    """Reads of a kernel's inputs. Inputs have the numbers of their textures, `slot`."""

    def __init__(self, nodes: KernelNodes, code: Statements) -> None:
        self.nodes = nodes
        self.kernel = nodes.kernel
        self.code = code
        self.kinds = [KIND[nodes.spec(at).dtype.kind] for at in self.kernel.inputs]
        self.texels: set[int] = set()
        """Inputs whose texels are read by number."""
        self.elements: set[int] = set()
        """Inputs whose elements are read by position."""

    def own(self, slot: int) -> Value:
        """Return the fragment's own texel of an input."""
        return self.code.value(self.code.printer.load(slot, "P"), self.kinds[slot])

    def load(self, slot: int, column: Whole, row: Whole, *layer: Whole) -> Value:
        """Return a texel of an input by column and row of the texture, and layer if it has any."""
        texts, uses = [], 0
        for part in (column, row, *layer):
            if isinstance(part, int):
                texts.append(self.code.printer.size(part))
            else:
                texts.append(part.text)
                uses |= part.uses
        return self.code.value(self.code.printer.load(slot, *texts), self.kinds[slot], uses=uses)

    def texel(self, slot: int, number: Whole) -> Value:
        """Return a texel of an input by number."""
        self.texels.add(slot)
        return self.code.call(f"pt_texel{slot}", self.kinds[slot], number)

    def element(self, slot: int, position: Whole) -> Value:
        """Return an element of an input."""
        self.elements.add(slot)
        return self.code.call(f"pt_at{slot}", self.kinds[slot], position, lanes=1)
