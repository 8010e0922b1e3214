"""Gradient rules of every op of the op table, against finite differences on the host."""

from __future__ import annotations

import half_storage
import numpy as np
import pytest
import reference
from gradients import Gradients, assert_close, differences
from helpers import HALF
from no_gradient import WITHOUT
from op_defs import ELEMENTWISE, each, operands
from reference_convolution import convolve

import py_tensor as pt
from py_tensor.ops import OP_DEFS
from py_tensor.ops.op_def import Elementwise
from py_tensor.tensor import apply

RTOL = 2e-5


def test_only_listed_ops_have_no_gradient():
    assert {name for name, op in OP_DEFS.items() if op.gradient is None} == WITHOUT.keys()


SMOOTH = [op for op in ELEMENTWISE if op.name not in WITHOUT]
SHAPES = {
    1: [((3, 5),), ((),), ((0, 3),)],
    2: [((3, 1), (1, 5)), ((), (4,)), ((0, 3), (1,))],
    3: [((4, 1), (3,), ()), ((), (2, 1, 3), (4, 1)), ((0, 2), (2,), ())],
}


def check(op, all_shapes, rng):
    gradients = Gradients(max(RTOL, 4 * op.tolerance))
    for shapes in all_shapes:
        arrays = operands(rng, op, pt.float32, shapes)
        gradients.add(getattr(pt, op.name), reference.function(op.name), *arrays)
    gradients.compare()


@each(SMOOTH)
def test_elementwise(op, rng):
    check(op, SHAPES[op.arity], rng)


def test_broadcast(rng):
    pairs = [((3, 5), (3, 5)), ((7,), ()), ((2, 1, 3), (4, 1)), ((1,), (2, 3)), ((1, 1), (1,))]
    check(OP_DEFS["multiply"], pairs, rng)


def _clip(x, low, high):
    return np.minimum(np.maximum(x, low), high)


def _slice(x, parts):
    for axis, (start, length, step) in enumerate(parts):
        x = np.take(x, start + step * np.arange(length), axis=axis)
    return x


def _window(x, parts):
    """Append windows as last axes, one axis after the other."""
    for axis, size, step, dilation in parts:
        count = (x.shape[axis] - dilation * (size - 1) - 1) // step + 1
        taps = [
            np.take(x, step * np.arange(count) + dilation * tap, axis=axis) for tap in range(size)
        ]
        x = np.stack(taps, axis=-1)
    return x


def _pad(x, value, widths):
    for axis, (low, high, interior) in enumerate(widths):
        n = x.shape[axis]
        places = low + (interior + 1) * np.arange(n)
        length = low + high + n + max(n - 1, 0) * interior
        result = np.full((*x.shape[:axis], length, *x.shape[axis + 1 :]), value)
        result[(slice(None),) * axis + (places,)] = x
        x = result
    return x


def _take(x, indices, axis):
    length = x.shape[axis]
    places = indices.astype("int64")
    places = np.where(places < 0, places + length, places)
    return np.take(x, np.clip(places, 0, length - 1), axis=axis)


def _scatter_add(x, indices, arg):
    axis, length = arg
    before, after = x.shape[:axis], x.shape[axis + indices.ndim :]
    result = np.zeros((*before, length, *after))
    for place in np.ndindex(indices.shape):
        if 0 <= indices[place] < length:
            at = (slice(None),) * axis
            result[(*at, indices[place])] += x[(*at, *place)]
    return result


def _cumulative(function, first):
    def scanned(x, arg):
        axis, include_initial = arg
        result = function(x, axis=axis)
        initial = np.full((*x.shape[:axis], 1, *x.shape[axis + 1 :]), first)
        return np.concatenate([initial, result], axis=axis) if include_initial else result

    return scanned


def _reduced(function):
    return lambda x, axes: function(x, axis=axes, keepdims=True)


