"""NumPy's files: .npy, .npz, raw bytes and text tables.

Numbers of 64 bits are converted to 32 bits. Pickled objects are not read.
"""

from __future__ import annotations

import ast
import io
import math
import zipfile
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO, Any

from .. import functions as F
from ..dtypes import BY_NAME, as_dtype, wrong_type
from ..errors import ArgumentError, DTypeError, FormatError, ShapeError
from ..functions.arguments import flag, function_of, integer, items
from ..functions.decorators import named
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, DTypeLike
from .grids import frombuffer, fromstring

type FileLike = str | PathLike[str] | IO[Any]
"""Path of a file, or a file that is open."""

_MAGIC = b"\x93NUMPY"
_CODES = {"f": "f", "i": "i", "u": "u", "b": "b", "c": "c"}
_DESCRIPTIONS = {
    name: f"{'|' if dtype.itemsize == 1 else '<'}{_CODES[dtype.kind]}{dtype.itemsize}"
    for name, dtype in BY_NAME.items()
}
_NAMES = {text[1:]: name for name, text in _DESCRIPTIONS.items()}
_WIDE = {"f8": "d", "i8": "q", "u8": "Q", "c16": "d"}
"""Formats of `array` of elements that are converted."""

_INFLATED = 1 << 28
_RATIO = 20
"""Bytes that an array of an archive may always have, and a multiple of the archive's size."""


def _npy(arr: Any) -> bytes:
    x = as_tensor("save", arr)
    header = repr(
        {"descr": _DESCRIPTIONS[x.dtype.name], "fortran_order": False, "shape": x.shape}
    ).encode()
    padding = -(len(_MAGIC) + 4 + len(header) + 1) % 64
    header += b" " * padding + b"\n"
    return _MAGIC + b"\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(x)


def _of_npy(data: bytes, *, whole: bool = False) -> Tensor:
    """Decode the bytes of a .npy file; with `whole`, bytes after the array are refused."""
    if data[:6] != _MAGIC or len(data) < 10:
        raise FormatError(
            f"load: not a file of NumPy; got {data[:12]!r} as its first bytes; read tables with "
            "pt.data.csv or pt.data.parquet, and safetensors with pt.io.load"
        )
    if data[6] not in (1, 2, 3):
        raise FormatError(
            f"load: version of the format is not known; got {data[6]}.{data[7]}; save as version 1"
        )
    start = 8 + (2 if data[6] == 1 else 4)
    end = start + int.from_bytes(data[8:start], "little")
    try:
        header = ast.literal_eval(data[start:end].decode("latin1"))
        shape, descr = tuple(header["shape"]), header["descr"]
        fortran, kind = header["fortran_order"], descr[1:]
    except (ValueError, SyntaxError, TypeError, KeyError):
        raise FormatError(
            f"load: header cannot be read; got {data[start:end]!r:.60}; save the file again"
        ) from None
    if kind not in _NAMES and kind not in _WIDE:
        raise DTypeError(f"load: dtype is not supported; got {descr}; convert it before saving")
    size = int(kind[1:])
    length = math.prod(shape) * size
    body = data[end : end + length]
    if whole and len(data) > end + length:
        raise FormatError(
            f"load: header promises less than the file holds; got {len(data) - end} bytes for "
            f"shape {shape}; save the file again"
        )
    if len(body) < length:
        raise FormatError(
            f"load: file is cut off; got {len(body)} bytes for shape {shape}; get it again"
        )
    if descr[0] == ">":
        part = size // 2 if kind[0] == "c" else size
        words = array({1: "B", 2: "H", 4: "I", 8: "Q"}[part], body)
        words.byteswap()
        body = words.tobytes()
    if kind in _WIDE:
        numbers = array(_WIDE[kind], body)
        flat = F.asarray(numbers) if len(numbers) else F.zeros(0, dtype=_NARROW[kind])
        if kind == "c16":
            pairs = F.reshape(flat, (-1, 2))
            flat = F.complex(pairs[:, 0], pairs[:, 1])
    else:
        flat = frombuffer(body, _NAMES[kind])
    if fortran:
        return F.transpose(F.reshape(flat, shape[::-1]))
    return F.reshape(flat, shape)


def _path(operation: str, file: Any) -> Path:
    if not isinstance(file, str | PathLike):
        raise wrong_type(operation, "file", "a path or a file", file)
    return Path(file)


