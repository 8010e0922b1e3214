"""Trees are saved as safetensors files and loaded again, compared with the safetensors library."""

from __future__ import annotations

import json
import math
from collections import namedtuple
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
import safetensors
import safetensors.numpy as reference
from helpers import assert_bits, assert_raises, assert_spec

import py_tensor as pt
from py_tensor import errors
from py_tensor.dtypes import BY_NAME
from py_tensor.io.safetensors import SIZES

Point = namedtuple("Point", "x y")


@dataclass
class Layer:
    weight: Any
    bias: Any = None
    name: str = field(default="layer", metadata={"static": True})


def arrays(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Make an array of every dtype, of odd shapes."""
    shapes = [(2, 3), (), (5,), (0,), (1, 0, 3), (7, 1), (3,), (2, 2, 2), (4,), (3, 1)]
    return {
        f"{dtype.name} {shape}": rng.integers(0, 2 if dtype.kind == "b" else 100, shape).astype(
            dtype.name
        )
        for dtype, shape in zip(BY_NAME.values(), shapes, strict=True)
    }


def packed(header: Any, body: bytes = b"") -> bytes:
    """Build a file with this header: text, or a value for JSON."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


def entry(dtype: str, shape: Any, begin: int, end: int) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


# --- compared with the library --------------------------------------------------------------------


def test_the_library_reads_what_we_write(rng):
    expected = arrays(rng)
    seen = reference.load(pt.io.to_bytes({name: pt.asarray(x) for name, x in expected.items()}))
    assert seen.keys() == expected.keys()
    for name, x in expected.items():
        assert seen[name].dtype == x.dtype and seen[name].shape == x.shape
        np.testing.assert_array_equal(seen[name], x)


def test_we_read_what_the_library_writes(rng):
    expected = arrays(rng)
    seen = pt.io.from_bytes(reference.save(expected))
    assert seen.keys() == expected.keys()
    for name, x in expected.items():
        assert_bits(seen[name], x, what=name)


def test_bytes_equal_the_librarys(rng):
    tree = arrays(rng) | {'é\n"\\\x01': np.zeros(3, "float32")}
    tensors = {name: pt.asarray(x) for name, x in tree.items()}
    assert pt.io.to_bytes(tensors) == reference.save(tree)
    # The library writes several metadata in any order.
    metadata = {"format": "pt ☃"}
    assert pt.io.to_bytes(tensors, metadata) == reference.save(tree, metadata)
    assert pt.io.to_bytes({}) == reference.save({})


def test_both_write_dtypes_in_the_same_order():
    codes = [code for code in SIZES if code != "BF16"]
    dtypes = ["bool", "uint8", "int8", "int16", "uint16", "float16", "int32", "uint32", "float32"]
    names = dict(zip([*dtypes, "complex64", "float64", "int64", "uint64"], codes, strict=True))
    data = reference.save({name: np.zeros(1, name) for name in names})
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    assert [header[name]["dtype"] for name in header] == codes[::-1]


def test_special_values():
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 3.4e38], "float32")
    h = np.array([65504, -6e-8, np.nan, -np.inf], "float16")
    i = np.array([-(2**31), 2**31 - 1, 0, -1], "int32")
    u = np.array([2**32 - 1, 0], "uint32")
    seen = pt.io.from_bytes(reference.save({"x": x, "h": h, "i": i, "u": u}))
    for name, expected in {"x": x, "h": h, "i": i, "u": u}.items():
        assert_bits(seen[name], expected)
    again = reference.load(pt.io.to_bytes(seen))
    np.testing.assert_array_equal(again["x"].view("uint32"), x.view("uint32"))


# --- trees ----------------------------------------------------------------------------------------


def tree_of(value: float) -> Any:
    return {
        "layers": [Layer(pt.full((2, 3), value), pt.full((3,), value)), Layer(pt.ones(1) * value)],
        "point": Point(pt.full((), value), (pt.asarray([int(value)]), None)),
        3: pt.asarray([value > 1]),
    }


