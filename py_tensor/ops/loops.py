"""Definition of loops.

Graphs contain none. Lowering creates them for operations that repeat the same steps many times.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from ..dtypes import bool_
from .op_def import InferredResult, OpDef
from .rule_types import Spec


class Loop(OpDef):
    """Marker of the kernels of a loop; the static argument is a `lowered_graph.LoopSpec`.

    The operands are the initial carries, and then the carries after one iteration, computed from
    those before it. The marker has no value; `lowered_graph.LoopItem`s are values of the body.
    """

    def infer(self, specs: Sequence[Spec], arg: Hashable) -> InferredResult:
        half = len(specs) // 2
        assert all(a is b for a, b in zip(specs[:half], specs[half:], strict=True))
        return InferredResult((), bool_, tuple(spec.dtype for spec in specs))


LOOP = Loop(name="loop", public=False, doc="Mark the kernels of a loop.")
