"""First and second derivatives against JAX, which computes them in float64 on the host."""

from __future__ import annotations

import os
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
from gradients import assert_close, weights
from no_gradient import WITHOUT
from op_defs import ELEMENTWISE, operands

import py_tensor as pt
from py_tensor.ops import OP_DEFS
from py_tensor.runtime.backends.jax import function_of
from py_tensor.tensor import apply

# Each program runs once, and compiling takes longer than running.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")
import jax
import jax.numpy as jnp
from jax import lax

jax.config.update("jax_platforms", "cpu")

RTOL = (2e-5, 2e-4)
"""For first and for second derivatives; the latter are differences of rounded first ones."""


@pytest.fixture(autouse=True)
def wide_numbers():
    """Let JAX have 64-bit numbers in this module alone: others expect its usual dtypes."""
    with jax.enable_x64(True):
        yield


class Case(NamedTuple):
    """The same function in py_tensor and JAX, and the shapes or arrays to call it with."""

    ours: object
    theirs: object
    operands: tuple
    second: bool = False
    """True to compare second derivatives too: for rules with more than products and sums."""


def _derivatives(xp, grad, function, arrays, second):
    """Gradient of a weighted sum of the results, and that of a weighted sum of the gradient."""
    wrt = [at for at, x in enumerate(arrays) if x.dtype.kind == "f"]

    def weighted(values, seeds):
        parts = zip(values, seeds, strict=True)
        return sum(xp.sum(xp.asarray(weights(value.shape, seed)) * value) for value, seed in parts)

    def again(*operands):
        found = first(*operands)
        return weighted(found, wrt), found

    first = grad(lambda *operands: weighted([function(*operands)], [0]), argnums=wrt)
    twice = grad(again, argnums=wrt, has_aux=True)
    return (
        (lambda *operands: twice(*operands)[::-1])
        if second
        else lambda *operands: [first(*operands)]
    )


def check(case, rng):
    arrays = [
        np.asarray(rng.uniform(-2, 2, given), "float32") if isinstance(given, tuple) else given
        for given in case.operands
    ]
    wide = [x.astype("float64") if x.dtype.kind == "f" else x for x in arrays]
    theirs = _derivatives(jnp, jax.grad, case.theirs, wide, case.second)
    want = jax.jit(theirs)(*wide)
    got = _derivatives(pt, pt.grad, case.ours, arrays, case.second)(*map(pt.asarray, arrays))
    pt.realize(*(tensor for order in got for tensor in order))
    for order, (found, expected) in enumerate(zip(got, want, strict=True)):
        for at, (a, b) in enumerate(zip(found, expected, strict=True)):
            assert_close(a, b, "float32", RTOL[order], f"order {order + 1}, operand {at}")


THEIRS = {
    "asin": jnp.arcsin,
    "digamma": jax.scipy.special.digamma,
    "erf": jax.scipy.special.erf,
    "erfc": jax.scipy.special.erfc,
    "erfinv": jax.scipy.special.erfinv,
    "lgamma": jax.scipy.special.gammaln,
    "relu": jax.nn.relu,
    "rsqrt": lax.rsqrt,
    "sigmoid": jax.nn.sigmoid,
    "atan2": jnp.arctan2,
}


def test_elementwise(rng):
    """Compute all ops in one program each, since compiling many takes long."""
    ops = [op for op in ELEMENTWISE if op.name not in WITHOUT]
    given = [operands(rng, op, pt.float32, [(3,)] * op.arity) for op in ops]
    wide = [[x.astype("float64") if x.dtype.kind == "f" else x for x in xs] for xs in given]

    def function(op):
        return THEIRS.get(op.name) or getattr(jnp, op.name, None) or function_of(op)

    def theirs(wide):
        return [
            _derivatives(jnp, jax.grad, function(op), xs, True)(*xs)
            for op, xs in zip(ops, wide, strict=True)
        ]

    want = jax.jit(theirs)(wide)
    for op, xs, orders in zip(ops, given, want, strict=True):
        got = _derivatives(pt, pt.grad, getattr(pt, op.name), xs, True)(*map(pt.asarray, xs))
        for order, (found, expected) in enumerate(zip(got, orders, strict=True)):
            for at, (a, b) in enumerate(zip(found, expected, strict=True)):
                rtol = max(RTOL[order], 4 * op.tolerance)
                assert_close(a, b, "float32", rtol, f"{op.name}, order {order + 1}, operand {at}")


TIES = np.float32([[1, 3, 3, 2], [5, 5, 5, 5], [-1, -2, -1, -1]])
ZEROS = np.float32([[1, 2, -3, 0.5], [1, 0, 3, -2], [0, 2, 0, 1], [0, 0, 0, 3]])
PLACES = np.int32([[3, 0, 3], [7, 1, 3]])
HALF = np.float16([[0.5, -1.25, 2.0], [1.5, 0.75, -3.0]])
MASK = np.array([[True], [False], [True]])