NAMES = [
    "layers.0.weight", "layers.0.bias", "layers.1.weight", "point.x", "point.y.0", "3",
]  # fmt: skip


def test_names_are_paths_to_leaves():
    assert sorted(pt.io.from_bytes(pt.io.to_bytes(tree_of(1.0)))) == sorted(NAMES)
    assert list(pt.io.from_bytes(pt.io.to_bytes(pt.ones(2)))) == ["tensor"]


def test_a_tree_is_loaded_back():
    saved, like = tree_of(2.0), tree_of(1.0)
    got = pt.io.from_bytes(pt.io.to_bytes(saved), like=like)
    assert pt.tree_flatten(got)[1] == pt.tree_flatten(saved)[1]
    for mine, other in zip(pt.tree_leaves(got), pt.tree_leaves(saved), strict=True):
        assert mine.tolist() == other.tolist() and mine.dtype is other.dtype
    assert like["layers"][0].weight.tolist() == [[1.0] * 3] * 2
    single = pt.io.from_bytes(pt.io.to_bytes(pt.ones(2)), like=pt.zeros(2))
    assert single.tolist() == [1.0, 1.0]


def test_computed_tensors():
    x = pt.arange(6, dtype="float32").reshape((2, 3))
    seen = reference.load(pt.io.to_bytes({"a": (x * 2 + 1).T, "b": x[1], "c": x.sum()}))
    np.testing.assert_array_equal(seen["a"], (np.arange(6).reshape(2, 3) * 2 + 1).T)
    np.testing.assert_array_equal(seen["b"], [3, 4, 5])
    assert seen["c"] == 15


def test_python_numbers_keep_full_precision():
    tree = {"step": 2**53 + 1, "rate": 0.1, "on": True, "low": -(2**63)}
    data = pt.io.to_bytes(tree)
    again = pt.io.from_bytes(data, like={"step": 0, "rate": 0.0, "on": False, "low": 0})
    assert again == tree and [type(x) for x in again.values()] == [int, float, bool, int]
    assert reference.load(data)["step"] == 2**53 + 1


def test_arrays_are_leaves():
    seen = reference.load(pt.io.to_bytes({"x": np.arange(3), "y": memoryview(b"ab")}))
    np.testing.assert_array_equal(seen["x"], [0, 1, 2])
    np.testing.assert_array_equal(seen["y"], [97, 98])


def test_shapes_and_dtypes_replace_tensors_in_like():
    data = pt.io.to_bytes({"w": pt.ones((2, 2))})
    got = pt.io.from_bytes(data, like={"w": pt.ShapeDtype((2, 2), "float16")})
    assert_bits(got["w"], np.ones((2, 2), "float16"))
    for dtype in ("float32", "float64"):
        got = pt.io.from_bytes(data, like={"w": np.zeros((2, 2), dtype)})
        assert_bits(got["w"], np.ones((2, 2), "float32"))


def test_metadata():
    data = pt.io.to_bytes(pt.ones(2), {"epoch": "3", "note": "ü"})
    assert pt.io.read_metadata(data) == {"epoch": "3", "note": "ü"}
    assert pt.io.read_metadata(pt.io.to_bytes(pt.ones(2))) == {}


def test_without_blocking():
    """The values at the call are saved, though handles are disposed and assigned meanwhile."""
    x, y = pt.ones(3) * 2, pt.zeros(2)
    coroutine = pt.io.to_bytes_async({"x": x, "y": y, "n": 1})
    expected = pt.io.to_bytes({"x": x, "y": y, "n": 1})
    with pytest.raises(StopIteration) as done:
        coroutine.send(None)
    assert done.value.value == expected


# --- other dtypes ---------------------------------------------------------------------------------


def test_every_float16_becomes_the_same_float32():
    halves = np.arange(1 << 16, dtype="uint16").view("float16")
    got = pt.io.from_bytes(reference.save({"x": halves}), {"x": pt.zeros(1 << 16)})["x"]
    np.testing.assert_array_equal(got.numpy(), halves.astype("float32"))
    assert (np.signbit(got.numpy()) == np.signbit(halves))[~np.isnan(halves)].all()


