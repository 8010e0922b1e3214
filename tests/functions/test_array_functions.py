"""Functions of the array API standard that have no kernel of their own, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors

X = np.arange(24, dtype="int32").reshape(2, 3, 4)
V = np.array([3, 0, -2, 5, 0], "int32")
F = np.array([[1.5, 0.0, -2.0], [0.0, 4.0, 8.5]], "float32")
NONE = np.zeros((0, 3), "float32")
B = np.array([True, False, True])
# fmt: off
CASES = {
    "repeat": [((X, 2), {}), ((X, 2), {"axis": 1}), ((X, 0), {"axis": -1}), ((V, [1, 0, 2, 3, 1]), {}), ((X, [2, 0, 1]), {"axis": 1}), ((NONE, 3), {"axis": 1}), ((B, 2), {})],
    "roll": [((X, 5), {}), ((X, -1), {"axis": 2}), ((X, (1, 2)), {"axis": (0, 2)}), ((X, 1), {"axis": (0, 1)}), ((X, 0), {"axis": 0}), ((NONE, 1), {"axis": 0}), ((V, 12), {})],
    "tile": [((X, 2), {}), ((X, (2, 1, 3)), {}), ((V, (2, 2)), {}), ((X, (1, 2)), {}), ((F, ()), {}), ((NONE, (2, 2)), {}), ((F, (0, 1)), {})],
    "diff": [((V,), {}), ((X,), {"axis": 0}), ((X,), {"axis": 1, "n": 2}), ((V,), {"n": 0}), ((V,), {"n": 7}), ((F,), {"axis": 0}), ((B,), {}), ((V,), {"prepend": np.array([1, 2], "int32"), "append": np.array([9], "int32")})],
    "tril": [((F,), {}), ((X,), {"k": 1}), ((X,), {"k": -2}), ((X,), {"k": 9}), ((NONE,), {})],
    "triu": [((F,), {}), ((X,), {"k": 1}), ((X,), {"k": -2}), ((np.ones((5, 3), bool),), {"k": -1})],
    "count_nonzero": [((V,), {}), ((F,), {"axis": 0}), ((F,), {"axis": (0, 1), "keepdims": True}), ((NONE,), {"axis": 0}), ((B,), {})],
    "nonzero": [((V,), {}), ((F,), {}), ((X,), {}), ((NONE,), {}), ((B,), {})],
    "broadcast_arrays": [((F, np.ones((4, 1, 1), "float32")), {}), ((V,), {})],
    "tensordot": [((X, X.transpose(1, 2, 0)), {}), ((X, X), {"axes": ((0, 2), (0, 2))}), ((F, F[0]), {"axes": 0}), ((X, V[:4]), {"axes": 1}), ((NONE, np.ones((3, 2), "float32")), {"axes": 1})],
    "vecdot": [((X, X[0, 0]), {}), ((X, X[:, :1]), {"axis": -1}), ((X, X), {"axis": -2}), ((NONE, NONE), {})],
    "meshgrid": [((V, V[:2]), {}), ((V, V[:2], V[:3]), {"indexing": "ij"}), ((V, V[:2], V[:3]), {}), ((V,), {}), ((np.array(3, "int32"), V), {})],
    "take_along_axis": [((X, np.argsort(-X, axis=1)), {"axis": 1}), ((F, np.array([[0], [-1]])), {"axis": 1}), ((F, np.array([[1, 0, 1]])), {"axis": 0}), ((V, np.array([4, 4, 0], "uint8")), {"axis": 0})],
}
# fmt: on


def given(value):
    if isinstance(value, np.ndarray):
        return pt.asarray(value)
    return {k: given(v) for k, v in value.items()} if isinstance(value, dict) else value


def in_our_dtypes(x):
    x = np.asarray(x)
    return x.astype("int32") if x.dtype == "int64" else x


@pytest.mark.parametrize(
    ("name", "case"), [(n, c) for n, cases in CASES.items() for c in range(len(cases))]
)
def test_like_numpy(name, case):
    args, options = CASES[name][case]
    expected = getattr(np, name)(*args, **options)
    got = getattr(pt, name)(*map(given, args), **given(options))
    if isinstance(expected, (tuple, list)):
        assert isinstance(got, tuple) and len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            assert_values(one, in_our_dtypes(other))
    else:
        if name == "vecdot" or name == "tensordot":
            assert got.dtype.name == np.result_type(*(a.dtype for a in args)).name
        assert_values(got, in_our_dtypes(expected))


def test_unstack():
    for axis in (0, 1, -1):
        parts = pt.unstack(pt.asarray(X), axis=axis)
        assert isinstance(parts, tuple) and len(parts) == X.shape[axis]
        for at, part in enumerate(parts):
            assert_values(part, np.take(X, at, axis=axis))


def test_broadcast_shapes():
    assert pt.broadcast_shapes() == ()
    assert pt.broadcast_shapes((3, 1), (1, 4), ()) == (3, 4)
    assert_raises(
        errors.ShapeError,
        "broadcast_shapes: shapes (3,) and (4,) do not broadcast; axis -1 is 3 and 4",
        lambda: pt.broadcast_shapes((3,), (4,)),
    )


def test_limits_of_dtypes():
    for name in ("float32", "float16"):
        expected, got = np.finfo(name), pt.finfo(name)
        for field in ("bits", "eps", "max", "min", "smallest_normal"):
            assert getattr(got, field) == getattr(expected, field)
        assert got.dtype == name
    for name in ("int8", "int16", "int32", "uint8", "uint16", "uint32"):
        expected, got = np.iinfo(name), pt.iinfo(pt.zeros(1, dtype=name))
        assert (got.bits, got.min, got.max) == (expected.bits, expected.min, expected.max)
        assert got.dtype == name


WIDE = {
    "float64": "float32",
    "double": "float32",
    "int64": "int32",
    "long": "int32",
    "longlong": "int32",
    "uint64": "uint32",
    "ulong": "uint32",
    "ulonglong": "uint32",
    "complex128": "complex64",
    "cdouble": "complex64",
}


@pytest.mark.parametrize("name", WIDE)
def test_names_of_64_bits_stand_for_32_bits(name):
    dtype, own = getattr(pt, name), WIDE[name]
    assert dtype is getattr(pt, own)
    assert (dtype.name, repr(dtype)) == (own, own)
    x = np.array([1, 2], own)
    for given in (dtype, name, getattr(np, name), np.dtype(name)):
        for made in (
            pt.asarray([1, 2], dtype=given),
            pt.asarray(x, dtype=given),
            pt.asarray([True, True], dtype=given) + pt.asarray([0, 1], dtype=given),
            pt.asarray([1, 2]).astype(given),
        ):
            assert_values(made, x)
        assert pt.zeros(2, dtype=given).dtype is dtype
        assert isinstance(given, str) or pt.isdtype(own, given)
        assert pt.result_type(given, pt.zeros(1, dtype=own)) is dtype
        assert pt.can_cast(given, own) and pt.can_cast(own, given)


def test_limits_of_64_bit_names_are_those_of_32_bits():
    for wide in (pt.float64, "float64", np.float64, pt.complex128):
        assert pt.finfo(wide) == pt.finfo(pt.float32)
    assert pt.finfo(pt.float64).eps == np.finfo("float32").eps
    for wide in (pt.int64, "int64", np.int64):
        assert pt.iinfo(wide).max == 2**31 - 1
    assert pt.iinfo(pt.uint64).max == 2**32 - 1
    assert not {"float64", "int64", "uint64", "complex128"} & set(
        pt.__array_namespace_info__().dtypes()
    )
    assert_raises(
        errors.DTypeError,
        f"asarray: value does not fit dtype uint32; got {2**40} at index (); "
        "uint32 holds 0 to 4294967295",
        lambda: pt.asarray(2**40, dtype=pt.uint64),
    )


NAMES = ("bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "float16", "float32")


@pytest.mark.parametrize("first", NAMES)
def test_result_type_and_can_cast(first):
    for second in NAMES:
        kinds = {np.dtype(first).kind, np.dtype(second).kind}
        expected = np.result_type(first, second)
        standard = len(kinds) == 1 or kinds == {"i", "u"}
        if standard and expected.itemsize <= 4:
            assert pt.result_type(first, pt.zeros(2, dtype=second)) == expected.name
        cast = standard and np.can_cast(first, second)
        assert pt.can_cast(first, second) == cast, second


def test_numbers_take_the_dtype_of_the_other_operand():
    assert pt.result_type(pt.int8, 1) is pt.int8
    assert pt.result_type(1, pt.float16, True) is pt.float16
    assert pt.result_type(pt.int32, 1.5) is pt.float32
    assert pt.result_type(1) is pt.int32 and pt.result_type(1.0, 2) is pt.float32
    assert_raises(
        errors.ArgumentError,
        "result_type: at least one argument is required; got no arguments; pass tensors or dtypes",
        pt.result_type,
    )


def test_kinds():
    kinds = {
        "bool": {"bool"},
        "signed integer": {"int8", "int16", "int32"},
        "unsigned integer": {"uint8", "uint16", "uint32"},
        "integral": {"int8", "int16", "int32", "uint8", "uint16", "uint32"},
        "real floating": {"float16", "float32"},
        "numeric": set(NAMES) - {"bool"},
    }
    for kind, members in kinds.items():
        assert {name for name in NAMES if pt.isdtype(name, kind)} == members
    assert pt.isdtype(pt.int8, (pt.int8, "bool")) and not pt.isdtype(pt.int8, pt.uint8)
    assert_raises(
        errors.ArgumentError,
        "isdtype: unknown kind; got 'float'; use one of bool, signed integer, unsigned integer, "
        "integral, real floating, complex floating, numeric",
        lambda: pt.isdtype(pt.int8, "float"),
    )


def test_namespace_info(backend_name):
    x = pt.ones(2)
    assert x.__array_namespace__() is pt
    assert pt.__array_api_version__ == "2025.12"
    for version in ("2022.12", "2024.12", pt.__array_api_version__):
        assert x.__array_namespace__(api_version=version) is pt
    info = pt.__array_namespace_info__()
    assert info.devices() == (info.default_device(),) == (backend_name,) == (x.device,)
    assert info.default_dtypes()["real floating"] is pt.float32
    assert set(info.dtypes(kind="signed integer")) == {"int8", "int16", "int32"}
    assert info.capabilities()["boolean indexing"]
    assert_raises(
        errors.ArgumentError,
        "__array_namespace__: unknown version; got '1999.01'; use one of 2021.12, 2022.12, "
        "2023.12, 2024.12, 2025.12",
        lambda: x.__array_namespace__(api_version="1999.01"),
    )


def test_devices(backend_name):
    assert pt.zeros(2, device=backend_name).to_device(backend_name).shape == (2,)
    for call in (
        lambda: pt.zeros(2, device="tpu"),
        lambda: pt.asarray([1], device="tpu"),
        lambda: pt.ones(1).to_device("tpu"),
    ):
        with pytest.raises(errors.ArgumentError, match="device is not in use; got 'tpu'"):
            call()


def test_dlpack():
    x = np.arange(6, dtype="float32").reshape(2, 3)
    assert_values(pt.from_dlpack(x), x)
    t = pt.asarray(x) + 1.0
    np.testing.assert_array_equal(np.from_dlpack(t), x + 1)

    class Foreign:
        """An array that supports DLPack and nothing else."""

        __dlpack__ = staticmethod(x.__dlpack__)
        __dlpack_device__ = staticmethod(x.__dlpack_device__)

    assert_values(pt.from_dlpack(Foreign()), x)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: pt.repeat(pt.ones(2), -1), "repeat: counts must not be negative; got -1; use counts of at least 0"),
        (lambda: pt.repeat(pt.ones(2), [1, 2, 3]), "repeat: wrong number of counts; got 3 for axis 0 of length 2; pass one, or one per "
            "element"),
        (lambda: pt.roll(pt.ones((2, 2)), (1, 2, 3), axis=(0, 1)), "roll: numbers of shifts and axes must be equal; got (1, 2, 3) and (0, 1); pass one "
            "shift per axis"),
        (lambda: pt.diff(pt.ones(2), n=-1), "diff: n is too small; got -1; use 0 or more"),
        (lambda: pt.nonzero(pt.asarray(1)), "nonzero: tensor has no axes; got shape (); reshape it to (1,)"),
        (lambda: pt.tril(pt.ones(3)), "tril: input must have two axes; got shape (3,); reshape it first"),
        (lambda: pt.vecdot(pt.ones(2), pt.ones(3)), "vecdot: lengths must be equal along axis -1; got shapes (2,) and (3,); make them equal"),
        (lambda: pt.tensordot(pt.ones((2, 3)), pt.ones((2, 3)), axes=1), "tensordot: lengths of paired axes must be equal; got shapes (2, 3) along [1] and (2, "
            "3) along [0]; make them equal"),
        (lambda: pt.meshgrid(pt.ones((2, 2))), "meshgrid: inputs must have one axis each; got shape (2, 2); use flatten"),
        (lambda: pt.take_along_axis(pt.ones((2, 2)), pt.asarray([0])), "take_along_axis: numbers of axes must be equal; got shapes (2, 2) and (1,); use as "
            "many axes"),
    ],
)  # fmt: skip
def test_wrong_arguments(call, text):
    with pytest.raises(errors.TensorError) as raised:
        call()
    assert str(raised.value) == text
