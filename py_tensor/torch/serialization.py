"""Save and load files of PyTorch: `.pt` files with tensors, containers, and modules.

A file is a zip archive with a pickle, in which tensors are views of storages, which are entries of
their own. Loading makes tensors, plain containers, and objects of allowed classes only, whatever
the pickle says. Source of the format: torch/serialization.py.
"""

from __future__ import annotations

import copyreg
import pickle
import zipfile
from argparse import Namespace
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from .. import dtypes
from ..errors import ModelError
from ..io.element_formats import CODES
from ..models.weights import torch_files
from ..models.weights.torch_files import Stored
from ..ops.index_map import row_major
from . import nn
from .tensor import Parameter, Size, Tensor, device

_PACKAGE = __name__.rpartition(".")[0]
_STORAGES = {code: name for name, code in torch_files.STORAGE_TYPES.items() if "." not in name[6:]}
_allowed: list[type] = []
_SAVE: Any = vars(pickle._Pickler)["save"]
"""Method of the pickler that is written in Python, whose parts can be replaced."""


class _Global:
    """Function or class of PyTorch, which a pickle names."""

    def __init__(self, name: str) -> None:
        module, _, own = name.rpartition(".")
        self.text = f"c{module}\n{own}\n".encode()

    def __call__(self, *args: Any) -> Any:
        raise NotImplementedError


class _Storage(tuple[Any, ...]):
    """Description of a storage, which a pickle has as a persistent id."""


class _Pickler(pickle._Pickler):
    """Pickler that stores the elements of tensors apart, in `storages`."""

    def __init__(self, file: BytesIO) -> None:
        super().__init__(file, 2)
        self.storages: list[bytes] = []
        self.known: dict[int, tuple[_Storage, Any]] = {}

    def save(self, obj: Any, save_persistent_id: bool = True) -> None:
        if isinstance(obj, _Global):
            vars(self)["write"](obj.text)
        else:
            _SAVE(self, obj, save_persistent_id)

    def persistent_id(self, obj: Any) -> Any:
        return tuple(obj) if isinstance(obj, _Storage) else None

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, Size | device):
            plain: Any = tuple if isinstance(obj, Size) else str
            return plain, (plain(obj),)
        if isinstance(obj, Parameter):
            return _PARAMETER, (obj.detach(), obj.requires_grad, OrderedDict())
        if not isinstance(obj, Tensor):
            return NotImplemented
        shape, grad = tuple(obj.shape), obj.requires_grad
        return _TENSOR, (self._storage(obj._value), 0, shape, row_major(shape), grad, OrderedDict())

    def _storage(self, value: Any) -> _Storage:
        if id(value) not in self.known:
            kind = _Global(_STORAGES[CODES[value.dtype]])
            name = str(len(self.storages))
            self.known[id(value)] = _Storage(("storage", kind, name, "cpu", value.size)), value
            self.storages.append(bytes(value))
        return self.known[id(value)][0]


_TENSOR = _Global("torch._utils._rebuild_tensor_v2")
_PARAMETER = _Global("torch._utils._rebuild_parameter")


def save(obj: Any, f: Any, *args: Any, **kwargs: Any) -> None:
    """Save tensors, containers of them or a module to a file, which PyTorch reads, too.

    Args:
        obj: Object that can be pickled, for example `model.state_dict()`.
        f: Path or binary file.

    >>> import io
    >>> import py_tensor.torch as torch
    >>> file = io.BytesIO()
    >>> torch.save({"w": torch.ones(2)}, file)
    >>> torch.load(file)
    {'w': tensor([1., 1.])}
    """
    stream = BytesIO()
    pickler = _Pickler(stream)
    pickler.dump(obj)
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("archive/data.pkl", stream.getvalue())
        archive.writestr("archive/byteorder", "little")
        for name, data in enumerate(pickler.storages):
            archive.writestr(f"archive/data/{name}", data)
        archive.writestr("archive/version", "3\n")


add_safe_globals = _allowed.extend


@contextmanager
def safe_globals(classes: list[Any]) -> Iterator[None]:
    """Allow `load` to make objects of classes in a `with` block."""
    before = list(_allowed)
    add_safe_globals(classes)
    try:
        yield
    finally:
        _allowed[:] = before


