"""Imports of modules whose archives the page has not loaded yet.

A page that starts from a copy of Python's memory has no files: neither the standard library nor
py_tensor. They are in archives. The page loads some of them after its start, and the others when
a module of them is first imported. The JavaScript module `py_tensor_files` loads them.
"""

from __future__ import annotations

import ast
import gc
import os
import random
import sys
import time
from contextlib import suppress
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any
from zipimport import zipimporter

FOLDER = "/lib/py_tensor"
SOURCES = "sources"


class ArchiveImporter(zipimporter):
    """Importer of an archive with bytecode, whose sources are in an archive of their own."""

    def get_source(self, fullname: str) -> str | None:
        """Return the source of a module, which tracebacks and `inspect` show; None without one."""
        name = fullname.replace(".", "/") + "/__init__" * self.is_package(fullname)
        with suppress(OSError):  # unless the module has kernels and the archive is there
            return self.get_data(f"{self.archive}/{name}.py").decode()
        sources = ensure(SOURCES)
        with suppress(OSError):
            return zipimporter(sources).get_data(f"{sources}/{name}.py").decode()
        return None


def _archive_hook(path: str) -> ArchiveImporter:
    if not path.startswith(f"{FOLDER}/"):
        raise ImportError(path)
    return ArchiveImporter(path)


class ImportedMeanwhile:
    """Loader of a module that another task imported while this one waited for the archive."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return sys.modules[spec.name]

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: the module is complete."""


class ArchiveFinder:
    """Finder that loads the archive of a module, and leaves the rest to Python's own finders."""

    def __init__(self, modules: dict[str, list[str]]) -> None:
        self.archives = {name: archive for archive, names in modules.items() for name in names}
        self.searched: set[str] = set()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        archive = self.archives.get(name)
        if archive is None:
            return None
        waited = not Path(path_of(archive)).exists()
        self.search(archive, ensure(archive))
        if waited and name in sys.modules:
            return ModuleSpec(name, ImportedMeanwhile())
        return None

    def search(self, archive: str, path: str) -> None:
        """Let Python search an archive for modules."""
        if archive in self.searched:
            return
        self.searched.add(archive)
        names = [name for name, home in self.archives.items() if home == archive]
        for parent in {name.rpartition(".")[0] for name in names} - {*names}:
            folders = import_module(parent).__path__ if parent else sys.path
            entry = f"{path}/{parent.replace('.', '/')}".rstrip("/")
            if entry not in folders:
                folders.append(entry)

    def find_distributions(self, context: Any) -> list[Any]:
        """Make sure that the metadata of py_tensor can be read; it is in the core's archive."""
        if context.name in (None, "py_tensor"):
            ensure("core")
        return []


def path_of(archive: str) -> str:
    if archive == "start":
        return f"/lib/python{sys.version_info.major}{sys.version_info.minor}.zip"
    return f"{FOLDER}/{archive}.zip"


def ensure(archive: str) -> str:
    """Return the path of an archive, loaded by the page if it is not there."""
    path = path_of(archive)
    if not Path(path).exists():
        import py_tensor_files
        from pyodide.ffi import JsException, can_run_sync, run_sync

        try:
            promise = py_tensor_files.load(archive, can_run_sync())
            if promise is not None:
                run_sync(promise)
        except JsException as error:
            raise ImportError(f"import: {error.message}") from None
    return path


def begin(language: str) -> None:
    """Install the importer and the finder, or go on with those of a copied memory.

    Args:
        language: Locale of the page, for example "en_US.UTF-8".
    """
    if any(isinstance(finder, ArchiveFinder) for finder in sys.meta_path):
        resume(language)
    else:
        install()


def install() -> None:
    from py_tensor_archive_index import MODULES

    sys.path_hooks.insert(0, _archive_hook)
    sys.path_importer_cache.pop(path_of("core"), None)
    finder = ArchiveFinder(MODULES)
    sys.meta_path.insert(0, finder)
    finder.search("core", path_of("core"))


def resume(language: str) -> None:
    """Replace what comes from the machine that made the copy: random states and settings."""
    random.seed()
    _set_time_zone()
    os.environ.pop("PYTHONHASHSEED", None)
    os.environ["LANG"] = language
    sys.path[:] = dict.fromkeys(sys.path)
    if generator := sys.modules.get("py_tensor.random"):
        generator.seed_anew()
    sys.modules["py_tensor"]._apply_page_query()


def _set_time_zone() -> None:
    """Set the constants of `time` as Python's start does: from offsets of winter and summer."""
    year = time.gmtime().tm_year
    days = [time.localtime(time.mktime((year, month, 1, 12, 0, 0, 0, 0, -1))) for month in (1, 7)]
    winter, summer = sorted(days, key=lambda day: day.tm_gmtoff)
    time.timezone, time.altzone = -winter.tm_gmtoff, -summer.tm_gmtoff
    time.daylight = int(winter.tm_gmtoff != summer.tm_gmtoff)
    time.tzname = (winter.tm_zone, summer.tm_zone)


def prepare(program: str | None) -> None:
    """Import what a copy of the memory has: the modules of a first result, or a program's imports.

    Args:
        program: Path of a program whose imports are added.
    """
    from py_tensor_archive_index import MODULES

    install()
    for name in MODULES["core"]:
        import_module(name)
    # Shaders are made of their texts, which are in an archive that a start does not load.
    for module in ("functions.py", "elementary.py"):
        import_module("py_tensor.language.printer").texts_of(module)
    if program:
        _run_imports(Path(program))
    # Equal builds have equal bytes; pages begin anew.
    random.seed(0)
    gc.collect()


def _run_imports(program: Path) -> None:
    """Run the imports at the top level of a program, whose folder has further modules."""
    from py_tensor.runtime.executor import runtime

    sys.path.insert(0, str(program.parent))
    sys.dont_write_bytecode = True
    for statement in ast.parse(program.read_text(), str(program)).body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            code = compile(ast.Module([statement], []), str(program), "exec")
            try:
                exec(code, {"__name__": "program"})
            except ImportError as error:
                print(f"snapshot: left out {ast.unparse(statement)!r}: {error}")
    sys.dont_write_bytecode = False
    sys.path.remove(str(program.parent))
    if runtime.backend is not None:
        raise RuntimeError(
            "snapshot: an imported module computes tensors, which belong to this machine; "
            f"got backend {runtime.backend.name!r}; compute them in functions"
        )