def test_bfloat16_is_exact():
    words = np.array([0, 0x8000, 0x3F80, 0xC049, 0x7F80, 0xFF80, 0x7FC0, 1, 0x7F7F], "uint16")
    data = packed({"x": entry("BF16", [3, 3], 0, 18)}, words.tobytes())
    expected = (words.astype("uint32") << 16).view("float32").reshape(3, 3)
    assert_bits(pt.io.from_bytes(data)["x"], expected)
    half = pt.io.from_bytes(data, like={"x": pt.ShapeDtype((3, 3), "float16")})["x"]
    with np.errstate(over="ignore", under="ignore"):
        assert_bits(half, expected.astype("float16"))


def test_wide_dtypes_are_narrowed():
    wide = {
        "f": np.array([[0.1, 1e300], [-1e-300, np.nan]]),
        "i": np.array([-(2**31), 2**31 - 1]),
        "u": np.array([2**32 - 1], "uint64"),
        "none": np.zeros((0, 2), "int64"),
        "zero": np.array(7.0),
    }
    seen = pt.io.from_bytes(reference.save(wide))
    with np.errstate(over="ignore", under="ignore"):
        assert_bits(seen["f"], wide["f"].astype("float32"))
    assert_bits(seen["i"], wide["i"].astype("int32"))
    assert_bits(seen["u"], wide["u"].astype("uint32"))
    assert_spec(seen["none"], (0, 2), "int32")
    assert_bits(seen["zero"], np.float32(7))


def test_dtypes_follow_like():
    saved = {"a": np.array([0.1, 70000], "float32"), "b": np.array([1, 255], "int64")}
    like = {"a": pt.zeros(2, dtype="float16"), "b": pt.zeros(2, dtype="uint8")}
    got = pt.io.from_bytes(reference.save(saved), like)
    with np.errstate(over="ignore"):
        assert_bits(got["a"], saved["a"].astype("float16"))
    assert_bits(got["b"], saved["b"].astype("uint8"))
    got = pt.io.from_bytes(reference.save({"a": np.array([0.5], "float16")}), {"a": pt.ones(1)})
    assert_bits(got["a"], np.array([0.5], "float32"))


def test_true_is_any_byte_but_zero():
    data = packed({"x": entry("BOOL", [4], 0, 4)}, bytes([0, 1, 2, 255]))
    x = pt.io.from_bytes(data)["x"]
    assert x.tolist() == [False, True, True, True]
    assert bytes(x) == bytes([0, 1, 1, 1])


# --- files ----------------------------------------------------------------------------------------


def test_files(tmp_path, rng):
    path = tmp_path / "model.safetensors"
    x = rng.normal(size=(3, 4)).astype("float32")
    for number in (1, 2):
        pt.io.save({"x": pt.asarray(x) * number}, path, {"number": str(number)})
        np.testing.assert_array_equal(reference.load_file(path)["x"], x * number)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    reference.save_file({"y": x}, path)
    assert_bits(pt.io.load(str(path))["y"], x)
    assert_bits(pt.io.load(path, like={"y": pt.zeros((3, 4))})["y"], x)


def test_a_failing_save_leaves_the_old_file(tmp_path):
    path = tmp_path / "model.safetensors"
    pt.io.save({"x": pt.ones(1)}, path)
    before = path.read_bytes()
    with pytest.raises(errors.DTypeError):
        pt.io.save({"x": pt.ones(1), "name": "relu"}, path)
    assert path.read_bytes() == before


