"""Each function of NumPy's namespace gives what NumPy gives for the same arguments.

A case is an expression in `np`, which is NumPy or py_tensor, and the names of the inputs that `x`
stands for. Results are compared by values, shapes and dtypes, with 32 bits in place of 64.
"""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import py_tensor as pt
from py_tensor.late import NAMES

NARROW = {
    "float64": "float32",
    "int64": "int32",
    "uint64": "uint32",
    "complex128": "complex64",
    "longdouble": "float32",
}


def inputs():
    rng = np.random.default_rng(5)
    f = rng.normal(size=(3, 4)).astype("float32")
    spoilt = f.copy()
    spoilt[0, 1] = spoilt[2, 3] = np.nan
    return {
        "f": f,
        "g": rng.normal(size=(2, 3, 4)).astype("float32"),
        "h": rng.integers(-8, 8, (3, 4)).astype("float16"),
        "i": rng.integers(-9, 10, (3, 4)).astype("int32"),
        "j": rng.integers(-9, 10, (2, 3, 4)).astype("int32"),
        "b": rng.random((3, 4)) < 0.5,
        "u": rng.integers(0, 255, (3, 4)).astype("uint8"),
        "c": (rng.normal(size=(3, 4)) + 1j * rng.normal(size=(3, 4))).astype("complex64"),
        "v": rng.normal(size=7).astype("float32"),
        "w": rng.integers(0, 5, 9).astype("int32"),
        "m": rng.integers(0, 2, 20).astype("bool"),
        "q": (f[:3, :3] + 3 * np.eye(3)).astype("float32"),
        "z": (rng.normal(size=5) + 1j * rng.normal(size=5)).astype("complex64"),
        "n": spoilt,
        "cn": (spoilt + 1j * spoilt[::-1]).astype("complex64"),
        "inf": np.array([1.5, -np.inf, np.inf, np.nan, -0.0, 0.0], "float32"),
        "s": np.float32(2.5),
        "k": np.int32(-7),
        "e": np.zeros(0, "float32"),
        "e2": np.zeros((0, 3), "float32"),
        "ei": np.zeros(0, "int32"),
        "p": rng.uniform(0.5, 4, (3, 4)).astype("float32"),
    }


