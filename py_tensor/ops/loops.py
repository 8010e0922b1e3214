"""The row of loops. No graph has one: lowering writes them, for operations of many equal turns."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

from .rows import Result, Row


class Loop(Row):
    """Its first operand after the turns that the static argument, a `program.Turns`, tells of.

    The second operand is the state after one turn, as computed from the state before.
    """

    root: ClassVar[bool] = True

    def infer(self, specs: Sequence[Any], arg: Hashable) -> Result:
        initial, result = specs
        assert initial is result
        return Result(initial.shape, initial.dtype, (initial.dtype, initial.dtype))


LOOP = Loop(name="loop", public=False, doc="The state after a number of turns.")
