"""Kernels: one draw or a loop of draws each, and the schedule that fusion makes of them."""

from __future__ import annotations

from typing import NamedTuple


class Kernel(NamedTuple):
    """One draw of a schedule. Numbers are positions in its lowered graph.

    `outputs` are the nodes that the kernel stores. `kind` is one of
    - "map": each element is computed from its operands;
    - "reduce": a loop over reduced axes. `root` is the reduction, `output` is the reduction or an
      elementwise consumer of it;
    - "contract" or "scan": `root` is the operation, which is stored in tile layout;
    - "loop": the kernels of `body`, repeated.

    For other kinds `root` is `output`. `inputs` are the materialized nodes that it reads, `tiles`
    those of them in tile layout, and `scalars` its uniforms. A map kernel may have several
    `outputs` of equal size and texture layout, one for each draw buffer.
    """

    kind: str
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

    @property
    def tiled(self) -> bool:
        """True if the kernel writes tile layout."""
        return self.kind in ("contract", "scan")


class KernelSchedule(NamedTuple):
    """Kernels in order of execution.

    `keep` maps nodes of the graph to the lowered node that holds their elements in order.
    """

    kernels: tuple[Kernel, ...]
    keep: dict[int, int]
