"""Add bytecode to a zip archive of Python sources. Runs in Pyodide, for which the bytecode is.

The output is reproducible: all entries have the same date, in the order of the input archive.
"""

import base64
import hashlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from py_compile import PycInvalidationMode, compile
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

# The earliest date a zip archive can hold.
DATE = (1980, 1, 1, 0, 0, 0)

Entries = dict[str, bytes]


def bytecode(name: str, source: bytes, shown: str) -> bytes:
    """Return the .pyc of one module. Python imports it without checking the source."""
    with TemporaryDirectory() as folder:
        file = Path(folder, PurePosixPath(name).name)
        file.write_bytes(source)
        target = compile(
            str(file),
            cfile=f"{file}c",
            dfile=shown,
            doraise=True,
            invalidation_mode=PycInvalidationMode.UNCHECKED_HASH,
        )
        return Path(str(target)).read_bytes()


def compiled_wheel(entries: Entries) -> Entries:
    """Add the __pycache__ files that Python looks for after the wheel is unpacked."""
    result: Entries = {}
    for name, data in entries.items():
        result[name] = data
        if name.endswith(".py"):
            cached = importlib.util.cache_from_source(name, optimization="")
            # The path where tracebacks find the source lines after the wheel is unpacked.
            result[cached] = bytecode(name, data, name)
    (record,) = (name for name in entries if name.endswith(".dist-info/RECORD"))
    result[record] = "".join(record_lines(result, record)).encode()
    return result


def record_lines(entries: Entries, record: str) -> Iterator[str]:
    for name, data in entries.items():
        if name == record:
            continue
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        yield f"{name},sha256={digest},{len(data)}\n"
    yield f"{record},,\n"


def compiled_stdlib(entries: Entries) -> Entries:
    """Replace x.py by x.pyc. Keeping both would make the archive 50 % larger."""
    zipped = next(path for path in sys.path if path.endswith(".zip"))
    return {
        f"{name}c" if name.endswith(".py") else name: (
            bytecode(name, data, f"{zipped}/{name}") if name.endswith(".py") else data
        )
        for name, data in entries.items()
    }


def read(path: str) -> Entries:
    with ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name[-1] != "/"}


def write(path: str, entries: Entries) -> None:
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in entries.items():
            info = ZipInfo(name, DATE)
            info.compress_type = ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, data)


KINDS = {"wheel": compiled_wheel, "stdlib": compiled_stdlib}


def compile_archive(kind: str, source: str, target: str) -> None:
    write(target, KINDS[kind](read(source)))