def _content(operation: str, file: Any) -> bytes:
    """Return the bytes of a path or a binary file object."""
    data = file.read() if hasattr(file, "read") else _path(operation, file).read_bytes()
    if not isinstance(data, bytes):
        raise wrong_type(operation, "file", "a binary file", data)
    return data


_NARROW = {"f8": "float32", "i8": "int32", "u8": "uint32", "c16": "float32"}


def _target(operation: str, file: Any, suffix: str) -> Any:
    """Return a path with the suffix, or a file object itself."""
    if hasattr(file, "write"):
        return file
    path = _path(operation, file)
    return path if path.name.endswith(suffix) else path.with_name(path.name + suffix)


def save(file: FileLike, arr: ArrayLike) -> None:
    """Write an array to a .npy file.

    Args:
        file: Path, to which .npy is added, or a binary file object.
        arr: Tensor or array-like.

    Raises:
        OSError: If the file cannot be written.

    >>> import py_tensor as pt, io
    >>> file = io.BytesIO()
    >>> pt.save(file, [1, 2])
    >>> pt.load(io.BytesIO(file.getvalue())).tolist()
    [1, 2]
    """
    target = _target("save", file, ".npy")
    if isinstance(target, Path):
        target.write_bytes(_npy(arr))
    else:
        target.write(_npy(arr))


def _save_archive(
    operation: str, file: Any, args: Any, kwds: Mapping[str, Any], compression: int
) -> None:
    arrays = {f"arr_{at}": arr for at, arr in enumerate(args)}
    twice = arrays.keys() & kwds.keys()
    if twice:
        raise ArgumentError(f"{operation}: name given twice; got {', '.join(sorted(twice))}")
    with zipfile.ZipFile(_target(operation, file, ".npz"), "w", compression) as archive:
        for name, arr in (arrays | dict(kwds)).items():
            archive.writestr(f"{name}.npy", _npy(arr))


@named
def savez(file: FileLike, *args: ArrayLike, **kwds: ArrayLike) -> None:
    """Write several arrays to a .npz file.

    Args:
        file: Path, to which .npz is added, or a binary file object.
        args: Arrays, which are named arr_0, arr_1 and so on.
        kwds: Arrays by name.

    Raises:
        ArgumentError: If a name is given twice.
        OSError: If the file cannot be written.

    >>> import py_tensor as pt, io
    >>> file = io.BytesIO()
    >>> pt.savez(file, x=[1, 2])
    >>> pt.load(io.BytesIO(file.getvalue()))["x"].tolist()
    [1, 2]
    """
    _save_archive("savez", file, args, kwds, zipfile.ZIP_STORED)


@named
def savez_compressed(file: FileLike, *args: ArrayLike, **kwds: ArrayLike) -> None:
    """Write several arrays to a compressed .npz file.

    Args:
        file: Path, to which .npz is added, or a binary file object.
        args: Arrays, which are named arr_0, arr_1 and so on.
        kwds: Arrays by name.

    Raises:
        ArgumentError: If a name is given twice.
        OSError: If the file cannot be written.

    >>> import py_tensor as pt, io
    >>> file = io.BytesIO()
    >>> pt.savez_compressed(file, pt.zeros(1000))
    >>> len(file.getvalue()) < 1000
    True
    """
    _save_archive("savez_compressed", file, args, kwds, zipfile.ZIP_DEFLATED)


