"""The op table: one op definition for each operation of the package.

Input: none. Output: `OP_DEFS`, the op definitions by name. An op definition gives the shape and
dtype checks, the error text, the shader, the reference result and the tests on every backend.
Reading order: `rule_types` (types of rules), `op_def` (the classes), `elementwise`, `reductions`,
`scans`, `index_map`, `views`, `gathers`, `sorts`, `sources`, `contractions`, `loops`; then
`complex_parts`, `complex_algebra` and `complex_rules` for complex operands, `graph_value` (nodes
with operators, in which those rules and lowering are written) and `host_functions`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .op_def import OpDef

    OP_DEFS: dict[str, OpDef]
else:

    def __getattr__(name: str) -> Any:
        """Import all tables when `OP_DEFS` is first used: a first computation needs few of them."""
        if name != "OP_DEFS":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
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

        tables = (
            *(elementwise, reductions, scans, views, gathers, sorts, sources, contractions),
            complex_parts,
        )
        return globals().setdefault(name, {op.name: op for t in tables for op in t.OP_DEFS})