def test_only_pages_have_storage():
    for call, text in [
        (pt.io.download({}), "download: this Python does not run in a web page; got no module "
         "js; use save and load"),
        (pt.io.upload(), "upload: this Python does not run in a web page; got no module js; "
         "use save and load"),
        (pt.io.store("a", {}), "store: this Python does not run in a web page; got no module "
         "js; use save"),
        (pt.io.restore("a"), "restore: this Python does not run in a web page; got no module "
         "js; use load"),
        (pt.io.fetch("a"), "fetch: this Python does not run in a web page; got no module js; "
         "get the file otherwise, and use load"),
    ]:  # fmt: skip
        assert_raises(errors.BackendError, text, lambda call=call: call.send(None))


# --- misuse ---------------------------------------------------------------------------------------

ONE = entry("F32", [1], 0, 4)
MALFORMED = {
    "nothing": (b"", "file is cut off; got 0 bytes; the format requires at least 8"),
    "a short file": (
        packed({"x": ONE}, bytes(4))[:30],
        "file is cut off; got 30 bytes; the format requires at least 69",
    ),
    "a short body": (
        packed({"x": ONE}, bytes(3)),
        "file is cut off; got 72 bytes; the format requires 73",
    ),
    "a long body": (
        packed({"x": ONE}, bytes(5)),
        "file continues after its last tensor; got 74 bytes; the format requires 73",
    ),
    "another file": (
        packed(b"PK\x03\x04 and so on"),
        "header does not begin with {; got b'PK\\x03\\x04 and so on'",
    ),
    "no JSON": (
        packed(b"{'x': 1}"),
        "header is not JSON; got Expecting property name enclosed in double quotes: line 1 column "
        "2 (char 1)",
    ),
    "no UTF-8": (
        packed(b'{"\xff": 1}'),
        "header is not JSON; got 'utf-8' codec can't decode byte 0xff in position 2: invalid "
        "start byte",
    ),
    "a name twice": (
        packed(b'{"x": {"dtype":"F32","shape":[1],"data_offsets":[0,4]},'
               b' "x": {"dtype":"F32","shape":[1],"data_offsets":[0,4]}}', bytes(4)),
        "name occurs twice; got 'x'",
    ),
    "metadata twice": (
        packed(b'{"__metadata__": {}, "__metadata__": {}}'),
        "name occurs twice; got '__metadata__'",
    ),
    "an overlap": (
        packed({"x": entry("F32", [2], 0, 8), "y": entry("F32", [2], 4, 12)}, bytes(12)),
        'tensors overlap; got byte 4 as the start of "y"; the format requires 8',
    ),
    "a gap": (
        packed({"x": ONE, "y": entry("F32", [1], 8, 12)}, bytes(12)),
        'tensors leave a gap; got byte 8 as the start of "y"; the format requires 4',
    ),
    "a gap in front": (
        packed({"x": entry("F32", [1], 4, 8)}, bytes(8)),
        'tensors leave a gap; got byte 4 as the start of "x"; the format requires 0',
    ),
    "a wrong size": (
        packed({"x": entry("F32", [3], 0, 8)}, bytes(8)),
        'size of "x" does not fit its shape; got 8 bytes for F32 of shape (3,); the format '
        'requires 12',
    ),
    "a huge shape": (
        packed({"x": entry("F32", [2**62, 2**62, 0, 4], 0, 4)}, bytes(4)),
        f'size of "x" does not fit its shape; got 4 bytes for F32 of shape ({2**62}, {2**62}, 0, '
        '4); the format requires 0',
    ),
    "an end before its begin": (
        packed({"x": entry("F32", [0], 0, 4), "y": entry("F32", [0], 4, 0)}, bytes(4)),
        'size of "x" does not fit its shape; got 4 bytes for F32 of shape (0,); the format '
        'requires 0',
    ),
    "a negative length": (
        packed({"x": entry("F32", [-1, -1], 0, 4)}, bytes(4)),
        'shape of "x" must be non-negative integers; got [-1, -1]',
    ),
    "a length that is no integer": (
        packed({"x": entry("F32", [1.0], 0, 4)}, bytes(4)),
        'shape of "x" must be non-negative integers; got [1.0]',
    ),
    "three offsets": (
        packed({"x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4, 8]}}, bytes(4)),
        'data_offsets of "x" must be non-negative integers; got [0, 4, 8]',
    ),
    "no shape": (
        packed({"x": {"dtype": "F32", "data_offsets": [0, 4]}}, bytes(4)),
        "\"x\" lacks dtype, shape or data_offsets; got {'dtype': 'F32', 'data_offsets': [0, 4]}",
    ),
    "no tensor": (packed({"x": 3}), '"x" lacks dtype, shape or data_offsets; got 3'),
    "metadata of numbers": (
        packed({"__metadata__": {"epoch": 3}}),
        "metadata must map str to str; got {'epoch': 3}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_files(name):
    data, wrong = MALFORMED[name]
    text = f"from_bytes: not a valid safetensors file: {wrong}; download or save the file again"
    assert_raises(errors.FormatError, text, lambda: pt.io.from_bytes(data))
    if name not in TAKEN_BY_THE_LIBRARY:
        with pytest.raises(safetensors.SafetensorError):
            reference.load(data)


TAKEN_BY_THE_LIBRARY = {"a name twice"}
"""The format forbids it; the library takes the last."""


@pytest.mark.parametrize(
    "data", [b"PK\x03\x04\x14\0\0\0\0\0", b"\x93NUMPY\x01\0v\0", b"a,b\n1,2\n3,4\n"]
)
def test_a_file_of_another_format_is_refused(data: bytes) -> None:
    text = (
        f"from_bytes: not a safetensors file; got {data[:8]!r} as its first bytes; read arrays of "
        "NumPy with pt.load, tables with pt.data.csv, and models with pt.models.load"
    )
    assert_raises(errors.FormatError, text, lambda: pt.io.from_bytes(data))
    with pytest.raises(safetensors.SafetensorError):
        reference.load(data)


def test_deep_headers_are_refused():
    data = packed(b'{"x":' + b"[" * 200_000)
    with pytest.raises(errors.FormatError, match="header is not JSON"):
        pt.io.from_bytes(data)


def test_every_truncation_is_noticed(rng):
    data = pt.io.to_bytes({"x": pt.ones((2, 2)), "y": pt.zeros(3, dtype="int8")})
    for end in range(len(data)):
        with pytest.raises(errors.FormatError):
            pt.io.from_bytes(data[:end])


@pytest.mark.parametrize("seed", range(20))
def test_damaged_files_raise_documented_errors_only(seed):
    """Change bytes of the header: reading returns tensors or reports the problem."""
    rng = np.random.default_rng(seed)
    data = reference.save({"a.b": np.arange(4, dtype="float32"), "c": np.ones((2, 3), "int8")})
    for _ in range(50):
        damaged = bytearray(data)
        for position in rng.integers(0, len(data) - 22, rng.integers(1, 4)):
            damaged[position] = rng.integers(32, 127)
        try:
            theirs: Any = reference.load(bytes(damaged))
        except Exception:
            theirs = None
        try:
            ours = pt.io.from_bytes(damaged)
        except errors.TensorError:
            assert theirs is None, bytes(damaged)
        else:
            assert theirs is not None and ours.keys() == theirs.keys(), bytes(damaged)


MISTAKES = {
    "a leaf of text": (
        errors.DTypeError,
        lambda: pt.io.to_bytes({"layers": [{"activation": "relu"}]}),
        "to_bytes: \"layers.0.activation\": cannot convert str to a tensor; got 'relu'; pass "
        "numbers, nested lists, a buffer or a NumPy array",
    ),
    "two leaves of one name": (
        errors.ArgumentError,
        lambda: pt.io.to_bytes({"a.b": pt.ones(1), "a": {"b": pt.ones(1)}}),
        "to_bytes: two leaves have the same name; got 'a.b' twice; rename a dict key",
    ),
    "the name of the metadata": (
        errors.ArgumentError,
        lambda: pt.io.to_bytes({"__metadata__": pt.ones(1)}),
        "to_bytes: name is reserved by the format; got '__metadata__'; rename the tensor",
    ),
    "metadata of numbers": (
        errors.ArgumentError,
        lambda: pt.io.to_bytes(pt.ones(1), {"epoch": 3}),
        "to_bytes: metadata must map str to str; got {'epoch': 3}; pass a dict of str to str",
    ),
    "an integer of 65 bits": (
        errors.DTypeError,
        lambda: pt.io.to_bytes({"n": 2**64}),
        f'to_bytes: integer needs more than 64 bits; got {2**64} at "n"; save it as text in the '
        "metadata",
    ),
    "names": (
        errors.ArgumentError,
        lambda: pt.io.from_bytes(
            pt.io.to_bytes({c: pt.ones(1) for c in "abcdefg"}), like={"a": pt.ones(1), "z": 1}
        ),
        "from_bytes: names in like and in the file differ; got 'z' in like only and 'b', 'c', "
        "'d', 'e', 'f', ... (6) in the file only; load without like to see the file's names",
    ),
    "a name too many": (
        errors.ArgumentError,
        lambda: pt.io.from_bytes(pt.io.to_bytes([1, 2]), like=[1]),
        "from_bytes: names in like and in the file differ; got none in like only and '1' in the "
        "file only; load without like to see the file's names",
    ),
    "shapes": (
        errors.ShapeError,
        lambda: pt.io.from_bytes(
            pt.io.to_bytes({"w": pt.ones((2, 3))}), like={"w": pt.ones((3, 2))}
        ),
        'from_bytes: shapes of "w" differ; got (2, 3) in the file for (3, 2); load it into the '
        "tree it was saved from, or without like",
    ),
    "kinds": (
        errors.DTypeError,
        lambda: pt.io.from_bytes(
            pt.io.to_bytes({"w": pt.ones(2)}), like={"w": pt.ones(2, dtype="int32")}
        ),
        'from_bytes: dtypes of "w" differ in kind; got F32 in the file for int32; load without '
        "like and convert with astype",
    ),
    "a text in like": (
        errors.DTypeError,
        lambda: pt.io.from_bytes(pt.io.to_bytes({"n": 1}), like={"n": "one"}),
        'from_bytes: leaves of like must be tensors, numbers or pt.ShapeDtype; got str at "n"; '
        "replace it",
    ),
    "an unknown dtype in like": (
        errors.DTypeError,
        lambda: pt.io.from_bytes(pt.io.to_bytes({"n": np.ones(1)}), {"n": np.array(["text"])}),
        "from_bytes: \"n\": unknown dtype; got dtype('<U4'); use one of float32, float16, int32, "
        "uint32, int16, uint16, int8, uint8, bool, complex64",
    ),
    "a tensor for a number": (
        errors.DTypeError,
        lambda: pt.io.from_bytes(pt.io.to_bytes({"n": pt.ones(2)}), like={"n": 1.0}),
        'from_bytes: "n" is not a single float; got F32 of shape (2,) in the file; load without '
        "like",
    ),
    "int64 beyond int32": (
        errors.DTypeError,
        lambda: pt.io.from_bytes(reference.save({"ids": np.array([1, 2**31])})),
        'from_bytes: "ids": value does not fit dtype int32; got 2147483648 at index (1,); int32 '
        "holds -2147483648 to 2147483647",
    ),
    "an unknown dtype": (
        errors.FormatError,
        lambda: pt.io.from_bytes(packed({"x": entry("F8_E4M3", [1], 0, 1)}, bytes(1))),
        "from_bytes: dtype of \"x\" is not supported; got 'F8_E4M3'; convert it to one of BOOL, "
        "U8, I8, I16, U16, F16, BF16, I32, U32, F32, C64, F64, I64, U64",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_misuse(name):
    error, call, text = MISTAKES[name]
    assert_raises(error, text, call)


def test_nan_converts_to_floats_only():
    [value] = pt.io.from_bytes(pt.io.to_bytes([math.nan]), like=[0.0])
    assert math.isnan(value)
