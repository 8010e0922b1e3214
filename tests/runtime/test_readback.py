"""Uploads and reads: dtypes, sizes around texels and texture rows, blocking and not."""

from __future__ import annotations

from array import array

import numpy as np
import pytest
from helpers import assert_bits, assert_values, finished

import py_tensor as pt
from py_tensor.compiler.textures.plan import texture_size
from py_tensor.compiler.textures.texture_layout import most_elements

DTYPES = ("float32", "float16", "int32", "uint32", "int16", "uint16", "int8", "uint8", "bool")
NARROW = 128 * 128 * 4
"""Elements in the largest narrow texture; larger ones are 2048 texels wide."""
SIZES = (0, 1, 3, 4, 5, 8, 9, 17, 64, 65, 8191, 8193, NARROW - 1, NARROW, NARROW + 1, NARROW + 8195)


def values(size, dtype, rng):
    """Draw any bit pattern except NaN, including the limits."""
    if dtype == "bool":
        return rng.random(size) < 0.5
    if dtype[0] == "f":
        x = rng.standard_normal(size).astype(dtype)
        x[:3] = np.array([np.inf if dtype == "float32" else 0, -0.0, np.finfo(dtype).max], dtype)[
            :size
        ]
        return x
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, size, endpoint=True).astype(dtype)
    x[:2] = np.array([info.max, info.min], dtype)[:size]
    return x


def on_device(x):
    """Return the values after a draw, so that reading them reads a texture."""
    t = pt.asarray(x)
    return pt.where(pt.ones(x.shape, dtype="bool"), t, t[::-1])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_round_trip(dtype, size, rng):
    x = values(size, dtype, rng)
    assert_bits(pt.asarray(x), x)
    t = on_device(x)
    assert_bits(t, x)
    assert t.tolist() == x.tolist()
    assert np.array_equal(np.asarray(memoryview(t)), x)
    assert np.array_equal(np.asarray(finished(on_device(x).data())), x)


def test_float16_infinities(engine):
    x = np.float16([np.inf, -np.inf, 65504.0, 0.0])
    assert_bits(pt.asarray(x), x)
    assert_bits(pt.asarray(x).astype("float32") + 0, x.astype("float32"))
    assert_bits(on_device(x), x)
    large = pt.asarray([1e6, -1e6, 65504.0, 0.0]).astype("float16")
    assert_bits(large, x)