REFERENCES = {
    "clip": _clip,
    "sum": _reduced(np.sum),
    "prod": _reduced(np.prod),
    "max": _reduced(np.max),
    "min": _reduced(np.min),
    "cumulative_sum": _cumulative(np.cumsum, 0.0),
    "cumulative_prod": _cumulative(np.cumprod, 1.0),
    "reshape": np.reshape,
    "permute_dims": np.transpose,
    "broadcast_to": np.broadcast_to,
    "slice": _slice,
    "window": _window,
    "diagonal": lambda x, axes: np.diagonal(x, 0, *axes),
    "pad": _pad,
    "concat": lambda *given: np.concatenate(given[:-1], axis=given[-1]),
    "barrier": lambda x, event, arg: x + 0 * np.sum(event),
    "take": _take,
    "scatter_add": _scatter_add,
    "take_along_axis": lambda x, indices, arg: np.take_along_axis(x, indices, arg[0]),
    "dot": lambda a, b, arg: np.einsum("gri,gic->grc", a, b),
}
REDUCED = [
    (((3, 4, 5),), (0,)),
    (((3, 4, 5),), (1, 2)),
    (((3, 4, 5),), (0, 1, 2)),
    (((7,),), (0,)),
    (((2, 3),), ()),
    (((),), ()),
    (((0, 3),), (1,)),
]
SCANNED = [
    *[(((5,),), (0, False)), (((3, 7),), (1, False)), (((3, 7),), (0, True))],
    *[(((2, 4, 3),), (1, True)), (((1, 3),), (0, False)), (((0, 3),), (0, True))],
    *[(((3, 0),), (1, False)), (((2, 0),), (0, False))],
]
CASES = {
    "clip": [
        *[
            (((3, 5), (3, 5), (3, 5)), None),
            (((4, 1), (3,), ()), None),
            (((), (2, 3), (2, 1)), None),
        ]
    ],
    "sum": [*REDUCED, (((0, 3),), (0,))],
    "prod": [*REDUCED, (((0, 3),), (0,))],
    "max": REDUCED,
    "min": REDUCED,
    "cumulative_sum": SCANNED,
    "cumulative_prod": SCANNED,
    "reshape": [(((3, 4),), (2, 6)), (((),), (1, 1)), (((0, 3),), (3, 0, 2))],
    "permute_dims": [(((2, 3, 4),), (2, 0, 1)), (((),), ()), (((0, 3),), (1, 0))],
    "broadcast_to": [
        *[(((3, 1),), (2, 3, 4)), (((),), (2, 3)), (((1,),), (0,)), (((1, 3),), (1, 3))]
    ],
    "slice": [
        (((7, 5),), ((1, 3, 2), (4, 5, -1))),
        (((7, 5),), ((6, 3, -3), (2, 1, 4))),
        (((7,),), ((0, 7, 1),)),
        (((7,),), ((2, 0, 1),)),
        (((),), ()),
        (((0, 3),), ((0, 0, 1), (1, 2, 1))),
    ],
    "window": [
        (((9,),), ((0, 3, 1, 1),)),
        (((9, 2),), ((0, 3, 2, 1),)),
        (((11, 2),), ((0, 3, 2, 2),)),
        (((2, 7, 8),), ((1, 2, 3, 1), (2, 3, 2, 2))),
        (((7, 8),), ((1, 4, 4, 1), (0, 7, 1, 1))),
        (((0, 5),), ((1, 2, 1, 1),)),
    ],
    "diagonal": [
        *[(((3, 3),), (0, 1)), (((4, 3),), (0, 1)), (((3, 5),), (1, 0)), (((2, 4, 3),), (2, 1))],
        *[(((4, 2, 3),), (0, 2)), (((0, 3),), (0, 1))],
    ],
    "pad": [
        (((3, 4), ()), ((1, 2, 0), (0, 3, 0))),
        (((3, 4), ()), ((0, 1, 2), (2, 0, 1))),
        (((1, 4), ()), ((0, 0, 3), (0, 0, 0))),
        (((), ()), ()),
        (((0, 2), ()), ((1, 1, 1), (0, 1, 0))),
    ],
    "concat": [
        *[(((2, 3), (2, 1), (2, 4)), 1), (((2,), (3,)), 0), (((1, 3),), 0), (((0, 2), (3, 2)), 0)]
    ],
    "barrier": [(((3, 4), (2,)), None), (((), ()), None)],
    "dot": [
        *[(((2, 3, 5), (2, 5, 4)), None), (((1, 7, 4), (1, 4, 1)), None)],
        *[(((2, 3, 0), (2, 0, 4)), None), (((0, 3, 2), (0, 2, 4)), None)],
    ],
}
INDEXED = {
    "take": [
        ((5,), [4, 0, 0, 2], 0),
        ((5, 3), [[1, -1, 1], [7, -9, 0]], 0),
        ((2, 5, 3), 3, 1),
        ((2, 5, 3), [[2], [2]], 2),
        ((5,), np.uint32([1, 4, 2**31, 2**32 - 1]), 0),
        ((300,), np.uint8([1, 255, 1]), 0),
        ((5, 2), np.int8([-128, 127, -1]), 0),
        ((4, 3), np.zeros((0,), "int32"), 0),
        ((0, 3), np.zeros((2, 0), "int32"), 0),
        ((0, 3), [1, 1], 1),
    ],
    "scatter_add": [
        ((4,), [2, 0, 2, 1], (0, 3)),
        ((2, 3, 2, 2), [[1, 5], [-1, 1], [0, 0]], (1, 4)),
        ((3, 2), 1, (2, 2)),
        ((0, 2), np.zeros((0,), "int32"), (0, 3)),
    ],
    "take_along_axis": [
        ((5,), [4, 0, 0], (0, False)),
        ((2, 3), [[2, 0, 2, 1], [0, 0, 0, 0]], (1, False)),
        ((3, 2, 2), [[[1, 1], [0, 1]]], (0, False)),
        ((2, 3), np.uint8([[2, 0, 1], [1, 0, 2]]), (1, True)),
        ((2, 0), np.zeros((2, 0), "int32"), (1, False)),
    ],
}


