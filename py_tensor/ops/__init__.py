"""The op table: one op definition for each operation of the package.

Input: none. Output: `OP_DEFS`, the op definitions by name. An op definition gives the shape and
dtype checks, the error text, the shader, the reference result and the tests on every backend.
Reading order: `op_def` (the classes), `elementwise`, `reductions`, `scans`, `index_map`, `views`,
`gathers`, `sorts`, `sources`, `contractions`, `loops`; then `complex_parts`, `complex_algebra` and
`complex_rules` for complex operands, `graph_value` (nodes with operators, in which those rules and
lowering are written), `host_functions` and `shader_helpers`.
"""

from __future__ import annotations

from . import (
    complex_parts,
    contractions,
    elementwise,
    gathers,
    reductions,
    scans,
    sorts,
    sources,
    views,
)
from .op_def import OpDef

OP_DEFS: dict[str, OpDef] = {
    op.name: op
    for table in (
        elementwise.OP_DEFS,
        reductions.OP_DEFS,
        scans.OP_DEFS,
        views.OP_DEFS,
        gathers.OP_DEFS,
        sorts.OP_DEFS,
        sources.OP_DEFS,
        contractions.OP_DEFS,
        complex_parts.OP_DEFS,
    )
    for op in table
}