INPUTS = inputs()
ALL = "f g h i b u c v s k e e2"
REAL = "f g i u v s k inf"
CASES = [
    # arithmetic
    ("np.allclose(x, x + 1e-9)", "f v e"),
    ("np.allclose(x, x + 0.1)", "f v e"),
    ("np.allclose(x, x, equal_nan=True), np.allclose(x, x)", "n f"),
    ("np.isclose(x, x * 1.00001)", "f v s inf"),
    ("np.isclose(x, x), np.isclose(x, x + 1)", "i"),
    ("np.isclose(x, [1.0], rtol=0.5, atol=0.1, equal_nan=True)", "v inf"),
    ("np.array_equal(x, x), np.array_equal(x, x[:1]), np.array_equal(x, x, True)", "f i n b"),
    ("np.array_equiv(x, x), np.array_equiv(x, x[:1]), np.array_equiv(x, [1, 2, 3, 4, 5])", "f i"),
    ("np.nan_to_num(x)", "inf n c i"),
    ("np.nan_to_num(x, nan=5.0, posinf=7.0, neginf=-7.0)", "inf n"),
    ("np.heaviside(x, 0.5)", "f i inf s"),
    ("np.exp2(x)", "f i s"),
    ("np.cbrt(x)", "f i s inf"),
    ("np.fabs(x)", "f i inf"),
    ("np.rint(x)", "f i inf c"),
    ("np.fix(x)", "f inf"),
    ("np.fmax(x, x[..., ::-1])", "f n i inf"),
    ("np.fmin(x, x[..., ::-1])", "f n i inf"),
    ("np.fmax(x, 0.5), np.fmin(x, 0.5)", "n"),
    ("np.fmod(x, 2), np.fmod(x, -2)", "f i s"),
    ("np.fmod(x, 3)", "u"),
    ("np.modf(x)", "f i inf s"),
    ("np.frexp(x)", "f i s inf v"),
    ("np.ldexp(x, 3), np.ldexp(x, [[1], [-2], [0]])", "f s"),
    ("np.divmod(x, 2)", "i u v s"),
    ("np.float_power(x, 2)", "f i"),
    ("np.logaddexp2(x, 1.5)", "f i s"),
    ("np.gcd(x, 6), np.gcd(x, x[::-1]), np.lcm(x, 6)", "i"),
    ("np.gcd(x, np.asarray([12, 0, 5, 7], np.uint8))", "u"),
    ("np.bitwise_count(x)", "i u k"),
    ("np.isposinf(x), np.isneginf(x)", "inf f"),
    ("np.degrees(x), np.radians(x), np.deg2rad(x), np.rad2deg(x)", "f i s"),
    ("np.spacing(x)", "p"),
    ("np.sinc(x)", "f i s"),
    ("np.real_if_close(x), np.real_if_close(x + 0j)", "f c"),
    ("np.iscomplexobj(x), np.isrealobj(x), np.iscomplexobj([1j])", "f c i"),
    ("np.isscalar(x), np.isscalar(3), np.isscalar('a'), np.iterable(x), np.iterable(3)", "f"),
    ("np.packbits(x), np.packbits(x, axis=-1), np.packbits(x, 0, 'little')", "b m"),
    ("np.unpackbits(x), np.unpackbits(x, 1), np.unpackbits(x, -1, 5)", "u"),
    ("np.unpackbits(x, 0, -3, 'little'), np.unpackbits(x, 1, 40)", "u"),
    # shapes
    ("np.atleast_1d(x), np.atleast_2d(x), np.atleast_3d(x)", ALL),
    ("np.atleast_2d(x, [1, 2])", "f s"),
    ("np.hstack([x, x]), np.vstack([x, x]), np.dstack([x, x])", ALL),
    ("np.column_stack([x, x])", "f i v e w"),
    ("np.hstack([1, 2.5]), np.vstack(([1], [2])), np.dstack((1, 2))", "s"),
    ("np.block([[x, x], [x, x]]), np.block([x, x]), np.block(x)", "f i v"),
    ("np.block([[x, np.zeros((3, 2), 'float32')], [np.ones((1, 6), 'float32')]])", "f"),
    ("np.array_split(x, 2), np.array_split(x, 5), np.array_split(x, [1, 2])", "f v e i"),
    ("np.array_split(x, 3, axis=1), np.split(x, 2, axis=-1), np.split(x, [1, 3], 1)", "f i c"),
    ("np.hsplit(x, 2), np.vsplit(x, 3)", "f i"),
    ("np.hsplit(x, [2, 3])", "f v"),
    ("np.dsplit(x, 2), np.dsplit(x, [1])", "g j"),
    ("np.append(x, x), np.append(x, [[1, 2, 3, 4]], axis=0)", "f i"),
    ("np.append(x, [1, 2])", "v e i"),
    ("np.delete(x, 1), np.delete(x, [0, -1]), np.delete(x, slice(0, 2))", "v f i"),
    (
        "np.delete(x, 1, axis=1), np.delete(x, [0, 2], 0), np.delete(x, [True, False, True], 0)",
        "f i",
    ),
    (
        "np.delete(x, np.array([0, -1, 0] * 4)), np.delete(np.tile(x, 2), [True, False] * 7)"
        ", np.delete(np.tile(x, 9), slice(20, 1, -2)), np.delete(np.tile(x, 9), np.tile(x, 9) > 0)",
        "v",
    ),
    (
        "np.insert(np.tile(x, 9), [-1, 3, 3] * 4, np.arange(12))"
        ", np.insert(x, [1, 0, 1] * 4, np.ones((12, 1)), axis=0)",
        "i",
    ),
    ("np.insert(x, 1, 5), np.insert(x, [0, 2], [7, 8]), np.insert(x, -1, 3)", "v f i"),
    ("np.insert(x, 1, 5, axis=1), np.insert(x, [1, 1, 3], 9, axis=0)", "f i"),
    ("np.insert(x, 1, [1, 2, 3], axis=1), np.insert(x, 1, [1, 2, 3, 4], 0)", "f i"),
    ("np.insert(x, [1], [[1], [2], [3]], axis=1), np.insert(x, 2, [5, 6, 7])", "f i"),
    ("np.resize(x, (2, 5)), np.resize(x, 3), np.resize(x, (3, 0))", "f i v e"),
    (
        "np.rot90(x), np.rot90(x, 2), np.rot90(x, 3), np.rot90(x, 4), np.rot90(x, -1, (1, 0))",
        "f i g",
    ),
    ("np.fliplr(x), np.flipud(x)", "f i g e2"),
    ("np.swapaxes(x, 0, -1), np.swapaxes(x, 1, 1)", "f i g"),
    ("np.rollaxis(x, 2), np.rollaxis(x, 0, 3), np.rollaxis(x, 1, 2), np.rollaxis(x, -1, 1)", "g"),
    ("np.ravel(x), np.ravel(x, 'F')", ALL),
    ("np.ndim(x), np.shape(x), np.size(x)", ALL),
    ("np.size(x, 0), np.size(x, 1), np.shape([[1, 2]]), np.ndim(3)", "f g"),
    ("np.apply_along_axis(np.cumsum, 1, x), np.apply_along_axis(np.sum, 0, x)", "f i g"),
    ("np.apply_along_axis(lambda r: np.outer(r, r), 1, x)", "f g"),
    ("np.apply_over_axes(np.sum, x, [0, 2]), np.apply_over_axes(np.sum, x, 1)", "g j"),
    ("np.array(x), np.array(x, ndmin=3), np.array([1, 2], dtype='float32')", "f i s"),
    # grids
    ("np.diag(x), np.diag(x, 1), np.diag(x, -2)", "f i v e b"),
    ("np.diagflat(x), np.diagflat(x, -1)", "v s"),
    ("np.diagonal(x), np.diagonal(x, 1), np.diagonal(x, -1, 1, 0)", "f i g"),
    ("np.diagonal(x, 0, 1, 2)", "g"),
    ("np.trace(x), np.trace(x, 1), np.trace(x, -1)", "f i g u"),
    ("np.trace(x, 0, 1, 2)", "g j"),
    (
        "np.tril_indices(3), np.tril_indices(3, 1, 4), np.triu_indices(3, -1), np.triu_indices(2, 1, 5)",
        "s",
    ),
    ("np.tril_indices_from(x, -1), np.triu_indices_from(x, 1)", "f"),
    ("np.mask_indices(3, np.triu, 1), np.mask_indices(3, np.tril)", "s"),
    ("np.diag_indices(3), np.diag_indices(2, 3), np.diag_indices_from(x)", "q"),
    ("np.indices((2, 3)), np.indices((2, 3), sparse=True), np.indices((4,))", "s"),
    ("np.ix_([0, 2], [True, False, True]), x[np.ix_([0, 2], [1, 3])]", "f i"),
    ("np.mgrid[0:3], np.mgrid[0:2, 1:4], np.ogrid[0:2, 1:4]", "s"),
    ("np.mgrid[0:1:5j, 0:2:3j], np.ogrid[0:1:3j], np.mgrid[-1:1:0.5]", "s"),
    ("np.r_[1:4, 0, 4], np.r_[x, x, 1.0], np.r_[0:1:3j]", "v"),
    ("np.r_['-1', x, x], np.r_['0,2', [1, 2], [3, 4]], np.c_[x, x]", "f i"),
    ("np.c_[[1, 2], [3, 4]], np.c_[np.asarray([[1, 2, 3]]), 0, 0]", "s"),
    ("np.s_[1:2, ...], np.index_exp[1:2], x[np.s_[1:, 0]]", "f"),
    ("np.tri(3), np.tri(3, 4, 1), np.tri(2, 3, -1), np.identity(3), np.identity(2, 'int32')", "s"),
    ("np.logspace(0, 2, 5), np.logspace(0, 2, 4, False), np.logspace(0, 3, 3, base=2.0)", "s"),
    ("np.geomspace(1, 1000, 4), np.geomspace(-1, -8, 4), np.geomspace(1, 16, 4, False)", "s"),
    ("np.fromfunction(lambda i, j: i * 10 + j, (2, 3), dtype='int32')", "s"),
    ("np.fromiter(range(5), 'float32'), np.fromiter(range(5), 'int32', 3)", "s"),
    ("np.frombuffer(bytes(range(8)), 'uint8'), np.frombuffer(bytes(range(8)), 'int16', 2, 2)", "s"),
    ("np.fromstring('1 2 3', 'float32', sep=' '), np.fromstring('1,2', 'int32', sep=',')", "s"),
    (
        "np.unravel_index(5, (2, 3)), np.unravel_index([5, 1], (2, 3)), np.unravel_index([4], (2, 3), 'F')",
        "s",
    ),
    (
        "np.ravel_multi_index(([1, 0], [2, 1]), (2, 3)), np.ravel_multi_index((1, 2), (2, 3), order='F')",
        "s",
    ),
    ("np.ravel_multi_index(([3, -1], [4, -2]), (2, 3), mode=('wrap', 'clip'))", "s"),
    ("list(np.ndindex(2, 2)), list(np.ndindex((1, 2))), [k for k, _ in np.ndenumerate(x)]", "f"),
    ("np.require(x, 'float32'), np.asarray_chkfinite(x)", "f i"),
    # selection
    ("np.argwhere(x), np.flatnonzero(x)", "i b w s e"),
    ("np.select([x > 1, x < 0], [x, -x], 7), np.select([x > 1], [x])", "i f"),
    (
        "np.piecewise(x, [x < 0, x >= 1], [lambda v: -v, 5.0]), np.piecewise(x, [x < 0], [1, 2])",
        "f v",
    ),
    ("np.piecewise(x, x > 0, [1.0, lambda v: v * 2])", "v s"),
    (
        "np.choose(x % 3, [[1, 2, 3, 4], [5, 6, 7, 8], 9]), np.choose(x, [0, 1, 2], mode='clip')",
        "i",
    ),
    ("np.choose(x, [0, 1, 2], mode='wrap'), np.choose([0, 2], [[1, 2], [3, 4], [5, 6]])", "i"),
    ("np.compress([True, False, True], x, axis=0), np.compress([False, True], x)", "f i"),
    ("np.extract(x > 0, x)", "f i"),
    ("np.partition(x, 2)[2], np.sort(np.partition(x, 2)[:2])", "v w"),
    ("x[np.argpartition(x, 2)][2], np.take_along_axis(x, np.argsort(x, axis=0), axis=0)", "v"),
    ("np.lexsort((x[0], x[1])), np.lexsort(x), np.lexsort(x[:, ::-1] == 0)", "f i c"),
    ("np.sort_complex(x)", "z c i"),
    ("np.sort(x, 0), np.argsort(-x), np.median(x), np.median(x, 1), np.nanmedian(x, 0)", "c cn"),
    ("x.var(1, ddof=1), np.var(x, 0), np.std(x), np.var(x, where=x.real > 0)", "c"),
    ("np.nanvar(x), np.nanstd(x, 1, ddof=1), np.nanvar(x, 0)", "c cn"),
    (
        "np.add.reduce(x), np.add.reduce(x, (0, 1)), np.multiply.reduce(x, 1, keepdims=True)",
        "f i g",
    ),
    (
        "np.maximum.reduce(x, None), np.minimum.reduce(x, -1), np.add.reduce(x, 0, initial=2)",
        "f i g",
    ),
    (
        "np.subtract.reduce(x, 1), np.hypot.reduce(x), np.subtract.reduce(x, 0, keepdims=True)",
        "f g",
    ),
    ("np.logical_and.reduce(x), np.logical_or.reduce(x, 1), np.logical_xor.reduce(x)", "b"),
    ("np.add.accumulate(x), np.multiply.accumulate(x, 1), np.maximum.accumulate(x, -1)", "f i g"),
    ("np.subtract.accumulate(x, 1), np.add.reduce(x[:0]), np.multiply.reduce(x[:0])", "f i"),
    ("np.bitwise_or.reduce(x, 1), np.subtract.reduce(x[:0], initial=3)", "i"),
    ("np.multiply.outer(x, x[0]), np.subtract.outer(x[0], x), np.less.outer(x, 0)", "f i"),
    ("np.digitize(x, [-1.0, 0.0, 1.0]), np.digitize(x, [1.0, 0.0], right=True)", "f v s"),
    ("np.digitize(x, [0.0, 1.0], True), np.digitize(x, [2, 1, 0])", "i"),
    ("np.vectorize(lambda a, b: a * 2 + b)(x, 3.0)", "f"),
    # statistics
    ("np.percentile(x, 30), np.percentile(x, [0, 50, 100], axis=0)", "f i v"),
    ("np.percentile(x, 75, axis=-1, keepdims=True), np.percentile(x, 40, method='nearest')", "f g"),
    ("np.nanpercentile(x, 30), np.nanpercentile(x, [10, 60], axis=1)", "n f"),
    ("np.average(x), np.average(x, axis=0), np.average(x, -1, [1, 2, 3, 4])", "f i g"),
    (
        "np.average(x, 1, [1, 2, 3, 4], True), np.average(x, weights=np.abs(x)), np.average(x, 0, keepdims=True)",
        "f i",
    ),
    (
        "np.corrcoef(x), np.corrcoef(x, x[::-1]), np.corrcoef(x, rowvar=False), np.corrcoef(x[0])",
        "f i",
    ),
    ("np.ptp(x), np.ptp(x, axis=0), np.ptp(x, 1, keepdims=True)", "f i g"),
    (
        "np.cumsum(x), np.cumsum(x, 0), np.cumsum(x, axis=-1), np.cumsum(x, None, 'float32')",
        "f i g v e",
    ),
    ("np.cumprod(x), np.cumprod(x, 0), np.cumprod(x, axis=-1)", "f i v"),
    ("np.cumsum(x), np.cumprod(x)", "s"),
    ("np.nancumsum(x), np.nancumsum(x, 0), np.nancumprod(x, 1), np.nancumprod(x)", "n i f"),
    (
        "np.histogram_bin_edges(x), np.histogram_bin_edges(x, 4, (0, 3)), np.histogram_bin_edges(x, [1, 2])",
        "f i",
    ),
    ("np.histogram2d(x[0], x[1]), np.histogram2d(x[0], x[1], 3, [[-1, 1], [-2, 2]])", "f"),
    (
        "np.histogram2d(x[0], x[1], [2, 3], density=True), np.histogram2d(x[0], x[1], weights=x[2])",
        "p",
    ),
    (
        "np.histogramdd(x, 3), np.histogramdd(x[:, :2], (2, 3)), np.histogramdd((x[0], x[1]), 4)",
        "f",
    ),
    # sets
    ("np.unique(x)", "i w b u f inf e"),
    ("np.unique(x, True, True, True)", "i w f inf c cn"),
    ("np.unique(x, return_counts=True, axis=0), np.unique(x, True, True, axis=1)", "b i c"),
    ("np.unique(x % 2, return_index=True, return_inverse=True, return_counts=True, axis=0)", "i"),
    ("np.union1d(x, [1, 3, 20]), np.intersect1d(x, [1, 3, 20])", "w i"),
    ("np.intersect1d(x, [4, 2, 1, 1], return_indices=True)", "w"),
    ("np.setdiff1d(x, [1, 3]), np.setxor1d(x, [1, 3, 20]), np.setdiff1d(x, [1], True)", "w i"),
    # products
    ("np.dot(x, x[0]), np.dot(x[0], x[1]), np.dot(x, 2), np.dot(x, x.T)", "f i c"),
    ("np.dot(x, np.swapaxes(x, 1, 2)), np.inner(x, x[0])", "g j"),
    ("np.inner(x, x), np.inner(x[0], x[1]), np.inner(x, 3)", "f i c"),
    ("np.outer(x, x[0]), np.outer([1, 2], 3)", "f i c"),
    ("np.vdot(x, x)", "f i c"),
    ("np.matvec(x, x[0]), np.vecmat(x[0, :3], x)", "f c"),
    ("np.cross(x[..., :3], x[..., 1:]), np.cross(x, x[::-1], axis=0)", "f i"),
    ("np.einsum_path('ij,jk->ik', x, x.T)[0]", "f"),
    # signals
    (
        "np.convolve(x, [1, 2, 3]), np.convolve(x, [1, 2, 3, 4], 'same'), np.convolve([1, 2], x, 'valid')",
        "v w z",
    ),
    ("np.convolve([1, 2], x), np.convolve([1, 2, 3], x, 'same'), np.convolve(x, 2)", "v w z"),
    (
        "np.correlate(x, [1, 2, 3]), np.correlate(x, [1, 2, 3, 4], 'same'), np.correlate([1, 2], x, 'full')",
        "v w",
    ),
    (
        "np.correlate([1, 2, 3, 4], x, 'same'), np.correlate([1, 2], x), np.correlate(x, [1j, 2], 'full')",
        "v w z",
    ),
    (
        "np.gradient(x), np.gradient(x, 2.0), np.gradient(x, axis=0), np.gradient(x, axis=-1, edge_order=2)",
        "f g i",
    ),
    (
        "np.gradient(x, np.cumsum(np.abs(x) + 1)), np.gradient(x, np.cumsum(np.abs(x) + 1), edge_order=2)",
        "v",
    ),
    ("np.gradient(x, [1.0, 2.0, 4.0], 0.5), np.gradient(x, 0.5, axis=(1, 0))", "f"),
    ("np.ediff1d(x), np.ediff1d(x, to_begin=[0], to_end=[1, 2])", "f i v"),
    ("np.unwrap(x * 5), np.unwrap(x * 5, axis=0), np.unwrap(x * 5, period=4.0)", "f v"),
    ("np.trim_zeros(x), np.trim_zeros(x, 'f'), np.trim_zeros(x, 'b')", "w"),
    ("np.trim_zeros(np.asarray([0, 0])), np.trim_zeros(np.asarray([[0, 0], [0, 1]]))", "s"),
    ("np.bartlett(6), np.blackman(6), np.hamming(7), np.hanning(7), np.kaiser(6, 3.0)", "s"),
    ("np.bartlett(1), np.blackman(1), np.hamming(0), np.hanning(2), np.kaiser(1, 3.0)", "s"),
    ("np.i0(x)", "f s v p"),
    # polynomials
    ("np.polyval([1, 2, 3], x), np.polyval(x, 2)", "v w"),
    (
        "np.polyadd([1, 2], [3, 4, 5]), np.polysub([4, 2], [3, 4, 5]), np.polymul([1, 2], [3, 4, 5])",
        "s",
    ),
    ("np.polyadd(x, [1.0]), np.polysub([1.0], x), np.polymul(x, x)", "v"),
    ("np.polydiv([3.0, 5.0, 2.0], [2.0, 1.0]), np.polydiv([1.0, 2.0, 3.0, 7.0], [1, 2, 2])", "s"),
    ("np.polydiv([2.0], [1.0, 3.0])[1], np.polyder(x), np.polyder(x, 3), np.polyder([5])", "v w"),
    ("np.polyint(x), np.polyint(x, 2), np.polyint(x, 2, [3.0, 4.0]), np.polyint(x, 2, 6.0)", "v w"),
    ("np.poly([1, 2, 3]), np.poly(x)", "v"),
    (
        "np.sort_complex(np.roots([1, -6, 11, -6]) + 0j), np.sort_complex(np.roots([1, 0, 4, 0]) + 0j)",
        "s",
    ),
    ("np.vander(x), np.vander(x, 3), np.vander(x, 3, True)", "v w z"),
    ("np.polyfit([0, 1, 2, 3.0, 4], [1, 3, 2, 5, 4], 2)", "s"),
    (
        "np.polyfit([0, 1, 2, 3.0, 4], [1, 3, 2, 5, 4], 1, cov=True), np.polyfit([0, 1, 2], [1, 3, 5], 1, w=[1, 2, 1])",
        "s",
    ),
    ("np.polyfit([0, 1, 2, 3.0, 4], [1, 3, 2, 5, 4], 1, full=True)[:3]", "s"),
    ("np.polyfit([0, 1, 2.0], [[1, 2], [3, 3], [5, 5]], 1)", "s"),
    # kinds, constants, text
    ("np.issubdtype(x.dtype, np.floating), np.issubdtype(x.dtype, np.integer)", "f i u c b"),
    (
        "np.issubdtype(x.dtype, np.number), np.issubdtype(x.dtype, np.inexact), np.issubdtype('int8', 'int16')",
        "f i b",
    ),
    ("np.issubdtype(x.dtype, np.signedinteger), np.issubdtype(x.dtype, np.unsignedinteger)", "i u"),
    ("np.issubdtype(x.dtype, np.complexfloating), np.issubdtype(np.floating, np.generic)", "c f"),
    (
        "np.common_type(x).__name__ if hasattr(np.common_type(x), '__name__') else np.common_type(x).name",
        "f c h",
    ),
    (
        "np.min_scalar_type(300).name, np.min_scalar_type(-1).name, np.min_scalar_type(1.5).name",
        "s",
    ),
    ("np.min_scalar_type(True).name, np.min_scalar_type(x).name, np.min_scalar_type(1j).name", "f"),
    ("np.euler_gamma, np.True_, np.False_", "s"),
    ("np.base_repr(10), np.base_repr(-255, 16), np.base_repr(0), np.base_repr(5, 3, 2)", "s"),
    ("np.binary_repr(5), np.binary_repr(-3), np.binary_repr(-3, 5), np.binary_repr(3, 4)", "s"),
    ("np.format_float_positional(x), np.format_float_positional(x, 3, trim='-')", "s"),
    (
        "np.format_float_positional(0.1), np.format_float_positional(1e6), np.format_float_positional(2.5, 3, False)",
        "s",
    ),
    (
        "np.format_float_positional(1.25, trim='0'), np.format_float_positional(3.0, trim='-', sign=True)",
        "s",
    ),
    ("np.format_float_scientific(123456.0), np.format_float_scientific(0.00125, precision=1)", "s"),
    (
        "np.format_float_scientific(x), np.format_float_scientific(1e100, exp_digits=4, trim='0')",
        "s",
    ),
    ("np.format_float_scientific(1.5, 3, False)", "s"),
    # functions of other modules, with NumPy's positional and named arguments
    ("x.sum(0), np.sum(x, -1), x.sum(axis=1, keepdims=True), np.sum(x, initial=5)", "f i u b g"),
    (
        "np.sum(x, 0, 'float32'), x.prod(1), np.sum(x, where=x > 0), np.prod(x, 0, where=x > 0)",
        "f i",
    ),
    ("x.max(0), x.min(1), np.max(x, initial=3), np.min(x, 0, where=x > 0, initial=9)", "f i g"),
    ("np.max(x, initial=-1.0), np.min(x, axis=0, initial=2.0), np.sum(x, 0)", "e"),
    (
        "x.any(0), x.all(1), np.any(x, where=[True, False, True, True]), np.all(x, None, None, True)",
        "b",
    ),
    ("x.argmax(0), x.argmin(), np.argmax(x, 1), np.argmin(x, 0, keepdims=True)", "f i"),
    ("x.mean(0), np.mean(x), x.mean(1, keepdims=True), np.mean(x, 0, where=x > 0)", "f i u b"),
    ("x.std(0), x.var(1, ddof=1), np.var(x, 0, None, None, 1), np.std(x, correction=1)", "f i u"),
    ("np.var(x, 1, where=x > -1), np.std(x, where=x > -1, ddof=1)", "f"),
    (
        "np.nansum(x, 0), np.nanmean(x, 1), np.nanmax(x, 0), np.nanvar(x, 1, ddof=1), np.nanstd(x, 0)",
        "n",
    ),
    ("np.nanprod(x, 0), np.nanmin(x, 1), np.nanargmax(x, 1), np.nanargmin(x, 0)", "n"),
    ("np.median(x, 0), np.quantile(x, 0.3, 1), np.quantile(x, q=[[0.1, 0.2]], axis=0)", "f i"),
    ("np.nanmedian(x, 1), np.nanquantile(x, q=0.3, axis=0)", "n"),
    (
        "np.sqrt(np.abs(x)), np.exp(x / 9), np.sin(x), np.log1p(np.abs(x)), x / 2, 1 / (np.abs(x) + 1)",
        "i",
    ),
    ("np.divide(x, 4), np.true_divide(x, x + 1), np.hypot(x, 3), np.arctan2(x, 2)", "i"),
    ("np.logical_and(x, 1), np.logical_or(x, 0), np.logical_not(x), np.logical_xor(x, 2)", "i f"),
    ("np.where(x > 0, x, 0), np.where(x, 1, 2), np.where(x > 0)", "f i b"),
    ("np.round(x, 2), np.around(x, 1), x.round(1), np.round(x * 100, -1)", "f"),
    ("np.round(x, 1), np.round(x), x.round(0)", "i"),
    ("np.clip(x, -1, 2), x.clip(0), np.clip(x, a_min=0, a_max=3), np.clip(x, None, 1)", "f i"),
    (
        "np.zeros(3, 'int32'), np.ones((2, 1), bool), np.full((2, 2), [1.0, 2.0]), np.full(2, 3, 'float32')",
        "s",
    ),
    ("np.zeros_like(x, 'int32'), np.ones_like(x), np.full_like(x, 2), np.empty_like(x) * 0", "f i"),
    (
        "np.arange(1, 5, 2, 'float32'), np.eye(2, 3, 1, 'int32'), np.tril(x, -1), np.triu(x, 1)",
        "f i",
    ),
    ("np.linspace(0, 1), np.linspace(0, 1, 4, False), np.linspace(0, 1, 5, retstep=True)", "s"),
    ("np.linspace(x, x + 1, 3), np.linspace([0, 1], 4, 3, axis=-1)", "f"),
    (
        "np.meshgrid([1, 2], [3, 4, 5]), np.meshgrid([1, 2], [3, 4, 5], sparse=True, indexing='ij')",
        "s",
    ),
    (
        "np.reshape(x, (4, 3), 'F'), x.reshape(2, 6), x.reshape((6, 2), order='F'), x.flatten('F')",
        "f i",
    ),
    ("x.transpose(1, 0), x.transpose(), x.transpose((0, 1)), np.flip(x, 0), x.T", "f i"),
    ("np.pad(x, 1, 'edge'), np.pad(x, (2, 1), 'reflect'), np.pad(x, 5, 'symmetric')", "f i"),
    (
        "np.pad(x, ((1, 2), (0, 3)), 'wrap'), np.pad(x, 7, 'reflect'), np.pad(x, 1, mode='constant')",
        "f i",
    ),
    (
        "np.pad(x, 1, constant_values=5), np.pad(x, ((1, 0), (2, 1)), constant_values=((1, 2), (3, 4)))",
        "f i",
    ),
    (
        "np.concatenate([x, x], 1), np.concatenate([x, x], dtype='float32'), np.stack([x, x], 1)",
        "i b",
    ),
    ("np.repeat(x, 2, 1), x.repeat(2), np.roll(x, 1, 0), np.tile(x, 2), np.unstack(x)", "f i"),
    ("np.take(x, [0, -1]), np.take(x, [3, 1], 1), np.take(x, [5, -6], 1, mode='wrap')", "f i"),
    (
        "np.take(x, [9, -9], 0, mode='clip'), np.take_along_axis(x, np.asarray([0, 11]), None)",
        "f i",
    ),
    ("x[True].shape, x[False].shape, x[None, True].shape, x[..., False].shape", "f s"),
    (
        "np.sort(x, 0), np.sort(x, None), np.argsort(x, 0, 'stable'), np.argsort(x, None, kind='stable')",
        "f i",
    ),
    (
        "np.searchsorted([1, 2, 3], x, 'right'), np.count_nonzero(x, 0), np.isin(x, [1, 2], False, True)",
        "i",
    ),
    (
        "np.diff(x), np.diff(x, 2), np.diff(x, 1, 0), np.diff(x, prepend=0, append=[[1], [2], [3]])",
        "f i",
    ),
    (
        "np.interp(x, [-1.0, 0, 1], [3.0, 2, 5], -9, 9), np.trapezoid(x, [1, 2, 4, 5]), np.trapezoid(x, x=None, dx=2, axis=0)",
        "f",
    ),
    ("np.tensordot(x, x, (1, 1)), np.tensordot(x, x, ([0, 1], [0, 1])), np.kron(x, [1, 2])", "f i"),
    (
        "np.cov(x), np.cov(x, x + 1), np.cov(x, rowvar=False), np.cov(x, bias=True), np.cov(x, ddof=0)",
        "f i",
    ),
    ("np.bincount(x, None, 9), np.bincount(x, minlength=2), np.histogram(x, 3, (0, 3), True)", "w"),
    ("np.einsum('ij,kj->ik', x, x, optimize=True)", "f i"),
    ("np.asarray(x, 'float32'), np.copy(x)", "f i"),
    ("x.cumsum(), x.cumsum(1), x.cumprod(0), x.ravel(), x.dot(x.T), x.swapaxes(0, 1)", "f i"),
    (
        "x.diagonal(), x.trace(), x.argsort(0), x.nonzero(), x.copy(), x.conj(), x.conjugate()",
        "f i",
    ),
    ("x.itemsize, x.nbytes, x.ndim, x.size, x.shape, x.real, x.imag, x.tobytes()", "f i c"),
    ("x.compress([True, False, True], 0), x.choose([1, 2, 3], mode='wrap')", "i"),
    ("list(x.flat)[2], x.flat[3], x.flat[1:4], len(x.flat), 3 in x, 99 in x", "f i"),
    ("divmod(x, 3), divmod(7, x * 0 + 2)", "i v"),
    (
        "np.linalg.norm(x), np.linalg.norm(x, axis=0), np.linalg.norm(x, 1), np.linalg.norm(x, np.inf, 1)",
        "f i",
    ),
    (
        "np.linalg.norm(x, 'nuc'), np.linalg.norm(x, 'fro', keepdims=True), np.linalg.norm(x[0], 3)",
        "f",
    ),
    (
        "np.linalg.norm(x, axis=(0, 2), ord=-1), np.linalg.norm(x, axis=(2, 1), ord=2, keepdims=True)",
        "g",
    ),
    ("np.linalg.multi_dot([x, x.T, x]), np.linalg.multi_dot([x[0], x.T, x[:, 0]])", "f i"),
    ("np.linalg.tensorinv(x.reshape(3, 1, 3), 1), np.linalg.tensorsolve(x, [1.0, 2.0, 3.0])", "q"),
    (
        "np.linalg.tensorsolve(x.reshape(3, 3, 1), [1.0, 2.0, 3.0]), np.linalg.inv(x), np.linalg.det(x)",
        "q",
    ),
    (
        "np.fft.fft2(x), np.fft.ifft2(x), np.fft.rfft2(x), np.fft.irfft2(x), np.fft.fft(x, 3, 0)",
        "f g",
    ),
    ("np.fft.fft2(x, (2, 3), (1, 0)), np.fft.rfft(x, None, 0, 'ortho'), np.fft.irfft(x, 5)", "f"),
    # spellings
    ("np.absolute(x), np.arctan(x), np.arcsinh(x), np.amax(x), np.amin(x)", "f v"),
    ("np.arcsin(x / 9), np.arccos(x / 9), np.arctanh(x / 9), np.arccosh(np.absolute(x) + 1)", "f"),
    (
        "np.arctan2(x, x[::-1]), np.power(x, 2), np.mod(x, 2), np.true_divide(x, 2), np.around(x)",
        "f v",
    ),
    ("np.bitwise_not(x), np.invert(x), np.left_shift(x, 1), np.right_shift(x, 1)", "i u"),
    ("np.concatenate([x, x]), np.conjugate(x), np.asanyarray(x), np.ascontiguousarray(x)", "f i c"),
    ("np.asfortranarray(x), np.promote_types(x.dtype, 'float32').name", "f h"),
    (
        "np.zeros(2, dtype=np.half), np.zeros(2, dtype=np.single), np.zeros(2, dtype=np.csingle)",
        "s",
    ),
    ("np.zeros(2, dtype=np.byte), np.zeros(2, dtype=np.ubyte), np.zeros(2, dtype=np.bool_)", "s"),
    ("np.zeros(2, dtype=np.short), np.zeros(2, dtype=np.ushort), np.zeros(2, dtype=np.intc)", "s"),
    ("np.zeros(2, dtype=np.int_), np.zeros(2, dtype=np.intp), np.zeros(2, dtype=np.uint)", "s"),
    ("np.zeros(2, dtype=np.uintc), np.zeros(2, dtype=np.uintp), isinstance(x, np.ndarray)", "f"),
]

