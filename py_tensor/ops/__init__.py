"""The op table: one op definition for each operation of the package.

Input: none. Output: `OP_DEFS`, the op definitions by name. An op definition gives the shape and
dtype checks, the error text, the shader, the reference result and the tests on every backend.
Reading order: `rule_types` (types of rules), `op_def` (the classes), `elementwise`, `reductions`,
`scans`, `index_map`, `views`, `gathers`, `sorts`, `sources`, `contractions`, `loops`; then
`complex_parts`, `complex_algebra` and `complex_rules` for complex operands, `graph_value` (nodes
with operators, in which those rules and lowering are written) and `host_functions`.
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

_TABLES = (
    *(elementwise, reductions, scans, views, gathers, sorts, sources, contractions),
    complex_parts,
)
OP_DEFS: dict[str, OpDef] = {op.name: op for table in _TABLES for op in table.OP_DEFS}
