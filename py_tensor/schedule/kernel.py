"""A kernel: one draw, or a loop of them. What it stores and reads, which node its loop computes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kernel:
    """One draw of a schedule; numbers are positions in its Program.

    `kind` is "map" (each element from its operands), "reduce" (a loop over reduced axes; `root` is
    the reduction, `output` it or an elementwise consumer), "contract" or "scan" (`root`, and
    `output` in tile layout) or "loop" (the kernels of `body`, turn after turn). `inputs` are stored
    nodes it reads; `tiles` those of them read in tile layout. `scalars` are uniforms.
    """

    kind: str
    output: int
    root: int
    inputs: tuple[int, ...]
    tiles: frozenset[int]
    scalars: tuple[int, ...]
    body: tuple[Kernel, ...] = ()

    @property
    def tiled(self) -> bool:
        """Whether it writes tile layout."""
        return self.kind in ("contract", "scan")


@dataclass(frozen=True)
class Schedule:
    """Kernels in order of running.

    `keep` maps nodes of the graph to the node of the program that holds their elements in order.
    """

    kernels: tuple[Kernel, ...]
    keep: dict[int, int]