IN_PLACE = [
    ("np.put(x, [0, -1], [7, 8])", "f i v"),
    ("np.put(x, [0, 1, 2], [7])", "f i"),
    ("np.put(x, [0, 99], 3, mode='clip'), np.put(x, [13], 4, mode='wrap')", "f i v"),
    ("np.place(x, x > 0, [1, 2])", "f i v"),
    ("np.putmask(x, x > 0, [1, 2, 3])", "f i v"),
    ("np.putmask(x, x > 0, x * 2)", "f i"),
    ("np.copyto(x, 5), np.copyto(x, [1, 2, 3, 4], where=[[True], [False], [True]])", "f i"),
    ("np.copyto(x, 2.5, casting='unsafe')", "i"),
    ("np.fill_diagonal(x, 5)", "f i q"),
    ("np.fill_diagonal(x, [1, 2, 3])", "f i"),
    ("np.put_along_axis(x, np.argmax(x, axis=1, keepdims=True), 9, axis=1)", "f i"),
    ("np.put_along_axis(x, np.asarray([0, 2]), 9, None)", "f i"),
    ("np.nan_to_num(x, False)", "inf n"),
    ("x.sort(), x.sort(0)", "f i"),
    ("x.fill(3), x.put([0, 1], [5, 6])", "f i"),
    ("x.partition(2)", "v w"),
    ("x.flat.__setitem__(slice(0, 3), 7), x.flat.__setitem__(-1, 8)", "f i"),
    ("x.__setitem__(True, 5), x.__setitem__(False, 6)", "f i"),
    ("x.__imatmul__(x)", "q"),
]

