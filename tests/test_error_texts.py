"""Every misuse raises at once with the exact text: the problem, the values, and the fix."""

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
    "results in an array of NumPy": (
        errors.ArgumentTypeError,
        lambda: np.sum(pt.asarray([1, 2]), out=np.zeros(())),
        "sum: out must be a Tensor; got ndarray of shape (), dtype float64; "
        "pass a Tensor, or write out[...] = pt.sum(...)",
    ),
    "a mask without a value": (
        errors.ArgumentError,
        lambda: pt.max(pt.asarray([1, 2]), where=[True, False]),
        "max: where needs initial; got none; give initial",
    ),
    "padding without elements": (
        errors.ShapeError,
        lambda: pt.pad(pt.zeros(0), 1, "edge"),
        "pad: no elements to repeat; got shape (0,); use constant",
    ),
    "an unknown kind of padding": (
        errors.ArgumentError,
        lambda: pt.pad(pt.zeros(2), 1, "median"),
        'pad: mode is unknown; got \'median\'; use "constant", "edge", "wrap", "symmetric" or '
        '"reflect"',
    ),
    "pixels of a tensor that is no image": (
        errors.ShapeError,
        lambda: pt.to_pixels(pt.ones((2, 2, 2))).send(None),
        "to_pixels: tensor cannot be shown as an image; got shape (2, 2, 2); use (height, width) "
        "or (height, width, 1, 3 or 4)",
    ),
    "one value for where": (
        errors.ArgumentError,
        lambda: pt.where([True], 1, None),
        "where: one of both values is missing; got None; give both or none",
    ),
    "an unknown mode of take": (
        errors.ArgumentError,
        lambda: pt.take([1, 2], [0], mode="mirror"),
        'take: mode is unknown; got \'mirror\'; use "raise", "wrap" or "clip"',
    ),
    "booleans subtracted": (
        errors.DTypeError,
        lambda: pt.asarray([True]) - pt.asarray([True]),
        'subtract: dtype bool is not numeric; use x.astype("int32")',
    ),
    "floats shifted": (
        errors.DTypeError,
        lambda: pt.asarray([1.0]) << 1,
        'bitwise_left_shift: dtype float32 is not integer; use x.astype("int32")',
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
            "asarray: ragged input; got a number at index [1], next to sequences; nest all rows "
            "equally deep"
        ),
    ),
    "a string": (
        errors.DTypeError,
        lambda: pt.asarray("text"),
        (
            "asarray: cannot convert str to a tensor; got 'text'; pass numbers, nested lists, a "
            "buffer or a NumPy array"
        ),
    ),
    "complex numbers": (
        errors.DTypeError,
        lambda: pt.asarray([1.0, 1j], dtype="float32"),
        (
            "asarray: cannot convert complex numbers to dtype float32; got 1j; take the real "
            'parts, or use dtype "complex64"'
        ),
    ),
    "an array of complex numbers": (
        errors.DTypeError,
        lambda: pt.asarray(np.array([1j]), dtype="int32"),
        (
            "asarray: cannot convert complex numbers to dtype int32; got complex128; take the real "
            'parts, or use dtype "complex64"'
        ),
    ),
    "an array of dates": (
        errors.DTypeError,
        lambda: pt.asarray(np.array(["2020-01-01"], "datetime64[D]")),
        (
            "asarray: dtype datetime64[D] is not supported by WebGL; got a NumPy array of "
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
    "an unknown dtype": (
        errors.DTypeError,
        lambda: pt.asarray([1.0], dtype="float128"),
        "asarray: unknown dtype; got 'float128'; use one of float32, float16, int32, uint32, "
        "int16, uint16, int8, uint8, bool, complex64",
    ),
    "an integer beyond int32 as int64": (
        errors.DTypeError,
        lambda: pt.asarray([1, 2**40], dtype="int64"),
        f"asarray: value does not fit dtype int32; got {2**40} at index (1,); int32 holds "
        "-2147483648 to 2147483647",
    ),
    "uint32 with int32": (
        errors.DTypeError,
        lambda: pt.asarray([1]) + pt.asarray([1], dtype="uint32"),
        "add: dtypes int32 and uint32 promote to int64, which WebGL does not support; got int32 "
        'and uint32; convert one with .astype("int32") or .astype("uint32")',
    ),
    "reshape": (
        errors.ShapeError,
        lambda: pt.asarray(X).reshape((5, -1)),
        "reshape: number of elements must not change; got shape (3, 4) and (5, -1); use a shape "
        "of 12 elements",
    ),
    "permute_dims": (
        errors.ShapeError,
        lambda: pt.permute_dims(pt.asarray(X), (0, 0)),
        "permute_dims: axes must be a permutation of all axes; got (0, 0) for 2 axes; list each "
        "axis once",
    ),
    "broadcast_to": (
        errors.ShapeError,
        lambda: pt.broadcast_to(pt.asarray(X), (4,)),
        "broadcast_to: shapes are incompatible; got (3, 4) and (4,); only axes of length 1 can be "
        "broadcast",
    ),
    "squeeze": (
        errors.ShapeError,
        lambda: pt.squeeze(pt.asarray(X), 0),
        "squeeze: axis 0 must have length 1; got shape (3, 4); use axes of length 1",
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
            "pad: widths are invalid; got ((1, 1), (1, -1)) for shape (3, 4); pass one "
            "non-negative (before, after) per axis"
        ),
    ),
    "concat of nothing": (
        errors.ShapeError,
        lambda: pt.concat([]),
        "concat: at least one tensor is required; got an empty sequence; pass a tensor",
    ),
    "concat": (
        errors.ShapeError,
        lambda: pt.concat([pt.asarray(X), pt.zeros((3, 5))]),
        "concat: shapes must be equal except along axis 0; got (3, 4) and (3, 5); make all other "
        "axes equal",
    ),
    "stack": (
        errors.ShapeError,
        lambda: pt.stack([pt.zeros(3), pt.zeros(2)]),
        "stack: shapes must be equal; got (2,), (3,); make all shapes equal",
    ),
    "mT": (
        errors.AxesError,
        lambda: pt.zeros(3).mT,
        "mT: input must have two axes; got shape (3,); use reshape first",
    ),
    "item": (
        errors.ShapeError,
        lambda: pt.asarray(X).item(),
        "item: only a tensor with exactly one element can be converted; got shape (3, 4); use "
        ".any(), .all() or an index",
    ),
    "truth of several": (
        errors.ShapeError,
        lambda: bool(pt.asarray(X) > 0),
        (
            "bool: only a tensor with exactly one element can be converted; got shape (3, 4); use "
            ".any(), .all() or an index"
        ),
    ),
    "gradients by integers": (
        errors.DTypeError,
        lambda: pt.grad(lambda x, n: x * n)(pt.asarray([1, 2]), 0.5),
        ('grad: no argument to differentiate is floating; got [int32[2]]; use x.astype("float32")'),
    ),
    "gradients by a Python integer": (
        errors.DTypeError,
        lambda: pt.vjp(lambda x: x, 3),
        'vjp: no argument to differentiate is floating; got [3]; use x.astype("float32")',
    ),
    "argnums beyond the arguments": (
        errors.ArgumentError,
        lambda: pt.grad(lambda x: x, argnums=(0, -2))(1.0),
        (
            "grad: argnums is not the position of an argument; got -2 for a call with 1; use a "
            "position from 0 to 0"
        ),
    ),
    "argnums of an argument passed by name": (
        errors.ArgumentError,
        lambda: pt.value_and_grad(lambda x: x)(x=1.0),
        (
            "value_and_grad: argnums is not the position of an argument; got 0 for a call with 0; "
            "pass it by position"
        ),
    ),
    "argnums twice": (
        errors.ArgumentError,
        lambda: pt.grad(lambda x, y: x * y, argnums=(1, -1))(1.0, 2.0),
        "grad: argnums contains an argument twice; got (1, -1) for a call with 2; list each "
        "argument once",
    ),
    "the gradient of several numbers": (
        errors.GradientError,
        lambda: pt.grad(lambda x: x * 2.0)(pt.ones(3)),
        (
            "grad: the function must return a single floating number; got float32[3]; reduce it "
            "with pt.sum or pt.mean, or use pt.vjp"
        ),
    ),
    "the gradient of an integer": (
        errors.GradientError,
        lambda: pt.value_and_grad(lambda x: pt.argmax(x))(pt.ones(3)),
        (
            "value_and_grad: the function must return a single floating number; got int32[]; "
            "reduce it with pt.sum or pt.mean, or use pt.vjp"
        ),
    ),
    "the gradient of a pair": (
        errors.GradientError,
        lambda: pt.grad(lambda x: (x, x))(1.0),
        (
            "grad: the function must return a single floating number; got tuple; reduce it with "
            "pt.sum or pt.mean, or use pt.vjp"
        ),
    ),
    "an auxiliary result that is missing": (
        errors.GradientError,
        lambda: pt.grad(lambda x: x, has_aux=True)(1.0),
        "grad: has_aux requires a pair of results; got Tensor; return (value, aux)",
    ),
    "an operation without a gradient": (
        errors.GradientError,
        lambda: pt.grad(lambda x: pt.sum(pt.nextafter(x, 2.0)))(pt.ones(3)),
        (
            "nextafter: operation has no gradient; got nextafter(float32[3], float32[]) -> "
            "float32[3]; block the gradient with pt.stop_gradient"
        ),
    ),
    "a cotangent of another structure": (
        errors.GradientError,
        lambda: pt.vjp(lambda x: (x, x), 1.0)[1]([1.0, 2.0]),
        (
            "vjp: cotangent has the wrong structure; got Structure([*, *]) for Structure((*, *)); "
            "use the same containers"
        ),
    ),
    "a cotangent of another shape": (
        errors.GradientError,
        lambda: pt.vjp(lambda x: pt.sum(x), pt.ones(3))[1](pt.ones(3)),
        "vjp: cotangent has the wrong shape; got (3,) for float32[]; use the same shape",
    ),
    "a tangent of another structure": (
        errors.GradientError,
        lambda: pt.jvp(lambda x, y: x * y, (1.0, 2.0), (1.0,)),
        (
            "jvp: tangent has the wrong structure; got Structure((*,)) for Structure((*, *)); use "
            "the same containers"
        ),
    ),
    "a tangent of another shape": (
        errors.GradientError,
        lambda: pt.jvp(lambda x: x, (pt.ones(3),), (1.0,)),
        "jvp: tangent has the wrong shape; got () for float32[3]; use the same shape",
    ),
    "an unknown backend": (
        errors.BackendError,
        lambda: pt.set_backend("cuda"),
        "set_backend: unknown backend; got 'cuda'; use one of webgpu, webgl, wasm, numpy, "
        "python, jax, gpu",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_exact_text(name):
    error, call, text = CASES[name]
    assert_raises(error, text, call)
