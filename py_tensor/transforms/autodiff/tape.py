"""The record of a differentiation: how nodes were computed, for the backward pass.

Input: nodes about to be materialized, from `linearize`. Output: their operations and operands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...ir.node import OpInstance, OpNode, own_tapes, tapes, task_tapes


class Tape:
    """Record of how nodes were computed while a function is differentiated.

    A node drops its operands once its value is computed, so the tape keeps those of nodes that
    depend on the inputs, for the backward pass. `custom` and `regions` map the id of a node to a
    custom backward function or a remat region.
    """

    def __init__(self, inputs: Sequence[OpNode]) -> None:
        self.inputs = inputs
        self.dependent = set(map(id, inputs))
        """Identities of the inputs and of recorded nodes that depend on them."""
        self.made: dict[int, tuple[OpNode, OpInstance, tuple[OpNode, ...]]] = {}
        self.custom: dict[int, Any] = {}
        self.regions: dict[int, Any] = {}

    def keep(self, pending: Sequence[OpNode]) -> None:
        """Record the pending nodes, sorted by age, that the backward pass may need."""
        for node in pending:
            if id(node) in self.custom or not self.dependent.isdisjoint(map(id, node.srcs)):
                self.dependent.add(id(node))
        needed: set[int] = set()
        for node in reversed(pending):
            if id(node) in self.dependent or id(node) in needed:
                assert node.call is not None
                self.made[id(node)] = (node, node.call, node.srcs)
                needed.update(map(id, node.srcs))

    def origin(self, node: OpNode) -> tuple[OpInstance, tuple[OpNode, ...]] | None:
        """Return the op instance and the operands of a node; None for leaves."""
        if node.call is not None:
            return node.call, node.srcs
        made = self.made.get(id(node))
        return None if made is None else made[1:]


@contextmanager
def recording(tape: Tape) -> Iterator[None]:
    """Record on `tape` the operations of nodes that are materialized inside the block."""
    tapes.append(tape)
    task_tapes.set((*own_tapes(), tape))
    try:
        yield
    finally:
        tapes.remove(tape)
        task_tapes.set(own_tapes())
