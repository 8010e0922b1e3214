"""Every mistake raises at once, with the exact text: what is wrong, what was given, what to do."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises

import py_tensor as pt
from py_tensor import errors

X = np.ones((3, 4), "float32")

CASES = {
    "shapes that do not broadcast": (
        errors.ShapeError,
        lambda: pt.asarray(X) + pt.zeros(5),
        "add: shapes (3, 4) and (5,) do not broadcast; axis -1 is 4 and 5",
    ),
    "shapes that do not broadcast, deeper": (
        errors.ShapeError,
        lambda: pt.maximum(pt.zeros((2, 1, 4)), pt.zeros((3, 3, 4))),
        "maximum: shapes (2, 1, 4) and (3, 3, 4) do not broadcast; axis -3 is 2 and 3",
    ),
    "floating only": (
        errors.DTypeError,
        lambda: pt.sqrt(pt.asarray([1, 2])),
        'sqrt: dtype int32 is not floating; use x.astype("float32")',
    ),
    "integers divided": (
        errors.DTypeError,
        lambda: pt.asarray([1, 2]) / 2,
        'divide: dtype int32 is not floating; use x.astype("float32")',
    ),
    "booleans added": (
        errors.DTypeError,
        lambda: pt.asarray([True]) + pt.asarray([True]),
        'add: dtype bool is not numeric; use x.astype("int32")',
    ),
    "floats shifted": (
        errors.DTypeError,
        lambda: pt.asarray([1.0]) << 1,
        'bitwise_left_shift: dtype float32 is not integer; use x.astype("int32")',
    ),
    "numbers taken for booleans": (
        errors.DTypeError,
        lambda: pt.logical_and(pt.asarray([1]), pt.asarray([1])),
        'logical_and: dtype int32 is not boolean; use x.astype("bool")',
    ),
    "a condition of numbers": (
        errors.DTypeError,
        lambda: pt.where(pt.asarray([1.0]), 1, 2),
        "where: condition is not boolean; got dtype float32; compare first, as in x != 0",
    ),
    "mean of integers": (
        errors.DTypeError,
        lambda: pt.mean(pt.asarray([1, 2])),
        'mean: dtype int32 is not floating; use x.astype("float32")',
    ),
    "ragged numbers": (
        errors.ShapeError,
        lambda: pt.asarray([[1, 2], [3]]),
        (
            "asarray: ragged input; got length 1 at index [1] and 2 before it; make all rows "
            "equally long"
        ),
    ),
    "ragged depth": (
        errors.ShapeError,
        lambda: pt.asarray([[1, 2], 3]),
        (
            "asarray: ragged input; got a number at index [1]; beside it are sequences; make all "
            "rows equally deep"
        ),
    ),
    "a string": (
        errors.DTypeError,
        lambda: pt.asarray("text"),
        (
            "asarray: cannot make a tensor of str; got 'text'; give numbers, nested lists, a "
            "buffer or a NumPy array"
        ),
    ),
    "complex numbers": (
        errors.DTypeError,
        lambda: pt.asarray([1.0, 1j], dtype="float32"),
        (
            "asarray: complex numbers do not fit dtype float32; got 1j; "
            'take the real parts, or use dtype "complex64"'
        ),
    ),
    "an array of complex numbers": (
        errors.DTypeError,
        lambda: pt.asarray(np.array([1j]), dtype="int32"),
        (
            "asarray: complex numbers do not fit dtype int32; got complex128; "
            'take the real parts, or use dtype "complex64"'
        ),
    ),
    "an array of dates": (
        errors.DTypeError,
        lambda: pt.asarray(np.array(["2020-01-01"], "datetime64[D]")),
        (
            "asarray: dtype datetime64[D] does not exist on WebGL; got a NumPy array of "
            "datetime64[D]; use .astype"
        ),
    ),
    "a list with an integer beyond int32": (
        errors.DTypeError,
        lambda: pt.asarray([[1, 2], [2**31, 4]]),
        (
            "asarray: value does not fit dtype int32; got 2147483648 at index (1, 0); int32 "
            "holds -2147483648 to 2147483647"
        ),
    ),
    "an array with an integer beyond int32": (
        errors.DTypeError,
        lambda: pt.asarray(np.array([[1, 2], [2**40, -(2**40)]])),
        (
            f"asarray: value does not fit dtype int32; got {2**40} at index (1, 0); int32 holds "
            f"-2147483648 to 2147483647"
        ),
    ),
    "an array with an integer beyond uint8": (
        errors.DTypeError,
        lambda: pt.asarray(np.array([1, -1]), dtype="uint8"),
        "asarray: value does not fit dtype uint8; got -1 at index (1,); uint8 holds 0 to 255",
    ),
    "an array with a float beyond int32": (
        errors.DTypeError,
        lambda: pt.asarray(np.array([[1.5], [3e9]], "float32"), dtype="int32"),
        (
            "asarray: value does not fit dtype int32; got 3000000000.0 at index (1, 0); int32 "
            "holds -2147483648 to 2147483647"
        ),
    ),
    "an array with NaN for integers": (
        errors.DTypeError,
        lambda: pt.asarray(np.array([1.0, np.nan]), dtype="uint8"),
        "asarray: value does not fit dtype uint8; got nan at index (1,); uint8 holds 0 to 255",
    ),
    "a list with NaN for integers": (
        errors.DTypeError,
        lambda: pt.asarray([1.0, float("nan")], dtype="uint8"),
        "asarray: value does not fit dtype uint8; got nan at index (1,); uint8 holds 0 to 255",
    ),
    "a list with infinity for integers": (
        errors.DTypeError,
        lambda: pt.asarray([1.0, float("-inf")], dtype="int8"),
        "asarray: value does not fit dtype int8; got -inf at index (1,); int8 holds -128 to 127",
    ),
    "assigning an integer beyond int32": (
        errors.DTypeError,
        lambda: pt.zeros(2, dtype="int32").__setitem__(0, 2**40),
        (
            f"setitem: Python integer {2**40} does not fit dtype int32; got {2**40}; "
            "int32 holds -2147483648 to 2147483647"
        ),
    ),
    "float64": (
        errors.DTypeError,
        lambda: pt.asarray([1.0], dtype="float64"),
        "asarray: dtype float64 does not exist on WebGL; got 'float64'; use \"float32\"",
    ),
    "int64 of NumPy": (
        errors.DTypeError,
        lambda: pt.asarray([1]).astype(np.int64),
        f'astype: dtype int64 does not exist on WebGL; got {np.int64!r}; use "int32"',
    ),
    "uint32 with int32": (
        errors.DTypeError,
        lambda: pt.asarray([1]) + pt.asarray([1], dtype="uint32"),
        "add: dtypes int32 and uint32 need int64, which WebGL does not have; got int32 and uint32; "
        'convert one with .astype("int32") or .astype("uint32")',
    ),
    "reshape": (
        errors.ShapeError,
        lambda: pt.asarray(X).reshape((5, -1)),
        "reshape: sizes differ; got shape (3, 4) and (5, -1); the new shape needs 12 elements",
    ),
    "permute_dims": (
        errors.ShapeError,
        lambda: pt.permute_dims(pt.asarray(X), (0, 0)),
        "permute_dims: axes are no order of all axes; got (0, 0) for 2 axes; name each once",
    ),
    "broadcast_to": (
        errors.ShapeError,
        lambda: pt.broadcast_to(pt.asarray(X), (4,)),
        "broadcast_to: shape does not fit; got (3, 4) and (4,); axes of length 1 can grow",
    ),
    "squeeze": (
        errors.ShapeError,
        lambda: pt.squeeze(pt.asarray(X), 0),
        "squeeze: axis 0 is not of length 1; got shape (3, 4); name axes of length 1",
    ),
    "an axis out of range": (
        errors.ShapeError,
        lambda: pt.sum(pt.asarray(X), axis=2),
        "sum: axis out of range; got axis 2 for 2 axes; use -2 to 1",
    ),
    "an axis twice": (
        errors.ShapeError,
        lambda: pt.sum(pt.asarray(X), axis=(0, -2)),
        "sum: axis given twice; got (0, -2); name each axis once",
    ),
    "pad": (
        errors.ShapeError,
        lambda: pt.pad(pt.asarray(X), ((1, 1), (1, -1))),
        (
            "pad: widths do not fit; got ((1, 1), (1, -1)) for shape (3, 4); give one (before, "
            "after) an axis, from 0 on"
        ),
    ),
    "concat of nothing": (
        errors.ShapeError,
        lambda: pt.concat([]),
        "concat: nothing to join; got an empty sequence; give at least one tensor",
    ),
    "concat": (
        errors.ShapeError,
        lambda: pt.concat([pt.asarray(X), pt.zeros((3, 5))]),
        "concat: shapes differ beside axis 0; got (3, 4) and (3, 5); make all other axes equal",
    ),
    "stack": (
        errors.ShapeError,
        lambda: pt.stack([pt.zeros(3), pt.zeros(2)]),
        "stack: shapes differ; got (2,), (3,); make all shapes equal",
    ),
    "T": (
        errors.ShapeError,
        lambda: pt.zeros((2, 3, 4)).T,
        "T: needs two axes; got shape (2, 3, 4); use mT or permute_dims",
    ),
    "item": (
        errors.ShapeError,
        lambda: pt.asarray(X).item(),
        "item: tensor has not exactly one element; got shape (3, 4); index it first",
    ),
    "truth of several": (
        errors.ShapeError,
        lambda: bool(pt.asarray(X) > 0),
        (
            "bool: only a tensor of one element has a value of its own; got shape (3, 4); use "
            ".any(), .all() or an index"
        ),
    ),
    "gradients by integers": (
        errors.DTypeError,
        lambda: pt.grad(lambda x, n: x * n)(pt.asarray([1, 2]), 0.5),
        (
            "grad: no argument to differentiate by is floating; got [int32[2]]; "
            'use x.astype("float32")'
        ),
    ),
    "gradients by a Python integer": (
        errors.DTypeError,
        lambda: pt.vjp(lambda x: x, 3),
        'vjp: no argument to differentiate by is floating; got [3]; use x.astype("float32")',
    ),
    "argnums beyond the arguments": (
        errors.ArgumentError,
        lambda: pt.grad(lambda x: x, argnums=(0, -2))(1.0),
        (
            "grad: argnums names no positional argument; got -2 for a call with 1; give a position "
            "from 0 to 0"
        ),
    ),
    "argnums of an argument passed by name": (
        errors.ArgumentError,
        lambda: pt.value_and_grad(lambda x: x)(x=1.0),
        (
            "value_and_grad: argnums names no positional argument; got 0 for a call with 0; pass "
            "it by position"
        ),
    ),
    "argnums twice": (
        errors.ArgumentError,
        lambda: pt.grad(lambda x, y: x * y, argnums=(1, -1))(1.0, 2.0),
        "grad: argnums names an argument twice; got (1, -1) for a call with 2; name each once",
    ),
    "the gradient of several numbers": (
        errors.GradientError,
        lambda: pt.grad(lambda x: x * 2.0)(pt.ones(3)),
        (
            "grad: the function's result is not one floating number; got float32[3]; reduce it "
            "with pt.sum or pt.mean, or use pt.vjp"
        ),
    ),
    "the gradient of an integer": (
        errors.GradientError,
        lambda: pt.value_and_grad(lambda x: pt.argmax(x))(pt.ones(3)),
        (
            "value_and_grad: the function's result is not one floating number; got int32[]; reduce "
            "it with pt.sum or pt.mean, or use pt.vjp"
        ),
    ),
    "the gradient of a pair": (
        errors.GradientError,
        lambda: pt.grad(lambda x: (x, x))(1.0),
        (
            "grad: the function's result is not one floating number; got tuple; reduce it with "
            "pt.sum or pt.mean, or use pt.vjp"
        ),
    ),
    "an auxiliary result that is missing": (
        errors.GradientError,
        lambda: pt.grad(lambda x: x, has_aux=True)(1.0),
        "grad: has_aux needs a pair of results; got Tensor; return (value, aux)",
    ),
    "an operation without a gradient": (
        errors.GradientError,
        lambda: pt.grad(lambda x: pt.sum(pt.nextafter(x, 2.0)))(pt.ones(3)),
        (
            "nextafter: operation has no gradient; got nextafter(float32[3], float32[]) -> "
            "float32[3]; keep the gradient from it with pt.stop_gradient"
        ),
    ),
    "a cotangent of another structure": (
        errors.GradientError,
        lambda: pt.vjp(lambda x: (x, x), 1.0)[1]([1.0, 2.0]),
        (
            "vjp: cotangent has another structure; got Structure([*, *]) for Structure((*, *)); "
            "give a tree of the same containers"
        ),
    ),
    "a cotangent of another shape": (
        errors.GradientError,
        lambda: pt.vjp(lambda x: pt.sum(x), pt.ones(3))[1](pt.ones(3)),
        "vjp: cotangent has another shape; got (3,) for float32[]; give the same shape",
    ),
    "a tangent of another structure": (
        errors.GradientError,
        lambda: pt.jvp(lambda x, y: x * y, (1.0, 2.0), (1.0,)),
        (
            "jvp: tangent has another structure; got Structure((*,)) for Structure((*, *)); give a "
            "tree of the same containers"
        ),
    ),
    "a tangent of another shape": (
        errors.GradientError,
        lambda: pt.jvp(lambda x: x, (pt.ones(3),), (1.0,)),
        "jvp: tangent has another shape; got () for float32[3]; give the same shape",
    ),
    "an unknown backend": (
        errors.BackendError,
        lambda: pt.set_backend("cuda"),
        "set_backend: no backend of that name; got 'cuda'; use one of webgl, numpy",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_exact_text(name):
    error, call, text = CASES[name]
    assert_raises(error, text, call)
