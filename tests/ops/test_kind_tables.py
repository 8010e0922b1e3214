"""Every kind of operation has a gradient, a batching rule, a row for ONNX and a function of JAX.

The kinds without one are listed with the reason; the lists can only shrink.
`tests/compiler/test_kinds.py` checks the tables of the compiler and of plain Python.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from plans import DEVICE

import py_tensor as pt
from py_tensor.compiler.lowering.lower import lower
from py_tensor.compiler.textures.tile_heuristics import tilings_of
from py_tensor.ir.node import linearize
from py_tensor.linalg.eigen_ops import QR
from py_tensor.linalg.solve_ops import DET
from py_tensor.models.onnx.export_rows import ROWS
from py_tensor.ops import OP_DEFS
from py_tensor.ops.loops import LOOP
from py_tensor.ops.op_def import Contraction, OpDef, Scan
from py_tensor.runtime.backends.jax import function_of
from py_tensor.transforms.branch_op import BRANCH_OP
from py_tensor.transforms.loop_op import LOOP_OP
from py_tensor.transforms.vmap import RULES


@pt.kernel
def twice(x):
    return 2 * x


@pt.kernel(shape=lambda x: x.shape)
def shifted(i, x):
    return x[i - 1]


copied = pt.glsl_kernel(
    "float element(int i) { return u(i); }", inputs={"u": "float32"}, shape=lambda u: u.shape
)


def definitions():
    """Return definitions of all kinds."""
    x = pt.asarray([1.0, 2.0])
    kernels = [twice(x)._node.call.op, shifted(x)._node.call.op, copied._op]
    return [*OP_DEFS.values(), QR, DET, LOOP, LOOP_OP, BRANCH_OP, *kernels]


def has_jax_function(op: OpDef) -> bool:
    try:
        return callable(function_of(op))
    except AttributeError:
        return False


BY_LOWERING = "lowering makes it, after the table is used"
NO_OPERANDS = "it has no operands"
OF_THE_USER = "its function is that of the user"
TABLES: dict[str, tuple[Callable[[OpDef], bool], dict[str, str]]] = {
    "gradient": (
        lambda op: op.gradient is not None,
        {
            "Fixed": "its operands or results are bits",
            "Literal": NO_OPERANDS,
            "Loop": BY_LOWERING,
            "LoopOp": "the backward pass makes another loop",
            "LastPosition": "its result is a position",
            "Search": "its result is a position",
            "Sort": "its result is a position",
            "SourceOp": NO_OPERANDS,
        },
    ),
    "RULES of vmap": (
        lambda op: op in RULES or any(kind in RULES for kind in type(op).__mro__),
        {
            "HandWritten": "it is applied to each example",
            "IndexedKernel": "it is applied to each example",
            "Interleave": BY_LOWERING,
            "Literal": NO_OPERANDS,
            "Loop": BY_LOWERING,
            "SourceOp": NO_OPERANDS,
        },
    ),
    "ROWS of ONNX": (
        lambda op: op.name in ROWS,
        {
            "BranchOp": "to_onnx exports its branches and a choice",
            "ComplexJoin": "ONNX has no complex numbers",
            "ComplexPart": "ONNX has no complex numbers",
            "ElementwiseKernel": OF_THE_USER,
            "Fixed": "random bits",
            "HandWritten": OF_THE_USER,
            "IndexedKernel": OF_THE_USER,
            "Interleave": BY_LOWERING,
            "Literal": BY_LOWERING,
            "Loop": BY_LOWERING,
            "LoopOp": "to_onnx exports its iterations",
        },
    ),
    "JAX": (has_jax_function, {"Loop": BY_LOWERING}),
}
"""Test whether an operation has an entry, and the kinds without one."""


def kinds(base=OpDef):
    """Return all kinds of the package, which are the classes below `OpDef`.

    Kinds that a target defines for itself are left out.
    """
    known = [kind for sub in base.__subclasses__() for kind in (sub, *kinds(sub))]
    names = [(kind, f"{kind.__module__}.") for kind in known]
    return [
        kind
        for kind, name in names
        if name.startswith("py_tensor.") and not name.startswith("py_tensor.compiler.")
    ]


def without(has_entry, ops):
    """Return the names of the kinds of which no definition has an entry."""
    return {type(op).__name__ for op in ops} - {type(op).__name__ for op in ops if has_entry(op)}


def test_there_are_definitions_of_every_kind():
    assert {type(op) for op in definitions()} == set(kinds())


@pytest.mark.parametrize("table", TABLES)
def test_every_kind_has_an_entry_or_is_listed(table):
    has_entry, listed = TABLES[table]
    assert without(has_entry, definitions()) == listed.keys()


@pytest.mark.parametrize("table", TABLES)
def test_a_kind_without_an_entry_is_found(table):
    class Histogram(OpDef):
        """A kind that no table knows."""

    histogram = Histogram(name="histogram of no library")
    assert without(TABLES[table][0], [histogram]) == {"Histogram"}


def test_results_in_tile_layout_have_tilings():
    x = pt.asarray(np.ones((8, 8), "float32"))
    pt.realize(x)
    for result, kind in ((x @ x, Contraction), (pt.cumulative_sum(x, axis=0), Scan)):
        lowered = lower(linearize([result._node]).graph(), DEVICE)
        tiled = [at for at in range(len(lowered.calls)) if isinstance(lowered.op(at), kind)]
        assert tiled == [*tilings_of(lowered, 8, 2048)] != []
