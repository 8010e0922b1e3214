"""Read the files of a model from where a user has them.

Input: a URL, path, folder, bytes, archive, file objects, or function. Output: `Files`, which read
the model's file, and files next to it by name.
"""

from __future__ import annotations

import inspect
import io
import struct
import zipfile
import zlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from posixpath import basename, dirname
from typing import Any, NamedTuple, Protocol

from ..errors import ArgumentTypeError, BackendError, ModelError
from ..io.browser import in_page
from ..io.network import Report, chunks_of
from .readers import MemoryReader, Reader, SpanReader
from .web_files import PARALLEL, HubFiles, WebFiles, check_content, hub_address

HEAD = 1 << 20
"""Bytes of a file that formats may look at if the model's file is looked for among several."""
MOST_FILES = 10_000
"""Maximum number of files of a folder."""
EXPANSION, SMALL = 50, 1 << 26
"""Maximum ratio of a file's size to its size in an archive, for files above a size in bytes."""

Rank = Callable[[Any], int | None]
"""Returns the place of the format of bytes among all formats; None if no format has them."""


class Files(Protocol):
    """Files of a model."""

    address: str
    """Place of the model's file in errors; may be ""."""
    parallel: int
    """Number of files to read at a time."""

    async def size(self, name: str) -> int | None:
        """Return the size of a file in bytes; None if it is not known before it is read."""

    async def read(self, name: str, report: Report | None) -> Any:
        """Return the bytes of a file by its name relative to the model's; "" is the model."""

    async def reader(self, name: str, report: Report | None) -> Reader:
        """Return a file that is read in parts, if the source can."""


def is_neighbour(name: str) -> bool:
    """Return True if the name of a further file does not lead out of the model's folder."""
    parts = name.split("/")
    return not {"", ".", ".."}.intersection(parts) and not any(mark in name for mark in "\\:\0?#%")


def check_neighbour(name: str, owner: str) -> None:
    """Raise ModelError if the name of a further file leads out of the model's folder."""
    if not is_neighbour(name):
        raise ModelError(
            "load: external data must be a file in the model's folder; got "
            f'"{name}" for {owner}; save the model again'
        )


_OTHER_KINDS = (
    (0, b"GGUF", "a GGUF file, of llama.cpp", "read its weights with pt.models.load_weights"),
    (0, b"\x93NUMPY", "a .npy file", "read the array with pt.load"),
    (4, b"ORTM", "an ORT file, of ONNX Runtime", "load the ONNX file from which it was made"),
)  # fmt: skip
"""Position and signature of files that are not models of a supported format, with what to do."""
_NPZ = ("an .npz file", "read its arrays with pt.load")


def check_kind(data: Any, address: str) -> None:
    """Raise ModelError if bytes are a file of a known kind that is not a model."""
    view = memoryview(data).cast("B")
    first = bytes(view[:256])
    known = [(kind, fix) for at, mark, kind, fix in _OTHER_KINDS if first[at:].startswith(mark)]
    # The name of the first file of an archive follows its header of 30 bytes.
    if first.startswith(b"PK\x03\x04") and first[30 : 30 + first[26]].endswith(b".npy"):
        known = [_NPZ]
    for kind, fix in known:
        raise ModelError(
            f"load: file is not a model of a supported format; got {kind}"
            f"{address and f' at {address}'}; {fix}"
        )


