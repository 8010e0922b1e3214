"""Kernels: one call or a loop of calls each, and the schedule that fusion makes of them."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class FusionLimits(NamedTuple):
    """Limits of a target for one kernel, and costs by which fusion chooses.

    The defaults are those of WebGL2.
    """

    inputs: int = 14
    """Stored values that a kernel reads."""
    scalars: int = 96
    """Scalar uniforms."""
    length: int = 256
    """Operations in one kernel; drivers take seconds to compile longer ones."""
    cheap: int = 20
    """Cost per element, summed over consumers, up to which recomputing is cheaper than
    materializing. Operations and reads are counted."""
    repeated: int = 1 << 22
    """Operations, over all elements that read a node through views, that take longer than a
    kernel."""
    parts: int = 64
    """Parts of a split reduction that a kernel may combine before its own loop."""


class KernelKind(StrEnum):
    """Kind of a kernel; `pt.explain` prints its value."""

    MAP = "map"
    """Each element is computed from its operands."""
    REDUCE = "reduce"
    """A loop over reduced axes."""
    ROWS = "rows"
    """Reductions of the elements of rows, one after the other, and elementwise work."""
    SCAN = "scan"
    SORT = "sort"
    SCATTER = "scatter"
    WRITE = "write"
    """Each element of an index space writes elements of the results."""
    DECOMPOSE = "decompose"
    CONTRACT = "contract"
    ATTEND = "attend"
    """A softmax of scores times values."""
    LOOP = "loop"
    """The kernels of the body, repeated."""


class Kernel(NamedTuple):
    """One call of a schedule. Numbers are positions in its lowered graph.

    `outputs` are the nodes that the kernel stores. `root` is the reduction in a kernel that
    reduces, or another operation with an epilogue; `output` is this operation or an elementwise
    consumer of it. In other kernels `root` is `output`. `inputs` are the materialized nodes that it
    reads, `tiles` those of them in tile layout, and `scalars` its uniforms. A map kernel may have
    several `outputs` of equal size and layout. Those of a row kernel have an element for each
    element of the rows that its reductions combine, or one for each row; `root` is one of the
    reductions.
    """

    kind: KernelKind
    outputs: tuple[int, ...]
    root: int
    inputs: tuple[int, ...]
    tiles: frozenset[int]
    scalars: tuple[int, ...]
    body: tuple[Kernel, ...] = ()

    @property
    def output(self) -> int:
        """The node that the kernel stores, the first one of several."""
        return self.outputs[0]


class KernelSchedule(NamedTuple):
    """Kernels in order of execution.

    `keep` maps nodes of the graph to the lowered node that holds their elements in order.
    """

    kernels: tuple[Kernel, ...]
    keep: dict[int, int]
