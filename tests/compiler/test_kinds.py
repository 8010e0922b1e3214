"""Every kind of operation has an entry in the tables that choose a function by kind."""

from __future__ import annotations

import pytest

from py_tensor.compiler.codegen.expressions import EXPRESSIONS
from py_tensor.compiler.fusion.traits import TRAITS
from py_tensor.compiler.lowering.lower import LOWERINGS
from py_tensor.compiler.textures.target import TEXTURE_LOWERINGS
from py_tensor.kernels.hand_written import HandWritten
from py_tensor.kernels.kinds import IndexedKernel
from py_tensor.ops.op_def import OpDef, entry_of
from py_tensor.runtime.evaluators import EVALUATORS
from py_tensor.transforms.branch_op import BranchOp
from py_tensor.transforms.loop_op import LoopOp

for kind in (BranchOp, LoopOp, IndexedKernel, HandWritten):
    assert issubclass(kind, OpDef), "its module is imported when it is first used"
ONLY_MADE_BY_LOWERING = {"Loop"}
LOWERED_INTO_OTHERS = {
    "ComplexJoin",
    "ComplexPart",
    "Decomposition",
    "GatherAlong",
    "LastPosition",
    "Literal",
    "LoopOp",
    "OptimizationBarrier",
    "Scatter",
    "Search",
    "Sort",
}
KERNELS_OF_THEIR_OWN = {"Contraction", "Loop", "Scan"}
ON_WEBGL_ONLY = {"HandWritten"}
IN_WHOLE_PROGRAMS = {"BranchOp"}
ANYWHERE_IN_A_KERNEL = {"HandWritten", "IndexedKernel", "Interleave", "SourceOp"}
WITHOUT = {
    "EXPRESSIONS": LOWERED_INTO_OTHERS | KERNELS_OF_THEIR_OWN | IN_WHOLE_PROGRAMS,
    "EVALUATORS": ONLY_MADE_BY_LOWERING
    | ON_WEBGL_ONLY
    | IN_WHOLE_PROGRAMS
    | {"Decomposition", "LoopOp"},
    "TRAITS": LOWERED_INTO_OTHERS | IN_WHOLE_PROGRAMS | ANYWHERE_IN_A_KERNEL,
}
"""Kinds that need no entry in a table."""
TABLES = {"EXPRESSIONS": EXPRESSIONS, "EVALUATORS": EVALUATORS, "TRAITS": TRAITS}


def kinds(base=OpDef):
    """Return all kinds of the package, which are the classes below `OpDef`.

    Kinds that a target defines for itself are left out.
    """
    found = [kind for sub in base.__subclasses__() for kind in (sub, *kinds(sub))]
    modules = tuple(f"py_tensor.{name}." for name in ("ops", "kernels", "transforms"))
    return [kind for kind in found if kind.__module__.startswith(modules)]


def missing(table, given):
    """Return the names of the kinds whose definitions have no entry in a table."""
    return {kind.__name__ for kind in given if entry_of(table, object.__new__(kind)) is None}


@pytest.mark.parametrize("name", TABLES)
def test_every_kind_has_an_entry(name):
    assert missing(TABLES[name], kinds()) == WITHOUT[name]


@pytest.mark.parametrize("name", TABLES)
def test_a_kind_without_an_entry_is_found(name):
    class Histogram(OpDef):
        """A kind that no table knows."""

    assert missing(TABLES[name], [Histogram]) == {"Histogram"}


def test_kinds_that_lowering_keeps_have_expressions():
    kept = (
        missing(LOWERINGS | TEXTURE_LOWERINGS, kinds()) - ONLY_MADE_BY_LOWERING - IN_WHOLE_PROGRAMS
    )
    assert "Elementwise" in kept
    assert kept.isdisjoint(WITHOUT["EXPRESSIONS"])


@pytest.mark.parametrize("table", [LOWERINGS, TEXTURE_LOWERINGS, *TABLES.values()])
def test_tables_have_no_other_entries(table):
    assert set(table) <= set(kinds())