def files_of_source(
    source: Any,
    rank: Rank,
    patterns: Sequence[str],
    headers: Mapping[str, str] | None = None,
    credentials: str | None = None,
    kept: bool = True,
) -> Files:
    """Return the files of a source.

    `patterns` are those of names of models in a repository of a hub, the preferred ones first. The
    further arguments are those of `load`.
    """
    if isinstance(source, str) and (_is_url(source) or (in_page() and not Path(source).exists())):
        at = hub_address(source)
        if at is not None:
            return HubFiles(at, headers or {}, credentials, kept, patterns)
        return WebFiles(source, headers or {}, credentials, kept)
    if isinstance(source, (str, PathLike)):
        path = Path(fspath(source))
        return Folder(_parts_of_folder(path), rank, str(path)) if path.is_dir() else _Path(path)
    if isinstance(source, Mapping):
        return Folder({str(name): part_of(value) for name, value in source.items()}, rank)
    if hasattr(source, "files"):  # an input element, or the data of a drop
        source = source.files
    is_buffer = hasattr(source, "to_memoryview")  # of JavaScript, which has a length, too
    if isinstance(source, (list, tuple)) or (hasattr(source, "length") and not is_buffer):
        return Folder({_name_of(value): part_of(value) for value in source}, rank)
    if callable(source) and not hasattr(source, "read"):
        return _Function(source)
    return Folder({_name_of(source): part_of(source)}, rank)


def _is_url(source: str) -> bool:
    return "://" in source or source.startswith(("blob:", "data:"))


# --- one path -------------------------------------------------------------------------------------


class _Path:
    """Files next to the file at a path."""

    parallel = 1

    def __init__(self, path: Path) -> None:
        self.address = str(path)
        self._path = path

    def _part(self, name: str) -> Part:
        file = self._path.parent / name if name else self._path
        if name and not file.resolve().is_relative_to(self._path.parent.resolve()):
            raise ModelError(
                f'load: external data must be a file in the model\'s folder; got "{name}"; copy '
                "the file there"
            )
        return _part_of_path(file)

    async def size(self, name: str) -> int | None:
        """Ask the file system."""
        return self._part(name).size

    async def read(self, name: str, report: Report | None) -> Any:
        """Read the file."""
        part = self._part(name)
        data = await part.read(report)
        check_content(data, f'"{name}"' if name else repr(self.address))
        return data

    async def reader(self, name: str, report: Report | None) -> Reader:
        """Return the file at the path."""
        return await _reader(self._part(name), f'"{name}"' if name else repr(self.address), report)


# --- several files --------------------------------------------------------------------------------


class Part(NamedTuple):
    """One of several files."""

    size: int | None
    span: Callable[[int, int], Awaitable[Any]]
    """Return the bytes from an offset to another one, or to the end."""
    read: Callable[[Report | None], Awaitable[Any]]
    """Return all bytes."""


class Folder:
    """Files by name, of which one, found by its content, is the model's."""

    parallel = 1

    def __init__(self, parts: Mapping[str, Part], rank: Rank, address: str = "") -> None:
        self.address = address
        self._parts = parts
        self._rank = rank
        self._model: str | None = None

    async def size(self, name: str) -> int | None:
        """Return the size, if it is known."""
        part = self._parts.get(self._find(name))
        return part and part.size

    async def read(self, name: str, report: Report | None) -> Any:
        """Read a file; find the model's file if its name is ""."""
        part, path = await self._part(name)
        data = await part.read(report)
        check_content(data, f'"{path}"')
        return data

    async def reader(self, name: str, report: Report | None) -> Reader:
        """Return a file; find the model's file if its name is ""."""
        part, path = await self._part(name)
        return await _reader(part, f'"{path}"', report)

    async def _part(self, name: str) -> tuple[Part, str]:
        """Return a file and its path."""
        if self._model is None:
            self._model = await self._found_model()
            self.address = "/".join(filter(None, (self.address, self._model)))
        path = self._find(name) if name else self._model
        if path not in self._parts:
            names = ", ".join(part for part in self._parts if part != self._model)
            raise ModelError(
                f'load: model has data in another file; got "{name}", which is not among '
                f"{names or 'the files'}; pass all files of the model, or load it from its URL "
                "or path"
            )
        return self._parts[path], path

    def _find(self, name: str) -> str:
        """Return the path of a file next to the model's.

        Files of an `<input>` have no folders. Then a file is found by the last part of its name.
        """
        folder = dirname(self._model or "")
        path = f"{folder}/{name}" if folder else name
        if path not in self._parts:
            matching = [known for known in self._parts if basename(known) == basename(name)]
            return matching[0] if len(matching) == 1 else path
        return path

    async def _found_model(self) -> str:
        if len(self._parts) == 1:
            return next(iter(self._parts))
        ranked: dict[int, list[str]] = {}
        others: list[tuple[Any, str]] = []
        for path, part in self._parts.items():
            head = await part.span(0, HEAD)
            rank = self._rank(head)
            others.append((bytes(memoryview(head).cast("B")[:256]), path))
            if rank is not None:
                ranked.setdefault(rank, []).append(path)
        candidates = ranked[min(ranked)] if ranked else []
        for first, path in () if candidates else others:
            check_kind(first, path)
        if len(candidates) != 1:
            listed = ", ".join((candidates or list(self._parts))[:10]) or "no files"
            raise ModelError(
                f"load: several files are models; got {listed}; pass the files of one model"
                if candidates
                else f"load: no file is a model of a supported format; got {listed}; see "
                "docs/models.md for the formats"
            )
        return candidates[0]