@pytest.mark.parametrize("shape", [(), (1, 1), (3, 5), (2, 1, 7), (2, 3, 4, 5)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_shapes(dtype, shape, rng):
    x = values(int(np.prod(shape)), dtype, rng).reshape(shape)
    t = pt.asarray(x) if not shape else on_device(x)
    blocking, waited = memoryview(t), finished(t.data())
    assert (blocking.shape, waited.shape) == (shape, shape)
    assert blocking.format == waited.format == t.dtype.code
    assert blocking.tolist() == waited.tolist() == t.tolist() == x.tolist()
    assert_bits(t, x)


def test_ten_million_elements():
    got = finished(pt.arange(10_000_000).data())
    assert np.array_equal(np.asarray(got), np.arange(10_000_000, dtype="int32"))


def test_ten_million_elements_in(rng):
    x = rng.integers(-128, 127, 10_000_001, dtype="int8")
    t = pt.asarray(x)
    assert t[::-1][:5].tolist() == x[::-1][:5].tolist()
    assert t.sum().item() == int(x.sum(dtype="int64"))


def test_large_integers_are_exact():
    t = pt.asarray([2**31 - 1, -(2**31), 2**24 + 1, 16777217])
    assert (t + 0).tolist() == [2**31 - 1, -(2**31), 2**24 + 1, 16777217]
    u = pt.asarray([2**32 - 1, 2**31], dtype="uint32")
    assert (u + 0).tolist() == [2**32 - 1, 2**31]


@pytest.mark.parametrize("dtype", [*DTYPES, "complex64"])
def test_empty_shapes(dtype):
    for shape in [(0,), (0, 3), (3, 0), (2, 0, 2)]:
        t = pt.zeros(shape, dtype=dtype)
        assert t.tolist() == np.zeros(shape).tolist()
        assert_values(t, np.zeros(shape, dtype))
        assert finished(t.data()).tolist() == []
    assert memoryview(pt.zeros(0)).tolist() == []
    with pytest.raises(BufferError):
        memoryview(pt.zeros((0, 3)))


def test_item_and_conversions():
    x = pt.asarray([[2.5]])
    assert (x.item(), float(x), int(x), bool(x), complex(x)) == (2.5, 2.5, 2, True, 2.5 + 0j)
    assert type(pt.asarray(True).item()) is bool
    assert type(pt.asarray(3).item()) is int
    assert [10, 20, 30][pt.asarray(1)] == 20
    assert f"{x:.2f}" == "2.50"
    for convert in (float, int, bool):
        with pytest.raises(
            pt.errors.ShapeError, match=f"^{convert.__name__}: only a tensor with exactly one"
        ):
            convert(pt.zeros(2))
    with pytest.raises(
        pt.errors.DTypeError, match=r"^index: tensor must be a single integer; got dtype float32"
    ):
        [1][pt.asarray(0.0)]


def test_numpy_takes_tensors(rng):
    x = rng.standard_normal((3, 4)).astype("float32")
    t = pt.asarray(x)
    assert np.array_equal(np.asarray(t), x)
    assert np.asarray(t, dtype="float64").dtype == np.float64
    assert np.array_equal(np.concatenate([x, t]), np.concatenate([x, x]))


def test_read_values_are_copies(rng):
    t = pt.asarray(np.zeros(3, "float32")) + 0
    t.numpy()[0] = 7
    assert t.tolist() == [0, 0, 0]
    source = np.zeros(3, "float32")
    u = pt.asarray(source)
    source[0] = 7
    assert u.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (b"\x01\xff", np.uint8([1, 255])),
        (bytearray(b"\x01\xff"), np.uint8([1, 255])),
        (array("f", [1.5, -2]), np.float32([1.5, -2])),
        (array("d", [1.5, 1e-3]), np.float32([1.5, 1e-3])),
        (array("h", [-1, 300]), np.int16([-1, 300])),
        (array("q", [-1, 300]), np.int32([-1, 300])),
        (array("L", [1, 2**32 - 1]), np.uint32([1, 2**32 - 1])),
        (
            memoryview(array("i", range(6))).cast("B").cast("i", [2, 3]),
            np.arange(6, dtype="int32").reshape(2, 3),
        ),
        (memoryview(array("i", range(6)))[::2], np.int32([0, 2, 4])),
        (range(3), np.int32([0, 1, 2])),
        (((1, 2), [3, 4]), np.int32([[1, 2], [3, 4]])),
        ([[True, False]], np.bool_([[True, False]])),
        ([1, 2.5, True], np.float32([1, 2.5, 1])),
        ([True, 2], np.int32([1, 2])),
        ([], np.float32([])),
        ([[], []], np.zeros((2, 0), "float32")),
        (1.5, np.float32(1.5)),
        (True, np.bool_(True)),
        ([np.float32(1.5), np.int8(2)], np.float32([1.5, 2])),
        (np.float64([1.1, 1e-50, 1e300]), np.float32([1.1, 0, np.inf])),
        (np.int64([[1, -(2**31)]]), np.int32([[1, -(2**31)]])),
        (np.uint64([2**32 - 1]), np.uint32([2**32 - 1])),
        (
            np.arange(12.0).reshape(3, 4)[::2, ::-1].T,
            np.float32(np.arange(12.0).reshape(3, 4)[::2, ::-1].T),
        ),
        (
            np.asfortranarray(np.arange(6, dtype="int16").reshape(2, 3)),
            np.arange(6, dtype="int16").reshape(2, 3),
        ),
        (np.arange(3, dtype=">i4"), np.arange(3, dtype="int32")),
        (np.float32(2.5), np.float32(2.5)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_inputs(given, expected):
    assert_bits(pt.asarray(given), expected)


def test_lists_of_tensors():
    x = pt.asarray(1.0)
    assert_values(pt.asarray([[x, 2.0], [3, x]]), np.float32([[1, 2], [3, 1]]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtype_argument_is_used(dtype):
    for given in ([0, 1, 3], np.int64([0, 1, 3]), array("d", [0, 1, 3]), b"\x00\x01\x03"):
        assert_bits(pt.asarray(given, dtype=dtype), np.array([0, 1, 3]).astype(dtype))


def test_floats_round_to_float32_once():
    assert pt.asarray([0.1]).tolist() == [float(np.float32(0.1))]
    assert pt.asarray([1e300, -1e300]).tolist() == [np.inf, -np.inf]
    assert pt.asarray([65520.0], dtype="float16").tolist() == [np.inf]
    assert np.isnan(pt.asarray([float("nan")]).item())


def test_asarray_of_a_tensor():
    x = pt.asarray([1.0])
    assert pt.asarray(x) is x
    assert pt.asarray(x, copy=True) is not x
    assert pt.asarray(x, dtype="int32").dtype == "int32"


def test_repr(backend_name):
    x = pt.asarray([[1.0, 2.5], [-3.0, float("nan")]])
    assert repr(x) == (
        "tensor([[ 1., 2.5],\n        [-3., nan]], shape=(2, 2), dtype=float32, "
        f"backend={backend_name})"
    )
    assert repr(pt.zeros(2000)).startswith("tensor([0., 0., 0., ..., 0., 0., 0.], shape=(2000,)")
    assert len(repr(pt.zeros((100, 100, 10)))) < 3000


def test_repr_of_a_number_is_short():
    numbers = [pt.asarray(3), pt.asarray(True), *pt.asarray([1, -0.1], dtype="float16")]
    assert repr(numbers) == (
        "[tensor(3, dtype=int32), tensor(True, dtype=bool), "
        "tensor(1.0, dtype=float16), tensor(-0.1, dtype=float16)]"
    )
    assert repr(pt.asarray(1 - 2j)) == "tensor(1.-2.j, dtype=complex64)"


def test_tables_of_more_than_2048_rows_of_texels(rng):
    shape = (16_411, 1023)
    codes = rng.integers(0, 256, shape, dtype="uint8")
    table = pt.asarray(codes)
    rows = np.int32([0, 8_200, 16_399, 16_410])
    np.testing.assert_array_equal(pt.take(table, rows, axis=0).numpy(), codes[rows])
    sums = pt.sum(table, axis=1, dtype="int32").numpy()
    np.testing.assert_array_equal(sums, codes.sum(1, dtype="int32"))
    np.testing.assert_array_equal(table.numpy(), codes)


@pytest.mark.host
def test_textures_of_tables_are_as_wide_as_high():
    table = 300_000 * 1024
    assert texture_size(table) == (16_384, 4688)
    for largest in (2048, 4096, 8192, 16_384):
        most = most_elements(largest)
        assert most == 4 * largest**2
        assert texture_size(most) == (largest, largest)
        assert max(texture_size(most + 1)) > largest
    assert most_elements(32_768) == (1 << 31) - 1
    assert max(texture_size(most_elements(32_768))) <= 32_768


@pytest.mark.parametrize("size", [1, 5000])
@pytest.mark.parametrize("way", ["blocking", "waiting"])
def test_results_are_read_after_runs_that_follow_them(way, size):
    step = pt.jit(lambda x: (x + 1.0, x.sum()))
    before = step(pt.zeros(size))
    for number in range(1, 9):
        after = step(before[0])
        pt.realize(*after)
        if number != 5:  # a result that is not asked for
            found = [t.numpy() if way == "blocking" else finished(t.data()) for t in before]
            np.testing.assert_array_equal(found[0], np.full(size, number, "float32"))
            assert np.asarray(found[1]).item() == (number - 1) * size
        before = after