def _cumprod(x, axis):
    return jnp.concatenate([jnp.ones_like(x[:, :1]), jnp.cumprod(x, axis=axis)], axis=axis)


def _at(x, key, value):
    return x.at[key].set(value)


def _set(x, key, value):
    result = pt.copy(x)
    result[key] = value
    return result


def _windows(x, size, stride, padding=((0, 0), (0, 0)), dilation=(1, 1), fill=0.0):
    """Windows of NHWC images, with their elements along a first axis."""
    x = jnp.pad(x, ((0, 0), *padding, (0, 0)), constant_values=fill)
    out = [(x.shape[1 + i] - dilation[i] * (size[i] - 1) - 1) // stride[i] + 1 for i in (0, 1)]

    def tap(*place):
        ends = [place[i] * dilation[i] + (out[i] - 1) * stride[i] + 1 for i in (0, 1)]
        ops, columns = (slice(place[i] * dilation[i], ends[i], stride[i]) for i in (0, 1))
        return x[:, ops, columns]

    return jnp.stack([tap(*place) for place in np.ndindex(*size)])


def _mean_pool(x, *windows):
    return jnp.sum(_windows(x, *windows), 0) / jnp.sum(_windows(jnp.ones_like(x), *windows), 0)


def _max_pool(x, size, stride, padding, dilation=(1, 1)):
    return jnp.max(_windows(x, size, stride, padding, dilation, -jnp.inf), axis=0)


def _convolve(x, w, stride=(1, 1), padding="VALID", dilation=(1, 1), groups=1):
    return lax.conv_general_dilated(
        x,
        w,
        stride,
        padding,
        rhs_dilation=dilation,
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
        feature_group_count=groups,
    )


def _transposed(y, w, image, **options):
    """Transpose of the convolution: cotangents of its result to images of that shape."""
    _, pull = jax.vjp(lambda x: _convolve(x, w, **options), jnp.zeros(image))
    return pull(y)[0]


def _along(function, **options):
    return partial(function, **options)


CASES = {
    "max, ties": Case(
        lambda x: pt.max(x, axis=1),
        lambda x: jnp.max(x, axis=1),
        (TIES,),
        True,
    ),
    "max of all, ties": Case(pt.max, jnp.max, (TIES,)),
    "min, ties": Case(lambda x: pt.min(x, axis=(0, 1)), jnp.min, (TIES,)),
    "prod, zeros": Case(
        lambda x: pt.prod(x, axis=1),
        lambda x: jnp.prod(x, axis=1),
        (ZEROS,),
        True,
    ),
    "prod of axes apart": Case(
        lambda x: pt.prod(x, axis=(0, 2)), lambda x: jnp.prod(x, axis=(0, 2)), ((2, 3, 2),)
    ),
    "sum": Case(
        lambda x: pt.sum(x * x, axis=(0, 2), keepdims=True) * x,
        lambda x: jnp.sum(x * x, axis=(0, 2), keepdims=True) * x,
        ((2, 3, 4),),
    ),
    "mean": Case(lambda x: pt.mean(x, axis=0) ** 3, lambda x: jnp.mean(x, axis=0) ** 3, ((3, 4),)),
    "var": Case(
        lambda x: pt.var(x, axis=1, correction=1.0), lambda x: jnp.var(x, axis=1, ddof=1), ((3, 5),)
    ),
    "std": Case(
        pt.std,
        jnp.std,
        ((3, 5),),
        True,
    ),
    "softmax": Case(
        pt.softmax,
        jax.nn.softmax,
        ((3, 5),),
        True,
    ),
    "softmax of columns": Case(
        lambda x: pt.softmax(x, axis=0), lambda x: jax.nn.softmax(x, axis=0), ((3, 5),)
    ),
    "cumulative_sum": Case(
        lambda x: pt.cumulative_sum(x, axis=1) ** 2, lambda x: jnp.cumsum(x, axis=1) ** 2, ((2, 5),)
    ),
    "cumulative_prod, zeros": Case(
        lambda x: pt.cumulative_prod(x, axis=1),
        lambda x: jnp.cumprod(x, axis=1),
        (ZEROS,),
        True,
    ),
    "cumulative_prod with the initial": Case(
        lambda x: pt.cumulative_prod(x, axis=1, include_initial=True),
        lambda x: _cumprod(x, 1),
        (ZEROS,),
    ),
    "take": Case(
        lambda x, i: pt.take(x, i, axis=1) ** 2,
        lambda x, i: jnp.take(x, i, axis=1, mode="clip") ** 2,
        ((2, 4, 3), PLACES),
        True,
    ),
    "pad": Case(
        lambda x: pt.pad(x, ((1, 2), (0, 3)), constant_values=2.0) ** 2,
        lambda x: jnp.pad(x, ((1, 2), (0, 3)), constant_values=2.0) ** 2,
        ((2, 3),),
    ),
    "pad between": Case(
        lambda x, value: apply(OP_DEFS["pad"], (x, value), ((1, 0, 2), (0, 2, 1))) ** 2,
        lambda x, value: lax.pad(x, value, ((1, 0, 2), (0, 2, 1))) ** 2,
        ((2, 3), ()),
        True,
    ),
    "diagonal": Case(
        lambda x: apply(OP_DEFS["diagonal"], (x,), (0, 2)) ** 2,
        lambda x: jnp.diagonal(x, axis1=0, axis2=2) ** 2,
        ((3, 2, 4),),
        True,
    ),
    "window": Case(
        lambda x: (
            apply(OP_DEFS["window"], (x,), ((1, 2, 1, 1), (2, 3, 2, 1))).reshape(1, 3, 3, 2, 6) ** 2
        ),
        lambda x: jnp.moveaxis(_windows(x, (2, 3), (1, 2)), 0, -1) ** 2,
        ((1, 4, 7, 2),),
        True,
    ),
    "concat": Case(
        lambda x, y: pt.concat([x, y * y, x], axis=1) ** 2,
        lambda x, y: jnp.concatenate([x, y * y, x], axis=1) ** 2,
        ((2, 3), (2, 1)),
    ),
    "stack": Case(
        lambda x, y: pt.stack([x, y], axis=1) ** 2,
        lambda x, y: jnp.stack([x, y], axis=1) ** 2,
        ((2, 3), (2, 3)),
    ),
    "where": Case(
        lambda c, x, y: pt.where(c, x * x, y * y),
        lambda c, x, y: jnp.where(c, x * x, y * y),
        (MASK, (3, 4), (4,)),
    ),
    "clip": Case(
        lambda x, low, high: pt.clip(x, low, high) ** 2,
        lambda x, low, high: jnp.clip(x, low, high) ** 2,
        ((4, 5), np.float32([-1, 0.5, -1, 1, 0]), np.float32([1, 0.25, 1, 2, 0.125])),
        True,
    ),
    "maximum, ties": Case(
        pt.maximum, jnp.maximum, (np.float32([1, 2, 3]), np.float32([[1, 1, 4], [0, 2, 3]]))
    ),
    "pow, whole exponents": Case(
        lambda x: x**3 + x**2 + x**1 + x**0 + x ** (-2),
        lambda x: x**3 + x**2 + x**1 + x**0 + x ** (-2),
        (np.float32([-2, -0.5, 1, 3]),),
        True,
    ),
    "pow at 0": Case(
        lambda x: x**2.0 + x**3.0,
        lambda x: x**2.0 + x**3.0,
        (np.float32([0, 1]),),
        True,
    ),
    "abs, sign and relu at 0": Case(
        lambda x: pt.abs(x) * x + pt.relu(x),
        lambda x: jnp.abs(x) * x + jax.nn.relu(x),
        (np.float32([0, 1, -1]),),
    ),
    "slices": Case(
        lambda x: x[::-2, 1:] * x[:1, None, 2] ** 2,
        lambda x: x[::-2, 1:] * x[:1, None, 2] ** 2,
        ((5, 3),),
    ),
    "assignment": Case(
        lambda x, y: _set(x * x, (slice(None, None, -2), 1), y * y),
        lambda x, y: _at(x * x, (slice(None, None, -2), 1), y * y),
        ((5, 3), (3,)),
        True,
    ),
    "assignment of one value": Case(
        lambda x, y: _set(x * x, (..., slice(1)), y) ** 2,
        lambda x, y: _at(x * x, (..., slice(1)), y) ** 2,
        ((2, 3), ()),
    ),
    "axes": Case(
        lambda x: (
            pt.moveaxis(x, 0, -1)[None] ** 2
            * pt.flip(pt.expand_dims(x.mT, axis=2), axis=1)[:1, :1, :, :1]
        ),
        lambda x: (
            jnp.moveaxis(x, 0, -1)[None] ** 2
            * jnp.flip(jnp.expand_dims(x.mT, axis=2), axis=1)[:1, :1, :, :1]
        ),
        ((2, 3, 4),),
    ),
    "broadcast_to": Case(
        lambda x: pt.broadcast_to(x, (2, 3, 4)) ** 2,
        lambda x: jnp.broadcast_to(x, (2, 3, 4)) ** 2,
        ((3, 1),),
    ),
    "logaddexp of infinities": Case(
        pt.logaddexp, jnp.logaddexp, (np.float32([-np.inf, 1.0]), np.float32([2.0, -np.inf]))
    ),
    "avg_pool2d": Case(
        lambda x: pt.avg_pool2d(x, (2, 3), stride=(1, 2), padding=((1, 0), (0, 1))) ** 2,
        lambda x: _mean_pool(x, (2, 3), (1, 2), ((1, 0), (0, 1))) ** 2,
        ((1, 5, 6, 2),),
        True,
    ),
    "avg_pool2d with the padding": Case(
        lambda x: pt.avg_pool2d(x, 3, stride=2, padding=1, count_include_pad=True) ** 2,
        lambda x: jnp.mean(_windows(x, (3, 3), (2, 2), ((1, 1), (1, 1))), axis=0) ** 2,
        ((1, 5, 6, 2),),
    ),
    "max_pool2d": Case(
        lambda x: pt.max_pool2d(x, 3, stride=2, padding=1),
        lambda x: _max_pool(x, (3, 3), (2, 2), ((1, 1), (1, 1))),
        ((2, 5, 6, 2),),
        True,
    ),
    "max_pool2d, dilated": Case(
        lambda x: pt.max_pool2d(x, (2, 3), stride=(1, 2), dilation=(3, 2)),
        lambda x: _max_pool(x, (2, 3), (1, 2), ((0, 0), (0, 0)), (3, 2)),
        ((1, 7, 9, 1),),
    ),
}
for left, right in [
    ((4,), (4,)),
    ((2, 4), (4,)),
    ((4,), (4, 3)),
    ((2, 4), (4, 3)),
    ((5, 2, 4), (4, 3)),
    ((2, 4), (5, 4, 3)),
    ((5, 1, 2, 4), (3, 4, 2)),
    ((5, 2, 4), (4,)),
    ((4,), (5, 4, 3)),
    ((1, 2, 4), (5, 4, 1)),
]:
    CASES[f"matmul {left} by {right}"] = Case(
        lambda x, y: pt.tanh(x @ y), lambda x, y: jnp.tanh(x @ y), (left, right)
    )
for name, image, kernel, options in [
    ("plain", (2, 5, 4, 3), (3, 2, 3, 2), {}),
    ("stride and padding", (1, 7, 6, 2), (3, 3, 2, 3), {"stride": (2, 3), "padding": "same"}),
    ("dilation", (1, 8, 7, 2), (2, 3, 2, 1), {"padding": ((2, 0), (1, 4)), "dilation": (2, 1)}),
    ("all", (1, 9, 8, 4), (2, 2, 2, 2), {"stride": (3, 2), "dilation": (1, 3), "groups": 2}),
    ("depthwise", (2, 5, 4, 3), (2, 2, 1, 6), {"groups": 3, "stride": (2, 1)}),
]:
    theirs = options | ({"padding": "SAME"} if options.get("padding") == "same" else {})
    CASES[f"conv2d, {name}"] = Case(
        lambda x, w, ours=options: pt.conv2d(x, w, **ours) ** 2,
        lambda x, w, theirs=theirs: _convolve(x, w, **theirs) ** 2,
        (image, kernel),
        name == "dilation",  # reads fewer elements when differentiated again
    )
for name, image, kernel, output, options in [
    ("plain", (1, 3, 4, 2), (2, 2, 3, 2), 0, {}),
    ("stride", (1, 3, 4, 2), (3, 2, 1, 2), 0, {"stride": (2, 3)}),
    ("padding", (1, 5, 4, 2), (3, 3, 1, 2), 0, {"padding": ((1, 1), (2, 0))}),
    (
        "output_padding",
        (1, 3, 4, 2),
        (2, 3, 1, 2),
        1,
        {"stride": (2, 2), "padding": ((0, 1), (1, 1))},
    ),
    ("dilation", (1, 3, 4, 2), (3, 2, 1, 2), 0, {"dilation": (2, 3), "stride": (2, 1)}),
    ("groups", (1, 3, 3, 4), (2, 3, 2, 4), 0, {"groups": 2, "stride": (2, 1)}),
]:
    spread, steps = options.get("dilation", (1, 1)), options.get("stride", (1, 1))
    around = options.get("padding", ((0, 0), (0, 0)))
    lengths = (
        (image[1 + i] - 1) * steps[i] + spread[i] * (kernel[i] - 1) + 1 - sum(around[i]) + output
        for i in (0, 1)
    )
    shape = (1, *lengths, kernel[2] * options.get("groups", 1))
    CASES[f"conv2d_transpose, {name}"] = Case(
        lambda y, w, ours=options | {"output_padding": output}: (
            pt.conv2d_transpose(y, w, **ours) ** 2
        ),
        lambda y, w, shape=shape, theirs=options: _transposed(y, w, shape, **theirs) ** 2,
        (image, kernel),
    )


@pytest.mark.parametrize("name", CASES)
def test_functions(name, rng):
    check(CASES[name], rng)