def _name_of(value: Any) -> str:
    """Return the name of a file object or path; files of a dropped folder have its path."""
    if isinstance(value, (str, PathLike)):
        return Path(fspath(value)).name
    path = getattr(value, "webkitRelativePath", "") or getattr(value, "name", "")
    return path if isinstance(path, str) else ""


def part_of(value: Any) -> Part:
    """Return the part for bytes, a path, or a file object of Python or of a page."""
    if isinstance(value, (str, PathLike)):
        return _part_of_path(Path(fspath(value)))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return part_of_bytes(value)
    if hasattr(value, "stream") and hasattr(value, "slice"):
        return _part_of_blob(value)

    contents: list[Any] = []

    async def read(report: Report | None) -> Any:
        if not contents:  # a file object is read once
            contents.append(await bytes_of(value))
        return contents[0]

    async def span(start: int, stop: int) -> Any:
        return memoryview(await read(None)).cast("B")[start:stop]

    return Part(None, span, read)


def part_of_bytes(data: Any) -> Part:
    """Return the part for bytes."""
    view = memoryview(data).cast("B")

    async def span(start: int, stop: int) -> Any:
        return view[start:stop]

    async def read(report: Report | None) -> Any:
        return data

    return Part(len(view), span, read)


async def _reader(part: Part, address: str, report: Report | None) -> Reader:
    """Return a reader of a part, which is in memory if its size is not known before."""
    if part.size is None:
        reader: Reader = MemoryReader(await part.read(report))
    else:
        reader = SpanReader(part.size, part.span, report)
    check_content(await part.span(0, 64), address)
    return reader


def _part_of_path(path: Path) -> Part:
    async def span(start: int, stop: int | None) -> Any:
        try:
            with path.open("rb") as file:
                file.seek(start)
                return file.read(-1 if stop is None else stop - start)
        except OSError as error:
            raise ModelError(
                f"load: file cannot be read; got {error.strerror or error} for {str(path)!r}; "
                "check the path, or pass a URL with ://"
            ) from None

    async def read(report: Report | None) -> Any:
        return await span(0, None)

    return Part(path.stat().st_size if path.is_file() else None, span, read)


def _part_of_blob(blob: Any) -> Part:
    size: int = blob.size

    async def span(start: int, stop: int) -> Any:
        return (await blob.slice(start, stop).arrayBuffer()).to_bytes()

    async def read(report: Report | None) -> Any:
        data, done = bytearray(size), 0
        async for chunk in chunks_of(blob.stream()):
            data[done : done + len(chunk)] = chunk
            done += len(chunk)
            if report is not None:
                report(done, size)
        return data

    return Part(size, span, read)