ELSEWHERE = {
    # tests/numpy_functions/test_files_and_text.py
    *("array2string", "array_repr", "array_str", "errstate", "fromfile", "genfromtxt"),
    *("get_printoptions", "geterr", "load", "loadtxt", "may_share_memory", "printoptions"),
    *("save", "savetxt", "savez", "savez_compressed", "set_printoptions", "seterr"),
    "shares_memory",
    # tests/numpy_functions/test_small_things.py
    "poly1d",
}


def each(cases):
    return [(text, name) for text, names in cases for name in names.split()]


def same(got, expected, where):
    if isinstance(expected, tuple | list):
        assert isinstance(got, tuple | list), where
        assert len(got) == len(expected), where
        for at, (a, b) in enumerate(zip(got, expected, strict=True)):
            same(a, b, f"{where}[{at}]")
    elif isinstance(got, pt.Tensor):
        expected = np.asarray(expected)
        name = NARROW.get(expected.dtype.name, expected.dtype.name)
        assert (got.shape, got.dtype.name) == (expected.shape, name), where
        if expected.dtype.kind in "fc":
            tolerance = 2e-3 if name == "float16" else 1e-5
            np.testing.assert_allclose(
                got.numpy(), expected.astype(name), rtol=tolerance, atol=tolerance, err_msg=where
            )
        else:
            np.testing.assert_array_equal(got.numpy(), expected, err_msg=where)
    else:
        assert type(got) is type(expected) or isinstance(expected, np.generic), where
        assert got == expected, where


