"""Creation functions against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises, assert_spec, assert_values

import py_tensor as pt
from py_tensor import errors

DTYPES = ("float32", "float16", "int32", "uint32", "int16", "uint16", "int8", "uint8", "bool")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), 5, (0,), (3, 5), (2, 8)], ids=str)
def test_constants(shape, dtype):
    assert_values(pt.zeros(shape, dtype=dtype), np.zeros(shape, dtype))
    assert_values(pt.ones(shape, dtype=dtype), np.ones(shape, dtype))
    assert_values(pt.full(shape, 1, dtype=dtype), np.full(shape, 1, dtype))
    assert_spec(pt.empty(shape, dtype=dtype), np.empty(shape, dtype).shape, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_like_another(dtype):
    x = pt.zeros((2, 3), dtype=dtype)
    assert_values(pt.zeros_like(x), np.zeros((2, 3), dtype))
    assert_values(pt.ones_like(x), np.ones((2, 3), dtype))
    assert_values(pt.full_like(x, 1), np.ones((2, 3), dtype))
    assert_spec(pt.empty_like(x), (2, 3), dtype)
    assert_values(pt.ones_like(x, dtype="int8"), np.ones((2, 3), "int8"))


@pytest.mark.parametrize(
    ("value", "dtype"), [(True, "bool"), (7, "int32"), (1.5, "float32"), (-(2**31), "int32")]
)
def test_full_takes_its_dtype_from_the_value(value, dtype):
    assert_values(pt.full((2,), value), np.full(2, value, dtype))


def test_full_of_a_tensor():
    assert_values(pt.full((2,), pt.asarray(2.5)), np.float32([2.5, 2.5]))


@pytest.mark.parametrize(
    "args",
    [
        (5,),
        (0,),
        (-3,),
        (2, 9),
        (2, 9, 3),
        (9, 2, -2),
        (9, 2),
        (0, 10, 4),
        (3.0,),
        (0, 1, 0.25),
        (1, 0, -0.3),
        (0.5, 5),
        (-3, 7.5, 2),
    ],
    ids=str,
)
def test_arange(args):
    want = np.arange(*args)
    assert_values(
        pt.arange(*args),
        want.astype("int32" if want.dtype.kind == "i" else "float32"),
        rtol=1e-6 * (want.dtype.kind == "f"),
    )


@pytest.mark.parametrize("dtype", DTYPES[:-1])
def test_arange_of_every_dtype(dtype):
    assert_values(pt.arange(3, 20, 4, dtype=dtype), np.arange(3, 20, 4, dtype=dtype))


def test_arange_of_large_integers():
    assert pt.arange(2**31 - 3, 2**31 - 1).tolist() == [2**31 - 3, 2**31 - 2]
    assert pt.arange(20_000)[[19_999][0]].item() == 19_999
    assert pt.arange(2**32 - 1, 2**32 - 4, -1, dtype="uint32").tolist() == [
        2**32 - 1,
        2**32 - 2,
        2**32 - 3,
    ]
    assert pt.arange(0, 2**32, 2**31, dtype="uint32").tolist() == [0, 2**31]
    assert pt.arange(5, 6, 2**40).tolist() == [5]
    assert pt.arange(2**40, 2**40).tolist() == []
    assert pt.arange(2**31 - 1, -(2**31) - 1, -(2**32 - 1)).tolist() == [2**31 - 1, -(2**31)]


@pytest.mark.parametrize(
    ("args", "dtype", "outside"),
    [
        ((2**31 - 2, 2**31 + 2), "int32", 2**31 + 1),
        ((-(2**31) - 1, 0, 2**31), "int32", -(2**31) - 1),
        ((2**32 - 1, 2**32 + 1), "uint32", 2**32),
        ((2, -2, -1), "uint32", -1),
        ((126, 130), "int8", 129),
    ],
    ids=str,
)
def test_arange_beyond_its_dtype(args, dtype, outside):
    info = np.iinfo(dtype)
    assert_raises(
        errors.DTypeError,
        f"arange: Python integer {outside} does not fit dtype {dtype}; got {outside}; "
        f"{dtype} holds {info.min} to {info.max}",
        lambda: pt.arange(*args, dtype=dtype),
    )


def test_numpy_scalars_equal_python_numbers():
    assert_values(pt.arange(np.int64(2), np.int64(5)), np.arange(2, 5, dtype="int32"))
    assert_values(pt.arange(np.float32(0.5), np.int64(3)), np.arange(0.5, 3, dtype="float32"))
    assert_values(pt.full(2, np.int64(7)), np.full(2, 7, "int32"))
    assert_values(pt.full(2, np.bool_(True)), np.full(2, True))
    assert_values(pt.full_like(pt.zeros(2), np.int64(7)), np.full(2, 7, "float32"))
    assert_raises(
        errors.DTypeError,
        f"full: Python integer {2**40} does not fit dtype int32; got {2**40}; "
        "int32 holds -2147483648 to 2147483647",
        lambda: pt.full(2, np.int64(2**40)),
    )


@pytest.mark.parametrize(
    ("start", "stop", "num"),
    [(0, 1, 5), (1, -1, 7), (0.1, 0.7, 13), (3, 3, 4), (0, 1, 1), (0, 1, 0), (-5, 100, 1000)],
)
@pytest.mark.parametrize("endpoint", [True, False])
def test_linspace(start, stop, num, endpoint):
    want = np.linspace(start, stop, num, endpoint=endpoint).astype("float32")
    got = pt.linspace(start, stop, num, endpoint=endpoint)
    assert_values(got, want, rtol=1e-6, atol=1e-6 * max(abs(start), abs(stop)))
    if endpoint and num > 1:
        assert got[-1].item() == np.float32(stop)


@pytest.mark.parametrize("args", [(3,), (3, 5), (5, 3), (4, 4), (0,), (1, 0)], ids=str)
@pytest.mark.parametrize("k", [0, 1, -2, 9])
@pytest.mark.parametrize("dtype", ["float32", "int8", "bool"])
def test_eye(args, k, dtype):
    assert_values(pt.eye(*args, k=k, dtype=dtype), np.eye(*args, k=k, dtype=dtype))


def test_copy_is_another_handle():
    x = pt.asarray([1.0, 2.0])
    y = pt.copy(x)
    y += 1.0
    assert (x.tolist(), y.tolist()) == ([1, 2], [2, 3])


def test_created_values_need_no_upload(engine):
    uploads = engine.statistics().get("uploads", 0)
    pt.realize(pt.zeros((4, 4)) + pt.eye(4) + pt.arange(4) + pt.full((4,), 2.5))
    assert engine.statistics().get("uploads", 0) == uploads


def test_wrong_arguments():
    cases = [
        (
            errors.ShapeError,
            "zeros: lengths must not be negative; got shape (2, -1); use lengths of at least 0",
            lambda: pt.zeros((2, -1)),
        ),
        (
            errors.ArgumentError,
            "arange: step must not be zero; got step 0; use another step",
            lambda: pt.arange(0, 5, 0),
        ),
        (
            errors.ArgumentError,
            "linspace: num is too small; got -1; use 0 or more",
            lambda: pt.linspace(0, 1, -1),
        ),
        (
            errors.DTypeError,
            (
                "ones: unknown dtype; got 'float8'; use one of float32, float16, int32, uint32, "
                "int16, uint16, int8, uint8, bool, complex64"
            ),
            lambda: pt.ones(2, dtype="float8"),
        ),
        (
            errors.DTypeError,
            "full: Python integer 300 does not fit dtype uint8; got 300; uint8 holds 0 to 255",
            lambda: pt.full(2, 300, dtype="uint8"),
        ),
    ]
    for error, text, call in cases:
        assert_raises(error, text, call)


FLOATS_FOR_INTEGERS = [
    (0.0, 2.0**26, 2.0**24),
    (2.0**24, 2.0**24 + 6, 1.0),
    (0.5, 5, 1.5),
    (-0.5, -5, -1.5),
    (-3, 0, 0.5),
    (2.7, 3.1, 0.5),
    (3.0, 1.0, 1.0),
]


@pytest.mark.parametrize("args", FLOATS_FOR_INTEGERS, ids=str)
def test_arange_of_floats_for_integers(args):
    assert_values(pt.arange(*args, dtype="int32"), np.arange(*args, dtype="int32"))


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("num", [0, 1, 3, 10])
@pytest.mark.parametrize(
    ("start", "stop"),
    [
        (0, 2**31 - 1),
        (2**31 - 1, -(2**31)),
        (5, -5),
        (0.9, -0.9),
        (2.0**24 + 1, 2.0**24 + 4),
        (3, 3),
    ],
    ids=str,
)
def test_linspace_of_integers(start, stop, num, endpoint):
    want = np.linspace(start, stop, num, dtype="int32", endpoint=endpoint)
    assert_values(pt.linspace(start, stop, num, dtype="int32", endpoint=endpoint), want)


HUGE = 2**2000
MADE_OF_HUGE = {
    "full": lambda n: pt.full(2, n, dtype="float32"),
    "full of halves": lambda n: pt.full(2, n, dtype="float16"),
    "full_like": lambda n: pt.full_like(pt.ones(2), n),
    "asarray": lambda n: pt.asarray([n, n], dtype="float32"),
    "add": lambda n: pt.ones(2) + n,
    "where": lambda n: pt.where(pt.ones(2, dtype="bool"), n, 1.0),
    "jit": lambda n: pt.jit(lambda x, number: x + number)(pt.ones(2), n),
    "pad": lambda n: pt.pad(pt.ones(1), 1, constant_values=n)[::2],
    "normal": lambda n: pt.random.normal((2,), mean=n),
    "complex": lambda n: pt.real(pt.full(2, n, dtype="complex64")),
    "linspace": lambda n: pt.linspace(0, n, 3)[1:],
}


def assigned(n):
    x = pt.ones(2)
    x[:] = n
    return x


MADE_OF_HUGE["setitem"] = assigned


@pytest.mark.parametrize("name", MADE_OF_HUGE)
def test_integers_beyond_floats_are_infinite(name, engine):
    for sign in (1, -1):
        got = MADE_OF_HUGE[name](sign * HUGE)
        assert_values(got, np.full(2, sign * np.inf, got.dtype.name))


@pytest.mark.parametrize(
    ("low", "high"),
    [(0, HUGE), (-HUGE, 0), (0.0, np.inf), (np.nan, 1.0), (-3e38, 3e38)],
)
def test_uniform_refuses_an_infinite_range(low, high):
    with pytest.raises(errors.ArgumentError, match="range must be finite in float32; got"):
        pt.random.uniform((2,), low=low, high=high)


OUTSIDE = {
    "linspace": (
        lambda: pt.linspace(0, 300, 3, dtype="int8"),
        "linspace: value does not fit dtype int8; got 150 at index (1,); int8 holds -128 to 127",
    ),
    "linspace to infinity": (
        lambda: pt.linspace(1.0, np.inf, 2, dtype="uint8"),
        "linspace: value does not fit dtype uint8; got nan at index (0,); uint8 holds 0 to 255",
    ),
    "arange of floats": (
        lambda: pt.arange(0.0, 2.0**40, 2.0**39, dtype="int32"),
        f"arange: Python integer {2**39} does not fit dtype int32; got {2**39}; "
        "int32 holds -2147483648 to 2147483647",
    ),
    "full of NaN": (
        lambda: pt.full(2, np.nan, dtype="uint8"),
        "full: value does not fit dtype uint8; got nan; uint8 holds 0 to 255",
    ),
    "full of many digits": (
        lambda: pt.full(2, -(10**5000), dtype="int8"),
        "full: Python integer about -1e5000 does not fit dtype int8; got about -1e5000; "
        "int8 holds -128 to 127",
    ),
    "asarray of many digits": (
        lambda: pt.asarray([1.5, 10**600], dtype="int8"),
        "asarray: value does not fit dtype int8; got about 1e600 at index (1,); "
        "int8 holds -128 to 127",
    ),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_values_out_of_range(name):
    call, text = OUTSIDE[name]
    assert_raises(errors.DTypeError, text, call)


def test_arange_without_an_end():
    assert_raises(
        errors.ArgumentError,
        "arange: length must be finite; got 0.0 to inf by 1.0; use finite numbers",
        lambda: pt.arange(np.inf),
    )


@pytest.mark.parametrize("array", [np.asarray, pt.asarray])
def test_shapes_may_be_arrays_of_integers(array):
    assert pt.zeros(array([2, 3])).shape == (2, 3)
    assert pt.reshape(pt.arange(6), array([3, -1])).tolist() == [[0, 1], [2, 3], [4, 5]]
    assert pt.ones((3,)).broadcast_to(array([2, 3])).shape == (2, 3)
    with pytest.raises(errors.ArgumentTypeError, match="zeros: shape must be an integer"):
        pt.zeros(array([2.0, 3.0]))
