"""NumPy reads the files that are written here, and the other way round; numbers as text."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors

DTYPES = ["float32", "float16", "int32", "uint32", "int16", "uint16", "int8", "uint8", "bool"]


def written(function, *args, **kwargs):
    file = io.BytesIO()
    function(file, *args, **kwargs)
    return io.BytesIO(file.getvalue())


@pytest.mark.parametrize("dtype", [*DTYPES, "complex64"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 2)])
def test_arrays(dtype, shape, rng):
    x = (rng.integers(0, 2, shape) + 0).astype(dtype)
    back = np.load(written(pt.save, pt.asarray(x)))
    np.testing.assert_array_equal(back, x)
    assert back.dtype == x.dtype
    assert_values(pt.load(written(np.save, x)), x)


def test_arrays_of_other_formats(rng):
    x = rng.normal(size=(3, 4))
    for other in (x, x.astype(">f4"), x.astype(">f8"), np.asfortranarray(x.astype("float32"))):
        assert_values(pt.load(written(np.save, other)), x.astype("float32"))
    assert_values(pt.load(written(np.save, x + 1j)), (x + 1j).astype("complex64"))
    whole = np.arange(5) - 2
    for other in (whole, whole.astype(">i2"), whole.astype(">i8")):
        narrow = "int16" if other.itemsize == 2 else "int32"
        assert_values(pt.load(written(np.save, other)), whole.astype(narrow))


@pytest.mark.parametrize("name", ["savez", "savez_compressed"])
def test_archives(name, tmp_path):
    x = np.arange(6, dtype="float32").reshape(2, 3)
    getattr(pt, name)(tmp_path / "here", pt.asarray(x), y=[1, 2])
    with np.load(tmp_path / "here.npz") as archive:
        np.testing.assert_array_equal(archive["arr_0"], x)
        np.testing.assert_array_equal(archive["y"], [1, 2])
    getattr(np, name)(tmp_path / "there.npz", x, y=[1, 2])
    with pt.load(tmp_path / "there.npz") as archive:
        assert sorted(archive) == sorted(archive.files) == ["arr_0", "y"]
        assert_values(archive["arr_0"], x)
        assert archive["y"].tolist() == [1, 2]
        with pytest.raises(KeyError, match="z is not a file"):
            archive["z"]
    assert_raises(
        errors.ArgumentError,
        "savez: name given twice; got arr_0",
        lambda: pt.savez(io.BytesIO(), [1], arr_0=[2]),
    )


def archive_of(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return file.getvalue()


def test_arrays_of_archives_are_bounded():
    zeros = written(np.save, np.zeros(300 << 20, "uint8")).getvalue()
    data = archive_of(large=zeros, small=written(np.save, np.ones(2, "int8")).getvalue())
    assert len(data) < 1 << 20
    archive = pt.load(io.BytesIO(data))
    assert archive["small"].tolist() == [1, 1]
    assert_raises(
        errors.FormatError,
        "load: array large is larger than allowed; got more than 268435456 bytes; pass max_bytes "
        "if you trust the file",
        lambda: archive["large"],
    )
    small = pt.load(io.BytesIO(data), max_bytes=100)
    with pytest.raises(errors.FormatError, match="array small is larger than allowed"):
        small["small"]


def test_damaged_archives():
    plain = written(np.save, np.arange(4, dtype="int32")).getvalue()
    data = archive_of(x=plain)
    with pytest.raises(errors.FormatError, match="load: archive cannot be read"):
        pt.load(io.BytesIO(data[: len(data) // 2]))
    broken = bytearray(data)
    broken[60] ^= 255
    archive = pt.load(io.BytesIO(bytes(broken)))
    with pytest.raises(errors.FormatError, match="load: archive cannot be read"):
        archive["x"]
    with pytest.warns(UserWarning, match="Duplicate name"):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as twice:
            twice.writestr("x.npy", plain)
            twice.writestr("x.npy", plain)
    assert_raises(
        errors.FormatError,
        "load: names in the archive are not unique; got x twice; save the file again",
        lambda: pt.load(io.BytesIO(file.getvalue())),
    )
    archive = pt.load(io.BytesIO(archive_of(x=plain + b"more")))
    assert_raises(
        errors.FormatError,
        "load: header promises less than the file holds; got 20 bytes for shape (4,); "
        "save the file again",
        lambda: archive["x"],
    )
    version = bytearray(plain)
    version[6] = 9
    assert_raises(
        errors.FormatError,
        "load: version of the format is not known; got 9.0; save as version 1",
        lambda: pt.load(io.BytesIO(bytes(version))),
    )


def test_bytes_of_bool_become_0_or_1():
    data = bytearray(written(np.save, np.array([True, True, False])).getvalue())
    data[-3] = 255
    for x in (pt.load(io.BytesIO(bytes(data))), pt.frombuffer(b"\xff\x01\x00", "bool")):
        assert bytes(x) == b"\x01\x01\x00"
        assert (~x).tolist() == [False, False, True]


def test_damaged_files():
    data = written(np.save, np.ones(4, "float32")).getvalue()
    assert_raises(
        errors.FormatError,
        "load: not a file of NumPy; got b'text' as its first bytes; read tables with pt.data.csv "
        "or pt.data.parquet, and safetensors with pt.io.load",
        lambda: pt.load(io.BytesIO(b"text")),
    )
    assert_raises(
        errors.FormatError,
        "load: file is cut off; got 12 bytes for shape (4,); get it again",
        lambda: pt.load(io.BytesIO(data[:-4])),
    )
    assert_raises(
        errors.DTypeError,
        "load: dtype is not supported; got |S3; convert it before saving",
        lambda: pt.load(written(np.save, np.array([b"abc"]))),
    )


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"fmt": "%.3f", "delimiter": ","},
        {"fmt": "%d %.2f %g", "header": "a\nb", "footer": "c"},
        {"fmt": ["%d", "%.1f", "%e"], "comments": "% ", "header": "x"},
    ],
)
def test_tables_are_written(options):
    x = np.array([[1.5, -2.25, 3.0], [4.0, 5.5, 1e6]], "float32")
    expected, got = io.StringIO(), io.StringIO()
    np.savetxt(expected, x, **options)
    pt.savetxt(got, pt.asarray(x), **options)
    assert got.getvalue() == expected.getvalue()


LINES = ["# head", "1 2.5 3", "", "4 5 6e2  # end", "7 8 9"]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"usecols": (0, 2)},
        {"usecols": 1},
        {"skiprows": 2},
        {"max_rows": 1},
        {"max_rows": 1, "ndmin": 2},
        {"unpack": True},
        {"converters": {1: lambda text: float(text) + 1}},
    ],
)
def test_tables_are_read(options):
    expected = np.loadtxt(LINES, dtype="float32", **options)
    assert_values(pt.loadtxt(LINES, **options), expected)


def test_tables_with_gaps(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b,c\n1,,3\n4,x,NA\n")
    options = {"delimiter": ",", "skip_header": 1, "missing_values": "NA"}
    expected = np.genfromtxt(path, dtype="float32", **options)
    assert_values(pt.genfromtxt(path, **options), expected)
    whole = pt.genfromtxt(path, "int32", **options, filling_values=7)
    assert whole.tolist() == [[1, 7, 3], [4, 7, 7]]
    assert_raises(
        errors.ShapeError,
        "loadtxt: rows differ in length; got [1, 2] columns; use usecols",
        lambda: pt.loadtxt(["1 2", "3"]),
    )


def test_raw_bytes(tmp_path):
    x = np.arange(5, dtype="int16")
    x.tofile(tmp_path / "raw")
    assert_values(pt.fromfile(tmp_path / "raw", "int16"), x)
    assert_values(pt.fromfile(tmp_path / "raw", "int16", 2, offset=4), x[2:4])
    (tmp_path / "text").write_text("1,2,3")
    assert pt.fromfile(tmp_path / "text", "int32", sep=",").tolist() == [1, 2, 3]
    assert pt.asarray(x).tobytes() == x.tobytes()


def test_options_of_printing():
    x = pt.asarray([1.23456, 2.0])
    assert pt.array2string(x) == pt.array_str(x) == "[1.2346,     2.]"
    assert pt.array_repr(x) == repr(x)
    before = pt.get_printoptions()
    with pt.printoptions(precision=1, threshold=4, edgeitems=1) as options:
        assert options == before | {"precision": 1, "threshold": 4, "edgeitems": 1}
        assert pt.array_str(x) == "[1.2,  2.]"
        assert pt.array_str(pt.arange(6)) == "[0, ..., 5]"
    assert pt.get_printoptions() == before
    pt.set_printoptions(edgeitems=2)
    pt.set_printoptions(**before)
    assert pt.get_printoptions() == before


def test_settings_without_effect():
    with pt.errstate(divide="raise"):
        assert (pt.asarray(1.0) / 0.0).item() == float("inf")
    assert pt.seterr(all="raise") == pt.geterr()
