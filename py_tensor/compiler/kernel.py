"""Kernels: one draw or a loop of draws each, and the schedule that fusion makes of them."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class FusionLimits(NamedTuple):
    """Limits of the context for one shader: textures read, and scalar uniforms."""

    inputs: int = 14
    scalars: int = 96


class KernelKind(StrEnum):
    """Kind of a kernel; `pt.explain` prints its value."""

    MAP = "map"
    """Each element is computed from its operands."""
    REDUCE = "reduce"
    """A loop over reduced axes."""
    SCAN = "scan"
    CONTRACT = "contract"
    LOOP = "loop"
    """The kernels of the body, repeated."""

    @property
    def tiled(self) -> bool:
        """True if the kernel writes tile layout."""
        return self is KernelKind.SCAN or self is KernelKind.CONTRACT


class Kernel(NamedTuple):
    """One draw of a schedule. Numbers are positions in its lowered graph.

    `outputs` are the nodes that the kernel stores. `root` is the reduction in a kernel that
    reduces, whose `output` is the reduction or an elementwise consumer of it; in other kernels it
    is `output`. `inputs` are the materialized nodes that it reads, `tiles` those of them in tile
    layout, and `scalars` its uniforms. A map kernel may have several `outputs` of equal size and
    texture layout, one for each draw buffer.
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