@contextmanager
def _archive_errors() -> Iterator[None]:
    """Raise FormatError for what is wrong with a zip file."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise FormatError(
            f"load: archive cannot be read; got {error!s:.80}; get the file again"
        ) from None


class NpzFile(Mapping[str, Tensor]):
    """Arrays of a .npz file by name, each read when it is looked up."""

    def __init__(self, file: IO[bytes], limit: int) -> None:
        self._limit = limit
        with _archive_errors():
            self._archive = zipfile.ZipFile(file)
        members = self._archive.namelist()
        self.files = [name.removesuffix(".npy") for name in members]
        self._members = dict(zip(self.files, members, strict=True))
        twice = sorted(name for name, count in Counter(self.files).items() if count > 1)
        if twice:
            raise FormatError(
                f"load: names in the archive are not unique; got {', '.join(twice)} twice; "
                "save the file again"
            )

    def __getitem__(self, name: str) -> Tensor:
        if name not in self._members:
            raise KeyError(f"{name} is not a file in the archive; it has {self.files}")
        with _archive_errors(), self._archive.open(self._members[name]) as member:
            data = member.read(self._limit + 1)
        if len(data) > self._limit:
            raise FormatError(
                f"load: array {name} is larger than allowed; got more than {self._limit} bytes; "
                "pass max_bytes if you trust the file"
            )
        return _of_npy(data, whole=True)

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def close(self) -> None:
        """Close the file."""
        self._archive.close()

    def __enter__(self) -> NpzFile:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


@named
def load(file: FileLike, *, max_bytes: int | None = None) -> Any:
    """Read a .npy or .npz file.

    Args:
        file: Path or binary file object.
        max_bytes: Bytes that each array of a .npz file may have when it is decompressed; None
            (default) for 20 times the size of the file, and at least 256 MiB.

    Returns:
        Tensor, or a mapping of names to tensors for .npz; it is also a context manager.

    Raises:
        FormatError: If the file is of another format or damaged, or an array is too large.
        DTypeError: If a dtype is not supported, for example pickled objects.
        OSError: If the file cannot be read.

    >>> import py_tensor as pt, io
    >>> file = io.BytesIO()
    >>> pt.save(file, pt.ones((2, 2)))
    >>> pt.load(io.BytesIO(file.getvalue())).shape
    (2, 2)
    """
    data = _content("load", file)
    if data[:4] not in (b"PK\x03\x04", b"PK\x05\x06"):
        return _of_npy(data)
    if max_bytes is None:
        max_bytes = max(_INFLATED, _RATIO * len(data))
    return NpzFile(io.BytesIO(data), integer("load", "max_bytes", max_bytes, 0))


@named
def fromfile(
    file: FileLike, dtype: DTypeLike = "float32", count: int = -1, sep: str = "", offset: int = 0
) -> Tensor:
    """Read a vector from a file of raw bytes, or of text.

    Args:
        file: Path or binary file object.
        dtype: Dtype of the elements; float32 by default.
        count: Number of elements; -1 (default) for all.
        sep: Separator of a text file; "" (default) for raw bytes.
        offset: Position of the first byte; 0 by default.

    Returns:
        Vector.

    Raises:
        ShapeError: If the file is too short.
        OSError: If the file cannot be read.

    >>> import py_tensor as pt, io
    >>> pt.fromfile(io.BytesIO(bytes([1, 2, 3])), "uint8").tolist()
    [1, 2, 3]
    """
    data = _content("fromfile", file)
    offset = integer("fromfile", "offset", offset, 0)
    if not isinstance(sep, str):
        raise wrong_type("fromfile", "sep", "text", sep)
    if sep:
        return fromstring(data[offset:].decode(), dtype, count, sep=sep)
    return frombuffer(data, dtype, count, offset)


def savetxt(
    fname: FileLike,
    X: ArrayLike,
    fmt: str | Sequence[str] = "%.18e",
    delimiter: str = " ",
    newline: str = "\n",
    header: str = "",
    footer: str = "",
    comments: str = "# ",
    encoding: str | None = None,
) -> None:
    """Write a vector or matrix to a text file, one row per line.

    Args:
        fname: Path or file object, text or binary.
        X: Tensor or array-like of one or two axes.
        fmt: Format of a number, of a row, or a sequence of one for each column.
        delimiter: Text between columns; a space by default.
        newline: Text between rows; a line break by default.
        header: Text of first lines; "" (default) for none.
        footer: Text of last lines; "" (default) for none.
        comments: Text in front of header and footer lines.
        encoding: Encoding of the file; None (default) for latin1.

    Raises:
        ShapeError: If X has more than two axes, or the formats do not fit.

    >>> import py_tensor as pt, io
    >>> file = io.StringIO()
    >>> pt.savetxt(file, [[1, 2], [3, 4]], fmt="%d", delimiter=",")
    >>> file.getvalue()
    '1,2\\n3,4\\n'
    """
    x = as_tensor("savetxt", X)
    if not 1 <= x.ndim <= 2:
        raise ShapeError(f"savetxt: needs one or two axes; got shape {x.shape}; reshape it first")
    rows = x.tolist() if x.ndim == 2 else [[value] for value in x.tolist()]
    width = x.shape[1] if x.ndim == 2 else 1
    texts = {"delimiter": delimiter, "newline": newline, "header": header, "footer": footer}
    for name, value in {**texts, "comments": comments}.items():
        if not isinstance(value, str):
            raise wrong_type("savetxt", name, "text", value)
    if not isinstance(fmt, str):
        fmt = items("savetxt", "fmt", fmt)
        if len(fmt) != width or not all(isinstance(one, str) for one in fmt):
            raise ShapeError(f"savetxt: formats do not fit; got {len(fmt)} for {width} columns")
        line = delimiter.join(fmt)
    else:
        line = fmt if fmt.count("%") > 1 else delimiter.join([fmt] * width)
    parts = [comments + header.replace("\n", "\n" + comments) + newline] if header else []
    try:
        parts += [line % tuple(row) + newline for row in rows]
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"savetxt: format does not fit; got {line!r:.60}; {error}; use for example '%.6g'"
        ) from None
    parts += [comments + footer.replace("\n", "\n" + comments) + newline] if footer else []
    text = "".join(parts)
    if not hasattr(fname, "write"):
        _path("savetxt", fname).write_text(text, encoding or "latin1", newline="")
    elif isinstance(fname, io.TextIOBase):
        fname.write(text)
    else:
        fname.write(text.encode(encoding or "latin1"))


def _lines(
    operation: str, fname: str | PathLike[str] | Iterable[Any], encoding: str | None
) -> list[str]:
    if isinstance(fname, str | PathLike):
        return Path(fname).read_text(encoding or "utf-8").splitlines()
    lines = items(operation, "fname", fname)
    if not all(isinstance(line, str | bytes) for line in lines):
        raise wrong_type(operation, "fname", "a path, a file or lines of text", fname)
    return [
        (line.decode(encoding or "utf-8") if isinstance(line, bytes) else line).rstrip("\r\n")
        for line in lines
    ]


def _texts(operation: str, name: str, value: Any) -> list[str]:
    """Return a text, or several, as a list; raise ArgumentTypeError for other values."""
    texts = (
        [value]
        if isinstance(value, str)
        else items(operation, name, () if value is None else value)
    )
    if not all(isinstance(text, str) and text for text in texts):
        raise wrong_type(operation, name, "text", value)
    return list(texts)


def _rows(
    operation: str,
    lines: list[str],
    comments: Any,
    delimiter: str | None,
    usecols: Any,
    limit: int | None,
) -> list[list[str]]:
    marks = _texts(operation, "comments", comments)
    if delimiter is not None:
        (delimiter,) = _texts(operation, "delimiter", delimiter)[:1]
    if usecols is not None:
        single = isinstance(usecols, int)
        columns = (usecols,) if single else items(operation, "usecols", usecols)
        usecols = [integer(operation, "column", at) for at in columns]
    if limit is not None:
        limit = integer(operation, "max_rows", limit, 0)
    rows: list[list[str]] = []
    for line in lines:
        for mark in marks:
            line = line.partition(mark)[0]
        if not line.strip():
            continue
        if limit is not None and len(rows) >= limit:
            break
        fields = [field.strip() for field in line.split(delimiter)]
        if usecols is not None:
            if any(not -len(fields) <= at < len(fields) for at in usecols):
                raise ShapeError(
                    f"{operation}: column does not exist; got {usecols} for {len(fields)} columns; "
                    "use other columns"
                )
            fields = [fields[at] for at in usecols]
        rows.append(fields)
    return rows


def _table(operation: str, rows: list[list[Any]], dtype: Any, unpack: bool, ndmin: int) -> Tensor:
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        raise ShapeError(
            f"{operation}: rows differ in length; got {sorted(lengths)} columns; use usecols"
        )
    width = lengths.pop() if lengths else 0
    flat = [value for row in rows for value in row]
    x = F.reshape(F.asarray(flat, dtype=dtype), (len(rows), width))
    if integer(operation, "ndmin", ndmin) < 2 and 1 in x.shape:
        x = F.reshape(x, (-1,)) if x.size > 1 or ndmin == 1 else F.reshape(x, ())
    elif ndmin < 2 and not x.size:
        x = F.reshape(x, (0,))
    if flag(operation, "unpack", unpack):
        x = x.T
    return x


@named
def loadtxt(
    fname: FileLike | Iterable[str | bytes],
    dtype: DTypeLike = "float32",
    comments: str | Sequence[str] | None = "#",
    delimiter: str | None = None,
    converters: Callable[..., Any] | dict[int, Callable[..., Any]] | None = None,
    skiprows: int = 0,
    usecols: int | Sequence[int] | None = None,
    unpack: bool = False,
    ndmin: int = 0,
    encoding: str | None = None,
    max_rows: int | None = None,
) -> Tensor:
    """Read a table of numbers from a text file.

    Args:
        fname: Path, file object, or iterable of lines.
        dtype: Dtype of the result; float32 by default.
        comments: Text that begins a comment, or several; None for none; "#" by default.
        delimiter: Text between columns; None (default) for white space.
        converters: Function of a field, or a dict of one for each column; None (default).
        skiprows: Number of lines to skip; 0 by default.
        usecols: Column or columns to read; None (default) for all.
        unpack: Return the columns along the first axis; False by default.
        ndmin: Smallest number of axes; 0 by default.
        encoding: Encoding of the file; None (default) for UTF-8.
        max_rows: Number of rows to read; None (default) for all.

    Returns:
        Tensor of shape (rows, columns); axes of length 1 are left out unless `ndmin` is 2.

    Raises:
        ShapeError: If rows differ in length.
        DTypeError: If a field is not a number.

    >>> import py_tensor as pt
    >>> pt.loadtxt(["1 2", "3 4  # comment"]).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    rows = _rows(
        "loadtxt",
        _lines("loadtxt", fname, encoding)[integer("loadtxt", "skiprows", skiprows, 0) :],
        comments,
        delimiter,
        usecols,
        max_rows,
    )
    target = as_dtype(dtype, "loadtxt")
    plain: Any = {"f": float, "c": complex}.get(target.kind, int)

    if not isinstance(converters, dict | None):
        function_of("loadtxt", "converters", converters)

    def convert(at: int, field: str) -> Any:
        function = converters.get(at, plain) if isinstance(converters, dict) else converters
        try:
            return (function or plain)(field)
        except ValueError:
            raise DTypeError(
                f"loadtxt: field is not a number of dtype {target}; got {field!r:.40}; "
                "use skiprows, usecols or converters"
            ) from None

    numbers = [[convert(at, field) for at, field in enumerate(row)] for row in rows]
    return _table("loadtxt", numbers, target, unpack, ndmin)


