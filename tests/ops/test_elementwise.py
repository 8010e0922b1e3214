"""Every elementwise op with every dtype it allows, on every layout, against NumPy on the host."""

from __future__ import annotations

import numeric_exceptions
import numpy as np
import pytest
import reference
from helpers import assert_values
from op_defs import ELEMENTWISE, each_dtype, operands, tolerance

import py_tensor as pt

SHAPES = [(), (0,), (1,), (4,), (7,), (3, 5), (2, 0, 3), (2, 1, 3, 2, 1, 3), (33, 65)]
PAIRS = [
    ((3, 5), (5,)),
    ((3, 5), (3, 1)),
    ((6, 8), (8,)),
    ((1, 8), (6, 8)),
    ((6, 1), (6, 8)),
    ((4, 1), (1, 8)),
    ((), (3, 5)),
    ((7,), (1,)),
    ((0, 3), (3,)),
    ((2, 1, 3, 1, 2, 2), (1, 2, 1, 3, 1, 2)),
]
FEW = [((3, 5), (5,)), ((8,), (6, 8)), ((6, 1), (6, 8))]
"""Dtypes that suffice for all ops: the remaining cases depend on the dtype only."""
BINARY = [op for op in ELEMENTWISE if op.arity == 2]


def check(op, dtype, rng, all_shapes):
    """Compute the op for each tuple of shapes in one plan, and compare each result."""
    arrays = [operands(rng, op, dtype, shapes) for shapes in all_shapes]
    function = getattr(pt, op.name)
    results = [function(*map(pt.asarray, given)) for given in arrays]
    pt.realize(*results)
    for shapes, given, got in zip(all_shapes, arrays, results, strict=True):
        expected = reference.result(op.name, *given)
        atol = 0.0 if dtype.kind != "f" else numeric_exceptions.absolute(op.name)
        assert_values(got, expected, rtol=tolerance(op, dtype), atol=atol, what=str(shapes))


@each_dtype(ELEMENTWISE)
def test_equal_shapes(op, dtype, rng):
    check(op, dtype, rng, [(shape,) * op.arity for shape in SHAPES])


@each_dtype(BINARY)
def test_broadcast(op, dtype, rng):
    check(op, dtype, rng, PAIRS if op.name in ("add", "equal") else FEW)


@pytest.mark.parametrize(
    "shapes", [((3, 1), (5,), (2, 1, 1)), ((), (3, 8), (3, 1)), ((8,), (1,), ())], ids=str
)
def test_broadcast_where(shapes, rng):
    c, a, b = (rng.random(shapes[0]) < 0.5, *(rng.random(s).astype("float32") for s in shapes[1:]))
    assert_values(pt.where(*map(pt.asarray, (c, a, b))), np.where(c, a, b))


@each_dtype(BINARY)
def test_scalar_on_either_side(op, dtype, rng):
    x, y = operands(rng, op, dtype, [(3, 5), ()])
    a, b = operands(rng, op, dtype, [(), (3, 5)])
    function = getattr(pt, op.name)
    right, left = function(pt.asarray(x), y.item()), function(a.item(), pt.asarray(b))
    pt.realize(right, left)
    rtol = tolerance(op, dtype)
    assert_values(right, reference.result(op.name, x, y), rtol=rtol, what="scalar on the right")
    assert_values(left, reference.result(op.name, a, b), rtol=rtol, what="scalar on the left")


@each_dtype([op for op in ELEMENTWISE if op.dunder])
def test_operators(op, dtype, rng):
    given = operands(rng, op, dtype, [(2, 3)] * op.arity)
    x, *rest = map(pt.asarray, given)
    got = getattr(x, op.dunder)(*rest)
    assert_values(got, reference.result(op.name, *given), rtol=tolerance(op, dtype))


@each_dtype([op for op in BINARY if op.dunder and op.result != "bool"])
def test_reflected_operators(op, dtype, rng):
    a, b = operands(rng, op, dtype, [(2, 3), (2, 3)])
    reflected = f"__r{op.dunder.strip('_')}__"
    got = getattr(pt.asarray(b), reflected)(pt.asarray(a))
    rtol = tolerance(op, dtype)
    assert_values(got, reference.result(op.name, a, b), rtol=rtol)
    if dtype.name in ("float32", "int32", "bool"):
        # Lists are of one of these dtypes, and not weak as scalars are.
        got = getattr(pt.asarray(b), reflected)(a.tolist())
        assert_values(got, reference.result(op.name, a, b), rtol=rtol)


@each_dtype([op for op in BINARY if op.dunder and op.result != "bool"])
def test_operators_in_place(op, dtype, rng):
    a, b = operands(rng, op, dtype, [(2, 3), (2, 3)])
    x = pt.asarray(a)
    alias = pt.copy(x)
    same = getattr(x, f"__i{op.dunder.strip('_')}__")(pt.asarray(b))
    assert same is x
    assert_values(x, reference.result(op.name, a, b), rtol=tolerance(op, dtype))
    assert_values(alias, a)


@each_dtype(ELEMENTWISE)
def test_methods(op, dtype, rng):
    given = operands(rng, op, dtype, [(2, 3)] * op.arity)
    if op.name == "where":
        assert not hasattr(pt.Tensor, "where"), "the first operand of where is the condition"
        return
    x, *rest = map(pt.asarray, given)
    assert_values(
        getattr(x, op.name)(*rest), reference.result(op.name, *given), rtol=tolerance(op, dtype)
    )


@pytest.mark.parametrize(
    "dtype", ["float32", "float16", "int32", "uint32", "int8", "uint8", "int16", "uint16"]
)
@pytest.mark.parametrize("limits", [(-1, 2), (0, None), (None, 3), (None, None), (3, 1)], ids=str)
def test_clip(dtype, limits, rng):
    x = rng.integers(-5 if dtype[0] in "if" else 0, 6, (3, 5)).astype(dtype)
    limits = tuple(
        limit if limit is None else max(limit, 0 if dtype[0] == "u" else -9) for limit in limits
    )
    expected = x if limits == (None, None) else np.clip(x, *limits)
    assert_values(pt.clip(pt.asarray(x), *limits), expected)


def test_clip_by_tensors(rng):
    x, low, high = (rng.standard_normal(s).astype("float32") for s in [(3, 5), (5,), (3, 1)])
    got = pt.clip(*map(pt.asarray, (x, low, high)))
    assert_values(got, np.minimum(np.maximum(x, low), high))
