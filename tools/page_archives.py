"""Split py_tensor's wheel and the standard library into archives. Runs in Pyodide.

The archives are zip files of bytecode, from which Python imports:

    start     modules of the standard library that a start without a snapshot needs
    library   modules of the standard library that other modules of py_tensor import
    stdlib    the rest of the standard library
    core      modules of py_tensor that a first result needs
    rest      the other modules of py_tensor, without the parts below
    ...       parts of py_tensor, which load when they are first imported
    sources   the sources of py_tensor, for tracebacks and `inspect`

Archives also have the sources that kernels are made of.
"""

from collections.abc import Container
from pathlib import Path

from compile_archive import Entries, bytecode, read, write
from py_tensor_archives import path_of

GROUPS = {
    "audio": ("audio", "signal"),
    "formats": ("models.onnx", "models.tfjs", "models.tflite"),
    "graph": ("graph",),
    "models": ("models", "text"),
    "plot": ("plot",),
    "training": ("data", "nn", "optim", "train"),
    "vision": ("image", "vision"),
}
"""Packages and modules of py_tensor that have archives of their own, the innermost ones first."""

READ = {"py_tensor/language/elementary.py", "py_tensor/language/functions.py"}
"""Modules whose source is read to make shaders."""
KERNEL = b"\n@kernel("
"""Text in modules with kernels, whose source is read to compile these."""


def module_of(name: str) -> str | None:
    """Return the module of a file, such as "json" of "json/__init__.pyc"; None for other files."""
    path, _, extension = name.rpartition(".")
    if extension not in ("py", "pyc"):
        return None
    return path.removesuffix("/__init__").replace("/", ".")


def group_of(module: str, started: Container[str]) -> str:
    if module in started:
        return "core"
    inner = f"{module.removeprefix('py_tensor.')}."
    return next(
        (
            group
            for group, parts in GROUPS.items()
            if inner.startswith(tuple(f"{part}." for part in parts))
        ),
        "rest",
    )


def page_archives(
    wheel: str, stdlib: str, loader: str, started: list[str], used: list[str], folder: str
) -> list[str]:
    """Write the archives to a folder and return their names.

    Args:
        wheel: Path of py_tensor's wheel.
        stdlib: Path of the standard library's bytecode.
        loader: Path of py_tensor_archives.py.
        started: Modules that are imported when a page has its first result.
        used: Modules that are imported when all public names of py_tensor are.
        folder: Path of the new archives.
    """
    archives: dict[str, Entries] = {
        name: {} for name in ("start", "library", "stdlib", "core", "rest", *GROUPS)
    }
    for name, data in read(stdlib).items():
        module = module_of(name)
        is_first = module is None or module in started
        archives["start" if is_first else "library" if module in used else "stdlib"][name] = data
    files = read(wheel)
    for name, data in files.items():
        module = module_of(name)
        if name.endswith(".js"):
            continue  # the loader registers the bridges as modules
        if module is None:
            archives["core"][name] = data
        else:
            group = group_of(module, started)
            shown = f"{path_of(group)}/{name}"
            archives[group][f"{name}c"] = bytecode(name, data, shown)
            if KERNEL in data:
                archives[group][name] = data
        if name in READ:
            archives["core"][name] = data
    archives["sources"] = {name: data for name, data in files.items() if name.endswith(".py")}
    modules = {
        archive: sorted(module_of(name) or "" for name in entries if name.endswith(".pyc"))
        for archive, entries in archives.items()
        if archive != "sources"
    }
    source = {"py_tensor_archives.py": Path(loader).read_bytes()}
    source["py_tensor_archive_index.py"] = f"MODULES = {modules!r}\n".encode()
    for name, data in source.items():
        archives["core"][f"{name}c"] = bytecode(name, data, f"{path_of('core')}/{name}")
    for name, entries in archives.items():
        write(f"{folder}/{name}.zip", entries)
    return [*archives]