@named
def genfromtxt(
    fname: FileLike | Iterable[str | bytes],
    dtype: DTypeLike = "float32",
    comments: str | None = "#",
    delimiter: str | None = None,
    skip_header: int = 0,
    skip_footer: int = 0,
    missing_values: str | Sequence[str] = (),
    filling_values: ArrayLike | None = None,
    usecols: int | Sequence[int] | None = None,
    unpack: bool = False,
    max_rows: int | None = None,
    encoding: str | None = None,
    ndmin: int = 0,
) -> Tensor:
    """Read a table of numbers from a text file in which fields may be missing.

    Args:
        fname: Path, file object, or iterable of lines.
        dtype: Dtype of the result; float32 by default.
        comments: Text that begins a comment; None for none; "#" by default.
        delimiter: Text between columns; None (default) for white space.
        skip_header: Number of lines to skip at the beginning; 0 by default.
        skip_footer: Number of lines to skip at the end; 0 by default.
        missing_values: Text of missing fields, or several; empty ones are always missing.
        filling_values: Value of missing fields and those that are no numbers; None (default) for
            NaN, or -1 for integers.
        usecols: Column or columns to read; None (default) for all.
        unpack: Return the columns along the first axis; False by default.
        max_rows: Number of rows to read; None (default) for all.
        encoding: Encoding of the file; None (default) for UTF-8.
        ndmin: Smallest number of axes; 0 by default.

    Returns:
        Tensor of shape (rows, columns); axes of length 1 are left out unless `ndmin` is 2.

    Raises:
        ShapeError: If rows differ in length.

    >>> import py_tensor as pt
    >>> pt.genfromtxt(["1,,3", "4,5,x"], delimiter=",", filling_values=0).tolist()
    [[1.0, 0.0, 3.0], [4.0, 5.0, 0.0]]
    """
    lines = _lines("genfromtxt", fname, encoding)
    first = integer("genfromtxt", "skip_header", skip_header, 0)
    last = len(lines) - integer("genfromtxt", "skip_footer", skip_footer, 0)
    lines = lines[first : max(last, 0)]
    rows = _rows("genfromtxt", lines, comments, delimiter, usecols, max_rows)
    target = as_dtype(dtype, "genfromtxt")
    missing = _texts("genfromtxt", "missing_values", missing_values)
    floating = target.kind in "fc"
    filling = filling_values if filling_values is not None else (math.nan if floating else -1)
    plain: Any = {"f": float, "c": complex}.get(target.kind, int)

    def convert(field: str) -> Any:
        try:
            return filling if not field or field in missing else plain(field)
        except ValueError:
            return filling

    numbers = [[convert(field) for field in row] for row in rows]
    return _table("genfromtxt", numbers, target, unpack, ndmin)
