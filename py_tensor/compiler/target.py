"""Target: the device for which a graph is compiled, and all that the compiler asks of it.

Input: a lowered graph and the kernels that fusion makes of it. Output: slots and texts of kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from ..ir.node import OpGraph, TensorSpec
from ..ops.op_def import OpDef
from .codegen.shader import Shader
from .fusion.traits import FusionTraits
from .kernel import FusionLimits, Kernel, KernelKind, KernelSchedule
from .lowered_graph import LoweredGraph

Lowering = Callable[..., Any]
"""Function that lowers an operation: `lowering(lowered, call, values of the operands)`."""


class StoredValue(NamedTuple):
    """Value of a node, as it is stored, in one iteration of each of the loops around it."""

    node: int
    tiled: bool = False
    iterations: tuple[int, ...] = ()


class TargetStorage(Protocol):
    """Choices of a target for one graph: the slots of stored values, and the texts of kernels."""

    def slot(self, value: StoredValue) -> Any:
        """Return the slot that holds a value. Values whose slots are equal may share one.

        It has the size in bytes, `nbytes`.
        """

    def write(self, kernel: Kernel) -> Shader:
        """Return the text of a kernel."""


class Target(Protocol):
    """Device for which the compiler rewrites, fuses and writes a graph."""

    @property
    def limits(self) -> FusionLimits:
        """Limits of a kernel, and costs by which fusion chooses."""

    @property
    def outputs(self) -> int:
        """Results that a map kernel can store."""

    @property
    def stores_operands(self) -> bool:
        """True if a kernel that reduces a value may store that value, too."""

    joins_choices: bool = True
    """True if one map kernel should store several values that one condition chooses."""

    def rewritten(self, graph: OpGraph) -> OpGraph:
        """Return a graph of the same nodes, some of which are operations of this target."""
        return graph

    joins_rows: bool = False
    """True if one kernel may compute several reductions of the same rows."""

    def stores_rows(self, frame: tuple[int, int], specs: Sequence[TensorSpec]) -> bool:
        """Return True if a row kernel can store values, given number and length of the rows.

        A value has an element for each element of the rows, or one for each row.
        """
        return False

    @property
    def lowerings(self) -> Mapping[type[OpDef], Lowering]:
        """Function that lowers each kind of operation that kernels of this target cannot compute.

        They are tried before `LOWERINGS`, which all targets share.
        """

    @property
    def traits(self) -> Callable[[OpDef], FusionTraits]:
        """Function that returns the facts by which fusion places an operation: a `TraitsTable`."""

    def writes_tiles(self, kind: KernelKind) -> bool:
        """Return True if kernels of a kind write tile layout.

        Kernels that read the result reorder it, and there is no epilogue.
        """

    def storage(self, lowered: LoweredGraph, schedule: KernelSchedule) -> TargetStorage:
        """Choose how the values of a graph are stored, after fusion."""

    def listing(self, source: str) -> str:
        """Return the text of a kernel as `pt.explain` shows it."""
        return source