def evaluate(text, namespace, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(text, {"np": namespace, "x": x})


@pytest.mark.parametrize(("text", "name"), each(CASES))
def test_results(text, name):
    x = INPUTS[name]
    same(evaluate(text, pt, pt.asarray(x)), evaluate(text, np, x), text)


@pytest.mark.parametrize(("text", "name"), each(IN_PLACE))
def test_changes_in_place(text, name):
    x, changed = pt.asarray(INPUTS[name]), INPUTS[name].copy()
    evaluate(text, pt, x)
    evaluate(text, np, changed)
    same(x, changed, text)


@pytest.mark.parametrize(
    "name",
    [
        "sum",
        "mean",
        "std",
        "var",
        "max",
        "min",
        "prod",
        "any",
        "all",
        "cumsum",
        "argsort",
        "round",
        "take",
        "clip",
    ],
)
def test_functions_of_numpy_call_methods_of_tensors(name):
    x = INPUTS["f"]
    extra = {"take": ([0, 2],), "clip": (-1, 1)}.get(name, ())
    same(getattr(np, name)(pt.asarray(x), *extra), getattr(np, name)(x, *extra), name)
    axis = {} if name in ("round", "clip") else {"axis": 0}
    same(
        getattr(np, name)(pt.asarray(x), *extra, **axis), getattr(np, name)(x, *extra, **axis), name
    )


def test_arrays_of_tensors_are_writable_copies():
    x = pt.zeros(3)
    array = np.asarray(x)
    array[0] = 5
    assert array.flags.writeable
    assert x.tolist() == [0.0, 0.0, 0.0]


def test_rounding_by_python():
    assert round(pt.asarray(2.6)) == 3
    assert round(pt.asarray([1.25, 2.0]), 1).tolist() == pytest.approx([1.2, 2.0])


def test_every_function_is_tested():
    tested = set(re.findall(r"np\.(\w+)", " ".join(text for text, _ in CASES + IN_PLACE)))
    names = {
        name
        for module, names in NAMES.items()
        if module.startswith("numpy_functions.")
        for name in names.split()
    }
    assert names - tested == ELSEWHERE


def test_comparison_fails_for_differences():
    with pytest.raises(AssertionError):
        same(pt.asarray([1.0, 2.0]), np.array([1.0, 2.1]), "values")
    with pytest.raises(AssertionError):
        same(pt.asarray([1.0, 2.0]), np.array([1, 2]), "dtypes")
    with pytest.raises(AssertionError):
        same((pt.asarray([1]),), (np.array([[1]]),), "shapes")
    with pytest.raises(AssertionError):
        same(True, False, "answers")


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8"])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "minimum"])
def test_updates_in_place(name, dtype):
    for index, values in (([0, 2, 0, 3], [5, 6, 7, 8]), ([1, 1], 3), (slice(1, 3), 9), (2, 4)):
        expected = np.arange(5).astype(dtype)
        x = pt.asarray(expected)
        other = x + 0
        getattr(np, name).at(expected, index, np.asarray(values, dtype))
        getattr(pt, name).at(x, index, values)
        np.testing.assert_array_equal(x.numpy(), expected)
        assert x.dtype == dtype
        assert other.tolist() == [0, 1, 2, 3, 4]


def test_methods_of_ufuncs_refuse_what_is_not_defined():
    with pytest.raises(pt.errors.ArgumentError, match=r"add\.at: first argument is not a Tensor"):
        pt.add.at([1.0], 0, 2.0)
    with pytest.raises(pt.errors.ShapeError, match=r"subtract\.reduce: no elements along axis"):
        pt.subtract.reduce(pt.ones((0, 2)))
    assert not hasattr(pt.sqrt, "reduce")