@pytest.mark.parametrize("name", CASES)
def test_other_ops(name, rng):
    gradients = Gradients(RTOL)
    op, expected = OP_DEFS[name], REFERENCES[name]
    for shapes, arg in CASES[name]:
        arrays = [np.asarray(rng.uniform(-2, 2, shape), "float32") for shape in shapes]
        own = () if isinstance(op, Elementwise) else (arg,)
        gradients.add(
            lambda *tensors, arg=arg: apply(op, tensors, arg),
            lambda *wide, own=own: expected(*wide, *own),
            *arrays,
            what=str(arg),
        )
    gradients.compare()


@pytest.mark.parametrize("name", INDEXED)
def test_ops_with_indices(name, rng):
    gradients = Gradients(RTOL)
    op, expected = OP_DEFS[name], REFERENCES[name]
    for shape, indices, arg in INDEXED[name]:
        x = np.float32(rng.uniform(-2, 2, shape))
        indices = np.asarray(indices, None if isinstance(indices, np.ndarray) else "int32")
        gradients.add(
            lambda x, indices, arg=arg: apply(op, (x, indices), arg),
            lambda x, indices, arg=arg: expected(x, indices, arg),
            x,
            indices,
            what=f"{indices.tolist()} {arg}",
        )
    gradients.compare()


CONVOLVED = [
    ((2, 5, 4, 3), (3, 2, 3, 2), {}),
    ((1, 7, 6, 2), (3, 3, 2, 3), {"stride": (2, 3), "padding": "same"}),
    ((1, 7, 6, 2), (2, 3, 2, 1), {"padding": ((2, 0), (1, 4)), "dilation": (2, 1)}),
    ((1, 8, 7, 2), (2, 2, 2, 2), {"stride": (3, 2), "dilation": (1, 3)}),
    ((1, 5, 5, 4), (3, 3, 2, 6), {"groups": 2, "padding": "same"}),
    ((2, 5, 4, 3), (2, 2, 1, 6), {"groups": 3, "stride": (2, 2)}),
    ((1, 4, 4, 3), (3, 3, 1, 3), {"groups": 3, "padding": 3}),
    ((1, 1, 1, 5), (1, 1, 5, 1), {}),
    ((1, 6, 6, 1), (2, 2, 1, 1), {"stride": (4, 4)}),
]


@pytest.mark.parametrize("at", range(len(CONVOLVED)))
def test_convolve(at, rng):
    image, kernel, options = CONVOLVED[at]
    both = {"stride": (1, 1), "dilation": (1, 1)} | options
    gradients = Gradients(RTOL)
    gradients.add(
        lambda x, w: pt.conv2d(x, w, **options),
        lambda x, w: convolve(x, w, **both),
        np.float32(rng.uniform(-1, 1, image)),
        np.float32(rng.uniform(-1, 1, kernel)),
        what=str(options),
    )
    gradients.compare()


def test_casts(rng):
    halves, floats = Gradients(HALF), Gradients(RTOL)
    for given in ("float32", "float16"):
        x = rng.uniform(-2, 2, (3, 5)).astype(given)
        halves.add(lambda x: x.astype("float16") * 3.0, lambda x: x * 3.0, x)
        floats.add(lambda x: x.astype("float32") * 3.0, lambda x: x * 3.0, x)
    x = np.float32(x)
    # Steps have zero slope.
    floats.add(lambda x: x.astype("int32").astype("float32") * x, lambda x: np.trunc(x) * x, x)
    halves.compare()
    floats.compare()


def test_stop_gradient_has_none():
    x = pt.asarray([1.0, 2.0])
    gradient = pt.grad(lambda x: pt.sum(apply(OP_DEFS["stop_gradient"], (x,), (2, 1)) * 3.0))(x)
    assert gradient.tolist() == [0.0, 0.0]


def test_every_rule_is_tested():
    tested = {op.name for op in SMOOTH} | CASES.keys() | INDEXED.keys()
    tested |= {"convolve", "astype", "stop_gradient"}
    # In test_special_functions.py.
    tested |= {"betainc"}
    # In test_complex_gradients.py and, as a part of transforms, in test_fft.py.
    tested |= {"complex", "real", "imag", "interleave", "ratio"}
    assert tested == OP_DEFS.keys() - WITHOUT.keys()


def test_a_wrong_gradient_is_found():
    wrong = [
        (lambda x: x * x, lambda x: x * x * (1 + 10 * half_storage.tolerance(RTOL))),
        (lambda x: pt.stop_gradient(x), lambda x: x),
        (lambda x: pt.flip(x), lambda x: x),
        (lambda x: x * -1.0, lambda x: x),
    ]
    for function, other in wrong:
        gradients = Gradients(RTOL)
        gradients.add(function, other, np.float32([1.0, 2.0]))
        with pytest.raises(AssertionError, match="by operand 0"):
            gradients.compare()


def test_finite_differences_of_a_known_function():
    x, y = np.float32([[1.0, -2.0]]), np.float32(3.0)
    assert_close(
        pt.asarray([[6.0, 24.0]]),
        differences(lambda x, y: np.sum(x**2 * y * [[1, -2]]), [x, y], 0),
        "float32",
        1e-8,
        "",
    )