def _parts_of_folder(folder: Path) -> dict[str, Part]:
    """Return the files in a folder and in its folders, without links that lead out of it."""
    root, parts = folder.resolve(), dict[str, Part]()
    for path in folder.rglob("*"):
        if path.is_file() and path.resolve().is_relative_to(root):
            parts[path.relative_to(folder).as_posix()] = _part_of_path(path)
        if len(parts) > MOST_FILES:
            raise ModelError(
                f"load: folder has too many files; got more than {MOST_FILES:,} in "
                f"{str(folder)!r}; pass the folder of one model"
            )
    return dict(sorted(parts.items()))


def archive(data: Any, rank: Rank, address: str) -> Folder | None:
    """Return the files of a zip archive; None if bytes are not one."""
    if bytes(memoryview(data).cast("B")[:4]) != b"PK\x03\x04":
        return None
    try:
        opened = zipfile.ZipFile(io.BytesIO(data))
        infos = [info for info in opened.infolist() if not info.is_dir()]
    except _BROKEN as error:
        raise _broken_archive(error, address) from None
    if len(infos) > MOST_FILES:
        raise _broken_archive(f"{len(infos)} files", address)
    parts = {info.filename: _part_of_archive(opened, info, address) for info in infos}
    return Folder(parts, rank, address)


_BROKEN = (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError,
           ValueError, struct.error)  # fmt: skip


def _part_of_archive(opened: zipfile.ZipFile, info: zipfile.ZipInfo, address: str) -> Part:
    def read_up_to(count: int) -> bytes:
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _broken_archive(f'compression {info.compress_type} of "{info.filename}"', address)
        if info.file_size > max(SMALL, EXPANSION * info.compress_size):
            raise _broken_archive(f'"{info.filename}" of {info.file_size:,} bytes', address)
        try:
            with opened.open(info) as file:
                return file.read(count)
        except _BROKEN as error:
            raise _broken_archive(f'{error} in "{info.filename}"', address) from None

    async def span(start: int, stop: int) -> Any:
        return read_up_to(stop)[start:]

    async def read(report: Report | None) -> Any:
        return read_up_to(-1)

    return Part(info.file_size, span, read)


def _broken_archive(got: Any, address: str) -> ModelError:
    return ModelError(
        f"load: not a valid zip archive; got {got} for {address or 'the bytes'}; download or save "
        "the file again"
    )


# --- functions ------------------------------------------------------------------------------------


class _Function:
    """Files that a function returns by name."""

    address = ""
    parallel = 1

    def __init__(self, function: Callable[[str], Any]) -> None:
        self._function = function

    async def size(self, name: str) -> int | None:
        """Return None."""
        return None

    async def read(self, name: str, report: Report | None) -> Any:
        """Call the function."""
        answer = self._function(name)
        self.parallel = PARALLEL if inspect.isawaitable(answer) else 1
        data = await bytes_of(answer)
        check_content(data, f'"{name}"' if name else "the model")
        return data

    async def reader(self, name: str, report: Report | None) -> Reader:
        """Return the function's result."""
        return MemoryReader(await self.read(name, report))


async def bytes_of(value: Any) -> Any:
    """Return the bytes of an answer: bytes, a file object, a response, or an awaitable of them."""
    if inspect.isawaitable(value):
        value = await value
    if getattr(value, "ok", True) is False and hasattr(value, "status"):
        raise BackendError(
            f"load: request failed; got {value.status} for {getattr(value, 'url', '')}; check the "
            "address"
        )
    if hasattr(value, "arrayBuffer"):
        value = await value.arrayBuffer()
    elif hasattr(value, "read"):
        value = value.read()
        value = await value if inspect.isawaitable(value) else value
    elif callable(getattr(value, "bytes", None)):  # a response of pyodide.http
        value = await value.bytes()
    if hasattr(value, "to_memoryview"):  # a buffer of JavaScript
        value = value.to_bytes()
    try:
        memoryview(value).cast("B")
    except (TypeError, ValueError):
        raise ArgumentTypeError(
            f"load: source is not supported; got {type(value).__name__}; pass a URL, a path, "
            "bytes, files, or a function that returns bytes"
        ) from None
    return value
