"""Save and load files of PyTorch: `.pt` files with tensors, containers, and modules.

A file is a zip archive with a pickle, in which tensors are views of storages, which are entries of
their own. Loading makes tensors, plain containers, and objects of allowed classes only, whatever
the pickle says. Source of the format: torch/serialization.py.
"""

from __future__ import annotations

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
from ..models.weights import torch_files
from ..models.weights.torch_files import Stored
from . import nn
from .tensor import Parameter, Size, Tensor, device

_PACKAGE = __name__.rpartition(".")[0]
_STORAGES = {
    "float32": "FloatStorage", "float16": "HalfStorage", "int32": "IntStorage",
    "int16": "ShortStorage", "int8": "CharStorage", "uint8": "ByteStorage", "bool": "BoolStorage",
    "complex64": "ComplexFloatStorage",
}  # fmt: skip
_allowed: set[type] = set()
_SAVE: Any = vars(pickle._Pickler)["save"]
"""Method of the pickler that is written in Python, whose parts can be replaced."""


class _Global:
    """Function or class of PyTorch, which a pickle names."""

    def __init__(self, module: str, name: str) -> None:
        self.text = f"c{module}\n{name}\n".encode()

    def __call__(self, *args: Any) -> Any:
        raise NotImplementedError


_REBUILD = _Global("torch._utils", "_rebuild_tensor_v2")
_PARAMETER = _Global("torch._utils", "_rebuild_parameter")
_ORDERED = _Global("collections", "OrderedDict")


class _Pickler(pickle._Pickler):
    """Pickler that stores the elements of tensors apart, in `storages`."""

    def __init__(self, file: BytesIO) -> None:
        super().__init__(file, 2)
        self.storages: list[bytes] = []
        self.known: dict[int, tuple[Any, Tensor]] = {}

    def save(self, obj: Any, save_persistent_id: bool = True) -> None:
        if isinstance(obj, _Global):
            vars(self)["write"](obj.text)
        else:
            _SAVE(self, obj, save_persistent_id)

    def persistent_id(self, obj: Any) -> Any:
        return obj.value if isinstance(obj, _Persistent) else None

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, Size):
            return tuple, (tuple(obj),)
        if isinstance(obj, device):
            return str, (str(obj),)
        if not isinstance(obj, Tensor):
            return NotImplemented
        arguments = (self._storage(obj), 0, tuple(obj.shape), _strides(obj), obj.requires_grad)
        hooks: OrderedDict[str, Any] = OrderedDict()
        if isinstance(obj, Parameter):
            return _PARAMETER, (obj.detach(), obj.requires_grad, hooks)
        return _REBUILD, (*arguments, hooks)

    def _storage(self, tensor: Tensor) -> _Persistent:
        value = tensor._read()
        known = self.known.get(id(value))
        if known is None:
            name = str(len(self.storages))
            self.storages.append(bytes(value))
            kind = _Global("torch", _STORAGES[value.dtype.name])
            known = self.known[id(value)] = ("storage", kind, name, "cpu", value.size), tensor
        return _Persistent(known[0])


class _Persistent:
    """Value that a pickle stores as a persistent id."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _strides(tensor: Tensor) -> tuple[int, ...]:
    strides, step = [], 1
    for length in reversed(tensor.shape):
        strides.append(step)
        step *= length
    return tuple(reversed(strides))


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


def add_safe_globals(classes: list[Any]) -> None:
    """Allow `load` to make objects of classes."""
    _allowed.update(classes)


@contextmanager
def safe_globals(classes: list[Any]) -> Iterator[None]:
    """Allow `load` to make objects of classes in a `with` block."""
    before = set(_allowed)
    _allowed.update(classes)
    try:
        yield
    finally:
        _allowed.clear()
        _allowed.update(before)


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
        if full in _MAKERS:
            return _MAKERS[full](self)
        if module.startswith("torch.nn."):
            module = f"{_PACKAGE}.nn"
        if not self.weights_only:
            return super().find_class(module, name)
        for kind in _allowed:
            if (kind.__module__, kind.__qualname__) == (module, name):
                return kind
        own = f"{_PACKAGE}.nn"
        if module == own or module.startswith(f"{own}."):
            found = getattr(nn, name, None) or getattr(nn.functional, name, None)
            if found in vars(nn.functional).values() or (
                isinstance(found, type) and issubclass(found, nn.Module)
            ):
                return found
        if full.startswith("torch.") and name in vars(dtypes):
            return getattr(dtypes, name)
        raise pickle.UnpicklingError(
            f"load: file has an object of a class that is not allowed; got {full}; call "
            f"torch.serialization.add_safe_globals([{name}]), or pass weights_only=False for a "
            "file that you trust"
        )


def _tensor_maker(unpickler: _Unpickler) -> Callable[..., Tensor]:
    def make(storage: Any, offset: int, shape: Any, strides: Any, *rest: Any) -> Tensor:
        stored = Stored(storage, storage.code, offset, tuple(shape), tuple(strides))
        unpickler.reader.tensors["tensor"] = stored
        tensor = Tensor._of(unpickler.reader.tensor("tensor"))
        tensor.requires_grad = bool(rest and rest[0])
        return tensor

    return make


def _constant(value: Any) -> Callable[[Any], Any]:
    return lambda unpickler: value


_MAKERS: dict[str, Callable[[Any], Any]] = {
    "torch._utils._rebuild_tensor_v2": _tensor_maker,
    "torch._utils._rebuild_parameter": _constant(lambda data, grad, hooks: Parameter(data, grad)),
    "torch.Size": _constant(Size),
    "torch.device": _constant(device),
    "collections.OrderedDict": _constant(OrderedDict),
    "builtins.set": _constant(set),
    "builtins.tuple": _constant(tuple),
    "builtins.str": _constant(str),
    "__builtin__.set": _constant(set),
    "__builtin__.tuple": _constant(tuple),
    "__builtin__.str": _constant(str),
    "__builtin__.unicode": _constant(str),
    "copy_reg._reconstructor": _constant(lambda kind, base, state: object.__new__(kind)),
    "copyreg.__newobj__": _constant(lambda kind, *args: kind.__new__(kind, *args)),
    "argparse.Namespace": _constant(Namespace),
}
"""Objects by qualified name that any file may have."""
