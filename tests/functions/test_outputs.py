"""NumPy's arguments `out`, `where`, `dtype` and `casting` mean here what they mean in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import py_tensor as pt

X = np.array([[3.0, 1.5, 0.5], [4.0, 9.0, 0.25]], "float32")
Y = np.array([2.0, 0.0, 4.0], "float32")
MASK = np.array([[True, False, True], [False, True, True]])

UNARY = ["sqrt", "negative", "exp", "isfinite", "cbrt", "rint"]
BINARY = ["add", "multiply", "maximum", "hypot", "less", "fmax", "float_power"]
REDUCTIONS = ["sum", "prod", "max", "min", "mean", "std", "var", "nansum", "nanmax", "nanmean"]
ALONG = ["cumsum", "cumprod", "cumulative_sum", "nancumsum"]


def run(xp, name, *args, out=None, **options):
    """Return the values that a call writes to `out`, and True if it returns `out`."""
    target = xp.asarray(np.array(out))
    operands = [xp.asarray(value) if isinstance(value, np.ndarray) else value for value in args]
    result = getattr(xp, name)(*operands, out=target, **options)
    return np.asarray(target), result is target


def assert_written(name, *args, **options):
    expected, _ = run(np, name, *args, **options)
    got, returned = run(pt, name, *args, **options)
    assert returned
    np.testing.assert_allclose(got, expected, rtol=1e-5)
    assert got.dtype == expected.dtype


@pytest.mark.parametrize("name", UNARY)
def test_out_of_unary_functions(name):
    dtype = "bool" if name == "isfinite" else "float32"
    assert_written(name, X, out=np.zeros((2, 3), dtype))
    assert_written(name, X, out=np.ones((2, 3), dtype), where=MASK)
    assert_written(name, Y, out=np.ones((2, 3), dtype), where=MASK)


@pytest.mark.parametrize("name", BINARY)
def test_out_of_binary_functions(name):
    dtype = "bool" if name == "less" else "float32"
    assert_written(name, X, Y, out=np.zeros((2, 3), dtype))
    assert_written(name, X, 2.0, out=np.ones((4, 2, 3), dtype), where=MASK)
    assert_written(name, X, Y, out=np.ones((2, 3), dtype), where=MASK[0])


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("axis", [0, (0, 1), None])
def test_out_of_reductions(name, axis):
    shape = np.sum(X, axis=axis).shape
    assert_written(name, X, axis=axis, out=np.zeros(shape, "float32"))
    assert_written(name, X, axis=axis, keepdims=True, out=X.sum(axis=axis, keepdims=True))


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "std", "any", "all"])
def test_out_and_where_of_reductions(name):
    initial = {"max": {"initial": 0.0}, "min": {"initial": 9.5}}.get(name, {})
    out = np.zeros(3, "bool" if name in ("any", "all") else "float32")
    assert_written(name, X, axis=0, where=MASK, out=out, **initial)


@pytest.mark.parametrize("name", ALONG)
def test_out_of_functions_along_an_axis(name):
    assert_written(name, X, axis=1, out=np.zeros((2, 3), "float32"))


OTHERS = [
    ("argmax", (X,), {"axis": 1}, (2,), "int32"),
    ("clip", (X, 1.0, 3.0), {}, (2, 3), "float32"),
    ("round", (X,), {"decimals": 1}, (2, 3), "float32"),
    ("median", (X,), {"axis": 0}, (3,), "float32"),
    ("quantile", (X, 0.25), {"axis": 0}, (3,), "float32"),
    ("percentile", (X, 25), {"axis": 0}, (3,), "float32"),
    ("ptp", (X,), {"axis": 0}, (3,), "float32"),
    ("trace", (X,), {}, (), "float32"),
    ("take", (X, [1, 0]), {"axis": 1, "mode": "clip"}, (2, 2), "float32"),
    ("compress", ([True, False, True], X), {"axis": 1}, (2, 2), "float32"),
    ("concatenate", ([X, X],), {}, (4, 3), "float32"),
    ("stack", ([X, X],), {}, (2, 2, 3), "float32"),
    ("dot", (X, Y), {}, (2,), "float32"),
    ("matmul", (X, Y), {}, (2,), "float32"),
    ("outer", (Y, Y), {}, (3, 3), "float32"),
    ("einsum", ("ij,j->i", X, Y), {}, (2,), "float32"),
    ("vecdot", (X, Y), {}, (2,), "float32"),
]


@pytest.mark.parametrize(("name", "args", "options", "shape", "dtype"), OTHERS, ids=lambda x: "")
def test_out_of_other_functions(name, args, options, shape, dtype):
    if name == "argmax":  # NumPy needs int64, which tensors do not have
        expected = np.argmax(X, axis=1).astype("int32")
        got, returned = run(pt, name, *args, out=np.zeros(shape, dtype), **options)
        np.testing.assert_array_equal(got, expected)
        assert returned
    else:
        assert_written(name, *args, out=np.zeros(shape, dtype), **options)


def test_out_by_position():
    out = pt.zeros((2, 3))
    assert pt.add(X, Y, out) is out
    np.testing.assert_array_equal(out.numpy(), X + Y)
    assert pt.sqrt(X, out) is out
    np.testing.assert_allclose(out.numpy(), np.sqrt(X), rtol=1e-6)
    row = pt.zeros(3)
    assert pt.sum(X, 0, None, row) is row
    assert pt.sum(X, 0, None, None).tolist() == row.tolist() == X.sum(axis=0).tolist()


def test_out_of_methods():
    x = pt.asarray(X)
    row = pt.zeros(3)
    assert x.sum(axis=0, out=row) is row
    assert x.clip(1, 2, out=x) is x
    np.testing.assert_array_equal(x.numpy(), X.clip(1, 2))


def test_several_outs():
    whole, rest = pt.zeros((2, 3)), pt.zeros((2, 3))
    assert pt.divmod(X, 2.0, out=(whole, rest)) == (whole, rest)
    np.testing.assert_array_equal(whole.numpy(), X // 2)
    np.testing.assert_array_equal(rest.numpy(), X % 2)
    fraction, _ = pt.modf(X, out=(None, whole))
    np.testing.assert_array_equal(whole.numpy(), np.trunc(X))
    np.testing.assert_array_equal(fraction.numpy(), X - np.trunc(X))


def test_out_that_is_an_operand():
    x = pt.asarray(X)
    pt.multiply(x, x, out=x)
    pt.add(x, 1, out=(x,))
    np.testing.assert_array_equal(x.numpy(), X * X + 1)


def test_out_that_is_a_part_writes_to_the_whole():
    x, expected = pt.asarray(X), X.copy()
    np.add(X[0], Y, out=expected[1])
    assert pt.add(X[0], Y, out=x[1]).shape == (3,)
    np.sum(X, axis=1, out=expected[:, 2])
    pt.sum(X, axis=1, out=x[:, 2])
    np.negative(expected[:, :2], out=expected[:, :2], where=MASK[:, :2])
    pt.negative(x[:, :2], out=x[:, :2], where=MASK[:, :2])
    np.testing.assert_allclose(x.numpy(), expected, rtol=1e-6)


def test_where_without_out_leaves_zeros():
    assert pt.add(X, Y, where=MASK).tolist() == (np.where(MASK, X + Y, 0)).tolist()
    x = np.array([1.0, 4.0], "float32")
    assert pt.divide(x, [0.0, 2.0], out=pt.ones(2), where=[False, True]).tolist() == [1.0, 2.0]


def test_dtype_converts_operands():
    assert pt.add([1, 2], [3, 4], dtype="float32").dtype == pt.float32
    assert pt.add(pt.asarray([200, 100], "uint8"), 100, dtype="int32").tolist() == [300, 200]
    assert pt.less([1, 2], [2, 2], dtype=bool).tolist() == [True, False]
    with pytest.raises(pt.errors.DTypeError, match=r"add: results of float32 do not promote"):
        pt.add(X, Y, dtype="int32")
    assert pt.add([1.5, 2.5], [1.5, 2.0], dtype="int32", casting="unsafe").tolist() == [2, 4]


def test_casting_of_the_result():
    x = pt.asarray([1, 2, 3])
    with pytest.raises(pt.errors.DTypeError, match=r"multiply: dtype float32 does not promote"):
        pt.multiply(x, 1.5, out=x)
    pt.multiply(x, 1.5, out=x, casting="unsafe")
    assert x.tolist() == [1, 3, 4]


@pytest.mark.host
def test_wrong_outs_raise():
    with pytest.raises(pt.errors.ArgumentTypeError, match=r"add: out must be a Tensor; got \[0"):
        pt.add(X, Y, out=[0.0, 0.0])
    with pytest.raises(pt.errors.ShapeError, match=r"add: shapes are incompatible"):
        pt.add(X, Y, out=pt.zeros(3))
    with pytest.raises(pt.errors.ShapeError, match=r"sum: out has another shape .*got \(2, 3\)"):
        pt.sum(X, axis=0, out=pt.zeros((2, 3)))
    with pytest.raises(pt.errors.ShapeError, match=r"modf: out has another number of tensors"):
        pt.modf(X, out=pt.zeros((2, 3)))
    with pytest.raises(TypeError, match="unexpected keyword argument 'out'"):
        pt.unwrap(Y, out=pt.zeros(3))


def test_gradients_flow_through_out():
    def f(x):
        out = pt.zeros(3)
        pt.multiply(x, x, out=out, where=[True, False, True])
        return pt.sum(out)

    assert pt.grad(f)(pt.asarray(Y)).tolist() == [4.0, 0.0, 8.0]
    assert pt.jit(f)(pt.asarray(Y)).item() == 20.0