def load(f: Any, map_location: Any = None, *, weights_only: bool = True, **kwargs: Any) -> Any:
    """Load what `save` or PyTorch saved.

    Args:
        f: Path or binary file.
        map_location: Ignored: there is one device.
        weights_only: Make tensors, plain containers and objects of `safe_globals` only; if False,
            import and call whatever the file names, which is safe for files of one's own only.

    Raises:
        ModelError: If the file is no file of `save`.
        pickle.UnpicklingError: If it has objects of other classes.
    """
    if hasattr(f, "seek"):
        f.seek(0)
    data = f.read() if hasattr(f, "read") else Path(f).read_bytes()
    if data[:4] != torch_files.ZIP:
        raise ModelError(
            f"load: file is no zip file of torch.save; got {data[:8]!r}; read weights of older "
            "formats with pt.models.load_weights"
        )
    _, text, storages = torch_files.archive(memoryview(data))
    reader = torch_files.TorchFile({}, storages, len(data))
    return _Unpickler(BytesIO(text), reader, weights_only).load()


def _pickled(tensor: Tensor) -> tuple[Any, ...]:
    file = BytesIO()
    save(tensor, file)
    return load, (BytesIO(file.getvalue()),)


copyreg.pickle(Tensor, _pickled)
copyreg.pickle(Parameter, _pickled)


class _Unpickler(pickle.Unpickler):
    """Unpickler that finds allowed names only."""

    def __init__(self, file: BytesIO, reader: torch_files.TorchFile, weights_only: bool) -> None:
        super().__init__(file)
        self.reader = reader
        self.weights_only = weights_only

    def persistent_load(self, pid: Any) -> Any:
        _, storage, key, _, count = pid[:5]
        return torch_files.Storage(key, storage, count)

    def find_class(self, module: str, name: str) -> Any:
        full = f"{module}.{name}"
        if full in torch_files.STORAGE_TYPES:
            return torch_files.STORAGE_TYPES[full]
        if full == "torch._utils._rebuild_tensor_v2":
            return self._tensor
        if full in _BUILDERS:
            return _BUILDERS[full]
        if module.startswith(("torch.nn.", f"{_PACKAGE}.nn")):
            found = getattr(nn, name, None) or getattr(nn.functional, name, None)
            is_module = isinstance(found, type) and issubclass(found, nn.Module)
            if is_module or found in vars(nn.functional).values():
                return found
        if full.startswith("torch.") and name in vars(dtypes):
            return getattr(dtypes, name)
        if not self.weights_only:
            return super().find_class(module, name)
        for kind in _allowed:
            if (kind.__module__, kind.__qualname__) == (module, name):
                return kind
        raise pickle.UnpicklingError(
            f"load: file has an object of a class that is not allowed; got {full}; call "
            f"torch.serialization.add_safe_globals([{name}]), or pass weights_only=False for a "
            "file that you trust"
        )

    def _tensor(self, storage: Any, offset: int, shape: Any, strides: Any, *rest: Any) -> Tensor:
        stored = Stored(storage, storage.code, offset, tuple(shape), tuple(strides))
        self.reader.tensors["tensor"] = stored
        return Tensor._of(self.reader.tensor("tensor")).requires_grad_(bool(rest and rest[0]))


_PLAIN = {"set": set, "tuple": tuple, "str": str, "unicode": str}
_BUILDERS: dict[str, Callable[..., Any]] = {
    "torch._utils._rebuild_parameter": lambda data, grad, hooks: Parameter(data, grad),
    "torch.Size": Size,
    "torch.device": device,
    "collections.OrderedDict": OrderedDict,
    **{
        f"{module}.{name}": _PLAIN[name]
        for name in _PLAIN
        for module in ("builtins", "__builtin__")
    },
    "copy_reg._reconstructor": lambda kind, base, state: object.__new__(kind),
    "copyreg.__newobj__": lambda kind, *args: kind.__new__(kind, *args),
    "argparse.Namespace": Namespace,
}
"""Functions and classes that any file may use."""
